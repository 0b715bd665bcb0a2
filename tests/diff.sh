#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# `btfenc diff` over programs that differ in one thing, which is the one line that is said; over
# fixtures; from DWARF, from a saved list and from BTF; its formats and its command line.
. tests/lib.sh

cc=${DIFF_CC:-gcc-12}
have "$cc" "diff" || exit 0

# ---- programs ----

cat >"$work/one.c" <<'EOT'
#define noinline __attribute__((noinline))
#ifdef WIDER
struct frame { int length; long added; int flags; };
#else
struct frame { int length; int flags; };
#endif
#ifdef TYPE
typedef long number;
#else
typedef int number;
#endif
#ifdef CONSTANT
#define FACTOR 7
#else
#define FACTOR sink
#endif
volatile int sink;
struct frame last;

static noinline int scale(int value, int factor)
{
	sink = value * factor;
	return sink + factor;
}
#ifdef INLINED
static inline __attribute__((always_inline)) int fold(int value)
#else
static noinline int fold(int value)
#endif
{
	sink = value + 3;
	return sink;
}
#ifndef GONE
int extra(int value) { return value + sink; }
#endif
#ifdef TWICE
static noinline int same(int value)
{
	sink = value + 9;
	return value + sink;
}
#endif
int convert(number value) { return value + sink; }
int second(int a) { return fold(a) + scale(a, FACTOR); }
int first(int a, int b)
{
	last.flags = a;
#ifdef TWICE
	sink = same(b);
#endif
	return scale(a, 7) + second(b);
}
EOT
cat >"$work/two.c" <<'EOT'
extern volatile int sink;
static __attribute__((noinline)) int same(int value)
{
	sink = value ^ 5;
	return value + sink;
}
int third(int a) { return same(a) + 1; }
EOT

# program OUT DIRECTORY FLAG...: ORDER and LINK say how it is linked.
program()
{
	out=$1 directory=$2
	shift 2
	mkdir -p "$directory" && cp "$work/one.c" "$work/two.c" "$directory" &&
		(cd "$directory" && "$cc" -O2 -g -ffreestanding -fno-pie -c "$@" one.c two.c) ||
		return
	# shellcheck disable=SC2046,SC2086 # words
	"$cc" -nostdlib -static -no-pie -Wl,-e,first ${LINK-} -o "$out" \
		$(for unit in ${ORDER:-one two}; do echo "$directory/$unit.o"; done)
}

# changes OLD NEW OPTION...: the lines of changes, without heads and summary; the exit status.
changes()
{
	"$BTFENC" diff "$@" >"$work/report" 2>"$work/report.err"
	status=$?
	sed '1,/^$/d' "$work/report" | sed -n 's/^  //p'
	cat "$work/report.err"
	return $status
}

# says NAME STATUS LINE OPTION...: of base and what was built, exactly that line.
says()
{
	says_name="diff: $1" wanted=$2 says_line=$3
	shift 3
	changes "$@" >"$work/changes"
	status=$?
	printf '%s' "${says_line:+$says_line
}" >"$work/wanted"
	if [ $status -ne "$wanted" ]; then
		echo "exit status $status" >>"$work/changes"
	fi
	expect "$says_name" diff "$work/wanted" "$work/changes"
}

base=$work/base
program "$base" "$work/base.d" >"$work/log" 2>&1 || {
	not_ok "diff: a program" "$work/log"
	exit 1
}

variant=$work/variant
# variant NAME STATUS LINE FLAG...
variant()
{
	variant_name=$1 variant_status=$2 variant_line=$3
	shift 3
	if program "$variant" "$work/variant.d" "$@" >"$work/log" 2>&1; then
		# shellcheck disable=SC2086 # words
		says "$variant_name" "$variant_status" "$variant_line" ${OPTIONS-} "$base" "$variant"
	else
		not_ok "diff: $variant_name" "$work/log"
	fi
}

variant "building twice shows nothing" 0 ""
expect "diff: and says so in one line" sh -c "[ \$(wc -l <'$work/report') = 1 ] &&
	grep -q ': no differences, [1-9]' '$work/report'"
LINK=-Wl,-Ttext=0x7000000
variant "addresses do not matter" 0 ""
LINK=
ORDER="two one"
variant "the order of units does not matter" 0 ""
ORDER=
variant "nor does the compiler's directory" 0 "" "-ffile-prefix-map=$work=/elsewhere"
variant "a parameter that becomes constant at all calls" 1 \
	'scale: ok -> .constprop.0: parameter "factor" constant' -DCONSTANT
