"""What the compiler says of the registers of hk::gemm's kernels, and what LDS leaves of the occupancy."""

import json
import os
import re
import subprocess
import tempfile

import tables
from resources import REMARK, TARGETS

KINDS = ("f16", "bf16", "fp8", "i8", "f32", "f64", "f16 NN", "f16 TT", "f16 TN")  # see kernels.hip
FORMS = ("", " fold", " sparse")
LDS = {"gfx90a": 64 << 10, "gfx942": 64 << 10, "gfx950": 160 << 10}  # of a compute unit
CASE = re.compile(r"4CaseILi(\d+)ELi(\d)ELi(\d+)ELi(\d+)ELi(\d+)E")


def label(name):
    """What a mangled kernel name stands for, like "f16 stream 2 16x8 x8 fold": type and layout, mode and index, tile of
    N and M, wavefronts. Also its place in the table, dynamic LDS and threads."""
    kind, mode, index, lds, threads = (int(g) for g in CASE.search(name).groups())
    if mode in (0, 4):
        rows, columns, waves_n = (int(v) for v in re.search(r"StreamConfigILi(\d+)ELi(\d+)ELi(\d+)E", name).groups())
        form = int(re.search(r"StreamFormE(\d)E", name)[1])
        tile, more = (16 * rows * waves_n, 16 * columns if form == 0 else 8), FORMS[form]
    elif mode == 2:
        rows, columns, consumers = (int(v) for v in re.search(r"RingConfigILi(\d+)ELi(\d+)ELi(\d+)E", name).groups())
        tile, more = (16 * rows * consumers, 16 * columns), ""
    elif mode == 3:
        columns, rows, waves_n = (int(v) for v in re.search(r"DotConfigILi(\d+)ELi(\d+)ELi(\d+)E", name).groups())
        tile, more = (rows * waves_n, columns), ""
    else:
        tile, more = re.search(r"TileConfigILi(\d+)ELi(\d+)E", name).groups(), ""
    text = "%s %s %d %sx%s x%d%s" % (KINDS[kind], ("stream", "tile", "ring", "dot", "streamed")[mode], index, *tile, threads // 64, more)
    return text, (kind, mode, index), lds, threads


def compile_for(options, folder, target, fp8):
    result = subprocess.run(
        [options.clang, "-x", "hip", "--offload-arch=" + target, "--offload-device-only", "-O3", "-std=c++17", "-S",
         "--rocm-path=" + options.rocm_path, "-D__AMDGCN_WAVEFRONT_SIZE=64", "-DHK_FP8=" + fp8,
         "-I" + os.path.join(options.root, "runtime", "include"), "-Rpass-analysis=kernel-resource-usage",
         os.path.join(options.here, "kernels.hip"), "-o", os.path.join(folder, target + ".s")],
        stderr=subprocess.PIPE, text=True)
    if result.returncode:
        raise SystemExit(result.stderr)
    kernels, now = {}, None
    for line in result.stderr.splitlines():
        m = REMARK.search(line)
        if not m:
            continue
        if m[1] == "Function Name":
            now = kernels.setdefault(m[2], {})
        elif now is not None:
            now[m[1]] = m[2]
    rows = []
    for name, k in kernels.items():
        kernel, place, dynamic, threads = label(name)
        waves, lds = threads // 64, int(k["LDS Size"]) + dynamic
        # Whole workgroups: as many as the registers of four SIMDs and the LDS of a compute unit hold.
        resident = min(4 * int(k["Occupancy"]) // waves, LDS[target] // max(lds, 1))
        rows.append((place, {
            "target": target, "kernel": kernel, "vgprs": int(k["VGPRs"]), "agprs": int(k["AGPRs"]),
            "sgprs": int(k["TotalSGPRs"]), "lds_static": int(k["LDS Size"]), "lds_dynamic": dynamic,
            "scratch": int(k["ScratchSize"]), "spills": int(k["VGPRs Spill"]),
            "scalars": int(k["SGPRs Spill"]),
            "occupancy_registers": int(k["Occupancy"]), "workgroups": resident,
            "occupancy": resident * waves / 4}))
    return [row for _, row in sorted(rows, key=lambda r: r[0])]


def run(options):
    targets = TARGETS[1:2] if options.quick else TARGETS
    # One at a time: each holds a gigabyte, and others may be compiling.
    with tempfile.TemporaryDirectory() as folder:
        results = [compile_for(options, folder, *target) for target in targets]
    rows = [r for result in results for r in result if re.search(options.only, r["kernel"])]
    table, known, problems = os.path.join(options.here, "resources.json"), {}, []
    if os.path.exists(table):
        with open(table) as file:
            known = {(r["target"], r["kernel"]): r for r in json.load(file)["kernels"]}
    print("compiler's resource report (-O3); occupancy: wavefronts a SIMD, by registers, and of whole workgroups with"
          " the LDS that a launch asks for\n")
    print("%-7s %-34s %5s %5s %5s %7s %8s %7s %7s %6s %6s %7s" % (
        "target", "kernel", "VGPR", "AGPR", "SGPR", "LDS", "scratch", "spills", "scalars", "regs", "occup.", "groups"))
    for r in rows:
        print("%-7s %-34s %5d %5d %5d %7d %8d %7d %7d %6d %6.1f %7s" % (
            r["target"], r["kernel"], r["vgprs"], r["agprs"], r["sgprs"], r["lds_static"] + r["lds_dynamic"],
            r["scratch"], r["spills"], r["scalars"], r["occupancy_registers"], r["occupancy"], r["workgroups"] or "never"))
        name = r["target"] + " " + r["kernel"]
        # More LDS than there is: hk::gemm does not start it.
        if r["workgroups"] and (r["scratch"] or r["spills"]):
            problems.append("%s: %d bytes of scratch, %d spills" % (name, r["scratch"], r["spills"]))
        if options.check:
            before = known.get((r["target"], r["kernel"]))
            if not before:
                problems.append("%s: not in resources.json" % name)
            elif r["occupancy"] < before["occupancy"]:
                problems.append("%s: occupancy %g, %g in resources.json" % (name, r["occupancy"], before["occupancy"]))
    figures = {"vehicle": "clang's resource report (-O3)", "kernels": rows}
    if options.update:
        tables.replace_kernels(table, figures)
    return figures, problems
