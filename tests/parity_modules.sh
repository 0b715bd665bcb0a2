#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Encodes modules with btfenc and with a given pahole, both split from the BTF that this pahole
# makes of the vmlinux, and prints by class how the results differ.
# usage: parity_modules.sh PAHOLE VMLINUX MODULE...	(BTFENC: the program; default build/btfenc)
# PAHOLE: 1.32 or later; older ones flatten arrays of arrays.
# BASE: the BTF of the vmlinux, if there is one already.
# Exit status: 0 every difference has a class (docs/parity.md), 1 some have none, 2 cannot compare.
set -u

features=encode_force,var,float,enum64,decl_tag,type_tag,optimized_func,consistent_func
features=$features,decl_tag_kfuncs

if [ $# -lt 3 ]; then
	echo "usage: parity_modules.sh PAHOLE VMLINUX MODULE..." >&2
	exit 2
fi
pahole=$1 vmlinux=$2
shift 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
export pahole features work BTFENC="${BTFENC:-build/btfenc}"

if [ -n "${BASE-}" ]; then
	ln -s "$(realpath "$BASE")" "$work/base" || exit 2
else
	"$pahole" -J -j --btf_features="$features" --lang_exclude=rust \
		--btf_encode_detached="$work/base" "$vmlinux" || exit 2
fi

# Both encoders on one module; the results are in $work/NAME.*
cat >"$work/encode" <<'EOS'
name=$work/${1##*/} reasons='skipping BTF encoding\|Ignoring zero-sized'
"$BTFENC" encode --features "$features" --lang-exclude rust -j1 -b "$work/base" -o "$name.ours" "$1" || exit 255
# -V says why a function was left out; it also makes pahole print every type.
"$pahole" -J -j1 -V --btf_features="$features" --lang_exclude=rust --btf_base="$work/base" \
	--btf_encode_detached="$name.theirs" "$1" 2>"$name.errors" | grep "$reasons" >"$name.log"
if ! [ -s "$name.theirs" ]; then
	echo "$1: no BTF from pahole" >&2
	head -n 5 "$name.errors" >&2
	exit 255
fi
grep "$reasons" "$name.errors" >>"$name.log"
"$BTFENC" stats -j1 --functions "$name.functions" "$1" >/dev/null || exit 255
ln -s "$(realpath "$1")" "$name"
EOS
printf '%s\0' "$@" | xargs -0 -n 1 -P "$(nproc)" sh "$work/encode" || exit 2
for module in "$@"; do
	printf '%s\0' "$work/${module##*/}"
done | xargs -0 -s 1500000 python3 "$(dirname "$0")/parity.py" ${LIST:+--list} --base "$work/base"
