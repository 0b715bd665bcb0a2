#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# The features inline and func_secinfo: what asks for them, where what they make is put, that it is
# the same for any number of threads, and that the rules hold. Whether the records are true is for
# tests/sites.sh.
. tests/lib.sh
. tests/lib_btf.sh

# See tests/fixtures.sh.
known_c_errors="'blob' defined as wrong kind of tag"

pahole=${BTFENC%/*}/pahole
both=+inline,+func_secinfo=inline
source=$PWD

files=$work/files
mkdir "$files" && cd "$files" || exit 1

# encode OUT FEATURES ARGUMENT...: OUT, and OUT.inline and OUT.extra if they are made; quietly.
encode()
{
	encode_out=$1 encode_features=$2
	shift 2
	rm -f "$encode_out" "$encode_out".*
	if "$BTFENC" encode --features "$encode_features" -o "$encode_out" "$@" >"$work/err" 2>&1 &&
	   ! [ -s "$work/err" ]; then
		return
	fi
	cat "$work/err"
	return 1
}

# sections FILE: those of BTF, but for .BTF_ids.
sections()
{
	readelf -SW "$1" | grep -o ' \.BTF[^ ]*' | grep -v ids | sort | tr -d '\n'
}

# section FILE NAME OUT
section()
{
	rm -f "$3" && objcopy --dump-section "$2=$3" "$1" discarded
}

# checked LINES ARGUMENT...: btfenc check finds no errors, in as many BTFs.
checked()
{
	checked_lines=$1
	shift
	"$BTFENC" check "$@" >checked.log || { cat checked.log; return 1; }
	[ "$(grep -c ' types, no errors' checked.log)" -eq "$checked_lines" ] && return
	cat checked.log
	return 1
}

# exits NAME STATUS PATTERN COMMAND...: exit status, and one line on stderr that matches; none of
# the files that it could write is there.
exits()
{
	exits_name=$1 exits_status=$2 exits_pattern=$3
	shift 3
	rm -f out out.*
	"$@" >"$work/out" 2>"$work/err"
	status=$?
	if [ $status -eq "$exits_status" ] && [ "$(wc -l <"$work/err")" -eq 1 ] &&
	   grep -q -e "$exits_pattern" "$work/err" && ! ls out out.* >/dev/null 2>&1; then
		ok "$exits_name"
	else
		echo "exit status $status, not $exits_status" >>"$work/err"
		not_ok "$exits_name" "$work/err"
	fi
}

# ---- all fixtures ----

# same_at JOBS IMAGE
same_at()
{
	encode again $both -j"$1" "$2" && cmp again btf && cmp again.inline btf.inline &&
		cmp again.extra btf.extra
}

# pahole_encodes IMAGE OPTION...: as it does for the kernel's build; quietly.
pahole_encodes()
{
	pahole_image=$1
	shift
	rm -f out out.inline out.extra
	if "$pahole" -J "$@" --btf_encode_detached=out "$pahole_image" >"$work/err" 2>&1 &&
	   ! [ -s "$work/err" ]; then
		return
	fi
	cat "$work/err"
	return 1
}

# lines FILE...: what dump says of each, without ids, sorted.
lines()
{
	for lines_file; do
		"$BTFENC" dump "$lines_file" --machine x86-64 || return 1
	done | sed 's/[a-z_]*id=[0-9]* *//g; s/^[[][0-9]*[]] //' | sort
}

# same_lines IMAGE: in .BTF and .BTF.inline is what there is in one if nothing splits it. Ids are
# others; sites are ordered by them.
same_lines()
{
	encode apart +inline "$1" && pahole_encodes "$1" \
		--btf_features=+inline,float,optimized_func,decl_tag_kfuncs &&
		lines apart apart.inline >apart.lines && lines out >together.lines &&
		[ -s apart.lines ] && cmp apart.lines together.lines
}

# together IMAGE ARGUMENT...: `together`, as pahole gives it to the kernel's build
together()
{
	together_image=$1
	shift
	pahole_encodes "$together_image" "$@" \
		--btf_features=+inline,float,optimized_func,decl_tag_kfuncs,layout && mv out together
}

# function_symbols IMAGE: of the names that a tracer finds (f.llvm.HASH is kept for f: docs/format.md)
function_symbols()
{
	readelf -sW "$1" | awk '$4 == "FUNC" && $7 != "UND" { sub(/\.llvm\.[0-9]*$/, ""); print $NF }'
}

