#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Every fixture image that could be built here, encoded and put before all judges.
# usage: fixtures.sh [VARIANT]...
. tests/lib.sh
. tests/lib_btf.sh

# struct blob and union blob are of different units (blob_union.c): no one C file can hold both.
known_c_errors="'blob' defined as wrong kind of tag"

# shellcheck disable=SC2046 # the names of variants have no blanks
[ $# -gt 0 ] || set -- $(ls "$FIXTURES")

for variant in "$@"; do
	image=$FIXTURES/$variant/vmlinux
	btf=$work/$variant.btf
	if ! [ -s "$image" ]; then
		skip "$variant" "$(not_built "$variant")"
		continue
	fi
	check_encode "$variant" "$image" "$btf" || continue
	check_same_bytes "$variant" "$image" "$btf" 2 3
	check_btf "$variant" "$image" "$btf"
	expect "$variant: each FUNC is what libdw and the symbols say" \
		"$TEST_PROGRAMS/tool_functions" "$image" "$btf"
done

# The judges written for these tests have to be able to say no.
btf=$work/gcc12-dwarf5.btf
"$TEST_PROGRAMS/tool_duplicates" --doubled "$btf" >"$work/doubled" 2>&1
[ $? -eq 1 ]
outcome $? "the search for duplicates finds a BTF that holds everything twice" "$work/doubled"

sed 's/keep_all/keep_alx/' "$btf" >"$work/renamed"
"$TEST_PROGRAMS/tool_functions" "$FIXTURES/gcc12-dwarf5/vmlinux" "$work/renamed" >"$work/functions"
[ $? -eq 1 ] && grep -q '^symbol: keep_alx: 0 addresses' "$work/functions"
outcome $? "the reader of FUNCs finds one whose name no symbol has" "$work/functions"

printf 'struct one { int a; };\nint broken(struct none b);;\nstruct one { int a; };\n' >"$work/broken.c"
check_c "is rejected" "$work/broken.c" | grep -q '^not ok'
outcome $? "the check of headers finds a struct that is defined twice"

# A PTR that points past the last type: the fourth word of the first record becomes 0xffffff.
cp "$btf" "$work/broken"
printf '\377\377\377\000' | dd of="$work/broken" bs=1 seek=32 conv=notrunc 2>/dev/null
"$BTFENC" check "$work/broken" >"$work/check" 2>&1
[ $? -eq 1 ] && grep -q '^.*: [0-9]* errors*, ' "$work/check"
outcome $? "btfenc check finds a reference past the last type" "$work/check"
"$TEST_PROGRAMS/tool_btf_load" "$work/broken" >"$work/load" 2>&1
case $? in
1) ok "the kernel rejects a reference past the last type" ;;
77) skip "the kernel rejects a reference past the last type" "$(head -n 1 "$work/load")" ;;
*) not_ok "the kernel rejects a reference past the last type" "$work/load" ;;
esac

# ---- without the library of capstone ----

# It is loaded when code is decoded; without it there are fewer FUNCs and no other ones, and a line
# says so.
library=$(grep -ao 'libcapstone[.]so[.][0-9]*' "$BTFENC" | head -n 1)
image=$FIXTURES/clang22-lto/vmlinux
funcs()
{
	"$BTFENC" dump "$1" | sed -n "s/.*FUNC '\([^']*\)'.*/\1/p" | sort
}

mkdir "$work/no-capstone"
[ -z "$library" ] || echo broken >"$work/no-capstone/$library"
if [ -n "$library" ] && [ -e "$image" ]; then
	"$BTFENC" encode -o "$work/with" "$image" 2>"$work/with.err"
	LD_LIBRARY_PATH=$work/no-capstone "$BTFENC" encode -o "$work/without" "$image" 2>"$work/err"
	expect "no capstone: a warning names it" grep -q "^btfenc: warning: .*$library" "$work/err"
	expect "no capstone: it is the only line" test "$(wc -l <"$work/err")" -eq 1
	expect "capstone: no warning" test ! -s "$work/with.err"
	funcs "$work/with" >"$work/with.funcs"
	funcs "$work/without" >"$work/without.funcs"
	expect "no capstone: no FUNC is added" \
		test -z "$(comm -13 "$work/with.funcs" "$work/without.funcs")"
	expect "no capstone: some FUNCs are missing" \
		test -n "$(comm -23 "$work/with.funcs" "$work/without.funcs")"
else
	skip "no capstone" "this build does not have it, or no clang22-lto"
fi

# Clang before 19 drops results that no caller reads, and does not say so; of `half` it passes a half.
cat >"$work/dropped.c" <<'EOT'
extern long work(long);
extern void out(long);
static __attribute__((noinline)) long dropped(long a) { return work(a) + work(a + 1) ? 1 : 2; }
static __attribute__((noinline)) long used(long a) { return work(a) + work(a + 2); }
static __attribute__((noinline)) void nothing(long a) { work(a); work(a + 3); }
static __attribute__((noinline)) void half(__int128 v) { out(work((long)v) * 7); }
long entry(long a) { half((__int128)work(a) << 64 | work(a + 6)); dropped(a); nothing(a); return used(a) + 1; }
EOT
if [ -z "$library" ] || ! clang --version 2>/dev/null | grep -q 'version 1[1-8][.]' || [ "$(uname -m)" != x86_64 ]; then
	skip "no capstone: results" "this build does not have it, or no clang before 19"
else
	clang -O2 -g -c -o "$work/dropped.o" "$work/dropped.c"
	"$BTFENC" encode -o "$work/with" "$work/dropped.o"
	LD_LIBRARY_PATH=$work/no-capstone "$BTFENC" encode -o "$work/without" "$work/dropped.o" 2>"$work/err"
	expect "capstone: a dropped result" test "$(funcs "$work/with" | tr '\n' ' ')" = 'entry nothing used '
	expect "no capstone: it may be any" test "$(funcs "$work/without" | tr '\n' ' ')" = 'entry nothing '
	expect "no capstone: a warning" grep -q "^btfenc: warning: .*$library" "$work/err"
fi

# ---- without libdw ----

# It is loaded for lines of source code only.
image=$FIXTURES/gcc12-dwarf5/vmlinux
mkdir "$work/no-libdw"
echo broken >"$work/no-libdw/libdw.so.1"
"$BTFENC" explain drop_middle "$image" >"$work/with"
LD_LIBRARY_PATH=$work/no-libdw "$BTFENC" explain drop_middle "$image" >"$work/without" 2>"$work/err"
expect "no libdw: explain answers" [ $? -eq 0 ]
expect "no libdw: one line names it" \
	grep -q '^btfenc: warning: .*libdw.so.1.*lines of source' "$work/err"
sed -e '/^  [^ ]*[.]c:[0-9]*$/d' -e 's/, of [^ ]*[.]c$//' "$work/with" >"$work/no-lines"
expect "no libdw: lines of source code are all that is missing" cmp "$work/no-lines" "$work/without"
LD_LIBRARY_PATH=$work/no-libdw "$BTFENC" encode -o "$work/out" "$image" 2>"$work/err"
expect "no libdw: encode does not need it" test $? -eq 0 -a ! -s "$work/err"
