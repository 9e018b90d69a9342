#!/usr/bin/python3
"""Prints what tests/bench/instructions.py counted, as tables, and joins it in .output/bench.json.

usage: table.py [--check] BASELINE RESULT...
    --check   fails if a figure is more than 3 % above that of the BASELINE
"""
import json
import os
import sys

ALLOWED_GROWTH = 1.03
JOINED = ".output/bench.json"


def load(paths):
    """Results by the name of their file, which is the kernel's version."""
    results = {}
    for path in paths:
        with open(path) as file:
            results[os.path.splitext(os.path.basename(path))[0]] = json.load(file)
    return results


def rows_of(result):
    """(what, where) and instructions."""
    for name, count in result["references"].items():
        yield ("reference", name), count
    for configuration, hooks in result["instructions"].items():
        for hook, count in hooks.items():
            yield (configuration, hook), count


def print_table(results):
    counts = {version: dict(rows_of(result)) for version, result in results.items()}
    rows = {row: None for columns in counts.values() for row in columns}
    print(f"{'instructions for a packet':40}" + "".join(f"{version:>8}" for version in counts))
    for row in rows:
        figures = (columns.get(row) for columns in counts.values())
        print(f"{row[0]:20} {row[1]:19}" +
              "".join(f"{'-' if figure is None else round(figure):>8}" for figure in figures))


def grown(results, baseline):
    """What costs more than it may, as text."""
    for version, result in results.items():
        for configuration, hooks in result["instructions"].items():
            for hook, before in baseline[version]["instructions"][configuration].items():
                now = hooks.get(hook)
                if now is None:
                    yield f"{configuration} at {hook} on {version} was not measured"
                elif now > before * ALLOWED_GROWTH:
                    yield (f"{configuration} at {hook} on {version} takes {now} instructions, "
                           f"{100 * (now / before - 1):.1f} % more than the baseline's {before}")


def main(arguments):
    check = arguments[0] == "--check"
    baseline_path, *paths = arguments[check:]
    results = load(paths)
    print_table(results)
    with open(JOINED, "w") as file:
        json.dump(results, file, indent=1)
    if not check:
        return 0
    with open(baseline_path) as file:
        regressions = list(grown(results, json.load(file)))
    for text in regressions:
        print(f"bench: {text}", file=sys.stderr)
    return 1 if regressions else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
