#!/usr/bin/env python3
"""Counts vector instructions per number in the assembly of kernels.h, and compares with a table.

count.py DOCUMENT TARGET=FILE... reads the table in DOCUMENT whose header starts with `| conversion |` and whose other
columns are targets. Each cell is the instructions per number of the path without rare values: those until the kernel's
first s_endpgm, without the scaling, the addressing, and moves. Exit 1 with the table as it would be if one differs.
"""

import re
import subprocess
import sys

NAMES = {
    "float": "f32", "signed char": "i8", "unsigned char": "u8", "int": "i32",
}
OVERFLOWS = {"0": "saturate", "1": "special", "2": "in range"}


def conversion(symbol):
    name = subprocess.run(["c++filt", symbol], capture_output=True, text=True, check=True).stdout
    match = re.match(r"void (pack|unpack)<([\w: ]+?)(?:, \(hk::Overflow\)(\d))?>\(", name)
    if not match:
        sys.exit("count.py: unexpected kernel " + name)
    kind = match[2].replace("hk::", "")
    text = f"{match[1]} {NAMES.get(kind, kind)}"
    return text + (f", {OVERFLOWS[match[3]]}" if match[3] else "")


def counts(path):
    result, current, count = {}, None, 0
    for line in open(path, encoding="utf-8"):
        label = re.match(r"(_Z\w+):", line)
        if label:
            current, count = conversion(label[1]), 0
        elif current and re.match(r"\s+v_(?!mov_|mul_f32_e32 v\d+, s|pk_mul_f32 v\S+, s|lshl_add_u64|lshlrev_b32_e32 v\d+, \d, v0$)", line):
            count += 1
        elif current and line.strip() == "s_endpgm":
            result[current] = f"{count / 16:.2f}"
            current = None
    return result


def main():
    document, *files = sys.argv[1:]
    measured = {target: counts(path) for target, path in (f.split("=", 1) for f in files)}
    lines = open(document, encoding="utf-8").read().splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("| conversion |"))
    targets = [cell.strip() for cell in lines[start].strip("|").split("|")][1:]
    wrong, seen = [], set()
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        name, *cells = [cell.strip() for cell in line.strip("|").split("|")]
        seen.add(name)
        for target, cell in zip(targets, cells):
            if measured[target].get(name) != cell:
                wrong.append(f"{name}, {target}: {measured[target].get(name)} and not {cell}")
    missing = set().union(*measured.values()) - seen
    if not wrong and not missing and set(targets) == set(measured):
        print(f"{len(seen)} conversions as documented")
        return
    print("\n".join(wrong))
    for name in measured[targets[0]]:
        print(f"| {name} | " + " | ".join(measured[t].get(name, "?") for t in targets) + " |")
    sys.exit(1)


main()
