#!/usr/bin/env bats
# bats file_tags=kernel:7-2,long,once
# The package that "make deb" built: the VM has this machine's userland, and forgets what is installed.

bats_require_minimum_version 1.5.0

setup() {
	# shellcheck source=tests/vm/helpers.bash
	source "$BATS_TEST_DIRNAME/helpers.bash"
	ours=$(ls .output/deb/netstacklat_*.deb)
	installed=/usr/sbin/netstacklat
}

teardown() {
	dpkg --purge netstacklat libbpf-tools-mock
	stop_everything
}

# A later version of a package: the same with another number.
later() {
	dpkg-deb --raw-extract "$ours" "$tmp/later"
	sed -i 's/^Version: .*/&+later/' "$tmp/later/DEBIAN/control"
	dpkg-deb --build "$tmp/later" "$tmp/later.deb" >/dev/null
	dpkg --install "$tmp/later.deb"
}

# As libbpf-tools may be, it knows nothing of us.
sibling() {
	mkdir -p "$tmp/mock/DEBIAN" "$tmp/mock/usr/sbin"
	printf '%s\n' '#!/bin/sh' 'echo sibling' >"$tmp/mock$installed"
	chmod 755 "$tmp/mock$installed"
	printf '%s: %s\n' Package libbpf-tools-mock Version 1 Architecture all Maintainer "nobody <nobody@example.org>" \
		Description "owns the same path" >"$tmp/mock/DEBIAN/control"
	dpkg-deb --build --root-owner-group "$tmp/mock" "$tmp/mock.deb" >/dev/null
	dpkg --install "$tmp/mock.deb"
}

assert_both_found() {
	[[ $(netstacklat --version) == "netstacklat "* ]]
	[ "$(netstacklat.libbpf-tools)" = sibling ]
}

assert_nothing_of_ours_left() {
	run -0 dpkg-divert --list '*netstacklat*'
	[ -z "$output" ]
	run ! dpkg --status netstacklat
	[ -z "$(find /usr/share /lib/systemd /etc -name '*netstacklat*' -not -path '*/work/*')" ]
}

@test "it is installed, measures, is upgraded and purged, and its units are off" {
	dpkg --install "$ours"
	[[ $("$installed" --version) == "netstacklat "* ]]
	"$installed" --list-probes | grep -q "^tcp-start"
	"$installed" --json 1 1 >"$tmp/one.out"
	[ "$(kinds one)" = interval ]
	for unit in netstacklat netstacklat-timestamping; do
		[ "$(systemctl --root=/ is-enabled "$unit")" = disabled ]
		systemd-analyze verify --man=no "/lib/systemd/system/$unit.service"
	done
	later
	[[ $(dpkg-query --show netstacklat) == *+later ]]
	"$installed" --version
	dpkg --purge netstacklat
	[ ! -e "$installed" ]
	assert_nothing_of_ours_left
}

@test "it goes with a package of the same path, whichever comes and goes first" {
	sibling
	dpkg --install "$ours"
	assert_both_found
	later
	assert_both_found
	dpkg --purge netstacklat
	[ "$(netstacklat)" = sibling ]
	assert_nothing_of_ours_left
	dpkg --install "$ours"
	dpkg --purge libbpf-tools-mock
	[ ! -e /usr/sbin/netstacklat.libbpf-tools ]
	sibling
	assert_both_found
	dpkg --remove netstacklat
	[ "$(netstacklat)" = sibling ]
}
