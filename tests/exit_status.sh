#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# The table of exit statuses in the manual, row by row: what each says happens is made to happen,
# with and without --strict. A failure has one line on stderr, and a warning is where the table says.
# shellcheck disable=SC2016,SC1003 # for inner shells, sed and tr
. tests/lib.sh

source=$PWD
manual=$source/man/btfenc.1
commands=$("$BTFENC" --help | sed -n 's/^  btfenc \([a-z]*\) .*/\1/p')
cd "$work" || exit 1
ln -s "$BTFENC" pahole

# ---- inputs ----

cp "$FIXTURES/gcc12-dwarf5/vmlinux" vmlinux
objcopy --strip-debug vmlinux no-dwarf
cat >a.c <<'EOT'
struct first { int one; };
int take_first(struct first *f) { return f->one; }
EOT
cat >b.c <<'EOT'
struct second { long two; };
int take_second(struct second *s, int add) { return (int)s->two + add; }
EOT
compiler=gcc-12
command -v $compiler >/dev/null || compiler=gcc
$compiler -g -O1 -c a.c && $compiler -g -O1 -c b.c && $compiler -r -nostdlib -o two a.o b.o &&
	$compiler -g1 -O1 -c -o b1.o b.c && $compiler -r -nostdlib -o some-g1 a.o b1.o &&
	$compiler -g -O1 -flto -fno-fat-lto-objects -c -o slim.o b.c && ld -r -o lto a.o slim.o ||
	exit 1

for section in xdp lsm/gone; do
	echo "__attribute__((section(\"$section\"), used)) int program(void *context) { return 2; }" |
		clang -g -O2 -target bpf -x c -c -o "${section#*/}.o" - || exit 1
done

