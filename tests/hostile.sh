#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Inputs whose readers may be quadratic (bench/hostile.py, which `BENCH=hostile make bench` measures).
# Most take time in proportion to their size. Where many DIEs refer to the same bytes none does, so
# that has a limit: a file beyond it is refused, and one of the same kind below it is not.
. tests/lib.sh

have python3 "hostile inputs" || exit 0
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE

# refused CASE SIZE FEATURES MESSAGE; a fortieth of that size is taken.
refused()
{
	name="hostile: $1 of $2 is refused"
	python3 bench/hostile.py "$1" "$2" "$work/in" &&
		python3 bench/hostile.py "$1" "$(($2 / 40))" "$work/small" || return
	for jobs in 1 2; do
		"$BTFENC" encode -j$jobs --features "$3" -o "$work/out" "$work/in" 2>"$work/log"
		[ $? -eq 3 ] && grep -q "$4; the file is damaged$" "$work/log" &&
			[ "$(wc -l <"$work/log")" -eq 1 ] && [ ! -e "$work/out" ]
		outcome $? "$name, -j$jobs" "$work/log"
	done
	expect "hostile: $1 of $(($2 / 40)) is encoded" \
		"$BTFENC" encode --features "$3" -o "$work/out" "$work/small"
	rm -f "$work/out" "$work/out.inline"
}

# encode_within KIB CASE SIZE
encode_within()
{
	python3 bench/hostile.py "$2" "$3" "$work/in" &&
		(limit_memory "$1" && "$BTFENC" encode -j1 -o "$work/out" "$work/in")
}

# 80 bytes for each parameter's finding; with room for the pieces of a location it was 264.
expect "hostile: 400,000 parameters in 180 MB" encode_within 180000 parameters_of_one 400000
rm -f "$work/out"

# Each name with all names before it, that took 16 s.
explained()
{
	# shellcheck disable=SC3045 # dash has it
	python3 bench/hostile.py inline_sites 100000 "$work/in" &&
		(ulimit -t 5 && "$BTFENC" explain f "$work/in") | grep '^f: yes, '
}
expect "hostile: explain of a function with 100,000 names inlined into it" explained

# FUNCs whose names are each as long as all strings, but for a byte: these were 900 MB for 88 KB.
long_names()
{
	# shellcheck disable=SC3045 # dash has it
	python3 - "$work/in" <<'EOT' &&
import struct, sys
count, bytes = 4000, 40000
strings = b"\0" + b"f" * bytes + b"\0int\0"
types = struct.pack("<IIII", bytes + 2, 1 << 24, 4, 1 << 24 | 32) + struct.pack("<III", 0, 13 << 24, 1)
for i in range(count):
    types += struct.pack("<III", 1 + i, 12 << 24, 2)
    types += struct.pack("<III", 1 + i, 8 << 24, 1)
open(sys.argv[1], "wb").write(struct.pack("<HBBIIIII", 0xeb9f, 1, 0, 24, 0, len(types), len(types),
                                          len(strings)) + types + strings)
EOT
		(ulimit -v 200000 && ulimit -t 5 && "$BTFENC" diff "$work/in" "$work/in" &&
			{ "$BTFENC" diff --types "$work/in" "$work/in" || test $? -eq 3; } &&
			"$BTFENC" dump "$work/in" >"$work/out" && test "$(wc -c <"$work/out")" -lt 6000000 &&
			{ "$BTFENC" check "$work/in" >"$work/out" || test $? -eq 1; } &&
			{ "$BTFENC" list -f "$work/in" || test $? -eq 1; })
}
expect "hostile: names of 40,000 bytes" long_names
rm -f "$work/out"