# What the kernel's build makes of it, by the rules of its resolve_btfids of 7.4.
split_alike()
{
	together "$1" && function_symbols "$1" >symbols && encode apart +inline,+layout "$1" &&
		python3 "$source/tests/split_inline.py" together symbols split &&
		cmp split apart && cmp split.inline apart.inline
}

# The same by the kernel's own tool, if there is one of 7.4 or later (RESOLVE_BTFIDS).
resolved_alike()
{
	cp "$1" resolved && "$RESOLVE_BTFIDS" --inline --btf together resolved &&
		cmp apart resolved.BTF && cmp apart.inline resolved.BTF.inline
}

for image in "$FIXTURES"/*/vmlinux; do
	variant=${image%/vmlinux}
	variant=${variant##*/}
	expect "site_features: $variant: encode, without a warning" encode btf $both -j1 "$image"
	for jobs in 2 3; do
		expect "site_features: $variant: the same bytes at -j$jobs" same_at $jobs "$image"
	done
	expect "site_features: $variant: check finds nothing in .BTF" checked 1 btf
	expect "site_features: $variant: check finds nothing in .BTF.inline" checked 1 btf.inline
	expect "site_features: $variant: check finds nothing in .BTF.extra" \
		checked 1 -b btf btf.extra
	check_readers "site_features: $variant: .BTF" btf "$image"
	expect "site_features: $variant: both parts say what one BTF says" same_lines "$image"
	have python3 "site_features: $variant: split as resolve_btfids does" || continue
	expect "site_features: $variant: split as resolve_btfids does" split_alike "$image"
	[ -z "${RESOLVE_BTFIDS-}" ] ||
		expect "site_features: $variant: resolve_btfids splits alike" resolved_alike "$image"
done

# ---- what asks for them ----

image=$FIXTURES/gcc12-dwarf5/vmlinux
"$BTFENC" encode -o default "$image"

# says FEATURES PATTERN COUNT: the summary of -v has so many lines that match.
says()
{
	"$BTFENC" encode -v --features "$1" -o summed "$image" 2>said &&
		[ "$(grep -c -e "$2" said)" -eq "$3" ] && return
	cat said
	return 1
}

expect "site_features: -v: no sites" says default 'sites\|instances\|BTF.extra' 0
expect "site_features: -v: instances, and no word of inline sites that were not counted" \
	says +func_secinfo '^inline' 0
expect "site_features: -v: how many instances" says +func_secinfo '^func_secinfo: [1-9]' 1
expect "site_features: -v: how large .BTF.extra is" \
	says +func_secinfo "^summed: $(wc -c <summed.extra) bytes of .BTF.extra" 1
expect "site_features: -v: inline sites" says +inline '^inline sites: [1-9]' 1

# asks NAME FEATURES MAIN EXTRA [INLINE]: the image is that in the file MAIN, the others those in
# EXTRA and INLINE, or there is none ("none").
asks()
{
	expect "site_features: $1: encoded" encode out "$2" "$image"
	expect "site_features: $1: the image" cmp out "$3"
	for part in "extra $4" "inline ${5-none}"; do
		if [ "${part#* }" = none ]; then
			expect "site_features: $1: no OUT.${part% *}" test ! -e "out.${part% *}"
		else
			expect "site_features: $1: OUT.${part% *}" cmp "out.${part% *}" "${part#* }"
		fi
	done
}

encode inline +inline "$image"
encode plain +func_secinfo "$image"
encode sites +func_secinfo=inline "$image"
encode both $both "$image"
encode all all "$image"
cp plain.extra plain-extra && cp sites.extra sites-extra && cp both.extra both-extra
cp inline.inline inline-inline && cp both.inline both-inline
expect "site_features: inline has its kinds" test "$(kinds inline.inline -b inline)" = \
	"FUNC FUNC_PROTO LOCSEC LOC_PARAM LOC_PROTO "
expect "site_features: .BTF has other kinds only" test "$(kinds inline)" = "$(kinds default)"
"$BTFENC" dump inline.inline >inline.dump
expect "site_features: a LOCSEC is named as bpf-next has it" \
	sh -c 'grep -q "LOCSEC .inline\.text. " inline.dump && ! grep "LOCSEC .\." inline.dump'
