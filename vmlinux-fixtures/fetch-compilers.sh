#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Fetches compilers that are newer than this machine's Debian, GCC 16 and clang 23 of sid, into the
# cache, and prints the folder with gcc-16, clang-23, ld.lld-23 and llvm-dwarfdump-23 for PATH.
# Nothing is installed. They run on sid's own libraries: the programs that a compiler starts, too.
#
#	fetch-compilers.sh [--cached]		--cached: only if they have been fetched before
#
# They are in ${BTFENC_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/btfenc}/tools/sid-compilers (1.1 GB),
# and are not fetched again as long as they are there.
# Exit status: 0 done, 2 usage, 75 they cannot be had here (one line on stderr says why).
set -eu

case $# in
0) cached= ;;
1) cached=$1 ;;
*) cached=usage ;;
esac
if [ -n "$cached" ] && [ "$cached" != --cached ]; then
	echo "usage: fetch-compilers.sh [--cached]" >&2
	exit 2
fi
here=$(dirname "$0")
here=$(cd "$here" && pwd)
cache=${BTFENC_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/btfenc}
if [ -x "$cache/tools/sid-compilers/path/clang-23" ]; then
	(cd "$cache/tools/sid-compilers/path" && pwd)
	exit 0
fi
if [ -n "$cached" ]; then
	echo "fetch-compilers: gcc-16 and clang-23 have not been fetched" >&2
	exit 75
fi
if [ "$(uname -m)" != x86_64 ]; then
	echo "fetch-compilers: they are fetched for x86-64 only" >&2
	exit 75
fi
if ! mkdir -p "$cache/tools" 2>/dev/null; then
	echo "fetch-compilers: cannot create $cache/tools" >&2
	exit 75
fi
tools=$(cd "$cache/tools" && pwd)
root=$tools/sid-compilers

work=$(mktemp -d "$tools/.fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
(cd "$work" && sh "$here/private-apt.sh" amd64 sid unpack gcc-16 clang-23 lld-23 llvm-23)

# run_by_own_loader PROGRAM [ARGUMENT]: PROGRAM becomes a script. The loader is told the script's
# name, because compilers look for their parts where they are themselves.
run_by_own_loader()
{
	program=$1
	shift
	mv "$work/$program" "$work/$program.elf"
	cat >"$work/$program" <<END
#!/bin/sh
exec "$root/usr/lib64/ld-linux-x86-64.so.2" --argv0 "$root/$program" --library-path \\
	"$root/usr/lib/x86_64-linux-gnu:$root/usr/lib/llvm-23/lib" "$root/$program.elf" $* "\$@"
END
	chmod 755 "$work/$program"
}

for part in cc1 collect2 lto1 lto-wrapper; do
	run_by_own_loader usr/libexec/gcc/x86_64-linux-gnu/16/$part
done
run_by_own_loader usr/bin/x86_64-linux-gnu-as
run_by_own_loader usr/bin/x86_64-linux-gnu-ld.bfd
run_by_own_loader usr/bin/x86_64-linux-gnu-gcc-16 "-B$root/usr/bin/"
# clang starts itself again, as "clang -cc1" or "-cc1as", by the name that it was started with: it
# is told not to look where its code is, which is the loader.
clang=usr/lib/llvm-23/bin/clang
run_by_own_loader $clang
# shellcheck disable=SC2016 # these are the script's
sed -i 's/\.elf"  "\$@"/.elf" ${canonical-} "$@"/; 2i\
case "${1-}" in -cc1*) ;; *) canonical=-no-canonical-prefixes ;; esac' "$work/$clang"
run_by_own_loader usr/lib/llvm-23/bin/lld
run_by_own_loader usr/lib/llvm-23/bin/llvm-dwarfdump
# One program of several names: its first argument says which it is.
sed -i 's/--argv0 "[^"]*"/--argv0 ld.lld/' "$work/usr/lib/llvm-23/bin/lld"

mkdir "$work/path"
ln -s ../usr/bin/x86_64-linux-gnu-gcc-16 "$work/path/gcc-16"
ln -s ../usr/lib/llvm-23/bin/clang "$work/path/clang-23"
ln -s ../usr/lib/llvm-23/bin/lld "$work/path/ld.lld-23"
ln -s ../usr/lib/llvm-23/bin/llvm-dwarfdump "$work/path/llvm-dwarfdump-23"
chmod 755 "$work"
mv -T "$work" "$root" 2>/dev/null || [ -x "$root/path/clang-23" ]
echo "$root/path"
