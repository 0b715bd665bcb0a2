# shellcheck shell=sh disable=SC2154 # machines
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Is a FUNC true? Programs are generated, built by every compiler that is here, encoded, and run
# under a tracer which looks, at the entry of each function, whether the arguments are where the
# prototype in the BTF says (tests/truth/README.md).
#
# Sourced by tests/truth_*.sh, with the machines in $machines. Programs of others than x86-64 run emulated; each
# machine is judged by itself.
#
#	SEEDS		which programs; without it those in tests/truth/seeds
#	COMPILERS	which compilers, machines, or configurations of tests/truth/configs; without it all
#	TRUTH=all	all configurations, not only those for `make test`
#	TRUTH=K/N	of all, the K-th of each N, from 0 on
#	TRUTH_JOBS	so many at a time; 1
#	PAHOLE		the pahole whose figures are printed for comparison; with TRUTH the installed one, else none
#	TRUTH_OUT	where everything is built, in a folder for each script; build/truth
. tests/lib.sh

# GCC 16 and clang 23, if they have been fetched
fetched=$(sh vmlinux-fixtures/fetch-compilers.sh --cached 2>/dev/null) && PATH=$PATH:$fetched
# Those of other machines may be at work, too.
out=${TRUTH_OUT:-build/truth}/${machines%% *}
seeds=${SEEDS:-$(sed '/^#/d; s/ .*//' tests/truth/seeds)}
export PAHOLE="${PAHOLE-${TRUTH:+$(command -v pahole)}}"
sees='the tracer sees arguments and results that are elsewhere, missing, changed'
whole='every program is built, encoded and run'

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

# seeds_of CONFIG: those of every configuration, and its own.
seeds_of()
{
	echo "${SEEDS:-$(awk -v config="$1" '/^#/ { next } NF == 1 || $2 == config { print $1 }' tests/truth/seeds)}"
}

# missing TOOL...: the first that is not here
missing()
{
	for tool; do
		command -v "$tool" >/dev/null 2>&1 || { echo "$tool"; return 0; }
	done
	return 1
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
	x86-64) ;;
	arm64) echo qemu-aarch64 ;;
	*) echo "qemu-$1" ;;
	esac
}

# is_in_turn NUMBER WHEN: TRUTH has the configuration of that number, or it is one of every run.
is_in_turn()
{
	case ${TRUTH-} in
	all) return 0 ;;
	*/*) [ $(($1 % ${TRUTH#*/})) -eq "${TRUTH%/*}" ] ;;
	*) [ "$2" = test ] || [ -n "${COMPILERS-}" ] ;;
	esac
}

# Writes the arguments of job.sh for xargs, and for each machine which results to expect, in this order.
list_jobs()
{
	: >"$work/jobs"
	number=0
	grep -v '^#' tests/truth/configs |
	while IFS='|' read -r config machine when compiler tools flags; do
		number=$((number + 1))
		case " $machines " in
		*" $machine "*) ;;
		*) continue ;;
		esac
		is_wanted "$config" "$compiler" "$machine" || continue
		is_in_turn $number "$when" || continue
		: >"$work/chosen"
		target=$(triple "$machine")
		if [ "$machine" != x86-64 ]; then
			case $compiler in
			gcc*) compiler=$target-$compiler ;;
			*) flags="-fuse-ld=lld-22 $flags" ;;
			esac
			[ "$machine" != arm ] || tools="$tools $target-gcc-12"
		fi
		# shellcheck disable=SC2046,SC2086 # tools are words
		if tool=$(missing $compiler $tools $(emulator "$machine")); then
			skip "truth: $config" "$(not_installed "$tool")"
			continue
		fi
		case $machine:$compiler in
		x86-64:*) ;;
		*:clang*) compiler="$compiler --target=$target -Qunused-arguments" ;;
		esac
		for seed in $(seeds_of "$config"); do
			printf '%s\0' "$out" "$seed" "$config" "$compiler" "$flags" "$machine" \
				>>"$work/jobs"
			echo "$out/$config/$seed/result" >>"$work/results-$machine"
		done
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
	[ $status -eq 0 ] && ! [ -s "$work/log" ]
	outcome $? "truth: $machine: $sees" "$work/log"
}

