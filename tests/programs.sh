#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Does a kernel as Debian ships it take the BPF programs that explain says it takes, and refuse the
# others (lib_programs.sh)? Do the programs see the arguments that are passed (kbuild/arguments.c), and
# the scripts for tracefs and libbpf each call (kbuild/script_calls.c)? Newer ones have types of programs that
# the kernel of tests/probes.sh has not.
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
	fetched $? "$name" "$work/log" || return 0
	vmlinux=$(head -n 1 "$work/files")
	image=$(tail -n 1 "$work/files")
	append='rcupdate.rcu_expedited=1 loglevel=4 lsm=bpf'
	# How many programs are refused and taken at least; how many functions of arguments.c have
	# arguments that programs see, or see wrong; how many names of several functions it takes.
	# No kernel refuses rcu_read_unlock_special: 7.2 hangs.
	minimum='800 200' right='230 20' several=0
	refused=$(echo "$denied" | tr ' ' '\n' | grep -v '^rcu_read_unlock_special$' | tr '\n' ' ')
	# It takes programs on these, and hangs.
	[ "$1" != cloud-amd64 ] || minimum='400 100' right='60 8' several=20 refused=''
	. tests/lib_machine.sh
	expect "$name: explain answers" explain_all
	expect "$name: nothing is advised that may hang it" denies
	mkdir -p "$work/root"
	cp "$work/programs" "$work/root/"
	running_names "$vmlinux" >"$work/running_names"
	sed 's|^|fentry/|' "$work/running_names" >>"$work/root/programs"
	event_lines "$work/expected" >"$work/root/lines"
	# shellcheck disable=SC2086 # words
	expect "$name: explain prints scripts" write_scripts $scripts
	begin=$(date +%s)
	# shellcheck disable=SC2086 # words
	if ! { arguments_module "$vmlinux" $hook && nameless_module && pack_programs "$here/programs_init" \
		probe_load program_load arguments_load script_calls && boot; } >"$work/log" 2>&1; then
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
	if [ -s "$work/root/nameless.ko" ]; then
		expect "$name: the kernel takes split BTF without names" \
			grep -qx "$(printf 'module\tcast_common')" "$directory/report"
	else
		skip "$name: split BTF without names" "$(dirname "$vmlinux") has no modules"
	fi
	# shellcheck disable=SC2086 # two words
	expect "$name: the kernel takes the BPF programs that explain says it does" \
		judge_programs "$directory/report" $minimum
	# shellcheck disable=SC2086 # words
	expect "$name: scripts see as many calls as they say" judge_scripts "$directory/report" $scripts
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
	expect "$name: the kernel takes each event by BTF that explain prints" takes_events
	expect "$name: the kernel refuses each that explain says it does" as_said refused refused 'patched text unseen'
}

script_for()
{
	"$BTFENC" explain --script "$1" "$2" "$vmlinux"
}

# write_scripts NAME:CALLS...
write_scripts()
{
	mkdir -p "$work/root/scripts" && rm -f "$work"/root/scripts/* || return
	names=''
	for script; do
		names="$names ${script%:*}"
		script_for tracefs "${script%:*}" >"$work/root/scripts/${script%:*}.sh" || return
	done
	# shellcheck disable=SC2086 # words
	compile_libbpf "$vmlinux" $names
}

# A module whose BTF has no string but the empty one; vmlinux-fixtures/fetch-kernel.sh --modules brings it.
nameless_module()
{
	rm -f "$work/root/nameless.ko"
	module=$(find "$(dirname "$vmlinux")/modules-${vmlinux##*/vmlinux-}" -name cast_common.ko 2>/dev/null)
	[ -n "$module" ] || return 0
	cp "$module" "$work/nameless.ko" && "$BTFENC" encode -b "$vmlinux" "$work/nameless.ko" &&
		"${objcopy:-objcopy}" --strip-debug "$work/nameless.ko" "$work/root/nameless.ko" &&
		[ "$("$BTFENC" dump -b "$vmlinux" "$work/nameless.ko" | grep -c "^\[[0-9]*\] [A-Z]* '[a-z]")" -eq 0 ]
}

