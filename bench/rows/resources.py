"""What the compiler says of the kernels' registers, and the widths of their memory accesses."""

import concurrent.futures
import json
import os
import re
import subprocess
import tempfile

import tables

TARGETS = (("gfx90a", "hk::e4m3"), ("gfx942", "hk::e4m3fnuz"), ("gfx950", "hk::e4m3"))
MODES = ("packed", "block", "split", "long")
MAPPINGS = ("flat", "rows", "blocks", "lanes")
OPERATORS = (("ResidualRmsEpilogue", "rmsnorm"), ("SoftmaxEpilogue", "softmax"), ("QuantizedGroups", "groups"),
             ("Gate", "swiglu"))
REMARK = re.compile(r"remark: *(?:[^ ]*: remark: *)?\s*([A-Za-z ]+?)(?: \[[^\]]*\])?: (\S+)")


def label(name):
    """rmsnorm block x2 loop: what a mangled kernel name stands for."""
    operator = next(o for part, o in OPERATORS if part in name)
    m = re.search(r"RowModeE(\d)ELi(\d)ELi(\d)ELb(\d)ELb(\d)", name)
    if m:
        mode, chunks, rows, general, loops = (int(g) for g in m.groups())
        return "%s %s x%d%s%s%s" % (operator, MODES[mode], chunks, " rows%d" % rows if rows > 1 else "",
                                    " general" if general else "", " loop" if loops else "")
    m = re.search(r"RowModeE\dELi(\d)ELb(\d)ELb(\d)", name)
    if m and "longRowsKernel" in name:
        return "%s long%s%s" % (operator, " general" if m[2] == "1" else "", " lds" if m[3] == "1" else "")
    m = re.search(r"Li(\d+)ELi(\d)ELb(\d)ELNS0_7MappingE(\d)", name)
    if m:
        return "%s %s x%s%s" % (operator, MAPPINGS[int(m[4])], m[2], "" if m[3] == "1" else " unaligned")
    return operator + " gather"


def compile_for(options, folder, target, fp8):
    assembly = os.path.join(folder, target + ".s")
    result = subprocess.run(
        [options.clang, "-x", "hip", "--offload-arch=" + target, "--offload-device-only", "-O3", "-std=c++17", "-S",
         "--rocm-path=" + options.rocm_path, "-D__AMDGCN_WAVEFRONT_SIZE=64", "-DHK_FP8=" + fp8,
         "-I" + os.path.join(options.root, "runtime", "include"), "-Rpass-analysis=kernel-resource-usage",
         os.path.join(options.here, "kernels.hip"), "-o", assembly],
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
    accesses, name = {}, None
    with open(assembly) as file:
        for line in file:
            m = re.match(r"(_Z\S+):", line)
            if m:
                name = m[1] if m[1] in kernels else None
            m = re.match(r"\s+global_(load|store)_(\w+)", line)
            if m and name:
                width = {"dwordx4": 128, "dwordx2": 64, "dwordx3": 96, "dword": 32}.get(m[2], 16)
                key = "%s_%d" % (m[1], width)
                accesses.setdefault(name, {})[key] = accesses.get(name, {}).get(key, 0) + 1
    rows = []
    for name, k in kernels.items():
        a = accesses.get(name, {})
        rows.append({
            "target": target, "kernel": label(name), "vgprs": int(k["VGPRs"]), "agprs": int(k["AGPRs"]),
            "sgprs": int(k["TotalSGPRs"]), "lds": int(k["LDS Size"]), "scratch": int(k["ScratchSize"]),
            "spills": int(k["VGPRs Spill"]) + int(k["SGPRs Spill"]), "occupancy": int(k["Occupancy"]),
            "loads128": a.get("load_128", 0), "stores128": a.get("store_128", 0),
            "loads_narrower": sum(v for key, v in a.items() if key.startswith("load") and key != "load_128"),
            "stores64": a.get("store_64", 0)})
    return sorted(rows, key=lambda r: r["kernel"])


def run(options):
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda t: compile_for(options, folder, *t), TARGETS))
    rows = [r for result in results for r in result if re.search(options.only, r["kernel"])]
    table, known, problems = os.path.join(options.here, "resources.json"), {}, []
    if os.path.exists(table):
        with open(table) as file:
            known = {(r["target"], r["kernel"]): r for r in json.load(file)["kernels"]}
    print("compiler's resource report; occupancy: wavefronts a SIMD; accesses: instructions in the code\n")
    print("%-7s %-34s %5s %5s %5s %6s %8s %7s %6s %6s %6s" % (
        "target", "kernel", "VGPR", "AGPR", "SGPR", "LDS", "scratch", "spills", "occup.", "ld128", "st128"))
    for r in rows:
        print("%-7s %-34s %5d %5d %5d %6d %8d %7d %6d %6d %6d" % (
            r["target"], r["kernel"], r["vgprs"], r["agprs"], r["sgprs"], r["lds"], r["scratch"], r["spills"],
            r["occupancy"], r["loads128"], r["stores128"]))
        name = r["target"] + " " + r["kernel"]
        if r["scratch"] or r["spills"]:
            problems.append("%s: %d bytes of scratch, %d spills" % (name, r["scratch"], r["spills"]))
        checked = not re.search("gather|blocks|lanes|general|unaligned", r["kernel"])
        # A kernel for whole aligned vectors: 16 bytes of f16 a load; fp8 results are half as wide.
        if checked and not (r["loads128"] and (r["stores128"] or r["stores64"])):
            problems.append("%s: no 128-bit load, or no store of a whole vector" % name)
        if options.check:
            before = known.get((r["target"], r["kernel"]))
            if not before:
                problems.append("%s: not in resources.json" % name)
            elif r["occupancy"] < before["occupancy"]:
                problems.append("%s: occupancy %d, %d in resources.json" % (name, r["occupancy"], before["occupancy"]))
    figures = {"vehicle": "clang's resource report (-O3)", "kernels": rows}
    if options.update:
        tables.replace_kernels(table, figures)
    return figures, problems
