#!/usr/bin/env bats
# bats file_tags=kernel:7-2,long,systemd
# The packages that "make deb" and "make rpm" built, under a real systemd: the VM has this machine's userland, and
# forgets what is installed.

bats_require_minimum_version 1.5.0

setup() {
	# shellcheck source=tests/vm/helpers.bash
	source "$BATS_TEST_DIRNAME/helpers.bash"
	ours=$(ls .output/deb/netstacklat_*.deb)
	installed=/usr/sbin/netstacklat
	# Containers forbid all services to start.
	rm -f /usr/sbin/policy-rc.d
}

teardown() {
	dpkg --purge netstacklat libbpf-tools-mock
	! rpm --query --quiet netstacklat || rpm_remove
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
		[ "$(systemctl is-enabled "$unit")" = disabled ]
		[ "$(systemctl is-active "$unit")" = inactive ]
		systemd-analyze verify --man=no "/lib/systemd/system/$unit.service"
	done
	later
	[[ $(dpkg-query --show netstacklat) == *+later ]]
	"$installed" --version
	dpkg --purge netstacklat
	[ ! -e "$installed" ]
	assert_nothing_of_ours_left
}

# What each package manager does with its package. A reinstallation runs what an upgrade does.
deb_install() { dpkg --install "$ours"; }
deb_upgrade() { later; }
deb_remove() { dpkg --purge netstacklat; }
rpm_install() { rpm --install --nodeps --force-debian .output/rpm/RPMS/*/*.rpm; }
rpm_upgrade() { rpm --reinstall --nodeps --force-debian .output/rpm/RPMS/*/*.rpm; }
rpm_remove() { rpm --erase --force-debian netstacklat; }

is_scraped() { curl -s --fail http://127.0.0.1:9719/metrics | grep -q '^netstacklat_build_info{'; }
main_pid() { systemctl show --property=MainPID --value "$1"; }

# Each unit is up at the first try, and is this installation's program: what replaces a file gives it another inode.
assert_up() { # UNIT...
	local unit
	for unit in "$@"; do
		[ "$(systemctl is-active "$unit")" = active ]
		[ "$(systemctl show --property=NRestarts --value "$unit")" = 0 ]
		[ "/proc/$(main_pid "$unit")/exe" -ef "$installed" ]
	done
}

follow_units() { # deb|rpm
	local before unit units=(netstacklat netstacklat-timestamping)
	"$1_install"
	systemctl enable --now "${units[@]}"
	is_scraped
	assert_up "${units[@]}"
	before=$(main_pid netstacklat)
	[ "$(stat -c %U "/proc/$before")" != root ]
	"$1_upgrade"
	assert_up "${units[@]}"
	[ "$(main_pid netstacklat)" != "$before" ]
	is_scraped
	for unit in "${units[@]}"; do
		systemctl list-dependencies --plain multi-user.target | grep -qw "$unit.service"
	done
	"$1_remove"
	for unit in "${units[@]}"; do
		run ! systemctl is-active "$unit"
		[ -z "$(systemctl list-unit-files --no-legend "$unit.service")" ]
	done
	run ! is_scraped
	assert_nothing_of_ours_left
}

@test "Debian: its units run, are scraped, are new after an upgrade, come back at boot, and are gone when it is" {
	follow_units deb
}

@test "Fedora: its units run, are scraped, are new after an upgrade, come back at boot, and are gone when it is" {
	follow_units rpm
}

@test "with its socket, no scrape is lost while it is upgraded" {
	dpkg --install "$ours"
	mkdir -p /run/systemd/system/netstacklat.service.d
	printf '%s\n' '[Service]' ExecStart= "ExecStart=$installed --listen=systemd" \
		>/run/systemd/system/netstacklat.service.d/socket.conf
	systemctl daemon-reload
	systemctl enable --now netstacklat.socket
	[ "$(systemctl is-active netstacklat)" = inactive ]
	is_scraped
	assert_up netstacklat
	(
		while [ ! -e "$tmp/upgraded" ]; do
			is_scraped || echo lost
		done
	) >"$tmp/scrapes" &
	later
	touch "$tmp/upgraded"
	wait $!
	[ ! -s "$tmp/scrapes" ]
	assert_up netstacklat
	dpkg --purge netstacklat
	run ! systemctl is-active netstacklat.socket netstacklat
	rm -r /run/systemd/system/netstacklat.service.d
	assert_nothing_of_ours_left
}

@test "what is off stays off after an upgrade" {
	dpkg --install "$ours"
	later
	[ "$(systemctl is-active netstacklat)" = inactive ]
	[ "$(systemctl is-enabled netstacklat)" = disabled ]
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
