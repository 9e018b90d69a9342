#!/usr/bin/python3
"""Prints what the benchmarks measured, as tables, and joins it in .output/bench.json.

usage: table.py [--check] BASELINE FOLDER
    --check   fails if a number of instructions is more than 3 % above that of the BASELINE, or
              15 % where figures vary, or a hook has only one of them
    FOLDER    has a JSON file of each result, in folders by section

Fails if a start costs more than 5 % above the BASELINE's, or has no figure there.
"""
import json
import pathlib
import sys

ALLOWED_GROWTH = 1.03
# How many packets a softirq finds varies from run to run.
ALLOWED_GROWTH_WHERE_IT_VARIES = {("--stages", "netif-receive"): 1.15}
# It takes a few ms more or less.
ALLOWED_GROWTH_OF_STARTS = 1.05
JOINED = ".output/bench.json"


def load(folder):
    """Results by section, and there by the name of their file: of most, one for each kernel."""
    joined = {}
    for path in sorted(folder.iterdir()):
        joined[path.name.removesuffix(".json")] = load(path) if path.is_dir() else json.loads(path.read_text())
    return joined


def print_rows(title, columns, rows):
    """Rows of a text and a figure for each column; None is for what is not known."""
    print(f"\n{title:40}" + "".join(f"{column:>14}" for column in columns))
    for text, *figures in rows:
        print(f"{text:40}" + "".join(f"{'-' if figure is None else figure:>14}"
                                     for figure in figures))


def instructions_rows(result):
    """(what, where) and instructions."""
    for name, count in result["references"].items():
        yield ("reference", name), count
    for configuration, hooks in result["instructions"].items():
        for hook, count in hooks.items():
            yield (configuration, hook), count


def print_instructions(results):
    counts = {version: dict(instructions_rows(result)) for version, result in results.items()}
    rows = {row: None for columns in counts.values() for row in columns}
    print_rows("instructions for a packet", counts,
               [(f"{row[0]:20} {row[1]}", *(round(columns[row]) if row in columns else None
                                            for columns in counts.values())) for row in rows])
    for why in {result["why_no_bpftrace"] for result in results.values()} - {None}:
        print(f"for comparison, bpftrace is left out: {why}")


def print_native(result):
    print_rows(f"on this machine, Linux {result['kernel'].split('-')[0]}", ["ns", "ratio"],
               [("stamp and clock: the floor", result["floor_ns"], 1),
                ("netstacklat's way of a packet", result["record_ns"], result["ratio"])])


def print_system(results):
    for version, result in results.items():
        print_rows(f"the whole system, Linux {version}",
                   ["packets/s", "with it", "instructions"],
                   [(f"{load}, and what it adds to a packet", figures["packets_per_s"],
                     figures["packets_per_s_with"], figures["added_instructions"])
                    for load, figures in result["loads"].items()])


def print_startup(results):
    for version, result in results.items():
        print_rows(f"start, Linux {version}", ["ms"],
                   [(f"{name}, {result['programs']} programs", round(1000 * seconds))
                    for name, seconds in result["seconds"].items()])


def print_starts(results):
    columns = ["user_s", "kernel_s", "loads", "load_s", "load_instructions"]
    print_rows("a start and an end", [*columns[:-1], "instructions"],
               [(f"{name}, Linux {version}", *(figures[column] for column in columns))
                for version, result in results.items() for name, figures in result["starts"].items()])


def print_requests(results):
    for version, result in results.items():
        print_rows(f"a request of {result['request']}, Linux {version}", ["1 connection", "8 connections"],
                   [(name, added["1"], added["8"]) for name, added in result["added"].items()])


def print_growth(results):
    by_cpus = sorted(results.values(), key=lambda result: result["possible_cpus"])
    columns = ["instructions", "resident_kib", "maps_kib"]
    print_rows("a report, by possible CPUs", columns,
               [(f"{result['possible_cpus']:3} CPUs, -k {row['resolution']}, "
                 f"{row['groups']:6} groups, {row['output']}", *(row[name] for name in columns))
                for result in by_cpus for row in result["reports"]])
    print_rows("reports at a rate, of 500 M instructions/s", ["% of a CPU"],
               [(f"-r {row['interval_s']}", row["cpu_percent"])
                for result in by_cpus for row in result.get("rates", [])])
    columns = ["instructions", "bytes", "resident_kib"]
    print_rows("a scrape", columns,
               [(f"{row['groups']:6} groups, {row['encoding']}", *(row[name] for name in columns))
                for result in by_cpus for row in result.get("scrapes", [])])


PRINTERS = {"instructions": print_instructions, "native": print_native, "system": print_system,
            "growth": print_growth, "startup": print_startup, "starts": print_starts,
            "requests": print_requests}


def objections(results, baseline):
    """What costs more than it may, and what only one of both has, as text."""
    for version, result in results.items():
        for configuration, hooks in result["instructions"].items():
            expected = baseline.get(version, {"instructions": {}})["instructions"].get(configuration, {})
            for hook in {**expected, **hooks}:
                where = f"{configuration} at {hook} on {version}"
                before, now = expected.get(hook), hooks.get(hook)
                allowed = ALLOWED_GROWTH_WHERE_IT_VARIES.get((configuration, hook), ALLOWED_GROWTH)
                if now is None:
                    yield f"{where} was not measured"
                elif before is None:
                    yield f"{where} has no figure in the baseline"
                elif now > before * allowed:
                    yield (f"{where} takes {now} instructions, {100 * (now / before - 1):.1f} % "
                           f"more than the baseline's {before}")


def objections_to_starts(results, baseline):
    """By what loading takes, of which most depends on the programs: how long, and how many."""
    for version, result in results.items():
        for name, figures in result["starts"].items():
            expected = baseline.get(version, {}).get("starts", {}).get(name, {})
            for figure in ("loads", "load_s", "load_instructions"):
                where = f"{figure} of a start with {name} on {version}"
                if figure not in expected:
                    yield f"{where} has no figure in the baseline"
                elif figures[figure] > expected[figure] * ALLOWED_GROWTH_OF_STARTS:
                    yield f"{where} is {figures[figure]}, and the baseline's {expected[figure]}"


def main(arguments):
    check = arguments[0] == "--check"
    baseline_path, folder = map(pathlib.Path, arguments[check:])
    results = load(folder)
    for section, print_section in PRINTERS.items():
        if section in results:
            print_section(results[section])
    pathlib.Path(JOINED).write_text(json.dumps(results, indent=1) + "\n")
    baseline = json.loads(baseline_path.read_text())
    found = list(objections_to_starts(results.get("starts", {}), baseline))
    if check:
        found += objections(results["instructions"], baseline)
    for text in found:
        print(f"bench: {text}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
