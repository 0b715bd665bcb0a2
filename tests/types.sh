#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# `btfenc explain` asked for types and members: offsets and sizes are the compiler's, declarations
# have holes, several files make a table; of BTF, DWARF, and a running kernel made up of files.
. tests/lib.sh
. tests/lib_explain.sh

says_group=types

cd "$work" || exit 1

cat >types.h <<'EOT'
struct inner { char first; long second; };
typedef unsigned int u32;
typedef struct { short x, y; } pair;
struct other { int before; struct inner within; };
struct outer {
	char one;
	struct { int two; union { u32 three; char bytes[4]; }; };
	struct inner four, *five;
	unsigned int six : 3, seven : 7;
	struct other *const eight[2];
	struct { int nine; } named[3];
	char ten;
	const pair eleven;
	void (*twelve)(struct outer *);
	char text[9];
};
enum which { MINUS = -1, PLUS = 1 };
typedef enum { NARROW, WIDE = 0xffffffffffffffff } wide;
enum { LONE = 5 };
union either { int a; char b; };
struct step { int number; unsigned int bit : 1; };
struct reach {
	struct step *step, many[3], *pointers[2], grid[2][3], **list, (*row)[3];
	struct { unsigned int flag : 1; } *nameless;
	unsigned char bytes[6];
	signed char signs[2];
	char rows[2][8];
	_Bool bools[4];
	struct step tail[];
};
EOT
cat >types.c <<'EOT'
#include "types.h"
struct outer outer;
enum which which;
union either either;
wide wide_one;
struct reach reach;
int lone = LONE;
struct extra { int more; } extra;
struct twice { struct step a, b; } twice;
struct shared { int all, part; } shared;
struct either_ops { int (*first)(struct outer *); void (*second)(int); };
struct bpf_struct_ops_either_ops { int common; struct either_ops data; } ops;
int use(struct outer *p) { return p->six; }
EOT
cat >offsets.c <<'EOT'
#include <stddef.h>
#include <stdio.h>
#include "types.h"
#define SHOW(type, member, path) printf(path " %zu %zu\n", 8 * offsetof(type, member), \
	8 * sizeof(((type *)0)->member))
int main(void)
{
	SHOW(struct outer, one, "outer.one");
	SHOW(struct outer, two, "outer.two");
	SHOW(struct outer, three, "outer.three");
	SHOW(struct outer, bytes, "outer.bytes");
	SHOW(struct outer, four.second, "outer.four.second");
	SHOW(struct inner, second, "outer.five.second");
	SHOW(struct inner, second, "outer.eight.within.second");
	SHOW(struct outer, named, "outer.named");
	SHOW(struct outer, eleven.y, "outer.eleven.y");
	SHOW(struct outer, twelve, "outer.twelve");
	SHOW(struct outer, text, "outer.text");
	SHOW(pair, y, "pair.y");
	SHOW(struct reach, many[2], "reach.many[2]");
	SHOW(struct reach, many[2].number, "reach.many[2].number");
	SHOW(struct reach, grid[1], "reach.grid[1]");
	SHOW(struct reach, grid[1][2].number, "reach.grid[1][2].number");
	SHOW(struct reach, grid[1][0].number, "reach.grid[1].number");
	SHOW(struct step, number, "reach.pointers[1].number");
	SHOW(struct reach, tail[7].number, "reach.tail[7].number");
}
EOT
# Through a pointer an offset counts from where it leads: of eight, struct other has struct inner.
sed -i '/eight.within/s/struct inner, second/struct other, within.second/' offsets.c
# C23 calls its base type bool, which nothing declares in the C that libbpf writes.
gcc -std=gnu17 -g -c types.c && gcc -std=gnu17 -o offsets offsets.c && "$BTFENC" encode -o types.btf types.o || exit 1
sed 's/, seven : 7//; s/int two/long two/; s/MINUS = -1, //' types.h >older.h
sed 's/types.h/older.h/' types.c >older.c
gcc -g -c older.c && "$BTFENC" encode -o older.btf older.o || exit 1