# The flags of machines are those of job.sh.
control_machine()
{
	compiler=$(triple "$1")-gcc-12
	case $1 in
	x86-64) control x86-64 "${CC:-cc}" -mno-red-zone ;;
	arm)
		control arm "$compiler" -march=armv7-a -marm
		control arm "$compiler" -march=armv7-a -mthumb
		;;
	riscv64) control riscv64 "$compiler" -march=rv64gc -mabi=lp64 ;;
	*) control "$1" "$compiler" ;;
	esac
}

# offenders VERDICT...: the lines of these functions, of the BTF $label, in $results
label=btfenc
offenders()
{
	for verdict; do
		awk -F '\t' -v label="$label" -v verdict="$verdict" \
			'$3 == label && $4 == verdict' "$results"
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
	echo "$totals" | awk "{ wrong = \$1; unset = \$2; funcs = \$3; correct = \$4;
		missed = \$5; failed = \$6; result = \$7; changed = \$8
		exit !($judge_condition) }"
	outcome $? "truth: $judge_name" "$work/offenders"
}

# Instructions are understood of x86-64 and arm64; of the others what is in doubt has no FUNC.
judge_machine()
{
	results=$out/results-$1
	xargs cat <"$work/results-$1" >"$results"
	awk -f tests/truth/table.awk "$results" | tee "$out/table-$1"
	label=btfenc
	offenders failed misplaced ambiguous nameless unset result missed >"$out/offenders-$1"
	totals=$(awk -v totals=1 -f tests/truth/table.awk "$results")
	judge "$1: $whole" "failed == 0 && funcs > 0" failed
	judge "$1: each FUNC has a symbol of its name, and its arguments are in place" "wrong == 0" \
		misplaced ambiguous nameless
	judge "$1: no FUNC has an argument that some caller does not pass" "unset == 0" unset
	judge "$1: every FUNC delivers the result that it promises" "result == 0" result
	# By configuration it is 97 to 100%, but 92% with clang's KASAN, which may be in any part of all: a
	# sixth has eleven configurations, a twelfth five or six.
	least=99
	case ${TRUTH-} in
	*/6) least=98 ;;
	*/*) least=97 ;;
	esac
	case $1 in
	x86-64 | arm64)
		judge "$1: at least $least% of the functions that can be traced have a FUNC" \
			"correct >= 0.$least * (correct + missed)" missed
		;;
	esac
	label=+btfenc
	judge "$1: no FUNC of a changed prototype (+true_signature) breaks its promise" "changed == 0" \
		misplaced ambiguous unset result
}

mkdir -p "$out"
built "truth: $whole" "$out/generate" tests/truth/generate.c tests/truth/plan.c tests/truth/types.c \
	tests/truth/write.c tests/truth/write_body.c
built "truth: $whole" "$out/trace" tests/truth/trace.c tests/truth/session.c tests/truth/report.c tests/truth/judge.c \
	tests/truth/returns.c tests/truth/plain.c tests/truth/process.c tests/truth/process_ptrace.c \
	tests/truth/process_gdb.c tests/truth/machine.c tests/truth/conventions.c \
	tests/truth/source.c tests/truth/symbols.c tests/truth/prototype.c \
	tests/truth/btf_prototypes.c -lbpf -lelf
generate
list_jobs
[ -e "$work/chosen" ] || skip "truth: $machines" "no configuration of it is in part ${TRUTH-} or wanted"
for machine in $machines; do
	# What could not be tried has said so.
	[ ! -s "$work/results-$machine" ] || control_machine "$machine"
done
xargs -0 -n 6 -r -P "${TRUTH_JOBS:-1}" sh tests/truth/job.sh <"$work/jobs"
for machine in $machines; do
	[ ! -s "$work/results-$machine" ] || judge_machine "$machine"
done
