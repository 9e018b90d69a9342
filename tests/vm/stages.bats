#!/usr/bin/env bats
# --stages: the time of each packet from one hook to the next, at known numbers and known delays.

bats_require_minimum_version 1.5.0

setup() {
	# shellcheck source=tests/vm/helpers.bash
	source "$BATS_TEST_DIRNAME/helpers.bash"
	netns_up
	stay_on_one_cpu
}

teardown() {
	stop_everything
	remove_cgroup "$cgroup"
}

# What in-reports may ask of the total's stages: what="count" or "mean_ns", of one IP version or of both.
stage_figures='
def stages(to, ip_version=None):
    return [s for s in total["stages"] if s["to"] == to and ip_version in (None, s["ip_version"])]

def stage(begin, to, ip_version):
    found, = (s for s in stages(to, ip_version) if s["from"] == begin)
    return found

def paths(hooks, ip_version):
    return [stage(begin, to, ip_version) for begin, to in zip(hooks, hooks[1:])]

UDP = ["netif-receive", "ip-rcv", "udp-start", "udp-queue-rcv", "udp-socket-enqueued", "udp-socket-read"]
TCP = ["netif-receive", "ip-rcv", "tcp-start", "tcp-do-rcv", "tcp-data-queue", "tcp-socket-enqueued", "tcp-socket-read"]
'
in_stages() {
	tests/validate-json <"$tmp/$1.out"
	in_reports "$1" "$stage_figures" "$2"
}

send_udp() {
	start_receiver four udp-receive "$server_ipv4" 4000 "$1" "${3-0}"
	start_receiver six udp-receive "$server_ipv6" 4000 "$2" "${3-0}"
	on_client "$traffic" udp-send "$server_ipv4" 4000 "$1"
	on_client "$traffic" udp-send "$server_ipv6" 4000 "$2"
	receiver_result four
	receiver_result six
}

@test "UDP: each packet has every stage, and they add up to all of its way, to the nanosecond" {
	launch_netstacklat both --stages
	launch_netstacklat ipv4 --stages -4 -k 4 -e "netif-receive,ip-rcv,udp-*"
	wait_for_netstacklat both
	wait_for_netstacklat ipv4
	send_udp 503 499
	stop_all_netstacklats both ipv4
	in_stages both '
		for ip_version, packets in (4, 503), (6, 499):
		    way = paths(UDP, ip_version)
		    print([(s["to"], s["count"], s["mean_ns"]) for s in way])
		    assert [s["count"] for s in way[1:]] == 4 * [packets]
		    # Neighbour discovery comes by, too.
		    assert way[0]["count"] >= packets
		assert not any(total["unpaired"][hook] for hook in UDP[1:]), total["unpaired"]
		assert len(stages("udp-socket-read")) == 2'
	in_stages ipv4 '
		way = paths(UDP, 4)
		assert [s["count"] for s in way] == 5 * [503]
		first, last = histogram(total, "netif-receive"), histogram(total, "udp-socket-read")
		print(first["sum_ns"], [s["sum_ns"] for s in way], last["sum_ns"])
		assert stage("stamp", "netif-receive", None)["buckets"] == first["buckets"]
		assert sum(s["sum_ns"] for s in way) == last["sum_ns"] - first["sum_ns"]'
}

@test "TCP: every segment that was queued has its stage to the reader" {
	remembers_segments || skip "before Linux 5.11, no program keeps where segments were"
	start_netstacklat one --stages
	send_tcp 2000000
	stop_netstacklat one
	in_stages one '
		for ip_version in 4, 6:
		    queued = sum(s["count"] for s in stages("tcp-socket-enqueued", ip_version))
		    read = stage("tcp-socket-enqueued", "tcp-socket-read", ip_version)
		    print(queued, read["count"])
		    # Nobody reads a FIN that comes alone.
		    assert 0 <= queued - read["count"] <= 1 < queued
		print(total["unpaired"])
		assert not any(total["unpaired"][hook] for hook in TCP[1:])'
}

# The stages but one are short: that one takes more than MS, and all others together less than half of that.
assert_waits_at() { # NAME MS HOOK
	in_stages "$1" '
		slow = stages("'"$3"'")
		others = [s for s in total["stages"] if s["to"] != "'"$3"'"]
		print("slow:", [(s["from"], s["count"], s["mean_ns"]) for s in slow])
		print("others:", [(s["from"], s["to"], s["mean_ns"]) for s in others])
		assert slow and all(s["mean_ns"] > '"$2"'e6 for s in slow)
		assert sum(s["mean_ns"] for s in others) < '"$2"'e6 / 2'
}

