#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# DWARF can be stored in many ways: type units, the supplementary file of dwz -m, compressed
# sections, a file of its own. One program is built plainly and in each of them, and its types and
# functions must be those of the plain build.
. tests/lib.sh

have python3 'forms of DWARF' || exit 0
root=$(pwd)
cd "$work" || exit 1

# Types that files share, one name with two meanings, static functions, bitfields.
cat >shared.h <<'EOT'
typedef unsigned int u32;
typedef unsigned long u64;
struct list { struct list *next, *prev; };
enum state { STATE_OFF, STATE_ON = 5, STATE_BAD = -1 };
union value { int i; void *p; struct { short low, high; }; };
struct flags { u32 a : 3, b : 7; u64 wide : 40; signed c : 2; };
struct device {
	struct list link;
	const char *name;
	enum state state;
	union value value;
	struct flags flags;
	struct device *parent;
	int (*probe)(struct device *dev, const volatile void *data, u32 count, ...);
	struct opaque *hidden;
	char text[3][17];
	u32 tail[];
};
int device_open(struct device *dev, u32 mode);
long device_sum(const struct device *dev, union value v);
int device_check(struct device *dev);
static inline int both_are_good(struct device *dev)
{
	return device_check(dev) == 0 && device_check(dev->parent) == 0;
}
EOT
cat >a.c <<'EOT'
#include "shared.h"
struct conflict { int in_a; struct device *dev; };
struct conflict one;
struct uses_conflict { struct conflict *c; struct device *d; };
struct uses_conflict used;
__attribute__((noinline)) static int helper(struct conflict *c, int n)
{
	return c->in_a * n + (c->dev ? 1 : 0);
}
__attribute__((noinline)) static int only_a(int **p) { return **p; }
static inline int twice(int n) { return 2 * n; }
int device_open(struct device *dev, u32 mode)
{
	int *p = (int *)dev->text;

	one.dev = dev;
	used.d = dev;
	dev->flags.b = mode;
	if (both_are_good(dev))
		return 1;
	return helper(&one, (int)mode) + helper(&one, twice(dev->value.i)) + only_a(&p);
}
EOT
cat >b.c <<'EOT'
#include "shared.h"
struct conflict { long in_b; struct list head; };
#ifndef ONE_MEANING
struct uses_conflict { struct conflict *c; struct device *d; };
struct uses_conflict also_used;
#endif
struct conflict two;
__attribute__((noinline)) static int helper(struct list *l, char c)
{
	return l->next == l->prev ? c : 2;
}
long device_sum(const struct device *dev, union value v)
{
	long sum = v.i + both_are_good((struct device *)dev);

	for (const struct device *d = dev; d; d = d->parent)
		sum += d->flags.wide + helper((struct list *)&d->link, d->name[0]);
	return sum + two.in_b;
}
EOT
cat >c.c <<'EOT'
#include "shared.h"
typedef int (*handler)(struct device *, u32);
struct only_here { handler h; _Bool on; double d[2]; };
struct only_here table = { device_open, 1, { 0 } };
__attribute__((noinline)) int device_check(struct device *dev)
{
	return table.h(dev, 1) + (int)device_sum(dev, dev->value);
}
int main(void) { return device_check(0); }
EOT

# build DIRECTORY CC FLAG...: its objects, and the linked image
build()
{
	build_out=$1 build_cc=$2
	shift 2
	rm -rf "$build_out" && mkdir "$build_out" && cp [abc].c shared.h "$build_out"
	# Names in the DWARF are relative: as in a kernel's build.
	(cd "$build_out" && "$build_cc" -O2 -g "$@" -c a.c b.c c.c &&
		"$build_cc" -g "$@" -Wl,--build-id -o image a.o b.o c.o) >build.log 2>&1
}

# encode OUT FILE OPTION...: without a warning
encode()
{
	encode_out=$1 encode_file=$2
	shift 2
	"$BTFENC" encode "$@" -o "$encode_out" "$encode_file" >log 2>&1 && ! [ -s log ]
}

# The same bytes, with the addresses and locations that the code of the stripped file confirms.
encode_all()
{
	encode "$1" "$2" --features=default,func_secinfo
}

