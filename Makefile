# SPDX-License-Identifier: GPL-2.0
#
# "make help" prints what stands behind the names of targets. V=1 shows the commands.

# The only place where it is set; what else names it is tested against it.
VERSION := 0.1.0
PREFIX ?= /usr/local
# Debian keeps bpftool where users do not look.
export PATH := $(PATH):/usr/local/sbin:/usr/sbin:/sbin
OUTPUT := .output

HOSTCC ?= cc
CLANG ?= clang
CLANG_TIDY ?= clang-tidy
CPPCHECK ?= cppcheck
BPFTOOL ?= bpftool
PKG_CONFIG ?= pkg-config
INSTALL ?= install
CFLAGS ?= -O2 -g

WARNINGS := -Wall -Wextra -Werror
LIBRARIES := libbpf libelf zlib libcap libseccomp json-c libmicrohttpd gnutls libcrypt yaml-0.1 ncursesw
# There is no static libgnutls that is complete.
LINKED = $(if $(STATIC),$(filter-out gnutls,$(LIBRARIES)),$(LIBRARIES))
COMMON_CFLAGS := $(WARNINGS) -std=gnu11 -D_GNU_SOURCE -I. -MMD -MP
ALL_CFLAGS = $(CFLAGS) $(COMMON_CFLAGS) -DVERSION='"$(VERSION)"' -I$(OUTPUT)
# Behind all libraries, an archive is asked only for what they lack.
LACKING := $(if $(STATIC),$(addprefix $(OUTPUT)/packaging/,libelf.a tls.a))
# What the others need themselves; libmicrohttpd needs it for nothing but TLS.
WHOLE = $(shell $(PKG_CONFIG) --static --libs $(filter-out libmicrohttpd,$(LINKED)))
ALL_LIBS = $(if $(STATIC),-static) $(LDFLAGS) $(shell $(PKG_CONFIG) --libs $(LINKED)) $(if $(STATIC),$(WHOLE)) \
	$(LACKING) -lm

# For another architecture, see packaging/for-arm64.
MACHINE := $(shell uname -m)
# As libbpf's headers name it.
BPF_ARCH := $(patsubst aarch64,arm64,$(patsubst x86_64,x86,$(MACHINE)))
# BPF_PROG() declares each argument of a probe, of which few programs use all.
# The line information has paths, which are not to be those of this machine.
BPF_CFLAGS := '-ffile-prefix-map=$(CURDIR)=.' -target bpf -mcpu=v3 -D__TARGET_ARCH_$(BPF_ARCH) -I. -g -O2 \
	$(WARNINGS) -Wno-unused-parameter -MMD -MP

# netstacklat.bpf.c is compiled once for each variant: name, and 0 or 1 for each feature, as the preprocessor reads them.
comma := ,
VARIANT_LINES := $(subst $(comma) ,$(comma),$(shell $(HOSTCC) -E -P -xc -D'VARIANT(...)=__VA_ARGS__' \
	lib/tables/variants.def 2>/dev/null))
VARIANTS := $(foreach line,$(VARIANT_LINES),$(firstword $(subst $(comma), ,$(line))))
# $(call feature,VARIANT,COLUMN)
feature = $(word $(2),$(subst $(comma), ,$(filter $(1)$(comma)%,$(VARIANT_LINES))))
VARIANT_FLAGS = -DWITH_FILTERS=$(call feature,$(1),2) -DWITH_GROUPS=$(call feature,$(1),3) \
	-DWITH_STAGES=$(call feature,$(1),4) -DWITH_SLOW=$(call feature,$(1),5)
PROGRAMS := $(patsubst %,$(OUTPUT)/netstacklat.%.bpf.o,$(VARIANTS))

FLAGS = $(CC) $(ALL_CFLAGS) $(LDFLAGS) $(HOSTCC)
LINK_FLAGS = $(CC) $(ALL_LIBS)
BPF_FLAGS = $(CLANG) $(BPF_CFLAGS)

# What writes documents and files for the build is not in the program.
GENERATORS := $(patsubst %.c,$(OUTPUT)/%.o,$(wildcard lib/generate/*.c))
OBJECTS := $(filter-out $(GENERATORS),$(patsubst %.c,$(OUTPUT)/%.o,netstacklat.c \
	$(sort $(filter-out %.bpf.c,$(wildcard lib/*/*.c)))))
