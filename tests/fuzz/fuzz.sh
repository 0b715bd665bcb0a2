#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# usage: fuzz.sh FUZZERS libfuzzer|afl|verifier
#
#	MINUTES=N	of all targets together (10)
#	TARGETS="..."	names of tests/fuzz/fuzz_*.c without the prefix (all)
#	WORK=DIR	what was found so far goes on from there (build/fuzz)
#	CASES=N SEED=N	verifier: as many BTFs are compared with the kernel, without a fuzzer
#
# Goes on from the corpus in the tree. The findings are in WORK/found; what is new and worth keeping
# replaces the corpus in the tree by `fuzz.sh FUZZERS keep`. Exit status: 1 something was found.
set -u
LC_ALL=C
export LC_ALL
fuzzers=$1
how=$2
work=${WORK:-build/fuzz}
status=0
: "${TARGETS:=$(find tests/fuzz -name 'fuzz_*.c' | sort | sed 's|.*/fuzz_||; s|\.c$||')}"
# shellcheck disable=SC2086 # a list of words
seconds=$((${MINUTES:-10} * 60 / $(printf '%s\n' $TARGETS | wc -l)))
mkdir -p "$work/found" "$work/afl"
# Where root makes its folder.
TMPDIR=$(mktemp -d -p /dev/shm) || exit 1
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
trap 'exit 130' INT TERM HUP

for target in $TARGETS; do
	program=$fuzzers/fuzz_$target
	mkdir -p "$work/$target"
	[ ! -e "tests/fuzz/corpus/$target.tar.gz" ] ||
		tar -xzf "tests/fuzz/corpus/$target.tar.gz" -C "$work/$target"
	echo "== $target: $(find "$work/$target" -type f | wc -l) inputs"
	case $how in
	libfuzzer)
		# Its weights by entropy would take half the time and more: 900 executions of split in a
		# second, not 2,900.
		"$program" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=3000 -max_len=65536 -entropic=0 \
			-artifact_prefix="$work/found/$target-" -print_final_stats=1 \
			"$work/$target" >"$work/$target.log" 2>&1
		# 77: the kernel does not answer.
		case $? in 0 | 77) ;; *) status=1 ;; esac
		grep -aE '^stat::|^SUMMARY|^==.*ERROR|runtime error' "$work/$target.log"
		;;
	afl)
		AFL_SKIP_CPUFREQ=1 AFL_NO_UI=1 AFL_AUTORESUME=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 \
			AFL_CUSTOM_MUTATOR_LIBRARY=$(realpath "$fuzzers/mutator_$target.so") \
			afl-fuzz -V "$seconds" -m none -t 20000 -i "$work/$target" \
			-o "$work/afl/$target" -- "$program" >"$work/$target.log" 2>&1 || status=1
		grep -E '^(execs_done|execs_per_sec|run_time|saved_crashes|saved_hangs) ' \
			"$work/afl/$target/default/fuzzer_stats"
		for crash in "$work/afl/$target"/default/crashes/id* "$work/afl/$target"/default/hangs/id*; do
			[ ! -e "$crash" ] || { cp "$crash" "$work/found/"; status=1; }
		done
		;;
	verifier)
		# Some mutations of a base say nothing of what is split from it.
		"$program" "-$((CASES * 4))" "-${SEED:-1}" "$work/$target" 2>&1 || status=1
		;;
	keep)
		queue=$work/afl/$target/default/queue
		[ ! -d "$queue" ] || cp "$queue"/id* "$work/$target/"
		rm -rf "$work/$target.edges" "$work/$target.small"
		mkdir -p "$work/$target.edges" "$work/$target.small"
		# What was found and mended covers nothing new: it stays by its name.
		find "$work/$target" -name 'found-*' -exec cp {} "$work/$target.small" \;
		# With counters three times as many inputs of encode stay, for the same lines. The second
		# takes each input that covers most of what is left, half as many, but is slow.
		{ "$program" -merge=1 -use_counters=0 -timeout=20 -max_len=65536 "$work/$target.edges" \
			"$work/$target" &&
			"$program" -set_cover_merge=1 -use_counters=0 -timeout=20 -max_len=65536 \
				"$work/$target.small" "$work/$target.edges"
		} >"$work/$target.log" 2>&1 || status=1
		tar -C "$work/$target.small" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner \
			-cf - . | gzip -9n >"tests/fuzz/corpus/$target.tar.gz"
		ls -l "tests/fuzz/corpus/$target.tar.gz"
		;;
	esac
done
[ "$status" -eq 0 ] || ls -l "$work/found"
exit $status
