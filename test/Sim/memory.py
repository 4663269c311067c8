#!/usr/bin/env python3
"""Memory: loads and stores of all widths and spaces, buffers and their range checks, scalar memory, atomics.

usage: memory.py CLANG HK-SIM-RUN FOLDER [NAME...]

Atomics show the value they return in v[8:9] and what memory holds afterwards in v[10:11].
"""

import sys

from harness import *
from reference import *

VM, LGKM = "s_waitcnt vmcnt(0)", "s_waitcnt lgkmcnt(0)"


def text(*lines):
    return "\n  ".join(lines)


# --- Atomics -------------------------------------------------------------------------------------


def integers(bits):
    mask = (1 << bits) - 1
    s = lambda x: signed(x, bits)
    return {"swap": lambda m, d: d, "add": lambda m, d: m + d, "sub": lambda m, d: m - d,
            "smin": lambda m, d: m if s(m) < s(d) else d, "smax": lambda m, d: m if s(m) > s(d) else d,
            "umin": min, "umax": max, "and": lambda m, d: m & d, "or": lambda m, d: m | d, "xor": lambda m, d: m ^ d,
            "inc": lambda m, d: 0 if m >= d else m + 1, "dec": lambda m, d: d if m == 0 or m > d else m - 1}, mask


def lowest(fmt, most):
    """As the vector unit has it: a NaN loses unless it signals, -0 is below 0."""
    def run(m, d):
        for x in (m, d):
            if fmt.isnan(x) and not x & fmt.quiet:
                return x | fmt.quiet
        if fmt.isnan(m):
            return d if not fmt.isnan(d) else m | fmt.quiet
        if fmt.isnan(d):
            return m
        x, y = fmt.decode(m), fmt.decode(d)
        if zero(x) and zero(y):
            return m & d if most else m | d
        return (m if less(y, x) else d) if most else (m if less(x, y) else d)
    return run


def summed(fmt):
    return lambda m, d: fmt.encode(add(fmt.decode(m), fmt.decode(d)))


def halves(fmt):
    one = summed(fmt)
    return lambda m, d: one(m & M16, d & M16) | one(m >> 16, d >> 16) << 16


class Way:
    """How to reach the lane's slot, which holds b: an instruction without and with the old value returned."""

    def __init__(self, prefix, before, plain, returned, store, load, wait):
        self.prefix, self.before, self.plain, self.returned = prefix, before, plain, returned
        self.store, self.load, self.wait = store, load, wait


GLOBAL_ADDRESS = ("v_mov_b32 v25, s31", "v_add_co_u32 v24, vcc, s30, v14", "v_addc_co_u32 v25, vcc, 0, v25, vcc")
SHARED_ADDRESS = ("s_mov_b64 s[32:33], src_shared_base", "v_mov_b32 v24, v14", "v_mov_b32 v25, s33")
RESOURCE = ("s_mov_b32 s32, s30", "s_and_b32 s33, s31, 0xffff", f"s_movk_i32 s34, {MEMORY}", "s_mov_b32 s35, 0x20000")
ST, LD = "global_store_dwordx2 v14, v[2:3], s[30:31]", "global_load_dwordx2 v[10:11], v14, s[30:31]"
LST, LLD = "ds_write_b64 v14, v[2:3]", "ds_read_b64 v[10:11], v14"
WAYS = [
    Way("global_atomic_", (), "{op} v14, {d}, s[30:31]", "{op} {r}, v14, {d}, s[30:31] sc0", ST, LD, VM),
    Way("global_atomic_", GLOBAL_ADDRESS, "{op} v[24:25], {d}, off", "{op} {r}, v[24:25], {d}, off sc0", ST, LD, VM),
    Way("flat_atomic_", GLOBAL_ADDRESS, "{op} v[24:25], {d}", "{op} {r}, v[24:25], {d} sc0", ST, LD, VM + "\n  " + LGKM),
    Way("flat_atomic_", SHARED_ADDRESS, "{op} v[24:25], {d}", "{op} {r}, v[24:25], {d} sc0", LST, LLD,
        VM + "\n  " + LGKM),
    Way("buffer_atomic_", RESOURCE, "{op} {d}, v14, s[32:35], 0 offen", "{move}{op} {r}, v14, s[32:35], 0 offen sc0",
        ST, LD, VM),
]


