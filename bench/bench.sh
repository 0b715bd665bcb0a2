#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Time and memory of btfenc on a real kernel, compared with pahole, with a bare walk over its DIEs
# and with goals: one table, and the same as JSON. What is compared runs in turns; figures are
# medians. Goals that are missed do not change the exit status.
#
# usage: bench/bench.sh [VMLINUX [DIRECTORY_OF_MODULES]]
#   BENCH    the rows that are wanted ("encode growth modules commands sites diff images"; more: hostile)
#   IMAGES   files to compare with pahole, for the rows "images": LTO's, dwz's, other compilers'
#   CASES    of hostile: those of bench/hostile.py that are wanted (all)
#   ROUNDS   runs of each command (7; over modules at most 3)
#   PAHOLE   pahole to compare with (the one in PATH; without one its rows are left out)
#   MODULES  how many modules, evenly taken from all ("all")
#   BTFENC   program to measure (build/btfenc)
#   TOOLS    where the programs of this directory are (build/bench)
#   JSON     where the figures go (build/bench.json)
# Copies go to a directory below TMPDIR: as large as the modules, twice.
set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
btfenc=${BTFENC:-$top/build/btfenc}
tools=${TOOLS:-$top/build/bench}
pahole=${PAHOLE:-$(command -v pahole || true)}
rounds=${ROUNDS:-7}
json=${JSON:-$top/build/bench.json}
case $json in /*) ;; *) json=$PWD/$json ;; esac
features=encode_force,var,float,enum64,decl_tag,type_tag,optimized_func,consistent_func
features=$features,decl_tag_kfuncs
encode="'$btfenc' encode --force --features $features"

# All that is named without a directory below is in here. `results` has the lines
#	figure NAME MEDIAN_SECONDS BEST_SECONDS PEAK_KIB [PROCESSOR_SECONDS]	(a peak of 0: was not measured)
#	fact NAME TEXT
#	count NAME NUMBER
#	note TEXT
# of which report.awk makes table and JSON.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP

fact() { echo "fact $*" >>results; }
note() { echo "note $*" >>results; }

# in_turns ROUNDS { [--before COMMAND] NAME COMMAND }...
in_turns()
{
	"$tools/measure" "$@" >measured
	sed 's/^/figure /' measured >>results
}

# add_medians PREFIX: lines "KEY SECONDS ..." on stdin, a figure PREFIX.KEY for each key.
add_medians()
{
	sort -k1,1 -k2,2n | awk -v prefix="$1" '
		function finish() {
			if (count)
				print "figure", prefix "." key, value[int(count / 2) + 1],
				      value[1], 0
			count = 0
		}
		$1 != key { finish(); key = $1 }
		{ value[++count] = $2 }
		END { finish() }' >>results
}

# ---- encoding a vmlinux ----

bench_encode()
{
	set -- encode_j1 "$encode -j1 --timings -o b1 '$vmlinux' 2>>timings_j1" \
	       encode_j2 "$encode -j2 --timings -o b2 '$vmlinux' 2>>timings_j2" \
	       scan_process "'$tools/raw_scan' '$vmlinux' >>scans" \
	       scan_decode_process "'$tools/raw_scan' --decode '$vmlinux' >>decoding_scans"
	if [ -n "$pahole" ]; then
		set -- "$@" \
		    pahole_j1 "$pahole_encode -j1 --btf_encode_detached=p1 '$vmlinux' 2>/dev/null" \
		    pahole_j2 "$pahole_encode -j2 --btf_encode_detached=p2 '$vmlinux' 2>/dev/null"
	fi
	in_turns "$rounds" "$@"
	cmp b1 b2
	for jobs in 1 2; do
		# Other lines are warnings.
		awk 'NF == 3 && $3 == "s"' timings_j$jobs | add_medians encode_j$jobs
	done
	# The walk alone: opening the file is not a part of it.
	sed 's/^/walk /' scans | add_medians scan
	sed 's/^/walk /' decoding_scans | add_medians scan_decode
}

# ---- growth: the same program, given in part ----

# Copies are written anew by cat: data that a program writes with one large call is in large pages
# of the page cache, which count as a whole in the memory of the process that maps them. Data read
# from a disk, such as the vmlinux itself, is not.
bench_growth()
{
	set --
	for n in 64 4 2 1; do
		counts=$("$tools/cut_units" "$n" "$vmlinux" whole)
		fact "units_$n" "${counts% *}"
		fact "debug_info_bytes_$n" "${counts#* }"
		cat whole >"cut_$n"
		rm whole
		set -- "$@" "growth_$n" "$encode -j1 -o grown_$n cut_$n"
	done
	"$btfenc" encode --features "$features" -o uncut "$vmlinux"
	in_turns "$rounds" "$@"
	cmp uncut grown_1
	rm cut_*
}

# ---- modules ----

# As in kernel builds: modules without BTF, on the BTF of their kernel, each changed in place. So
# each run gets fresh copies, and .BTF, which is there in a package, is taken out first.
bench_modules()
{
	[ -n "$modules" ] || { note "no modules: their rows are left out"; return; }
	(cd "$modules" && find . -name '*.ko' | LC_ALL=C sort) >all
	awk -v want="${MODULES:-all}" -v count="$(wc -l <all)" '
		want == "all" || int(NR * want / count) > int((NR - 1) * want / count)' all >chosen
	fact modules_all "$(wc -l <all)"
	fact modules "$(wc -l <chosen)"

	mkdir originals
	(cd "$modules" && tar -cf - -T "$work/chosen") | tar -xf - -C originals
	(cd originals && xargs -n 1 -P 2 "$objcopy" -R .BTF -R .BTF.base <../chosen)
	sed 's/^\./copies/' chosen >copies_list
	"$btfenc" encode --features "$features" -o base "$vmlinux"

	fresh='rm -rf copies && cp -r originals copies && sync -f copies'
	few=$((rounds < 3 ? rounds : 3))
	set -- --before "$fresh" modules "$encode -j2 -b base \$(cat copies_list) 2>modules_log"
	if [ -z "$pahole" ]; then
		in_turns "$few" "$@"
	else
		# As kernel builds name it, scripts/Makefile.modfinal.
		export LLVM_OBJCOPY="$objcopy"
		one="$pahole_encode --btf_base=base"
		in_turns "$few" "$@" --before "$fresh" pahole_modules_at_once \
			"xargs -n 1 -P 2 $one -j1 <copies_list 2>/dev/null"
		# Kernel builds that call btfenc once per module, too: make runs several at once.
		each="'$btfenc' encode --force --features $features -j1 -b base"
		in_turns 1 --before "$fresh" modules_each \
			"xargs -n 1 $each <copies_list 2>/dev/null" \
			--before "$fresh" pahole_modules_each \
			"xargs -n 1 $one -j1 <copies_list 2>/dev/null" \
			--before "$fresh" pahole_modules_in_turn \
			"xargs -n 1 $one -j2 <copies_list 2>/dev/null"
		note "modules: $few rounds; .BTF put in place into fresh copies, on a base of raw" \
			"BTF; pahole is called once per module, two calls at once (-j1 each) or" \
			"one after the other (-j1 or -j2 each, this in one round)"
	fi
	rm -rf originals copies
}

# ---- the other commands that read a whole vmlinux ----

bench_commands()
{
	set --
	for jobs in 1 2; do
		set -- "$@" \
		    "plain_j$jobs" "$encode -j$jobs -o plain '$vmlinux'" \
		    "stats_j$jobs" "'$btfenc' stats -j$jobs '$vmlinux' >/dev/null" \
		    "explain_j$jobs" "'$btfenc' explain -j$jobs vfs_read '$vmlinux' >/dev/null"
	done
	in_turns "$rounds" "$@"
}

# ---- sites: what they cost in time and in bytes ----

bench_sites()
{
	set --
	for jobs in 1 2; do
		set -- "$@" \
		    "bare_j$jobs" "$encode -j$jobs -o bare '$vmlinux'" \
		    "inline_j$jobs" "$encode,inline -j$jobs -o with_inline '$vmlinux'" \
		    "secinfo_j$jobs" "$encode,func_secinfo -j$jobs -o with_entries '$vmlinux'" \
		    "secinfo_inline_j$jobs" \
		    "$encode,func_secinfo=inline -j$jobs -o with_both '$vmlinux'"
	done
	in_turns "$rounds" "$@"
	cmp bare with_entries
	cmp bare with_both
	count_bytes inline "$(($(cat with_inline with_inline.inline | wc -c) - $(wc -c <bare)))" \
		with_inline.inline
	count_bytes entries "$(wc -c <with_entries.extra)" with_entries.extra -b with_entries
	count_bytes both "$(wc -c <with_both.extra)" with_both.extra -b with_both
}

# count_bytes NAME BYTES FILE [-b BASE]: how many sites FILE has (instances, too), and how many bytes
# their entries and the LOCs take (docs/format.md).
count_bytes()
{
	name=$1
	echo "count $name.bytes $2" >>results
	shift 2
	"$btfenc" dump "$@" | awk -v name="$name" '
		BEGIN { sites = bytes = 0 }
		$1 !~ /^\[/ { next }
		{ vlen = $NF; sub(/.*=/, "", vlen) }
		$2 == "LOCSEC" || ($2 == "DATASEC" && name != "inline") { sites += vlen }
		$2 == "DATASEC" { bytes += 12 + 12 * vlen }
		$2 == "LOC" { bytes += 12 + 4 * vlen }
		END {
			print "count", name ".sites", sites
			print "count", name ".entry_bytes", bytes
		}' >>results
}

# ---- diff of two kernels ----

# Both sides are the same file: what is read and compared is the same amount.
bench_diff()
{
	set -- lists "'$btfenc' diff list list >/dev/null"
	"$btfenc" stats --functions list "$vmlinux" >/dev/null
	for jobs in 1 2; do
		set -- "$@" \
		    "two_j$jobs" "$encode -j$jobs -o d1 '$vmlinux' && $encode -j$jobs -o d2 '$vmlinux'" \
		    "diff_j$jobs" "'$btfenc' diff -j$jobs '$vmlinux' '$vmlinux' >/dev/null" \
		    "diff_list_j$jobs" "'$btfenc' diff -j$jobs list '$vmlinux' >/dev/null"
	done
	in_turns "$rounds" "$@"
}

# ---- images of LTO, dwz and other compilers ----

bench_images()
{
	[ -n "$images" ] || { note "no IMAGES: their rows are left out"; return; }
	count=0
	for image in $images; do
		count=$((count + 1))
		fact "image_$count" "$(basename "$image"), $(($(size -A "$image" |
			awk '$1 == ".debug_info" { print $2 }') >> 20)) MiB"
		cat "$image" >/dev/null
		set --
		for jobs in 1 2; do
			set -- "$@" "image_${count}_j$jobs" "$encode -j$jobs -o i$jobs '$image'"
			[ -z "$pahole" ] || set -- "$@" "pahole_image_${count}_j$jobs" \
				"$pahole_encode -j$jobs --btf_encode_detached=p$jobs '$image' 2>/dev/null"
		done
		in_turns "$rounds" "$@"
		cmp i1 i2
	done
}

# ---- hostile: inputs whose reader may be quadratic ----

# Each case in four sizes, each twice as large as the one before. What is refused (exit 3) counts as
# well: that, too, has to be fast. More than a minute is taken for a failure.
bench_hostile()
{
	python3 "$top/bench/hostile.py" >cases
	few=$((rounds < 3 ? rounds : 3))
	run="ulimit -t 60; '$btfenc'"
	# shellcheck disable=SC2016 # of the shell that runs it
	tail='-j1 -o out.btf in >/dev/null 2>&1; s=$?; [ $s -eq 0 ] || [ $s -eq 3 ]'
	while read -r case size; do
		case " ${CASES:-$case} " in *" $case "*) ;; *) continue ;; esac
		echo "fact hostile.$case.size $size" >>results
		for part in 8 4 2 1; do
			python3 "$top/bench/hostile.py" "$case" $((size / part)) in
			echo "count hostile.$case.$part.bytes $(wc -c <in)" >>results
			# What is refused has no BTF to be split from: then nothing is.
			rm -f base.btf
			sh -c "$run encode -o base.btf in >/dev/null 2>&1" || true
			in_turns "$few" \
			    "hostile.$case.$part.encode" "$run encode $tail" \
			    "hostile.$case.$part.split" "$run encode -b base.btf $tail" \
			    "hostile.$case.$part.inline" "$run encode --features +inline $tail" \
			    "hostile.$case.$part.secinfo" \
			    "$run encode --features +func_secinfo,global_var $tail" \
			    "hostile.$case.$part.stats" \
			    "$run stats -j1 in >/dev/null 2>&1; s=\$?; [ \$s -eq 0 ] || [ \$s -eq 3 ]" ||
				echo "note hostile $case: more than a minute, or failed" >>results
			[ "$part" -gt 2 ] || time_commands "$case" "$part" "$size"
		done
	done <cases
}

# time_commands CASE PART SIZE: each of the other commands, once at half the size (PART 2), then at
# the whole (1). One that takes more than a second, and three times as long as at half, is noted.
time_commands()
{
	cp in encoded
	[ "$2" -eq 1 ] || : >half
	exec 3<half
	for command in "encode --features +func_secinfo=inline -o out.btf in" \
		       "encode --features +inline,+func_secinfo encoded" "check encoded" \
		       "stats -j1 --functions list in" "diff -j1 in in" "diff list list" \
		       "list -j1 -f in" "explain -j1 f in" "explain -j1 --json f in" \
		       "explain -j1 --script libbpf f in" "explain --records f encoded" "dump encoded"; do
		before=$(date +%s%N)
		# No answer (1) is one; so is a refusal (3).
		sh -c "$run $command >/dev/null 2>&1; [ \$? -le 3 ]" ||
			note "hostile $1: $command: more than a minute, or failed"
		ms=$((($(date +%s%N) - before) / 1000000))
		if [ "$2" -eq 2 ]; then
			echo $ms >>half
		else
			read -r half <&3
			[ $ms -lt 1000 ] || [ $ms -lt $((3 * half)) ] ||
				note "hostile $1 $3: $command: $ms ms, half of it $half"
		fi
	done
	exec 3<&-
}

# ---- what is measured on what ----

gather_facts()
{
	model=$(sed -n '/^model name/{s/.*: *//;p;q;}' /proc/cpuinfo 2>/dev/null || true)
	fact processor "${model:-$(uname -m)}"
	fact cores "$(getconf _NPROCESSORS_ONLN)"
	fact host "$(uname -sr)"
	fact compiler "$(${CC:-cc} --version 2>/dev/null | head -n 1)"
	fact btfenc "$("$btfenc" --version)"
	fact commit "$(git -C "$top" describe --always --dirty 2>/dev/null || true)"
	fact pahole "$([ -n "$pahole" ] && "$pahole" --version || echo none)"
	fact vmlinux "$(basename "$vmlinux")"
	fact debug_info_bytes "$(size -A "$vmlinux" | awk '$1 == ".debug_info" { print $2 }')"
	fact rounds "$rounds"
}

