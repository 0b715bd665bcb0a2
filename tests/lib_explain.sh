# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
# shellcheck shell=sh
#
# For tests of btfenc explain. Sourced after lib.sh; $says_group is the first word of the cases.
# shellcheck disable=SC2154 # says_group

# says CASE STATUS ARGUMENTS PATTERN...: what is printed matches all these basic patterns, each
# within one line; "!PATTERN": no line matches. Nothing is on stderr.
says()
{
	says_case="$says_group: $1" says_status=$2 says_arguments=$3
	shift 3
	# shellcheck disable=SC2086 # words
	"$BTFENC" explain $says_arguments >stdout 2>stderr
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
	if [ -s wrong ]; then
		cat stdout >>wrong
		not_ok "$says_case" wrong
	else
		ok "$says_case"
	fi
}
