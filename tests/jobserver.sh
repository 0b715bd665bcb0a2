#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# -j without a number in recipes of a real make: how many tokens of its jobserver are taken, and
# that they are back afterwards. Threads are held where tokens are counted (tests/inject/threads.c),
# so nothing here depends on time. make counts, too: it complains when tokens are missing at its end.
#
# FIFOs, as make has them from 4.4 on, are made by hand as well, for where make is older.
#
# usage: jobserver.sh				all
#	 jobserver.sh inside DIRECTORY CASE	called by recipes: one case with make's MAKEFLAGS
. tests/lib.sh

image=$FIXTURES/gcc12-dwarf5/vmlinux
case ${1-} in
inside) outer=$2 ;;
*) outer=$work ;;
esac

# ---- inside a recipe ----

free_tokens()
{
	"$TEST_PROGRAMS/tool_jobserver"
}

# named NAME COMMAND...: expect, with the form of the jobserver in the name.
named()
{
	named_name=$1
	shift
	expect "jobserver: $FORM: $named_name" "$@"
}

processors=8

# held COUNT: returns when COUNT more threads are held.
held()
{
	for _ in $(seq "$1"); do
		timeout 60 dd bs=5 count=1 <&8 >/dev/null 2>&1 ||
			not_ok "jobserver: $FORM: a thread is started" "$work/err"
	done
}

# begin COUNT COMMAND...: starts it, as $pid, and returns when COUNT of its threads are held.
begin()
{
	wanted=$1
	shift
	rm -f "$work/held" "$work/go"
	mkfifo "$work/held" "$work/go"
	exec 8<>"$work/held"
	# A process that a shell starts in the background ignores SIGINT and SIGQUIT.
	env --default-signal=INT,QUIT LD_PRELOAD="$outer/threads.so" INJECT_HELD="$work/held" \
		INJECT_GO="$work/go" INJECT_PROCESSORS="$processors" "$@" 2>"$work/err" &
	pid=$!
	held "$wanted"
}

# The held ones go on; $status is how it ended.
go_on()
{
	exec 7<>"$work/go"
	wait "$pid" 2>/dev/null
	status=$?
	exec 7<&- 8<&-
}

# end_by SIGNAL: while threads are held.
end_by()
{
	kill -s "$1" "$pid"
	wait "$pid" 2>/dev/null
	status=$?
	exec 8<&-
}

# free_is NAME COUNT
free_is()
{
	free=$(free_tokens)
	named "$1: free tokens: $2" test "$free" = "$2"
}

# threads_are NAME COUNT
threads_are()
{
	set -- "$1" "$2" "$(find "/proc/$pid/task" -mindepth 1 -maxdepth 1 | wc -l)"
	named "$1: threads: $2" test "$3" -eq "$2"
}

# said NAME TEXT: on stderr.
said()
{
	named "$1: -v says '$2'" grep -qxF "$2" "$work/err"
}

copies()
{
	for copy in 1 2 3 4 5 6; do
		cp "$image" "$work/file.$copy"
	done
}

copies_are_encoded()
{
	for copy in 1 2 3 4 5 6; do
		cmp "$outer/encoded" "$work/file.$copy" || return
	done
}

# Three tokens are free at first in all of these.

case_many_files()
{
	copies
	begin 3 "$BTFENC" encode -v -j "$work"/file.*
	free_is "many files, at work" 0
	threads_are "many files, at work" 4
	go_on
	named "many files: exit status 0" test $status -eq 0
	free_is "many files, done" 3
	said "many files" "threads: 4, as make's jobserver had jobs to spare"
	named "many files: what -j1 makes of them" copies_are_encoded
}

case_one_file()
{
	cp "$image" "$work/file"
	begin 1 "$BTFENC" -J -j --btf_features=default "$work/file"
	free_is "one file, at work" 2
	go_on
	named "one file: exit status 0" test $status -eq 0
	free_is "one file, done" 3
	named "one file: what -j1 makes of it" cmp "$outer/encoded" "$work/file"
}

case_few_processors()
{
	copies
	processors=2
	begin 1 "$BTFENC" encode -v -j "$work"/file.*
	free_is "two processors, at work" 2
	threads_are "two processors, at work" 2
	go_on
	free_is "two processors, done" 3
}

# A number is a number.
case_number()
{
	copies
	begin 4 "$BTFENC" encode -v -j5 "$work"/file.*
	free_is "-j5, at work" 3
	threads_are "-j5, at work" 5
	go_on
	free_is "-j5, done" 3
	said "-j5" "threads: 5"
}

case_other_commands()
{
	for command in stats "explain list_add"; do
		# shellcheck disable=SC2086 # words
		begin 1 "$BTFENC" $command "$image" >"$work/out"
		free_is "$command, at work" 2
		go_on
		named "$command: exit status 0" test $status -eq 0
		free_is "$command, done" 3
	done
}

