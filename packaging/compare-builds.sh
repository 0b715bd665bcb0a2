#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# One step of action.yml, in the working directory: btf-list is of the previous build. This build's becomes
# btf-list if it has no regressions; else it stays in btf-new. From the environment:
#
#	BTFENC		the program (btfenc)
#	VMLINUX		this build's, with DWARF
#	ALLOW FAIL_ON	arguments of btfenc diff; may be empty, and the file ALLOW missing
#	FAIL_ON_TYPES	the same of types (type-gone,type-changed)
#	BRANCH		for the sentence that there is nothing to compare with
#	GITHUB_STEP_SUMMARY	gets the report as Markdown; standard output without it
#
# Leaves btf-diff.html, if there was a list to compare with. Exit status: 0 no regressions, 1 regressions, 2 usage,
# 3 failure.
set -eu

BTFENC=${BTFENC:-btfenc}
if [ -z "${VMLINUX-}" ]; then
	echo "compare-builds.sh: VMLINUX has to be set, to a vmlinux with DWARF" >&2
	exit 2
fi
if [ -n "${GITHUB_STEP_SUMMARY-}" ]; then
	: >>"$GITHUB_STEP_SUMMARY" || exit 3
	exec 3>>"$GITHUB_STEP_SUMMARY"
else
	exec 3>&1
fi

keep()
{
	rm -rf btf-list
	mv btf-new btf-list
}

rm -rf btf-new btf-diff.html
mkdir btf-new
"$BTFENC" stats --functions btf-new/functions.tsv "$VMLINUX" >btf-new/stats.txt
"$BTFENC" encode -o btf-new/vmlinux.btf "$VMLINUX"
if [ ! -f btf-list/functions.tsv ]; then
	echo "There is no list of ${BRANCH-this branch} to compare with." >&3
	keep
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
	btf-list/functions.tsv btf-new/functions.tsv || status=$?
[ $status -le 1 ] || exit 3
status=0
compare "${FAIL_ON-}" --format markdown btf-list/functions.tsv btf-new/functions.tsv >&3 || status=$?
echo >&3
# The types of both BTFs; functions have been compared above.
compare "${FAIL_ON_TYPES:-type-gone,type-changed}" --types --show types --format markdown \
	btf-list/vmlinux.btf btf-new/vmlinux.btf >&3 || types=$?
[ $types -le $status ] || status=$types
[ $status -le 1 ] || status=3
[ $status -ne 0 ] || keep
exit $status
