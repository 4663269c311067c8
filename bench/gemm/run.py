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

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "rows")]
import tables  # found by the path above

if __name__ == "__main__":
    sys.exit(tables.main(__doc__, HERE, {"sim": "executed", "report": "registers", "cuda": "timed"}))
