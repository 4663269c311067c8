"""compare.py COUNTERS REMARKS: lines of 128 bytes a wavefront, counted and stated, for each source line."""

import collections
import json
import re
import sys

stated = collections.Counter()
with open(sys.argv[2]) as file:
    for text in file:
        found = re.search(r":(\d+):\d+: remark: .*; (\d+) lines? of 128 bytes a wavefront", text)
        if found:
            stated[int(found[1])] += int(found[2])
counted = {}
with open(sys.argv[1]) as file:
    for kernel in json.load(file)["kernels"]:
        for line in kernel["lines"]:
            if line["lines128"]:
                counted[line["line"]] = line["lines128"] / kernel["waves"]
agree = 0
for line in sorted(set(stated) | set(counted)):
    if stated[line] == counted.get(line):
        agree += 1
    else:
        print("line %d differs: counted %s, stated %d" % (line, counted.get(line), stated[line]))
print("%d source lines agree" % agree)