for file in types.btf types.o; do
	./offsets | while read -r path offset size; do
		"$BTFENC" explain --json "$path" $file >one.json ||
			echo "$path: exit status $?"
		tr -d ' \n' <one.json | grep -q "\"offset_bits\":$offset,\"size_bits\":$size,\"bitfield\":false}" ||
			{ echo "$path: not $offset, $size:"; cat one.json; }
	done >wrong
	expect "types: $file: offsets and sizes are the compiler's" test ! -s wrong
	[ ! -s wrong ] || cat wrong
done

"$BTFENC" encode --features default,-enum64 -o narrow.btf types.o
answers of-types
for file in types.btf types.o; do
	answers of-enumerators $file '/inlined at each call are not|features \+inline/d'
done
says "a function pointer that they cannot" 0 'outer.twelve types.btf' '!struct_ops'
says "JSON of an enumerator" 0 '--json WIDE types.btf' '"value": "18446744073709551615"'
"$BTFENC" explain outer.second types.btf >stdout 2>stderr
expect "types: a member of a member" grep -q '^outer.four.second: long int, at byte 24, ' stdout
says "members of several members" 1 'twice.number types.btf' '^  twice.a.number$' '^  twice.b.number$'
says "no type, but a clone" 0 'use.isra.0 types.btf' '; use: yes, by fentry'

# ---- what a program that has the lines makes of them ----

cat >program.c <<'EOT'
typedef unsigned char __u8; typedef unsigned short __u16; typedef unsigned int __u32; typedef unsigned long long __u64;
typedef signed char __s8; typedef short __s16; typedef int __s32; typedef long long __s64;
typedef __u16 __be16; typedef __u32 __be32; typedef __u32 __wsum;
enum bpf_map_type { BPF_MAP_TYPE_UNSPEC };
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
EOT
if ! clang -target bpf -O2 -g -c -o program.o program.c 2>log || ! bpftool btf dump file types.btf format c >types_of_it.h 2>log; then
	skip "types: clang takes the lines" "it has no BPF, or there is no bpftool"
else
	echo '#include "types_of_it.h"' >>program.c
	number=0
	for path in outer.one outer.three outer.bytes outer.four outer.four.second outer.five.second outer.seven \
		outer.eight.within.second outer.eight.within outer.named outer.named.nine 'outer.named[2].nine' outer.eleven.y \
		outer.twelve outer.text 'outer.text[3]' shared.part pair.y reach.step.bit reach.nameless.flag reach.many.number \
		reach.many.bit reach.pointers.number reach.pointers.bit 'reach.pointers[1].bit' reach.grid.bit reach.grid.number \
		'reach.grid[1]' 'reach.grid[1][2].number' reach.bytes reach.signs reach.rows 'reach.rows[1]' reach.tail.number \
		'reach.tail[7].bit' which.MINUS PLUS WIDE wide.NARROW; do
		number=$((number + 1))
		"$BTFENC" explain "$path" types.btf >said
		line=$(sed -n 's|  // .*||; s/^  bpf  *//p' said | tail -n 1 | sed "s/&value/\&value_$number/")
		member=$(sed -n 's/.*kprobe: \(.*\)arg0/\10/p' said)
		case $line in
		*'&value'*) echo "typeof($member) value_$number;" ;;
		esac
		parameter=$(echo "$member" | sed -n "s/^((\([^*]*\*\).*/\1p/p")
		# clang 14 crashes on an enumerator that is not used.
		case $line in
		bpf_core_enum*) echo "long f_$number(void) { return $line; }" ;;
		*) echo "void f_$number($parameter) { $line; }" ;;
		esac
	done >>program.c
	expect "types: the program has all lines" test "$(grep -c '^[a-z]* f_.*{ [a-zA-Z].*(.*); }$' program.c)" -eq "$number"
	expect "types: clang takes the lines" clang -target bpf -O2 -g -Werror -Wno-unused-value -c -o program.o program.c