# bats test_tags=long
@test "a reader that sleeps shows from the queue to the reader, and nowhere else" {
	start_netstacklat udp --stages -4 -e "ip-rcv,udp-*"
	start_receiver slow udp-receive "$server_ipv4" 4000 5 200
	for _ in 1 2 3 4 5; do
		on_client "$traffic" udp-send "$server_ipv4" 4000 1
	done
	receiver_result slow
	stop_netstacklat udp
	assert_waits_at udp 200 udp-socket-read

	remembers_segments || return 0
	start_netstacklat tcp --stages -4 -e "ip-rcv,tcp-*" -n "$netns_server"
	start_receiver slow tcp-receive "$server_ipv4" 5201 200
	on_client "$traffic" tcp-send "$server_ipv4" 5201 1000 1000
	[ "$(receiver_result slow)" -eq 1000 ]
	stop_netstacklat tcp
	assert_waits_at tcp 200 tcp-socket-read
}

# bats test_tags=long
@test "what is on the way alone is shown, hooks in between or not" {
	start_netstacklat one --stages -e "udp-start,udp-socket-read"
	send_udp 53 59
	stop_netstacklat one
	in_stages one '
		assert [(s["from"], s["to"], s["ip_version"], s["count"]) for s in total["stages"]] == \
			[("udp-start", "udp-socket-read", 4, 53), ("udp-start", "udp-socket-read", 6, 59)]
		assert total["unpaired"] == {"udp-socket-read": 0}'
}

# bats test_tags=long
@test "filters: stages begin at hooks that cannot tell, and end where they can" {
	start_netstacklat one --stages -P 4000 -e "ip-rcv,udp-*"
	start_receiver other udp-receive "$server_ipv4" 4001 47
	on_client "$traffic" udp-send "$server_ipv4" 4001 47
	receiver_result other
	send_udp 53 59
	stop_netstacklat one
	in_stages one '
		for ip_version, packets in (4, 53), (6, 59):
		    way = paths(UDP[2:], ip_version)
		    assert [s["count"] for s in way] == 3 * [packets], way
		assert not stages("udp-start") and not stages("ip-rcv")
		assert set(total["unpaired"].values()) == {0}'
}

# bats test_tags=long
@test "filters: interfaces are known from the first hook on" {
	start_netstacklat one --stages -n "$netns_server" -i veth0 -4 -e "netif-receive,ip-rcv,udp-start" -g interface
	send_udp 53 59
	stop_netstacklat one
	in_stages one '
		counts = {(s["to"], s["group"].get("interface")): s["count"] for s in total["stages"]}
		print(counts)
		assert counts == {(hook, "veth0"): 53 for hook in ("netif-receive", "ip-rcv", "udp-start")}'
}

# bats test_tags=long
@test "groups: each has its stages" {
	start_netstacklat one --stages -g netns,port -e "udp-*"
	send_udp 53 59
	start_receiver other udp-receive "$server_ipv4" 4001 47
	on_client "$traffic" udp-send "$server_ipv4" 4001 47
	receiver_result other
	stop_netstacklat one
	in_stages one '
		counts = {(s["from"], s["to"], s["ip_version"], s["group"].get("port"), s["group"]["netns"]): s["count"]
		          for s in total["stages"]}
		print(counts)
		for begin, to in zip(UDP[2:], UDP[3:]):
		    for ip_version, port, packets in (4, 4000, 53), (6, 4000, 59), (4, 4001, 47):
		        assert counts.pop((begin, to, ip_version, port, "'"$netns_server"'")) == packets
		assert not counts
		assert set(total["unpaired"].values()) == {0}'
}

