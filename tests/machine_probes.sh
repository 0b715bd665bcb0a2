#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Do kernels of other machines, as Debian ships them, take the probes that explain prints, and refuse the
# others? Each is booted under emulation and asked as the kernel of tests/probes.sh is.
#
#	MACHINES	keys of vmlinux-fixtures/kernels; riscv64, too, which takes 9 GB of disk
#	PROBE_NAMES	each NAMESth name is tried; 100
#
# What is not cached is fetched.
. tests/lib.sh
. tests/lib_probes.sh

names=${PROBE_NAMES:-100}

# The emulator of a machine; its processor has no instructions that replace others when the kernel boots.
emulator()
{
	case $1 in
	arm64) echo qemu-system-aarch64 -machine virt,gic-version=3 -cpu cortex-a72 ;;
	armhf) echo qemu-system-arm -machine virt -cpu cortex-a15 ;;
	riscv64) echo qemu-system-riscv64 -machine virt ;;
	s390x) echo qemu-system-s390x -cpu max ;;
	ppc64el) echo qemu-system-ppc64 -machine pseries,cap-htm=off,cap-cfpc=broken,cap-sbbc=broken,cap-ibs=broken \
		-cpu power9 ;;
	i386) echo qemu-system-i386 -cpu max ;;
	esac
}

console()
{
	case $1 in
	arm64 | armhf) echo ttyAMA0 ;;
	s390x) echo ttysclp0 ;;
	ppc64el) echo hvc0 ;;
	i386 | riscv64) echo ttyS0 ;;
	esac
}

# fetch KEY: vmlinux, image and busybox are set
fetch()
{
	IFS='|' read -r _ arch suites _ <<-EOF
		$(grep "^$1|" vmlinux-fixtures/kernels)
	EOF
	sh vmlinux-fixtures/fetch-image.sh "$1" >"$work/files" 2>"$work/log" || return
	vmlinux=$(head -n 1 "$work/files") image=$(tail -n 1 "$work/files")
	busybox=${vmlinux%/*}/busybox-$arch
	[ -s "$busybox" ] && return
	apt=$PWD/vmlinux-fixtures/private-apt.sh
	mkdir -p "$work/busybox" && (
		cd "$work/busybox" && sh "$apt" "$arch" "$suites" names busybox-static &&
			sh "$apt" "$arch" "$suites" download busybox-static && dpkg-deb -x ./*.deb .
	) >"$work/log" 2>&1 || return 75
	find "$work/busybox" -path '*bin/busybox' -exec mv {} "$busybox" \; && rm -rf "$work/busybox"
}

explain_all()
{
	cp "$vmlinux" "$work/vmlinux" &&
		"$BTFENC" encode --force --features default,+inline,+func_secinfo "$work/vmlinux" &&
		"$TEST_PROGRAMS/tool_probes" 0 "$names" "$work/vmlinux" >"$work/explained" || return
	"$BTFENC" list --attachable kprobe --format names --file "$work/vmlinux" >"$work/attachable.kprobe" &&
		expected_lines "$names" "$work/explained" >"$work/expected"
}

# The kernel's messages and the report share the only console that all machines have.
boot()
{
	rm -rf "$work/root"
	mkdir -p "$work/root/bin" "$work/root/proc" "$work/root/sys" "$work/root/dev" "$work/root/tmp"
	for applet in $(busybox --list); do
		ln -sf busybox "$work/root/bin/$applet"
	done
	cp --remove-destination "$busybox" "$work/root/bin/busybox" &&
		cp tests/kbuild/machine_init "$work/root/init" && chmod +x "$work/root/init" || return
	event_lines "$work/expected" >"$work/root/lines"
	(cd "$work/root" && find . | cpio -o -H newc -R 0:0 --quiet) >"$work/initramfs" || return
	# shellcheck disable=SC2046 # its options
	timeout 2400 $(emulator "$arch") -accel tcg -smp 2 -m 2048 -display none -monitor none -no-reboot \
		-serial "file:$work/console" -kernel "$image" -initrd "$work/initramfs" \
		-append "console=$(console "$arch") panic=-1 no_timer_check loglevel=4 rcupdate.rcu_expedited=1"
	tr -d '\r' <"$work/console" >"$work/report"
	grep -qx end "$work/report" || ! tail -n 20 "$work/report"
}

for key in ${MACHINES:-cloud-arm64 arm64-7.2 s390x ppc64le armmp 686-pae}; do
	name="machine probes: $key"
	fetch "$key"
	fetched $? "$name" "$work/log" || continue
	emulator=$(emulator "$arch")
	if [ -z "$emulator" ]; then
		echo "machine_probes.sh: there is no emulator for $key in its table" >&2
		exit 2
	fi
	have "${emulator%% *}" "$name" || continue
	begin=$(date +%s)
	expect "$name: explain answers for all names" explain_all
	if boot >"$work/log" 2>&1; then
		ok "$name: boots"
	else
		not_ok "$name: boots" "$work/log"
		continue
	fi
	judge_lines "$work/report" "$work/expected" >"$work/results"
	show_results
	echo "    $(($(date +%s) - begin)) s"
	all_tried()
	{
		grep -q '^loaded' "$work/report" && [ "$(wc -l <"$work/results")" -ge $((100000 / names)) ]
	}
	expect "$name: all lines were tried" all_tried
	expect "$name: the kernel takes every line that explain prints" as_said accepted accepted 'text script event'
	expect "$name: the kernel refuses what explain says it does" as_said refused refused 'text unseen'
	expect "$name: list --attachable kprobe lists what the kernel takes" as_said accepted accepted list
done
