#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Relocatable objects: a few sources of vmlinux-fixtures, compiled for each machine by each compiler
# there is, joined by ld -r as a module is, and linked. Judges: libdw reads the same after libdwfl
# has relocated (compare_cursor, compare_location, compare_call_frame), both halves of the unit reader agree
# (compare_reader), and the BTF of the object is, byte by byte, that of the linked image. Then what the
# commands say about a module.
. tests/lib.sh
. tests/lib_btf.sh

sources='scalars functions clones kfuncs percpu_a percpu_b samename_a samename_b main'
flags='-std=gnu11 -O2 -ffreestanding -nostdinc -fno-pie -fno-stack-protector -fno-common -w
	-fno-asynchronous-unwind-tables -Ivmlinux-fixtures/include'

# The sections of a module. An image does not begin at 0, where nothing is; it has the called
# functions: an image with __fentry__ is a traced one, where leaf routines that do not call it
# are taken for assembler.
sections='.text : { *(.text .text.*) } .init.text : { *(.init.text) }
	.data..percpu : { *(.data..percpu*) } .BTF_ids : { *(.BTF_ids) }'
echo "SECTIONS { $sections }" >"$work/module.lds"
echo "SECTIONS { PROVIDE(__fentry__ = 0x80000); PROVIDE(__x86_return_thunk = 0x80010);
	. = 0x100000; $sections }" >"$work/image.lds"

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
	for test in compare_call_frame compare_cursor compare_location; do
		expect "$name: $test" "$TEST_PROGRAMS/$test" "$@"
	done
	# The fixtures have 2,000 damaged units each.
	expect "$name: compare_reader" "$TEST_PROGRAMS/compare_reader" -n 100 "$@"
}

# verdicts FILE: of each function, without its address, its hook (the image's table is filled by a
# kernel's link only) and its number of callers: where a symbol is undefined, lld lets a jump at the
# end of a function lead to what comes next.
verdicts()
{
	"$BTFENC" stats --features=+true_signature --functions "$1.verdicts" "$1" >/dev/null &&
		awk -F '\t' -v OFS='\t' '
			/^name\t/ { for (i = 1; i <= NF; i++) column[$i] = i }
			{ $3 = $column["callers"] = $column["hook"] = ""; print }' "$1.verdicts"
}

# same_evidence NAME DIRECTORY: what instructions say must not depend on who applied relocations
same_evidence()
{
	verdicts "$2/image" >"$work/theirs" 2>&1
	verdicts "$2/module.ko" >"$work/ours" 2>&1
	[ -s "$work/ours" ] && diff "$work/theirs" "$work/ours" >"$work/log"
	outcome $? "$1: the verdicts of the linked image ($(wc -l <"$work/ours") functions)" \
		"$work/log"
	for file in "$2/image" "$2/module.ko"; do
		"$BTFENC" encode --features=+true_signature -o "$file.true" "$file" 2>"$work/log"
	done
	expect "$1: the true signatures of the linked image" cmp "$2/module.ko.true" "$2/image.true"
}

# same_as_linked NAME DIRECTORY: module.ko against image
same_as_linked()
{
	check_encode "$1, linked" "$2/image" "$2/image.btf" || return 0
	check_encode "$1" "$2/module.ko" "$2/module.btf" || return 0
	check_rules "$1" "$2/module.btf"
	expect "$1: the BTF of the linked image" cmp "$2/module.btf" "$2/image.btf"
	same_evidence "$1" "$2"
}