images=
for image in ${IMAGES:-}; do
	images="$images $(realpath "$image")"
done
groups=${BENCH:-encode growth modules commands sites diff images}
for group in $groups; do
	case $group in
	encode | growth | modules | commands | sites | diff | images | hostile) ;;
	*)
		echo "bench: BENCH: $group is none of encode, growth, modules, commands," \
			"sites, diff, images, hostile" >&2
		exit 2
		;;
	esac
done
# Called by make, programs might ask its jobserver how many threads they may have.
unset MAKEFLAGS MFLAGS

vmlinux=${1:-} modules=${2:-}
if [ -z "$vmlinux" ]; then
	case " $groups " in
	*' modules '*) found=$(sh "$top/vmlinux-fixtures/fetch-kernel.sh" --modules) &&
			modules=$(echo "$found" | tail -n 2 | head -n 1) ;;
	*) false ;;
	esac || found=$(sh "$top/vmlinux-fixtures/fetch-kernel.sh")
	vmlinux=$(echo "$found" | tail -n 1)
fi
vmlinux=$(realpath "$vmlinux")
[ -z "$modules" ] || modules=$(realpath "$modules")
objcopy=$(command -v "${OBJCOPY:-objcopy}" || true)
cd "$work"

# A pahole from before 1.26 knows no --btf_features; it then does less, and is told so.
pahole_encode="'$pahole' -J --btf_features=$features --lang_exclude=rust"
if [ -z "$pahole" ]; then
	note "no pahole: its rows are left out"
elif ! "$pahole" --help 2>&1 | grep -q -- --btf_features; then
	pahole_encode="'$pahole' -J --btf_gen_floats --lang_exclude=rust"
	note "this pahole knows no --btf_features: it does less than btfenc"
fi
gather_facts
cat "$vmlinux" >/dev/null		# into the page cache

for group in $groups; do
	# Not in a condition: there `set -e` would have no effect.
	set +e
	(set -e; "bench_$group")
	status=$?
	set -e
	[ $status -eq 0 ] || note "$group: failed, what is missing was not measured"
done
awk -v json="$json" -f "$top/bench/report.awk" results
