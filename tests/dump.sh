#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# `btfenc dump` prints what `bpftool btf dump` prints up to 7.8 (later ones add the signatures of
# FUNCs): for one type of every form (written by unit_printer), the same as split BTF on its base, and
# the running kernel's BTF. No bpftool knows sites and locations: here is what dump and check make of
# files that have them.
. tests/lib.sh
. tests/lib_btf.sh

# compare NAME FILE [BASE]
compare()
{
	have bpftool "dump: $1" || return 0
	bpftool ${3:+-B "$3"} btf dump file "$2" >"$work/theirs" 2>"$work/err"
	# What 7.8 says of the running kernel's.
	sed -i '/^skipping .* (will be loaded as base)$/d' "$work/err"
	"$BTFENC" dump "$2" ${3:+--base "$3"} >"$work/ours" 2>>"$work/err"
	if grep -q 'invalid referenced type ID 99' "$work/err"; then
		skip "dump: $1" "this bpftool reads no BTF with a reference that leads nowhere"
	elif [ -s "$work/err" ] || ! [ -s "$work/theirs" ]; then
		not_ok "dump: $1" "$work/err"
	else
		expect "dump: $1" diff "$work/theirs" "$work/ours"
	fi
}

"$TEST_PROGRAMS/unit_printer" "$work/base" "$work/split" || exit 1
compare "one type of every form" "$work/base"
compare "split BTF on its base" "$work/split" "$work/base"
if [ -r /sys/kernel/btf/vmlinux ]; then
	compare "the running kernel" /sys/kernel/btf/vmlinux
else
	skip "dump: the running kernel" "it shows no BTF"
fi

# ---- sites and locations ----

# says NAME STATUS PATTERN COMMAND ARGUMENT...: the output is like the shell pattern.
says()
{
	says_name=$1 says_status=$2 pattern=$3
	shift 3
	"$BTFENC" "$@" >"$work/said" 2>&1
	status=$?
	# shellcheck disable=SC2254 # it is meant as a pattern
	case $status,$(cat "$work/said") in
	$says_status,$pattern) ok "$says_name" ;;
	*)
		echo "(exit status $status, not $says_status, or not '$pattern')" >>"$work/said"
		not_ok "$says_name" "$work/said"
		;;
	esac
}

cd "$work" || exit 1
"$TEST_PROGRAMS/unit_printer" --sites raw raw.extra || exit 1
cp raw.extra unnamed
cp "$FIXTURES/gcc12-dwarf5/vmlinux" plain.elf
objcopy --add-section .BTF=raw plain.elf classic.elf
objcopy --add-section .BTF=raw --add-section .BTF.extra=raw.extra plain.elf both.elf
objcopy --add-section .BTF=base --add-section .BTF.extra=raw.extra plain.elf other.elf
head -c 60 raw.extra >cut-off
objcopy --add-section .BTF=raw --add-section .BTF.extra=cut-off plain.elf broken.elf

says "dump: raw sites" 0 "*(.text+0x10: f a=%di)*(.text+0x20: f a=%di)*" dump raw --machine x86-64
says "dump: registers of another machine" 0 "*(.text+0x10: f a=%x5)*" dump raw --machine arm64
says "dump: no such machine" 2 "*unknown machine 'vax'; known are x86-64, *; see *" \
	dump raw --machine vax
says "dump: raw FILE.extra on top of FILE" 0 \
	"[[]7[]] LOC *(.text+0x0: f by convention)*(.text+0x10: f a=+8(%sp))*+0x14: f.cold)*" \
	dump raw.extra
says "dump: the same with its base given" 0 "[[]7[]] LOC *f.cold'*" dump unnamed -b raw
says "dump: places are those of symbols" 0 "*
	func_id=6 loc_proto_id=4 offset=0x10 ([a-z_]*+0x*: f a=%di)*
	type_id=9 offset=0x14 location_type_id=0 ([a-z_]*+0x*: f.cold)*" dump both.elf
"$BTFENC" dump both.elf | sed 's/ (.*//' >both
{ "$BTFENC" dump raw; "$BTFENC" dump raw.extra; } | sed 's/ (.*//' >apart
expect "dump: .BTF.extra follows .BTF" same_text both apart
says "dump: a broken .BTF.extra" 3 "*.BTF.extra of broken.elf: BTF header: *" dump broken.elf

