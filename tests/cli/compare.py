#!/usr/bin/python3 -B
"""What compare.bats compares: runs that are made up, and a reference.

usage: tests/cli/compare.py make FOLDER       a1 to a3, b1 to b3: read is slower by a fifth in b, and start is the same
       tests/cli/compare.py check FOLDER TEXT what --compare --full said in TEXT of a* and b* is what it is
       tests/cli/compare.py page FOLDER PAGE  PAGE of a* and b* has each run as a column
       tests/cli/compare.py alarms NETSTACKLAT TIMES FILE...  so many times, picks two sides of three of these runs each,
                                              and prints how many of these pairs differ
       tests/cli/compare.py hostile FOLDER SEED       runs a and b, of readers with names that a page might take for more
       tests/cli/compare.py harmless DOM <JSON        a browser's DOM has the rows of --compare -j as text, and nothing else
       tests/cli/compare.py slower FACTOR <JSON  prints the rows of --compare -j that take so many times as long or more, even
                                              at the least that is shown
       tests/cli/compare.py power NETSTACKLAT FOLDER  prints in how many of ten such pairs p99 is found to differ
"""
import base64
import bisect
import gzip
import html.parser
import json
import math
import pathlib
import random
import re
import subprocess
import sys

RESOLUTION, INTERVALS, PACKETS = 3, 20, 300
ROWS = {"tcp-start": 20e3, "udp-socket-read": 300e3}
# Of pairs of sides in which read takes a fifth longer, each of three runs.
POWER_PAIRS, POWER_INTERVALS, POWER_PACKETS = 10, 60, 500
RUN = {"schema": 1, "kind": "interval", "interval_s": 1.0, "kernel": "6.12.0", "resolution": RESOLUTION}


# Of all buckets: each ns up to 2^3, then eight an octave.
BOUNDS = list(range(1, 9)) + [2 ** octave * (8 + part) // 8 for octave in range(3, 34) for part in range(1, 9)]


def histogram(name, samples):
    buckets = {}
    for ns in samples:
        le = BOUNDS[bisect.bisect_left(BOUNDS, ns)]
        buckets[le] = buckets.get(le, 0) + 1
    return {"hook": name, "group": {}, "count": len(samples), "sum_ns": sum(samples),
            "buckets": [{"le_ns": le, "count": count} for le, count in sorted(buckets.items())]}


def run(generator, slower, intervals=INTERVALS, packets=PACKETS):
    drift = generator.gauss(0, 0.01)
    for _ in range(intervals):
        yield {**RUN, "histograms": [histogram(name, [
            int(mean * (slower if name == "udp-socket-read" else 1) * math.exp(drift + generator.gauss(0, 0.5))) for _ in range(packets)])
            for name, mean in ROWS.items()]}


def write(path, reports):
    lines = [json.dumps(report) for report in reports]
    lines.append(json.dumps({**RUN, "kind": "total", "histograms": []}))
    path.write_text("\n".join(lines) + "\n")


def make(folder):
    generator = random.Random(7)
    for side, slower in (("a", 1), ("b", 1.2)):
        for number in (1, 2, 3):
            write(pathlib.Path(folder, f"{side}{number}"), run(generator, slower))


def quantile(counts, share):
    rank, below, before = share * sum(counts.values()), 0, dict(zip(BOUNDS[1:], BOUNDS))
    for le, count in sorted(counts.items()):
        if below + count >= rank:
            low = before.get(le, 0)
            return low + (le - low) * (rank - below) / count
        below += count


def figures(path, name):
    counts, total_ns = {}, 0
    for line in pathlib.Path(path).read_text().splitlines():
        report = json.loads(line)
        for row in report["histograms"] if report["kind"] == "interval" else []:
            if row["hook"] == name:
                total_ns += row["sum_ns"]
                for bucket in row["buckets"]:
                    counts[bucket["le_ns"]] = counts.get(bucket["le_ns"], 0) + bucket["count"]
    shares = {"p50": 0.5, "p90": 0.9, "p99": 0.99}
    return {"mean": total_ns / sum(counts.values()), **{figure: quantile(counts, share) for figure, share in shares.items()}}


def page(folder, path):
    page = pathlib.Path(folder, path).read_text()
    data = json.loads(gzip.decompress(base64.b64decode(re.search(r'<script id="data"[^>]*>([^<]*)<', page)[1])))
    assert data["nr_before"] == 3 and [column[1] for column in data["columns"]] == 6 * [1000 * INTERVALS], data["columns"]
    assert "The sides differ in 4 of 8 figures:" in data["verdict"] and not data["total"], data["verdict"]
    for panel in data["panels"]:
        assert panel["view"] == "hooks", panel
        for (column, sum_ns, first, *counts), run in zip(panel["cells"], ("a1", "a2", "a3", "b1", "b2", "b3"), strict=True):
            expected = figures(pathlib.Path(folder, run), panel["label"])
            assert sum(counts) == PACKETS * INTERVALS and sum_ns == round(expected["mean"] * sum(counts)), (column, run)
            below = sum(count for i, count in enumerate(counts, first) if BOUNDS[i] < expected["p50"])
            assert below <= sum(counts) / 2, (column, run)
    assert {panel["label"] for panel in data["panels"]} == set(ROWS), data["panels"]


def tail(t, degrees):
    """How likely more than t is: the density, summed up in steps."""
    scale = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) / math.sqrt(degrees * math.pi)
    steps = [(step + 0.5) / 20000 for step in range(20000)]
    return sum(scale * (1 + (t + u / (1 - u)) ** 2 / degrees) ** (-(degrees + 1) / 2) / (1 - u) ** 2 for u in steps) / 20000