# damage FILE UNIT...: the abbreviation of these units' first DIE is one that there is not.
damage()
{
	damaged=$1
	shift
	section=$(readelf -SW "$damaged" | sed -n 's/.* \.debug_info  *PROGBITS  *[0-9a-f]* \([0-9a-f]*\) .*/\1/p')
	for unit in "$@"; do
		at=$(readelf --debug-dump=info "$damaged" 2>/dev/null |
			sed -n 's/^ *Compilation Unit @ offset 0x\([0-9a-f]*\):.*/\1/p;
				s/^ *Compilation Unit @ offset \([0-9a-f]*\):.*/\1/p' | sed -n "${unit}p")
		printf '\177' | dd of="$damaged" bs=1 conv=notrunc \
			seek=$((0x$section + 0x$at + 12)) 2>/dev/null
	done
}

cp two bad-unit && damage bad-unit 2
cp two bad-units && damage bad-units 2 1
LC_ALL=C sed 's/bits_then_enum/bits>then_enum/' vmlinux >bad-name
cat >kfuncs.c <<'EOT'
#include "btf_ids.h"
#ifdef KEPT
__attribute__((__noclone__, __used__))
#else
static
#endif
__attribute__((__noinline__)) int bpf_changed(int value, int unused)
{
	__asm__ volatile("" : "+r"(value));
	return value + 1;
}
int other(int value);
int other(int value) { return bpf_changed(value, 3) + bpf_changed(value + 1, 4); }
__BTF_SET8_START(first, BTF_SET8_KFUNCS);
BTF_ID_FLAGS(func, bpf_changed, 0);
BTF_SET8_END(first);
EOT
for kept in '' -DKEPT; do
	$compiler -g -O2 -w -nostdlib -static -Wl,-e,other -I "$source/vmlinux-fixtures/include" \
		$kept -o kfuncs$kept kfuncs.c || exit 1
done
# As resolve_btfids fills it in: after the head of the set the first id.
cp kfuncs-DKEPT stale && "$BTFENC" encode --features default,-var,-decl_tag_kfuncs stale &&
	objcopy --dump-section .BTF_ids=ids stale && printf '\7' | dd of=ids bs=1 seek=8 conv=notrunc 2>/dev/null &&
	objcopy --update-section .BTF_ids=ids stale || exit 1
cat >module.c <<'EOT'
struct module { int x; } __this_module __attribute__((section(".gnu.linkonce.this_module")));
int used(struct module *m) { return m->x; }
EOT
$compiler -g -O1 -c -o module.ko module.c
sed 's/int x/long x/; s/ __attribute__.*;$/;/' module.c | $compiler -g -O1 -xc -c -o larger - &&
	"$BTFENC" encode larger || exit 1
"$BTFENC" encode --features +func_secinfo -o good vmlinux || exit 1
objcopy --add-section .BTF=good module.ko carrier.ko
cp good broken && printf '\177' | dd of=broken bs=1 seek=31 conv=notrunc 2>/dev/null
"$BTFENC" encode -o pair.btf two
objcopy --add-section .BTF=pair.btf --add-section .BTF.extra=good.extra no-dwarf pair

"$BTFENC" encode --features +layout -o warned vmlinux || exit 1
cp two rebuilt
cat >>b.c <<'EOT'
int take_other(struct second *s) { return (int)s->two; }
EOT
$compiler -g -O1 -c b.c && $compiler -r -nostdlib -o rebuilt a.o b.o || exit 1
"$BTFENC" stats --functions old.list rebuilt >/dev/null && "$BTFENC" stats --functions new.list two >/dev/null

for folder in fits broken; do
	mkdir -p "system-$folder/boot" "system-$folder/lib/modules/6.1" && cp vmlinux "system-$folder/boot/vmlinuz-6.1" &&
		objcopy --add-section .gnu.linkonce.this_module=a.c a.o "system-$folder/lib/modules/6.1/a.ko" || exit 1
done
echo text >system-broken/lib/modules/6.1/b.ko

# ---- the rows ----

# try COMMAND CASE STRICT: runs it; the row's `warning` is looked for by check_row.
try()
{
	rm -f out out.*
	# shellcheck disable=SC2086 # an empty option is not an argument
	case "$1: $2" in
	"encode: all is encoded") "$BTFENC" encode $3 -o out vmlinux ;;
	"encode: a unit cannot be used: warning") "$BTFENC" encode $3 -o out bad-unit ;;
	"encode: units have code and no types: warning") "$BTFENC" encode $3 -o out some-g1 ;;
	"encode: a part is GCC's intermediate code: warning") "$BTFENC" encode $3 -o out lto ;;
	"encode: a member of a kfunc set gets no FUNC: warning") "$BTFENC" encode $3 -o out kfuncs ;;
	"encode: a name cannot be expressed in BTF: warning") "$BTFENC" encode $3 -o out bad-name ;;
	"encode: .BTF_ids refer to the BTF in FILE") cp stale out && "$BTFENC" encode $3 out ;;
	"encode: .BTF_ids, with --force: warning") cp stale out && "$BTFENC" encode $3 --force out ;;
	"encode: a module carries BTF of another file") cp carrier.ko out && "$BTFENC" encode $3 out ;;
	"pahole: a module carries BTF of another file: warning") cp carrier.ko out && ./pahole -J $3 out ;;
	"encode: a module is encoded without a base: warning") "$BTFENC" encode $3 -o out module.ko ;;
	"encode: a module and its base are of different kernels") "$BTFENC" encode $3 -b larger -o out module.ko ;;
	"encode: the same with --force, or as pahole: warning") "$BTFENC" encode $3 --force -b larger -o out module.ko ;;
	"encode: no unit can be used") "$BTFENC" encode $3 -o out bad-units ;;
	"encode: FILE has no DWARF") "$BTFENC" encode $3 -o out no-dwarf ;;
	"pahole: FILE has no DWARF") ./pahole -J $3 --btf_encode_detached=out no-dwarf ;;
	"encode: one of two FILEs fails") cp two out && "$BTFENC" encode $3 out no-dwarf ;;
	"encode: OUT cannot be written") "$BTFENC" encode $3 -o /dev/full vmlinux ;;
	"check: no errors are found") "$BTFENC" check pair.btf ;;
	"check: only warnings are found") "$BTFENC" check warned ;;
	"check: errors are found") "$BTFENC" check broken ;;
	"check: --system: a module will not have its BTF") "$BTFENC" check --system --root system-broken --kernel 6.1 ;;
	"check: --system: modules have none, or all fit") "$BTFENC" check --system --root system-fits --kernel 6.1 ;;
	"check: FILE has no BTF") "$BTFENC" check two ;;
	"dump: all is printed") "$BTFENC" dump good ;;
	"dump: a TYPE is not there") "$BTFENC" dump -t 'struct nowhere' good ;;
	"dump: a record is broken") "$BTFENC" dump broken ;;
	"dump: BTF and its records are not a pair") "$BTFENC" dump pair ;;
	"stats: all is counted") "$BTFENC" stats two ;;
	"stats: FILE has no DWARF") "$BTFENC" stats no-dwarf ;;
	"diff: there are no regressions") "$BTFENC" diff old.list old.list ;;
	"diff: there are regressions") "$BTFENC" diff old.list new.list ;;
	"diff: FILE does not exist") "$BTFENC" diff old.list missing ;;
	"explain: the name is found") "$BTFENC" explain take_first two ;;
	"explain: the name is not found") "$BTFENC" explain take_nothing two ;;
	"explain: FILE does not exist") "$BTFENC" explain take_first missing ;;
	"list: something fits") "$BTFENC" list -f two 'take_*' ;;
	"list: nothing fits") "$BTFENC" list -f two 'give_*' ;;
	"list: FILE does not exist") "$BTFENC" list -f missing ;;
	"compat: no kernel's answer is "*) "$BTFENC" compat xdp.o vmlinux ;;
	"compat: one is") "$BTFENC" compat gone.o vmlinux ;;
	"compat: PROGRAM or a KERNEL cannot be read") "$BTFENC" compat vmlinux vmlinux ;;
	"help: the text is printed") "$BTFENC" help encode ;;
	"any: the usage is wrong")
		case ${4-} in
		help) "$BTFENC" help no-such-command ;;
		*) "$BTFENC" "${4:-encode}" --no-such-option ;;
		esac
		;;
	"any: the memory does not suffice")
		(
			limit_memory "$memory"
			exec "$BTFENC" "${4:-encode}" vmlinux
		)
		;;
	"any: standard output is full") "$BTFENC" ${4:-encode} --help >/dev/full ;;
	*) return 99 ;;
	esac
}