says "check: inline sites" 0 "raw: [[]*: warning: loc-kinds: *
raw: 6 types, no errors, * warning*" check raw
says "check: raw FILE.extra on top of FILE" 0 "raw.extra: 3 types, no errors" check raw.extra
says "check: under another name it is known by its types" 0 "unnamed: 3 types, no errors" \
	check unnamed -b raw
says "check: raw FILE.extra, FILE given" 0 "raw.extra: 3 types, no errors" check raw.extra -b ./raw
cp raw same
says "check: raw FILE.extra, another base given" 0 "raw.extra: 3 types, no errors" \
	check raw.extra -b same
says "check: both sections" 0 "*
both.elf: .BTF: 6 types, no errors, * warning*
both.elf: .BTF.extra: 3 types, no errors" check both.elf
says "check: .BTF alone" 0 "classic.elf: [[]*
classic.elf: 6 types, no errors*" check classic.elf
says "check: .BTF.extra of another .BTF" 1 \
	"*other.elf: .BTF.extra: * error*; was .BTF replaced *" check other.elf
says "check: a broken .BTF.extra" 3 "*.BTF.extra of broken.elf: BTF header: *broken.elf: .BTF: 6 types*" \
	check broken.elf

"$BTFENC" encode --features +func_secinfo=inline -o low "$FIXTURES/gcc12-dwarf5/vmlinux"
"$BTFENC" encode -b low --features +func_secinfo=inline -o high "$FIXTURES/clang19-dwarf5/vmlinux"
"$BTFENC" encode -o wrong "$FIXTURES/clang19-dwarf5/vmlinux"
says "check: split FILE.extra without the base" 3 \
	"btfenc: high: is split BTF; give -b BASE, *; high is taken by itself" check high.extra
says "check: split FILE.extra takes FILE by itself" 0 "high.extra: * no errors" \
	check high.extra -b low
says "check: and not twice" 0 "high.extra: * no errors" check high.extra -b low -b ./high
says "dump: split FILE.extra takes FILE by itself" 0 "*LOC *" dump high.extra -b low
"$BTFENC" encode --features +inline,+func_secinfo -o parts "$FIXTURES/gcc12-dwarf5/vmlinux"
for file in parts parts.inline parts.extra high.extra; do
	base=
	[ $file != high.extra ] || base="-b low"
	# shellcheck disable=SC2086 # words
	"$BTFENC" dump $file $base >/dev/null 2>warned
	expect "dump: $file: its base is the right one" test ! -s warned
done
# .BTF.inline has no id of its .BTF: what its sites refer to tells.
cp parts.inline low.inline
cp parts.inline wrong.inline
objcopy --add-section .BTF=wrong --add-section .BTF.inline=parts.inline plain.elf not-its.elf
says "dump: FILE.inline next to the BTF that it was made with" 0 "*LOCSEC *" dump low.inline
says "dump: FILE.inline next to another BTF" 3 \
	"btfenc: wrong.inline: does not fit wrong (*): it was made with another BTF, *" dump wrong.inline
says "dump: .BTF.inline of another .BTF" 3 \
	"*btfenc: not-its.elf: .BTF.inline: does not fit .BTF (*): it was made with another BTF, *" dump not-its.elf
says "check: a wrong base is asked about" 1 "*; was it split from another base than wrong?" \
	check high -b wrong
says "dump: a wrong base" 0 "*btfenc: warning: high: is not split from wrong ([[]*), or is damaged; *" \
	dump high -b wrong
"$BTFENC" check high -b wrong >said
expect "check: on a wrong base no more than 20 lines of findings" test "$(wc -l <said)" -eq 22
rm raw
says "check: FILE.extra without FILE" 3 "btfenc: raw.extra: by its name it goes on top of raw, of which: No such file *--base" \
	check raw.extra

# ---- only some types ----

image=$FIXTURES/gcc12-dwarf5/vmlinux
"$BTFENC" encode -o whole "$image" || exit 1
"$BTFENC" dump -t 'struct list_head' whole >some
expect "dump: a type and what it needs" test \
	"$(sed -n "s/^\[[0-9]*\] \([A-Z]*\) '\([a-z_()]*\)'.*/\1 \2/p" some | sort | paste -s -d ,)" = \
	'PTR (anon),STRUCT list_head'