cp "$variant" "$work/constant"
variant "inlined everywhere" 1 'fold: ok -> inlined everywhere: 2 sites, 2 of 2 parameters' -DINLINED
variant "gone" 1 'extra: ok -> not there: neither code nor an inline site' -DGONE
variant "a word more in its name" 1 'extra: gone; new with this prototype: extra_noprof' -Dextra=extra_noprof
cp "$variant" "$work/renamed"
variant "other underscores" 1 'extra: gone; new with this prototype: __extra' -Dextra=__extra
variant "another name" 1 'extra: ok -> not there: neither code nor an inline site
extra_two_words: not there -> ok' -Dextra=extra_two_words
variant "two names that it could have" 1 'extra: ok -> not there: neither code nor an inline site
extra_noprof: not there -> ok
extra_other: not there -> ok' '-Dextra=extra_noprof(int value) { return value + sink; } int extra_other'
variant "ambiguous" 1 'same: ok -> ambiguous-address: 2 addresses' -DTWICE
OPTIONS=--types
variant "a struct that has a member more" 1 \
	'struct frame: size 8 -> 24; + long added at 8, 8 bytes; flags moved 4 -> 16' -DWIDER
OPTIONS=
variant "which is not compared without --types" 0 "" -DWIDER
variant "a typedef is not a prototype" 0 "" -DTYPE
OPTIONS=--types
variant "but a type of its own" 1 'typedef number: size 4 -> 8; int -> long' -DTYPE
OPTIONS=
sed -i 's/^int convert(number value)/int convert(number *value)/; s/{ return value + sink; }$/{ return (long)value + sink; }/' \
	"$work/one.c"
variant "another prototype" 1 'convert: int convert(number {+*+}value)'
program "$work/wider" "$work/wider.d" -DWIDER -DCONSTANT
says "gained, the other way round" 0 \
	'scale: .constprop.0: parameter "factor" constant -> ok' "$work/constant" "$base"

# ---- three kinds of files ----

"$BTFENC" stats --functions "$work/base.tsv" "$base" >/dev/null &&
	"$BTFENC" stats --functions "$work/constant.tsv" "$work/constant" >/dev/null
line='scale: ok -> .constprop.0: parameter "factor" constant'
says "two lists" 1 "$line" "$work/base.tsv" "$work/constant.tsv"
says "a list and DWARF" 1 "$line" "$work/base.tsv" "$work/constant"
says "DWARF and a list" 1 "$line" "$base" "$work/constant.tsv"
says "a list and what it is of" 0 "" "$work/base.tsv" "$base"
for features in -inline +inline +func_secinfo +func_secinfo=inline +inline,+func_secinfo \
	+inline,+func_secinfo=inline; do
	for program in base constant; do
		rm -f "$work/$program.btf" "$work/$program.btf.inline" "$work/$program.btf.extra"
		"$BTFENC" encode --features "$features" -o "$work/$program.btf" "$work/$program"
	done
	says "BTF with $features, and the DWARF that it was made of" 0 "" "$work/base.btf" "$base"
	says "the same the other way round" 0 "" "$base" "$work/base.btf"
	says "BTF with $features twice" 0 "" "$work/base.btf" "$work/base.btf"
	changes "$work/base.btf" "$work/constant" >"$work/changes"
	expect "diff: BTF with $features and other DWARF" \
		sh -c "echo '$line' | diff - '$work/changes'"
	says "DWARF and other BTF with $features" 1 'scale: ok -> no FUNC: BTF does not say why' "$base" \
		"$work/constant.btf"
done

"$BTFENC" encode -o "$work/renamed.btf" "$work/renamed"
says "BTF does not say that a name is gone" 1 'extra: ok -> no FUNC: BTF does not say why
extra_noprof: not there -> ok' "$base" "$work/renamed.btf"

# ---- fixtures ----

