#!/usr/bin/env python3
"""Each instruction on a table of random and special bit patterns, against a reference.

usage: instructions.py CLANG HK-SIM-RUN FOLDER [NAME...]

harness.py applies every instruction below to registers v0-v5 (three operands of 64 bits) and
stores what the destination v8-v11, which held other values before, is afterwards. The reference is
Python's integers and exact fractions, and shares nothing with the simulator. With names, only those
instructions are run.
"""

import sys

from harness import *
from reference import *

# --- Integers ------------------------------------------------------------------------------------


def int32(name, f, n=2, signed_in=False, suffix=""):
    regs = ", ".join(["v0", "v2", "v4"][:n])

    def run(a, b, c):
        xs = [x & M32 for x in (a, b, c)][:n]
        if signed_in:
            xs = [signed(x, 32) for x in xs]
        return f(*xs) & M32

    case(name + suffix, f"{name} v8, {regs}{suffix}", run)


def s24(x):
    return signed(x, 24)


def u24(x):
    return x & 0xFFFFFF


def reverse(x):
    return int(f"{x:032b}"[::-1], 2)


def bfe_i(a, b, c):
    o, w = b & 31, c & 31
    return signed(signed(a, 32) >> o, w) if w else 0


def perm(a, b, s):
    data, out = a << 32 | b, 0
    for n in range(4):
        k = s >> (8 * n) & 0xFF
        if k < 8:
            x = data >> (8 * k) & 0xFF
        elif k < 12:
            x = 0xFF if data >> (16 * (k - 8) + 15) & 1 else 0
        else:
            x = 0 if k == 12 else 0xFF
        out |= x << (8 * n)
    return out


def leading(x):
    return 32 - x.bit_length() if x else M32


def sad8(a, b):
    return sum(abs((a >> s & 255) - (b >> s & 255)) for s in (0, 8, 16, 24))


def med(a, b, c):
    return sorted((a, b, c))[1]


int32("v_mov_b32_e32", lambda a: a, 1)
int32("v_not_b32_e32", lambda a: ~a, 1)
int32("v_bfrev_b32_e32", reverse, 1)
int32("v_ffbh_u32_e32", leading, 1)
int32("v_ffbl_b32_e32", lambda a: (a & -a).bit_length() - 1 if a else M32, 1)
int32("v_ffbh_i32_e32", lambda a: leading((a if a >= 0 else ~a) & M32), 1, True)
for op, f in {"and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b,
              "xnor": lambda a, b: ~(a ^ b)}.items():
    int32(f"v_{op}_b32_e32", f)
int32("v_add_u32_e32", lambda a, b: a + b)
int32("v_sub_u32_e32", lambda a, b: a - b)
int32("v_subrev_u32_e32", lambda a, b: b - a)
int32("v_add_u32_e64", lambda a, b: min(a + b, M32), suffix=" clamp")
int32("v_sub_u32_e64", lambda a, b: max(a - b, 0), suffix=" clamp")
int32("v_add_i32", lambda a, b: clamp(a + b, -1 << 31, (1 << 31) - 1), 2, True, " clamp")
int32("v_sub_i32", lambda a, b: clamp(a - b, -1 << 31, (1 << 31) - 1), 2, True, " clamp")
int32("v_add_i32", lambda a, b: a + b)
int32("v_mul_lo_u32", lambda a, b: a * b)
int32("v_mul_hi_u32", lambda a, b: a * b >> 32)
int32("v_mul_hi_i32", lambda a, b: a * b >> 32, 2, True)
int32("v_mul_i32_i24_e32", lambda a, b: s24(a) * s24(b))
int32("v_mul_hi_i32_i24_e32", lambda a, b: s24(a) * s24(b) >> 32)
int32("v_mul_u32_u24_e32", lambda a, b: u24(a) * u24(b))
int32("v_mul_hi_u32_u24_e32", lambda a, b: u24(a) * u24(b) >> 32)
int32("v_mad_i32_i24", lambda a, b, c: s24(a) * s24(b) + c, 3)
int32("v_mad_u32_u24", lambda a, b, c: u24(a) * u24(b) + c, 3)
int32("v_lshlrev_b32_e32", lambda a, b: b << (a & 31))
int32("v_lshrrev_b32_e32", lambda a, b: b >> (a & 31))
int32("v_ashrrev_i32_e32", lambda a, b: b >> (a & 31), 2, True)
int32("v_min_i32_e32", min, 2, True)
int32("v_max_i32_e32", max, 2, True)
int32("v_min_u32_e32", min)
int32("v_max_u32_e32", max)
for t, s in (("i32", True), ("u32", False)):
    int32(f"v_min3_{t}", min, 3, s)
    int32(f"v_max3_{t}", max, 3, s)
    int32(f"v_med3_{t}", med, 3, s)
