#!/usr/bin/env python3
"""Conversions of fp8 and bf8 on every half, every byte and around every place where rounding turns.

usage: fp8.py CLANG HK-SIM-RUN FOLDER [PROCESSOR]

The formats are gfx942's (one NaN, which is what would be -0; no infinity), or OCP's on gfx950. A format is the
list of its values here; rounding is a search in it.
"""

import bisect
import functools
import struct
import sys

from harness import *
from reference import *

PROCESSOR = sys.argv[4] if len(sys.argv) > 4 else "gfx942"
del sys.argv[4:]
OCP = PROCESSOR == "gfx950"


class Small:
    def __init__(self, name, exponent, mantissa):
        self.name, self.m = name, mantissa
        self.bias = (1 << exponent - 1) - (1 if OCP else 0)
        self.infinite = OCP and exponent == 5
        codes = ((1 << exponent) - 1 << mantissa) if self.infinite else 0x7F if OCP else 0x80
        self.values = [self.positive(c) for c in range(codes)]
        self.most = codes - 1
        # One more place, for what rounds beyond the last.
        last = self.values[-1] - self.values[-2]
        self.limit = self.values[-1] + last

    def positive(self, code):
        e, f = code >> self.m, code & (1 << self.m) - 1
        return (Fraction(f, 1 << self.m) + (1 if e else 0)) * Fraction(2) ** ((e or 1) - self.bias)

    def decode(self, byte):
        sign, code = byte >> 7, byte & 0x7F
        if not OCP:
            if byte == 0x80:
                return NAN
        elif self.infinite and code >= self.most + 1:
            return (NINF if sign else PINF) if code == self.most + 1 else NAN
        elif not self.infinite and code == 0x7F:
            return NAN
        v = self.values[code]
        return (NZERO if v == 0 else -v) if sign else v

    def nan(self, sign):
        return (0x7E if self.infinite else 0x7F) | sign << 7 if OCP else 0x80

    def beyond(self, sign, saturate, was_infinite):
        if saturate and not was_infinite:
            return self.most | sign << 7
        return 0x7C | sign << 7 if self.infinite else self.nan(sign)

    def finish(self, sign, code, saturate):
        if code > self.most:
            return self.beyond(sign, saturate, False)
        return 0 if not OCP and not code else code | sign << 7

    @functools.lru_cache(maxsize=None)
    def encode(self, bits, saturate):
        v, sign = F32.decode(bits), bits >> 31
        if v == NAN:
            return None
        if infinite(v):
            return self.beyond(sign, saturate, True)
        x = abs(number(v))
        if x >= self.limit:
            return self.beyond(sign, saturate, False)
        values = self.values + [self.limit]
        low = bisect.bisect_right(values, x) - 1
        if low == self.most + 1 or values[low] == x:
            code = low
        else:
            middle = (values[low] + values[low + 1]) / 2
            code = low if x < middle else low + 1 if x > middle else low + (low & 1)
        return self.finish(sign, code, saturate)

    def stochastic(self, bits, random, saturate):
        """Added below the last place: as many of the random number's top bits as f32 has there."""
        v, sign = F32.decode(bits), bits >> 31
        if v == NAN:
            return None
        if infinite(v):
            return self.beyond(sign, saturate, True)
        x = abs(number(v))
        if x >= 2 * self.limit:
            return self.beyond(sign, saturate, False)
        values = self.values + [self.limit]
        low = min(bisect.bisect_right(values, x) - 1, self.most)
        place = values[low + 1] - values[low]
        noise = 23 - self.m
        steps = (x - values[low]) / place + Fraction(random >> 32 - noise, 1 << noise)
        return self.finish(sign, low + steps.numerator // steps.denominator, saturate)


FORMATS = (Small("fp8", 4, 3), Small("bf8", 5, 2))


def rows():
    """A number and its place in a for f32 operands, another and random bits in b, all pairs of bytes in c."""
    bits = [F32.encode(F16.decode(h)) if not F16.isnan(h) else 0x7FC00000 | (h & 0x8000) << 16 for h in range(1 << 16)]
    for fmt in FORMATS:
        values = fmt.values + [fmt.limit, 2 * fmt.limit]
        for low, high in zip(values, values[1:]):
            for v in (low, (low + high) / 2):
                x = F32.encode(v)
                bits += [y & M32 | s for y in (x - 1, x, x + 1) for s in (0, 1 << 31)]
    bits += [0x7F7FFFFF, 0xFF7FFFFF, 1, 0x80000001, 0x7F800001, 0xFFC00000, 0x477FFFFF]
    bits += [0] * (-len(bits) % 64)
    r = random.Random(3)
    return [[x, bits[n * 7 % len(bits)] | r.choice((0, M32, r.getrandbits(32), r.getrandbits(32))) << 32, (n & M16) * 0x10001]
            for n, x in enumerate(bits)]


SATURATE = "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), {}"


def expected(fmt, code, bits):
    """A NaN is quiet and keeps what it can of the top of its payload, which is one bit in OCP's bf8."""
    if code is not None:
        return code
    return fmt.nan(bits >> 31) | (bits >> 21 & 1 if fmt.infinite else 0)


for fmt in FORMATS:
    t = fmt.name
    for saturate in (False, True):
        on, off = SATURATE.format(int(saturate)), SATURATE.format(0)
        for select, shift in (("", 0), (" op_sel:[0,0,1]", 16)):
            def run(a, b, c, fmt=fmt, s=saturate, shift=shift):
                x = expected(fmt, fmt.encode(a & M32, s), a & M32) | expected(fmt, fmt.encode(b & M32, s), b & M32) << 8
                return OLD[0] & ~(M16 << shift) & M32 | x << shift
            case(f"v_cvt_pk_{t}_f32{select} saturate {saturate}", f"{on}\n  v_cvt_pk_{t}_f32 v8, v0, v2{select}\n  {off}", run)
        for byte in range(4):
            if byte % 3 and saturate:
                continue
            select = f" op_sel:[0,0,{byte & 1},{byte >> 1}]"

            def run(a, b, c, fmt=fmt, s=saturate, shift=8 * byte):
                x = expected(fmt, fmt.stochastic(a & M32, b >> 32, s), a & M32)
                return OLD[0] & ~(255 << shift) & M32 | x << shift
            case(f"v_cvt_sr_{t}_f32{select} saturate {saturate}", f"{on}\n  v_cvt_sr_{t}_f32 v8, v0, v3{select}\n  {off}", run)
    value = functools.lru_cache(maxsize=None)(lambda byte, fmt=fmt: F32.encode(fmt.decode(byte)))
    for byte in range(4):
        case(f"v_cvt_f32_{t} byte {byte}", f"v_cvt_f32_{t}_sdwa v8, v4 src0_sel:BYTE_{byte}",
             lambda a, b, c, v=value, s=8 * byte: v(c >> s & 255), nan=F32)
    for word in range(2):
        case(f"v_cvt_pk_f32_{t} word {word}", f"v_cvt_pk_f32_{t}_sdwa v[8:9], v4 src0_sel:WORD_{word}",
             lambda a, b, c, v=value, s=16 * word: v(c >> s & 255) | v(c >> s + 8 & 255) << 32, dwords=2, nan="pairs")
    case(f"v_cvt_f32_{t} first byte", f"v_cvt_f32_{t} v8, v4", lambda a, b, c, v=value: v(c & 255), nan=F32)

sys.exit(main(__file__, rows(), PROCESSOR))
