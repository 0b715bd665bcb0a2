#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Prototypes that clang changes under the function's own name (tests/true_signature/changed.c):
# which FUNC has +true_signature, and which functions have one without it? With each clang that is
# here; clang 23 of vmlinux-fixtures/fetch-compilers.sh, if it has been fetched.
. tests/lib.sh

fetched=$(sh vmlinux-fixtures/fetch-compilers.sh --cached 2>/dev/null) && PATH=$PATH:$fetched

# Levels, or LEVEL-COMPILER : FUNC, or "none" NAME; "default" where the FUNC is there without
# +true_signature, too.
wanted()
{
	cat <<-'EOT'
	O2 O3		: int tail_middle(int a, int c)
	O2 O3		: int tail_inner(int b)
	O2 O3		: int tail_outer(int a, int c)
	O2 O3		: void tail_void(int a)
	O2 O3		: int many_moved(int a, int i)
	O2 O3		: none many_global
	O2		: long in_memory(union large u, int x)
	O2		: long memory_moved(struct four used, int x)
	O2		: long memory_framed(struct four used, int x)
	O2 O3		: long first_word(long a__first, struct pair b, int i)
	O2 O3		: long second_word(long a__second, int i)
	O2 O3		: long last_word(int i, long a__second)
	O2 O3		: long shared_word(int a__low, int i)
	O2 O3		: long mixed_word(long a__number, int i)
	O2 O3		: none union_word
	O2 O3		: none global_word
	# What a pointer leads to is passed, or a member of a struct in memory, at -O3 alone
	O3		: none in_memory
	O3		: none memory_moved
	O3		: none memory_framed
	O2 default	: long target_described(struct four *p, int x)
	O3		: none target_described
	O2 default	: long target_again(struct four p, int x)
	O3		: none target_again
	O2 default	: long target_assigned(int *p, long x)
	O3		: none target_assigned
	O2 default	: long target_computed(struct chain *p, int x)
	O3		: none target_computed
	# A false FUNC that nothing in the files of clang before 23 betrays: docs/functions.md
	O3-clang-23	: none target_hidden
	O2 O3 default	: long kept(struct pair a, int i)
	O2 O3 default	: long kept_pointer(struct chain *p, int x)
	EOT
}

# list_funcs BTF: one in C on each line
list_funcs()
{
	"$BTFENC" dump "$1" | awk '
		function value(key, i) {
			for (i = 1; i <= NF; i++)
				if (index($i, key "=") == 1)
					return substr($i, length(key) + 2)
			return ""
		}
		function spelled(id) {
			if (!+id)
				return "void "
			if (kind[id] == "PTR")
				return spelled(to[id]) "*"
			return (kind[id] == "INT" ? "" : tolower(kind[id]) " ") name[id] " "
		}
		/^\[/ {
			id = substr($1, 2) + 0
			kind[id] = $2
			name[id] = $3
			gsub("\047", "", name[id])
			for (i = 4; $2 == "INT" && $i !~ "="; i++)
				name[id] = name[id] " " $i
			gsub("\047", "", name[id])
			to[id] = $2 == "FUNC_PROTO" ? value("ret_type_id") : value("type_id")
			next
		}
		/^\t/ && kind[id] == "FUNC_PROTO" {
			gsub("\047", "", $1)
			count[id]++
			parameter[id, count[id]] = $1
			type[id, count[id]] = value("type_id")
		}
		END {
			for (id in kind) {
				if (kind[id] != "FUNC")
					continue
				line = spelled(to[to[id]]) name[id] "("
				for (i = 1; i <= count[to[id]]; i++)
					line = line (i > 1 ? ", " : "") \
						spelled(type[to[id], i]) parameter[to[id], i]
				print line ")"
			}
		}' | sort
}

# check LEVEL FUNCS PLAIN: what is wrong is printed
check()
{
	wanted | sed '/^#/d' >"$work/wanted"
	rows=0 wrong=0
	while IFS=: read -r levels func; do
		case " $levels" in
		*" $1 "* | *" $1	"* | *" $1-$compiler"*) ;;
		*) continue ;;
		esac
		rows=$((rows + 1))
		func=${func# }
		name=${func%%(*}
		name=${name##* }
		got=$(grep "[ *]$name(" "$2")
		plain=$(grep "[ *]$name(" "$3")
		expected=$func
		case $func in none*) expected= ;; esac
		promised=
		case $levels in *default*) promised=$expected ;; esac
		[ "$got" = "$expected" ] && [ "$plain" = "$promised" ] && continue
		wrong=$((wrong + 1))
		echo "wanted $func; +true_signature has ${got:-none}, default ${plain:-none}"
	done <"$work/wanted"
	echo "$wrong of $rows are wrong"
	[ $wrong -eq 0 ] && [ $rows -gt 10 ]
}

for compiler in clang-19 clang-22 clang-23; do
	have $compiler "true_signature: $compiler" || continue
	for level in O2 O3; do
		expect "true_signature: $compiler -$level: built" \
			$compiler -std=gnu11 -$level -g -ffreestanding -fno-pie -fno-stack-protector \
			-nostdlib -static -o "$work/program" tests/true_signature/changed.c
		"$BTFENC" encode -o "$work/plain" "$work/program"
		"$BTFENC" encode --features +true_signature -o "$work/changed" "$work/program"
		list_funcs "$work/plain" >"$work/plain.list"
		list_funcs "$work/changed" >"$work/changed.list"
		expect "true_signature: $compiler -$level: each FUNC is what is passed" \
			check $level "$work/changed.list" "$work/plain.list"
		expect "true_signature: $compiler -$level: no FUNC goes, none changes" \
			sh -c "test -s '$work/plain.list' &&
				comm -23 '$work/plain.list' '$work/changed.list' >'$work/lost' &&
				cat '$work/lost' && test ! -s '$work/lost'"
	done
done
