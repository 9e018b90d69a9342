#!/usr/bin/env python3
"""Requests and answers, with a known delay in each part of them.

       requests.py tcp-serve ADDRESS PORT CONNECTIONS ACCEPT_MS THINK_MS SIZE
           when all have come, accepts a connection every ACCEPT_MS, and answers all of its requests: THINK_MS after each, with
           SIZE bytes, in several writes, from another thread than the one that read
       requests.py tcp-ask ADDRESS PORT CONNECTIONS REQUESTS SIZE [READ_MS]
           connects so often, then asks on each connection, and reads READ_MS after it asked
       requests.py mapped-serve PORT REQUESTS
           answers so many by TCP and as many by UDP, to clients of IPv4 from sockets of IPv6
       requests.py mapped-ask ADDRESS PORT REQUESTS
       requests.py tcp-short-serve ADDRESS PORT CONNECTIONS
       requests.py tcp-short-ask ADDRESS PORT CONNECTIONS
           one request a connection
       requests.py tcp-pieces ADDRESS PORT WRITES SIZE
           writes so often, without a pause
       requests.py tcp-collect ADDRESS PORT
           reads one connection to its end, and prints how much came
       requests.py tcp-pour ADDRESS PORT SIZE
       requests.py tcp-ignore ADDRESS PORT CONNECTIONS MS
           has room for so many, and accepts none; then ends
       requests.py tcp-knock ADDRESS PORT CONNECTIONS MS
           asks for so many at once, and ends
       requests.py udp-serve ADDRESS PORT REQUESTS THINK_MS
       requests.py udp-ask ADDRESS PORT REQUESTS
       requests.py udp-serve-apart ADDRESS PORT CLIENTS THINK_MS
           reads the request of each; other threads answer them THINK_MS later
       requests.py udp-ask-apart ADDRESS PORT CLIENTS
           one request of each
       requests.py tcp-late ADDRESS PORT REQUESTS READ_MS THINK_MS [WAY]
       requests.py udp-late ADDRESS PORT REQUESTS READ_MS THINK_MS
           reads each request READ_MS after it came, and answers it THINK_MS later; WAY is one of WAYS, how it writes
       requests.py tcp-time ADDRESS PORT REQUESTS [AHEAD READ_MS]
       requests.py udp-time ADDRESS PORT REQUESTS
           has AHEAD requests without an answer, with little room for answers, and reads one every READ_MS; prints how
           long it took on average from asking to reading the answer, in ns
       requests.py udp-fill ADDRESS PORT PACKETS
           sends so many, with room for two in its send buffer, and prints how long that took each on average, in ns
       requests.py udp-cork ADDRESS PORT PACKETS MS
           writes each in three pieces, one every MS"""
import os
import queue
import re
import select
import socket
import struct
import sys
import tempfile
import threading
import time

from run import Run


def family_of(address):
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def nr_to_accept(listener):
    """Of a socket that listens, the kernel tells it as tcpi_unacked (tcp(7))."""
    info = listener.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104)
    return struct.unpack_from("I", info, 24)[0]


def receive(connection, size):
    """False at the end."""
    while size:
        data = connection.recv(min(size, 65536))
        if not data:
            return False
        size -= len(data)
    return True


def answer(requests, think_ms, size):
    while (connection := requests.get()):
        time.sleep(think_ms / 1000)
        connection.sendall(b"y")
        if size > 1:
            connection.sendall(bytes(size - 1))


def tcp_serve(address, port, connections, accept_ms, think_ms, size):
    requests = queue.Queue()
    thread = threading.Thread(target=answer, args=(requests, think_ms, size))
    with socket.socket(family_of(address), socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address, port))
        listener.listen(connections)
        print("ready", flush=True)
        accepted = []
        while nr_to_accept(listener) < connections:
            time.sleep(0.01)
        for _ in range(connections):
            time.sleep(accept_ms / 1000)
            accepted.append(listener.accept()[0])
            accepted[-1].setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    thread.start()
    answers = 0
    for connection in accepted:
        while receive(connection, 1):
            requests.put(connection)
            answers += 1
    requests.put(None)
    thread.join()
    print(answers)


def tcp_ignore(address, port, connections, ms):
    """For so long from the first connection on."""
    with socket.create_server((address, port), family=family_of(address), backlog=connections) as listener:
        print("ready", flush=True)
        select.select([listener], [], [])
        time.sleep(ms / 1000)
    print(0)


