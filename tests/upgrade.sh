#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# `btfenc diff` over real compiler upgrades: the small kernel of tests/kbuild.sh is built by each of
# three compilers at -O2 and at -Os, and compared with the others. What diff says of a pair is held
# against what the two BTFs have, which is found without it.
#
#	KERNEL_SOURCE	6.1, 6.12: of the package linux-source-6.1; without it 6.1
#	KBUILD_JOBS	how many compilers at once
#	KERNELS		which to build and compare ("gcc-11-O2 gcc-11-Os ...")
#
# Kernels stay in the cache next to the source (kbuild-VERSION/compilers/NAME/vmlinux) and are built
# once; about four minutes each.
. tests/lib.sh

version=${KERNEL_SOURCE:-6.1}
jobs=${KBUILD_JOBS:-$(nproc)}
kernels=${KERNELS:-gcc-11-O2 gcc-11-Os gcc-12-O2 gcc-12-Os clang-19-O2 clang-19-Os}
here=$PWD/tests/kbuild

kernel_source "$version" "kernels of three compilers"
compilers=${source%/source}/compilers
mkdir -p "$compilers"
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES

# ---- kernels ----

# kernel_make NAME ARGUMENT...
kernel_make()
{
	kernel_name=$1 compiler=${1%-O?}
	shift
	case $compiler in
	clang-*) set -- LLVM="-${compiler#clang-}" "$@" ;;
	*) set -- CC="$compiler" "$@" ;;
	esac
	make -C "$source" O="$compilers/$kernel_name" HOSTCC=gcc-12 "PAHOLE=${BTFENC%/*}/pahole" \
		-j"$jobs" "$@"
}

build()
{
	mkdir -p "$compilers/$1" &&
		cat "$here/kernel.config" "$here/x86.config" >"$compilers/$1/kernel.config" || return
	case $1 in
	*-Os) echo CONFIG_CC_OPTIMIZE_FOR_SIZE=y >>"$compilers/$1/kernel.config" ;;
	esac
	KCONFIG_ALLCONFIG="$compilers/$1/kernel.config" kernel_make "$1" allnoconfig &&
		kernel_make "$1" vmlinux
}

found=
for kernel in $kernels; do
	compiler=${kernel%-O?}
	have "$compiler" "kernel of $kernel" || continue
	if ! [ -s "$compilers/$kernel/vmlinux" ] &&
	   ! build "$kernel" >"$compilers/$kernel.log" 2>&1; then
		tail -n 20 "$compilers/$kernel.log" >"$work/errors"
		not_ok "kernel of $kernel" "$work/errors"
		continue
	fi
	found="$found $kernel"
	ln -sf "$compilers/$kernel/vmlinux" "$work/$kernel"
	"$BTFENC" encode --features +func_secinfo=inline -o "$work/$kernel.btf" "$work/$kernel" &&
		"$BTFENC" stats --functions "$work/$kernel.tsv" "$work/$kernel" >/dev/null
	"$BTFENC" dump "$work/$kernel.btf" |
		sed -n "s/^\[[0-9]*\] FUNC '\([^']*\)'.*/\1/p" | sort -u >"$work/$kernel.funcs"
done

# ---- pairs ----

# classes REPORT CLASS...: the names of changes of these classes
names()
{
	python3 -c '
import json, sys
report = json.load(open(sys.argv[1]))
losses = ["lost", "ambiguous", "inconsistent", "inlined", "gone"]
classes = losses if sys.argv[2] == "losses" else sys.argv[2:]
print("\n".join(sorted(c["name"] for c in report["changes"] if c["class"] in classes)))
' "$@" | sed '/^$/d' | LC_ALL=C sort
}

# Functions that have lost or gained their FUNC, by the BTF alone.
check_balance()
{
	comm -23 "$work/$1.funcs" "$work/$2.funcs" >"$work/lost"
	comm -13 "$work/$1.funcs" "$work/$2.funcs" >"$work/gained"
	names "$work/json" losses | diff "$work/lost" - &&
		names "$work/json" gained | diff "$work/gained" -
}

# A list or BTF gives the same answers as DWARF, or fewer.
check_sources()
{
	"$BTFENC" diff --format json "$work/$1.tsv" "$work/$2.tsv" >"$work/tables"
	"$BTFENC" diff --format json "$work/$1.btf" "$work/$2.btf" >"$work/btfs"
	for class in losses gained changed; do
		names "$work/json" $class >"$work/by-dwarf"
		names "$work/tables" $class | diff "$work/by-dwarf" - || return
		names "$work/btfs" $class | diff "$work/by-dwarf" - || return
	done
	python3 -c '
import json, sys
a, b = (json.load(open(path)) for path in sys.argv[1:])
assert a["changes"] == b["changes"] and a["classes"] == b["classes"]
' "$work/json" "$work/tables"
}

have python3 "pairs of kernels" || exit 0
for old in $found; do
	for new in $found; do
		"$BTFENC" diff --format json "$work/$old" "$work/$new" >"$work/json" 2>"$work/err"
		status=$?
		name="diff: $old -> $new"
		if [ "$old" = "$new" ]; then
			expect "$name: nothing" sh -c "
				[ $status -eq 0 ] && grep -q '\"changes\": \[\]' '$work/json'"
			continue
		fi
		expect "$name: losses and gains are those of the BTFs" check_balance "$old" "$new"
		expect "$name: lists and BTF say the same" check_sources "$old" "$new"
		"$BTFENC" diff --fail-on none "$work/$old" "$work/$new" |
			sed -n 's/^\(FUNCs\|  FUNCs\)/   &/p'
	done
done
