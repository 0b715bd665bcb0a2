#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# -j without a number in recipes of a real make: how many tokens of its jobserver are taken, and
# that they are back afterwards. Threads are held where tokens are counted (tests/inject/threads.c),
# so nothing here depends on time. make counts, too: it complains of missing tokens at its end.
# FIFOs, as make has them from 4.4 on, are made by hand as well, for where make is older.
#
# usage: jobserver.sh [RECIPE]	RECIPE: by which it is called; OUTER is $work of the caller
# shellcheck disable=SC2016 # what is evaluated later
. tests/lib.sh

image=$FIXTURES/gcc12-dwarf5/vmlinux

# ---- inside a recipe ----

free_is()
{
	free=$("$TEST_PROGRAMS/tool_jobserver")
	expect "$FORM: $1: free tokens: ${2:-none is known}" test "$free" = "$2"
}

# held COUNT: returns when COUNT more threads are held.
held()
{
	timeout 60 head -c $(($1 * 5)) <&8 >/dev/null || not_ok "$FORM: $1 threads are held" "$work/err"
}

# With those that are held. (A process without them may have ended.)
threads_are_at_most()
{
	threads=$(find "/proc/$pid/task" -mindepth 1 -maxdepth 1 | wc -l)
	expect "$FORM: $1: threads: $2" test "$threads" -le "$2"
}

# attempt NAME HELD FREE NEXT STATUS COMMAND...: while HELD threads of COMMAND, $pid, are held, FREE
# tokens are free. NEXT is done then. It ends with STATUS, and all tokens are back.
attempt()
{
	name=$1 held=$2 left=$3 next=$4 status=$5
	shift 5
	rm -f "$work/held" "$work/go"
	mkfifo "$work/held" "$work/go"
	exec 8<>"$work/held"
	# A process that a shell starts in the background ignores SIGINT and SIGQUIT.
	env --default-signal=INT,QUIT LD_PRELOAD="$OUTER/threads.so" INJECT_HELD="$work/held" \
		INJECT_GO="$work/go" INJECT_PROCESSORS="$processors" \
		"$@" >"$work/out" 2>"$work/err" &
	pid=$!
	held "$held"
	free_is "$name, at work" "$left"
	threads_are_at_most "$name, at work" $((held + 1))
	eval "$next"
	wait "$pid" 2>/dev/null
	expect "$FORM: $name: exit status $status" test $? -eq "$status"
	free_is "$name, done" "$tokens"
}

# NEXT: the threads are held no longer.
go_on()
{
	exec 7<>"$work/go"
}

# NEXT: a token becomes free while the first file, which is locked here, waits for being stored.
late_token()
{
	# It inherits one.
	until [ "$(find "/proc/$pid/fd" -lname "$work/files/1" | wc -l)" -ge 2 ]; do
		sleep 0.01
	done
	threads_are_at_most "before a token is free" 1
	printf + >"$OUTER/fifo"
	flock -u 5
	held 1
	threads_are_at_most "with the token" 2
	free_is "with the token" 0
	tokens=1
	go_on
}

copy()
{
	rm -rf "$work/files"
	cp -r "$OUTER/images" "$work/files"
}

