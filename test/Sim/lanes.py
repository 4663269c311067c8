#!/usr/bin/env python3
"""Between lanes and parts of lanes: every DPP control, SDWA selection and way to index registers.

usage: lanes.py CLANG HK-SIM-RUN FOLDER [NAME...]
"""

import sys

from harness import *
from reference import *

# --- DPP -----------------------------------------------------------------------------------------

CONTROLS = {f"quad_perm:[{a},{b},{c},{d}]": (lambda l, q=(a, b, c, d): (l & ~3) + q[l & 3])
            for a, b, c, d in ((0, 1, 2, 3), (3, 2, 1, 0), (1, 1, 3, 0), (2, 0, 0, 2))}
for n in range(1, 16):
    CONTROLS[f"row_shl:{n}"] = lambda l, n=n: l + n if l % 16 + n < 16 else None
    CONTROLS[f"row_shr:{n}"] = lambda l, n=n: l - n if l % 16 >= n else None
    CONTROLS[f"row_ror:{n}"] = lambda l, n=n: (l & ~15) + (l - n) % 16
for n in range(16):
    CONTROLS[f"row_newbcast:{n}"] = lambda l, n=n: (l & ~15) + n
CONTROLS["wave_shl:1"] = lambda l: l + 1 if l < 63 else None
CONTROLS["wave_shr:1"] = lambda l: l - 1 if l else None
CONTROLS["wave_rol:1"] = lambda l: (l + 1) % 64
CONTROLS["wave_ror:1"] = lambda l: (l - 1) % 64
CONTROLS["row_mirror"] = lambda l: l ^ 15
CONTROLS["row_half_mirror"] = lambda l: l ^ 7
CONTROLS["row_bcast:15"] = lambda l: (l & ~15) - 1 if l >= 16 else None
CONTROLS["row_bcast:31"] = lambda l: 31 if l >= 32 else None


def dpp(ctrl, rows, banks, bound, exec_mask):
    """v_sub_u32_dpp v8, v0 (moved), v2."""
    source = CONTROLS[ctrl]

    def run(table):
        out = []
        for l in range(64):
            s = source(l)
            if s is not None and not exec_mask >> s & 1:
                s = None
            written = exec_mask >> l & 1 and rows >> l // 16 & 1 and banks >> l // 4 % 4 & 1 and (s is not None or bound)
            x = table[s][0] if s is not None else 0
            out.append(x - table[l][1] & M32 if written else OLD[0])
        return out

    text = f"v_sub_u32_dpp v8, v0, v2 {ctrl} row_mask:0x{rows:x} bank_mask:0x{banks:x}{' bound_ctrl:0' if bound else ''}"
    lanes(f"s_mov_b64 s[22:23], exec\n  s_mov_b32 exec_lo, 0x{exec_mask & M32:x}\n  s_mov_b32 exec_hi, 0x{exec_mask >> 32:x}\n"
          f"  s_nop 4\n  {text}\n  s_mov_b64 exec, s[22:23]", run, f"{text} exec {exec_mask:x}")


r = random.Random(7)
for ctrl in CONTROLS:
    for bound in (False, True):
        dpp(ctrl, 15, 15, bound, M64)
        dpp(ctrl, r.randrange(16), r.randrange(16), bound, r.getrandbits(64))

# Sixteen bits, floating point with modifiers, comparison-free carries, and the 64-bit move.
lanes("v_add_f16_dpp v8, -v0, |v2| row_ror:3 row_mask:0xf bank_mask:0xf",
      lambda t: [F16.encode(add(neg(F16.decode(t[(l & ~15) + (l - 3) % 16][0] & M16)),
                                F16.decode(t[l][1] & 0x7FFF))) for l in range(64)], nan=F16)
lanes("v_mov_b64_dpp v[8:9], v[0:1] row_newbcast:6 row_mask:0xf bank_mask:0xf",
      lambda t: [t[(l & ~15) + 6][0] for l in range(64)], dwords=2)
lanes("v_ldexp_f32 v8, 1.0, 0\n  v_max_u32_dpp v8, v0, v2 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf",
      lambda t: [max(t[l ^ 1][0] & M32, t[l][1] & M32) for l in range(64)])

# --- SDWA ----------------------------------------------------------------------------------------

SELECT = {"BYTE_0": (0, 8), "BYTE_1": (8, 8), "BYTE_2": (16, 8), "BYTE_3": (24, 8), "WORD_0": (0, 16),
          "WORD_1": (16, 16), "DWORD": (0, 32)}
