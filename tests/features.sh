#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Which list of features is the same as which other; on every fixture those that are off by default,
# global_var and attributes.
. tests/lib.sh
. tests/lib_btf.sh

# See tests/fixtures.sh.
known_c_errors="'blob' defined as wrong kind of tag"

image=$FIXTURES/gcc12-dwarf5/vmlinux
btf=$work/btf

# encode NAME FEATURES IMAGE BTF
encode()
{
	expect "$1: encode --features $2" "$BTFENC" encode -j1 --features "$2" -o "$4" "$3"
}

# lists_are_alike LIST OTHER: OUT, and what is next to it.
lists_are_alike()
{
	rm -rf "$work/list" "$work/other"
	mkdir "$work/list" "$work/other"
	"$BTFENC" encode --features="$1" -o "$work/list/btf" "$image" &&
		"$BTFENC" encode --features="$2" -o "$work/other/btf" "$image" &&
		diff -r "$work/list" "$work/other"
}

while read -r list other; do
	expect "features: $list is $other" lists_are_alike "$list" "$other"
done <<'EOT'
-all						reproducible_build
all,-all,+var					var
+layout,-default				layout
all,-default,-all				reproducible_build
+global_var,-var				+global_var
default,attributes,global_var			default,global_var,attributes
+inline,-inline					default
+func_secinfo,-func_secinfo			default
+func_secinfo=inline,-func_secinfo		default
+func_secinfo=inline,-func_secinfo=inline	default
+func_secinfo=inline,-func_secinfo,+func_secinfo	+func_secinfo
+func_secinfo,+func_secinfo=inline		+func_secinfo=inline
+func_secinfo=inline,-inline			+func_secinfo=inline
+func_secinfo=inline,+inline			+inline,+func_secinfo=inline
+inline,+func_secinfo,all			all,+inline,+func_secinfo
+inline,+func_secinfo,-all,default		default,+inline,+func_secinfo
EOT

for image in "$FIXTURES"/*/vmlinux; do
	variant=${image%/vmlinux}
	variant=${variant##*/}
	encode "$variant" default,global_var,attributes "$image" "$btf"
	expect "$variant: the same bytes at -j3" \
		encodes_alike "$image" default,global_var,attributes 3
	check_btf "$variant" "$image" "$btf"
	"$BTFENC" dump "$btf" >"$work/dump"
	for pattern in "'jiffies' .*linkage=global" "'hits' .*linkage=static" "'config_table'" \
		"'config_names'" "'cpu_number'" "'first_name'"; do
		expect "$variant: VAR $pattern" grep -q "VAR $pattern" "$work/dump"
	done
	expect "$variant: and no others" lacks_line \
		"VAR '\(empty_variable\|missing_symbol\|primes\|calls\)'" "$work/dump"
	expect "$variant: one of two definitions at one address" \
		test "$(grep -c "VAR 'config_fallback' " "$work/dump")" = 1
done

image=$FIXTURES/gcc12-dwarf5/vmlinux

# datasecs BTF: their names on one line.
datasecs()
{
	"$BTFENC" dump "$1" >"$work/dump" || echo "no dump of $1"
	awk '$2 == "DATASEC" { printf "%s ", $3 } END { if (!NR) print "no dump" }' "$work/dump"
}

while read -r features names; do
	encode "variables" "$features" "$image" "$btf"
	expect "$features: DATASECs: $names" test "$(datasecs "$btf")" = "${names:+$names }"
done <<'EOT'
+global_var	'.bss' '.data' '.data..percpu' '.init.data' '.rodata'
default		'.data..percpu'
-var
EOT

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