def atomic(way, op, f, bits, nan=None, compare=False):
    """f(memory, data) or, for an exchange under condition, f(memory, data, compared)."""
    mask = (1 << bits) - 1
    wide = bits == 64
    if compare:  # the new value c, then a, which is b in some rows
        data = "v[16:19]" if wide else "v[16:17]"
        put = ("v_mov_b64 v[16:17], v[4:5]", "v_mov_b64 v[18:19], v[0:1]") if wide else \
              ("v_mov_b32 v16, v4", "v_mov_b32 v17, v0")
        new = lambda a, b, c: f(b & mask, c & mask, a & mask) & mask
    else:
        data, put = ("v[0:1]", ()) if wide else ("v0", ())
        new = lambda a, b, c: f(b & mask, a & mask) & mask
    result = "v[8:9]" if wide else "v8"
    name = way.prefix + op
    for form, back in ((way.plain, False), (way.returned, True)):
        if "{move}" in form and back:  # buffers return over their data
            n = (2 if compare else 1) * bits // 32
            move = "".join(f"v_mov_b32 v{20 + k}, v{(16 if compare else 0) + k}\n  " for k in range(n))
            line = form.format(op=name, r=f"v[20:{19 + n}]" if n > 1 else "v20", move=move)
            line += "\n  " + VM + "\n  v_mov_b32 v8, v20" + ("\n  v_mov_b32 v9, v21" if wide else "")
        else:
            line = form.format(op=name, d=data, r=result)
        old = OLD[0] | OLD[1] << 32
        low = lambda b, back=back: (b if wide else b & M32 | old & ~M32) if back else old
        high = lambda a, b, c: new(a, b, c) | b & ~mask
        case(f"{name}{' returns' if back else ''} {'lds' if way.store is LST else ''}{' off' if way.before is GLOBAL_ADDRESS else ''}",
             text(*way.before, *put, way.store, way.wait if way.store is ST else LGKM, line, way.wait, way.load,
                  way.wait if way.store is ST else LGKM),
             lambda a, b, c, low=low, high=high: (low(b), high(a, b, c)), full=True, nan=nan)


for way in WAYS:
    for bits in (32, 64):
        suffix = "_x2" if bits == 64 else ""
        ops, _ = integers(bits)
        for op, f in ops.items():
            atomic(way, op + suffix, f, bits)
        atomic(way, "cmpswap" + suffix, lambda m, d, k: d if m == k else m, bits, compare=True)
    lds = way.store is LST
    atomic(way, "add_f32", summed(F32), 32, nan="pairs")
    atomic(way, "add_f64", summed(F64), 64, nan=F64)
    atomic(way, "min_f64", lowest(F64, False), 64, nan=F64)
    atomic(way, "max_f64", lowest(F64, True), 64, nan=F64)
    atomic(way, "pk_add_f16", halves(F16), 32, nan="packed")
    if way.prefix != "buffer_atomic_":
        atomic(way, "pk_add_bf16", halves(BF16), 32, nan="packed bf16")


def ds(op, f, bits, nan=None, compare=False, name=None, second=False, only_returned=False):
    mask = (1 << bits) - 1
    wide = bits == 64
    d, e = ("v[0:1]", "v[4:5]") if wide else ("v0", "v4")
    type_ = name
    old = OLD[0] | OLD[1] << 32
    for back in (False, True):
        if only_returned and not back:
            continue
        full = f"ds_{op}_{'rtn_' if back else ''}{type_}"
        form = f"{full} {('v[8:9]' if wide else 'v8') + ', ' if back else ''}v14, {d}{', ' + e if second else ''} offset:0"

        def run(a, b, c, back=back):
            new = (f(b & mask, a & mask, c & mask) if second else f(b & mask, a & mask)) & mask
            return ((b if wide else b & M32 | old & ~M32) if back else old, new | b & ~mask)
        case(full, text(LST, LGKM, form, LGKM, LLD, LGKM), run, full=True, nan=nan)


for bits in (32, 64):
    ops, _ = integers(bits)
    for op, (key, t) in {"add": ("add", "u"), "sub": ("sub", "u"), "inc": ("inc", "u"), "dec": ("dec", "u"), "min_i": ("smin", "i"),
                         "max_i": ("smax", "i"), "min": ("umin", "u"), "max": ("umax", "u"), "and": ("and", "b"),
                         "or": ("or", "b"), "xor": ("xor", "b")}.items():
        ds(op.split("_")[0], ops[key], bits, name=f"{t}{bits}")
    ds("rsub", lambda m, d: d - m, bits, name=f"u{bits}")
    ds("wrxchg", lambda m, d: d, bits, name=f"b{bits}", only_returned=True)
    ds("mskor", lambda m, d, e: m & ~d | e, bits, name=f"b{bits}", second=True)
    ds("cmpst", lambda m, d, e: e if m == d else m, bits, name=f"b{bits}", second=True)
    fmt = F64 if bits == 64 else F32
    ds("add", summed(fmt), bits, name=f"f{bits}", nan=F64 if bits == 64 else "pairs")
    ds("min", lowest(fmt, False), bits, name=f"f{bits}", nan=F64 if bits == 64 else "pairs")
    ds("max", lowest(fmt, True), bits, name=f"f{bits}", nan=F64 if bits == 64 else "pairs")