expect "site_features: the FUNC of a function without a symbol is in .BTF.inline" \
	sh -c "grep -q \"FUNC 'called_once'\" inline.dump && '$BTFENC' dump inline >plain.dump &&
		! grep -w called_once plain.dump"
expect "site_features: func_secinfo has its kinds" test "$(kinds plain.extra -b plain)" = \
	"DATASEC FUNC FUNC_PROTO LOC "
expect "site_features: func_secinfo=inline says more" \
	test "$(wc -c <sites-extra)" -gt "$(wc -c <plain-extra)"
asks "+inline" +inline inline none inline-inline
asks "+func_secinfo" +func_secinfo default plain-extra
asks "+func_secinfo=inline" +func_secinfo=inline default sites-extra
# (In another order: places of instances are met, too.)
"$BTFENC" dump both | type_lines >both-types
"$BTFENC" dump inline | type_lines >inline-types
expect "site_features: both: the types of +inline" cmp both-types inline-types
asks "the other order" +func_secinfo=inline,+inline both both-extra both-inline
asks "+func_secinfo, then =inline" +func_secinfo,+func_secinfo=inline default sites-extra
asks "-func_secinfo" +func_secinfo,-func_secinfo default none
asks "=inline, -func_secinfo" +func_secinfo=inline,-func_secinfo default none
asks "=inline, -func_secinfo, +func_secinfo" +func_secinfo=inline,-func_secinfo,+func_secinfo \
	default plain-extra
asks "=inline, -func_secinfo=inline" +func_secinfo=inline,-func_secinfo=inline default none
asks "-inline" +inline,-inline default none
asks "-inline, func_secinfo=inline" +func_secinfo=inline,-inline default sites-extra
asks "all does not mean them" all all none
kinds all >all.kinds
expect "site_features: all has no kinds of theirs" lacks_line 'LOC\|no dump' all.kinds
asks "all leaves them as they are" +inline,+func_secinfo,all,default,-global_var,-attributes \
	out out.extra out.inline
expect "site_features: all, after them: inline" \
	sh -c "echo '$(kinds out.inline -b out)' | grep -q LOCSEC"
encode some func_secinfo,inline "$image"
expect "site_features: nothing else: no FLOAT, no DECL_TAG" \
	sh -c "echo '$(kinds some)' | grep FUNC | grep -qv 'DECL_TAG\|VAR'"
expect "site_features: nothing else, and OUT.extra" checked 1 -b some some.extra
exits "site_features: func_secinfo=what" 2 "'func_secinfo=what' is unknown" \
	"$BTFENC" encode --features +func_secinfo=what -o out "$image"
exits "site_features: inline=inline" 2 "'inline=inline' is unknown" \
	"$BTFENC" encode --features +inline=inline -o out "$image"

# ---- where they go ----

exits "site_features: -o - cannot take func_secinfo" 2 'cannot take func_secinfo' \
	"$BTFENC" encode --features +func_secinfo -o - "$image"
exits "site_features: -o - cannot take inline" 2 'cannot take inline, which goes into OUT.inline' \
	"$BTFENC" encode --features +inline -o - "$image"
expect "site_features: -o /dev/null" \
	"$BTFENC" encode --features +func_secinfo -o /dev/null "$image"
expect "site_features: which has no FILE.extra" test ! -e /dev/null.extra
cp "$image" input.extra
"$BTFENC" encode --features +func_secinfo -o input input.extra 2>"$work/err"
expect "site_features: OUT.extra is FILE: refused" test $? -eq 2
expect "site_features: FILE is still there" cmp "$image" input.extra

# in_place FILE FEATURES ARGUMENT...: into its sections, which are then in `main` and `extra`.
in_place()
{
	in_place_file=$1 in_place_features=$2
	shift 2
	"$BTFENC" encode --features "$in_place_features" "$@" "$in_place_file" 2>"$work/err"
	section "$in_place_file" .BTF main
	rm -f extra
	section "$in_place_file" .BTF.extra extra 2>/dev/null
	true
}

cp "$image" stored && chmod u+w stored
in_place stored +func_secinfo
expect "site_features: in place: .BTF.extra is stored" \
	test "$(sections stored)" = " .BTF .BTF.extra"
