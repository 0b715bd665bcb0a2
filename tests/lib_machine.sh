# shellcheck shell=sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# A virtual machine. After tests/lib.sh; the caller has set image, what is booted, append, for the
# kernel's command line, directory, where console.log and report stay, arch, x86 or arm64, compiler
# and busybox for it, or empty, and perhaps memory, in megabytes, and processors, qemu's -smp.
# shellcheck disable=SC2154 # these, and those of tests/lib.sh

here=$PWD/tests/kbuild
# Seconds. Without KVM it is ten times as slow.
boot_limit=2400
probe_limit=10

# Two sockets: the table of processors that the kernel reads has no cores. On a busy machine the
# emulated timer fails the kernel's test. The board "virt" has one serial line.
case $arch in
x86)
	emulator=qemu-system-x86_64
	board="-cpu max -smp ${processors:-2,sockets=2} -serial chardev:report"
	append="$append console=ttyS0 no_timer_check REPORT=ttyS1"
	;;
arm64)
	emulator=qemu-system-aarch64
	board="-M virt -cpu cortex-a72 -smp ${processors:-2} -device virtio-serial-device
		-device virtserialport,chardev=report"
	append="$append console=ttyAMA0 REPORT=vport0p1"
	;;
esac

# In $work/root: busybox, INIT, and PROGRAMs of tests/kbuild, SOURCE.c and others.
pack_programs()
{
	pack_init=$1
	shift
	mkdir -p "$work/root/bin" "$work/root/proc" "$work/root/sys" "$work/root/dev" \
		"$work/root/tmp" || return
	for applet in $(busybox --list); do
		ln -sf busybox "$work/root/bin/$applet"
	done
	cp --remove-destination "${busybox:-$(command -v busybox)}" "$work/root/bin/busybox" || return
	cp "$pack_init" "$work/root/init" && chmod +x "$work/root/init" || return
	for program; do
		# shellcheck disable=SC2086 # words
		${compiler:-${CC:-cc}} -std=gnu11 -O2 -Wall -Wextra -I. -static \
			-o "$work/root/bin/$program" "$here/$program.c" "$here/fentry.c" \
			"$here/calls.c" -D_GNU_SOURCE -lbpf -lelf -lz || return
	done
}

# machine LIMIT ACCELERATOR CONSOLE REPORT OPTION...: until it reboots
machine()
{
	machine_limit=$1 machine_accelerator=$2 machine_console=$3 machine_report=$4
	shift 4
	# shellcheck disable=SC2086 # words
	timeout "$machine_limit" $emulator -accel "$machine_accelerator" -m "${memory:-1024}" \
		-display none -monitor none -no-reboot -serial "file:$machine_console" \
		-chardev "file,id=report,path=$machine_report" $board -kernel "$image" \
		-append "panic=-1 $append" "$@"
}

# KVM may be there and yet not run a kernel (some nested machines): without a file system it has to
# come to its panic.
accelerator=tcg
if [ "$arch" = x86 ] && [ -w /dev/kvm ] &&
	machine $probe_limit kvm "$work/probe" /dev/null >"$work/log" 2>&1 &&
	grep -q 'Linux version' "$work/probe"; then
	accelerator=kvm
fi

# Packs $work/root; what init writes to /dev/$REPORT is the report.
boot()
{
	(cd "$work/root" && find . | cpio -o -H newc -R 0:0 --quiet) >"$work/initramfs" || return
	machine $boot_limit "$accelerator" "$directory/console.log" "$work/report" \
		-initrd "$work/initramfs"
	tr -d '\r' <"$work/report" >"$directory/report"
	grep -qx end "$directory/report" || ! tail -n 20 "$directory/console.log"
}
