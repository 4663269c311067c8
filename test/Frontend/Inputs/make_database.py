"""Writes sources and a compile_commands.json for jobs.test: make_database.py FOLDER ROCM."""

import json
import os
import sys

root, rocm = sys.argv[1:]
src, build = os.path.join(root, "src"), os.path.join(root, "build")
kernel = "__attribute__((global)) void {}() {{}}\n"
sources = {
    "a.cpp": kernel.format("one"),
    "twice.cu": "#ifdef TWO\n" + kernel.format("two") + "#else\n" + kernel.format("one") + "#endif\n",
    "hipcc.cpp": kernel.format("one"),
    "response.hip": kernel.format("one"),
    "broken.hip": "nonsense;\n",
}
for name, text in sources.items():
    with open(os.path.join(src, name), "w") as f:
        f.write(text)
with open(os.path.join(build, "flags.rsp"), "w") as f:
    f.write("-DFROM=1\n-DFILE=2\n")

rocm = "--rocm-path=" + rocm
entries = [
    {"file": "../src/a.cpp",
     "command": "/opt/rocm/llvm/bin/clang++ -DA=1 -I../src " + rocm + " -O3 -g -Wall --offload-arch=gfx942 -MD -MT a.o"
                " -MF a.o.d -o a.o -x hip -c ../src/a.cpp"},
    {"file": "../src/twice.cu", "command": "clang++ -x hip " + rocm + " -o one.o -c ../src/twice.cu"},
    {"file": "../src/twice.cu", "arguments": ["clang++", "-x", "hip", rocm, "-DTWO", "-o", "two.o", "../src/twice.cu"]},
    {"file": "../src/hipcc.cpp",
     "command": "ccache /opt/rocm/bin/hipcc " + rocm + " --amdgpu-target=gfx90a --cuda-gpu-arch=gfx908 --genco"
                " -o b.o -c ../src/hipcc.cpp"},
    {"file": "../src/response.hip", "command": "clang++ @flags.rsp " + rocm + " -c ../src/response.hip"},
    {"file": "../src/broken.hip", "command": "clang++ " + rocm + " -c ../src/broken.hip"},
    {"file": "../src/gone.hip", "command": "clang++ " + rocm + " -c ../src/gone.hip"},
]
for entry in entries:
    entry["directory"] = build
with open(os.path.join(build, "compile_commands.json"), "w") as f:
    json.dump(entries, f, indent=1)
