"""What backlog.bats sends, and says of the stage in which it waits."""
import socket
import sys
import time


def waits_there_alone(run, sent, counted):
    """So many of all that netfilter counted were sent behind others: they took most of all time there."""
    for s in run.total["stages"]:
        print(s["from"], s["to"], s["count"], s["mean_ns"], s["max_le_ns"])
    print(run.total["unpaired"], counted)
    backlog, = (s for s in run.total["stages"] if s["to"] == "netif-receive")
    others = [s for s in run.total["stages"] if s["to"] != "netif-receive"]
    assert backlog["count"] == int(counted) >= int(sent)
    assert all(s["count"] <= backlog["count"] for s in others)
    assert sum(s["count"] for s in others if s["to"] == "ip-rcv") == backlog["count"]
    assert backlog["sum_ns"] > 4 * sum(s["sum_ns"] for s in others)


def send_behind(protocol, address, crowd_address, packets, crowd):
    kind = {"tcp": socket.SOCK_STREAM, "udp": socket.SOCK_DGRAM}[protocol]
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as other, socket.socket(socket.AF_INET, kind) as sock:
        sock.connect((address, 4000))
        for _ in range(int(packets)):
            for _ in range(int(crowd)):
                other.sendto(bytes(100), (crowd_address, 4999))
            sock.send(bytes(100))
            time.sleep(0.1)


if __name__ == "__main__":
    send_behind(*sys.argv[1:])