# same_types NAME PLAIN FILE: the same types and functions, and FILE has some. compare_types says so, of all.
same_types()
{
	pairs=$((pairs + 1))
	if ! encode "pairs/$pairs.plain" "$2" || ! encode "pairs/$pairs.other" "$3"; then
		not_ok "$1" log
	elif wanted "$1"; then
		echo "$1" >"pairs/$pairs.name"
	fi
}
pairs=0
mkdir pairs

# In one process: each pair takes less time than a start of python3.
compare_types()
{
	set -- pairs/*.name
	[ -e "$1" ] || return 0		# not of the cases that are wanted
	PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$tests python3 - pairs/*.name <<'EOT' ||
import sys
import parity
def differences(sides):
    several = {name for side in sides for name, count in side.definitions().items() if count > 1}
    for side in sides:
        side.render(several)
    for one, other, word in ((*sides, 'lost'), (*reversed(sides), 'more')):
        for kind, text, _ in parity.Comparison.surplus(one, other):
            yield f'{word} {parity.KIND[kind]} {text}'
    if not any(kind == parity.FUNC for kind, _ in sides[1].texts):
        yield 'no function'
for path in sys.argv[1:]:
    wrong = list(differences([parity.Btf(path[:-4] + side) for side in ('plain', 'other')]))
    print('not ok -' if wrong else 'ok -', open(path).read().strip())
    for line in wrong[:20]:
        print('    ' + line)
EOT
		not_ok "the types are compared"
}

# says NAME PATTERN ARGUMENT...: a line of what btfenc prints matches
says()
{
	says_name=$1 says_pattern=$2
	shift 2
	"$BTFENC" "$@" >log 2>&1
	says_status=$?
	expect "$says_name" grep -q -e "$says_pattern" log
}

# refused NAME PATTERN FILE [COMMAND]: by COMMAND, if not by encode
refused()
{
	if [ $# = 3 ]; then set -- "$@" "encode -o out"; fi
	# shellcheck disable=SC2086 # words
	says "$1: $2" "$2" $4 "$3"
	expect "$1: one line, exit status 3" test "$says_status $(wc -l <log)" = '3 1'
}

# ---- type units; split DWARF, which is refused ----

# split_off WHOLE LEVEL DEBUG FILE: the DWARF of WHOLE is in DEBUG, whose name FILE, stripped, has.
split_off()
{
	objcopy --only-keep-debug "$1" "$3" && strip "$2" -o "$4.new" "$1" &&
		objcopy --add-gnu-debuglink="$3" "$4.new" "$4"
}

for cc in gcc-11 gcc-12 clang-19 clang-22; do
	have "$cc" "type units of $cc" || continue
	# GCC's signature of a type has only the name of one that a pointer leads to: of two
	# "struct uses_conflict" the linker keeps one.
	case $cc in
	gcc*) meaning=-DONE_MEANING ;;
	*) meaning=-DTWO_MEANINGS ;;
	esac
	for version in 4 5; do
		build plain "$cc" "-gdwarf-$version" $meaning
		build other "$cc" "-gdwarf-$version" $meaning -fdebug-types-section
		for file in image a.o; do
			same_types "type units of DWARF $version, $cc, $file" "plain/$file" "other/$file"
		done
		build other "$cc" "-gdwarf-$version" $meaning -gsplit-dwarf
		for file in image a.o; do
			refused "split DWARF $version of $cc, $file" \
				'what -gsplit-dwarf leaves of a unit, without its types' "other/$file"
		done
	done
done

# ---- dwz -m ----

# What only "three" and "four" have is in the supplementary file, too, and not in "one".
cat >other.c <<'EOT'
#include "shared.h"
struct others_own { struct others_own *next; struct device *dev[4]; u64 many, words, so, that;
	char that_it[99], pays_to[98], share[97], it[96]; };
int other(struct others_own *o, struct device *dev) { return o->dev[0] == dev; }
int main(void) { return 0; }
EOT
# without_lines FUNCTION FILE: what explain says, but for the file: one in a shared unit has none.
without_lines()
{
	"$BTFENC" explain "$1" "$2" |
		sed -e '/^  [a-z]*\.[ch]:[0-9]*$/d' -e "s|, of [ab]\.c$||; s|$2|FILE|"
}

! have dwz 'dwz -m' || ! have gcc-12 'dwz -m' || while read -r version section standard; do
	name="dwz -m, $section, DWARF $version"
	build dwz gcc-12 "-gdwarf-$version"
	(cd dwz && gcc-12 -g "-gdwarf-$version" -O2 -I.. -o three ../other.c &&
		cp three four && cp image one && cp image two &&
		dwz ${standard:+"$standard"} -m common.sup -M common.sup one two three four &&
		grep -qa others_own common.sup && readelf -S one | grep -q "$section"
	) >log 2>&1 || not_ok "$name: prepared" log
	same_types "$name" dwz/image dwz/one
	# What is called, and from where, is libdw's, which knows one of the two and finds it by
	# the folder.
	functions=$("$BTFENC" list -f dwz/image --format names)
	[ "$section" = .gnu_debugaltlink ] || functions=
	for function in $functions; do
		for file in image one; do
			without_lines "$function" "dwz/$file" >"$file.explained"
		done
		expect "$name: explain $function" same_text image.explained one.explained
	done
	mkdir dwz/.debug && mv dwz/common.sup dwz/.debug/
	same_types "$name: below .debug" dwz/image dwz/one
	mv dwz/.debug/common.sup dwz/elsewhere
	for what in 'without the file' 'another file of that name'; do
		says "$name: $what" \
			"needs the supplementary file of dwz -m, 'common.sup' with build id" \
			encode -o out dwz/one
		cp dwz/image dwz/common.sup
	done
done <<'EOT'
4 .gnu_debugaltlink
4 .debug_sup --dwarf-5
5 .gnu_debugaltlink
5 .debug_sup --dwarf-5
EOT

# ---- compressed sections ----

build plain "${CC:-cc}"
for kind in zlib zlib-gnu zstd; do
	if ! objcopy --help | grep -q "[|{]${kind}[|}]"; then
		skip "sections compressed with $kind" 'objcopy cannot'
		continue
	fi
	for file in image a.o; do
		objcopy --compress-debug-sections=$kind "plain/$file" "plain/$kind"
		name="sections compressed with $kind, $file"
		"$BTFENC" encode -o out "plain/$kind" 2>lacks
		if grep -q 'with zstd, and this program was built without libzstd' lacks; then
			skip "$name" 'built without libzstd'
		else
			same_types "$name" "plain/$file" "plain/$kind"
		fi
	done
	# What is compressed may be 64 MiB and 64 times the file: of all sections together, so that
	# one of 60 MiB is read, and two are not. A hole of .debug_info is one unit, not one for each
	# of its words.
	for sections in info 'info line_str'; do
		{
			echo '.section .debug_abbrev,"",@progbits; .byte 0'
			# shellcheck disable=SC2086 # words
			printf '.section .debug_%s,"",@progbits; .zero 60 << 20\n' $sections
		} | as -o zeros.o -
		objcopy --compress-debug-sections=$kind zeros.o
		message='its .debug_info has no units; rebuild with -g$'
		[ "$sections" = info ] ||
			message='compressed section .z\?debug_line_str claims to be 62914560 bytes, .* (64 MiB and 64 times its size)'
		name="$kind, 60 MiB of zeros: $(echo "$sections" | tr ' ' ,)"
		(limit_memory 1000000 && "$BTFENC" encode -o out zeros.o) 2>log
		expect "$name" test $? = 3
		[ -s lacks ] || expect "$name: the message" grep -q "$message" log
	done
	# A hole at the end is nothing that was stored.
	truncate -s 8G zeros.o && stat -c %b zeros.o >blocks
	if [ "$(cat blocks)" -lt 10000 ]; then
		(limit_memory 100000000 && "$BTFENC" encode -o out zeros.o) 2>log
		expect "$kind, with a hole" test $? = 3
		[ -s lacks ] || expect "$kind, with a hole: the message" grep -q "$message" log
	else
		skip "$kind, with a hole" 'this file system has none'
	fi
	rm zeros.o
done
# What a file claims to have without a byte of it: a section over a hole, BTF that is one.
printf '%s\n' '.section .debug_abbrev,"",@progbits; .byte 0' '.section .debug_info,"",@progbits; .zero 100 << 20' |
	as -o full.o - && cp --sparse=always full.o hollow.o && rm full.o
"$BTFENC" encode -o whole plain/image && cp whole hollow && truncate -s 8G hollow && cp whole named.btf &&
	cp --sparse=always hollow named.btf.extra
if [ "$(stat -c %b hollow.o hollow | sort -n | tail -n 1)" -lt 10000 ]; then
	refused 'a section over a hole' 'section .debug_info claims to be 104857600 bytes, and the file has' hollow.o
	for command in dump check 'explain main' 'encode -o out plain/image -b'; do
		refused "BTF over a hole, ${command%% *}" 'hollow: claims to be 8589934592 bytes, and is a hole but for' \
			hollow "$command"
	done
	refused 'records over a hole' 'named.btf.extra: claims to be 8589934592 bytes' named.btf 'explain main'
else
	skip 'files with holes' 'this file system has none'
fi
rm -f hollow* named.btf*
# The name of one form, and the other one: what comes out is not decompressed again.
objcopy --compress-debug-sections=zlib --rename-section .debug_info=.zdebug_info plain/image plain/both &&
	same_types "compressed sections with the other form's name" plain/image plain/both
# A file that the file names is opened only if it is one: this FIFO has no writer.
objcopy --strip-debug plain/image named && mkfifo named.debug && : >empty &&
	objcopy --add-section .gnu_debuglink=empty named 2>/dev/null
printf 'named.debug\0\0\0\0\0' >debug_link && objcopy --update-section .gnu_debuglink=debug_link named
if have strace "a debug link to a FIFO"; then
	strace -f -o trace -e trace=open,openat "$BTFENC" stats named >/dev/null 2>log
	expect "a debug link to a FIFO is not opened" sh -c \
		"test -s trace && grep -v O_PATH trace >opened; ! grep -q 'named\.debug.* = [0-9]' opened"
fi
# Reading it waits, and takes from others what it reads.
if [ -r /proc/kmsg ] && have strace "a debug link to /proc/kmsg"; then
	ln -sf /proc/kmsg named.debug && "$BTFENC" encode -o kept plain/image && ln -sf /proc/kmsg kept.extra
	for command in 'stats named' 'explain main kept' 'list -f kept' 'encode -o kept plain/image'; do
		# shellcheck disable=SC2086 # words
		timeout -s KILL 60 strace -f -y -o trace -e trace=read,pread64,mmap "$BTFENC" $command >/dev/null 2>log
		status=$?
		expect "nothing of /proc/kmsg is read: $command" sh -c \
			"test $status -lt 128 && test -s trace && ! grep kmsg trace"
	done
	rm -f kept.extra
fi
rm -f named.debug

# A header that claims what cannot be: ch_size, at byte 8 of the section, begins with these bytes.
if [ -s plain/zstd ] && ! [ -s lacks ]; then
	at=$(readelf -SW plain/zstd |
		sed -n 's/.* \.debug_info *PROGBITS *[0-9a-f]* \([0-9a-f]*\) .*/\1/p')
	while IFS='|' read -r bytes name message; do
		# shellcheck disable=SC2059 # escapes
		printf "$bytes" | dd of=plain/zstd bs=1 seek=$((0x$at + 8)) conv=notrunc 2>/dev/null
		refused "zstd: $name" "$message" plain/zstd
	done <<-'EOT'
		\377\377\377\377\377|a size that cannot be|compressed section .debug_info claims
		\1\0\0\0\0|another size|cannot decompress section .debug_info: its zstd data are damaged
	EOT
fi

# Sections that share their bytes: 1,000 times .debug_info would be joined, or copied to be relocated.
cat >overlap.py <<'EOT'
import struct, sys
data = open(sys.argv[1], 'rb').read()
table, count = struct.unpack_from('<Q', data, 40)[0], struct.unpack_from('<H', data, 60)[0]
names = struct.unpack_from('<H', data, 62)[0]
headers = [data[table + 64 * i:table + 64 * i + 64] for i in range(count)]
text = struct.unpack_from('<Q', headers[names], 24)[0]
def name(header):
    at = text + struct.unpack_from('<I', header)[0]
    return data[at:data.index(b'\0', at)]
info = [header for header in headers if name(header) == b'.debug_info']
headers += info * int(sys.argv[3])
end = len(data)
data = data[:40] + struct.pack('<Q', end) + data[48:60] + struct.pack('<H', len(headers)) + data[62:]
open(sys.argv[2], 'wb').write(data + b''.join(headers))
EOT
python3 overlap.py plain/image overlap 1000
refused 'sections that overlap' \
	'its sections overlap: they have more than four times the bytes of the file' overlap
python3 overlap.py plain/image overlap 0
expect 'sections that do not' encode out overlap

# ---- a stripped file and its debug file ----

# same_bytes NAME FILE: as out, which is of the whole file
same_bytes()
{
	expect "$1: encoded" encode_all stripped/out "$2"
	expect "$1: the same bytes" cmp out stripped/out
	expect "$1: the same sites" cmp out.extra stripped/out.extra
}

# plain_and_stripped CC FLAG...: a plain build, and an empty folder for what is stripped
plain_and_stripped()
{
	build plain "$@"
	rm -rf stripped && mkdir -p stripped/.debug
}

for cc in gcc-12 clang-19; do
	have "$cc" "a debug file, $cc" || continue
	for file in image module.o; do
		if [ $file = image ]; then level=--strip-all; else level=--strip-debug; fi
		plain_and_stripped "$cc" -fpatchable-function-entry=4
		(cd plain && ld -r --build-id -o module.o [abc].o)
		encode_all out "plain/$file"
		for place in .debug/own.debug own.debug .debug/$file; do
			rm -rf stripped && mkdir -p stripped/.debug
			stripped=stripped/$file name="a debug file, $cc, $file, $place"
			split_off "plain/$file" $level "stripped/$place" "$stripped"
			same_bytes "$name" "$stripped"
			"$BTFENC" encode "$stripped"
			says "$name: in place" "FUNC 'device_open'" dump "$stripped"
		done
		name="$cc, $file"
		says "a debug file, $name: in explain" '^device_open: yes' \
			explain device_open "$stripped"
		# Records of sites in the file itself come before its debug file. They have no lines.
		# strip --strip-all has left no symbols but in the debug file.
		"$BTFENC" encode --features=default,func_secinfo "$stripped" 2>log
		says "a debug file, $name: but records are in the file itself" \
			'^  "declared": null' explain --json device_open "$stripped"
		# Another file of that name is not it.
		objcopy --only-keep-debug plain/a.o "stripped/$place"
		objcopy --remove-section=.BTF --remove-section=.BTF.extra "$stripped"
		other="not of this build, by its build id, is $work/stripped/$place"
		refused "a debug file of another build, $name" \
			"has no DWARF (.debug_info is missing or empty; $other); build" "$stripped"
		says "a debug file of another build, $name: in explain" \
			"has no DWARF, and no BTF; $other; " explain device_open "$stripped"
	done
done

# Without a build id the checksum of .gnu_debuglink tells a debug file from another one.
if have gcc-12 'a debug file without a build id'; then
	plain_and_stripped gcc-12
	for file in image a.o; do
		objcopy --remove-section=.note.gnu.build-id "plain/$file" whole
		name="a debug file without a build id, $file" debug=$work/stripped/own.debug
		split_off whole --strip-debug "$debug" "stripped/$file"
		same_types "$name" "plain/$file" "stripped/$file"
		echo >>"$debug"
		refused "$name: another one" "not of this build, by its checksum, is $debug" \
			"stripped/$file"
	done
fi

# A debug file that lacks a section. Without one that is loaded the others are still found; .debug_str
# and .debug_abbrev are needed, and .debug_line_str is not, by this program.
if have gcc-12 'a debug file without a section'; then
	plain_and_stripped gcc-12 -gdwarf-5 -fpatchable-function-entry=4
	split_off plain/image --strip-all stripped/own.debug stripped/image
	cp stripped/own.debug whole.debug
	encode_all out plain/image
	while IFS='|' read -r section message; do
		objcopy --remove-section="$section" whole.debug stripped/own.debug
		if [ -n "$message" ]; then
			refused "a debug file without $section" "own.debug: $message" stripped/image
		else
			same_bytes "a debug file without $section" stripped/image
		fi
	done <<-'EOT'
		.init
		.debug_line_str
		.debug_str|unit 0x0, DIE 0x[0-9a-f]*: .* is outside .debug_str
		.debug_abbrev|has no DWARF (.debug_abbrev is missing
	EOT
fi

# Symbols that a module does not define get made-up addresses, in its code and in what reads it: both
# files must give `outside` the same, although strip has taken local symbols before it.
if have gcc-12 'a stripped module with undefined symbols'; then
	cat >outside.c <<'EOT'
int outside(int), farther(int);
static __attribute__((noinline)) int local(int n) { return farther(n) + 1; }
static __attribute__((noinline)) int traced(int unused, int n) { return local(n) + n; }
int entry(int n) { return outside(traced(n, 2 * n)) + traced(farther(n), n); }
EOT
	gcc-12 -O2 -g -pg -mfentry -fno-pie -c -o outside.o outside.c
	ld -r --build-id -o whole.o outside.o
	split_off whole.o --strip-unneeded stripped/whole.debug stripped/whole.o
	for file in whole.o stripped/whole.o; do
		readelf -sW "$file" | sed -n 's/^ *\([0-9]*\):.* UND __fentry__$/\1/p' >"$file.first"
		without_lines traced "$file" >"$file.explained"
		encode_all "$file.btf" "$file"
	done
	expect 'a stripped module has fewer local symbols' \
		test "$(cat stripped/whole.o.first)" -lt "$(cat whole.o.first)"
	expect 'undefined symbols of a stripped module: the same bytes' \
		cmp whole.o.btf.extra stripped/whole.o.btf.extra
	expect 'undefined symbols of a stripped module: the same hooks' \
		same_text whole.o.explained stripped/whole.o.explained
fi

# Through a link the directory as given counts, too: /lib is one, and /usr/lib/debug/lib is none.
if have gcc-12 'a debug file beside a link'; then
	plain_and_stripped gcc-12
	mkdir given
	split_off plain/a.o --strip-debug given/own.debug stripped/a.o
	ln -s "$work/stripped/a.o" given/a.o
	for file in "$work/given/a.o" given/a.o; do
		expect "a debug file beside a link, ${file#"$work"}" encode_all out "$file"
	done
fi

# What is below /usr/lib/debug is found by its build id. It is another one in this mount namespace.
# A supplementary file may have an absolute name.
in_namespace='unshare --user --map-root-user --mount'
# below_usr_lib_debug NAME PLACE: own.debug is in that place, and gives the sites of out.extra
below_usr_lib_debug()
{
	# shellcheck disable=SC2016,SC2086 # of that shell; words
	$in_namespace sh -c 'mount -t tmpfs none /usr/lib/debug && mkdir -p "${1%/*}" &&
		cp "$2" "$1" && exec "$3" encode --features=default,func_secinfo -o "$4" stripped/image' \
		sh "/usr/lib/debug$2" own.debug "$BTFENC" "stripped/$1" >log 2>&1
	expect "a debug file below /usr/lib/debug: by its $1" cmp out.extra "stripped/$1.extra"
}
if ! $in_namespace mount -t tmpfs none /usr/lib/debug 2>/dev/null; then
	skip 'a debug file below /usr/lib/debug' 'nothing can be mounted there'
elif have gcc-12 'a debug file below /usr/lib/debug'; then
	plain_and_stripped gcc-12
	objcopy --only-keep-debug plain/image own.debug
	strip --strip-all -o stripped/image plain/image
	encode_all out plain/image
	below_usr_lib_debug 'build id' "$(readelf -nW plain/image |
		sed -n 's|.*Build ID: \(..\)\(.*\)|/.build-id/\1/\2.debug|p')"
	objcopy --add-gnu-debuglink=own.debug stripped/image
	below_usr_lib_debug name "$(realpath stripped)/own.debug"
	refused 'a debug file that was below /usr/lib/debug' 'has no DWARF' stripped/image
fi
if have dwz 'an absolute name of dwz -m' && have gcc-12 'an absolute name of dwz -m'; then
	build dwz gcc-12 -gdwarf-4
	mkdir dwz/far
	(cd dwz && cp image one && cp image two && mkdir -p ../moved &&
		dwz -m far/common.sup -M "$work/dwz/far/common.sup" one two && mv one ../moved
	) >log 2>&1
	same_types 'an absolute name of dwz -m' dwz/image moved/one
	rm -rf dwz/far
	refused 'an absolute name of dwz -m, and no file' \
		"supplementary file of dwz -m, '$work/dwz/far/common.sup'" moved/one
fi
echo '.section .debug_sup,"",@nobits; .zero 64' | as -o nobits -
refused 'a .debug_sup without bytes' 'cannot read section .debug_sup' nobits
echo '.section .debug_sup; .byte 5, 0, 0; .ascii "a name without an end"' | as -o endless -
refused 'a .debug_sup without a build id' \
	'section .debug_sup does not name a file; the file is damaged' endless

# ---- other languages ----

cp "$tests"/languages/other.* .
build plain "${CC:-cc}"
ld -r -o plain/c_only.o plain/[abc].o
cat >entry.c <<'EOT'
struct shape { int tag; union { float round; unsigned long side; }; };
struct work { void (*run)(void); const struct shape *shape; struct work *next; };
unsigned long rust_entry(const struct shape *s);
void rust_call(void (*run)(void));
__attribute__((noinline)) static unsigned long area(int tag, float round)
{
	struct shape s = { tag, { round } };
	return rust_entry(&s);
}
__attribute__((noinline)) static void finish(struct work *w)
{
	for (; w; w = w->next)
		rust_call(w->run);
}
void _start(struct work *w)
{
	finish(w);
	__asm__ volatile("" : : "r"(area(0, 1.5f) + area(1, 2.5f)));
}
EOT
# joined LANGUAGE IMAGE COMMAND...: C and what the command has made of the other language
joined()
{
	name="C with $1" joined=plain/$2
	shift 2
	("$@" && ld -r -o "$joined" plain/[abc].o other.o) >log 2>&1 ||
		not_ok "$name: built" log
}
# The types of C are those without the other object.
while read -r language compiler options; do
	have "$compiler" "C with $language" || continue
	# shellcheck disable=SC2086 # words
	joined "$language" "$language.o" $compiler $options
	same_types "$name: the types of C" plain/c_only.o "$joined"
done <<'EOT'
C++ g++ -g -O2 -c -o other.o other.cc
Fortran gfortran -g -O2 -c -o other.o other.f90
Ada gnatmake -q -u -c -g -O2 other.adb
Rust rustc -g -O --emit=obj -C panic=abort -o other.o other.rs
EOT
# Units in Go are encoded unless they are left out: BTF has nearly all that they have.
if have gccgo "C with Go"; then
	joined Go go.o gccgo -g -O2 -c -o other.o other.go
	"$BTFENC" encode --lang c -o go.btf "$joined" >log 2>&1
	"$BTFENC" encode -o c_only.btf plain/c_only.o
	expect "$name: the types of C" cmp go.btf c_only.btf
	"$BTFENC" encode -o go.btf "$joined" >log 2>&1
	says "$name: types that contain themselves" "no errors" check go.btf
	for function in device_open device_sum; do
		says "$name: $function" "FUNC '$function'" dump go.btf
	done
fi
# By LTO: a unit has DIEs of the other language, or refers to the other's. GCC writes the code of C next to C++ into
# a unit of C++, with the declarations in units of C.
for cc in gcc clang; do
	cxx=$(echo $cc | sed 's/gcc/g++/; s/clang$/clang++/')
	name="LTO of C with C++ by $cc"
	have $cc "$name" || continue
	have "$cxx" "$name" || continue
	linked="$cc -O2 -g -flto -nostdlib -r"
	case $cc in
	gcc) linked="$linked -flinker-output=nolto-rel" ;;
	clang) have ld.lld "$name" || continue; linked="$linked -fuse-ld=lld" ;;
	esac
	# shellcheck disable=SC2086 # words
	(build lto $cc -flto && $cxx -O2 -g -flto -c -o lto/other.o other.cc && cd lto &&
		$linked -o c_only [abc].o && $linked -o mixed other.o [abc].o) >log 2>&1 ||
		not_ok "$name: built" log
	readelf --debug-dump=info lto/mixed >info 2>/dev/null
	expect "$name: it is there" grep -q '(C++' info
	same_types "$name: the types of C" lto/c_only lto/mixed
