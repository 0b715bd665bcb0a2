#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# A kernel that calls btfenc where it calls pahole: Debian's source (tests/kbuild/fetch-source.sh)
# is built with its modules and a module from outside, booted in a virtual machine, and asked to
# attach an fentry program to every FUNC (tests/kbuild/fentry_all.c), and what programs see of
# arguments (fentry_args.c).
#
#	PAHOLE		what to build with; without it the btfenc of this build as pahole
#	KERNEL_SOURCE	6.1, 6.12, 7.2: of the package linux-source-6.1; without it 6.1
#	LLVM		1 or -19: what the kernel's Makefile takes under that name, with ThinLTO;
#			without it gcc-12
#	KBUILD_JOBS	how many compilers at once
#	FENTRY_STEP	each STEPth function that can be traced is attached to; 100
#
# The build stays in the cache next to the source (kbuild-VERSION/build, with LLVM
# kbuild-VERSION/llvm1/build), with build.log, console.log and report, what the virtual machine
# said. The objects are compiled once; what is linked with BTF is made anew each time.
. tests/lib.sh

version=${KERNEL_SOURCE:-6.1}
jobs=${KBUILD_JOBS:-$(nproc)}
step=${FENTRY_STEP:-100}
pahole=${PAHOLE:-${BTFENC%/*}/pahole}
here=$PWD/tests/kbuild
name="kernel $version${LLVM:+ by clang with ThinLTO}"
# Seconds. Without KVM it is ten times as slow.
boot_limit=2400
probe_limit=10
# The least number of rows of fentry_args: the compiler may have inlined some functions.
least_arguments=20

# LLVM's tools have the suffix; the kernel's Makefile takes 1 for none.
configs="$here/kernel.config" compilers="CC=gcc-12"
if [ -n "${LLVM-}" ]; then
	for tool in clang ld.lld llvm-ar llvm-nm llvm-objcopy; do
		have "$tool${LLVM#1}" "$name" || exit 0
	done
	configs="$configs $here/lto.config" compilers="LLVM=$LLVM"
fi

kernel_source "$version" "$name"
directory=${source%/source}${LLVM:+/llvm$LLVM}
build=$directory/build
mkdir -p "$build"

# One build at a time.
exec 9>"$directory/lock"
flock 9

# Nothing of the make that runs this may reach the kernel's.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES LLVM
kernel_make()
{
	make -C "$source" O="$build" "$compilers" HOSTCC=gcc-12 PAHOLE="$pahole" -j"$jobs" "$@"
}

# ---- building ----

# An option that the kernel drops, because another one is missing, is an error.
configure()
{
	# shellcheck disable=SC2086 # they are several files
	cat $configs >"$work/config"
	cmp -s "$work/config" "$build/kernel.config" && [ -s "$build/.config" ] && return
	KCONFIG_ALLCONFIG="$work/config" kernel_make allnoconfig || return
	grep '^CONFIG_' "$work/config" | grep -vxFf "$build/.config" |
		sed 's/^/kernel.config: not taken: /' >"$build/not-taken"
	cat "$build/not-taken"
	[ ! -s "$build/not-taken" ] && cp "$work/config" "$build/kernel.config"
}

build_all()
{
	configure || return
	rm -f "$build/vmlinux" "$build/vmlinux.unstripped"
	find "$build" -name '*.ko' -exec rm -f {} +
	kernel_make V=1 bzImage modules || return
	rm -rf "$directory/module"
	cp -r "$here/module" "$directory/"
	kernel_make V=1 M="$directory/module" modules || return
	kernel_make INSTALL_MOD_PATH="$work/root" INSTALL_MOD_STRIP=1 modules_install
}

# The command lines by which the kernel's scripts have called PAHOLE.
calls()
{
	sed -n 's/.*[ /]\(pahole -J [^;]*[a-z0-9]\).*/\1/p' "$directory/build.log" |
		sed 's|/[^ ]*/module/|.../|'
}

begin=$(date +%s)
if ! build_all >"$directory/build.log" 2>&1; then
	grep -aE 'rror|not taken|BTF' "$directory/build.log" | tail -n 20 >"$work/errors"
	not_ok "$name: built by $pahole" "$work/errors"
	exit 1
fi
ok "$name: built by $pahole"
echo "    $(($(date +%s) - begin)) s; the calls of $("$pahole" --version):"
calls | grep -E '(\.tmp_vmlinux[^ ]*|/ext4\.ko|promise\.ko)$' | sed 's/^/    /'

resolved()
{
	lacks_line '^(WARN|FAILED)|resolve_btfids: (unresolved|.*ailed)' "$directory/build.log" -aE
}
expect "$name: resolve_btfids has found what the kernel looks for" resolved

# A module from outside has a base of its own exactly where the kernel's scripts ask for it: the
# encoder, or resolve_btfids.
distilled()
{
	grep -qE '(pahole|resolve_btfids) .*distill(ed)?_base.*promise\.ko' "$directory/build.log"
	wanted=$?
	readelf -SW "$directory/module/promise.ko" | grep -F ' .BTF'
	readelf -SW "$directory/module/promise.ko" | grep -qF ' .BTF.base '
	[ $? -eq $wanted ]
}
expect "$name: a module from outside has .BTF.base if it is asked for" distilled

# The encoder or resolve_btfids writes these tags, and not both.
kfunc_tags()
{
	"$BTFENC" dump "$build/vmlinux" | sed -n "s/.*DECL_TAG 'bpf_kfunc' type_id=//p" |
		sort >"$work/tags"
	echo "$(grep -c . "$work/tags") kfunc tags"
	[ -z "$(uniq -d "$work/tags")" ] || return
	{ calls | grep -q decl_tag_kfuncs; } ||
		grep -q '"bpf_kfunc"' "$source/tools/bpf/resolve_btfids/main.c" || return 0
	[ -s "$work/tags" ]
}
kfunc_tags | sed 's/^/    /'
expect "$name: kfuncs are tagged once" kfunc_tags

# ---- the virtual machine ----

pack_root()
{
	mkdir -p "$work/root/bin" "$work/root/proc" "$work/root/sys" "$work/root/dev" \
		"$work/root/tmp" "$work/root/mnt" || return
	# The kernel calls /sbin/modprobe.
	ln -s bin "$work/root/sbin" || return
	for applet in $(busybox --list); do
		ln -sf busybox "$work/root/bin/$applet"
	done
	cp --remove-destination "$(command -v busybox)" "$work/root/bin/busybox" || return
	cp "$here/init" "$work/root/" && chmod +x "$work/root/init" || return
	cp "$directory/module/promise.ko" "$work/root/" || return
	for program in fentry_all fentry_args; do
		"${CC:-cc}" -std=gnu11 -O2 -Wall -Wextra -I. -static \
			-o "$work/root/bin/$program" "$here/$program.c" "$here/fentry.c" \
			-lbpf -lelf -lz || return
	done
	mke2fs -q -t ext4 "$work/root/ext4.image" 8M || return
	(cd "$work/root" && find . | cpio -o -H newc -R 0:0 --quiet) | gzip -1 >"$work/initramfs"
}

# machine LIMIT ACCELERATOR CONSOLE OPTION...: until it reboots
machine()
{
	machine_limit=$1 machine_accelerator=$2 machine_console=$3
	shift 3
	# Two sockets: the table of processors that the kernel reads has no cores. On a busy machine
	# the emulated timer fails the kernel's test.
	timeout "$machine_limit" qemu-system-x86_64 -accel "$machine_accelerator" -cpu max \
		-smp 2,sockets=2 -m 1024 -display none -monitor none -no-reboot \
		-serial "file:$machine_console" -kernel "$build/arch/x86/boot/bzImage" \
		-append "console=ttyS0 panic=-1 no_timer_check STEP=$step" "$@"
}

# KVM may be there and yet not run a kernel (some nested machines): without a file system it has to
# come to its panic.
accelerator=tcg
if [ -w /dev/kvm ] && machine $probe_limit kvm "$work/probe" >"$work/log" 2>&1 &&
	grep -q 'Linux version' "$work/probe"; then
	accelerator=kvm
fi

# Reports on the second serial line, the first is the console.
boot()
{
	machine $boot_limit "$accelerator" "$directory/console.log" -serial "file:$work/report" \
		-initrd "$work/initramfs"
	tr -d '\r' <"$work/report" >"$directory/report"
	grep -qx end "$directory/report" || ! tail -n 20 "$directory/console.log"
}

begin=$(date +%s)
if ! { pack_root && boot; } >"$work/log" 2>&1; then
	not_ok "$name: boots" "$work/log"
	exit 1
fi
ok "$name: boots"
echo "    $(($(date +%s) - begin)) s, $accelerator"

# ---- the report ----

report=$directory/report

has_btf()
{
	awk -F '\t' '$1 == "btf" { print; n += $3 > 0 } $1 == "error" { print; n = 0 }
		END { exit n != 4 }' "$report"
}
expect "$name: vmlinux, ext4, xfs and a module from outside have their BTF" has_btf
grep -aE 'BTF|BPF: |WARNING: CPU|BUG:|Oops' "$directory/console.log" >"$work/complaints"
expect "$name: the kernel does not complain" cmp "$work/complaints" /dev/null

# init_functions OBJECT FILE: "OBJECT FUNCTION" of all in its .init sections
init_functions()
{
	readelf -SW "$2" | sed -n 's/^ *\[ *\([0-9]*\)\] \.init\.text .*/\1/p' >"$work/sections"
	readelf -sW "$2" | awk -v object="$1" 'FNR == NR { init[$1]; next }
		$4 == "FUNC" && $7 in init { print object "\t" $8 }' "$work/sections" -
}

# function_names FILE: of all FUNCs
function_names()
{
	"$BTFENC" dump "$1" | sed -n "s/^\[[0-9]*\] FUNC '\([^']*\)'.*/\1/p" | sort -u
}

"$pahole" -J --btf_features=default --btf_encode_detached="$work/encoded" "$build/vmlinux"
function_names "$work/encoded" >"$work/encoded.functions"
function_names "$build/vmlinux" | comm -13 "$work/encoded.functions" - |
	sed 's/^/resolve_btfids\t/' >"$work/known"
find "$build" -name '*.ko' | while read -r module; do
	init_functions "$(basename "$module" .ko)" "$module"
done >>"$work/known"
sort "$report" | awk -f "$here/classify.awk" "$work/known" - |
	sort -k 1,1 -k 3,3 -k 2,2nr >"$work/classes"
echo "    FUNCs:"
awk -F '\t' '$1 == "loaded" { tried[$2] += $3; traceable[$2] += $4; attached[$2] += $5 }
	END {
		for (object in tried)
			printf "    %-10s %6d, of which %d can be traced, %d have been\n", object,
				tried[object], traceable[object], attached[object]
	}' "$report" | sort -k 2,2nr
echo "    refused:"
sed 's/^/    /' "$work/classes"

# none CLASS: no FUNC is refused for what BTF has got wrong
none()
{
	grep "$1" "$work/classes"
	[ $? -eq 1 ]
}
expect "$name: each FUNC has a symbol" none '^bad .* no symbol of that name'
grep -v ' no symbol of that name:' "$work/classes" | grep '^bad' >"$work/bad"
expect "$name: what is refused is beyond the trampoline" cmp "$work/bad" /dev/null

enough_attached()
{
	awk -F '\t' '$1 == "loaded" { n[$2] += $5 } END {
		exit !(n["vmlinux"] >= 100 && n["ext4"] && n["xfs"] && n["promise"])
	}' "$report"
}
expect "$name: enough has been attached to" enough_attached

argument_rows()
{
	awk -F '\t' -v least=$least_arguments '
		$1 == "argument" && $6 == "absent" { next }
		$1 == "argument" && $5 == $6 { right++; next }
		$1 == "argument" { print; wrong++ }
		END {
			print right " seen as passed"
			exit wrong || right < least
		}' "$report"
}
argument_rows | tail -n 1 | sed 's/^/    /'
expect "$name: arguments are where the FUNC says" argument_rows