int32("v_bfe_u32", lambda a, b, c: a >> (b & 31) & ((1 << (c & 31)) - 1), 3)
int32("v_bfe_i32", bfe_i, 3)
int32("v_bfi_b32", lambda a, b, c: a & b | ~a & c, 3)
int32("v_bfm_b32", lambda a, b: ((1 << (a & 31)) - 1) << (b & 31))
int32("v_alignbit_b32", lambda a, b, c: (a << 32 | b) >> (c & 31), 3)
int32("v_alignbyte_b32", lambda a, b, c: (a << 32 | b) >> 8 * (c & 3), 3)
int32("v_perm_b32", perm, 3)
int32("v_add3_u32", lambda a, b, c: a + b + c, 3)
int32("v_lshl_add_u32", lambda a, b, c: (a << (b & 31)) + c, 3)
int32("v_add_lshl_u32", lambda a, b, c: (a + b) << (c & 31), 3)
int32("v_lshl_or_b32", lambda a, b, c: a << (b & 31) | c, 3)
int32("v_and_or_b32", lambda a, b, c: a & b | c, 3)
int32("v_or3_b32", lambda a, b, c: a | b | c, 3)
int32("v_xad_u32", lambda a, b, c: (a ^ b) + c, 3)
int32("v_bcnt_u32_b32", lambda a, b: bin(a).count("1") + b)
int32("v_sad_u8", lambda a, b, c: sad8(a, b) + c, 3)
int32("v_sad_hi_u8", lambda a, b, c: (sad8(a, b) << 16) + c, 3)
int32("v_sad_u16", lambda a, b, c: abs((a & M16) - (b & M16)) + abs((a >> 16) - (b >> 16)) + c, 3)
int32("v_sad_u32", lambda a, b, c: abs(a - b) + c, 3)
int32("v_lerp_u8", lambda a, b, c: sum((((a >> s & 255) + (b >> s & 255) + (c >> s & 1)) >> 1) << s
                                       for s in (0, 8, 16, 24)), 3)
int32("v_cvt_pk_u16_u32", lambda a, b: min(a, M16) | min(b, M16) << 16)
int32("v_cvt_pk_i16_i32", lambda a, b: (clamp(a, -32768, 32767) & M16) |
      (clamp(b, -32768, 32767) & M16) << 16, 2, True)


def dot(bits, sign, clamped=False):
    def run(a, b, c):
        total = signed(c, 32) if sign else c & M32
        for at in range(0, 32, bits):
            x, y = a >> at & ((1 << bits) - 1), b >> at & ((1 << bits) - 1)
            total += signed(x, bits) * signed(y, bits) if sign else x * y
        if clamped:
            total = clamp(total, -1 << 31, (1 << 31) - 1) if sign else min(total, M32)
        return total & M32
    return run


for name, bits, sign in (("v_dot2_i32_i16", 16, 1), ("v_dot2_u32_u16", 16, 0), ("v_dot4_i32_i8", 8, 1),
                         ("v_dot4_u32_u8", 8, 0), ("v_dot8_i32_i4", 4, 1), ("v_dot8_u32_u4", 4, 0)):
    case(name, f"{name} v8, v0, v2, v4", dot(bits, sign))
    case(name + " clamp", f"{name} v8, v0, v2, v4 clamp", dot(bits, sign, True))

case("v_lshlrev_b64", "v_lshlrev_b64 v[8:9], v0, v[2:3]", lambda a, b, c: b << (a & 63) & M64, dwords=2)
case("v_lshrrev_b64", "v_lshrrev_b64 v[8:9], v0, v[2:3]", lambda a, b, c: b >> (a & 63), dwords=2)
case("v_ashrrev_i64", "v_ashrrev_i64 v[8:9], v0, v[2:3]",
     lambda a, b, c: signed(b, 64) >> (a & 63) & M64, dwords=2)
case("v_lshl_add_u64", "v_lshl_add_u64 v[8:9], v[0:1], 3, v[4:5]",
     lambda a, b, c: (a << 3) + c & M64, dwords=2)
case("v_mov_b64", "v_mov_b64 v[8:9], v[0:1]", lambda a, b, c: a, dwords=2)
case("v_mad_u64_u32", "v_mad_u64_u32 v[8:9], s[20:21], v0, v2, v[4:5]",
     lambda a, b, c: (a & M32) * (b & M32) + c & M64, dwords=2)
case("v_mad_i64_i32", "v_mad_i64_i32 v[8:9], s[20:21], v0, v2, v[4:5]",
     lambda a, b, c: signed(a, 32) * signed(b, 32) + c & M64, dwords=2)
case("v_mad_u64_u32 carry", "v_mad_u64_u32 v[8:9], s[20:21], v0, v2, v[4:5]",
     lambda a, b, c: (a & M32) * (b & M32) + c > M64, mask=True)
for sign, f in (("add", lambda a, b: a + b), ("sub", lambda a, b: a - b), ("subrev", lambda a, b: b - a)):
    case(f"v_{sign}_co_u32", f"v_{sign}_co_u32_e64 v8, s[20:21], v0, v2",
         lambda a, b, c, f=f: f(a & M32, b & M32) & M32)
    case(f"v_{sign}_co_u32 carry", f"v_{sign}_co_u32_e64 v8, s[20:21], v0, v2",
         lambda a, b, c, f=f: not 0 <= f(a & M32, b & M32) <= M32, mask=True)
for sign, text, f in (("addc", "v_addc_co_u32", lambda a, b, k: a + b + k),
                      ("subb", "v_subb_co_u32", lambda a, b, k: a - b - k),
                      ("subbrev", "v_subbrev_co_u32", lambda a, b, k: b - a - k)):
    prepare = "v_cmp_lt_u32_e64 s[22:23], v4, v5\n  "
    case(text, prepare + f"{text}_e64 v8, s[20:21], v0, v2, s[22:23]",
         lambda a, b, c, f=f: f(a & M32, b & M32, (c & M32) < (c >> 32)) & M32)
    case(text + " carry", prepare + f"{text}_e64 v8, s[20:21], v0, v2, s[22:23]",
         lambda a, b, c, f=f: not 0 <= f(a & M32, b & M32, (c & M32) < (c >> 32)) <= M32, mask=True)
