# shellcheck shell=sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Shared by all shell tests: one line per case, which tests/run.py counts, and a directory of its
# own, $work, that goes away at the end. The Makefile exports
#
#	BTFENC		the program
#	TEST_PROGRAMS	the directory of the compiled tests and tools
#	FIXTURES	the directory of the fixture images, VARIANT/vmlinux
#	CASE		if not empty, a pattern: only cases whose names match are reported. What they need is
#			done all the same, but for blocks in "if among PREFIX".

set -u
LC_ALL=C
export LC_ALL
PATH=$PATH:/usr/sbin:/sbin
: "${BTFENC:?run this by make}" "${TEST_PROGRAMS:?run this by make}" "${FIXTURES:?run this by make}"

tests=$PWD/tests
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP

# wanted NAME: the case matches CASE, which may leave out the first word and colon of the name.
wanted()
{
	# shellcheck disable=SC2254 # it is a pattern
	case $1 in
	${CASE:-*}) return 0 ;;
	esac
	# shellcheck disable=SC2254
	case ${1#*: } in
	${CASE:-*}) return 0 ;;
	esac
	return 1
}

# among PREFIX: a case whose name begins with PREFIX may be wanted.
among()
{
	among_fixed=${CASE%%[][*?]*}
	case $1 in
	"$among_fixed"* | *": $among_fixed"*) return 0 ;;
	esac
	case $among_fixed in
	"$1"* | "${1#*: }"*) return 0 ;;
	esac
	return 1
}

ok()
{
	! wanted "$1" || echo "ok - $1"
}

# not_ok NAME [FILE]: the file, if any, says what was asked, expected and got.
not_ok()
{
	wanted "$1" || return 0
	echo "not ok - $1"
	[ -z "${2-}" ] || head -n 20 "$2" | sed 's/^/    /'
}

# outcome STATUS NAME [FILE]: the case is good if the status is 0. FILE is not_ok's.
outcome()
{
	if [ "$1" -eq 0 ]; then
		ok "$2"
	else
		not_ok "$2" "${3-}"
	fi
}

# run NAME STATUS STDOUT STDERR ARGUMENT...: of btfenc. What it prints, $work/stdout and $work/stderr,
# fits these patterns of the shell, '' for nothing; a message of btfenc is one line. $run_group is the
# first word of the cases.
run_group=
run()
{
	run_name="$run_group: $1" run_status=$2 run_out=$3 run_err=$4
	shift 4
	"$BTFENC" "$@" >"$work/stdout" 2>"$work/stderr"
	status=$?
	{
		[ $status -eq "$run_status" ] || echo "exit status $status, not $run_status"
		# shellcheck disable=SC2254 # they are meant as patterns
		case $(cat "$work/stdout") in
		$run_out) ;;
		*) echo "expected on stdout: '$run_out'" ;;
		esac
		# shellcheck disable=SC2254
		case $(cat "$work/stderr") in
		$run_err) ;;
		*) echo "expected on stderr: '$run_err'" ;;
		esac
		case $run_err in
		btfenc:*) [ "$(wc -l <"$work/stderr")" -eq 1 ] || echo "stderr is not one line" ;;
		esac
	} >"$work/wrong"
	[ ! -s "$work/wrong" ]
	run_bad=$?
	{ echo "asked: btfenc $*"; head -n 5 "$work/stdout" "$work/stderr"; } >>"$work/wrong"
	outcome $run_bad "$run_name" "$work/wrong"
}

# refusals STATUS COMMAND: run for each row of standard input, NAME|MESSAGE|ARGUMENT..., where a shell
# reads the arguments: nothing but the message, after "btfenc: ", is printed.
refusals()
{
	refusals_status=$1 refusals_command=$2 refusals_prefix="$2: "
	[ "$2" != "$run_group" ] || refusals_prefix=
	while IFS='|' read -r refusals_name refusals_message refusals_arguments; do
		eval "set -- $refusals_arguments"
		run "$refusals_prefix$refusals_name" "$refusals_status" '' "btfenc: $refusals_message" \
			"$refusals_command" "$@" </dev/null
	done
}

# skip NAME REASON
skip()
{
	! wanted "$1" || echo "skip - $1: $2"
}