@test "a packet that is forwarded goes as far as that" {
	ip netns exec "$netns_server" sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
	ip -n "$netns_server" link add out0 type veth peer name out1
	ip -n "$netns_server" address add 198.51.100.2/24 dev out0
	ip -n "$netns_server" address add 2001:db8:1::2/64 dev out0 nodad
	ip -n "$netns_server" link set out0 up
	ip -n "$netns_server" link set out1 up
	ip -n "$netns_client" route add 198.51.100.0/24 via "$server_ipv4"
	ip -n "$netns_client" route add 2001:db8:1::/64 via "$server_ipv6"
	start_netstacklat one --stages -e "netif-receive,ip-rcv,ip-forward"
	on_client "$traffic" udp-send 198.51.100.9 4000 31
	on_client "$traffic" udp-send 2001:db8:1::9 4000 37
	sleep 1
	stop_netstacklat one
	in_stages one '
		forwarded = {s["ip_version"]: s["count"] for s in stages("ip-forward") if s["from"] == "ip-rcv"}
		print(forwarded)
		assert forwarded == {4: 31, 6: 37}'
}

# bats test_tags=long
@test "clones have no hook before, and none of another packet's" {
	ip -n "$netns_server" route add 224.0.0.0/4 dev veth0
	ip -n "$netns_client" route add 224.0.0.0/4 dev veth0
	start_netstacklat one --stages -4 -e "ip-rcv,udp-*"
	for receiver in 1 2 3; do
		start_receiver "member$receiver" udp-multicast 239.1.2.3 4000 41
	done
	on_client "$traffic" udp-send 239.1.2.3 4000 41
	for receiver in 1 2 3; do
		receiver_result "member$receiver"
	done
	stop_netstacklat one
	in_stages one '
		counts = {(s["from"], s["to"]): s["count"] for s in total["stages"]}
		print(counts, total["unpaired"])
		# Of three that get it, one has the packet itself.
		assert counts["udp-start", "udp-queue-rcv"] == 41
		assert total["unpaired"]["udp-queue-rcv"] == 2 * 41
		assert counts["udp-queue-rcv", "udp-socket-enqueued"] == 3 * 41
		# Readers may preempt one another.
		missed = histogram(total, "udp-socket-read")["discarded"]["recursion_misses"]
		assert counts["udp-socket-enqueued", "udp-socket-read"] + missed == 3 * 41'
}

# The first read of a task tells nothing: so many packets are read before, one by one.
@test "--wakeups: a reader that sleeps with packets in its queue was not woken" {
	# It waits in select() for a packet, and then sleeps for 100 ms with that in its queue.
	start_netstacklat late --wakeups -4 -e "udp-*"
	start_receiver slow udp-receive "$server_ipv4" 4000 6 100
	on_client "$traffic" udp-send "$server_ipv4" 4000 6 300
	receiver_result slow
	stop_netstacklat late
	in_stages late '
		counts = {s["from"]: (s["count"], s["mean_ns"]) for s in stages("udp-socket-read")}
		print(counts)
		# It fell asleep after the packet came: that is no wake-up.
		assert counts["udp-socket-enqueued"][0] == 6 and counts["udp-socket-enqueued"][1] > 100e6
		assert len(counts) == 1'
}

# It is woken by each packet, but another task of a higher priority has the CPU, for 100 ms of 200.
# bats test_tags=long
@test "--wakeups: a reader that has no CPU was woken, and waited until it ran" {
	start_netstacklat starved --wakeups -4 -e "udp-*"
	start_receiver hungry udp-starve "$server_ipv4" 4000 20 100
	on_client "$traffic" udp-send "$server_ipv4" 4000 20 130
	receiver_result hungry
	stop_netstacklat starved
	in_stages starved '
		woken, = stages("udp-socket-woken")
		running, = stages("udp-socket-running")
		read, = (s for s in stages("udp-socket-read") if s["from"] == "udp-socket-running")
		direct = [s for s in stages("udp-socket-read") if s["from"] == "udp-socket-enqueued"]
		print([(s["from"], s["to"], s["count"], s["mean_ns"]) for s in (woken, running, read, *direct)])
		assert woken["from"] == "udp-socket-enqueued" and running["from"] == "udp-socket-woken"
		assert woken["count"] == running["count"] == read["count"] >= 15
		assert read["count"] + sum(s["count"] for s in direct) == 20
		# Most of the wait is for the CPU.
		assert running["sum_ns"] > 4 * (woken["sum_ns"] + read["sum_ns"]), running'
}

