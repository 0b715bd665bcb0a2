#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# usage: same_output.sh [--words] OLD [NEW]
#
# Does a binary give what an older one (OLD) gave? For work that must not change the output.
#
#	encode		the same bytes: every fixture and kernel, each feature alone, all of them, none;
#			-j1 to -j3; 94 modules, spread evenly over those of a kernel, as split BTF (-b)
#	stats, diff, explain, dump, check
#			the same text and the same exit status. Differences are printed. --words: they
#			are counted, but are not failures
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

words=false
if [ "${1-}" = --words ]; then
	words=true
	shift
fi
old=${1-} new=${2-build/btfenc}
if [ $# -lt 1 ] || [ $# -gt 2 ] || ! [ -x "$old" ] || ! [ -x "$new" ]; then
	echo "usage: same_output.sh [--words] OLD [NEW]: two programs" >&2
	exit 2
fi
FIXTURES=${FIXTURES-build/fixtures}
cache=${CACHE-$HOME/.cache/btfenc}
kernels=${KERNELS-6.1.0-56-cloud-amd64 6.1.0-56-cloud-arm64}
wanted_modules=${MODULES-94}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
same=0 differ=0 worded=0 refused=0 began=$(date +%s)

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
	     compare_texts "$work/old/log" "$work/new/log"; then
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

# compare_texts OLD NEW: with --words texts may differ, not exit statuses (in their last lines).
compare_texts()
{
	diff -u "$1" "$2" >"$work/diff" && return
	$words && [ "$(tail -n 1 "$1")" = "$(tail -n 1 "$2")" ] && worded=$((worded + 1))
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
	if compare_texts "$work/old.text" "$work/new.text"; then
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

# names_of IMAGE COUNT: of its functions, spread evenly.
names_of()
{
	nm "$1" | sed -n 's/^[0-9a-f]* [tTwW] \([a-z_0-9]*\)$/\1/p' | sort -u | awk -v wanted="$2" '
		{ line[NR] = $0 }
		END {
			for (i = 0; i < wanted && i < NR; i++)
				print line[int((i + 0.5) * NR / (wanted < NR ? wanted : NR)) + 1]
		}'
}

# ---- fixtures ----

features=$(features_of)
if [ -z "$features" ]; then
	echo "same_output.sh: encoder/encode_options.h lists no features; run this in the root of the sources" >&2
	exit 2
fi
first=
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
	text "stats $variant" stats "$image"
	text "stats --json $variant" stats --json "$image"
	text "stats --functions $variant" stats --functions - "$image"
	text "diff $variant" diff --types --fail-on none "${first:-$image}" "$image"
	text "diff --format json $variant" diff --types --format json "${first:-$image}" "$image"
	"$old" encode --features +inline,+func_secinfo=inline -o "$work/extra" "$image"
	text "dump $variant" dump "$work/extra"
	text "check $variant" check "$work/extra"
	for name in $(names_of "$image" 12) ticket_sold no_such_name; do
		text "explain $name $variant" explain "$name" "$image"
		text "explain --json $name $variant" explain --json "$name" "$image"
	done
	: "${first:=$image}"
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
	awk -v wanted="$wanted_modules" '
		{ line[NR] = $0 }
		END {
			if (wanted > NR)
				wanted = NR
			for (i = 0; i < wanted; i++)
				print line[int((i + 0.5) * NR / wanted) + 1]
		}' "$work/found" >"$work/modules"
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

last=
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
	text "stats $release" stats --functions - "$image"
	text "stats --json $release" stats --json "$image"
	text "diff $release" diff --types --fail-on none "${last:-$image}" "$image"
	progress "$release stats, diff"
	for name in $(names_of "$image" 20); do
		text "explain $name $release" explain "$name" "$image"
	done
	progress "$release explain"
	modules "$release" "$image"
	last=$image
done

[ $refused -eq 0 ] || echo "$refused times both refuse, in the same words"
[ $worded -eq 0 ] || echo "$worded of the same have other words"
echo "$same same, $differ differ"
[ $differ -eq 0 ]
