#!/usr/bin/env bats
# --slow: the packets that are slow, one by one; no others, and none unnoticed.

setup() {
	# shellcheck source=tests/vm/helpers.bash
	source "$BATS_TEST_DIRNAME/helpers.bash"
	netns_up
}

teardown() {
	stop_everything
}

# bats test_tags=long
@test "this kernel's verifier takes the programs of all variants" {
	for arguments in "" "-P 80" "-g netns" --stages "--wakeups -P 80" "--wakeups -g cgroup" "--wakeups -P 80 -y"; do
		# shellcheck disable=SC2086 # several words
		./netstacklat -v -j --slow=1s $arguments 0.1 1 >"$tmp/one.out" 2>"$tmp/one.err"
		! grep -A 20 "verifier refuses" "$tmp/one.err" || return 1
		tests/validate-json <"$tmp/one.out"
	done
}

# PACKETS to port 4000 from ports of their own, 20000 and up, of which a reader leaves one of ten for 50 ms.
send_to_late_reader() {
	start_receiver late udp-read-late "$1" 4000 "$2" 10 50
	on_client "$traffic" udp-send-one-by-one "$1" 4000 "$2" 20000
	pid=$(receiver_result late)
}

# Runs Python on what NAME says of packets to port 4000, and on what their reader says of their ages, in ns by port.
in_packets() {
	tests/validate-json <"$tmp/$1.out"
	in_reports "$1" "
ages = dict(map(int, packet.split(':')) for packet in open('$tmp/late').read().split('\n')[2].split())
pid = ${pid-0}
# Without those that a fast reader is done with before udp-socket-enqueued sees them: who sent them is not known.
def known_packets(packets):
    unknown = [packet for packet in packets if packet['sport'] is None]
    assert all((p['hook'], p['saddr'], p['length']) == ('udp-socket-enqueued', None, None) for p in unknown), unknown
    return [packet for packet in packets if packet not in unknown]" "$2"
}

# A reader knows a packet's age only after it has read it: that may be more, and never is less; but before Linux 6.1,
# clocks are compared, which takes long where CPUs are emulated. And a journey may begin before the stamp.
@test "exactly those packets are told of that their reader found late, with ports and reader" {
	launch_netstacklat plain --slow=10ms --slow-limit=10000 -P 4000
	launch_netstacklat staged --slow=10ms --slow-limit=10000 -n "$netns_server" -4 --stages -e "ip-rcv,udp-*"
	wait_for_netstacklat plain
	wait_for_netstacklat staged
	send_to_late_reader "$server_ipv4" 1000
	stop_all_netstacklats plain staged
	for name in plain staged; do
		in_packets $name '
			error_ns = 0 if total["clock"] == "tai" else 1e5
			assert total["slow"] == {"told": len(packets), "limited": 0, "no_room": 0}
			known = known_packets(packets)
			late = {port for port, age in ages.items() if age >= 10e6}
			nearly_late = {port for port, age in ages.items() if age >= 10e6 - error_ns}
			told = {packet["sport"] for packet in known}
			slept = set(range(20009, 21000, 10))
			print(len(late), "late,", len(told), "told of, not", sorted(late - told))
			print([(p["sport"], p["hook"], p["latency_ns"], ages[p["sport"]]) for p in known if p["sport"] in told - late])
			assert slept <= told and len(told ^ late) <= len(slept) / 10
			assert told <= nearly_late or "journey" in known[0]
			for packet in known:
			    assert packet["saddr"] == "192.0.2.1" and packet["daddr"] == "192.0.2.2", packet
			    assert packet["dport"] == 4000 and packet["protocol"] == "UDP", packet
			    assert packet["length"] == 128 and packet["interface"] == "veth0", packet
			    assert packet["netns"] == "'"$netns_server"'", packet
			    assert 10e6 <= packet["latency_ns"]
			    assert packet["latency_ns"] <= ages[packet["sport"]] + error_ns or "journey" in packet, packet
			read = {packet["sport"] for packet in known if packet["hook"] == "udp-socket-read"}
			assert slept <= read
			assert all((packet["pid"], packet["comm"]) == (pid, "traffic.py")
			           for packet in known if packet["hook"] == "udp-socket-read")'
	done
	# Of each, all hooks that it passed; validate-json adds them up.
	in_packets staged '
		way = ["netif-receive", "ip-rcv", "udp-start", "udp-queue-rcv", "udp-socket-enqueued", "udp-socket-read"]
		for packet in known_packets(packets):
		    journey = [step["hook"] for step in packet["journey"]]
		    # A fast reader may have read a packet before udp-socket-enqueued sees it.
		    assert [hook for hook in way if hook in journey] == journey, packet
		    if packet["sport"] % 10 == 9 and packet["hook"] == "udp-socket-read":
		        assert journey == way, packet
		        longest = max(packet["journey"], key=lambda step: step["ns"])
		        assert longest["hook"] == "udp-socket-read", packet'
}

