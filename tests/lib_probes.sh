# shellcheck shell=sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# What explain says of lines for kprobe_events, and what a kernel did with them. After tests/lib.sh.
# shellcheck disable=SC2154 # those of tests/lib.sh

# expected_lines NAMES EXPLAINED...: of what tool_probes has printed, and of each NAMESth name of
# $work/attachable.kprobe. Lines "accepted|refused KIND NAME LINE", by tabs. An address that a script
# does not probe has to be refused: "Not seen" would be a lie. What is not a question of the address is
# passed over.
expected_lines()
{
	every_name=$1
	shift
	for part; do
		awk -v every=50 -f tests/kbuild/probe_lines.awk "$part"
	done | awk -F '\t' '!seen[$1, $4]++'
	awk -v names="$every_name" 'NR % names == 0 { printf "accepted\tlist\t%s\tp %s\n", $1, $1 }' \
		"$work/attachable.kprobe"
}

# event_lines EXPECTED: each line with an event of its own
event_lines()
{
	awk -F '\t' '{ sub(/^./, "&:probe_load/e" NR, $4); print $4 }' "$1"
}

# judge_lines REPORT EXPECTED: the expected, with what the kernel did in front
judge_lines()
{
	awk -F '\t' 'FNR == NR { if ($1 == "refused") refused[$2]; next }
		{ print ((FNR in refused) ? "refused" : "accepted") "\t" $0 }' "$1" "$2"
}

show_results()
{
	echo '    expected, from, what the kernel did, how many:'
	awk -F '\t' '{ n[$2 "\t" $3 "\t" $1]++ } END { for (i in n) print i "\t" n[i] }' "$work/results" |
		sort | sed 's/^/    /'
}

# as_said RESULT EXPECTED KIND...
as_said()
{
	awk -F '\t' -v result="$1" -v expected="$2" -v kinds="$3" '
		$2 == expected && index(" " kinds " ", " " $3 " ") {
			n++
			if ($1 != result) { print $3 ": " $5; wrong++ }
		}
		END { print n " lines"; exit wrong || !n }' "$work/results"
}
