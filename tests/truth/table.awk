# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Results of tests/truth/job.sh to a table by configuration: btfenc's figures, then pahole's. With
# -v totals=1: one line "misplaced unset funcs correct missed failed" about btfenc alone.
BEGIN { FS = "\t" }

function percent(part, whole)
{
	return whole ? sprintf("%.1f%%", 100 * part / whole) : "-"
}

function figures(config, label,    key, funcs)
{
	key = config SUBSEP label SUBSEP
	funcs = n[key "correct"] + n[key "other-copies"] + n[key "misplaced"] + n[key "unset"] + \
		n[key "ambiguous"]
	if (!n[key "all"])
		return sprintf("%5s %5s %5s %5s %6s", "-", "-", "-", "-", "-")
	return sprintf("%5d %5d %5d %5d %6s", funcs, n[key "misplaced"] + n[key "ambiguous"],
		       n[key "unset"], n[key "missed"],
		       percent(n[key "correct"], n[key "correct"] + n[key "missed"]))
}

{
	if (!($1 in seen)) {
		seen[$1] = 1
		order[++configs] = $1
	}
	for (i = 0; i < 2; i++) {
		config = i ? "all" : $1
		n[config, $3, $4]++
		if ($4 != "failed")
			n[config, $3, "all"]++
	}
}

END {
	b = "all" SUBSEP "btfenc" SUBSEP
	if (totals) {
		print n[b "misplaced"] + n[b "ambiguous"], n[b "unset"] + 0,
			n[b "correct"] + n[b "other-copies"] + n[b "misplaced"] + n[b "unset"] + \
			n[b "ambiguous"], n[b "correct"] + 0, n[b "missed"] + 0, n[b "failed"] + 0
		exit
	}
	printf "%-18s %6s | %-30s | %s\n", "", "", "btfenc", "pahole"
	printf "%-18s %6s | %5s %5s %5s %5s %6s | %5s %5s %5s %5s %6s\n", "configuration", "called",
	       "FUNCs", "wrong", "unset", "missd", "recall",
	       "FUNCs", "wrong", "unset", "missd", "recall"
	order[++configs] = "all"
	for (i = 1; i <= configs; i++)
		printf "%-18s %6d | %s | %s\n", order[i], n[order[i], "btfenc", "all"],
		       figures(order[i], "btfenc"), figures(order[i], "pahole")
}
