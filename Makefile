# SPDX-License-Identifier: GPL-2.0
#
# make            build ./netstacklat              STATIC=1  one binary for any host
# make demo       see it work on real traffic      V=1       show the commands
# make check      run the tests
# make bench      measure what it costs, in about ten minutes
# make install    into $(DESTDIR)$(PREFIX)

VERSION := 0.1.0
PREFIX ?= /usr/local
# Debian keeps bpftool where users do not look.
export PATH := $(PATH):/usr/local/sbin:/usr/sbin:/sbin
OUTPUT := .output

CLANG ?= clang
BPFTOOL ?= bpftool
PKG_CONFIG ?= pkg-config
INSTALL ?= install
CFLAGS ?= -O2 -g

WARNINGS := -Wall -Wextra -Werror
LIBRARIES := libbpf libelf zlib libcap json-c
ALL_CFLAGS = $(CFLAGS) $(WARNINGS) -std=gnu11 -D_GNU_SOURCE -DVERSION='"$(VERSION)"' -I. -I$(OUTPUT) -MMD -MP
# Behind all libraries, an archive is asked only for what they lack.
LACKING := $(if $(STATIC),$(OUTPUT)/packaging/libelf.a)
ALL_LIBS = $(if $(STATIC),-static) $(LDFLAGS) \
	$(shell $(PKG_CONFIG) $(if $(STATIC),--static) --libs $(LIBRARIES)) $(LACKING)

# The machine's architecture as libbpf's headers name it.
BPF_ARCH := $(patsubst aarch64,arm64,$(patsubst x86_64,x86,$(shell uname -m)))
# BPF_PROG() declares each argument of a probe, of which few programs use all.
BPF_CFLAGS := -target bpf -mcpu=v3 -D__TARGET_ARCH_$(BPF_ARCH) -I. -g -O2 \
	$(WARNINGS) -Wno-unused-parameter -MMD -MP

# netstacklat.bpf.c is compiled once for each variant, with the features that the table says.
VARIANTS := $(shell awk -F '[(,) ]+' '/^VARIANT/ { print $$2 }' lib/tables/variants.def)
VARIANT_FLAGS = $(shell awk -F '[(,) ]+' '/^VARIANT/ && $$2 == "$(1)" \
	{ print "-DWITH_FILTERS=" $$3, "-DWITH_GROUPS=" $$4, "-DWITH_STAGES=" $$5, \
	"-DWITH_SLOW=" $$6 }' lib/tables/variants.def)
PROGRAMS := $(patsubst %,$(OUTPUT)/netstacklat.%.bpf.o,$(VARIANTS))

FLAGS = $(subst ','\'',$(CC) $(ALL_CFLAGS) $(ALL_LIBS) $(CLANG) $(BPF_CFLAGS))

