"""Writes FOLDER/build/compile_commands.json for the sources in FOLDER/src: database.py FOLDER ROCM."""

import json
import os
import sys

root, rocm = (os.path.abspath(folder) for folder in sys.argv[1:])
build = os.path.join(root, "build")
flags = "clang++ -O3 --offload-arch=gfx942 --rocm-path=" + rocm + " -D__AMDGCN_WAVEFRONT_SIZE=64 -I../include"
entries = [
    # As CMake writes it for HIP, and for C++ compiled as HIP.
    {"file": os.path.join(root, "src", "a.hip"), "command": flags + " -DVALUE=1 -o a.o -c ../src/a.hip"},
    {"file": "../src/b.cpp", "arguments": (flags + " -DVALUE=2 -x hip -o b.o -c ../src/b.cpp").split()},
]
os.makedirs(build, exist_ok=True)
with open(os.path.join(build, "compile_commands.json"), "w") as out:
    json.dump([dict(entry, directory=build) for entry in entries], out)