# Each against itself, by list and by DWARF; old ones against new ones must not fail to be read.
for image in "$FIXTURES"/*/vmlinux; do
	name=${image%/vmlinux}
	name=${name##*/}
	"$BTFENC" stats --functions "$work/list" "$image" >/dev/null 2>&1
	says "$name and itself" 0 "" "$work/list" "$image"
	# A function of which only an outlined fragment is left is not called inlined everywhere.
	for features in +inline +inline,+func_secinfo +inline,+func_secinfo=inline; do
		"$BTFENC" encode --features $features -o "$work/fixture.btf" "$image" 2>"$work/log"
		says "$name and its BTF with $features" 0 "" "$image" "$work/fixture.btf"
	done
	rm -f "$work/fixture.btf" "$work/fixture.btf.inline" "$work/fixture.btf.extra"
	"$BTFENC" diff --types --fail-on none "$FIXTURES/gcc12-dwarf5/vmlinux" "$image" \
		>"$work/report" 2>"$work/report.err"
	outcome $? "diff: gcc12-dwarf5 and $name" "$work/report.err"
	for jobs in 1 3; do
		"$BTFENC" diff -j$jobs --types --fail-on none "$FIXTURES/gcc12-dwarf5/vmlinux" \
			"$image" >"$work/report$jobs" 2>"$work/report.err"
		expect "diff: gcc12-dwarf5 and $name: -j$jobs" \
			same_text "$work/report" "$work/report$jobs"
	done
done

# Nothing in their BTF says how large a pointer is.
echo 'struct own { int a; } own; int f(void) { return own.a; }' >"$work/narrow.c"
echo 'struct own { int a; int *p; } own; int f(void) { return own.a; }' >"$work/wide.c"
for source in narrow wide; do
	"$cc" -m32 -g -O2 -ffreestanding -fno-pie -c -o "$work/$source.o" "$work/$source.c"
done
says "pointers of 32 bits" 1 'struct own: size 4 -> 8; + int *p at 4, 4 bytes' --types \
	"$work/narrow.o" "$work/wide.o"

expect "diff: two machines are named" sh -c "'$BTFENC' diff --fail-on none \
	'$FIXTURES/gcc12-dwarf5/vmlinux' '$FIXTURES/gcc12-i386/vmlinux' |
	grep -qx '  for two machines (ELF e_machine 62 -> 3): .*'"
if [ -s "$FIXTURES/gcc12-s390x/vmlinux" ]; then
	"$BTFENC" encode -o "$work/big.btf" "$FIXTURES/gcc12-s390x/vmlinux"
	"$BTFENC" encode -o "$work/little.btf" "$FIXTURES/gcc12-dwarf5/vmlinux"
	"$BTFENC" diff --fail-on none "$work/big.btf" "$work/little.btf" >"$work/orders"
	expect "diff: raw BTF of two byte orders is of two machines" \
		grep -qx '  for two machines (big-endian -> little-endian): .*' "$work/orders"
	"$BTFENC" diff --fail-on none "$work/big.btf" "$FIXTURES/gcc12-dwarf5/vmlinux" >"$work/orders"
	expect "diff: raw BTF and an image of two byte orders" \
		grep -qx '  for two machines (big-endian -> little-endian): .*' "$work/orders"
	"$BTFENC" diff --fail-on none "$work/big.btf" "$FIXTURES/gcc12-s390x/vmlinux" >"$work/orders"
	expect "diff: raw BTF and an image of one byte order" \
		lacks_line 'two machines' "$work/orders"
else
	skip "diff: two byte orders" "gcc12-s390x was not built"
fi

# ---- a list of an older btfenc, before the column hook ----

