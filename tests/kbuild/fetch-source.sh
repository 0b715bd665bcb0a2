#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Fetches the source of Debian's kernel into the cache and prints the path of its directory as the
# last line on stdout: what x86-64 without graphics, sound and network adapters takes.
#
#	fetch-source.sh VERSION [x86]	6.1: the package linux-source-6.1
#	fetch-source.sh VERSION arm64	what arm64 takes
#
# It comes from this machine's own suites, or else from Debian's newest ones, or an older one.
#
# The cache is ${BTFENC_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/btfenc}, the directory in it
# kbuild-VERSION/source, or kbuild-VERSION-arm64/source. What is there is used without asking anyone.
#
# Exit status: 0 done, 2 usage, 75 the package cannot be had here (one line on stderr says why).
set -eu

unavailable()
{
	echo "fetch-source: $*" >&2
	exit 75
}

case $#,${2-} in
1, | 2,x86) others='[!x]*' directory=kbuild-$1 ;;
2,arm64) others='[!ax]*' directory=kbuild-$1-arm64 ;; # tools/ has x86's, too
*)
	echo "usage: fetch-source.sh VERSION [x86|arm64]" >&2
	exit 2
	;;
esac
package=linux-source-$1
case $1 in
5.*) suites="bullseye bullseye-security" ;;
*) suites="sid experimental" ;;
esac
here=$(dirname "$0")
private_apt=$(cd "$here/../../vmlinux-fixtures" && pwd)/private-apt.sh

cache=${BTFENC_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/btfenc}
mkdir -p "$cache/$directory" 2>/dev/null || unavailable "cannot create $cache/$directory"
directory=$(cd "$cache/$directory" && pwd)
finish_when_complete()
{
	[ -e "$directory/source/Makefile" ] || return 0
	echo "$directory/source"
	exit 0
}
finish_when_complete

for tool in apt-get dpkg-deb tar xz; do
	command -v $tool >/dev/null 2>&1 || unavailable "$tool is not installed"
done
# Everything is made in a directory of its own inside the cache and renamed when it is complete.
work=$(mktemp -d "$directory/.fetch.XXXXXX" 2>/dev/null) || unavailable "cannot write to $directory"
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP

# The lists may be old, or not be there.
download()
{
	(cd "$work" && apt-get -q download "$package") >"$work/log" 2>&1
}
download_elsewhere()
{
	sh "$private_apt" amd64 "$suites" names "$package" >"$work/names" 2>"$work/log" || return
	if ! grep -qx "$package" "$work/names"; then
		echo "E: neither this machine's suites nor $suites have it" >"$work/log"
		return 1
	fi
	(cd "$work" && sh "$private_apt" amd64 "$suites" download "$package") 2>"$work/log"
}
download || { [ "$(id -u)" = 0 ] && apt-get -q update >"$work/log" 2>&1 && download; } ||
	download_elsewhere || unavailable "cannot download $package: $(tail -n 1 "$work/log")"

# Without what would be two thirds of it and is never compiled. Kconfig wants all Kconfig files.
mkdir "$work/source"
dpkg-deb --fsys-tarfile "$work/$package"_*.deb |
	tar -x -O --wildcards -f - "./usr/src/$package.tar.*" |
	tar -x -J -C "$work/source" -f - --strip-components=1 --anchored --wildcards \
		--exclude="*/arch/$others/*.[chS]" --exclude='*/arch/*/*.dts*' \
		--exclude='*/Documentation/*.rst' --exclude='*/Documentation/*.yaml' \
		--exclude='*/drivers/gpu/*.[ch]' --exclude='*/drivers/media/*.c' \
		--exclude='*/drivers/net/*/*.c' --exclude='*/drivers/staging/*.c' \
		--exclude='*/sound/*.c' 2>"$work/log" ||
	unavailable "cannot extract $package: $(head -n 1 "$work/log")"
# If another process was faster, its source is the same.
mv -T "$work/source" "$directory/source" 2>/dev/null || true
finish_when_complete
unavailable "$package has no Makefile of a kernel"
