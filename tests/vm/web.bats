#!/usr/bin/env bats
# bats file_tags=once
# --listen: to whom pages are served, and who keeps whom from them.

bats_require_minimum_version 1.5.0

web=tests/vm/web.py
port=9719

setup() {
	# shellcheck source=tests/vm/helpers.bash
	source "$BATS_TEST_DIRNAME/helpers.bash"
	netns_up
}

teardown() {
	stop_everything
}

# What is answered to who asks for this host by a name.
status_as() { "$web" get "http://127.0.0.1:$port/metrics" "Host: $1" | sed -n 1p; }

# As a web page finds it whose name leads to 127.0.0.1 now, and a proxy that passes its own name on.
@test "names that lead here get nothing, but for those of --host" {
	start_netstacklat one -o none --listen=$port -e udp-start
	[ "$(status_as evil.example)" -eq 421 ]
	[ "$(status_as node7.example)" -eq 421 ]
	[ "$(status_as localhost)" -eq 200 ]
	stop_netstacklat one
	start_netstacklat one -o none --listen=$port -e udp-start --host=node7.example
	[ "$(status_as evil.example)" -eq 421 ]
	[ "$(status_as node7.example)" -eq 200 ]
	stop_netstacklat one
}

# bats test_tags=long
@test "a crowd of clients, most of them slow or stalled, makes no report late" {
	start_netstacklat one --listen=$port -r 1 -e "udp-*"
	"$web" crowd $port 11 >"$tmp/crowd"
	[ "$(cat "$tmp/crowd")" -gt 100 ]
	# What was read before is no longer served.
	sleep 1.1
	"$web" get "http://127.0.0.1:$port/metrics" | grep -qx "netstacklat_missed_intervals_total 0"
	stop_netstacklat one
	run -1 grep "too slow" "$tmp/one.err"
	in_reports one exporter.none_is_late
}

is_up() { "$web" get "http://127.0.0.1:$port/healthz" | grep -qx ok; }

@test "nobody waits for who does not read the reports" {
	local status=0
	mkfifo "$tmp/pipe"
	exec 4<>"$tmp/pipe"
	"$netstacklat" -j --listen=$port -r 0.05 >"$tmp/pipe" 2>"$tmp/one.err" 3>&- 4>&- &
	echo $! >"$tmp/one.pid"
	wait_until grep -q "nobody reads standard output: what is printed is dropped" "$tmp/one.err"
	is_up
	stop_netstacklat one || status=$?
	[ "$status" -eq 1 ]
	[ "$(tail -n 1 "$tmp/one.err")" = "netstacklat: ended while nobody read the reports: what was not read is lost" ]
}

# bats test_tags=long
@test "clients that come and leave in bursts keep nobody else out, however few files may be open" {
	local pid fds
	start_netstacklat one -o none --listen=$port -e udp-start
	pid=$(cat "$tmp/one.pid")
	fds=("/proc/$pid/fd/"*)
	for _ in 1 2; do
		"$web" burst $port 140
		is_up
		kill -STOP "$pid"
		"$web" burst $port 140
		kill -CONT "$pid"
		is_up
		prlimit --pid "$pid" --nofile=$((${#fds[@]} + 2)):
	done
	stop_netstacklat one
	assert_nothing_left
}

# bats test_tags=long
@test "hundreds of idle clients keep nobody else out" {
	start_netstacklat one -o none --listen=$port -e udp-start
	"$web" idle $port 400 60
	stop_netstacklat one
}

# bats test_tags=long
@test "what cannot be answered is told so, and the next client gets its answer" {
	start_netstacklat one -o none --listen=$port -e udp-start
	"$web" bad $port >"$tmp/bad"
	cat "$tmp/bad"
	grep -q "^nowhere HTTP/1.1 404 " "$tmp/bad"
	grep -q "^post HTTP/1.1 405 " "$tmp/bad"
	grep -qE "^large (HTTP/1.1 431 |closed)" "$tmp/bad"
	grep -q "^good HTTP/1.1 200 " "$tmp/bad"
	"$web" get "http://127.0.0.1:$port/healthz" | grep -qx ok
	"$web" get "http://127.0.0.1:$port/" | grep -q 'href="/metrics"'
	run -1 ./netstacklat -o none --listen=$port -e udp-start
	[ "$output" = "netstacklat: cannot listen at 127.0.0.1:$port: Address already in use" ]
	run -1 ./netstacklat -o none --listen=192.0.2.99:$port -e udp-start
	[ "$output" = "netstacklat: cannot listen at 192.0.2.99:$port: Cannot assign requested address" ]
	stop_netstacklat one
}

# Memory is in use in full only after some readings, which come a second apart.
# bats test_tags=long,frugal
@test "requests leave no more memory in use than the first thousands" {
	start_netstacklat one -o none --listen=$port -e "udp-*" -g port --forget=2s
	send_udp 101
	for _ in {1..5}; do
		"$web" ask $port 1000
		sleep 1
	done
	before=$(resident_kb one)
	"$web" ask $port "${REQUESTS-10000}"
	after=$(resident_kb one)
	echo "$before kB before, $after kB after"
	[ $((after - before)) -le 128 ]
	stop_netstacklat one
}

# bats test_tags=long
@test "it listens where it is told, and for nobody else by default" {
	ip link set lo up
	start_netstacklat one -o none --listen="[::1]:$port" --listen="unix:$tmp/socket" --listen=$port -e udp-start
	ss -Hlnt "sport = $port" >"$tmp/listening"
	cat "$tmp/listening"
	[ "$(awk '{ print $4 }' "$tmp/listening" | sort | xargs)" = "127.0.0.1:$port [::1]:$port" ]
	"$web" get "http://[::1]:$port/metrics" | grep -q "^netstacklat_build_info"
	"$web" get "unix:$tmp/socket/metrics" | grep -q "^netstacklat_build_info"
	"$web" get "http://127.0.0.1:$port/metrics" | grep -q "^netstacklat_build_info"
	stop_netstacklat one
	[ ! -e "$tmp/socket" ]
}

# bats test_tags=long
@test "at a socket that systemd passes, clients wait until it is there" {
	ip link set lo up
	# The environment is not passed on but for what is named: how sanitizers are to be.
	systemd-socket-activate --setenv=ASAN_OPTIONS --listen="127.0.0.1:$port" ./netstacklat -o none --listen=systemd -e udp-start 2>"$tmp/one.err" 3>&- &
	echo $! >"$tmp/one.pid"
	wait_until grep -q Listening "$tmp/one.err"
	"$web" get "http://127.0.0.1:$port/metrics" | grep -q "^netstacklat_build_info"
	stop_netstacklat one
}
