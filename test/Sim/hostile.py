"""Code objects with one field that lies: hostile.py HK-SIM-RUN GOOD-CODE-OBJECT SCRATCH

Each has to give its own error, or run, and never a crash. The good one has a kernel "k" with metadata.
"""

import struct
import subprocess
import sys

sim, good, scratch = sys.argv[1:]
DATA = open(good, "rb").read()
PHOFF, SHOFF = struct.unpack_from("<QQ", DATA, 32)
PHNUM, SHNUM = struct.unpack_from("<H", DATA, 56)[0], struct.unpack_from("<H", DATA, 60)[0]
PT_LOAD, PT_NOTE, PF_X = 1, 4, 1


def segment(kind, flags=0):
    """The file offset of the first program header like that."""
    for n in range(PHNUM):
        at = PHOFF + 56 * n
        if struct.unpack_from("<I", DATA, at)[0] == kind and struct.unpack_from("<I", DATA, at + 4)[0] & flags == flags:
            return at
    raise SystemExit("no such segment")


def section(kind):
    for n in range(SHNUM):
        at = SHOFF + 64 * n
        if struct.unpack_from("<I", DATA, at + 4)[0] == kind:
            return at
    raise SystemExit("no such section")


def put(at, form, *values):
    out = bytearray(DATA)
    struct.pack_into("<" + form, out, at, *values)
    return bytes(out)


def symbol(name):
    """The place of a symbol in .dynsym, and of what it names in the file."""
    table, strings = section(11), section(3)
    offset, size = struct.unpack_from("<QQ", DATA, table + 24)
    names, = struct.unpack_from("<Q", DATA, strings + 24)
    for at in range(offset, offset + size, 24):
        start = names + struct.unpack_from("<I", DATA, at)[0]
        if DATA[start:DATA.index(b"\0", start)] == name:
            value, = struct.unpack_from("<Q", DATA, at + 8)
            for n in range(PHNUM):
                kind, _, where, address, _, length = struct.unpack_from("<IIQQQQ", DATA, PHOFF + 56 * n)
                if kind == PT_LOAD and address <= value < address + length:
                    return at, where + value - address
    raise SystemExit("no such symbol")


def metadata(blob):
    """The note's descriptor replaced: what is left of it is filled with nil."""
    header = segment(PT_NOTE)
    at, = struct.unpack_from("<Q", DATA, header + 8)
    names, size = struct.unpack_from("<II", DATA, at)
    start = at + 12 + (names + 3 & ~3)
    assert len(blob) <= size
    return DATA[:start] + blob + b"\xc0" * (size - len(blob)) + DATA[start + size:]


load, code, note = segment(PT_LOAD), segment(PT_LOAD, PF_X), segment(PT_NOTE)
kd_symbol, kd = symbol(b"k.kd")
ANY = object()  # runs or not, as long as it ends
LARGE, HUGE = 1 << 40, (1 << 64) - 1
NOTE_AT = struct.unpack_from("<Q", DATA, note + 8)[0]
BUNDLE, ID = b"__CLANG_OFFLOAD_BUNDLE__", b"hipv4-amdgcn-amd-amdhsa--gfx942"


def bundle(count=1, offset=0, size=0, length=len(ID)):
    return BUNDLE + struct.pack("<4Q", count, offset, size, length) + ID


def compressed(unpacked, size=None, version=2, method=1):
    body = b"\x28\xb5\x2f\xfd" + bytes(20)
    head = b"CCOB" + struct.pack("<HH", version, method)
    size = len(head) + 4 + 4 + 8 + len(body) if size is None else size
    return head + struct.pack("<II", size, unpacked) + bytes(8) + body