OBJECTS := $(patsubst %.c,$(OUTPUT)/%.o,netstacklat.c $(sort $(filter-out %.bpf.c,$(wildcard lib/*/*.c))))
UNIT_TESTS := $(patsubst %.c,$(OUTPUT)/%,$(sort $(wildcard tests/unit/*.c)))
BENCH := $(addprefix $(OUTPUT)/tests/bench/,reference reference.bpf.o native)
# All but the BPF objects, and what needs them, is linked into unit tests.
UNIT_OBJECTS := $(filter-out $(addprefix $(OUTPUT)/,netstacklat.o lib/cli/check.o \
	lib/kernel/programs.o lib/kernel/loader.o lib/kernel/netns_mix.o),$(OBJECTS))

ifeq ($(V),1)
Q :=
say :=
else
Q := @
say = @printf '  %-8s %s\n' $(1) $(2);
endif

.PHONY: all demo check check-all check-here bench tests walk-through print-unit-tests install clean dependencies FORCE
.DELETE_ON_ERROR:

all: netstacklat

netstacklat: $(OBJECTS) $(LACKING)
	$(call say,LINK,$@)
	$(Q)$(CC) -o $@ $(OBJECTS) $(ALL_LIBS)

$(OUTPUT)/packaging/libelf.a: $(OUTPUT)/packaging/libelf.o
	$(Q)$(AR) rcs $@ $<

# Changes only when a flag does, such as STATIC=1: then all is built anew.
$(OUTPUT)/flags: FORCE | dependencies
	$(Q)mkdir -p $(@D)
	$(Q)echo '$(FLAGS)' | cmp -s - $@ || echo '$(FLAGS)' >$@

$(OUTPUT)/%.o: %.c $(OUTPUT)/flags
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -c -o $@ $<

$(OUTPUT)/lib/kernel/programs.o: $(PROGRAMS:.bpf.o=.skel.h)
$(OUTPUT)/lib/kernel/netns_mix.o: $(OUTPUT)/lib/bpf/netns_mix.skel.h

$(OUTPUT)/lib/bpf/netns_mix.skel.h: $(OUTPUT)/lib/bpf/netns_mix.bpf.o
	$(call say,SKELETON,$@)
	$(Q)$(BPFTOOL) gen skeleton $< name netns_mix >$@

$(OUTPUT)/netstacklat.%.skel.h: $(OUTPUT)/netstacklat.%.bpf.o
	$(call say,SKELETON,$@)
	$(Q)$(BPFTOOL) gen skeleton $< name netstacklat_$* >$@

$(OUTPUT)/tests/%.skel.h: $(OUTPUT)/tests/%.bpf.o
	$(call say,SKELETON,$@)
	$(Q)$(BPFTOOL) gen skeleton $< name $(*F)_bpf >$@

# Unit tests read them, so make must not remove them as leftovers, as it does from 4.4 on.
.SECONDARY: $(PROGRAMS)
# bpftool's linker leaves the debugging sections behind, and keeps BTF.
define compile_bpf
	$(call say,BPF,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) $(BPF_CFLAGS) $(1) -MT $@ -MF $(@:.o=.d) -c -o $(@:.o=.clang) $<
	$(Q)$(BPFTOOL) gen object $@ $(@:.o=.clang)
endef

$(PROGRAMS): $(OUTPUT)/netstacklat.%.bpf.o: netstacklat.bpf.c lib/tables/variants.def $(OUTPUT)/flags
	$(call compile_bpf,$(call VARIANT_FLAGS,$*))

$(OUTPUT)/lib/bpf/netns_mix.bpf.o: lib/bpf/netns_mix.bpf.c $(OUTPUT)/flags
	$(call compile_bpf)

$(OUTPUT)/tests/%.bpf.o: tests/%.bpf.c $(OUTPUT)/flags
	$(call compile_bpf)

tests: $(UNIT_TESTS) $(addprefix $(OUTPUT)/tests/vm/,crowd.bpf.o restamp.bpf.o) $(BENCH)

# A tc program takes its context from the kernel's UAPI headers, which Debian splits by architecture.
$(OUTPUT)/tests/vm/restamp.bpf.o: private BPF_CFLAGS += -idirafter /usr/include/$(shell uname -m)-linux-gnu

$(UNIT_TESTS): $(OUTPUT)/%: $(OUTPUT)/%.o $(UNIT_OBJECTS) | $(PROGRAMS)
	$(call say,LINK,$@)
	$(Q)$(CC) -o $@ $^ $(LDFLAGS) $(shell $(PKG_CONFIG) --libs $(LIBRARIES) cmocka)

$(OUTPUT)/tests/unit/test_hooks.o: private ALL_CFLAGS += -DOUTPUT='"$(OUTPUT)"'

$(OUTPUT)/tests/bench/native.o: $(OUTPUT)/tests/bench/native.skel.h
$(OUTPUT)/tests/bench/native: $(addprefix $(OUTPUT)/lib/,host/clock.o tables/hooks.o kernel/attach.o kernel/btf.o)

.SECONDARY: $(addprefix $(OUTPUT)/tests/bench/,reference.o native.o native.bpf.o) $(PROGRAMS:.bpf.o=.skel.h)
$(OUTPUT)/tests/bench/%: $(OUTPUT)/tests/bench/%.o | $(LACKING)
	$(call say,LINK,$@)
	$(Q)$(CC) -o $@ $^ $(ALL_LIBS)

# The program as it is after the walk-through of doc/hacking.md, which a test measures with.
walk-through: all
	$(Q)tests/walk-through $(OUTPUT)/walk-through

print-unit-tests:
	@echo $(UNIT_TESTS)

dependencies:
	$(Q)tests/deps check build $(if $(STATIC),static)

demo:
	$(Q)tests/demo

check:
	$(Q)tests/run

check-all:
	$(Q)tests/run --all

check-here:
	$(Q)tests/run --here

bench:
	$(Q)tests/bench/run

# What was built is installed as it is, static or not.
install: $(if $(wildcard netstacklat),,netstacklat)
	$(INSTALL) -D -m 755 netstacklat $(DESTDIR)$(PREFIX)/sbin/netstacklat
	$(INSTALL) -D -m 644 doc/report.schema.json $(DESTDIR)$(PREFIX)/share/netstacklat/report.schema.json
	$(INSTALL) -D -m 644 doc/netstacklat.8 $(DESTDIR)$(PREFIX)/share/man/man8/netstacklat.8

clean:
	$(Q)rm -rf $(OUTPUT) netstacklat

-include $(patsubst %.o,%.d,$(OBJECTS) $(PROGRAMS) $(OUTPUT)/lib/bpf/netns_mix.bpf.o) $(addsuffix .d,$(UNIT_TESTS)) \
	$(addprefix $(OUTPUT)/tests/bench/,native.d native.bpf.d)
