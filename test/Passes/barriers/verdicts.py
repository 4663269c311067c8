#!/usr/bin/env python3
"""Compares what hk-opt says about the barriers of a file with what its markers say.

    verdicts.py [--prefix=hk-noalias] [--option=--assume=noalias] HK-OPT FILE [-- flags]

A marker is a trailing comment on the line it speaks about, `// hk: VERDICT (why)`:

    needed, redundant, wave-level, lds-only, unknown, divergent
                  the verdict on the barrier of that line; alternatives are joined by `|`
    any           any one verdict; none: no verdict at all (`any|none`: do not care)
    VERDICT-SUFFIX
                  the same verdict; the suffix says why taking the barrier out alone is no race that a tool could see:
                  -publication (only other workgroups are concerned), -alias (only if arguments overlap, or for some
                  of their values), -order (atomics do not race, their order shows). Only mutate.py looks at it.
    race, race=N  a missing barrier has to be reported here; of the lines of one N, at least one
    maybe-race    it may be

A line may carry a second marker with another prefix, `// hk: needed-alias hk-noalias: redundant (why)`; with --prefix
it takes the place of the first.

`// hk-require: VERDICT OP N` inside a function says how many of its barriers have that verdict, where the markers
leave a choice: `// hk-require: redundant == 1`.

A race warning counts for the line it is on and for the lines of the notes that follow it.
"""

import argparse
import operator
import os
import re
import subprocess
import sys
from collections import defaultdict

VERDICTS = {"needed", "redundant", "wave-level", "lds-only", "unknown", "divergent"}
SUFFIXES = ("-publication", "-alias", "-order")
SYNC_CALL = re.compile(
    r"__syncthreads(?:_count|_and|_or)?\s*\(|\bcg::sync\s*\(|\bcg::this_(?:grid|thread_block)\(\)\.sync\s*\("
    r"|\b(?:block|tile)\.sync\s*\(|\bhk::sync::\w+\s*\(|__builtin_amdgcn_s_barrier\s*\("
)
DIAGNOSTIC = re.compile(r"^(.+?):(\d+):(\d+): (remark|warning|note|error): (.*?)(?: \[hk-barriers\])?$")
MARKER = re.compile(r"\b(hk[\w-]*): ([a-z|=-]+)")
REQUIRE = re.compile(r"//\s*hk-require: ([a-z|-]+) (==|>=|<=) (\d+)")
OPERATORS = {"==": operator.eq, ">=": operator.ge, "<=": operator.le}


def plain(verdict):
    """The verdict without its suffix."""
    for suffix in SUFFIXES:
        if verdict.endswith(suffix):
            return verdict[: -len(suffix)]
    return verdict


class Markers:
    """The markers of a file: by line number, barriers and races apart."""

    def __init__(self, text, prefix="hk"):
        self.lines = text.split("\n")
        self.barriers = {}  # line -> alternatives, with suffixes
        self.races = defaultdict(set)  # group -> lines
        self.maybe_races = set()
        self.requirements = []  # (first line, last line, verdict, op, count)
        self.errors = []
        for number, line in enumerate(self.lines, 1):
            code, _, comment = line.partition("//")
            found = dict(MARKER.findall(comment)) if comment.strip().startswith("hk") else {}
            value = found.get(prefix, found.get("hk"))
            if SYNC_CALL.search(code) and value is None:
                self.errors.append(f"{number}: barrier without a marker")
            require = REQUIRE.search(line)
            if require:
                last = number
                while last < len(self.lines) and not self.lines[last - 1].startswith("}"):
                    last += 1
                self.requirements.append((number, last, require[1], require[2], int(require[3])))
            elif value is not None:
                self.add(number, value)

    def add(self, number, value):
        if value == "maybe-race":
            self.maybe_races.add(number)
            return
        if value == "race" or value.startswith("race="):
            self.races[value if "=" in value else f"race at {number}"].add(number)
            return
        alternatives = value.split("|")
        for alternative in alternatives:
            if plain(alternative) not in VERDICTS | {"any", "none"}:
                self.errors.append(f"{number}: no such verdict: {alternative}")
        self.barriers[number] = alternatives

    def race_lines(self):
        return set().union(self.maybe_races, *self.races.values())


