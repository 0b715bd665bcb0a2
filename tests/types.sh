#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# `btfenc explain` asked for types and members: offsets and sizes are the compiler's, declarations
# have holes, several files make a table; of BTF, DWARF, and a running kernel made up of files.
. tests/lib.sh

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

# says CASE STATUS PATTERN... -- ARGUMENT...: lines of the output.
says()
{
	says_case="types: $1" says_status=$2
	shift 2
	: >patterns
	while [ "$1" != -- ]; do
		printf '%s\n' "$1" >>patterns
		shift
	done
	shift
	"$BTFENC" explain "$@" >said 2>&1
	says_found=$?
	{
		[ $says_found -eq "$says_status" ] || echo "exit status $says_found"
		while IFS= read -r pattern; do
			grep -q -e "$pattern" said || echo "no line matches '$pattern'"
		done <patterns
	} >wrong
	if [ -s wrong ]; then
		cat said >>wrong
		not_ok "$says_case" wrong
	else
		ok "$says_case"
	fi
}

says "a bit field" 0 '^outer.seven: unsigned int, at byte 40, bit 3, 7 bits; from types.btf$' \
	'BPF_CORE_READ_BITFIELD_PROBED(outer, seven)$' -- outer.seven types.btf
says "a scalar, through a pointer" 0 '^outer.five.second: long int, at byte 8 of struct inner, 8 bytes; ' \
	'^  bpf        BPF_CORE_READ(outer, five, second)$' \
	'^  bpftrace   fentry: args.NAME->five->second, kprobe: ((struct outer \*)arg0)->five->second$' -- outer.five.second types.btf
says "a string" 0 'BPF_CORE_READ_STR_INTO(&value, outer, text)$' -- outer.text types.btf
says "a struct" 0 'BPF_CORE_READ_INTO(&value, outer, four)$' -- outer.four types.btf
says "a bit field behind a pointer" 0 \
	'^  bpf        typeof(reach->step) pointer = BPF_CORE_READ(reach, step); BPF_CORE_READ_BITFIELD_PROBED(pointer, bit)$' \
	'^  bpftrace   fentry: args.NAME->step->bit, ' -- reach.step.bit types.btf
says "the first element" 0 'BPF_CORE_READ(reach, many\[0\].number)$' 'args.NAME->many\[0\].number, ' -- reach.many.number types.btf
says "an element" 0 'BPF_CORE_READ(reach, many\[2\].number)$' 'args.NAME->many\[2\].number, ' -- 'reach->many[2].number' types.btf
says "an array of pointers" 0 'BPF_CORE_READ(reach, pointers\[0\], number)$' \
	'args.NAME->pointers\[0\]->number, ' -- reach.pointers.number types.btf
says "two dimensions" 0 'BPF_CORE_READ(reach, grid\[1\]\[0\].number)$' -- 'reach.grid[1].number' types.btf
says "a pointer to a pointer" 0 '^  bpf        not by one macro: a pointer leads to a pointer or an array$' \
	'args.NAME->list\[0\]->number, ' -- reach.list.number types.btf
says "a pointer to an array" 0 '^  bpf        not by one macro: ' 'args.NAME->row\[0\]->number, ' -- reach.row.number types.btf
for path in reach.bytes reach.signs reach.rows reach.bools reach.tail; do
	says "$path is no string" 0 "BPF_CORE_READ_INTO(&value, reach, ${path#*.})\$" -- $path types.btf
done
says "a row of characters is" 0 'BPF_CORE_READ_STR_INTO(&value, reach, rows\[1\])$' -- 'reach.rows[1]' types.btf
says "an index beyond the array" 1 '^reach.many\[3\].number: no element \[3\] in struct step\[3\]; ' -- 'reach.many[3].number' types.btf
expect "types: nothing is near it" test "$(wc -l <said)" -eq 1
says "an index beyond any" 1 ': no element \[4294967295\] in struct step\[\]; ' -- 'reach.tail[4294967295]' types.btf
says "an index of what is no array" 1 ': no element \[0\] in struct step \*; ' -- 'reach.step[0].number' types.btf
for path in 'many[x]' 'many[1' 'many[]' 'many[-1]' 'many[1]number'; do
	says "$path" 1 ': no element .* in struct step' -- "reach.$path" types.btf
