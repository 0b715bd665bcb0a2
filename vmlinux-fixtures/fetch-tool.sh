#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Fetches a program of another suite of Debian, with the libraries it needs, into the cache, and
# prints the path of a script that runs it, through its own loader.
#
#	fetch-tool.sh SUITE PACKAGE PROGRAM		sid pahole /usr/bin/pahole
#
# It is in ${BTFENC_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/btfenc}/tools/SUITE-PACKAGE, and is not
# fetched again as long as it is there. Nothing is installed.
# Exit status: 0 done, 2 usage, 75 it cannot be had here (one line on stderr says why).
set -eu

if [ $# -ne 3 ]; then
	echo "usage: fetch-tool.sh SUITE PACKAGE PROGRAM" >&2
	exit 2
fi
here=$(dirname "$0")
here=$(cd "$here" && pwd)
cache=${BTFENC_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/btfenc}
tools=$cache/tools
mkdir -p "$tools" 2>/dev/null || { echo "fetch-tool: cannot create $tools" >&2; exit 75; }
tools=$(cd "$tools" && pwd)
script=$tools/$1-$2/run-${3##*/}
if [ -x "$script" ]; then
	echo "$script"
	exit 0
fi

work=$(mktemp -d "$tools/.fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
(cd "$work" && sh "$here/private-apt.sh" "$(dpkg --print-architecture)" "$1" unpack "$2")

# The links to /usr's folders are in a package that nothing depends on.
for folder in lib lib64; do
	[ -e "$work/$folder" ] || [ ! -d "$work/usr/$folder" ] || ln -s "usr/$folder" "$work/$folder"
done
# The loader is where the program says; it is told which libraries to take.
loader=$(readelf -lW "$work$3" | sed -n 's/.*program interpreter: \(.*\)\]$/\1/p')
# shellcheck disable=SC2016 # $here is the script's
libraries=$(cd "$work/usr/lib" && find . -name '*.so.*' ! -path '*/gconv/*' -printf '%h\n' | sort -u |
	sed 's,^\.,$here/usr/lib,' | paste -s -d :)
cat >"$work/run-${3##*/}" <<EOF
#!/bin/sh
here=\$(dirname "\$0")
exec "\$here$loader" --library-path "$libraries" "\$here$3" "\$@"
EOF
chmod 755 "$work" "$work/run-${3##*/}"
mv -T "$work" "$tools/$1-$2" 2>/dev/null || [ -x "$script" ]
echo "$script"