tab=$(printf '\t')
sed "s/ | /$tab/g" >"$work/older.tsv" <<'EOT'
name | symbol | address | unit | verdict | reasons | prototype | parameters | marks | suffixes | sites | site_parameters | site_places | callers | module
convert | convert | 0x401040 | one.c | ok | - | int convert(number value, int more) | - | global | - | 0 | 0 | 0 | 0 | -
extra | extra | 0x401030 | one.c | ok | - | int extra(int value) | - | global | - | 0 | 0 | 0 | 0 | -
first | first | 0x401070 | one.c | ok | - | int first(int a, int b) | - | global | - | 0 | 0 | 0 | 0 | -
fold | fold | 0x401020 | one.c | ok | - | int fold(int value) | - | - | - | 0 | 0 | 0 | 2 | -
removed | removed | 0x401110 | two.c | ok | - | int removed(void) | - | - | - | 0 | 0 | 0 | 2 | -
same | same | 0x4010b0 | two.c | ok | - | int same(int value) | - | - | - | 0 | 0 | 0 | 1 | -
scale | scale.constprop.0 | 0x401000 | one.c | param-constant | clone,param-constant | int scale(int value, int factor) | factor:constant | - | .constprop | 0 | 0 | 0 | 0 | -
second | second | 0x401050 | one.c | ok | - | int second(int a) | - | global | - | 1 | 1 | 1 | 0 | -
third | third | 0x4010d0 | two.c | ok | - | int third(int a) | - | global | - | 0 | 0 | 0 | 0 | -
EOT
says "a list of 15 columns" 1 'removed: ok -> not there: neither code nor an inline site
convert: int convert(number value[-, int more-])
scale: .constprop.0: parameter "factor" constant -> ok' "$work/older.tsv" "$base"
"$BTFENC" stats --functions "$work/newer.tsv" "$base" >"$work/log"
says "and one of today" 1 "$(cat "$work/wanted")" "$work/older.tsv" "$work/newer.tsv"

# ---- what counts ----

run_group='diff'
set -- "$base" "$work/constant"
run "a loss is a regression" 1 '*' '' diff "$@"
run "--fail-on none" 0 '*' '' diff --fail-on none "$@"
run "--fail-on all,-lost,-other" 0 '*' '' diff --fail-on all,-lost,-other "$@"
run "--fail-on twice: both count" 1 '*' '' diff --fail-on lost --fail-on changed "$@"
run "--fail-on twice: and taken away" 0 '*' '' diff --fail-on lost,changed --fail-on -lost "$@"
run "--fail-on of another class" 0 '*' '' diff --fail-on inlined "$@"
run "--only another name" 0 '*' '' diff --only 'f*,second' "$@"
run "--only the new name" 1 '*gone; new with this prototype: extra_noprof*' '' diff --only 'extra_*' "$base" "$work/renamed"
run "--fail-on without new names" 0 '*' '' diff --fail-on -new-name "$base" "$work/renamed"
run "--only a name that neither has" 0 '*no differences*' '*warning: --only nothing_?: neither *' diff --only 'nothing_?' "$@"
run "--only exported, and none is" 0 '*no differences*' '*warning: --only exported: neither *' diff --only exported "$@"
run "--types --only a type that neither has" 0 '*no differences*' '*warning: --only nosuch: *no type of that name differs*' diff --types --only nosuch "$@"
run "--only that name" 1 '*' '' diff --only 'f*,sc?le' "$@"
run "--fail-on -lost: the default without" 0 '*' '' diff --fail-on -lost "$@"
run "--fail-on -changed: the default without" 1 '*' '' diff --fail-on -changed "$@"
echo 'scale lost  # not traced' >"$work/allow"
says "--allow" 0 "$line  # allowed: not traced" --allow "$work/allow" "$@"
printf '%s\n' 'sc* # a' 'gone_* lost # b' >"$work/allow"
changes --allow "$work/allow" "$@" >/dev/null
expect "diff: what allows nothing is reported" \
	grep -qx 'line 2 of --allow allows nothing: gone_\* # b' "$work/report"
expect "diff: how many are allowed is said" \
	grep -q ': 1 change, 0 of them regressions, 1 allowed$' "$work/report"
changes --show none --fail-on none "$@" >"$work/changes"
expect "diff: --show none lists nothing" cmp "$work/changes" /dev/null

# ---- formats ----

# ten LINES: the summary is no longer than that, and the important losses are ten at most.
"$BTFENC" diff "$FIXTURES/gcc12-dwarf5/vmlinux" "$FIXTURES/clang19-dwarf5/vmlinux" >"$work/report"
expect "diff: the summary is short" awk '
	/^$/ { exit }
	/the most important losses/ { important = 1; next }
	important { losses++; next }
	{ lines++ }
	END { print lines, losses; exit !(lines <= 10 && losses == 10) }' "$work/report"
if have python3 "diff: --format json is JSON"; then
	"$BTFENC" diff --format json "$@" >"$work/json"
	expect "diff: --format json is JSON" python3 -c '