@test "TCP over IPv6: each segment that is read late, with its journey" {
	skip_where_reads_are_counted
	start_netstacklat one --slow=100ms --stages -n "$netns_server" -e "ip-rcv,tcp-*"
	start_receiver slow tcp-receive "$server_ipv6" 5201 200
	on_client "$traffic" tcp-send "$server_ipv6" 5201 1000 1000
	[ "$(receiver_result slow)" -eq 1000 ]
	stop_netstacklat one
	tests/validate-json <"$tmp/one.out"
	in_reports one '
		packet = next(packet for packet in packets if packet["hook"] == "tcp-socket-read")
		print(packet)
		assert (packet["saddr"], packet["daddr"], packet["dport"]) == ("2001:db8::1", "2001:db8::2", 5201)
		assert packet["protocol"] == "TCP" and packet["comm"] == "traffic.py" and packet["length"] is None
		assert [step["hook"] for step in packet["journey"] if step["hook"] != "tcp-data-queue"] == \
			["netif-receive", "ip-rcv", "tcp-start", "tcp-do-rcv", "tcp-socket-enqueued", "tcp-socket-read"]
		assert packet["journey"][-1]["ns"] > 190e6'
}

# bats test_tags=long
@test "a dropped packet is told of with its reason, and where it was before" {
	start_netstacklat one --slow=1ns --slow-limit=10000 --stages -n "$netns_server" -4 \
		-e "netif-receive,ip-rcv,udp-start,drop"
	on_client "$traffic" udp-send "$server_ipv4" 4002 31
	stop_netstacklat one
	tests/validate-json <"$tmp/one.out"
	in_reports one '
		dropped = [packet for packet in packets if packet["hook"] == "drop" and packet["dport"] == 4002]
		print(dropped[0])
		assert len(dropped) == 31
		for packet in dropped:
		    assert packet["reason"] == "NO_SOCKET" or packet["reason"].startswith("__udp4_lib_rcv+"), packet
		    assert [step["hook"] for step in packet["journey"]] == ["netif-receive", "ip-rcv", "udp-start", "drop"]'
}

# Each packet is slow, and at the second of two hooks slower still. (Not at a third, udp-socket-enqueued: a fast reader
# is told of as slower before the program at return looks.)
flood() {
	start_receiver flood udp-receive "$server_ipv4" 4000 "$1"
	on_client "$traffic" udp-send "$server_ipv4" 4000 "$1"
}

assert_all_accounted_for() {
	in_reports "$1" '
		counts = {h["hook"]: h["count"] for h in total["histograms"]}
		slow = total["slow"]
		print(counts, slow, len(packets))
		assert sum(counts.values()) == sum(slow.values()) == 2 * '"$2"'
		assert len(packets) == slow["told"] > 0'
}

# In tshark's own words: FIELD ...
tshark_of() {
	tshark -r "$tmp/packets" -T fields -E separator=/s "${@/#/-e}" 2>"$tmp/tshark.err"
}