FUZZERS := $(patsubst tests/fuzz/%.c,$(OUTPUT)/fuzz/%,$(sort $(wildcard tests/fuzz/*.c)))
UNIT_TESTS := $(patsubst %.c,$(OUTPUT)/%,$(sort $(wildcard tests/unit/*.c)))
# Objects of one program each.
SINGLE_PROGRAMS := $(patsubst %.c,$(OUTPUT)/%.o,$(wildcard lib/bpf/*.bpf.c))
BENCH := $(addprefix $(OUTPUT)/tests/bench/,reference reference.bpf.o floor.bpf.o native)
UNIT_LIBS = $(shell $(PKG_CONFIG) --libs $(LIBRARIES) cmocka) -lm
# All but what loads the BPF objects is there for unit tests.
UNIT_OBJECTS := $(filter-out $(addprefix $(OUTPUT)/,netstacklat.o \
	lib/kernel/loader.o lib/kernel/netns_mix.o),$(OBJECTS)) $(GENERATORS)

ifeq ($(V),1)
Q :=
say :=
else
Q := @
say = @printf '  %-8s %s\n' $(1) $(2);
endif

.PHONY: all help ebpf_exporter demo unit unit-sanitized unit-nomem sanitized fuzz mutants lint lint-tidy lint-cppcheck lint-analyzer lint-shell vm soak check-fast check check-all check-here bench tests walk-through install dist deb rpm release clean dependencies FORCE
.DELETE_ON_ERROR:

all: netstacklat ## build ./netstacklat; STATIC=1: one binary for any host

help: ## print this
	@awk -F ':.*## ' '/^[a-z_-]+:.*## / { printf "make %-13s  %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

netstacklat: $(OBJECTS) $(LACKING) $(OUTPUT)/link-flags
	$(call say,LINK,$@)
	$(Q)$(CC) -o $@ $(OBJECTS) $(ALL_LIBS)

$(LACKING): %.a: %.o
	$(Q)$(AR) rcs $@ $<

# Without libgnutls, there are functions that do nothing, and a sign of that (lib/http/web_config.c).
$(OUTPUT)/packaging/tls.c: $(addprefix $(OUTPUT)/lib/http/,passwords.o request.o web_config.o)
	$(Q)mkdir -p $(@D)
	$(Q)nm "$$($(CC) -print-file-name=libmicrohttpd.a)" $^ 2>/dev/null | awk '$$1 == "U" && /gnutls_/ && !seen[$$2]++ \
		{ print "long " $$2 "(void) { return 0; }" } END { print "const char tls_is_missing = 1;" }' >$@

# They change only when a flag does: then all that is compiled with it is built anew or, by STATIC=1, linked.
define write_flags
	$(Q)mkdir -p $(@D)
	$(Q)echo '$(subst ','\'',$(1))' | cmp -s - $@ || echo '$(subst ','\'',$(1))' >$@
endef

$(OUTPUT)/flags: FORCE | dependencies
	$(call write_flags,$(FLAGS))

$(OUTPUT)/link-flags: FORCE | dependencies
	$(call write_flags,$(LINK_FLAGS))

$(OUTPUT)/bpf-flags: FORCE | dependencies
	$(call write_flags,$(BPF_FLAGS))

$(OUTPUT)/%.o: %.c $(OUTPUT)/flags
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -c -o $@ $<

$(addsuffix lib/print/html.o,$(OUTPUT)/ $(OUTPUT)/nomem/ $(OUTPUT)/fuzz/): lib/print/page.html

$(OUTPUT)/packaging/tls.o: $(OUTPUT)/packaging/tls.c
	$(Q)$(CC) -w -c -o $@ $<

$(addsuffix lib/kernel/programs.o,$(OUTPUT)/ $(OUTPUT)/nomem/ $(OUTPUT)/fuzz/): $(PROGRAMS:.bpf.o=.skel.h)
$(addsuffix lib/kernel/netns_mix.o,$(OUTPUT)/ $(OUTPUT)/nomem/): $(OUTPUT)/lib/bpf/netns_mix.skel.h
$(addsuffix lib/kernel/socket_queue_reader.o,$(OUTPUT)/ $(OUTPUT)/nomem/ $(OUTPUT)/fuzz/): $(OUTPUT)/lib/bpf/socket_queues.skel.h

$(OUTPUT)/lib/bpf/%.skel.h: $(OUTPUT)/lib/bpf/%.bpf.o
	$(call say,SKELETON,$@)
	$(Q)$(BPFTOOL) gen skeleton $< name $* >$@

$(OUTPUT)/netstacklat.%.skel.h: $(OUTPUT)/netstacklat.%.bpf.o
	$(call say,SKELETON,$@)
	$(Q)$(BPFTOOL) gen skeleton $< name netstacklat_$* >$@

$(OUTPUT)/tests/%.skel.h: $(OUTPUT)/tests/%.bpf.o
	$(call say,SKELETON,$@)
	$(Q)$(BPFTOOL) gen skeleton $< name $(*F)_bpf >$@

# Unit tests read them, so make must not remove them as leftovers, as it does from 4.4 on.
.SECONDARY: $(PROGRAMS) $(SINGLE_PROGRAMS)
# bpftool's linker leaves the debugging sections behind, and keeps BTF.
define compile_bpf
	$(call say,BPF,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) $(BPF_CFLAGS) $(1) -MT $@ -MF $(@:.o=.d) -c -o $(@:.o=.clang) $<
	$(Q)$(BPFTOOL) gen object $@ $(@:.o=.clang)
endef

$(PROGRAMS): $(OUTPUT)/netstacklat.%.bpf.o: netstacklat.bpf.c lib/tables/variants.def $(OUTPUT)/bpf-flags
	$(call compile_bpf,$(call VARIANT_FLAGS,$*))

$(SINGLE_PROGRAMS): $(OUTPUT)/%.o: %.c $(OUTPUT)/bpf-flags
	$(call compile_bpf)

$(OUTPUT)/tests/%.bpf.o: tests/%.bpf.c $(OUTPUT)/bpf-flags
	$(call compile_bpf)

# For ebpf_exporter: a configuration, and an object with these hooks only, as it attaches all programs.
HOOKS :=
WITHOUT :=
EXPORTER := $(OUTPUT)/ebpf_exporter
exporter_lists = '$(subst ','\'',$(HOOKS))' '$(subst ','\'',$(WITHOUT))'

ebpf_exporter: $(addprefix $(EXPORTER)/netstacklat.,bpf.o yaml) ## make what ebpf_exporter loads; HOOKS=LIST, WITHOUT=LIST: see doc/ebpf_exporter.md
	@echo 'ebpf_exporter --config.dir=$(abspath $(EXPORTER)) --config.names=netstacklat'

# It writes what the build needs, so it runs on the machine that builds, which CC may not be for.
HOST_OBJECTS := $(addprefix $(OUTPUT)/host/,packaging/ebpf_exporter.o lib/generate/ebpf_exporter.o \
	$(addprefix lib/,base/list.o base/log.o counts/groups.o counts/histogram.o counts/stages.o kernel/selection.o tables/discards.o tables/hooks.o))

$(OUTPUT)/host/%.o: %.c $(OUTPUT)/flags
	$(call say,HOSTCC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(HOSTCC) $(COMMON_CFLAGS) -c -o $@ $<

$(OUTPUT)/packaging/ebpf_exporter: $(HOST_OBJECTS)
	$(call say,HOSTLD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(HOSTCC) -o $@ $^

# Changes only when what is in it does.
$(OUTPUT)/packaging/ebpf_exporter.h: $(OUTPUT)/packaging/ebpf_exporter FORCE
	$(Q)$< programs $(exporter_lists) >$@.new
	$(Q)cmp -s $@.new $@ || cp $@.new $@

$(EXPORTER)/netstacklat.yaml: $(OUTPUT)/packaging/ebpf_exporter FORCE
	$(Q)mkdir -p $(@D)
	$(Q)$< config $(exporter_lists) >$@

$(OUTPUT)/netstacklat.ebpf_exporter.bpf.o: netstacklat.bpf.c $(OUTPUT)/packaging/ebpf_exporter.h $(OUTPUT)/bpf-flags
	$(call compile_bpf,-include $(OUTPUT)/packaging/ebpf_exporter.h $(call VARIANT_FLAGS,counts))

$(EXPORTER)/netstacklat.bpf.o: $(OUTPUT)/netstacklat.ebpf_exporter.bpf.o
	$(Q)mkdir -p $(@D)
	$(Q)cp $< $@

tests: $(UNIT_TESTS) $(addprefix $(OUTPUT)/tests/vm/,crowd.bpf.o filter_cgroup.bpf.o pass.bpf.o restamp.bpf.o ebpf_exporter) $(BENCH) ebpf_exporter ## build what the tests need

$(OUTPUT)/tests/vm/ebpf_exporter: $(OUTPUT)/tests/vm/ebpf_exporter.o | $(LACKING)
	$(call say,LINK,$@)
	$(Q)$(CC) -o $@ $^ $(ALL_LIBS)

# These take their context from the kernel's UAPI headers, which Debian splits by architecture.
$(addprefix $(OUTPUT)/tests/vm/,filter_cgroup.bpf.o pass.bpf.o restamp.bpf.o): private BPF_CFLAGS += -idirafter /usr/include/$(shell uname -m)-linux-gnu

# What archives have in them is said here: an object that is there already may be new to one.
$(addsuffix units.a,$(OUTPUT)/ $(OUTPUT)/nomem/ $(OUTPUT)/fuzz/): Makefile

$(OUTPUT)/units.a: $(UNIT_OBJECTS)
	$(call say,AR,$@)
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $(filter %.o,$^)

$(UNIT_TESTS): $(OUTPUT)/%: $(OUTPUT)/%.o $(OUTPUT)/units.a | $(PROGRAMS)
	$(call say,LINK,$@)
	$(Q)$(CC) -o $@ $^ $(LDFLAGS) $(UNIT_LIBS)

# The same once more, with sanitizers; and whatever allocates is called in lib/ by the names of tests/nomem.c, where it
# may fail.
NOMEM_TESTS := $(UNIT_TESTS:$(OUTPUT)/%=$(OUTPUT)/nomem/%)
NOMEM_CFLAGS := -O1 -fno-optimize-sibling-calls -fsanitize=address,undefined -fno-sanitize-recover=undefined

$(OUTPUT)/nomem/%.o: %.c $(OUTPUT)/flags
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(NOMEM_CFLAGS) -c -o $@ $<

$(OUTPUT)/nomem/units.a: $(UNIT_OBJECTS:$(OUTPUT)/%=$(OUTPUT)/nomem/%) $(OUTPUT)/nomem/tests/nomem.o
	$(call say,AR,$@)
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $(filter-out %/nomem.o Makefile,$^)
	$(Q)nm $(filter %/nomem.o,$^) | sed -n 's/.* T nomem_//p' | sed 's/.*/& nomem_&/' >$@.names
	$(Q)objcopy --redefine-syms=$@.names $@

$(NOMEM_TESTS): $(OUTPUT)/nomem/%: $(addprefix $(OUTPUT)/nomem/,%.o units.a tests/nomem.o) | $(PROGRAMS)
	$(call say,LINK,$@)
	$(Q)$(CC) $(NOMEM_CFLAGS) -o $@ $^ $(LDFLAGS) $(UNIT_LIBS)

sanitized: $(OUTPUT)/nomem/netstacklat ## build it with sanitizers, for tests in VMs

$(OUTPUT)/nomem/netstacklat: $(OBJECTS:$(OUTPUT)/%=$(OUTPUT)/nomem/%)
	$(call say,LINK,$@)
	$(Q)$(CC) $(NOMEM_CFLAGS) -o $@ $^ $(LDFLAGS) $(ALL_LIBS)

# And once more by clang, which tells a fuzzer where an input leads.
FUZZ_CFLAGS := -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined

$(OUTPUT)/fuzz/%.o: %.c $(OUTPUT)/flags $(OUTPUT)/bpf-flags
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) $(ALL_CFLAGS) $(FUZZ_CFLAGS) -fsanitize=fuzzer-no-link -c -o $@ $<

$(OUTPUT)/fuzz/units.a: $(UNIT_OBJECTS:$(OUTPUT)/%=$(OUTPUT)/fuzz/%)
	$(call say,AR,$@)
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $(filter %.o,$^)

# What these ask the kernel for is the input's, too.
$(addprefix $(OUTPUT)/fuzz/,packet trace report verdict): private LDFLAGS += -Wl,--wrap=netns_names_find,--wrap=cgroup_for_each
$(OUTPUT)/fuzz/helpers: private LDFLAGS += -Wl,--wrap=netns_for_each,--wrap=output_begin,--wrap=output_end,--wrap=output_close
$(OUTPUT)/fuzz/live: private LDFLAGS += -Wl,--wrap=isatty
$(OUTPUT)/fuzz/netlink: private LDFLAGS += -Wl,--wrap=send,--wrap=recvfrom,--wrap=access
$(OUTPUT)/fuzz/proc: private LDFLAGS += -Wl,--wrap=setmntent,--wrap=fopen
$(addprefix $(OUTPUT)/fuzz/,cgroup netns): private LDFLAGS += -Wl,--wrap=opendir,--wrap=readdir,--wrap=closedir
$(OUTPUT)/fuzz/cgroup: private LDFLAGS += -Wl,--wrap=setmntent,--wrap=statfs,--wrap=dirfd,--wrap=fstatat
$(OUTPUT)/fuzz/netns: private LDFLAGS += -Wl,--wrap=stat,--wrap=open

$(FUZZERS): $(OUTPUT)/fuzz/%: $(addprefix $(OUTPUT)/fuzz/,tests/fuzz/%.o units.a)
	$(call say,LINK,$@)
	$(Q)$(CLANG) $(FUZZ_CFLAGS) -fsanitize=fuzzer -o $@ $^ $(LDFLAGS) $(UNIT_LIBS)

# They have a clock of their own, so as not to wait.
test_exporter := tests/unit/test_exporter nomem/tests/unit/test_exporter
test_web := tests/unit/test_http nomem/tests/unit/test_http tests/unit/test_access nomem/tests/unit/test_access
test_netns_names := tests/unit/test_netns_names nomem/tests/unit/test_netns_names
$(test_netns_names:%=$(OUTPUT)/%): private LDFLAGS += -Wl,--wrap=clock_monotonic_ns,--wrap=clock_thread_ns,--wrap=netns_for_each
$(test_exporter:%=$(OUTPUT)/%): private LDFLAGS += -Wl,--wrap=clock_monotonic_ns
$(test_web:%=$(OUTPUT)/%): private LDFLAGS += -Wl,--wrap=clock_monotonic_ns,--wrap=timerfd_settime
$(foreach folder,$(OUTPUT) $(OUTPUT)/nomem,$(addprefix $(folder)/tests/unit/,test_hooks.o test_static_branches.o)): \
	private ALL_CFLAGS += -DOUTPUT='"$(OUTPUT)"'

$(OUTPUT)/tests/bench/native.o: $(OUTPUT)/tests/bench/native.skel.h
$(OUTPUT)/tests/bench/native: $(addprefix $(OUTPUT)/lib/,base/clock.o tables/hooks.o kernel/attach.o kernel/btf.o)

.SECONDARY: $(addprefix $(OUTPUT)/tests/bench/,reference.o native.o native.bpf.o) $(PROGRAMS:.bpf.o=.skel.h)
$(OUTPUT)/tests/bench/%: $(OUTPUT)/tests/bench/%.o | $(LACKING)
	$(call say,LINK,$@)
	$(Q)$(CC) -o $@ $^ $(ALL_LIBS)

# A test measures with it.
walk-through: all ## build the program as it is after the walk-through of doc/hacking.md
	$(Q)tests/walk-through $(OUTPUT)/walk-through

# So many at a time, as most of the time they wait; but one by one those that look for any cgroup or network
# namespace: others may make it, or enter it, at that moment.
PROVE := prove --nocolor --failures --comments
ALONE := **/test_{cgroup,cgroup_watch,filters,helpers,hints,labels,netns,netns_facts,netns_list}
unit: $(UNIT_TESTS) ## run the unit tests, in seconds
unit-sanitized: $(NOMEM_TESTS) ## the same with sanitizers, which see memory that is lost, too
unit unit-sanitized:
	$(Q)ASAN_OPTIONS=allocator_may_return_null=1 $(PROVE) --jobs 8 --rules 'seq=$(ALONE)' --rules 'par=**' --exec tests/unit/tap $^

unit-nomem: $(NOMEM_TESTS) ## run the unit tests with sanitizers, again for each allocation that fails, in minutes
	$(Q)tests/nomem $(NOMEM_TESTS)

# How long each fuzzer runs.
FUZZ_SECONDS := 600
fuzz: $(FUZZERS) ## feed parsers and printers with whatever finds new ways through them; FUZZ_SECONDS=600 each
	$(Q)tests/deps check fuzz
	$(Q)tests/fuzz/run $(FUZZ_SECONDS) $(FUZZERS)

SEED := 0
N := 20
ROOM :=
mutants: all $(NOMEM_TESTS) ## break the code line by line, and tell what no fast test notices: SEED=1 N=20 ROOM=lib/host
	$(Q)tests/mutants --seed $(SEED) --number $(N) --room '$(ROOM)'

dependencies:
	$(Q)tests/deps check build $(if $(STATIC),static)

# What clang-tidy finds in a file depends on what its object does. The analyzer follows calls as well, which takes minutes.
LINTED := $(filter-out %.bpf.c,$(wildcard *.c lib/*/*.c packaging/*.c tests/*.c tests/*/*.c))
define tidy
	$(call say,TIDY,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG_TIDY) --quiet $(1) $(@:$(OUTPUT)/lint/%$(suffix $@)=%.c) -- $(ALL_CFLAGS) -Wno-error \
		-DOUTPUT='"$(OUTPUT)"' >$@ 2>$@.said || { cat $@ $@.said; exit 1; }
endef

$(OUTPUT)/lint/%.tidy: $(OUTPUT)/%.o .clang-tidy | lint-dependencies
	$(call tidy,--checks=-clang-analyzer-*)

$(OUTPUT)/lint/%.analyzed: $(OUTPUT)/%.o .clang-tidy | lint-dependencies
	$(call tidy)

lint-tidy: $(LINTED:%.c=$(OUTPUT)/lint/%.tidy) ## look for faults in C without running it, by clang-tidy
	$(Q)tests/findings tests/lint.exceptions $^

lint-analyzer: $(LINTED:%.c=$(OUTPUT)/lint/%.analyzed) ## likewise, by clang's analyzer, in minutes
	$(Q)tests/findings -v with_analyzer=1 tests/lint.exceptions $^

# It remembers what it found in files that are as they were.
CPPCHECK_FLAGS := --quiet --error-exitcode=1 -j 2 --std=c11 --enable=warning,style,performance,portability,information \
	--library=posix,gnu,bsd --include=tests/cppcheck.h --suppressions-list=$(OUTPUT)/lint/cppcheck.exceptions \
	--cppcheck-build-dir=$(OUTPUT)/lint/cppcheck -D_GNU_SOURCE -I.

.PHONY: lint-dependencies
lint-dependencies:
	$(Q)tests/deps check build test lint

lint-cppcheck: lint-dependencies ## likewise, by cppcheck
	$(Q)mkdir -p $(OUTPUT)/lint/cppcheck
	$(Q)sed -E '/^[a-z]+-/d' tests/lint.exceptions >$(OUTPUT)/lint/cppcheck.exceptions
	$(Q)$(CPPCHECK) $(CPPCHECK_FLAGS) $(LINTED)

# What shellcheck finds in a script depends on what that sources, too.
SOURCED := $(wildcard tests/*.bash tests/*.sh tests/vm/*.bash)
SCRIPTS := $(SOURCED) $(wildcard contrib/completion/*.bash) \
	$(shell grep -lrE '^\#!/.*[ /](sh|bash|bats)$$' .ci packaging tests --exclude=*.py)

$(OUTPUT)/lint/%.shellchecked: % $(SOURCED) | lint-dependencies
	$(call say,SHELLCHECK,$@)
	$(Q)mkdir -p $(@D)
	$(Q)shellcheck --external-sources $<
	$(Q)touch $@

lint-shell: $(SCRIPTS:%=$(OUTPUT)/lint/%.shellchecked) ## look for faults in shell scripts, by shellcheck

lint: lint-tidy lint-cppcheck lint-analyzer lint-shell ## all four of these

demo: ## see it work on real traffic
	$(Q)tests/demo

# Whatever is in F, make passes it on in the environment. Without T, it is all that make check runs on K.
K = 6.1
T = $(basename $(notdir $(shell tests/run --list $(K)@short)))
vm: all tests ## run tests in a VM; T=path: those of tests/vm/path.bats, F=REGEXP: of these names, K=6.12: on that kernel
	$(Q)tests/deps check test vm userland
	$(if $(findstring walkthrough,$(T)),$(Q)$(MAKE) --no-print-directory walk-through)
	$(if $(findstring packages,$(T)),$(Q)$(MAKE) --no-print-directory deb rpm)
	$(Q)$(if $(findstring packages,$(T)),VM_INIT=systemd) tests/vm/boot $(K) bats --tap --timing $(if $(findstring file,$(origin T)),--filter-tags '!long') \
		$${F:+--filter "$$F"} $(T:%=tests/vm/%.bats)

# On the oldest kernel with all features and on the newest, side by side with -j2; make check-all has a minute of it.
SOAK_SECONDS = 600
SOAKS := soak-6.1 soak-7.2
.PHONY: $(SOAKS)
soak: $(SOAKS) ## disturb it for ten minutes in all ways at once; SOAK_SECONDS=600

$(SOAKS): soak-%: all tests
	$(Q)tests/deps check test vm userland
	$(Q)tests/vm/boot $* env SOAK_SECONDS=$(SOAK_SECONDS) bats --tap --timing tests/vm/soak.bats

check-fast: ## run what takes less than a minute: units, the command line, style
	$(Q)tests/run --fast

check: ## run the tests, in VMs where real packets are needed
	$(Q)tests/run

check-all: ## run those as well that take long, on all kernels, in hours; PART=5.10|6.1|6.12|7.2|once|races|arm64|nomem|tools|faults-6.12|faults-7.2: up to an hour of them
	$(Q)tests/run $(if $(PART),--part $(PART),--all)

check-here: ## run the tests on this machine's own kernel, as root
	$(Q)tests/run --here

bench: ## measure what it costs, in about half an hour
	$(Q)tests/bench/run

# Debian's zsh has another folder for packages.
ZSH_FUNCTIONS := zsh/site-functions
# What was built is installed as it is, static or not.
install: $(if $(wildcard netstacklat),,netstacklat) ## install into $(DESTDIR)$(PREFIX)
	$(INSTALL) -D -m 755 netstacklat $(DESTDIR)$(PREFIX)/sbin/netstacklat
	$(INSTALL) -D -m 644 doc/report.schema.json $(DESTDIR)$(PREFIX)/share/netstacklat/report.schema.json
	$(INSTALL) -D -m 644 doc/netstacklat.8 $(DESTDIR)$(PREFIX)/share/man/man8/netstacklat.8
	$(INSTALL) -D -m 644 contrib/completion/netstacklat.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/netstacklat
	$(INSTALL) -D -m 644 contrib/completion/_netstacklat $(DESTDIR)$(PREFIX)/share/$(ZSH_FUNCTIONS)/_netstacklat
	$(INSTALL) -D -m 644 contrib/completion/netstacklat.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/netstacklat.fish

# What is committed, as of then: whoever packs it, where and when, the archive is the same.
ARCHIVE := netstacklat-$(VERSION).tar.gz
dist: ## pack the sources as of the last commit, with a checksum
	$(Q)mkdir -p $(OUTPUT)/dist
	$(Q)git -c tar.umask=0022 -c core.autocrlf=false archive --format=tar --prefix=netstacklat-$(VERSION)/ \
		--output=$(OUTPUT)/dist/$(ARCHIVE:.gz=) HEAD
	$(Q)gzip --best --no-name --force $(OUTPUT)/dist/$(ARCHIVE:.gz=)
	$(Q)cd $(OUTPUT)/dist && sha256sum $(ARCHIVE) | tee $(ARCHIVE).sha256

# Debian's tools look for debian/ at the top of the sources, which is elsewhere here.
deb: dist ## build a package for Debian or Ubuntu
	$(Q)tests/deps check build package
	$(Q)rm -rf $(OUTPUT)/deb
	$(Q)mkdir -p $(OUTPUT)/deb
	$(Q)tar -xzf $(OUTPUT)/dist/$(ARCHIVE) -C $(OUTPUT)/deb
	$(Q)cp -r $(OUTPUT)/deb/netstacklat-$(VERSION)/packaging/debian $(OUTPUT)/deb/netstacklat-$(VERSION)
	$(Q)cd $(OUTPUT)/deb/netstacklat-$(VERSION) && env -u MAKEFLAGS -u MAKELEVEL dpkg-buildpackage --build=binary --no-sign
	$(Q)lintian --pedantic --fail-on error,warning,pedantic $(if $(filter 0,$(shell id -u)),--allow-root) $(OUTPUT)/deb/*.changes
	@ls $(OUTPUT)/deb/*.deb

# What rpmbuild requires is not known to it on other systems than Fedora's: tests/deps looks for that.
rpm: dist ## build a package for Fedora and its like
	$(Q)tests/deps check build rpm
	$(Q)rm -rf $(OUTPUT)/rpm
	$(Q)mkdir -p $(OUTPUT)/rpm
	$(Q)env -u MAKEFLAGS -u MAKELEVEL rpmbuild -bb --quiet --nodeps --define '_topdir $(CURDIR)/$(OUTPUT)/rpm' \
		--define '_sourcedir $(CURDIR)/$(OUTPUT)/dist' --define 'netstacklat_version $(VERSION)' packaging/rpm/netstacklat.spec
	$(Q)rpmlint --ignore-unused-rpmlintrc --rpmlintrc packaging/rpm/rpmlintrc packaging/rpm/netstacklat.spec $(OUTPUT)/rpm/RPMS/*/*.rpm
	@ls $(OUTPUT)/rpm/RPMS/*/*.rpm

# Without debugging information there are no paths in it: wherever it is built, by the same tools, it is the same.
RELEASE := netstacklat-$(VERSION)-linux-$(MACHINE)
release: dist ## build the last commit as one static binary for any host of an architecture, with a checksum; packaging/for-arm64 release
	$(Q)tests/deps check build static
	$(Q)rm -rf $(OUTPUT)/release
	$(Q)mkdir -p $(OUTPUT)/release
	$(Q)tar -xzf $(OUTPUT)/dist/$(ARCHIVE) -C $(OUTPUT)/release
	$(Q)$(MAKE) -C $(OUTPUT)/release/netstacklat-$(VERSION) STATIC=1 CFLAGS=-O2 LDFLAGS=-s
	$(Q)mv $(OUTPUT)/release/netstacklat-$(VERSION)/netstacklat $(OUTPUT)/release/$(RELEASE)
	$(Q)rm -r $(OUTPUT)/release/netstacklat-$(VERSION)
	$(Q)cd $(OUTPUT)/release && sha256sum $(RELEASE) | tee $(RELEASE).sha256

clean: ## remove what was built
	$(Q)rm -rf $(OUTPUT) netstacklat

-include $(LINTED:%.c=$(OUTPUT)/%.d) $(patsubst %.o,%.d,$(HOST_OBJECTS) $(PROGRAMS) $(SINGLE_PROGRAMS) \
	$(OUTPUT)/netstacklat.ebpf_exporter.bpf.o) $(addsuffix .d,$(NOMEM_TESTS)) \
	$(FUZZERS:$(OUTPUT)/fuzz/%=$(OUTPUT)/fuzz/tests/fuzz/%.d) \
	$(foreach folder,nomem fuzz,$(patsubst $(OUTPUT)/%.o,$(OUTPUT)/$(folder)/%.d,$(sort $(OBJECTS) $(UNIT_OBJECTS)))) \
	$(addprefix $(OUTPUT)/tests/bench/,native.d native.bpf.d)
