"""interrupt.py FOLDER SIGNAL WAIT-FOR COMMAND...

Runs the command with FOLDER for temporary files. Once something is in there and a program whose command line has WAIT-FOR
runs, sends the signal; then nothing may be left of either.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import time


def matching(text):
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as f:
                line = f.read().replace(b"\0", b" ").decode(errors="replace")
            with open(f"/proc/{pid}/stat") as f:
                state = f.read().rsplit(")", 1)[1].split()[0]
        except OSError:
            continue
        if re.match(text, line) and state != "Z":
            found.append(int(pid))
    return found


def until(what, seconds, reason):
    end = time.monotonic() + seconds
    while not what():
        if time.monotonic() > end:
            sys.exit(reason)
        time.sleep(0.02)


folder, name, wait_for, *command = sys.argv[1:]
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
number = getattr(signal, name)
# A job in the background ignores SIGINT, and hands that on.
tool = subprocess.Popen(command, env=dict(os.environ, TMPDIR=folder), stdout=subprocess.DEVNULL,
                        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
try:
    until(lambda: os.listdir(folder) and matching(wait_for), 120, "the program did not start")
    tool.send_signal(number)
    tool.wait(timeout=30)
finally:
    tool.kill()
until(lambda: not matching(wait_for), 10, "the program still runs")
until(lambda: not os.listdir(folder), 10, f"left behind: {os.listdir(folder)}")
if tool.returncode == 0:
    sys.exit("it reports success")
print("nothing left")
