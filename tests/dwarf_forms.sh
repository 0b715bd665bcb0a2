#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# DWARF can be stored in many ways: type units, the supplementary file of dwz -m, split DWARF,
# compressed sections, a file of its own. One program is built plainly and in each of them, and its
# types and functions must be those of the plain build; with split DWARF, which has location lists of
# its own, also what is known where functions were inlined.
. tests/lib.sh

# Types that files share, one name with two meanings, static functions, bitfields.
cat >"$work/shared.h" <<'EOT'
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
cat >"$work/a.c" <<'EOT'
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
cat >"$work/b.c" <<'EOT'
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
cat >"$work/c.c" <<'EOT'
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
	build_out=$work/$1 build_cc=$2
	shift 2
	mkdir -p "$build_out"
	# Names in the DWARF are relative: as in a kernel's build.
	(
		cd "$build_out" || exit 1
		for file in a b c; do
			cp "../$file.c" ../shared.h . || exit 1
			"$build_cc" -O2 -g "$@" -c -o "$file.o" "$file.c" || exit 1
		done
		"$build_cc" -g "$@" -Wl,--build-id -o image a.o b.o c.o
	) >"$work/build.log" 2>&1
}

# encode FILE: FILE.btf, without a warning
encode()
{
	"$BTFENC" encode -o "$1.btf" "$1" >"$1.log" 2>&1 && ! [ -s "$1.log" ]
}

# same_types NAME PLAIN FILE: the same types and functions, and FILE has some. compare_types says so, of all.
same_types()
{
	if ! encode "$2" || ! encode "$3"; then
		cat "$2.log" "$3.log" >"$work/log" 2>/dev/null
		not_ok "$1" "$work/log"
		return
	fi
	wanted "$1" || return 0
	pairs=$((pairs + 1))
	cp "$3.btf" "$work/pairs/$pairs.other"
	cp "$2.btf" "$work/pairs/$pairs.plain"
	echo "$1" >"$work/pairs/$pairs.name"
}
pairs=0
mkdir "$work/pairs"

# In one process: each pair takes less time than a start of python3.
compare_types()
{
	PYTHONDONTWRITEBYTECODE=1 python3 - "$work/pairs" $pairs <<'EOT' || not_ok "the types are compared"
import sys
sys.path.insert(0, 'tests')
import parity
def differences(paths):
    sides = [parity.Btf(path) for path in paths]
    several = {name for side in sides for name, count in side.definitions().items() if count > 1}
    for side in sides:
        side.render(several)
    for one, other, word in ((*sides, 'lost'), (*reversed(sides), 'more')):
        for kind, text, _ in parity.Comparison.surplus(one, other):
            yield f'{word} {parity.KIND[kind]} {text}'
    if not any(kind == parity.FUNC for kind, _ in sides[1].texts):
        yield 'no function'
for number in range(1, int(sys.argv[2]) + 1):
    path = f'{sys.argv[1]}/{number}'
    try:
        wrong = list(differences((f'{path}.plain', f'{path}.other')))
    except Exception as error:
        wrong = [repr(error)]
    print(f"{'not ok' if wrong else 'ok'} - {open(path + '.name').read().strip()}")
    for line in wrong[:20]:
        print('    ' + line)
EOT
}

# sites FILE: where functions were inlined, and where their parameters are there
sites()
{
	"$BTFENC" encode --features +inline -o "$1.sites" "$1" &&
		"$BTFENC" dump "$1.sites.inline" | sed -n 's/^\t.*(\(.*+0x.*: .*=.*\))$/\1/p'
}

# same_sites PLAIN FILE: and PLAIN has some of which a parameter is known
same_sites()
{
	sites "$1" >"$work/plain.sites" && sites "$2" >"$work/other.sites" &&
		grep -q '=[^?]' "$work/plain.sites" && diff "$work/plain.sites" "$work/other.sites"
}

# refused NAME TEXT FILE
refused()
{
	"$BTFENC" encode -o "$work/out" "$3" 2>"$work/log"
	expect "$1: one line, exit status 3" test "$? $(wc -l <"$work/log")" = '3 1'
	expect "$1: $2" grep -q "$2" "$work/log"
}

have python3 'forms of DWARF' || exit 0

# ---- type units ----