def tcp_knock(address, port, connections, ms):
    sockets = [socket.socket(family_of(address), socket.SOCK_STREAM) for _ in range(connections)]
    for sock in sockets:
        sock.setblocking(False)
        sock.connect_ex((address, port))
    time.sleep(ms / 1000)


def mapped_serve(port, requests):
    with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as listener, \
            socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as datagrams:
        for sock in listener, datagrams:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
            sock.bind(("::", port))
        listener.listen()
        print("ready", flush=True)
        connection, peer = listener.accept()
        assert peer[0].startswith("::ffff:"), peer
        for _ in range(requests):
            assert receive(connection, 1)
            connection.send(b"y")
        for _ in range(requests):
            _, peer = datagrams.recvfrom(1)
            datagrams.sendto(b"y", peer)
    print(2 * requests)


def mapped_ask(address, port, requests):
    with socket.create_connection((address, port)) as connection:
        for _ in range(requests):
            connection.send(b"x")
            assert receive(connection, 1)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams:
        for _ in range(requests):
            datagrams.sendto(b"x", (address, port))
            datagrams.recv(1)


def tcp_short_serve(address, port, connections):
    with socket.create_server((address, port), family=family_of(address), backlog=128) as listener:
        print("ready", flush=True)
        for _ in range(connections):
            connection, _ = listener.accept()
            assert receive(connection, 1)
            connection.send(b"y")
            connection.close()
    print(connections)


def tcp_short_ask(address, port, connections):
    for _ in range(connections):
        with socket.create_connection((address, port)) as connection:
            connection.send(b"x")
            assert receive(connection, 1)


def tcp_pieces(address, port, writes, size):
    with socket.create_connection((address, port)) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for _ in range(writes):
            connection.sendall(bytes(size))


def tcp_ask(address, port, connections, requests, size, read_ms=0):
    connected = [socket.create_connection((address, port)) for _ in range(connections)]
    for connection in connected:
        for _ in range(requests):
            connection.sendall(b"x")
            time.sleep(read_ms / 1000)
            assert receive(connection, size)
        connection.close()


def tcp_collect(address, port):
    with socket.create_server((address, port), family=family_of(address)) as listener:
        print("ready", flush=True)
        connection, _ = listener.accept()
        size = 0
        while data := connection.recv(65536):
            size += len(data)
    print(size)


def tcp_pour(address, port, size):
    with socket.create_connection((address, port)) as connection:
        connection.sendall(bytes(size))


def udp_serve(address, port, requests, think_ms):
    with socket.socket(family_of(address), socket.SOCK_DGRAM) as sock:
        sock.bind((address, port))
        print("ready", flush=True)
        for _ in range(requests):
            _, peer = sock.recvfrom(100)
            time.sleep(think_ms / 1000)
            sock.sendto(b"y", peer)
            sock.sendto(b"z", peer)
    print(requests)


def udp_ask(address, port, requests):
    with socket.socket(family_of(address), socket.SOCK_DGRAM) as sock:
        sock.settimeout(10)
        for _ in range(requests):
            sock.sendto(b"x", (address, port))
            sock.recv(100)
            sock.recv(100)


def udp_serve_apart(address, port, clients, think_ms):
    def answer(peer):
        time.sleep(think_ms / 1000)
        sock.sendto(b"y", peer)
        sock.sendto(b"z", peer)

    with socket.socket(family_of(address), socket.SOCK_DGRAM) as sock:
        sock.bind((address, port))
        print("ready", flush=True)
        peers = [sock.recvfrom(100)[1] for _ in range(clients)]
        threads = [threading.Thread(target=answer, args=(peer,)) for peer in peers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    print(clients)


def udp_ask_apart(address, port, clients):
    socks = [socket.socket(family_of(address), socket.SOCK_DGRAM) for _ in range(clients)]
    for sock in socks:
        sock.settimeout(10)
        sock.sendto(b"x", (address, port))
    for sock in socks:
        sock.recv(100)
        sock.recv(100)
        sock.close()


# Each goes as one segment.
ANSWER = bytes(1000)


def send_segment(sock, peer=None):
    sock.sendmsg([ANSWER], [], socket.MSG_EOR, peer)


def send_halves(sock):
    """The second waits until the first is acknowledged (Nagle)."""
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 0)
    for _ in range(2):
        sock.send(ANSWER[::2])


