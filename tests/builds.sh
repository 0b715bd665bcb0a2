#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Whole builds: `btfenc diff` of directories and of a vmlinux and its modules, `stats --functions`
# of both; functions that move between modules; what is most important.
. tests/lib.sh

cc=${DIFF_CC:-gcc-12}
have "$cc" "builds" || exit 0

# module DIRECTORY NAME SOURCE-FILE: NAME.ko
module()
{
	mkdir -p "$1" && "$cc" -O2 -g -ffreestanding -c -o "$1/$2.ko" "$3"
}

# kernel OUT SOURCE-FILE
kernel()
{
	mkdir -p "${1%/*}" && "$cc" -O2 -g -ffreestanding -fno-pie -nostdlib -static -no-pie \
		-Wl,-e,start -o "$1" "$2"
}

# btf OUT VMLINUX MODULE...: raw BTF as in /sys/kernel/btf
btf()
{
	btf_out=$1
	mkdir "$1" && "$BTFENC" encode -o "$1/vmlinux" "$2" || return
	shift 2
	for file; do
		name=${file##*/}
		"$BTFENC" encode -b "$btf_out/vmlinux" \
			-o "$btf_out/$(echo "${name%.ko}" | tr - _)" "$file"
	done
}

# side DIRECTORY SIDE: a vmlinux of base.c there, modules of one.c and two.c, and their BTF
side()
{
	kernel "$1/$2/vmlinux" "$1/base.c" && module "$1/$2" one "$1/one.c" &&
		module "$1/$2" two "$1/two.c" && btf "$1/$2.btf" "$1/$2/vmlinux" "$1/$2"/*.ko
}

cat >"$work/core.c" <<'EOT'
#define noinline __attribute__((noinline))
volatile int sink;
#ifdef EARLY
int travel(int way) { return way + sink; }
static noinline int helper(int a) { sink = a; return a + sink; }
static noinline int seldom(int a) { sink = a ^ 3; return a + sink; }
static noinline int often(int a) { sink = a ^ 5; return a + sink; }
int bpf_kfunc_call_test9(int a) { return a + sink; }
int tcp_connect(int a) { return a - sink; }
#endif
int start(int a)
{
#ifdef EARLY
	a += travel(a) + helper(a) + seldom(a) + often(a);
	sink = often(a + 2);
	sink = often(a + 3);
#endif
	return a + sink;
}
EOT
cat >"$work/travel.c" <<'EOT'
volatile int slot;
int travel(int way) { return way - slot; }
static __attribute__((noinline)) int probe(int a) { slot = a; return a ^ slot; }
int travel_start(int a) { return probe(a); }
EOT
cat >"$work/driver.c" <<'EOT'
volatile int slot;
static __attribute__((noinline)) int probe(int a) { slot = a + 1; return a ^ slot; }
static __attribute__((noinline)) int helper(int a) { slot = a + 2; return a ^ slot; }
int driver_start(int a) { return probe(a) + helper(a); }
int driver_only(int a) { return a + slot; }
EOT
sed 's/driver_only(int a)/driver_only(int a, int b)/; s/a + slot; }$/a + b + slot; }/' \
	"$work/driver.c" >"$work/next.c"
old=$work/old new=$work/new
{
	sed '1i #define EARLY' "$work/core.c" >"$work/early.c" &&
		mkdir -p "$old/arch/boot" "$new" &&
		kernel "$old/vmlinux" "$work/early.c" && kernel "$new/vmlinux-6.1" "$work/core.c" &&
		kernel "$old/arch/boot/vmlinux" "$work/core.c" &&
		module "$old/drivers" my-driver "$work/driver.c" &&
		module "$new/drivers" my-driver "$work/next.c" &&
		module "$new/net" travel "$work/travel.c"
} >"$work/log" 2>&1 || {
	not_ok "builds: kernels and modules" "$work/log"
	exit 1
}

"$BTFENC" diff "$old" "$new" >"$work/report" 2>"$work/stderr"
status=$?
expect "builds: there are regressions" [ $status -eq 1 ]
expect "builds: nothing is warned of" cmp "$work/stderr" /dev/null
expect "builds: how many modules there are" grep -qx \
	'  modules with functions: 1 -> 2' \
	"$work/report"
# Of a static function of another source file the name alone is the same: it is gone.
for line in 'travel: vmlinux -> travel' 'helper: ok -> not there: neither code nor an inline site' \
	'driver_only [my_driver]: int driver_only(int a{+, int b+})' \
	'probe [travel]: not there -> ok'; do
	expect "builds: $line" grep -qxF "  $line" "$work/report"
done
expect "builds: what has not changed is not there" lacks_line 'driver_start|start:' \
	"$work/report" -E
# A tool's function, then by callers, then by name, and those of tests at the end.
sed -n '/^gone:/,/^$/s/^  \([a-z_0-9]*\).*/\1/p' "$work/report" >"$work/names"
printf '%s\n' tcp_connect often helper seldom bpf_kfunc_call_test9 >"$work/wanted"
expect "builds: the most important losses" diff "$work/wanted" "$work/names"

"$BTFENC" diff --old-modules "$old/drivers" --new-modules "$new" "$old/vmlinux" \
	"$new/vmlinux-6.1" >"$work/other"
sed 1d "$work/report" >"$work/wanted"
expect "builds: a vmlinux and its modules" sh -c "sed 1d '$work/other' | diff '$work/wanted' -"
"$BTFENC" diff -j1 "$old" "$new" >"$work/other"
expect "builds: -j1" diff "$work/report" "$work/other"

# ---- lists ----

"$BTFENC" stats --functions "$work/old.tsv" "$old" >"$work/log" &&
	"$BTFENC" stats --functions - --modules "$new" "$new/vmlinux-6.1" >"$work/new.tsv"
expect "builds: a list has all modules" sh -c "grep -v '^#' '$work/new.tsv' | cut -f 15 | uniq | tr '\n' ' ' |
	grep -qx 'module - my_driver travel '"
for pair in "$work/old.tsv $work/new.tsv" "$old $work/new.tsv" "$work/old.tsv $new"; do
	# shellcheck disable=SC2086 # two words
	"$BTFENC" diff $pair | sed 1d | grep -v '^  compiler' >"$work/other"
	expect "builds: ${pair%% *} is ${pair##* }: the same" sh -c \
		"grep -v '^  compiler' '$work/wanted' | diff - '$work/other'"
done
"$BTFENC" diff "$work/old.tsv" "$old" >"$work/other"
expect "builds: a list and what it is of" grep -q ': no differences' "$work/other"
{ cat "$work/new.tsv"; sed -n '/	my_driver	/p' "$work/new.tsv"; } >"$work/twice.tsv"
"$BTFENC" diff "$work/twice.tsv" "$new" >"$work/other" 2>"$work/stderr"
status=$?
expect "builds: a module twice in a list is refused" sh -c \
	"[ $status -eq 3 ] && grep -q 'is there twice' '$work/stderr'"

# As in Debian's kernels: tables that other modules use.
for side in "$old" "$new"; do
	echo 'const int table[4] = { 1, 2, 3, 4 };' >"$work/table.c"
	mkdir -p "$side/data" && module "$side/data" only_data "$work/table.c"
done >"$work/log" 2>&1
for pair in "$old $new" "$work/old.tsv $new"; do
	# shellcheck disable=SC2086 # two words
	"$BTFENC" diff $pair | sed 1d | grep -v '^  compiler' >"$work/other"
	expect "builds: ${pair%% *} is ${pair##* }, with a module that has no functions" sh -c \
		"grep -v '^  compiler' '$work/wanted' | diff - '$work/other'"
done
rm -r "$old/data" "$new/data"

# ---- types ----

# base.c has struct shared, which its modules use; struct job is of both modules, one of which stays
# as it was.
types=$work/types
mkdir "$types"
for side in old new; do
	echo "struct shared { int a; ${extra:+long more;} }; int start(struct shared *s)" \
		"{ return s->a; }" >"$types/base.c"
	for module in one two; do
		echo "struct shared { int a; ${extra:+long more;} };" \
			"struct job { struct shared *s; ${extra:+int done;} };" \
			"struct ${extra:-old}_$module { int x; };" \
			"int ${module}_run(struct job *j, struct ${extra:-old}_$module *x)" \
			"{ return j->s->a + x->x; }" >"$types/$module.c"
	done
	side "$types" $side
	extra=new
done >"$work/log" 2>&1
cat >"$work/wanted" <<'EOT'
  struct old_one [one]
  struct old_two [two]
  struct job [one and 1 more]: size 8 -> 16; + int done at 8, 4 bytes
  struct shared: size 4 -> 16; + long more at 8, 8 bytes
  struct new_one [one]
  struct new_two [two]
EOT
for suffix in '' .btf; do
	"$BTFENC" diff --types "$types/old$suffix" "$types/new$suffix" 2>&1 |
		grep '^  struct' >"$work/other"
	expect "builds: types of modules, those of the kernel once: ${suffix:-DWARF}" \
		diff "$work/wanted" "$work/other"
	"$BTFENC" diff --types --format json "$types/old$suffix" "$types/new$suffix" |
		sed -n '/"name": "job"/,/"module"/s/^ *"module": "\(.*\)",*/\1/p' |
		tr '\n' ' ' >"$work/other"
	expect "builds: it counts for each module: ${suffix:-DWARF}" grep -qx 'one two ' "$work/other"
	"$BTFENC" diff --types --only new_two "$types/old$suffix" "$types/new$suffix" >"$work/other"
	expect "builds: --only a type of a module: ${suffix:-DWARF}" grep -qx \
		'  struct new_two \[two\]' "$work/other"
	"$BTFENC" diff --types "$types/new$suffix" "$types/new$suffix" >"$work/other" 2>&1
	expect "builds: types of modules and themselves: ${suffix:-DWARF}" grep -q \
		': no differences' "$work/other"
done

# Types that are in another file now: to the kernel, from it, to another module; one grows on the way,
# and one is another type of that name.
moved=$work/moved
mkdir "$moved"
out='struct out { int a; };' up='struct up { int a; };' over='struct over { int a; };'
grown='struct grown { int a; };' alike='struct alike { int a; };'
use='{ return p->a; }'
for side in old new; do
	case $side in
	old)
		base="$out int start(struct out *p) $use"
		one="$up $over $grown $alike int f1(struct up *p) $use int f2(struct over *p) $use
			int f3(struct grown *p) $use int f4(struct alike *p) $use"
		two='int f5(int a) { return a; }'
		;;
	new)
		base="$up struct grown { int a; long b; }; int start(struct up *p) $use int f3(struct grown *p) $use"
		one='int f6(int a) { return a; }'
		two="$out $over struct alike { long a; }; int f7(struct out *p) $use
			int f2(struct over *p) $use int f4(struct alike *p) $use"
		;;
	esac
	echo "$base" >"$moved/base.c" && echo "$one" >"$moved/one.c" && echo "$two" >"$moved/two.c"
	side "$moved" $side
