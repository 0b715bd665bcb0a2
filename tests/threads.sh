#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Every fixture with several threads, for ThreadSanitizer: its reports are an exit status.
. tests/lib.sh

for image in "$FIXTURES"/*/vmlinux; do
	variant=${image%/vmlinux}
	for jobs in 2 4; do
		expect "threads: ${variant##*/} -j$jobs" \
			"$BTFENC" encode -j$jobs --features +true_signature -o "$work/btf" "$image"
		expect "threads: ${variant##*/} -j$jobs, inline sites" "$BTFENC" encode -j$jobs \
			--features +inline,+func_secinfo=inline -o "$work/btf" "$image"
		expect "threads: ${variant##*/} stats -j$jobs" \
			"$BTFENC" stats -j$jobs "$image"
		expect "threads: ${variant##*/} list -j$jobs" \
			"$BTFENC" list -j$jobs --format json -f "$image"
		expect "threads: ${variant##*/} diff -j$jobs" \
			"$BTFENC" diff -j$jobs --types "$image" "$image"
		expect "threads: ${variant##*/} explain -j$jobs" \
			"$BTFENC" explain -j$jobs list_add "$image"
	done
done

# Many files on one base: they share its index, and take turns in storing.
if "${CC:-cc}" -std=gnu11 -g -O2 -c -Ivmlinux-fixtures/include -o "$work/one.o" vmlinux-fixtures/bus.c 2>"$work/log"; then
	"$BTFENC" encode -o "$work/base" "$FIXTURES/gcc12-dwarf5/vmlinux"
	for i in 1 2 3 4 5 6 7 8; do
		cp "$work/one.o" "$work/$i.o"
	done
	expect "threads: eight files on one base" \
		"$BTFENC" encode -j4 -b "$work/base" "$work"/[1-8].o
	expect "threads: eight files, distilled" \
		"$BTFENC" encode -j4 --features +distilled_base -b "$work/base" "$work"/[1-8].o
else
	not_ok "threads: an object is compiled" "$work/log"
fi
