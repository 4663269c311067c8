#!/usr/bin/env python3
"""Starting inputs for the fuzzers, from this project's own test kernels.

usage: seeds.py CLANG OUTPUT

OUTPUT/load gets code objects, fat binaries (plain and compressed) and short files; OUTPUT/execute gets
pieces of code with the option bytes that hk-sim-fuzz-execute expects, and each opcode of each encoding once.
"""

import pathlib
import random
import struct
import subprocess
import sys

clang, out = sys.argv[1], pathlib.Path(sys.argv[2])
root = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "test/Sim"))
from opcodes import words  # noqa: E402

KERNEL = """
.text
.globl k
.p2align 8
.type k,@function
k:
  s_endpgm
"""
BARE = ["-x", "hip", "--offload-device-only", "-nogpuinc", "-nogpulib", "-O2", "-c"]


def compile(source, image, options):
    return subprocess.run([clang, *options, str(source), "-o", str(image)], capture_output=True).returncode == 0


def text_of(path):
    """The bytes of .text."""
    data = path.read_bytes()
    at, = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<3H", data, 58)
    sections = [struct.unpack_from("<IIQQQQ", data, at + n * size) for n in range(count)]
    for name, _, flags, _, offset, length in sections:
        start = sections[names][4] + name
        if data[start:data.index(b"\0", start)] == b".text":
            return data[offset:offset + length]
    return b""


def main():
    load, execute = out / "load", out / "execute"
    for folder in (load, execute):
        folder.mkdir(parents=True, exist_ok=True)
    images = []
    for source in sorted((root / "test/Sim").glob("*.hip")):
        for arch in ("gfx942", "gfx90a"):
            for debug in ((), ("-gline-tables-only",)):
                image = load / f"{source.stem}-{arch}{'-g' if debug else ''}"
                if compile(source, image, [*BARE, f"--offload-arch={arch}", "--no-gpu-bundle-output", *debug]):
                    images.append(image)
        for name, options in (("fat", ()), ("compressed", ("--offload-compress",))):
            image = load / f"{source.stem}-{name}"
            compile(source, image, [*BARE, "--offload-arch=gfx942", "--offload-arch=gfx90a",
                                    "--gpu-bundle-output", *options])
    small = out / "k.s"
    small.write_text(KERNEL)
    for arch in ("gfx942", "gfx1100"):
        compile(small, load / f"small-{arch}", ["-x", "assembler", "-target", "amdgcn-amd-amdhsa", f"-mcpu={arch}"])
    (load / "text").write_bytes(b"hello")

    random.seed(1)

    def put(name, arch, code):
        head = bytearray(random.randrange(256) for _ in range(8))
        head[1] = arch
        (execute / name).write_bytes(bytes(head) + code)

    for image in images:
        if image.name.endswith("-g"):
            continue
        code = text_of(image)
        for n, at in enumerate(range(0, len(code), 512)):
            put(f"{image.name}-{n}", 1 if "gfx90a" in image.name else 0, code[at:at + 512])
    # All opcodes: a few of one encoding to a file, with operands that exist.
    for encoding, forms in words().items():
        for n in range(0, len(forms), 8):
            put(f"{encoding}-{n}", n // 8 % 3, b"".join(struct.pack(f"<{len(w)}I", *w) for w in forms[n:n + 8]))
    return 0


sys.exit(main())