case("v_cndmask_b32", "v_cmp_lt_u32_e64 vcc, v4, v5\n  v_cndmask_b32_e32 v8, v0, v2, vcc",
     lambda a, b, c: (b if (c & M32) < (c >> 32) else a) & M32)

# --- 16-bit integers -----------------------------------------------------------------------------


def int16(name, f, n=2, sign=False, keep=False, suffix=""):
    def run(a, b, c):
        xs = [signed(x, 16) if sign else x & M16 for x in (a, b, c)][:n]
        return f(*xs) & M16 | (OLD[0] & 0xFFFF0000 if keep else 0)
    case(name + suffix, f"{name} v8, {', '.join(['v0', 'v2', 'v4'][:n])}{suffix}", run)


int16("v_add_u16_e32", lambda a, b: a + b)
int16("v_sub_u16_e32", lambda a, b: a - b)
int16("v_subrev_u16_e32", lambda a, b: b - a)
int16("v_add_u16_e64", lambda a, b: min(a + b, M16), suffix=" clamp")
int16("v_mul_lo_u16_e32", lambda a, b: a * b)
int16("v_lshlrev_b16_e32", lambda a, b: b << (a & 15))
int16("v_lshrrev_b16_e32", lambda a, b: b >> (a & 15))
int16("v_ashrrev_i16_e32", lambda a, b: b >> (a & 15), 2, True)
for t, s in (("i16", True), ("u16", False)):
    int16(f"v_min_{t}_e32", min, 2, s)
    int16(f"v_max_{t}_e32", max, 2, s)
    int16(f"v_med3_{t}", med, 3, s, True)
    int16(f"v_mad_{t}", lambda a, b, c: a * b + c, 3, s, True)
int16("v_add_i16", lambda a, b: clamp(a + b, -32768, 32767), 2, True, True, " clamp")


def packed(name, f, n=2, sign=False, suffix=""):
    def run(a, b, c):
        out = 0
        for at in (0, 16):
            xs = [x >> at & M16 for x in (a, b, c)][:n]
            out |= (f(*[signed(x, 16) if sign else x for x in xs]) & M16) << at
        return out
    case(name + suffix, f"{name} v8, {', '.join(['v0', 'v2', 'v4'][:n])}{suffix}", run)


packed("v_pk_add_u16", lambda a, b: a + b)
packed("v_pk_sub_i16", lambda a, b: a - b, 2, True)
packed("v_pk_add_i16", lambda a, b: clamp(a + b, -32768, 32767), 2, True, " clamp")
packed("v_pk_sub_u16", lambda a, b: max(a - b, 0), 2, False, " clamp")
packed("v_pk_mul_lo_u16", lambda a, b: a * b)
packed("v_pk_mad_i16", lambda a, b, c: a * b + c, 3, True)
packed("v_pk_mad_u16", lambda a, b, c: a * b + c, 3)
packed("v_pk_min_i16", min, 2, True)
packed("v_pk_max_u16", max)
packed("v_pk_lshlrev_b16", lambda a, b: b << (a & 15))
packed("v_pk_lshrrev_b16", lambda a, b: b >> (a & 15))
packed("v_pk_ashrrev_i16", lambda a, b: b >> (a & 15), 2, True)
case("v_pk_add_u16 op_sel", "v_pk_add_u16 v8, v0, v2 op_sel:[1,0] op_sel_hi:[0,1]",
     lambda a, b, c: ((a >> 16) + b & M16) | ((a + (b >> 16)) & M16) << 16)

# --- Floating point ------------------------------------------------------------------------------


def floats(name, fmt, f, n=2, text=None, old=False, high=0):
    """f on decoded numbers; NaN results match any NaN."""
    wide = fmt is F64
    regs = [["v[0:1]", "v[2:3]", "v[4:5]"] if wide else ["v0", "v2", "v4"]][0][:n]
    dst = "v[8:9]" if wide else "v8"
    mask = (1 << fmt.bits) - 1

    def run(a, b, c):
        return fmt.encode(f(*[fmt.decode(x & mask) for x in (a, b, c)][:n])) | high

    case(name if text is None else name + " " + text, text or f"{name} {dst}, {', '.join(regs)}", run,
         dwords=2 if wide else 1, nan=fmt)


def bitwise(name, fmt, f, n=2):
    """f on bits, for results that are exact to the bit."""
    wide = fmt is F64
    regs = (["v[0:1]", "v[2:3]", "v[4:5]"] if wide else ["v0", "v2", "v4"])[:n]
    mask = (1 << fmt.bits) - 1
    case(name, f"{name} {'v[8:9]' if wide else 'v8'}, {', '.join(regs)}",
         lambda a, b, c: f(*[x & mask for x in (a, b, c)][:n]), dwords=2 if wide else 1)


def minmax(fmt, most):
    def run(a, b):
        for x in (a, b):
            if fmt.isnan(x) and not x & fmt.quiet:
                return x | fmt.quiet
        if fmt.isnan(a):
            return b
        if fmt.isnan(b):
            return a
        x, y = fmt.decode(a), fmt.decode(b)
        if zero(x) and zero(y):
            return a & b if most else a | b
        return (a if less(y, x) else b) if most else (a if less(x, y) else b)
    return run


