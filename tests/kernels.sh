#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Real kernels of every machine that Debian has (the table vmlinux-fixtures/kernels), each before all
# judges: our own rules, the running kernel where it can read the BTF, libdw and the symbols, pahole.
#
#	KERNELS		keys of the table; without it all. What is not cached is fetched.
#	MODULES		how many modules of each, spread evenly over the list (60)
#	PAHOLE		of 1.32 or later; else sid's is fetched, else the installed one
#	KERNELS_OUT	where reports stay, build/kernels: KEY/{parity,modules,functions,sites,stats,cost}
. tests/lib.sh
. tests/lib_btf.sh

table=vmlinux-fixtures/kernels
out=${KERNELS_OUT:-build/kernels}
wanted_modules=${MODULES:-60}
features=encode_force,var,float,enum64,decl_tag,type_tag,optimized_func,consistent_func
features=$features,decl_tag_kfuncs

# The names of a machine's registers in tracefs: regs_query_register_offset() of
# arch/*/kernel/ptrace.c, as far as DWARF has numbers for them.
tracefs_registers()
{
	case $1 in
	amd64) echo 'ax bx cx dx si di bp sp r8 r9 r10 r11 r12 r13 r14 r15' ;;
	i386) echo 'ax bx cx dx si di bp sp' ;;
	arm64) echo "$(seq -f x%g 0 30) lr sp" ;;
	armhf) echo "$(seq -f r%g 0 10) fp ip sp lr pc" ;;
	s390x) seq -f r%g 0 15 ;;
	ppc64el) seq -f gpr%g 0 31; seq -f r%g 0 31; echo 'link ctr' ;;
	riscv64) echo "ra sp gp tp $(seq -f t%g 0 6) $(seq -f s%g 0 11) $(seq -f a%g 0 7)" ;;
	loong64) seq -f r%g 0 31 ;;
	esac | tr ' ' '\n'
}

# cost FILE COMMAND...: seconds of CPU and KiB at most, into FILE
cost()
{
	python3 -c '
import resource, subprocess, sys
status = subprocess.call(sys.argv[2:])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
with open(sys.argv[1], "w", encoding="ascii") as file:
    file.write(f"{used.ru_utime + used.ru_stime:.2f} {used.ru_maxrss}\n")
sys.exit(status)' "$@"
}

find_pahole()
{
	pahole=${PAHOLE-}
	[ -n "$pahole" ] ||
		pahole=$(sh vmlinux-fixtures/fetch-tool.sh sid pahole /usr/bin/pahole 2>"$work/log") ||
		pahole=$(command -v pahole) || return
	# Older ones flatten arrays of arrays.
	"$pahole" --version 2>&1 | grep -q '^v1\.3[2-9]\|^v1\.[4-9]\|^v[2-9]'
}

find_dwarfdump()
{
	for LLVM_DWARFDUMP in llvm-dwarfdump llvm-dwarfdump-22 llvm-dwarfdump-19 llvm-dwarfdump-14; do
		command -v $LLVM_DWARFDUMP >/dev/null 2>&1 && export LLVM_DWARFDUMP && return
	done
	false
}

# ---- pahole, in parallel with everything else ----

start_pahole()
{
	pahole_job=
	[ -n "$why_no_pahole" ] && return
	{
		cost "$kept/cost.pahole" "$pahole" -J -j1 --btf_features="$features" \
			--lang_exclude=rust --btf_encode_detached="$kept/base" "$image" 2>"$kept/base.log"
		sh tests/parity.sh "$pahole" "$image" >"$report/parity" 2>"$kept/parity.log"
		echo $? >"$kept/parity.status"
	} &
	pahole_job=$!
}

# classified NAME STATUS REPORT LOG
classified()
{
	case $2 in
	1) grep UNCLASSIFIED "$3" ;;
	*) cat "$4" ;;
	esac >"$work/unclassified"
	outcome "$2" "$1: types and functions against pahole: each difference has a class" \
		"$work/unclassified"
}