case_errors()
{
	copies
	head -c 3000 "$image" >"$work/file.3"
	begin 3 "$BTFENC" encode -j "$work"/file.*
	go_on
	named "one of many is broken: exit status 1" test $status -eq 1
	free_is "one of many is broken" 3
	# Deep enough for threads: the length of the first unit is wrong.
	objcopy --dump-section .debug_info="$work/info" "$image" "$work/broken"
	printf '\377\377\377\377\377\377' | dd of="$work/info" conv=notrunc 2>/dev/null
	objcopy --update-section .debug_info="$work/info" "$work/broken"
	begin 1 "$BTFENC" encode -j "$work/broken"
	free_is "a broken file, at work" 2
	go_on
	named "a broken file: exit status 3" test $status -eq 3
	free_is "a broken file" 3
	"$BTFENC" encode --no-such-option -j "$image" 2>"$work/err"
	free_is "a wrong option" 3
}

# /dev/full is one, and to a change in place a limit on file sizes is like one.
case_full_disk()
{
	begin 1 "$BTFENC" encode -j -o /dev/full "$image"
	free_is "a full disk, at work" 2
	go_on
	named "a full disk: exit status 3" test $status -eq 3
	named "a full disk: it says so" grep -q 'No space left on device' "$work/err"
	free_is "a full disk" 3
	copies
	begin 3 sh -c 'ulimit -f 64; exec "$@"' sh "$BTFENC" encode -j "$work"/file.*
	free_is "a limit on file sizes, at work" 0
	go_on
	named "a limit on file sizes: exit status 1" test $status -eq 1
	named "a limit on file sizes: it says so" grep -q 'ulimit -f' "$work/err"
	free_is "a limit on file sizes" 3
}

# With one file they end the process at once, with many when the files at hand are done.
case_signals()
{
	for signal in TERM INT HUP QUIT PIPE; do
		begin 1 "$BTFENC" encode -j -o "$work/btf" "$image"
		free_is "SIG$signal, at work" 2
		end_by $signal
		named "SIG$signal: ended by it" test "$(kill -l $status)" = $signal
		free_is "SIG$signal" 3
	done
	copies
	begin 3 "$BTFENC" encode -j "$work"/file.*
	kill -s TERM "$pid"
	go_on
	named "SIGTERM, many files: ended by it" test "$(kill -l $status)" = TERM
	free_is "SIGTERM, many files" 3
	begin 3 "$BTFENC" encode -j "$work"/file.*
	free_is "SIGQUIT, many files, at work" 0
	end_by QUIT
	free_is "SIGQUIT, many files" 3
}

# Nothing can be done about it, and it shows that a lost token is seen.
case_kill()
{
	begin 1 "$BTFENC" encode -j -o "$work/btf" "$image"
	end_by KILL
	free_is "SIGKILL: one is lost" 2
}

# No token is free.
case_none_free()
{
	free_is "none free, before" 0
	copies
	begin 0 "$BTFENC" encode -v -j "$work"/file.*
	go_on
	named "none free: exit status 0" test $status -eq 0
	said "none free" "threads: 1; make's jobserver had no job to spare"
	named "none free: what -j1 makes of them" copies_are_encoded
	free_is "none free, after" 0
}

# A token becomes free while the first file, which is locked here, waits for being stored.
case_late_token()
{
	copies
	exec 5<"$work/file.1"
	flock 5
	begin 0 "$BTFENC" encode -j "$work"/file.*
	# It inherits one.
	until [ "$(find "/proc/$pid/fd" -lname "$work/file.1" | wc -l)" -ge 2 ]; do
		sleep 0.01
	done
	threads_are "before a token is free" 1
	printf + >"$outer/fifo"
	flock -u 5
	held 1
	threads_are "with the token" 2
	free_is "with the token" 0
	go_on
	named "a late token: exit status 0" test $status -eq 0
	free_is "a late token" 1
	named "a late token: what -j1 makes of them" copies_are_encoded
}

# It keeps a job of make -j2 busy until the other one is done.
case_hog()
{
	read -r _ <"$outer/hog" || :
}

case_next_to_hog()
{
	exec 6>"$outer/hog"
	case_none_free
}

case_without_plus()
{
	copies
	begin 0 "$BTFENC" encode -v -j "$work"/file.*
	go_on
	named "without +: exit status 0" test $status -eq 0
	said "without +" "threads: 1; make's jobserver is not open to this line of the recipe; \
begin the line with +"
}

case_no_jobserver()
{
	named "there is none" sh -c "! $TEST_PROGRAMS/tool_jobserver"
	copies
	processors=3
	begin 2 "$BTFENC" encode -v -j "$work"/file.*
	threads_are "as many threads as processors" 3
	go_on
	said "as many threads as processors" "threads: 3"
}