for fmt, t in ((F32, "f32"), (F16, "f16")):
    floats(f"v_add_{t}_e32", fmt, add)
    floats(f"v_sub_{t}_e32", fmt, lambda a, b: add(a, neg(b)))
    floats(f"v_subrev_{t}_e32", fmt, lambda a, b: add(b, neg(a)))
    floats(f"v_mul_{t}_e32", fmt, mul)
    bitwise(f"v_min_{t}_e32", fmt, minmax(fmt, False))
    bitwise(f"v_max_{t}_e32", fmt, minmax(fmt, True))
    for how, op in (("floor", "floor"), ("ceil", "ceil"), ("trunc", "trunc"), ("even", "rndne")):
        floats(f"v_{op}_{t}_e32", fmt, lambda a, how=how: rounded(a, how), 1)
floats("v_fma_f32", F32, fma, 3)
floats("v_fma_f16", F16, fma, 3, high=OLD[0] & 0xFFFF0000)
floats("v_fma_f64", F64, fma, 3)
floats("v_add_f64", F64, add)
floats("v_mul_f64", F64, mul)
bitwise("v_min_f64", F64, minmax(F64, False))
bitwise("v_max_f64", F64, minmax(F64, True))
for how, op in (("floor", "floor"), ("ceil", "ceil"), ("trunc", "trunc"), ("even", "rndne")):
    floats(f"v_{op}_f64_e32", F64, lambda a, how=how: rounded(a, how), 1)


def absolute(v):
    return neg(v) if v != NAN and negative(v) else v


floats("v_add_f32", F32, lambda a, b: add(absolute(a), neg(absolute(b))), 2, "v_add_f32_e64 v8, |v0|, -|v2|")
floats("v_fma_f32", F32, lambda a, b, c: fma(neg(a), b, absolute(c)), 3, "v_fma_f32 v8, -v0, v2, |v4|")
floats("v_mul_f64", F64, lambda a, b: mul(neg(a), absolute(b)), 2, "v_mul_f64 v[8:9], -v[0:1], |v[2:3]|")
case("v_fmac_f32", "v_mov_b32 v8, v4\n  v_fmac_f32_e32 v8, v0, v2",
     lambda a, b, c: F32.encode(fma(*[F32.decode(x & M32) for x in (a, b, c)])), nan=F32)
case("v_fmac_f64", "v_mov_b64 v[8:9], v[4:5]\n  v_fmac_f64_e32 v[8:9], v[0:1], v[2:3]",
     lambda a, b, c: F64.encode(fma(*[F64.decode(x) for x in (a, b, c)])), dwords=2, nan=F64)


def clamp01(bits):
    v = F32.decode(bits)
    if v == NAN or negative(v):
        return 0
    return 0x3F800000 if v == PINF or number(v) > 1 else bits


case("clamp", "v_add_f32_e64 v8, v0, v2 clamp",
     lambda a, b, c: clamp01(F32.encode(add(F32.decode(a & M32), F32.decode(b & M32)))))
case("literal", "v_add_f32_e32 v8, 0x42f60000, v0",
     lambda a, b, c: F32.encode(add(F32.decode(a & M32), Fraction(123))), nan=F32)
case("inline -4.0 f64", "v_mul_f64 v[8:9], v[0:1], -4.0",
     lambda a, b, c: F64.encode(mul(F64.decode(a), Fraction(-4))), dwords=2, nan=F64)
case("inline 0.5 f16", "v_mul_f16_e32 v8, 0.5, v0",
     lambda a, b, c: F16.encode(mul(F16.decode(a & M16), Fraction(1, 2))), nan=F16)


def packed_float(name, f, n, text=None, lo=(0, 0, 0), hi=(16, 16, 16), flip=()):
    def run(a, b, c):
        out = 0
        for at, sel, which in ((0, lo, 0), (16, hi, 1)):
            xs = []
            for k, x in enumerate((a, b, c)[:n]):
                v = F16.decode(x >> sel[k] & M16)
                xs.append(neg(v) if (k, which) in flip else v)
            out |= F16.encode(f(*xs)) << at
        return out
    regs = ", ".join(["v0", "v2", "v4"][:n])
    case(text or name, text or f"{name} v8, {regs}", run, nan="packed")


packed_float("v_pk_add_f16", add, 2)
packed_float("v_pk_mul_f16", mul, 2)
packed_float("v_pk_fma_f16", fma, 3)
packed_float("v_pk_fma_f16", fma, 3, "v_pk_fma_f16 v8, v0, v2, v4 op_sel:[1,0,0] op_sel_hi:[0,1,0] neg_lo:[0,1,0] neg_hi:[0,0,1]",
             (16, 0, 0), (0, 16, 0), ((1, 0), (2, 1)))


def mixed(a, b, c):
    return F16.encode(fma(*[F32.decode(x & M32) for x in (a, b, c)]))


case("v_fma_mixlo_f16", "v_fma_mixlo_f16 v8, v0, v2, v4",
     lambda a, b, c: mixed(a, b, c) | OLD[0] & 0xFFFF0000, nan=F16)
case("v_fma_mixhi_f16", "v_fma_mixhi_f16 v8, v0, v2, v4 op_sel:[0,1,0] op_sel_hi:[1,1,0]\n  v_lshrrev_b32 v8, 16, v8",
     lambda a, b, c: F16.encode(fma(F16.decode(a & M16), F16.decode(b >> 16 & M16), F32.decode(c & M32))),
     nan=F16)
