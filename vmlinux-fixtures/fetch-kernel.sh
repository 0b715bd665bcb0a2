#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Fetches a real kernel with debug information into a cache and prints the path of its vmlinux as
# the last line on stdout.
#
#	fetch-kernel.sh [--modules] [--cached] [KEY]
#		KEY		a row of the table "kernels" in this directory; the first, if none is given
#		--modules	its modules, too: the line before the last is the path of their directory
#		--cached	only what is there already
#
# The cache is ${BTFENC_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/btfenc}. In it are vmlinux-RELEASE and
# modules-RELEASE, where RELEASE is as in the package's name (6.1.0-56-cloud-amd64). Cached files are
# used without a request to the mirror; both come out of one package, so both are kept, and the package is not.
# BTFENC_KERNEL_PACKAGE names another package than the row's (linux-image-RELEASE-dbg).
#
# Exit status: 0 done, 2 usage, 75 the package cannot be had here (one line on stderr says why).

set -eu

unavailable() {
	echo "fetch-kernel: $*" >&2
	exit 75
}

want_modules=no cached_only=no
while :; do
	case ${1-} in
	--modules) want_modules=yes ;;
	--cached) cached_only=yes ;;
	*) break ;;
	esac
	shift
done
here=$(dirname "$0")
if [ $# -gt 0 ]; then
	row=$(grep "^$1|" "$here/kernels") || row=
else
	row=$(grep -m 1 '^[^#]' "$here/kernels")
fi
if [ $# -gt 1 ] || [ -z "$row" ]; then
	echo "usage: fetch-kernel.sh [--modules] [--cached] [$(
		sed -n '/^[^#]/s/|.*//p' "$here/kernels" | paste -s -d '|')]" >&2
	exit 2
fi
IFS='|' read -r _ arch suites preferred <<EOF
$row
EOF

cache=${BTFENC_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/btfenc}
mkdir -p "$cache" 2>/dev/null || unavailable "cannot create the cache directory $cache"
cache=$(cd "$cache" && pwd)

if [ -n "${BTFENC_KERNEL_PACKAGE-}" ]; then
	preferred=${BTFENC_KERNEL_PACKAGE#linux-image-}
	preferred=${preferred%-dbg}
fi

# Reads names on stdin, prints the newest that a pattern (after the prefix $1, before the suffix $2)
# matches, the earlier pattern first. RELEASE may not be split: names have no blanks.
pick() {
	names=$(sort -rV)
	set -f
	for pattern in $preferred; do
		for name in $names; do
			# shellcheck disable=SC2254 # the pattern is meant as one
			case $name in
			$1$pattern$2) echo "$name"; set +f; return ;;
			esac
		done
	done
	set +f
}

finish_when_complete() {
	[ -s "$cache/vmlinux-$1" ] || return 0
	if [ "$want_modules" = yes ]; then
		[ -d "$cache/modules-$1" ] || return 0
		echo "$cache/modules-$1"
	fi
	echo "$cache/vmlinux-$1"
	exit 0
}

# ---- what is cached: the finished files, else the package ----

cached=$(cd "$cache" && ls)
vmlinux=$(echo "$cached" | pick vmlinux- '')
if [ -n "$vmlinux" ]; then
	finish_when_complete "${vmlinux#vmlinux-}"
	# Complete but for the modules: they have to be of the same kernel.
	preferred=${vmlinux#vmlinux-}
fi
[ $cached_only = no ] || unavailable "no kernel in $cache matches: $preferred"

for tool in dpkg-deb tar; do
	command -v $tool >/dev/null 2>&1 || unavailable "$tool is not installed"
done

# Everything is made in a directory of its own inside the cache and renamed when it is complete.
work=$(mktemp -d "$cache/.fetch.XXXXXX" 2>/dev/null) || unavailable "cannot write to $cache"
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP

# ---- download ----

private_apt() {
	sh "$here/private-apt.sh" "$arch" "$suites" "$@" 2>"$work/log" ||
		unavailable "$(sed 's/^private-apt: //' "$work/log")"
}

deb=$(echo "$cached" | pick linux-image- '-dbg_*.deb')
if [ -n "$deb" ]; then
	mv "$cache/$deb" "$work"
else
	here=$(cd "$here" && pwd)
	# A pipe would hide the status.
	private_apt names linux-image- >"$work/names"
	package=$(pick linux-image- -dbg <"$work/names")
	[ -n "$package" ] || unavailable "$suites have no linux-image-RELEASE-dbg for: $preferred"
	echo "fetch-kernel: downloading $package" >&2
	(cd "$work" && private_apt download "$package")
	deb=$(cd "$work" && ls ./*.deb)
fi

# ---- extract ----

release=${deb#./}
release=${release#linux-image-}
release=${release%%-dbg_*}

# Its contents are up to eight times as large.
needed=$(($(du -k "$work/$deb" | cut -f 1) * 8))
free=$(df -Pk "$work" | awk 'NR == 2 { print $4 }')
[ "$free" -gt $needed ] || unavailable "$cache has no $((needed >> 20)) GiB free for $deb"

dpkg-deb --fsys-tarfile "$work/$deb" 2>"$work/log" |
	tar -x -C "$work" -f - ./usr/lib/debug 2>>"$work/log" ||
	unavailable "cannot extract $deb: $(head -n 1 "$work/log")"
debug=$work/usr/lib/debug
modules=$debug/lib/modules/$release
# From 7.2 on vmlinux is next to the modules, before that in boot; the other one is a link.
image=$modules/vmlinux
if [ -L "$image" ] || ! [ -f "$image" ]; then
	image=$debug/boot/vmlinux-$release
fi
if [ -L "$image" ] || ! [ -f "$image" ]; then
	unavailable "$deb has no vmlinux"
fi

# If another process was faster, its files are the same. vmlinux is last: it says that all is there.
place() {
	[ -e "$2" ] || mv -T "$1" "$2" 2>/dev/null || [ -e "$2" ]
}
mv "$image" "$work/vmlinux"
rm -f "$modules/vmlinux"
place "$modules" "$cache/modules-$release"
rm -f "$work"/*.deb
[ -s "$cache/vmlinux-$release" ] || mv -T "$work/vmlinux" "$cache/vmlinux-$release"
finish_when_complete "$release"
unavailable "$cache/vmlinux-$release is empty: remove it and try again"
