#!/usr/bin/python3 -BS
"""Asks a real Prometheus each query of a dashboard, and says which of them it has no data for.

usage: tests/cli/dashboards.py DASHBOARD FOLDER    Prometheus keeps its data in the folder

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


def golden_series():
    """As {series: value}, without what is said of them, as each file says it."""
    series = {}
    for name in ("prometheus-stages.prom", "prometheus-overhead.prom"):
        for line in (GOLDEN / name).read_text().splitlines():
            if not line.startswith("#"):
                series.setdefault(*line.rsplit(" ", 1))
    return series


class Exporter(http.server.BaseHTTPRequestHandler):
    series, scrapes = golden_series(), 0

    def do_GET(self):
        Exporter.scrapes += 1
        body = "".join(f"{name} {float(value) * Exporter.scrapes!r}\n" for name, value in self.series.items()).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def start_prometheus(folder, target):
    (folder / "prometheus.yml").write_text(
        "global: {scrape_interval: 500ms}\n"
        f"scrape_configs: [{{job_name: netstacklat, static_configs: [{{targets: ['127.0.0.1:{target}']}}]}}]\n")
    return subprocess.Popen(
        ["prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data",
         "--web.listen-address=127.0.0.1:0", "--log.format=json"],
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
    prometheus = start_prometheus(folder, server.server_port)
    try:
        address = address_of(prometheus)
        while Exporter.scrapes < 8:
            time.sleep(0.1)
        queries = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
        # Values are numbers, and not all of them NaN.
        found = {query: [r for r in results(address, query) if re.match(r"-?[0-9]", r["value"][1])]
                 for query in queries}
        for query in queries:
            print("some" if found[query] else "none", query)
    finally:
        prometheus.terminate()
        prometheus.wait()


main()