# One of several at a time; all write into one log.
several()
{
	copies
	LD_PRELOAD=$outer/threads.so INJECT_LOG=$outer/log INJECT_PROCESSORS=4 \
		"$BTFENC" encode -j "$work"/file.* && copies_are_encoded && echo "$outer" >>"$outer/done"
}

if [ "${1-}" = inside ]; then
	case $3 in
	several*) several ;;
	*) "case_$3" ;;
	esac
	exit
fi

# ---- a make, or what looks like it ----

make=${MAKE:-make}
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES

if ! "${CC:-cc}" -std=gnu11 -O1 -shared -fPIC -o "$work/threads.so" tests/inject/threads.c -ldl \
	2>"$work/log"; then
	not_ok "jobserver: the library that holds threads is built" "$work/log"
	exit 1
fi
cp "$image" "$work/encoded"
"$BTFENC" encode -j1 "$work/encoded" || exit 1
mkfifo "$work/hog"

cat >"$work/makefile" <<EOT
without_plus:
	@TMPDIR=$work sh tests/jobserver.sh inside $work \$@
%:
	+@TMPDIR=$work sh tests/jobserver.sh inside $work \$@
EOT

# Nothing here takes longer than a few seconds, unless a process waits for a token.
within_limit()
{
	timeout 300 "$@" 2>"$work/make.err" ||
		not_ok "jobserver: $FORM: $*: exit status $?" "$work/make.err"
}

# in_make OPTIONS CASE...
in_make()
{
	within_limit "$make" -s -f "$work/makefile" "$@"
}

# make_is_content NAME: make counts its tokens at its end.
make_is_content()
{
	named "$1: make misses no token" sh -c "test -f '$work/make.err' && ! grep INTERNAL '$work/make.err'"
}

most_at_once()
{
	awk '{ now += $1 == "+" ? 1 : -1; if (now > most) most = now } END { print most + 0 }' \
		"$work/log"
}

# with_make FORM OPTION: of make.
with_make()
{
	FORM=$1
	export FORM
	for case in many_files one_file few_processors number other_commands errors full_disk signals; do
		# shellcheck disable=SC2086 # nothing, or a word
		in_make $2 -j4 $case
		make_is_content $case
	done
	# shellcheck disable=SC2086
	in_make $2 -j4 kill
	named "SIGKILL: make misses it" grep -q INTERNAL "$work/make.err"
	# shellcheck disable=SC2086
	in_make $2 -j2 hog next_to_hog
	make_is_content "none free"
	rm -f "$work/log" "$work/done"
	# shellcheck disable=SC2086
	in_make $2 -j2 several1 several2 several3 several4 several5 several6
	make_is_content "six at once"
	named "six at once: all are done" test "$(wc -l <"$work/done")" -eq 6
	named "six at once: never more threads than jobs" test "$(most_at_once)" -le 2
}

old_make=$("$make" --jobserver-style=pipe --version >/dev/null 2>&1 || echo old)
if [ -n "$old_make" ]; then
	with_make pipe ''
	in_make -j4 without_plus
else
	with_make pipe --jobserver-style=pipe
	in_make --jobserver-style=pipe -j4 without_plus
	with_make "make's FIFO" --jobserver-style=fifo
fi
FORM="make without -j"
in_make no_jobserver
FORM="make -j1"
in_make -j1 no_jobserver

# ---- a FIFO that was made by hand ----

FORM=fifo
export FORM

# by_hand TOKENS CASE...: the cases at once.
by_hand()
{
	rm -f "$work/fifo"
	mkfifo "$work/fifo"
	exec 9<>"$work/fifo"
	printf '%.*s' "$1" ++++++++ >&9
	shift
	by_hand_pids=
	for case in "$@"; do
		within_limit env TMPDIR="$work" \
			MAKEFLAGS="-j --jobserver-auth=-2,-2 --jobserver-auth=fifo:$work/fifo -- A=b" \
			sh tests/jobserver.sh inside "$work" "$case" &
		by_hand_pids="$by_hand_pids $!"
	done
	# shellcheck disable=SC2086
	wait $by_hand_pids
}

for case in many_files one_file few_processors number other_commands errors full_disk signals kill; do
	by_hand 3 $case
done
by_hand 0 none_free
have flock "jobserver: a late token" && by_hand 0 late_token
rm -f "$work/log" "$work/done"
by_hand 1 several1 several2 several3
named "three at once: all are done" test "$(wc -l <"$work/done")" -eq 3
named "three at once: never more threads than jobs" test "$(most_at_once)" -le 4
rm "$work/fifo"
MAKEFLAGS="-j4 --jobserver-auth=fifo:$work/fifo"
export MAKEFLAGS
named "make has gone: one thread" sh -c "'$BTFENC' encode -v -j -o '$work/btf' '$image' 2>&1 |
	grep -q \"^threads: 1; make's jobserver is not open\""
