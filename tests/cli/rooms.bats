#!/usr/bin/env bats
# The rooms of lib: which may include which. A room is a folder, lib/bpf has rooms within, and the sources beside lib are
# rooms of their own.

# Each room, and those that it may include besides itself. <bpf is what comes with libbpf, skeletons included.
rooms() {
	cat <<-'END'
		tables
		base             tables
		bpf/kernel       tables <bpf
		bpf/exporter     tables <bpf bpf/kernel
		bpf/path         tables <bpf bpf/kernel bpf/exporter
		bpf/hooks        tables <bpf bpf/kernel bpf/path
		bpf              tables <bpf bpf/kernel
		counts           tables base
		confine          tables base
		host             tables base
		http             tables base
		filters          tables base host
		kernel           tables base confine counts host filters <bpf
		report           tables base counts host
		packet           tables base counts host report
		print            tables base counts host report packet
		compare          tables base counts
		diagnose         tables base counts host report print
		live             tables base counts packet print
		serve            tables base confine counts host http kernel report packet print diagnose live
		cli              tables base confine counts host http filters kernel compare report print serve
		run              tables base host http filters kernel print live serve cli
		generate         tables base kernel cli
		netstacklat.h    tables
		netstacklat.bpf  tables bpf/kernel bpf/path bpf/hooks <bpf netstacklat.h
		netstacklat      tables base confine host kernel print serve cli run netstacklat.h
	END
}

# What is included in this folder's sources against the rules, as "FILE: INCLUDED".
violations() {
	local files
	mapfile -t files < <(find lib -type f | sort)
	grep -oE '^ *# *include *["<][^">]+' netstacklat.* "${files[@]}" | awk -F : '
		function room_of(path) {
			sub("^lib/", "", path)
			return match(path, "^(bpf/)?[^/]*/") ? substr(path, 1, RLENGTH - 1) : path
		}
		FNR == NR { split($0, words, " "); for (i in words) allowed[words[1], words[i]] = 1; next }
		{
			from = room_of($1); sub("[.]c$", "", from)
			included = $2; sub(".*include *\"*", "", included)
			room = room_of(included)
			if (included ~ /[.]skel[.]h$/) room = "<bpf"
			# Of the system, or types of the kernel.
			else if (included ~ /^<|^vmlinux_local[.]h$/ && room != "<bpf") next
			if (!((from, room) in allowed)) print $1 ": " included
		}' <(rooms) -
}

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || exit 1
}

@test "no room includes what it may not" {
	found=$(violations)
	echo "$found"
	[ -z "$found" ]
}

@test "each room has a rule" {
	[ "$(rooms | awk '$1 !~ /netstacklat/ { print $1 }' | sort)" = "$(cd lib && printf '%s\n' */ bpf/*/ | sed 's,/$,,' | sort)" ]
}

@test "what may not be included is found" {
	cd "$BATS_TEST_TMPDIR"
	mkdir -p lib/base lib/bpf/kernel lib/report lib/counts
	cat >netstacklat.c <<-'END'
		#include <stdio.h>
		#include "netstacklat.h"
		#include "lib/cli/options.h"
		#include <bpf/libbpf.h>
	END
	cat >lib/base/list.c <<-'END'
		#include "lib/base/list.h"
		#include "netstacklat.h"
		#include "lib/counts/groups.h"
	END
	echo '#include "lib/bpf/path/packet.bpf.h"' >lib/bpf/kernel/sock.bpf.h
	cat >lib/report/text.c <<-'END'
		#include "lib/base/list.h"
		#include "lib/kernel/loader.h"
		# include "text.h"
		#include "netstacklat.counts.skel.h"
	END
	echo '#include "../base/list.h"' >lib/counts/groups.h
	[ "$(violations)" = "netstacklat.c: <bpf/libbpf.h
lib/base/list.c: netstacklat.h
lib/base/list.c: lib/counts/groups.h
lib/bpf/kernel/sock.bpf.h: lib/bpf/path/packet.bpf.h
lib/counts/groups.h: ../base/list.h
lib/report/text.c: lib/kernel/loader.h
lib/report/text.c: text.h
lib/report/text.c: netstacklat.counts.skel.h" ]
}