done
# LLVM writes a type that both have alike once: what void (*run)(void) points to is in the unit of Rust, as what fn()
# does. By rustc itself it is ThinLTO, where only inlined code gets into the other's unit.
name='LTO of C with Rust'
if have rustc "$name" && have ld.lld-22 "$name"; then
	(rustc -g -O --emit=llvm-bc -C panic=abort -o rust.bc other.rs &&
		clang-22 -O2 -flto -Wno-override-module -x ir -c -o rust.o rust.bc &&
		clang-22 -O2 -g -flto -c -o entry.o entry.c &&
		ld.lld-22 -o entry --unresolved-symbols=ignore-all entry.o) >log 2>&1 ||
		not_ok "$name: built" log
	for rust in rust.bc rust.o; do
		ld.lld-22 -o mixed $rust entry.o >log 2>&1
		readelf --debug-dump=info mixed >info 2>/dev/null
		expect "$name: $rust: it is there" grep -q '(Rust)' info
		same_types "$name: $rust: the types of C" entry mixed
	done
	readelf --debug-dump=abbrev mixed >abbreviations 2>/dev/null
	expect "$name: types are in the other's unit" grep -q 'DW_AT_type  *DW_FORM_ref_addr' abbreviations
	"$BTFENC" explain --json rust_call mixed >json
	expect "$name: explain names the language that is left out" grep -q 'described in Rust' json
