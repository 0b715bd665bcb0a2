#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Each target of tests/fuzz on its corpus, as built with sanitizers in FUZZERS: whatever they find,
# a failure without one line, a disagreement of the verifier with the running kernel, which is asked
# about some mutations, too.
. tests/lib.sh

unset CASES
for corpus in tests/fuzz/corpus/*.tar.gz; do
	target=$(basename "$corpus" .tar.gz)
	mkdir "$work/$target"
	tar -xzf "$corpus" -C "$work/$target"
	mutations=-0
	[ "$target" != verify ] || mutations=-20000
	TMPDIR=$work "$FUZZERS/fuzz_$target" $mutations "$work/$target" >"$work/out" 2>"$work/err"
	case $? in
	0) ok "corpus: $target, $(cat "$work/out")" ;;
	77) skip "corpus: $target" "$(tail -n 1 "$work/err")" ;;
	*)
		tail -n 40 "$work/err" >"$work/end"
		not_ok "corpus: $target" "$work/end"
		;;
	esac
done
