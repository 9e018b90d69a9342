"""What formats.bats says of reports, whatever their format."""
import base64
import datetime
import gzip
import html.parser
import json
import math
import os
import re
import sys

from run import buckets, histogram


def intervals_add_up(run, *counts):
    """In every bucket and cause; HOOK=COUNT is in the total."""
    total = run.total
    assert len(run.intervals) > 3 and total["kind"] == "total"
    assert {r["kind"] for r in run.intervals} == {"interval"}
    assert total["clock"] == "monotonic" or total["offset_ns"] == 37000000000
    for hook, count in (expected.split("=") for expected in counts):
        assert histogram(total, hook)["count"] == int(count), hook
    for hook in [h["hook"] for h in total["histograms"]]:
        for field in "count", "sum_ns":
            assert sum(histogram(r, hook)[field] for r in run.intervals) == histogram(total, hook)[field], hook
        for le, count in buckets(total, hook).items():
            assert sum(buckets(r, hook).get(le, 0) for r in run.intervals) == count, (hook, le)
        for cause, count in histogram(total, hook)["discarded"].items():
            assert sum(histogram(r, hook)["discarded"][cause] for r in run.intervals) == count, (hook, cause)
    assert abs(sum(r["interval_s"] for r in run.intervals) - total["interval_s"]) < 0.001


def time_is_right(run):
    """The last report, which is standard input, was written at the time that it tells."""
    told = datetime.datetime.fromisoformat(run.total["time"].replace("Z", "+00:00")).timestamp()
    written = os.fstat(sys.stdin.fileno()).st_mtime
    print("told", told, "written", written)
    assert -0.1 < written - told < 1


def counts_only_grow(run, count):
    counts = [histogram(r, "udp-start")["count"] for r in run.reports]
    assert counts == sorted(counts) and counts[-1] == int(count), counts
    assert {r["kind"] for r in run.intervals} == {"cumulative"}


def reader_says_the_same(run, reader, packets, ms):
    """By the ages of the packets that it found, which slept MS before each."""
    ages = sorted(map(int, open(reader).readlines()[2].split()))
    ours = histogram(run.total, "udp-socket-read")
    assert ours["count"] == len(ages) == int(packets)
    mean = sum(ages) / len(ages)
    print("mean", ours["mean_ns"], "read here,", mean, "at the reader")
    # Nobody reads before the kernel hands out; and the way out of it is short.
    assert ours["mean_ns"] <= mean < ours["mean_ns"] + int(ms) * 1e6 / 2
    seen = 0
    for le, count in buckets(run.total, "udp-socket-read").items():
        for age in ages[seen:seen + count]:
            assert le / 2 < age <= 2 * le, (le, age)
        seen += count


def buckets_are_of(run, resolution, packets):
    assert histogram(run.total, "udp-socket-enqueued")["count"] == int(packets)
    for le in buckets(run.total, "udp-socket-enqueued"):
        octave = max((le - 1).bit_length() - 1 - int(resolution), 0)
        assert le % (1 << octave) == 0, le
        assert le <= 1 << 34


def openmetrics_have(_, name, path):
    from prometheus_client.openmetrics.parser import text_string_to_metric_families
    assert any(family.name == name for family in text_string_to_metric_families(open(path).read()))


def are_served(_, path, url, packets):
    """What the file has, node_exporter serves: the same series with the same values."""
    from urllib.request import urlopen

    from prometheus_client.parser import text_string_to_metric_families

    def labels(sample):
        """It gives all series of a family the same labels, some of them empty, which is as good as none."""
        return tuple(sorted((name, value) for name, value in sample.labels.items() if value))

    def read(text):
        return {family.name: (family.type, {(s.name, labels(s)): s.value for s in family.samples})
                for family in text_string_to_metric_families(text)}

    written, served = read(open(path).read()), read(urlopen(url, timeout=30).read().decode())
    print({name: (kind, len(samples)) for name, (kind, samples) in written.items()})
    assert written["netstacklat_latency_seconds"][1][
        "netstacklat_latency_seconds_count", (("comm", "traffic.py"), ("hook", "udp-socket-read"))] == int(packets)
    assert len(written) == 9 and written.items() <= served.items()
    assert served["node_textfile_scrape_error"][1]["node_textfile_scrape_error", ()] == 0


def slow_ring_has_all(run, packets):
    """One of the reports covers the intervals that it missed."""
    assert histogram(run.total, "udp-socket-enqueued")["count"] == int(packets)
    assert sum(histogram(r, "udp-socket-enqueued")["count"] for r in run.intervals) == int(packets)
    assert max(r["interval_s"] for r in run.intervals) > 5