UNUSED = ("UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE")


def part(x, sel, sext=False):
    at, bits = SELECT[sel]
    x = x >> at & ((1 << bits) - 1)
    return signed(x, bits) if sext else x


def into(x, sel, unused, old):
    at, bits = SELECT[sel]
    mask = (1 << bits) - 1
    x &= mask
    if unused == "UNUSED_PRESERVE":
        return old & ~(mask << at) & M32 | x << at
    if unused == "UNUSED_SEXT":
        return signed(x, bits) << at & M32
    return x << at


def sdwa(op, f, dst, unused, a_sel, b_sel, a_sext=False, b_sext=False):
    text = (f"{op}_sdwa v8, {'sext(v0)' if a_sext else 'v0'}, {'sext(v2)' if b_sext else 'v2'} dst_sel:{dst} "
            f"dst_unused:{unused} src0_sel:{a_sel} src1_sel:{b_sel}")
    case(text, text, lambda a, b, c: into(f(part(a, a_sel, a_sext), part(b, b_sel, b_sext)), dst, unused, OLD[0]))


for dst in SELECT:
    for unused in UNUSED:
        sdwa("v_add_u32", lambda x, y: x + y & M32, dst, unused, r.choice(list(SELECT)), r.choice(list(SELECT)))
for a_sel in SELECT:
    for b_sel in SELECT:
        sdwa("v_xor_b32", lambda x, y: (x ^ y) & M32, "DWORD", "UNUSED_PAD", a_sel, b_sel, r.random() < .5, r.random() < .5)
    sdwa("v_max_i32", lambda x, y: max(signed(x, 32), signed(y, 32)), "DWORD", "UNUSED_PAD", a_sel, a_sel, True, True)
    sdwa("v_lshrrev_b32", lambda x, y: (y & M32) >> (x & 31), "WORD_1", "UNUSED_PRESERVE", a_sel, "DWORD")


def sdwa_float(text, f, fmt, dst="DWORD", unused="UNUSED_PAD"):
    case(text, text, lambda a, b, c: into(fmt.encode(f(a, b)), dst, unused, OLD[0]), nan=fmt if dst != "WORD_1" else "packed")


h = lambda x, at: F16.decode(x >> at & M16)
s = lambda x: F32.decode(x & M32)
mag = lambda v: neg(v) if v != NAN and negative(v) else v
sdwa_float("v_add_f32_sdwa v8, -v0, |v2| dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD",
           lambda a, b: add(neg(s(a)), mag(s(b))), F32)
for dst in ("WORD_0", "WORD_1"):
    for unused in UNUSED[:1] + UNUSED[2:]:
        for a_sel, at in (("WORD_0", 0), ("WORD_1", 16)):
            sdwa_float(f"v_mul_f16_sdwa v8, -v0, v2 dst_sel:{dst} dst_unused:{unused} src0_sel:{a_sel} src1_sel:WORD_1",
                       lambda a, b, at=at: mul(neg(h(a, at)), h(b, 16)), F16, dst, unused)
sdwa_float("v_add_f16_sdwa v8, |v0|, -|v2| dst_sel:WORD_0 dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:WORD_0",
           lambda a, b: add(mag(h(a, 16)), neg(mag(h(b, 0)))), F16, "WORD_0")
case("sdwa scalar source", "v_readfirstlane_b32 s20, v0\n  s_mov_b32 s20, 0x8765fedc\n"
     "  v_add_u32_sdwa v8, sext(s20), v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_1 src1_sel:WORD_1",
     lambda a, b, c: signed(0xFE, 8) + (b >> 16 & M16) & M32)
for op, f in (("lt_i32", lambda x, y: signed(x, 32) < signed(y, 32)), ("gt_u32", lambda x, y: (x & M32) > (y & M32)),
              ("eq_u32", lambda x, y: (x - y) & M32 == 0)):
    for a_sel, b_sel, sext in (("BYTE_3", "BYTE_0", True), ("WORD_1", "DWORD", False), ("BYTE_2", "WORD_0", False)):
        text = f"v_cmp_{op}_sdwa s[20:21], {'sext(v0)' if sext else 'v0'}, v2 src0_sel:{a_sel} src1_sel:{b_sel}"
        case(text, text, lambda a, b, c, f=f, p=a_sel, q=b_sel, e=sext: f(part(a, p, e), part(b, q)), mask=True)
        case("vcc " + text, text.replace("s[20:21]", "vcc") + "\n  s_mov_b64 s[20:21], vcc",
             lambda a, b, c, f=f, p=a_sel, q=b_sel, e=sext: f(part(a, p, e), part(b, q)), mask=True)

