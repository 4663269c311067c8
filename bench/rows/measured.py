"""Times on an NVIDIA GPU, beside PyTorch and the memory limit. Needs PyTorch and nvcc."""

import json
import math
import os
import re
import statistics
import subprocess
import sys

import chart

ROWS = (1, 16, 64, 256, 4096)
SHAPES = [("rmsnorm", c) for c in (16384, 8192, 5120, 2880)] + [("swiglu", c) for c in (6656, 28672, 2880)] + [
    ("softmax", c) for c in (4096, 151936)] + [("layernorm", 4096), ("groups", 7168)]
EPSILON, GROUP, MAX = 1e-5, 128, 448.0
REPLAYS, LAUNCHES, L2_TIMES, MEMORY = 11, 24, 3, 20e9


def library(options):
    """hk_kernels, with a library for this GPU; built if it is missing or older than its sources."""
    sys.path.insert(0, os.path.join(options.root, "runtime", "python"))
    path = os.path.join(options.build, "nvidia", "libhk_kernels.so")
    newest = max(os.path.getmtime(os.path.join(folder, name))
                 for part in ("include/hk", "kernels") for folder, _, names in os.walk(
                     os.path.join(options.root, "runtime", part)) for name in names)
    if not os.path.exists(path) or os.path.getmtime(path) < newest:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        subprocess.run([sys.executable, os.path.join(options.root, "runtime", "kernels", "build-nvidia"), path],
                       check=True)
    os.environ["HK_KERNELS_LIBRARY"] = path
    import hk_kernels
    return hk_kernels