fi

# ---- damage ----

# A struct without a name that has itself as two of its members, which the verifier refuses.
have python3 "types: a struct that contains itself" && python3 - >endless.btf <<'EOT'
import struct
types = struct.pack("<12I", 1, 4 << 24 | 1, 8, 7, 2, 0, 0, 4 << 24 | 2, 8, 15, 2, 0) + struct.pack("<3I", 15, 2, 0)
names = b"\0outer\0inner\0\0next\0"
print(end="", flush=True)
import sys
sys.stdout.buffer.write(struct.pack("<HBBIIIII", 0xeb9f, 1, 0, 24, 0, len(types), len(types), len(names)) + types + names)
EOT
[ ! -s endless.btf ] || says "a struct that contains itself" 0 'struct outer endless.btf' \
	'^    /\* \.\.\. It contains itself: the BTF is damaged. \*/$'
[ ! -s endless.btf ] || expect "types: which ends its declaration" test "$(wc -l <stdout)" -lt 12

# Structs without a name, each twice in the one before: 2^24 members.
if have python3 "types: structs of structs"; then
	python3 - >doubled.btf <<'EOT'
import struct, sys
types = b''.join(struct.pack('<9I', 5 * (i == 1), 4 << 24 | 2, 8, 1, i + 1, 0, 3, i + 1, 32) for i in range(1, 25))
types += struct.pack('<3I', 0, 4 << 24, 0)
strings = b'\0a\0b\0doubled\0'
sys.stdout.buffer.write(struct.pack('<HBBIIIII', 0xeb9f, 1, 0, 24, 0, len(types), len(types),
				    len(strings)) + types + strings)
EOT
	says "structs of structs" 0 'doubled doubled.btf' '^        struct {\.\.\.} b; '
	lines=$(wc -l <stdout)
	expect "types: which are printed to some depth" test "$lines" -gt 256 -a "$lines" -lt 2000
fi

# ---- how large pointers are, without a long ----

