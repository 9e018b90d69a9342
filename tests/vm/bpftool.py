#!/usr/bin/python3 -BS
"""What bpftool shows of programs and of their maps.

usage: tests/vm/bpftool.py count FIELD,... NAME...   the sum of these fields, of all programs of these names
       tests/vm/bpftool.py samples NAME              of a program's histogram: count and sum in ns, over all CPUs
"""
import json
import subprocess
import sys


def bpftool(*arguments):
    return json.loads(subprocess.run(["bpftool", "-j", *arguments], stdout=subprocess.PIPE, check=True).stdout)


def count(fields, *names):
    print(sum(program.get(field, 0) for program in bpftool("prog", "show") for field in fields.split(",")
              if program.get("name") in names))


def samples(name):
    """The programs have three maps: buckets of two values, discards, and the clock offset."""
    shown = bpftool("prog", "show", "name", name)
    program = shown if isinstance(shown, dict) else shown[0]
    for map_id in program["map_ids"]:
        rows = [cpu["value"] for key in bpftool("map", "dump", "id", str(map_id))
                for cpu in key.get("formatted", {}).get("values", [])]
        if rows and isinstance(rows[0], dict):
            print(sum(row["count"] for row in rows), sum(row["sum_ns"] for row in rows))


{"count": count, "samples": samples}[sys.argv[1]](*sys.argv[2:])
