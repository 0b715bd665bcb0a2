# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Results of tests/truth/job.sh to a table by configuration: btfenc's figures, then pahole's, then
# those of changed prototypes (+true_signature). With -v totals=1: one line
# "misplaced unset funcs correct missed failed result changed_wrong" about btfenc alone.
BEGIN { FS = "\t" }

function percent(part, whole)
{
	return whole ? sprintf("%.1f%%", 100 * part / whole) : "-"
}

function misplaced(key)
{
	return n[key "misplaced"] + n[key "ambiguous"] + n[key "nameless"]
}

function funcs(key)
{
	return n[key "correct"] + n[key "unproven"] + misplaced(key) + n[key "unset"] + \
		n[key "result"]
}

function figures(config, label,    key)
{
	key = config SUBSEP label SUBSEP
	if (!n[key "all"])
		return sprintf("%5s %5s %5s %5s %5s %6s", "-", "-", "-", "-", "-", "-")
	return sprintf("%5d %5d %5d %5d %5d %6s", funcs(key), misplaced(key), n[key "unset"],
		       n[key "result"], n[key "missed"],
		       percent(n[key "correct"], n[key "correct"] + n[key "missed"]))
}

function changed(config,    key)
{
	key = config SUBSEP "+btfenc" SUBSEP
	return sprintf("%5d %5d %6s %5d %5d %5d", n[key "all"], funcs(key),
		       percent(funcs(key), n[key "all"]), misplaced(key), n[key "unset"],
		       n[key "result"])
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
	c = "all" SUBSEP "+btfenc" SUBSEP
	if (totals) {
		print misplaced(b), n[b "unset"] + 0, funcs(b), n[b "correct"] + 0, \
			n[b "missed"] + 0, n[b "failed"] + n[c "failed"], n[b "result"] + 0, \
			misplaced(c) + n[c "unset"] + n[c "result"]
		exit
	}
	head = sprintf("%5s %5s %5s %5s %5s %6s", "FUNCs", "wrong", "unset", "reslt", "missd",
		       "recall")
	printf "%-25s %6s | %-36s | %-36s | %s\n", "", "", "btfenc", "pahole", "+true_signature"
	printf "%-25s %6s | %s | %s | %5s %5s %6s %5s %5s %5s\n", "configuration", "called", head,
	       head, "chngd", "FUNCs", "share", "wrong", "unset", "reslt"
	order[++configs] = "all"
	for (i = 1; i <= configs; i++)
		printf "%-25s %6d | %s | %s | %s\n", order[i], n[order[i], "btfenc", "all"],
		       figures(order[i], "btfenc"), figures(order[i], "pahole"), changed(order[i])
}
