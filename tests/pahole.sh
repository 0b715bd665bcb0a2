#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# The types of every fixture against those of pahole 1.24: as many of each kind, with the same
# names. What differs has to be in the table below, and what is in the table has to differ.
# FUNCs are another matter (docs/functions.md, tests/truth), and so are FUNC_PROTOs, which come and
# go with them.
# (Which members the types have is not compared here.)
. tests/lib.sh
. tests/lib_btf.sh

# Variants (a pattern) | +ours or -theirs, as type_differences() prints it | why
known()
{
	cat <<'EOT'
# struct route is defined in two units and only declared in a third, so it is opaque in their common
# containers: a FWD. libbpf's dedup takes the declaration for the definition that it met first, and
# has the containers twice.
*|+1 FWD route|opaque (forward.h)
*|-1 STRUCT route_entry|leads to the opaque struct route
*|-1 STRUCT route_table|leads to the opaque struct route
# pahole before 1.32 flattens arrays of arrays: four inner arrays are missing. It has one more, of
# pointers to route_entry.
*|+3 ARRAY|inner arrays
# kfunc sets: pahole 1.24 does not look at .BTF_ids.
*|+6 DECL_TAG bpf_kfunc|kfuncs.c
*|+1 DECL_TAG bpf_fastcall|kfuncs.c
# pahole 1.24 gives up on per-CPU variables at the first that is called NAME.lto_priv.N.
gcc12-lto|+1 DATASEC .data..percpu|pahole gave up
gcc12-lto|+1 VAR cpu_lists|pahole gave up
gcc12-lto|+1 VAR cpu_number|pahole gave up
gcc12-lto|+1 VAR cpu_samples|pahole gave up
gcc12-lto|+1 VAR cpu_stats|pahole gave up
gcc12-lto|+1 VAR cpu_stats_aligned|pahole gave up
gcc12-lto|+1 VAR cpu_stats_pointer|pahole gave up
gcc12-lto|+2 VAR cpu_private|pahole gave up
gcc12-lto|+1 VAR runqueue|pahole gave up
# DWARF 2 does not say whether an enumeration is signed; one of its values is negative.
gcc12-dwarf2|+1 ENUM64 wide_signed SIGNED|by its values
gcc12-dwarf2|-1 ENUM64 wide_signed|pahole says unsigned
# clang describes the operands of DW_OP_convert by base types that no declaration uses.
clang*-dwarf5|-1 INT DW_ATE_unsigned_1|only in location expressions
clang*-dwarf5|-1 INT DW_ATE_unsigned_16|only in location expressions
clang*-dwarf5|-1 INT DW_ATE_unsigned_32|only in location expressions
clang*-dwarf5|-1 INT DW_ATE_unsigned_64|only in location expressions
clang*-dwarf5|-1 INT DW_ATE_unsigned_8|only in location expressions
clang*-dwarf5|-1 INT __SANITIZED_FAKE_INT__|what pahole makes of the sizes that C has no name for
clang*-[flopt]*|-1 INT DW_ATE_unsigned_1|only in location expressions
clang*-[flopt]*|-1 INT DW_ATE_unsigned_16|only in location expressions
clang*-[flopt]*|-1 INT DW_ATE_unsigned_32|only in location expressions
clang*-[flopt]*|-1 INT DW_ATE_unsigned_64|only in location expressions
clang*-[flopt]*|-1 INT DW_ATE_unsigned_8|only in location expressions
clang*-[flopt]*|-1 INT __SANITIZED_FAKE_INT__|what pahole makes of the sizes that C has no name for
EOT
}

# LLVM's LTO renames static variables to NAME.NUMBER; pahole takes that name, we take DWARF's.
comparable()
{
	sed '/^FUNC_PROTO$/d; /^FUNC /d; s/^\(VAR .*\)\.[0-9]*$/\1/' | sort
}

# Variants that pahole 1.24 cannot encode.
refused()
{
	case $1 in
	*-without-kind) echo "it does not know DW_TAG_atomic_type" ;;
	*-type-units) echo "it does not read type units of DWARF 5" ;;
	esac
}

if ! have pahole "pahole: all fixtures" || ! have bpftool "pahole: all fixtures"; then
	exit 0
fi
version=$(pahole --version)
if [ "$version" != v1.24 ]; then
	skip "pahole: all fixtures" "the table is for v1.24, not $version"
	exit 0
fi

for image in "$FIXTURES"/*/vmlinux; do
	variant=${image%/vmlinux}
	variant=${variant##*/}
	name="pahole: $variant: the same types"
	reason=$(refused "$variant")
	if [ -n "$reason" ]; then
		skip "$name" "pahole 1.24 cannot encode it: $reason"
		continue
	fi
	if ! pahole -J --btf_gen_floats --btf_encode_detached="$work/theirs.btf" "$image" \
		>"$work/pahole.log" 2>&1 ||
	   ! bpftool btf dump file "$work/theirs.btf" >"$work/theirs.dump" 2>>"$work/pahole.log"; then
		not_ok "$name" "$work/pahole.log"
		continue
	fi
	type_lines <"$work/theirs.dump" | comparable >"$work/theirs"
	"$BTFENC" encode -o "$work/ours.btf" "$image"
	"$BTFENC" dump "$work/ours.btf" | type_lines | comparable >"$work/ours"
	type_differences "$work/theirs" "$work/ours" >"$work/found"
	known | grep -v '^#' | while IFS='|' read -r pattern difference _; do
		# shellcheck disable=SC2254 # it is a pattern
		case $variant in
		$pattern) echo "$difference" ;;
		esac
	done | sort >"$work/expected"
	expect "$name" diff "$work/expected" "$work/found"
done
