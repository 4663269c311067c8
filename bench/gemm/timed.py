"""Times of hk::gemm on an NVIDIA GPU, beside PyTorch (cuBLAS) and the memory limit. Needs PyTorch and nvcc."""

import json
import math
import re
import statistics
import time

import chart
from measured import L2_TIMES, LAUNCHES, REPLAYS, copy_rate, library, microseconds

# N x K of weights: Llama 3.1 405B, 70B (both in 8 parts) and 8B, gpt-oss, DeepSeek-V3 (in 8 parts).
SHAPES = ((2304, 16384), (16384, 2048), (13312, 16384), (16384, 6656), (1280, 8192), (8192, 1024), (7168, 8192),
          (4096, 4096), (28672, 4096), (5120, 2880), (2112, 7168), (512, 7168), (128, 2880))
ROWS = (1, 2, 4, 8, 16, 32, 64)
FP8_ROWS = (16, 64)  # torch._scaled_mm wants multiples of 16
SQUARE = 4096
EPILOGUES = ((16, 13312, 16384), (64, 7168, 8192), (64, 28672, 4096))
LARGE = 64e6  # bytes of weights from which the share of the limit is told
TYPES = {"f16": ("float16", 10, -14), "bf16": ("bfloat16", 7, -126), "fp8": ("float8_e4m3fn", 3, -6)}
# Errors of sums that are allowed, over the root of the sum of the products' squares. A vector of K that is left out is
# a larger error in most results. More for fp8: matrix cores of sm_90 add its products with fewer bits than f32 has.
SUMS = {"f16": 2.0**-8, "bf16": 2.0**-8, "fp8": 2.0**-5}


class Sets:
    """What microseconds() goes through: weights n x k that exceed L2_TIMES the L2 together, x and y beside each."""

    def __init__(self, torch, kind, n, k, rows, l2):
        self.torch, self.kind, self.n, self.k = torch, kind, n, k
        name, _, _ = TYPES[kind]
        self.type = getattr(torch, name)
        self.bytes = n * k * torch.empty(0, dtype=self.type).element_size()
        self.count = max(2, math.ceil(L2_TIMES * l2 / self.bytes))
        out = torch.float16 if kind == "fp8" else self.type

        def numbers(*shape):
            plain = torch.bfloat16 if kind == "bf16" else torch.float16
            return torch.randn(shape, device="cuda", dtype=plain).to(self.type)

        self.all = [{"w": numbers(n, k), "x": numbers(rows, k), "y": torch.empty((rows, n), device="cuda", dtype=out)}
                    for _ in range(self.count)]
        first = self.all[0]
        x, w = first["x"].double(), first["w"].double()
        self.want = x @ w.t()
        self.size = (x.square() @ w.square().t()).sqrt()
        self.bias = torch.randn(n, device="cuda", dtype=torch.float16 if kind == "fp8" else self.type)
        self.scale = torch.tensor([math.sqrt(k) / 64], device="cuda")
        self.one = torch.ones((), device="cuda")
        self.rows(rows)

    def rows(self, m):
        """Takes the first m rows of x from here on."""
        self.m = m
        self.sets = [{"w": s["w"], "wt": s["w"].t(), "x": s["x"][:m], "y": s["y"][:m]} for s in self.all]

    def check(self, y, epilogue=False):
        """Raises if the first set's result differs from the f64 reference by more than its rounding and the sums'."""
        t = self.torch
        want, slack = self.want[:self.m], SUMS[self.kind] * self.size[:self.m]
        _, bits, least = TYPES["fp8" if epilogue else "f16" if self.kind == "fp8" else self.kind]
        if epilogue:
            h = want + self.bias.double()
            want = (h * t.sigmoid(h) / self.scale.double()).clamp(-448, 448)
            slack = 1.1 * slack / self.scale.double()  # SiLU's slope
        exponent = t.floor(t.log2(want.abs().clamp(min=1e-300))).clamp(min=least)
        allowed = 0.5 * t.exp2(exponent - bits) * (1 + 1e-3) + slack
        got = y.double()
        wrong = ~((got - want).abs() <= allowed)
        if wrong.any():
            at = tuple(wrong.nonzero()[0].tolist())
            raise AssertionError("%s: %g, not %g (%d wrong)" % (at, got[at], want[at], int(wrong.sum())))


