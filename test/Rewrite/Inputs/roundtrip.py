"""Random edits of random files, and what must come of them.

    roundtrip.py make FOLDER SEED             FOLDER/before, an equal FOLDER/patched, FOLDER/after, FOLDER/script.json
    roundtrip.py compare ACTUAL EXPECTED      byte by byte
    roundtrip.py shortest PATCH BEFORE AFTER  the patch changes as few lines as possible
"""

import json
import os
import random
import re
import sys

WORDS = ["int x;", "x = 1;", "{", "}", "", "\tcall();", "// é ü 漢字", "__syncthreads();"]
NAMES = ["plain.hip", "with blank.hip", "sub/deep/file.h", 'quo"te.hip', "back\\slash.hip", "ü.hip", "a%b#c.hip"]


def make_file(rng, index):
    ending = rng.choice(["\n", "\r\n"])
    lines = [rng.choice(WORDS) for _ in range(rng.choice([0, 1, 3, 12, 60]))]
    text = "".join(
        line + (rng.choice(["\n", "\r\n"]) if index % 5 == 0 else ending) for line in lines
    )
    if text and rng.random() < 0.3:
        text = text.rstrip("\r\n") + rng.choice(["", "x"])
    if rng.random() < 0.2:
        text = "\ufeff" + text
    return text.encode()


def dominant(text):
    crlf = text.count(b"\r\n")
    return b"\r\n" if crlf > text.count(b"\n") - crlf else b"\n"


def offsets(text):
    """Where an edit may begin: not in a character, in a line end, or in the mark."""
    mark = 3 if text.startswith(b"\xef\xbb\xbf") else 0
    return [
        i
        for i in range(mark, len(text) + 1)
        if not (i < len(text) and text[i] & 0xC0 == 0x80) and text[i - 1 : i + 1] != b"\r\n"
    ]


def make_edits(rng, text):
    places = offsets(text)
    cuts = sorted(rng.choice(places) for _ in range(2 * rng.randint(1, 4)))
    edits = []
    for begin, end in zip(cuts[::2], cuts[1::2]):
        if end - begin > 40 and rng.random() < 0.8:
            end = begin
        new = "\n".join(rng.choice(WORDS[:2] + WORDS[4:]) for _ in range(rng.randint(0, 3)))
        new = new.encode()
        if begin == end and not new:
            continue
        if edits and edits[-1][0] == begin and edits[-1][1] == 0 and begin == end:
            continue  # the order of two insertions is the subject of another test
        edits.append((begin, end - begin, new))
    if rng.random() < 0.1:
        edits = [(places[0], len(text) - places[0], b"")]
    return edits


def apply(text, edits):
    ending = dominant(text)
    result, position = b"", 0
    for offset, length, new in edits:
        result += text[position:offset] + new.replace(b"\n", ending)
        position = offset + length
    return result + text[position:]


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as out:
        out.write(data)


def make(folder, seed):
    rng = random.Random(seed)
    edits = []
    for index in range(60):
        name = NAMES[index] if index < len(NAMES) else "file%d.hip" % index
        before = make_file(rng, index)
        changes = make_edits(rng, before)
        after = apply(before, changes)
        for where, data in (("before", before), ("patched", before), ("after", after)):
            write(os.path.join(folder, where, name), data)
        for offset, length, new in changes:
            edits.append(
                {"file": "before/" + name, "offset": offset, "length": length, "text": new.decode()}
            )
    # One proposal an edit, and not in order.
    rng.shuffle(edits)
    proposals = [{"pass": "p", "message": "m", "edits": [edit]} for edit in edits]
    with open(os.path.join(folder, "script.json"), "w") as out:
        json.dump({"proposals": proposals}, out)


def tree(folder):
    result = {}
    for where, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(where, name)
            with open(path, "rb") as data:
                result[os.path.relpath(path, folder)] = data.read()
    return result


def compare(actual, expected):
    left, right = tree(actual), tree(expected)
    # patch removes a file that becomes empty.
    for name, data in right.items():
        if not data:
            left.setdefault(name, b"")
    for name in sorted(set(left) | set(right)):
        if left.get(name) != right.get(name):
            sys.exit("%s differs:\n%r\n%r" % (name, left.get(name), right.get(name)))


def lines(data):
    return re.findall(rb"[^\n]*\n|[^\n]+$", data)


def distance(a, b):
    """Lines that an edit script removes and adds at least, by the longest common subsequence."""
    row = [0] * (len(b) + 1)
    for x in a:
        previous = 0
        for j, y in enumerate(b):
            previous, row[j + 1] = row[j + 1], (previous + 1 if x == y else max(row[j], row[j + 1]))
    return len(a) + len(b) - 2 * row[-1]


def shortest(patch, before, after):
    old, new = tree(before), tree(after)
    expected = sum(distance(lines(old[name]), lines(new[name])) for name in old)
    with open(patch, "rb") as data:
        text = data.read()
    body = re.sub(rb"(?m)^--- .*\n\+\+\+ .*\n", b"", text)
    actual = len(re.findall(rb"(?m)^[-+]", body))
    if actual != expected:
        sys.exit("the patch changes %d lines, %d would do" % (actual, expected))


if __name__ == "__main__":
    command, arguments = sys.argv[1], sys.argv[2:]
    if command == "make":
        make(arguments[0], int(arguments[1]))
    elif command == "compare":
        compare(*arguments)
    else:
        shortest(*arguments)
