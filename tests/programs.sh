#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Does a kernel as Debian ships it take the BPF programs that explain says it takes, and refuse the
# others (lib_programs.sh)? Do the programs see the arguments that are passed (kbuild/arguments.c)? Newer ones have types of programs that the kernel of tests/probes.sh has not.
# And kprobes where it replaces code when it boots, which that kernel does nowhere.
#
#	PROGRAMS_KERNEL		keys of vmlinux-fixtures/kernels for x86-64; cloud-amd64-7.2 cloud-amd64
#
# What is not cached is fetched.
. tests/lib.sh
. tests/lib_programs.sh
. tests/lib_probes.sh

# ask KEY: 6.1 takes fewer types of programs.
ask()
{
	name="programs: $1"
	sh vmlinux-fixtures/fetch-image.sh "$1" >"$work/files" 2>"$work/log"
	case $? in
	0) ;;
	75)
		skip "$name" "$(tail -n 1 "$work/log")"
		return
		;;
	*)
		not_ok "$name" "$work/log"
		return
		;;
	esac
	vmlinux=$(head -n 1 "$work/files")
	image=$(tail -n 1 "$work/files")
	append='rcupdate.rcu_expedited=1 loglevel=4 lsm=bpf'
	# How many programs are refused and taken at least; how many functions of arguments.c have
	# arguments that programs see, or see wrong; how many names of several functions it takes.
	minimum='800 200' right='230 20' several=0
	[ "$1" != cloud-amd64 ] || minimum='400 100' right='60 8' several=20
	. tests/lib_machine.sh
	expect "$name: explain answers" explain_all
	mkdir -p "$work/root"
	cp "$work/programs" "$work/root/"
	running_names "$vmlinux" >"$work/running_names"
	sed 's|^|fentry/|' "$work/running_names" >>"$work/root/programs"
	event_lines "$work/expected" >"$work/root/lines"
	begin=$(date +%s)
	# shellcheck disable=SC2086 # words
	if ! { arguments_module "$vmlinux" $hook &&
		pack_programs "$here/programs_init" probe_load program_load arguments_load && boot; } \
		>"$work/log" 2>&1; then
		not_ok "$name: boots" "$work/log"
		return
	fi
	ok "$name: boots"
	echo "    $(($(date +%s) - begin)) s, $accelerator"
	# A release candidate has the name of the next one.
	if ! grep -aqF "$(sed -n 's/^version\t//p' "$directory/report")" "$work/vmlinux"; then
		skip "$name: programs" "$image is not of $vmlinux"
		return
	fi
	# shellcheck disable=SC2086 # two words
	expect "$name: the kernel takes the BPF programs that explain says it does" \
		judge_programs "$directory/report" $minimum
	expect "$name: the kernel has the events of system calls that explain says it has" same_events
	# shellcheck disable=SC2086 # two words
	expect "$name: arguments are where explain says, by DWARF" \
		judge_arguments "$directory/report" "$work/by_dwarf" $right
	# shellcheck disable=SC2086 # two words
	expect "$name: arguments are where explain says, by BTF" \
		judge_arguments "$directory/report" "$work/by_btf" $right
	expect "$name: explain agrees about the running kernel" \
		judge_running "$directory/report" "$vmlinux" $several
	judge_lines "$directory/report" "$work/expected" >"$work/results"
	show_results
	expect "$name: the kernel takes each kprobe that explain says it does" \
		as_said accepted accepted 'patched text script'
	expect "$name: the kernel refuses each that explain says it does" as_said refused refused 'patched text unseen'
}

# Functions that are nothing but what is replaced, or are jump labels, at each place where they were inlined.
explain_all()
{
	cp "$vmlinux" "$work/vmlinux" &&
		"$BTFENC" encode --features default,+inline,+func_secinfo "$work/vmlinux" &&
		explain_programs "$work/vmlinux" && explain_events "$work/vmlinux" || return
	for asked in arch_local_irq_enable arch_local_save_flags __cpuid pmd_pfn arch_static_branch; do
		echo "== $asked"
		"$BTFENC" explain "$asked" "$work/vmlinux" || return
		echo "-- script"
		"$BTFENC" explain --script tracefs "$asked" "$work/vmlinux" || return
	done >"$work/explained"
	: >"$work/attachable.kprobe"
	{ "$TEST_PROGRAMS/tool_probes" 4 "$work/vmlinux" && expected_lines 1 "$work/explained"; } >"$work/expected"
	[ "$(grep -c patched "$work/expected")" -gt 500 ]
}

# explain_events VMLINUX: $work/events has those of system calls that explain says there are, of all that
# symbols name.
explain_events()
{
	nm "$1" | sed -n 's/.* event_\(enter\|exit\)__/sys_\1_/p' | sort -u >"$work/named"
	"$TEST_PROGRAMS/tool_probes" "$1" <"$work/named" |
		sed -n 's/^\(sys_[^:]*\): \(yes, it is an event\|no: .* never returns\).*/\1/p' | sort >"$work/events"
}

same_events()
{
	echo "    $(wc -l <"$work/events") of $(wc -l <"$work/named")"
	[ "$(wc -l <"$work/events")" -gt 500 ] && sed -n 's/^event\t//p' "$directory/report" | sort | diff - "$work/events"
}

for tool in qemu-system-x86_64 busybox cpio nm objdump objcopy strings; do
	have "$tool" programs || exit 0
done
directory=$work/machine
mkdir -p "$directory"
memory=2048
# Of several, an emulated one may run code that another one is just changing.
processors=1
arch=x86 compiler='' busybox=''
hook='-pg -mfentry -mrecord-mcount -mcmodel=kernel -mno-red-zone -fcf-protection=none'
for key in ${PROGRAMS_KERNEL:-cloud-amd64-7.2 cloud-amd64}; do
	ask "$key"
done