finish_pahole()
{
	if [ -n "$why_no_pahole" ]; then
		skip "$name: types and functions against pahole" "$why_no_pahole"
		return
	fi
	wait "$pahole_job"
	sed 's/^/    /' "$report/parity"
	classified "$name" "$(cat "$kept/parity.status")" "$report/parity" "$kept/parity.log"
	paste -d ' ' "$kept/cost.ours" "$kept/cost.pahole" |
		awk '{ printf "btfenc %.1f s, %.0f MiB; pahole %.1f s, %.0f MiB: %.1fx, %.1fx less\n",
			$1, $2 / 1024, $3, $4 / 1024, $3 / $1, $4 / $2 }' | tee "$report/cost" |
		sed 's/^/    of CPU time and memory, with one thread: /'
}

# ---- the vmlinux ----

check_functions()
{
	"$TEST_PROGRAMS/tool_functions" "$image" "$kept/btf" >"$report/functions" 2>&1
	status=$?
	sed 's/^/    /' "$report/functions"
	expect "$name: each FUNC is what libdw and the symbols say" test $status -eq 0
}

check_sites()
{
	"$BTFENC" encode --features +func_secinfo=inline,+inline -o "$kept/sites" "$image" \
		>"$work/log" 2>&1
	"$TEST_PROGRAMS/tool_sites" "$image" "$kept/sites" "$kept/sites.extra" >"$report/sites" 2>&1
	status=$?
	sed 's/^/    /' "$report/sites"
	expect "$name: the records of sites are what libdw reads" test $status -eq 0
	# libdw believes lists of GCC's for 32-bit ARM, which are 8 bytes too low.
	"$BTFENC" dump -b "$kept/sites" "$kept/sites.extra" >"$work/log"
	expect "$name: there are records of sites" grep -q '^\[[0-9]*\] LOC ' "$work/log"
	expect "$name: none is below the stack pointer" lacks_line '-[0-9][0-9]*(%sp)' "$work/log"
	rm -f "$kept/sites" "$kept/sites.inline" "$kept/sites.extra"
}

check_stats()
{
	"$BTFENC" stats --functions "$kept/list" "$image" >"$report/stats" 2>&1
	sed -i '1d; /^#/d' "$kept/list"
	sed -n 's/^\[[0-9]*\] FUNC .\([^ ]*\). .*/\1/p' "$kept/dump" | sort -u >"$kept/funcs"
	awk -F '\t' '$5 == "ok" { print $1 }' "$kept/list" | sort -u >"$kept/promised"
	expect "$name: stats: ok is what has a FUNC" same_text "$kept/promised" "$kept/funcs"
	cut -f 1,5 "$kept/list" | sort -u |
		awk '{ count[$2]++ } END { for (v in count) print count[v], v }' |
		sort -k 1,1nr | sed 's/^/    /'
}

# NOKPROBE_SYMBOL(f) makes _kbl_addr_f. Some machines' tables have their addresses by relocations.
check_attachable()
{
	nm "$image" | sed -n 's/.* _kbl_addr_//p' | sort -u >"$kept/kept_away"
	"$BTFENC" list -f "$image" --attachable kprobe --format names | sort -u >"$kept/attachable"
	comm -12 "$kept/kept_away" "$kept/attachable" >"$work/both"
	expect "$name: list --attachable kprobe has nothing of NOKPROBE_SYMBOL ($(wc -l <"$kept/kept_away") names)" \
		test ! -s "$work/both" -a -s "$kept/kept_away"
}

