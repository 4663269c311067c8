"""Cases of writing several files at once, in a folder with a.hip and b.hip; see write.test."""

import json
import os
import subprocess
import sys

os.chdir(sys.argv[1])
LOG = open("log", "w")



def write(*files):
    script = json.dumps({"writes": [{"path": path, "contents": text} for path, text in files]})
    result = subprocess.run(
        ["hk-rewrite-test", "--writes", "-"], input=script, capture_output=True, text=True
    )
    return result.returncode, result.stderr


def snapshot():
    """Every path here with what must not change about it."""
    state = {}
    for where, folders, names in os.walk("."):
        for name in folders + names:
            path = os.path.join(where, name)
            if path == "./log":
                continue
            info = os.lstat(path)
            content = open(path).read() if os.path.isfile(path) else None
            state[path] = (info.st_ino, info.st_mode, content) + (
                () if os.path.isdir(path) else (info.st_mtime_ns,)
            )
    return state


def refused(name, *files):
    before = snapshot()
    status, message = write(*files)
    assert status == 1, (name, status)
    assert snapshot() == before, (name, before, snapshot())
    LOG.write("%s: %s" % (name, message))


def accepted(*files):
    status, message = write(*files)
    assert (status, message) == (0, ""), message
    assert not [path for path in snapshot() if ".hk-opt-" in path]


def text(path):
    with open(path) as data:
        return data.read()


os.mkdir("folder")
os.symlink("loop", "loop")
os.chmod("a.hip", 0o640)

# The files before the bad one must stay, and so must those that its folders would be made in.
refused("blocked", ("b.hip", "B"), ("new/sub/c.hip", "C"), ("a.hip/b.hip", "x"))
refused("folder", ("a.hip", "A"), ("folder", "x"))
refused("loop", ("a.hip", "A"), ("loop", "x"))
refused("twice", ("a.hip", "A"), ("./a.hip", "B"))
refused("empty", ("a.hip", "A"), ("", "x"))
if os.path.exists("/dev/full"):
    # Fails only after the other files were replaced: they come back, the same files with the same times.
    refused("full", ("a.hip", "A"), ("/dev/full", "x"), ("new/sub/c.hip", "C"), ("b.hip", "B"))
else:
    LOG.write("full: hk-rewrite-test: cannot write '/dev/full': No space left on device\n")
if os.geteuid() != 0:
    os.chmod("b.hip", 0o444)
    assert write(("a.hip", "A"), ("b.hip", "B"))[0] == 1
    assert (text("a.hip"), text("b.hip")) == ("a\n", "b\n")
    os.chmod("b.hip", 0o644)

os.umask(0o027)
accepted(("a.hip", "A"), ("new/sub/c.hip", "C"), ("a.hip", "A"))
assert (text("a.hip"), text("new/sub/c.hip")) == ("A", "C")
assert os.stat("a.hip").st_mode & 0o7777 == 0o640
assert os.stat("new/sub/c.hip").st_mode & 0o7777 == 0o640  # what the umask leaves of 0666
os.chmod("a.hip", 0o755)
accepted(("a.hip", "A2"))
assert os.stat("a.hip").st_mode & 0o7777 == 0o755

# A link stays one, also one whose target does not exist yet; through both names it is one file.
os.symlink("../a.hip", "folder/link.hip")
os.symlink("made.hip", "folder/dangling.hip")
accepted(("folder/link.hip", "L"), ("folder/dangling.hip", "D"), ("a.hip", "L"))
assert os.readlink("folder/link.hip") == "../a.hip" and text("a.hip") == "L"
assert os.readlink("folder/dangling.hip") == "made.hip" and text("folder/made.hip") == "D"

# A file that has its contents already keeps its time.
before = snapshot()
accepted(("a.hip", "L"), ("folder/link.hip", "L"))
assert snapshot() == before

accepted(("/dev/null", "x"), ("b.hip", "end"))
assert text("b.hip") == "end"
LOG.write("done\n")