# A prototype of 66 KB, in each of 10,000 functions, or members: 177 KB became 655 MB.
long_prototype()
{
	python3 - "$work/in" "$1" "${2:-10000}" <<'EOT'
import struct, sys
count, parameters = int(sys.argv[3]), 130
strings = b"\0int\0" + b"s" * 500 + b"\0big\0"
types = struct.pack("<IIII", 1, 1 << 24, 4, 1 << 24 | 32)
types += struct.pack("<III", 5, 4 << 24, 0) + struct.pack("<III", 0, 2 << 24, 2)
types += struct.pack("<III", 0, 13 << 24 | parameters, 1) + struct.pack("<II", 1, 3) * parameters
members = b""
for i in range(count):
    name = b"f%d\0" % i
    if sys.argv[2] == "function":
        types += struct.pack("<III", len(strings), 12 << 24, 4)
    members += struct.pack("<III", len(strings), 5, i * 64)
    strings += name
if sys.argv[2] == "member":
    types += struct.pack("<III", 0, 2 << 24, 4) + struct.pack("<III", 506, 4 << 24 | count, count * 8) + members
open(sys.argv[1], "wb").write(struct.pack("<HBBIIIII", 0xeb9f, 1, 0, 24, 0, len(types), len(types),
                                          len(strings)) + types + strings)
EOT
}
# prints_within MIB ARGUMENT...
prints_within()
{
	# shellcheck disable=SC3045 # dash has it
	(ulimit -v 400000 && ulimit -t 10 && most=$(($1 << 20)) && shift && "$BTFENC" "$@" >"$work/out" && test "$(wc -c <"$work/out")" -lt "$most")
}
long_prototype function
expect "hostile: such BTF is correct" "$BTFENC" check "$work/in"
expect "hostile: list: 10,000 prototypes of 66 KB" prints_within 1 list -f "$work/in"
expect "hostile: list: they are there without them" grep -qx 'f9999(?)' "$work/out"
expect "hostile: list, as JSON" prints_within 8 list --format json -f "$work/in"
expect "hostile: diff" prints_within 1 diff "$work/in" "$work/in"
long_prototype function 30000
"$BTFENC" diff "$work/in" "$work/in" 2>"$work/log"
expect "hostile: diff refuses 30,000" grep -q ': its prototypes are out of all proportion to the file; ' "$work/log"
python3 - "$work/in" <<'EOT'
import struct, sys
count, strings = 65535, b"\0" + b"n" * 500 + b"\0big\0"
types = struct.pack("<III", 502, 6 << 24 | count, 4)
types += b"".join(struct.pack("<II", 1 + i % 100, i) for i in range(count))
open(sys.argv[1], "wb").write(struct.pack("<HBBIIIII", 0xeb9f, 1, 0, 24, 0, len(types), len(types),
                                          len(strings)) + types + strings)
EOT
expect "hostile: explain: 65,535 enumerators of 450 bytes" prints_within 20 explain big "$work/in"
expect "hostile: explain: they end so, too" grep -qx '    /\* \.\.\. \*/' "$work/out"
long_prototype member
expect "hostile: explain: 10,000 members of 66 KB" prints_within 20 explain big "$work/in"
expect "hostile: explain: it ends with what is left out" grep -qx '    /\* \.\.\. \*/' "$work/out"
expect "hostile: explain, as JSON" prints_within 40 explain --json big "$work/in"
rm -f "$work/in" "$work/out"

# Instances whose parameters have long types: 776 KB became 2.1 GB, and 4 GB as JSON.
python3 bench/hostile.py long_types 10000 "$work/in"
python3 bench/hostile.py long_types 2000 "$work/small"
for how in '' --json '--script tracefs' '--script libbpf'; do
	# shellcheck disable=SC2086 # words
	expect "hostile: explain $how: 10,000 instances with long types" \
		prints_within 64 explain $how f "$work/in"
done
expect "hostile: stats --functions of them" prints_within 64 stats --functions - "$work/in"
python3 bench/hostile.py long_clones 100000 "$work/clones"
"$BTFENC" stats --functions "$work/list" "$work/clones" 2>"$work/log"
expect "hostile: stats --functions refuses 100,000 clones of 17 bytes with long prototypes" grep -q \
	': its prototypes are out of all proportion to the file; ' "$work/log"
rm -f "$work/clones"
expect "hostile: diff of 2,000 of them" prints_within 1 diff -j1 "$work/small" "$work/small"
"$BTFENC" explain f "$work/in" 2>"$work/log" >"$work/out"
expect "hostile: what is left out is said" grep -q \
	'in: what it says of f is out of all proportion to its size; the rest of its sites' "$work/log"

# A tracepoint with 10,000 arguments of 66 KB each: 82 KB became 1.3 GB.
python3 - "$work/in" <<'EOT'
import struct, sys
def head(name, kind, count, value): return struct.pack("<III", name, kind << 24 | count, value)
strings = b"\0" + b"s" * 500 + b"\0btf_trace_event\0"
types = head(1, 4, 0, 0) + head(0, 2, 0, 1)
types += head(0, 13, 130, 1) + struct.pack("<II", 1, 2) * 130 + head(0, 2, 0, 3)
types += head(0, 13, 10001, 0) + struct.pack("<II", 0, 2) + struct.pack("<II", 0, 4) * 10000
types += head(0, 2, 0, 5) + head(502, 8, 0, 6)
open(sys.argv[1], "wb").write(struct.pack("<HBBIIIII", 0xeb9f, 1, 0, 24, 0, len(types), len(types),
                                          len(strings)) + types + strings)