expect "site_features: in place: .BTF is OUT" cmp main default
expect "site_features: in place: .BTF.extra is OUT.extra" cmp extra plain-extra
expect "site_features: in place: check looks at both" checked 2 stored
in_place stored $both
expect "site_features: in place again: one of each" \
	test "$(sections stored)" = " .BTF .BTF.extra .BTF.inline"
section stored .BTF.inline stored-inline
expect "site_features: in place again: .BTF.inline is OUT.inline" cmp stored-inline both-inline
expect "site_features: in place again: .BTF is another" cmp main both
expect "site_features: in place again: .BTF.extra is another" cmp extra both-extra
expect "site_features: in place again: check looks at all" checked 3 stored
"$BTFENC" dump stored | type_lines >stored-types
for part in both both.inline both.extra; do
	"$BTFENC" dump "$part"
done | type_lines >part-types
expect "site_features: in place again: dump prints all" cmp stored-types part-types
in_place stored default
expect "site_features: without the features both go" test "$(sections stored)" = " .BTF"
expect "site_features: without the feature .BTF is as ever" cmp main default

# The room of an allocated .BTF is filled: the strings of .BTF.extra begin after the padding.
cat >linked.c <<'EOT'
extern const unsigned char __start_BTF[], __stop_BTF[];
struct box { long a, b; };
static inline long sum(const struct box *box, int by) { return box->a * by + box->b; }
__attribute__((noinline)) static long both(struct box *box) { return sum(box, 3) + sum(box, 5); }
int main(int argc, char **argv)
{
	struct box box = { argc, argv != 0 };
	return __start_BTF[0] != 0x9f || __stop_BTF - __start_BTF != ROOM || !both(&box);
}
EOT
cat >lds <<'EOT'
SECTIONS { .BTF : { __start_BTF = .; KEEP(*(.BTF)) __stop_BTF = .; } } INSERT AFTER .rodata;
EOT
cp default room && truncate -s %4 room
linked()
{
	gcc -g -O2 "-DROOM=$(wc -c <room)" -c linked.c && : >empty.c && gcc -c empty.c -o room.o &&
		objcopy --add-section .BTF=room --set-section-flags .BTF=alloc,readonly room.o &&
		gcc -o linked linked.o room.o -Wl,-T,lds && ./linked
}
expect "site_features: .BTF in a segment: the program is linked" linked
encode small $both linked
in_place linked $both
expect "site_features: .BTF in a segment: it is padded" test "$(wc -c <main)" -eq "$(wc -c <room)"
expect "site_features: .BTF in a segment: both others fit" checked 3 linked
section linked .BTF.inline main.inline
mv extra main.extra
"$BTFENC" dump main.extra >padded.dump
"$BTFENC" dump main.inline >>padded.dump
"$BTFENC" dump small.extra >small.dump
"$BTFENC" dump small.inline >>small.dump
expect "site_features: .BTF in a segment: both say the same" cmp padded.dump small.dump
expect "site_features: .BTF in a segment: and something" grep -q sum small.dump
# shellcheck disable=SC2016
expect "site_features: .BTF in a segment: its strings have moved" \
	sh -c '! cmp -s main.extra small.extra && ! cmp -s main.inline small.inline &&
	       [ $(wc -c <main.extra) -eq $(wc -c <small.extra) ]'
expect "site_features: .BTF in a segment: the program still runs" ./linked
in_place linked default
expect "site_features: .BTF in a segment: .BTF.extra goes" test "$(sections linked)" = " .BTF"

# ---- modules ----

if (cd "$source" && "${CC:-cc}" -std=gnu11 -g -O2 -c -Ivmlinux-fixtures/include -o "$files/module.o" \
	vmlinux-fixtures/clones.c) 2>"$work/err"; then
	ok "site_features: a module is compiled"
else
	not_ok "site_features: a module is compiled" "$work/err"
	exit 1
fi