# not_installed COMMAND: why a case is skipped, with Debian's name of the package. tests/run.py sums
# these up.
not_installed()
{
	case $1 in
	gcc-16 | clang-23 | ld.lld-23)
		echo "$1 is not here (vmlinux-fixtures/fetch-compilers.sh fetches it)"
		return
		;;
	*-linux-gnu*-gcc-[0-9]*) package=gcc-${1##*-}-${1%-gcc-*} ;;
	*-linux-gnu*-ld) package=binutils-${1%-ld} ;;
	clang++) package=clang ;;
	eu-*) package=elfutils ;;
	ld.lld*) package=lld${1#ld.lld} ;;
	go) package=golang-go ;;
	man) package=man-db ;;
	node) package=nodejs ;;
	pahole) package=dwarves ;;
	qemu-system-x86_64 | qemu-system-i386) package=qemu-system-x86 ;;
	qemu-system-aarch64) package=qemu-system-arm ;;
	qemu-system-ppc64) package=qemu-system-ppc ;;
	qemu-system-*) package=qemu-system-misc ;;
	qemu-*) package=qemu-user ;;
	script) package=bsdutils ;;
	xz) package=xz-utils ;;
	*) package=$1 ;;
	esac
	echo "$1 is not installed (package $package)"
}

# not_built VARIANT: why a fixture is not there
not_built()
{
	compiler=${1%%-*}
	compiler=$(echo "$compiler" | sed 's/[0-9]/-&/')
	case $1 in
	*-dwz) compiler=dwz ;;
	*-s390x*) compiler=s390x-linux-gnu-$compiler ;;
	clang22-lto | clang19-thumb) ! command -v "$compiler" >/dev/null 2>&1 || compiler=ld.lld-${compiler#*-} ;;
	esac
	not_installed "$compiler"
}

# have COMMAND NAME: true, or a skipped case.
have()
{
	command -v "$1" >/dev/null 2>&1 && return
	skip "$2" "$(not_installed "$1")"
	return 1
}

# have_pty NAME: a program can be given a terminal here (a chroot without /dev/pts cannot), or a skipped case.
have_pty()
{
	have python3 "$1" || return
	python3 -c 'import os; os.openpty()' 2>/dev/null && return
	skip "$1" "this machine has no pseudo-terminals"
	return 1
}

# expect NAME COMMAND...: the case is good when the command succeeds.
expect()
{
	expect_name=$1
	shift
	"$@" >"$work/expect.log" 2>&1
	expect_status=$?
	if [ $expect_status -eq 0 ]; then
		ok "$expect_name"
		return
	fi
	{
		echo "asked: $*"
		echo "got: exit status $expect_status"
		cat "$work/expect.log"
	} >"$work/expect.wrong"
	not_ok "$expect_name" "$work/expect.wrong"
}

# lacks_line PATTERN FILE [OPTION]: the file says something, but no line matches. (A "! grep" holds of
# a file that a program which crashed has left empty, too.)
lacks_line()
{
	if ! [ -s "$2" ]; then
		echo "$2 is empty or missing"
		return 1
	fi
	# shellcheck disable=SC2086 # an empty option is not an argument
	grep ${3-} -e "$1" "$2"
	[ $? -eq 1 ]
}

# valid_json SCHEMA FILE...: docs/schema/SCHEMA.json describes these files.
valid_json()
{
	valid_schema=docs/schema/$1.json
	shift
	python3 tests/json_schema.py "$valid_schema" "$@"
}

# limit_memory KIB: of this subshell. Address and thread sanitizers reserve terabytes.
limit_memory()
{
	# shellcheck disable=SC3045 # dash has it
	grep -aqE '__(asan|tsan)_init' "$BTFENC" || ulimit -v "$1"
}

# same_text FILE OTHER: they are equal, and say something.
same_text()
{
	[ -s "$1" ] && cmp "$1" "$2"
}

# same_hooks FUNCTIONS.tsv LIST.tsv [OTHERS]: `stats --functions` and `list --format tsv` of one file have
# the same names, but for OTHERS, and say the same of their hooks. Of a name with several instances
# list has one.
same_hooks()
{
	grep -vwFf "${3:-/dev/null}" "$2" | awk -F '\t' 'FNR == 1 || /^#/ { next }
		NR == FNR { hooks[$1 FS $15] = hooks[$1 FS $15] " " ($16 == "?" ? "-" : $16) " "; next }
		$3 != "tracepoint" && index(hooks[$1 FS $2], " " $5 " ") == 0 {
			print $1 ": stats" hooks[$1 FS $2] "list " $5; bad++ }
		$3 != "tracepoint" { seen[$1 FS $2]; count[$5]++ }
		END {
			for (name in hooks)
				if (!(name in seen)) { print name ": not in the list"; bad++ }
			if (!count["yes"] || !count["no"] || !count["-"]) { print "nothing is compared"; bad++ }
			exit bad > 0
		}' "$1" -
}

