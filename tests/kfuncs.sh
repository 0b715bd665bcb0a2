#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Members of kfunc sets (.BTF_ids) that get no FUNC: BPF programs cannot call them, so encode, stats
# and diff name them first.
# usage: kfuncs.sh [IMAGE]...	also of these, which have lost none
. tests/lib.sh

compiler=gcc-12
have $compiler "kfuncs" || exit 0

# The sets are only names for the compiler, so nothing keeps it from changing a member (the kernel's
# __bpf_kfunc does).
cat >"$work/kernel.c" <<'EOF'
#include "btf_ids.h"

#ifdef KFUNC
#define MEMBER __attribute__((__noinline__, __noclone__, __used__))
#define MAY_BE_INLINED MEMBER
#else
#define MEMBER static __attribute__((__noinline__))
#define MAY_BE_INLINED static inline __attribute__((__always_inline__))
#endif

int bpf_kept(int value);
int other(int value);

__attribute__((__noinline__, __noclone__)) int bpf_kept(int value)
{
	__asm__ volatile("" : "+r"(value));
	return value;
}

MEMBER int bpf_changed(int value, int unused)
{
	__asm__ volatile("" : "+r"(value));
	return value + 1;
}

MAY_BE_INLINED int bpf_inlined(int value)
{
	return value * 3;
}

__attribute__((__noinline__, __noclone__)) int other(int value)
{
	return bpf_changed(value, 3) + bpf_changed(bpf_inlined(value), 4);
}

#ifndef SET_FLAGS
#define SET_FLAGS BTF_SET8_KFUNCS
#endif

__BTF_SET8_START(first, SET_FLAGS);
BTF_ID_FLAGS(func, bpf_kept, 0);
BTF_ID_FLAGS(func, bpf_changed, 0);
BTF_ID_FLAGS(func, bpf_inlined, 0);
#ifdef MISSING
BTF_ID_FLAGS(func, bpf_missing, 0);
#endif
BTF_SET8_END(first);

__BTF_SET8_START(second, SET_FLAGS);
BTF_ID_FLAGS(func, bpf_kept, 0);
BTF_ID_FLAGS(func, bpf_changed, 0);
#ifdef MISSING
BTF_ID_FLAGS(func, bpf_missing, 0);
#endif
BTF_SET8_END(second);

int start(int value)
{
	return bpf_kept(value) + other(value);
}
EOF

# build IMAGE OPTION...
build()
{
	build_image=$1
	shift
	$compiler -O2 -g -w -nostdlib -static -Wl,-e,start -Ivmlinux-fixtures/include "$@" \
		-o "$build_image" "$work/kernel.c" >"$work/log" 2>&1 && return
	not_ok "kfuncs: the program is built" "$work/log"
	exit 1
}

# got_is NAME LINE...: what is in $work/got
got_is()
{
	got_name="kfuncs: $1"
	shift
	for line; do
		echo "$line"
	done >"$work/wanted"
	expect "$got_name" diff "$work/wanted" "$work/got"
}

# warns NAME FEATURES IMAGE BASE LINE...: encode succeeds, with these warnings of kfuncs, but for path
# and sentence.
warns()
{
	warns_name=$1
	rm -f "$work/btf"
	{
		"$BTFENC" encode ${4:+-b "$4"} --features "$2" -o "$work/btf" "$3" 2>"$work/stderr" ||
			echo "exit status $?"
		[ -s "$work/btf" ] || echo "no BTF"
		sed '/ is a module/d; s/.*warning: [^ ]*: kfunc //
			s/ gets no FUNC, so BPF programs cannot call it//; s/ (.*//' "$work/stderr"
	} >"$work/got"
	shift 4
	got_is "$warns_name" "$@"
}

