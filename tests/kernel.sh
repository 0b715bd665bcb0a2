#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# A real kernel with debug information (vmlinux-fixtures/fetch-kernel.sh gets it) before all judges.
. tests/lib.sh
. tests/lib_btf.sh

image=$(sh vmlinux-fixtures/fetch-kernel.sh 2>"$work/fetch")
status=$?
image=$(printf '%s\n' "$image" | tail -n 1)
if [ $status -eq 75 ]; then
	skip "a real kernel" "$(tail -n 1 "$work/fetch")"
	exit 0
elif [ $status -ne 0 ] || ! [ -s "$image" ]; then
	not_ok "a real kernel" "$work/fetch"
	exit 1
fi

name=${image##*/}
btf=$work/btf
check_encode "$name" "$image" "$btf" || exit 1
check_same_bytes "$name" "$image" "$btf" 2
check_btf "$name" "$image" "$btf"

for test in "$TEST_PROGRAMS"/diff_*; do
	[ -x "$test" ] && expect "$name: ${test##*/}" "$test" "$image"
done

"$BTFENC" dump "$btf" >"$work/dump"
echo "    types per kind:"
kind_counts "$work/dump" | awk '{ printf "    %-12s %8d\n", $1, $2 }'

# Names of structs, unions, enums and typedefs, each once. Enums that pahole leaves at 32 bits or
# widens are one kind here.
tag_names()
{
	type_lines | sed -n 's/^ENUM64 /ENUM /; /^\(STRUCT\|UNION\|ENUM\|TYPEDEF\) ./p' | sort -u
}

check_pahole()
{
	have pahole "$name: the names of pahole" || return 0
	have bpftool "$name: the names of pahole" || return 0
	pahole -J --btf_gen_floats --btf_encode_detached="$work/theirs.btf" "$image" \
		>"$work/pahole.log" 2>&1 &&
		bpftool btf dump file "$work/theirs.btf" 2>>"$work/pahole.log" |
		tag_names >"$work/theirs"
	tag_names <"$work/dump" >"$work/ours"
	if ! [ -s "$work/theirs" ]; then
		not_ok "$name: the names of $(pahole --version)'s types" "$work/pahole.log"
		return
	fi
	echo "    $(wc -l <"$work/theirs") names of structs, unions, enums and typedefs"
	expect "$name: the names of $(pahole --version)'s types" diff "$work/theirs" "$work/ours"
}
check_pahole