def send_vector(sock):
    sock.sendmsg([ANSWER[::2]] * 2)


def send_file(sock):
    with tempfile.TemporaryFile() as file:
        file.write(ANSWER)
        file.flush()
        assert os.sendfile(sock.fileno(), file.fileno(), 0, len(ANSWER)) == len(ANSWER)


def send_spliced(sock):
    ends = os.pipe()
    os.write(ends[1], ANSWER)
    assert os.splice(ends[0], sock.fileno(), len(ANSWER)) == len(ANSWER)
    for end in ends:
        os.close(end)


def send_without_copy(sock):
    # SO_ZEROCOPY, MSG_ZEROCOPY
    sock.setsockopt(socket.SOL_SOCKET, 60, 1)
    sock.send(ANSWER, 0x4000000)


WAYS = {"segment": send_segment, "halves": send_halves, "writev": send_vector, "sendfile": send_file,
        "splice": send_spliced, "zerocopy": send_without_copy}


def answer_late(sock, requests, read_ms, think_ms, send=send_segment):
    for _ in range(requests):
        select.select([sock], [], [])
        time.sleep(read_ms / 1000)
        _, peer = sock.recvfrom(1)
        time.sleep(think_ms / 1000)
        send(sock, *[peer] if peer else [])
    print(requests)


def tcp_late(address, port, requests, read_ms, think_ms, way="segment"):
    with socket.create_server((address, port), family=family_of(address)) as listener:
        print("ready", flush=True)
        connection, _ = listener.accept()
        with connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            answer_late(connection, requests, read_ms, think_ms, WAYS[way])


def udp_late(address, port, requests, read_ms, think_ms):
    with socket.socket(family_of(address), socket.SOCK_DGRAM) as sock:
        sock.bind((address, port))
        print("ready", flush=True)
        answer_late(sock, requests, read_ms, think_ms)


