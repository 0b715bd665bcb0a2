#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# The outputs and bases of encode, and its options under pahole's name: in place,
# many files, split BTF (a base of a base, a distilled base), the options of kernel builds.
. tests/lib.sh
. tests/lib_btf.sh

pahole=${BTFENC%/*}/pahole

tree=$PWD files=$work/files
mkdir "$files" && cd "$files" || exit 1

# copy VARIANT NAME: a fixture to write to; false when it was not built.
copy()
{
	[ -s "$FIXTURES/$1/vmlinux" ] && cp "$FIXTURES/$1/vmlinux" "$2"
}

# exits NAME STATUS LINES COMMAND...: exit status and the number of lines on stderr.
exits()
{
	exits_name=$1 exits_status=$2 exits_lines=$3
	shift 3
	"$@" >"$work/out" 2>"$work/err"
	status=$?
	{ echo "exit status $status, not $exits_status"; cat "$work/err"; } >"$work/wrong"
	[ $status -eq "$exits_status" ] && [ "$(wc -l <"$work/err")" -eq "$exits_lines" ]
	outcome $? "$exits_name" "$work/wrong"
}

same_dump()
{
	"$BTFENC" dump "$1" >"$work/dump1" && "$BTFENC" dump "$2" >"$work/dump2" &&
		cmp "$work/dump1" "$work/dump2"
}

# ---- in place ----

for image in "$FIXTURES"/*/vmlinux; do
	variant=${image%/vmlinux}
	variant=${variant##*/}
	cp "$image" file && "$BTFENC" encode -o file.btf file
	exits "$variant: in place" 0 0 "$BTFENC" encode file
	exits "$variant: check takes the section" 0 0 "$BTFENC" check file
	expect "$variant: the section is what -o writes" same_dump file.btf file
done

copy gcc12-dwarf5 image || exit 1
cp image pristine
"$BTFENC" encode -o image.btf pristine
"$BTFENC" encode image
expect "in place: there is one .BTF" test "$(sections image)" = " .BTF"
cp image once
"$BTFENC" encode image
expect "in place again: still one .BTF" test "$(sections image)" = " .BTF"
expect "in place again: the same types" same_dump once image
"$BTFENC" encode --features=default,-var image
kinds image >image.kinds
expect "in place again: other features replace it" lacks_line 'VAR\|no dump' image.kinds
"$BTFENC" encode image
expect "and back again" same_dump once image
cp once readonly-copy
strip --strip-debug readonly-copy 2>/dev/null
exits "strip leaves a file whose BTF is good" 0 0 "$BTFENC" check readonly-copy
expect "with the same types" same_dump once readonly-copy
chmod 751 image
"$BTFENC" encode image
expect "in place: the permissions stay" test "$(stat -c %a image)" = 751

# ---- many files ----

for name in a b c d; do
	cp pristine $name
done
head -c 3000 pristine >broken
cp broken broken.before
exits "many files, one broken: exit status 1, one line" 1 1 "$BTFENC" encode -j3 a b broken c d
expect "the line names the broken one" grep -q '^btfenc: broken: ' "$work/err"
expect "the broken one is untouched" cmp broken broken.before
for name in a b c d; do
	expect "many files: $name is done" same_dump once $name
done
exits "many files, all good" 0 0 "$BTFENC" encode a b c d
# all_are OLD: each of the many has BTF, or, if OLD is given, is like that.
all_are()
{
	for file in many.*; do
		{ [ -n "$1" ] && cmp -s "$1" "$file"; } || "$BTFENC" check "$file" || return 1
	done
}

# A program that runs cannot be written to.
echo 'unsigned sleep(unsigned); int main(void) { return (int)sleep(60); }' >busy.c
gcc -g -o busy busy.c
./busy &
for _ in $(seq 500); do
	[ "$(readlink /proc/$!/exe)" != "$PWD/busy" ] || break
	sleep 0.01
done
exits "a program that runs" 3 1 "$BTFENC" encode busy
expect "what to do" grep -q ': Text file busy; .* wait until it no longer runs, or choose another output$' "$work/err"
kill $!

# A signal that ends the process waits for the files at hand; an ignored one (nohup) ends nothing.
for i in $(seq 30); do
	cp pristine "many.$i"
done
# The shell ignores it before it forks, so the process never does anything else, and signals come until
# it ends (a zombie).
trap '' HUP
"$BTFENC" encode -j2 many.* 2>"$work/err" &
encoder=$!
trap 'exit 130' HUP
while kill -HUP $encoder 2>/dev/null && ! grep -q '^State:.Z' "/proc/$encoder/status"; do
	:
done 2>/dev/null
wait $encoder
expect "an ignored signal: exit status 0" test $? -eq 0
expect "an ignored signal: all files are done" all_are ''
for i in $(seq 30); do
	cp pristine "many.$i"
done
"$BTFENC" encode -j2 many.* 2>"$work/err" &
sleep 0.02
kill -TERM $! 2>/dev/null
wait $!
expect "SIGTERM: each file is as it was, or done" all_are pristine
# Both workers wait for a lock until the signal has come: the other files are never begun.
for i in $(seq 30); do
	cp pristine "many.$i"
done
exec 8<many.1 9<many.2
flock 8 && flock 9
"$BTFENC" encode -j2 many.1 many.2 many.[3-9] many.[12]? many.30 2>"$work/err" 8<&- 9<&- &
encoder=$!
for _ in $(seq 500); do
	! grep -q '^SigBlk:.*400[0-3]$' "/proc/$encoder/status" || break
	sleep 0.01
done
kill -TERM $encoder 2>/dev/null
exec 8<&- 9<&-
wait $encoder
expect "SIGTERM: exit status 143" test $? -eq 143
expect "SIGTERM: what was not begun is named" grep -q \
	'^btfenc: many[.0-9]*: a signal came before this file was begun; ' "$work/err"
expect "SIGTERM: each file is as it was, or done, again" all_are pristine
expect "SIGTERM: the last one is as it was" cmp pristine many.30
rm -f many.*
ln a other-name
exits "one file by two names is encoded once" 0 0 "$BTFENC" encode -j2 a other-name
expect "and is whole" "$BTFENC" check other-name
rm other-name
exits "one file, broken: exit status 3" 3 1 "$BTFENC" encode broken
# Each takes what it finds, one after the other.
exits "the same file twice" 0 0 "$BTFENC" encode -j2 a a
expect "has one .BTF" test "$(sections a)" = " .BTF"
exits "on a base, one broken" 1 1 "$BTFENC" encode -b image.btf a broken b
exits "the same BTF again: no warning" 0 0 "$BTFENC" encode -b image.btf a
expect "on a base: the others are split" test "$(kinds a -b image.btf)" = "$(kinds b -b image.btf)"
for command in check dump; do
	exits "on a base: $command wants it" 3 1 "$BTFENC" $command a
	expect "on a base: $command says so" grep -q \
		'^btfenc: a: is split BTF; give its base with --base$' "$work/err"
done
exits "on a base: and is content with it" 0 0 "$BTFENC" check --base image.btf a

# ---- a base ----

# The kinds for code and data are the module's own; the base has all others.
own_kinds="DATASEC DECL_TAG FUNC VAR "

# shellcheck disable=SC2045 # the names of variants have no blanks
for variant in $(ls "$FIXTURES"); do
	copy "$variant" file || continue
	"$BTFENC" encode -o base.btf file
	exits "$variant: on its own BTF" 0 0 "$BTFENC" encode -b base.btf -o split.btf file
	expect "$variant: only code and data are left" \
		test "$(kinds split.btf -b base.btf)" = "$own_kinds"
	[ "$(elf_ident file)" = "$(elf_ident once)" ] || continue
	exits "$variant: on another image's BTF" 0 0 "$BTFENC" encode -b image.btf -o split.btf file
	exits "$variant: check finds no error in it" 0 0 \
		"$BTFENC" check --base image.btf split.btf
	"$TEST_PROGRAMS/tool_libbpf" split.btf image.btf >split.c 2>"$work/err"
	outcome $? "$variant: libbpf takes the split" "$work/err"
	# Of another machine it is refused without --force.
	"$BTFENC" encode -j3 --force -b once -o split2.btf file 2>/dev/null
	expect "$variant: an ELF file as the base, -j3: the same bytes" cmp split.btf split2.btf
	exits "$variant: on a distilled base" 0 0 \
		"$BTFENC" encode -b image.btf --features=+distilled_base -o split.btf file
	exits "$variant: check finds no error in the base" 0 0 "$BTFENC" check split.btf.base
	exits "$variant: nor in what is on it" 0 0 "$BTFENC" check --base split.btf.base split.btf
	expect "$variant: libbpf takes it, too" \
		"$TEST_PROGRAMS/tool_libbpf" split.btf split.btf.base
done

# Tags on members of types whose members a distilled base does not have: no unit is lost for them.
if copy clang22-dwarf5 file; then
	"$BTFENC" encode --features=default,-decl_tag -o base.btf file
	exits "a distilled base and tags on members" 0 0 \
		"$BTFENC" encode -b base.btf --features=+distilled_base -o split.btf file
fi

# Three of them: a base, a base of it, and a module on both.
cat >lower.c <<'EOT'
struct lower { int number; struct lower *next; } lower;
EOT
cat >upper.c <<'EOT'
struct lower { int number; struct lower *next; };
struct upper { struct lower *low; long other; } upper;
EOT
cat >module.c <<'EOT'
struct lower { int number; struct lower *next; };
struct upper { struct lower *low; long other; };
struct top { struct upper up; struct lower *low; char last; } top;
EOT
for name in lower upper module; do
	gcc -g -c $name.c || exit 1
done
"$BTFENC" encode -o lower.btf lower.o
"$BTFENC" encode -b lower.btf -o upper.btf upper.o
exits "a base of a base" 0 0 "$BTFENC" encode -b lower.btf -b upper.btf -o module.btf module.o
"$BTFENC" dump --base lower.btf upper.btf | grep -o "STRUCT '[a-z]*'" >names
expect "the middle has what is its own" test "$(cat names)" = "STRUCT 'upper'"
"$BTFENC" dump --base lower.btf --base upper.btf module.btf | grep -o "STRUCT '[a-z]*'" >names
expect "the module has what is its own" test "$(cat names)" = "STRUCT 'top'"
exits "two bases of which neither is split" 3 1 \
	"$BTFENC" encode -b lower.btf -b lower.btf -o never.btf module.o
expect "and nothing is written" test ! -e never.btf
exits "check takes the three" 0 0 "$BTFENC" check --base lower.btf --base upper.btf module.btf
exits "check: not all of its bases" 1 0 "$BTFENC" check -b lower.btf module.btf
expect "check: may it be another base?" grep -q \
	'^module.btf: [0-9]* errors*, [0-9]* warnings*; was it split from another base than lower.btf?$' \
	"$work/out"
exits "check: a base that is split itself" 3 1 "$BTFENC" check -b upper.btf module.btf
exits "a base that is not there" 3 1 "$BTFENC" encode -b none -o module.btf module.o
exits "a base without BTF" 3 1 "$BTFENC" encode -b pristine -o module.btf module.o
exits "the base is the file itself" 2 1 "$BTFENC" encode -b image image
cp lower.btf kept.btf
exits "OUT is BASE" 2 1 "$BTFENC" encode -b kept.btf -o kept.btf module.o
# int alone could be a distilled base.
echo 'int count;' >count.c && gcc -g -c count.c && "$BTFENC" encode -o kept.extra count.o && cp kept.extra kept.inline
cp kept.extra kept.base
exits "OUT.base is the BTF of a user" 0 0 "$BTFENC" encode -o kept count.o
expect "and is kept" cmp kept.extra kept.base
# Bases with records, which are what an earlier run may have left.
cat >sites.c <<'EOT'
struct lower { int number; struct lower *next; };
static inline int get(struct lower *lower) { return lower->number; }
int sum(struct lower *lower) { return get(lower) + get(lower->next); }
EOT
gcc -g -O1 -c sites.c || exit 1
"$BTFENC" encode -b lower.btf --features +inline,+func_secinfo -o records.btf sites.o
for case in 'extra -b records.btf -b records.btf.inline' 'inline -b records.btf' base; do
	suffix=${case%% *}
	cp "records.btf.${suffix%base}" "side.$suffix" 2>/dev/null || cp lower.btf "side.$suffix"
	cp "side.$suffix" kept.side
	# shellcheck disable=SC2046,SC2086 # words
	exits "OUT.$suffix is BASE, and is not wanted" 0 0 \
		"$BTFENC" encode $([ $suffix = base ] || echo "-b lower.btf ${case#* }") -b "side.$suffix" -o side module.o
	expect "and is kept" cmp kept.side "side.$suffix"
done
exits "OUT.extra is the BTF of a user" 0 0 "$BTFENC" encode -o kept module.o
expect "and is kept" cmp kept.extra kept.inline
rm -f kept.extra kept.inline kept.side side* records*

# ---- BTF of another file ----

# Modules that only carry the kernel's: its BTF (btf_vmlinux.ko) or its inline sites (btf_vmlinux_inline.ko, with BTF of its own).
cp "$FIXTURES/gcc12-dwarf5/vmlinux" kernel && "$BTFENC" encode --features +inline kernel && cp kernel newer &&
	"$BTFENC" encode --features +inline,-var newer || exit 1
cat >carrier.c <<'EOT'
struct carried { int x; } carried;
static int __attribute__((used, section(".init.text"))) carrier_init(void) { return carried.x; }
int init_module(void) __attribute__((alias("carrier_init")));
EOT
gcc -g -O2 -c carrier.c && gcc -g -O1 -c -o own.ko sites.c || exit 1
objcopy --dump-section .BTF=kernel.BTF --dump-section .BTF.inline=kernel.BTF.inline kernel /dev/null
objcopy --add-section .BTF=kernel.BTF carrier.o btf_vmlinux.ko
echo '.section .BTF, "a"; .incbin "kernel.BTF"' | gcc -x assembler -c -o incbin.o - && ld -r -o incbin.ko carrier.o incbin.o || exit 1
cp carrier.o btf_vmlinux_inline.ko && "$BTFENC" encode -b kernel btf_vmlinux_inline.ko &&
	objcopy --add-section .BTF.inline=kernel.BTF.inline btf_vmlinux_inline.ko || exit 1
# unknown SECTION FILE: its first type is of a kind of the future.
unknown()
{
	objcopy --dump-section "$1=section" "$2" /dev/null &&
		printf '\167' | dd of=section bs=1 seek=$(($(od -An -tu1 -j4 -N1 section) + 7)) conv=notrunc 2>"$work/log" &&
		objcopy --update-section "$1=section" "$2"
}
for section in .BTF .BTF.inline; do
	cp own.ko "future$section.ko" && "$BTFENC" encode --features +inline -b kernel "future$section.ko" &&
		unknown $section "future$section.ko" || exit 1
done
for case in 'btf_vmlinux .BTF functions of other code' 'incbin .BTF functions of other code' \
	'btf_vmlinux_inline .BTF.inline inline sites of other code' \
	'future.BTF .BTF types of a kind that is not known here' \
	'future.BTF.inline .BTF.inline types of a kind that is not known here'; do
	file=${case%% *}.ko what=${case#* }
	said="$file: its ${what%% *} has ${what#* }, and was left as it is; use -o OUT, or --force to replace it"
	for arguments in '-b kernel' '-b newer' '--features +inline,+func_secinfo=inline -b kernel' ''; do
		cp "$file" before
		# shellcheck disable=SC2086 # words
		exits "BTF of another: $file: encode $arguments" 3 1 "$BTFENC" encode $arguments "$file"
		expect "which is said" grep -qxF "btfenc: $said" "$work/err"
		expect "and is kept" cmp before "$file"
	done
	exits "BTF of another: $file: as pahole a build goes on" 0 1 "$pahole" -J --btf_base kernel "$file"
	expect "with a warning" grep -qxF "btfenc: warning: $said" "$work/err"
	expect "and it is kept" cmp before "$file"
	exits "BTF of another: $file: -o OUT" 0 0 "$BTFENC" encode -b kernel -o its "$file"
	cp own.ko beside.ko
	exits "BTF of another: $file: the other files are encoded" 1 1 "$BTFENC" encode -b kernel "$file" beside.ko
	expect "which it is" test "$(sections beside.ko)" = " .BTF"
	exits "BTF of another: $file: --force" 0 0 "$BTFENC" encode --force -b kernel "$file"
	expect "replaces it" test "$(sections "$file")" = " .BTF"
done
# What an encoder has made of the file itself is replaced, whatever it was split from.
# FUNCs without a symbol of their name: of inlined functions, and of clones, whose FUNC has the name of its symbol.
cat >inlined.c <<'EOT'
int seen;
#define INLINED static inline __attribute__((always_inline)) void
INLINED one(void) { seen++; __asm__ volatile(""); }
INLINED two(void) { seen++; __asm__ volatile(""); }
INLINED three(void) { seen++; __asm__ volatile(""); }
void run(void) { one(); two(); three(); }
EOT
cat >changed.c <<'EOT'
#define CHANGED(name, sum) static __attribute__((noinline)) int name(int a, int b, int unused) { return sum; }
int seen;
CHANGED(changed, a + b)
CHANGED(also_changed, a - 7 * b)
int main(void) { return changed(seen, 2, 3) + changed(2, seen, 4) + also_changed(seen, 1, 2) + also_changed(3, seen, 2); }
EOT
echo 'struct ab { int number; } ab; struct sum { int number; } sum;' >names.c
gcc -g -O2 -c -o inlined.ko inlined.c && gcc -g -O2 -c -o changed.ko changed.c && gcc -g -c names.c &&
	"$BTFENC" encode -o names.btf names.o || exit 1
for made in "$BTFENC encode" "$BTFENC encode -b newer" "$BTFENC encode -b names.btf" "$BTFENC encode --features +inline,+func_secinfo=inline -b newer" \
	"$BTFENC encode --features +inline" "$BTFENC encode --features +true_signature" \
	"$BTFENC encode --features default,distilled_base -b newer" "$pahole -J --btf_features=default,+inline" \
	"$pahole -J --btf_features=default,+inline --btf_base newer"; do
	for file in own inlined changed; do
		cp $file.ko again.ko
		$made again.ko 2>"$work/log"
		exits "BTF of an earlier run: $file.ko: ${made##*/}" 0 0 "$BTFENC" encode -b kernel again.ko
		expect "is replaced" test "$(sections again.ko)" = " .BTF"
	done
done

cp lower.btf kept.base
exits "OUT.base is BASE" 2 1 \
	"$BTFENC" encode -b kept.base --features=+distilled_base -o kept module.o
for case in distilled_base:base func_secinfo:extra inline:inline; do
	file=kept.o.${case#*:}
	cp module.o "$file"
	exits "OUT.${case#*:} is FILE" 2 1 \
		"$BTFENC" encode -b lower.btf --features="+${case%:*}" -o kept.o "$file"
	expect "which is kept" cmp module.o "$file"
done
expect "and no base is lost" sh -c 'cmp kept.btf lower.btf && cmp kept.base lower.btf'
# FILE leads to the one with the DWARF.
cp image.o debugged 2>/dev/null || cp module.o debugged
objcopy --only-keep-debug debugged debugged.debug && objcopy --strip-debug --add-gnu-debuglink=debugged.debug debugged
cp debugged.debug kept.debug
exits "OUT has FILE's DWARF" 3 1 "$BTFENC" encode -o debugged.debug debugged
exits "stats: OUT has FILE's DWARF" 3 1 "$BTFENC" stats --functions debugged.debug debugged
exits "diff: OUT has OLD's DWARF" 3 1 "$BTFENC" diff -o debugged.debug debugged debugged
expect "which is kept" cmp kept.debug debugged.debug
mkfifo out.fifo
for out in - /dev/stdout out.fifo /dev/full; do
	for case in 'distilled_base:a distilled base' 'inline:inline, which goes into OUT.inline' \
		'func_secinfo:func_secinfo, which goes into OUT.extra'; do
		exits "${case%:*} with $out" 2 1 \
			"$BTFENC" encode -b lower.btf --features="+${case%:*}" -o $out module.o
		expect "and says so" \
			grep -q "^btfenc: encode: $out cannot take ${case#*:};" "$work/err"
	done
done
rm out.fifo
"$BTFENC" encode -o - module.o >wanted.btf
"$BTFENC" encode -o /dev/stdout module.o >standard.btf
expect "/dev/stdout may be a file" cmp wanted.btf standard.btf
exits "all of them with /dev/null" 0 0 "$BTFENC" encode -b lower.btf \
	--features=+distilled_base,+func_secinfo,+inline -o /dev/null module.o
expect "no file is next to these" \
	test "$(echo /dev/*.base /dev/*.extra /dev/*.inline out.fifo.* -.*)" = \
	"/dev/*.base /dev/*.extra /dev/*.inline out.fifo.* -.*"
exits "a distilled base of two" 2 1 \
	"$BTFENC" encode -b lower.btf -b upper.btf --features=+distilled_base -o out module.o
exits "timings of two files" 2 1 "$BTFENC" encode --timings lower.o upper.o
ln -s nowhere dangling
exits "OUT is a link that leads nowhere" 3 1 "$BTFENC" encode -o dangling lower.o
expect "and stays one" test -L dangling
echo first >log
"$BTFENC" encode -o - lower.o >>log
expect "-o - appends where the shell says so" sh -c \
	'tail -c +7 log | cmp - lower.btf && head -c 6 log | grep -qx first'
cat lower.c >kernel_module.c
echo '__attribute__((section(".gnu.linkonce.this_module"))) int this_module;' >>kernel_module.c
gcc -g -c kernel_module.c || exit 1
exits "a module without a base: a warning" 0 1 "$BTFENC" encode -o out.btf kernel_module.o
exits "and none with one" 0 0 "$BTFENC" encode -b lower.btf -o out.btf kernel_module.o
exits "a base whose own base is not given" 3 1 "$BTFENC" encode -b upper.btf -o module.btf module.o
expect "it is called split" grep -q '^btfenc: upper.btf: is split BTF itself (.*); give all' "$work/err"
"$BTFENC" encode -b lower.btf -b upper.btf -o top.btf module.o
exits "a base on another than it was split from" 3 1 \
	"$BTFENC" encode -b lower.btf -b top.btf -o module.btf module.o
expect "it is not called split" grep -q '^btfenc: top.btf: refers to types .* not there: ' "$work/err"
exits "bases in the wrong order" 3 1 \
	"$BTFENC" encode -b upper.btf -b lower.btf -o module.btf module.o
exits "too many bases" 2 1 "$BTFENC" encode -b 1 -b 2 -b 3 -b 4 -b 5 -b 6 -b 7 -b 8 -b 9 module.o

cp module.o distilled.o
"$BTFENC" encode --base=lower.btf --features=+distilled_base -o distilled.btf module.o
"$BTFENC" encode --base=lower.btf --features=+distilled_base distilled.o
expect "distilled, in place: .BTF and .BTF.base" test "$(sections distilled.o)" = " .BTF .BTF.base"
cp distilled.btf.base old.btf.base && cp lower.btf users.btf.base
"$BTFENC" encode --base=lower.btf -o old.btf module.o
expect "distilled: the base of an earlier run goes" test ! -e old.btf.base
"$BTFENC" encode --base=lower.btf -o users.btf module.o
expect "distilled: other BTF of its name is kept" cmp lower.btf users.btf.base
cp distilled.btf.base input.btf.base
"$BTFENC" encode --base=input.btf.base -o input.btf module.o
expect "distilled: and so is one that is the base" cmp distilled.btf.base input.btf.base
exits "distilled: check finds the base next to it" 0 0 "$BTFENC" check distilled.o
exits "distilled: and no other fits" 3 1 "$BTFENC" check --base lower.btf distilled.o
exits "distilled: no base for others" 3 1 \
	"$BTFENC" encode -b lower.btf -b distilled.o -o module.btf module.o
"$BTFENC" encode --base=lower.btf distilled.o
expect "not distilled again: .BTF.base goes" test "$(sections distilled.o)" = " .BTF"
"$BTFENC" encode --features=default,layout -o layout.btf pristine
"$BTFENC" check layout.btf >"$work/out"
expect "check warns of a layout section" grep -q ': layout: ' "$work/out"
expect "with a layout section: the same types" same_dump layout.btf image.btf

# ---- under pahole's name ----

# encodes NAME OPTION...: into $work/files/out.btf, without a word
encodes()
{
	encodes_name="pahole: $1"
	shift
	rm -f out.btf
	exits "$encodes_name" 0 0 "$pahole" "$@"
	[ -s out.btf ] || cp image out.btf
}

# prints NAME TEXT OPTION...
prints()
{
	prints_name="pahole: $1" prints_text=$2
	shift 2
	expect "$prints_name" test "$("$pahole" "$@" 2>&1)" = "$prints_text"
}

for option in --btf_attributes --format_path=dwarf -Fdwarf,btf; do
	encodes "$option" $option --btf_encode_detached=out.btf image
done
exits "pahole: formats without DWARF" 2 1 "$pahole" -F btf --btf_encode_detached=out.btf image
PAHOLE_LANG_EXCLUDE=rust encodes "PAHOLE_LANG_EXCLUDE" --btf_encode_detached=out.btf image
rm -f out.btf
PAHOLE_LANG_EXCLUDE=c exits "pahole: PAHOLE_LANG_EXCLUDE leaves out units" 3 1 \
	"$pahole" --btf_encode_detached=out.btf image
PAHOLE_LANG_EXCLUDE=c encodes "--lang_exclude wins over PAHOLE_LANG_EXCLUDE" \
	--lang_exclude=rust --btf_encode_detached=out.btf image
prints "--version" v1.32 --version
prints "--numeric_version" 132 --numeric_version
prints "--devel_version" "v1.32-$("$BTFENC" --version | tr ' ' -)" --devel_version
# make PAHOLE_VERSION=133: of this build one object is made anew.
other_version()
{
	mkdir other-version && cp -al "${BTFENC%/*}/obj" other-version/ &&
		rm other-version/obj/commands/encode_arguments.o other-version/obj/libbtfenc.a &&
		make -s -C "$tree" OUT="$files/other-version" PAHOLE_VERSION=133 "$files/other-version/pahole" >/dev/null || return
	printf '%s\n' v1.33 133 "v1.33-$("$BTFENC" --version | tr ' ' -)" >wanted
	for option in --version --numeric_version --devel_version; do
		"$files/other-version/pahole" $option
	done | cmp - wanted
}
expect "pahole: another version, by the Makefile" other_version
prints "--supported_btf_features" "encode_force,var,float,decl_tag,type_tag,enum64,optimized_func,\
consistent_func,decl_tag_kfuncs,reproducible_build,distilled_base,global_var,attributes,\
true_signature,layout,force_cu_merging,inline,func_secinfo,strips_llvm" --supported_btf_features

"$BTFENC" encode --features=default,-float,-decl_tag_kfuncs -o first pristine
for options in "-J FILE" "--btf_encode FILE" "-J -j FILE" "-J -j2 FILE" "-J -j 2 FILE" \
	"-J --jobs=2 FILE" "-J --jobs FILE" "-Jj2 FILE" "--btf_encode_force -J FILE" \
	"-J --reproducible_build FILE" "-J --btf_gen_optimized FILE" "FILE -J" "FILE -J -j 2"; do
	cp pristine FILE
	# shellcheck disable=SC2086 # they are several words
	exits "pahole: $options" 0 0 "$pahole" $options
	expect "pahole: $options: .BTF is there" test "$(sections FILE)" = " .BTF"
	expect "pahole: $options: the same types" same_dump first FILE
done
cp pristine 7
exits "pahole: -j 7 where 7 is a file" 0 0 "$pahole" -J -j 7
expect "pahole: -j 7 where 7 is a file: it has BTF" same_dump first 7

cp pristine image
encodes "--btf_encode_detached" --btf_encode_detached=out.btf image
expect "pahole: --btf_encode_detached leaves the file alone" cmp pristine image
expect "pahole: --btf_encode_detached: the same types" same_dump first out.btf
encodes "--btf_encode_detached OUT" -J --btf_encode_detached out.btf image

detached=--btf_encode_detached=out.btf
rm -f out.btf
exits "pahole: --btf_features_strict refuses what is unknown" 2 1 \
	"$pahole" $detached --btf_features_strict=var,nope image
expect "pahole: and names it" grep -q "'nope'" "$work/err"
expect "pahole: and lists what there is" grep -q 'decl_tag_kfuncs' "$work/err"
expect "pahole: and writes nothing" test ! -e out.btf

"$pahole" $detached --btf_features=default image
"$BTFENC" dump out.btf | grep -c ' FUNC ' >"$work/default"
"$pahole" $detached --btf_features=default,true_signature image
"$BTFENC" dump out.btf | grep -c ' FUNC ' >"$work/more"
expect "pahole: true_signature promises more" \
	test "$(cat "$work/more")" -gt "$(cat "$work/default")"

# ---- languages ----

cat >one.cpp <<'EOT'
struct cxx_only { int x; } cxx;
EOT
cat >two.c <<'EOT'
struct c_only { int x; } c;
EOT
g++ -g -c one.cpp && gcc -g -c two.c && ld -r -o mixed.o one.o two.o || exit 1
while read -r wanted options; do
	rm -f out.btf
	# shellcheck disable=SC2086 # words
	"$pahole" $detached $options mixed.o
	"$BTFENC" dump out.btf | grep -o "'[a-z]*_only'" | sort | tr -d "\n'" >names
	expect "pahole: ${options:-no language}: $wanted" test "$(cat names)" = "$wanted"
done <<'EOT'
c_only
c_onlycxx_only	--lang_exclude=rust
c_only		--lang_exclude=rust,c++
c_only		--lang=c
c_onlycxx_only	--lang=c,c++
c_only		--lang_exclude=Rust,C++
c_only		--lang_exclude=c --lang_exclude=c++
EOT
exits "pahole: an unknown language" 2 1 "$pahole" $detached --lang_exclude=nope mixed.o

# A module of Rust alone: the kernel's gen-btf.sh hands OUT to resolve_btfids, which fails if there is none.
rm -f out.btf
exits "pahole: only what is left out, and no base" 0 0 "$pahole" $detached --lang_exclude=c++ one.o
expect "pahole: has no BTF" test ! -e out.btf
exits "pahole: only what is left out, with a base" 0 0 \
	"$pahole" $detached --lang_exclude=c++ --btf_base lower.btf one.o
"$BTFENC" check -b lower.btf out.btf >"$work/out" 2>&1
expect "pahole: has BTF without types" grep -qx 'out.btf: 0 types, no errors' "$work/out"
cp one.o alone.o
exits "pahole: only what is left out, in place" 0 0 \
	"$pahole" -J --lang_exclude=c++ --btf_base lower.btf alone.o
expect "pahole: has none there" cmp one.o alone.o
rm -f out.btf
exits "encode: only what is left out, with a base" 3 1 \
	"$BTFENC" encode --lang-exclude c++ -b lower.btf -o out.btf one.o
echo 'int few(int a) { return a; }' | gcc -g1 -x c -c -o few.o - && ld -r -o only-g1.o one.o few.o &&
	objcopy --strip-debug two.o no-dwarf.o || exit 1
for file in only-g1 no-dwarf; do
	"$pahole" $detached --lang_exclude=c++ --btf_base lower.btf $file.o 2>"$work/err"
	expect "pahole: with a base: $file: none is made" test ! -e out.btf
done

# ---- what must not stop a build, and what must ----

cp pristine image
expect "pahole: LLVM_OBJCOPY in the environment" \
	env LLVM_OBJCOPY=/nowhere/objcopy "$pahole" -J image
expect "pahole: LLVM_OBJCOPY: the same types" same_dump first image
objcopy --strip-debug pristine no-debug
cp no-debug before
exits "pahole: a file without DWARF is passed over" 0 0 "$pahole" -J no-debug
expect "pahole: and left alone" cmp no-debug before
rm -f out.btf
exits "pahole: also with --btf_encode_detached" 0 0 "$pahole" $detached no-debug
expect "pahole: of which nothing is made" test ! -e out.btf
exits "encode: a file without DWARF is an error" 3 1 "$BTFENC" encode no-debug
exits "encode: among others" 1 1 "$BTFENC" encode no-debug a
expect "encode: and left alone" cmp no-debug before
exits "btfenc -J is pahole -J" 0 0 "$BTFENC" -J no-debug

cp pristine image
for options in "" "-j2" "--btf_features=default"; do
	# shellcheck disable=SC2086
	exits "pahole: $options without -J" 2 1 "$pahole" $options image
done
for options in "-C list_head" "--sizes" "--expand_types" "-F btf" "--hex" "--nope" "-Y"; do
	# shellcheck disable=SC2086
	exits "pahole: $options is not an encoder's option" 2 1 "$pahole" -J $options image
done
expect "pahole: none of these touched the file" cmp pristine image
cp pristine copy
exits "pahole: -j300, as make may have it" 0 0 "$pahole" -J -j300 copy
exits "pahole: -j text" 2 1 "$pahole" -J -jx copy
exits "pahole: -J without a file" 2 1 "$pahole" -J

# The line of a kernel's build of a module: base, then FILE.
cp module.o built.o
exits "pahole: a module's line" 0 0 env LLVM_OBJCOPY=objcopy "$pahole" -J -j \
	--btf_features=default --lang_exclude=rust --btf_features=distilled_base \
	--btf_base lower.btf built.o
expect "pahole: a module's line: distilled" test "$(sections built.o)" = " .BTF .BTF.base"
exits "pahole: a module's line without distilled_base" 0 0 "$pahole" -J --btf_features=default \
	--btf_base lower.btf built.o
expect "pahole: .BTF only" test "$(sections built.o)" = " .BTF"
