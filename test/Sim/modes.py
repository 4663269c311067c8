#!/usr/bin/env python3
"""Arithmetic in every rounding direction and with denormals flushed, of operands, results or both.

usage: modes.py CLANG HK-SIM-RUN FOLDER [NAME...]
"""

import sys

from harness import *
from reference import *

DIRECTIONS = ("even", "up", "down", "zero")
KEEP = 0xF0  # of MODE: all denormals, round to nearest


def total(a, b, direction):
    """A sum that is exactly zero has a sign that depends on the direction."""
    v = add(a, b)
    if v == 0 and not isinstance(v, str) and direction == "down" and not (zero(a) and zero(b) and a != NZERO and b != NZERO):
        return NZERO
    return v


def operation(op, xs, d):
    if op == "add":
        return total(xs[0], xs[1], d)
    if op == "sub":
        return total(xs[0], neg(xs[1]), d)
    if op == "mul":
        return mul(xs[0], xs[1])
    if op == "fma":
        return total(mul(xs[0], xs[1]), xs[2], d)
    if op == "max":
        return xs[0] if less(xs[1], xs[0]) else xs[1]
    return rounded(xs[0], op)


def finish(fmt, v, mode):
    """A result in the mode: (direction, flush operands, flush results)."""
    x = fmt.encode(v, direction=mode[0])
    if not mode[2]:
        return x
    if fmt is not F16 and not isinstance(v, str) and v:
        # A result is a denormal if it is one before its last place is cut to what a denormal has.
        wide = Format(fmt.bits + 4, fmt.e + 4, fmt.m)
        if abs(wide.decode(wide.encode(v, direction=mode[0]))) < Fraction(2) ** (1 - fmt.bias):
            return x & fmt.sign
    return fmt.flushed(x)


def take(fmt, x, mode):
    x &= (1 << fmt.bits) - 1
    return fmt.decode(fmt.flushed(x) if mode[1] else x)


def under(value, text):
    return (f"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 8), 0x{value:x}\n  {text}\n"
            f"  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 8), 0x{KEEP:x}")


def modes(fmt):
    """The value of MODE, and what it means for this format."""
    for n, d in enumerate(DIRECTIONS):
        for keep in range(4):
            f32 = fmt is F32
            value = n | keep << 4 | 0xC0 if f32 else n << 2 | keep << 6 | 0x30
            yield value, (d, not keep & 1, not keep & 2)


FORMS = {"add": ("v_add_{}", 2), "sub": ("v_sub_{}", 2), "mul": ("v_mul_{}", 2), "fma": ("v_fma_{}", 3)}
for fmt, t in ((F32, "f32"), (F64, "f64"), (F16, "f16")):
    regs = ["v[0:1]", "v[2:3]", "v[4:5]"] if fmt is F64 else ["v0", "v2", "v4"]
    dst = "v[8:9]" if fmt is F64 else "v8"
    for value, mode in modes(fmt):
        for op, (form, n) in FORMS.items():
            if fmt is F64 and op == "sub":
                continue
            keep = OLD[0] & 0xFFFF0000 if fmt is F16 and op == "fma" else 0

            def run(a, b, c, op=op, mode=mode, n=n, fmt=fmt, keep=keep):
                xs = [take(fmt, x, mode) for x in (a, b, c)[:n]]
                return finish(fmt, operation(op, xs, mode[0]), mode) | keep
            name = form.format(t)
            case(f"{name} mode {value:x}", under(value, f"{name} {dst}, {', '.join(regs[:n])}"), run, nan=fmt,
                 dwords=2 if fmt is F64 else 1)
        for op, how in (("floor", "floor"), ("ceil", "ceil"), ("trunc", "trunc"), ("rndne", "even")):
            case(f"v_{op}_{t} mode {value:x}", under(value, f"v_{op}_{t} {dst}, {regs[0]}"),
                 lambda a, b, c, mode=mode, how=how, fmt=fmt: fmt.encode(operation(how, [take(fmt, a, mode)], mode[0])),
                 nan=fmt, dwords=2 if fmt is F64 else 1)