# module NAME BASE: split from it, in OUT and in place
module()
{
	expect "site_features: $1: encoded" encode split $both -b "$2" module.o
	expect "site_features: $1: sites" \
		sh -c "echo '$(kinds split.inline -b "$2")' | grep -q LOCSEC"
	expect "site_features: $1: OUT is right" checked 1 -b "$2" split
	expect "site_features: $1: OUT.inline is right" checked 1 -b "$2" split.inline
	expect "site_features: $1: OUT.extra is right" checked 1 -b "$2" -b split split.extra
	for jobs in 1 3; do
		encode again $both -j$jobs -b "$2" module.o
		expect "site_features: $1: -j$jobs: OUT" cmp again split
		expect "site_features: $1: -j$jobs: OUT.inline" cmp again.inline split.inline
		expect "site_features: $1: -j$jobs: OUT.extra" cmp again.extra split.extra
	done
	cp module.o stored.o
	in_place stored.o $both -b "$2"
	expect "site_features: $1: in place: .BTF" cmp main split
	expect "site_features: $1: in place: .BTF.extra" cmp extra split.extra
	expect "site_features: $1: in place: all are right" checked 3 -b "$2" stored.o
}
# Without a layout section a libbpf that knows it has a header of 32 bytes all the same, and we of 24.
module_alike()
{
	together module.o --btf_base default && function_symbols module.o >symbols &&
		encode apart +inline -b default module.o &&
		python3 "$source/tests/split_inline.py" together symbols split default &&
		cmp -i 32:24 split apart && cmp split.inline apart.inline
}
! command -v python3 >/dev/null ||
	expect "site_features: a module: split as resolve_btfids does" module_alike
encode alone $both module.o
expect "site_features: a module by itself" checked 1 alone
expect "site_features: a module by itself: OUT.extra" checked 1 -b alone alone.extra
module "a module" default
pahole_encodes "$image" --btf_features=+inline && mv out combined
module "on a base with inline sites" combined

distilled=$both,+distilled_base
expect "site_features: distilled: encoded" encode split $distilled -b default module.o
expect "site_features: distilled: OUT.base is right" checked 1 split.base
expect "site_features: distilled: OUT is right" checked 1 -b split.base split
expect "site_features: distilled: OUT.extra is right" checked 1 -b split.base -b split split.extra
cp module.o stored.o
in_place stored.o $distilled -b default
expect "site_features: distilled, in place: four sections" \
	test "$(sections stored.o)" = " .BTF .BTF.base .BTF.extra .BTF.inline"
expect "site_features: distilled, in place: .BTF" cmp main split
expect "site_features: distilled, in place: .BTF.extra" cmp extra split.extra
expect "site_features: distilled, in place: check" "$BTFENC" check stored.o
in_place stored.o default -b default
expect "site_features: neither of both stays" test "$(sections stored.o)" = " .BTF"

# ---- pahole's dialect ----

expect "site_features: pahole: --btf_features=+inline" \
	pahole_encodes "$image" --btf_features=+inline
expect "site_features: pahole: and there are sites" sh -c "echo '$(kinds out)' | grep -q LOCSEC"
expect "site_features: pahole: which the kernel's build takes out" test ! -e out.inline
cp "$image" stored && chmod u+w stored && "$pahole" -J --btf_features=+inline stored
expect "site_features: pahole: in place, too" test "$(sections stored)" = " .BTF"
expect "site_features: pahole: and no OUT.extra" test ! -e out.extra
expect "site_features: pahole: --btf_features=func_secinfo" \
	pahole_encodes "$image" --btf_features=encode_force,func_secinfo
expect "site_features: pahole: OUT.extra" checked 1 -b out out.extra
cp out.extra few.extra
expect "site_features: pahole: --btf_features=func_secinfo=inline" \
	pahole_encodes "$image" --btf_features=encode_force,func_secinfo=inline
expect "site_features: pahole: OUT.extra with inline sites" checked 1 -b out out.extra
expect "site_features: pahole: which is more" \
	test "$(wc -c <out.extra)" -gt "$(wc -c <few.extra)"
expect "site_features: pahole: --btf_features_strict" \
	pahole_encodes "$image" --btf_features_strict=inline,func_secinfo=inline
expect "site_features: pahole: all does not mean them" pahole_encodes "$image" --btf_features=all
expect "site_features: pahole: all: no OUT.extra" test ! -e out.extra
kinds out >out.kinds
expect "site_features: pahole: all: no sites" lacks_line 'LOC\|no dump' out.kinds
for name in inline func_secinfo; do
	expect "site_features: pahole: --supported_btf_features lists $name" sh -c \
		"'$pahole' --supported_btf_features | tr ',' '\\n' | grep -qx $name"
done
