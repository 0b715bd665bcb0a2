# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# The tracer's lines, each after "CONFIG SEED": one row per configuration, encoding and sort of site.
# -v totals=1: one line: of instances all that is not right, of inline sites
#	right changed late bit narrow wrong
# then the changed ones of GCC with view numbers, the steps that failed, and how many parameters
# .BTF describes, or explain's probes have an argument for, and how many not, where compilers tell
# what they can. -v only=explain: of explain's probes alone; -v only=records: of the others.
BEGIN {
	FS = "\t"
	count = split("right changed late bit narrow wrong lost frame none unreached", verdicts, " ")
}
$10 == "failed" {
	failures++
	next
}
only && (only == "explain") != ($3 == "explain") {
	next
}
{
	row = $1 "\t" $3 " " $4
	if (!(row in rows)) {
		rows[row] = 1
		order[++row_count] = row
	}
	n[row, $10]++
	if (!((row, $2, $6) in sites)) {
		sites[row, $2, $6] = 1
		site_count[row]++
	}
	stops[row] += $11
	if ($4 == "instance")
		instance[$10]++
	else
		site[$10]++
	if ($4 == "site" && $3 != "extra" && $10 != "unreached" && $1 !~ /no-views|lto/)
		told[$10 == "none"]++
	if ($10 == "right" || $10 == "none" || $10 == "unreached")
		next
	kinds[$1 "\t" $8 " " $10]++
	if ($10 == "changed" && $1 ~ /^gcc/ && $1 !~ /no-views|lto/)
		viewed++
}
END {
	if (totals) {
		bad = 0
		for (verdict in instance) {
			if (verdict !~ /^(right|none|unreached)$/)
				bad += instance[verdict]
		}
		print bad + 0, site["right"] + 0, site["changed"] + 0, site["late"] + 0,
			site["bit"] + 0, site["narrow"] + 0, site["wrong"] + site["lost"] + 0,
			viewed + 0, failures + 0, told[0] + 0, told[1] + 0
		exit
	}
	printf "%-18s%-16s%7s%8s", "", "", "sites", "stops"
	for (i = 1; i <= count; i++)
		printf "%10s", verdicts[i]
	print ""
	for (r = 1; r <= row_count; r++) {
		split(order[r], names, "\t")
		printf "%-18s%-16s%7d%8d", names[1], names[2], site_count[order[r]], stops[order[r]]
		for (i = 1; i <= count; i++)
			printf "%10d", n[order[r], verdicts[i]]
		print ""
	}
	for (kind in kinds)
		printf "    %-18s%s: %d\n", substr(kind, 1, index(kind, "\t") - 1),
			substr(kind, index(kind, "\t") + 1), kinds[kind] | "LC_ALL=C sort"
}
