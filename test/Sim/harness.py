"""What the tests of instructions share: operands, cases, the kernel around them, the comparison.

A script fills CASES and ends with main(). One kernel applies every case's instruction to registers v0-v5 (three
operands of 64 bits) and stores what v8-v11, which held other values before, are afterwards.

Registers a case may use: v0-v5 operands; v8-v11 result; v14 the lane times 16; v16-v31 free; s[20:29], s[32:47] and
vcc free (s[24:27] hold lane 0's first two operands); s[30:31] the address of memory of this wavefront's own, MEMORY
bytes large. LDS of the same size is there as well.
"""

import os
import random
import struct
import subprocess
import sys

from reference import *

M16, M32, M64 = 0xFFFF, 0xFFFFFFFF, (1 << 64) - 1
ITEMS = 512
WAVES = ITEMS // 64

SPECIAL = {
    16: [0, 0x8000, 1, 0x8001, 0x3FF, 0x400, 0x3C00, 0xBC00, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E00,
         0x7D01, 0x3800, 0x3555, 0x4248, 0x6400, 0x63FF, 0xFE01, 0x7FFF, 0xFFFF],
    32: [0, 1 << 31, 1, 0x80000001, 0x7FFFFF, 0x800000, 0x3F800000, 0xBF800000, 0x7F7FFFFF, 0xFF7FFFFF,
         0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 0xFFC00123, 0x4F000000, 0x4EFFFFFF, 0xCF000000,
         0x4F800000, 0x3F000000, 0x3FC00000, 0x40200000, 0x4B000001, 0x4B7FFFFF, 0x33800000, 0x33800001,
         0x477FE000, 0x477FF000, 0x387FC000, 0x33000000, 0x3F7FFFFF, M32, 0x7FFFFFFF, 0xFF, 0x80, 31, 32],
    64: [0, 1 << 63, 1, (1 << 63) + 1, 0xFFFFFFFFFFFFF, 1 << 52, 0x3FF0000000000000, 0xBFF0000000000000,
         0x7FEFFFFFFFFFFFFF, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0x7FF0000000000001,
         0x41DFFFFFFFC00000, 0x41E0000000000000, 0xC1E0000000000000, 0x41EFFFFFFFE00000, 0x4330000000000001,
         0x3FE0000000000000, 0x3FF8000000000000, 0x47EFFFFFE0000000, 0x47EFFFFFF0000000, 0x36A0000000000000,
         M64, 63, 64],
}


def operands(seed):
    r = random.Random(seed)
    table = []
    for n in range(ITEMS):
        row = []
        for _ in range(3):
            x = r.getrandbits(64)
            group = n * 4 // ITEMS
            if group and r.random() < 0.8:
                bits = (32, 64, 16)[group - 1]
                x = 0
                for at in range(0, 64, bits):
                    part = r.choice(SPECIAL[bits])
                    if r.random() < 0.2:  # close to another: same exponent, other mantissa
                        part = (part + r.randrange(-4, 5)) & ((1 << bits) - 1)
                    x |= part << at
            row.append(x)
        # Some pairs equal, some differing in the sign alone.
        if r.random() < 0.1:
            row[1] = row[0]
        elif r.random() < 0.05:
            row[1] = row[0] ^ (0x8000800080008000 | 1 << 63)
        table.append(row)
    return table


OLD = [0xA5A51234, 0x5A5A4321, 0x13579BDF, 0x2468ACE0]


class Case:
    """text: the instruction; run(a, b, c) gives the result: v8, v[8:9] with dwords=2, or with full=True all of
    v[8:11] as two numbers. nan: any NaN of this format is as good as another. mask: the result is s[20:21]."""

    scalar = False

    def __init__(self, name, text, run, dwords=1, nan=None, mask=False, full=False):
        self.name, self.text, self.run = name, text, run
        self.dwords, self.nan, self.mask, self.full = dwords, nan, mask, full


CASES = []


def case(name, text, run, **kw):
    CASES.append(Case(name, text, run, **kw))



class LaneCase(Case):
    """run gets all 64 rows of a wavefront and gives 64 results."""


def lanes(text, f, name=None, **kw):
    CASES.append(LaneCase(name or text, text, f, **kw))


def scalar(text, f):
    """Operands in s[24:25], s[26:27] (lane 0's a and b); the result in s20 or s[20:21]; SCC in s28."""

    def run(rows):
        a, b, _ = rows[0]
        value, scc = f(a, b)
        return [(value & M64, int(bool(scc)))] * 64

    c = LaneCase(text, text, run)
    c.scalar = True
    CASES.append(c)


# --- Running -------------------------------------------------------------------------------------

MEMORY = 4096  # bytes; a wavefront's lanes have their slots of 16 bytes from SLOTS on
SLOTS = 2048


def pattern(at, bytes=4):
    """What lies in memory below SLOTS, as a number."""
    return sum(((at + n) * 37 + ((at + n) >> 6) * 11 + 5 & 255) << 8 * n for n in range(bytes))


