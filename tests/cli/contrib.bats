#!/usr/bin/env bats
# What comes along for fleets: each file is held to what reads it.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || exit 1
	unit=contrib/netstacklat.service
}

@test "the rules are valid, and alert when they should" {
	promtool check rules contrib/prometheus/rules.yml
	cd contrib/prometheus
	promtool test rules rules.test.yml
}

@test "each alert and each recorded series is tested, and uses metrics that there are" {
	tests/cli/contrib.py rules
}

@test "the workflow runs the tests that contributors run, and may do no more than read" {
	tests/cli/contrib.py workflow
}

@test "the scrape configuration is valid, and scrapes what the unit serves" {
	promtool check config contrib/prometheus/scrape.yml
	address=$(sed -n 's/.*targets: \["localhost:\([0-9]*\)"\]/\1/p' contrib/prometheus/scrape.yml)
	grep -q "^ExecStart=.* --listen=127.0.0.1:$address$" "$unit"
	grep -q "^SocketBindAllow=tcp:$address$" "$unit"
}

@test "the unit is valid, hardened, and its options are" {
	command -v systemd-analyze >/dev/null || skip "no systemd here"
	sed "s,^ExecStart=/usr/local/sbin/netstacklat,ExecStart=$PWD/netstacklat," "$unit" >"$BATS_TEST_TMPDIR/netstacklat.service"
	cp contrib/netstacklat.socket "$BATS_TEST_TMPDIR"
	run -0 systemd-analyze verify --man=no "$BATS_TEST_TMPDIR/netstacklat.service" "$BATS_TEST_TMPDIR/netstacklat.socket"
	[ -z "$output" ]
	# 3.0 is 30 here.
	systemd-analyze security --offline=yes --threshold=29 "$unit" >"$BATS_TEST_TMPDIR/security" ||
		{ tail -n 3 "$BATS_TEST_TMPDIR/security"; false; }
	read -ra options < <(sed -n 's/^ExecStart=[^ ]* //p' "$unit")
	./netstacklat "${options[@]}" -V
}

@test "the dashboards are what their script makes" {
	contrib/grafana/make-dashboards "$BATS_TEST_TMPDIR"
	for dashboard in netstacklat netstacklat-native; do
		cmp contrib/grafana/$dashboard.json "$BATS_TEST_TMPDIR/$dashboard.json"
	done
}

# DASHBOARD [native]: its answers to each query, after a word each.
assert_answered() {
	tests/cli/dashboards.py contrib/grafana/"$1".json "$BATS_TEST_TMPDIR" "${@:2}" >"$BATS_TEST_TMPDIR/answers"
	cat "$BATS_TEST_TMPDIR/answers"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/answers")" -gt 10 ]
	run -1 grep -q ^none "$BATS_TEST_TMPDIR/answers"
}

@test "a real Prometheus has data for each query of the dashboard" {
	assert_answered netstacklat
}

# Before Prometheus 3 there are no such histograms: it can only tell that the queries are valid.
@test "so it has for native histograms" {
	assert_answered netstacklat-native native
}

@test "the container and the DaemonSet give options that there are, and what their files name is there" {
	tests/cli/contrib.py containers
}
