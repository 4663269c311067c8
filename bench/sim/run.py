#!/usr/bin/env python3
"""Measures the simulator: run.py CLANG HK-SIM-RUN [options]

  --check          exit 1 if a floor is missed
  --json=FILE      write the figures, too
  --only=REGEX     measurements whose name matches
  --object=FILE    a code object whose loading is timed, instead of a generated one
  --rounds=N       of each timing; the best counts (default 5)

One line a measurement: what, figure, unit, floor or ceiling. Rates are of one thread (--threads=1) and in
processor time of the launch, so that other load on the machine counts little; counters are on. Buffers have been
touched before, but for those of the memory measurements. See README.md.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
FLAGS = ("-x hip --offload-device-only --offload-arch=gfx942 -nogpuinc -nogpulib -O3 -fno-slp-vectorize -c "
         "--no-gpu-bundle-output").split()

RMSNORM = ["rmsnorm", "--grid=4096", "--block=256", "--buf=f16:67108864:const=1", "--buf=f16:16384:const=2",
           "--buf=f16:67108864", "--val=i32:16384", "--val=f32:0.00001"]
RATES = [  # million wave instructions a second; floor
    ("f32 loop in registers", 60, ["valu", "--block=256", "--buf=f32:256", "--val=i32:200000"]),
    ("RMSNorm 4096 x 16384 f16", 30, RMSNORM),
    ("transpose 4096 x 4096 through LDS", 15,
     ["transpose", "--grid=128,128", "--block=256", "--buf=f32:16777216:const=1", "--buf=f32:16777216",
      "--val=i32:4096"]),
    ("tree reductions in LDS", 25,
     ["reduce", "--grid=64", "--block=256", "--buf=f32:16384:const=1", "--buf=f32:64", "--val=i32:500"]),
    ("random gather and atomics", 5,
     ["scatter", "--grid=64", "--block=256", "--buf=i32:1048576:iota", "--buf=i32:256", "--val=i32:1048575",
      "--val=i32:200"]),
]
GEMM = ["gemm", "--grid=64", "--block=256", "--buf=f16:65536:const=1", "--buf=f16:16777216:const=0.5",
        "--buf=f32:65536", "--val=i32:4096", "--val=i32:4096"]
COPY_FLOATS = 32 << 20  # each way: 256 MiB in all
ALONE_FLOATS = 4 << 20


class Bench:
    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.results = []
        self.image = os.path.join(folder, "kernels.co")
        self.compile(os.path.join(HERE, "kernels.hip"), self.image)

    def compile(self, source, image):
        subprocess.run([self.options.clang, *FLAGS, source, "-o", image], check=True)

    def wanted(self, name):
        return re.search(self.options.only or "", name)

    def report(self, name, value, unit, floor=None, ceiling=None):
        missed = (floor is not None and value < floor) or (ceiling is not None and value > ceiling)
        limit = f"at least {floor}" if floor is not None else f"at most {ceiling}" if ceiling is not None else ""
        print(f"{name:52} {value:10.2f} {unit:10} {limit}{'  MISSED' if missed else ''}", flush=True)
        self.results.append({"name": name, "value": value, "unit": unit, "floor": floor, "ceiling": ceiling,
                             "missed": missed})

    def run(self, *arguments, image=None):
        """What it prints, and the most memory it had in bytes."""
        process = subprocess.Popen([self.options.sim, image or self.image, *arguments], stdout=subprocess.PIPE,
                                   text=True)
        out = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(f"run.py: hk-sim-run {' '.join(arguments)} failed")
        return out, usage.ru_maxrss * 1024

    def best(self, pattern, arguments, choose):
        return choose(float(re.search(pattern, self.run(*arguments)[0]).group(1))
                      for _ in range(self.options.rounds))

    def rates(self):
        for name, floor, arguments in RATES:
            if self.wanted(name):
                rate = self.best(r"second of it ([0-9.]+)", [*arguments, "--threads=1", "--time"], max)
                self.report(name, rate, "M/s", floor=floor)
        name = "MFMA GEMM 16 x 4096 x 4096 f16"
        if self.wanted(name):
            self.report(name, self.best(r"of processor ([0-9.]+)", [*GEMM, "--threads=1", "--time"], min), "s",
                        ceiling=0.10)

    def launches(self):
        for name, ceiling, arguments in [
                ("launch, empty kernel, 1 workgroup of 64", 40, ["empty", "--block=64"]),
                ("launch, empty kernel, 1 workgroup of 1024", 60, ["empty", "--block=1024"]),
                ("launch, empty kernel, 16 workgroups, all threads", 80,
                 ["empty", "--block=256", "--grid=16", "--threads=0"])]:
            if self.wanted(name):
                self.report(name, self.best(r"after the first: ([0-9.]+)", [*arguments, "--repeat=3000", "--time"],
                                            min), "us", ceiling=ceiling)

    def loading(self):
        name = "module load, large code object"
        if not self.wanted(name):
            return
        image = self.options.object
        if not image:
            image = os.path.join(self.folder, "many.co")
            source = os.path.join(self.folder, "many.hip")
            with open(source, "w") as out:
                out.write("#define __global__ __attribute__((global))\n")
                for n in range(400):
                    out.write(f'extern "C" __global__ void k{n}(float *a, const float *b, int n) {{\n'
                              f"  float s = {n};\n#pragma clang loop unroll_count(16)\n"
                              "  for (int i = 0; i < n; ++i) s = __builtin_fmaf(s, b[i], a[i * 3]);\n"
                              "  a[__builtin_amdgcn_workitem_id_x()] = s;\n}\n")
            self.compile(source, image)
        # The first load of a process has page faults of the library in it; it is what a program sees.
        load, decode, description = [], [], ""
        for _ in range(self.options.rounds):
            out = self.run("--time-load", image=image)[0]
            match = re.match(r"load ([0-9.]+) ms, decode all ([0-9.]+) ms, (.*)", out)
            load.append(float(match.group(1)))
            decode.append(float(match.group(2)))
            description = match.group(3)
        self.report(name, min(load), "ms", ceiling=20)
        self.report("  decoding all of it, which launches do in parts", min(decode), "ms")
        print(f"  {description}")

    def memory(self):
        """Memory of the process above that of the same run on next to nothing, over device memory."""
        def copy(kernel, floats, *more):
            grid = ["--grid=1024"] if kernel == "copy" else []
            return self.run(kernel, *grid, "--block=256", f"--buf=f32:{floats}:const=1", f"--buf=f32:{floats}:none",
                            f"--val=i32:{floats}", "--threads=1", *more)[1]

        for name, ceiling, kernel, floats, more in [
                ("memory, all touched", 2, "copy", COPY_FLOATS, []),
                ("memory, --uninitialized", 2, "copy", COPY_FLOATS, ["--uninitialized"]),
                ("memory, --races", 2, "copy", COPY_FLOATS, ["--races"]),
                ("memory, --uninitialized --races --waits", 2, "copy", COPY_FLOATS,
                 ["--uninitialized", "--races", "--waits"]),
                ("memory, --races, one workgroup, no barrier", 2, "copyalone", ALONE_FLOATS, ["--races"])]:
            if self.wanted(name):
                used = copy(kernel, floats, *more) - copy(kernel, 64, *more)
                self.report(name, used / (8 * floats), "x", ceiling=ceiling)
        for name, more in [("memory, 8 GiB allocated, untouched", []),
                           ("memory, the same, --uninitialized", ["--uninitialized"])]:
            if self.wanted(name):
                used = [self.run("copyalone", "--block=256", f"--buf=f32:{n}:none", "--buf=f32:256:none",
                                 "--val=i32:0", *more)[1] for n in (2 << 30, 256)]
                self.report(name, (used[0] - used[1]) / (8 << 30), "x", ceiling=0.01)

    def scaling(self):
        name = "RMSNorm, all threads over one"
        if not self.wanted(name):
            return
        seconds, same = {}, []
        for threads in (1, 0):
            dump, counts = (os.path.join(self.folder, f"{kind}{threads}") for kind in ("dump", "json"))
            out = ""
            times = []
            for _ in range(self.options.rounds):
                out = self.run(*RMSNORM, f"--threads={threads}", "--time", f"--dump=2:{dump}",
                               f"--json={counts}")[0]
                times.append(float(re.search(r"seconds ([0-9.]+)", out).group(1)))
            seconds[threads] = min(times)
            with open(dump, "rb") as data, open(counts, "rb") as numbers:
                same.append((data.read(), numbers.read()))
        equal = same[0] == same[1]
        self.report(name, seconds[1] / seconds[0], "x")
        self.report("  results and counters are the same", int(equal), "", floor=1)
        print(f"  {os.cpu_count()} processors")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clang")
    parser.add_argument("sim")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--json")
    parser.add_argument("--only")
    parser.add_argument("--object")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, folder)
        bench.rates()
        bench.launches()
        bench.loading()
        bench.memory()
        bench.scaling()
    if options.json:
        with open(options.json, "w") as out:
            json.dump(bench.results, out, indent=1)
    return 1 if options.check and any(r["missed"] for r in bench.results) else 0


sys.exit(main())