for value, mode in modes(F16):
    both = lambda a, b, c, f, mode=mode: sum(
        finish(F16, f([take(F16, x >> s, mode) for x in (a, b, c)]), mode) << s for s in (0, 16))
    for op, n in (("add", 2), ("mul", 2), ("fma", 3)):
        name = f"v_pk_{op}_f16"
        case(f"{name} mode {value:x}", under(value, f"{name} v8, {', '.join(['v0', 'v2', 'v4'][:n])}"),
             lambda a, b, c, op=op, both=both, mode=mode: both(a, b, c, lambda xs: operation(op, xs, mode[0])),
             nan="packed")
    # Operands in f32 and f16, the result in f16.
    case(f"v_fma_mixlo_f16 mode {value:x}", under(value, "v_fma_mixlo_f16 v8, v0, v2, v4 op_sel_hi:[1,0,0]"),
         lambda a, b, c, mode=mode: finish(F16, operation("fma", [take(F16, a, mode), F32.decode(b & M32), F32.decode(c & M32)], mode[0]),
                                           mode) | OLD[0] & 0xFFFF0000, nan=F16)
    case(f"v_cvt_f16_f32 mode {value:x}", under(value, "v_cvt_f16_f32 v8, v0"),
         lambda a, b, c, mode=mode: finish(F16, F32.decode(a & M32), mode), nan=F16)
    case(f"v_cvt_f16_u16 mode {value:x}", under(value, "v_cvt_f16_u16 v8, v0"),
         lambda a, b, c, mode=mode: F16.encode(Fraction(a & M16), direction=mode[0]))
    case(f"v_cvt_f16_i16 mode {value:x}", under(value, "v_cvt_f16_i16 v8, v0"),
         lambda a, b, c, mode=mode: F16.encode(Fraction(signed(a, 16)), direction=mode[0]))
    case(f"v_cvt_f32_f16 mode {value:x}", under(value, "v_cvt_f32_f16 v8, v0"),
         lambda a, b, c, mode=mode: F32.encode(take(F16, a, mode)), nan=F32)
    case(f"v_cmp_eq_f16 mode {value:x}", under(value, "v_cmp_eq_f16 s[20:21], v0, 0"),
         lambda a, b, c, mode=mode: zero(take(F16, a, mode)), mask=True)
for value, mode in modes(F32):
    case(f"v_fma_mix_f32 mode {value:x}", under(value, "v_fma_mix_f32 v8, v0, v2, v4 op_sel_hi:[1,0,0]"),
         lambda a, b, c, mode=mode: finish(F32, operation("fma", [F16.decode(a & M16), take(F32, b, mode), take(F32, c, mode)], mode[0]),
                                           mode), nan=F32)
    case(f"v_cvt_f32_f64 mode {value:x}", under(value, "v_cvt_f32_f64 v8, v[0:1]"),
         lambda a, b, c, mode=mode: finish(F32, F64.decode(a), mode), nan=F32)
    case(f"v_cvt_f32_u32 mode {value:x}", under(value, "v_cvt_f32_u32 v8, v0"),
         lambda a, b, c, mode=mode: F32.encode(Fraction(a & M32), direction=mode[0]))
    for part, name in (("v_pk_add_f32", "add"), ("v_pk_mul_f32", "mul")):
        case(f"{part} mode {value:x}", under(value, f"{part} v[8:9], v[0:1], v[2:3]"),
             lambda a, b, c, mode=mode, name=name: sum(
                 finish(F32, operation(name, [take(F32, a >> s, mode), take(F32, b >> s, mode)], mode[0]), mode) << s
                 for s in (0, 32)), dwords=2, nan="pairs")

sys.exit(main(__file__))