def page_data(page):
    """What a page of -o html draws: JSON, compressed by gzip, in base64."""
    return json.loads(gzip.decompress(base64.b64decode(re.search(r'<script id="data"[^>]*>([^<]*)<', page)[1])))


def panel_count(panel):
    """Each cell has its column, sum and first bucket before the counts."""
    return sum(sum(cell[3:]) for cell in panel["cells"])


def page_counts(page, *counts):
    """HOOK=COUNT in the total as in the panels."""
    data = page_data(page)
    panels = {panel["label"]: panel for panel in data["panels"] if panel["view"] == "hooks"}
    for hook, count in (expected.split("=") for expected in counts):
        assert histogram(data["total"], hook)["count"] == panel_count(panels[hook]) == int(count), hook
        assert sum(cell[1] for cell in panels[hook]["cells"]) == histogram(data["total"], hook)["sum_ns"], hook


def page_has(page, packets, *counts):
    """So many slow packets, and HOOK=COUNT."""
    data = page_data(page)
    ends = [column[0] for column in data["columns"]]
    assert len(ends) > 3 and ends == sorted(ends), ends
    assert "-o html" in " ".join(data["command"]) and data["left_out"] == {"samples": 0, "packets": 0}
    assert len(data["packets"]) == int(packets), len(data["packets"])
    page_counts(page, *counts)


def page_has_verdict(page, sentence, hook):
    """In text, and what was read at the hook as its hooks, too."""
    data = page_data(page)
    assert sentence in data["verdict"], data["verdict"]
    panels = [panel for panel in data["panels"] if panel["label"].startswith(hook)]
    assert panels and all(panel_count(panel) for panel in panels), [panel["label"] for panel in data["panels"]]


class Table(html.parser.HTMLParser):
    """Each row of the figures in a page, as a browser shows them: a label, then numbers."""

    def __init__(self, dom):
        super().__init__()
        self.rows, self.inside, self.label = {}, False, None
        self.feed(dom)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "table":
            self.inside = attributes.get("id") == "figures"
        elif tag == "td" and self.inside and "data-value" in attributes:
            self.rows[self.label].append(attributes["data-value"])
        elif tag == "td" and self.inside:
            self.label = ""

    def handle_data(self, data):
        if self.inside and self.label == "":
            self.label = data
            self.rows[data] = []


def quantile(report, hook, share):
    """The bound of the bucket with the sample of this rank."""
    rank = math.ceil(share * histogram(report, hook)["count"])
    seen = 0
    for le, count in buckets(report, hook).items():
        seen += count
        if seen >= rank:
            return le
    return None


def side_is_shown(run, dom, side):
    """In a comparison, the figures in the browser's DOM are those of all intervals of all runs of a side."""
    with open(dom) as file:
        rows = Table(file.read()).rows
    for hook in ("udp-start", "udp-socket-read"):
        all_of = [histogram(report, hook) for report in run.reports if report["kind"] == "interval"]
        expected = [sum(h[field] for h in all_of) for field in ("count", "sum_ns")]
        assert [int(number) for number in rows[f"{hook}, {side}"][:2]] == expected, (rows, expected)


class Elements(html.parser.HTMLParser):
    """The kinds of elements of a document, and its text."""
    def __init__(self, document):
        super().__init__()
        self.kinds, self.handlers, self.text = set(), [], ""
        self.feed(document)

    def handle_starttag(self, tag, attributes):
        self.kinds.add(tag)
        self.handlers += [name for name, _ in attributes if name.startswith("on")]

    def handle_data(self, data):
        self.text += data


def names_are_text(page, dom, nr):
    """So many groups are called in the browser's DOM what they are in JSON, and are nothing else there."""
    names = {h["group"]["cgroup"] for h in page_data(page)["total"]["histograms"] if h["group"]}
    with open(dom) as file:
        document = Elements(file.read())
    print(names, document.kinds)
    assert len(names) == int(nr), names
    assert not document.kinds & {"img", "svg", "b"} and not document.handlers, document.handlers
    for name in names:
        assert name.replace("\\", "\\\\").replace('"', '\\"') in document.text, name


def page_is_shown(page, dom):
    """The figures in the browser's DOM are those of the total."""
    total = page_data(page)["total"]
    with open(dom) as file:
        rows = Table(file.read()).rows
    counted = {h["hook"] for h in total["histograms"] if h["count"]}
    assert rows.keys() == counted and counted, (rows.keys(), counted)
    for hook, (count, total_ns, p50, _, p99, *_) in rows.items():
        expected = [histogram(total, hook)[field] for field in ("count", "sum_ns")]
        assert [int(count), int(total_ns)] == expected, hook
        assert [int(p50), int(p99)] == [quantile(total, hook, 0.5), quantile(total, hook, 0.99)], hook