# Raw BTF shows it by its offsets, an ELF file by its class.
echo 'struct framer { int (*length)(void); int (*create)(void); } framer;' >framer.c
for target in arm-linux-gnueabi:4 x86_64-linux-gnu:8; do
	bytes=${target#*:}
	if ! clang -target "${target%:*}" -g -c -o "framer$bytes.o" framer.c 2>log || ! "$BTFENC" encode -o "framer$bytes" "framer$bytes.o" ||
	   ! "$BTFENC" encode "framer$bytes.o"; then
		skip "types: pointers of $bytes bytes" "this clang has not the machine"
		continue
	fi
	objcopy --remove-section='.debug*' "framer$bytes.o" "bare$bytes.o" 2>log || cp "framer$bytes.o" "bare$bytes.o"
	for file in framer$bytes bare$bytes.o; do
		says "pointers of $bytes bytes: $file" 0 "framer.create $file" "int (\*)(void), at byte $bytes, $bytes bytes"
		expect "check: $file" "$BTFENC" check "$file"
	done
done

# ---- the running kernel ----

mkdir -p machine/sys/kernel/btf
cp types.btf machine/sys/kernel/btf/vmlinux
"$BTFENC" encode -b types.btf -o machine/sys/kernel/btf/some older.o || exit 1
says "running: the kernel's" 0 '--root machine outer.named' \
	'^outer.named: .*at byte 64,.* from machine/sys/kernel/btf/vmlinux$'
sed 's/extra/only_there/' types.c >module.c
echo 'enum only_enum { ONLY_THERE = 7 } only_enum;' >>module.c
gcc -g -c module.c && "$BTFENC" encode -b types.btf -o machine/sys/kernel/btf/some module.o || exit 1
answers of-types-of-a-running-kernel

# ---- a base that is another kernel's ----

# Names of what is split from it begin one byte late on base "shorter", which breaks no other rule;
# on "longer" they break the rules.
base='struct kept { int a; } kept; int NAME(struct kept *k) { return k->a; }'
for name in right shorter:righ longer:right_there; do
	echo "$base" | sed "s/NAME/${name#*:}/" | gcc -g -c -o base.o -x c - &&
		"$BTFENC" encode -o "${name%:*}" base.o || exit 1
done
echo 'struct kept { int a; }; struct alone { struct kept *kin; long number; } alone;
int mine(struct alone *given) { return given->number; }' | gcc -g -c -o split.o -x c - &&
	"$BTFENC" encode -b right -o split.btf split.o && "$BTFENC" encode -b right split.o || exit 1
for file in split.btf split.o; do
	answers of-types-with-another-base $file
	while IFS='|' read -r other why; do
		"$BTFENC" list -b "$other" -f $file >out 2>said
		expect "list: $file, base $other" sh -c "[ $? -eq 3 ] && [ ! -s out ] && grep -q 'is not split from $other ($why)' said"
		"$BTFENC" dump -b "$other" -t 'struct alone' $file >out 2>said
		expect "dump: a type of $file, base $other" grep -q "^btfenc: warning: .*is not split from $other ($why)" said
	done <<-EOT2
		shorter|most of its names begin within other names
		longer|.*: name-.*
	EOT2
done
echo 'static int __attribute__((noinline)) own(int n) { return n + 1; } int (*used)(int) = own;' | gcc -g -O1 -c -o gone.o -x c - &&
	"$BTFENC" encode -b right gone.o && strip --strip-unneeded gone.o || exit 1
"$BTFENC" list -b right -f gone.o >out 2>said
expect "list: a module without symbols of its functions" grep -q '^int own(int n)' out

# What is to be run then has the bases.
cp right "a base" && cp split.btf broken && printf '\177' | dd of=broken bs=1 seek=31 conv=notrunc 2>/dev/null
"$BTFENC" explain -b "a base" struct alone broken >said 2>&1
# shellcheck disable=SC2016 # the shell that runs the hint expands it
sed -n 's/^btfenc: broken: type [0-9]*: broken record; run: btfenc \(.*\)$/"$BTFENC" \1/p' said >hint
BTFENC=$BTFENC sh ./hint >out 2>&1
expect "types: the hint to check a broken file" sh -c "[ $? -eq 1 ] && grep -q '^broken: .* error' out"

# Without enum64 there is no sign, unless another enum shows that there would be one.
for other in 'enum { X } x;' 'enum { X = -1 } x;'; do
	echo "enum signs { NEGATIVE = -2 } signs; $other" | gcc -g -c -o signs.o -x c -
	for features in default default,-enum64; do
		"$BTFENC" encode --features $features -o signs signs.o
		"$BTFENC" explain NEGATIVE signs >stdout
		expect "types: a negative enumerator, $features, $other" grep -q \
			"^NEGATIVE: $(test $features = default && echo -2, || echo '4294967294 (of the low 32 bits; ')" stdout
	done
done

# Names that are the ends of one long string, the shortest first: comparing or measuring them all takes minutes.
python3 - >ends <<'EOT2'
import struct, sys
COUNT, strings = 400000, b"\0" + b"a" * 8000000 + b"\0"
types = struct.pack("<III", 0, 13 << 24, 0) + b"".join(
    struct.pack("<IIII", COUNT - i, 1 << 24, 4, 32) + struct.pack("<III", COUNT - i, 12 << 24, 1)
    for i in range(COUNT))
sys.stdout.buffer.write(struct.pack("<HBBIIIII", 0xeb9f, 1, 0, 24, 0, len(types), len(types), len(strings)) + types + strings)
EOT2
while read -r command; do
	# shellcheck disable=SC2086 # words
	timeout 20 "$BTFENC" $command ends >/dev/null 2>&1
	expect "types: ends of one string: $command" test $? -lt 2
done <<-'EOT2'
	check
	explain tcp
	explain struct tcp
	explain aaaaaaaa.member
	list -f
	diff --types ends
	dump -t tcp
EOT2
