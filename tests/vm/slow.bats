#!/usr/bin/env bats
# bats file_tags=kernel:7-2
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

# A reader knows a packet's age only after it has read it: that may be more, and never is less; but before Linux 6.1,
# clocks are compared, which takes long where CPUs are emulated. And a journey may begin before the stamp.
@test "exactly those packets are reported that their reader found late, with ports and reader" {
	launch_netstacklat plain --slow=10ms --slow-limit=10000 -P 4000
	launch_netstacklat staged --slow=10ms --slow-limit=10000 -n "$netns_server" -4 --stages -e "ip-rcv,udp-*"
	wait_for_netstacklat plain
	wait_for_netstacklat staged
	send_to_late_reader "$server_ipv4" 1000
	stop_all_netstacklats plain staged
	for name in plain staged; do
		tests/validate-json <"$tmp/$name.out"
		in_reports $name slow.late_are_told "$tmp/late" "$pid" "$netns_server"
	done
	in_reports staged slow.journeys_are_whole
}

# Nobody reads on the server until they go on.
signal_readers() { ip netns pids "$netns_server" | xargs kill -"$1"; }

# bats test_tags=long
@test "the datagrams of a batch have one stamp, and each is reported" {
	start_netstacklat one --slow=500ms --slow-limit=10000 -P 4000 -e "udp-*"
	start_receiver late udp-receive "$server_ipv4" 4000 200
	signal_readers STOP
	on_client "$traffic" udp-send-batches "$server_ipv4" 4000 20 10
	sleep 1
	signal_readers CONT
	receiver_result late
	stop_netstacklat one
	in_reports one slow.are_read_late 200
}

# bats test_tags=long
@test "what waits for its reader since before it started is reported with its age, and without a journey" {
	start_receiver late udp-receive "$server_ipv4" 4000 1
	signal_readers STOP
	on_client "$traffic" udp-send "$server_ipv4" 4000 1
	sleep 2
	launch_netstacklat one --slow=1s --stages -n "$netns_server" -e "udp-*"
	launch_netstacklat traced --slow=0 -n "$netns_server" -e "udp-*"
	wait_for_netstacklat one
	wait_for_netstacklat traced
	signal_readers CONT
	receiver_result late
	stop_all_netstacklats one traced
	in_reports one slow.is_as_old_as_read "$tmp/late" None
	in_reports traced slow.is_as_old_as_read "$tmp/late" "['udp-socket-read']"
}

# Attaching programs stops all CPUs, again and again: packets are late then.
# bats test_tags=long
@test "packets that come by while it starts are not reported, and journeys are whole from the first" {
	ip netns exec "$netns_client" "$traffic" udp-send-numbered ff02::1234%veth0 4000 100000 0 5 3>&- &
	echo $! >"$tmp/sender.pid"
	launch_netstacklat one --slow=1ns --slow-limit=1000000 --stages -6 -n "$netns_server" -e "netif-receive,ip-rcv"
	launch_netstacklat traced --slow=0 --slow-limit=1000000 -6
	wait_for_netstacklat one
	wait_for_netstacklat traced
	sleep 1
	kill "$(cat "$tmp/sender.pid")"
	sleep 0.5
	stop_all_netstacklats one traced
	in_reports one slow.came_after_start
	in_reports traced slow.ways_are_whole
}

# bats test_tags=long
@test "TCP over IPv6: each segment that is read late, with its journey" {
	skip_where_reads_are_counted
	start_netstacklat one --slow=100ms --stages -n "$netns_server" -e "ip-rcv,tcp-*"
	start_receiver slow tcp-receive "$server_ipv6" 5201 200
	on_client "$traffic" tcp-send "$server_ipv6" 5201 1000 1000
	[ "$(receiver_result slow)" -eq 1000 ]
	stop_netstacklat one
	tests/validate-json <"$tmp/one.out"
	in_reports one slow.segment_is_late
}

# Clones with one stamp, at sockets of their own.
# bats test_tags=long
@test "a multicast packet is reported at each socket whose reader found it late" {
	ip -n "$netns_server" route add 224.0.0.0/4 dev veth0
	ip -n "$netns_client" route add 224.0.0.0/4 dev veth0
	start_netstacklat one --slow=50ms --slow-limit=10000 -4 -n "$netns_server" -e udp-socket-read
	for receiver in 1 2; do
		start_receiver "member$receiver" udp-multicast 239.1.2.3 4000 3 100
	done
	on_client "$traffic" udp-send 239.1.2.3 4000 3 300
	for receiver in 1 2; do
		receiver_result "member$receiver"
	done
	stop_netstacklat one
	in_reports one slow.each_socket_is_told 2 3
}

