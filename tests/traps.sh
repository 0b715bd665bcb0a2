#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Cases that have misled readers of DWARF, as a table: functions of vmlinux-fixtures/trap_*.c that
# differ in one point, so that one gets its FUNC and the other must not. Each source says what the
# compilers make of its functions; the verdicts here follow from that, not from the program.
# usage: traps.sh [VARIANT]...
. tests/lib.sh

# shellcheck disable=SC2046 # the names of variants have no blanks
[ $# -gt 0 ] || set -- $(ls "$FIXTURES")

# kind VARIANT: which rows of the tables are for it.
kind()
{
	case $1 in
	gcc12-dwarf[23]) echo gcc-strict ;;	# no call sites, no DW_OP_GNU_parameter_ref
	gcc12-i386 | gcc12-s390x* | gcc12-riscv64* | gcc12-ppc64le*) echo foreign ;;
	clang*-thumb) echo foreign-clang ;;
	gcc*-lto) echo gcc-lto ;;
	gcc*) echo gcc ;;
	clang*-lto) echo clang-lto ;;
	clang*-o3) echo clang-o3 ;;
	clang*) echo clang ;;
	esac
}

changed='reordered|param-[a-z]*|stack-layout|reg-mismatch|return-removed|signature-changed|clone'

# Kinds (patterns) : function : verdicts (a regular expression; `none`: it is not in the list;
# `changed`: any verdict that says that the signature is another).
verdicts()
{
	cat <<-'EOT'
	# 1. hot and cold parts
	*			: split_global			: ok
	*			: split_kept			: ok
	*			: split_all_cold		: ok
	gcc* foreign		: split_reduced			: changed
	clang			: split_reduced			: ok
	clang-o3 clang-lto	: split_reduced			: param-scalarized

	# 2. the stack
	gcc* clang*		: stack_all			: ok
	gcc gcc-lto clang*	: stack_drop_last		: param-removed
	gcc-strict foreign	: stack_drop_last		: changed
	gcc gcc-lto clang*	: stack_drop_first		: param-removed|stack-layout
	gcc-strict foreign	: stack_drop_first		: changed
	gcc gcc-lto clang*	: stack_move_up			: param-removed|stack-layout
	gcc-strict foreign	: stack_move_up			: changed
	gcc* foreign		: stack_global			: ok
	clang*			: stack_global			: param-unset|stack-layout
	*			: stack_global_apart		: ok
	gcc* foreign		: stack_beside_address		: ok
	clang*			: stack_beside_address		: param-unset|stack-layout
	# (LTO sees that no other one replaces it.)
	gcc gcc-strict foreign clang clang-o3	: stack_weak	: ok

	# 3. the entry
	*			: pad_all			: ok
	*			: pad_genuine			: ok
	gcc* foreign		: pad_impostor			: ok
	clang*			: pad_impostor			: param-unset

	# 4. parameters that are not read
	*			: unread_none			: ok
	gcc* foreign		: unread_here			: ok
	clang*			: unread_here			: param-unset
	gcc* foreign		: unread_first			: ok
	clang*			: unread_first			: param-unset
	gcc* foreign		: unread_elsewhere		: ok
	clang clang-o3		: unread_elsewhere		: ok
	clang-lto		: unread_elsewhere		: param-unset
	*			: unread_pointer_only		: ok
	*			: unread_global_pointer_only	: ok
	gcc* foreign		: unread_pointer_and_here	: ok
	clang*			: unread_pointer_and_here	: param-unset
	gcc* foreign		: unread_static_pointer_and_here	: ok
	clang*			: unread_static_pointer_and_here	: param-unset|param-removed
	*			: unread_static			: changed
	gcc* foreign		: unread_late			: ok
	clang clang-o3		: unread_late			: ok
	clang-lto		: unread_late			: param-unset
	gcc* foreign		: unread_distant		: ok
	clang clang-o3		: unread_distant		: param-unset
	gcc* foreign		: unread_left			: ok
	clang*			: unread_left			: param-unset

	# 5. structs, recursion, results
	gcc* clang*		: record_both			: ok
	gcc* clang*		: record_half			: changed
	gcc* clang*		: record_half_last		: changed
	gcc* clang*		: record_other_half		: changed
	*			: record_global_both		: ok
	gcc* foreign		: record_global_half		: ok
	clang*			: record_global_half		: param-unset
	gcc* foreign		: record_recursive		: changed
	clang*			: record_recursive		: ok
	*			: record_recursive_unread	: changed
	*			: record_recursive_kept		: ok
	gcc* foreign clang	: record_recursive_pointer	: ok
	clang-o3 clang-lto	: record_recursive_pointer	: param-scalarized
	*			: record_returned		: changed
	*			: record_returned_kept		: ok
	gcc*			: record_returned_unread	: changed
	clang*			: record_returned_unread	: ok
	gcc*			: record_returned_never		: ok
	clang*			: record_returned_never		: changed

	# 6. a big struct among other parameters; what moves up from the stack is above
	*			: record_beside_big		: changed
	*			: record_beside_big_kept	: ok
	*			: record_big_unread		: changed
	gcc* clang-o3 clang-lto	: record_big_member		: changed
	clang			: record_big_member		: ok
	gcc* foreign		: record_passed_on		: ok
	clang*			: record_passed_on		: param-unset|param-removed
	*			: record_passed_on_kept		: ok

	# 7. vector registers
	gcc* clang*		: float_between			: ok
	gcc* clang*		: float_beside_unused		: changed
	gcc* clang*		: float_unused			: changed
	gcc* foreign		: float_global_unused		: ok
	clang*			: float_global_unused		: param-unset

	# 8. DIEs that are not the function
	gcc* foreign		: pieces_outlined		: partial
	clang*			: pieces_outlined		: inlined-only
	*			: pieces_both			: ok
	*			: pieces_variadic		: ok
	*			: pieces_fixed			: ok
	*			: printk			: ok

	# 9. stored, not optimized out; several namesakes
	*			: pieces_stored			: ok
	*			: pieces_stored_static		: ok
	*			: pieces_stored_scalar		: ok
	*			: pieces_stored_beside		: changed
	# (That of the other file has a line of its own, with the second verdict.)
	*			: names_once			: ok inlined-only
	# (An LTO link renames one of two or both. A lookup finds the exact name only.)
	gcc gcc-strict foreign	: names_beside_copy		: ok (param-removed|clone)
	clang clang-o3		: names_beside_copy		: changed|ambiguous-address
	gcc-lto			: names_beside_copy		: renamed param-removed
	clang-lto		: names_beside_copy		: ok param-removed

	# 11. names
	gcc gcc-strict foreign* clang clang-o3	: names_twice	: ambiguous-address
	gcc-lto			: names_twice			: renamed
	clang-lto		: names_twice			: ok renamed
	*			: names_weak_strong		: ok
	*			: names_weak_alone		: ok
	*			: names_real			: ok
	*			: names_prefixed		: ok
	*			: names_init			: ok
	*			: names_init_kept		: ok
	*			: names_init_reduced		: changed
	# GCC's LTO makes a childless DIE with the prototype as origin for the call in main.c
	gcc* foreign		: asm_identity			: no-prototype
	gcc* foreign		: asm_local			: no-prototype

	# The functions of 10, without +true_signature
	*			: true_kept			: ok
	*			: true_not_void			: ok
	gcc* foreign		: true_member			: changed
	clang			: true_member			: ok
	clang-o3 clang-lto	: true_member			: param-scalarized
	gcc* foreign		: true_only_member		: changed
	clang			: true_only_member		: ok
	clang-o3 clang-lto	: true_only_member		: param-scalarized
	gcc* foreign		: true_two_members		: changed
	clang			: true_two_members		: ok
	clang-o3 clang-lto	: true_two_members		: param-scalarized
	*			: true_middle			: changed
	*			: true_trailing			: changed
	*			: true_constant			: changed
	*			: true_aggregate		: changed
	*			: true_aggregate_big		: changed
	*			: true_void			: changed
	*			: true_void_middle		: changed
	EOT
}