case("v_fma_mix_f32", "v_fma_mix_f32 v8, -v0, |v2|, v4 op_sel_hi:[1,0,0]",
     lambda a, b, c: F32.encode(fma(neg(F16.decode(a & M16)), absolute(F32.decode(b & M32)),
                                    F32.decode(c & M32))), nan=F32)


def pairs(name, f, n, text=None, lo=(0, 0, 0), hi=(32, 32, 32)):
    def run(a, b, c):
        xs = (a, b, c)[:n]
        low = F32.encode(f(*[F32.decode(x >> s & M32) for x, s in zip(xs, lo)]))
        high = F32.encode(f(*[F32.decode(x >> s & M32) for x, s in zip(xs, hi)]))
        return low | high << 32
    regs = ", ".join(["v[0:1]", "v[2:3]", "v[4:5]"][:n])
    case(text or name, text or f"{name} v[8:9], {regs}", run, dwords=2, nan="pairs")


pairs("v_pk_add_f32", add, 2)
pairs("v_pk_mul_f32", mul, 2)
pairs("v_pk_fma_f32", fma, 3)
pairs("v_pk_mul_f32", mul, 2, "v_pk_mul_f32 v[8:9], v[0:1], v[2:3] op_sel:[1,0] op_sel_hi:[0,1]", (32, 0), (0, 32))
case("v_pk_mov_b32", "v_pk_mov_b32 v[8:9], v[0:1], v[2:3] op_sel:[1,0]",
     lambda a, b, c: a >> 32 | (b & M32) << 32, dwords=2)

# --- Conversions ---------------------------------------------------------------------------------


def convert(name, run, wide_in=False, wide_out=False, nan=None):
    case(name, f"{name} {'v[8:9]' if wide_out else 'v8'}, {'v[0:1]' if wide_in else 'v0'}", run,
         dwords=2 if wide_out else 1, nan=nan)


I32 = (-1 << 31, (1 << 31) - 1)
convert("v_cvt_f32_i32_e32", lambda a, b, c: F32.encode(Fraction(signed(a, 32))))
convert("v_cvt_f32_u32_e32", lambda a, b, c: F32.encode(Fraction(a & M32)))
convert("v_cvt_i32_f32_e32", lambda a, b, c: to_integer(F32.decode(a & M32), *I32) & M32)
convert("v_cvt_u32_f32_e32", lambda a, b, c: to_integer(F32.decode(a & M32), 0, M32))
convert("v_cvt_f64_i32_e32", lambda a, b, c: F64.encode(Fraction(signed(a, 32))), wide_out=True)
convert("v_cvt_f64_u32_e32", lambda a, b, c: F64.encode(Fraction(a & M32)), wide_out=True)
convert("v_cvt_i32_f64_e32", lambda a, b, c: to_integer(F64.decode(a), *I32) & M32, True)
convert("v_cvt_u32_f64_e32", lambda a, b, c: to_integer(F64.decode(a), 0, M32), True)
convert("v_cvt_f32_f64_e32", lambda a, b, c: F32.encode(F64.decode(a)), True, nan=F32)
convert("v_cvt_f64_f32_e32", lambda a, b, c: F64.encode(F32.decode(a & M32)), False, True, nan=F64)
convert("v_cvt_f16_f32_e32", lambda a, b, c: F16.encode(F32.decode(a & M32)), nan=F16)
convert("v_cvt_f32_f16_e32", lambda a, b, c: F32.encode(F16.decode(a & M16)), nan=F32)
convert("v_cvt_f16_u16_e32", lambda a, b, c: F16.encode(Fraction(a & M16)))
convert("v_cvt_f16_i16_e32", lambda a, b, c: F16.encode(Fraction(signed(a, 16))))
convert("v_cvt_u16_f16_e32", lambda a, b, c: to_integer(F16.decode(a & M16), 0, M16))
convert("v_cvt_i16_f16_e32", lambda a, b, c: to_integer(F16.decode(a & M16), -32768, 32767) & M16)
for n in range(4):
    convert(f"v_cvt_f32_ubyte{n}_e32", lambda a, b, c, n=n: F32.encode(Fraction(a >> 8 * n & 255)))
case("v_cvt_pkrtz_f16_f32", "v_cvt_pkrtz_f16_f32 v8, v0, v2",
     lambda a, b, c: F16.encode(F32.decode(a & M32), True) | F16.encode(F32.decode(b & M32), True) << 16,
     nan="packed")

# --- Comparisons ---------------------------------------------------------------------------------


