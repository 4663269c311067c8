"""Damaged code objects must give an error or run, and never a crash: damage.py HK-SIM-RUN FILE SCRATCH"""

import random
import subprocess
import sys

sim, good, scratch = sys.argv[1:]
data = open(good, "rb").read()
random.seed(1)
variants = [data[:n] for n in range(0, len(data), max(1, len(data) // 40))]
for n in range(80):
    changed = bytearray(data)
    for _ in range(random.choice((1, 1, 4, 16))):
        # Headers and tables are at both ends.
        at = random.choice((random.randrange(min(512, len(data))), random.randrange(len(data)),
                            random.randrange(max(0, len(data) - 1024), len(data))))
        changed[at] = random.choice((0, 255, random.randrange(256)))
    variants.append(bytes(changed))
for v in variants:
    with open(scratch, "wb") as f:
        f.write(v)
    code = subprocess.run([sim, scratch, "--mnemonics"], capture_output=True).returncode
    if code not in (0, 1, 2):
        print("exit code", code)
        sys.exit(1)
