#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Relocatable objects: a few sources of vmlinux-fixtures, compiled for each machine by each compiler
# there is, joined by ld -r as a module is, and linked. Judges: libdw reads the same after libdwfl
# has relocated (diff_cursor, diff_location), and the BTF of the object is, byte by byte, that of the
# linked image. Then what the commands say about a module.
. tests/lib.sh
. tests/lib_btf.sh

sources='scalars functions clones kfuncs percpu_a percpu_b samename_a samename_b main'
flags='-std=gnu11 -O2 -ffreestanding -nostdinc -fno-pie -fno-stack-protector -fno-common -w
	-fno-asynchronous-unwind-tables -Ivmlinux-fixtures/include'

# What is a section of its own in a module. An image does not begin at 0, where nothing is.
sections='.text : { *(.text .text.*) } .init.text : { *(.init.text) }
	.data..percpu : { *(.data..percpu*) } .BTF_ids : { *(.BTF_ids) }'
echo "SECTIONS { $sections }" >"$work/module.lds"
echo "SECTIONS { . = 0x100000; $sections }" >"$work/image.lds"

# compile DIRECTORY COMPILER [FLAG]...: an object of each source
compile()
{
	directory=$1 compiler=$2
	shift 2
	mkdir -p "$directory"
	for source in $sources; do
		# shellcheck disable=SC2086 # a list of flags
		"$compiler" $flags "$@" -c -o "$directory/$source.o" "vmlinux-fixtures/$source.c" \
			2>"$work/log" || return 1
	done
}

# objects DIRECTORY: in the order of the link
objects()
{
	for source in $sources; do
		echo "$1/$source.o"
	done
}

# linker COMMAND...: the first there is
linker()
{
	for linker in "$@"; do
		command -v "$linker" >/dev/null 2>&1 && return
	done
	return 1
}

# compare_reading NAME FILE...
compare_reading()
{
	name=$1
	shift
	for test in diff_cursor diff_location; do
		expect "$name: $test" "$TEST_PROGRAMS/$test" "$@"
	done
}

# same_as_linked NAME DIRECTORY: module.ko against image
same_as_linked()
{
	check_encode "$1, linked" "$2/image" "$2/image.btf" || return 0
	check_encode "$1" "$2/module.ko" "$2/module.btf" || return 0
	check_rules "$1" "$2/module.btf"
	expect "$1: the BTF of the linked image" cmp "$2/module.btf" "$2/image.btf"
}

# check NAME LINKERS COMPILER [FLAG]...: NAME begins with a machine; "unread" for libdwfl in it
check()
{
	name=$1 linkers=$2 command=$3
	directory=$work/objects
	rm -rf "$directory"
	shift 3
	have "$command" "$name" || return 0
	# shellcheck disable=SC2086 # a list of commands
	linker $linkers || {
		skip "$name" "there is no linker for it"
		return
	}
	compile "$directory" "$command" "$@" || {
		skip "$name" "$(head -n 1 "$work/log")"
		return
	}
	# shellcheck disable=SC2046 # names without blanks
	if ! "$linker" -r -T "$work/module.lds" -o "$directory/module.ko" $(objects "$directory") \
		2>"$work/log" ||
	   ! "$linker" -static -e 0 --unresolved-symbols=ignore-all -z noexecstack \
		-T "$work/image.lds" -o "$directory/image" $(objects "$directory") 2>"$work/log"; then
		not_ok "$name: links" "$work/log"
		return
	fi
	case $name in
	*unread*) ;;
	# shellcheck disable=SC2046
	*) compare_reading "$name" $(objects "$directory") "$directory/module.ko" ;;
	esac
	same_as_linked "$name" "$directory"
}

gnu='x86_64-linux-gnu-ld ld'
check 'x86-64, DWARF 4' "$gnu" gcc-12 -gdwarf-4 -mcmodel=kernel
check 'x86-64, a section per function' "$gnu" gcc-12 -gdwarf-5 -mcmodel=kernel -ffunction-sections
check 'x86-64, compressed' "$gnu" gcc-12 -gdwarf-5 -gz
check 'x86-64, DWARF 4, compressed' "$gnu" gcc-12 -gdwarf-4 -gz
check 'x86-64, DWARF of 64 bits' "$gnu" gcc-12 -gdwarf-5 -gdwarf64
check 'x86-64, clang' "$gnu" clang-22 -gdwarf-5 -mcmodel=kernel
check 'x86-64, clang, DWARF 4' "$gnu" clang-22 -gdwarf-4 -mcmodel=kernel
check 'i386' 'i686-linux-gnu-ld ld' gcc-12 -m32 -gdwarf-5
check 'arm' arm-linux-gnueabi-ld arm-linux-gnueabi-gcc-12 -gdwarf-5 -mfloat-abi=soft -marm
for version in 4 5; do
	for machine in aarch64 s390x powerpc64le riscv64; do
		check "$machine, DWARF $version" "$machine-linux-gnu-ld" "$machine-linux-gnu-gcc-12" \
			"-gdwarf-$version"
	done
done
check 'riscv64 without relaxation' riscv64-linux-gnu-ld riscv64-linux-gnu-gcc-12 -gdwarf-5 \
	-mno-relax
check 'riscv64, compressed' riscv64-linux-gnu-ld riscv64-linux-gnu-gcc-12 -gdwarf-5 -gz
# elfutils 0.188 does not know SET_ULEB128 or the machine.
check 'aarch64, clang' 'aarch64-linux-gnu-ld ld.lld-22' clang-22 --target=aarch64-linux-gnu -gdwarf-5
check 's390x, clang' 's390x-linux-gnu-ld ld.lld-22' clang-22 --target=s390x-linux-gnu -gdwarf-5
check 'riscv64, clang (unread by libdwfl)' ld.lld-22 clang-22 --target=riscv64-linux-gnu -gdwarf-5
check 'loongarch64, clang (unread by libdwfl)' ld.lld-22 clang-22 --target=loongarch64-linux-gnu \
	-gdwarf-5
check 'aarch64, big-endian, clang' ld.lld-22 clang-22 --target=aarch64_be-linux-gnu -gdwarf-5
check 'x86-64' "$gnu" gcc-12 -gdwarf-5 -mcmodel=kernel
