#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Other compilers, without warnings; musl; the newest elfutils; and hosts of other machines, one of
# them big-endian, under qemu-user: the same bytes of BTF for the same image everywhere.
#
# What is fetched is kept in ${BTFENC_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/btfenc}/tools: compilers that
# are not installed, too.
# COMPILERS="gcc-12 clang-19" HOSTS="arm64 s390x" ELFUTILS=n MUSL=n: less of it. KERNEL=path: a vmlinux, too.
# shellcheck disable=SC2016,SC1003 # for inner shells, sed and tr
. tests/lib.sh

cache=${BTFENC_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/btfenc}
mkdir -p "$cache/tools" || exit 1
cache=$(cd "$cache" && pwd)
suites='bookworm bookworm-updates bookworm-security'
features='default +inline,+func_secinfo=inline +layout,+true_signature'
images=
for variant in gcc12-dwarf5 gcc12-s390x gcc12-ppc64le-patchable gcc12-arm64-patchable gcc12-i386 clang22-lto gcc12-zdebug; do
	[ ! -s "$FIXTURES/$variant/vmlinux" ] || images="$images $FIXTURES/$variant/vmlinux"
done
images="$images ${KERNEL-}"

# make_with OUT VARIABLE=VALUE...: compiles without a warning; links the target if there is one.
make_with()
{
	made=$1
	shift
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL "${MAKE:-make}" -s OUT="$made" WERROR=-Werror \
		CFLAGS='-O1 -g' "$@"
}

# same_bytes NAME RUNNER...: it and $BTFENC make the same of each image.
same_bytes()
{
	same_name=$1 count=0
	shift
	for image in $images; do
		for list in $features; do
			rm -f "$work"/ours* "$work"/theirs*
			"$BTFENC" encode --features "$list" -o "$work/ours" "$image" 2>"$work/ours.log"
			"$@" encode --features "$list" -o "$work/theirs" "$image" -j 2 2>"$work/theirs.log" </dev/null
			for suffix in '' .inline .extra .log; do
				[ ! -e "$work/ours$suffix" ] && [ ! -e "$work/theirs$suffix" ] && continue
				cmp "$work/ours$suffix" "$work/theirs$suffix" || echo "$image, $list"
				count=$((count + 1))
			done
			[ -s "$work/theirs" ] || echo "$image, $list: nothing was written"
		done
	done >"$work/differ" 2>&1
	if [ -s "$work/differ" ] || [ $count -lt 6 ]; then
		cat "$work/theirs.log" >>"$work/differ"
		not_ok "portable: $same_name: the same bytes" "$work/differ"
	else
		ok "portable: $same_name: the same bytes, $count files"
	fi
}

# ---- compilers ----

for compiler in ${COMPILERS-gcc-11 gcc-12 gcc-13 gcc-14 gcc-15 gcc-16 \
	clang-19 clang-20 clang-21 clang-22 clang-23}; do
	installed=$PATH
	if ! command -v "$compiler" >"$work/log"; then
		case $compiler in
		gcc-16 | clang-23) set -- ;; # as tests/lib_truth.sh has them
		*) set -- "$compiler" ;;
		esac
		fetched=$(sh vmlinux-fixtures/fetch-compilers.sh "$@" 2>"$work/log") || {
			skip "portable: $compiler" "$(tail -n 1 "$work/log")"
			continue
		}
		PATH=$fetched:$PATH
	fi
	if make_with "$work/$compiler" CC="$compiler" "$work/$compiler/btfenc" >"$work/log" 2>&1; then
		ok "portable: $compiler builds it without warnings"
		same_bytes "$compiler" "$work/$compiler/btfenc"
	else
		not_ok "portable: $compiler builds it without warnings" "$work/log"
	fi
	rm -rf "${work:?}/$compiler"
	PATH=$installed
done

# ---- musl ----

