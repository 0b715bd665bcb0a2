#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# The features that are off by default, on every fixture: global_var and attributes.
. tests/lib.sh
. tests/lib_btf.sh

# See tests/fixtures.sh.
known_c_errors="'blob' defined as wrong kind of tag"

# encode NAME FEATURES IMAGE BTF
encode()
{
	expect "$1: encode --features $2" "$BTFENC" encode -j1 --features "$2" -o "$4" "$3"
}

# A set is switched as a whole, too.
image=$FIXTURES/gcc12-dwarf5/vmlinux
for pair in '-all=reproducible_build' 'all,-all,+var=var' '+layout,-default=layout' 'all,-default,-all=reproducible_build'; do
	list=${pair%=*} same=${pair##*=}
	"$BTFENC" encode --features="$list" -o "$work/a" "$image" && "$BTFENC" encode --features="$same" -o "$work/b" "$image"
	expect "features: $list is $same" cmp "$work/a" "$work/b"
	rm -f "$work"/a* "$work"/b*
done

# dump_has NAME BTF PATTERN...
# dump_lacks NAME BTF PATTERN...
dump_has()
{
	has_name=$1
	"$BTFENC" dump "$2" >"$work/dump"
	shift 2
	for pattern in "$@"; do
		expect "$has_name: $pattern" grep -q "$pattern" "$work/dump"
	done
}

dump_lacks()
{
	lacks_name=$1
	"$BTFENC" dump "$2" >"$work/dump"
	shift 2
	for pattern in "$@"; do
		expect "$lacks_name: no $pattern" lacks_line "$pattern" "$work/dump"
	done
}

# sections BTF: the names of its DATASECs on one line.
sections()
{
	"$BTFENC" dump "$1" >"$work/sections.dump" &&
		awk '$2 == "DATASEC" { printf "%s ", $3 } END { if (!NR) print "no dump" }' \
			"$work/sections.dump" || echo "no dump of $1"
}

for image in "$FIXTURES"/*/vmlinux; do
	variant=${image%/vmlinux}
	variant=${variant##*/}
	btf=$work/$variant.btf
	encode "$variant" default,global_var,attributes "$image" "$btf"
	"$BTFENC" encode -j3 --features default,attributes,global_var -o "$work/again" "$image"
	expect "$variant: the same bytes at -j3" cmp "$btf" "$work/again"
	check_btf "$variant" "$image" "$btf"
	dump_has "$variant" "$btf" \
		"VAR 'jiffies' .*linkage=global" "VAR 'hits' .*linkage=static" \
		"VAR 'config_table'" "VAR 'config_names'" "VAR 'cpu_number'" "VAR 'first_name'"
	dump_lacks "$variant" "$btf" "VAR 'empty_variable'" "VAR 'missing_symbol'" \
		"VAR 'primes'" "VAR 'calls'"
	expect "$variant: one of two definitions at one address" \
		test "$(grep -c "VAR 'config_fallback' " "$work/dump")" = 1
done

image=$FIXTURES/gcc12-dwarf5/vmlinux
btf=$work/btf

encode "all sections" +global_var "$image" "$btf"
expect "a DATASEC for each section with variables" test "$(sections "$btf")" = \
	"'.bss' '.data' '.data..percpu' '.init.data' '.rodata' "
encode "per-CPU among them" +global_var,-var "$image" "$work/without"
expect "global_var includes the per-CPU section" cmp "$btf" "$work/without"
encode "default" default "$image" "$btf"
expect "by default only per-CPU variables" test "$(sections "$btf")" = "'.data..percpu' "
encode "neither" -var "$image" "$btf"
expect "neither var nor global_var: none" test "$(sections "$btf")" = ""

# pointers BTF FUNCTION: what its result and parameters are, up to what a tag or PTR leads to.
pointers()
{
	"$BTFENC" dump "$1" | awk -v wanted="'$2'" '
		/^\[/ {
			id = substr($1, 2, length($1) - 2)
			kind[id] = $2
			name[id] = $3
			match($0, /type_id=[0-9]+/)
			to[id] = substr($0, RSTART + 8, RLENGTH - 8)
			if ($2 == "FUNC" && $3 == wanted)
				proto = to[id]
		}
		/^\t/ { parameter[id, ++count[id]] = substr($2, 9) }
		function text(id) {
			if (kind[id] == "PTR")
				return "*" text(to[id])
			if (kind[id] == "TYPE_TAG")
				return name[id] " " text(to[id])
			return id + 0 ? kind[id] : "void"
		}
		END {
			printf "%s", text(to[proto])
			for (i = 1; i <= count[proto]; i++)
				printf ", %s", text(parameter[proto, i])
		}
	'
}

# attribute_count BTF: TYPE_TAGs with kind_flag, which the dump does not show; by their info words.
attribute_count()
{
	od -An -v -w4 -tx4 "$1" | grep -c ' 92000000$'
}

arena="*'address_space(1)' void"
encode attributes +attributes "$image" "$btf"
expect "attributes have kind_flag" test "$(attribute_count "$btf")" = 2
expect "KF_ARENA_RET and KF_ARENA_ARG2" \
	test "$(pointers "$btf" bpf_fixture_arena_alloc)" = "$arena, *void, $arena, TYPEDEF"
expect "KF_ARENA_ARG1" test "$(pointers "$btf" bpf_fixture_arena_free)" = \
	"void, *'address_space(1)' STRUCT, TYPEDEF"
encode "attributes without kfunc tags" +attributes,-decl_tag_kfuncs "$image" "$btf"
expect "attributes come with decl_tag_kfuncs only" \
	test "$(pointers "$btf" bpf_fixture_arena_alloc)" = "*void, *void, *void, TYPEDEF"
encode "no attributes" default "$image" "$btf"
expect "nothing else has kind_flag" test "$(attribute_count "$btf")" = 0
expect "no attributes by default" \
	test "$(pointers "$btf" bpf_fixture_arena_alloc)" = "*void, *void, *void, TYPEDEF"

# clang writes the tags in the order of the source; the one at the star comes first in BTF.
image=$FIXTURES/clang22-dwarf5/vmlinux
if [ -s "$image" ]; then
	encode "tags and attributes" +attributes "$image" "$btf"
	expect "an attribute comes before a tag" \
		test "$(pointers "$btf" bpf_fixture_arena_free)" = \
		"void, *'address_space(1)' 'rcu' STRUCT, TYPEDEF"
	expect "tags of results and parameters" test "$(pointers "$btf" tagged_result)" = \
		"*'rcu' void, *'rcu' CONST, *'percpu' *'user' TYPEDEF"
else
	skip "tags and attributes" "$(not_built clang22-dwarf5)"
fi
