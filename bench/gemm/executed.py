"""The gfx942 code of hk::gemm, executed in the simulator."""

import json
import os
import re
import subprocess
import tempfile

import chart
import tables
from simulated import BYTES_PER_US, CLOCK, UNITS, is_ahead

N, K = 2304, 16384
BYTES = {"f16": 2, "bf16": 2, "fp8": 1}
OWN = ("stream", "0", -1)  # the library's own plan
# type, M, N, K, plan
CASES = (
    [("f16", m, N, K, OWN) for m in (1, 5, 8, 16, 32, 64)]
    + [("fp8", m, N, K, OWN) for m in (1, 8, 16)]
    + [("bf16", 1024, 1024, 1024, plan) for plan in (OWN, ("tile", "128x128", 1), ("tile", "256x256", 1))]
    + [("f16", 1024, 1024, 4096, ("tile", "largest", 1))]
)
COMPARED = ("wave_instructions", "lines", "fill", "model_us")


def build(options, folder):
    driver = os.path.join(folder, "driver")
    subprocess.run(
        [options.clang, "--driver-mode=g++", "-x", "hip", "--offload-arch=gfx942", "-O3", "-std=c++17",
         "--rocm-path=" + options.rocm_path, "-D__AMDGCN_WAVEFRONT_SIZE=64",
         "-I" + os.path.join(options.root, "runtime", "include"), os.path.join(options.here, "driver.hip"), "-o",
         driver, "-L" + os.path.join(options.build, "lib", "hk-sim"), "-lamdhip64"], check=True)
    return driver


def name_of(case):
    kind, m, n, k, plan = case
    return "%s %dx%dx%d%s" % (kind, m, n, k, "" if plan == OWN else " %s %s" % plan[:2])


def compulsory_bytes(kind, m, n, k):
    """Both factors and the output once."""
    return (m + n) * k * BYTES[kind] + 2 * m * n


