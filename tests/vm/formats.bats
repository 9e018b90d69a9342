#!/usr/bin/env bats
# bats file_tags=kernel:7-2,once
# What reports say, whatever their format: the same counts, and none of them lost.

bats_require_minimum_version 1.5.0

setup() {
	# shellcheck source=tests/vm/helpers.bash
	source "$BATS_TEST_DIRNAME/helpers.bash"
	netns_up
}

teardown() {
	stop_everything
}

@test "JSON Lines are valid, and the intervals add up to the total in every bucket and cause" {
	set_tai 37
	start_netstacklat one -r 0.2 -k 1 -e "udp-*,tcp-start,tcp-socket-read"
	send_udp 2003
	send_tcp 300000
	stop_netstacklat one
	tests/validate-json <"$tmp/one.out"
	in_reports one formats.intervals_add_up udp-queue-rcv=2003 udp-socket-read=2003
	in_reports one formats.time_is_right
}

# bats test_tags=long
@test "--cumulative reports since the start, and never less than before" {
	start_netstacklat one --cumulative -r 0.2 -e udp-start
	send_udp 101
	send_udp 103
	wait_for_reports one 3
	stop_netstacklat one
	in_reports one formats.counts_only_grow 204
}

# bats test_tags=long
@test "a receiver that reads the stamps itself has the same histogram, one bucket later at most" {
	start_netstacklat one -e udp-socket-read
	# A reader this slow makes the rest of its way out of the kernel a small part of each latency.
	send_udp_to "$server_ipv4" 40 50
	stop_netstacklat one
	in_reports one formats.reader_says_the_same "$tmp/reader" 40 50
}

# bats test_tags=long
@test "each resolution has the same count, in buckets of its own" {
	for resolution in 0 1 2 3 4; do
		start_netstacklat "k$resolution" -k "$resolution" -e udp-socket-enqueued
	done
	send_udp 503
	for resolution in 0 1 2 3 4; do
		stop_netstacklat "k$resolution"
		tests/validate-json <"$tmp/k$resolution.out"
		in_reports "k$resolution" formats.buckets_are_of "$resolution" 503
	done
}

@test "OpenMetrics have the same counts, and replace a file as a whole" {
	start_netstacklat one -o openmetrics -r 0.2 -e "udp-*" --output-file="$tmp/netstacklat.prom"
	send_udp 211
	wait_until grep -q 'netstacklat_latency_seconds_count{hook="udp-socket-read"} 211$' "$tmp/netstacklat.prom"
	for _ in {1..50}; do
		[ "$(tail -n 1 "$tmp/netstacklat.prom")" = "# EOF" ]
	done
	stop_netstacklat one
	[ ! -s "$tmp/one.out" ]
	grep -q 'netstacklat_latency_seconds_bucket{hook="udp-start",le="+Inf"} 211$' "$tmp/netstacklat.prom"
	with_packages one formats.openmetrics_have netstacklat_discarded "$tmp/netstacklat.prom"
	# Nothing is left beside it, and others may read it.
	[ "$(echo "$tmp"/*prom*)" = "$tmp/netstacklat.prom" ]
	[ "$(stat -c %a "$tmp/netstacklat.prom")" = 644 ]
}

# bats test_tags=long
@test "node_exporter serves what is written for it in Prometheus' older format" {
	mkdir "$tmp/textfile"
	start_netstacklat one -o prometheus -r 0.2 -g comm -e "udp-socket-*" --output-file="$tmp/textfile/netstacklat.prom"
	send_udp 211
	stop_netstacklat one
	run -0 promtool check metrics <"$tmp/textfile/netstacklat.prom"
	[ -z "$output" ]
	prometheus-node-exporter --collector.disable-defaults --collector.textfile \
		--collector.textfile.directory="$tmp/textfile" --web.listen-address=127.0.0.1:9100 \
		2>"$tmp/exporter.err" 3>&- &
	echo $! >"$tmp/exporter.pid"
	wait_until grep -q "Listening on" "$tmp/exporter.err"
	with_packages one formats.are_served "$tmp/textfile/netstacklat.prom" http://127.0.0.1:9100/metrics 211
}

@test "a file that cannot be written is named before anything is measured" {
	run -1 ./netstacklat -o openmetrics --output-file=/nonexistent/x.prom 0.2 1
	[ "$output" = "netstacklat: cannot write to '/nonexistent/x.prom': No such file or directory" ]
	run -1 ./netstacklat -o openmetrics --output-file=/dev/null 0.2 1
	[ "$output" = "netstacklat: cannot write to '/dev/null': it is no regular file" ]
	[ -c /dev/null ]
}

# bats test_tags=long
@test "a heatmap shows when a reader starts to sleep" {
	TERM=dumb start_netstacklat one -o heatmap -e udp-socket-read
	send_udp 50
	sleep 2
	send_udp_to "$server_ipv4" 20 200
	stop_netstacklat one
	cat "$tmp/one.out"
	# The column of the median in the first row with samples, and in the last interval with samples.
	awk '/^[0-9:]+ +\|/ {
			sub(/^[0-9:]+ */, "")
			if (index($0, "5")) { last = index($0, "5"); if (!first) first = last }
		}
		END { print first, last; exit !(first && last > first + 4) }' "$tmp/one.out"
	grep -qx "udp-socket-read" "$tmp/one.out"
	grep -q "^total .*|70$" "$tmp/one.out"
}

