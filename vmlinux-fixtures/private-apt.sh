#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# apt of another architecture or of other suites of Debian, with sources, lists and packages of its
# own: what this machine has installed and knows stays as it is. The mirror is this machine's own.
# Needs no root.
#
#	private-apt.sh ARCH "SUITE..." names PREFIX	refreshes the lists; prints packages PREFIX*
#	private-apt.sh ARCH "SUITE..." download PACKAGE	into the working directory
#	private-apt.sh ARCH "SUITE..." source PACKAGE...	refreshes the lists; unpacks what upstream released,
#							unpatched, into the working directory
#	private-apt.sh ARCH "SUITE..." unpack PACKAGE...	refreshes the lists; with all they depend
#							on, from libc on, into the working directory
#	private-apt.sh ARCH "SUITE..." mirror		prints the one of the first suite
#
# Unpacked programs run through their own loader: fetch-tool.sh.
#
# Everything is in ${BTFENC_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/btfenc}/apt.
# Exit status: 0 done, 2 usage, 75 it cannot be had here (one line on stderr says why).
set -eu

unavailable()
{
	echo "private-apt: $*" >&2
	exit 75
}

if [ $# -lt 3 ]; then
	echo 'usage: private-apt.sh ARCH "SUITE..." names|download|source|unpack|mirror [ARGUMENT...]' >&2
	exit 2
fi
arch=$1 suites=$2 command=$3
shift 3

for tool in apt-get dpkg-deb; do
	command -v $tool >/dev/null 2>&1 || unavailable "$tool is not installed"
done
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[ -s $keyring ] || unavailable "$keyring is not there (package debian-archive-keyring)"

cache=${BTFENC_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/btfenc}
own=$cache/apt/$arch-$(echo "$suites" | tr ' ' _) type=deb
[ "$command" != source ] || own=$own-source type=deb-src
mkdir -p "$own/lists/partial" "$own/cache/archives/partial" 2>/dev/null ||
	unavailable "cannot create $own"
own=$(cd "$own" && pwd)

# The site of Debian's main archive, or with "-security" that of its security updates, where this
# machine has it from.
site()
{
	# shellcheck disable=SC2016 # these are apt's words
	apt-get indextargets --no-release-info --format '$(RELEASE) $(COMPONENT) $(SITE)' \
		'Created-By: Packages' 2>/dev/null |
		awk -v wanted="$1" '
			BEGIN {
				names = "(bookworm|trixie|forky|sid|oldstable|stable|testing|unstable)"
			}
			$2 == "main" && $1 ~ "^" names wanted "$" { print $3; exit }'
}

main=$(site '')
[ -n "$main" ] || unavailable "apt's sources have no mirror of Debian"
security=$(site -security)
for suite in $suites; do
	case $suite in
	*-security) mirror=$security ;;
	*) mirror=$main ;;
	esac
	# A machine without security updates goes without them here, too.
	[ -z "$mirror" ] || echo "$type [signed-by=$keyring] $mirror $suite main"
done >"$own/sources.list"

# apt COMMAND ARGUMENT... A mirror that stands still (a snapshot) has lists that have expired; they are signed, too.
apt()
{
	program=$1
	shift
	"$program" -q -o Dir::Etc::sourcelist="$own/sources.list" -o Dir::Etc::sourceparts=- \
		-o Dir::State="$own" -o Dir::State::Lists="$own/lists" -o Dir::State::status=/dev/null \
		-o Dir::Cache="$own/cache" -o APT::Architecture="$arch" -o APT::Architectures="$arch" \
		-o Debug::NoLocking=1 -o APT::Sandbox::User= -o Acquire::Languages=none \
		-o Acquire::Check-Valid-Until=false -o APT::Install-Recommends=0 "$@"
}

# quietly WHAT COMMAND...: its first error is the reason.
quietly()
{
	what=$1
	shift
	"$@" >"$own/log" 2>&1 ||
		unavailable "cannot $what: $(grep '^[EW]:' "$own/log" | head -n 1)"
}

# While a mirror is being updated, one suite may have lists that disagree: the others will do, if the
# first is among them.
refresh()
{
	apt apt-get update -o APT::Update::Error-Mode=any >"$own/log" 2>&1 && return
	ls "$own/lists/"*_dists_"${suites%% *}"_main_binary-"$arch"_Packages* >/dev/null 2>&1 ||
		unavailable "cannot read the lists of $arch in $suites: $(
			grep '^[EW]:' "$own/log" | head -n 1)"
	echo "private-apt: some lists of $arch in $suites are old: $(grep '^[EW]:' "$own/log" | head -n 1)" >&2
}

case $command in
mirror) sed -n '1s/.*\] \([^ ]*\) .*/\1/p' "$own/sources.list" ;;
names)
	refresh
	apt apt-cache pkgnames "${1-}" 2>"$own/log"
	;;
download) quietly "download $1" apt apt-get download "$1" ;;
source)
	refresh
	quietly "download the sources of $*" apt apt-get source --download-only "$@"
	for archive in *.orig.tar.*[!c]; do
		tar -xf "$archive" || unavailable "cannot unpack $archive"
	done
	;;
unpack)
	refresh
	quietly "download $*" apt apt-get install -y --download-only "$@"
	for package in "$own"/cache/archives/*.deb; do
		dpkg-deb -x "$package" . || unavailable "cannot unpack $package"
	done
	rm -f "$own"/cache/archives/*.deb
	;;
*)
	echo "private-apt: unknown command '$command'" >&2
	exit 2
	;;
esac