ds("wrap", lambda m, d, e: m - d if m >= d else m + e, 32, name="b32", second=True, only_returned=True)
ds("pk_add", halves(F16), 32, name="f16", nan="packed")
ds("pk_add", halves(BF16), 32, name="bf16", nan="packed bf16")
case("ds_wrxchg2_rtn_b32", text("ds_write_b64 v14, v[2:3]", LGKM, "ds_wrxchg2_rtn_b32 v[8:9], v14, v0, v4 offset1:1", LGKM, LLD, LGKM),
     lambda a, b, c: (b, a & M32 | (c & M32) << 32), full=True)

# All lanes at one place: the sum of them, and each got another value in between.
M0 = "v_mov_b32 v16, 2048"
for prefix, before, load, wait in (("global_atomic_{} {}v16, {}, s[30:31]{}", "global_store_dword v16, v17, s[30:31]", "global_load_dword v8, v16, s[30:31]", VM),
                                   ("ds_{}_u32", "ds_write_b32 v16, v17", "ds_read_b32 v8, v16", LGKM)):
    for op, f in (("add", lambda xs: sum(xs)), ("umax" if wait is VM else "max", max), ("umin" if wait is VM else "min", min)):
        zeros = 0 if op == "add" else 5
        start = [] if op == "add" else [5]
        line = prefix.format(op, "", "v0", "") if wait is VM else f"ds_{op}_u32 v16, v0"
        lanes(text(M0, f"v_mov_b32 v17, {zeros}", before, wait, line, wait, load, wait),
              lambda rows, f=f, start=start: [f([x[0] & M32 for x in rows] + start) & M32] * 64, f"{line} all at one place")
LANE = ("v_mbcnt_lo_u32_b32 v26, -1, 0", "v_mbcnt_hi_u32_b32 v26, -1, v26")
lanes(text(M0, "v_mov_b32 v17, 0", "global_store_dword v16, v17, s[30:31]", *LANE, "v_lshlrev_b32 v20, 2, v26",
           "ds_write_b32 v20, v17", "v_mov_b32 v18, 1", VM, "global_atomic_add v8, v16, v18, s[30:31] sc0", VM,
           "v_lshlrev_b32 v21, 2, v8", LGKM, "ds_write_b32 v21, v18", LGKM, "ds_read_b32 v8, v20", LGKM),
      lambda rows: [1] * 64, "each lane its own ticket")

# --- Loads and stores ----------------------------------------------------------------------------

KINDS = {"ubyte": lambda x, o: x & 255, "sbyte": lambda x, o: signed(x, 8) & M32, "ushort": lambda x, o: x & M16,
         "sshort": lambda x, o: signed(x, 16) & M32,
         "ubyte_d16": lambda x, o: x & 255 | o & 0xFFFF0000, "ubyte_d16_hi": lambda x, o: (x & 255) << 16 | o & M16,
         "sbyte_d16": lambda x, o: signed(x, 8) & M16 | o & 0xFFFF0000,
         "sbyte_d16_hi": lambda x, o: (signed(x, 8) & M16) << 16 | o & M16,
         "short_d16": lambda x, o: x & M16 | o & 0xFFFF0000, "short_d16_hi": lambda x, o: (x & M16) << 16 | o & M16}
DS = {"ubyte": "ds_read_u8", "sbyte": "ds_read_i8", "ushort": "ds_read_u16", "sshort": "ds_read_i16",
      "ubyte_d16": "ds_read_u8_d16", "ubyte_d16_hi": "ds_read_u8_d16_hi", "sbyte_d16": "ds_read_i8_d16",
      "sbyte_d16_hi": "ds_read_i8_d16_hi", "short_d16": "ds_read_u16_d16", "short_d16_hi": "ds_read_u16_d16_hi"}
# The lane's slot holds b, c; the address is 2 bytes in.
FILLED = ("global_store_dwordx4 v14, v[2:5], s[30:31]", "ds_write_b128 v14, v[2:5]", VM, LGKM)
at = lambda b, c, n: (b | c << 64) >> 8 * n
for kind, f in KINDS.items():
    run = lambda a, b, c, f=f: f(at(b, c, 2), OLD[0])
    case(f"global_load_{kind}", text(*FILLED, f"global_load_{kind} v8, v14, s[30:31] offset:2", VM), run)
    case(f"global_load_{kind} negative", text(*FILLED, "v_add_u32 v16, 4095, v14", f"global_load_{kind} v8, v16, s[30:31] offset:-4093", VM), run)
    case(f"flat_load_{kind}", text(*FILLED, *GLOBAL_ADDRESS, f"flat_load_{kind} v8, v[24:25] offset:2", VM, LGKM), run)
    case(f"flat_load_{kind} lds", text(*FILLED, *SHARED_ADDRESS, f"flat_load_{kind} v8, v[24:25] offset:2", VM, LGKM), run)
    case(f"buffer_load_{kind}", text(*FILLED, *RESOURCE, f"buffer_load_{kind} v8, v14, s[32:35], 0 offen offset:2", VM), run)
    case(DS[kind], text(*FILLED, f"{DS[kind]} v8, v14 offset:2", LGKM), run)