# With +true_signature: kinds : name : the FUNC (`none`, or a regular expression), as
# RESULT NAME(PARAMETER, ...) where the result is void or value and a pointer has a star.
signatures()
{
	cat <<-'EOT'
	* : true_kept : value true_kept(*item, limit)
	* : true_not_void : value true_not_void(a, b)
	gcc* : true_middle : value true_middle.constprop.0(a, c)
	gcc* : true_trailing : value true_trailing.constprop.0(a, b)
	gcc* : true_constant : value true_constant.constprop.0(a, c)
	gcc* : true_aggregate : value true_aggregate.constprop.0(a, c)
	gcc* : true_aggregate_big : value true_aggregate_big.constprop.0(a, c)
	gcc* : true_void : void true_void.isra.0(a, b)
	gcc* : true_void_middle : void true_void_middle.constprop.0.isra.0(a, c)
	# A function that clang changes may be left out: the name is that of the function
	clang* : true_middle : none|value true_middle(a, c)
	clang* : true_trailing : none|value true_trailing(a, b)
	clang* : true_constant : none|value true_constant(a, c)
	clang* : true_aggregate : none|value true_aggregate(a, c)
	clang* : true_aggregate_big : none|value true_aggregate_big(a, c)
	clang* : true_void : none|void true_void(a, b)
	clang* : true_void_middle : none|void true_void_middle(a, c)
	# The type of the member, not of the pointer
	gcc* : true_member : none|value true_member.isra.0(item, limit)
	gcc* : true_only_member : none|value true_only_member.isra.0(item)
	gcc* : true_two_members : none|value true_two_members.isra.0(first, between, second)
	gcc* : split_reduced : none|value split_reduced.isra.0(state, want)
	clang : true_member : value true_member(*item, limit)
	clang : true_only_member : value true_only_member(*item)
	clang : true_two_members : value true_two_members(*first, between, *second)
	clang-* : true_member : none|value true_member(item, limit)
	clang-* : true_only_member : none|value true_only_member(item)
	clang-* : true_two_members : none|value true_two_members(first, between, second)
	clang-* : record_recursive_pointer : none|value record_recursive_pointer(limit, depth)
	# A parameter that has moved up into the register of the one that is gone is read there
	clang* : unread_static : value unread_static(value, more)
	# Callers elsewhere pass all of it: no other signature is true
	clang* : unread_here : none
	clang* : pad_impostor : none
	clang* : record_global_half : none
	# No parameter of another type is left
	gcc* : record_big_member : none
	gcc* : pieces_outlined : none
	# (LTO gives namesakes names of their own, under which they can be promised.)
	gcc clang clang-o3 : names_twice : none
	* : pieces_variadic : value pieces_variadic(count, ...)
	* : printk : void printk(*fmt, ...)
	EOT
}

