#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Makes sure that what a target needs is there, by the names of Debian's packages: installs what is
# missing where it may, names it where it may not.
# usage: install-deps.sh build|demo|test|package|portable|fresh|kernels|kbuild|probes|compat|machines|fuzz|lint
# SKIP_DEPS=1 in the environment turns it off. Exit status: 0 all there, 1 something is missing.
set -eu

build='gcc make libc6-dev libelf-dev libdw-dev libjansson-dev zlib1g-dev liblzma-dev'
# Without these nothing is said about what instructions do, and some sections cannot be decompressed.
decoder='libcapstone-dev libzstd-dev'
case ${1-} in
build) needed=$build wanted=$decoder ;;
demo) needed=$build wanted="$decoder dwarves" ;;
test)
	needed="$build g++ binutils libcmocka-dev libbpf-dev bpftool dwarves python3 python3-jsonschema xz-utils zstd"
	# More compilers make more fixtures, programs and calling conventions; what is missing is skipped.
	wanted="$decoder gcc-11 gcc-12 clang clang-19 clang-22 lld-19 lld-22 dwz gcc-12-s390x-linux-gnu
		gcc-12-aarch64-linux-gnu gcc-12-arm-linux-gnueabi gcc-12-powerpc64le-linux-gnu
		gcc-12-riscv64-linux-gnu qemu-user chromium gfortran gnat gccgo golang-go
		bubblewrap strace lz4"
	# They may be there without a package.
	command -v node >/dev/null 2>&1 || wanted="$wanted nodejs"
	command -v rustc >/dev/null 2>&1 || wanted="$wanted rustc"
	;;
kernels)
	needed="$build g++ binutils libcmocka-dev libbpf-dev bpftool python3"
	# For comparing with pahole: llvm-dwarfdump.
	wanted="$decoder llvm"
	;;
package)
	needed="$build binutils dpkg-dev debhelper lintian fakeroot rpm cpio git groff"
	wanted="$decoder python3-yaml"
	;;
# Newer compilers come from vmlinux-fixtures/fetch-compilers.sh, libraries of other machines by themselves.
portable)
	needed="$build binutils"
	wanted="$decoder gcc-11 gcc-12 clang-19 clang-22 musl-tools bzip2 xz-utils qemu-user gcc-12-aarch64-linux-gnu
		gcc-12-s390x-linux-gnu"
	;;
fresh) needed='git debootstrap' wanted= ;;
kbuild | probes)
	needed="$build binutils libbpf-dev zlib1g-dev libssl-dev gcc-12 flex bison bc cpio
		kmod xz-utils e2fsprogs busybox-static qemu-system-x86"
	wanted=$decoder
	[ "$1" = kbuild ] || needed="$needed clang bpftool"
	[ "${KBUILD_ARCH-}" != arm64 ] || needed="$needed gcc-12-aarch64-linux-gnu qemu-system-arm"
	case ${LLVM-} in
	'') ;;
	1) needed="$needed clang lld llvm" ;;
	*) needed="$needed clang$LLVM lld$LLVM llvm$LLVM" ;;
	esac
	;;
compat)
	needed="$build binutils zlib1g-dev libcmocka-dev cpio busybox-static qemu-system-x86 clang clang-22 llvm bpftool python3
		xz-utils util-linux"
	wanted=$decoder
	;;
machines)
	needed="$build binutils cpio busybox-static"
	wanted="$decoder qemu-system-arm qemu-system-misc qemu-system-ppc qemu-system-x86"
	;;
# Clang only recommends its runtime, with the fuzzer's main() and the sanitizers.
fuzz) needed="$build clang libclang-rt-dev" wanted="$decoder afl++" ;;
lint) needed="$build libcmocka-dev libbpf-dev clang clang-format clang-tidy cppcheck shellcheck" wanted= ;;
*)
	echo "usage: install-deps.sh build|demo|test|package|portable|fresh|kernels|kbuild|probes|compat|machines|fuzz|lint" >&2
	exit 2
	;;
esac

[ -z "${SKIP_DEPS-}" ] || exit 0
if ! command -v dpkg-query >/dev/null 2>&1; then
	echo "install-deps: not a Debian system; needed is what Debian calls: $needed" \
	     "(SKIP_DEPS=1 goes on without asking)" >&2
	exit 1
fi

# missing PACKAGE...
missing()
{
	installed=$(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' "$@" 2>/dev/null |
		sed -n 's/^ii  *//p')
	for package in "$@"; do
		echo "$installed" | grep -qx "$package" || printf '%s ' "$package"
	done
}

# shellcheck disable=SC2086 # lists of words
lacking=$(missing $needed $wanted)
[ -n "$lacking" ] || exit 0
# shellcheck disable=SC2086
lacking_needed=$(missing $needed)

if [ "$(id -u)" -ne 0 ]; then
	[ -n "$lacking_needed" ] || exit 0
	echo "install-deps: missing packages; as root: apt-get install $lacking_needed" >&2
	exit 1
fi

export DEBIAN_FRONTEND=noninteractive
install()
{
	apt-get install -q -y --no-install-recommends "$@" </dev/null >>"$log" 2>&1
}
log=$(mktemp)
# What apt has done: how much it will fetch is in a line of its own. The sleep holds none of the pipes that wait
# for the end of this script.
progress()
{
	while sleep 15 >/dev/null 2>&1; do
		awk '/^Need to get / { need = ", of " $4 " " substr($5, 1, 2) }
			/newly installed/ { for (i = 1; i < NF; i++) if ($(i + 1) == "newly") all += $i }
			/^Get:/ { fetched++ } /^Unpacking / { unpacked++ } /^Setting up / { ready++ }
			END { printf "install-deps: %d packages%s: %d fetched, %d unpacked, %d ready\n",
				all, need, fetched, unpacked, ready }' "$log"
	done
}
progress &
heartbeat=$!
trap 'kill "$heartbeat" 2>/dev/null; rm -f "$log"' EXIT

echo "install-deps: installing $lacking"
# shellcheck disable=SC2086
if ! install $lacking; then
	# The lists may be old, or one of the wanted may not exist in this release.
	apt-get update -q </dev/null >>"$log" 2>&1 || true
	# shellcheck disable=SC2086
	if [ -n "$lacking_needed" ] && ! install $lacking_needed; then
		tail -n 5 "$log" >&2
		echo "install-deps: cannot install: $lacking_needed" >&2
		exit 1
	fi
	there=
	for package in $lacking; do
		if apt-cache show "$package" >/dev/null 2>&1; then
			there="$there $package"
		else
			echo "install-deps: goes without $package"
		fi
	done
	# shellcheck disable=SC2086
	install $there || for package in $there; do
		install "$package" || echo "install-deps: goes without $package"
	done
fi