# However long the way there takes.
# bats test_tags=long
@test "BIG TCP: segments of more than 64 KiB have their length, and ports" {
	is_linux_since 5.19 || skip "before Linux 5.19, no segment is longer than 64 KiB"
	for netns in "$netns_client" "$netns_server"; do
		ip -n "$netns" link set veth0 gso_max_size 200000 gro_max_size 200000
	done
	on_client sysctl -qw net.ipv4.tcp_tso_rtt_log=30
	start_netstacklat one --slow=1ns --slow-limit=1000000 -n "$netns_server" -6 -e tcp-start
	start_receiver big tcp-receive "$server_ipv6" 5201
	on_client "$traffic" tcp-send "$server_ipv6" 5201 10000000
	receiver_result big
	stop_netstacklat one
	in_reports one slow.segments_are_big
}

@test "a dropped packet is reported with its reason, and where it was before" {
	start_netstacklat one --slow=1ns --slow-limit=10000 --stages -n "$netns_server" -4 \
		-e "netif-receive,ip-rcv,udp-start,drop"
	on_client "$traffic" udp-send "$server_ipv4" 4002 31
	stop_netstacklat one
	tests/validate-json <"$tmp/one.out"
	in_reports one slow.drops_have_reasons
}

# Each packet is slow, and at the second of two hooks slower still. (Not at a third, udp-socket-enqueued: a fast reader
# is reported as slower before the program at return looks.)
flood() {
	start_receiver flood udp-receive "$server_ipv4" 4000 "$1"
	on_client "$traffic" udp-send "$server_ipv4" 4000 "$1"
}

# In tshark's own words: FIELD ...
tshark_of() {
	tshark -r "$tmp/packets" -T fields -E separator=/s "${@/#/-e}" 2>"$tmp/tshark.err"
}

# bats test_tags=long
@test "--pcap: as many packets as were reported, with their latency as a comment, for tshark" {
	start_netstacklat one --slow=25ms --slow-limit=10000 --pcap="$tmp/packets" -n "$netns_server" -e "udp-*"
	send_to_late_reader "$server_ipv4" 50
	send_to_late_reader "$server_ipv6" 50
	stop_netstacklat one
	[ "$(stat -c %a "$tmp/packets")" = 600 ]
	tshark_of frame.cap_len udp.srcport udp.dstport frame.comment >"$tmp/fields"
	cat "$tmp/fields" "$tmp/tshark.err"
	in_reports one slow.tshark_reads_the_same "$tmp/fields"
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
		wait_until grep -q "waiting until something reads '$tmp/packets'" "$tmp/one.err"
		kill -$signal "$(cat "$tmp/one.pid")"
		wait_for_end one
		[ "$status" -eq 1 ]
		[ "$(tail -n 1 "$tmp/one.err")" = "netstacklat: ended by a signal while '$tmp/packets' was not read" ]
	done
}

# The reader, this shell, reads nothing until the end.
# bats test_tags=long
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
	in_reports one slow.missing_are_counted "$read_by_tshark" "$missing"
}

# bats test_tags=long
@test "--pcap at a pipe whose reader goes away: an error, but an exporter goes on" {
	local gone="netstacklat: what read '$tmp/packets' has gone"
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
netstacklat: 2 slow packets were not written to '$tmp/packets': its consumer was too slow, or had gone" ]
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
# bats test_tags=long
@test "--trace: of packets that look alike, none are joined, and each has its own way" {
	on_client sysctl -qw net.ipv6.auto_flowlabels=0
	on_server sysctl -qw net.ipv6.auto_flowlabels=0
	start_netstacklat one --trace --slow-limit=1000000 -6 --pcap="$tmp/packets"
	multicast_from_both 200
	stop_netstacklat one
	tests/validate-json <"$tmp/one.out"
	tshark_of ipv6.dst data.data >"$tmp/payloads"
	in_reports one slow.each_has_its_own_way "$tmp/payloads" "$netns_client" "$netns_server"
}

# More than are read at once, and so late that all packets seem to have gone.
# bats test_tags=long
@test "--trace: what is read late is still of one packet" {
	start_netstacklat one --trace --slow-limit=1000000 -6
	kill -STOP "$(cat "$tmp/one.pid")"
	on_client "$traffic" udp-send-numbered ff02::1234%veth0 4000 200 0 1
	sleep 0.3
	kill -CONT "$(cat "$tmp/one.pid")"
	stop_netstacklat one
	tests/validate-json <"$tmp/one.out"
	in_reports one slow.ways_are_whole 200
}

# Seven of each IP version to port 4009.
drop_on_output() {
	on_client nft "add table inet out"
	on_client nft "add chain inet out output { type filter hook output priority 0; }"
	on_client nft "add rule inet out output udp dport 4009 drop"
	for address in "$server_ipv4" "$server_ipv6"; do
		# Who sends such a packet is told so.
		on_client bash -c "for _ in {1..7}; do ! echo >/dev/udp/$address/4009; done" 2>/dev/null
	done
}

# bats test_tags=long
@test "--slow=0: messages of Unix sockets and netlink are no packets, and what is dropped on its way out is one" {
	launch_netstacklat one --slow=0 --slow-limit=1000000 -e "netif-receive,ip-rcv,drop"
	launch_netstacklat counts -e drop -g reason
	wait_for_netstacklat one
	wait_for_netstacklat counts
	"$traffic" close-unread unix 7
	"$traffic" close-unread netlink 7
	drop_on_output
	stop_all_netstacklats one counts
	in_reports one slow.drops_are_of_packets
	in_reports counts slow.no_messages_are_counted
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
	in_reports one slow.all_accounted_for 2000
	in_reports one slow.limit_is_kept 50
}

# 4000 packets at two hooks are more than the buffer holds.
# bats test_tags=long
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
	in_reports one slow.all_accounted_for 4000
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
	in_reports one slow.all_accounted_for 4000
	in_reports one 'assert total["slow"]["no_room"] > 0 == total["slow"]["limited"]'
}

