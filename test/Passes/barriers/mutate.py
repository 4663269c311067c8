#!/usr/bin/env python3
"""Mutation test of the barrier pass.

    mutate.py [--file=F] [--shard=I/N] HK-OPT CORPUS [-- flags]

Deletion: a barrier that the markers call needed, wave-level or lds-only is taken out, and with it those of the file
that they call redundant. The pass has to report a missing barrier.

Insertion: a `__syncthreads();` is put between two statements of a kernel's outermost block, where control flow is
uniform. It cannot order anything that was not ordered before, so the pass has to find one barrier more that is
redundant or wave-level than in the original.

Left out: barriers whose marker leaves open whether they may go, or has a suffix (see verdicts.py); functions with a
race or divergent marker. `// hk-insertion: ends` before a kernel limits insertion to its beginning, its end and the
neighbourhood of its barriers; `// hk-insertion: none` forbids it.

Parsing the HIP headers takes longer than a kernel does, so a translation unit holds many copies of the file, each in
a namespace of its own. Kernels do not depend on each other: one copy mutates each kernel once. What reaches into
functions that several kernels share gets a copy for itself. Kernels that a copy does not need are left out of it.
"""

import argparse
import os
import re
import sys
import tempfile
import zlib

from verdicts import SUFFIXES, Markers, Report, plain, run_tool, split_flags

BARE_CALL = re.compile(
    r"(?:__syncthreads\s*\(\s*\)|cg::sync\s*\(\w+\)|cg::this_thread_block\(\)\.sync\(\)|\w+\.sync\(\)"
    r"|hk::sync::\w+\(\))\s*;"
)
CONFLICT = {"needed", "wave-level", "lds-only"}


def blank(text):
    """The text with comments, strings and characters replaced by spaces: same offsets, same lines."""

    def spaces(match):
        return re.sub(r"[^\n]", " ", match[0])

    pattern = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\''
    text = re.sub(pattern, spaces, text, flags=re.S)
    return re.sub(r"__launch_bounds__\s*\([^()]*\)|__attribute__\s*\(\(.*?\)\)", spaces, text)


