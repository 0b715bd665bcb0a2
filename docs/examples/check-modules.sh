#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# For hooks of package managers (docs/installed-modules.md): says on stderr which modules a kernel will not load, or
# load without their BTF, before somebody boots it. Always succeeds, so that nothing is left half installed.
#
#	check-modules [RELEASE]...	without one: each kernel whose modules or image have changed since the last time
#
# ROOT is where the system is mounted; CHECKED the folder of what has been checked.
root=${ROOT-}
checked=${CHECKED:-$root/var/cache/btfenc}

# is_new RELEASE: has anything changed since it was checked?
is_new()
{
	! [ -e "$checked/$1" ] ||
		find "$root/lib/modules/$1" "$root/boot/vmlinuz-$1" -newer "$checked/$1" 2>/dev/null | grep -q .
}

command -v btfenc >/dev/null 2>&1 || exit 0
mkdir -p "$checked" 2>/dev/null
if [ $# -eq 0 ]; then
	for folder in "$root"/lib/modules/*/; do
		release=$(basename "$folder")
		# What was removed leaves a folder.
		[ -e "$folder/modules.order" ] && is_new "$release" && set -- "$@" "$release"
	done
fi
for release; do
	touch "$checked/.$release"
	said=$(btfenc check --system ${root:+--root "$root"} --kernel "$release" 2>&1)
	case $? in
	0)
		mv "$checked/.$release" "$checked/$release"
		continue
		;;
	1) echo "check-modules: not all modules of $release are as its kernel needs them:" >&2 ;;
	*) echo "check-modules: modules of $release could not be checked:" >&2 ;;
	esac
	rm -f "$checked/.$release"
	echo "$said" | grep -v ': has no BTF: ' >&2
done
exit 0
