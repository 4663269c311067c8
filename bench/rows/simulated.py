"""The gfx942 code of the kernels, executed in the simulator."""

import json
import os
import re
import subprocess
import tempfile

import chart
import tables

UNITS, CLOCK, BYTES_PER_US = 304, 2100.0, 5.3e6  # compute units, MHz, HBM3 peak of an MI300X


def build(options, folder):
    driver = os.path.join(folder, "driver")
    library = os.path.join(options.build, "lib", "hk-sim")
    subprocess.run(
        [options.clang, "--driver-mode=g++", "-x", "hip", "--offload-arch=gfx942", "-O3", "-std=c++17", "--rocm-path=" + options.rocm_path,
         "-D__AMDGCN_WAVEFRONT_SIZE=64", "-I" + os.path.join(options.root, "runtime", "include"),
         os.path.join(options.here, "driver.hip"), "-o", driver, "-L" + library, "-lamdhip64"], check=True)
    return driver


def execute(options, folder, driver, case, policy, workspace):
    """One launch; one host thread, so that what workgroups do while they wait for others is the same each time."""
    report = os.path.join(folder, "counters.json")
    subprocess.run(
        [os.path.join(options.build, "bin", "hk-sim"), "--threads=1", "--json=" + report, driver, case["operator"],
         policy, str(workspace), str(case["rows"]), str(case["columns"])], check=True, stdout=subprocess.DEVNULL)
    with open(report) as file:
        kernels = json.load(file)["kernels"]
    (k,) = [k for k in kernels if "hk::detail" in k["name"]]
    waves, groups = k["waves"], k["workgroups"]
    # The busiest compute unit, all wavefronts alike.
    resident = -(-groups // UNITS) * waves / groups
    vector = 4 * (k["inst_valu"] + k["inst_valu_double"]) + 16 * k["inst_valu_transcendental"]
    issue = max(4 * k["wave_instructions"] / waves, vector / waves * max(resident / 4, 1)) / CLOCK
    elements = case["rows"] * case["columns"] / 64
    valu = k["inst_valu"] + k["inst_valu_transcendental"]
    return {
        "wave_instructions": k["wave_instructions"], "valu": valu, "valu_per_element": round(valu / elements, 2),
        "lines": k["lines128"], "lines_over_fewest": round(k["lines128"] / k["lines128_min"], 4),
        "lines_over_compulsory": round(k["lines128"] / case["compulsory"], 3),
        "barriers_per_row": round(k["barriers"] / case["rows"], 2), "fill": min(groups, UNITS),
        "workgroups": groups,
        "model_us": round(max(issue, case["compulsory"] * 128 / BYTES_PER_US), 3),
    }


COMPARED = ("wave_instructions", "valu", "lines", "barriers_per_row", "fill", "model_us")


def is_ahead(ours, best, figure):
    """ahead, even or behind, of the best of the published kernels in this figure."""
    if ours == best:
        return "even"
    return "ahead" if (ours > best if figure == "fill" else ours < best) else "behind"


def run(options):
    with open(os.path.join(options.here, "anchors.json")) as file:
        anchors = json.load(file)
    table = os.path.join(options.here, "gfx942.json")
    known = {}
    if os.path.exists(table):
        with open(table) as file:
            known = {c["name"]: c for c in json.load(file)["cases"]}
    cases, problems = [], []
    with tempfile.TemporaryDirectory() as folder:
        driver = build(options, folder)
        for anchor in anchors["cases"]:
            variants = [(p, w) for p in ("exact", "fast") for w in ((0, 1) if anchor["operator"] == "rmsnorm" else (0,))]
            for policy, workspace in variants:
                name = "%s %dx%d %s%s" % (anchor["operator"], anchor["rows"], anchor["columns"], policy,
                                          " workspace" if workspace else "")
                if not re.search(options.only, name) or (options.quick and anchor["rows"] > 64):
                    continue
                figures = execute(options, folder, driver, anchor, policy, workspace)
                cases.append(dict(name=name, operator=anchor["operator"], rows=anchor["rows"],
                                  columns=anchor["columns"], compulsory=anchor["compulsory"], **figures))
    print("gfx942 code executed in the simulator; model_us is a model, no time of any chip\n")
    head = "%-38s %9s %9s %6s %8s %8s %8s %7s %5s %8s" % (
        "", "inst", "VALU", "/elem", "lines", "/fewest", "/compul.", "bar/row", "fill", "model us")
    print(head)
    last = None
    for case in cases:
        shape = (case["operator"], case["rows"], case["columns"])
        anchor = next(a for a in anchors["cases"] if (a["operator"], a["rows"], a["columns"]) == shape)
        if shape != last:
            last = shape
            print()
            for kernel, f in anchor["kernels"].items():
                print("%-38s %9d %9d %6.1f %8d %8s %8.3f %7.2f %5d %8.2f" % (
                    "  " + kernel, f["wave_instructions"], f["valu"],
                    f["valu"] * 64 / anchor["rows"] / anchor["columns"], f["lines"], "",
                    f["lines"] / anchor["compulsory"], f["barriers_per_row"], f["fill"], f["model_us"]))
        best = {f: (max if f == "fill" else min)(k[f] for k in anchor["kernels"].values()) for f in COMPARED}
        case["against_best"] = {f: is_ahead(case[f], best[f], f) for f in COMPARED}
        behind = [f for f in COMPARED if case["against_best"][f] == "behind"]
        print("%-38s %9d %9d %6.1f %8d %8.3f %8.3f %7.2f %5d %8.2f  %s" % (
            case["name"], case["wave_instructions"], case["valu"], case["valu_per_element"], case["lines"],
            case["lines_over_fewest"], case["lines_over_compulsory"], case["barriers_per_row"], case["fill"],
            case["model_us"], "behind the best: " + ", ".join(behind) if behind else ""))
        if case["lines_over_fewest"] > 1.02:
            problems.append("%s: %.3f times the fewest lines" % (case["name"], case["lines_over_fewest"]))
        # A workgroup of several rows, or several workgroups a row: its barriers are not those of one row.
        if case["workgroups"] == case["rows"] and case["barriers_per_row"] > 2:
            problems.append("%s: %.2f barriers a row" % (case["name"], case["barriers_per_row"]))
        if options.check:
            table_case = known.get(case["name"])
            if not table_case:
                problems.append("%s: not in gfx942.json" % case["name"])
                continue
            for figure in ("wave_instructions", "valu", "lines"):
                if case[figure] > 1.02 * table_case[figure]:
                    problems.append("%s: %s is %d, %d in gfx942.json" % (case["name"], figure, case[figure],
                                                                         table_case[figure]))
    figures = {"vehicle": "gfx942 code in the simulator, one host thread", "cases": cases}
    if options.update:
        tables.replace_json(table, figures)
    return figures, problems


def draw(figures):
    return chart.bars("Wave instructions (gfx942 code in the simulator)",
                      [(c["name"], [("ours", c["wave_instructions"])]) for c in figures["cases"]], "")