def closing(code, at):
    """Offset of the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(code)):
        if code[i] in "([{":
            depth += 1
        elif code[i] in ")]}":
            depth -= 1
            if depth == 0:
                return i
    raise ValueError("unbalanced brackets")


class Function:
    def __init__(self, source, kind, start, name, body):
        self.kind, self.name, self.start = kind, name, start
        self.body, self.end = body, closing(source.code, body)
        self.first = source.line(start)
        self.last = source.line(self.end)

    def has(self, lines):
        return any(self.first <= n <= self.last for n in lines)


class Source:
    """A corpus file: its functions and where they can be mutated."""

    def __init__(self, path):
        self.path = path
        with open(path) as f:
            self.text = f.read()
        self.code = blank(self.text)
        self.markers = Markers(self.text)
        self.lines = self.markers.lines
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.body_line = max(n for n, line in enumerate(self.lines, 1) if line.startswith("#include")) + 1
        self.functions = [f for kind in ("__global__", "__device__") for f in self.find(kind)]
        self.kernels = [f for f in self.functions if f.kind == "__global__"]
        self.classes = [
            (match[1], self.line(match.start()), self.line(closing(self.code, match.end() - 1)))
            for match in re.finditer(r"\b(?:struct|class)\s+(\w+)\s*\{", self.code)
        ]
        self.entangled = self.shared_names()

    def line(self, offset):
        low, high = 0, len(self.starts) - 1
        while low < high:
            middle = (low + high + 1) // 2
            if self.starts[middle] <= offset:
                low = middle
            else:
                high = middle - 1
        return low + 1

    def find(self, kind):
        for match in re.finditer(re.escape(kind), self.code):
            stop = re.compile(r"[;{(]").search(self.code, match.end())
            if not stop or stop[0] != "(":
                continue
            name = re.search(r"(\w+)\s*$", self.code[match.end() : stop.start()])
            at = stop.start()
            while self.code[at] not in ";{":
                at = closing(self.code, at) + 1 if self.code[at] == "(" else at + 1
            if self.code[at] == "{":
                yield Function(self, kind, match.start(), name[1] if name else "", at)

    def callers_names(self, names):
        """The names and those of the device functions that mention one, directly or not."""
        while True:
            more = {f.name for f in self.functions if f.kind != "__global__" and self.mentions(f, names)} - names
            if not more - {"", "operator"}:
                return names
            names = (names | more) - {"", "operator"}

    def shared_names(self):
        """Names through which a kernel may reach a barrier outside its own body."""
        outside = [n for n in self.markers.barriers if not any(f.first <= n <= f.last for f in self.kernels)]
        names = {f.name for f in self.functions if f.kind != "__global__" and f.has(outside)} - {"", "operator"}
        names |= {name for name, first, last in self.classes if any(first <= n <= last for n in outside)}
        return self.callers_names(names)

    def mentions(self, f, names):
        return bool(names & set(re.findall(r"\w+", self.code[f.body : f.end])))

    def concerned(self, f, number):
        """Kernels whose verdicts a change at this line may touch, and the shared functions and classes they meet in."""
        if f is not None and f.kind == "__global__":
            names = {n for n in self.entangled if n in re.findall(r"\w+", self.code[f.body : f.end])}
            kernels = {f.name}
        else:
            names = {f.name} if f is not None else set()
            names |= {name for name, first, last in self.classes if first <= number <= last}
            kernels = set()
        while True:
            up = self.callers_names(names) & self.entangled | names
            kernels |= {k.name for k in self.kernels if self.mentions(k, up)}
            down = up | {n for k in self.kernels if k.name in kernels for n in self.entangled if self.mentions(k, {n})}
            if down == names:
                return kernels, names
            names = down

    def removable(self, kernel):
        """Edits that take a kernel and its launches out, or None when something else names it."""
        name = re.escape(kernel.name)
        head = self.text.rfind("\n", 0, kernel.start) + 1
        if re.match(r"template\b", self.lines[self.line(head) - 2]):
            head = self.starts[self.line(head) - 2]
        edits = [(head, kernel.end + 1)]
        launch = rf"\b{name}(?:<[^<>;]*>)?<<<[^;]*;|\bhipLaunchKernelGGL\(\s*{name}\b[^;]*;"
        edits += [match.span() for match in re.finditer(launch, self.code)]
        for match in re.finditer(rf"\b{name}\b", self.code):
            if not any(a <= match.start() < b for a, b in edits):
                return None
        return [(a, b, "\n" * self.text.count("\n", a, b)) for a, b in edits]

    def excluded(self, f):
        """Functions with a race or a divergent barrier, and those that call one."""
        bad = [n for lines in self.markers.races.values() for n in lines]
        bad += [n for n, verdicts in self.markers.barriers.items() if "divergent" in verdicts]
        names = {g.name for g in self.functions if g.kind != "__global__" and g.has(bad)}
        return f.has(bad) or self.mentions(f, names)

    def directive(self, f):
        number = f.first - 1
        while number > 0 and re.match(r"\s*(//|template\b)", self.lines[number - 1]):
            match = re.search(r"// hk-insertion: (ends|none)", self.lines[number - 1])
            if match:
                return match[1]
            number -= 1
        return "all"

    def enclosing(self, number):
        inside = [f for f in self.functions if f.first <= number <= f.last]
        return inside[0] if inside else None

    def barrier_edit(self, number):
        """(start, end) of a barrier that is a whole statement on its line."""
        start = self.starts[number - 1]
        match = re.fullmatch(r"\s*(" + BARE_CALL.pattern + r")\s*", self.code[start : self.starts[number] - 1])
        return (start + match.start(1), start + match.end(1)) if match else None

    def boundaries(self, f):
        """Offsets between the statements of the outermost block: [(offset, statement before, statement after)]."""
        statements, at = [], f.body + 1
        while True:
            while self.code[at].isspace():
                at += 1
            if at >= f.end:
                break
            end = self.statement_end(at)
            statements.append((at, end))
            at = end
        if not statements:
            return []
        texts = [self.code[a:b] for a, b in statements]
        found = [(statements[0][0], "", texts[0])]
        for i, (_, end) in enumerate(statements):
            if not re.match(r"return\b", texts[i]):
                found.append((end, texts[i], texts[i + 1] if i + 1 < len(texts) else ""))
        return found

    def skip(self, at):
        while self.code[at].isspace():
            at += 1
        return at

    def statement_end(self, at):
        """Offset behind the statement that begins at `at`."""
        code = self.code
        at = self.skip(at)
        if code[at] == "{":
            return closing(code, at) + 1
        word = re.match(r"\w+", code[at:])
        word = word[0] if word else ""
        if word in ("if", "for", "while", "switch"):
            end = self.statement_end(closing(code, code.index("(", at)) + 1)
            after = self.skip(end)
            if word == "if" and re.match(r"else\b", code[after:]):
                return self.statement_end(after + 4)
            return end
        if word == "do":
            end = self.statement_end(at + 2)
            return code.index(";", closing(code, code.index("(", end))) + 1
        while code[at] != ";":
            at = closing(code, at) + 1 if code[at] in "([{" else at + 1
        return at + 1


class Mutant:
    def __init__(self, source, f, number, what, edits, deletion):
        self.source, self.function, self.number, self.what, self.edits = source, f, number, what, edits
        self.deletion = deletion
        self.alone = f is None or f.kind != "__global__" or source.mentions(f, source.entangled)
        if not self.alone:
            # The verdicts of a kernel that shares no barrier stand on its own lines.
            self.kernels, self.ranges = {f.name}, [(f.first, f.last)]
            return
        self.kernels, names = source.concerned(f, number)
        kept = [g for g in source.functions if g.name in self.kernels | names]
        self.ranges = [(g.first, g.last) for g in kept] + [(a, b) for name, a, b in source.classes if name in names]


def deletions(source):
    redundant = {}
    for number, verdicts in source.markers.barriers.items():
        edit = source.barrier_edit(number)
        if verdicts == ["redundant"] and edit:
            redundant[number] = edit
    for number, verdicts in sorted(source.markers.barriers.items()):
        edit, f = source.barrier_edit(number), source.enclosing(number)
        if not edit or not set(map(plain, verdicts)) <= CONFLICT or any(v.endswith(SUFFIXES) for v in verdicts):
            continue
        if f is not None and source.excluded(f):
            continue
        # All redundant barriers that the run of this one may meet: those of its function, or all if it is shared.
        mutant = Mutant(source, f, number, f"deletion of a barrier marked {'|'.join(verdicts)}", [], True)
        gone = [e for n, e in redundant.items() if any(a <= n <= b for a, b in mutant.ranges)]
        mutant.edits = [(a, b, ";") for a, b in gone + [edit]]
        yield mutant


def insertions(source, sample):
    for f in source.kernels:
        directive = source.directive(f)
        if directive == "none" or source.excluded(f):
            continue
        places = []
        for offset, before, after in source.boundaries(f):
            near = BARE_CALL.fullmatch(before.strip()) or BARE_CALL.fullmatch(after.strip())
            if directive != "ends" or near or not before or not after:
                places.append((offset, before, after))
        if sample:
            places.sort(key=lambda place: zlib.crc32(f"{f.name} {place[1]} {place[2]}".encode()))
            places = places[:sample]
        for offset, before, after in places:
            number = source.line(offset)
            where = "at the beginning of" if not before else "at the end of" if not after else "in"
            what = f"insertion {where} {f.name}" + (f" before `{' '.join(after.split())[:40]}`" if after else "")
            yield Mutant(source, f, number, what, [(offset, offset, "__syncthreads(); ")], False)


def pack(mutants):
    """Copies, each a list of mutants: one mutant a kernel, or a single one that concerns the whole file."""
    copies, packed = [], []
    for m in mutants:
        if m.alone:
            copies.append([m])
            continue
        home = next((c for c in packed if all(o.function is not m.function for o in c)), None)
        if home is None:
            packed.append([m])
        else:
            home.append(m)
    return packed + copies


def write_unit(source, copies, path):
    """Writes one translation unit; returns the line offset of each copy. A copy of None is the original."""
    includes = [line for line in source.lines[: source.body_line - 1] if line.startswith("#include")]
    out = list(includes)
    offsets = []
    begin = source.starts[source.body_line - 1]
    for index, copy in enumerate(copies):
        edits = []
        if copy is not None:
            edits = [e for m in copy for e in m.edits]
            kept = set().union(*(m.kernels for m in copy))
            for kernel in source.kernels:
                if kernel.name not in kept:
                    edits += source.removable(kernel) or []
        text = source.text
        for start, end, new in sorted(edits, reverse=True):
            text = text[:start] + new + text[end:]
        out.append(f"namespace copy_{index} {{")
        offsets.append(len(out) - (source.body_line - 1))
        out += text[begin:].split("\n")
        out.append("}")
    with open(path, "w") as f:
        f.write("\n".join(out) + "\n")
    return offsets


def tally(report, ranges, offset):
    """(races, barriers that are redundant or wave-level) on these lines of a copy."""
    lines = {offset + n for first, last in ranges for n in range(first, last + 1)}
    races = sum(bool(lines & at) for _, _, at in report.races)
    spare = sum(v in ("redundant", "wave-level") for n in lines for v in report.verdicts.get(n, []))
    return races, spare


class Judge:
    """Runs the tool on translation units of one file and compares mutants with the original."""

    def __init__(self, source, tool, options, flags, folder):
        self.source, self.tool, self.options, self.flags, self.folder = source, tool, options, flags, folder
        self.stem = os.path.splitext(os.path.basename(source.path))[0]
        self.serial = 0
        self.original = None

    def run(self, copies):
        path = os.path.join(self.folder, f"{self.stem}-mutants-{self.serial}.hip")
        self.serial += 1
        offsets = write_unit(self.source, copies, path)
        if self.tool == "none":
            return Report("", path), offsets
        # A file of mutants holds many times the kernels that a file of a person does.
        options = [*self.options, "--solver-steps=1000000000"]
        return Report(run_tool(self.tool, path, options, self.flags), path), offsets

    def missed(self, copies):
        """The mutants of these copies that were not caught. The first call looks at the original too."""
        first = [] if self.original else [None]
        report, offsets = self.run(first + copies)
        if first:
            self.original = (report, offsets.pop(0))
        found = []
        for copy, offset in zip(copies, offsets):
            for m in copy:
                races, spare = tally(report, m.ranges, offset)
                old_races, old_spare = tally(self.original[0], m.ranges, self.original[1])
                if races <= old_races if m.deletion else spare <= old_spare:
                    found.append(m)
        return found if self.tool != "none" else []


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--file", help="one file of the corpus only")
    parser.add_argument("--shard", default="1/1", help="I/N: every N-th file, from the I-th")
    parser.add_argument("--batch", type=int, default=40, help="mutants in a translation unit")
    parser.add_argument("--sample", type=int, default=0, help="insertions a kernel; all when 0")
    parser.add_argument("--only", choices=("deletions", "insertions"))
    parser.add_argument("--option", action="append", default=[], help="a further option for hk-opt")
    parser.add_argument("--keep", help="write the translation units here and keep them")
    parser.add_argument("tool", help="hk-opt, or `none` to write the translation units only")
    parser.add_argument("corpus")
    arguments, flags = split_flags(parser)
    paths = sorted(os.path.join(arguments.corpus, n) for n in os.listdir(arguments.corpus) if n.endswith(".hip"))
    index, count = map(int, arguments.shard.split("/"))
    paths = paths[index - 1 :: count]
    if arguments.file:
        paths = [os.path.join(arguments.corpus, arguments.file)]

    all_missed, rows = [], []
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or temporary
        os.makedirs(folder, exist_ok=True)
        for path in paths:
            source = Source(path)
            gone = list(deletions(source)) if arguments.only != "insertions" else []
            more = list(insertions(source, arguments.sample)) if arguments.only != "deletions" else []
            copies = pack(gone + more)
            judge = Judge(source, arguments.tool, arguments.option, flags, folder)
            missed, unit = [], []
            for copy in copies:
                unit.append(copy)
                if sum(len(m.kernels) for c in unit for m in c) >= arguments.batch or copy is copies[-1]:
                    missed += judge.missed(unit)
                    unit = []
            lost = [sum(m.deletion == d for m in missed) for d in (True, False)]
            rows.append((os.path.basename(path), len(gone), len(gone) - lost[0], len(more), len(more) - lost[1]))
            all_missed += missed

    print(f"{'file':<28}{'deletions':>10}{'caught':>8}{'insertions':>12}{'caught':>8}")
    for row in rows + [("all", *(sum(r[i] for r in rows) for i in range(1, 5)))]:
        print(f"{row[0]:<28}{row[1]:>10}{row[2]:>8}{row[3]:>12}{row[4]:>8}")
    for m in all_missed:
        print(f"{m.source.path}:{m.number}: missed: {m.what}")
    return 1 if all_missed else 0


if __name__ == "__main__":
    sys.exit(main())