for cc in gcc-11 gcc-12 clang-19 clang-22; do
	have "$cc" "type units of $cc" || continue
	for version in 4 5; do
		# GCC's signature of a type has only the name of one that a pointer leads to: of two
		# "struct uses_conflict" the linker keeps one.
		case $cc in
		gcc*) meaning=-DONE_MEANING ;;
		*) meaning=-DTWO_MEANINGS ;;
		esac
		build "plain-$cc-$version" "$cc" "-gdwarf-$version" "$meaning"
		build "types-$cc-$version" "$cc" "-gdwarf-$version" "$meaning" -fdebug-types-section
		for file in image a.o; do
			same_types "type units of DWARF $version, $cc, $file" \
				"$work/plain-$cc-$version/$file" "$work/types-$cc-$version/$file"
		done
	done
done

# ---- dwz -m ----

# What only "three" and "four" have is in the supplementary file, too, and not in "one".
cat >"$work/other.c" <<'EOT'
#include "shared.h"
struct others_own { struct others_own *next; struct device *dev[4]; u64 many, words, so, that;
	char that_it[99], pays_to[98], share[97], it[96]; };
int other(struct others_own *o, struct device *dev) { return o->dev[0] == dev; }
int main(void) { return 0; }
EOT
dwz_name='the supplementary file of dwz -m'
if have dwz "$dwz_name" && have gcc-12 "$dwz_name"; then
	for version in 4 5; do
		for option in .gnu_debugaltlink .debug_sup; do
			name="dwz -m, $option, DWARF $version"
			standard=
			[ $option = .gnu_debugaltlink ] || standard=--dwarf-5
			build dwz gcc-12 "-gdwarf-$version"
			(
				cd "$work/dwz" || exit 1
				gcc-12 -g "-gdwarf-$version" -O2 -I.. -o three ../other.c &&
				gcc-12 -g "-gdwarf-$version" -O2 -I.. -o four ../other.c &&
				cp image plain && cp image one && cp image two &&
				dwz ${standard:+"$standard"} -m common.sup -M common.sup one two three four &&
				grep -qa others_own common.sup && readelf -S one | grep -q "$option"
			) >"$work/log" 2>&1 || not_ok "$name: prepared" "$work/log"
			same_types "$name" "$work/dwz/plain" "$work/dwz/one"
			# What is called, and from where, is libdw's, which knows one of the two and finds it by
			# the folder. A function that is in a shared unit has no file of its own.
			[ $option = .debug_sup ] || for function in $(
				"$BTFENC" list -f "$work/dwz/plain" --format names); do
				for file in plain one; do
					"$BTFENC" explain "$function" "$work/dwz/$file" |
						sed -e '/^  [a-z]*\.[ch]:[0-9]*$/d' -e 's/, of [ab]\.c$//' >"$work/explained.$file"
				done
				expect "$name: explain $function" diff "$work/explained.plain" "$work/explained.one"
			done
			mkdir "$work/dwz/.debug" && mv "$work/dwz/common.sup" "$work/dwz/.debug/"
			same_types "$name: below .debug" "$work/dwz/plain" "$work/dwz/one"
			mv "$work/dwz/.debug/common.sup" "$work/dwz/elsewhere"
			"$BTFENC" encode -o "$work/out" "$work/dwz/one" 2>"$work/log"
			expect "$name: without the file" grep -q \
				"needs the supplementary file of dwz -m, 'common.sup' with build id" \
				"$work/log"
			cp "$work/dwz/plain" "$work/dwz/common.sup"
			"$BTFENC" encode -o "$work/out" "$work/dwz/one" 2>"$work/log"
			expect "$name: another file of that name" grep -q \
				"needs the supplementary file of dwz -m, 'common.sup' with build id" \
				"$work/log"
			rm -rf "$work/dwz"
		done
	done
fi

# ---- split DWARF ----

# split_stripped NAME PLAIN DIRECTORY: the skeletons are in a debug file, elsewhere than the other files
split_stripped()
{
	(cd "$3" && mkdir .debug && objcopy --only-keep-debug image .debug/own.debug && strip -g image &&
		objcopy --add-gnu-debuglink=.debug/own.debug image) >"$work/log" 2>&1 ||
		not_ok "$1: stripped" "$work/log"
	same_types "$1" "$2/image" "$3/image"
}