fi

# dwz writes what units have alike into units without a language: they are of what refers to them.
while read -r language word compiler options; do
	name="dwz of C with $language"
	have "$compiler" "$name" || continue
	have dwz "$name" || continue
	have gcc-12 "$name" || continue
	# Until 1.88 rustc has no such option, and makes DWARF 4.
	[ "$compiler" != rustc ] || ! rustc -C help | grep -q dwarf-version || options="-C dwarf-version=4 $options"
	linked='ld -e 0 -z muldefs --unresolved-symbols=ignore-all'
	# shellcheck disable=SC2086 # words
	(build dwz gcc-12 -gdwarf-4 && cd dwz && cp ../other.* . && $compiler $options -o one.o &&
		cp one.o two.o && $linked -o c_only [abc].o && $linked -o mixed [abc].o one.o two.o &&
		dwz -o dwzed mixed) >log 2>&1 || not_ok "$name: built" log
	readelf --debug-dump=info dwz/dwzed >info 2>/dev/null
	expect "$name: units without a language" test "$(grep -c DW_TAG_partial_unit info)" -ge 2
	same_types "$name: the types of C" dwz/c_only dwz/dwzed
	for languages in c "c,$word"; do
		for image in mixed dwzed; do
			"$BTFENC" encode -o btf --lang "$languages" dwz/$image 2>log
			"$BTFENC" dump btf | sed 's/^\[[0-9]*\]//; s/id=[0-9]*//' | sort >$image.types
			rm -f btf
		done
		expect "$name: --lang $languages" cmp mixed.types dwzed.types
	done
