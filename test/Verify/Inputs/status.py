#!/usr/bin/env python3
"""status.py CODES COMMAND ARGUMENT...: runs it; its exit status has to be one of CODES."""
import subprocess
import sys

code = subprocess.run(sys.argv[2:]).returncode
if code not in map(int, sys.argv[1].split(",")):
    sys.exit(f"exit status {code}, not {sys.argv[1]}")