says "dump: a type that is not there" 1 "btfenc: warning: whole: it has no type 'struct nowhere'" \
	dump -t 'struct nowhere' whole
says "dump: an enumerator is no type" 1 "btfenc: warning: whole: it has no type 'FLAVOR_SALT'" \
	dump -t FLAVOR_SALT whole
says "dump: a type that is near" 1 "btfenc: warning: whole: it has no type 'struct list_hed'; near list_hed is struct list_head" \
	dump -t 'struct list_hed' whole
says "dump: a member is no type" 1 "btfenc: warning: whole: it has no type 'list_head.next'" \
	dump -t list_head.next whole
says "dump: an unknown format" 2 "btfenc: dump: unknown format 'json'; known is raw*" \
	dump --format json whole
says "dump: C is made by bpftool" 2 "btfenc: dump: format 'c' is bpftool's: bpftool btf dump file FILE format c*" \
	dump --format c whole
says "dump: the format that it has" 0 '*STRUCT*' dump --format raw -t 'struct list_head' whole

# ---- split BTF without names of its own ----

# It has the empty string alone, and is told from complete BTF by what it refers to.
cd "$work" || exit 1
echo 'int nameless(int a) { return a; }' >nameless.c
if gcc -g -O2 -c nameless.c && "$BTFENC" encode -o below nameless.o &&
   "$BTFENC" encode --features +func_secinfo -b below -o above nameless.o; then
	expect "no names: it has one string" test "$(od -An -tu4 -j20 -N4 above | tr -d ' ')" = 1
	says "no names: check" 0 'above: 1 type, no errors' check -b below above
	says "no names: a base of its records" 0 '*DATASEC*nameless*' dump -b below -b above above.extra
	says "no names: it is no base alone" 3 '*above: refers to types or names that are not there*' encode -b above -o none nameless.o
	says "no names: the base is what is missing" 3 '*give its base with --base*' explain nameless above
fi

# ---- BPF programs ----

# Maps, constants and sections without sizes, what is extern; as it is compiled, and as bpftool links it.
if have clang "check: a BPF program" && have bpftool "check: a BPF program"; then
	cat >"$work/program.c" <<-'EOF'
		#define SECTION(name) __attribute__((section(name), used))
		struct { int (*type)[1]; int *key; } map SECTION(".maps");
		const volatile int constant = 3;
		int zero, number = 5;
		char _license[] SECTION("license") = "GPL";
		extern int CONFIG_HZ __attribute__((section(".kconfig")));
		extern long kfunc(int) __attribute__((section(".ksyms")));
		extern const void symbol __attribute__((section(".ksyms")));
		SECTION("fentry/vfs_read") int program(void *ctx)
		{
			return zero + constant + number + CONFIG_HZ + kfunc((long)&symbol);
		}
	EOF
	if clang -target bpf -O2 -g -c -o program.bpf.o program.c && bpftool gen object linked.bpf.o program.bpf.o; then
		for file in program linked; do
			# Not every objcopy knows BPF.
			place=$(readelf -SW $file.bpf.o | sed -n 's/.* \.BTF  *PROGBITS  *[0-9a-f]*  *\([0-9a-f]*\)  *\([0-9a-f]*\) .*/\1 \2/p')
			tail -c +$((0x${place% *} + 1)) $file.bpf.o | head -c $((0x${place#* })) >$file.btf
			for of in "$file.bpf.o" "$file.btf"; do
				says "check: a BPF program, $of" 0 "$of: * types, no errors, as BTF of a BPF program, *" check "$of"
			done
		done
		# A kernel's has none of its sections: with sizes of 0 it is no program's.
		sed 's/license/_icense/g; s/\.maps/_maps/g; s/\.k\([cs]\)/_k\1/g' program.btf >kernel.btf
		says "check: it is no program's" 1 '*kernel.btf: * errors, *' check kernel.btf
		says "encode: a BPF program" 3 "btfenc: program.bpf.o: is a BPF program, *" encode -o none program.bpf.o
	else
		skip "check: a BPF program" "this clang has no BPF"
	fi
fi
