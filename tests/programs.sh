#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Does a kernel as Debian ships it take the BPF programs that explain says it takes, and refuse the
# others (lib_programs.sh)? Newer ones have types of programs that the kernel of tests/probes.sh has not.
#
#	PROGRAMS_KERNEL		a key of vmlinux-fixtures/kernels for x86-64; cloud-amd64-7.2
#
# What is not cached is fetched.
. tests/lib.sh
. tests/lib_programs.sh

key=${PROGRAMS_KERNEL:-cloud-amd64-7.2}
name="programs: $key"
for tool in qemu-system-x86_64 busybox cpio nm; do
	have "$tool" "$name" || exit 0
done
sh vmlinux-fixtures/fetch-image.sh "$key" >"$work/files" 2>"$work/log"
case $? in
0) ;;
75)
	skip "$name" "$(tail -n 1 "$work/log")"
	exit 0
	;;
*)
	not_ok "$name" "$work/log"
	exit 1
	;;
esac
vmlinux=$(head -n 1 "$work/files")
image=$(tail -n 1 "$work/files")
directory=$work/machine
append='rcupdate.rcu_expedited=1 loglevel=4 lsm=bpf'
memory=2048
# Of several, an emulated one may run code that another one is just changing.
processors=1
arch=x86 compiler='' busybox=''
. tests/lib_machine.sh

explain_all()
{
	cp "$vmlinux" "$work/vmlinux" &&
		"$BTFENC" encode --features default,+inline,+func_secinfo "$work/vmlinux" &&
		explain_programs "$work/vmlinux" && explain_events "$work/vmlinux"
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
expect "$name: explain answers" explain_all

mkdir -p "$work/root" "$directory"
cp "$work/programs" "$work/root/"
begin=$(date +%s)
if ! { pack_programs "$here/programs_init" program_load && boot; } >"$work/log" 2>&1; then
	not_ok "$name: boots" "$work/log"
	exit 1
fi
ok "$name: boots"
echo "    $(($(date +%s) - begin)) s, $accelerator"
# A release candidate has the name of the next one.
if ! grep -aqF "$(sed -n 's/^version\t//p' "$directory/report")" "$work/vmlinux"; then
	skip "$name: programs" "$image is not of $vmlinux"
	exit 0
fi
expect "$name: the kernel takes the BPF programs that explain says it does" judge_programs "$directory/report" 800 200
expect "$name: the kernel has the events of system calls that explain says it has" same_events