# Three names of each verdict, spread over the list; every register in a probe has a name that this
# machine's tracefs knows.
check_explain()
{
	tracefs_registers "$arch" | sort -u >"$work/registers"
	awk -F '\t' '!seen[$1 " " $5]++ { names[$5] = names[$5] " " $1; count[$5]++ }
		END {
			for (verdict in names) {
				n = split(names[verdict], name, " ")
				for (i = 1; i <= 3 && i <= n; i++)
					print verdict, name[int((i - 0.5) * n / (n < 3 ? n : 3)) + 1]
			}
		}' "$kept/list" | sort -u >"$kept/chosen"
	: >"$kept/explained"
	: >"$work/wrong"
	while read -r verdict function; do
		echo "== $verdict: $function" >>"$kept/explained"
		"$BTFENC" explain "$function" "$image" >"$work/one" 2>&1 ||
			echo "$function: $(head -n 1 "$work/one")" >>"$work/wrong"
		cat "$work/one" >>"$kept/explained"
		case $verdict in
		ok) lacks_line "^$function: no: " "$work/one" >/dev/null ;;
		*) grep -q "^$function: no: " "$work/one" ;;
		esac || echo "$function, $verdict: $(head -n 1 "$work/one")" >>"$work/wrong"
	done <"$kept/chosen"
	[ -s "$kept/chosen" ] || echo "stats has listed no function" >>"$work/wrong"
	expect "$name: explain: three of each verdict" cmp "$work/wrong" /dev/null
	[ -s "$work/wrong" ] && sed 's/^/    /' "$work/wrong"
	grep -E '^ *(tracefs +)?p:' "$kept/explained" | grep -o '%[a-z][a-z0-9]*' | tr -d % |
		sort | uniq -c >"$work/used"
	awk '{ print $2 }' "$work/used" | sort -u | comm -23 - "$work/registers" >"$work/unknown"
	sed 's/^ */    %/; s/%\([0-9]*\) /\1 %/' "$work/used" | paste -s -d , | cut -c 1-200
	# shellcheck disable=SC2016 # these are for the inner shell
	expect "$name: explain: registers as in tracefs" sh -c \
		'test -s "$1" && cat "$2" && test ! -s "$2"' sh "$work/used" "$work/unknown"
}

# ---- modules ----

choose_modules()
{
	find "$modules" -name '*.ko' | sort | awk -v wanted="$wanted_modules" '
		{ line[NR] = $0 }
		END {
			if (wanted > NR)
				wanted = NR
			for (i = 0; i < wanted; i++)
				print line[int((i + 0.5) * NR / wanted) + 1]
		}'
}

check_modules()
{
	choose_modules >"$work/modules"
	count=$(wc -l <"$work/modules")
	: >"$work/wrong"
	: >"$work/not_judged"
	: >"$report/modules.functions"
	while read -r module; do
		if ! "$BTFENC" encode -b "$kept/btf" -o "$work/split" "$module" 2>"$work/log"; then
			echo "${module##*/}: $(head -n 1 "$work/log")" >>"$work/wrong"
			continue
		fi
		"$BTFENC" check -b "$kept/btf" "$work/split" >"$work/log" 2>&1 ||
			echo "${module##*/}: $(head -n 1 "$work/log")" >>"$work/wrong"
		"$TEST_PROGRAMS/tool_functions" "$module" "$work/split" "$kept/btf" >"$work/log" 2>&1
		case $? in
		0) tail -n 2 "$work/log" | head -n 1 >>"$report/modules.functions" ;;
		77) sed -n 's/^not judged: //p' "$work/log" >>"$work/not_judged" ;;
		*) sed "s,^,${module##*/}: ," "$work/log" >>"$work/wrong" ;;
		esac
	done <"$work/modules"
	awk '{ funcs += $1; past += $3 } END { print "    FUNCs of modules:", funcs + 0 "," , past + 0,
		"with low_pc past the entry" }' "$report/modules.functions"
	cp "$work/wrong" "$report/modules.wrong"
	[ ! -s "$work/wrong" ] && [ "$count" -gt 0 ]
	outcome $? "$name: $count modules are encoded, checked, what libdw says" "$work/wrong"
	[ ! -s "$work/not_judged" ] ||
		skip "$name: $(wc -l <"$work/not_judged") of $count modules: each FUNC is what libdw says" \
			"$(head -n 1 "$work/not_judged")"
	if [ -n "$why_no_pahole" ]; then
		skip "$name: modules against pahole" "$why_no_pahole"
		return
	fi
	# shellcheck disable=SC2046 # paths of modules have no blanks
	BASE=$kept/base sh tests/parity_modules.sh "$pahole" "$image" $(cat "$work/modules") \
		>"$report/modules" 2>"$work/log"
	status=$?
	sed 's/^/    /' "$report/modules"
	classified "$name: $count modules" $status "$report/modules" "$work/log"
}

