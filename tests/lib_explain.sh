# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
# shellcheck shell=sh
#
# For tests of btfenc explain. Sourced after lib.sh; $says_group is the first word of the cases.
# shellcheck disable=SC2154 # says_group

# says CASE STATUS ARGUMENTS PATTERN...: what is printed matches all these basic patterns, each
# within one line; "!PATTERN": no line matches. Nothing is on stderr. $says_file, if set, is the file.
says()
{
	says_case="$says_group: $1" says_status=$2 says_arguments=$3
	shift 3
	# shellcheck disable=SC2086 # words
	"$BTFENC" explain $says_arguments ${says_file-} >stdout 2>stderr
	status=$?
	{
		[ $status -eq "$says_status" ] || echo "exit status $status, not $says_status"
		[ ! -s stderr ] || head -n 3 stderr
		for pattern in "$@"; do
			case $pattern in
			!*) ! grep -q -e "${pattern#!}" stdout || echo "a line matches '$pattern'" ;;
			*) grep -q -e "$pattern" stdout || echo "no line matches '$pattern'" ;;
			esac
		done
	} >wrong
	[ ! -s wrong ]
	says_status=$?
	cat stdout >>wrong
	outcome $says_status "$says_case" wrong
}

# fails CASE STATUS PATTERN ARGUMENT...: one line on stderr, nothing on stdout.
fails()
{
	fails_case="$says_group: $1" fails_status=$2 fails_pattern=$3
	shift 3
	"$BTFENC" explain "$@" >stdout 2>stderr
	[ $? -eq "$fails_status" ] && [ ! -s stdout ] && [ "$(wc -l <stderr)" -eq 1 ] &&
		grep -q -e "$fails_pattern" stderr
	outcome $? "$fails_case" stderr
}

# answers GOLDEN [FILE [SCRIPT]]: tests/golden/explain/GOLDEN has questions, as "$ explain ..." with
# the word FILE for the file, and what is said: without addresses, lines of source, and whether there
# is a tracer's hook or symbols, which DWARF and records say in other words, nor for which kernel a script
# is; and as this SCRIPT of sed -E leaves it. "==== CASE" before a question is the name of the case, if it has one.
answers()
{
	answers_golden=$tests/golden/explain/$1 answers_file=${2-} answers_case='' answers_number=0
	if ! grep -e '^==== ' -e '^\$ explain ' "$answers_golden" >answers.asked; then
		not_ok "$says_group: $1 has questions"
		return
	fi
	while IFS= read -r line; do
		echo "$line"
		[ "${line#====}" = "$line" ] || continue
		line=$(echo "${line#??}" | sed "s|\bFILE\b|$answers_file|")
		eval "\"\$BTFENC\" $line" >stdout 2>stderr
		answers_status=$?
		sed -E -e '/^  (at 0x|inlined at )/,$d; s/ \(\.text\+0x[0-9a-f]+\)//' \
			-e '/^  [a-z-]+\.c:[0-9]+$/d; /^$/d; s/ where it has a hook: /: /' \
			-e '/^( \*|#) (Made for|It is not known for which)/d; /^is_that_kernel/,/^}$/d' \
			-e "/ not say whether .* has a tracer's hook/d" \
			-e '/ without symbols it is not known/d' \
			-e "s/ (in|from) ${answers_file:-FILE}(,|\$)/ \1 FILE\2/" -e "${3-}" stdout
		sed "s/^btfenc: ${answers_file:-FILE}:/btfenc: FILE:/" stderr
		[ $answers_status = 0 ] || echo "exit status $answers_status"
	done <answers.asked >answers.said
	if [ -n "${BLESS-}" ] && ! [ -e "blessed.$1" ]; then
		cp answers.said "$answers_golden" && : >"blessed.$1"
	fi
	while IFS= read -r line; do
		answers_name=${line#==== }
		if [ "$answers_name" != "$line" ]; then
			answers_case=$answers_name
			continue
		fi
		line=${line#'$ explain '}
		answers_number=$((answers_number + 1))
		for side in "$answers_golden" answers.said; do
			awk -v n=$answers_number '/^==== / { said = 0 }
				/^\$ explain / { question++; said = 1 }
				said && question == n' "$side" >"${side##*/}.block"
		done
		answers_case="$says_group: ${2:+$2: }${answers_case:-${line% FILE}}"
		diff "${answers_golden##*/}.block" answers.said.block >wrong
		answers_status=$?
		echo "asked: explain $line; < is expected, > is got, and what make bless takes" >>wrong
		outcome $answers_status "$answers_case" wrong
		answers_case=
	done <answers.asked
}