class Workspace:
    """The largest that a case has asked for."""

    def __init__(self, torch, kernels):
        self.torch, self.kernels, self.bytes, self.one = torch, kernels, 0, None

    def of(self, m, n, k, kind):
        # The least that a workspace has, even where none is needed.
        needed = max(65536, self.kernels.GemmWorkspace.bytes(m, n, k, TYPES[kind][0]))
        if needed > self.bytes:
            memory = self.torch.empty(needed, device="cuda", dtype=self.torch.uint8)
            self.bytes, self.one = needed, self.kernels.GemmWorkspace(memory)
        return self.one


def timed(torch, sets, launch, y, epilogue=False):
    """(median, least, most) of launches whose results are right before, and after many replays of a graph."""
    y.view(torch.uint8).fill_(0xFF)  # NaN in every type
    launch(sets.sets[0])
    torch.cuda.synchronize()
    sets.check(y, epilogue)
    y.view(torch.uint8).fill_(0xFF)
    result = microseconds(torch, sets, launch)
    sets.check(y, epilogue)
    return result


def pytorch(torch, kind, one):
    if kind == "fp8":
        return lambda s: torch._scaled_mm(s["x"], s["wt"], scale_a=one, scale_b=one, out_dtype=torch.float16)
    return lambda s: torch.mm(s["x"], s["wt"], out=s["y"])


def cases_of(options):
    """[(kind, n, k, [(m, name)])] that are asked for; all m of a shape have the same weights."""
    found = []
    for kind in ("f16", "bf16", "fp8"):
        rows = [m for m in (FP8_ROWS if kind == "fp8" else ROWS) if not options.quick or m in (1, 16, 64)]
        shapes = [(n, k, rows) for n, k in SHAPES] + ([(SQUARE, SQUARE, [SQUARE])] if kind != "fp8" else [])
        for n, k, rows_here in shapes:
            names = [(m, "%s %dx%dx%d" % (kind, m, n, k)) for m in rows_here]
            names = [(m, name) for m, name in names if re.search(options.only, name)]
            if names:
                found.append((kind, n, k, names))
    return found


def run(options):
    import torch
    start = time.monotonic()
    kernels = library(options)
    properties = torch.cuda.get_device_properties(0)
    l2 = properties.L2_cache_size
    print("library after %.0f s" % (time.monotonic() - start), flush=True)
    rate = copy_rate(torch)
    figures = {"vehicle": "%s, PyTorch %s, CUDA graph, weights rotated over %d times the L2 (%d MiB)" % (
        properties.name, torch.__version__, L2_TIMES, l2 >> 20), "copy_tb_s": rate / 1e6, "cases": [], "epilogues": []}
    problems, workspace = [], Workspace(torch, kernels)
    print(figures["vehicle"])
    print("copy rate %.3f TB/s; microseconds a launch in graphs of at least %d, medians of %d replays (least-most"
          " of ours)\n" % (rate / 1e6, LAUNCHES, REPLAYS))
    print("%-26s %9s %9s %9s %8s %8s %8s" % (
        "M x N x K", "ours", "PyTorch", "limit", "limit/us", "PyTorch/", "TFLOP/s"), flush=True)

    def save():
        if options.json:
            with open(options.json, "w") as file:
                json.dump(figures, file, indent=1)

    for kind, n, k, names in cases_of(options):
        try:
            sets = Sets(torch, kind, n, k, max(m for m, _ in names), l2)
        except torch.OutOfMemoryError:
            torch.cuda.empty_cache()
            problems.append("%s %dx%d: no memory" % (kind, n, k))
            continue
        for m, name in names:
            sets.rows(m)
            memory = workspace.of(m, n, k, kind)
            result = {"name": name, "type": kind, "m": m, "n": n, "k": k, "weight_bytes": sets.bytes,
                      "sets": sets.count}
            if m <= 64:
                result["limit_us"] = sets.bytes / rate
            try:
                times = timed(torch, sets, lambda s: kernels.linear(
                    s["y"], s["x"], s["w"], constant_weight=True, workspace=memory), sets.sets[0]["y"])
                result["ours_us"], result["ours_range"] = times[0], times[1:]
            except Exception as error:  # a wrong result is a line of the table, and fails the run
                problems.append("%s: WRONG: %s" % (name, error))
                result["wrong"] = str(error)
            try:
                result["pytorch_us"] = microseconds(torch, sets, pytorch(torch, kind, sets.one))[0]
            except Exception as error:  # a shape that it does not take
                result["pytorch_error"] = str(error).splitlines()[0]
            figures["cases"].append(result)
            print(line_of(result), flush=True)
            save()
        del sets
        torch.cuda.empty_cache()

    for m, n, k in EPILOGUES:
        name = "epilogue %dx%dx%d" % (m, n, k)
        if not re.search(options.only, name):
            continue
        sets = Sets(torch, "f16", n, k, m, l2)
        memory = workspace.of(m, n, k, "f16")
        for s in sets.sets:
            s["q"] = torch.empty((m, n), device="cuda", dtype=torch.float8_e4m3fn)
        result = {"name": name, "m": m, "n": n, "k": k}
        try:
            result["plain_us"] = timed(torch, sets, lambda s: kernels.linear(
                s["y"], s["x"], s["w"], constant_weight=True, workspace=memory), sets.sets[0]["y"])[0]
            result["fused_us"] = timed(torch, sets, lambda s: kernels.linear(
                s["q"], s["x"], s["w"], sets.bias, activation="silu", scale=sets.scale, constant_weight=True, fast=True,
                workspace=memory), sets.sets[0]["q"], True)[0]
        except Exception as error:
            problems.append("%s: WRONG: %s" % (name, error))
            result["wrong"] = str(error)
        figures["epilogues"].append(result)
        save()
        del sets
        torch.cuda.empty_cache()
    figures["summary"] = summary(figures)
    print("\n" + "\n".join(describe(figures)))
    print("%.0f s" % (time.monotonic() - start), flush=True)
    return figures, problems