# bats test_tags=long
@test "--pcap: as many packets as were told of, with their latency as a comment, for tshark" {
	start_netstacklat one --slow=25ms --slow-limit=10000 --pcap="$tmp/packets" -n "$netns_server" -e "udp-*"
	send_to_late_reader "$server_ipv4" 50
	send_to_late_reader "$server_ipv6" 50
	stop_netstacklat one
	[ "$(stat -c %a "$tmp/packets")" = 600 ]
	tshark_of frame.cap_len udp.srcport udp.dstport frame.comment >"$tmp/fields"
	cat "$tmp/fields" "$tmp/tshark.err"
	in_reports one "
		fields = [line.split(maxsplit=3) for line in open('$tmp/fields')]" '
		assert len(fields) == len(packets) >= 10
		for packet, (length, sport, dport, comment) in zip(packets, fields):
		    assert int(length) == min(packet["length"], 128), packet
		    assert (int(sport), int(dport)) == (packet["sport"], packet["dport"]), packet
		    hook, latency = comment.split()[:2]
		    assert hook == packet["hook"], packet
		    assert abs(float(latency.removesuffix("ms")) * 1e6 / packet["latency_ns"] - 1) < 0.01, packet'
}

# Waits until NAME has ended: $status is its status, and $tmp/said what it said of the file, if it measured.
has_ended() { ! kill -0 "$(cat "$tmp/$1.pid")" 2>/dev/null; }
wait_for_end() {
	wait_until has_ended "$1"
	status=0
	wait "$(cat "$tmp/$1.pid")" || status=$?
	cat "$tmp/$1.err"
	sed 1,/measuring/d "$tmp/$1.err" | grep -F "$tmp/packets" >"$tmp/said" || true
}

# Before it measures, so that nothing is left out; both need no packets.
@test "--pcap at a pipe that nobody reads: it waits, and a signal ends that" {
	mkfifo "$tmp/packets"
	for signal in INT TERM; do
		launch_netstacklat one --slow=1ns --pcap="$tmp/packets"
		wait_until grep -q "waiting for a reader of '$tmp/packets'" "$tmp/one.err"
		kill -$signal "$(cat "$tmp/one.pid")"
		wait_for_end one
		[ "$status" -eq 1 ]
		[ "$(tail -n 1 "$tmp/one.err")" = "netstacklat: ended by a signal while '$tmp/packets' had no reader" ]
	done
}

# The reader, this shell, reads nothing until the end.
@test "--pcap at a pipe whose reader stalls: reports and /healthz go on, what is missing is counted, no block is cut" {
	mkfifo "$tmp/packets"
	exec 6<>"$tmp/packets"
	start_netstacklat one --slow=1ns --slow-limit=1000000 -r 0.5 --listen=9719 --pcap="$tmp/packets" \
		-n "$netns_server" -P 4000 -e udp-queue-rcv 6>&-
	for _ in {1..4}; do
		flood 2000
		receiver_result flood
	done
	tests/vm/web.py get http://127.0.0.1:9719/healthz | tail -n 1 | grep -qx ok
	wait_for_reports one $(($(reports one) + 2))
	kill -INT "$(cat "$tmp/one.pid")"
	timeout 60 cat <"$tmp/packets" >"$tmp/read" 3>&- 6>&- &
	wait_for_end one
	exec 6<&-
	wait %%
	[ "$status" -eq 0 ]
	mv "$tmp/read" "$tmp/packets"
	read_by_tshark=$(tshark_of udp.dstport | grep -cx 4000)
	[ ! -s "$tmp/tshark.err" ] || ! grep -v "as user" "$tmp/tshark.err"
	missing=$(sed -n "s/^netstacklat: \([0-9]*\) slow packets were not written to .*/\1/p" "$tmp/said")
	in_reports one "
		print(len(packets), $read_by_tshark, $missing)
		assert len(packets) == $read_by_tshark + $missing
		assert $missing > 0 < $read_by_tshark"
}