# split NAME PLAIN DIRECTORY: files beside the image, then a .dwp in their place, then nothing
split()
{
	for file in image a.o; do
		same_types "$1, $file" "$2/$file" "$3/$file"
	done
	expect "$1, sites" same_sites "$2/image" "$3/image"
	mkdir -p "$work/moved" && cp "$3/image" "$3"/*.dwo "$work/moved"
	mv "$3" "$3.away"
	same_types "$1, moved" "$2/image" "$work/moved/image"
	split_stripped "$1, moved, stripped" "$2" "$work/moved"
	mv "$3.away" "$3"
	rm -r "$work/moved"
	# binutils' knows DWARF 4 only; LLVM 14's does not end with DWARF 5 of GCC.
	packager=llvm-dwp
	for found in llvm-dwp-22 /usr/lib/llvm-22/bin/llvm-dwp llvm-dwp-19 /usr/lib/llvm-19/bin/llvm-dwp; do
		command -v "$found" >/dev/null 2>&1 && packager=$found && break
	done
	case $1 in
	*"DWARF 4"*) packager=dwp ;;
	esac
	case $1:$("$packager" --version 2>/dev/null) in
	*"DWARF 5, gcc"*"LLVM version 14."*) endless=yes ;;
	*) endless= ;;
	esac
	if ! have $packager "$1, .dwp"; then
		:
	elif [ -n "$endless" ]; then
		skip "$1, .dwp" "llvm-dwp 14 does not end with DWARF 5 of GCC"
	elif ! (cd "$3" && timeout 10 $packager -e image -o image.dwp) >"$work/log" 2>&1; then
		skip "$1, .dwp" "$packager cannot make one"
	else
		mkdir "$work/moved" && cp "$3/image" "$3/image.dwp" "$work/moved"
		mv "$3" "$3.away"
		same_types "$1, .dwp" "$2/image" "$work/moved/image"
		expect "$1, .dwp, sites" same_sites "$2/image" "$work/moved/image"
		for form in zlib zlib-gnu zstd; do
			cp "$3.away/image.dwp" "$work/moved/image.dwp"
			if objcopy --compress-debug-sections=$form "$work/moved/image.dwp" 2>"$work/log"; then
				same_types "$1, .dwp, $form" "$2/image" "$work/moved/image"
			else
				skip "$1, .dwp, $form" "this objcopy has no $form"
			fi
		done
		split_stripped "$1, .dwp, stripped" "$2" "$work/moved"
		rm "$work/moved/image.dwp"
		"$BTFENC" encode -o "$work/out" "$work/moved/image" 2>"$work/log"
		expect "$1: without the files" grep -q \
			"types are in '[abc].dwo', which is not there or of another build" "$work/log"
		mv "$3.away" "$3"
		rm -r "$work/moved"
	fi
}

for cc in gcc-11 gcc-12 clang-19 clang-22; do
	have "$cc" "split DWARF of $cc" || continue
	for version in 4 5; do
		for option in -gsplit-dwarf '-gsplit-dwarf -fdebug-types-section'; do
			rm -rf "$work/plain" "$work/split"
			build plain "$cc" "-gdwarf-$version" -DONE_MEANING
			# shellcheck disable=SC2086 # two options
			build split "$cc" "-gdwarf-$version" -DONE_MEANING $option
			split "$option, DWARF $version, $cc" "$work/plain" "$work/split"
		done
	done
done
if have clang-19 'split DWARF in the objects'; then
	build plain clang-19 -gdwarf-5
	build single clang-19 -gdwarf-5 -gsplit-dwarf=single
	for file in image a.o; do
		same_types "-gsplit-dwarf=single, $file" "$work/plain/$file" "$work/single/$file"
	done
fi

# ---- compressed sections ----

for kind in zlib zlib-gnu zstd; do
	if ! objcopy --help | grep -q "[|{]${kind}[|}]"; then
		skip "sections compressed with $kind" 'objcopy cannot'
		continue
	fi
	build plain "${CC:-cc}"
	for file in image a.o; do
		objcopy --compress-debug-sections=$kind "$work/plain/$file" "$work/plain/$kind"
		"$BTFENC" encode -o "$work/out" "$work/plain/$kind" 2>"$work/log"
		if grep -q 'it is compressed with zstd, and this program was built without libzstd' \
			"$work/log"; then
			skip "sections compressed with $kind, $file" 'built without libzstd'
		else
			same_types "sections compressed with $kind, $file" "$work/plain/$file" \
				"$work/plain/$kind"
		fi
	done
done

# A header that claims more than its bytes can be: ch_size is at byte 8 of the section.
if [ -s "$work/plain/zstd" ] && ! grep -q 'built without libzstd' "$work/log"; then
	at=$(readelf -SW "$work/plain/zstd" |
		sed -n 's/.* \.debug_info *PROGBITS *[0-9a-f]* \([0-9a-f]*\) .*/\1/p')
	printf '\377\377\377\377\377' |
		dd of="$work/plain/zstd" bs=1 seek=$((0x$at + 8)) conv=notrunc 2>/dev/null
	"$BTFENC" encode -o "$work/out" "$work/plain/zstd" 2>"$work/log"
	expect 'zstd: a size that cannot be' grep -q 'compressed section .debug_info claims' "$work/log"
	printf '\1\0\0\0\0' |
		dd of="$work/plain/zstd" bs=1 seek=$((0x$at + 8)) conv=notrunc 2>/dev/null
	refused 'zstd: another size' 'cannot decompress section .debug_info: its zstd data are damaged' \
		"$work/plain/zstd"
fi

# What is compressed may be 64 MiB and 64 times the file: of all sections together, so that one of 60 MiB
# is read, and two are not. A hole of .debug_info is one unit, not one for each of its words.
for kind in zlib zlib-gnu zstd; do
	objcopy --help | grep -q "[|{]${kind}[|}]" || continue
	for sections in info info,line_str; do
		for section in ${sections%,*} ${sections#*,}; do
			printf '.section .debug_%s,"",@progbits; .zero 60 << 20\n' "$section"
		done | sort -u >"$work/zeros.s"
		printf '.section .debug_abbrev,"",@progbits; .byte 0\n' >>"$work/zeros.s"
		as -o "$work/zeros.o" "$work/zeros.s"
		objcopy --compress-debug-sections=$kind "$work/zeros.o"
		if [ $sections = info ]; then
			message='its .debug_info has no units; rebuild with -g$'
		else
			message='compressed section .z\?debug_line_str claims to be 62914560 bytes, .* (64 MiB and 64 times its size)'
		fi
		(limit_memory 1000000 && "$BTFENC" encode -o "$work/out" "$work/zeros.o") 2>"$work/log"
		expect "$kind, 60 MiB of zeros: $sections" test $? = 3
		grep -q 'built without libzstd' "$work/log" ||
			expect "$kind, 60 MiB of zeros: $sections: the message" grep -q "$message" "$work/log"
	done
done

# Sections that share their bytes: 1,000 times .debug_info would be joined, or copied to be relocated.
cat >"$work/overlap.py" <<'EOT'
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
python3 "$work/overlap.py" "$work/plain/image" "$work/overlap" 1000
refused 'sections that overlap' 'its sections overlap: they have more than four times the bytes of the file' "$work/overlap"
python3 "$work/overlap.py" "$work/plain/image" "$work/overlap" 0
expect 'sections that do not' encode "$work/overlap"

# ---- a stripped file and its debug file ----

# The same bytes, with the addresses and locations that the code of the stripped file confirms.
encode_all()
{
	"$BTFENC" encode --features=default,func_secinfo -o "$1" "$2" >"$work/log" 2>&1 && ! [ -s "$work/log" ]
}

for cc in gcc-12 clang-19; do
	have "$cc" "a debug file, $cc" || continue
	build plain "$cc" -fpatchable-function-entry=4
	(cd "$work/plain" && ld -r --build-id -o module.o [abc].o)
	for file in image module.o; do
		for place in .debug beside same-name; do
			rm -rf "$work/stripped"
			mkdir -p "$work/stripped/.debug"
			to=$work/stripped/.debug debug=own.debug
			case $place in
			beside) to=$work/stripped ;;
			same-name) debug=$file ;;
			esac
			if [ $file = image ]; then level=--strip-all; else level=--strip-debug; fi
			objcopy --only-keep-debug "$work/plain/$file" "$to/$debug"
			strip $level -o "$work/stripped/$file" "$work/plain/$file"
			(cd "$to" && objcopy --add-gnu-debuglink=$debug "$work/stripped/$file")
			encode_all "$work/out" "$work/plain/$file"
			expect "a debug file, $cc, $file, $place: encoded" \
				encode_all "$work/stripped/out" "$work/stripped/$file"
			expect "a debug file, $cc, $file, $place: the same bytes" \
				cmp "$work/out" "$work/stripped/out"
			expect "a debug file, $cc, $file, $place: the same sites" \
				cmp "$work/out.extra" "$work/stripped/out.extra"
			"$BTFENC" encode "$work/stripped/$file"
			"$BTFENC" dump "$work/stripped/$file" >"$work/log"
			expect "a debug file, $cc, $file, $place: in place" \
				grep -q "FUNC 'device_open'" "$work/log"
		done
		"$BTFENC" explain device_open "$work/stripped/$file" >"$work/log"
		expect "a debug file, $cc, $file: in explain" grep -q '^device_open: yes' "$work/log"
		# Records of sites in the file itself come before its debug file. They have no lines.
		# strip --strip-all has left no symbols but in the debug file.
		"$BTFENC" encode --features=default,func_secinfo "$work/stripped/$file" 2>"$work/log"
		"$BTFENC" explain --json device_open "$work/stripped/$file" >"$work/log"
		expect "a debug file, $cc, $file: but records are in the file itself" \
			grep -q '^  "declared": null' "$work/log"
		# Another file of that name is not it.
		objcopy --only-keep-debug "$work/plain/a.o" "$work/stripped/.debug/$file"
		objcopy --remove-section=.BTF --remove-section=.BTF.extra "$work/stripped/$file"
		refused "a debug file of another build, $cc, $file" \
			"has no DWARF (.debug_info is missing or empty; not of this build, by its build id, is $work/stripped/.debug/$file); build" \
			"$work/stripped/$file"
		"$BTFENC" explain device_open "$work/stripped/$file" 2>"$work/log"
		expect "a debug file of another build, $cc, $file: in explain" grep -q \
			"has no DWARF, and no BTF; not of this build, by its build id, is $work/stripped/.debug/$file: " \
			"$work/log"
	done
