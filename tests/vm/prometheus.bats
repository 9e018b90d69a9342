#!/usr/bin/env bats
# bats file_tags=kernel:7-2
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
	kill -INT "$(cat "$tmp/one.pid")" "$(cat "$tmp/two.pid")"
	wait "$(cat "$tmp/one.pid")"
	wait "$(cat "$tmp/two.pid")"
	/usr/bin/python3 -BS - "$tmp" <<-'END'
		import json, math, sys
		tmp = sys.argv[1]
		def total(name):
		    report = [json.loads(line) for line in open(f"{tmp}/{name}.out")][-1]
		    return {h["hook"]: {b["le_ns"]: b["count"] for b in h["buckets"]} for h in report["histograms"]}
		hosts = {"192.0.2.2:9719": total("one"), "192.0.2.1:9719": total("two")}
		answers = [json.loads(line) for line in open(f"{tmp}/answers")]
		# Every sample, in its bucket.
		counts = {(a["instance"], a["hook"]): a["value"] for a in answers if a.get("__name__", "").endswith("_count")}
		assert counts == {(host, hook): sum(buckets.values()) for host, hooks in hosts.items()
		                  for hook, buckets in hooks.items()}, counts
		assert counts["192.0.2.2:9719", "udp-socket-read"] == 40 and counts["192.0.2.1:9719", "udp-socket-read"] == 30
		for answer in answers:
		    if "le" in answer:
		        bound = float(answer["le"]) * 1e9
		        expected = sum(count for le, count in hosts[answer["instance"]][answer["hook"]].items()
		                       if (le or math.inf) <= bound * (1 + 1e-9))
		        assert answer["value"] == expected, (answer, expected)
		# Both hosts together: Prometheus interpolates within the bucket that ours is the bound of.
		for answer in answers:
		    if "permille" not in answer:
		        continue
		    merged = {}
		    for hooks in hosts.values():
		        for le, count in hooks[answer["hook"]].items():
		            merged[le] = merged.get(le, 0) + count
		    rank, seen = float(answer["permille"]) / 1000 * sum(merged.values()), 0
		    for le in sorted(merged):
		        seen += merged[le]
		        if seen >= rank:
		            break
		    print(answer, le)
		    assert le / 2 * (1 - 1e-9) < answer["value"] * 1e9 <= le * (1 + 1e-9), (answer, le)
		quantiles = {(a["hook"], a["permille"]): a["value"] for a in answers if "permille" in a}
		assert len(quantiles) == 8
		# The delays: the second host is the slow one.
		assert quantiles["udp-socket-read", "990"] > 10 * quantiles["udp-socket-enqueued", "990"]
	END
}
