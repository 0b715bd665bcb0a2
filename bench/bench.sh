#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Times btfenc against pahole and against the raw DIE scan on a real vmlinux, in alternating runs,
# and prints one table (medians) and a JSON file.
#
# usage: bench/bench.sh [VMLINUX]
#   BTFENC   program to measure (build/btfenc)
#   PAHOLE   pahole to compare with (the one in PATH; without one its rows are left out)
#   ROUNDS   runs of each command (7)
#   JSON     where the figures go (build/bench.json)
set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
btfenc=${BTFENC:-$top/build/btfenc}
tools=$top/build/bench
rounds=${ROUNDS:-7}
json=${JSON:-$top/build/bench.json}
features=encode_force,var,float,enum64,decl_tag,type_tag,optimized_func,consistent_func,decl_tag_kfuncs

vmlinux=${1:-}
[ -n "$vmlinux" ] || vmlinux=$("$top/vmlinux-fixtures/fetch-kernel.sh" | tail -n 1)
pahole=${PAHOLE:-$(command -v pahole || true)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

# A pahole from before 1.26 knows no --btf_features; it then does less, and is told so.
pahole_options="--btf_features=$features --lang_exclude=rust"
if [ -n "$pahole" ] && ! "$pahole" --help 2>&1 | grep -q -- --btf_features; then
	pahole_options="--btf_gen_floats --lang_exclude=rust"
fi

set -- "$btfenc encode -j1 --features $features -o $work/b1 $vmlinux" \
       "$btfenc encode -j2 --features $features -o $work/b2 $vmlinux"
if [ -n "$pahole" ]; then
	set -- "$@" \
	    "$pahole -J -j1 $pahole_options --btf_encode_detached=$work/p1 $vmlinux 2>/dev/null" \
	    "$pahole -J -j2 $pahole_options --btf_encode_detached=$work/p2 $vmlinux 2>/dev/null"
fi

cat "$vmlinux" > /dev/null		# into the page cache
"$tools/measure" "$rounds" "$@" > "$work/figures"
floor=$("$tools/raw_scan" "$vmlinux" "$rounds" | cut -d' ' -f1)
decode=$("$tools/raw_scan" --decode "$vmlinux" "$rounds" | cut -d' ' -f1)
cmp -s "$work/b1" "$work/b2" || { echo "bench: -j1 and -j2 differ" >&2; exit 1; }

version=$([ -n "$pahole" ] && "$pahole" --version || echo none)
awk -v floor="$floor" -v decode="$decode" -v rounds="$rounds" -v pahole="$version" \
    -v vmlinux="$(basename "$vmlinux")" -v json="$json" '
	{ median[NR] = $1; fastest[NR] = $2; peak[NR] = $3 }
	function ratio(a, b) { return b > 0 ? sprintf("%.1fx", a / b) : "-" }
	function row(name, i, other) {
		printf "%-24s %9.3f %9.3f %9.0f", name, median[i], fastest[i], peak[i] / 1024
		if (other in median)
			printf "  %7s faster, %5.2f of the memory", ratio(median[other], median[i]),
			       peak[i] / peak[other]
		printf "\n"
	}
	END {
		printf "%s, %d rounds, medians; pahole %s\n\n", vmlinux, rounds, pahole
		printf "%-24s %9s %9s %9s\n", "", "median s", "best s", "peak MiB"
		row("btfenc -j1", 1, 3)
		row("btfenc -j2", 2, 4)
		if (3 in median) {
			row("pahole -j1", 3, 0)
			row("pahole -j2", 4, 0)
		}
		printf "%-24s %9s %9.3f\n", "raw DIE scan, skipping", "", floor
		printf "%-24s %9s %9.3f\n", "raw DIE scan, decoding", "", decode
		printf "\nbtfenc -j1 takes %s the skipping scan, %s the decoding one\n",
		       ratio(fastest[1], floor), ratio(fastest[1], decode)
		printf "{\n  \"vmlinux\": \"%s\", \"rounds\": %d, \"pahole\": \"%s\",\n", vmlinux,
		       rounds, pahole > json
		split("btfenc_j1 btfenc_j2 pahole_j1 pahole_j2", names, " ")
		for (i = 1; i <= NR; i++)
			printf "  \"%s\": { \"median_s\": %s, \"best_s\": %s, \"peak_kib\": %s },\n",
			       names[i], median[i], fastest[i], peak[i] > json
		printf "  \"raw_scan_skip_s\": %s, \"raw_scan_decode_s\": %s\n}\n", floor,
		       decode > json
	}' "$work/figures"
