"""rewritten.py COUNTERS.json FOLDER BUILT: the benchmark programs after hk-opt.

COUNTERS.json and BUILT are bench/run's, which keeps there what it builds. Says how many programs are rewritten, and what became of
their lines; runs each with sizes that nothing divides, with all checks of the simulator.
"""

import concurrent.futures
import json
import os
import re
import subprocess
import sys

# Of their accesses one is where the data say.
GATHERED = {"csr_long_rows"}
# Not for fewer lines: wider, on other banks, by more wavefronts.
COALESCED = {"half_scale", "vector_multiply", "tiled_transpose", "matvec_transposed"}


def uneven(folder, built, name):
    with open(os.path.join(folder, name + ".hip")) as file:
        sizes = re.search(r"Uneven: ([\d ]+)\.", file.read())[1].split()
    done = subprocess.run(["hk-sim", "--races", "--waits", "--uninitialized", "--strict",
                           os.path.join(built, name + ".after")] + sizes,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    output = done.stdout.strip()
    return "" if done.returncode == 0 and output == "PASS" else output or "exit status %d" % done.returncode


def main():
    counters, folder, built = sys.argv[1:]
    with open(counters) as file:
        results = json.load(file)["sim"]
    after = sorted(name for name, r in results.items() if "after" in r)
    print("%d rewritten" % len(after))
    wrong = 0
    before_lines = after_lines = 0
    for name in after:
        old, new = results[name]["before"], results[name]["after"]
        if name in COALESCED:
            continue
        before_lines += old["lines"]
        after_lines += new["lines"]
        ratio = 0.65 if name in GATHERED else 0.95
        if new["ratio"] < ratio or new["lines"] > 0.4 * old["lines"]:
            print("%s: %d lines, ratio %.3f, after %d" % (name, new["lines"], new["ratio"], old["lines"]))
            wrong += 1
    print("%.1f %% fewer lines" % (100 - 100 * after_lines / before_lines))
    print("conflicts %d" % sum(results[name]["after"]["conflicts"] for name in after if name != "batched_normalize"))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, problem in zip(after, pool.map(lambda name: uneven(folder, built, name), after)):
            if problem:
                print("%s: %s" % (name, problem))
                wrong += 1
    print("%d wrong" % wrong)
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