EOT
for how in '' --json '--script bpftrace' '--script tracefs' '--script libbpf'; do
	# shellcheck disable=SC2086 # words
	expect "hostile: explain $how: a tracepoint with 10,000 arguments" \
		prints_within 3 explain $how event "$work/in"
done

# Sites of 12 bytes, each of a function with 60 parameters: 721 KB became 1.8 GB; or 60,000.
sites_of_many()
{
	python3 - "$work/in" "$1" "$2" <<'EOT'
import struct, sys
def head(name, kind, count, value): return struct.pack("<III", name, kind << 24 | count, value)
sites, count = int(sys.argv[2]), int(sys.argv[3])
strings = b"\0" + b"n" * 500 + b"\0int\0.text\0fun\0"
types = head(502, 1, 0, 4) + struct.pack("<I", 1 << 24 | 32)
types += head(0, 13, count, 1) + struct.pack("<II", 1, 1) * count + head(512, 12, 0, 2)
types += head(0, 21, count, 0) + bytes(4 * count)	# LOC_PROTO
types += head(506, 22, sites, 0) + b"".join(struct.pack("<III", 3, 4, 16 * i) for i in range(sites))
open(sys.argv[1], "wb").write(struct.pack("<HBBIIIII", 0xeb9f, 1, 0, 24, 0, len(types), len(types),
                                          len(strings)) + types + strings)
EOT
}
for shape in '60000 60' '10000 60000'; do
	# shellcheck disable=SC2086 # words
	sites_of_many $shape
	expect "hostile: dump: sites and parameters: $shape" prints_within 100 dump "$work/in"
	expect "hostile: explain --json: sites and parameters: $shape" \
		prints_within 64 explain --json fun "$work/in"
done
"$BTFENC" dump "$work/in" 2>"$work/log" >"$work/out"
expect "hostile: what dump leaves out is said" grep -q \
	"in: what its sites repeat is out of all proportion to its size; the rest is" "$work/log"

# within ARGUMENT...: a refusal is an answer.
within()
{
	# shellcheck disable=SC3045 # dash has it
	(ulimit -t 4 && "$BTFENC" "$@" >"$work/out" 2>"$work/log"; test $? -le 3)
}
# Functions f.isra.N by DWARF took 16 s, sections named .BTF 7 s.
for case in suffixed_by_dwarf suffixed_instances sections_of_btf aliases; do
	python3 bench/hostile.py $case 40000 "$work/in"
	cp "$work/in" "$work/small"
	expect "hostile: $case: encode in place" within encode "$work/small"
	for command in "stats -j1" "list -j1 -f" "explain -j1 f" "explain --json -j1 f"; do
		# shellcheck disable=SC2086 # words
		expect "hostile: $case: $command" within $command "$work/in"
	done
	rm -f "$work/small"
done
# With -ffunction-sections each site has a section of its own: encode went through all for each, explain did.
python3 bench/hostile.py functions_in_sections 34000 "$work/in"
nm "$work/in" >"$work/map"
for command in "encode --features +func_secinfo=inline -o $work/raw $work/in" \
	"encode --features +inline,+func_secinfo -o $work/raw $work/in" "stats -j1 --functions $work/list $work/in" \
	"diff -j1 $work/in $work/list" "diff --types $work/raw $work/raw" "list -f $work/in" "list -f $work/raw" \
	"explain --json in $work/in" \
	"explain --script libbpf in $work/in" "explain in $work/raw --symbols $work/map" \
	"dump $work/raw.extra" "check $work/raw.extra"; do
	# shellcheck disable=SC2086 # words
	expect "hostile: functions_in_sections: ${command%%"$work"*}" within $command
done
python3 bench/hostile.py functions_in_sections 65000 "$work/in"
for command in "encode --features +func_secinfo=inline -o $work/raw $work/in" \
	"encode --features +inline,+func_secinfo $work/in" "check $work/in" "explain --records in $work/in"; do
	# shellcheck disable=SC2086 # words
	expect "hostile: functions_in_sections: 65,000: ${command%%"$work"*}" within $command