# musl_libraries: into the working directory what Debian has not for musl, without configuring:
# libelf with its zlib, jansson, zstd's decoder and capstone's for x86. explain's source lines, by
# libdw, are not tried.
musl_libraries()
{
	sh "$apt" amd64 bookworm source elfutils zlib jansson libzstd capstone || return
	for name in _GNU_SOURCE HAVE_ERR_H HAVE_UNISTD_H HAVE_DECL_MEMPCPY HAVE_DECL_MEMRCHR HAVE_DECL_POWEROF2 \
		HAVE_DECL_REALLOCARRAY HAVE_FALLTHROUGH HAVE_GCC_STRUCT HAVE_VISIBILITY HAVE_STDINT_H \
		HAVE_SYS_TIME_H HAVE_ATOMIC_BUILTINS; do
		echo "#define $name 1"
	done >jansson_private_config.h
	printf '#define SIZEOF_LONG 8\n#include <eu-config.h>\n' | cat jansson_private_config.h - >config.h
	elf=$(echo elfutils-*) zlib=$(echo zlib-*) zstd=$(echo zstd-*/lib)
	compile="musl-gcc -shared -fPIC -O1 -w -std=gnu99 -isystem $work/headers -I. -DHAVE_CONFIG_H=1"
	$compile "-I$elf/lib" "-I$elf/libelf" "-I$zlib" -o libelf.so "$elf"/libelf/*.c "$zlib"/*.c \
		"-Wl,--no-undefined,--version-script,$elf/libelf/libelf.map" &&
		$compile -o libjansson.so jansson-*/src/*.c &&
		$compile -DZSTD_DISABLE_ASM -o libzstd.so "$zstd"/common/*.c "$zstd"/decompress/*.c &&
		env -u MAKEFLAGS -u MFLAGS CFLAGS='-O1 -fPIC' make -C capstone-* CC=musl-gcc CAPSTONE_ARCHS=x86 \
			CAPSTONE_STATIC=no CAPSTONE_BUILD_CORE_ONLY=yes &&
		mv capstone-*/libcapstone.so.4 . && rm -rf ./*/ ./*.tar.* ./*.dsc
}

apt=$PWD/vmlinux-fixtures/private-apt.sh
if [ "${MUSL-}" != n ] && have musl-gcc "portable: musl"; then
	mkdir "$work/headers"
	for header in libelf.h gelf.h nlist.h dwarf.h elfutils jansson.h jansson_config.h capstone zstd.h \
		zstd_errors.h zlib.h zconf.h lzma.h lzma bpf linux asm asm-generic; do
		for folder in /usr/include "/usr/include/$(gcc -print-multiarch)"; do
			[ ! -e "$folder/$header" ] || ln -sf "$folder/$header" "$work/headers/$header"
		done
	done
	root=$cache/tools/musl status=0
	if [ ! -d "$root" ]; then
		unpacking=$(mktemp -d "$cache/tools/.fetch.XXXXXX") || exit 1
		(cd "$unpacking" && musl_libraries) >"$work/log" 2>&1
		status=$?
		[ $status -ne 0 ] || { chmod 755 "$unpacking" && mv -T "$unpacking" "$root"; } || exit 1
		rm -rf "$unpacking"
	fi
	if [ $status -eq 75 ]; then
		skip "portable: musl" "$(tail -n 1 "$work/log")"
	elif [ $status -eq 0 ] && make_with "$work/musl" CC="musl-gcc -isystem $work/headers" LDFLAGS="-L$root" \
		"$work/musl/btfenc" >"$work/log" 2>&1; then
		ok "portable: musl-gcc builds it without warnings"
		expect "portable: musl: it is a program for musl" sh -c \
			'readelf -l "$1" | grep -q "interpreter: .*/ld-musl"' sh "$work/musl/btfenc"
		same_bytes musl env LD_LIBRARY_PATH="$root" "$work/musl/btfenc"
	else
		not_ok "portable: musl-gcc builds it without warnings" "$work/log"
	fi
	rm -rf "${work:?}/musl"
fi

libraries='libc6-dev libelf-dev libdw-dev libjansson-dev zlib1g-dev liblzma-dev libzstd-dev libcapstone-dev libbpf-dev'

# ---- the newest elfutils ----

if [ "${ELFUTILS-}" != n ] && [ "$(uname -m)" = x86_64 ]; then
	# shellcheck disable=SC2086 # words
	if root=$(root_of sysroot-amd64-sid amd64 sid $libraries); then
		version=$(sed -n 's/^#define _ELFUTILS_VERSION[[:space:]][[:space:]]*//p' "$root/usr/include/elfutils/version.h")
		expect "portable: elfutils $version is another than this machine's" test \
			"$version" != "$(sed -n 's/^#define _ELFUTILS_VERSION[[:space:]][[:space:]]*//p' /usr/include/elfutils/version.h)"
		lib=$root/usr/lib/x86_64-linux-gnu
		same_bytes "elfutils $version, built with this machine's" \
			"$root/usr/lib64/ld-linux-x86-64.so.2" --library-path "$lib" "$BTFENC"
		# This machine's compiler looks in this machine's folders first: its libc lacks what the headers name.
		if make_with "$work/sid" CC="gcc --sysroot=$root" LDFLAGS="-L$lib" "$work/sid/btfenc" >"$work/log" 2>&1; then
			ok "portable: elfutils $version: it builds without warnings"
			same_bytes "elfutils $version" \
				"$root/usr/lib64/ld-linux-x86-64.so.2" --library-path "$lib" "$work/sid/btfenc"
		else
			not_ok "portable: elfutils $version: it builds without warnings" "$work/log"
		fi
	else
		skip "portable: the newest elfutils" "$(tail -n 1 "$work/log")"
	fi
fi

# ---- other hosts ----

for host in ${HOSTS-arm64 s390x}; do
	case $host in
	arm64) triple=aarch64-linux-gnu qemu=qemu-aarch64 ;;
	*) triple=$host-linux-gnu qemu=qemu-$host ;;
	esac
	have "$triple-gcc-12" "portable: $host" || continue
	have "$qemu" "portable: $host" || continue
	# shellcheck disable=SC2086 # words
	root=$(root_of "sysroot-$host" "$host" "$suites" $libraries) || {
		skip "portable: $host" "$(tail -n 1 "$work/log")"
		continue
	}
	if make_with "$work/$host" CC="$triple-gcc-12 --sysroot=$root" "$work/$host/btfenc" >"$work/log" 2>&1; then
		ok "portable: $host: it builds without warnings"
		expect "portable: $host: it is a program for that machine" sh -c \
			'! "$1" --version 2>/dev/null || readelf -h "$1" | grep -q "Machine:.*\(AArch64\|S/390\)"' sh "$work/$host/btfenc"
		same_bytes "a host of $host" "$qemu" -L "$root" "$work/$host/btfenc"
	else
		not_ok "portable: $host: it builds without warnings" "$work/log"
	fi
	rm -rf "${work:?}/$host"
done
