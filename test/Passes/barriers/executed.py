#!/usr/bin/env python3
"""Executes a corpus file on the simulator, under race detection.

    executed.py [--only=rewrite|deletions] [--keep=DIR] HK-OPT FILE [-- flags]

Rewrite: `hk-opt verify` runs every kernel before and after the rewrite on generated inputs. A race or a difference
fails.

Deletions: the mutants of mutate.py. A barrier that the markers call needed or lds-only is taken out, together with
those they call redundant, and the kernel has to show a race or a difference against the original. Not asked for:

- wave-level barriers. A wavefront executes in step, so that the machine shows no race without them; they are there
  for the compiler. What is seen nevertheless is counted.
- barriers whose marker has a suffix (see verdicts.py): -publication concerns other workgroups, which the race
  detection does not look at; -alias needs arguments that generated inputs seldom have; -order is no race.
- what `// hk-execution: hidden (why)`, on the line before the barrier or the kernel, excuses.
- kernels none of whose cases runs, which are counted.
"""

import argparse
import copy
import os
import re
import subprocess
import sys
import tempfile

import mutate
from verdicts import SUFFIXES, split_flags

RESULT = re.compile(r"(?:kernel|warning: kernel|error: kernel) '(copy_(\d+)::[^']*|[^']*)'(: equal over (\d+) case| differs: (.*)| is not verified: (.*))")


def verify(tool, options, path, flags):
    command = [tool, "verify", *options, path, "--", *flags]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode not in (0, 4):
        sys.stderr.write(done.stdout[-2000:] + done.stderr[-4000:])
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}")
    return done.returncode, done.stdout


def results(text):
    """(copy or None, kernel, "equal" | "differs" | "not verified", text) of each kernel, in order."""
    for line in text.splitlines():
        match = RESULT.search(line)
        if match:
            kind = "equal" if match[4] else "differs" if match[5] else "not verified"
            yield (int(match[2]) if match[2] else None), match[1], kind, match[5] or match[6] or ""


def run_rewrite(arguments, flags):
    code, text = verify(arguments.tool, arguments.option, arguments.file, flags)
    counts = {"equal": 0, "differs": 0, "not verified": 0}
    for _, name, kind, detail in results(text):
        counts[kind] += 1
    name = os.path.basename(arguments.file)
    if "nothing changes" in text:
        print(f"{name}: the rewrite changes nothing")
    else:
        print(f"{name}: rewritten: {counts['equal']} kernels equal, {counts['differs']} different, "
              f"{counts['not verified']} not run")
    if code or arguments.verbose:
        print(text)
    return code != 0


def hidden(source, mutant):
    """The reason why the deletion need not show."""
    places = [mutant.number - 1]
    if mutant.function is not None:
        number = mutant.function.first - 1
        while number > 0 and re.match(r"\s*(//|template\b)", source.lines[number - 1]):
            places.append(number)
            number -= 1
    for number in places:
        match = re.search(r"// hk-execution: hidden \((.*)\)", source.lines[number - 1])
        if match:
            return match[1]
    return None


def run_deletions(arguments, flags, folder):
    source = mutate.Source(arguments.file)
    mutants = list(mutate.deletions(source))
    suffixed = sum(any(v.endswith(SUFFIXES) for v in verdicts) for verdicts in source.markers.barriers.values())
    stem = os.path.splitext(os.path.basename(arguments.file))[0]
    shown, wave, excused, unrun, missed = 0, [0, 0], [], [], []
    copies = mutate.pack(mutants)
    for begin in range(0, len(copies), arguments.batch):
        unit = copies[begin : begin + arguments.batch]
        plain = []
        for c in unit:
            plain.append([])
            for m in c:
                same = copy.copy(m)
                same.edits = []
                plain[-1].append(same)
        paths = [os.path.join(folder, f"{stem}-{begin}-{what}.hip") for what in ("original", "mutants")]
        mutate.write_unit(source, plain, paths[0])
        mutate.write_unit(source, unit, paths[1])
        # A chain of atomics may order what the barrier did, unless the wavefronts take turns another way.
        options = [f"--against={paths[1]}", "--schedules=4", *arguments.option]
        _, text = verify(arguments.tool, options, paths[0], flags)
        if arguments.verbose:
            print(text)
        seen = {}
        for index, name, kind, _ in results(text):
            seen.setdefault(index, []).append((name, kind))
        for index, c in enumerate(unit):
            for m in c:
                own = [
                    kind
                    for name, kind in seen.get(index, [])
                    if m.alone or re.search(rf"::{re.escape(m.function.name)}\b", name)
                ]
                verdicts = set(map(mutate.plain, source.markers.barriers[m.number]))
                found = "differs" in own
                if "wave-level" in verdicts:
                    wave[found] += 1
                elif found:
                    shown += 1
                elif hidden(source, m):
                    excused.append(m)
                elif "equal" not in own:
                    unrun.append(m)
                else:
                    missed.append(m)
    total = shown + len(excused) + len(unrun) + len(missed)
    name = os.path.basename(arguments.file)
    print(f"{name}: {total} deletions of needed and lds-only barriers: {shown} show, {len(excused)} are excused, "
          f"{len(unrun)} do not run, {len(missed)} missed; {sum(wave)} of wave-level ones: {wave[1]} show; "
          f"{suffixed} barriers with a suffix")
    for m in unrun:
        print(f"{arguments.file}:{m.number}: no case runs: {m.what}")
    for m in missed:
        print(f"{arguments.file}:{m.number}: neither race nor difference: {m.what}")
    return bool(missed)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", choices=("rewrite", "deletions"))
    parser.add_argument("--batch", type=int, default=30, help="copies of the file in a translation unit")
    parser.add_argument("--keep", help="write the translation units here and keep them")
    parser.add_argument("--option", action="append", default=[], help="a further option for hk-opt")
    parser.add_argument("--verbose", action="store_true", help="print what hk-opt prints")
    parser.add_argument("tool")
    parser.add_argument("file")
    arguments, flags = split_flags(parser)
    failed = False
    if arguments.only != "deletions":
        failed |= run_rewrite(arguments, flags)
    if arguments.only != "rewrite":
        with tempfile.TemporaryDirectory() as temporary:
            folder = arguments.keep or temporary
            os.makedirs(folder, exist_ok=True)
            failed |= run_deletions(arguments, flags, folder)
    return failed


if __name__ == "__main__":
    sys.exit(main())