done
rm -f "$work/in" "$work/out" "$work/map" "$work/list" "$work"/raw*

# Each function asks how a struct of 16 bytes is aligned, which all types may show.
python3 - "$work/in" <<'EOT'
import struct, sys
count, names = 20000, bytearray(b"\0")
def name(text):
    names.extend(text.encode() + b"\0")
    return len(names) - len(text) - 1
def record(kind, named, word, *words, count=0):
    return struct.pack(f"<III{len(words)}I", named, kind << 24 | count, word, *words)
a, b = name("a"), name("b")
types = [record(1, name("u64"), 8, 64), record(4, name("pair"), 16, a, 1, 0, b, 1, 64, count=2),
         record(13, 0, 1, a, 1, b, 2, count=2)]
types += [record(4, name(f"s{i}"), 16, a, 1, 0, count=1) for i in range(count)]
types += [record(12, name(f"f{i}"), 3) for i in range(count)]
types = b"".join(types)
open(sys.argv[1], "wb").write(struct.pack("<HBBIIIII", 0xeb9f, 1, 0, 24, 0, len(types), len(types), len(names)) +
                              types + names)
EOT
expect "hostile: list: 20,000 functions that ask all types" sh -c \
	"(ulimit -t 4 && exec '$BTFENC' list --attachable fentry -f '$work/in') | grep -q '^u64 f19999('"
# All sections have one name of a megabyte.
python3 - "$work/in" <<'EOT'
import struct, sys
count, length = 20000, 1 << 20
names = b"\0" + b"A" * length + b"\0.shstrtab\0"
table = (64 + len(names) + 7) // 8 * 8
header = b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, 0, 0, table, 0, 64, 0, 0, 64, count + 2, 1)
def section(name, kind, flags, address, size):
    return struct.pack("<IIQQQQIIQQ", name, kind, flags, address, 64, size, 0, 0, 1, 0)
sections = section(0, 0, 0, 0, 0) + section(length + 2, 3, 0, 0, len(names))
sections += b"".join(section(1, 8, 2, 0x1000 * i, 16) for i in range(count))
open(sys.argv[1], "wb").write((header + names).ljust(table, b"\0") + sections)
EOT
# shellcheck disable=SC3045 # dash has it
(ulimit -t 4 && "$BTFENC" stats "$work/in") 2>"$work/log"
expect "hostile: 20,000 sections of one long name" grep -q 'has no DWARF' "$work/log"
rm -f "$work/in" "$work/out"

# The same of symbols.
long_symbols()
{
	# shellcheck disable=SC3045 # dash has it
	echo 'int kept(int a) { return a; }' >"$work/in.c" && gcc -g -c -o "$work/in.o" "$work/in.c" &&
		python3 - "$work/in.o" "$1" "$work/in" <<'EOT' &&
import struct, sys
image, count, bytes = bytearray(open(sys.argv[1], "rb").read()), int(sys.argv[2]), 160000
assert image[4] == 2 and image[5] == 1
headers, = struct.unpack_from("<Q", image, 40)
def section(i):
    return list(struct.unpack_from("<IIQQQQIIQQ", image, headers + 64 * i))
symbols = next(i for i in range(struct.unpack_from("<H", image, 60)[0]) if section(i)[1] == 2)
def append(i, more):
    header = section(i)
    old = image[header[4]:header[4] + header[5]]
    image.extend(bytearray(-len(image) % 8))
    header[4], header[5] = len(image), len(old) + len(more)
    image.extend(old + more)
    struct.pack_into("<IIQQQQIIQQ", image, headers + 64 * i, *header)
    return len(old)
first = append(section(symbols)[6], b"k" * bytes + b"\0")
append(symbols, b"".join(struct.pack("<IBBHQQ", first + i, 0x12, 0, 1, 0, 1) for i in range(count)))
open(sys.argv[3], "wb").write(image)
EOT
		(ulimit -t 2 && "$BTFENC" encode -o "$work/out" "$work/in") 2>"$work/log"
}
if [ "$(uname -m)" = x86_64 ]; then
	long_symbols 50000
	expect "hostile: symbols with names of 160,000 bytes are refused" grep -q \
		'^btfenc: .*/in: its symbols read the section of their names 16 times over; ' "$work/log"
	# A linked program has many symbols of one name, which is there once.
	expect "hostile: of 16 MB together they are not" long_symbols 100
	# Of a header with 2,000 static constants, in 230 units.
	constants()
	{
		# shellcheck disable=SC2046 # words
		python3 -c 'for i in range(2000): print(".local %s%d\n.comm %s%d,8" % (("c" * 150, i) * 2))' |
			gcc -x assembler -c -o "$work/constants.o" - &&
			ld -r -o "$work/in" "$work/in.o" $(yes "$work/constants.o" | head -n 230) &&
			"$BTFENC" encode -o "$work/out" "$work/in"
	}
	expect "hostile: nor is one long name in many units" constants
