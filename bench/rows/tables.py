"""What the tables of figures have in common: their command line, and how a file replaces another."""

import argparse
import importlib
import json
import os
import sys


def replace(path, text):
    """Writes the file, whole or not at all."""
    with open(path + ".new", "w") as file:
        file.write(text)
    os.replace(path + ".new", path)


def replace_json(path, figures):
    replace(path, json.dumps(figures, indent=1) + "\n")


def replace_kernels(path, figures):
    """A table of the compiler's report: a line for each kernel."""
    replace(path, '{"vehicle": "%s", "kernels": [\n%s\n]}\n' % (
        figures["vehicle"], ",\n".join(json.dumps(r) for r in figures["kernels"])))


def main(usage, here, vehicles):
    """Runs the vehicle that --device names; `vehicles`: the module of each. The exit status."""
    root = os.path.dirname(os.path.dirname(here))
    parser = argparse.ArgumentParser(usage=usage, add_help=True)
    parser.add_argument("--device", choices=tuple(vehicles), required=True)
    parser.add_argument("--build", default=os.path.join(root, "build"))
    parser.add_argument("--clang", default="clang++-22")
    parser.add_argument("--rocm-path")
    parser.add_argument("--json")
    parser.add_argument("--svg")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    options.root, options.here = root, here
    options.rocm_path = options.rocm_path or os.path.join(options.build, "rocm")
    vehicle = importlib.import_module(vehicles[options.device])
    figures, problems = vehicle.run(options)
    if options.json:
        replace_json(options.json, figures)
    if options.svg and hasattr(vehicle, "draw"):
        replace(options.svg, vehicle.draw(figures))
    for problem in problems:
        print("run.py: error: " + problem, file=sys.stderr)
    return 1 if problems else 0
