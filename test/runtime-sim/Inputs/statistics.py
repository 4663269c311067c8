"""Checks the counters of statistics.hip, which are known exactly."""

import json
import sys

report = json.load(open(sys.argv[1]))
assert report["faults"] == 0
(kernel,) = report["kernels"]
assert kernel["name"].startswith("copy(") and kernel["launches"] == 3
assert kernel["workgroups"] == 12 and kernel["waves"] == 48
# 64 lanes of 4 bytes, coalesced: 2 lines for the load and 2 for the store.
assert kernel["lines128"] == kernel["lines128_min"] == 48 * 4
assert kernel["bytes_stored"] == 48 * 256
assert kernel["barriers"] == kernel["mfma"] == kernel["lds_conflicts"] == 0
assert kernel["inst_global_load"] == kernel["inst_global_store"] == 48
assert kernel["wave_instructions"] >= 48 * 5 and kernel["model_cycles"] > 0
assert kernel["active_lanes"] == 1.0
# Scalar loads of arguments are at other lines.
(line,) = [l for l in kernel["lines"] if l["inst_global_load"]]
assert line["file"].endswith("statistics.hip") and line["line"] == 11
assert line["bytes_loaded"] == line["bytes_stored"] == 48 * 256