# many TOKENS PROCESSORS NAME HELD FREE OPTION LINE: files; LINE is what -v says of threads.
many()
{
	tokens=$1 processors=$2
	shift 2
	copy
	attempt "$1" "$2" "$3" go_on 0 "$BTFENC" encode -v "$4" "$work"/files/*
	expect "$FORM: $1: what -j1 makes of them" diff -r "$OUTER/encoded" "$work/files"
	expect "$FORM: $1: -v says '$5'" grep -qxF "$5" "$work/err"
}

tokens=3	# that are free at first; empty: there is no jobserver
processors=8
case ${1-} in
'') ;;
three_free)
	many 3 2 "two processors" 1 2 -j "threads: 2, as make's jobserver had jobs to spare"
	many 3 8 "many files" 3 0 -j "threads: 4, as make's jobserver had jobs to spare"
	many 3 8 "a number is a number" 4 3 -j5 "threads: 5"
	copy
	attempt "one file" 1 2 go_on 0 "$BTFENC" -J -j --btf_features=default "$work/files/1"
	expect "$FORM: one file: what -j1 makes of it" cmp "$OUTER/encoded/1" "$work/files/1"
	attempt stats 1 2 go_on 0 "$BTFENC" stats "$image"
	attempt explain 1 2 go_on 0 "$BTFENC" explain list_add "$image"

	attempt "a wrong option" 0 3 go_on 2 "$BTFENC" encode --no-such-option -j "$image"
	copy
	truncate -s 3000 "$work/files/3"
	attempt "one of many is broken" 3 0 go_on 1 "$BTFENC" encode -j "$work"/files/*
	# Deep enough for threads: the length of the first unit is wrong.
	objcopy --dump-section .debug_info="$work/info" "$image" "$work/broken"
	printf '\377\377\377\377\377\377' | dd of="$work/info" conv=notrunc 2>/dev/null
	objcopy --update-section .debug_info="$work/info" "$work/broken"
	attempt "a broken file" 1 2 go_on 3 "$BTFENC" encode -j "$work/broken"

	attempt "a full disk" 1 2 go_on 3 "$BTFENC" encode -j -o /dev/full "$image"
	expect "$FORM: a full disk: it says so" grep -q 'No space left on device' "$work/err"

	# With one file they end the process at once, with many when the files at hand are done.
	# (SIGQUIT always at once.)
	for signal in HUP:129 INT:130 QUIT:131 PIPE:141 TERM:143; do
		attempt "SIG${signal%:*}" 1 2 'kill -s ${signal%:*} $pid' "${signal#*:}" \
			"$BTFENC" encode -j -o "$work/btf" "$image"
	done
	copy
	attempt "SIGTERM, many files" 3 0 'kill -s TERM $pid; go_on' 143 \
		"$BTFENC" encode -j "$work"/files/*
	attempt "SIGQUIT, many files" 3 0 'kill -s QUIT $pid' 131 "$BTFENC" encode -j "$work"/files/*
	;;
kill)
	# Nothing can be done about it, and it shows that a lost token is seen.
	attempt SIGKILL 1 2 'kill -s KILL $pid; tokens=2' 137 \
		"$BTFENC" encode -j -o "$work/btf" "$image"
	;;
none_free)
	many 0 8 "none free" 0 0 -j "threads: 1; make's jobserver had no job to spare"
	;;
late_token)
	copy
	exec 5<"$work/files/1"
	flock 5
	attempt "a late token" 0 0 late_token 0 "$BTFENC" encode -j "$work"/files/*
	expect "$FORM: a late token: what -j1 makes of them" diff -r "$OUTER/encoded" "$work/files"
	;;
without_plus)
	many '' 8 "without +" 0 '' -j "threads: 1; make's jobserver is not open to this line of \
the recipe; begin the line with +"
	;;
no_jobserver)
	many '' 3 "as many threads as processors" 2 '' -j "threads: 3"
	;;
several*)
	# One of several at a time; all write into one log.
	copy
	expect "$FORM: several: exit status 0" env LD_PRELOAD="$OUTER/threads.so" \
		INJECT_LOG="$OUTER/log" INJECT_PROCESSORS=4 "$BTFENC" encode -j "$work"/files/*
	expect "$FORM: several: what -j1 makes of them" diff -r "$OUTER/encoded" "$work/files"
	;;
*)
	exit 2
	;;
esac
[ $# -eq 0 ] || exit 0

# ---- a make, or what looks like it ----

make=${MAKE:-make}
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
export FORM OUTER="$work" TMPDIR="$work"

expect "jobserver: the library that holds threads is built" "${CC:-cc}" -std=gnu11 -O1 \
	-shared -fPIC -o "$work/threads.so" tests/inject/threads.c -ldl
mkdir "$work/images"
for file in 1 2 3 4 5 6; do
	cp "$image" "$work/images/$file"
done
cp -r "$work/images" "$work/encoded"
"$BTFENC" encode -j1 "$work"/encoded/* || exit 1

# hog keeps a job of make -j2 busy until the other one is done.
mkfifo "$work/hog"
cat >"$work/makefile" <<EOT
hog:
	@read -r _ <$work/hog || :
next_to_hog:
	+@exec 6>$work/hog; sh tests/jobserver.sh none_free
without_plus:
	@sh tests/jobserver.sh \$@
%:
	+@sh tests/jobserver.sh \$@
EOT

# in_make COUNT OPTION... RECIPE...: make counts its tokens at its end, and complains COUNT times.
# It takes a few seconds, unless a process waits for a token.
in_make()
{
	complaints=$1
	shift
	timeout 300 "$make" -s -f "$work/makefile" "$@" 2>"$work/make.err" ||
		not_ok "$FORM: make $*: exit status $?" "$work/make.err"
	expect "$FORM: make $*: complaints: $complaints" \
		test "$(grep -c INTERNAL "$work/make.err")" = "$complaints"
}

# by_hand TOKENS RECIPE...: at once, in what looks like a make with a FIFO.
by_hand()
{
	rm -f "$work/fifo"
	mkfifo "$work/fifo"
	exec 9<>"$work/fifo"
	printf '%.*s' "$1" ++++++++ >&9
	shift
	printf '%s\n' "$@" |
		MAKEFLAGS="-j --jobserver-auth=-2,-2 --jobserver-auth=fifo:$work/fifo -- A=b" \
		timeout 300 xargs -P 8 -n 1 sh tests/jobserver.sh 2>"$work/make.err" ||
		not_ok "$FORM: $*: exit status $?" "$work/make.err"
}

# threads_of_several MOST: what the log of several at once says.
threads_of_several()
{
	expect "$FORM: several: never more threads than jobs" awk -v most="$1" \
		'{ now += $1 == "+" ? 1 : -1; bad += now > most } END { exit bad || !NR }' "$work/log"
	rm "$work/log"
}

# with_make FORM [OPTION]: of make.
with_make()
{
	FORM="jobserver: $1"
	shift
	in_make 0 "$@" -j4 three_free
	in_make 1 "$@" -j4 kill
	in_make 0 "$@" -j2 hog next_to_hog
	in_make 0 "$@" -j2 several1 several2 several3 several4 several5 several6
	threads_of_several 2
	# A FIFO is open to each line.
	[ "$FORM" != "jobserver: pipe" ] || in_make 0 "$@" -j4 without_plus
}

if "$make" --jobserver-style=pipe --version >/dev/null 2>&1; then
	with_make pipe --jobserver-style=pipe
	with_make "make's FIFO" --jobserver-style=fifo
else
	with_make pipe
fi
FORM="jobserver: make without -j"
in_make 0 no_jobserver
FORM="jobserver: make -j1"
in_make 0 -j1 no_jobserver

FORM="jobserver: FIFO"
by_hand 3 three_free
by_hand 3 kill
by_hand 0 none_free
have flock "jobserver: a late token" && by_hand 0 late_token
by_hand 1 several1 several2 several3
threads_of_several 4
rm "$work/fifo"
MAKEFLAGS="-j4 --jobserver-auth=fifo:$work/fifo" \
	"$BTFENC" encode -v -j -o "$work/btf" "$image" 2>"$work/err"
expect "$FORM: make has gone: one thread" \
	grep -q "^threads: 1; make's jobserver is not open" "$work/err"