fi
rm -f "$work/out" "$work/in" "$work/in.o" "$work/in.c" "$work/constants.o"

sets_at_one_address()
{
	image=$FIXTURES/gcc12-dwarf5/vmlinux
	# shellcheck disable=SC3045 # dash has it
	"$BTFENC" encode -o "$work/base" "$image" &&
		{ nm -n "$image" && seq 200000 | sed 's/^/fffffffffff00000 d __BTF_ID__set8__s/'; } >"$work/in" &&
		(ulimit -t 4 && exec "$BTFENC" explain fmod_ret/keep_all "$work/base" --symbols "$work/in") >"$work/log"
}
expect "hostile: a list of symbols with 200,000 sets of BTF ids at one address" sets_at_one_address

# The search in all connected code was repeated after each unit with code of its own: 15 s.
folded_in_turn()
{
	# shellcheck disable=SC3045 # dash has it
	python3 bench/hostile.py folded_in_turn 20000 "$work/in" &&
		(ulimit -t 5 && "$BTFENC" encode -j1 -o "$work/out" "$work/in")
}
expect "hostile: units with and without code in turn" folded_in_turn

# Rounds over the pairs of both would be as many as the chain has turns: 1.5 s for 8,000, and
# four times that for twice as many.
for name in base module; do
	python3 bench/hostile.py turns_in_$name 20000 "$work/$name" || exit 1
done
"$BTFENC" encode -o "$work/btf" "$work/base"
# split TYPES FILE
split()
{
	"$BTFENC" encode -j1 -b "$work/btf" -o "$work/out" "$2" &&
		"$BTFENC" check -b "$work/btf" "$work/out" | grep "out: $1 types\?, no errors"
}
expect "hostile: split BTF of a chain that differs in one struct has all of it" split 40000 "$work/module"
expect "hostile: of the same chain it has nothing" split 0 "$work/base"
# Each with each, they were 1.4 GB for 4,000 structs; in 14 s for 20,000, as none is like another.
for case in one_name one_name_sizes one_name_self; do
	python3 bench/hostile.py $case 20000 "$work/base" || exit 1
	"$BTFENC" encode -o "$work/btf" "$work/base"
	for features in default +distilled_base; do
		# split_within KIB SECONDS
		split_within()
		{
			# shellcheck disable=SC2016 # of the shell that runs it
			(limit_memory "$1" &&
				sh -c 'ulimit -t "$0"; exec "$@"' "$2" "$BTFENC" encode -j1 \
					--features "$features" -b "$work/btf" -o "$work/out" \
					"$work/base")
		}
		expect "hostile: split BTF of $case, $features, in 100 MB and 3 s" \
			split_within 100000 3
	done
done
rm -f "$work/out" "$work/btf"

parts='because too many refer to the same parts of it'

refused location_lists 4000 default "read .debug_loclists 16 times over, $parts"
refused location_lists_overlap 4000 default "read .debug_loclists 16 times over, $parts"
refused range_lists 4000 default "read .debug_rnglists 16 times over, $parts"
refused range_lists_inlined 4000 +inline "read .debug_rnglists 16 times over, $parts"
refused range_lists_of_units 4000 default "read .debug_rnglists 16 times over, $parts"
refused abbreviation_tables 8000 default "read .debug_abbrev 16 times over, $parts"
refused abbreviation_tables_in_turn 8000 default "read .debug_abbrev 16 times over, $parts"
refused suffix_function_names 40000 default "read .debug_str 16 times over, $parts"
refused suffix_strings 400000 default \
	'its types have names of more than 256 MiB together, and BTF has room for 16'
refused typedefs 40000 default "read .debug_info 16 times over, $parts"
refused frame_instructions 12000 +inline "read .debug_frame 16 times over, $parts"
grep -aq libcapstone "$BTFENC" || {
	skip "hostile: code" "no decoder of instructions in this build"
	exit 0
}
refused calls_of_one_address 4000 default "read code 16 times over, $parts"
refused long_functions 40000 default "read code 16 times over, $parts"
