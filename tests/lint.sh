#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Checks the sources without running them. Prints every finding; exit status 0
# when there is none. First each rule has to find what is wrong in a tree that is made up.
#
#	LINT_TIDY="FILE ..."	clang-tidy, which takes many minutes, reads only these; "": none
#
# Each rule is a function that prints what it finds in the directory where it runs.
# shellcheck disable=SC2317 # they are called by their names in a variable
set -u -o pipefail
export LC_ALL=C

root=$PWD
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
status=0

# Fixtures are images of kernels in small: what they are made of may look as it likes.
c_files()
{
	find . -name build -prune -o -path ./vmlinux-fixtures -prune -o -name '*.[ch]' -print |
		sed 's|^\./||' | sort
}

# Sources that compile with -I. alone, each for itself.
c_sources()
{
	c_files | grep -E '\.c$' | grep -vE '^(docs|tests/(abi|inject|kbuild/module|sites|true_signature|truth))/'
}

scripts()
{
	find .ci bench man tests vmlinux-fixtures ! -name '*.[ch]' -type f 2>/dev/null | sort | xargs awk '
		FNR == 1 && (FILENAME ~ /\.(ba)?sh$/ || /^#!.*[\/ ](ba)?sh/) { print FILENAME }
		{ nextfile }'
}

# ---- which folder includes what: tests/layout ----

rule_includes()
{
	c_files | xargs awk -f "$root/tests/lint_includes.awk" tests/layout
}

# Of the objects that `make lint` has built. nm calls an object without symbols an error.
objects() { echo build/lint/obj; }
rule_calls()
{
	c_sources | grep -vE '^(bench|tests)/' | sed "s|^|$(objects)/|; s|c\$|o|" | xargs nm -APg 2>&1 |
		grep -v ': no symbols$' | awk -v calls=1 -f "$root/tests/lint_includes.awk" tests/layout -
}

# ---- the face of a file ----

rule_license()
{
	{ c_files; scripts; ls Makefile tests/layout; } | while read -r file; do
		head -n 3 "$file" | grep -q 'SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1' ||
			echo "$file: no license header"
	done
}

rule_blanks()
{
	{ c_files; scripts; ls Makefile; } | xargs grep -HnE '[[:blank:]]$' |
		sed 's/$/<: blanks at the end of a line/'
	c_files | xargs grep -HnE '^ +[^ *]' | sed 's/$/: indented by blanks/'
}

rule_columns()
{
	c_files | while read -r file; do
		expand -t 8 "$file" | awk -v file="$file" 'length($0) > 100 {
			print file ":" FNR ": " length($0) " columns, more than 100" }'
	done
}

# clang-format judges the blanks between words. Where a line is broken, how its rest is aligned and
# how a table is laid out is the author's: what is compared is the text without all that. (The
# second sed is for what version 14 misreads: declarators, casts of two stars, __VA_OPT__, the colons
# of asm.)
flat()
{
	tr '\n\t' '  ' | sed -E 's/ \\ / /g; s/ +/ /g; s/([[({]) /\1/g; s/ ([])}])/\1/g' |
		sed -E 's/([]a-z0-9_]) ?(\(\*|\.[a-z])/\1\2/g; s/\) \* \*/)**/g; s/,\) \{/,){/g; s/:: :/:::/g' |
		sed 's/; /;\n/g; s/{/{\n/g; s/}/}\n/g; s/, /,\n/g'
}

format_of()
{
	diff <(flat <"$1") <(clang-format "$1" | flat) | grep '^[<>]' |
		sed "s|^|$1: clang-format (<: found, >: wanted): |"
}

rule_format()
{
	export -f flat format_of
	# shellcheck disable=SC2016 # for the inner shell
	c_files | xargs -P "$(nproc)" -I '{}' bash -c 'format_of "$1"' bash '{}'
}

# ---- the tools ----

rule_shellcheck()
{
	scripts | xargs -n 4 -P "$(nproc)" shellcheck -x
}

# cppcheck 2.10 does not know __VA_OPT__, which the builders of the tests use.
rule_cppcheck()
{
	c_sources | xargs cppcheck --quiet --std=c11 -I. -j "$(nproc)" --suppress='syntaxError:tests/*' \
		--enable=warning,performance,portability 2>&1
}

