#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# The command lines by which the scripts of kernels call pahole 1.32, and its options that concern
# encoding: btfenc, under pahole's name, accepts each without a word, writes to the place it names,
# and encodes the kinds of types that the options ask for. pahole 1.32 runs next to it, where it can
# be had: the same places, the same kinds, the same types by name. (What pahole ignores because its
# libbpf is older, it does not list as a feature, and it is not compared. FUNCs have docs/functions.md.)
#
#	PAHOLE		the peer, of 1.32; without it sid's is fetched
. tests/lib.sh
. tests/lib_btf.sh

fixture=$FIXTURES/clang22-dwarf5
if ! [ -s "$fixture/vmlinux" ]; then
	skip "kernel flags" "$(not_built clang22-dwarf5)"
	exit 0
fi
if ! have bpftool "kernel flags" || ! have ld "kernel flags"; then
	exit 0
fi
ours=${BTFENC%/*}/pahole
theirs=${PAHOLE-}
[ -n "$theirs" ] || theirs=$(sh vmlinux-fixtures/fetch-tool.sh sid pahole /usr/bin/pahole 2>"$work/log")
if [ "$("${theirs:-false}" --version 2>/dev/null)" != v1.32 ]; then
	skip "kernel flags: pahole 1.32 next to it" "it cannot be had: $(tail -n 1 "$work/log")"
	theirs=
fi

cd "$work" || exit 1
# Without the sources of merged-arrays, merged-forward and variable-defined-twice (docs/parity.md),
# where pahole's differ.
objects=$(find "$fixture" -name '*.c.o' ! -name 'samename_b.*' ! -name 'forward_user.*' \
	! -name 'globals_weak.*' | sort)
# shellcheck disable=SC2086 # a list of files
ld -r -o module $objects || exit 1
"$BTFENC" encode -o vmlinux "$fixture/scalars.c.o" || exit 1

# kernel | vmlinux or module | in place, or detached as by gen-btf.sh | options | what is encoded,
# as contents() prints it
#
# 5.10 has no BTF of modules; 5.15: scripts/link-vmlinux.sh and Makefile.modfinal; 5.16 to 6.9: scripts/pahole-flags.sh; from
# 6.10 on: scripts/Makefile.btf. 6.19 and later call scripts/gen-btf.sh. "-j" is what "-j$(JOBS)" is
# without a number of jobs. Debian's kernels add -j again (reproducible builds). The layout is in the
# base of a module alone: its readers take it from there.
list=encode_force,var,float,enum64,decl_tag,type_tag,optimized_func,consistent_func
table()
{
	cat <<EOF
5.10.y|vmlinux|place|--skip_encoding_btf_enum64|VAR TYPE_TAG DECL_TAG
5.15|vmlinux|place|--btf_gen_floats|VAR FLOAT ENUM64 TYPE_TAG DECL_TAG
5.15|module|place||VAR ENUM64 TYPE_TAG DECL_TAG
5.15.y|vmlinux|place|--btf_gen_floats --skip_encoding_btf_enum64|VAR FLOAT TYPE_TAG DECL_TAG
5.15.y|module|place|--btf_gen_floats --skip_encoding_btf_enum64|VAR FLOAT TYPE_TAG DECL_TAG
5.19|vmlinux|place|--btf_gen_floats -j|VAR FLOAT ENUM64 TYPE_TAG DECL_TAG
5.19|module|place|--btf_gen_floats -j|VAR FLOAT ENUM64 TYPE_TAG DECL_TAG
5.19.y|vmlinux|place|--btf_gen_floats -j --skip_encoding_btf_enum64|VAR FLOAT TYPE_TAG DECL_TAG
6.1|vmlinux|place|--btf_gen_floats -j --lang_exclude=rust --skip_encoding_btf_inconsistent_proto --btf_gen_optimized|VAR FLOAT ENUM64 TYPE_TAG DECL_TAG
6.1|module|place|--btf_gen_floats -j --lang_exclude=rust --skip_encoding_btf_inconsistent_proto --btf_gen_optimized|VAR FLOAT ENUM64 TYPE_TAG DECL_TAG
6.6|vmlinux|place|--btf_gen_floats -j --lang_exclude=rust --skip_encoding_btf_inconsistent_proto --btf_gen_optimized|VAR FLOAT ENUM64 TYPE_TAG DECL_TAG
6.8|vmlinux|place|-j --lang_exclude=rust --btf_features=$list|VAR FLOAT ENUM64 TYPE_TAG DECL_TAG
6.8|module|place|-j --lang_exclude=rust --btf_features=$list|VAR FLOAT ENUM64 TYPE_TAG DECL_TAG
6.10|vmlinux|place|-j --btf_features=$list --lang_exclude=rust|VAR FLOAT ENUM64 TYPE_TAG DECL_TAG
6.12|vmlinux|place|-j --btf_features=$list,decl_tag_kfuncs --lang_exclude=rust|VAR FLOAT ENUM64 TYPE_TAG kfunc DECL_TAG
6.12|module|place|-j --btf_features=$list,decl_tag_kfuncs --lang_exclude=rust|VAR FLOAT ENUM64 TYPE_TAG kfunc DECL_TAG
6.12, outside|module|place|-j --btf_features=$list,decl_tag_kfuncs --lang_exclude=rust --btf_features=distilled_base|VAR FLOAT ENUM64 TYPE_TAG kfunc DECL_TAG base
6.12, reproducible|vmlinux|place|-j --btf_features=$list,decl_tag_kfuncs -j --btf_features=+reproducible_build --lang_exclude=rust|VAR FLOAT ENUM64 TYPE_TAG kfunc DECL_TAG
6.15|vmlinux|place|-j --btf_features=$list,decl_tag_kfuncs --btf_features=attributes --lang_exclude=rust|VAR FLOAT ENUM64 TYPE_TAG kfunc DECL_TAG attributes
6.15|module|place|-j2 --btf_features=$list,decl_tag_kfuncs --btf_features=attributes --lang_exclude=rust|VAR FLOAT ENUM64 TYPE_TAG kfunc DECL_TAG attributes
6.15, outside|module|place|-j2 --btf_features=$list,decl_tag_kfuncs --btf_features=attributes --lang_exclude=rust --btf_features=distilled_base|VAR FLOAT ENUM64 TYPE_TAG kfunc DECL_TAG attributes base
6.19|vmlinux|detached|-j2 --btf_features=$list,decl_tag_kfuncs --btf_features=attributes --lang_exclude=rust|VAR FLOAT ENUM64 TYPE_TAG kfunc DECL_TAG attributes
6.19|module|detached|-j2 --btf_features=$list,decl_tag_kfuncs --btf_features=attributes --lang_exclude=rust|VAR FLOAT ENUM64 TYPE_TAG kfunc DECL_TAG attributes
7.2|vmlinux|detached|-j2 --btf_features=$list,decl_tag_kfuncs --btf_features=attributes --btf_features=layout -j2 --lang_exclude=rust|VAR FLOAT ENUM64 TYPE_TAG kfunc DECL_TAG attributes layout
7.2|module|detached|-j --btf_features=$list,decl_tag_kfuncs --btf_features=attributes --btf_features=layout -j --lang_exclude=rust|VAR FLOAT ENUM64 TYPE_TAG kfunc DECL_TAG attributes
7.2, reproducible|vmlinux|detached|-j2 --btf_features=$list,decl_tag_kfuncs --btf_features=attributes --btf_features=layout -j2 --btf_features=+reproducible_build --lang_exclude=rust|VAR FLOAT ENUM64 TYPE_TAG kfunc DECL_TAG attributes layout
7.3|vmlinux|detached|-j2 --btf_features=$list --btf_features=layout -j2 --lang_exclude=rust|VAR FLOAT ENUM64 TYPE_TAG DECL_TAG layout
7.3|module|detached|-j2 --btf_features=$list --btf_features=layout -j2 --lang_exclude=rust|VAR FLOAT ENUM64 TYPE_TAG DECL_TAG
bpf-next|vmlinux|detached|-j2 --btf_features=$list --btf_features=layout --lang_exclude=rust|VAR FLOAT ENUM64 TYPE_TAG DECL_TAG layout
bpf-next|module|detached|-j2 --btf_features=$list --btf_features=layout --lang_exclude=rust|VAR FLOAT ENUM64 TYPE_TAG DECL_TAG
option|vmlinux|detached|--btf_gen_all|VAR FLOAT ENUM64 TYPE_TAG kfunc DECL_TAG attributes layout global
option|vmlinux|detached|--btf_features=all|VAR FLOAT ENUM64 TYPE_TAG kfunc DECL_TAG attributes layout global
option|vmlinux|detached|--features=float --features=nope|FLOAT
option|vmlinux|detached|--features=+attributes|VAR FLOAT ENUM64 TYPE_TAG kfunc DECL_TAG attributes
option|vmlinux|detached|--btf_features=force_cu_merging|
option|vmlinux|detached|--btf_features=|
option|vmlinux|detached|--btf_features=float|FLOAT
option|vmlinux|detached|--btf_features=,var,,float,|VAR FLOAT
option|vmlinux|detached|--btf_features=var --btf_features=float|VAR FLOAT
option|vmlinux|detached|--btf_features=nope,var,float,Enum64|VAR FLOAT
option|vmlinux|detached|--btf_features=default|VAR FLOAT ENUM64 TYPE_TAG kfunc DECL_TAG
option|vmlinux|detached|--btf_features=+global_var|VAR FLOAT ENUM64 TYPE_TAG kfunc DECL_TAG global
option|vmlinux|detached|--btf_features=encode_force,var,float --btf_features=enum64,decl_tag,type_tag --btf_features=optimized_func,decl_tag_kfuncs|VAR FLOAT ENUM64 TYPE_TAG kfunc DECL_TAG
option|vmlinux|detached|--btf_features_strict=var,float|VAR FLOAT
option|vmlinux|detached|--btf_features_strict=var --btf_features=nope,float|VAR FLOAT
option|vmlinux|detached|--btf_features=default --skip_encoding_btf_vars|FLOAT ENUM64 TYPE_TAG kfunc DECL_TAG
option|vmlinux|detached|--skip_encoding_btf_vars --btf_features=default|VAR FLOAT ENUM64 TYPE_TAG kfunc DECL_TAG
option|vmlinux|detached|--btf_gen_floats --btf_features=var|VAR
option|vmlinux|detached|--skip_encoding_btf_vars|ENUM64 TYPE_TAG DECL_TAG
option|vmlinux|detached|--skip_encoding_btf_decl_tag|VAR ENUM64 TYPE_TAG
option|vmlinux|detached|--skip_encoding_btf_type_tag|VAR ENUM64 DECL_TAG
option|vmlinux|detached|--skip_encoding_btf_enum64|VAR TYPE_TAG DECL_TAG
option|vmlinux|detached|--btf_features_strict=default,force_cu_merging|VAR FLOAT ENUM64 TYPE_TAG kfunc DECL_TAG
option|vmlinux|place|--skip_emitting_atomic_typedefs|VAR ENUM64 TYPE_TAG DECL_TAG
option|vmlinux|place|--hashbits=15|VAR ENUM64 TYPE_TAG DECL_TAG
option|vmlinux|place|--kabi_prefix=bus_|VAR ENUM64 TYPE_TAG DECL_TAG
option|vmlinux|place|--btf_encode_force --reproducible_build|VAR ENUM64 TYPE_TAG DECL_TAG
option|vmlinux|place|--skip_encoding_btf_vars --skip_encoding_btf_decl_tag --skip_encoding_btf_type_tag|ENUM64
option|vmlinux|place|-F dwarf --lang_exclude=rust,c++|VAR ENUM64 TYPE_TAG DECL_TAG
EOF
}

# bytes FILE OFFSET: the 32-bit number there
number()
{
	od -An -tu4 -j "$2" -N 4 "$1" | tr -d ' '
}

# contents BTF: what the options decide about, in the table's words; BTF.types are its lines of types
contents()
{
	set -- "$1"
	if [ "$place" = module ]; then
		set -- "$1" -b "$([ -s "$1.base" ] && echo "$1.base" || echo vmlinux)"
	fi
	"$BTFENC" dump "$@" >types 2>log || cat log
	type_lines <types >"$1.types"
	found=
	for kind in VAR FLOAT ENUM64 TYPE_TAG; do
		grep -q "^$kind\( \|\$\)" "$1.types" && found="$found$kind "
	done
	grep -q "DECL_TAG 'bpf_kfunc'" types && found="${found}kfunc "
	grep 'DECL_TAG' types | grep -qv "'bpf_" && found="${found}DECL_TAG "
	# TYPE_TAG with kind_flag, by its info word
	od -An -v -w4 -tx4 "$1" | grep -q ' 92000000$' && found="${found}attributes "
	[ "$(number "$1" 4)" = 24 ] || found="${found}layout "
	grep -q "VAR 'config_table'" types && found="${found}global "
	[ ! -s "$1.base" ] || found="${found}base "
	echo "${found% }"
}

# run PROGRAM OUT: encodes `image` as the kernel of the row does; OUT becomes raw BTF
run()
{
	program=$1 out=$2
	rm -f "$out" "$out".*
	cp module image
	# shellcheck disable=SC2086 # they are several words
	set -- -J $options ${base:+--btf_base "$base"}
	if [ "$mode" = detached ]; then
		"$program" "$@" --btf_encode_detached="$out" image >run.log 2>&1 &&
			[ ! -s run.log ] && cmp image module >run.log
		return
	fi
	LLVM_OBJCOPY=objcopy "$program" "$@" image >run.log 2>&1 && [ ! -s run.log ] &&
		objcopy --dump-section .BTF="$out" image scratch 2>run.log || return
	objcopy --dump-section .BTF.base="$out.base" image scratch 2>/dev/null || rm -f "$out.base"
}

# Lines of types without FUNCs, their prototypes and their tags, which are another matter, and
# without the operands of clang's DW_OP_convert, which no declaration uses.
comparable()
{
	grep -vE '^(FUNC|FUNC_PROTO|DECL_TAG bpf_.*|INT (DW_ATE_.*|__SANITIZED_FAKE_INT__))$|^FUNC ' \
		"$1.types"
}

# same_meaning NAME: of btfenc's and of pahole's
same_meaning()
{
	run "$theirs" theirs || { cat run.log; return 1; }
	wanted=$(contents theirs)
	# Built with a libbpf that has no layout.
	case ",$their_features," in
	*,layout,*) ;;
	*) expected=$(echo "$expected" | sed 's/ *layout//') ;;
	esac
	echo "pahole: $wanted"
	[ "$wanted" = "$expected" ] || return
	# pahole repeats some of the base's types in a module.
	[ "$place" = vmlinux ] || return 0
	comparable theirs >theirs.lines
	comparable ours >ours.lines
	type_differences theirs.lines ours.lines | tee different
	[ ! -s different ]
}

[ -z "$theirs" ] || their_features=$("$theirs" --supported_btf_features)
table | while IFS='|' read -r kernel place mode options expected; do
	name="kernel flags: $kernel, $place: $options"
	case $place in
	vmlinux) base= ;;
	module) base=vmlinux ;;
	esac
	if ! run "$ours" ours; then
		not_ok "$name" run.log
		continue
	fi
	found=$(contents ours)
	echo "there are: $found" >log
	[ "$found" = "$expected" ]
	outcome $? "$name: $expected" log
	[ -z "$theirs" ] || expect "$name: the same as pahole 1.32" same_meaning
done

# ---- --kabi_prefix ----

# A kernel that keeps its ABI hides members: the counter in the name differs from unit to unit, and
# with it the type. hidden1 and hidden2 differ in nothing else.
kabi()
{
	cat <<EOF
struct device {
	union {
		long replacement;
		int __UNIQUE_ID_hide$1;
	};
	int __UNIQUE_ID_hide2$1;
	int plain;
};
struct __UNIQUE_ID_hide_first { int x; };
struct __UNIQUE_ID_hide_second { long x, y; };
struct device device$1;
struct __UNIQUE_ID_hide_first first$1;
struct __UNIQUE_ID_hide_second second$1;
int use$1(struct device *it)
{
	return it->plain;
}
EOF
}

have "${CC:-cc}" "kernel flags: --kabi_prefix" || exit 0
kabi 1 >hidden1.c
kabi 2 >hidden2.c
"${CC:-cc}" -g -O2 -c hidden1.c && "${CC:-cc}" -g -O2 -c hidden2.c &&
	ld -e 0 -o module hidden1.o hidden2.o || exit 1
mode=detached place=vmlinux base=

# devices OPTION...: how many structs of that name, and members with the prefix and with a counter
devices()
{
	options=$*
	if ! run "$program" out; then
		cat run.log
		return
	fi
	contents out >/dev/null
	cp out.types "$program_name.types"
	echo "$(grep -cx 'STRUCT device' out.types) structs, $(grep -c "'__UNIQUE_ID_hide'" types)" \
		"without a counter, $(grep -c "'__UNIQUE_ID_hide2*[12]'" types) with it"
}

for program_name in ours theirs; do
	case $program_name in
	ours) program=$ours ;;
	theirs) program=$theirs ;;
	esac
	[ -n "$program" ] || continue
	for jobs in -j1 -j2; do
		name="kernel flags: --kabi_prefix, $program_name, $jobs"
		expect "$name: off" test "$(devices $jobs)" = \
			"2 structs, 0 without a counter, 4 with it"
		# The two hidden structs, and two members.
		expect "$name" test "$(devices $jobs --kabi_prefix=__UNIQUE_ID_hide)" = \
			"1 structs, 4 without a counter, 0 with it"
	done
done
if [ -n "$theirs" ]; then
	grep -v '^FUNC' theirs.types >theirs.lines
	grep -v '^FUNC' ours.types >ours.lines
	expect "kernel flags: --kabi_prefix: the same types as pahole 1.32" \
		diff theirs.lines ours.lines
fi
rm -f out
exit_status=0
"$ours" -J --kabi_prefix= --btf_encode_detached=out module 2>run.log || exit_status=$?
expect "kernel flags: an empty --kabi_prefix is refused" test $exit_status = 2 -a ! -e out