def compares():
    for bits, t, sign in ((16, "i16", 1), (16, "u16", 0), (32, "i32", 1), (32, "u32", 0), (64, "i64", 1),
                          (64, "u64", 0)):
        for op, f in (("lt", lambda x, y: x < y), ("eq", lambda x, y: x == y), ("le", lambda x, y: x <= y),
                      ("gt", lambda x, y: x > y), ("ne", lambda x, y: x != y), ("ge", lambda x, y: x >= y)):
            def run(a, b, c, f=f, bits=bits, sign=sign):
                mask = (1 << bits) - 1
                return f(signed(a, bits), signed(b, bits)) if sign else f(a & mask, b & mask)
            regs = "v[0:1], v[2:3]" if bits == 64 else "v0, v2"
            case(f"v_cmp_{op}_{t}", f"v_cmp_{op}_{t}_e64 s[20:21], {regs}", run, mask=True)
    relation = {"lt": "<", "eq": "=", "le": "<=", "gt": ">", "lg": "<>", "ge": ">=", "o": "<=>", "u": "?"}
    for fmt, t in ((F16, "f16"), (F32, "f32"), (F64, "f64")):
        for op, holds in list(relation.items()) + [("n" + op, None) for op in
                                                   ("ge", "lg", "gt", "le", "eq", "lt")]:
            base = op if holds else op[1:]

            def run(a, b, c, fmt=fmt, base=base, inverted=holds is None):
                mask = (1 << fmt.bits) - 1
                x, y = fmt.decode(a & mask), fmt.decode(b & mask)
                if NAN in (x, y):
                    which = "?"
                else:
                    which = "<" if less(x, y) else ">" if less(y, x) else "="
                return (which in relation[base]) != inverted
            regs = "v[0:1], v[2:3]" if fmt is F64 else "v0, v2"
            case(f"v_cmp_{op}_{t}", f"v_cmp_{op}_{t}_e64 s[20:21], {regs}", run, mask=True)
    for fmt, t in ((F16, "f16"), (F32, "f32"), (F64, "f64")):
        def run(a, b, c, fmt=fmt):
            x = a & ((1 << fmt.bits) - 1)
            v, n = fmt.decode(x), x >> (fmt.bits - 1)
            if v == NAN:
                bit = 1 if x & fmt.quiet else 0
            elif infinite(v):
                bit = 2 if n else 9
            elif zero(v):
                bit = 5 if n else 6
            elif x & fmt.inf:
                bit = 3 if n else 8
            else:
                bit = 4 if n else 7
            return b >> bit & 1
        regs = "v[0:1], v2" if fmt is F64 else "v0, v2"
        case(f"v_cmp_class_{t}", f"v_cmp_class_{t}_e64 s[20:21], {regs}", run, mask=True)


compares()

# --- SDWA ----------------------------------------------------------------------------------------


def sdwa(text, run):
    case(text, text, run)


sdwa("v_add_u32_sdwa v8, v0, v2 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_2 src1_sel:WORD_0",
     lambda a, b, c: ((a >> 16 & 255) + (b & M16) & M16) << 16 | OLD[0] & M16)
sdwa("v_add_u32_sdwa v8, sext(v0), v2 dst_sel:BYTE_1 dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:DWORD",
     lambda a, b, c: (signed(a >> 24, 8) + b & 255) << 8)
sdwa("v_or_b32_sdwa v8, v0, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:BYTE_1",
     lambda a, b, c: (a >> 16 & M16) | (b >> 8 & 255))
sdwa("v_mov_b32_sdwa v8, sext(v0) dst_sel:WORD_0 dst_unused:UNUSED_SEXT src0_sel:BYTE_0",
     lambda a, b, c: signed(signed(a, 8), 16) & M32)
sdwa("v_lshlrev_b16_sdwa v8, v0, v2 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_0 src1_sel:WORD_1",
     lambda a, b, c: ((b >> 16 & M16) << (a & 15) & M16) << 16 | OLD[0] & M16)
case("v_cmp_lt_u32_sdwa", "v_cmp_lt_u32_sdwa s[20:21], v0, v2 src0_sel:WORD_1 src1_sel:WORD_0",
     lambda a, b, c: (a >> 16 & M16) < (b & M16), mask=True)
case("v_mul_f16_sdwa", "v_mul_f16_sdwa v8, v0, v2 dst_sel:WORD_0 dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:WORD_1",
     lambda a, b, c: F16.encode(mul(F16.decode(a >> 16 & M16), F16.decode(b >> 16 & M16))), nan=F16)


# --- Between lanes: reference gets all 64 rows ---------------------------------------------------


def dpp(ctrl, source, masks="row_mask:0xf bank_mask:0xf", write=lambda l: True, bound=False):
    """source(lane) is a lane or None; without bound_ctrl such a lane is not written."""

    def run(rows):
        out = []
        for l in range(64):
            s = source(l)
            x = rows[s][0] & M32 if s is not None else 0
            keep = not write(l) or (s is None and not bound)
            out.append(OLD[0] if keep else x)
        return out

    lanes(f"v_mov_b32_dpp v8, v0 {ctrl} {masks}{' bound_ctrl:0' if bound else ''}", run)


