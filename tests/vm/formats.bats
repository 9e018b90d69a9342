#!/usr/bin/env bats
# bats file_tags=kernel:7-2
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

# Sends so many packets, by default at once; a reader that sleeps MS makes them wait.
send_udp() {
	start_receiver witness udp-receive "$server_ipv4" 4000 "$1" "${2-0}"
	on_client "$traffic" udp-send "$server_ipv4" 4000 "$1"
	receiver_result witness
}

@test "JSON Lines are valid, and the intervals add up to the total in every bucket and cause" {
	set_tai 37
	start_netstacklat one -r 0.2 -k 1 -e "udp-*,tcp-start,tcp-socket-read"
	send_udp 2003
	send_tcp 300000
	stop_netstacklat one
	tests/validate-json <"$tmp/one.out"
	in_reports one '
		assert len(intervals) > 3 and total["kind"] == "total"
		assert {r["kind"] for r in intervals} == {"interval"}
		assert total["clock"] == "monotonic" or total["offset_ns"] == 37000000000
		assert histogram(total, "udp-queue-rcv")["count"] == 2003
		assert histogram(total, "udp-socket-read")["count"] == 2003
		for hook in [h["hook"] for h in total["histograms"]]:
		    for field in ("count", "sum_ns"):
		        assert sum(histogram(r, hook)[field] for r in intervals) == histogram(total, hook)[field], hook
		    for le, count in buckets(total, hook).items():
		        assert sum(buckets(r, hook).get(le, 0) for r in intervals) == count, (hook, le)
		    for cause, count in histogram(total, hook)["discarded"].items():
		        assert sum(histogram(r, hook)["discarded"][cause] for r in intervals) == count, (hook, cause)
		assert abs(sum(r["interval_s"] for r in intervals) - total["interval_s"]) < 0.001
	'
	# The last report was written at the time that it tells.
	in_reports one '
		import datetime, os, sys
		told = datetime.datetime.fromisoformat(total["time"].replace("Z", "+00:00")).timestamp()
		written = os.fstat(sys.stdin.fileno()).st_mtime
		print("told", told, "written", written)
		assert -0.1 < written - told < 1
	'
}

# bats test_tags=long
@test "--cumulative reports since the start, and never less than before" {
	start_netstacklat one --cumulative -r 0.2 -e udp-start
	send_udp 101
	send_udp 103
	wait_for_reports one 3
	stop_netstacklat one
	in_reports one '
		counts = [histogram(r, "udp-start")["count"] for r in reports]
		assert counts == sorted(counts) and counts[-1] == 204, counts
		assert {r["kind"] for r in intervals} == {"cumulative"}
	'
}

# bats test_tags=long
@test "a receiver that reads the stamps itself has the same histogram, one bucket later at most" {
	start_netstacklat one -e udp-socket-read
	# A reader this slow makes the rest of its way out of the kernel a small part of each latency.
	send_udp 40 50
	stop_netstacklat one
	in_reports one '
		ages = sorted(map(int, open("'"$tmp/witness"'").readlines()[2].split()))
		ours = histogram(total, "udp-socket-read")
		assert ours["count"] == len(ages) == 40
		mean = sum(ages) / len(ages)
		print("mean", ours["mean_ns"], "read here,", mean, "at the reader")
		# Nobody reads before the kernel hands out; and the way out of it is short.
		assert ours["mean_ns"] <= mean < ours["mean_ns"] + 50000000 / 2
		seen = 0
		for le, count in buckets(total, "udp-socket-read").items():
		    for age in ages[seen:seen + count]:
		        assert le / 2 < age <= 2 * le, (le, age)
		    seen += count
	'
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
		in_reports "k$resolution" '
			ours = histogram(total, "udp-socket-enqueued")
			assert ours["count"] == 503
			k = '"$resolution"'
			for le in buckets(total, "udp-socket-enqueued"):
			    octave = max((le - 1).bit_length() - 1 - k, 0)
			    assert le % (1 << octave) == 0, le
			    assert le <= 1 << 34
		'
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
	/usr/bin/python3 -c '
import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families
assert any(f.name == "netstacklat_discarded" for f in text_string_to_metric_families(sys.stdin.read()))
' <"$tmp/netstacklat.prom"
	# Nothing is left beside it, and others may read it.
	[ "$(echo "$tmp"/*prom*)" = "$tmp/netstacklat.prom" ]
	[ "$(stat -c %a "$tmp/netstacklat.prom")" = 644 ]
}

# What FILE has, ADDRESS serves: the same series with the same values.
assert_served() {
	/usr/bin/python3 - "$@" <<-'END'
		import sys
		from urllib.request import urlopen
		from prometheus_client.parser import text_string_to_metric_families
		# node_exporter gives all series of a family the same labels, some of them empty, which is as good as none.
		def labels(sample):
		    return tuple(sorted((name, value) for name, value in sample.labels.items() if value))
		def read(text):
		    return {family.name: (family.type, {(s.name, labels(s)): s.value for s in family.samples})
		            for family in text_string_to_metric_families(text)}
		written = read(open(sys.argv[1]).read())
		served = read(urlopen(sys.argv[2], timeout=30).read().decode())
		print({name: (kind, len(samples)) for name, (kind, samples) in written.items()})
		assert written["netstacklat_latency_seconds"][1][
		    "netstacklat_latency_seconds_count", (("comm", "traffic.py"), ("hook", "udp-socket-read"))] == 211
		assert len(written) == 7 and written.items() <= served.items()
		assert served["node_textfile_scrape_error"][1]["node_textfile_scrape_error", ()] == 0
	END
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
	assert_served "$tmp/textfile/netstacklat.prom" http://127.0.0.1:9100/metrics
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
	TERM=dumb start_netstacklat one -o heatmap -r 1 -e udp-socket-read
	send_udp 50
	wait_until sh -c "[ \$(grep -c ^[0-9] $tmp/one.out) -ge 3 ]"
	send_udp 20 200
	stop_netstacklat one
	cat "$tmp/one.out"
	# The column of the median in the first row with samples, and in the last interval with samples.
	awk '/^[0-9:]+ +\|/ {
			sub(/^[0-9:]+ */, "")
			if (index($0, "5")) { last = index($0, "5"); if (!first) first = last }
		}
		END { print first, last; exit !(first && last > first + 4) }' "$tmp/one.out"
	grep -q "^total " "$tmp/one.out"
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
	in_reports one '
		assert histogram(total, "udp-socket-enqueued")["count"] == 307
		assert sum(histogram(r, "udp-socket-enqueued")["count"] for r in intervals) == 307
		assert max(r["interval_s"] for r in intervals) > 5
	'
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
}
