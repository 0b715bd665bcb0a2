#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Is a FUNC true? Programs are generated, built by every compiler that is here, encoded, and run
# under a tracer which looks, at the entry of each function, whether the arguments are where the
# prototype in the BTF says (tests/truth/README.md).
#
# Programs of other machines run emulated, and are judged by machine.
#
#	SEEDS		which programs; without it those in tests/truth/seeds
#	COMPILERS	which compilers, machines, or configurations of tests/truth/configs and
#			configs-flags, configs-machines; without it all
#	TRUTH=all	also the configurations of configs-flags, and all of other machines
#	PAHOLE		the pahole whose figures are printed for comparison
#	TRUTH_OUT	where everything is built; build/truth
. tests/lib.sh

# GCC 16 and clang 23, if they have been fetched
fetched=$(sh vmlinux-fixtures/fetch-compilers.sh --cached 2>/dev/null) && PATH=$PATH:$fetched
out=${TRUTH_OUT:-build/truth}
seeds=${SEEDS:-$(sed '/^#/d; s/ .*//' tests/truth/seeds)}
export PAHOLE="${PAHOLE-$(command -v pahole)}"
sees='the tracer sees arguments and results that are elsewhere, missing, changed'
whole='every program is built, encoded and run'

# built NAME SOURCE... LIBRARY...: a program in $out, by the compiler of the tests.
built()
{
	built_name=$1
	shift
	${CC:-cc} -std=gnu11 -O1 -g -Wall -Wextra -o "$out/$built_name" "$@" >"$work/log" 2>&1 &&
		return
	not_ok "truth: $whole" "$work/log"
	exit 1
}

generate()
{
	for seed in $seeds; do
		mkdir -p "$out/seed-$seed" "$out/seed-$seed-32"
		"$out/generate" "$seed" "$out/seed-$seed" || exit 1
		"$out/generate" "$seed" "$out/seed-$seed-32" 32 || exit 1
		for directory in "$out/seed-$seed" "$out/seed-$seed-32"; do
			cp tests/truth/truth.h tests/truth/fill.h tests/truth/runtime.S "$directory/"
		done
	done
}

# is_wanted CONFIG COMPILER [MACHINE]
is_wanted()
{
	for wanted in ${COMPILERS-}; do
		case " $* " in
		*" $wanted "*) return 0 ;;
		esac
	done
	[ -z "${COMPILERS-}" ]
}

# seeds_of CONFIG EVERY: those of every configuration, unless EVERY is empty, and the configuration's own.
seeds_of()
{
	if [ -n "${SEEDS-}" ]; then
		[ -z "$2" ] || echo "$SEEDS"
		return
	fi
	awk -v config="$1" -v every="$2" '/^#/ { next } NF == 1 ? every != "" : $2 == config { print $1 }' \
		tests/truth/seeds
}

# missing TOOL...: the first that is not here
missing()
{
	for tool; do
		command -v "$tool" >/dev/null 2>&1 || { echo "$tool"; return 0; }
	done
	return 1
}

# Writes the arguments of job.sh for xargs, and which results to expect, in this order.
list_jobs()
{
	: >"$work/jobs"
	: >"$work/results"
	lists=tests/truth/configs
	[ "${TRUTH-}" != all ] && [ -z "${COMPILERS-}" ] || lists="$lists $lists-flags"
	# shellcheck disable=SC2086 # lists are words
	cat $lists | grep -v '^#' | while IFS='|' read -r config compiler tools flags; do
		is_wanted "$config" "$compiler" || continue
		# shellcheck disable=SC2086 # tools are words
		if tool=$(missing $compiler $tools); then
			skip "truth: $config" "$(not_installed "$tool")"
			continue
		fi
		for seed in $(seeds_of "$config" yes); do
			printf '%s\0' "$out" "$seed" "$config" "$compiler" "$flags" x86-64 \
				>>"$work/jobs"
			echo "$out/$config/$seed/result" >>"$work/results"
		done
	done
}

# Debian's names of a machine's tools, and of the emulator.
triple()
{
	case $1 in
	arm64) echo aarch64-linux-gnu ;;
	arm) echo arm-linux-gnueabi ;;
	ppc64le) echo powerpc64le-linux-gnu ;;
	*) echo "$1-linux-gnu" ;;
	esac
}

emulator()
{
	case $1 in
	arm64) echo qemu-aarch64 ;;
	*) echo "qemu-$1" ;;
	esac
}

