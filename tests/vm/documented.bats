#!/usr/bin/env bats
# bats file_tags=once,long
# Every command line that the documents show runs, and prints what they say that it prints.

bats_require_minimum_version 1.5.0

setup() {
	# shellcheck source=tests/vm/helpers.bash
	source "$BATS_TEST_DIRNAME/helpers.bash"
	root=$PWD
	web=$root/tests/vm/web.py
	port=9719
	folder=$tmp/folder
	mkdir "$folder"
	netns_up
	mkdir -p /var/lib/prometheus/node-exporter
	ip link set lo up
}

teardown() { stop_everything; }

# COMMAND: as a shell has it, in a folder of its own.
launch() {
	(
		# shellcheck disable=SC2317 # what is evaluated calls it
		netstacklat() { exec "$root/netstacklat" "$@"; }
		cd "$folder" || exit
		eval "$1"
	) >"$tmp/out" 2>"$tmp/err" 3>&- &
	echo $! >"$tmp/one.pid"
}

has_begun() { grep -qE "measuring|are stamped" "$tmp/err" || ! kill -0 "$(cat "$tmp/one.pid")"; }

# COMMAND: what it prints is what it should be.
is_as_documented() {
	local file=${1##*--output-file=}
	case $1 in
	*"-o html"*) grep -qi "^<!doctype html" "$folder/${1##*>}" ;;
	*--output-file=*) (cd "$folder" && grep -q "^netstacklat_build_info" "${file%% *}") ;;
	*--json* | *" -j"*) "$root/tests/validate-json" <"$tmp/out" ;;
	# Before the first verdict, after a minute, there is a page, and nothing on it.
	*--listen=*) [ "$(head -n 1 "$tmp/scraped")" = 200 ] ;;
	*--slow=*) grep -qE "^[0-9]+ of [0-9]+ packets were slower than" "$tmp/out" ;;
	*--diagnose*) grep -qE "late|fine|dropped" "$tmp/out" ;;
	*--check*) grep -q "^ok  *kernel" "$tmp/out" ;;
	*" -l") grep -q "^netif-receive" "$tmp/out" ;;
	*--trace*) grep -qE "^[0-9:.]+ icmp-start .* ICMP $client_ipv4 > $server_ipv4" "$tmp/out" ;;
	*--timestamping-only) [ ! -s "$tmp/out" ] ;;
	*) grep -q "total" "$tmp/out" ;;
	esac
}

# COMMAND: returns whether it runs, and ends as it should.
runs() {
	local status=0
	launch "$1"
	wait_until has_begun
	ip netns exec "$netns_client" ping -q -c 3 -i 0.1 "$server_ipv4" >"$tmp/ping"
	send_udp 10
	[[ $1 != *--listen=* ]] || "$web" get "http://127.0.0.1:$port/metrics" >"$tmp/scraped"
	kill -INT "$(cat "$tmp/one.pid")" 2>"$tmp/killed" || true
	wait "$(cat "$tmp/one.pid")" || status=$?
	# 3: --diagnose found something.
	[[ $status -eq 0 || ($status -eq 3 && $1 == *--diagnose*) ]] && is_as_documented "$1"
}

@test "what README, doc/ and the man page show runs as it is printed" {
	local command wrong=()
	"$root/tests/documented" >"$tmp/commands"
	while read -r command <&4; do
		echo "# $command" >&3
		runs "$command" && continue
		wrong+=("$command")
		head -n 5 "$tmp/err" "$tmp/out"
	done 4<"$tmp/commands"
	printf 'wrong: %s\n' "${wrong[@]}"
	[ ${#wrong[@]} -eq 0 ]
}
