#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Fetches the image that boots of a kernel that fetch-kernel.sh fetches, and prints its path after that
# of the vmlinux.
#
#	fetch-image.sh KEY
#
# It is in the cache next to the vmlinux, as vmlinuz-RELEASE. What is there is used without a request.
# Exit status: 0 done, 2 usage, 75 it cannot be had here (one line on stderr says why).
set -eu

here=$(dirname "$0")
here=$(cd "$here" && pwd)
if [ $# -ne 1 ]; then
	echo "usage: fetch-image.sh KEY" >&2
	exit 2
fi
vmlinux=$(sh "$here/fetch-kernel.sh" "$1")
release=${vmlinux##*/vmlinux-}
image=${vmlinux%/*}/vmlinuz-$release
if ! [ -s "$image" ]; then
	IFS='|' read -r _ arch suites _ <<-EOF
		$(grep "^$1|" "$here/kernels")
	EOF
	work=$(mktemp -d "${vmlinux%/*}/.fetch.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	trap 'exit 130' INT TERM HUP
	cd "$work"
	# From 7.2 on linux-image depends on the package that has it.
	sh "$here/private-apt.sh" "$arch" "$suites" names linux- >packages
	package=$(grep -xF -e "linux-binary-$release" -e "linux-image-$release" packages | sort | head -n 1)
	if [ -z "$package" ]; then
		echo "fetch-image: $suites no longer have linux-image-$release" >&2
		exit 75
	fi
	sh "$here/private-apt.sh" "$arch" "$suites" download "$package"
	dpkg-deb -x ./*.deb .
	# That of ppc64le is not compressed.
	find . \( -name 'vmlinuz*' -o -path './boot/vmlinux-*' \) -type f -exec mv {} "$image" \;
	[ -s "$image" ] || { echo "fetch-image: $package has no image" >&2; exit 75; }
fi
echo "$vmlinux"
echo "$image"