check_one()
{
	name=$1
	arch=$(sed -n "s/^$1|\([^|]*\)|.*/\1/p" $table)
	found=$(sh vmlinux-fixtures/fetch-kernel.sh --modules "$1" 2>"$work/log")
	status=$?
	if [ $status -ne 0 ]; then
		skip "$1" "$(tail -n 1 "$work/log")"
		return
	fi
	modules=$(echo "$found" | tail -n 2 | head -n 1)
	image=$(echo "$found" | tail -n 1)
	report=$out/$1 kept=$work/kept
	rm -rf "$kept"
	mkdir -p "$report" "$kept"
	echo "    ${image##*/}"
	start_pahole
	if ! cost "$kept/cost.ours" "$BTFENC" encode -j1 -o "$kept/btf" "$image" 2>"$work/log"; then
		not_ok "$1: encode" "$work/log"
		[ -z "$pahole_job" ] || wait "$pahole_job"
		return
	fi
	ok "$1: encode"
	check_rules "$1" "$kept/btf"
	check_kernel "$1" "$kept/btf" "$image"
	"$BTFENC" dump "$kept/btf" >"$kept/dump"
	check_functions
	check_stats
	check_attachable
	check_explain
	check_sites
	check_same_sites "$name" "$image"
	finish_pahole
	check_modules
}

# Which of the releases that a suite has a row of the table means: a flavour's name ends others'.
check_table()
{
	mkdir "$work/cache"
	for release in 6.1.0-50-armmp 6.1.0-50-armmp-lpae 6.1.0-50-rt-armmp 6.1.0-50-686 \
		6.1.0-50-686-pae 6.1.0-50-rt-686-pae 6.1.0-56-amd64 6.1.0-56-cloud-amd64 \
		6.1.0-56-rt-amd64 6.12.117+deb13-amd64 6.12.117+deb13-rt-amd64; do
		echo >"$work/cache/vmlinux-$release"
	done
	for row in armmp:6.1.0-50-armmp 686-pae:6.1.0-50-686-pae rt-amd64:6.1.0-56-rt-amd64 \
		cloud-amd64:6.1.0-56-cloud-amd64 amd64-6.12:6.12.117+deb13-amd64; do
		BTFENC_CACHE=$work/cache sh vmlinux-fixtures/fetch-kernel.sh --cached "${row%%:*}" \
			>"$work/row" 2>&1
		expect "table of kernels: ${row%%:*}" grep -q "/vmlinux-${row#*:}\$" "$work/row"
	done
}

why_no_pahole=
check_table
find_pahole || why_no_pahole='pahole 1.32 or later is not installed (package pahole of sid)'
have python3 'real kernels' || exit 0
find_dwarfdump || why_no_pahole="$(not_installed llvm)"
[ -n "$why_no_pahole" ] || echo "    pahole: $("$pahole" --version)"
export BTFENC
mkdir -p "$out"
for key in ${KERNELS:-$(sed -n '/^[^#]/s/|.*//p' $table)}; do
	begun=$(date +%s)
	check_one "$key"
	echo "    $key: $(($(date +%s) - begun)) s"
done