# Functions that are nothing but what is replaced, or are jump labels, at each place where they were inlined.
explain_all()
{
	cp "$vmlinux" "$work/vmlinux" &&
		"$BTFENC" encode --force --features default,+inline,+func_secinfo "$work/vmlinux" &&
		explain_programs "$work/vmlinux" "$refused" && explain_operations "$work/vmlinux" &&
		explain_events "$work/vmlinux" && explain_hooked "$work/vmlinux" >"$work/hooked" || return
	for asked in arch_local_irq_enable arch_local_save_flags __cpuid pmd_pfn arch_static_branch; do
		echo "== $asked"
		"$BTFENC" explain "$asked" "$work/vmlinux" || return
		echo "-- script"
		"$BTFENC" explain --script tracefs "$asked" "$work/vmlinux" || return
	done >"$work/explained"
	: >"$work/attachable.kprobe"
	{ "$TEST_PROGRAMS/tool_probes" 4 "$work/vmlinux" && expected_lines 1 "$work/explained" "$work/hooked"; } >"$work/expected"
	[ "$(grep -c patched "$work/expected")" -gt 500 ]
}

# Each 50th function that has a hook
explain_hooked()
{
	"$BTFENC" list --attachable fentry --format names --file "$1" | awk "NR % 50 == 0" | "$TEST_PROGRAMS/tool_probes" "$1"
}

# Kernels before 6.6 have no events by BTF.
takes_events()
{
	[ "$several" = 0 ] || { ! grep -q '^accepted	event' "$work/expected" && return; }
	[ "$(grep -c '^accepted	event' "$work/expected")" -gt 300 ] && as_said accepted accepted event
}

# explain_operations VMLINUX: the same of all members of what BPF programs can implement. A program for
# Qdisc_ops.enqueue has to release the packet, which program_load's do not.
explain_operations()
{
	for struct in tcp_congestion_ops Qdisc_ops sched_ext_ops; do
		"$BTFENC" explain "struct_ops/$struct" "$1" | sed -n "s/^    .*(\*\([a-z_]*\))(.*/$struct.\1/p"
	done | grep -vFx Qdisc_ops.enqueue >"$work/operations"
	while read -r member; do
		"$BTFENC" explain --json "$member" "$1" | awk -v member="$member" -F '"struct_ops": ' '
			BEGIN { said["true"] = "yes"; said["false"] = "no"; said["null"] = "maybe" }
			NF == 2 { print said[$2] "\tstruct_ops/" member "\tstruct_ops: " $2 }'
	done <"$work/operations" >"$work/answers.operations"
	cut -f 2 "$work/answers.operations" >>"$work/programs"
	cat "$work/answers.operations" >>"$work/answers"
	[ -s "$work/answers.operations" ]
}

# What attach/denied.c names is not listed, and of what the image's btf_id_deny names it has the reason.
denies()
{
	nm -n "$vmlinux" | sed 's/^[^ ]* . //' | sed -n '/^__BTF_ID__set__btf_id_deny$/,/^__BTF_ID__set8*__/ {
		s|^__BTF_ID__func__\(.*\)__[0-9]*$|fentry/\1|p
	}' >"$work/refused"
	echo "    $(tr '\n' ' ' <"$work/refused")"
	"$TEST_PROGRAMS/tool_probes" "$work/vmlinux" <"$work/refused" >"$work/reasons" || return
	[ "$(grep -c 'runs around each BPF program, so the verifier refuses it' "$work/reasons")" = \
		"$(grep -c . "$work/refused")" ] || { cat "$work/reasons"; return 1; }
	"$BTFENC" list --attachable fentry --format names --file "$work/vmlinux" | sort >"$work/attachable" &&
		[ -s "$work/attachable" ] || return
	echo "$denied" | tr ' ' '\n' | sort | comm -12 - "$work/attachable" >"$work/advised"
	cat "$work/advised"
	[ -s "$work/refused" ] && ! [ -s "$work/advised" ]
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

for tool in qemu-system-x86_64 busybox cpio nm objdump objcopy strings clang bpftool; do
	have "$tool" programs || exit 0
done
directory=$work/machine
mkdir -p "$directory"
memory=2048
# Of several, an emulated one may run code that another one is just changing.
processors=1
arch=x86 compiler='' busybox=''
# Calls that script_calls makes: README's example, an inlined function, operations of maps.
scripts='tcp_v4_rcv:10 tcp_connect_init:5 htab_map_update_elem:5 htab_map_hash:5'
denied=$(sed -n 's/^\(around\|after\|locks\) //p' kernel/attach/known_functions.txt | tr '\n' ' ')
hook='-pg -mfentry -mrecord-mcount -mcmodel=kernel -mno-red-zone -fcf-protection=none'
for key in ${PROGRAMS_KERNEL:-cloud-amd64-7.2 cloud-amd64}; do
	ask "$key"
done
