#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# usage: same_output.sh OLD [NEW]
#
# Does a binary give what an older one (OLD) gave? For work that must not change the output.
#
#	encode		the same bytes: every fixture and kernel, each feature alone, all of them, none;
#			-j1 to -j3; 94 modules, spread evenly over those of a kernel, as split BTF (-b)
#	dump, check	the same text and the same exit status of what was encoded. Differences are printed
#
# What explain, list, stats and diff say is compared by tests/answers.sh.
#
#	NEW		build/btfenc, if not given
#	FIXTURES	the directory of the fixtures (build/fixtures)
#	CACHE		where kernels (vmlinux-RELEASE) and modules (modules-RELEASE) are (~/.cache/btfenc)
#	KERNELS		releases in it (cloud-amd64, cloud-arm64 of 6.1)
#	MODULES		how many (94)
#
# The last line is "N same, N differ". Exit status: 0 nothing differs, 1 something does, 2 usage.
set -u
LC_ALL=C
export LC_ALL

old=${1-} new=${2-build/btfenc}
if [ $# -lt 1 ] || [ $# -gt 2 ] || ! [ -x "$old" ] || ! [ -x "$new" ]; then
	echo "usage: same_output.sh OLD [NEW]: two programs" >&2
	exit 2
fi
FIXTURES=${FIXTURES-build/fixtures}
cache=${CACHE-$HOME/.cache/btfenc}
kernels=${KERNELS-6.1.0-56-cloud-amd64 6.1.0-56-cloud-arm64}
wanted_modules=${MODULES-94}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
same=0 differ=0 refused=0 began=$(date +%s)

# progress TEXT
progress()
{
	echo "== $(($(date +%s) - began)) s: $1: $same same, $differ differ so far"
}

# bytes NAME ARGUMENT...: encode writes the same files, with the same exit status and complaints.
bytes()
{
	bytes_name=$1
	shift
	rm -rf "$work/old" "$work/new"
	mkdir "$work/old" "$work/new"
	"$old" encode -o "$work/old/out" "$@" >"$work/old/log" 2>&1
	echo "exit status $?" >>"$work/old/log"
	"$new" encode -o "$work/new/out" "$@" >"$work/new/log" 2>&1
	echo "exit status $?" >>"$work/new/log"
	[ -s "$work/old/out" ] || refused=$((refused + 1))
	if diff -r -x log "$work/old" "$work/new" >"$work/diff" 2>&1 &&
	     diff -u "$work/old/log" "$work/new/log" >"$work/diff"; then
		same=$((same + 1))
	else
		echo "differ - encode: $bytes_name"
		sed 's/^/    /' "$work/diff" | head -n 20
		differ=$((differ + 1))
	fi
}

# encoded NAME: OLD has written something just now; else nothing is compared, and that must not pass.
encoded()
{
	[ -s "$work/old/out" ] && return
	echo "differ - $1: OLD cannot encode it:"
	sed 's/^/    /' "$work/old/log" | head -n 5
	differ=$((differ + 1))
}

# text NAME ARGUMENT...: a command prints the same.
text()
{
	text_name=$1
	shift
	"$old" "$@" >"$work/old.text" 2>&1 </dev/null
	echo "exit status $?" >>"$work/old.text"
	"$new" "$@" >"$work/new.text" 2>&1 </dev/null
	echo "exit status $?" >>"$work/new.text"
	if diff -u "$work/old.text" "$work/new.text" >"$work/diff"; then
		same=$((same + 1))
	else
		echo "differ - $text_name"
		sed '1,2d; s/^/    /' "$work/diff" | head -n 20
		differ=$((differ + 1))
	fi
}

# features_of: every feature by its name, from the list that feeds the program.
features_of()
{
	sed -n 's/^	X(\([a-z0-9_]*\), .*/\1/p' encoder/encode_options.h
}

# ---- fixtures ----

features=$(features_of)
if [ -z "$features" ]; then
	echo "same_output.sh: encoder/encode_options.h lists no features; run this in the root of the sources" >&2
	exit 2
fi
for image in "$FIXTURES"/*/vmlinux; do
	[ -s "$image" ] || { echo "same_output.sh: $FIXTURES has no fixtures; make fixtures" >&2; exit 2; }
	variant=${image%/vmlinux}
	variant=${variant##*/}
	for jobs in 1 2 3; do
		bytes "$variant -j$jobs" -j$jobs "$image"
		encoded "$variant"
	done
	for feature in $features; do
		bytes "$variant: $feature alone" --features "$feature" "$image"
		bytes "$variant: +$feature" --features "+$feature" "$image"
	done
	bytes "$variant: all" --features "all,+inline,+func_secinfo=inline" "$image"
	bytes "$variant: all languages" --lang c,c++,rust,asm "$image"
	"$old" encode --features +inline,+func_secinfo=inline -o "$work/extra" "$image"
	text "dump $variant" dump "$work/extra"
	text "check $variant" check "$work/extra"
	progress "$variant"
done

# ---- kernels ----

# modules RELEASE IMAGE
modules()
{
	find "$cache/modules-$1" -name '*.ko' 2>/dev/null | sort >"$work/found"
	if ! [ -s "$work/found" ]; then
		echo "skip - modules of $1: $cache/modules-$1 has none"
		return
	fi
	"$old" encode -o "$work/base" "$2"
	step=$(($(wc -l <"$work/found") / wanted_modules))
	awk -v step=$((step + !step)) 'NR % step == 0' "$work/found" | head -n "$wanted_modules" >"$work/modules"
	count=0
	while read -r module; do
		bytes "${module##*/}" -b "$work/base" "$module"
		encoded "${module##*/}"
		bytes "${module##*/}, all" -b "$work/base" \
			--features all,+distilled_base,+inline,+func_secinfo=inline "$module"
		count=$((count + 1))
		[ $((count % 20)) -ne 0 ] || progress "$count modules of $1"
	done <"$work/modules"
}

for release in $kernels; do
	image=$cache/vmlinux-$release
	if ! [ -s "$image" ]; then
		echo "skip - $release: there is no $image"
		continue
	fi
	for jobs in 1 2 3; do
		bytes "$release -j$jobs" -j$jobs "$image"
		encoded "$release"
		progress "$release -j$jobs"
	done
	for feature in $features; do
		bytes "$release: $feature alone" --features "$feature" "$image"
		bytes "$release: +$feature" --features "+$feature" "$image"
		progress "$release $feature"
	done
	bytes "$release: all" --features all,+inline,+func_secinfo=inline "$image"
	progress "$release all"
	modules "$release" "$image"
done

[ $refused -eq 0 ] || echo "$refused times both refuse, in the same words"
echo "$same same, $differ differ"
[ $differ -eq 0 ]