done <<'EOT'
C++ c++ g++ -O2 -gdwarf-4 -c other.cc
Rust rust rustc -g -O -C panic=abort --emit=obj other.rs
EOT

# ---- files without DWARF ----

# In GCC's DWARF of -g1 there are no types; LLVM's has none either.
build g1 "${CC:-cc}" -g1
refused '-g1' 'its DWARF has no types (built with -g1?)' g1/a.o
# Among units with types: a warning, and the rest encodes.
# partly NAME PATTERN COMPILER OPTION...: b.c is compiled with the options, and joined with a.c.
partly()
{
	name=$1 pattern=$2
	shift 2
	("$@" -c -o b.o b.c && ld -r -o joined.o plain/a.o b.o) >log 2>&1 ||
		not_ok "$name: built" log
	says "$name: a line" "$pattern" encode -o btf joined.o
	expect "$name: the rest encodes" test $says_status -eq 0
	"$BTFENC" encode --strict -o btf joined.o >/dev/null 2>&1
	expect "$name: an error with --strict" test $? -eq 3
}
for compiler in "${CC:-cc}" clang-19; do
	# LLVM keeps functions with inlined calls at -g1.
	! have "$compiler" "-g1 by $compiler" || partly "-g1 by $compiler" \
		"1 of 2 units have code and no types (built with -g1?); rebuild them with -g" \
		"$compiler" -O2 -fno-inline -g1
done
ar rcs archive plain/[abc].o
refused 'an archive' "is an archive; give a linked image" archive
ar rcsT thin-archive plain/[abc].o
refused 'a thin archive' "is an archive; give a linked image" thin-archive
if have gcc-12 'an object of LTO'; then
	build slim gcc-12 -flto -fno-fat-lto-objects
	for command in "encode -o out" stats 'explain main' "diff plain/a.o"; do
		refused "an object of LTO: ${command%% *}" "is GCC's intermediate code (-flto)" \
			slim/a.o "$command"
	done
	partly "a part of LTO" "parts of it are GCC's intermediate code (-flto)" \
		gcc-12 -g -flto -fno-fat-lto-objects
	gcc-12 -g -flto -ffat-lto-objects -c -o b.o b.c
	ld -r -o joined.o plain/a.o b.o 2>/dev/null
	expect "a part of LTO with DWARF: no line" encode btf joined.o
fi
if have clang-19 'LLVM bitcode'; then
	clang-19 -flto -g -O2 -c -o bitcode a.c
	refused 'LLVM bitcode' 'is LLVM bitcode (-flto)' bitcode
fi

compare_types
