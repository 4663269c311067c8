"""programs.py FOLDER BUILT: runs all benchmark programs, which bench/run --keep=BUILT has built, with and without their launches."""

import concurrent.futures
import os
import re
import subprocess
import sys


def run(command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    return done.returncode, done.stdout.strip()


def check(folder, built, name):
    source = os.path.join(folder, name)
    with open(source) as file:
        found = re.search(r"^// Arguments: [^.]*\. Simulated: ([\d ]+)\. Uneven: ([\d ]+)\. GPU: [\d ]+$", file.read(), re.M)
    if not found:
        return "no line of arguments"
    binary = os.path.join(built, name[:-4] + ".before")
    simulator = ["hk-sim", "--races", "--waits", "--uninitialized", "--strict", binary] + found[2].split()
    status, text = run(simulator)
    if status or text != "PASS":
        return "exit status %d: %s" % (status, text)
    # What is in memory that no kernel has written must not be what the check wants.
    status, text = run([simulator[0]] + simulator[5:], env=dict(os.environ, BENCH_REPEATS="0"))
    if status != 1 or "FAIL" not in text:
        return "without launches: exit status %d: %s" % (status, text)
    status, text = run([simulator[0]] + simulator[5:], env=dict(os.environ, BENCH_REPEATS="3"))
    if status or not re.search(r"median_us \d+\.\d+ bytes \d+ copy_us", text):
        return "three launches: exit status %d: %s" % (status, text)
    return ""


def main():
    folder, built = sys.argv[1:]
    names = sorted(name for name in os.listdir(folder) if name.endswith(".hip"))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda name: check(folder, built, name), names))
    for name, problem in zip(names, results):
        if problem:
            print("%s: %s" % (name, problem))
    print("%d programs pass" % sum(not problem for problem in results))
    return any(results)


if __name__ == "__main__":
    sys.exit(main())
