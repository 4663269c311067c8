"""counts.py PROGRAM JSON: whether each kernel executes no more than the arithmetic of its plan asks for."""

import json
import os
import subprocess
import sys

program, out = sys.argv[1:]
checks = failures = 0
# Of what is loaded: for int8 the compiler loads one of four blocks of X twice in the loop over K.
SLACK = 1.05
SHOWN = ("mfma", "lds_conflicts", "lds_cycles", "bytes_loaded", "segments64", "segments64_min", "lines128", "lines128_min")


def check(what, got, most, least=None):
    global checks, failures
    checks += 1
    if not (least if least is not None else 0) <= got <= most:
        failures += 1
        print("%s: %s, wanted %s%s" % (what, got, "" if least is None else "%s to " % least, most))


def ceil(a, b):
    return (a + b - 1) // b


plans = [line.split(None, 8) for line in subprocess.check_output(["hk-sim", program], text=True).splitlines()]
for orders, index, mode, sparse, dot_rows, tile_m, tile_n, block, name in plans:
    mode, sparse, dot_rows, tile_m, tile_n, block = (
        int(word) for word in (mode, sparse, dot_rows, tile_m, tile_n, block))
    stream, ring = mode == 0, mode == 3  # of hk::GemmMode
    folded = stream and tile_m == 8 and not sparse
    size = 1 if orders == "I8" else 2
    # Whole tiles and blocks; and what is left over of each.
    for m, n, k in ((2 * tile_m, 2 * tile_n, 8192), (max(tile_m - 1, 1), tile_n + 1, 2056)):
        what = "%s %s %dx%dx%d: " % (orders, name, m, n, k)
        subprocess.check_call(["hk-sim", "--json=" + out, program, orders, index, str(m), str(n), str(k)])
        with open(out) as f:
            kernels = json.load(f)["kernels"]
        check(what + "kernels", len(kernels), 1, 1)
        kernel = kernels[0]
        if os.environ.get("HK_SHOW"):
            print(what + str({field: kernel[field] for field in SHOWN}))
        tiles = ceil(m, tile_m) * ceil(n, tile_n)
        # A step is 64 bytes of K of 16 rows of each factor: two instructions on gfx942, f16 of 16 and int8 of 32 elements; the
        # sparse ones take twice that. Tiles of 8 rows of X need as many.
        steps = ceil(k * size, block) * block // 64
        instructions = tiles * (tile_n // 16) * ceil(tile_m, 16) * steps * (1 if sparse else 2)
        if dot_rows:
            instructions = 0
        check(what + "matrix instructions", kernel["mfma"], instructions, instructions)
        # Nothing while K is multiplied. Where the wavefronts of a stream kernel add up their sums, once in a workgroup, rows
        # of 16 and more share banks.
        check(what + "conflicts in LDS", kernel["lds_conflicts"], max(64, 2 * tile_m) * tiles if stream else 64 * tiles if dot_rows else 0)
        if (stream or ring) and m % tile_m == 0:
            # Each workgroup reads its rows of both factors once; wavefronts read the kernel's arguments.
            rows = tile_n + (tile_m if folded else ceil(tile_m, 16) * 16)
            least = tiles * rows * k * size
            check(what + "bytes loaded", kernel["bytes_loaded"], SLACK * least + 256 * kernel["waves"], least)
            check(what + "segments of 64 bytes", kernel["segments64"], SLACK * kernel["segments64_min"])
            if not sparse:
                check(what + "lines of 128 bytes", kernel["lines128"], SLACK * kernel["lines128_min"])
        if dot_rows and k * size % block == 0:
            # Each wavefront along N reads its rows of W and all of the tile's rows of X, in whole lines.
            least = tiles * (tile_n + tile_m * tile_n // dot_rows) * k * size
            check(what + "bytes loaded", kernel["bytes_loaded"], SLACK * least + 256 * kernel["waves"], least)
            check(what + "lines of 128 bytes", kernel["lines128"], SLACK * kernel["lines128_min"])

if failures:
    print("%d wrong of %d" % (failures, checks))
else:
    print("all %d passed" % checks)
sys.exit(failures != 0)