# So many packets to a reader that is stopped meanwhile, and then reads all of them.
send_to_stopped_reader() {
	local reader
	start_receiver stopped udp-receive "$server_ipv4" 4000 "$1"
	reader=$(pgrep -P "$(cat "$tmp/stopped.pid")" || cat "$tmp/stopped.pid")
	kill -STOP "$reader"
	on_client "$traffic" udp-send "$server_ipv4" 4000 "$1"
	sleep 0.5
	kill -CONT "$reader"
	receiver_result stopped
}

# On a busy machine, the reader may stall again.
# bats test_tags=long
@test "text and -o none fold packets of one stall and end with how many were slow; JSON has each" {
	launch_netstacklat text -o text --slow=400ms -e udp-socket-read -P 4000
	launch_netstacklat none -o none --slow=400ms -e udp-socket-read -P 4000
	launch_netstacklat fast -o none --slow=100s -e udp-socket-read -P 4000
	launch_netstacklat json --slow=400ms -e udp-socket-read -P 4000
	for name in text none fast json; do wait_for_netstacklat $name; done
	send_to_stopped_reader 40
	stop_all_netstacklats text none fast json
	head "$tmp/text.out" "$tmp/none.out" "$tmp/fast.out"
	for name in text none; do
		told=$(grep -c " > " "$tmp/$name.out")
		folded=$(awk '/^ *and [0-9]+ more in the same stall, up to / { sum += $2 } END { print sum + 0 }' "$tmp/$name.out")
		[ $((told + folded)) -eq 40 ]
		[ "$told" -lt 20 ]
		[ "$(tail -n 1 "$tmp/$name.out")" = "40 of 40 packets were slower than 400ms" ]
	done
	[ "$(cat "$tmp/fast.out")" = "0 of 40 packets were slower than 100s" ]
	tests/validate-json <"$tmp/json.out"
	in_reports json 'assert len(packets) == 40 and total["slow"]["told"] == 40'
}

# bats test_tags=long
@test "--wakeups: who had the CPU instead of the reader" {
	start_netstacklat one --slow=50ms --slow-limit=10000 --wakeups -4 -e "udp-*" -P 4000
	start_receiver hungry udp-starve "$server_ipv4" 4000 20 100
	on_client "$traffic" udp-send "$server_ipv4" 4000 20 130
	receiver_result hungry
	stop_netstacklat one
	tests/validate-json <"$tmp/one.out"
	in_reports one slow.others_had_the_cpu
}

# Its first packet came before it was followed. Before Linux 5.15, the system call is not known.
# bats test_tags=long
@test "--wakeups: in what the reader slept" {
	start_netstacklat one --slow=50ms --wakeups -4 -e "udp-*" -P 4000
	start_receiver slow udp-receive "$server_ipv4" 4000 6 100
	on_client "$traffic" udp-send "$server_ipv4" 4000 6 300
	receiver_result slow
	stop_netstacklat one
	tests/validate-json <"$tmp/one.out"
	in_reports one slow.reader_slept
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
	[ "$(sed -n "s/^slow packets not reported: \([0-9]*\) beyond.*/\1/p" "$tmp/few.out" | awk "{ sum += \$1 } END { print sum + 0 }")" \
		-eq $((10 - told)) ]
}
