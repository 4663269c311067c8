#!/usr/bin/env python3
"""Tables of hk::gemm: run.py --device=sim|report|cuda [options]

  --device=sim     gfx942 code executed in the simulator: instructions, those of matrix cores, lines, bytes, fill, a
                   model; beside published kernels (anchors.json). Needs the build (--build, default build/).
  --device=report  the compiler's resource report of every configuration, for gfx90a, gfx942, gfx950
  --device=cuda    times on an NVIDIA GPU, beside PyTorch (cuBLAS) and the memory limit
  --json=FILE      write the figures, too
  --svg=FILE       draw them (sim, cuda)
  --check          exit 1 if a figure is worse than its table (gfx942.json, resources.json); --update writes the table
  --only=REGEX     cases whose name matches
  --quick          fewer cases

The text table goes to standard output. README.md says what each figure is.
"""

import argparse
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(ROOT, "bench", "rows")]


def main():
    parser = argparse.ArgumentParser(usage=__doc__, add_help=True)
    parser.add_argument("--device", choices=("sim", "report", "cuda"), required=True)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--clang", default="clang++-22")
    parser.add_argument("--rocm-path")
    parser.add_argument("--json")
    parser.add_argument("--svg")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    options.root, options.here = ROOT, HERE
    options.rocm_path = options.rocm_path or os.path.join(options.build, "rocm")
    if options.device == "sim":
        import executed as vehicle
    elif options.device == "report":
        import registers as vehicle
    else:
        import timed as vehicle
    figures, problems = vehicle.run(options)
    if options.json:
        with open(options.json + ".new", "w") as file:
            json.dump(figures, file, indent=1)
            file.write("\n")
        os.replace(options.json + ".new", options.json)
    if options.svg and hasattr(vehicle, "draw"):
        with open(options.svg + ".new", "w") as file:
            file.write(vehicle.draw(figures))
        os.replace(options.svg + ".new", options.svg)
    for problem in problems:
        print("run.py: error: " + problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