done
says "an index of a member that is near" 1 ': no member mny in struct reach; ' '^  reach.many\[1\].bit$' -- \
	'reach.mny[1].bit' types.btf
says "a declaration" 0 '^struct outer: 112 bytes; from types.btf$' '^struct outer {$' \
	'^    char one;  */\*     0        1 \*/$' '^    /\* 3 bytes unused \*/$' '^    struct {$' \
	'^        union {$' '^            char bytes\[4\];  */\*     8        4 \*/$' \
	'^    };  */\*     4        8 \*/$' '^    unsigned int seven : 7;  */\*    40:3   7 bits \*/$' \
	'^    struct other \*const eight\[2\]; ' '^    } named\[3\];  */\*    64       12 \*/$' \
	'^    /\* 54 bits unused \*/$' '^    void (\*twelve)(struct outer \*);' -- struct outer types.btf
says "a keyword and its tag in one word" 0 '^struct inner: 16 bytes' \
	'^  in 2 members: other.within, outer.four$' -- 'struct inner' types.btf
says "a union" 0 '^union either {$' '^    char b;  */\*     0        1 \*/$' -- union either types.btf
says "an enum" 0 '^enum which: 4 bytes' '^    MINUS = -1,$' -- enum which types.btf
says "a member of a typedef" 0 '^pair.y: short int, at byte 2, 2 bytes' -- pair.y types.btf
says "a typedef" 0 '^u32: 4 bytes; from types.btf$' '^typedef unsigned int u32;$' -- typedef u32 types.btf
says "a typedef in one word" 0 '^pair: 4 bytes; from types.btf$' -- 'typedef pair' types.btf
says "a struct is not a typedef" 1 '^outer: no such type; from types.btf$' -- typedef outer types.btf
for name in 'struct inner *' 'struct inner *first' 'const struct inner' 'struct inner {' 'struct inner;'; do
	says "$name" 0 '^struct inner: 16 bytes; from types.btf$' -- "$name" types.btf
done
says "no such member" 1 '^outer.five.third: no member third in struct inner; from types.btf$' -- \
	outer.five.third types.btf
says "a member of what has none" 1 '^outer.one.first: no member first in struct outer; ' -- \
	outer.one.first types.btf
says "no such type" 1 '^struct nothing: no such type; from types.btf$' -- struct nothing types.btf
says "a member that is near" 1 '^outer.five.secnd: no member secnd in struct inner; ' '^  near it are:$' \
	'^  outer.five.second$' -- outer.five.secnd types.btf
expect "types: no more members" test "$(wc -l <said)" -eq 4
says "a member that is near, and one after it" 1 '^  outer.named.nine$' -- outer.namd.nine types.btf
says "a member of what has no name" 1 '^  outer.three$' -- outer.thre types.btf
says "a type that is near" 1 '^struct otter: no such type; ' '^  struct outer$' -- struct otter types.btf
says "a type that is near, and a member" 1 '^  union either.a$' -- union ether.a types.btf
says "nothing is near" 1 '^struct nothing: no such type; ' -- struct nothing types.btf
expect "types: nothing near is said" test "$(wc -l <said)" -eq 1
for file in types.btf types.o; do
	says "$file: enumerators" 1 '^MINU: no function .* is in types.*[fo]$' '^  MINUS, an enumerator$' -- MINU $file
	says "$file: an enumerator" 0 "^MINUS: -1, in enum which; from $file\$" \
		'^  bpf  *bpf_core_enum_value_exists(enum which, MINUS)$' '^  bpf  *bpf_core_enum_value(enum which, MINUS)$' -- MINUS $file
	says "$file: of 64 bits" 0 "^WIDE: 18446744073709551615, in wide; from $file\$" \
		'^  bpf  *bpf_core_enum_value(wide, WIDE)$' -- WIDE $file
	says "$file: of an enum without any name" 0 "^LONE: 5, in enum {\.\.\.}; from $file\$" \
		'^  bpf        not by CO-RE: the enum has no name$' -- LONE $file
	says "$file: of an enum" 0 "^which.MINUS: -1, in enum which; from $file\$" -- which.MINUS $file
	says "$file: of an enum that has it not" 1 "^enum which.MINU: no enumerator MINU in enum which; from $file\$" \
		'^  enum which.MINUS$' -- 'enum which.MINU' $file
	says "$file: of an enumerator" 1 '^which.MINUS.one: no enumerator MINUS.one in enum which; ' -- which.MINUS.one $file
	says "$file: of a typedef" 0 "^wide.WIDE: 18446744073709551615, in wide; " \
		'^  bpf  *bpf_core_enum_value(wide, WIDE)$' -- wide.WIDE $file
	says "$file: no function" 1 '^MINUS: no function .*, only an enumerator$' -- fentry/MINUS $file
	says "$file: a struct, by its name alone" 1 '^  outer, a struct$' -- outr $file
