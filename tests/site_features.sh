#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# The features inline and func_secinfo: what each makes, where it is put, that it is the same for
# any number of threads, and that the rules hold. Which list of features means which others is for
# tests/features.sh, where they cannot be put for tests/encode.sh, and whether the records are true
# for tests/sites.sh.
. tests/lib.sh
. tests/lib_btf.sh

# See tests/fixtures.sh.
known_c_errors="'blob' defined as wrong kind of tag"

pahole=${BTFENC%/*}/pahole
both=+inline,+func_secinfo=inline
source=$PWD

files=$work/files
mkdir "$files" && cd "$files" || exit 1

# quietly DIRECTORY COMMAND...: which writes into this new directory, and no word.
quietly()
{
	rm -rf "$1" && mkdir "$1" || return
	shift
	"$@" >"$work/err" 2>&1 && ! [ -s "$work/err" ] && return
	cat "$work/err"
	return 1
}

# encode DIRECTORY FEATURES ARGUMENT...: DIRECTORY/btf, btf.inline and so on.
encode()
{
	encode_out=$1 encode_features=$2
	shift 2
	quietly "$encode_out" \
		"$BTFENC" encode --features "$encode_features" -o "$encode_out/btf" "$@"
}

# pahole_encodes DIRECTORY IMAGE OPTION...: as it does for the kernel's build.
pahole_encodes()
{
	pahole_out=$1 pahole_image=$2
	shift 2
	quietly "$pahole_out" \
		"$pahole" -J "$@" --btf_encode_detached="$pahole_out/btf" "$pahole_image"
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

# ---- all fixtures, and a module ----

(cd "$source" && "${CC:-cc}" -std=gnu11 -g -O2 -c -Ivmlinux-fixtures/include -o "$files/module.o" \
	vmlinux-fixtures/clones.c) 2>"$work/err"
expect "a module is compiled" test -s module.o
image=$FIXTURES/gcc12-dwarf5/vmlinux
encode default default "$image"

# in_parts NAME IMAGE [BASE]: NAME.parts has both, and NAME.all what pahole gives to the kernel's
# build, and the names that a tracer finds (f.llvm.HASH is kept for f: docs/format.md).
in_parts()
{
	encode "$1.parts" +inline,+layout ${3:+-b "$3"} "$2" &&
		pahole_encodes "$1.all" "$2" ${3:+--btf_base "$3"} \
			--btf_features=+inline,float,optimized_func,decl_tag_kfuncs,layout || return
	readelf -sW "$2" | awk '$4 == "FUNC" && $7 != "UND" {
		sub(/\.llvm\.[0-9]*$/, ""); print $NF }' >"$1.all/symbols"
	[ -z "${3-}" ] || cp "$3" "$1.all/base"
}

# divided_alike NAME: as the kernel's build does it, by the rules of its resolve_btfids of 7.4.
divided_alike()
{
	# Without a layout section a libbpf that knows it has a header of 32 bytes all the same,
	# and we of 24.
	skip=$([ ! -e "$1.all/base" ] || echo "-i 32:24")
	# shellcheck disable=SC2086 # words
	cmp $skip "$1.all/split" "$1.parts/btf" && cmp "$1.all/split.inline" "$1.parts/btf.inline"
}

# resolved_alike NAME IMAGE: the same by the kernel's own tool, if there is one of 7.4 or later.
resolved_alike()
{
	cp "$2" resolved && "$RESOLVE_BTFIDS" --inline --btf "$1.all/btf" resolved &&
		cmp "$1.parts/btf" resolved.BTF && cmp "$1.parts/btf.inline" resolved.BTF.inline
}

variants=
for image in "$FIXTURES"/*/vmlinux; do
	variant=${image%/vmlinux}
	variant=${variant##*/}
	variants="$variants $variant"
	name="$variant"
	expect "$name: encode, without a warning" encode out $both -j1 "$image"
	for jobs in 2 3; do
		expect "$name: the same bytes at -j$jobs" encodes_alike "$image" $both $jobs
	done
	check_readers "$name: .BTF" out/btf "$image"
	expect "$name: check finds nothing in .BTF.inline" checked 1 out/btf.inline
	expect "$name: check finds nothing in .BTF.extra" checked 1 -b out/btf out/btf.extra
	expect "$name: in parts, and as one" in_parts "$variant" "$image"
	[ -z "${RESOLVE_BTFIDS-}" ] ||
		expect "$name: resolve_btfids makes such parts" resolved_alike "$variant" "$image"
done
expect "a module: in parts, and as one" in_parts module module.o default/btf
expect "all are divided" python3 "$source/tests/split_inline.py" ./*.all
for variant in $variants module; do
	expect "$variant: the parts are those of resolve_btfids" divided_alike "$variant"
done

# ---- what each makes ----

image=$FIXTURES/gcc12-dwarf5/vmlinux

# says FEATURES PATTERN COUNT: the summary of -v has so many lines that match.
says()
{
	"$BTFENC" encode -v --features "$1" -o summed "$image" 2>said &&
		[ "$(grep -c -e "$2" said)" -eq "$3" ] && return
	cat said
	return 1
}

expect "-v: no sites" says default 'sites\|instances\|BTF.extra' 0
expect "-v: instances, and no word of inline sites that were not counted" \
	says +func_secinfo '^inline' 0
expect "-v: how many instances" says +func_secinfo '^func_secinfo: [1-9]' 1
expect "-v: how large .BTF.extra is" \
	says +func_secinfo "^summed: $(wc -c <summed.extra) bytes of .BTF.extra" 1
expect "-v: inline sites" says +inline '^inline sites: [1-9]' 1

# makes DIRECTORY FEATURES FILE...: these files.
makes()
{
	expect "$2: encoded" encode "$1" "$2" "$image"
	makes_name="$2: $1/"
	makes_out=$1
	shift 2
	expect "$makes_name has $*" test "$(cd "$makes_out" && echo *)" = "$*"
}

makes inline +inline btf btf.inline
makes plain +func_secinfo btf btf.extra
makes sites +func_secinfo=inline btf btf.extra
makes both $both btf btf.extra btf.inline
makes all all btf
makes some func_secinfo,inline btf btf.extra btf.inline
expect "inline has its kinds" \
	test "$(kinds inline/btf.inline)" = "FUNC FUNC_PROTO LOCSEC LOC_PARAM LOC_PROTO "
expect ".BTF has other kinds only" test "$(kinds inline/btf)" = "$(kinds default/btf)"
"$BTFENC" dump inline/btf.inline >inline.dump
"$BTFENC" dump inline/btf >main.dump
expect "a LOCSEC is named as bpf-next has it" grep -q "LOCSEC .inline\.text. " inline.dump
expect "and no other way" lacks_line "LOCSEC .\." inline.dump
expect "the FUNC of a function without a symbol is in .BTF.inline" \
	grep -q "FUNC 'called_once'" inline.dump
expect "and not in .BTF" lacks_line called_once main.dump -w
type_lines <main.dump >inline-types
"$BTFENC" dump both/btf | type_lines >both-types
expect "both: the types of +inline" same_text both-types inline-types
expect "func_secinfo has its kinds" \
	test "$(kinds plain/btf.extra -b plain/btf)" = "DATASEC FUNC FUNC_PROTO LOC "
for out in plain sites; do
	expect "$out: .BTF is as ever" cmp $out/btf default/btf
done
expect "func_secinfo=inline says more" \
	test "$(wc -c <sites/btf.extra)" -gt "$(wc -c <plain/btf.extra)"
kinds all/btf >all.kinds
expect "all has no kinds of theirs" lacks_line 'LOC\|no dump' all.kinds
kinds some/btf >some.kinds
expect "nothing else: no DECL_TAG, no VAR" lacks_line 'DECL_TAG\|VAR\|no dump' some.kinds
expect "nothing else, and OUT.extra" checked 1 -b some/btf some/btf.extra

# ---- in place ----

# in_place NAME DIRECTORY FILE BTFS FEATURES ARGUMENT...: sections are as the files in DIRECTORY,
# and check finds no errors in so many BTFs.
in_place()
{
	in_place_name="$1, in place" in_place_as=$2 in_place_file=$3 in_place_btfs=$4
	in_place_features=$5
	shift 5
	"$BTFENC" encode --features "$in_place_features" "$@" "$in_place_file" 2>"$work/err"
	expect "$in_place_name: what -o writes" sections_are "$in_place_as" "$in_place_file"
	expect "$in_place_name: check looks at all" checked "$in_place_btfs" "$@" "$in_place_file"
}

cp "$image" stored && chmod u+w stored
in_place func_secinfo plain stored 2 +func_secinfo
in_place "both, again" both stored 3 $both
"$BTFENC" dump stored | type_lines >stored-types
for part in '' .inline .extra; do
	"$BTFENC" dump both/btf$part
done | type_lines >part-types
expect "in place again: dump prints all" same_text stored-types part-types
in_place "neither, again" default stored 1 default

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
cp default/btf room && truncate -s %4 room
linked()
{
	gcc -g -O2 "-DROOM=$(wc -c <room)" -c linked.c && : >empty.c && gcc -c empty.c -o room.o &&
		objcopy --add-section .BTF=room --set-section-flags .BTF=alloc,readonly room.o &&
		gcc -o linked linked.o room.o -Wl,-T,lds && ./linked
}

name=".BTF in a segment"
expect "$name: the program is linked" linked
encode small $both linked
mkdir padded
"$BTFENC" encode --features $both linked 2>"$work/err"
expect "$name: both others fit" checked 3 linked
for part in '' .inline .extra; do
	objcopy --dump-section ".BTF$part=padded/btf$part" linked discarded
done
expect "$name: it is padded" test "$(wc -c <padded/btf)" -eq "$(wc -c <room)"
for part in inline extra; do
	"$BTFENC" dump padded/btf.$part >padded.$part
	"$BTFENC" dump small/btf.$part >small.$part
	expect "$name: .BTF.$part says the same" same_text padded.$part small.$part
	expect "$name: .BTF.$part: its strings have moved" \
		sh -c "! cmp -s padded/btf.$part small/btf.$part"
done
expect "$name: and something" grep -q sum small.inline small.extra
expect "$name: .BTF.extra: no more has changed" \
	test "$(wc -c <padded/btf.extra)" -eq "$(wc -c <small/btf.extra)"
expect "$name: the program still runs" ./linked
"$BTFENC" encode linked
expect "$name: .BTF.extra goes" test "$(sections linked)" = " .BTF"

# ---- modules ----

# module NAME BASE: split from it, in OUT and in place
module()
{
	name="$1"
	expect "$name: encoded" encode split $both -b "$2" module.o
	expect "$name: sites" sh -c "echo '$(kinds split/btf.inline -b "$2")' | grep -q LOCSEC"
	expect "$name: OUT is right" checked 1 -b "$2" split/btf
	expect "$name: OUT.inline is right" checked 1 -b "$2" split/btf.inline
	expect "$name: OUT.extra is right" checked 1 -b "$2" -b split/btf split/btf.extra
	expect "$name: the same bytes at -j3" encodes_alike module.o $both 3 -b "$2"
	cp module.o stored.o
	in_place "$1" split stored.o 3 $both -b "$2"
}

encode alone $both module.o
expect "a module by itself" checked 1 alone/btf
expect "a module by itself: OUT.extra" checked 1 -b alone/btf alone/btf.extra
module "a module" default/btf
pahole_encodes combined "$image" --btf_features=+inline
module "on a base with inline sites" combined/btf

expect "distilled: encoded" encode split $both,+distilled_base -b default/btf module.o
expect "distilled: OUT.base is right" checked 1 split/btf.base
expect "distilled: OUT is right" checked 1 -b split/btf.base split/btf
expect "distilled: OUT.extra is right" \
	checked 1 -b split/btf.base -b split/btf split/btf.extra
cp module.o stored.o
"$BTFENC" encode --features $both,+distilled_base -b default/btf stored.o
expect "distilled, in place: what -o writes" sections_are split stored.o
expect "distilled, in place: check" "$BTFENC" check stored.o
"$BTFENC" encode -b default/btf stored.o
expect "neither of both stays" test "$(sections stored.o)" = " .BTF"

# ---- pahole's dialect ----

# The kernel's build takes inline sites out.
expect "pahole: inline" pahole_encodes out "$image" --btf_features=+inline
expect "pahole: inline: nothing is next to OUT" test "$(echo out/*)" = out/btf
expect "pahole: inline: there are sites" sh -c "echo '$(kinds out/btf)' | grep -q LOCSEC"
cp "$image" stored && "$pahole" -J --btf_features=+inline stored
expect "pahole: inline, in place, too" sections_are out stored
for name in '' =inline; do
	encode wanted "func_secinfo$name" "$image"
	expect "pahole: func_secinfo$name" \
		pahole_encodes out "$image" --btf_features=encode_force,func_secinfo$name
	expect "pahole: func_secinfo$name: what encode writes" diff -r wanted out
done
expect "pahole: --btf_features_strict" \
	pahole_encodes out "$image" --btf_features_strict=inline,func_secinfo=inline
expect "pahole: all" pahole_encodes out "$image" --btf_features=all
expect "pahole: all does not mean them" diff -r all out
