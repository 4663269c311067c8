"""Reference arithmetic for instructions.py: numbers as exact fractions, rounded once."""

from fractions import Fraction

NAN, PINF, NINF, NZERO = "nan", "inf", "-inf", "-0"


class Format:
    def __init__(self, bits, exponent, mantissa):
        self.bits, self.e, self.m = bits, exponent, mantissa
        self.bias = (1 << (exponent - 1)) - 1
        self.inf = ((1 << exponent) - 1) << mantissa
        self.sign = 1 << (bits - 1)
        self.quiet = 1 << (mantissa - 1)

    def isnan(self, x):
        return (x & ~self.sign & ((1 << self.bits) - 1)) > self.inf

    def decode(self, x):
        s, mag = x & self.sign, x & (self.sign - 1)
        if mag > self.inf:
            return NAN
        if mag == self.inf:
            return NINF if s else PINF
        if mag == 0:
            return NZERO if s else Fraction(0)
        e, f = mag >> self.m, mag & ((1 << self.m) - 1)
        v = Fraction(f, 1 << self.m) + (1 if e else 0)
        v *= Fraction(2) ** ((e or 1) - self.bias)
        return -v if s else v

    def encode(self, v, toward_zero=False, direction=None):
        """Rounded to nearest even, toward zero, or in a direction: "even", "up", "down", "zero"."""
        if v == NAN:
            return self.inf | self.quiet
        if v == PINF:
            return self.inf
        if v == NINF:
            return self.inf | self.sign
        if v == NZERO:
            return self.sign
        if v == 0:
            return 0
        s = self.sign if v < 0 else 0
        toward_zero = toward_zero or direction in ("zero", "up" if s else "down")
        away = direction in ("up", "down") and not toward_zero
        v = abs(v)
        e = v.numerator.bit_length() - v.denominator.bit_length()
        if Fraction(2) ** e > v:
            e -= 1
        e = max(e, 1 - self.bias)
        scaled = v / Fraction(2) ** (e - self.m)
        n = scaled.numerator // scaled.denominator
        rest = scaled - n
        if away:
            n += rest > 0
        elif not toward_zero and (rest > Fraction(1, 2) or (rest == Fraction(1, 2) and n & 1)):
            n += 1
        if n >= 2 << self.m:
            n >>= 1
            e += 1
        if e > self.bias:
            return s | (self.inf - 1 if toward_zero else self.inf)
        if n < 1 << self.m:
            return s | n
        return s | ((e + self.bias) << self.m) | (n - (1 << self.m))

    def flushed(self, x):
        """Zero in place of a denormal."""
        return x if x & self.inf else x & self.sign


F16, BF16, F32, F64 = Format(16, 5, 10), Format(16, 8, 7), Format(32, 8, 23), Format(64, 11, 52)


def negative(v):
    return v in (NINF, NZERO) or (v not in (NAN, PINF) and v < 0)


def infinite(v):
    return v in (PINF, NINF)


def zero(v):
    return v == NZERO or (not isinstance(v, str) and v == 0)


def number(v):
    return Fraction(0) if v == NZERO else v


def neg(v):
    if v == NAN:
        return v
    if infinite(v):
        return PINF if v == NINF else NINF
    if v == NZERO:
        return Fraction(0)
    return NZERO if v == 0 else -v


def add(a, b):
    if NAN in (a, b):
        return NAN
    if infinite(a) or infinite(b):
        if infinite(a) and infinite(b):
            return a if a == b else NAN
        return a if infinite(a) else b
    if zero(a) and zero(b):
        return NZERO if a == NZERO and b == NZERO else Fraction(0)
    return number(a) + number(b)


def mul(a, b):
    if NAN in (a, b):
        return NAN
    s = negative(a) != negative(b)
    if infinite(a) or infinite(b):
        if zero(a) or zero(b):
            return NAN
        return NINF if s else PINF
    if zero(a) or zero(b):
        return NZERO if s else Fraction(0)
    return number(a) * number(b)


def fma(a, b, c):
    return add(mul(a, b), c)


def less(a, b):
    """a < b of numbers without NaN."""

    def key(v):
        return (-1, 0) if v == NINF else (1, 0) if v == PINF else (0, number(v))

    return key(a) < key(b)


def signed(x, bits):
    x &= (1 << bits) - 1
    return x - (1 << bits) if x >> (bits - 1) else x


def clamp(x, low, high):
    return max(low, min(high, x))


def to_integer(v, low, high):
    """Conversion by truncation; NaN is 0."""
    if v == NAN:
        return 0
    if infinite(v):
        return low if v == NINF else high
    v = number(v)
    n = abs(v.numerator) // v.denominator
    return clamp(-n if v < 0 else n, low, high)


def rounded(v, how):
    """To an integral value; zeros keep the sign."""
    if isinstance(v, str) or v == 0:
        return v
    floor = v.numerator // v.denominator
    rest = v - floor
    if how == "floor":
        n = floor
    elif how == "ceil":
        n = floor + (rest > 0)
    elif how == "trunc":
        n = floor + (rest > 0 and v < 0)
    else:
        n = floor + (rest > Fraction(1, 2) or (rest == Fraction(1, 2) and floor & 1))
    return (NZERO if v < 0 else Fraction(0)) if n == 0 else Fraction(n)
