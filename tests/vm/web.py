#!/usr/bin/python3 -BS
"""Clients of what netstacklat serves, good ones and bad ones.

usage: tests/vm/web.py get URL [HEADER: VALUE]...    status, headers and body; URL may be unix:PATH/PAGE
       tests/vm/web.py crowd PORT SECONDS            50 clients: 20 of them slow-loris, 5 stalled, 25 that scrape
       tests/vm/web.py burst PORT NUMBER             so many clients that leave soon, and all at once
       tests/vm/web.py idle PORT NUMBER SECONDS      so many clients that do nothing, while others are answered in time
       tests/vm/web.py bad PORT                      what each bad request is answered
       tests/vm/web.py stall PORT                    asks, says "stalled", and reads nothing until it is closed
       tests/vm/web.py ask PORT REQUESTS             of all kinds; one of 100 is not waited for
       tests/vm/web.py follow PORT FILE              scrapes until FILE is there: no series may go backwards
       tests/vm/web.py query URL PROMQL              of a Prometheus: label sets and values, as JSON lines
"""
import http.client
import json
import os
import re
import socket
import sys
import time
import urllib.parse
import urllib.request

PAGE = "/metrics"
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=30)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.path)


def get(url, *headers):
    if url.startswith("unix:"):
        path, page = url[len("unix:"):].rsplit("/", 1)
        connection, page = UnixConnection(path), "/" + page
    else:
        parts = urllib.parse.urlsplit(url)
        connection, page = http.client.HTTPConnection(parts.netloc, timeout=30), parts.path
    connection.request("GET", page, headers=dict(header.split(": ", 1) for header in headers))
    response = connection.getresponse()
    print(response.status)
    for name, value in response.getheaders():
        print(f"{name}: {value}")
    print()
    sys.stdout.flush()
    sys.stdout.buffer.write(response.read())


def samples(port):
    """All of a scrape: {'name{label="value"}': number}"""
    text = urllib.request.urlopen(f"http://127.0.0.1:{port}{PAGE}", timeout=30).read().decode()
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    found = {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in lines}
    assert len(found) == len(lines), "a series is there twice"
    return found


def connect(port):
    return socket.create_connection(("127.0.0.1", int(port)), timeout=30)


def answer(port, request):
    client = connect(port)
    try:
        client.sendall(request)
    except OSError:
        pass
    try:
        return client.recv(65536).decode().split("\r\n")[0]
    except OSError:
        return "closed"


def crowd(port, seconds):
    request = f"GET {PAGE} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    until = time.monotonic() + float(seconds)
    loris, stalled, scraped = [connect(port) for _ in range(20)], [], 0
    for _ in range(5):
        stalled.append(connect(port))
        stalled[-1].sendall(request)
    byte = 0
    while time.monotonic() < until:
        for client in loris:
            try:
                client.send(request[byte % 20:byte % 20 + 1])
            except OSError:
                loris.remove(client)
                loris.append(connect(port))
        byte += 1
        clients = [connect(port) for _ in range(25)]
        for client in clients:
            client.sendall(request)
        for client in clients:
            scraped += client.recv(16) == b"HTTP/1.1 200 OK\r"
            client.close()
        time.sleep(0.1)
    print(scraped)


def burst(port, number):
    clients = [connect(port) for _ in range(int(number))]
    time.sleep(0.5)
    for client in clients:
        client.close()


def is_closed(client):
    try:
        return not client.recv(1, socket.MSG_DONTWAIT)
    except BlockingIOError:
        return False
    except OSError:
        return True


def idle(port, number, seconds):
    clients = [connect(port) for _ in range(int(number))]
    until = time.monotonic() + float(seconds)
    while time.monotonic() < until:
        asked = time.monotonic()
        assert answer(port, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n") == "HTTP/1.1 200 OK"
        # Sooner than those are sent away, after 10 s.
        assert time.monotonic() - asked < 5
        clients = [connect(port) if is_closed(client) else client for client in clients]
        time.sleep(1)


def bad(port):
    million = b"x" * (1 << 20)
    for name, request in {
        "nowhere": b"GET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "post": b"POST /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc",
        "large": b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nAccept: " + million + b"\r\n\r\n",
        "nonsense": b"\x16\x03\x01 hello\r\n\r\n",
        "good": b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n",
    }.items():
        print(name, answer(port, request))
    for _ in range(100):
        client = connect(port)
        client.send(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
        client.close()


def ask(port, requests):
    # Mostly for what is small: what is large takes long to send where CPUs are emulated.
    kinds = ["GET /metrics", "GET /metrics gzip", "GET /nowhere", "POST /metrics", "GET /"] + 15 * ["GET /healthz"]
    statuses = set()
    for number in range(int(requests)):
        method, page, *coding = kinds[number % len(kinds)].split()
        headers = f"Host: localhost\r\nConnection: close\r\nAccept-Encoding: {coding[0] if coding else 'identity'}\r\n"
        with connect(port) as client, client.makefile("rb") as file:
            client.sendall(f"{method} {page} HTTP/1.1\r\n{headers}\r\n".encode())
            if number % 100 < 99:
                statuses.add(file.read().split()[1])
    assert statuses == {b"200", b"404", b"405"}, statuses


def stall(port):
    client = connect(port)
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
    client.send(f"GET {PAGE} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    client.recv(1)
    print("stalled", flush=True)
    time.sleep(60)


def by_hook(scrape, metric):
    sums = {}
    for series, value in scrape.items():
        if series.startswith(metric + "{"):
            hook = dict(LABEL.findall(series))["hook"]
            sums[hook] = sums.get(hook, 0) + value
    return sums


# Of the gauges, those that change while nothing is wrong.
MAY_FALL = ("netstacklat_clock_offset_seconds", "netstacklat_group_rows", "process_resident_memory_bytes")


def follow(port, end):
    """Of each series that is there again, and of each hook in all. Says what came and went."""
    before, came, went, scrapes, is_last = {}, set(), set(), 0, False
    while not is_last:
        is_last = os.path.exists(end)
        now = samples(port)
        for series in before.keys() & now.keys():
            if series not in MAY_FALL:
                assert now[series] >= before[series], (series, before[series], now[series])
        for metric in ("netstacklat_latency_seconds_count", "netstacklat_latency_seconds_sum"):
            sums = by_hook(now, metric)
            for hook, value in by_hook(before, metric).items():
                assert sums[hook] >= value * (1 - 1e-12), (metric, hook, value, sums[hook])
        went |= before.keys() - now.keys()
        came |= now.keys() - before.keys() if before else set()
        before, scrapes = now, scrapes + 1
        time.sleep(0.5)
    print(json.dumps({"scrapes": scrapes, "came": len(came), "went": len(went),
                      "count": by_hook(before, "netstacklat_latency_seconds_count")}))


def query(url, promql):
    url = f"{url}/api/v1/query?" + urllib.parse.urlencode({"query": promql})
    for result in json.load(urllib.request.urlopen(url, timeout=30))["data"]["result"]:
        print(json.dumps({**result["metric"], "value": float(result["value"][1])}))


if __name__ == "__main__":
    {command.__name__: command for command in (get, crowd, burst, idle, bad, ask, stall, follow, query)}[sys.argv[1]](*sys.argv[2:])
