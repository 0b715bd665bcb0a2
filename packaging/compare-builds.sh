#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# One step of action.yml, in the working directory: btf-list is what the previous build left, and becomes
# what the next one is compared with. From the environment:
#
#	BTFENC		the program
#	VMLINUX		this build's, with DWARF
#	ALLOW FAIL_ON	arguments of btfenc diff; may be empty, and the file ALLOW missing
#	FAIL_ON_TYPES	the same of types (type-gone,type-changed)
#	BRANCH		for the sentence that there is nothing to compare with
#	GITHUB_STEP_SUMMARY	gets the report as Markdown
#
# Leaves btf-diff.html. Exit status: 0 no regressions, 1 regressions, 3 failure.
set -eu

summary=${GITHUB_STEP_SUMMARY:-/dev/stdout}
rm -rf btf-old
if [ -d btf-list ]; then mv btf-list btf-old; fi
mkdir btf-list
"$BTFENC" stats --functions btf-list/functions.tsv "$VMLINUX" >btf-list/stats.txt
"$BTFENC" encode -o btf-list/vmlinux.btf "$VMLINUX"
if [ ! -f btf-old/functions.tsv ]; then
	echo "There is no list of ${BRANCH-this branch} to compare with." >>"$summary"
	exit 0
fi

# compare FAIL_ON ARGUMENT...: 1 is an answer, 2 and 3 are errors.
compare()
{
	fail_on=$1
	shift
	"$BTFENC" diff ${allow:+--allow "$allow"} ${fail_on:+--fail-on "$fail_on"} "$@"
}

allow=
[ ! -f "${ALLOW-}" ] || allow=$ALLOW
status=0 types=0
# The page first, whatever it finds.
compare "${FAIL_ON-}" --format html -o btf-diff.html \
	btf-old/functions.tsv btf-list/functions.tsv || status=$?
[ $status -le 1 ] || exit 3
status=0
compare "${FAIL_ON-}" --format markdown btf-old/functions.tsv btf-list/functions.tsv >>"$summary" ||
	status=$?
# The types of both BTFs; functions have been compared above.
compare "${FAIL_ON_TYPES:-type-gone,type-changed}" --types --show types btf-old/vmlinux.btf btf-list/vmlinux.btf ||
	types=$?
[ $types -le $status ] || status=$types
[ $status -le 1 ] || status=3
exit $status
