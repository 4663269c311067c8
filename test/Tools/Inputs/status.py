"""Runs a command and fails unless it exits with the given status: status.py STATUS COMMAND..."""

import subprocess
import sys

want = int(sys.argv[1])
got = subprocess.run(sys.argv[2:]).returncode
if got != want:
    sys.exit("exit status %d, expected %d" % (got, want))