done >"$work/log" 2>&1
cat >"$work/wanted" <<'EOT'
  struct alike [one]
  struct grown: one -> vmlinux; size 4 -> 16; + long b at 8, 8 bytes
  struct out: vmlinux -> two
  struct over: one -> two
  struct up: one -> vmlinux
  struct alike [two]
EOT
for suffix in '' .btf; do
	"$BTFENC" diff --types "$moved/old$suffix" "$moved/new$suffix" >"$work/report" 2>&1
	grep '^  struct' "$work/report" >"$work/other"
	expect "builds: types that moved: ${suffix:-DWARF}" diff "$work/wanted" "$work/other"
	expect "builds: how many: ${suffix:-DWARF}" test "$(grep -cE \
		'^  types: [0-9]+ on both sides$|1 type-gone, 1 type-changed$|3 type-moved, 1 type-new$' "$work/report")" = 3
done

# ---- BTF ----

for side in old new; do
	base=$old/vmlinux
	[ $side = old ] || base=$new/vmlinux-6.1
	btf "$work/$side.btf" "$base" "$work/$side"/*/*.ko
done
"$BTFENC" diff "$work/old.btf" "$work/new.btf" >"$work/report" 2>"$work/stderr"
for line in 'travel: vmlinux -> travel' 'driver_only [my_driver]: int driver_only(int a{+, int b+})' \
	'often: ok -> no FUNC: BTF does not say why'; do
	expect "builds: raw BTF as in /sys/kernel/btf: $line" grep -qxF "  $line" "$work/report"
done

# ---- what is refused ----

run_group=builds
mkdir "$work/empty"
run "a directory without a kernel" 3 '' 'btfenc: *no vmlinux is in this directory*' \
	diff "$work/empty" "$new"
run "a directory without modules" 3 '' 'btfenc: *no modules (\*.ko) are in this directory*' \
	diff --old-modules "$work/empty" "$old/vmlinux" "$new"
cp "$new/vmlinux-6.1" "$work/empty/vmlinux-6.1"
cp "$new/vmlinux-6.1" "$work/empty/vmlinux-6.2"
for command in 'stats --functions' 'diff -o'; do
	for file in vmlinux-6.1 net/travel.ko; do
		cp "$new/$file" "$work/kept"
		other=
		[ "${command%% *}" = stats ] || other=$old
		# shellcheck disable=SC2086 # words
		run "$command: OUT is $file" 3 '' 'btfenc: *would be replaced; choose another OUT*' \
			$command "$new/$file" $other "$new"
		expect "builds: $command: $file is kept" cmp "$work/kept" "$new/$file"
	done
done
run "two kernels" 3 '' 'btfenc: *is a second vmlinux, next to*' diff "$work/empty" "$new"
echo damaged >"$new/net/bad.ko"
run "a damaged module" 3 '' 'btfenc: */net/bad.ko: *' diff "$old" "$new"
# explain looks in the vmlinux, then in the modules.
rm "$new/net/bad.ko"
run "explain: a function of the vmlinux" 0 'start: *' '' explain start "$new"
run "explain: a function of a module" 0 'travel: *from *travel.ko*' '' explain travel "$new"
run "explain: none has it" 1 "nowhere: *is in $new/vmlinux-6.1, nor in the modules below $new (*" '' explain nowhere "$new"
run "explain: a type of none" 1 'struct nowhere: no such type; *nor in the modules*' '' explain 'struct nowhere' "$new"
run "explain: a directory without a kernel" 3 '' 'btfenc: *: no vmlinux is in this directory; *' explain start "$new/net"
strip -g -o "$new/net/bad.ko" "$new/net/travel.ko"
run "a module without DWARF" 3 '' 'btfenc: */net/bad.ko: has no DWARF*' diff "$old" "$new"
run "a module without DWARF, and types" 3 '' 'btfenc: */net/bad.ko: has no DWARF*' \
	diff --types "$old" "$new"
