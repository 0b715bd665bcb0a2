#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Fetches compilers that this machine's Debian does not have, from sid, into the cache, and prints
# the folder for PATH: with gcc-16, clang-23, ld.lld-23 and llvm-dwarfdump-23, or the named ones.
# Nothing is installed. They run on sid's own libraries: the programs that a compiler starts, too.
#
#	fetch-compilers.sh [--cached] [gcc-N] [clang-N]		--cached: only if they have been fetched before
#
# They are in ${BTFENC_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/btfenc}/tools/sid-compilers (1.1 GB), the
# named ones beside it, and are not fetched again as long as they are there.
# Exit status: 0 done, 2 usage, 75 they cannot be had here (one line on stderr says why).
set -eu

cached='' gcc='' clang='' folder=sid-compilers
for argument; do
	case $argument in
	--cached) cached=$argument ;;
	gcc-[1-9][0-9]) gcc=${argument#gcc-} folder=$folder-$argument ;;
	clang-[1-9][0-9]) clang=${argument#clang-} folder=$folder-$argument ;;
	*)
		echo "usage: fetch-compilers.sh [--cached] [gcc-N] [clang-N]" >&2
		exit 2
		;;
	esac
done
[ -n "$gcc$clang" ] || gcc=16 clang=23
packages="${gcc:+gcc-$gcc} ${clang:+clang-$clang lld-$clang llvm-$clang}"
here=$(dirname "$0")
here=$(cd "$here" && pwd)
cache=${BTFENC_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/btfenc}
if [ -d "$cache/tools/$folder/path" ]; then
	(cd "$cache/tools/$folder/path" && pwd)
	exit 0
fi
if [ -n "$cached" ]; then
	echo "fetch-compilers: not fetched: ${gcc:+gcc-$gcc }${clang:+clang-$clang}" >&2
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
root=$tools/$folder

work=$(mktemp -d "$tools/.fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
# shellcheck disable=SC2086 # words
(cd "$work" && sh "$here/private-apt.sh" amd64 sid unpack $packages)

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
	"$root/usr/lib/x86_64-linux-gnu${clang:+:$root/usr/lib/llvm-$clang/lib}" "$root/$program.elf" $* "\$@"
END
	chmod 755 "$work/$program"
}

mkdir "$work/path"
if [ -n "$gcc" ]; then
	parts=usr/libexec/gcc/x86_64-linux-gnu/$gcc
	# Before gcc 13.
	[ -e "$work/$parts/cc1" ] || parts=usr/lib/gcc/x86_64-linux-gnu/$gcc
	for part in cc1 collect2 lto1 lto-wrapper; do
		run_by_own_loader "$parts/$part"
	done
	run_by_own_loader usr/bin/x86_64-linux-gnu-as
	run_by_own_loader usr/bin/x86_64-linux-gnu-ld.bfd
	run_by_own_loader usr/bin/x86_64-linux-gnu-gcc-"$gcc" "-B$root/usr/bin/"
	ln -s ../usr/bin/x86_64-linux-gnu-gcc-"$gcc" "$work/path/gcc-$gcc"
fi
if [ -n "$clang" ]; then
	llvm=usr/lib/llvm-$clang/bin
	# clang starts itself again, as "clang -cc1" or "-cc1as", by the name that it was started with: it
	# is told not to look where its code is, which is the loader.
	run_by_own_loader "$llvm/clang"
	# shellcheck disable=SC2016 # these are the script's
	sed -i 's/\.elf"  "\$@"/.elf" ${canonical-} "$@"/; 2i\
case "${1-}" in -cc1*) ;; *) canonical=-no-canonical-prefixes ;; esac' "$work/$llvm/clang"
	run_by_own_loader "$llvm/lld"
	run_by_own_loader "$llvm/llvm-dwarfdump"
	# One program of several names: its first argument says which it is.
	sed -i 's/--argv0 "[^"]*"/--argv0 ld.lld/' "$work/$llvm/lld"
	ln -s "../$llvm/clang" "$work/path/clang-$clang"
	ln -s "../$llvm/lld" "$work/path/ld.lld-$clang"
	ln -s "../$llvm/llvm-dwarfdump" "$work/path/llvm-dwarfdump-$clang"
fi

chmod 755 "$work"
mv -T "$work" "$root" 2>/dev/null || [ -d "$root/path" ]
echo "$root/path"