for n, t in ((1, "dword"), (2, "dwordx2"), (3, "dwordx3"), (4, "dwordx4")):
    old = sum(x << 32 * k for k, x in enumerate(OLD))
    mask = (1 << 32 * n) - 1
    full = lambda x: (x & M64, x >> 64)
    regs = "v8" if n == 1 else f"v[8:{7 + n}]"
    run = lambda a, b, c, mask=mask, old=old: full((b | c << 64) & mask | old & ~mask)
    case(f"global_load_{t}", text(*FILLED, f"global_load_{t} {regs}, v14, s[30:31]", VM), run, full=True)
    case(f"flat_load_{t}", text(*FILLED, *SHARED_ADDRESS, f"flat_load_{t} {regs}, v[24:25]", VM, LGKM), run, full=True)
    case(f"buffer_load_{t}", text(*FILLED, *RESOURCE, f"buffer_load_{t} {regs}, v14, s[32:35], 0 offen", VM), run, full=True)
    case(f"ds_read_{t}", text(*FILLED, f"ds_read_b{32 * n} {regs}, v14", LGKM), run, full=True)
    data = "v0" if n == 1 else f"v[0:{n - 1}]"
    run = lambda a, b, c, mask=mask: full((a | b << 64) & mask | (b | c << 64) & ~mask)
    LOAD4, LLOAD4 = "global_load_dwordx4 v[8:11], v14, s[30:31]", "ds_read_b128 v[8:11], v14"
    case(f"global_store_{t}", text(*FILLED, f"global_store_{t} v14, {data}, s[30:31]", VM, LOAD4, VM), run, full=True)
    case(f"flat_store_{t}", text(*FILLED, *SHARED_ADDRESS, f"flat_store_{t} v[24:25], {data}", VM, LGKM, LLOAD4, LGKM), run, full=True)
    case(f"buffer_store_{t}", text(*FILLED, *RESOURCE, f"buffer_store_{t} {data}, v14, s[32:35], 0 offen", VM, LOAD4, VM), run, full=True)
    case(f"ds_write_{t}", text(*FILLED, f"ds_write_b{32 * n} v14, {data}", LGKM, LLOAD4, LGKM), run, full=True)
for t, d, bits, shift in (("byte", "b8", 8, 0), ("byte_d16_hi", "b8_d16_hi", 8, 16), ("short", "b16", 16, 0), ("short_d16_hi", "b16_d16_hi", 16, 16)):
    def run(a, b, c, bits=bits, shift=shift):
        field = (1 << bits) - 1 << 48
        return (b & ~field & M64 | (a >> shift & (1 << bits) - 1) << 48, c)
    case(f"global_store_{t}", text(*FILLED, f"global_store_{t} v14, v0, s[30:31] offset:6", VM, LOAD4, VM), run, full=True)
    case(f"buffer_store_{t}", text(*FILLED, *RESOURCE, f"buffer_store_{t} v0, v14, s[32:35], 0 offen offset:6", VM, LOAD4, VM), run, full=True)
    case(f"ds_write_{d}", text(*FILLED, f"ds_write_{d} v14, v0 offset:6", LGKM, LLOAD4, LGKM), run, full=True)
case("ds_read2_b32", text(*FILLED, "ds_read2_b32 v[8:9], v14 offset0:3 offset1:1", LGKM), lambda a, b, c: c >> 32 | (b >> 32) << 32, dwords=2)
case("ds_read2_b64", text(*FILLED, "ds_read2_b64 v[8:11], v14 offset0:1", LGKM), lambda a, b, c: (c, b), full=True)
case("ds_read2st64_b32", text(*FILLED, "ds_write_b32 v13, v0 offset:768", LGKM,
                              "ds_read2st64_b32 v[8:9], v13 offset0:8 offset1:3", LGKM),
     lambda a, b, c: b & M32 | (a & M32) << 32, dwords=2)
case("ds_write2_b32", text(*FILLED, "ds_write2_b32 v14, v0, v1 offset0:2", LGKM, "ds_read_b128 v[8:11], v14", LGKM),
     lambda a, b, c: (b & ~M32 | a >> 32, c & ~M32 | a & M32), full=True)
case("ds_write2st64_b64", text(*FILLED, "ds_write2st64_b64 v13, v[0:1], v[4:5] offset0:4 offset1:2", LGKM,
                               "ds_read_b64 v[8:9], v14", "ds_read_b64 v[10:11], v13 offset:1024", LGKM), lambda a, b, c: (a, c), full=True)