done
says "no member is named" 0 '^outer: 112 bytes; ' -- outer. types.btf
says "an empty member" 1 '^outer..one: no member  in struct outer; ' -- outer..one types.btf
says "a name that is missing" 2 '^btfenc: explain: \.: the name of the type is missing; ' -- . types.btf
says "a keyword alone" 2 '^btfenc: explain: struct: the name of the type is missing; ' -- struct
says "a keyword before a dot" 2 '^btfenc: explain: \.one: the name of the type is missing; ' -- struct .one types.btf
for ops in struct_ops/either_ops struct_ops.s/either_ops either_ops; do
	says "$ops" 0 'either_ops: 16 bytes; BPF programs can implement it (struct_ops); from types.btf$' \
		'^    int (\*first)(struct outer \*); ' -- $ops types.btf
done
says "a member of struct_ops" 0 '^struct either_ops.second: void (\*)(int), at byte 8' -- struct_ops/either_ops.second types.btf
says "a member that programs can implement" 0 '^either_ops.first: int (\*)(struct outer \*), at byte 0, 8 bytes; from types.btf$' \
	'^  bpf  *SEC("struct_ops/first") int BPF_PROG(first, struct outer \*arg1)  // unless the kernel.s check_member() refuses it$' \
	-- either_ops.first types.btf
"$BTFENC" explain outer.twelve types.btf >said
expect "types: a function pointer that they cannot" sh -c '! grep struct_ops said'
says "a struct that is not for struct_ops" 1 '^struct outer: no struct that BPF programs can implement; ' -- \
	struct_ops/outer types.btf
says "several files" 0 '^outer.named$' '^  types.btf  struct {...}\[3\], at byte 64, 12 bytes$' \
	'^  older.btf  struct {...}\[3\], at byte 72, 12 bytes$' -- outer.named types.btf older.btf
says "several files, an index" 0 '^  older.btf  int, at byte ' -- 'reach.many[1].number' types.btf older.btf
says "several files, an index beyond the array" 1 '^  older.btf  no element \[3\] in struct step\[3\]$' -- \
	'reach.many[3]' types.btf older.btf
says "several files, one lacks it" 1 '^  older.btf  no member seven in struct outer$' -- \
	outer.seven types.btf older.btf
says "several files, an enumerator" 1 '^which.MINUS$' '^  types.btf  -1, in enum which$' \
	'^  older.btf  no enumerator MINUS in enum which$' -- which.MINUS types.btf older.btf
says "several files, by its name alone" 1 '^MINUS$' '^  types.btf  -1, in enum which$' \
	'^  older.btf  no such type or enumerator$' -- MINUS types.btf older.btf
says "several files, which have it" 0 '^PLUS$' '^  types.o    1, in enum which$' '^  older.btf  1, in enum which$' -- \
	PLUS types.o older.btf
says "several files, a function" 1 '^  older.btf  no such type or enumerator$' \
	'^  functions and tracepoints are explained of one FILE$' -- use types.btf older.btf
says "the same, of which a table says less" 2 'several FILEs are for types and enumerators only' -- \
	fentry/use types.btf older.btf
"$BTFENC" explain --json WIDE types.btf >said
expect "types: JSON of an enumerator" grep -q '"value": "18446744073709551615"' said
says "a file that is not there" 3 '^btfenc: nothing.btf: ' -- outer.one types.btf nothing.btf
says "no type, but a clone" 0 '; use: yes, by fentry' -- use.isra.0 types.btf

# ---- what a program that has the lines makes of them ----