import json, sys
report = json.load(open(sys.argv[1]))
change, = report["changes"]
assert change["class"] == "lost" and change["name"] == "scale" and change["fails"]
assert change["old"]["verdict"] == "ok" and change["new"]["verdict"] == "param-constant"
assert change["new"]["symbols"] == ["scale.constprop.0"]
assert report["fails"] == 1 and report["important"] == ["scale"] and change["new_name"] is None
assert report["new"]["site_places"] <= report["new"]["site_parameters"]
assert [c["count"] for c in report["classes"] if c["code"] == "lost"] == [1]
assert sum(v["old"] for v in report["verdicts"]) == report["old"]["names"]
' "$work/json"
fi
"$BTFENC" diff --format markdown "$@" >"$work/markdown"
expect "diff: --format markdown" sh -c "grep -q '1 of them a regression' '$work/markdown' &&
	grep -q '^- .scale.: .ok. → ..constprop.0: parameter \"factor\" constant.\$' '$work/markdown'"
# shellcheck disable=SC2016 # not for this shell
for format in text markdown; do
	"$BTFENC" diff --types --limit 0 --format $format "$FIXTURES/gcc12-dwarf5/vmlinux" \
		"$FIXTURES/clang19-dwarf5/vmlinux" >"$work/lines"
	expect "diff: no line of $format over 200 characters, none twice, no escapes" awk '
		length($0) > 200 || /\\/ || (/^(-| ) *[^ ]/ && !/above$|and [0-9]+ more/ && seen[$0]++) { print; bad = 1 }
		END { exit bad || NR < 30 }' "$work/lines"
done
# Outside text is code, which GitHub makes no link, mention, picture or formula of: a name, a reason, a path.
# shellcheck disable=SC2016 # not for this shell
linked='x GH-1 gh-2#3@who :smile:http://w.x/ <b> ``|`deadbeef|$x$'
mkdir "$work/GH-4#5@path:cat:1234567"
for side in base constant; do
	awk -v name="$linked" 'BEGIN { FS = OFS = "\t" } $1 == "scale" { $1 = name } 1' "$work/$side.tsv" \
		>"$work/GH-4#5@path:cat:1234567/$side"
done
echo "* # $linked" >"$work/allow"
"$BTFENC" diff --format markdown --allow "$work/allow" "$work"/GH-4*/base "$work"/GH-4*/constant >"$work/markdown"
# shellcheck disable=SC2016 # not for this shell
have python3 "diff: no link in Markdown" && expect "diff: no link in Markdown" python3 -c '
import re, sys
text = open(sys.argv[1]).read()
assert text.count("smile") == 2 and text.count("@path") == 2, text
text = re.sub(r"(?s)(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", text)
for bad in "GH-", "@", "smile", "://", "deadbeef", "$", "<b>", "`":
    assert bad not in text.split("<details")[0] + text.split("</summary>")[-1], (bad, text)
' "$work/markdown"
# of PAGE OPTION...: PAGE.html, and PAGE.json, which it is to show.
of()
{
	page=$1
	shift
	"$BTFENC" diff --format html "$@" >"$work/$page.html"
	"$BTFENC" diff --format json "$@" >"$work/$page.json"
}
"$BTFENC" stats --json "$FIXTURES/gcc12-lto/vmlinux" >"$work/stats.json"
of lto "$FIXTURES/gcc12-lto/vmlinux" "$FIXTURES/gcc12-dwarf5/vmlinux"
have python3 "diff: the numbers of stats" && expect "diff: the numbers of stats" python3 -c '
import json, sys
stats, diff = (json.load(open(path)) for path in sys.argv[1:])
sites, verdicts = stats["inline_sites"], {v["code"]: v["old"] for v in diff["verdicts"]}
assert sites["in_itself"] and diff["old"]["sites"] == sites["total"] - sites["in_itself"], sites
assert diff["old"]["names"] == stats["functions"]["names"] == sum(verdicts.values())
' "$work/stats.json" "$work/lto.json"
of page "$FIXTURES/gcc12-dwarf5/vmlinux" "$FIXTURES/clang19-dwarf5/vmlinux"
expect "diff: the data of the page are a third of the JSON" test \
	$((3 * ($(wc -c <"$work/page.html") - $(wc -c <commands/diff/diff_page.html)))) -lt "$(wc -c <"$work/page.json")"
