"""Compares the functions HIP's header declares with those the library exports."""

import re
import subprocess
import sys

clang, rocm, library = sys.argv[1:]
text = subprocess.run(
    [clang, "-E", "-P", "-xc", "-D__HIP_PLATFORM_AMD__", f"-I{rocm}/include", "-"],
    input="#include <hip/hip_runtime_api.h>\n#include <hip/hip_ext.h>\n",
    text=True, capture_output=True, check=True).stdout
declared = set(re.findall(
    r"\b(hip[A-Z]\w*|__hip\w+)\s*\([^;{}]*\)\s*(?:__attribute__\(\([^;]*\)\))?;", text))
exported = subprocess.run(["nm", "-D", "--defined-only", library], text=True, capture_output=True,
                          check=True).stdout
exported = {line.split()[-1].split("@")[0] for line in exported.splitlines()}
assert len(declared) > 400, len(declared)
missing = sorted(declared - exported - {"__hipGetPCH"})
assert not missing, missing
foreign = sorted(name for name in exported if not re.match(r"(__)?hip", name))
assert not foreign, foreign
