#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Fetches BPF objects of real projects, built or as Debian ships them, without DWARF, and prints their folder.
#
#	fetch-objects.sh [DIRECTORY]
#		DIRECTORY	${BTFENC_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/btfenc}/objects
#
# In it are PROJECT/NAME.o; embedded/PROGRAM, which have such objects in them; libbpf/lib and include, Debian sid's
# libbpf, which tests/kbuild/object_load.c is linked with; and failed, what did not compile and why. Of
# the kernel's selftests each third is built (SELFTESTS=1: each), without those that test what verifiers refuse, and those
# of types alone.
# What is there is used without a request.
#
# Exit status: 0 done, 2 usage, 75 it cannot be had here (one line on stderr says why).
set -eu

unavailable()
{
	echo "fetch-objects: $*" >&2
	exit 75
}

if [ $# -gt 1 ]; then
	echo "usage: fetch-objects.sh [DIRECTORY]" >&2
	exit 2
fi
here=$(dirname "$0")
here=$(cd "$here" && pwd)
cache=${BTFENC_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/btfenc}
objects=${1:-$cache/objects}
mkdir -p "${objects%/*}" 2>/dev/null || unavailable "cannot create $objects"
objects=$(cd "${objects%/*}" && pwd)/${objects##*/}
if [ -d "$objects/libbpf" ]; then
	echo "$objects"
	exit 0
fi
# Selftests want a new one; libbpf-tools are built by Debian 12's.
for clang in clang-23 clang-22 clang-19 ''; do
	! command -v "$clang" >/dev/null 2>&1 || break
done
[ -n "$clang" ] || unavailable "none of clang-23, clang-22, clang-19 is installed"
for tool in clang "llvm-strip" make xargs; do
	command -v $tool >/dev/null 2>&1 || unavailable "$tool is not installed"
done
kernel=$(sh "$here/fetch-kernel.sh" cloud-amd64-7.2)
bpftool=$(sh "$here/fetch-tool.sh" sid bpftool /usr/sbin/bpftool)

work=$(mktemp -d "${objects%/*}/.fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
made=$work/made
mkdir -p "$work/include" "$work/source" "$work/package" "$made/embedded"
cd "$work"

# sources PACKAGE SUITE...: a mirror may lack what one suite has, or all but what upstream released.
sources()
{
	package=$1
	shift
	for suite; do
		(cd source && sh "$here/private-apt.sh" amd64 "$suite" source "$package") 2>log && return
		for archive in source/"$package"*.orig.tar.*[!c]; do
			[ ! -s "$archive" ] || ! tar -xf "$archive" -C source || return 0
		done
	done
	unavailable "$(sed 's/^private-apt: //' log)"
}

# package NAME: package/NAME has what is in it.
package()
{
	mkdir -p "package/$1"
	(cd "package/$1" && sh "$here/private-apt.sh" amd64 sid download "$1" && dpkg-deb -x ./*.deb . && rm ./*.deb)
}

# build PROJECT COMPILER FLAGS FILE...: lines of "compilations". Two files of one name: the later one.
build()
{
	build_project=$1 build_compiler=$2 build_flags=$3
	shift 3
	mkdir -p "$made/$build_project"
	for file; do
		name=${file##*/}
		name=${name%.c}
		# shellcheck disable=SC2086 # words
		echo "$made/$build_project/${name%.bpf}.o" "$file" $build_compiler $build_flags
	done >>compilations
}

# shipped PROJECT FILE...
shipped()
{
	project=$1
	shift
	mkdir -p "$made/$project"
	for file; do
		name=${file##*/}
		cp "$file" "$made/$project/${name%%.*}.o"
	done
}

"$bpftool" btf dump file "$kernel" format c >include/vmlinux.h
sources libbpf sid
make -C source/libbpf-*/src BUILD_STATIC_ONLY=1 OBJDIR="$work/object" DESTDIR="$made/libbpf" PREFIX= LIBDIR=/lib \
	install install_uapi_headers >log 2>&1 || unavailable "libbpf: $(grep -m 1 'error' log)"
flags="-g -O2 --target=bpf -w -std=gnu11 -D__TARGET_ARCH_x86 -I$made/libbpf/include"
system="-idirafter /usr/include/x86_64-linux-gnu"

sources bpfcc sid forky trixie
tools=$(echo source/bcc-*/libbpf-tools)
build libbpf-tools clang "$flags -I$tools/x86 -I$tools" "$tools"/*.bpf.c

sources xdp-tools sid
xdp=$(echo source/xdp-tools-*)
build xdp-tools "$clang" "$flags -DHAVE_LIBBPF_BPF_PROGRAM__TYPE -DHAVE_LIBBPF_BPF_PROGRAM__FLAGS
	-I$xdp/headers -I$xdp/lib/util -I$xdp/headers/xdp -I$xdp/headers/bpf -Iinclude $system" \
	"$xdp"/xdp-*/*.bpf.c "$xdp"/lib/util/*.bpf.c
package libxdp1
shipped libxdp package/libxdp1/usr/lib/x86_64-linux-gnu/bpf/*.o

sources systemd sid forky trixie
systemd=$(echo source/systemd-*/src)
# shellcheck disable=SC2046 # words
build systemd "$clang" "$flags -D__x86_64__ -DDYNAMIC_UID_MIN=61184 -DDYNAMIC_UID_MAX=65519
	-DCONTAINER_UID_BASE_MIN=524288 -DCONTAINER_UID_BASE_MAX=1878982656
	-I$systemd/fundamental -I$systemd/basic -I$systemd/shared -Iinclude $system" \
	$(find "$systemd" -name '*.bpf.c')

package linux-source-7.2
tar -xf package/linux-source-7.2/usr/src/*.tar.xz -C source --wildcards '*/tools/testing/selftests/bpf' \
	'*/tools/include' '*/tools/sched_ext' '*/tools/testing/selftests/sched_ext' '*/tools/perf/util/bpf_skel' '*/tools/bpf'
linux=$(echo source/linux-source-*)
tests=$linux/tools/testing/selftests
uapi="-I$linux/tools/include/uapi -I$linux/tools/include"
build sched_ext "$clang" "$flags -mcpu=v3 -I$linux/tools/sched_ext/include -I$linux/tools/sched_ext/include/bpf-compat
	-Iinclude $uapi $system" "$linux"/tools/sched_ext/*.bpf.c "$tests"/sched_ext/*.bpf.c
build perf "$clang" "$flags -I$linux/tools/perf/util/bpf_skel -Iinclude $uapi" "$linux"/tools/perf/util/bpf_skel/*.bpf.c
build bpftool "$clang" "$flags -Iinclude $uapi" "$linux"/tools/bpf/bpftool/skeleton/*.bpf.c
# shellcheck disable=SC2046 # words
build selftests "$clang" "$flags -mcpu=v3 -fms-extensions -fno-strict-aliasing -DENABLE_ATOMICS_TESTS -Iinclude
	-I$tests/bpf -I$tests/bpf/progs -I$tests/bpf/libarena/include $uapi $system" \
	$(find "$tests/bpf/progs" -name '*.c' |
		grep -vE '/(verifier_|bench_|btf__core)|_fail|_bad|noinline|pyperf|strobemeta|loop|jeq|test_verif_scale' | sort | awk -v each="${SELFTESTS:-3}" 'NR % each == 0 || /core_reloc|vmlinux|ksym/')

for name in udev-hid-bpf opensnitch-ebpf-modules suricata ir-keytable; do
	package $name
	# shellcheck disable=SC2046 # words
	shipped $name $(find package/$name \( -path '*bpf/*.o' -o -name '*.bpf' -o -path '*/protocols/*.o' \) -type f)
done
# Its largest programs, with skeletons inside.
for name in libbpf-tools systemd xdp-tools libbpftune0; do
	package $name
	find package/$name -type f -size +16k \( -path '*/*bin/*' -o -path '*/systemd/*' -o -name '*.so*' \) \
		-exec grep -lF '.BTF.ext' {} + | sort | head -n 12 | xargs -r cp -t "$made/embedded"
done

# gcc as it is in sid, in two steps: its driver would look for its parts.
cc1=$(sh "$here/fetch-tool.sh" sid gcc-bpf /usr/lib/gcc/bpf/16/cc1)
as=$(sh "$here/fetch-tool.sh" sid binutils-bpf /usr/bin/bpf-as)
cat >gcc <<END
file=\$1 object=\$2
shift 2
"$cc1" -quiet "\$@" "\$file" -o "\$object.s" && "$as" -mdialect=pseudoc "\$object.s" -o "\$object"
result=\$?
rm -f "\$object.s"
exit \$result
END
build libbpf-tools-gcc gcc "-O2 -gbtf -mco-re -mcpu=v3 -w -std=gnu11 -D__TARGET_ARCH_x86 -I$made/libbpf/include
	-I$tools/x86 -I$tools $system -idirafter /usr/include" "$tools"/*.bpf.c

# job OBJECT FILE COMPILER...
cat >job <<'END'
object=$1 file=$2 compiler=$3
shift 3
if [ "$compiler" = gcc ]; then
	timeout 60 sh gcc "$file" "$object" "$@"
else
	timeout 60 "$compiler" "$@" -c "$file" -o "$object" && llvm-strip -g "$object"
fi 2>"$object.log" && exec rm "$object.log"
rm -f "$object"
END
xargs -P "$(nproc)" -L 1 sh job <compilations || :
find "$made" -name '*.log' -exec grep -m 1 -H -i 'error' {} + | sed "s|^$made/||" >"$made/failed"
find "$made" -name '*.log' -delete
chmod 755 "$made"
mv -T "$made" "$objects" 2>/dev/null || [ -d "$objects/libbpf" ]
echo "$objects"
