#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# usage: coverage.sh OBJECTS
#
# The lines of each folder that ran, by the counts that gcc --coverage left below OBJECTS; the lines
# that did not are in OBJECTS/missed, file:line: text.
set -u
LC_ALL=C
export LC_ALL
objects=$(realpath "$1")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
root=$PWD

# gcov looks for the sources, and writes, where it runs.
ln -s "$root"/*/ "$work"
# Lines of headers are counted with each source that has them: once is enough.
find "$objects" -name '*.gcda' | grep -v '/tests/' >"$work/list"
(cd "$work" && xargs gcov -lp -s "$root" <list >log 2>&1)
for file in "$work"/*.gcov; do
	source=$(sed -n '1s/.*Source://p' "$file")
	source=${source#"$root/"}
	case $source in
	/* | tests/* | ./tests/*) continue ;;
	esac
	sed -E 's/^ *([^:]*): *([0-9]+):[[:space:]]*(.*)/\1\t\2\t\3/' "$file" | awk -F '\t' -v file="${source#./}" '
		$2 > 0 && $1 != "-" { print file "\t" $2 "\t" ($1 ~ /^[#=]/ ? 0 : 1) "\t" $3 }'
done >"$work/lines"
sort -t "$(printf '\t')" -k1,1 -k2,2n -k3,3nr "$work/lines" | awk -F '\t' -v missed="$objects/missed" '
	$1 == file && $2 == line { next }
	{
		file = $1; line = $2
		folder = file; sub("/[^/]*$", "", folder)
		all[folder]++; ran[folder] += $3
		if (!$3) print file ":" line ": " $4 > missed
	}
	END {
		for (folder in all)
			printf "%-20s %6d of %6d lines, %5.1f %%\n", folder, ran[folder], all[folder],
				100 * ran[folder] / all[folder]
	}' | sort