def student(p, degrees):
    low, high = 0.0, 1000.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if tail(middle, degrees) > p else (low, middle)
    return low


def expected(folder, name, figure, t):
    a, b = ([math.log(figures(f"{folder}/{side}{number}", name)[figure]) for number in (1, 2, 3)] for side in "ab")
    means = [sum(side) / 3 for side in (a, b)]
    variance = sum((x - mean) ** 2 for side, mean in zip((a, b), means) for x in side) / 4
    error = max(math.sqrt(variance), 0.002) * math.sqrt(2 / 3)
    return [100 * (math.exp(means[1] - means[0] + part * t * error) - 1) for part in (0, -1, 1)]


def check(folder, text):
    """Those that differ come first, the largest of them before all; then the others, those best known first."""
    t = student(0.05 / 2 / 8, 4)
    wanted = []
    for name in ROWS:
        for figure in ("mean", "p50", "p90", "p99"):
            factor, least, most = expected(folder, name, figure, t)
            if least > 0:
                wanted.append((0, -factor, name, figure, f"slower by {factor:.3g} % ({least:.3g} to {most:.3g} %)"))
            else:
                wanted.append((1, (100 + most) / (100 + least), name, figure, f"no difference shown ({least:+.3g} to {most:+.3g} %)"))
    said = pathlib.Path(text).read_text().split("\n\n")[1].splitlines()[1:]
    assert [line.split(", from ")[0] for line in said] == [f"    {name} {figure}: {words}" for _, _, name, figure, words in sorted(wanted)], said


def compared(netstacklat, before, after):
    said = subprocess.run([netstacklat, "--compare", "-j", *before, "--", *after], stdout=subprocess.PIPE, check=True)
    return json.loads(said.stdout)["figures"]


def alarms(netstacklat, times, *runs):
    generator, differ = random.Random(11), 0
    for _ in range(int(times)):
        picked = generator.sample(runs, 6)
        differ += any(figure["differs"] for figure in compared(netstacklat, picked[:3], picked[3:]))
    print(differ)


PIECES = ["<", ">", '"', "'", "`", "&", "\\", "</script>", "<script>alert(1)", "<!--", "-->", "]]>", "<img src=x onerror=alert(1)>", "${", "{{", "}}",
          "&lt;", "%3C", "\\u003c", "javascript:", "__proto__", "\u2028", "\u202e", "\x1b[2J", "\x00", "\u65e5", "x"]


def hostile(folder, seed):
    generator = random.Random(int(seed))
    names = {"".join(generator.choices(PIECES, k=generator.randint(1, 6))) for _ in range(60)}
    histograms = [{**histogram("udp-socket-read", [1000] * 10), "group": {"comm": name}} for name in sorted(names)]
    for path in (pathlib.Path(folder, side) for side in "ab"):
        write(path, [{**RUN, "histograms": histograms}] * 10)


class Document(html.parser.HTMLParser):
    """The text of a document, and what else is in it: kinds of elements, and attributes that are scripts."""
    def __init__(self, path):
        super().__init__()
        self.text, self.kinds, self.scripts = "", set(), []
        self.feed(pathlib.Path(path).read_text())

    def handle_starttag(self, tag, attributes):
        self.kinds.add(tag)
        self.scripts += [name for name, _ in attributes if name.startswith("on")]

    def handle_data(self, data):
        self.text += data


def harmless(dom):
    rows = {figure["row"] for figure in json.load(sys.stdin)["figures"]}
    document = Document(dom)
    missing = [row for row in rows if row not in document.text]
    print(len(rows), "rows,", sorted(document.kinds))
    assert len(rows) > 40 and not missing, missing
    assert "img" not in document.kinds and not document.scripts, document.scripts


def slower(factor):
    rows = {figure["row"]: None for figure in json.load(sys.stdin)["figures"] if figure["least"] >= float(factor)}
    print(*rows, sep="\n")


def power(netstacklat, folder):
    generator, found = random.Random(13), 0
    for _ in range(POWER_PAIRS):
        sides = [[pathlib.Path(folder, f"power-{side}{number}") for number in range(3)] for side in "ab"]
        for side, slower in zip(sides, (1, 1.2)):
            for path in side:
                write(path, run(generator, slower, POWER_INTERVALS, POWER_PACKETS))
        found += any(figure["differs"] for figure in compared(netstacklat, *sides)
                     if (figure["row"], figure["figure"]) == ("udp-socket-read", "p99"))
    print(found)


{"make": make, "check": check, "page": page, "alarms": alarms, "hostile": hostile, "harmless": harmless, "slower": slower, "power": power}[sys.argv[1]](*sys.argv[2:])
