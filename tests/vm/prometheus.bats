#!/usr/bin/env bats
# bats file_tags=kernel:7-2,once
# A real Prometheus scrapes two hosts, as it were: it comes to the very numbers that they print themselves.

bats_require_minimum_version 1.5.0

port=9719

setup() {
	# shellcheck source=tests/vm/helpers.bash
	source "$BATS_TEST_DIRNAME/helpers.bash"
	netns_up
}

teardown() { stop_everything; }

# NAME NAMESPACE ADDRESS: counts the packets of that side only.
launch_in() {
	ip netns exec "$2" ./netstacklat -v -j -r 600 -n self -e "udp-socket-*" --listen="$3:$port" \
		>"$tmp/$1.out" 2>"$tmp/$1.err" 3>&- &
	echo $! >"$tmp/$1.pid"
}

# On the client, which reaches both.
start_prometheus() {
	cat >"$tmp/prometheus.yml" <<-END
		global: { scrape_interval: 1s }
		scrape_configs:
		  - job_name: netstacklat
		    static_configs: [{ targets: ["192.0.2.1:$port", "$server_ipv4:$port"] }]
		rule_files: [$PWD/contrib/prometheus/rules.yml]
	END
	on_client prometheus --config.file="$tmp/prometheus.yml" --storage.tsdb.path="$tmp/data" \
		--web.listen-address=192.0.2.1:9090 2>"$tmp/prometheus.err" 3>&- &
	echo $! >"$tmp/prometheus.pid"
	wait_until grep -q "ready to receive web requests" "$tmp/prometheus.err" ||
		{ cat "$tmp/prometheus.err"; return 1; }
}

query() { on_client tests/vm/web.py query http://192.0.2.1:9090 "$1"; }
connections() { on_client ss -Htn state established "( dport = :$port )" | awk '{ print $3, $4 }' | sort; }
both_are_up() { [ "$(query 'up == 1' | wc -l)" -eq 2 ]; }

# SENDER RECEIVER ADDRESS PACKETS MS: each packet waits for a reader that sleeps so long before it reads one.
send() {
	"on_$2" "$traffic" udp-receive "$3" 4000 "$4" "$5" >"$tmp/receiver" 3>&- &
	wait_until grep -q ready "$tmp/receiver"
	"on_$1" "$traffic" udp-send "$3" 4000 "$4"
	wait_until has_result receiver
}

# bats test_tags=long
@test "quantiles over two hosts with different delays are those of their own reports, to the bucket" {
	launch_in one "$netns_server" "$server_ipv4"
	launch_in two "$netns_client" 192.0.2.1
	wait_for_netstacklat one
	wait_for_netstacklat two
	start_prometheus
	wait_until both_are_up
	connections >"$tmp/connections"
	send client server "$server_ipv4" 40 3
	send server client 192.0.2.1 30 50
	# What was read a moment ago is shared, and then scraped once a second.
	sleep 4
	{
		query 'netstacklat_latency_seconds_count'
		query 'netstacklat_latency_seconds_bucket'
		for permille in 500 900 990 999; do
			query "label_replace(histogram_quantile($permille / 1000, sum by (hook, le)
				(netstacklat_latency_seconds_bucket)), 'permille', '$permille', '', '')"
		done
	} >"$tmp/answers"
	# They stay from one scrape to the next.
	[ "$(wc -l <"$tmp/connections")" -eq 2 ]
	diff <(connections) "$tmp/connections"
	kill -INT "$(cat "$tmp/one.pid")" "$(cat "$tmp/two.pid")"
	wait "$(cat "$tmp/one.pid")"
	wait "$(cat "$tmp/two.pid")"
	in_reports one prometheus.comes_to_the_same "$server_ipv4:$port" 40 "$tmp/two.out" "192.0.2.1:$port" 30 "$tmp/answers"
}