HEADER = """
.amdgcn_target "amdgcn-amd-amdhsa--@PROCESSOR@"
.text
.globl test
.p2align 8
.type test,@function
test:
  s_load_dwordx4 s[4:7], s[0:1], 0
  s_load_dwordx2 s[30:31], s[0:1], 16
  v_lshlrev_b32_e32 v12, 5, v0
  v_lshlrev_b32_e32 v13, 4, v0
  v_add_u32_e32 v14, 2048, v13
  s_waitcnt lgkmcnt(0)
  s_lshl_b32 s8, s2, 11
  s_add_u32 s4, s4, s8
  s_addc_u32 s5, s5, 0
  s_lshl_b32 s8, s2, 10
  s_add_u32 s6, s6, s8
  s_addc_u32 s7, s7, 0
  s_lshl_b32 s8, s2, 12
  s_add_u32 s30, s30, s8
  s_addc_u32 s31, s31, 0
  global_load_dwordx4 v[0:3], v12, s[4:5]
  global_load_dwordx4 v[4:7], v12, s[4:5] offset:16
  s_waitcnt vmcnt(0)
  v_readfirstlane_b32 s24, v0
  v_readfirstlane_b32 s25, v1
  v_readfirstlane_b32 s26, v2
  v_readfirstlane_b32 s27, v3
"""
FOOTER = """
  s_endpgm
.Lend:
.size test, .Lend-test
.rodata
.p2align 6
.amdhsa_kernel test
  .amdhsa_next_free_vgpr 40
  .amdhsa_next_free_sgpr 64
  .amdhsa_accum_offset 32
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_kernarg_size 24
  .amdhsa_group_segment_fixed_size 4096
  .amdhsa_float_denorm_mode_32 3
.end_amdhsa_kernel
"""


def assembly(cases, processor, items):
    text = [HEADER.replace("@PROCESSOR@", processor)]
    for c in cases:
        text += [f"  v_mov_b32_e32 v{8 + n}, 0x{x:x}" for n, x in enumerate(OLD)]
        text += ["  s_mov_b64 s[20:21], 0", "  s_mov_b64 vcc, 0", "  s_cmp_eq_u32 0, 1"]
        text.append("  " + c.text)
        if c.scalar:
            text += ["  s_cselect_b32 s28, 1, 0", "  v_mov_b32_e32 v8, s20", "  v_mov_b32_e32 v9, s21",
                     "  v_mov_b32_e32 v10, s28"]
        elif c.mask:
            text += ["  v_mov_b32_e32 v8, s20", "  v_mov_b32_e32 v9, s21"]
        text += ["  global_store_dwordx4 v13, v[8:11], s[6:7]",
                 f"  s_add_u32 s6, s6, {items * 16}", "  s_addc_u32 s7, s7, 0"]
    return "\n".join(text) + FOOTER


def same(nan, got, want):
    if got == want:
        return True
    if isinstance(want, tuple):
        return all(same(nan, g, w) for g, w in zip(got, want))
    if nan in ("packed", "packed bf16", "pairs"):
        fmt = {"packed": F16, "packed bf16": BF16, "pairs": F32}[nan]
        mask = (1 << fmt.bits) - 1
        return all(got >> s & mask == want >> s & mask or (fmt.isnan(got >> s & mask) and fmt.isnan(want >> s & mask))
                   for s in range(0, 64, fmt.bits))
    if nan:
        mask = (1 << nan.bits) - 1
        return got & ~mask == want & ~mask and nan.isnan(got & mask) and nan.isnan(want & mask)
    return False


def main(script, table=None, processor="gfx942"):
    clang, sim, folder = sys.argv[1:4]
    names = sys.argv[4:]
    cases = [c for c in CASES if not names or any(n in c.name for n in names)]
    table = table or operands(1)
    items = len(table)
    waves = items // 64
    stem = folder + "/" + os.path.basename(script)
    with open(stem + ".s", "w") as f:
        f.write(assembly(cases, processor, items))
    subprocess.run([clang, "-x", "assembler", "-target", "amdgcn-amd-amdhsa", f"-mcpu={processor}", stem + ".s", "-o",
                    stem + ".co"], check=True)
    with open(stem + ".in", "wb") as f:
        for row in table:
            f.write(struct.pack("<4Q", *row, 0))
    with open(stem + ".mem", "wb") as f:
        f.write(bytes(pattern(n, 1) for n in range(MEMORY)) * waves)
    subprocess.run(sim.split() + [stem + ".co", "test", f"--grid={waves}", "--block=64", "--waits", "--strict",
                    f"--buf=u64:{4 * items}:file={stem}.in", f"--buf=u64:{2 * items * len(cases)}:none",
                    f"--buf=u8:{MEMORY * waves}:file={stem}.mem", f"--dump=1:{stem}.out", f"--arch={processor}"],
                   check=True)
    data = open(stem + ".out", "rb").read()
    failed = 0
    for n, c in enumerate(cases):
        rows = struct.unpack_from(f"<{2 * items}Q", data, n * items * 16)
        wrong = []
        for w in range(waves):
            part = table[64 * w: 64 * w + 64]
            if isinstance(c, LaneCase):
                want = c.run(part)
            elif c.mask:
                want = [sum(int(bool(c.run(*row))) << l for l, row in enumerate(part))] * 64
            else:
                want = [c.run(*row) for row in part]
            for l in range(64):
                low, high = rows[2 * (64 * w + l): 2 * (64 * w + l) + 2]
                if c.scalar:
                    got = (low, high & M32)
                elif c.full:
                    got = (low, high)
                else:
                    got = low if c.dwords == 2 or c.mask else low & M32
                if not same(c.nan, got, want[l]):
                    wrong.append((l, part[l], got, want[l]))
        if wrong:
            failed += 1
            print(f"{c.name}: {len(wrong)} of {items} differ")
            for l, row, got, want in wrong[:3]:
                show = lambda x: "/".join(f"{v:x}" for v in x) if isinstance(x, tuple) else f"{x:x}"
                print(f"  lane {l} operands", " ".join(f"{x:016x}" for x in row), "got", show(got), "want", show(want))
    print(f"{len(cases)} instructions, {failed} wrong")
    return 1 if failed else 0
