"""Which instructions of a processor the simulator refuses, of all that LLVM decodes.

usage: coverage.py CLANG HK-SIM-RUN FOLDER PROCESSOR

Prints the mnemonics, one a line. Each opcode lies in a function of its own, so that one which does not
decode cannot hide the next.
"""

import subprocess
import sys

from opcodes import words

clang, sim, folder, processor = sys.argv[1:]
text = [".text", ".globl k", ".p2align 8", ".type k,@function", "k: s_endpgm", ".size k, .-k"]
for encoding, forms in words().items():
    for n, form in enumerate(forms):
        name = f"{encoding}_{n}"
        text += [f".type {name},@function", f"{name}:"] + [f".long 0x{w:x}" for w in form]
        text += [".long 0xbf810000", f".size {name}, .-{name}"]
source, image = f"{folder}/{processor}.s", f"{folder}/{processor}.co"
with open(source, "w") as f:
    f.write("\n".join(text) + "\n")
subprocess.run([clang, "-x", "assembler", "-target", "amdgcn-amd-amdhsa", f"-mcpu={processor}", source, "-o",
                image], check=True)
out = subprocess.run([sim, image, "--mnemonics"], capture_output=True, text=True, check=True).stdout
names = [line.split(" ", 1)[1] for line in out.splitlines()]
refused = [n[:-1] for n in names if n.endswith("?") and not n.startswith("an invalid")]
print(f"{len(names) - len(refused)} known")
for name in refused:
    print(name)