def time_answers(sock, address, port, requests, ahead=1, read_ms=0):
    asked_ns, took_ns = [], 0
    if ahead > 1:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 * len(ANSWER))
    sock.connect((address, port))
    for i in range(requests):
        while len(asked_ns) < min(i + ahead, requests):
            asked_ns.append(time.monotonic_ns())
            sock.send(b"x")
        time.sleep(read_ms / 1000)
        receive(sock, len(ANSWER))
        took_ns += time.monotonic_ns() - asked_ns[i]
    print(took_ns // requests)


def tcp_time(address, *arguments):
    with socket.socket(family_of(address), socket.SOCK_STREAM) as sock:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        time_answers(sock, address, *arguments)


def udp_time(address, *arguments):
    with socket.socket(family_of(address), socket.SOCK_DGRAM) as sock:
        time_answers(sock, address, *arguments)


def udp_fill(address, port, packets):
    with socket.socket(family_of(address), socket.SOCK_DGRAM) as sock:
        # The least that the kernel gives.
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)
        began_ns = time.monotonic_ns()
        for _ in range(packets):
            sock.sendto(bytes(1000), (address, port))
        print((time.monotonic_ns() - began_ns) // packets)


def udp_cork(address, port, packets, every_ms):
    with socket.socket(family_of(address), socket.SOCK_DGRAM) as sock:
        for _ in range(packets):
            for flags in socket.MSG_MORE, socket.MSG_MORE, 0:
                time.sleep(every_ms / 1000)
                sock.sendto(b"x", flags, (address, port))


class Parts:
    """Of requests, in the mean: those of the server by hook, and what the client measured less its own. The client's
    own parts are its stages, too, but for the time from an answer to the next request."""

    def __init__(self, run, requests, answer_ns):
        of_netns = {}
        for s in run.total["stages"]:
            of_netns.setdefault(s["group"]["netns"], {}).setdefault(s["to"], []).append(s)
        # TCP's handshake and a few ACKs have some parts, too.
        assert all(sum(s["count"] for s in stages) >= int(requests) for stages in of_netns["netstacklat-server"].values())
        means = {netns: {to: sum(s["sum_ns"] for s in stages) / sum(s["count"] for s in stages)
                         for to, stages in by_hook.items()} for netns, by_hook in of_netns.items()}
        self.server = means["netstacklat-server"]
        client = {to: ns for to, ns in means["netstacklat-client"].items() if not to.endswith("-send")}
        self.left_ns = int(answer_ns) - sum(client.values())
        for name, parts in ("server", self.server), ("client", client):
            print(name, {to: round(ns / 1e6, 3) for to, ns in parts.items()})
        print("the client measured", answer_ns, "less its own", self.left_ns, "server", sum(self.server.values()))


def parts_add_up(run, requests, answer_ns):
    parts = Parts(run, requests, answer_ns)
    assert abs(sum(parts.server.values()) - parts.left_ns) < 0.05 * parts.left_ns
    return parts


def delay_shows(run, requests, answer_ns, hook, undelayed, undelayed_answer_ns):
    """In the stage to this hook, and in no other: but for a quarter of what it adds as the client measures."""
    parts, before = parts_add_up(run, requests, answer_ns), Parts(Run(open(undelayed)), requests, undelayed_answer_ns)
    delay_ns = parts.left_ns - before.left_ns
    print("delay", delay_ns)
    assert delay_ns > 2 * before.left_ns
    assert parts.server.keys() == before.server.keys()
    for to, ns in parts.server.items():
        expected_ns = before.server[to] + (delay_ns if to == hook else 0)
        assert abs(ns - expected_ns) < delay_ns / 4, to


def total_is(run, hook, count):
    """So many samples; prints what else there is, and returns the buckets."""
    found = next(h for h in run.total["histograms"] if h["hook"] == hook)
    print(hook, found["count"], found["mean_ns"], found["discarded"], found["buckets"])
    assert found["count"] == int(count), found["count"]
    return found


def is_late(run, hook, count, least_ms):
    """All of them have waited for that long."""
    found = total_is(run, hook, count)
    assert found["buckets"][0]["le_ns"] >= int(least_ms) * 1e6


def some_are_late(run, hook, least_ms):
    found = next(h for h in run.total["histograms"] if h["hook"] == hook)
    print(found)
    assert any(bucket["le_ns"] > int(least_ms) * 1e6 for bucket in found["buckets"])


def takes(run, hook, count, measured_ns):
    """As long on average as a program measured around it."""
    found = total_is(run, hook, count)
    assert abs(found["mean_ns"] - int(measured_ns)) < 0.1 * int(measured_ns)


def counts_all(run, hook, count):
    """So many, and nothing besides."""
    assert not any(total_is(run, hook, count)["discarded"].values())


def counts_are(run, *expected):
    """HOOK=COUNT, all that are measured of these, and none that was not paired."""
    counts = {h["hook"]: (h["count"], h["discarded"]["no_begin"], h["discarded"]["no_memory"])
              for h in run.total["histograms"] if not h["group"]}
    print(counts)
    for word in expected:
        hook, count = word.split("=")
        assert counts[hook] == (int(count), 0, 0), hook


def is_not_late(run, hook, count, most_ms):
    """Of one part, on average: less than what another one was delayed by."""
    found = total_is(run, hook, count)
    assert found["mean_ns"] < int(most_ms) * 1e6


def each_way_is_late(run, requests, least_ms, *ports):
    """The application, once for each answer; and TCP sends it as one segment, at once."""
    found = {(h["hook"], h["group"].get("port")): h for h in run.total["histograms"]}
    for port in map(int, ports):
        sent, transmitted = found["tcp-send", port], found["tcp-transmit", port]
        print(port, [(h["count"], h["mean_ns"], h["buckets"]) for h in (sent, transmitted)])
        assert sent["count"] == transmitted["count"] == int(requests)
        assert sent["buckets"][0]["le_ns"] > int(least_ms) * 1e6
        assert transmitted["mean_ns"] < int(least_ms) * 1e6


def late_are_limited(run, hook, limit, late, of, least_ms):
    """So many are late, all by this limit, and no other is."""
    by_limit = {h["group"]["limit"]: h for h in run.total["histograms"] if h["hook"] == hook and h["group"]}
    late_by = {limit: sum(b["count"] for b in h["buckets"] if b["le_ns"] > int(least_ms) * 1e6) for limit, h in by_limit.items()}
    print(late_by, late)
    assert {limit: count for limit, count in late_by.items() if count} == {limit: int(late)}
    assert sum(h["count"] for h in by_limit.values()) == int(of)


def is_sent_again(run, netns, counts, *reasons):
    """By the reasons that the kernel counts, too, and these at least; a handshake waits for a second."""
    counted = {name: int(count) for name, count in (line.split("=") for line in counts.split())}
    groups = [h for h in run.total["histograms"] if h["group"] and "retransmit" in h["group"]]
    found = {h["group"]["retransmit"]: h for h in groups if h["group"]["netns"] == netns}
    of = {reason: h["count"] for reason, h in found.items()}
    print(netns, of, counted)
    assert sum(of.values()) == counted["TcpRetransSegs"] > 0
    assert of.get("syn", 0) + of.get("syn-ack", 0) == counted["TcpExtTCPSynRetrans"] > 0
    assert of.get("fast", 0) == counted["TcpExtTCPFastRetrans"]
    assert of.keys() >= set(reasons)
    for reason in of.keys() & {"syn", "syn-ack"}:
        assert found[reason]["buckets"][0]["le_ns"] > 900e6


def accepts_are_late(run, connections, every_ms):
    """The first waited for one turn and more, the last for all of them: half of these on average."""
    found = total_is(run, "tcp-accept", connections)
    assert found["buckets"][0]["le_ns"] > int(every_ms) * 1e6
    assert found["mean_ns"] > (int(connections) + 1) / 2 * int(every_ms) * 1e6
    assert not any(found["discarded"].values())


def are_in_sequence(run, behind_gap):
    """So many segments behind gaps; none is in no class, and those that filled the gaps came in order."""
    counts = {h["group"].get("sequence"): h["count"] for h in run.total["histograms"]}
    print(counts, behind_gap)
    assert counts["behind-gap"] == int(behind_gap) > 0
    assert counts["in-order"] > 0
    assert not counts.get(None)


def count_out_of_turn(run):
    """How many segments were behind gaps or had been received before."""
    counts = {h["group"].get("sequence"): h["count"] for h in run.total["histograms"]}
    print(counts["behind-gap"] + counts.get("received-before", 0))


def sockets_are(run, four, six):
    """By the cookies of the two sockets of UDP; TCP's, at both hooks, is that of the connection."""
    of_hook = {}
    for h in run.total["histograms"]:
        if h["count"]:
            of_hook.setdefault(h["hook"], []).append((h["group"], h["count"]))
    print(of_hook)
    assert of_hook["udp-socket-read"] == [({"socket": four, "addresses": "192.0.2.2:4000"}, 7),
                                          ({"socket": six, "addresses": "[2001:db8::2]:4001"}, 5)]
    (read, _), = of_hook["tcp-socket-read"]
    assert re.fullmatch(r"192\.0\.2\.2:5201-192\.0\.2\.1:\d+", read["addresses"])
    assert read in [stage["group"] for stage in run.total["stages"] if stage["to"] == "tx-start" and stage["count"]]


def threads_are_told_apart(run, requests):
    """The server's main thread reads; another one, of the same process, answers."""
    print([(h["hook"], h["group"], h["count"]) for h in run.total["histograms"]])
    read, sent = ([h for h in run.total["histograms"] if h["hook"] == hook and h["group"].get("pid")]
                  for hook in ("tcp-socket-read", "tcp-send"))
    # What ends the connection is read, too.
    assert [h["count"] for h in read] == [int(requests) + 1] and [h["count"] for h in sent] == [int(requests)]
    assert read[0]["group"]["pid"] == sent[0]["group"]["pid"] == read[0]["group"]["tid"]
    assert sent[0]["group"]["tid"] not in (None, read[0]["group"]["tid"])


if __name__ == "__main__":
    COMMANDS = {"tcp-serve": tcp_serve, "tcp-ask": tcp_ask, "tcp-collect": tcp_collect,
                "tcp-late": tcp_late, "udp-late": udp_late, "tcp-time": tcp_time, "udp-time": udp_time,
                "tcp-pour": tcp_pour, "udp-serve": udp_serve, "udp-ask": udp_ask,
                "udp-serve-apart": udp_serve_apart, "udp-ask-apart": udp_ask_apart,
                "mapped-serve": mapped_serve, "mapped-ask": mapped_ask,
                "tcp-short-serve": tcp_short_serve, "tcp-short-ask": tcp_short_ask, "tcp-pieces": tcp_pieces,
                "tcp-ignore": tcp_ignore, "tcp-knock": tcp_knock, "udp-fill": udp_fill, "udp-cork": udp_cork}
    if len(sys.argv) < 4 or sys.argv[1] not in COMMANDS:
        sys.exit(__doc__)
    COMMANDS[sys.argv[1]](*(int(word) if word.isdigit() else word for word in sys.argv[2:]))
