# shellcheck shell=sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# A kernel of Debian's source (tests/kbuild/fetch-source.sh) that is built with btfenc as its
# pahole, and booted in a virtual machine. After tests/lib.sh; $name is what cases are called.
#
#	PAHOLE		what to build with; without it the btfenc of this build as pahole
#	KERNEL_SOURCE	6.1, 6.12, 7.2, 7.3: of the package linux-source-6.1; without it 6.1
#	KBUILD_ARCH	arm64: 7.2 instead of 6.1, which has no fentry there; without it x86
#	LLVM		1 or -19: what the kernel's Makefile takes under that name, with ThinLTO;
#			without it gcc-12 (of arm64: a cross compiler)
#	KBUILD_JOBS	how many compilers at once
#
# The build stays in the cache next to the source (kbuild-VERSION/build, with LLVM
# kbuild-VERSION/llvm1/build, for arm64 kbuild-VERSION-arm64), with build.log, console.log and report,
# what the virtual machine said. The objects are compiled once.
#
# The caller has set the beginning of name, append (for the kernel's command line) and perhaps memory,
# in megabytes.
# shellcheck disable=SC2154 # these, and those of tests/lib.sh

arch=${KBUILD_ARCH:-x86}
jobs=${KBUILD_JOBS:-$(nproc)}
pahole=${PAHOLE:-${BTFENC%/*}/pahole}
here=$PWD/tests/kbuild

case $arch in
x86) version=6.1 cross='' target=ARCH=x86_64 image=bzImage tools=qemu-system-x86_64 ;;
arm64)
	version=7.2 cross=aarch64-linux-gnu- image=Image tools=qemu-system-aarch64
	target="ARCH=arm64 CROSS_COMPILE=$cross"
	;;
*)
	echo "KBUILD_ARCH takes x86 or arm64" >"$work/log"
	not_ok "$name: $arch" "$work/log"
	exit 1
	;;
esac
version=${KERNEL_SOURCE:-$version}
name="$name $version${cross:+ for $arch}${LLVM:+ by clang with ThinLTO}"

# LLVM's tools have the suffix; the kernel's Makefile takes 1 for none.
configs="$here/kernel.config $here/$arch.config"
if [ -n "${LLVM-}" ]; then
	for tool in clang ld.lld llvm-ar llvm-nm llvm-objcopy; do
		tools="$tools $tool${LLVM#1}"
	done
	configs="$configs $here/lto.config" target="$target LLVM=$LLVM"
else
	target="$target CC=${cross}gcc-12"
fi
for tool in $tools "${cross}gcc-12" gcc-12 busybox cpio mke2fs; do
	have "$tool" "$name" || exit 0
done

kernel_source "$version" "$name" "$arch"
directory=${source%/source}${LLVM:+/llvm$LLVM}
build=$directory/build
image=$build/arch/$arch/boot/$image
mkdir -p "$build"

# Programs in the virtual machine are static.
compiler='' busybox=''
if [ -n "$cross" ]; then
	root=$(root_of "sysroot-$arch-kbuild" "$arch" 'bookworm bookworm-updates bookworm-security' \
		libc6-dev libbpf-dev zlib1g-dev busybox-static) || {
		skip "$name" "$(tail -n 1 "$work/log")"
		exit 0
	}
	compiler="${cross}gcc-12 --sysroot=$root" busybox=$root/bin/busybox
fi

# One build at a time.
exec 9>"$directory/lock"
flock 9

# Nothing of the make that runs this may reach the kernel's.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES LLVM
kernel_make()
{
	# shellcheck disable=SC2086 # words
	make -C "$source" O="$build" $target HOSTCC=gcc-12 PAHOLE="$pahole" -j"$jobs" "$@"
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

build_kernel()
{
	configure || return
	rm -f "$build/vmlinux" "$build/vmlinux.unstripped"
	find "$build" -name '*.ko' -exec rm -f {} +
	kernel_make V=1 "${image##*/}" modules
}

# Those from outside the tree.
build_modules()
{
	rm -rf "$directory/module"
	cp -r "$here/module" "$directory/"
	kernel_make V=1 M="$directory/module" modules
}

# Has the kernel been built by this configuration, by whatever pahole? Then it need not be again.
is_built()
{
	# shellcheck disable=SC2086 # they are several files
	[ -s "$build/vmlinux" ] && [ -s "$image" ] &&
		cat $configs | cmp -s - "$build/kernel.config"
}

# ---- the virtual machine ----

. tests/lib_machine.sh

# In $work/root: what pack_programs packs, the modules, and those of tests/kbuild/module.
pack_root()
{
	mkdir -p "$work/root/mnt" || return
	kernel_make INSTALL_MOD_PATH="$work/root" INSTALL_MOD_STRIP=1 modules_install || return
	# The kernel calls /sbin/modprobe.
	ln -s bin "$work/root/sbin" || return
	cp "$directory"/module/*.ko "$work/root/" || return
	pack_programs "$@" || return
	mke2fs -q -t ext4 "$work/root/ext4.image" 8M
}