# One after the other, from an odd address on: all lanes, and some.
for mask in (M64, 0xFFF0):
    for n in (1, 2, 3, 4):
        old = sum(x << 32 * k for k, x in enumerate(OLD))
        low = (1 << 32 * n) - 1
        regs, data = ("v8", "v0") if n == 1 else (f"v[8:{7 + n}]", f"v[0:{n - 1}]")
        part = ("s_mov_b64 s[22:23], exec", f"s_mov_b32 exec_lo, 0x{mask & M32:x}", f"s_mov_b32 exec_hi, 0x{mask >> 32:x}")
        for store, load, wait in ((f"global_store_{'dword' + (f'x{n}' if n > 1 else '')} v16, {data}, s[30:31] offset:2049",
                                   f"global_load_{'dword' + (f'x{n}' if n > 1 else '')} {regs}, v16, s[30:31] offset:2049", VM),
                                  (f"ds_write_b{32 * n} v16, {data} offset:2049", f"ds_read_b{32 * n} {regs}, v16 offset:2049", LGKM)):
            lanes(text(*LANE, f"v_mul_u32_u24 v16, {4 * n}, v26", *part, store, wait, load, wait, "s_mov_b64 exec, s[22:23]"),
                  lambda rows, low=low, old=old, mask=mask: [
                      quad4 for l, row in enumerate(rows) for x in [(row[0] | row[1] << 64) & low | old & ~low if mask >> l & 1 else old]
                      for quad4 in [(x & M64, x >> 64)]], f"{store} {mask:x}", full=True)

# --- Buffers: what is inside ---------------------------------------------------------------------


def resource(stride, records, more="0x20000"):
    return ("s_mov_b32 s32, s30", "s_and_b32 s33, s31, 0xffff", f"s_or_b32 s33, s33, 0x{stride << 16:x}",
            f"s_mov_b32 s34, {records}", f"s_mov_b32 s35, {more}")

def buffer(name, before, line, f, dwords=1):
    full = dwords > 2
    lanes(text(*LANE, *before, line, VM), lambda rows: [f(l) for l in range(64)], name, dwords=min(dwords, 2), full=full)


p = pattern
buffer("raw, all inside", resource(0, 256), "buffer_load_dword v8, v26, s[32:35], 0 offen", lambda l: p(l))
buffer("raw, records end", (*resource(0, 100), "v_lshlrev_b32 v16, 2, v26"), "buffer_load_dword v8, v16, s[32:35], 0 offen",
       lambda l: p(4 * l) if 4 * l + 4 <= 100 else 0)
buffer("raw, a byte", resource(0, 33), "buffer_load_ubyte v8, v26, s[32:35], 0 offen", lambda l: p(l, 1) if l < 33 else 0)
buffer("raw, scalar offset counts", (*resource(0, 200), "v_lshlrev_b32 v16, 2, v26", "s_movk_i32 s20, 64"),
       "buffer_load_dword v8, v16, s[32:35], s20 offen offset:16", lambda l: p(80 + 4 * l) if 80 + 4 * l + 4 <= 200 else 0)
for n in (2, 3, 4):
    # Each dword is checked by itself.
    def f(l, n=n):
        words = [p(16 * l + 4 * k) if 16 * l + 4 * k + 4 <= 320 + 4 * (n - 1) else 0 for k in range(n)]
        words += OLD[n:]
        return (words[0] | words[1] << 32, words[2] | words[3] << 32)
    buffer(f"raw, x{n} across the end", (*resource(0, 320 + 4 * (n - 1)), "v_lshlrev_b32 v16, 4, v26"),
           f"buffer_load_dwordx{n} v[8:{7 + n}], v16, s[32:35], 0 offen", f, 4)
buffer("structured", resource(12, 40), "buffer_load_dword v8, v26, s[32:35], 0 idxen offset:4", lambda l: p(12 * l + 4) if l < 40 else 0)
buffer("structured, offset and index", (*resource(20, 50), "v_lshlrev_b32 v27, 2, v26", "v_and_b32 v27, 12, v27"),
       "buffer_load_dword v8, v[26:27], s[32:35], 0 idxen offen", lambda l: p(20 * l + (4 * l & 12)) if l < 50 else 0)
buffer("structured, scalar offset does not count", (*resource(8, 60), "s_movk_i32 s20, 100"),
       "buffer_load_dword v8, v26, s[32:35], s20 idxen", lambda l: p(8 * l + 100) if l < 60 else 0)
buffer("the lane's number as index", resource(8, 48, "0x820000"), "buffer_load_dword v8, off, s[32:35], 0 offset:4",
       lambda l: p(8 * l + 4) if l < 48 else 0)
buffer("no index, with a stride", (*resource(8, 1), "v_lshlrev_b32 v16, 2, v26"), "buffer_load_dword v8, v16, s[32:35], 0 offen",
       lambda l: p(4 * l))


