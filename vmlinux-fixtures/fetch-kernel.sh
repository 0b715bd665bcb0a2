#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Fetches a real kernel with debug information into a cache and prints the path of its vmlinux as
# the last line on stdout.
#
#	fetch-kernel.sh [--modules]	--modules: its modules, too; the line before the last
#					is then the path of their directory
#
# The cache is ${BTFENC_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/btfenc}. In it are vmlinux-RELEASE,
# modules-RELEASE and the package itself, where RELEASE is as in the package's name
# (6.1.0-56-cloud-amd64). What is there is used without asking anyone. BTFENC_KERNEL_PACKAGE names
# another package (linux-image-RELEASE-dbg).
#
# Exit status: 0 done, 2 usage, 75 the package cannot be had here (one line on stderr says why).

set -eu

# In order of preference; of each the newest. Shell patterns of RELEASE.
preferred='6.1.0-*-cloud-amd64 6.12.*-cloud-amd64'

unavailable() {
	echo "fetch-kernel: $*" >&2
	exit 75
}

want_modules=no
if [ "${1-}" = --modules ]; then
	want_modules=yes
	shift
fi
if [ $# -gt 0 ]; then
	echo "usage: fetch-kernel.sh [--modules]" >&2
	exit 2
fi

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

for tool in dpkg-deb tar; do
	command -v $tool >/dev/null 2>&1 || unavailable "$tool is not installed"
done

# Everything is made in a directory of its own inside the cache and renamed when it is complete.
work=$(mktemp -d "$cache/.fetch.XXXXXX" 2>/dev/null) || unavailable "cannot write to $cache"
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP

deb=$(echo "$cached" | pick linux-image- '-dbg_*.deb')

# ---- download ----

known_package() {
	apt-cache pkgnames linux-image- 2>/dev/null | pick linux-image- -dbg
}

if [ -z "$deb" ]; then
	command -v apt-get >/dev/null 2>&1 || unavailable "apt-get is not installed"
	package=$(known_package)
	if [ -z "$package" ] && [ "$(id -u)" = 0 ]; then
		apt-get -q update >"$work/log" 2>&1 || true
		package=$(known_package)
	fi
	[ -n "$package" ] || unavailable "apt knows no linux-image-RELEASE-dbg for: $preferred"

	mkdir "$work/download"
	(cd "$work/download" && apt-get -q download "$package") >"$work/log" 2>&1 ||
		unavailable "cannot download $package: $(grep '^E:' "$work/log" | head -n 1)"
	deb=$(ls "$work/download")
	mv "$work/download/$deb" "$cache/$deb"
fi

# ---- extract ----

release=${deb#linux-image-}
release=${release%%-dbg_*}
debug=./usr/lib/debug

# $1: path inside the package, $2: its place in the cache
extract() {
	[ ! -e "$cache/$2" ] || return 0
	dpkg-deb --fsys-tarfile "$cache/$deb" 2>"$work/log" |
		tar -x -C "$work" -f - "$debug/$1" 2>>"$work/log" ||
		unavailable "cannot extract ${1##*/} from $cache/$deb: $(head -n 1 "$work/log")"
	# When somebody else was faster, theirs is the same.
	mv -T "$work/$debug/$1" "$cache/$2" 2>/dev/null || [ -e "$cache/$2" ]
}

extract "boot/vmlinux-$release" "vmlinux-$release"
if [ "$want_modules" = yes ]; then
	extract "lib/modules/$release" "modules-$release"
fi
finish_when_complete "$release"
unavailable "$cache/vmlinux-$release is empty: remove it and try again"
