#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# The calling conventions against the compilers: random prototypes (tests/abi/generate.c), compiled
# for each machine by each compiler there is. Two judges: where the code can be run (x86 itself, the
# others when qemu's user emulation is installed), each function is called with registers and stack
# set by this project and has to see the right bytes; everywhere, what the optimizing compiler's
# DWARF says of the entry must not contradict.
# usage: abi.sh [SEED [FUNCTIONS]]
. tests/lib.sh

seed=${1:-7}
functions=${2:-200}
library=$TEST_PROGRAMS/../obj/libbtfenc.a
libraries=${TEST_LIBS--ldw -lelf}	# of the library, by the Makefile
unrun=

# build PROGRAM SOURCE...
build()
{
	program=$1
	shift
	"${CC:-cc}" -std=gnu11 -I. -O1 -w -o "$work/$program" "$@" 2>"$work/build.log"
}
# shellcheck disable=SC2086
if ! build generate tests/abi/generate.c ||
   ! build tables tests/abi/tables.c tests/abi/prototypes.c "$library" $libraries ||
   ! build entry tests/abi/entry.c tests/abi/prototypes.c "$library" $libraries; then
	not_ok "the checkers of tests/abi are built" "$work/build.log"
	exit 1
fi

# natively PROGRAM: 126 if this machine does not run it, where a shell would take it for a script.
natively()
{
	python3 -c 'import os, sys
try:
    os.execv(sys.argv[1], sys.argv[1:])
except OSError:
    sys.exit(126)' "$1"
}

# emulator MACHINE: the command in front of its programs, or false.
emulator()
{
	case $1 in
	x86_64 | i386)
		echo natively
		return
		;;
	esac
	command -v "qemu-$1" || command -v "qemu-$1-static"
}

# compile OUTPUT SOURCE [FLAG]...: for $machine
compile()
{
	compile_out=$1 compile_source=$2
	shift 2
	# shellcheck disable=SC2086 # a list of flags
	$compiler $flags "$@" -I. -w -fno-pic -ffreestanding -fno-stack-protector \
		-fno-asynchronous-unwind-tables -c -o "$compile_out" "$compile_source" 2>"$work/log"
}

# link OUTPUT OBJECT...: any linker that knows the machine
link()
{
	link_out=$1
	shift
	for linker in $linkers; do
		command -v "$linker" >/dev/null 2>&1 || continue
		"$linker" -static --no-relax -z noexecstack --unresolved-symbols=ignore-all \
			-o "$link_out" "$@" 2>"$work/log" && return
		# shellcheck disable=SC2086 # two words
		"$linker" -static $emulation --unresolved-symbols=ignore-all \
			-o "$link_out" "$@" 2>"$work/log" && return
	done
	return 1
}

# check MACHINE COMPILER FLAVOUR [FLAG]...
check()
{
	machine=$1 compiler=$2 flavour=$3
	shift 3
	flags=$*
	name="$machine by $compiler"
	command -v "$compiler" >/dev/null 2>&1 || {
		skip "$name" "$(not_installed "$compiler")"
		return
	}
	case $machine in
	i386) linkers='ld ld.lld-22 ld.lld' emulation='-m elf_i386' ;;
	arm) linkers='arm-linux-gnueabi-ld ld.lld-22 ld.lld' emulation= ;;
	x86_64) linkers='ld ld.lld-22 ld.lld' emulation= ;;
	*) linkers="$(echo "$machine" | sed s/ppc64le/powerpc64le/)-linux-gnu-ld ld.lld-22 ld.lld" emulation= ;;
	esac
	"$work/generate" "$seed" "$functions" "$flavour" >"$work/f.c"
	if ! compile "$work/e.o" "$work/f.c" -O1 -g || ! link "$work/e" -e 0 "$work/e.o"; then
		reason=$(head -n 1 "$work/log")
		skip "$name" "${reason:-no linker for it is installed}"
		return
	fi
	"$work/entry" "$work/e" >"$work/entry.log"
	verdict $? "$name: what DWARF says of the entry" "$work/entry.log"
	emulator=$(emulator "$machine") || {
		unrun="$unrun $machine"
		return
	}
	if ! compile "$work/f.o" "$work/f.c" -O0 -g || ! link "$work/a" -e 0 "$work/f.o" ||
	   ! "$work/tables" "$work/a" >"$work/t.c" 2>"$work/log" ||
	   ! compile "$work/t.o" "$work/t.c" || ! compile "$work/r.o" tests/abi/runner.c -O0 ||
	   ! link "$work/b" "$work/f.o" "$work/r.o" "$work/t.o"; then
		not_ok "$name: calls" "$work/log"
		return
	fi
	"$emulator" "$work/b" >"$work/run.log" 2>&1
	verdict $? "$name: calls" "$work/run.log"
}

# verdict STATUS NAME LOG
verdict()
{
	case $1 in
	0) ok "$2 ($(tail -n 1 "$3"))" ;;
	126) skip "$2" "this kernel does not run its programs" ;;
	*) not_ok "$2" "$3" ;;
	esac
}

# On machines where GCC lets nothing be misaligned (arm, riscv64), it does not write DW_AT_alignment
# for records of 2, 4, 8, 16 bytes aligned to their size. So this is unknown: A there, not a.
for clang in clang-19 clang-22; do
	check x86_64 $clang flcqva --target=x86_64-linux-gnu
	check i386 $clang a --target=i386-linux-gnu -mregparm=3 -freg-struct-return
	check aarch64 $clang flcqva --target=aarch64-linux-gnu
	check arm $clang fca --target=arm-linux-gnueabi -mfloat-abi=soft -marm
	check s390x $clang flcqa --target=s390x-linux-gnu
	check ppc64le $clang fcqa --target=powerpc64le-linux-gnu
	check riscv64 $clang flcqa --target=riscv64-linux-gnu -march=rv64imac -mabi=lp64 -mno-relax
	check loongarch64 $clang flcqa --target=loongarch64-linux-gnu -mabi=lp64s
done
check x86_64 gcc flcqva
check i386 gcc a -m32 -mregparm=3 -freg-struct-return
check aarch64 aarch64-linux-gnu-gcc-12 flcqva
check arm arm-linux-gnueabi-gcc-12 fcA -mfloat-abi=soft -marm
check s390x s390x-linux-gnu-gcc-12 flcqa
check ppc64le powerpc64le-linux-gnu-gcc-12 fcqa
check riscv64 riscv64-linux-gnu-gcc-12 flcqA -march=rv64imac -mabi=lp64 -mno-relax

[ -z "$unrun" ] || skip "calls on$(printf '%s\n' "$unrun" | tr ' ' '\n' | sort -u | tr '\n' ' ')" \
	"$(not_installed qemu-user)"
