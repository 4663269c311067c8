"""Prints the files below a folder, one a line, with forward slashes: tree.py FOLDER."""

import os
import sys

for folder, _, files in os.walk(sys.argv[1]):
    for name in files:
        print(os.path.relpath(os.path.join(folder, name), sys.argv[1]).replace(os.sep, "/"))