# fentries_by_stats STATS.json: how many functions with a FUNC fentry can attach to.
fentries_by_stats()
{
	python3 -c 'import json, sys
functions = json.load(open(sys.argv[1]))["functions"]
obstacles = ["ok_init", "ok_exit", "ok_no_hook", "ok_no_func", "ok_no_trampoline"]
print(functions["verdicts"]["ok"] - sum(functions[o]["names"] for o in obstacles))' "$1"
}

# built CASE PROGRAM SOURCE... LIBRARY...: by the compiler of the tests; or CASE failed, and the script ends.
built()
{
	built_case=$1 built_program=$2
	shift 2
	${CC:-cc} -std=gnu11 -O1 -g -Wall -Wextra -o "$built_program" "$@" >"$work/log" 2>&1 && return
	not_ok "$built_case" "$work/log"
	exit 1
}

# golden CASE NAME ARGUMENT...: what btfenc prints is what tests/golden/NAME has. With BLESS=1 it becomes that.
golden()
{
	golden_case=$1 golden_file=$tests/golden/$2
	shift 2
	wanted "$golden_case" || return 0
	"$BTFENC" "$@" >"$work/golden" 2>&1 || echo "exit status $?" >>"$work/golden"
	if [ -n "${BLESS-}" ]; then
		mkdir -p "${golden_file%/*}" && cp "$work/golden" "$golden_file"
	fi
	{
		echo "asked: btfenc $*"
		echo "expected (<) and got (>); make bless takes what it got:"
		diff "$golden_file" "$work/golden" 2>&1
	} >"$work/golden.wrong"
	outcome $? "$golden_case" "$work/golden.wrong"
}

# kinds FILE [OPTION]...: the kinds of its types on one line, each once. What cannot be read has a
# text of its own, which is equal to nothing else.
kinds()
{
	rm -f "$work/kinds.dump"
	if "$BTFENC" dump "$@" >"$work/kinds.dump" && [ -s "$work/kinds.dump" ]; then
		awk '/^\[/ { print $2 }' "$work/kinds.dump" | sort -u | tr '\n' ' '
	else
		echo "no dump of $*"
	fi
}

# fetched STATUS NAME LOG: what fetches ended with that. Where it is not 0, case NAME is skipped, as
# something cannot be had (75), or has failed.
fetched()
{
	case $1 in
	0) ;;
	75) skip "$2" "$(tail -n 1 "$3")" ;;
	*) not_ok "$2" "$3" ;;
	esac
	return "$1"
}

# kernel_source VERSION NAME [ARCH]: the directory of Debian's kernel source, in $source. Where it cannot
# be had, case NAME is skipped, and the script ends.
kernel_source()
{
	source=$(sh tests/kbuild/fetch-source.sh "$1" "${3:-x86}" 2>"$work/fetch")
	status=$?
	source=$(printf '%s\n' "$source" | tail -n 1)
	fetched $status "$2" "$work/fetch" || exit $((status != 75))
}

# root_of NAME ARCH SUITES PACKAGE...: prints the folder in the cache that has these packages of Debian
# and all they need. To be called in $(...); where they cannot be had, $work/log says why.
root_of()
{
	tools=${BTFENC_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/btfenc}/tools
	mkdir -p "$tools" && tools=$(cd "$tools" && pwd) || return
	root=$tools/$1 arch=$2 root_suites=$3
	shift 3
	# An earlier one may have had fewer packages.
	if [ "$(cat "$root/.packages" 2>/dev/null)" != "$*" ]; then
		unpacking=$(mktemp -d "$tools/.fetch.XXXXXX") || return
		apt=$PWD/vmlinux-fixtures/private-apt.sh
		if ! (cd "$unpacking" && sh "$apt" "$arch" "$root_suites" unpack "$@" 2>"$work/log"); then
			rm -rf "$unpacking"
			return 1
		fi
		echo "$*" >"$unpacking/.packages"
		rm -rf "$root"
		chmod 755 "$unpacking" && mv -T "$unpacking" "$root" || return
	fi
	# The package base-files has these links where /usr is merged. Linker scripts such as libc.so name files below /lib64.
	for folder in lib lib64; do
		[ -e "$root/$folder" ] || [ ! -e "$root/usr/$folder" ] ||
			ln -sT "usr/$folder" "$root/$folder" 2>/dev/null || [ -e "$root/$folder" ] || return
	done
	echo "$root"
}
