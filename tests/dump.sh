#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# usage: dump.sh BTFENC UNIT_PRINTER [FILE]...
#
# `btfenc dump` must print what `bpftool btf dump` prints: for one type of every form (written by
# UNIT_PRINTER), the same as split BTF on its base, the running kernel's BTF, and the given files.
# Exit status: 0 equal or skipped, 1 different.
set -u

btfenc=$1
unit_printer=$2
shift 2

if ! command -v bpftool >/dev/null 2>&1; then
	echo "dump.sh: skipped, there is no bpftool"
	exit 0
fi

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
status=0

# compare FILE [BASE]
compare()
{
	bpftool ${2:+-B "$2"} btf dump file "$1" >"$work/theirs" || status=1
	"$btfenc" dump "$1" ${2:+--base "$2"} >"$work/ours" || status=1
	if cmp -s "$work/ours" "$work/theirs"; then
		echo "dump.sh: $1: $(wc -l <"$work/ours") lines are equal"
	else
		echo "dump.sh: $1: differs from bpftool:"
		diff "$work/theirs" "$work/ours" | head -20
		status=1
	fi
}

"$unit_printer" "$work/base" "$work/split" || exit 1
compare "$work/base"
compare "$work/split" "$work/base"
for file in /sys/kernel/btf/vmlinux "$@"; do
	[ -r "$file" ] && compare "$file"
done
exit $status