class Case:
    """One operator and shape: input sets, ours, PyTorch's and the reference."""

    def __init__(self, torch, kernels, operator, rows, columns, l2):
        self.torch, self.kernels, self.operator, self.rows, self.columns = torch, kernels, operator, rows, columns
        n = rows * columns
        self.bytes = {"rmsnorm": 7 * n + 2 * columns, "swiglu": 5 * n, "softmax": 4 * n,
                      "layernorm": 4 * n + 4 * columns, "groups": 3 * n + 4 * rows * (columns // GROUP)}[operator]
        # As many as exceed the L2 together, within 200 launches and what memory there is; see microseconds().
        self.count = max(LAUNCHES if self.bytes * LAUNCHES < MEMORY else 2,
                         min(200, math.ceil(L2_TIMES * l2 / self.bytes)))
        self.sets = [self.make() for _ in range(self.count)]

    def half(self, *shape):
        return self.torch.randn(shape, device="cuda", dtype=self.torch.float16)

    def make(self):
        t, r, c = self.torch, self.rows, self.columns
        fp8 = t.empty((r, c), device="cuda", dtype=t.uint8).fill_(0xFF).view(t.float8_e4m3fn)
        s = {"out": fp8, "scale": t.tensor([0.02], device="cuda")}
        if self.operator == "rmsnorm":
            s.update(x=self.half(r, c), residual=self.half(r, c), weight=self.half(c))
        elif self.operator == "swiglu":
            s.update(x=self.half(r, 2 * c))
        elif self.operator == "groups":
            s.update(x=self.half(r, c), scales=t.full((r, c // GROUP), float("nan"), device="cuda"))
        else:
            s.update(x=self.half(r, c), out=t.full((r, c), float("nan"), device="cuda", dtype=t.float16),
                     weight=self.half(c), bias=self.half(c))
        return s

    def ours(self, s, fast):
        k = self.kernels
        if self.operator == "rmsnorm":
            k.residual_rms_norm(s["out"], s["residual"], s["x"], s["weight"], EPSILON, scale=s["scale"], fast=fast)
        elif self.operator == "swiglu":
            k.gated(s["out"], s["x"], activation="silu", scale=s["scale"], fast=fast)
        elif self.operator == "softmax":
            k.softmax(s["out"], s["x"], fast=fast)
        elif self.operator == "layernorm":
            k.layer_norm(s["out"], s["x"], s["weight"], s["bias"], EPSILON, fast=fast)
        else:
            k.quantize(s["out"], s["x"], out_scale=s["scales"], group=GROUP)

    def pytorch(self):
        """The operator as one would write it for torch.compile; returns what it computes."""
        t, c = self.torch, self.columns

        def rmsnorm(x, residual, weight, scale):
            h = x + residual
            f = h.float()
            y = f * t.rsqrt(f.square().mean(-1, keepdim=True) + EPSILON) * weight.float()
            residual.copy_(h)
            return (y * (1.0 / scale)).clamp(-MAX, MAX).to(t.float8_e4m3fn)

        def swiglu(x, scale):
            y = t.nn.functional.silu(x[:, :c].float()) * x[:, c:].float()
            return (y * (1.0 / scale)).clamp(-MAX, MAX).to(t.float8_e4m3fn)

        def groups(x):
            f = x.float().view(x.shape[0], -1, GROUP)
            scales = f.abs().amax(-1, keepdim=True).clamp(min=1e-30) / MAX
            return (f / scales).clamp(-MAX, MAX).to(t.float8_e4m3fn).view(x.shape), scales.squeeze(-1)

        def softmax(x):
            return t.softmax(x, -1)

        def layernorm(x, weight, bias):
            return t.nn.functional.layer_norm(x, (c,), weight, bias, EPSILON)

        function = locals()[self.operator]
        names = {"rmsnorm": ("x", "residual", "weight", "scale"), "swiglu": ("x", "scale"),
                 "layernorm": ("x", "weight", "bias")}.get(self.operator, ("x",))
        return function, names

    def check(self, fast):
        """Raises if a result differs from the f64 reference by more than its rounding; inputs are fresh."""
        t, s, c = self.torch, self.make(), self.columns
        before = s.get("residual", s["x"]).clone()
        self.ours(s, fast)
        t.cuda.synchronize()
        x, slack = s["x"].double(), 1e-5
        if self.operator == "rmsnorm":
            h = s["x"] + before
            if not t.equal(h, s["residual"]):
                raise AssertionError("updated residual differs")
            h = h.double()
            want = h * t.rsqrt(h.square().mean(-1, keepdim=True) + EPSILON) * s["weight"].double() / s["scale"].double()
        elif self.operator == "swiglu":
            want = x[:, :c] * t.sigmoid(x[:, :c]) * x[:, c:] / s["scale"].double()
        elif self.operator == "groups":
            scales = x.view(self.rows, -1, GROUP).abs().amax(-1) / MAX
            if not t.allclose(s["scales"].double(), scales, rtol=1e-6, atol=0):
                raise AssertionError("scales differ")
            want = (x.view(self.rows, -1, GROUP) / scales.unsqueeze(-1)).view(x.shape)
        elif self.operator == "softmax":
            want = t.softmax(x, -1)
        else:
            want = t.nn.functional.layer_norm(x, (c,), s["weight"].double(), s["bias"].double(), EPSILON)
        got = s["out"].double()
        if s["out"].dtype == t.float16:
            bits, least = 10, -14
        else:
            bits, least, want = 3, -6, want.clamp(-MAX, MAX)
        exponent = t.floor(t.log2(want.abs().clamp(min=1e-300))).clamp(min=least)
        allowed = 0.5 * t.exp2(exponent - bits) + slack * want.abs() + 1e-6
        if self.operator == "layernorm": # the bias may cancel what was rounded
            allowed = allowed + slack * (want - s["bias"].double()).abs()
        wrong = ~((got - want).abs() <= allowed)
        if wrong.any():
            at = wrong.nonzero()[0].tolist()
            raise AssertionError("%s: %g, not %g (%d wrong)" % (at, got[tuple(at)], want[tuple(at)], int(wrong.sum())))


def microseconds(torch, case, launch):
    """Of one launch, from a captured graph of at least LAUNCHES that goes through all sets: median, least, most. Before
    each replay, outside of what is timed, as much else is read as the L2 holds L2_TIMES over: small sets are not found
    there either."""
    repeats = max(1, math.ceil(LAUNCHES / case.count))
    l2 = torch.cuda.get_device_properties(0).L2_cache_size
    other = torch.zeros(L2_TIMES * l2 // 4, device="cuda", dtype=torch.int32)
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for s in case.sets[:3]:
            launch(s)
    stream.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        for _ in range(repeats):
            for s in case.sets:
                launch(s)
    times = []
    for replay in range(REPLAYS + 2):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        other.max()
        start.record()
        graph.replay()
        end.record()
        end.synchronize()
        if replay >= 2:
            times.append(start.elapsed_time(end) * 1000 / (repeats * case.count))
    del graph
    return statistics.median(times), min(times), max(times)


def copy_rate(torch):
    """Bytes read and written a microsecond by the faster of PyTorch's copy of 2 GiB and a kernel that reads and writes as
    much: in a graph, the copy need not be done by a kernel."""
    a = torch.empty(1 << 29, device="cuda", dtype=torch.int32).random_()
    b = torch.empty_like(a)

    class Copy:
        count, sets = 1, [{}]

    ways = (lambda s: b.copy_(a), lambda s: torch.bitwise_not(a, out=b))
    return 2 * a.numel() * a.element_size() / min(microseconds(torch, Copy, way)[0] for way in ways)


def same_copy(torch, case):
    """Microseconds of an element-wise kernel of PyTorch's that reads half of the case's bytes and writes as many."""

    class Copy:
        count = case.count

        def __init__(self):
            n = case.bytes // 8
            self.sets = [(torch.zeros(n, device="cuda", dtype=torch.int32), torch.zeros(n, device="cuda", dtype=torch.int32))
                         for _ in range(case.count)]

    return microseconds(torch, Copy(), lambda s: torch.bitwise_not(s[0], out=s[1]))[0]


def run(options):
    import torch
    kernels = library(options)
    torch._dynamo.config.recompile_limit = 1000
    properties = torch.cuda.get_device_properties(0)
    l2 = properties.L2_cache_size
    figures = {"vehicle": "%s, PyTorch %s, CUDA graph, inputs rotated over %d times the L2 (%d MiB)" % (
        properties.name, torch.__version__, L2_TIMES, l2 >> 20), "copy_tb_s": copy_rate(torch) / 1e6,
        "compile_mode": "max-autotune-no-cudagraphs, captured in the same graph as the others", "cases": []}
    problems = []
    print(figures["vehicle"])
    print("copy rate %.3f TB/s; microseconds a launch, median of %d replays (least-most of ours fast)\n" % (
        figures["copy_tb_s"], REPLAYS))
    print("%-10s %5s %7s %9s %9s %9s %9s %9s %9s %8s %8s" % (
        "", "rows", "columns", "ours fast", "exact", "compile", "eager", "copy", "limit", "limit/us", "compile/"))
    for operator, columns in SHAPES:
        for rows in ROWS:
            name = "%s %dx%d" % (operator, rows, columns)
            if not re.search(options.only, name) or (options.quick and rows not in (1, 4096)):
                continue
            case = Case(torch, kernels, operator, rows, columns, l2)
            result = {"operator": operator, "rows": rows, "columns": columns, "bytes": case.bytes, "sets": case.count,
                      "limit_us": case.bytes / (figures["copy_tb_s"] * 1e6)}
            try:
                for policy in ("fast", "exact"):
                    case.check(policy == "fast")
                    median, least, most = microseconds(torch, case, lambda s: case.ours(s, policy == "fast"))
                    result["ours_%s_us" % policy] = median
                    result["ours_%s_range" % policy] = [least, most]
            except Exception as error:  # a wrong result is a line of the table, and fails the run
                problems.append("%s: WRONG: %s" % (name, error))
                result["wrong"] = str(error)
            function, names = case.pytorch()
            result["eager_us"] = microseconds(torch, case, lambda s: function(*(s[n] for n in names)))[0]
            if not options.quick:
                torch._dynamo.reset()
                compiled = torch.compile(function, mode="max-autotune-no-cudagraphs", dynamic=False)
                result["compile_us"] = microseconds(torch, case, lambda s: compiled(*(s[n] for n in names)))[0]
            if case.bytes > l2:
                case.sets = []
                torch.cuda.empty_cache()
                result["copy_us"] = same_copy(torch, case)
            figures["cases"].append(result)
            show(result)
            if options.json:
                with open(options.json, "w") as file:
                    json.dump(figures, file, indent=1)
            del case
            torch.cuda.empty_cache()
    compared = [c for c in figures["cases"] if "compile_us" in c and "wrong" not in c]
    ahead = sum(c["ours_fast_us"] < c["compile_us"] for c in compared)
    large = [c for c in figures["cases"] if c["bytes"] > l2 and "wrong" not in c]
    near = sum(c["limit_us"] / c["ours_fast_us"] >= 0.92 for c in large)
    print("\n%d of %d rows ahead of torch.compile; %d of %d with more bytes than the L2 at 0.92 of the limit or more" % (
        ahead, len(compared), near, len(large)))
    return figures, problems


def show(c):
    def us(key):
        return "%9.2f" % c[key] if key in c else "%9s" % "-"

    ours = c.get("ours_fast_us")
    print("%-10s %5d %7d %s %s %s %s %s %s %8s %8s  %s" % (
        c["operator"], c["rows"], c["columns"], us("ours_fast_us"), us("ours_exact_us"), us("compile_us"),
        us("eager_us"), us("copy_us"), us("limit_us"), "%.3f" % (c["limit_us"] / ours) if ours else "",
        "%.2f" % (c["compile_us"] / ours) if ours and "compile_us" in c else "",
        "WRONG" if "wrong" in c else "(%.2f-%.2f)" % tuple(c["ours_fast_range"])), flush=True)


def draw(figures):
    keys = (("ours", "ours_fast_us"), ("torch.compile", "compile_us"), ("eager", "eager_us"), ("copy", "copy_us"),
            ("limit", "limit_us"))
    return chart.bars("Microseconds a launch: " + figures["vehicle"], [
        ("%s %d x %d" % (c["operator"], c["rows"], c["columns"]), [(n, c.get(k)) for n, k in keys])
        for c in figures["cases"]], "us")