def line_of(c):
    def us(key):
        return "%9.2f" % c[key] if key in c else "%9s" % "-"

    ours = c.get("ours_us")
    return ("%-26s %s %s %s %8s %8s %8s  %s" % (
        c["name"], us("ours_us"), us("pytorch_us"), us("limit_us"),
        "%.3f" % (c["limit_us"] / ours) if ours and "limit_us" in c else "",
        "%.3f" % (c["pytorch_us"] / ours) if ours and "pytorch_us" in c else "",
        "%.1f" % (2e-6 * c["m"] * c["n"] * c["k"] / ours) if ours else "",
        "WRONG" if "wrong" in c else "(%.2f-%.2f)" % tuple(c["ours_range"])))


def mean(values):
    return math.exp(statistics.fmean(math.log(v) for v in values)) if values else None


def summary(figures):
    """Geometric means of PyTorch's time over ours, of m up to 64, by type; and limit over ours with large weights."""
    result = {"types": {}}
    for kind in TYPES:
        few = [c for c in figures["cases"] if c["type"] == kind and c["m"] <= 64 and "ours_us" in c]
        both = [c for c in few if "pytorch_us" in c]
        large = [c["limit_us"] / c["ours_us"] for c in few if c["weight_bytes"] > LARGE]
        ratio = {c["name"]: c["pytorch_us"] / c["ours_us"] for c in both}
        if not both and not large:
            continue
        result["types"][kind] = {
            "rows": len(both), "mean": mean(list(ratio.values())),
            "mean_narrow": mean([ratio[c["name"]] for c in both if c["n"] < 4096]),
            "behind": {name: r for name, r in sorted(ratio.items(), key=lambda one: one[1]) if r < 1},
            "large_rows": len(large), "large_mean": mean(large), "large_least": min(large, default=None)}
    return result


def describe(figures):
    lines = []

    def text(value):
        return "-" if value is None else "%.3f" % value

    for kind, s in figures["summary"]["types"].items():
        lines.append("%s: PyTorch / ours, geometric mean %s of %d rows, %s where N < 4096; %d behind" % (
            kind, text(s["mean"]), s["rows"], text(s["mean_narrow"]), len(s["behind"])))
        lines += ["    behind: %-26s %.3f" % one for one in s["behind"].items()]
        lines.append("    limit / ours where weights exceed %d MB: geometric mean %s, least %s, %d rows" % (
            LARGE / 1e6, text(s["large_mean"]), text(s["large_least"]), s["large_rows"]))
    for e in figures["epilogues"]:
        if "fused_us" in e:
            lines.append("%-26s plain %.2f us, with bias + SiLU and an fp8 result %.2f us: %.3f times" % (
                e["name"], e["plain_us"], e["fused_us"], e["fused_us"] / e["plain_us"]))
        else:
            lines.append("%-26s WRONG" % e["name"])
    return lines


def draw(figures):
    keys = (("ours", "ours_us"), ("PyTorch", "pytorch_us"), ("limit", "limit_us"))
    # A part of the rows: all of them are a page of many meters.
    return chart.bars("Microseconds a launch: " + figures["vehicle"], [
        (c["name"], [(n, c.get(key)) for n, key in keys])
        for c in figures["cases"] if c["m"] in (1, 16, 64, SQUARE)], "us")
