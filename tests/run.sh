#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Runs test programs one after the other and counts their cases: cmocka's lines of the compiled
# ones, "ok - ", "not ok - " and "skip - " of the scripts. Prints how long each program takes (of one
# that is long at work every 50 seconds that it is), which took longest, why cases were skipped (each
# reason once), and as the last line the total.
# usage: run.sh TEST...
# A compare_* test compares two ways of reading one file, its argument: each fixture is one case.
# Exit status: 0 all passed, 1 otherwise.
set -u
# The jobs of the make that runs this are not for the tests.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
export CMOCKA_MESSAGE_OUTPUT=STDOUT

log=$(mktemp) || exit 1
heartbeat=
trap '[ -z "$heartbeat" ] || kill -KILL "$heartbeat" 2>/dev/null
	rm -f "$log" "$log.status" "$log.diff" "$log.skipped" "$log.failed" "$log.seconds"' EXIT
trap 'exit 130' INT TERM HUP
passed=0 failed=0 skipped=0
: >"$log.skipped"
: >"$log.failed"
: >"$log.seconds"

# lines PATTERN: how many different lines of the log match it (cmocka names failures twice).
lines()
{
	grep "$1" "$log" | sort -u | wc -l
}

# Its sleep holds none of the pipes that wait for the end of this script.
beat()
{
	while sleep 50 >/dev/null 2>&1; do
		echo "== $name: $(($(date +%s) - began)) s so far"
	done
}

# compare_fixtures TEST
compare_fixtures()
{
	for image in "$FIXTURES"/*/vmlinux; do
		variant=${image%/vmlinux}
		if "$1" "$image" >"$log.diff"; then
			echo "ok - ${1##*/}: ${variant##*/}"
		else
			echo "not ok - ${1##*/}: ${variant##*/}"
			head -n 20 "$log.diff" | sed 's/^/    /'
		fi
	done
}

for test in "$@"; do
	name=${test##*/}
	echo "== $name"
	began=$(date +%s)
	beat &
	heartbeat=$!
	{
		case $name in
		*.sh) sh "$test" ;;
		compare_*) compare_fixtures "$test" ;;
		*) "$test" ;;
		esac 2>&1
		echo $? >"$log.status"
	} | tee "$log" | grep --line-buffered -v '^\[ RUN '
	# TERM would be lost, and waited for in vain, where the shell has not yet reset its traps in the
	# process that it has just begun.
	kill -KILL "$heartbeat"
	wait "$heartbeat" 2>/dev/null
	heartbeat=
	good=$(($(lines '^ok - ') + $(lines '^\[       OK \] ')))
	bad=$(($(lines '^not ok - ') + $(lines '^\[  FAILED  \] [^0-9]')))
	left=$(($(lines '^skip - ') + $(lines '^\[  SKIPPED \] [^0-9]')))
	status=$(cat "$log.status")
	# A crash, or a script that stops half-way, must not pass for its last good case.
	if [ $bad -eq 0 ] && [ "$status" -ne 0 ]; then
		echo "not ok - $name: exit status $status"
		bad=1
	elif [ $((good + bad + left)) -eq 0 ]; then
		echo "not ok - $name: it ran no cases"
		bad=1
	fi
	passed=$((passed + good)) failed=$((failed + bad)) skipped=$((skipped + left))
	grep '^skip - ' "$log" >>"$log.skipped"
	if [ $bad -gt 0 ]; then
		echo "$name: $bad failed, exit status $status"
		grep -A 8 -e '^not ok - ' -e '^\[  ERROR   \]' "$log" || tail -n 8 "$log"
	fi >>"$log.failed"
	seconds=$(($(date +%s) - began))
	echo "$seconds $name" >>"$log.seconds"
	echo "== $name: $good passed, $bad failed, $left skipped in $seconds s"
done

echo "== seconds"
sort -k 1,1nr "$log.seconds" | head -n 10 | sed 's/^/    /'

if [ -s "$log.skipped" ]; then
	echo "== skipped, by reason"
	sed 's/.*: //' "$log.skipped" | sort | uniq -c | sort -k 1,1nr
fi

# Indented, since whoever counts the lines of the cases has counted them.
if [ -s "$log.failed" ]; then
	echo "== failed"
	sed 's/^/    /' "$log.failed"
fi

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
