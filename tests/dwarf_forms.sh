#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# DWARF can be stored in many ways: type units, the supplementary file of dwz -m, split DWARF,
# compressed sections, a file of its own. One program is built plainly and in each of them, and its
# types and functions must be those of the plain build.
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
	long sum = v.i;

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

# same_types NAME PLAIN FILE: the same types and functions, and FILE has some.
same_types()
{
	if ! encode "$2" || ! encode "$3"; then
		cat "$2.log" "$3.log" >"$work/log" 2>/dev/null
		not_ok "$1" "$work/log"
		return
	fi
	PYTHONDONTWRITEBYTECODE=1 python3 - "$2.btf" "$3.btf" >"$work/log" 2>&1 <<'EOT' &&
import sys
sys.path.insert(0, 'tests')
import parity
sides = [parity.Btf(path) for path in sys.argv[1:]]
several = {name for side in sides for name, count in side.definitions().items() if count > 1}
for side in sides:
    side.render(several)
for one, other, word in ((*sides, 'lost'), (*reversed(sides), 'more')):
    for kind, text, _ in parity.Comparison.surplus(one, other):
        print(word, parity.KIND[kind], text)
if not any(kind == parity.FUNC for kind, _ in sides[1].texts):
    print('no function')
EOT
		! [ -s "$work/log" ]
	# shellcheck disable=SC2181 # the command is as long as its text
	if [ $? -eq 0 ]; then
		ok "$1"
	else
		not_ok "$1" "$work/log"
	fi
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
if have dwz 'the supplementary file of dwz -m' && have gcc-12 'the supplementary file of dwz -m'; then
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
