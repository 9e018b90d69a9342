#!/usr/bin/env bats
# What "make release" and "make rpm" make of the last commit. Part of make check-all PART=tools, as it builds five times.

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || exit 1
	git rev-parse HEAD >/dev/null 2>&1 || skip "no git repository, so nothing to pack"
	# Of the make that runs these tests.
	unset MAKEFLAGS MAKELEVEL
}

# By this Makefile.
make_in() { # FOLDER TARGET [MAKE]
	git clone --quiet . "$1"
	cp Makefile "$1"
	"${3:-make}" -j"$(nproc)" -C "$1" "$2"
}

@test "the binary is the same wherever and whenever it is built, and needs nothing of its host" {
	make_in "$BATS_TEST_TMPDIR/one" release
	(umask 077 && make_in "$BATS_TEST_TMPDIR/and another" release)
	cd "$BATS_TEST_TMPDIR"
	cmp {one,"and another"}/.output/release/netstacklat-*.sha256
	(cd one/.output/release && sha256sum --check netstacklat-*.sha256)
	mkdir empty
	cp one/.output/release/netstacklat-*-linux-"$(uname -m)" empty/netstacklat
	[[ $(unshare --map-root-user chroot empty /netstacklat --version) == "netstacklat "* ]]
}

@test "for arm64, too, it is one binary that needs nothing of its host" {
	make_in "$BATS_TEST_TMPDIR/one" release packaging/for-arm64
	cd "$BATS_TEST_TMPDIR/one/.output/release"
	sha256sum --check netstacklat-*-linux-aarch64.sha256
	readelf --file-header --program-headers netstacklat-*-linux-aarch64 >headers
	grep -qE 'Machine: +AArch64' headers
	[ "$(grep -c INTERP headers)" -eq 0 ]
}

@test "the package for Fedora has the program, its documents and units, and rpmlint finds nothing" {
	make_in "$BATS_TEST_TMPDIR/one" rpm
	cd "$BATS_TEST_TMPDIR/one/.output/rpm/RPMS/$(uname -m)"
	rpm -qlp ./netstacklat-*.rpm >files
	for file in /usr/sbin/netstacklat /usr/share/man/man8/netstacklat.8 /usr/share/netstacklat/report.schema.json \
		/usr/lib/systemd/system/netstacklat.service /usr/share/bash-completion/completions/netstacklat; do
		echo "$file"
		grep -qx "$file" files
	done
	[ "$(rpm -qp --queryformat '%{VERSION}' ./netstacklat-*.rpm)" = "$(sed -n 's/^VERSION := //p' "$OLDPWD/Makefile")" ]
	rpm2cpio ./netstacklat-*.rpm | cpio --quiet -id ./usr/sbin/netstacklat
	[[ $(usr/sbin/netstacklat --version) == "netstacklat "* ]]
}

# Which looks through more, and finds other things to warn about.
@test "it builds at -O3" {
	CFLAGS=-O3 make_in "$BATS_TEST_TMPDIR/fast" netstacklat
}