changed='bpf_changed: param-removed, clone' inlined='bpf_inlined: inlined-only'
missing='bpf_missing: DWARF has no code of that name'
build "$work/good" -DKFUNC
build "$work/bad" -DMISSING
build "$work/old" -DSET_FLAGS=0
warns "all have a FUNC" default "$work/good" ''
warns "each is named once, with its reasons" default "$work/bad" '' "$changed" "$inlined" "$missing"
expect "kfuncs: the sentence of the verdict, and what shows more" grep -qF \
	"clone (a parameter is no longer passed); see \`btfenc explain bpf_changed\`" "$work/stderr"
warns "kernels before 6.9 do not say which sets hold kfuncs" \
	default,-decl_tag_kfuncs "$work/old" '' "$changed" "$inlined"

# ---- --strict ----

rm -f "$work/btf"
"$BTFENC" encode --strict -o "$work/btf" "$work/bad" 2>"$work/stderr"
expect "kfuncs: --strict: exit status 3" test $? -eq 3
expect "kfuncs: --strict: one line" grep -qF "bad: kfunc bpf_changed gets no FUNC" "$work/stderr"
expect "kfuncs: --strict: and no more" test "$(wc -l <"$work/stderr")" = 1
expect "kfuncs: --strict: no BTF" test ! -e "$work/btf"
expect "kfuncs: --strict: nothing is lost" "$BTFENC" encode --strict -o "$work/btf" "$work/good"

# ---- stats ----

"$BTFENC" stats "$work/bad" >"$work/page"
awk '/^LOST KFUNCS/ { at = NR } /^FUNCTIONS/ { exit }
	at && NR > at && NF { print $2 }' "$work/page" >"$work/got"
got_is "stats: before everything else" bpf_changed bpf_inlined bpf_missing
expect "kfuncs: stats: it knows of inlined ones" \
	grep -qE '^  kfunc bpf_inlined .*: inlined-only \(' "$work/page"
"$BTFENC" stats --json "$work/bad" >"$work/json"
"$BTFENC" stats --json "$work/good" >"$work/json-good"
expect "kfuncs: stats --json: none" grep -q '"lost_kfuncs": \[\],' "$work/json-good"
expect "kfuncs: stats --json: how many members" grep -q '"kfuncs": 5,' "$work/json-good"
sed -n '/"lost_kfuncs"/,/\],/s/^ *"name": "\(.*\)",/\1/p' "$work/json" >"$work/got"
got_is "stats --json" bpf_changed bpf_inlined bpf_missing

# ---- diff ----

"$BTFENC" stats --functions "$work/list" "$work/bad" >/dev/null
for new in "$work/bad" "$work/list"; do
	"$BTFENC" diff "$work/good" "$new" >"$work/diff"
	sed -n '2,3s/^ *kfunc without a FUNC, so BPF programs cannot call it: //p' "$work/diff" |
		sed 's/:.*//' >"$work/got"
	got_is "diff: right after the totals" bpf_changed bpf_inlined
done
sed '/^BTF_ID_FLAGS(func, bpf_kept, 0)/d' "$work/kernel.c" >"$work/unset.c"
$compiler -O2 -g -w -nostdlib -static -Wl,-e,start -Ivmlinux-fixtures/include -DKFUNC -o "$work/unset" "$work/unset.c"
"$BTFENC" stats --functions "$work/list" "$work/unset" >/dev/null
for new in "$work/unset" "$work/list"; do
	"$BTFENC" diff --show no-kfunc "$work/good" "$new" >"$work/diff"
	expect "kfuncs: diff: it is no kfunc any more: exit status 1" test $? -eq 1
	expect "kfuncs: diff: which one" grep -q '^ *bpf_kept .*no kfunc' "$work/diff"
done
expect "kfuncs: diff: a new kfunc is no loss" "$BTFENC" diff "$work/unset" "$work/good"
# lost_in_diff ARGUMENT...: those that it names right after its first line
lost_in_diff()
{
	"$BTFENC" diff "$@" >"$work/diff" 2>&1
	sed '1d; s/^ *kfunc without a FUNC, so BPF programs cannot call it: //; t; Q' "$work/diff" |
		sed 's/:.*//' >"$work/got"
}
lost_in_diff "$work/bad" "$work/bad"
got_is "diff: the same ones as before, and one without code" bpf_changed bpf_inlined bpf_missing
"$BTFENC" diff "$work/bad" "$work/good" >"$work/diff"
expect "kfuncs: diff: of the new side" lacks_line 'without a FUNC' "$work/diff"