# bats test_tags=long
@test "a pipe that nobody reads for a while loses no counts, and the intervals missed are told" {
	mkfifo "$tmp/pipe"
	# Both ends at once, for opening one alone waits for the other.
	exec 9<>"$tmp/pipe"
	exec 8<"$tmp/pipe"
	./netstacklat -j -r 0.1 2>"$tmp/one.err" >"$tmp/pipe" 3>&- 8<&- 9>&- &
	echo $! >"$tmp/one.pid"
	exec 9>&-
	wait_until grep -q measuring "$tmp/one.err"
	send_udp 307
	# Little fits into the pipe, far less than the reports of ten seconds.
	sleep 10
	cat <&8 >"$tmp/one.out" 3>&- &
	exec 8<&-
	stop_netstacklat one
	wait_until grep -q '"total"' "$tmp/one.out"
	grep -q "too slow: the next report covers [0-9]* intervals" "$tmp/one.err"
	in_reports one formats.slow_ring_has_all 307
}

@test "a page has all packets: in the total, in each interval, and the slow ones" {
	start_netstacklat one -o html -r 0.5 -e "udp-*" --slow=1ns --slow-limit=1000000 -n "$netns_server"
	send_udp 101 103
	sleep 2
	stop_netstacklat one
	in_reports one formats.page_has 816 udp-socket-enqueued=204 udp-socket-read=204
}

# bats test_tags=long
@test "a browser shows a page with the figures that JSON has" {
	start_netstacklat one -o html -r 0.5 -n "$netns_server" --output-file="$tmp/page.html"
	send_udp 307
	sleep 2
	stop_netstacklat one
	browser_dom "$tmp/page.html" >"$tmp/page.dom"
	cp "$tmp/page.html" "$tmp/one.out"
	in_reports one formats.page_is_shown "$tmp/page.dom"
}

# Here, names are folders of cgroups, of which each / begins another one.
# bats test_tags=long
@test "names that would be more than names stay text in a browser" {
	# shellcheck disable=SC2016 # nobody is to expand this
	local name names=(
		'</script><script>document.title = 1</script>' '<img src=x onerror=alert(1)>' '<!--<script>' '"><svg onload=alert(1)>'
		"');alert(1);('" '&lt;b&gt;&quot;' '${alert(1)}' '{{1}}]]>' $'\xe2\x80\xa8\xe2\x80\xae' $'\xff\xfe\x1b[2J' '__proto__' '\u003cb\u003e')
	start_netstacklat one -o html -r 0.5 --stages -e udp-queue-rcv,udp-socket-read -g cgroup --output-file="$tmp/page.html"
	for name in "${names[@]}"; do
		mkdir -p "$cgroup_mount$cgroup/$name"
		enter_cgroup "$cgroup/$name"
		send_udp 3
	done
	enter_cgroup ""
	stop_netstacklat one
	remove_cgroup "$cgroup"
	browser_dom "$tmp/page.html" >"$tmp/page.dom"
	cp "$tmp/page.html" "$tmp/one.out"
	in_reports one formats.names_are_text "$tmp/page.dom" "${#names[@]}"
}

# Whoever shows what a pipe brings may take the second byte of a letter for a control character: 0x9b is one.
# bats test_tags=long
@test "where the locale has another character set than UTF-8, names are ASCII, in a pipe, too" {
	ln -s /usr/bin/python3 "$tmp/"$'\xc3\x9b'
	LC_ALL=C launch_netstacklat ascii -o text -g comm -e udp-socket-read
	LC_ALL=C.UTF-8 launch_netstacklat utf8 -o text -g comm -e udp-socket-read
	wait_for_netstacklat ascii
	wait_for_netstacklat utf8
	on_server "$tmp/"$'\xc3\x9b' -S "$traffic" udp-receive "$server_ipv4" 4000 3 >"$tmp/reader" 3>&- &
	echo $! >"$tmp/reader.pid"
	wait_until grep -q ready "$tmp/reader"
	on_client "$traffic" udp-send "$server_ipv4" 4000 3
	receiver_result reader
	stop_all_netstacklats ascii utf8
	grep -qF 'comm="\\xc3\\x9b"' "$tmp/ascii.out"
	grep -qF $'comm="\xc3\x9b"' "$tmp/utf8.out"
}

# A heatmap on a terminal with this environment.
heatmap_on_terminal() {
	script -qec "env $* ./netstacklat -o heatmap -e 'icmp-*' 2 1" /dev/null </dev/null
}

# bats test_tags=long
@test "colours, characters and width are those of the terminal" {
	escape=$'\033['
	# Until teardown() takes the namespace down.
	on_client ping -q -i 0.2 "$server_ipv4" >/dev/null 2>&1 3>&- &
	run -0 heatmap_on_terminal TERM=xterm-256color LC_ALL=C.UTF-8
	[[ $output == *"$escape"* && $output == *█* ]]
	run -0 heatmap_on_terminal TERM=xterm-256color LC_ALL=C.UTF-8 NO_COLOR=1
	[[ $output != *"$escape"* && $output == *█* ]]
	run -0 heatmap_on_terminal TERM=dumb LC_ALL=C.UTF-8 COLUMNS=20
	[[ $output != *"$escape"* && $output != *█* && $output == *icmp-start* ]]
	LC_ALL=C ./netstacklat -o heatmap --color=always -e 'icmp-*' 1 2 >"$tmp/piped"
	grep -qF "$escape" "$tmp/piped"
}
