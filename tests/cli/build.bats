#!/usr/bin/env bats
# The build, in a copy of the sources: what it makes, installs, and asks for.

bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_TEST_DIRNAME/../.." || exit 1
	export copy=$BATS_FILE_TMPDIR/netstacklat
	mkdir "$copy"
	tar -c --exclude=./.git --exclude=./.output --exclude=./netstacklat . | tar -x -C "$copy"
}

setup() {
	cd "$copy" || exit 1
	# Of the make that runs these tests.
	unset MAKEFLAGS MAKELEVEL
}

# A PATH of just these commands.
path_of() {
	local bin=$BATS_TEST_TMPDIR/bin name
	mkdir "$bin"
	for name in "$@"; do
		ln -s "$(command -v "$name")" "$bin/$name"
	done
	echo "$bin"
}

@test "a missing package is named, with the commands that install it" {
	PATH=$(path_of bash cat env grep id make mkdir uname gcc pkg-config bpftool) run make
	echo "$output"
	[ "$status" -ne 0 ]
	[[ $output == *"missing here: clang;"* ]]
	[[ $output == *"apt-get install clang"* ]]
	[[ $output == *"dnf install clang"* ]]
	[[ $output != *"error:"* ]]
}

# Other compilers and optimizers find other things to warn about, and a warning ends the build. (The compilers of other
# suites have their turn in make check-all.)
@test "clang without an optimizer builds it, too" {
	make -j"$(nproc)" CC=clang CFLAGS=-O0
}

@test "STATIC=1 makes one binary for any host" {
	make STATIC=1
	run -1 ldd netstacklat
	[[ $output == *"not a dynamic executable"* ]]
	./netstacklat -V
	# Nobody is to believe that it asks for one.
	printf "basic_auth_users: { a: '\$2y\$10\$%053d' }\n" 0 >"$BATS_TEST_TMPDIR/web.yml"
	run -1 ./netstacklat --listen=9719 --web.config.file="$BATS_TEST_TMPDIR/web.yml"
	[[ $output == *"/web.yml: this binary is linked statically, and has neither TLS nor passwords: "* ]]
}

@test "make without STATIC links again, and make again does nothing" {
	make
	ldd netstacklat | grep -q libbpf
	run -0 make
	[ -z "$output" ] || [[ $output == *"Nothing to be done"* ]]
}

@test "make install puts binary, man page and completion under DESTDIR and PREFIX" {
	make install DESTDIR="$BATS_TEST_TMPDIR/root" PREFIX=/usr
	for file in man/man8/netstacklat.8 bash-completion/completions/netstacklat zsh/site-functions/_netstacklat \
		fish/vendor_completions.d/netstacklat.fish; do
		[ -e "$BATS_TEST_TMPDIR/root/usr/share/$file" ]
	done
	"$BATS_TEST_TMPDIR/root/usr/sbin/netstacklat" -V
}

@test "the BPF programs compile for arm64, too" {
	make OUTPUT="$BATS_TEST_TMPDIR/arm64" BPF_ARCH=arm64 \
		"$BATS_TEST_TMPDIR"/arm64/netstacklat.{counts,filters,groups}.bpf.o
}

# The build after a change of one program.
build_with() {
	sed -i "/BPF_PROG($1,/,/^}/$2" netstacklat.bpf.c
	run make OUTPUT="$BATS_TEST_TMPDIR/output" "$BATS_TEST_TMPDIR/output/netstacklat.counts.bpf.o"
	cp --preserve=timestamps netstacklat.bpf.c.whole netstacklat.bpf.c
}

@test "a program that has less than the hook table says does not build" {
	cp --preserve=timestamps netstacklat.bpf.c netstacklat.bpf.c.whole
	lacks="error: .* this program has not what the hook table says that it has"
	build_with tcp_data_queue 's/\.skb = skb, \.sk = sk/.sk = sk, .skb = skb/'
	[ "$status" -eq 0 ]
	while read -r program change; do
		build_with "$program" "$change"
		echo "$program: $output"
		[ "$status" -ne 0 ]
		grep -q "$lacks" <<<"$output"
	done <<-'END'
		tcp_data_queue s/, \.sk = sk//
		udp_rcv s/\.skb = skb//
		tcp_recv_timestamp s/, \.stamp_ns = stamp_of_tcp_read(tss)//
		tcp_recv_timestamp s/\.sk = sk, //
	END
	rm netstacklat.bpf.c.whole
}

# Of a file of BPF code.
exchanges_in() { tests/cli/exchanges.py "$1"; }

# Stores keep their order on x86, and Linux 5.10 has no atomic exchange.
@test "user space sees what is in a group's row once it sees that the row is in use, on arm64, too" {
	for architecture in x86 arm64; do
		output=$BATS_TEST_TMPDIR/$architecture
		make OUTPUT="$output" BPF_ARCH=$architecture "$output/netstacklat.groups.bpf.o"
	done
	[ "$(exchanges_in "$BATS_TEST_TMPDIR/x86/netstacklat.groups.bpf.o")" -eq 0 ]
	[ "$(exchanges_in "$BATS_TEST_TMPDIR/arm64/netstacklat.groups.bpf.o")" -eq 1 ]
}

@test "no header of the machine's kernel is used, and none of its BTF" {
	make
	for variant in counts filters groups; do
		run -1 grep -hE '/linux/|/asm/|vmlinux\.h' ".output/netstacklat.$variant.bpf.d"
	done
}

@test "make clean leaves nothing behind" {
	make clean
	[ ! -e netstacklat ]
	[ ! -e .output ]
}