# ---- modules ----

build "$work/module.o" -DKFUNC -DMISSING -c
warns "a module may list functions of a kernel that is not known" default "$work/module.o" ''
"$BTFENC" encode -o "$work/base" "$work/good"
warns "neither the module nor the base has it" default "$work/module.o" "$work/base" "$missing"
sed -i 's/bpf_missing/start/' "$work/kernel.c"
sed -i 's/^int start(int/int other_start(int/' "$work/kernel.c"
build "$work/module.o" -DKFUNC -DMISSING -c
warns "the base has it" default "$work/module.o" "$work/base"
# A kfunc of the module's own that is inlined everywhere, and of which the base has another.
cat >"$work/inliner.c" <<'EOF'
#include "btf_ids.h"
static inline __attribute__((__always_inline__)) int bpf_kept(int value) { return value * 3; }
static inline __attribute__((__always_inline__)) int bpf_own(int value) { return value * 5; }
__BTF_SET8_START(own, BTF_SET8_KFUNCS);
BTF_ID_FLAGS(func, bpf_kept, 0);
BTF_ID_FLAGS(func, bpf_own, 0);
BTF_SET8_END(own);
int of_module(int value) { return bpf_kept(value) + bpf_own(value); }
EOF
$compiler -O2 -g -w -Ivmlinux-fixtures/include -c -o "$work/inliner.o" "$work/inliner.c"
warns "inlined in the module; the base has one of them" default "$work/inliner.o" "$work/base" \
	'bpf_own: inlined-only'
warns "inlined in the module" default "$work/inliner.o" '' 'bpf_kept: inlined-only' \
	'bpf_own: inlined-only'
# What the module lists is in the kernel, which has lost it, or has not.
cat >"$work/lister.c" <<'EOF'
#include "btf_ids.h"
__BTF_SET8_START(own, BTF_SET8_KFUNCS);
BTF_ID_FLAGS(func, bpf_kept, 0);
BTF_ID_FLAGS(func, bpf_changed, 0);
BTF_SET8_END(own);
int of_module(int value) { return value; }
EOF
$compiler -O2 -g -w -Ivmlinux-fixtures/include -c -o "$work/lister.o" "$work/lister.c"
# Of a whole build what neither the module nor its kernel has, however the types are read.
mkdir "$work/tree"
sed 's/func, bpf_changed/func, bpf_nowhere/' "$work/lister.c" >"$work/nowhere.c"
$compiler -O2 -g -w -Ivmlinux-fixtures/include -c -o "$work/tree/lister.ko" "$work/nowhere.c"
cp "$work/inliner.o" "$work/tree/inliner.ko"
for option in '' --types; do
	lost_in_diff ${option:+"$option"} --old-modules "$work/tree" --new-modules "$work/tree" \
		"$work/good" "$work/good"
	got_is "diff${option:+ $option}: those of modules" 'bpf_own [inliner]' \
		'bpf_nowhere [lister]'
done
warns "listed by a module, and the base has both" default "$work/lister.o" "$work/base"
"$BTFENC" encode -o "$work/lossy" "$work/bad" 2>/dev/null
warns "listed by a module, and lost by the base" default "$work/lister.o" "$work/lossy" \
	'bpf_changed: DWARF has no code of that name'
for base in "$work/base" "$work/lossy"; do
	"$BTFENC" stats --base "$base" "$work/lister.o" | sed -n '/^LOST KFUNCS/,/^FUNCTIONS/s/^  kfunc \([^ ]*\) .*/\1/p'
done >"$work/got"
got_is "stats --base: lost by the second base only" bpf_changed