def execute(options, folder, driver, case):
    kind, m, n, k, (mode, config, splits) = case
    report = os.path.join(folder, "counters.json")
    done = subprocess.run(
        [os.path.join(options.build, "bin", "hk-sim"), "--threads=1", "--json=" + report, driver, kind, str(m), str(n), str(k), mode,
         config, str(splits)], stdout=subprocess.PIPE, text=True, check=True)
    mode, config, splits, tile_n, tile_m, partials = done.stdout.split()
    with open(report) as file:
        kernels = json.load(file)["kernels"]
    (c,) = [c for c in kernels if "hk::detail" in c["name"]]
    waves, groups, least = c["waves"], c["workgroups"], compulsory_bytes(kind, m, n, k)
    # The busiest compute unit: its workgroups, and the wavefronts of each of its SIMDs, all alike.
    busiest = -(-groups // UNITS)
    share = max(busiest * waves / groups / 4, 1) / waves
    vector = c["inst_valu"] + c["inst_valu_double"] + c["inst_mfma"]
    wave = 4 * c["wave_instructions"] / waves
    cycles = {
        "issue": max(wave, (4 * vector + 16 * c["inst_valu_transcendental"]) * share),
        "matrix": c["mfma_cycles"] * share,
        "lds": c["lds_cycles"] / groups * busiest,
    }
    return {
        "plan": {"mode": mode, "config": int(config), "splits": int(splits), "tile_n": int(tile_n),
                 "tile_m": int(tile_m)},
        "wave_instructions": c["wave_instructions"], "valu": c["inst_valu"] + c["inst_valu_transcendental"],
        "mfma": c["mfma"], "mfma_cycles": c["mfma_cycles"], "lines": c["lines128"],
        "lines_over_fewest": round(c["lines128"] / c["lines128_min"], 4),
        "lines_over_compulsory": round(c["lines128"] * 128 / least, 3),
        "used_over_least": round(c["bytes_used"] / least, 3),
        "moved_over_least": round((least + 2 * int(partials)) / least, 3),
        "lds_conflicts": c["lds_conflicts"], "barriers": c["barriers"], "workgroups": groups,
        "fill": min(groups, UNITS),
        "issue_us": round(cycles["issue"] / CLOCK, 3), "matrix_us": round(cycles["matrix"] / CLOCK, 3),
        "lds_us": round(cycles["lds"] / CLOCK, 3), "bytes_us": round(least / BYTES_PER_US, 3),
        "model_us": round(max(cycles["issue"] / CLOCK, cycles["matrix"] / CLOCK, least / BYTES_PER_US), 3),
        "matrix_busy": round(cycles["matrix"] / max(cycles.values()), 3),
    }


FORMAT = "%-38s %-15s %9s %9s %8s %9s %8s %8s %8s %9s %5s %9s %7s %7s %7s %6s"


def number(value, form="%d"):
    return "" if value is None else form % value


def run(options):
    with open(os.path.join(options.here, "anchors.json")) as file:
        anchors = {(a["type"], a["m"], a["n"], a["k"]): a for a in json.load(file)["cases"]}
    table, known, cases, problems = os.path.join(options.here, "gfx942.json"), {}, [], []
    if os.path.exists(table):
        with open(table) as file:
            known = {c["name"]: c for c in json.load(file)["cases"]}
    chosen = [c for c in CASES if re.search(options.only, name_of(c))
              and not (options.quick and (c[:2] in [("f16", m) for m in (5, 32, 64)] or c[4][1] == "256x256"))]
    print("gfx942 code executed in the simulator; issue, matrix and model us are a model, no time of any chip\n")
    print(FORMAT % ("", "plan", "inst", "VALU", "MFMA", "lines", "/fewest", "/compul.", "used/", "moved/", "fill",
                    "mfma cyc.", "issue", "matrix", "model", "busy"))
    last = None
    with tempfile.TemporaryDirectory() as folder:
        driver = build(options, folder)
        for one in chosen:
            case = dict(name=name_of(one), type=one[0], m=one[1], n=one[2], k=one[3],
                        **execute(options, folder, driver, one))
            cases.append(case)
            anchor = anchors.get(one[:4])
            if one[:4] != last:
                last = one[:4]
                print()
                for kernel, f in (anchor["kernels"] if anchor else {}).items():
                    lines = f.get("lines")
                    print((FORMAT % (
                        "  " + kernel, "published", number(f["wave_instructions"]), number(f.get("valu")),
                        number(f.get("mfma")), number(lines), "",
                        number(lines and lines / anchor["compulsory"], "%.3f"), "", "", number(f["fill"]), "", "", "",
                        number(f["model_us"], "%.2f"), "")).rstrip()
                        + ("  %.1f with what is read again" % f["reread_us"] if "reread_us" in f else ""))
            behind = []
            if anchor:
                best = {f: (max if f == "fill" else min)(k[f] for k in anchor["kernels"].values() if f in k)
                        for f in COMPARED}
                # Published models have three digits: the same byte bound is no difference.
                ours = {f: round(case[f], 2) if f == "model_us" else case[f] for f in COMPARED}
                case["against_best"] = {f: is_ahead(ours[f], best[f], f) for f in COMPARED}
                if abs(case["model_us"] - best["model_us"]) < 0.005 * best["model_us"]:
                    case["against_best"]["model_us"] = "even"
                behind = ["%s %.4g, %.4g" % (f, ours[f], best[f]) for f in COMPARED
                          if case["against_best"][f] == "behind"]
            plan = case["plan"]
            print((FORMAT % (
                case["name"], "%s %dx%d/%d" % (plan["mode"], plan["tile_n"], plan["tile_m"], plan["splits"]),
                number(case["wave_instructions"]), number(case["valu"]), number(case["mfma"]), number(case["lines"]),
                number(case["lines_over_fewest"], "%.3f"), number(case["lines_over_compulsory"], "%.3f"),
                number(case["used_over_least"], "%.3f"), number(case["moved_over_least"], "%.3f"), number(case["fill"]),
                number(case["mfma_cycles"]), number(case["issue_us"], "%.2f"), number(case["matrix_us"], "%.2f"),
                number(case["model_us"], "%.2f"), number(case["matrix_busy"], "%.2f")))
                + ("  behind the best: " + "; ".join(behind) if behind else ""), flush=True)
            if options.check:
                before = known.get(case["name"])
                if not before:
                    problems.append("%s: not in gfx942.json" % case["name"])
                    continue
                for figure in ("wave_instructions", "valu", "mfma_cycles", "lines", "lds_conflicts", "model_us"):
                    if case[figure] > 1.02 * before[figure]:
                        problems.append("%s: %s is %g, %g in gfx942.json" % (
                            case["name"], figure, case[figure], before[figure]))
                if case["fill"] < before["fill"]:
                    problems.append("%s: fill is %d, %d in gfx942.json" % (case["name"], case["fill"], before["fill"]))
    print("\nbusy: matrix cycles over the most of issue, matrix and LDS cycles, on the busiest compute unit")
    figures = {"vehicle": "gfx942 code in the simulator", "cases": cases}
    if options.update:
        tables.replace_json(table, figures)
    return figures, problems


def draw(figures):
    return chart.bars("Model us of a launch: gfx942 code in the simulator; no time of any chip", [
        (c["name"], [("model", c["model_us"]), ("issue", c["issue_us"]), ("matrix", c["matrix_us"]),
                     ("bytes at 5.3 TB/s", c["bytes_us"])]) for c in figures["cases"]], "us")