# check_row COMMAND CASE STATUS STRICT: the last is an option or empty.
check_row()
{
	row="exit status: $1: $2${4:+, $4}"
	try "$1" "$2" "$4" "${5-}" >stdout 2>stderr
	status=$?
	{
		[ $status -eq "$3" ] || echo "exit status $status, not $3"
		case $2:$3 in
		*:3 | *:2) [ "$(grep -vc '^btfenc: warning: cannot load lib' stderr)" -eq 1 ] ;;
		*"warning:0") [ "$(grep -c '^btfenc: warning: ' stderr)" -eq 1 ] ;;
		esac || echo "not one line, or one warning"
	} >wrong
	[ ! -s wrong ]
	row_status=$?
	cat stderr >>wrong
	outcome $row_status "$row" wrong
}

# Between the lines of the table: command, case, status, and for encode the one with --strict.
sed -n '/^command .*what happened/,/^\.RE/p' "$manual" | sed '1d; $d' | tr -d '\\' |
	tr -s ' ' >rows
while read -r command rest; do
	case $command in
	encode | pahole)
		strict=${rest##* } rest=${rest% *}
		;;
	*) strict= ;;
	esac
	status=${rest##* }
	what=${rest% *}
	case "$command: $what" in
	"any: the memory does not suffice")
		# The least with which anything is said, to where all is done: each is a line of the file.
		memory=3000 seen=0
		while [ $memory -lt 20000 ]; do
			for any in encode check dump stats 'diff vmlinux' 'explain main'; do
				input=vmlinux
				case $any in check | dump) input=good ;; esac
				# shellcheck disable=SC2086 # words
				(limit_memory $memory && exec "$BTFENC" $any $input) >stdout 2>stderr
				case $? in
				3)
					seen=$((seen + 1))
					grep -v '^btfenc: warning: cannot load lib[a-z0-9]*\.so' stderr |
						grep -v -e "^btfenc: $input: [a-zA-Z ]*: out of memory (asked for [0-9]* bytes); " \
							-e "^btfenc: $input: cannot read [a-zA-Z0-9._' ]*: out of memory; give it more memory$"
					;;
				esac
			done
			memory=$((memory + 500))
		done >unlike
		# A sanitizer's program has no limit.
		[ ! -s unlike ] && { [ $seen -gt 0 ] || grep -aqE '__(asan|tsan)_init' "$BTFENC"; }
		outcome $? "exit status: $command: $what" unlike
		;;
	any:*)
		for any in $commands; do
			check_row "$command" "$what" "$status" '' "$any"
		done
		;;
	*)
		check_row "$command" "$what" "$status" ''
		[ -z "$strict" ] || check_row "$command" "$what" "$strict" --strict
		;;
	esac
done <rows
# libdw, which only explain loads, says it and ends the process with 1 if it is left to it. (Of some
# allocations 0.188 does not look at the result, and crashes.)
if grep -aqE '__(asan|tsan)_init' "$BTFENC"; then
	skip "exit status: libdw's memory does not suffice" "a sanitizer has its own malloc"
else
	built "exit status: the library without memory" libdw_memory.so -shared -fPIC \
		"$source/tests/inject/libdw_memory.c" -ldl
	at=1 seen=0
	while [ $at -lt 60 ]; do
		INJECT_AT=$at LD_PRELOAD=$PWD/libdw_memory.so "$BTFENC" explain keep_all vmlinux \
			>stdout 2>stderr
		status=$?
		if [ $status -eq 3 ] &&
			grep -qx 'btfenc: vmlinux: [a-zA-Z ]*: out of memory; unfinished output .*' stderr; then
			seen=$((seen + 1))
		elif [ $status -ne 0 ] && [ $status -ne 139 ]; then
			echo "malloc $at: status $status"
			cat stderr
		fi
		at=$((at + 1))
	done >unlike 2>crashed
	[ $seen -gt 0 ] || echo "it was never said" >>unlike
	[ ! -s unlike ]
	outcome $? "exit status: libdw's memory does not suffice" unlike
fi

expect "exit status: the manual has the table" test "$(wc -l <rows)" -ge 30
for any in $commands; do
	expect "exit status: $any has rows" grep -q "^$any " rows
done
