#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# The README's commands on a fresh machine: `make demo` and `make test` of a clone of HEAD in a minimal
# Debian (debootstrap), by a user when nothing is installed, by root, and by a user when everything is.
# Needs root; the mirror is this machine's.
#
#	SUITES		"bookworm trixie": the oldest that is supported, and the newest that is released
#	FRESH=full	the default
#	FRESH=unit	the user runs the compiled tests only
#	FRESH=short	the user runs none, and root all but truth_*, which take half of the time
#	FRESH_DIR	where the systems are made and left for a look (they are removed else)
. tests/lib.sh

user_tests=test root_tests=test
case ${FRESH-} in
unit) user_tests=unit ;;
short) user_tests='' root_tests="test T='[!t]* t[!r]* tra* true*'" ;;
esac
roots=${FRESH_DIR:-$work}

if [ "$(id -u)" -ne 0 ]; then
	skip "a fresh machine" "it takes root"
	exit 0
fi
have debootstrap "a fresh machine" && have git "a fresh machine" || exit 0
mirror=$(sh vmlinux-fixtures/private-apt.sh "$(dpkg --print-architecture)" stable mirror 2>"$work/log") || {
	skip "a fresh machine" "$(tail -n 1 "$work/log")"
	exit 0
}

# inside COMMAND: by the shell of the fresh machine. Its mounts end with it.
inside()
{
	# shellcheck disable=SC2016 # these are for the inner shell
	unshare --mount --pid --fork sh -c '
		mount -t proc proc "$0/proc" && mount -t tmpfs tmpfs "$0/dev/shm" &&
			mount -t devpts -o newinstance,ptmxmode=666 devpts "$0/dev/pts" &&
			mount --bind "$0/dev/pts/ptmx" "$0/dev/ptmx" &&
			exec chroot "$0" /usr/bin/env -i HOME=/root LC_ALL=C TERM=dumb \
				PATH=/usr/sbin:/usr/bin:/sbin:/bin sh -c "$1"' "$root" "$1"
}

# step NAME COMMAND [PATTERN]: the command succeeds, or with a PATTERN fails and says it. Its output
# is shown as it comes: it may take minutes.
step()
{
	begun=$(date +%s)
	{
		inside "$2" 2>&1
		echo $? >"$work/status"
	} </dev/null | tee "$work/output" | sed -u "s/^/$suite: /"
	took="$(($(date +%s) - begun)) s"
	if [ -n "${3-}" ]; then
		if [ "$(cat "$work/status")" -ne 0 ] && grep -q -e "$3" "$work/output"; then
			ok "$suite: $1"
			return
		fi
	elif [ "$(cat "$work/status")" -eq 0 ]; then
		ok "$suite: $1 ($took)"
		return
	fi
	not_ok "$suite: $1"
	grep -e '^not ok' -e '^\[  FAILED' -e '^install-deps' -e Error "$work/output" | head -n 40 |
		sed 's/^/    /'
	return 1
}

for suite in ${SUITES:-bookworm trixie}; do
	root=$roots/$suite
	rm -rf "$root"
	echo "$suite: debootstrap"
	if ! debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$work/log" 2>&1; then
		tail -n 3 "$work/log" >"$work/output"
		not_ok "$suite: debootstrap" "$work/output"
		continue
	fi
	# As in private-apt.sh.
	echo 'Acquire::Check-Valid-Until "false";' >"$root/etc/apt/apt.conf.d/90snapshot"
	# The tools that the README asks for to get this far.
	step "make and git" "apt-get -q update && apt-get -q -y --no-install-recommends install \
		make git >/dev/null && useradd -m user" || continue
	git bundle create -q "$root/btfenc.bundle" HEAD
	inside 'git clone -q /btfenc.bundle /root/btfenc 2>/dev/null &&
		su user -c "git clone -q /btfenc.bundle ~/btfenc" 2>/dev/null'

	asks='as root: apt-get install .*libdw-dev'
	step "a user is told what to install for make demo" \
		'su user -c "cd ~/btfenc && make demo"' "$asks"
	step "a user is told what to install for make test" \
		'su user -c "cd ~/btfenc && make test"' "$asks.*python3"
	step "make demo as root" 'cd ~/btfenc && make demo'
	step "make test as root" "cd ~/btfenc && make $root_tests"
	[ -z "$user_tests" ] || step "make demo as a user" 'su user -c "cd ~/btfenc && make demo"'
	[ -z "$user_tests" ] ||
		step "make $user_tests as a user" "su user -c 'cd ~/btfenc && make $user_tests'"
	[ -n "${FRESH_DIR-}" ] || rm -rf "$root"
done
