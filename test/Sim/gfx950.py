#!/usr/bin/env python3
"""What gfx950 adds: permutations of rows, functions of three bits, minima and maxima in which a NaN wins.

usage: gfx950.py CLANG HK-SIM-RUN FOLDER [NAME...]
"""

import sys

from harness import *
from reference import *


def extreme(most):
    def pick(a, b):
        if NAN in (a, b):
            return NAN
        if zero(a) and zero(b):
            wanted = Fraction(0) if most else NZERO
            return wanted if (a == NZERO) != (b == NZERO) else a
        return (a if less(b, a) else b) if most else (a if less(a, b) else b)
    return pick


for most, name in ((True, "maximum3"), (False, "minimum3")):
    f = extreme(most)
    case(f"v_{name}_f32", f"v_{name}_f32 v8, v0, v2, v4",
         lambda a, b, c, f=f: F32.encode(f(f(*[F32.decode(x & M32) for x in (a, b)]), F32.decode(c & M32))), nan=F32)
    case(f"v_{name}_f32 -|x|", f"v_{name}_f32 v8, -v0, v2, |v4|",
         lambda a, b, c, f=f: F32.encode(f(f(neg(F32.decode(a & M32)), F32.decode(b & M32)), F32.decode(c & 0x7FFFFFFF))), nan=F32)
    case(f"v_pk_{name}_f16", f"v_pk_{name}_f16 v8, v0, v2, v4",
         lambda a, b, c, f=f: sum(F16.encode(f(f(*[F16.decode(x >> s & M16) for x in (a, b)]), F16.decode(c >> s & M16))) << s
                                  for s in (0, 16)), nan="packed")


def bits3(table, width):
    mask = (1 << width) - 1
    def run(a, b, c):
        out = 0
        for n in range(8):
            if table >> n & 1:
                out |= (a if n & 4 else ~a) & (b if n & 2 else ~b) & (c if n & 1 else ~c)
        return out & mask
    return run


for table in range(256):
    case(f"v_bitop3_b32 {table:x}", f"v_bitop3_b32 v8, v0, v2, v4 bitop3:0x{table:x}", bits3(table, 32))
for table in (0, 1, 0x1B, 0x96, 0xCA, 0xE8, 0xFE, 0xFF):
    case(f"v_bitop3_b16 {table:x}", f"v_bitop3_b16 v8, v0, v2, v4 bitop3:0x{table:x}",
         lambda a, b, c, f=bits3(table, 16): f(a, b, c) | OLD[0] & 0xFFFF0000)
    case(f"v_bitop3_b16 high {table:x}", f"v_bitop3_b16 v8, v0, v2, v4 bitop3:0x{table:x} op_sel:[1,0,1,1]",
         lambda a, b, c, f=bits3(table, 16): f(a >> 16, b, c >> 16) << 16 | OLD[0] & M16)
for row in (16, 32):
    # Odd rows of the first with even rows of the second.
    lanes(f"v_mov_b32 v8, v0\n  v_mov_b32 v9, v2\n  s_nop 4\n  v_permlane{row}_swap_b32 v8, v9",
          lambda t, row=row: [(t[l - row][1] & M32 if l & row else t[l][0] & M32) |
                              (t[l][1] & M32 if l & row else t[l + row][0] & M32) << 32 for l in range(64)],
          f"v_permlane{row}_swap_b32", dwords=2)
case("v_prng_b32", "v_prng_b32 v8, v0", lambda a, b, c: a << 1 & M32 ^ (0xC5 if a >> 31 & 1 else 0))
case("v_cvt_pk_bf16_f32", "v_cvt_pk_bf16_f32 v8, v0, v2",
     lambda a, b, c: BF16.encode(F32.decode(a & M32)) | BF16.encode(F32.decode(b & M32)) << 16, nan="packed bf16")
case("v_cvt_pk_f16_f32", "v_cvt_pk_f16_f32 v8, v0, v2",
     lambda a, b, c: F16.encode(F32.decode(a & M32)) | F16.encode(F32.decode(b & M32)) << 16, nan="packed")
for t, low, high in (("i8", -128, 127), ("u8", 0, 255)):
    for sel, shift in (("", 0), (" op_sel:[0,0,0,1]", 16)):
        def run(a, b, c, low=low, high=high, shift=shift):
            x = clamp(signed(a, 32) >> (c & 31), low, high) & 255 | (clamp(signed(b, 32) >> (c & 31), low, high) & 255) << 8
            return x << shift | OLD[0] & ~(M16 << shift) & M32
        case(f"v_ashr_pk_{t}_i32{sel}", f"v_ashr_pk_{t}_i32 v8, v0, v2, v4{sel}", run)

sys.exit(main(__file__, processor="gfx950"))