# --- Lanes by number -----------------------------------------------------------------------------

for lane in (0, 31, 32, 63):
    lanes(f"v_readlane_b32 s20, v0, {lane}\n  v_mov_b32 v8, s20", lambda t, l=lane: [t[l][0] & M32] * 64)
lanes("v_readlane_b32 s20, v0, s26\n  v_mov_b32 v8, s20", lambda t: [t[t[0][1] & 63][0] & M32] * 64, "readlane by register")
lanes("s_mov_b32 m0, 45\n  s_nop 4\n  v_readlane_b32 s20, v2, m0\n  v_mov_b32 v8, s20", lambda t: [t[45][1] & M32] * 64)
lanes("s_mov_b32 m0, s26\n  s_nop 4\n  v_writelane_b32 v8, s24, m0", lambda t: [t[0][0] & M32 if l == t[0][1] & 63 else OLD[0] for l in range(64)],
      "writelane by register")
lanes("v_writelane_b32 v8, 17, 63", lambda t: [17 if l == 63 else OLD[0] for l in range(64)])
# Written whether or not the lane runs; the first lane is the first that runs, or lane 0.
PART = "s_mov_b64 s[22:23], exec\n  s_mov_b64 exec, {}\n  {}\n  s_mov_b64 exec, s[22:23]"
lanes(PART.format(2, "v_writelane_b32 v8, s24, 40"), lambda t: [t[0][0] & M32 if l == 40 else OLD[0] for l in range(64)],
      "writelane to an inactive lane")
lanes(PART.format("0xf0", "v_readfirstlane_b32 s20, v0") + "\n  v_mov_b32 v8, s20", lambda t: [t[4][0] & M32] * 64,
      "readfirstlane of lane 4")
lanes(PART.format(0, "v_readfirstlane_b32 s20, v0") + "\n  v_mov_b32 v8, s20", lambda t: [t[0][0] & M32] * 64,
      "readfirstlane of no lane")
lanes("v_mov_b32 v16, v0\n  " + PART.format("0xff00ff", "v_swap_b32 v8, v16") + "\n  v_mov_b32 v9, v16",
      lambda t: [(t[l][0] & M32 if 0xff00ff >> l & 1 else OLD[0]) | (OLD[0] if 0xff00ff >> l & 1 else t[l][0] & M32) << 32
                 for l in range(64)], "v_swap_b32", dwords=2)

# --- Indexed registers ---------------------------------------------------------------------------

FILL = "\n  ".join(f"v_add_u32 v{16 + n}, {n}, v0" for n in range(8)) + "\n  "
for index in range(8):
    case(f"gpr_idx source {index}", FILL + f"s_mov_b32 s20, {index}\n  s_set_gpr_idx_on s20, gpr_idx(SRC0)\n"
         "  v_mov_b32 v8, v16\n  s_set_gpr_idx_off", lambda a, b, c, n=index: a + n & M32)
    case(f"gpr_idx destination {index}", FILL + f"s_mov_b32 s20, {index}\n  s_set_gpr_idx_on s20, gpr_idx(DST)\n"
         f"  v_mov_b32 v16, v2\n  s_set_gpr_idx_off\n  v_mov_b32 v8, v{16 + index}\n  v_mov_b32 v9, v{16 + (index + 1) % 8}",
         lambda a, b, c, n=index: b & M32 | ((a + (n + 1) % 8) & M32) << 32, dwords=2)
case("gpr_idx src1 and src2", FILL + "s_mov_b32 s20, 2\n  s_set_gpr_idx_on s20, gpr_idx(SRC1,SRC2)\n"
     "  v_add3_u32 v8, v16, v17, v18\n  s_set_gpr_idx_off", lambda a, b, c: 3 * a + 0 + 3 + 4 & M32)
case("gpr_idx changed", FILL + "s_mov_b32 s20, 1\n  s_set_gpr_idx_on s20, gpr_idx(SRC0)\n  s_set_gpr_idx_idx 5\n"
     "  v_mov_b32 v8, v16\n  s_set_gpr_idx_mode gpr_idx(SRC1)\n  v_add_u32 v9, v0, v16\n  s_set_gpr_idx_off",
     lambda a, b, c: a + 5 & M32 | (2 * a + 5 & M32) << 32, dwords=2)

sys.exit(main(__file__))