# check NAME LINKERS COMPILER [FLAG]...: NAME begins with a machine; "unread" for libdwfl in it. A
# linker of $emulation, if that is set.
emulation=
check()
{
	name=$1 linkers=$2 command=$3
	directory=$work/objects
	rm -rf "$directory"
	shift 3
	have "$command" "$name" || return 0
	# shellcheck disable=SC2086 # a list of commands
	linker $linkers || {
		skip "$name" "its linker is not installed"
		return
	}
	compile "$directory" "$command" "$@" || {
		skip "$name" "$(head -n 1 "$work/log")"
		return
	}
	# shellcheck disable=SC2046,SC2086 # names without blanks
	if ! "$linker" $emulation -r -T "$work/module.lds" -o "$directory/module.ko" $(objects "$directory") \
		2>"$work/log" ||
	   ! "$linker" $emulation -static -e 0 --unresolved-symbols=ignore-all -z noexecstack \
		-T "$work/image.lds" -o "$directory/image" $(objects "$directory") 2>"$work/log"; then
		not_ok "$name: links" "$work/log"
		return
	fi
	# shellcheck disable=SC2046 # names without blanks
	[ "${name##*unread*}" = '' ] ||
		compare_reading "$name" $(objects "$directory") "$directory/module.ko"
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
emulation='-m elf_i386'
check 'i386' 'i686-linux-gnu-ld ld' gcc-12 -m32 -mregparm=3 -freg-struct-return -gdwarf-5
emulation=
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

# In these sources the compiler changes functions, so that verdicts need instructions.
plain=$sources
sources='clones trap_split trap_stack trap_unread trap_unread_caller trap_names trap_names_other
	trap_pad'
check 'x86-64, traps' "$gnu" gcc-12 -gdwarf-5 -mcmodel=kernel
check 'x86-64, traps, traced' "$gnu" gcc-12 -gdwarf-5 -mcmodel=kernel -pg -mfentry
check 'x86-64, traps, thunks' "$gnu" gcc-12 -gdwarf-5 -mcmodel=kernel \
	-mfunction-return=thunk-extern -mindirect-branch=thunk-extern
check 'x86-64, traps, clang' "$gnu" clang-22 -gdwarf-5 -mcmodel=kernel
check 'x86-64, traps, clang, traced' "$gnu" clang-22 -gdwarf-5 -mcmodel=kernel -pg -mfentry
check 'x86-64, traps, clang, a section per function' "$gnu" clang-22 -gdwarf-5 -mcmodel=kernel \
	-ffunction-sections
sources='clones trap_split trap_stack trap_unread trap_unread_caller trap_names trap_names_other'
check 'aarch64, traps' aarch64-linux-gnu-ld aarch64-linux-gnu-gcc-12 -gdwarf-5
check 'aarch64, traps, clang' 'aarch64-linux-gnu-ld ld.lld-22' clang-22 \
	--target=aarch64-linux-gnu -gdwarf-5 -ffunction-sections

# ---- relocations that cannot be applied ----

# field OBJECT SECTION OFFSET BYTES: overwrites a field of a section's header (ELF64, little endian).
field()
{
	table=$(readelf -hW "$1" | sed -n 's/.*Start of section headers: *\([0-9]*\).*/\1/p')
	# shellcheck disable=SC2059 # they are escapes
	printf "$4" | dd of="$1" bs=1 seek=$((table + 64 * $2 + $3)) conv=notrunc 2>/dev/null
}

number()
{
	readelf -SW "$1" | sed -n "s/^ *\[ *\([0-9]*\)\] $2 .*/\1/p"
}

# In a section's header sh_type is at 4 (SHT_CREL is 0x40000014), sh_flags at 8
# (SHF_RELA_LIVEPATCH is bit 20), sh_link at 40, sh_info at 44.
refused()
{
	"$BTFENC" encode -o out.btf "$1" 2>refused.log
	[ $? -eq 3 ] && grep -q "$2" refused.log
}

(
	cd "$work" || exit 1
	echo 'struct s { int a; } x; int f(struct s *p) { return p->a; }' >plain.c
	printf '.section .rela.more,"",@0x4\n.quad 0,0,0\n.section .note.GNU-stack\n' >more.s
	if [ "$(uname -m)" != x86_64 ] || ! gcc -g -O2 -c plain.c || ! gcc -c more.s ||
		! ld -r -o two.o plain.o more.o; then
		skip "relocations that cannot be applied" "the object is not built"
		exit 0
	fi
	more=$(number two.o .rela.more)
	info=$(printf '\\%03o' "$(number two.o .debug_info)")
	unread=$(printf '\\%03o' "$(number two.o .comment)")
	expect "relocations of nothing" "$BTFENC" encode -o out.btf two.o
	field two.o "$more" 44 "$info"
	expect "a second set for .debug_info is refused" \
		refused two.o 'is the second with relocations'
	field two.o "$more" 8 '\0\0\020'
	expect "a live patch's is the kernel's" "$BTFENC" encode -o out.btf two.o
	field two.o "$more" 8 '\0\0\0'
	cp plain.o crel.o && field crel.o "$(number plain.o .rela.debug_info)" 4 '\024\0\0\100'
	expect "relocations in LLVM's compact form are refused" \
		refused crel.o 'section .rela.debug_info has relocations in LLVM.s compact form (SHT_CREL)'
	cp plain.o symbols.o && field symbols.o "$(number plain.o .rela.debug_info)" 40 '\001'
	expect "those with another section's symbols are refused" \
		refused symbols.o 'section .rela.debug_info changes section [0-9]* by symbols of section 1;'
	field two.o "$more" 44 "$unread"
	field two.o "$more" 40 '\001'
	expect "a damaged one of a section that is not read" "$BTFENC" encode -o out.btf two.o
)

# ---- one module, and what the commands say about it ----

sources=$plain
check 'x86-64' "$gnu" gcc-12 -gdwarf-5 -mcmodel=kernel -pg -mfentry -mrecord-mcount
module=$work/objects/module.ko
if [ ! -s "$module" ]; then
	skip "a module, and what the commands say about it" "it was not built"
	exit 0
fi
"$BTFENC" dump "$work/objects/module.btf" >"$work/dump"

expect 'a module: its kfuncs are tagged' test "$(grep -c "DECL_TAG 'bpf_kfunc'" "$work/dump")" = 6
expect 'a module: its per-CPU section' test "$(grep -c "DATASEC '.data..percpu'" "$work/dump")" = 1
expect 'a module: a per-CPU variable' test "$(grep -c " VAR 'cpu_number'" "$work/dump")" = 1

# expect_text NAME PATTERN COMMAND...: stdout and stderr have a line like that
expect_text()
{
	text_name=$1 text_pattern=$2
	shift 2
	"$@" >"$work/text" 2>&1
	grep -q -- "$text_pattern" "$work/text"
	outcome $? "$text_name" "$work/text"
}
expect_text 'explain: sections in place of addresses' '^  at \.text+0x[0-9a-f]*: percpu_a_run, ' \
	"$BTFENC" explain percpu_a_run "$module"
expect_text 'explain: the line in the source' '^  vmlinux-fixtures/percpu_a.c:[0-9]' \
	"$BTFENC" explain percpu_a_run "$module"
expect_text 'explain: a hook is found in the section __mcount_loc' 'yes, by fentry' \
	"$BTFENC" explain percpu_a_run "$module"
expect_text 'explain --json: an address in a section' '"address": "\.text+0x' \
	"$BTFENC" explain --json percpu_a_run "$module"
expect_text 'explain: what is in .init.text goes' 'only while the module is loaded' \
	"$BTFENC" explain start_kernel "$module"
expect_text 'stats' 'are in .init.text, which is freed when the kernel has booted or the' \
	"$BTFENC" stats "$module"

# ---- what cannot be read ----

# e_machine: 8 is MIPS.
cp "$module" "$work/mips.o"
printf '\010\000' | dd of="$work/mips.o" bs=1 seek=18 conv=notrunc 2>/dev/null
expect_text 'a machine whose relocations are not known is refused' \
	'is a relocatable object of machine 8, whose relocations are not known' \
	"$BTFENC" encode -o "$work/out" "$work/mips.o"
# The relocations of another machine: 386 in 64 bits; riscv64 (0xf3) knows no type 10.
cp "$module" "$work/riscv.o"
printf '\363\000' | dd of="$work/riscv.o" bs=1 seek=18 conv=notrunc 2>/dev/null
expect_text 'a relocation that is not known is refused' \
	'section .debug_info has a relocation of type 10 at 0x' \
	"$BTFENC" encode -o "$work/out" "$work/riscv.o"