done

# Without a build id the checksum of .gnu_debuglink tells a debug file from another one.
if have gcc-12 'a debug file without a build id'; then
	build plain gcc-12
	rm -rf "$work/stripped" && mkdir "$work/stripped"
	for file in image a.o; do
		objcopy --remove-section=.note.gnu.build-id "$work/plain/$file" "$work/stripped/whole"
		objcopy --only-keep-debug "$work/stripped/whole" "$work/stripped/own.debug"
		strip --strip-debug -o "$work/stripped/$file" "$work/stripped/whole"
		(cd "$work/stripped" && objcopy --add-gnu-debuglink=own.debug "$file")
		same_types "a debug file without a build id, $file" "$work/plain/$file" "$work/stripped/$file"
		echo >>"$work/stripped/own.debug"
		refused "a debug file without a build id, $file: another one" \
			"not of this build, by its checksum, is $work/stripped/own.debug" "$work/stripped/$file"
	done
fi

# A debug file that lacks a section. Without one that is loaded the others are still found; .debug_str
# and .debug_abbrev are needed, and .debug_line_str is not, by this program.
if have gcc-12 'a debug file without a section'; then
	build plain gcc-12 -gdwarf-5 -fpatchable-function-entry=4
	rm -rf "$work/stripped" && mkdir "$work/stripped"
	strip --strip-all -o "$work/stripped/image" "$work/plain/image"
	objcopy --only-keep-debug "$work/plain/image" "$work/stripped/own.debug"
	objcopy --add-gnu-debuglink="$work/stripped/own.debug" "$work/stripped/image"
	cp "$work/stripped/own.debug" "$work/whole.debug"
	encode_all "$work/out" "$work/plain/image"
	for section in .init .debug_line_str .debug_str .debug_abbrev; do
		name="a debug file without $section"
		objcopy --remove-section=$section "$work/whole.debug" "$work/stripped/own.debug"
		case $section in
		.debug_str) refused "$name" 'own.debug: unit 0x0, DIE 0x[0-9a-f]*: .* is outside .debug_str' \
			"$work/stripped/image" ;;
		.debug_abbrev) refused "$name" 'own.debug: has no DWARF (.debug_abbrev is missing' \
			"$work/stripped/image" ;;
		*)
			expect "$name: encoded" encode_all "$work/stripped/out" "$work/stripped/image"
			expect "$name: the same bytes" cmp "$work/out" "$work/stripped/out"
			expect "$name: the same sites" cmp "$work/out.extra" "$work/stripped/out.extra"
			;;
		esac
	done
