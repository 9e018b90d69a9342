#!/usr/bin/python3 -BS
"""Asks a real Prometheus each query of a dashboard, and says which of them it has no data for.

usage: tests/cli/dashboards.py DASHBOARD FOLDER [native]
    FOLDER   in which Prometheus keeps its data
    native   it turns histograms into native ones; before Prometheus 3, it can only say that the queries are valid

What it scrapes is made of golden files, as if nothing changed but time: each scrape has as much more as the first.
"""
import http.server
import json
import pathlib
import re
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

GOLDEN = pathlib.Path("tests/unit/golden")
VARIABLES = {'=~"$instance"': '=~".+"', '=~"$hook"': '=~".+"', '="$hook"': '="netif-receive"', "$__rate_interval": "20s"}


def golden_lines():
    """Of each family of metrics, as the first file says that has it."""
    families = {}
    for name in ("openmetrics-stages.prom", "openmetrics-overhead.prom"):
        text = subprocess.run(["awk", "-f", "tests/unit/as-prometheus.awk", GOLDEN / name], stdout=subprocess.PIPE, check=True, text=True).stdout
        for family in re.split("^(?=# TYPE )", text, flags=re.MULTILINE)[1:]:
            families.setdefault(family.split()[2], family.splitlines())
    return sum(families.values(), [])


class Exporter(http.server.BaseHTTPRequestHandler):
    lines, scrapes = golden_lines(), 0

    def line_now(self, line):
        if line.startswith("#"):
            return line
        series, value = line.rsplit(" ", 1)
        return f"{series} {float(value) * self.scrapes!r}"

    def do_GET(self):
        Exporter.scrapes += 1
        body = "".join(self.line_now(line) + "\n" for line in self.lines).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def can_convert():
    """To native histograms."""
    version = subprocess.run(["prometheus", "--version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return int(re.search(r"version (\d+)", version.stdout)[1]) >= 3


def start_prometheus(folder, target, native):
    convert = "convert_classic_histograms_to_nhcb: true, " if native else ""
    (folder / "prometheus.yml").write_text(
        f"global: {{{convert}scrape_interval: 500ms}}\n"
        f"scrape_configs: [{{job_name: netstacklat, static_configs: [{{targets: ['127.0.0.1:{target}']}}]}}]\n")
    return subprocess.Popen(
        ["prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data",
         "--web.listen-address=127.0.0.1:0", "--log.format=json",
         *["--enable-feature=native-histograms"] * native],
        stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)


def address_of(prometheus):
    """It says where it listens; what else it says is of no interest."""
    for line in prometheus.stderr:
        message = json.loads(line)
        if message.get("msg") == "Listening on":
            threading.Thread(target=prometheus.stderr.read, daemon=True).start()
            return message["address"]
    sys.exit("prometheus does not listen")


def results(address, query):
    for variable, value in VARIABLES.items():
        query = query.replace(variable, value)
    assert "$" not in query, query
    url = f"http://{address}/api/v1/query?" + urllib.parse.urlencode({"query": query})
    try:
        return json.load(urllib.request.urlopen(url, timeout=10))["data"]["result"]
    except urllib.error.HTTPError as error:
        sys.exit(f"{query}: {error.read().decode()}")


def main():
    dashboard, folder = json.load(open(sys.argv[1])), pathlib.Path(sys.argv[2])
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Exporter)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    only_validate = sys.argv[3:] == ["native"] and not can_convert()
    prometheus = start_prometheus(folder, server.server_port, native=sys.argv[3:] == ["native"] and can_convert())
    try:
        address = address_of(prometheus)
        while Exporter.scrapes < 8:
            time.sleep(0.1)
        queries = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
        for query in queries:
            # A number, not NaN; or a histogram.
            found = [r for r in results(address, query)
                     if "histogram" in r or re.match(r"-?[0-9]", r["value"][1])]
            print("valid" if only_validate else "some" if found else "none", query)
    finally:
        prometheus.terminate()
        prometheus.wait()


main()