# Names, paths and comments that would end the page's data; a type, a prototype and a loss.
mkdir "$work/<!--<script>"
cp "$work/wider" "$work/<!--<script>/wider"
echo 'frame # </script><!--<script>alert(1)</script>' >"$work/allow"
of small --types --allow "$work/allow" "$base" "$work/<!--<script>/wider"
if have chromium "diff: the page in a browser" && have node "diff: the page in a browser"; then
	node tests/diff_page.js "$work/page.html" "$work/page.json" | sed 's/ - / - diff: the page: /'
	node tests/diff_page.js "$work/small.html" "$work/small.json" | sed 's/ - / - diff: a small page: /'
fi

# ---- the command line ----

# What cannot be opened is said before anything is read, which may take a while: not that "part" is
# cut off. On a base that it is not split from, references of split BTF lead to other types.
pair="$base $work/constant"
cd "$work" || exit 1
"$BTFENC" encode --features +func_secinfo -o kept.btf constant
cp kept.btf.extra kept
mkdir folder mixed
"$BTFENC" encode --features +func_secinfo -o folder/vmlinux constant
cp folder/vmlinux.extra kept-vmlinux
head -n 1 base.tsv >head.tsv
"${BTFENC%/*}/pahole" -J --btf_features=+inline --btf_encode_detached=inline.btf base
objcopy --strip-all --keep-section='.debug_*' base stripped
head -c $(($(wc -c <base.tsv) / 2)) base.tsv >cut.tsv
cp base.btf mixed.btf
"$BTFENC" encode --features +func_secinfo -o large.btf "$FIXTURES/gcc12-dwarf5/vmlinux"
cp large.btf.extra mixed.btf.extra
echo "scale" >bare
head -c 64 "$FIXTURES/gcc12-dwarf5/vmlinux" >part
"$BTFENC" encode -b base.btf -o split.btf constant 2>log
"$BTFENC" encode -o none.btf "$FIXTURES/gcc12-dwarf5/vmlinux" 2>log
cp none.btf mixed/vmlinux && cp split.btf mixed/split
refusals 2 diff <<EOT
one file|diff: two files are compared*|base
three files|diff: more than two files*|base base base
no class|diff: unknown change class 'lots'*|--fail-on lost,lots base base
no format|diff: --format takes text?json?markdown?html, not 'xml'; *|--format xml base base
OUT is NEW|diff: OUT is */constant, or belongs to it*|-o constant $pair
OUT is a base|diff: OUT is base.btf, or belongs to it*|-o base.btf --old-base base.btf $pair
OUT is OLD.extra|diff: OUT is kept.btf, or belongs to it*|-o kept.btf.extra kept.btf base
OUT is NEW.extra|diff: OUT is kept.btf, or belongs to it*|-o kept.btf.extra base kept.btf
OUT is the allow file|diff: OUT is *|--allow allow -o allow $pair
regressions of types only|diff: --fail-on names only types*|--fail-on types $pair
types that are gone only|diff: --fail-on names only types*|--fail-on type-gone,type-changed $pair
types that are exported|diff: --types with --only needs a glob*|--types --only exported $pair
an empty word|diff: --only has an empty word*|--only '' $pair
EOT
refusals 3 diff <<EOT
OUT is OLD's vmlinux.extra|*vmlinux.extra: is a file of OLD*|-o folder/vmlinux.extra folder folder
a base of DWARF|*/base: is no module: it needs no base|--old-base base.btf $pair
a base of BTF that is not split|base.btf: is not split BTF*|--new-base constant.btf base base.btf
calls that BTF does not know|*does not say which calls*|--fail-on lost,partly-inlined base base.btf
a list of nothing|head.tsv: has no functions*|head.tsv base
no file|*nowhere*|base nowhere
no ELF file|*one.c*|base one.c
types of a list|base.tsv: is a list of functions and has no types*|--types base.tsv base
exports of BTF|*base.btf: does not say what is exported*|--only exported base.btf constant.btf
sites without instances|*was made with feature inline*|inline.btf base
no symbols|*stripped: has no symbols*|stripped base
an extra part|*is the .BTF.extra of another file; give that file, this one *|base.btf.extra base
half a list|cut.tsv: *|cut.tsv base
an extra part of another BTF|*mixed*|mixed.btf base
no reason|bare: line 1: does not say why*|--allow bare $pair
a full disk|*|-o /dev/full $pair
a second file that is not there|nosuch: cannot open: *|part nosuch
a base that is not there|nosuch: cannot open: *|--new-base nosuch part part
split BTF without its base|split.btf: is split BTF; give its base with --new-base|base split.btf
another base|split.btf: *|--new-base none.btf base split.btf
another base, of a module in a directory|mixed/split: is not split from mixed/vmlinux *|mixed mixed
EOT
expect "diff: it is kept" cmp kept kept.btf.extra
expect "diff: that is kept" cmp kept-vmlinux folder/vmlinux.extra
# BTF has the prototype once, a list has it for each function.
awk 'BEGIN {
	print "struct interpreter_state;"
	for (k = 1; k <= 47; k++)
		parameters = parameters sprintf("const struct interpreter_state *argument_number_%02d,", k)
	for (i = 1; i <= 2500; i++)
		print "int op" i "(" parameters "int last) { return last; }"
}' >"$work/generated.c"
"$cc" -g -c -o "$work/generated.o" "$work/generated.c"
"$BTFENC" encode -o "$work/generated" "$work/generated.o"
expect "diff: 2,500 functions of one long prototype" "$BTFENC" diff "$work/generated" "$work/generated.o"
# A kernel and its module share a few names, or none.
for thing in kernel module; do
	for i in 1 2 3 4 5 6 7 8 9; do
		echo "int ${thing}_$i(int value) { return value + $i; }"
	done >"$work/$thing.c"
	"$cc" -O2 -g -c -o "$work/$thing.o" "$work/$thing.c"
	sed 's/'$thing'_1(/renamed(/' "$work/$thing.c" >"$work/later-$thing.c"
	"$cc" -O2 -g -c -o "$work/later-$thing.o" "$work/later-$thing.c"
