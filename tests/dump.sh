#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# `btfenc dump` prints what `bpftool btf dump` prints: for one type of every form (written by
# unit_printer), the same as split BTF on its base, and the running kernel's BTF.
. tests/lib.sh

# compare NAME FILE [BASE]
compare()
{
	have bpftool "dump: $1" || return 0
	bpftool ${3:+-B "$3"} btf dump file "$2" >"$work/theirs" 2>"$work/err"
	"$BTFENC" dump "$2" ${3:+--base "$3"} >"$work/ours" 2>>"$work/err"
	if [ -s "$work/err" ] || ! [ -s "$work/theirs" ]; then
		not_ok "dump: $1" "$work/err"
	else
		expect "dump: $1" diff "$work/theirs" "$work/ours"
	fi
}

"$TEST_PROGRAMS/unit_printer" "$work/base" "$work/split" || exit 1
compare "one type of every form" "$work/base"
compare "split BTF on its base" "$work/split" "$work/base"
if [ -r /sys/kernel/btf/vmlinux ]; then
	compare "the running kernel" /sys/kernel/btf/vmlinux
else
	skip "dump: the running kernel" "it shows no BTF"
fi
