#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# What can be said about the sources without running them. Prints every finding; exit status 0
# when there is none.
set -u -o pipefail
shopt -s nullglob

folders='base dwarf btf kallsyms encoder'
sources=({base,dwarf,btf,kallsyms,encoder,tests,tests/kbuild,bench}/*.c)
files=("${sources[@]}" {base,dwarf,btf,kallsyms,encoder,tests,tests/kbuild,bench}/*.h)
scripts=(.ci/run tests/*.sh tests/kbuild/*.sh tests/kbuild/init bench/*.sh vmlinux-fixtures/*.sh
	man/*.bash)
status=0

finding()
{
	echo "lint: $*"
	status=1
}

# ---- which folder includes what ----
#
# base/ is the ground; dwarf/, btf/ and kallsyms/ know it and themselves; encoder/ knows all; what
# is tested never includes a test.

includes()
{
	local allowed
	for folder in $folders; do
		case $folder in
		base) allowed='base' ;;
		encoder) allowed='base|dwarf|btf|kallsyms|encoder' ;;
		*) allowed="base|$folder" ;;
		esac
		grep -HnE '^# *include *"' "$folder"/*.[ch] | grep -vE "\"($allowed)/[^/]*\"" |
			while read -r line; do echo "$line: $folder/ may include $allowed only"; done
	done
	grep -HnE '^# *include *<(bpf|elfutils)/' base/*.[ch] dwarf/*.[ch] btf/*.[ch] \
		kallsyms/*.[ch] encoder/*.[ch] | grep -v '^encoder/explain_source\.h:' |
		while read -r line; do echo "$line: for tests and commands/explain/explain_source.c only"; done
}
found=$(includes)
[ -z "$found" ] || finding "includes:
$found"

# ---- the face of a file ----

for file in "${files[@]}" "${scripts[@]}" Makefile; do
	head -n 3 "$file" | grep -q 'SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1' ||
		finding "$file: no license header"
	! grep -nE '[[:blank:]]$' "$file" || finding "$file: blanks at the end of a line"
done
for file in "${files[@]}"; do
	long=$(expand -t 8 "$file" | awk 'length($0) > 100 { print FNR }' | tr '\n' ' ')
	[ -z "$long" ] || finding "$file: more than 100 columns in line $long"
	! grep -nE '^ +[^ *]' "$file" || finding "$file: indented by blanks"
done

# clang-format judges the blanks between words. Where a line is broken, how its rest is aligned and
# how a table is laid out is the author's: what is compared is the text without all that. (The
# second sed is for what version 14 misreads: declarators, casts of two stars, __VA_OPT__.)
flat()
{
	tr '\n\t' '  ' | sed -E 's/ \\ / /g; s/ +/ /g; s/([[({]) /\1/g; s/ ([])}])/\1/g' |
		sed -E 's/([]a-z0-9_]) ?(\(\*|\.[a-z])/\1\2/g; s/\) \* \*/)**/g; s/,\) \{/,){/g' |
		sed 's/; /;\n/g; s/{/{\n/g; s/}/}\n/g; s/, /,\n/g'
}
for file in "${files[@]}"; do
	found=$(diff <(flat <"$file") <(clang-format "$file" | flat) | grep '^[<>]')
	[ -z "$found" ] || finding "$file: clang-format (<: found, >: wanted):
$found"
done

# ---- the tools ----

shellcheck -x "${scripts[@]}" || finding "shellcheck"

# cppcheck 2.10 does not know __VA_OPT__, which the builders of the tests use.
cppcheck --quiet --std=c11 --error-exitcode=1 -I. -j "$(nproc)" --suppress='syntaxError:tests/*' \
	--enable=warning,performance,portability "${sources[@]}" || finding "cppcheck"

# What clang-tidy says of code that is right, so that its other findings count: file or folder|check|why.
false_alarms()
{
	sed '/^#/d; s/|[^|]*$//' <<'EOT'
base/hash.h|clang-analyzer-core.CallAndMessage|the caller fills as many words as it counts
btf/dedup/base_match.c|clang-analyzer-core.NonNullParamChecker|array_reserve() made room for a record
btf/dedup/base_match.c|clang-analyzer-core.NullDereference|array_reserve() made room
btf/dedup/c_declaration.c|clang-analyzer-core.NullDereference|of BTF nothing is a tag
btf/dedup/resolve.c|clang-analyzer-core.NullDereference|array_reserve() made room
btf/format.h|clang-analyzer-core.UndefinedBinaryOperatorResult|a constant, shifted by 31
btf/dedup/shape_table.c|misc-no-recursion|one level deep: variant 0 has no base
dwarf/unit_reader.c|clang-analyzer-core.UndefinedBinaryOperatorResult|a frame of that role has it set
commands/records/btf_input.c|clang-analyzer-core.NonNullParamChecker|argv[argc] is never reached
commands/diff/diff.c|clang-analyzer-core.NullDereference|a name is on one side at least
commands/diff/diff_words.c|clang-analyzer-core.NullDereference|array_push() made room
commands/diff/function_table.c|clang-analyzer-core.NonNullParamChecker|a row has all fields
commands/diff/function_table.c|clang-analyzer-core.NullDereference|array_push() made room
# cmocka's assertions end a test, which clang-tidy does not see; reference versions may recurse.
tests|clang-analyzer-core.UndefinedBinaryOperatorResult|after an assertion
tests|clang-analyzer-core.uninitialized.Assign|after an assertion
tests|clang-analyzer-core.NonNullParamChecker|after an assertion
tests/type_text.c|clang-analyzer-core.NullDereference|array_push() made room
tests|misc-no-recursion|slow and obvious is what they are for
EOT
}

# clang_tidy_findings SOURCE...: file:line:column: text [check], without the false alarms.
clang_tidy_findings()
{
	printf '%s\n' "$@" | xargs -P "$(nproc)" -n 4 \
		sh -c 'clang-tidy --quiet "$@" -- -std=gnu11 -I. 2>/dev/null' clang-tidy |
		grep -E ': (warning|error): ' | sed "s|$PWD/||; s|^\./||" | sort -u |
		awk -F'[:[]' -v known="$(false_alarms)" '
			BEGIN {
				count = split(known, line, "\n")
				for (i = 1; i <= count; i++)
					skip[line[i]] = 1
			}
			{
				check = $NF
				sub(/[],].*/, "", check)
				folder = $1
				sub(/\/.*/, "", folder)
				if (!(($1 "|" check) in skip || (folder "|" check) in skip))
					print
			}
		'
}
found=$(clang_tidy_findings "${sources[@]}")
[ -z "$found" ] || finding "clang-tidy:
$found"

exit $status