CASES = [
    ("good", DATA, None),
    ("empty", b"", "neither a code object"),
    ("a segment of 2^64 bytes", put(code + 40, "Q", HUGE), "a segment is larger than 4 GiB"),
    ("a segment at 2^40", put(code + 16, "Q", LARGE), "a segment is larger than 4 GiB"),
    ("more of the file than there is", put(code + 32, "QQ", LARGE, LARGE), "larger than 4 GiB"),
    ("a segment outside the file", put(code + 8, "Q", LARGE), "a segment is not inside the file"),
    ("file larger than memory", put(code + 40, "Q", 4), "a segment is not inside the file"),
    ("segments that overlap", put(code + 16, "Q", struct.unpack_from("<Q", DATA, load + 16)[0]), "segments overlap"),
    ("4 GiB of code", put(code + 40, "Q", (4 << 30) - 4096), "segments overlap"),
    ("no program headers", put(56, "H", 0), "no segment to load"),
    ("65535 program headers", put(56, "H", 65535), "no segment to load"),
    ("sections outside", put(40, "Q", LARGE), ""),
    ("65535 sections", put(60, "H", 65535), ""),
    ("a note of 2^32 bytes", put(NOTE_AT + 4, "I", 0xFFFFFFFF), "ELF note overflows container"),
    ("a note's name of 2^32 bytes", put(NOTE_AT, "I", 0xFFFFFFFF), "ELF note overflows container"),
    ("notes outside", put(note + 8, "Q", LARGE), ""),
    ("notes of another alignment", put(note + 48, "Q", 3), "alignment (3) is not 4 or 8"),
    ("metadata of nothing", metadata(b"\x81"), ANY),
    ("metadata with 2^32 entries", metadata(b"\xdf\xff\xff\xff\xff"), "metadata cannot be read"),
    ("metadata with an array of 2^32", metadata(b"\x81\xa1a\xdd\xff\xff\xff\xff"), "metadata cannot be read"),
    ("metadata that is a list", metadata(b"\x90"), "metadata is not a map"),
    ("metadata with lists for keys", metadata(b"\x82\x91\xc0\xc0\x92\xc0\xc0\xc0"), ANY),
    ("metadata nested", metadata(b"\x91" * 200), "metadata is not a map"),
    ("maps nested", metadata(b"\x81\xa0" * 100), ANY),
    ("LDS of 4 GiB", put(kd, "I", 0xFFFFFFFF), "asks for impossible amounts of memory"),
    ("stack of 4 GiB", put(kd + 4, "I", 0xFFFFFFF0), "asks for impossible amounts of memory"),
    ("arguments of 4 GiB", put(kd + 8, "I", 0xFFFFFFF0), "asks for impossible amounts of memory"),
    ("an entry outside", put(kd + 16, "q", 1 << 40), "does not start in code"),
    ("an entry before", put(kd + 16, "q", -(1 << 62)), "does not start in code"),
    ("an entry in data", put(kd + 16, "q", 0), "does not start in code"),
    ("an entry between instructions", put(kd + 16, "q", struct.unpack_from("<q", DATA, kd + 16)[0] + 2),
     "does not start in code"),
    ("a descriptor outside", put(kd_symbol + 8, "Q", LARGE), "no kernel"),
    ("a descriptor at the end of a segment", put(kd_symbol + 8, "Q", struct.unpack_from("<Q", DATA, code + 16)[0] - 8),
     ""),
    ("a symbol's name outside", put(kd_symbol, "I", 0xFFFFFFFF), ""),
    ("all user registers", put(kd + 56, "H", 0xFFFF), ANY),
    ("preloaded arguments", put(kd + 58, "H", 0xFFFF), None),
    ("a bundle of 2^64 entries", bundle(HUGE, LARGE), "the offload bundle is truncated"),
    ("a bundle's entry outside", bundle(1, LARGE, 16), "the offload bundle is truncated"),
    ("a bundle's entry of 2^64 bytes", bundle(1, 0, HUGE), "the offload bundle is truncated"),
    ("a bundle's name of 2^64 bytes", bundle(1, 0, 16, HUGE), "the offload bundle is truncated"),
    ("a bundle in itself", bundle(1, 0, 64), "invalid code object: not an ELF file"),
    ("no bundle for this processor", bundle(1, 0, 16, 8), "the offload bundle has nothing for gfx942"),
    ("compressed, cut off", b"CCOB\2", ""),
    ("compressed, 4 GiB", compressed(0xFFFFFFFF), ""),
    ("compressed, of 2^32 bytes", compressed(64, 0xFFFFFFFF), ""),
    ("compressed, version 9", compressed(64, version=9), ""),
    ("compressed by nobody", compressed(64, method=9), ""),
    ("compressed, 2^62", b"CCOB" + struct.pack("<HHQQQ", 3, 1, 64, 1 << 62, 0) + bytes(40),
     "more than there can be"),
]

failed = 0
for name, data, want in CASES:
    with open(scratch, "wb") as f:
        f.write(data)
    p = subprocess.run([sim, scratch, "k", "--block=64", "--buf=u32:64"], capture_output=True, text=True, timeout=60)
    if want is ANY:
        fine = p.returncode in (0, 1, 2)
    elif want is None:
        fine = p.returncode == 0
    else:
        fine = p.returncode in (1, 2) and want in p.stderr and "hk-sim-run:" in p.stderr
    if not fine:
        failed += 1
        print(f"{name}: exit code {p.returncode}, expected {want!r}: {p.stderr.strip()[-2000:]}")
print(f"{len(CASES)} files, {failed} wrong")
sys.exit(1 if failed else 0)
