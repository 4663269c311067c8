"""Every opcode of every encoding of GFX9, as instruction words with harmless operands.

The opcode's field is run through all its values; which of them are instructions, the disassembler says.
Where an operand must be of a certain kind or alignment, several forms of the same opcode are given.
"""


def words():
    """{encoding: [(word, ...), ...]}"""
    forms = {}

    def add(encoding, count, make):
        forms[encoding] = [form for op in range(count) for form in make(op)]

    v = lambda n: 256 + n
    # Scalar registers: s[20:21] to s[24:25] and s[28:29], which begin at multiples of four as well.
    add("sop2", 128, lambda op: [(0x80000000 | op << 23 | 20 << 16 | 28 << 8 | 24,)])
    add("sopk", 32, lambda op: [(0xB0000000 | op << 23 | 20 << 16 | 4, 0)])
    add("sop1", 256, lambda op: [(0xBE800000 | 20 << 16 | op << 8 | 24,)])
    add("sopc", 128, lambda op: [(0xBF000000 | op << 16 | 28 << 8 | 24,)])
    add("sopp", 128, lambda op: [(0xBF800000 | op << 16,)])
    add("smem", 256, lambda op: [(0xC0000000 | op << 18 | 1 << 17 | 20 << 6 | 4 // 2, 0)])
    add("vop2", 64, lambda op: [(op << 25 | 8 << 17 | 2 << 9 | v(4), 0)])
    add("vop1", 256, lambda op: [(0x7E000000 | 8 << 17 | op << 9 | v(4),),
                                 (0x7E000000 | 20 << 17 | op << 9 | v(4),)])
    add("vopc", 256, lambda op: [(0x7C000000 | op << 17 | 2 << 9 | v(4),)])
    add("vop3", 0x380, lambda op: [(0xD0000000 | op << 16 | d, v(a) | v(b) << 9 | v(c) << 18)
                                  for d, a, b, c in ((8, 4, 2, 6), (20, 4, 2, 6))]
        + [(0xD0000000 | op << 16 | 8, v(4) | 20 << 9 | v(6) << 18),
           (0xD0000000 | op << 16 | 20, v(4) | v(2) << 9 | 24 << 18),
           (0xD0000000 | op << 16 | 20, 24 | 28 << 9 | v(6) << 18)])
    add("vop3p", 128, lambda op: [(0xD3800000 | op << 16 | 8, v(a) | v(b) << 9 | v(c) << 18 | high << 27)
                                  for a, b, c in ((32, 48, 8), (32, 48, 2))
                                  for high in (0, 3)])
    # Matrix instructions with scales are two of these in a row.
    add("vop3px", 128, lambda op: [(0xD3AC0000, v(2) | v(4) << 9, 0xD3800000 | op << 16 | 8, v(32) | v(48) << 9 | v(8) << 18)])
    add("ds", 256, lambda op: [(0xD8000000 | op << 17, 2 | 4 << 8 | 6 << 16 | 8 << 24),
                               (0xD8000000 | op << 17, 2 | 8 << 24),
                               (0xD8000000 | op << 17 | 1 << 16, 2 | 4 << 8 | 6 << 16 | 8 << 24)])
    for segment, name in ((0, "flat"), (1, "scratch"), (2, "global")):
        add(name, 128, lambda op: [(0xDC000000 | op << 18 | segment << 14, 2 | 4 << 8 | 0x7F << 16 | 8 << 24),
                                   (0xDC000000 | op << 18 | segment << 14 | 1 << 13,
                                    2 | 4 << 8 | 0x7F << 16 | 8 << 24)])
    add("mubuf", 128, lambda op: [(0xE0000000 | op << 18 | lds << 16, 2 << 16 | 4 << 8 | 128 << 24)
                                  for lds in (0, 1)])
    add("mtbuf", 16, lambda op: [(0xE8000000 | op << 15 | 4 << 23 | 4 << 19, 2 << 16 | 4 << 8 | 128 << 24)])
    add("mimg", 128, lambda op: [(0xF0000000 | op << 18 | 1 << 8, 2 << 16 | 4 << 8)])
    return forms