def swizzled(l, offset, stride, count, element=4):
    return (l // count * stride + offset // element * element) * count + l % count * element + offset % element


for code, count in ((0, 8), (1, 16), (2, 32), (3, 64)):
    # bit 31 of the second word: swizzle; 19-20 of the fourth are the element's size (4 is 1), 21-22 the index stride
    buffer(f"swizzled by {count}", (*resource(16, 64)[:3], "s_bitset1_b32 s33, 31", "s_movk_i32 s34, 64",
                                    f"s_mov_b32 s35, 0x{0x20000 | 1 << 19 | code << 21:x}"),
           "buffer_load_dword v8, v26, s[32:35], 0 idxen offset:8",
           lambda l, count=count: p(swizzled(l, 8, 16, count)))
lanes(text(*LANE, *resource(0, SLOTS + 16 * 20 + 8), "global_store_dwordx4 v14, v[2:5], s[30:31]", VM,
           "buffer_store_dwordx4 v[0:3], v14, s[32:35], 0 offen", VM, "global_load_dwordx4 v[8:11], v14, s[30:31]", VM),
      lambda rows: [(rows[l][0], rows[l][1]) if l < 20 else (rows[l][0 if l == 20 else 1], rows[l][2]) for l in range(64)],
      "store x4 across the end", full=True)
# Stores outside are dropped; atomics too, and return 0.
lanes(text(*LANE, *resource(0, SLOTS + 16 * 20), "global_store_dword v14, v2, s[30:31]", VM,
           "buffer_store_dword v0, v14, s[32:35], 0 offen", VM, "global_load_dword v8, v14, s[30:31]", VM),
      lambda rows: [rows[l][0] & M32 if l < 20 else rows[l][1] & M32 for l in range(64)], "store outside")
lanes(text(*LANE, *resource(0, SLOTS + 16 * 20), "global_store_dword v14, v2, s[30:31]", VM, "v_mov_b32 v8, v0",
           "buffer_atomic_add v8, v14, s[32:35], 0 offen sc0", VM, "global_load_dword v9, v14, s[30:31]", VM),
      lambda rows: [rows[l][1] & M32 | (rows[l][0] + rows[l][1] & M32) << 32 if l < 20 else (rows[l][1] & M32) << 32
                    for l in range(64)], "atomic outside", dwords=2)
lanes(text(*LANE, *resource(0, MEMORY), "v_mov_b32 v16, 0", "ds_write_b32 v13, v16 offset:512", "v_lshlrev_b32 v16, 3, v26", "s_movk_i32 m0, 512",
           LGKM, "s_nop 4", "buffer_load_dword v16, s[32:35], 0 offen lds", VM, "v_lshlrev_b32 v16, 2, v26",
           "ds_read_b32 v8, v16 offset:512", LGKM), lambda rows: [p(8 * l) for l in range(64)], "buffer to LDS")

# --- Formats -------------------------------------------------------------------------------------

BITS = {"8": [8], "16": [16], "8_8": [8, 8], "32": [32], "16_16": [16, 16], "10_10_10_2": [10, 10, 10, 2],
        "2_10_10_10": [2, 10, 10, 10], "8_8_8_8": [8] * 4, "32_32": [32] * 2, "16_16_16_16": [16] * 4,
        "32_32_32": [32] * 3, "32_32_32_32": [32] * 4}
DATA = dict(zip(("8", "16", "8_8", "32", "16_16", "10_10_10_2", "2_10_10_10", "8_8_8_8", "32_32", "16_16_16_16", "32_32_32",
                 "32_32_32_32"), (1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, 14)))
NUMBERS = {"UNORM": 0, "SNORM": 1, "USCALED": 2, "SSCALED": 3, "UINT": 4, "SINT": 5, "FLOAT": 7}


def component(x, bits, number):
    high = (1 << bits) - 1
    if number == "UNORM":
        return F32.encode(Fraction(x, high))
    if number == "SNORM":
        return F32.encode(max(Fraction(signed(x, bits), high >> 1), Fraction(-1)))
    if number == "USCALED":
        return F32.encode(Fraction(x))
    if number == "SSCALED":
        return F32.encode(Fraction(signed(x, bits)))
    if number == "SINT":
        return signed(x, bits) & M32
    if number == "FLOAT":
        return x if bits == 32 else F32.encode(F16.decode(x))
    return x


def components(at, name, number):
    out, bit = [], 0
    raw = p(at, 16)
    for bits in BITS[name]:
        out.append(component(raw >> bit & (1 << bits) - 1, bits, number))
        bit += bits
    return out + [0, 0, 0, 1 if number in ("UINT", "SINT") else 0x3F800000][len(out):]


def quad(words):
    words = list(words) + OLD[len(words):]
    return (words[0] | words[1] << 32, words[2] | words[3] << 32)


for name in BITS:
    for number, code in NUMBERS.items():
        bits = BITS[name]
        if number == "FLOAT" and bits[0] < 16 or bits[0] == 32 and number not in ("UINT", "SINT", "FLOAT"):
            continue
        size = sum(bits) // 8
        lanes(text(*LANE, *resource(16, 40), f"tbuffer_load_format_xyzw v[8:11], v26, s[32:35], 0 format:[BUF_DATA_FORMAT_{name},BUF_NUM_FORMAT_{number}] idxen", VM),
              lambda rows, n=name, t=number: [quad(components(16 * l, n, t)) if l < 40 else quad([0] * 4) for l in range(64)],
              f"tbuffer_load {name} {number}", full=True, nan="pairs")
        # The resource says: components w, z, 1, x.
        word = 7 | 6 << 3 | 1 << 6 | 4 << 9 | code << 12 | DATA[name] << 15
        lanes(text(*LANE, *resource(16, 40, hex(word)), "buffer_load_format_xyz v[8:10], v26, s[32:35], 0 idxen", VM),
              lambda rows, n=name, t=number: [quad([components(16 * l, n, t)[3], components(16 * l, n, t)[2],
                                                    1 if t in ("UINT", "SINT") else 0x3F800000]) if l < 40 else quad([0] * 3)
                                              for l in range(64)], f"buffer_load_format {name} {number}", full=True, nan="pairs")
        if number in ("UINT", "SINT"):
            # Too large a number becomes the largest.
            def stored(row, n=name, t=number):
                values = [row[0] & M32, row[0] >> 32, row[1] & M32, row[1] >> 32]
                raw, bit = row[1] | row[2] << 64, 0
                for x, bits in zip(values, BITS[n]):
                    high = (1 << bits) - 1
                    x = min(x, high) if t == "UINT" else clamp(signed(x, 32), -(high >> 1) - 1, high >> 1) & high
                    raw = raw & ~(high << bit) | x << bit
                    bit += bits
                return (raw & M64, raw >> 64)
            lanes(text(*FILLED, *LANE, *resource(16, MEMORY // 16), f"v_add_u32 v26, {SLOTS // 16}, v26",
                       f"tbuffer_store_format_xyzw v[0:3], v26, s[32:35], 0 format:[BUF_DATA_FORMAT_{name},BUF_NUM_FORMAT_{number}] idxen",
                       VM, LOAD4, VM), lambda rows, f=stored: [f(row) for row in rows], f"tbuffer_store {name} {number}", full=True)
for d16 in ("16_16_16_16", "8_8_8_8"):
    for number in ("UINT", "SINT", "FLOAT", "USCALED"):
        if d16 == "8_8_8_8" and number == "FLOAT" or d16 != "8_8_8_8" and number == "USCALED":
            continue

        def halves16(l, n=d16, t=number):
            xs = [x & M16 if t in ("UINT", "SINT") else F16.encode(F32.decode(x)) for x in components(16 * l, n, t)]
            return quad([xs[0] | xs[1] << 16, xs[2] | xs[3] << 16])
        lanes(text(*LANE, *resource(16, 40), f"tbuffer_load_format_d16_xyzw v[8:9], v26, s[32:35], 0 format:[BUF_DATA_FORMAT_{d16},BUF_NUM_FORMAT_{number}] idxen", VM),
              lambda rows, f=halves16: [f(l) if l < 40 else quad([0, 0]) for l in range(64)], f"d16 {d16} {number}", full=True, nan="packed")

# --- Scalar memory -------------------------------------------------------------------------------


def scalars(name, before, line, words):
    moves = [f"v_mov_b32 v{8 + n}, s{36 + n}" for n in range(4)]
    lanes(text("s_mov_b64 s[36:37], 0", "s_mov_b64 s[38:39], 0", *before, line, LGKM, *moves),
          lambda rows: [(words[0] | words[1] << 32, words[2] | words[3] << 32)] * 64, name, full=True)


for n in (1, 2, 4):
    got = [p(40 + 4 * k) if k < n else 0 for k in range(4)]
    reg = "s36" if n == 1 else f"s[36:{35 + n}]"
    t = "dword" + ("" if n == 1 else f"x{n}")
    scalars(f"s_load_{t}", (), f"s_load_{t} {reg}, s[30:31], 40", got)
    scalars(f"s_load_{t} register", ("s_movk_i32 s20, 40",), f"s_load_{t} {reg}, s[30:31], s20", got)
    scalars(f"s_load_{t} both", ("s_movk_i32 s20, 52",), f"s_load_{t} {reg}, s[30:31], s20 offset:-12", got)
    scalars(f"s_load_{t} unaligned", ("s_movk_i32 s20, 43",), f"s_load_{t} {reg}, s[30:31], s20", got)
    scalars(f"s_buffer_load_{t}", resource(0, 2048), f"s_buffer_load_{t} {reg}, s[32:35], 40", got)
    short = [p(40 + 4 * k) if k < n and 44 + 4 * k <= 48 else 0 for k in range(4)]
    scalars(f"s_buffer_load_{t} across the end", resource(0, 48), f"s_buffer_load_{t} {reg}, s[32:35], 40", short)
    scalars(f"s_buffer_load_{t} stride", resource(16, 3), f"s_buffer_load_{t} {reg}, s[32:35], 40", short)
for n in (8, 16):
    moves = [f"v_mov_b32 v{8 + k}, s{x}" for k, x in enumerate((40, 41, 40 + n - 2, 40 + n - 1))]
    lanes(text(f"s_load_dwordx{n} s[40:{39 + n}], s[30:31], 64", LGKM, *moves),
          lambda rows, n=n: [(p(64, 8), p(64 + 4 * n - 8, 8))] * 64, f"s_load_dwordx{n}", full=True)

# Stores and atomics: what s[36:39] held comes back, and what memory holds is in s[40:43].
WRITE = ("s_mov_b32 s36, 0x11223344", "s_mov_b32 s37, 0x55667788", "s_mov_b32 s38, 0x99aabbcc", "s_mov_b32 s39, 0xddeeff00")
VALUES = (0x11223344, 0x55667788, 0x99AABBCC, 0xDDEEFF00)
ZERO = ("v_mov_b32 v16, 2048", "v_mov_b32 v20, 0", "v_mov_b32 v21, 0", "v_mov_b32 v22, 0", "v_mov_b32 v23, 0",
        "global_store_dwordx4 v16, v[20:23], s[30:31]", VM)
for n in (1, 2, 4):
    reg = "s36" if n == 1 else f"s[36:{35 + n}]"
    t = "dword" + ("" if n == 1 else f"x{n}")
    for name, before, line in ((f"s_store_{t}", (), f"s_store_{t} {reg}, s[30:31], 2048"),
                               (f"s_buffer_store_{t}", resource(0, MEMORY), f"s_buffer_store_{t} {reg}, s[32:35], 2048"),
                               (f"s_buffer_store_{t} cut", resource(0, 2052), f"s_buffer_store_{t} {reg}, s[32:35], 2048"),
                               (f"s_scratch_store_{t}", ("s_movk_i32 s20, 32",), f"s_scratch_store_{t} {reg}, s[30:31], s20")):
        got = [VALUES[k] if k < (1 if "cut" in name else n) else 0 for k in range(4)]
        lanes(text(*ZERO, *WRITE, *before, line, LGKM, "global_load_dwordx4 v[8:11], v16, s[30:31]", VM),
              lambda rows, w=got: [(w[0] | w[1] << 32, w[2] | w[3] << 32)] * 64, name, full=True)
for n in (1, 2, 4):
    got = [p(128 + 4 * k) if k < n else 0 for k in range(4)]
    scalars(f"s_scratch_load x{n}", ("s_movk_i32 s20, 2",), f"s_scratch_load_dword{'' if n == 1 else f'x{n}'} {'s36' if n == 1 else f's[36:{35 + n}]'}, s[30:31], s20", got)
for bits in (32, 64):
    ops, mask = integers(bits)
    suffix = "_x2" if bits == 64 else ""
    for op, f in list(ops.items()) + [("cmpswap", None)]:
        for buffer_ in (False, True):
            old = 0x0FEDCBA987654321 & mask
            d = VALUES[0] | VALUES[1] << 32
            k = VALUES[2] | VALUES[3] << 32
            if op == "cmpswap":
                regs = "s[36:39]" if bits == 64 else "s[36:37]"
                compared = k if bits == 64 else VALUES[1]
                old = compared  # so that it takes place
                new = d & mask
            else:
                regs = "s[36:37]" if bits == 64 else "s36"
                new = f(old, d & mask) & mask
            name = f"s_{'buffer_' if buffer_ else ''}atomic_{op}{suffix}"
            where = "s[32:35]" if buffer_ else "s[30:31]"
            lanes(text(*WRITE, *(resource(0, MEMORY) if buffer_ else ()), "v_mov_b32 v16, 2048", f"v_mov_b32 v20, 0x{old & M32:x}", f"v_mov_b32 v21, 0x{old >> 32:x}",
                       "global_store_dwordx2 v16, v[20:21], s[30:31]", VM, f"{name} {regs}, {where}, 2048 glc", LGKM,
                       "v_mov_b32 v8, s36", "v_mov_b32 v9, s37", "global_load_dwordx2 v[10:11], v16, s[30:31]", VM),
                  lambda rows, o=old, n=new, b=bits: [(o if b == 64 else o | VALUES[1] << 32, n)] * 64, name, full=True)

sys.exit(main(__file__))