cat >program.c <<'EOT'
typedef unsigned char __u8; typedef unsigned short __u16; typedef unsigned int __u32; typedef unsigned long long __u64;
typedef signed char __s8; typedef short __s16; typedef int __s32; typedef long long __s64;
typedef __u16 __be16; typedef __u32 __be32; typedef __u32 __wsum;
enum bpf_map_type { BPF_MAP_TYPE_UNSPEC };
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
EOT
if ! clang -target bpf -O2 -g -c -o program.o program.c 2>log || ! "$BTFENC" dump --format c types.btf >types_of_it.h 2>log; then
	skip "types: clang takes the lines" "it has no BPF, or no libbpf"
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
		line=$(sed -n 's/^  bpf  *//p' said | tail -n 1 | sed "s/&value/\&value_$number/")
		member=$(sed -n 's/.*kprobe: \(.*\)arg0/\10/p' said)
		case $line in
		*'&value'*) echo "typeof($member) value_$number;" ;;
		esac
		parameter=$(echo "$member" | sed -n "s/^((\([^*]*\*\).*/\1${path%%.*}/p")
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
[ ! -s endless.btf ] || says "a struct that contains itself" 0 \
	'^    /\* \.\.\. It contains itself: the BTF is damaged. \*/$' -- struct outer endless.btf
[ ! -s endless.btf ] || expect "types: which ends its declaration" test "$(wc -l <said)" -lt 12

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
	says "structs of structs" 0 '^        struct {\.\.\.} b; ' -- doubled doubled.btf
	"$BTFENC" explain doubled doubled.btf >out
	expect "types: which are printed to some depth" test "$(wc -l <out)" -gt 256 -a "$(wc -l <out)" -lt 2000
fi

# ---- the running kernel ----

mkdir -p machine/sys/kernel/btf
cp types.btf machine/sys/kernel/btf/vmlinux
"$BTFENC" encode -b types.btf -o machine/sys/kernel/btf/some older.o || exit 1
says "running: the kernel's" 0 '^outer.named: .*at byte 64,.* from machine/sys/kernel/btf/vmlinux$' -- \
	--root machine outer.named
sed 's/extra/only_there/' types.c >module.c
echo 'enum only_enum { ONLY_THERE = 7 } only_enum;' >>module.c
gcc -g -c module.c && "$BTFENC" encode -b types.btf -o machine/sys/kernel/btf/some module.o || exit 1
says "running: a module's" 0 '^only_there.more: int, at byte 0, 4 bytes; from machine/sys/kernel/btf/some$' -- \
	--root machine only_there.more
says "running: a module's, by its name alone" 0 '^only_there: 4 bytes; from machine/sys/kernel/btf/some$' -- \
	--root machine only_there
says "running: a module's enumerator" 0 '^ONLY_THERE: 7, in enum only_enum; from machine/sys/kernel/btf/some$' -- \
	--root machine ONLY_THERE
says "running: nothing has that name" 1 \
	'^nothing: no function or .* is in machine/sys/kernel/btf/vmlinux, nor in its modules (1)$' -- --root machine nothing
says "running: a module's function that is near" 1 '^  some:use$' -- --root machine usse
says "running: nobody's" 1 '^struct nothing: no such type; from machine/sys/kernel/btf/vmlinux, nor in its modules (1)$' -- \
	--root machine struct nothing

says "a type that is near, but without the member" 1 '^struct otter.first: no such type; ' -- struct otter.first types.btf
expect "types: it is not said" test "$(wc -l <said)" -eq 1

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
	says "$file, its own base" 0 '^struct alone: 16 bytes; ' -- -b right struct alone $file
	while IFS='|' read -r other why; do
		for name in 'struct alone' 'alone.number' mine; do
			says "$file: $name, base $other" 3 \
				"^btfenc: $file: is not split from $other ($why), or is damaged; give the BTF of the kernel that it was built for$" \
				-- -b "$other" "$name" $file
			expect "types: and nothing else" test "$(wc -l <said)" -eq 1
		done
		"$BTFENC" list -b "$other" -f $file >out 2>said
		expect "list: $file, base $other" sh -c "[ $? -eq 3 ] && [ ! -s out ] && grep -q 'is not split from $other ($why)' said"
		"$BTFENC" dump -b "$other" --format c $file >out 2>said
		expect "dump: C of $file, base $other" sh -c "[ $? -eq 3 ] && [ ! -s out ] && grep -q 'is not split from $other ($why)' said"
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
