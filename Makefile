# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# make help lists the targets. Variables: CC, CFLAGS, LDFLAGS, BUILD=release|debug, PREFIX, DESTDIR,
# V=1 (show the commands), PAHOLE_VERSION=133 (reported under pahole's name in place of 132; after make clean).

VERSION := 0.1
PREFIX  ?= /usr/local
BUILD   ?= release

ifeq ($(origin CC),default)
CC := gcc
endif
ifeq ($(MAKELEVEL)$(filter -j%,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(shell nproc 2>/dev/null || echo 1)
endif
MAKEFLAGS += --no-print-directory
Q := $(if $(V),,@)
# In place of the command.
SAY := @$(if $(V),: )

# ---- flags ----
#
# SANITIZE=address|undefined|thread and WERROR=-Werror are for the targets below, each with an OUT
# of its own.

CFLAGS_release := -O3 -g
CFLAGS_debug   := -O0 -g3
CFLAGS         ?= $(CFLAGS_$(BUILD))
OUT_release    := build
OUT_debug      := build/debug
OUT            ?= $(OUT_$(BUILD))

# Decoding instructions takes capstone, which is loaded when it is needed; WITH_CAPSTONE=0 builds
# without.
WITH_CAPSTONE ?= $(shell echo '\#include <capstone/capstone.h>' | $(CC) -E - >/dev/null 2>&1 && \
	echo 1 || echo 0)
WITH_CAPSTONE := $(WITH_CAPSTONE)
CAPSTONE_FLAGS := $(if $(filter 1,$(WITH_CAPSTONE)),-DWITH_CAPSTONE)

# Of the tests: before 1.0 its functions take other arguments (Debian 11 has 0.3).
HAS_LIBBPF := $(shell printf '%s\n' '\#include <bpf/btf.h>' '\#include <bpf/libbpf_version.h>' \
	'\#if LIBBPF_MAJOR_VERSION < 1' '\#error' '\#endif' | $(CC) -E - >/dev/null 2>&1 && echo 1 || echo 0)

# Sections compressed with zstd, with a libelf that cannot (before 0.191), take libzstd.
WITH_ZSTD ?= $(shell echo '\#include <zstd.h>' | $(CC) -E - >/dev/null 2>&1 && echo 1 || echo 0)
WITH_ZSTD := $(WITH_ZSTD)
ZSTD_FLAGS := $(if $(filter 1,$(WITH_ZSTD)),-DWITH_ZSTD)
ZSTD_LIBS  := $(if $(filter 1,$(WITH_ZSTD)),-lzstd)

SANITIZER_FLAGS := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer \
	-fno-sanitize-recover=all)
COMPILE := $(CC) -std=gnu11 -I. -DBTFENC_VERSION='"$(VERSION)"' -Wall -Wextra -Wconversion \
	-Wshadow -Wstrict-prototypes -Wmissing-prototypes $(WERROR) $(PAHOLE_VERSION:%=-DPAHOLE_VERSION=%) $(CPPFLAGS) $(CFLAGS) $(SANITIZER_FLAGS) \
	$(CAPSTONE_FLAGS) $(ZSTD_FLAGS) -pthread
LINK := $(CC) $(CFLAGS) $(SANITIZER_FLAGS) $(LDFLAGS) -pthread
# libdw, capstone, zlib, liblzma and liblz4 are loaded when they are needed (base/late_library.h).
LIBS := -lelf -ljansson -ldl $(ZSTD_LIBS)
export TEST_LIBS := -lcmocka -lbpf -ldw -lelf -ljansson -ldl $(ZSTD_LIBS)

# ---- what there is ----

FOLDERS := base elf kallsyms btf btf/dedup btf/verify bpf dwarf dwarf/abi dwarf/code encoder \
	encoder/evidence encoder/lower encoder/sites kernel kernel/attach commands commands/check commands/print commands/stats commands/explain \
	commands/list commands/types commands/diff commands/compat
SOURCES := $(filter-out commands/main.c,$(sort $(wildcard $(FOLDERS:%=%/*.c))))
TESTS   := $(patsubst tests/%.c,%,$(sort $(wildcard tests/unit_*.c tests/compare_*.c)))
TOOLS   := $(patsubst tests/%.c,%,$(sort $(wildcard tests/tool_*.c)))
FUZZ_TARGETS := $(patsubst tests/fuzz/%.c,%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
BENCH_TOOLS := $(patsubst bench/%.c,$(OUT)/bench/%,$(sort $(wildcard bench/*.c)))
HELPERS := $(filter-out $(TESTS) $(TOOLS), \
	$(patsubst tests/%.c,%,$(sort $(wildcard tests/*.c))))

LIBRARY      := $(OUT)/obj/libbtfenc.a
TEST_LIBRARY := $(OUT)/obj/libtests.a
PROGRAMS := $(addprefix $(OUT)/tests/,$(TESTS) $(TOOLS))
# The longest first: so they end together.
SCRIPTS      := $(addprefix tests/,$(addsuffix .sh, \
	truth_arm64 truth_x86 abi hostile truth_s390x diff modules dwarf_forms traps elf_store cli encode \
	base_kernel builds check_system compat corpus dump entries exit_status explain explain_agree features fixtures func_names \
	hooks install \
	interrupt jobserver kernel_flags kfuncs legal_c list packed pahole records runner schema scripts site_features sites \
	stats true_signature types))

export BTFENC        = $(abspath $(OUT)/btfenc)
export FIXTURES      = $(abspath build/fixtures)
export TEST_PROGRAMS = $(abspath $(OUT)/tests)
RUN_TESTS = python3 tests/run.py

# T="list 'unit_*'": only the tests with such names, and what they need. CASE=PATTERN is for tests/run.py.
T ?= *
NAMED_UNITS   = $(filter $(TESTS),$(patsubst tests/%.c,%,$(wildcard $(T:%=tests/%.c))))
NAMED_SCRIPTS = $(filter $(wildcard $(T:%=tests/%.sh)),$(SCRIPTS))
NAMED = $(or $(NAMED_SCRIPTS) $(NAMED_UNITS:%=$(OUT)/tests/%),$(error no test of this target has the name $(T)))
# What is compared are the fixtures.
NEEDED = $(NAMED_UNITS:%=$(OUT)/tests/%) $(if $(filter compare_%,$(NAMED_UNITS)),fixtures) \
	$(if $(NAMED_SCRIPTS),programs-of-scripts fixtures)

.PHONY: libbpf-of-tests check-all all help demo test unit bless needed run-tests sanitized-fuzzers programs-of-scripts check-sanitized check-fresh check-kernel check-kernels check-kbuild check-probes check-compat check-machines check-system check-oldkernels truth bench asan ubsan tsan fuzz lint \
	install uninstall clean fixtures fixtures-small programs install-deps-%
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

all: $(OUT)/btfenc $(OUT)/pahole

help:
	@echo "make              build/btfenc"
	@echo "make demo         encode a small image, check it, look at it"
	@echo "make test         unit tests and scripts; T=NAME CASE=PATTERN: only these; make unit"
	@echo "make check-fresh  demo and test in minimal systems of the oldest and the newest Debian (root)"
	@echo "make check-kernel the same judges on a real kernel, which is fetched once"
	@echo "make check-kernels real kernels of every machine that Debian has (KERNELS=list)"
	@echo "make check-kbuild a kernel is built with btfenc as its pahole, booted and traced"
	@echo "make check-probes the kernel of check-kbuild loads the probes that explain prints, two of Debian BPF programs and kprobes"
	@echo "make check-system damaged modules are loaded by two kernels of Debian, as btfenc check --system said"
	@echo "make check-compat btfenc compat against libbpf and four kernels of Debian: 500 BPF objects of real projects"
	@echo "make check-machines Debian's kernels of other machines load the probes that explain prints (MACHINES=list)"
	@echo "make check-oldkernels  Debian 11's 5.10 loads what btfenc makes by the options of its scripts"
	@echo "make truth        are the arguments where the FUNCs say? (tests/truth/README.md)"
	@echo "make bench        time and memory, compared with pahole and with goals"
	@echo "make asan ubsan tsan   the tests under a sanitizer (check-sanitized: a few, under the first two at once)"
	@echo "make check-all    everything here but the bench and the fuzzers: hours"
	@echo "make bless        goldens become what the tests get"
	@echo "make fuzz         libFuzzer or AFL++ go on from the corpus (FUZZER=, MINUTES=)"
	@echo "make check-verifier mutated BTFs: the verifier and the running kernel agree (root, CASES=)"
	@echo "make coverage     which lines the unit tests, scripts and the corpus run"
	@echo "make lint         format, clang-tidy, cppcheck, shellcheck, include directions"
	@echo "make check-package   the Debian package, the RPM and the tarball are built and tried"
	@echo "make check-portable  other compilers, musl, other releases of elfutils, big-endian and arm64 hosts"
	@echo "make dist         build/btfenc-$(VERSION).tar.gz"
	@echo "make install      into DESTDIR/PREFIX ($(PREFIX)); make uninstall"
	@echo "make clean"

# ---- building ----

# A fuzzer learns nothing from the code of the tests, and counting it took a quarter of split's time.
ifneq ($(findstring fuzzer-no-link,$(SANITIZE)),)
$(OUT)/obj/tests/%.o: COMPILE += -fno-sanitize=fuzzer-no-link
endif

$(OUT)/obj/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(SAY)echo "  CC $<"
	$(Q)$(COMPILE) -MMD -MP -c -o $@ $<

# Sources embed these (EMBED in base/text.h).
$(OUT)/obj/kernel/attach/known_functions.o: kernel/attach/known_functions.txt
$(OUT)/obj/kernel/attach/kprobe_instruction.o: kernel/attach/kprobe_instructions.txt
$(OUT)/obj/bpf/section.o: bpf/section_names.txt
$(patsubst %.c,$(OUT)/obj/%.o,$(wildcard commands/*.c)): $(wildcard commands/help/*.txt)
$(OUT)/obj/commands/cmd_compat.o: $(wildcard commands/compat/*.txt)
$(OUT)/obj/commands/diff/diff_json.o: commands/diff/diff_page.html commands/diff/diff_summary.txt
$(OUT)/obj/commands/diff/diff_report.o: commands/diff/diff_text.txt commands/diff/diff_markdown.txt
$(OUT)/obj/commands/stats/stats_json.o: commands/stats/stats_page.txt
$(OUT)/obj/commands/explain/explain_json.o: commands/explain/explain_page.txt
$(OUT)/obj/commands/explain/explain_compare.o: commands/explain/compare_page.txt
$(OUT)/obj/commands/explain/variable.o: commands/explain/variable_page.txt
$(OUT)/obj/commands/types/types_print.o: commands/types/types_page.txt
$(OUT)/obj/commands/explain/advice.o: commands/explain/advice.txt
$(OUT)/obj/commands/explain/advice_program.o: commands/explain/advice_tools.txt
$(OUT)/obj/commands/explain/advice_hooks.o: commands/explain/advice_tracepoint.txt commands/explain/advice_hooks.txt
$(OUT)/obj/commands/explain/explain_script.o: $(wildcard commands/explain/script_*.txt)

$(LIBRARY): $(SOURCES:%.c=$(OUT)/obj/%.o)
	$(Q)rm -f $@ && ar rcs $@ $^

$(TEST_LIBRARY): $(HELPERS:%=$(OUT)/obj/tests/%.o)
	$(Q)rm -f $@ && ar rcs $@ $^

$(OUT)/btfenc: $(OUT)/obj/commands/main.o $(LIBRARY)
	$(SAY)echo "  LD $@"
	$(Q)$(LINK) -o $@ $^ $(LIBS)

# The name under which kernel builds call it.
$(OUT)/pahole: $(OUT)/btfenc
	@ln -sf btfenc $@

$(OUT)/tests/%: $(OUT)/obj/tests/%.o $(TEST_LIBRARY) $(LIBRARY)
	@mkdir -p $(@D)
	$(Q)$(LINK) -o $@ $^ $(TEST_LIBS)

# FUZZ_LINK=-fsanitize=fuzzer: with the main() of a fuzzer instead of the own one.
FUZZ_SHARED := $(addprefix $(OUT)/obj/tests/fuzz/,fuzz.o mutator.o)
$(OUT)/fuzz/%: $(OUT)/obj/tests/fuzz/%.o $(FUZZ_SHARED) $(TEST_LIBRARY) $(LIBRARY)
	@mkdir -p $(@D)
	$(Q)$(LINK) $(FUZZ_LINK) -o $@ $^ $(LIBS)

$(OUT)/bench/%: $(OUT)/obj/bench/%.o $(LIBRARY)
	@mkdir -p $(@D)
	$(Q)$(LINK) -o $@ $^ $(LIBS)

.SECONDARY:
-include $(wildcard $(OUT)/obj/*/*.d $(OUT)/obj/*/*/*.d)

programs: $(OUT)/btfenc $(OUT)/pahole $(PROGRAMS)
	@:

# Of the unit tests dump.sh runs one.
programs-of-scripts: $(OUT)/btfenc $(OUT)/pahole $(filter-out $(OUT)/tests/unit_%,$(PROGRAMS)) \
	$(OUT)/tests/unit_printer
	@:

fixtures:
	@$(MAKE) -f vmlinux-fixtures/Makefile O=build/fixtures

fixtures-small:
	@$(MAKE) -f vmlinux-fixtures/Makefile O=build/fixtures small

install-deps-%:
	@sh tests/install-deps.sh $*

# ---- showing ----
#
# Each needs packages before the rest of the Makefile can even look for compilers: two steps.

demo: install-deps-demo
	@$(MAKE) all fixtures-small
	@sh vmlinux-fixtures/demo.sh

# ---- testing ----
#
# T and CASE choose from each of these, too: make asan T='unit_ver*'.

# Clang's sanitizer says more of pointers than GCC's.
SANITIZED_CC = $(shell echo 'int main(void) { return 0; }' | \
	clang -fsanitize=address,undefined -x c - -o /dev/null 2>/dev/null && echo clang || echo $(CC))
SANITIZED = $(MAKE) OUT=build/sanitized CC=$(SANITIZED_CC) CFLAGS='-O0 -g' SANITIZE=address,undefined
export FUZZERS ?= $(abspath build/sanitized/fuzz)

test: install-deps-test
	@$(MAKE) run-tests

needed: $(NEEDED) $(if $(filter tests/corpus.sh,$(NAMED_SCRIPTS)),$(if $(findstring coverage,$(FUZZERS)),,sanitized-fuzzers))
	@:

# What judges the BTF in the tests is libbpf.
$(PROGRAMS): | libbpf-of-tests
libbpf-of-tests:
	@[ $(HAS_LIBBPF) = 1 ] || { echo "make test: the tests need libbpf 1.0 or later with its headers (Debian 12 or later)" >&2; exit 1; }

sanitized-fuzzers:
	+@$(SANITIZED) fuzzers

run-tests: needed
	@$(RUN_TESTS) $(NAMED)

unit:
	@$(MAKE) programs fixtures
	@$(RUN_TESTS) $(TESTS:%=$(OUT)/tests/%)

# Goldens become what the tests get. Read the difference before you commit it.
bless: export BLESS = 1
bless: test
	@git -c color.ui=auto --no-pager diff --stat -- tests/golden

check-fresh check-kernel check-kernels check-kbuild check-probes check-compat check-machines check-system check-oldkernels check-portable \
	check-package: export TEST_LIMIT ?= 5000
check-fresh check-kernel check-kernels check-kbuild check-probes check-compat check-machines check-system check-oldkernels check-portable \
	check-package: export AGAIN = make $@
check-probes: export TEST_JOBS = 1

# Everything, for the last state of a change: hours. It says before how long that takes: seconds on two
# cores that were measured with other work on them; ? where nobody has.
ALL_CHECKS := lint test check-sanitized asan ubsan tsan truth check-kernel check-kernels check-kbuild check-probes \
	check-compat check-machines check-system check-oldkernels check-portable check-package check-fresh
CHECK_SECONDS := lint=260 test=280 check-sanitized=200 asan=920 ubsan=960 tsan=1250 truth=3000 check-kernel=180
check-all:
	@for target in $(ALL_CHECKS); do echo "$$target=?"; done | awk -F= -v known='$(CHECK_SECONDS)' ' \
		BEGIN { for (n = split(known, pair, " "); n; n--) { split(pair[n], part, "="); seconds[part[1]] = part[2] } } \
		{ s = $$1 in seconds ? seconds[$$1] : "?"; all += s; line = line " " $$1 "=" s } \
		END { print "== check-all:" line " s; " int((all + 59) / 60) " minutes for those that were measured" }'
	@failed=; for target in $(ALL_CHECKS); do \
		begun=$$(date +%s); $(MAKE) $$target || failed="$$failed $$target"; \
		echo "== make $$target: $$(($$(date +%s) - begun)) s"; \
	done; [ -z "$$failed" ] || { echo "check-all: failed:$$failed" >&2; exit 1; }

# SUITES="bookworm trixie" FRESH=short FRESH_DIR=path: tests/fresh.sh
check-fresh: install-deps-fresh
	@$(RUN_TESTS) tests/fresh.sh

check-kernel: install-deps-test
	@$(MAKE) programs
	@$(RUN_TESTS) tests/kernel.sh

# KERNELS="s390x riscv64" MODULES=n PAHOLE=path KERNELS_OUT=path: tests/kernels.sh
check-kernels: install-deps-kernels
	@$(MAKE) programs
	@$(RUN_TESTS) tests/kernels.sh

# KERNEL_SOURCE=6.1|6.12|7.2|7.3 KBUILD_ARCH=arm64 LLVM=1|-19 PAHOLE=path KBUILD_JOBS=n: tests/kbuild.sh
check-kbuild: install-deps-kbuild
	@$(MAKE) $(OUT)/pahole
	@$(RUN_TESTS) tests/kbuild.sh

# As for check-kbuild, whose kernel it takes, and PROGRAMS_KERNEL=keys: tests/probes.sh, tests/programs.sh
check-probes: install-deps-probes
	@$(MAKE) $(OUT)/pahole $(OUT)/tests/tool_probes
	@$(RUN_TESTS) tests/probes.sh tests/programs.sh

# COMPAT_KERNEL=keys, COMPAT_OUT=path: tests/compat_oracle.sh
check-compat: install-deps-compat
	@$(MAKE) $(OUT)/btfenc $(OUT)/tests/unit_reach_verifier
	@$(RUN_TESTS) tests/compat_oracle.sh

# MACHINES="cloud-arm64 ..." PROBE_NAMES=n: tests/machine_probes.sh
check-machines: install-deps-machines
	@$(MAKE) $(OUT)/btfenc $(OUT)/tests/tool_probes
	@$(RUN_TESTS) tests/machine_probes.sh

# SYSTEM_KERNEL=keys: tests/system_boot.sh
check-system: install-deps-probes
	@$(MAKE) $(OUT)/btfenc
	@$(RUN_TESTS) tests/system_boot.sh

check-oldkernels: install-deps-probes
	@$(MAKE) $(OUT)/pahole fixtures
	@$(RUN_TESTS) tests/old_kernel.sh

# SEEDS="1 2 3" COMPILERS="gcc-12 clang22-lto" TRUTH=K/N PAHOLE=path: tests/lib_truth.sh
truth: export TRUTH ?= all
truth: install-deps-test
	@$(MAKE) all $(OUT)/pahole
	@TRUTH_JOBS=$$(nproc) TEST_JOBS=1 TEST_LIMIT=7200 AGAIN='make truth' $(RUN_TESTS) tests/truth_*.sh

# BENCH="encode growth modules commands sites diff images" IMAGES="FILE..." ROUNDS=n PAHOLE=path MODULES=n|all: bench/bench.sh
bench: all bench-tools
	@CC='$(CC)' TOOLS=$(abspath $(OUT)/bench) sh bench/bench.sh

.PHONY: bench-tools
bench-tools: $(BENCH_TOOLS)
	@:

# A finding is whatever these print; the code itself marks leaks that do not matter.
SANITIZED_SCRIPTS := $(addprefix tests/,$(addsuffix .sh, \
	builds check_system cli diff dump dwarf_forms encode exit_status explain fixtures hooks kfuncs legal_c \
	list packed records scripts stats traps types))

UNTRUSTED_SCRIPTS := $(addprefix tests/,$(addsuffix .sh, \
	builds check_system compat dump exit_status kfuncs list packed records types))

asan check-sanitized: export ASAN_OPTIONS ?= detect_stack_use_after_return=1
asan ubsan tsan check-sanitized: export TEST_LIMIT ?= 3600
asan: install-deps-test
	@$(MAKE) OUT=build/asan SANITIZE=address SCRIPTS='$(SANITIZED_SCRIPTS)' run-tests

ubsan: install-deps-test
	@$(MAKE) OUT=build/ubsan SANITIZE=undefined SCRIPTS='$(SANITIZED_SCRIPTS)' run-tests

tsan: install-deps-test
	@$(MAKE) OUT=build/tsan SANITIZE=thread SCRIPTS=tests/threads.sh run-tests

# Both at once, and only the scripts whose input is not to be trusted.
check-sanitized: install-deps-test
	+@$(SANITIZED) SCRIPTS='$(UNTRUSTED_SCRIPTS)' run-tests

# FUZZER=libfuzzer|afl MINUTES=n TARGETS="encode btf": tests/fuzz/fuzz.sh
FUZZER ?= libfuzzer
MAKE_libfuzzer = $(MAKE) OUT=build/libfuzzer CC=clang SANITIZE=address,undefined,fuzzer-no-link
MAKE_afl = AFL_QUIET=1 $(MAKE) OUT=build/afl CC=afl-clang-fast

fuzz: install-deps-fuzz
	@$(MAKE_$(FUZZER)) FUZZ_LINK=-fsanitize=fuzzer CFLAGS='-O1 -g -DWITH_FUZZER' fuzzers \
		$(if $(filter afl,$(FUZZER)),mutators)
	@sh tests/fuzz/fuzz.sh build/$(FUZZER)/fuzz $(FUZZER)

# CASES=n SEED=n
check-verifier: export CASES ?= 1000000
check-verifier: $(OUT)/fuzz/fuzz_verify
	@TARGETS=verify sh tests/fuzz/fuzz.sh $(OUT)/fuzz verifier

# Lines that unit tests, corpus, the scripts of the sanitizers and that of storing run. What gcov itself
# cannot write, under a limit of file sizes, is not for the tests to see.
coverage: export FUZZERS = $(abspath build/coverage/fuzz)
coverage: export GCOV_ERROR_FILE = /dev/null
coverage: install-deps-test
	@$(MAKE) fixtures
	@$(MAKE) OUT=build/coverage CFLAGS='-O0 -g --coverage' programs fuzzers
	@find build/coverage -name '*.gcda' -delete
	@$(MAKE) OUT=build/coverage CFLAGS='-O0 -g --coverage' \
		SCRIPTS='tests/corpus.sh $(SANITIZED_SCRIPTS) tests/elf_store.sh' run-tests; \
	status=$$?; sh tests/fuzz/coverage.sh build/coverage/obj && exit $$status

.PHONY: check-verifier coverage fuzzers mutators
fuzzers: $(FUZZ_TARGETS:%=$(OUT)/fuzz/%)
	@:

mutators: $(FUZZ_TARGETS:fuzz_%=$(OUT)/fuzz/mutator_%.so)
	@:

# For AFL++, with as many parts as the target's inputs have.
$(OUT)/fuzz/mutator_%.so: tests/fuzz/fuzz_%.c tests/fuzz/mutator.c
	@mkdir -p $(@D)
	$(Q)clang -std=gnu11 -I. -O2 -fPIC -shared -o $@ tests/fuzz/mutator.c btf/format.c \
		tests/mutate.c tests/mutate_btf.c tests/mutate_dwarf.c -lelf \
		-DAFL_PARTS=$$(sed -n 's/^const uint32_t fuzz_parts = \(.*\);/\1/p' $<)

# ---- reading ----

lint: install-deps-lint
	@$(MAKE) OUT=build/lint WERROR=-Werror programs bench-tools fuzzers
	@$(MAKE) OUT=build/lint-clang CC=clang CFLAGS=-O0 WERROR=-Werror programs
	bash tests/lint.sh

# ---- installing ----
#
# DESTDIR is prepended to every path and is in no file: the link under pahole's name is relative.
# uninstall leaves the folders that others install into, too (bin, share/man/man1), empty or not.

ROOT = $(DESTDIR)$(PREFIX)
OWN  = $(ROOT)/libexec/btfenc
DOC  = $(ROOT)/share/doc/btfenc
INCLUDE = $(ROOT)/include/btfenc

SCHEMAS   := $(sort $(wildcard docs/schema/*.json))
DOCUMENTS := $(sort $(wildcard docs/*.md)) docs/examples/find_sites.c docs/examples/check-modules.sh $(SCHEMAS) \
	docs/diff.png LICENSES/BSD-2-Clause.txt LICENSES/LGPL-2.1.txt

# All documents are in one folder there, and these are not among them.
README_LINKS = s,](docs/\(examples/\)*,](,g; s,\[\([^]]*\)\](\(CHANGELOG.md\|CONTRIBUTING.md\|[a-z-]*/README.md\)),\1,g

install: all
	install -d "$(OWN)"
	install -D -m 755 $(OUT)/btfenc "$(ROOT)/bin/btfenc"
	ln -sfn ../../bin/btfenc "$(OWN)/pahole"
	install -m 755 packaging/compare-builds.sh "$(OWN)/compare-builds.sh"
	install -D -m 644 man/btfenc.1 "$(ROOT)/share/man/man1/btfenc.1"
	install -D -m 644 man/btfenc.bash "$(ROOT)/share/bash-completion/completions/btfenc"
	install -D -m 644 man/btfenc.zsh "$(ROOT)/share/zsh/site-functions/_btfenc"
	install -D -m 644 include/btfenc/btf_extra.h "$(INCLUDE)/btf_extra.h"
	install -d "$(DOC)"
	install -m 644 $(DOCUMENTS) "$(DOC)"
	sed '$(README_LINKS)' README.md >"$(DOC)/README.md"

uninstall:
	rm -f "$(ROOT)/bin/btfenc" "$(OWN)/pahole" "$(OWN)/compare-builds.sh" "$(ROOT)/share/man/man1/btfenc.1" \
		"$(ROOT)/share/bash-completion/completions/btfenc" \
		"$(ROOT)/share/zsh/site-functions/_btfenc" "$(INCLUDE)/btf_extra.h" \
		$(foreach file,README.md $(notdir $(DOCUMENTS)),"$(DOC)/$(file)")
	for own in "$(OWN)" "$(DOC)" "$(INCLUDE)"; do [ ! -d "$$own" ] || rmdir "$$own" || :; done

# ---- releasing ----
#
# The last commit, with its time as that of all files: the same bytes wherever it is made. The RPM's
# spec gets the version here; debian/changelog has it, too, and tests/package.sh compares them.

DIST := btfenc-$(VERSION)

.PHONY: dist check-package check-portable
dist:
	@git rev-parse HEAD >/dev/null 2>&1 && test -z "$$(git rev-parse --show-prefix)" || { echo "make dist: this is no git checkout; clone the repository" >&2; exit 1; }
	@rm -rf $(OUT)/dist && mkdir -p $(OUT)/dist
	git archive --prefix=$(DIST)/ HEAD | tar -x -C $(OUT)/dist
	sed 's/@VERSION@/$(VERSION)/' packaging/btfenc.spec.in >$(OUT)/dist/$(DIST)/packaging/btfenc.spec
	tar --sort=name --format=gnu --owner=0 --group=0 --numeric-owner --mode=go=rX,u+rw,a-s \
		--mtime="@$$(git log -1 --format=%ct)" -C $(OUT)/dist -c $(DIST) | gzip -9n >$(OUT)/$(DIST).tar.gz
	@rm -rf $(OUT)/dist

# What is not installed is skipped, with the name of its package.
check-package: install-deps-package
	@$(MAKE) all fixtures-small
	@$(RUN_TESTS) tests/package.sh

# CACHE is $BTFENC_CACHE or ~/.cache/btfenc, where it keeps 2 GB: tests/portable.sh
check-portable: install-deps-portable
	@$(MAKE) all fixtures-small
	@$(RUN_TESTS) tests/portable.sh

clean:
	rm -rf build
