#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Encodes each file with btfenc and with a given pahole, and prints by class how the results differ.
# usage: parity.sh PAHOLE FILE...		(BTFENC: the program; default build/btfenc)
# PAHOLE: 1.32 or later; older ones flatten arrays of arrays.
# MORE_FEATURES: a list that is added to the features both are asked for.
# Exit status: 0 every difference has a class (docs/parity.md), 1 some have none, 2 cannot compare.
set -u

features=encode_force,var,float,enum64,decl_tag,type_tag,optimized_func,consistent_func
features=$features,decl_tag_kfuncs${MORE_FEATURES:+,$MORE_FEATURES}

if [ $# -lt 2 ]; then
	echo "usage: parity.sh PAHOLE FILE..." >&2
	exit 2
fi
pahole=$1
shift
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
status=0

for image in "$@"; do
	rm -f "$work/theirs"
	"${BTFENC:-build/btfenc}" encode --features "$features" --lang-exclude rust -o "$work/ours" \
		"$image" || exit 2
	# -V says why a function was left out; it also makes pahole print every type.
	if ! "$pahole" -J -j1 -V --btf_features="$features" --lang_exclude=rust \
		--btf_encode_detached="$work/theirs" "$image" >"$work/log" 2>"$work/errors" ||
	   [ ! -s "$work/theirs" ]; then
		if reason=$(grep -h -m 1 '^Unsupported\|not supported$' "$work/errors"); then
			class=refused
		elif reason=$(readelf --debug-dump=info "$image" 2>/dev/null |
			grep -o -m 1 'DW_TAG_partial_unit\|DW_TAG_type_unit'); then
			class=refused
		else
			class=UNCLASSIFIED status=1
		fi
		printf '%s:\n  %s: no BTF from pahole: %s\n' "$image" "$class" "$reason"
		[ $class = refused ] || head -n 5 "$work/errors" >&2
		continue
	fi
	cat "$work/errors" >>"$work/log"
	"${BTFENC:-build/btfenc}" stats --functions "$work/functions" "$image" >/dev/null || exit 2
	python3 "$(dirname "$0")/parity.py" "$image" "$work/ours" "$work/theirs" "$work/log" \
		"$work/functions"
	case $? in
	0) ;;
	1) status=1 ;;
	*) exit 2 ;;
	esac
done
exit $status
