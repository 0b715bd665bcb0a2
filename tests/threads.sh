#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Every fixture with several threads, for ThreadSanitizer: its reports are an exit status.
. tests/lib.sh

for image in "$FIXTURES"/*/vmlinux; do
	variant=${image%/vmlinux}
	for jobs in 2 4; do
		expect "threads: ${variant##*/} -j$jobs" \
			"$BTFENC" encode -j$jobs -o "$work/btf" "$image"
	done
done
