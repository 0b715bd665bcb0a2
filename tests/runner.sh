#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# tests/run.py: what does not end is ended, what breaks off does not pass, and CASE chooses.
. tests/lib.sh

unset CASE
cd "$work" || exit 1
cat >good.sh <<'EOT'
. tests/lib.sh
expect "good: one" true
expect "good: two of them" true
skip "good: three" "nothing here"
EOT
cat >bad.sh <<'EOT'
. tests/lib.sh
expect "bad: a * in the name" test 1 = 2
ok "bad: another"
EOT
printf 'echo "ok - first"\nexit 5\n' >broken.sh
printf 'kill -SEGV $$\n' >crash.sh
printf 'echo "ok - first"\nsays what is not defined\n' >misses.sh
printf 'true\n' >empty.sh
# Nobody reads, as where a program that was to read has died.
printf 'mkfifo "%s/fifo"\necho "ok - first"\nsleep 1000 >"%s/fifo" &\nwait\n' "$work" "$work" >hangs.sh

# runs NAME STATUS PATTERN TEST...: of tests/run.py, in the root of the sources as always, with CASE=$choice
choice=
runs()
{
	runs_name="runner: $1" runs_status=$2 runs_pattern=$3
	shift 3
	(cd "${tests%/tests}" && CASE=$choice python3 tests/run.py "$@") >out 2>&1
	status=$?
	{
		echo "asked: run.py $*"
		echo "expected: exit status $runs_status, and a line '$runs_pattern'; got: $status, and"
		cat out
	} >wrong
	[ $status -eq "$runs_status" ] && grep -qx -e "$runs_pattern" out
	# Its lines are not for the one who counts ours.
	outcome $? "$runs_name" wrong
}

runs "what passes" 0 '2 passed, 0 failed, 1 skipped' "$work/good.sh"
expect "runner: why a case is skipped" grep -q ' 1  nothing here$' out
runs "what fails" 1 '1 passed, 1 failed, 0 skipped' "$work/bad.sh"
expect "runner: what was asked" grep -qx ' *asked: test 1 = 2' out
expect "runner: what repeats it" grep -qxF "      again: make test T=bad CASE='bad: a ? in the name'" out
AGAIN='make check-bad' runs "what repeats it in another suite" 1 \
	"      again: make check-bad CASE='bad: a ? in the name'" "$work/bad.sh"
runs "what breaks off" 1 'not ok - broken.sh: exit status 5' "$work/broken.sh"
runs "what crashes" 1 'not ok - crash.sh: signal SIGSEGV' "$work/crash.sh"
runs "what calls a function that is not there" 1 '1 passed, 1 failed, 0 skipped' "$work/misses.sh"
runs "what has no cases" 1 'not ok - empty.sh: it ran no cases' "$work/empty.sh"
TEST_LIMIT=1 runs "what hangs" 1 'not ok - hangs.sh: it did not end within 1 s' "$work/hangs.sh"
cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' '\n' >processes
expect "runner: nothing is left of it" lacks_line '/hangs\.sh$' processes
runs "together" 1 '4 passed, 2 failed, 1 skipped' "$work/good.sh" "$work/bad.sh" "$work/broken.sh"
expect "runner: only what is not good is shown" lacks_line 'good: one' out
for choice in 'two*' 'good: two*'; do
	runs "CASE=$choice" 0 '1 passed, 0 failed, 0 skipped' "$work/good.sh" "$work/bad.sh"
done
choice=four
runs "a case that is not there" 1 "not ok - no case matches 'four'" "$work/bad.sh"