"$BTFENC" encode -o "$work/base.btf" "$new/vmlinux-6.1"
"$BTFENC" encode -b "$work/base.btf" "$new/net/travel.ko" -o "$work/travel.btf"
objcopy --add-section .BTF="$work/travel.btf" "$new/net/bad.ko"
for types in '' --types; do
	# shellcheck disable=SC2086 # an empty option is not an argument
	run "a module with BTF alone $types" 3 '' \
		'btfenc: */net/bad.ko: has no DWARF, but its vmlinux has; *' diff $types "$old" "$new"
done
cp "$old/drivers/my-driver.ko" "$new/net/my_driver.ko"
rm "$new/net/bad.ko"
run "two modules of one name" 1 '*' 'btfenc: warning: *a module of that name is also*' \
	diff "$old" "$new"
rm "$new/net/my_driver.ko"
"$BTFENC" diff "$old" "$new" >"$work/as_they_are"
gzip "$new/net/travel.ko" "$old/drivers/my-driver.ko"
"$BTFENC" diff "$old" "$new" >"$work/unpacked"
expect "builds: compressed modules" cmp "$work/unpacked" "$work/as_they_are"
gunzip "$new/net/travel.ko.gz" "$old/drivers/my-driver.ko.gz"
run "--modules without a list" 2 '' 'btfenc: *--modules needs --functions*' stats --modules "$new" \
	"$new/vmlinux-6.1"
