#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# The figures of docs/functions.md: which functions of an image have a FUNC with btfenc, which with
# pahole, by class, and whether the name of each is a symbol.
# usage: PAHOLE=path functions_parity.sh [-l] FILE...	(BTFENC: the program; default build/btfenc)
# PAHOLE: 1.31 or later; older ones do not know all of the features.
#   -l  also a line per function: class, whose FUNC, name
# Exit status: 0 each of our FUNCs has a symbol and each difference a class, 1 not so, 2 cannot tell.
set -u

features=encode_force,var,float,enum64,decl_tag,type_tag,optimized_func,consistent_func
features=$features,decl_tag_kfuncs
btfenc=${BTFENC:-build/btfenc}
list=false

if [ "${1:-}" = -l ]; then
	list=true
	shift
fi
if [ $# -eq 0 ] || [ -z "${PAHOLE:-}" ]; then
	echo "usage: PAHOLE=path functions_parity.sh [-l] FILE..." >&2
	exit 2
fi
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
status=0

# The names of the FUNCs in a BTF, sorted.
funcs() {
	"$btfenc" dump "$1" | sed -n "s/^\[[0-9]*\] FUNC '\([^']*\)'.*/\1/p" | LC_ALL=C sort
}

count() {
	wc -l <"$work/$1" | tr -d ' '
}

for image in "$@"; do
	"$btfenc" encode --features "$features" --lang-exclude rust -o "$work/ours" "$image" || exit 2
	# -V says why a function was left out; what it says does not depend on -j.
	"$PAHOLE" -J -j1 -V --btf_features="$features" --lang_exclude=rust \
		--btf_encode_detached="$work/theirs" "$image" >"$work/log" 2>"$work/errors"
	if [ ! -s "$work/theirs" ]; then
		echo "functions_parity.sh: $image: no BTF from $PAHOLE" >&2
		head -n 5 "$work/errors" >&2
		exit 2
	fi
	funcs "$work/ours" >"$work/ours.names"
	funcs "$work/theirs" >"$work/theirs.names"
	# The names of kallsyms: all symbols of text; a name counts if it is exactly one of them.
	nm "$image" | awk 'NF == 3 && $2 ~ /[tTwWiI]/ { print $3 }' | LC_ALL=C sort -u >"$work/symbols"
	for side in ours theirs; do
		LC_ALL=C comm -23 "$work/$side.names" "$work/symbols" >"$work/$side.lost"
	done
	LC_ALL=C comm -12 "$work/ours.names" "$work/theirs.names" >"$work/both"
	python3 "$(dirname "$0")/parity.py" --list "$image" "$work/ours" "$work/theirs" \
		"$work/log" >"$work/differences"
	[ $? -lt 2 ] || exit 2
	# Functions only: whatever else differs is parity.sh's.
	awk -F '\t' 'NF == 3 && $3 ~ /^FUNC / { sub(/^FUNC /, "", $3); sub(/ .*/, "", $3)
		print $1 "\t" $2 "\t" $3 }' "$work/differences" | LC_ALL=C sort >"$work/functions"
	printf '%s\n  FUNCs: %s ours, %s theirs, %s in both\n' "$image" "$(count ours.names)" \
		"$(count theirs.names)" "$(count both)"
	printf '  without a symbol of that name: %s ours, %s theirs\n' "$(count ours.lost)" \
		"$(count theirs.lost)"
	cut -f 1,2 "$work/functions" | uniq -c | awk '{ printf "  %6d %-7s %s\n", $1, $3, $2 }'
	$list && cat "$work/functions"
	if [ -s "$work/ours.lost" ]; then
		sed 's/^/  no symbol: /' "$work/ours.lost"
		status=1
	fi
	grep -q '^UNCLASSIFIED' "$work/functions" && status=1
done
exit $status
