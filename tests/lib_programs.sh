# shellcheck shell=sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# BPF programs of each type on functions of each kind: does a kernel take those that explain says it
# does, and refuse the others? After tests/lib.sh; $name is what cases are called.
# shellcheck disable=SC2154 # these

# explain_programs VMLINUX [NAMES]: of the image with records of sites; $work/programs is for program_load,
# $work/answers what explain says. fentry is tried on NAMES, too.
explain_programs()
{
	nm -n "$1" | awk -v names="${2:-}" -f tests/kbuild/program_lines.awk >"$work/programs" &&
		"$TEST_PROGRAMS/tool_probes" "$1" <"$work/programs" >"$work/explained.programs" &&
		awk -f tests/kbuild/program_answers.awk "$work/explained.programs" >"$work/answers"
}

# judge_programs REPORT TRIED AGREED: at least so many were tried, and so many of both answers are as said;
# of each type some are, but of struct_ops: before 6.10 the image does not show them.
judge_programs()
{
	awk -F '\t' -v tried="$2" -v agreed="$3" '
		FNR == NR {
			if ($1 == "program" && $2 == "tried")
				count = $3
			else if ($1 == "program") {
				said[$3] = $2
				type[$3] = $3
				sub(/\/.*/, "", type[$3])
				of_type[type[$3]] += $2 != "unknown"
				why[$3] = $4 " " $5 ": " $6
			}
			next
		}
		!($2 in said) || said[$2] == "unknown" { next }
		$1 == "maybe" { n["maybe"]++; next }
		{
			judged[type[$2]]++
			is_right = (said[$2] == "accepted") == ($1 == "yes")
			n[$1 " " said[$2]]++
			if (!is_right) {
				print $2 ": " said[$2] ", " why[$2] "\n    " $3
				wrong++
			}
		}
		END {
			for (i in of_type) {
				if (of_type[i] && !judged[i] && i != "struct_ops") {
					print i ": tried, and explain does not answer"
					wrong++
				}
			}
			for (i in n)
				print "    " i ": " n[i]
			exit wrong || count < tried || n["yes accepted"] < agreed || n["no refused"] < agreed
		}' "$1" "$work/answers"
}
