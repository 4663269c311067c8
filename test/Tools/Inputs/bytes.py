"""Makes files with awkward bytes, or checks their rewritten forms below out/: bytes.py make|check CRLF MIXED."""

import os
import sys

CRLF = (
    b"\xef\xbb\xbf#include <hip/hip_runtime.h>\r\n"
    b"// \xe9t\xe9 \xff\r\n"
    b"__global__ __launch_bounds__(64) void k(float *p) {\t\r\n"
    b"\t__shared__ float s[64];  \r\n"
    b"\ts[threadIdx.x] = p[threadIdx.x];\r\n"
    b"\t__syncthreads();\r\n"
    b"\tp[threadIdx.x] = s[63 - threadIdx.x];\r\n"
    b"\t\t__syncthreads();  \r\n"
    b"}"
)
CRLF_AFTER = (
    CRLF.replace(b"runtime.h>\r\n", b"runtime.h>\r\n#include <hk/sync.h>\r\n")
    .replace(b"\t\t__syncthreads();  \r\n", b"")
    .replace(b"__syncthreads();", b"hk::sync::wave(); // conflicts stay within one wavefront")
)
MIXED = (
    b"#include <hip/hip_runtime.h>\n\n\n\x0c\n"
    b"__global__ void k(float *p)\r\n{\n"
    b"   p[threadIdx.x] = 1.0f;\r\n"
    b"   __syncthreads();\r\n"
    b"   p[threadIdx.x] += 1.0f;   \n"
    b" \t __syncthreads();\n"
    b"}  // the end"
)
MIXED_AFTER = MIXED.replace(b"   __syncthreads();\r\n", b"").replace(b" \t __syncthreads();\n", b"")

action, crlf, mixed = sys.argv[1:]
if action == "make":
    for name, data in (crlf, CRLF), (mixed, MIXED):
        with open(name, "wb") as out:
            out.write(data)
else:
    for name, want in (crlf, CRLF_AFTER), (mixed, MIXED_AFTER):
        with open(os.path.join("out", name), "rb") as data:
            got = data.read()
        assert got == want, (got, want)