class Report:
    """What the tool printed, for one file."""

    def __init__(self, text, path):
        self.verdicts = defaultdict(list)  # line -> verdicts
        self.races = []  # (line, message, lines of the warning and its notes)
        self.strays = []  # verdicts for other files
        name = os.path.basename(path)
        last_race = None
        for line in text.splitlines():
            match = DIAGNOSTIC.match(line)
            if not match:
                continue
            where, number, kind, message = match[1], int(match[2]), match[4], match[5]
            if kind == "note":
                if last_race is not None and os.path.basename(where) == name:
                    last_race[2].add(number)
                continue
            last_race = None
            verdict = self.verdict(kind, message)
            if verdict is None:
                continue
            if os.path.basename(where) != name:
                self.strays.append(line)
            elif verdict == "race":
                last_race = (number, message, {number})
                self.races.append(last_race)
            else:
                self.verdicts[number].append(verdict)

    @staticmethod
    def verdict(kind, message):
        if kind == "warning" and message.startswith("missing barrier"):
            return "race"
        if kind == "warning" and message.startswith("barrier in divergent flow"):
            return "divergent"
        match = re.match(r"barrier is (needed|redundant|wave-level|LDS-only|unknown)\b", message)
        return match[1].lower() if match and kind == "remark" else None


def run_tool(tool, path, options, flags):
    """Runs the barrier pass; returns its standard error, or exits."""
    command = [tool, "rewrite", "--passes=barriers", *options, path]
    if flags:
        command += ["--", *flags]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.stderr.write(done.stderr[-4000:])
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}")
    return done.stderr


def compare(markers, report):
    """All differences, as (line, text)."""
    wrong = [(int(e.split(":")[0]), e.split(": ", 1)[1]) for e in markers.errors]
    for stray in report.strays:
        wrong.append((0, f"verdict outside the file: {stray}"))
    for number in sorted(set(markers.barriers) | set(report.verdicts)):
        got = report.verdicts.get(number, [])
        if number not in markers.barriers:
            wrong.append((number, f"verdict on a line without a marker: {', '.join(got)}"))
            continue
        wanted = [plain(a) for a in markers.barriers[number]]
        if not got and "none" in wanted:
            continue
        if len(got) != 1:
            wrong.append((number, f"want one verdict ({'|'.join(wanted)}), got {', '.join(got) or 'none'}"))
        elif "any" not in wanted and got[0] not in wanted:
            wrong.append((number, f"want {'|'.join(wanted)}, got {got[0]}"))
    for first, last, verdict, op, count in markers.requirements:
        have = sum(v in verdict.split("|") for n in range(first, last + 1) for v in report.verdicts.get(n, []))
        if not OPERATORS[op](have, count):
            wrong.append((first, f"want {verdict} {op} {count} in this function, got {have}"))
    allowed = markers.race_lines()
    hit = set()
    for number, message, lines in report.races:
        if lines & allowed:
            hit |= lines
        else:
            wrong.append((number, f"unexpected race: {message}"))
    for group, lines in markers.races.items():
        if not lines & hit:
            wrong.append((min(lines), f"no race reported ({group})"))
    return sorted(wrong)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--prefix", default="hk", help="markers that take precedence over `hk:`")
    parser.add_argument("--option", action="append", default=[], help="a further option for hk-opt")
    parser.add_argument("tool")
    parser.add_argument("file")
    arguments, flags = split_flags(parser)
    with open(arguments.file) as f:
        markers = Markers(f.read(), arguments.prefix)
    report = Report(run_tool(arguments.tool, arguments.file, arguments.option, flags), arguments.file)
    wrong = compare(markers, report)
    for number, text in wrong:
        source = markers.lines[number - 1].strip() if number else ""
        print(f"{arguments.file}:{number}: {text}\n    {source}")
    print(f"{os.path.basename(arguments.file)}: {len(markers.barriers)} barriers, {len(wrong)} mismatches")
    return 1 if wrong else 0


def split_flags(parser):
    """Parses what comes before `--`; what comes after is the compiler's."""
    argv = sys.argv[1:]
    at = argv.index("--") if "--" in argv else len(argv)
    return parser.parse_args(argv[:at]), argv[at + 1 :]


if __name__ == "__main__":
    sys.exit(main())
