#!/usr/bin/env python3
"""Times the simulator on one thread: run.py CLANG HK-SIM-RUN [--check]

Prints million wave instructions a second of processor time, best of five, and the floor that holds on a current server core.
With --check, exits 1 if a floor is missed.
"""

import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
FLAGS = ("-x hip --offload-device-only --offload-arch=gfx942 -nogpuinc -nogpulib -O3 -fno-slp-vectorize -c "
         "--no-gpu-bundle-output").split()

BENCHMARKS = [
    ("f32 loop in registers", 60,
     ["valu", "--block=256", "--buf=f32:256", "--val=i32:200000"]),
    ("RMSNorm 4096 x 16384 f16, with counters", 30,
     ["rmsnorm", "--grid=4096", "--block=256", "--buf=f16:67108864:const=1", "--buf=f16:16384:const=2",
      "--buf=f16:67108864:none", "--val=i32:16384", "--val=f32:0.00001"]),
]


def main():
    clang, sim = sys.argv[1:3]
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        image = os.path.join(folder, "kernels.co")
        subprocess.run([clang, *FLAGS, os.path.join(HERE, "kernels.hip"), "-o", image], check=True)
        for name, floor, arguments in BENCHMARKS:
            rates = []
            for _ in range(5):
                out = subprocess.run([sim, image, *arguments, "--threads=1", "--time"], check=True,
                                     capture_output=True, text=True).stdout
                rates.append(float(re.search(r"second of it ([0-9.]+)", out).group(1)))
            missed += max(rates) < floor
            print(f"{name}: {max(rates):.1f} (floor {floor})")
    return 1 if missed and "--check" in sys.argv else 0


sys.exit(main())