done
"$BTFENC" diff "$work/kernel.o" "$work/module.o" >/dev/null 2>"$work/log"
expect "diff: a kernel and a module: that is said" grep -qx \
	"btfenc: warning: .*/kernel.o and .*/module.o have 0 functions in common, of 9 and 9: these are not two builds of one thing" \
	"$work/log"
"$BTFENC" diff "$work/module.o" "$work/later-module.o" >/dev/null 2>"$work/log"
expect "diff: two builds of a module: nothing is said" test ! -s "$work/log"
expect "diff: a list through a pipe" sh -c \
	"cat '$work/base.tsv' | '$BTFENC' diff /dev/stdin '$base' | grep -q 'no differences'"
expect "diff: -o - is standard output" sh -c \
	"'$BTFENC' diff -o - '$base' '$base' | grep -q 'no differences'"
printf 'scale # caf\351\n' >"$work/latin"
expect "diff: what is not UTF-8 is not lost" sh -c "'$BTFENC' diff --format json --allow \
	'$work/latin' '$base' '$work/constant' | grep -q '\"allowed\": \"caf'"
"$BTFENC" diff "$@" >/dev/full 2>"$work/stderr"
expect "diff: a full disk under stdout is an error" [ $? -eq 3 ]

# ---- long prototypes ----

# Many functions, records that are much smaller than the BTF, and a prototype of 9 KB: the last parameter counts.
for type in long int; do
	{
		echo 'int sink; static inline void inlined(int value) { sink += value; }'
		echo 'void caller(int value) { inlined(value); sink++; }'
		seq 400 | sed 's/.*/int function_with_a_long_name_&(struct structure_& *parameter, long parameter_of_function_&) { return !parameter; }/'
		echo "int last(int value, $type parameter) { return !parameter; }"
		seq 180 | sed 's/.*/struct some_long_structure_name *parameter_number_&,/; 1s/^/int longest(/'
		echo "$type parameter) { return !parameter; }"
	} >"$work/long.c"
	"$cc" -g -O2 -w -c -o "$work/long.$type.o" "$work/long.c"
	"$BTFENC" encode --features=+inline -o "$work/long.$type.btf" "$work/long.$type.o"
	"$BTFENC" stats --functions "$work/long.$type.list" "$work/long.$type.o" >/dev/null
done
expect "diff: the records are smaller than the BTF" test \
	"$(wc -c <"$work/long.int.btf.inline")" -lt $(($(wc -c <"$work/long.int.btf") / 20))
for kind in o btf list; do
	"$BTFENC" diff "$work/long.long.$kind" "$work/long.int.$kind" >"$work/report"
	for name in last longest; do
		expect "diff: the prototype of $name has changed: $kind" grep -q "^  $name: .*int $name(" "$work/report"
	done
done