lost_in_diff --old-base "$work/base" --new-base "$work/lossy" "$work/lister.o" "$work/lister.o"
got_is "diff --new-base: lost by it" bpf_changed
lost_in_diff --types --new-base "$work/base" --old-base "$work/lossy" "$work/lister.o" "$work/lister.o"
got_is "diff --new-base: not lost by it"
expect "kfuncs: diff --types on bases" grep -q 'no differences' "$work/diff"

# ---- a stripped file and its debug file ----

# The debug file has no bytes of .BTF_ids, so it is not the damaged one. sh_offset is at byte 24.
mkdir "$work/stripped"
build "$work/stripped/program" -Wl,--build-id
objcopy --only-keep-debug "$work/stripped/program" "$work/stripped/own.debug"
strip "$work/stripped/program"
objcopy --add-gnu-debuglink="$work/stripped/own.debug" "$work/stripped/program"
warns "the sets of a stripped file" default "$work/stripped/program" '' "$changed" "$inlined"
"$BTFENC" encode "$work/stripped/program" 2>/dev/null
"$BTFENC" encode --features +func_secinfo "$work/stripped/program" 2>"$work/stderr"
expect "kfuncs: .BTF_ids of a stripped file fit the same BTF" lacks_line 'its .BTF_ids refer' "$work/stderr"
"$BTFENC" encode --features default,-var,-float,-decl_tag_kfuncs "$work/stripped/program" 2>"$work/stderr"
expect "kfuncs: before resolve_btfids any" lacks_line BTF_ids "$work/stderr"
objcopy --dump-section .BTF_ids="$work/ids" "$work/stripped/program" && printf '\7' |
	dd of="$work/ids" bs=1 seek=8 conv=notrunc 2>/dev/null &&
	objcopy --update-section .BTF_ids="$work/ids" "$work/stripped/program"
"$BTFENC" encode "$work/stripped/program" 2>"$work/stderr"
expect "kfuncs: and no other" grep -q 'program: its .BTF_ids have, or may have, ids of the .BTF that it has' "$work/stderr"
index=$(readelf -SW "$work/stripped/program" | sed -n 's/^ *\[ *\([0-9]*\)\] \.BTF_ids .*/\1/p')
table=$(readelf -hW "$work/stripped/program" | sed -n 's/.*Start of section headers: *\([0-9]*\).*/\1/p')
printf '\377\377\377\177' |
	dd of="$work/stripped/program" bs=1 seek=$((table + 64 * index + 24)) conv=notrunc 2>/dev/null
"$BTFENC" encode -o "$work/btf" "$work/stripped/program" 2>"$work/stderr"
echo "btfenc: $work/stripped/program: cannot read section .BTF_ids; the file is damaged" >"$work/got"
expect "kfuncs: the stripped file is the damaged one" cmp "$work/got" "$work/stderr"

# ---- which of them programs can call, and by what prototype ----

cat >"$work/kernel.c" <<'EOF'
#include "btf_ids.h"

struct bpf_prog_aux { int id; };
#define FUNCTION(name) \
	__attribute__((__noinline__, __noclone__, __used__)) int name(int value, const struct bpf_prog_aux *aux) \
	{ __asm__ volatile("" : "+r"(value)); return value + aux->id; }
