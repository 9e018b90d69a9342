#!/usr/bin/env bats
# bats file_tags=kernel:7-2,once
# A real Prometheus scrapes two hosts, as it were: it comes to the very numbers that they print themselves. It knows
# their certificates and its password, too.

bats_require_minimum_version 1.5.0

port=9719

setup() {
	# shellcheck source=tests/vm/helpers.bash
	source "$BATS_TEST_DIRNAME/helpers.bash"
	netns_up
}

teardown() { stop_everything; }

# NAME NAMESPACE ADDRESS [OPTION...]: counts the packets of that side only.
launch_in() {
	ip netns exec "$2" ./netstacklat -v -j -r 600 -n self -e "udp-socket-*" --listen="$3:$port" "${@:4}" \
		>"$tmp/$1.out" 2>"$tmp/$1.err" 3>&- &
	echo $! >"$tmp/$1.pid"
}

# On the client, which reaches both. With further arguments, each a line of how it is to scrape.
start_prometheus() {
	cat >"$tmp/prometheus.yml" <<-END
		global: { scrape_interval: 1s }
		scrape_configs:
		  - job_name: netstacklat
		    static_configs: [{ targets: ["192.0.2.1:$port", "$server_ipv4:$port"] }]
		$(printf '    %s\n' "$@")
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
one_is_up() { [ "$(query 'up == 1' | wc -l)" -eq 1 ]; }
both_are_up() { [ "$(query 'up == 1' | wc -l)" -eq 2 ]; }

# NAME [ADDRESS]: a key, and a certificate that it has signed itself.
certificate() {
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "/CN=$1" \
		-addext "subjectAltName=IP:${2:-127.0.0.1}" -keyout "$tmp/$1.key" -out "$tmp/$1.pem"
}

curl_on_client() { on_client curl --silent --cacert "$tmp/server.pem" --write-out '%{http_code}' --output "$tmp/page" "$@"; }

is_served() { [ "$(curl_on_client "$@")" -eq 200 ]; }

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

@test "Prometheus scrapes by TLS, with a certificate and a password, as the file says that it would take itself" {
	local to="https://$server_ipv4:$port/metrics" who=(--cert "$tmp/client.pem" --key "$tmp/client.key")
	certificate server "$server_ipv4"
	certificate client
	# The hash of "secret".
	cat >"$tmp/web.yml" <<-'END'
		tls_server_config:
		  cert_file: server.pem
		  key_file: server.key
		  client_auth_type: RequireAndVerifyClientCert
		  client_ca_file: client.pem
		basic_auth_users:
		  prometheus: $2b$10$ixNFbkQK21WF6Wa1PgRPdun26ORVNcFW9dH.9x1YJa1kRNlGBegh.
	END
	promtool check web-config "$tmp/web.yml"
	launch_in one "$netns_server" "$server_ipv4" --web.config.file="$tmp/web.yml"
	wait_for_netstacklat one
	start_prometheus "scheme: https" "basic_auth: { username: prometheus, password: secret }" \
		"tls_config: { ca_file: $tmp/server.pem, cert_file: $tmp/client.pem, key_file: $tmp/client.key }"
	wait_until one_is_up
	is_served "${who[@]}" -u prometheus:secret "$to"
	grep -q ^netstacklat_hook_attached "$tmp/page"
	[ "$(curl_on_client "${who[@]}" -u prometheus:wrong "$to")" -eq 401 ]
	[ "$(curl_on_client -u prometheus:secret "$to")" -eq 403 ]
	run ! on_client curl --silent "http://$server_ipv4:$port/metrics"
	# Another certificate and another name take no restart.
	certificate renewed "$server_ipv4"
	mv "$tmp/renewed.key" "$tmp/server.key"
	mv "$tmp/renewed.pem" "$tmp/server.pem"
	sed -i s/prometheus:/somebody:/ "$tmp/web.yml"
	wait_until is_served "${who[@]}" -u somebody:secret "$to"
	[ "$(curl_on_client "${who[@]}" -u prometheus:secret "$to")" -eq 401 ]
	kill -INT "$(cat "$tmp/one.pid")"
	wait "$(cat "$tmp/one.pid")"
}