# As list_jobs, for other machines; the results of each are in a list of its own.
list_machine_jobs()
{
	: >"$work/lacking"
	grep -v '^#' tests/truth/configs-machines |
	while IFS='|' read -r config machine when compiler tools flags; do
		is_wanted "$config" "$compiler" "$machine" || continue
		every=
		if [ "$when" = test ] || [ "${TRUTH-}" = all ] || [ -n "${COMPILERS-}" ]; then
			every=yes
		fi
		config_seeds=$(seeds_of "$config" "$every")
		[ -n "$config_seeds" ] || continue
		target=$(triple "$machine")
		case $compiler in
		gcc*) compiler=$target-$compiler ;;
		*) flags="-fuse-ld=lld-22 $flags" ;;
		esac
		[ "$machine" != arm ] || tools="$tools $target-gcc-12"
		# shellcheck disable=SC2086 # tools are words
		if tool=$(missing $compiler $tools "$(emulator "$machine")"); then
			echo "$machine: $(not_installed "$tool")" >>"$work/lacking"
			continue
		fi
		case $compiler in
		clang*) compiler="$compiler --target=$target -Qunused-arguments" ;;
		esac
		for seed in $config_seeds; do
			printf '%s\0' "$out" "$seed" "$config" "$compiler" "$flags" "$machine" \
				>>"$work/jobs"
			echo "$out/$config/$seed/result" >>"$work/results-$machine"
		done
	done
	sort -u "$work/lacking" | while IFS= read -r line; do
		skip "truth: programs of ${line%%:*}" "${line#*: }"
	done
}

# control MACHINE COMPILER FLAG...: the tracer has to see what is wrong with a program that is wrong.
control()
{
	machine=$1 here=$out/control-$1
	shift
	mkdir -p "$here"
	cp tests/truth/control.txt tests/truth/control.expected "$here"
	# On machines that pass it in registers, three arguments make a struct.
	case $machine in
	arm | ppc64le)
		sed -i 's/misplaced struct_in_registers p0/correct struct_in_registers -/
			s/rightly-absent struct_in_registers p0/missed struct_in_registers -/' \
			"$here/control.expected"
		;;
	esac
	[ "$machine" != arm ] ||
		sed -i '/p2 2/s/8/4/g; /member_passed/{n;s/8/4/g}' "$here/control.txt"
	if ! "$@" -std=gnu11 -O2 -g -w -ffreestanding -fno-pie -no-pie -fno-stack-protector \
		-nostdlib -static -Itests/truth -Itests/truth/machines/"$machine" \
		-o "$here/program" tests/truth/control.c tests/truth/runtime.S \
		tests/truth/memory.c >"$work/log" 2>&1 ||
	   ! "$BTFENC" encode -o "$here/btf" "$here/program" >"$work/log" 2>&1 ||
	   ! "$BTFENC" encode -o "$here/other" "$out/trace" >"$work/log" 2>&1; then
		not_ok "truth: the control of $machine" "$work/log"
		exit 1
	fi
	"$out/trace" "$here/program" "$here/control.txt" "btfenc=$here/btf" \
		"other=$here/other" "+other=$here/btf" >"$here/found" 2>"$work/log"
	status=$?
	if [ $status -eq 77 ] && [ "$machine" = x86-64 ]; then
		skip "truth: functions are entered as promised" "nothing can be traced here"
		exit 0
	fi
	awk -F '\t' '{ print $1, $2, $3, $7 }' "$here/found" | LC_ALL=C sort -k 1,1 -k 3,3 |
		diff "$here/control.expected" - >>"$work/log"
	# An unoptimized build would have returned something else from the calls of function 6.
	echo '6 0 00000000000000000000000000000000' >"$here/results"
	"$out/trace" "$here/program" "$here/control.txt" "@$here/results" \
		"btfenc=$here/btf" 2>>"$work/log" | awk -F '\t' '$2 == "result" { print $3 }' |
		LC_ALL=C sort | tr '\n' ' ' >"$here/unequal"
	echo 'result_dropped result_kept ' | tr -d '\n' | diff - "$here/unequal" >>"$work/log"
	if [ $status -eq 0 ] && ! [ -s "$work/log" ]; then
		ok "truth: $machine: $sees"
	else
		not_ok "truth: $machine: $sees" "$work/log"
	fi
}

# The flags of machines are those of job.sh.
control_machines()
{
	for machine in arm64 arm s390x ppc64le riscv64; do
		compiler=$(triple "$machine")-gcc-12
		[ -s "$work/results-$machine" ] || continue
		command -v "$compiler" >/dev/null 2>&1 || continue
		case $machine in
		arm)
			control arm "$compiler" -march=armv7-a -marm
			control arm "$compiler" -march=armv7-a -mthumb
			;;
		riscv64) control riscv64 "$compiler" -march=rv64gc -mabi=lp64 ;;
		*) control "$machine" "$compiler" ;;
		esac
	done
}