# bats test_tags=long
@test "--pcap at a pipe whose reader goes away: an error, but an exporter goes on" {
	local gone="netstacklat: the reader of '$tmp/packets' has gone"
	mkfifo "$tmp/packets"
	exec 6<>"$tmp/packets"
	start_netstacklat one --slow=1ns --pcap="$tmp/packets" -P 4000 -e udp-queue-rcv 6>&-
	start_netstacklat exporter --slow=1ns --pcap="$tmp/packets" -P 4000 -e udp-queue-rcv --listen=9719 6>&-
	exec 6<&-
	flood 2
	receiver_result flood
	wait_for_end one
	[ "$status" -eq 1 ]
	[ "$(cat "$tmp/said")" = "$gone" ]
	tests/vm/web.py get http://127.0.0.1:9719/metrics | grep -qx 'netstacklat_latency_seconds_count{hook="udp-queue-rcv"} 2'
	kill -INT "$(cat "$tmp/exporter.pid")"
	wait_for_end exporter
	[ "$status" -eq 0 ]
	[ "$(cat "$tmp/said")" = "$gone: no more packets are written there
netstacklat: 2 slow packets were not written to '$tmp/packets': its reader was too slow, or had gone" ]
}

# From both ends at once, from one port, to a group that nobody has joined: IP frees them without a word, and their skbs
# are soon used again.
multicast_from_both() {
	local sender
	on_client "$traffic" udp-send-numbered ff02::1234%veth0 4000 "$1" 0 5 &
	sender=$!
	on_server "$traffic" udp-send-numbered ff02::1234%veth0 4000 "$1" "$1" 5
	wait "$sender"
}

# Without flow labels, their headers tell nothing of which is which.
# Before Linux 5.17, all that is freed is taken for dropped.
@test "--slow=0: of packets that look alike, none are joined, and each has its own way" {
	on_client sysctl -qw net.ipv6.auto_flowlabels=0
	on_server sysctl -qw net.ipv6.auto_flowlabels=0
	start_netstacklat one --slow=0 --slow-limit=1000000 -6 --pcap="$tmp/packets"
	multicast_from_both 200
	stop_netstacklat one
	tests/validate-json <"$tmp/one.out"
	tshark_of ipv6.dst data.data >"$tmp/payloads"
	in_reports one "
		payloads = [line.split() for line in open('$tmp/payloads')]
		client, server = '$netns_client', '$netns_server'" '
		HOOKS = ["net_dev_queue", "net_dev_start_xmit", "netif_rx", "netif-receive", "ip-rcv"]
		there, back = ([*zip(HOOKS, [a, a, b, b, b])] for a, b in [(client, server), (server, client)])
		assert total["slow"]["limited"] == total["slow"]["no_room"] == 0, total["slow"]
		assert len(payloads) == len(packets)
		numbers = []
		for packet, (daddr, *data) in zip(packets, payloads):
		    if daddr != "ff02::1234":
		        continue
		    number = int(data[0], 16)
		    numbers.append(number)
		    way = [(step["hook"], step["netns"]) for step in packet["journey"] if step["hook"] != "drop"]
		    assert way == (there if number < 200 else back), (number, way)
		print(len(numbers))
		assert sorted(numbers) == list(range(400)), numbers'
}

# More than are read at once, and so late that all packets seem to have gone.
@test "--slow=0: what is read late is still of one packet" {
	start_netstacklat one --slow=0 --slow-limit=1000000 -6
	kill -STOP "$(cat "$tmp/one.pid")"
	on_client "$traffic" udp-send-numbered ff02::1234%veth0 4000 200 0 1
	sleep 0.3
	kill -CONT "$(cat "$tmp/one.pid")"
	stop_netstacklat one
	tests/validate-json <"$tmp/one.out"
	in_reports one '
		assert total["slow"]["limited"] == total["slow"]["no_room"] == 0, total["slow"]
		ways = [[step["hook"] for step in packet["journey"] if step["hook"] != "drop"]
		        for packet in packets if packet["daddr"] == "ff02::1234"]
		print(len(ways), [way for way in ways if len(way) != 5])
		assert ways == [["net_dev_queue", "net_dev_start_xmit", "netif_rx", "netif-receive", "ip-rcv"]] * 200'
}

# bats test_tags=long
@test "--slow-limit: what is beyond is counted, and reports stay on time" {
	start_netstacklat one --slow=1ns --slow-limit=50 -r 0.5 -P 4000 -e "udp-queue-rcv,udp-socket-read"
	start_receiver other udp-receive "$server_ipv4" 4001 10
	on_client "$traffic" udp-send "$server_ipv4" 4001 10
	flood 2000
	receiver_result flood
	wait_for_reports one 5
	stop_netstacklat one
	assert_all_accounted_for one 2000
	in_reports one '
		assert {packet["dport"] for packet in packets} == {4000}
		assert total["slow"]["no_room"] == 0 < total["slow"]["limited"]
		# CPUs that come at once may all pass.
		assert len(packets) <= 1.1 * 50 * (total["interval_s"] + 1)
		assert all(report["interval_s"] < 2 for report in intervals)'
}

# 4000 packets at two hooks are more than the buffer holds.
@test "nobody reads the lines: what found no room is counted, and nothing hangs" {
	mkfifo "$tmp/pipe"
	exec 5<>"$tmp/pipe"
	"$netstacklat" -v -j --slow=1ns --slow-limit=1000000 -r 60 -P 4000 -e "udp-queue-rcv,udp-socket-read" \
		>&5 2>"$tmp/one.err" 3>&- 5>&- &
	echo $! >"$tmp/one.pid"
	wait_for_netstacklat one
	flood 4000
	receiver_result flood
	cat <"$tmp/pipe" >"$tmp/one.out" 3>&- 5>&- &
	cat=$!
	exec 5>&-
	stop_netstacklat one
	wait "$cat"
	assert_all_accounted_for one 4000
	in_reports one 'assert total["slow"]["no_room"] > 0 == total["slow"]["limited"]'
}

# bats test_tags=long
@test "SIGSTOP: what found no room is counted, and it goes on" {
	start_netstacklat one --slow=1ns --slow-limit=1000000 -r 60 -P 4000 -e "udp-queue-rcv,udp-socket-read"
	kill -STOP "$(cat "$tmp/one.pid")"
	flood 4000
	receiver_result flood
	kill -CONT "$(cat "$tmp/one.pid")"
	stop_netstacklat one
	assert_all_accounted_for one 4000
	in_reports one 'assert total["slow"]["no_room"] > 0 == total["slow"]["limited"]'
}

# bats test_tags=long
@test "--wakeups: who had the CPU instead of the reader" {
	start_netstacklat one --slow=50ms --slow-limit=10000 --wakeups -4 -e "udp-*" -P 4000
	start_receiver hungry udp-starve "$server_ipv4" 4000 20 100
	on_client "$traffic" udp-send "$server_ipv4" 4000 20 130
	receiver_result hungry
	stop_netstacklat one
	tests/validate-json <"$tmp/one.out"
	in_reports one '
		starved = [packet for packet in packets if packet.get("reader", {}).get("state") == "ready"]
		print(*(packet.get("reader") for packet in packets), sep="\n")
		assert len(starved) >= 3
		for packet in starved:
		    other = packet["reader"]["instead"]
		    assert packet["reader"]["ready_ns"] > 25e6, packet
		    # The hog is its child.
		    assert other["comm"] == "traffic.py" and other["pid"] != packet["pid"], packet
		    # It runs 100 ms, if nobody else comes in between.
		    assert packet["reader"]["ready_ns"] / 2 < other["ran_ns"], packet'
}

# bats test_tags=long
@test "--count: so many packets, status 0; text has no reports, but tells what is missing" {
	start_netstacklat three -o text --slow=1ns --count=3 --stages -P 4000 -e "udp-*"
	start_netstacklat few -o text --slow=1ns --slow-limit=1 -P 4000 -e "udp-queue-rcv"
	flood 10
	receiver_result flood
	wait "$(cat "$tmp/three.pid")"
	stop_netstacklat few
	cat "$tmp/three.out" "$tmp/few.out"
	[ "$(grep -cE "^[0-9:.]{15} udp-[a-z-]+ +[0-9.]+[um]s UDP  192.0.2.1.[0-9]+ > 192.0.2.2.4000: length 128" \
		"$tmp/three.out")" -eq 3 ]
	[ "$(grep -c "<- [0-9]* %" "$tmp/three.out")" -ge 2 ]
	told=$(grep -c " > " "$tmp/few.out")
	[ "$told" -ge 1 ]
	[ "$told" -le 4 ]
	[ "$(sed -n "s/^slow packets not told of: \([0-9]*\) beyond.*/\1/p" "$tmp/few.out" | awk "{ sum += \$1 } END { print sum + 0 }")" \
		-eq $((10 - told)) ]
}