FUNCTION(called)
FUNCTION(both)
FUNCTION(changed)
FUNCTION(unmarked)
void arch_prepare_bpf_trampoline(void) { }
void register_ftrace_direct(void) { }
const char linux_banner[] = "Linux version " RELEASE " (a@b) (gcc) #1 SMP";
__BTF_SET8_START(of_calls, BTF_SET8_KFUNCS);
BTF_ID_FLAGS(func, called, 0);
BTF_ID_FLAGS(func, both, 0);
BTF_SET8_END(of_calls);
__BTF_SET8_START(bpf_test_modify_return_ids, BTF_SET8_KFUNCS);
BTF_ID_FLAGS(func, changed, 0);
BTF_ID_FLAGS(func, both, 0);
BTF_SET8_END(bpf_test_modify_return_ids);
__BTF_SET8_START(of_no_kfuncs, 0);
BTF_ID_FLAGS(func, unmarked, 0);
BTF_SET8_END(of_no_kfuncs);
void start(void) { }
EOF
# Programs by fentry have not the last argument in 7.0 and 7.1, where they go by the FUNC that resolve_btfids
# makes; before and after they have.
while read -r image release rest; do
	arguments=${rest%|*} printed=${rest#*|}
	build "$work/$image" -DRELEASE="\"$release\"" && cp "$work/$image" "$work/$image-records" &&
		"$BTFENC" encode --features default,+func_secinfo "$work/$image-records" 2>"$work/stderr" &&
		objcopy --strip-debug "$work/$image-records" || exit 1
	for file in "$image" "$image-records"; do
		expect "kfuncs: list: $file" test \
			"$("$BTFENC" list --kind kfunc --format names -f "$work/$file" | paste -s -d ' ')" = 'both called'
		"$BTFENC" explain called "$work/$file" >"$work/said"
		expect "kfuncs: $file: fentry" grep -qF \
			"SEC(\"fentry/called\") int BPF_PROG(on_called, int value$arguments)" "$work/said"
		expect "kfuncs: $file: fexit" grep -qF \
			"BPF_PROG(on_called_exit, int value$arguments, int result)" "$work/said"
		expect "kfuncs: $file: bpftrace" test "$(grep -c 'print(retval)' "$work/said")" = "$printed"
		expect "kfuncs: $file: a kprobe" grep -q 'aux=%si:x64' "$work/said"
		expect "kfuncs: $file: why" test $(($(grep -c 'fentry/called: aux (.*KF_IMPLICIT_ARGS' "$work/said"))) = \
			$((${#arguments} == 0))
		"$BTFENC" explain unmarked "$work/$file" >"$work/said"
		expect "kfuncs: $file: other functions" grep -qF \
			'BPF_PROG(on_unmarked, int value, const struct bpf_prog_aux *aux)' "$work/said"
	done
done <<'EOF'
older 6.19.1 , const struct bpf_prog_aux *aux|1
hiding 7.1.2 |1
newer 7.2.1 , const struct bpf_prog_aux *aux|0
EOF
# BTF alone is compared with BTF: an image has the sets, and knows of more.
"$BTFENC" encode -o "$work/newer.btf" "$work/newer" && sed 's/\bcalled\b/bpf_fentry_test1/' "$work/kernel.c" >"$work/named.c" &&
	$compiler -O2 -g -w -nostdlib -static -Wl,-e,start -Ivmlinux-fixtures/include -DRELEASE='"7.2.1"' -o "$work/named" "$work/named.c" &&
	"$BTFENC" encode -o "$work/named.btf" "$work/named" || exit 1
for image in newer named; do
	expect "kfuncs: diff: $image and its own BTF" "$BTFENC" diff --show no-kfunc "$work/$image" "$work/$image.btf"
done
# As resolve_btfids leaves it.
sed 's/^FUNCTION(called)/int called(int value) { __asm__ volatile("" : "+r"(value)); return value; } FUNCTION(called_impl)/' \
	"$work/kernel.c" >"$work/resolved.c" && mv "$work/resolved.c" "$work/kernel.c"
build "$work/resolved" -DRELEASE='"7.2.1"' && "$BTFENC" encode "$work/resolved" 2>"$work/stderr" || exit 1
"$BTFENC" explain --records called "$work/resolved" >"$work/said"
expect "kfuncs: what resolve_btfids took out is there" grep -qF \
	'BPF_PROG(on_called_exit, int value, const struct bpf_prog_aux *aux, int result)' "$work/said"

# ---- whole programs ----

for image in "$FIXTURES"/*/vmlinux "$@"; do
	name=${image%/vmlinux}
	"$BTFENC" stats --json "$image" >"$work/json"
	expect "kfuncs: ${name##*/}: none is lost" grep -q '"lost_kfuncs": \[\],' "$work/json"
done