fi

# Symbols that a module does not define get made-up addresses, in its code and in what reads it: both
# files must give `outside` the same, although strip has taken local symbols before it.
if have gcc-12 'a stripped module with undefined symbols'; then
	cat >"$work/outside.c" <<'EOT'
int outside(int), farther(int);
static __attribute__((noinline)) int local(int n) { return farther(n) + 1; }
static __attribute__((noinline)) int traced(int unused, int n) { return local(n) + n; }
int entry(int n) { return outside(traced(n, 2 * n)) + traced(farther(n), n); }
EOT
	rm -rf "$work/stripped" && mkdir "$work/stripped"
	gcc-12 -O2 -g -pg -mfentry -fno-pie -c -o "$work/outside.o" "$work/outside.c"
	ld -r --build-id -o "$work/whole.o" "$work/outside.o"
	objcopy --only-keep-debug "$work/whole.o" "$work/stripped/whole.debug"
	strip --strip-unneeded -o "$work/stripped/whole.o" "$work/whole.o"
	(cd "$work/stripped" && objcopy --add-gnu-debuglink=whole.debug whole.o)
	first_undefined()
	{
		readelf -sW "$1" | sed -n 's/^ *\([0-9]*\):.* UND __fentry__$/\1/p'
	}
	expect 'a stripped module has fewer local symbols' test \
		"$(first_undefined "$work/stripped/whole.o")" -lt "$(first_undefined "$work/whole.o")"
	for file in "$work/whole.o" "$work/stripped/whole.o"; do
		"$BTFENC" explain traced "$file" | sed "s|$file|FILE|" >"$file.explained"
		encode_all "$file.btf" "$file"
	done
	expect 'undefined symbols of a stripped module: the same bytes' \
		cmp "$work/whole.o.btf.extra" "$work/stripped/whole.o.btf.extra"
	expect 'undefined symbols of a stripped module: the same hooks' \
		cmp "$work/whole.o.explained" "$work/stripped/whole.o.explained"
	expect 'undefined symbols of a stripped module: there is a hook' test -s "$work/whole.o.explained"