# offenders VERDICT...: the lines of these functions, of the BTF $label
label=btfenc
offenders()
{
	for verdict; do
		awk -F '\t' -v label="$label" -v verdict="$verdict" \
			'$3 == label && $4 == verdict' "$out/results"
	done
}

# by_function: offenders, those of one function and seed on one line. Addresses and tags differ.
by_function()
{
	awk -F '\t' '{
		reason = $10
		gsub(/0x[0-9a-f]+/, "X", reason)
		key = "seed " $2 " " $5 " " $9 ": " $4 ", " reason
		if (!(key in configs))
			order[++count] = key
		configs[key] = configs[key] " " $1
	}
	END {
		for (i = 1; i <= count; i++)
			print order[i] " in" configs[order[i]]
	}'
}

# judge NAME CONDITION VERDICT...: an awk condition on the totals, and who breaks it
judge()
{
	judge_name=$1 judge_condition=$2
	shift 2
	offenders "$@" | by_function >"$work/offenders"
	if echo "$totals" | awk "{ wrong = \$1; unset = \$2; funcs = \$3; correct = \$4;
		missed = \$5; failed = \$6; result = \$7; changed = \$8
		exit !($judge_condition) }"; then
		ok "truth: $judge_name"
	else
		not_ok "truth: $judge_name" "$work/offenders"
	fi
}

# Instructions are understood of arm64; of the others what is in doubt has no FUNC.
judge_machines()
{
	for machine in arm64 arm s390x ppc64le riscv64; do
		[ -s "$work/results-$machine" ] || continue
		xargs cat <"$work/results-$machine" >"$out/results"
		awk -f tests/truth/table.awk "$out/results" | tee "$out/table-$machine"
		offenders failed misplaced ambiguous nameless unset result missed >"$out/offenders-$machine"
		totals=$(awk -v totals=1 -f tests/truth/table.awk "$out/results")
		judge "$machine: $whole" "failed == 0 && funcs > 0" failed
		judge "$machine: no FUNC has an argument elsewhere or unset, or another result" \
			"wrong == 0 && unset == 0 && result == 0 && changed == 0" \
			misplaced ambiguous nameless unset result
		[ "$machine" = arm64 ] || continue
		judge "$machine: at least 99% of the functions that can be traced have a FUNC" \
			"correct >= 0.99 * (correct + missed)" missed
	done
}

mkdir -p "$out"
built generate tests/truth/generate.c tests/truth/plan.c tests/truth/types.c \
	tests/truth/write.c tests/truth/write_body.c
built trace tests/truth/trace.c tests/truth/session.c tests/truth/report.c tests/truth/judge.c \
	tests/truth/returns.c tests/truth/plain.c tests/truth/process.c tests/truth/process_ptrace.c \
	tests/truth/process_gdb.c tests/truth/machine.c tests/truth/conventions.c \
	tests/truth/source.c tests/truth/symbols.c tests/truth/prototype.c \
	tests/truth/btf_prototypes.c -lbpf -lelf
control x86-64 "${CC:-cc}" -mno-red-zone
generate
list_jobs
list_machine_jobs
control_machines
if ! [ -s "$work/jobs" ]; then
	skip "truth: functions are entered as promised" "no compiler for them is installed"
	exit 0
fi
xargs -0 -n 6 -P "$(nproc)" sh tests/truth/job.sh <"$work/jobs"
judge_machines
[ -s "$work/results" ] || exit 0
xargs cat <"$work/results" >"$out/results"
awk -f tests/truth/table.awk "$out/results" | tee "$out/table"
offenders failed misplaced ambiguous nameless unset result missed >"$out/offenders"
totals=$(awk -v totals=1 -f tests/truth/table.awk "$out/results")
judge "$whole" "failed == 0 && funcs > 0" failed
judge "each FUNC has a symbol of its name, and its arguments are in place" "wrong == 0" \
	misplaced ambiguous nameless
judge "no FUNC has an argument that some caller does not pass" "unset == 0" unset
judge "at least 99% of the functions that can be traced have a FUNC" \
	"correct >= 0.99 * (correct + missed)" missed
judge "every FUNC delivers the result that it promises" "result == 0" result
label=+btfenc
judge "no FUNC of a changed prototype (+true_signature) breaks its promise" "changed == 0" \
	misplaced ambiguous unset result