# The last of the documents in METRICS has the stages of the last report in JSON, and all those of the others.
assert_same_stages() { # JSON METRICS
	/usr/bin/python3 - "$@" <<-'END'
		import json, sys
		from prometheus_client.openmetrics.parser import text_string_to_metric_families
		end = "# EOF\n"
		seen, grown = set(), 0
		for document in open(sys.argv[2]).read().split(end)[:-1]:
		    families = {family.name: family for family in text_string_to_metric_families(document + end)}
		    samples = families["netstacklat_stage_seconds"].samples
		    names = {(s.name, tuple(sorted(s.labels.items()))) for s in samples}
		    assert seen <= names and len(names) == len(samples), (seen, names)
		    grown += len(names) > len(seen)
		    seen = names
		assert grown >= 2, grown
		total = json.loads(open(sys.argv[1]).read().splitlines()[-1])
		expected = {}
		for s in total["stages"]:
		    labels = {"from": s["from"], "to": s["to"], "ip_version": s["ip_version"], **s["group"]}
		    expected[tuple(sorted((name, str(value)) for name, value in labels.items()))] = s["count"]
		counts = {tuple(sorted(s.labels.items())): s.value for s in samples if s.name.endswith("_count")}
		print(counts)
		# Of two IP versions and one more port, in three stages.
		assert counts == expected and len(counts) == 9, expected
		unpaired = {s.labels["hook"]: s.value for s in families["netstacklat_unpaired"].samples}
		assert unpaired == total["unpaired"] and len(unpaired) == 3, unpaired
	END
}

# bats test_tags=long
@test "OpenMetrics: the same stages as in JSON, and none that was seen ever goes" {
	launch_netstacklat json --stages -g port -e "udp-*"
	launch_netstacklat metrics --stages -g port -e "udp-*" -o openmetrics -r 0.2
	wait_for_netstacklat json
	wait_for_netstacklat metrics
	send_udp 53 59
	# A report with these, and one without packets.
	sleep 0.5
	start_receiver other udp-receive "$server_ipv4" 4001 47
	on_client "$traffic" udp-send "$server_ipv4" 4001 47
	receiver_result other
	stop_all_netstacklats json metrics
	tests/validate-json <"$tmp/json.out"
	assert_same_stages "$tmp/json.out" "$tmp/metrics.out"
}

# bats test_tags=long
@test "a heatmap has the stages instead of the hooks" {
	TERM=dumb launch_netstacklat two -o heatmap --stages -e "udp-start,udp-socket-read"
	TERM=dumb launch_netstacklat all -o heatmap --stages
	wait_for_netstacklat two
	wait_for_netstacklat all
	send_udp 53 59
	stop_all_netstacklats two all
	cat "$tmp/two.out" "$tmp/all.out"
	grep -q "^ *from udp-start$" "$tmp/two.out"
	grep -q "^ *to udp-socket-read$" "$tmp/two.out"
	grep -qE "^total +\|.*\|112$" "$tmp/two.out"
	[ "$(sed -n '/^total/,$p' "$tmp/all.out" | grep -cE "udp-[a-z-]+ +\|.*\|112$")" -eq 4 ]
	[ "$(wc -L <"$tmp/all.out")" -le 80 ]
}

# bats test_tags=long
@test "text: the table of a protocol fits 80 columns, and marks the stage that takes most" {
	start_netstacklat one -o text --stages -4 -e "ip-rcv,udp-*"
	start_receiver slow udp-receive "$server_ipv4" 4000 3 100
	on_client "$traffic" udp-send "$server_ipv4" 4000 3
	receiver_result slow
	stop_netstacklat one
	sed -n '/  total /,$p' "$tmp/one.out" >"$tmp/total"
	cat "$tmp/total"
	[ "$(wc -L <"$tmp/total")" -le 80 ]
	grep -q "^UDP over IPv4  *count  *mean" "$tmp/total"
	grep -qE "^  udp-start +netfilter, route +3 " "$tmp/total"
	grep -qE "^> udp-socket-read +queue, reader +3 .*#####$" "$tmp/total"
	[ "$(grep -c "^> " "$tmp/total")" -eq 1 ]
}

# bats test_tags=long
@test "text with --full: the histogram of each stage, too" {
	start_netstacklat one -o text --stages --full -e "udp-start,udp-socket-read"
	send_udp 53 59
	stop_netstacklat one
	sed -n '/  total /,$p' "$tmp/one.out" >"$tmp/total"
	cat "$tmp/total"
	for packets in 53 59; do
		[ "$(grep -c "^count $packets " "$tmp/total")" -eq 1 ]
	done
	grep -qx "UDP over IPv4, from udp-start to udp-socket-read:" "$tmp/total"
	[ "$(grep -c "^count 112 " "$tmp/total")" -eq 2 ]
}