fi

# What is below /usr/lib/debug is found by its build id. It is another one in this mount namespace.
# A supplementary file may have an absolute name.
below_usr_lib_debug()
{
	# shellcheck disable=SC2016 # of that shell
	unshare --user --map-root-user --mount sh -c 'mount -t tmpfs none /usr/lib/debug && mkdir -p "${1%/*}" &&
		cp "$2" "$1" && exec "$3" encode --features=default,func_secinfo -o "$4" "$5"' sh "$@"
}
if ! unshare --user --map-root-user --mount mount -t tmpfs none /usr/lib/debug 2>/dev/null; then
	skip 'a debug file below /usr/lib/debug' 'nothing can be mounted there'
elif have gcc-12 'a debug file below /usr/lib/debug'; then
	build plain gcc-12
	rm -rf "$work/stripped" && mkdir "$work/stripped"
	objcopy --only-keep-debug "$work/plain/image" "$work/own.debug"
	strip --strip-all -o "$work/stripped/image" "$work/plain/image"
	id=$(readelf -nW "$work/plain/image" | sed -n 's/.*Build ID: //p')
	rest=${id#??}
	encode_all "$work/out" "$work/plain/image"
	below_usr_lib_debug "/usr/lib/debug/.build-id/${id%"$rest"}/$rest.debug" "$work/own.debug" "$BTFENC" \
		"$work/stripped/out" "$work/stripped/image" >"$work/log" 2>&1
	expect 'a debug file below /usr/lib/debug: by its build id' cmp "$work/out.extra" "$work/stripped/out.extra"
	(cd "$work/stripped" && cp ../own.debug . && objcopy --add-gnu-debuglink=own.debug image && rm own.debug)
	below_usr_lib_debug "/usr/lib/debug$(realpath "$work/stripped")/own.debug" "$work/own.debug" "$BTFENC" \
		"$work/stripped/named" "$work/stripped/image" >"$work/log" 2>&1
	expect 'a debug file below /usr/lib/debug: by its name' cmp "$work/out.extra" "$work/stripped/named.extra"
	refused 'a debug file that was below /usr/lib/debug' 'has no DWARF' "$work/stripped/image"
fi
if have dwz 'an absolute name of dwz -m' && have gcc-12 'an absolute name of dwz -m'; then
	build dwz gcc-12 -gdwarf-4
	mkdir "$work/dwz/far" "$work/moved"
	(cd "$work/dwz" && cp image plain && cp image one && cp image two &&
		dwz -m far/common.sup -M "$work/dwz/far/common.sup" one two && mv one ../moved) >"$work/log" 2>&1
	same_types 'an absolute name of dwz -m' "$work/dwz/plain" "$work/moved/one"
	rm -rf "$work/dwz/far"
	refused 'an absolute name of dwz -m, and no file' "supplementary file of dwz -m, '$work/dwz/far/common.sup'" \
		"$work/moved/one"
fi

# Through a link the directory as given counts, too: /lib is one, and /usr/lib/debug/lib is none.
if [ -s "$work/stripped/module.o" ]; then
	mkdir -p "$work/given" && ln -s "$work/stripped/module.o" "$work/given/module.o"
	objcopy --only-keep-debug "$work/plain/module.o" "$work/stripped/moved.debug"
	mv "$work/stripped/moved.debug" "$work/given/module.debug"
	(cd "$work/given" && objcopy --remove-section=.gnu_debuglink \
		--add-gnu-debuglink=module.debug "$work/stripped/module.o")
	expect 'a debug file beside a link' encode_all "$work/out" "$work/given/module.o"
	(cd "$work/given" && encode_all "$work/out" module.o)
	expect 'a debug file beside a link, by a relative name' test $? = 0
fi
echo '.section .debug_sup,"",@nobits; .zero 64' | as -o "$work/nobits" -
refused 'a .debug_sup without bytes' 'cannot read section .debug_sup' "$work/nobits"
echo '.section .debug_sup; .byte 5, 0, 0; .ascii "a name without an end"' | as -o "$work/endless" -
refused 'a .debug_sup without a build id' 'section .debug_sup does not name a file; the file is damaged' \
	"$work/endless"

# ---- other languages ----

cat >"$work/other.cc" <<'EOT'
struct base { virtual int f(); int x; };
int base::f() { return x; }
extern "C" int cpp_entry(base *b) { return b->f(); }
EOT
build plain "${CC:-cc}"
ld -r -o "$work/plain/c_only.o" "$work"/plain/[abc].o
cat >"$work/other.f90" <<'EOT'
subroutine fortran_entry(x, n) bind(c)
  use iso_c_binding
  integer(c_int), value :: n
  real(c_double) :: x(n)
  x = x + 1
end subroutine
EOT
cat >"$work/other.adb" <<'EOT'
function Other (X : Integer) return Integer is
   type Pair is record A : Integer range 0 .. 7; B : Boolean; end record;
   P : Pair := (X mod 8, True);
begin
   return (if P.B then P.A else 0);
end Other;
EOT
cat >"$work/other.rs" <<'EOT'
#![crate_type = "lib"]
#![no_std]
pub enum Shape { Round(f32), Square { side: u64 }, Empty }
#[no_mangle]
pub extern "C" fn rust_entry(s: &Shape) -> u64 {
	match s { Shape::Round(r) => *r as u64, Shape::Square { side } => *side, Shape::Empty => 0 }
}
EOT
cat >"$work/other.go" <<'EOT'
package other
type Node struct {
	next  *Node
	names map[string][]Node
	run   func(n Node) (int, error)
	any   interface{ Do(x int8) string }
}
type Loop []Loop
type Call func(Call) Call
func Sum(n *Node, l Loop, f Call, s string) (total int) {
	for ; n != nil; n = n.next {
		total += len(n.names) + len(l) + len(s)
	}
	return total
}
EOT
# with LANGUAGE COMPILER ARGUMENT...: the types of C are those without the other object.
with()
{
	language=$1
	have "$2" "C with $language" || return 0
	shift
	(cd "$work" && "$@" && ld -r -o plain/mixed.o plain/[abc].o other.o) >"$work/log" 2>&1 ||
		not_ok "C with $language: built" "$work/log"
	same_types "C with $language: the types of C" "$work/plain/c_only.o" "$work/plain/mixed.o"
	rm -f "$work/plain/mixed.o" "$work/other.o"
}
# Units in Go are encoded unless they are left out: BTF has nearly all that they have.
with_go()
{
	have gccgo "C with Go" || return 0
	(cd "$work" && gccgo -g -O2 -c -o other.o other.go && ld -r -o go.o plain/[abc].o other.o) \
		>"$work/log" 2>&1 || not_ok "C with Go: built" "$work/log"
	"$BTFENC" encode --lang c -o "$work/go.btf" "$work/go.o" >"$work/log" 2>&1
	expect "C with Go: the types of C" cmp "$work/go.btf" "$work/plain/c_only.o.btf"
	"$BTFENC" encode -o "$work/go.btf" "$work/go.o" >"$work/log" 2>&1
	"$BTFENC" check "$work/go.btf" >>"$work/log" 2>&1
	expect "C with Go: types that contain themselves" grep -qF "no errors" "$work/log"
	for function in device_open device_sum; do
		expect "C with Go: $function" sh -c \
			"\"\$1\" dump \"\$2\" | grep -q \"FUNC '$function'\"" - "$BTFENC" "$work/go.btf"
	done
	rm -f "$work/other.o"
}
# One image by LTO: DIEs of either language may be in either's units.
with_rust_lto()
{
	have rustc "LTO of C with Rust" && have ld.lld-22 "LTO of C with Rust" || return 0
	mkdir -p "$work/rust"
	(cd "$work/rust" && rustc -g -O --emit=llvm-bc -C panic=abort -o rust.bc ../other.rs &&
		clang-22 -O2 -g -flto -c -o c.o ../entry.c &&
		ld.lld-22 -o plain --unresolved-symbols=ignore-all c.o &&
		ld.lld-22 -o mixed c.o rust.bc) >"$work/log" 2>&1 ||
		not_ok "LTO of C with Rust: built" "$work/log"
	expect "LTO of C with Rust: it is there" sh -c \
		"readelf --debug-dump=info \"\$1\" 2>/dev/null | grep -q '(Rust)'" - "$work/rust/mixed"
	same_types "LTO of C with Rust: the types of C" "$work/rust/plain" "$work/rust/mixed"
}
cat >"$work/entry.c" <<'EOT'
struct shape { int tag; union { float round; unsigned long side; }; };
unsigned long rust_entry(const struct shape *s);
__attribute__((noinline)) static unsigned long area(int tag, float round)
{
	struct shape s = { tag, { round } };
	return rust_entry(&s);
}
void _start(void) { __asm__ volatile("" : : "r"(area(0, 1.5f) + area(1, 2.5f))); }
EOT
with C++ g++ -g -O2 -c -o other.o other.cc
with Fortran gfortran -g -O2 -c -o other.o other.f90
with Ada gnatmake -q -u -c -g -O2 other.adb
with Rust rustc -g -O --emit=obj -C panic=abort -o other.o other.rs
with_go
with_rust_lto

# ---- files without DWARF ----

# In GCC's DWARF of -g1 there are no types; LLVM's has none either.
build g1 "${CC:-cc}" -g1
refused '-g1' 'its DWARF has no types (built with -g1?)' "$work/g1/a.o"
# Among units with types: a warning, and the rest encodes.
# partly NAME OPTION...: b.c is compiled with the options, and joined with a.c.
partly()
{
	partly_name=$1
	mkdir -p "$work/$partly_name"
	shift
	(cd "$work/$partly_name" && "$@" -c -o b.o ../b.c && ld -r -o joined.o ../plain/a.o b.o) \
		>"$work/log" 2>&1 || not_ok "$partly_name: built" "$work/log"
	"$BTFENC" encode -o "$work/btf" "$work/$partly_name/joined.o" 2>"$work/stderr"
	expect "$partly_name: the rest encodes" test $? -eq 0
	"$BTFENC" encode --strict -o "$work/btf" "$work/$partly_name/joined.o" >/dev/null 2>&1
	expect "$partly_name: an error with --strict" test $? -eq 3
}
for compiler in "${CC:-cc}" clang-19; do
	have "$compiler" "-g1 by $compiler" || continue
	# LLVM keeps functions with inlined calls at -g1.
	partly "-g1 by $compiler" "$compiler" -O2 -fno-inline -g1
	expect "-g1 by $compiler: a line" \
		grep -qF "1 of 2 units have code and no types (built with -g1?); rebuild them with -g" "$work/stderr"
done
ar rcs "$work/archive" "$work"/plain/[abc].o
refused 'an archive' "is an archive; give a linked image" "$work/archive"
ar rcsT "$work/thin-archive" "$work"/plain/[abc].o
refused 'a thin archive' "is an archive; give a linked image" "$work/thin-archive"
if have gcc-12 'an object of LTO'; then
	build slim gcc-12 -flto -fno-fat-lto-objects
	refused 'an object of LTO' "is GCC's intermediate code (-flto)" "$work/slim/a.o"
	for command in "stats" "explain main" "diff $work/plain/a.o"; do
		# shellcheck disable=SC2086
		"$BTFENC" $command "$work/slim/a.o" >"$work/log" 2>&1
		expect "an object of LTO: ${command%% *}" grep -qF "is GCC's intermediate code" "$work/log"
	done
	partly "a part of LTO" gcc-12 -g -flto -fno-fat-lto-objects
	expect "a part of LTO: a line" grep -qF "parts of it are GCC's intermediate code (-flto)" "$work/stderr"
	partly_fat=$work/fat
	mkdir "$partly_fat"
	gcc-12 -g -flto -ffat-lto-objects -c -o "$partly_fat/b.o" "$work/b.c"
	ld -r -o "$partly_fat/joined.o" "$work/plain/a.o" "$partly_fat/b.o" 2>/dev/null
	"$BTFENC" encode -o "$work/btf" "$partly_fat/joined.o" 2>"$work/stderr"
	expect "a part of LTO with DWARF: no line" test ! -s "$work/stderr"
fi
if have clang-19 'LLVM bitcode'; then
	clang-19 -flto -g -O2 -c -o "$work/bitcode" "$work/a.c"
	refused 'LLVM bitcode' 'is LLVM bitcode (-flto)' "$work/bitcode"
fi

compare_types