# The BTF's FUNCs, "NAME RESULT NAME(PARAMETERS)", the first NAME without suffixes.
list_funcs()
{
	"$BTFENC" dump "$1" | sed "s/'(anon)'/''/" | awk '
		function value(key, i) {
			for (i = 1; i <= NF; i++)
				if (index($i, key "=") == 1)
					return substr($i, length(key) + 2)
			return ""
		}
		/^\[/ {
			id = substr($1, 2) + 0
			kind[id] = $2
			name[id] = substr($3, 2, length($3) - 2)
			to[id] = $2 == "FUNC_PROTO" ? value("ret_type_id") : value("type_id")
			count[id] = 0
			if (id > last)
				last = id
			next
		}
		kind[id] == "FUNC_PROTO" {
			parameter[id, ++count[id]] = substr($1, 2, length($1) - 2)
			type[id, count[id]] = value("type_id")
		}
		function is_pointer(id) {
			while (kind[id] ~ /^(TYPEDEF|CONST|VOLATILE|RESTRICT|TYPE_TAG)$/)
				id = to[id]
			return kind[id] == "PTR"
		}
		END {
			for (id = 1; id <= last; id++) {
				if (kind[id] != "FUNC")
					continue
				base = name[id]
				sub(/\..*/, "", base)
				line = (to[to[id]] == 0 ? "void " : "value ") name[id] "("
				for (i = 1; i <= count[to[id]]; i++) {
					if (i > 1)
						line = line ", "
					if (type[to[id], i] == 0)
						line = line "..."
					else if (is_pointer(type[to[id], i]))
						line = line "*" parameter[to[id], i]
					else
						line = line parameter[to[id], i]
				}
				print base " " line ")"
			}
		}'
}

# In clang's Thumb code no call shows that an argument is set, and no instruction that it is read.
unseen='stack_global_apart unread_pointer_only unread_global_pointer_only record_recursive_kept
record_returned_kept record_beside_big_kept record_passed_on_kept pieces_stored pieces_stored_static'
unseen=$(echo "$unseen" | tr '\n' ' ')

# each TABLE KIND FILE: all rows of the table that are for the kind; what is wrong is printed. The verdicts of a
# name are all that the list FILE has; its signature is the one line of FILE that begins with the name.
each()
{
	"$1" | awk -F '[ \t]*:[ \t]*' -v table="$1" -v kind="$2" -v file="$3" -v changed="$changed" -v unseen=" $unseen " '
		BEGIN {
			while ((getline line < file) > 0) {
				split(line, field, table == "verdicts" ? "\t" : " ")
				value = field[5]
				if (table != "verdicts")
					value = substr(line, length(field[1]) + 2)
				count[field[1]]++
				got[field[1], count[field[1]]] = value
			}
		}
		/^#/ || /^$/ { next }
		{
			here = 0
			for (i = split($1, patterns, " "); i > 0; i--) {
				gsub(/\*/, ".*", patterns[i])
				here += kind ~ "^(" patterns[i] ")$"
			}
			if (!here)
				next
			rows++
			wanted = $3
			if (table != "verdicts")
				gsub(/[().*]/, "\\\\&", wanted)
			else if (kind == "foreign-clang" && wanted == "ok" && index(unseen, " " $2 " "))
				wanted = "param-unset|param-removed"
			sub(/^changed/, changed, wanted)
			if (table != "verdicts" && !count[$2])
				got[$2, ++count[$2]] = "none"
			good = $3 == "none" && table == "verdicts" ? !count[$2] : count[$2] && \
				(table == "verdicts" || count[$2] == 1)
			text = ""
			# Of several functions: all of them, in this order.
			several = table == "verdicts" && $3 ~ / /
			for (i = 1; i <= count[$2]; i++) {
				good = good && (several || got[$2, i] ~ "^(" wanted ")$")
				if (!several || got[$2, i] != got[$2, i - 1])
					text = text " " got[$2, i]
			}
			good = good && (!several || text ~ "^ " wanted "$")
			if (!good) {
				print $2 ": expected " $3 "; got" (text ? text : " none")
				wrong++
			}
		}
		END {
			print wrong + 0 " of " rows + 0 " are wrong"
			exit wrong > 0 || !rows
		}'
}

for variant in "$@"; do
	image=$FIXTURES/$variant/vmlinux
	if ! [ -s "$image" ]; then
		skip "traps: $variant" "$(not_built "$variant")"
		continue
	fi
	kind=$(kind "$variant")
	if [ -z "$kind" ]; then
		skip "traps: $variant" "the tables have no rows for it"
		continue
	fi
	rm -f "$work/list" "$work/btf" "$work/plain" "$work/funcs"
	"$BTFENC" stats --functions "$work/list" "$image" >/dev/null
	expect "traps: $variant: verdicts" each verdicts "$kind" "$work/list"
	"$BTFENC" encode -o "$work/btf" "$image" && list_funcs "$work/btf" >"$work/plain"
	# A FUNC for each ok, and none with a suffix.
	awk -F '\t' 'NR > 1 && $5 == "ok" { print $1 }' "$work/list" | sort -u >"$work/ok"
	sed 's/^[^ ]* [^ ]* //; s/(.*//' "$work/plain" | sort >"$work/names"
	expect "traps: $variant: the FUNCs are those with verdict ok" same_text "$work/ok" "$work/names"
	# Architectures whose calling convention is known, and whose DWARF has call sites.
	case $kind in
	foreign | gcc-strict) continue ;;
	esac
	"$BTFENC" encode --features +true_signature -o "$work/btf" "$image" &&
		list_funcs "$work/btf" >"$work/funcs"
	expect "traps: $variant: +true_signature" \
		each signatures "$kind" "$work/funcs"
	# A FUNC that needs no change stays as it is.
	sort "$work/funcs" >"$work/funcs.sorted"
	expect "traps: $variant: +true_signature adds FUNCs and changes none" \
		sh -c "test -s '$work/plain' && sort '$work/plain' | comm -23 - '$work/funcs.sorted' | tee '$work/lost' &&
			test ! -s '$work/lost'"
done