dpp("quad_perm:[3,1,2,0]", lambda l: (l & ~3) + [3, 1, 2, 0][l & 3])
dpp("row_shl:3", lambda l: l + 3 if l % 16 + 3 < 16 else None)
dpp("row_shr:1", lambda l: l - 1 if l % 16 else None, bound=True)
dpp("row_shr:8", lambda l: l - 8 if l % 16 >= 8 else None)
dpp("row_ror:5", lambda l: (l & ~15) + (l - 5) % 16)
dpp("wave_shr:1", lambda l: l - 1 if l else None)
dpp("wave_shl:1", lambda l: l + 1 if l < 63 else None, bound=True)
dpp("wave_ror:1", lambda l: (l - 1) % 64)
dpp("row_mirror", lambda l: (l & ~15) + 15 - l % 16)
dpp("row_half_mirror", lambda l: (l & ~7) + 7 - l % 8)
dpp("row_bcast:15", lambda l: (l & ~15) - 1 if l >= 16 else None, "row_mask:0xa bank_mask:0xf",
    lambda l: l // 16 in (1, 3))
dpp("row_bcast:31", lambda l: 31 if l >= 32 else None, "row_mask:0xc bank_mask:0xf", lambda l: l >= 32)
dpp("row_newbcast:5", lambda l: (l & ~15) + 5)
dpp("quad_perm:[0,0,0,0]", lambda l: l & ~3, "row_mask:0x3 bank_mask:0x5", lambda l: l < 32 and l // 4 % 2 == 0)
lanes("v_readlane_b32 s20, v0, 17\n  v_mov_b32 v8, s20", lambda rows: [rows[17][0] & M32] * 64)
lanes("v_readfirstlane_b32 s20, v0\n  v_mov_b32 v8, s20", lambda rows: [rows[0][0] & M32] * 64)
lanes("s_mov_b32 s20, 0x1234567\n  v_writelane_b32 v8, s20, 33",
      lambda rows: [0x1234567 if l == 33 else OLD[0] for l in range(64)])
lanes("ds_bpermute_b32 v8, v2, v0\n  s_waitcnt lgkmcnt(0)",
      lambda rows: [rows[(rows[l][1] & M32) // 4 % 64][0] & M32 for l in range(64)])
lanes("ds_bpermute_b32 v8, v2, v0 offset:12\n  s_waitcnt lgkmcnt(0)",
      lambda rows: [rows[((rows[l][1] + 12) & M32) // 4 % 64][0] & M32 for l in range(64)])


def push(rows):
    out = [0] * 64
    for l in range(64):
        out[(rows[l][1] & M32) // 4 % 64] = rows[l][0] & M32
    return out


lanes("ds_permute_b32 v8, v2, v0\n  s_waitcnt lgkmcnt(0)", push)
lanes("ds_swizzle_b32 v8, v0 offset:swizzle(BITMASK_PERM,\"01pip\")\n  s_waitcnt lgkmcnt(0)",
      lambda rows: [rows[l & 32 | (((l & 0b00111) | 0b01000) ^ 0b00010)][0] & M32 for l in range(64)])
lanes("ds_swizzle_b32 v8, v0 offset:swizzle(QUAD_PERM,2,3,0,1)\n  s_waitcnt lgkmcnt(0)",
      lambda rows: [rows[(l & ~3) + [2, 3, 0, 1][l & 3]][0] & M32 for l in range(64)])
lanes("v_mbcnt_lo_u32_b32 v8, v0, 5\n  v_mbcnt_hi_u32_b32 v8, v0, v8",
      lambda rows: [5 + bin((rows[l][0] & M32 | (rows[l][0] & M32) << 32) & ((1 << l) - 1)).count("1")
                    for l in range(64)])
lanes("s_mov_b64 s[22:23], exec\n  s_mov_b64 exec, 0x55555555\n  v_mov_b32 v8, v0\n  s_mov_b64 exec, s[22:23]",
      lambda rows: [rows[l][0] & M32 if l < 32 and l % 2 == 0 else OLD[0] for l in range(64)])
lanes("s_mov_b64 s[22:23], exec\n  s_mov_b64 exec, 0xffff0000\n  v_mov_b32_dpp v8, v0 wave_ror:1 row_mask:0xf bank_mask:0xf\n  s_mov_b64 exec, s[22:23]",
      lambda rows: [rows[l - 1][0] & M32 if 17 <= l < 32 else OLD[0] for l in range(64)], "dpp from inactive")

# --- Scalars, on values of lane 0 ----------------------------------------------------------------


A = lambda f, wide=False: (lambda a, b: f(a & M32, b & M32)) if not wide else f
nz = lambda x, m=M32: (x & m, x & m)
scalar("s_add_u32 s20, s24, s26", A(lambda a, b: (a + b & M32, a + b > M32)))
scalar("s_sub_u32 s20, s24, s26", A(lambda a, b: (a - b & M32, a < b)))
scalar("s_add_i32 s20, s24, s26",
       A(lambda a, b: (a + b & M32, not -1 << 31 <= signed(a, 32) + signed(b, 32) < 1 << 31)))
scalar("s_sub_i32 s20, s24, s26",
       A(lambda a, b: (a - b & M32, not -1 << 31 <= signed(a, 32) - signed(b, 32) < 1 << 31)))
scalar("s_and_b64 s[20:21], s[24:25], s[26:27]", lambda a, b: nz(a & b, M64))
scalar("s_or_b32 s20, s24, s26", A(lambda a, b: nz(a | b)))
scalar("s_xor_b64 s[20:21], s[24:25], s[26:27]", lambda a, b: nz(a ^ b, M64))
scalar("s_andn2_b32 s20, s24, s26", A(lambda a, b: nz(a & ~b)))
scalar("s_orn2_b64 s[20:21], s[24:25], s[26:27]", lambda a, b: nz(a | ~b & M64, M64))
scalar("s_nand_b32 s20, s24, s26", A(lambda a, b: nz(~(a & b))))
scalar("s_nor_b32 s20, s24, s26", A(lambda a, b: nz(~(a | b))))
scalar("s_xnor_b32 s20, s24, s26", A(lambda a, b: nz(~(a ^ b))))
scalar("s_lshl_b32 s20, s24, s26", A(lambda a, b: nz(a << (b & 31))))
scalar("s_lshr_b64 s[20:21], s[24:25], s26", lambda a, b: nz(a >> (b & 63), M64))
scalar("s_ashr_i32 s20, s24, s26", A(lambda a, b: nz(signed(a, 32) >> (b & 31))))
scalar("s_ashr_i64 s[20:21], s[24:25], s26", lambda a, b: nz(signed(a, 64) >> (b & 63), M64))
scalar("s_mul_i32 s20, s24, s26", A(lambda a, b: (a * b & M32, 0)))
scalar("s_mul_hi_u32 s20, s24, s26", A(lambda a, b: (a * b >> 32, 0)))
scalar("s_mul_hi_i32 s20, s24, s26", A(lambda a, b: (signed(a, 32) * signed(b, 32) >> 32 & M32, 0)))
scalar("s_min_i32 s20, s24, s26",
       A(lambda a, b: (min(signed(a, 32), signed(b, 32)) & M32, signed(a, 32) < signed(b, 32))))
scalar("s_max_u32 s20, s24, s26", A(lambda a, b: (max(a, b), a > b)))
scalar("s_bfe_u32 s20, s24, 0x70005", A(lambda a, b: nz(a >> 5 & 0x7F)))
scalar("s_bfe_i32 s20, s24, 0x70005", A(lambda a, b: nz(signed(a >> 5, 7))))
scalar("s_bfe_u64 s[20:21], s[24:25], 0x240005", lambda a, b: nz(a >> 5 & (1 << 36) - 1, M64))
scalar("s_bfe_i64 s[20:21], s[24:25], 0x200000", lambda a, b: nz(signed(a, 32), M64))
scalar("s_bfm_b32 s20, s24, s26", A(lambda a, b: (((1 << (a & 31)) - 1) << (b & 31) & M32, 0)))
scalar("s_abs_i32 s20, s24", A(lambda a, b: nz(abs(signed(a, 32)))))
scalar("s_absdiff_i32 s20, s24, s26", A(lambda a, b: nz(abs(signed(a - b, 32)))))
scalar("s_not_b64 s[20:21], s[24:25]", lambda a, b: nz(~a, M64))
scalar("s_brev_b32 s20, s24", A(lambda a, b: (reverse(a), 0)))
scalar("s_bcnt1_i32_b64 s20, s[24:25]", lambda a, b: nz(bin(a).count("1")))
scalar("s_bcnt0_i32_b32 s20, s24", A(lambda a, b: nz(32 - bin(a).count("1"))))
scalar("s_ff1_i32_b64 s20, s[24:25]", lambda a, b: ((a & -a).bit_length() - 1 & M32, 0))
scalar("s_ff0_i32_b32 s20, s24", A(lambda a, b: ((~a & a + 1).bit_length() - 1 if a != M32 else M32, 0)))
scalar("s_flbit_i32_b32 s20, s24", A(lambda a, b: (leading(a), 0)))
scalar("s_flbit_i32 s20, s24", A(lambda a, b: (leading(a if not a >> 31 else ~a & M32), 0)))
scalar("s_sext_i32_i8 s20, s24", A(lambda a, b: (signed(a, 8) & M32, 0)))
scalar("s_sext_i32_i16 s20, s24", A(lambda a, b: (signed(a, 16) & M32, 0)))
scalar("s_lshl2_add_u32 s20, s24, s26", A(lambda a, b: ((a << 2) + b & M32, (a << 2) + b > M32)))
scalar("s_pack_ll_b32_b16 s20, s24, s26", A(lambda a, b: (a & M16 | (b & M16) << 16, 0)))
scalar("s_pack_lh_b32_b16 s20, s24, s26", A(lambda a, b: (a & M16 | b & 0xFFFF0000, 0)))
scalar("s_pack_hh_b32_b16 s20, s24, s26", A(lambda a, b: (a >> 16 | b & 0xFFFF0000, 0)))
scalar("s_cmp_lt_i32 s24, s26", A(lambda a, b: (0, signed(a, 32) < signed(b, 32))))
scalar("s_cmp_ge_u32 s24, s26", A(lambda a, b: (0, a >= b)))
scalar("s_cmp_eq_u64 s[24:25], s[26:27]", lambda a, b: (0, a == b))
scalar("s_bitcmp1_b32 s24, s26", A(lambda a, b: (0, a >> (b & 31) & 1)))
scalar("s_cmpk_gt_i32 s24, 0x8000", A(lambda a, b: (0, signed(a, 32) > -32768)))
scalar("s_cmpk_lt_u32 s24, 0x8000", A(lambda a, b: (0, a < 0x8000)))
scalar("s_addk_i32 s20, 0x8001", A(lambda a, b: (0x8001 - 0x10000 & M32, 0)))
scalar("s_movk_i32 s20, 0x8001", A(lambda a, b: (0xFFFF8001, 0)))
scalar("s_cmp_lg_u32 s24, s26\n  s_cselect_b64 s[20:21], s[24:25], s[26:27]",
       lambda a, b: (a if (a ^ b) & M32 else b, (a ^ b) & M32))
scalar("s_add_u32 s20, s24, s26\n  s_addc_u32 s21, s25, s27", lambda a, b: (a + b & M64, a + b > M64))
scalar("s_sub_u32 s20, s24, s26\n  s_subb_u32 s21, s25, s27", lambda a, b: (a - b & M64, a < b))
scalar("s_bitset1_b32 s20, s24", A(lambda a, b: (1 << (a & 31), 0)))
scalar("s_wqm_b64 s[20:21], s[24:25]",
       lambda a, b: nz(sum(15 << s for s in range(0, 64, 4) if a >> s & 15), M64))
scalar("s_mov_b64 s[20:21], 0xfffffff0", lambda a, b: (0xFFFFFFF0, 0))
scalar("s_mov_b64 s[20:21], -3", lambda a, b: (-3 & M64, 0))

sys.exit(main(__file__))