# Findings of clang-tidy in code that is right, so that its other findings count: file or folder|check|why.
false_alarms()
{
	sed '/^#/d; s/|[^|]*$//' <<'EOT'
base/hash.h|clang-analyzer-core.CallAndMessage|the caller fills as many words as it counts
btf/dedup/base_match.c|clang-analyzer-core.NonNullParamChecker|array_reserve() made room for a record
btf/dedup/base_match.c|clang-analyzer-core.NullDereference|array_reserve() made room
btf/dedup/c_declaration.c|clang-analyzer-core.NullDereference|of BTF nothing is a tag
btf/dedup/resolve.c|clang-analyzer-core.NullDereference|array_reserve() made room
btf/format.h|clang-analyzer-core.UndefinedBinaryOperatorResult|a constant, shifted by 31
btf/dedup/node_table.h|clang-analyzer-core.NullDereference|a table with a node has words
btf/dedup/node_table.c|misc-no-recursion|one level deep: variant 0 has no base
dwarf/unit_reader.c|clang-analyzer-core.UndefinedBinaryOperatorResult|a frame of that role has it set
dwarf/abi/abi.c|clang-analyzer-core.NullDereference|no leaves are counted without a list
encoder/read.c|clang-analyzer-core.DivideZero|options.jobs is at least 1
encoder/gather.c|clang-analyzer-core.NonNullParamChecker|array_reserve() made room
commands/cmd_encode.c|clang-analyzer-core.DivideZero|there is a file and a job
commands/print/template.c|misc-no-recursion|as deep as the template, which is ours
commands/explain/explain_records.c|clang-analyzer-core.NullDereference|a list that counts an element has it
kernel/btf_input.c|clang-analyzer-core.NonNullParamChecker|argv[argc] is never reached
commands/types/types.c|clang-analyzer-core.NullDereference|an aggregate has a record
commands/types/types_print.c|clang-analyzer-core.NullDereference|an aggregate has a record
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

# file:line:column: text [check], without the false alarms
rule_clang_tidy()
{
	if [ -n "${LINT_TIDY+set}" ]; then
		echo "${LINT_TIDY-}" | xargs -n 1
	else
		c_sources
	fi | grep . | xargs -r -P "$(nproc)" -n 4 \
		sh -c 'clang-tidy --quiet "$@" -- -std=gnu11 -I. 2>/dev/null' clang-tidy |
		grep -E ': (warning|error): ' | sed "s|$PWD/||; s|^\./||" | sort -u |
		grep -vE -f <(false_alarms | sed -E 's/^(.*)\|(.*)$/^\1[:\/].*\\[\2[],]/')
}

# A file of which there is an alarm that has not been true for long is renamed, too.
rule_false_alarms()
{
	false_alarms | cut -d '|' -f 1 | while read -r file; do
		[ -e "$file" ] || echo "false_alarms in tests/lint.sh: there is no $file"
	done
}

# ---- the rules are able to fail ----

# A tree without a fault.
make_tree()
{
	rm -rf "$work/tree"
	mkdir -p "$work/tree/base" "$work/tree/elf" "$work/tree/commands" "$work/tree/tests" &&
		cd "$work/tree" && cp "$root/.clang-format" "$root/.clang-tidy" . || exit 1
	echo '/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */' |
		tee base/ground.{h,c} elf/file.{h,c} elf/file_state.h >elf/file_read.c
	printf '#include "base/ground.h"\n' >>base/ground.c
	printf '#include "base/ground.h"\n' >>elf/file.h
	printf '#include "elf/file.h"\n' >>elf/file_state.h
	tee -a elf/file.c >>elf/file_read.c <<<'#include "elf/file_state.h"'
	printf '\nvoid call_it(void);\nvoid read_it(void);\nvoid read_it(void)\n{\n\tcall_it();\n}\n' >>elf/file_read.c
	echo '# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1' |
		tee Makefile tests/layout >tests/good.sh
	sed -i '1i #!/bin/sh' tests/good.sh
	printf '%s\n' 'base base' 'elf base elf' 'library jansson.h commands/' >>tests/layout
}

# finds RULE PATTERN FILE LINE...: with the lines at the end of the file the rule finds something that
# matches, and without them nothing.
finds()
{
	local rule=$1 pattern=$2 file=$3
	shift 3
	make_tree
	"rule_$rule" >"$work/found" 2>&1
	[ ! -s "$work/found" ] ||
		echo "the rule $rule finds something in a tree without a fault: $(head -n 1 "$work/found")"
	[ -e "$file" ] || [ "$rule" = license ] ||
		echo '/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */' >"$file"
	printf '%b\n' "$@" >>"$file"
	"rule_$rule" >"$work/found" 2>&1
	grep -qE "$pattern" "$work/found" || echo "the rule $rule does not find '$*' in $file"
}

self_test()
(
	unset LINT_TIDY
	false_alarms() { :; }
	finds includes 'base may not include elf$' base/ground.c '#include "elf/file.h"'
	finds includes 'layout:5: elf includes commands, which is below it' tests/layout \
		'elf commands' 'commands commands'
	finds includes 'layout:5: commands includes nothing of base' tests/layout 'commands base commands'
	finds includes 'its folder is not a row' commands/more.c ''
	finds includes 'without its folder' elf/file.c '#include "file.h"'
	finds includes 'base may not include tests$' base/ground.c '#include "tests/judge.h"'
	finds includes '<jansson.h> is for commands/ only' elf/file.c '#include <jansson.h>'
	finds includes 'which is for elf/file\*' elf/other.c '#include "elf/file_state.h"'
	finds includes 'a circle of includes: elf/file elf/file_read$' elf/file.c '#include "elf/file_read.h"'
	finds includes 'layout:5: this circle is gone' tests/layout 'circle elf/file elf/file_read'
	finds includes 'layout:5: base has 3 lines, and a budget of 2' tests/layout 'budget 2 base'
	finds includes 'layout:5: base has 3 lines, and a budget of 104' tests/layout 'budget 104 base'
	finds includes 'elf/long.h: has 151 lines, and headers have 150 at most' elf/long.h "$(seq 150)"
	finds includes 'layout:5: commands/long.h has 0 lines' tests/layout 'header 200 commands/long.h'
	objects() { c_sources | while read -r file; do
		mkdir -p "obj/${file%/*}" && cc -c -I. -o "obj/${file%c}o" "$file"; done; echo ./obj; }
	finds calls 'a circle of calls: elf/file elf/file_read$' elf/file.c \
		'void read_it(void);\nvoid call_it(void)\n{\n\tread_it();\n}'
	finds calls 'layout:5: this circle is gone' tests/layout 'circle-of-calls elf/file elf/file_read: no'
	finds license 'base/more.h: no license' base/more.h '/* nothing */'
	finds license 'tests/bad.sh: no license' tests/bad.sh '#!/bin/sh'
	finds blanks 'blanks at the end' base/ground.c 'int i; '
	finds blanks 'indented by blanks' base/ground.c '    int i;'
	finds columns 'more than 100' elf/file.h "/* $(printf '%0100d' 0) */"
	finds format 'clang-format' elf/file.h 'int file_open (void);'
	# shellcheck disable=SC2016 # a script that is wrong
	finds shellcheck 'SC2086' tests/good.sh 'a="b c"' 'ls $a'
	finds cppcheck 'nullPointer|Null pointer' elf/file.c \
		'int f(void);\nint f(void)\n{\n\tint *p = 0;\n\n\treturn *p;\n}'
	finds clang_tidy 'misc-no-recursion' elf/file.c \
		'int f(int i);\nint f(int i)\n{\n\treturn i ? f(i - 1) : 0;\n}'
	false_alarms() { echo 'elf/gone.c|check'; }
	make_tree
	rule_false_alarms | grep -q 'no elf/gone.c' || echo "the rule false_alarms does not find elf/gone.c"
)

# judge RULE: finding its findings
judge()
{
	local begun=$SECONDS
	"$1" >"$work/findings" 2>&1
	if [ -s "$work/findings" ]; then
		sed "s/^/lint: /" "$work/findings"
		status=1
	fi
	echo "${1#rule_}: $(wc -l <"$work/findings") findings in $((SECONDS - begun)) s"
}

for rule in self_test rule_{includes,calls,license,blanks,columns,format,shellcheck,cppcheck,false_alarms,clang_tidy}; do
	judge "$rule"
done
exit $status
