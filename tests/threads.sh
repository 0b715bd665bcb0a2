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
		expect "threads: ${variant##*/} stats -j$jobs" \
			"$BTFENC" stats -j$jobs "$image"
		expect "threads: ${variant##*/} explain -j$jobs" \
			"$BTFENC" explain -j$jobs list_add "$image"
	done
done
