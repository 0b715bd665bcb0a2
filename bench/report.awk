# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Makes the table of `make bench`, and the JSON file of the same figures, of the lines that bench.sh
# has collected (there it says what they look like). A row is left out when something that it is
# made of was not measured.
#
# usage: awk -v json=FILE -f report.awk RESULTS

$1 == "figure" {
	order[++measured] = $2; median[$2] = $3; best[$2] = $4; peak[$2] = $5; processor[$2] = $6
}
$1 == "fact" { name = $2; sub(/^fact [^ ]* ?/, ""); facts[++fact_count] = name; fact[name] = $0 }
$1 == "count" { counted[$2] = $3 }
$1 == "note" { sub(/^note /, ""); note($0) }

# ---- a figure: a row of the table, an object of the JSON ----

function note(text) { notes[++note_count] = text }
function have(a, b) { return (a in median) && (b in median) }
function seconds(x) { return sprintf(x < 10 ? "%.3f s" : "%.1f s", x) }
function mebibytes(kib) { return sprintf("%.0f MiB", kib / 1024) }
function quoted(s) { gsub(/["\\]/, "\\\\&", s); gsub(/[[:cntrl:]]/, " ", s); return "\"" s "\"" }

function heading(text) { printf "\n%-50s %10s %10s %8s  %s\n", text, "btfenc", "other", "", "goal" }

# The sign is that of the goal: ">=", "<=", or "" where there is none.
function figure(key, label, ours, other, value, unit, sign, goal,    met) {
	met = sign == ">=" ? value >= goal : value <= goal
	printf "%-50s %10s %10s %8s", label, ours, other, sprintf("%.2f%s", value, unit)
	if (sign != "")
		printf "  %-9s%s", sign " " goal unit, met ? "met" : "MISSED"
	printf "\n"
	goals += sign != ""
	goals_met += sign != "" && met
	object = sprintf("{ \"name\": %s, \"what\": %s, \"btfenc\": %s, \"other\": %s, ",
			 quoted(key), quoted(label), quoted(ours), quoted(other)) \
		 sprintf("\"value\": %.4f, \"unit\": %s", value, quoted(unit))
	if (sign != "")
		object = object sprintf(", \"goal\": %s, \"met\": %s", quoted(sign " " goal),
					met ? "true" : "false")
	objects[++object_count] = object " }"
}

function faster(key, label, ours, other, goal) {
	if (have(ours, other))
		figure(key, label, seconds(median[ours]), seconds(median[other]),
		       median[other] / median[ours], "x", goal ? ">=" : "", goal)
}

# The ratio of one time to the other.
function at_most(key, label, ours, other, goal) {
	if (have(ours, other))
		figure(key, label, seconds(median[ours]), seconds(median[other]),
		       median[ours] / median[other], "x", goal ? "<=" : "", goal)
}

function memory(key, label, ours, other, goal) {
	if (have(ours, other))
		figure(key, label, mebibytes(peak[ours]), mebibytes(peak[other]),
		       peak[ours] / peak[other], "x", goal ? "<=" : "", goal)
}

# The goals are the bounds of tests/kernel.sh.
function memory_share(key, label, ours, goal,    kib) {
	kib = fact["debug_info_bytes"] / 1024
	if ((ours in peak) && kib)
		figure(key, label, mebibytes(peak[ours]), mebibytes(kib), peak[ours] / kib, "x",
		       "<=", goal)
}

# ---- the rows ----

function encode_rows() {
	if (!("encode_j1" in median))
		return
	heading("encode")
	faster("pahole_j1", "time, -j1, against pahole (times faster)",
	       "encode_j1", "pahole_j1", 16)
	faster("pahole_j2", "time, -j2, against pahole (times faster)",
	       "encode_j2", "pahole_j2", 16)
	at_most("scan", "time, -j1, against a bare walk over all DIEs",
		"encode_j1", "scan.walk", 4)
	at_most("scan_decode", "time, -j1, against a walk that decodes",
		"encode_j1", "scan_decode.walk", 0)
	memory("memory_j1", "peak memory, -j1, against pahole", "encode_j1", "pahole_j1", 0.2)
	memory("memory_j2", "peak memory, -j2, against pahole", "encode_j2", "pahole_j2", 0.2)
	memory_share("memory_share", "peak memory, -j1, against .debug_info", "encode_j1", 0.47)
	scaling_rows()
}

# All that is not the parallel pass is taken for serial, also what no pass counts: starting,
# storing, giving memory back. The work of the parallel pass is what both threads spent in it.
function scaling_rows(    serial, work, cores, i) {
	if (!("encode_j2.read" in median))
		return
	serial = median["encode_j2"] - median["encode_j2.read"]
	work = 2 * median["encode_j2.read"]
	figure("serial", "serial part at -j2, of the whole time at -j1", seconds(serial),
	       seconds(median["encode_j1"]), 100 * serial / median["encode_j1"], "%", "<=", 12)
	split("8 24", cores, " ")
	for (i = 1; i <= 2; i++)
		figure("projected_" cores[i],
		       sprintf("PROJECTED, not measured: %d cores, against -j1", cores[i]),
		       seconds(serial + work / cores[i]), seconds(median["encode_j1"]),
		       median["encode_j1"] / (serial + work / cores[i]), "x", "", 0)
	note("projected: Amdahl, serial part + parallel pass / cores; for machines whose memory " \
	     "is as fast for each core as it is here for two")
}

function part_row(n) {
	size[n] = fact["debug_info_bytes_" n] / 1048576
	printf "%-50s %10s %10s\n",
	       sprintf("1/%d: %d units, %.1f MiB of .debug_info", n, fact["units_" n], size[n]),
	       seconds(median["growth_" n]), mebibytes(peak["growth_" n])
}

# The cost of a MiB of .debug_info from the part n to the part m.
function slope(cost, n, m) {
	return (cost["growth_" m] - cost["growth_" n]) / (size[m] - size[n])
}

function growth_row(key, label, cost, scale, format,    first, second) {
	first = slope(cost, 64, 2) * scale
	second = slope(cost, 2, 1) * scale
	figure(key, label, sprintf(format, second), sprintf(format, first), second / first, "x",
	       "<=", 1.2)
}

# Constant costs (symbols, starting) are in all parts; between two parts they cancel out.
function growth_rows() {
	if (!have("growth_1", "growth_64"))
		return
	printf "\n%-50s %10s %10s\n", "growth: a part of the units, -j1", "time", "peak"
	part_row(64)
	part_row(4)
	part_row(2)
	part_row(1)
	heading("growth: a MiB of the second half, and of the first")
	growth_row("growth_time", "time", median, 1000, "%.2f ms")
	growth_row("growth_memory", "peak memory", peak, 1, "%.0f KiB")
	note("growth: linear is when a MiB of .debug_info costs from 1/2 to 1/1 at most 1.2 " \
	     "times what it costs from 1/64 to 1/2")
}

function module_rows(    label) {
	if (!("modules" in median))
		return
	label = fact["modules"] == fact["modules_all"] ? "all " fact["modules"] \
		: fact["modules"] " of " fact["modules_all"]
	if (!("pahole_modules_at_once" in median)) {
		printf "\n%-50s %10s\n", label " modules, one call", seconds(median["modules"])
		return
	}
	heading(label " modules, -j2: one call, and one each")
	faster("modules", "time, two calls at once (times faster)", "modules",
	       "pahole_modules_at_once", 20)
	faster("modules_in_turn", "time, one call after the other (times faster)", "modules",
	       "pahole_modules_in_turn", 0)
	memory("modules_memory", "peak memory, against the largest call", "modules",
	       "pahole_modules_in_turn", 0)
	heading(label " modules, -j1, one call each")
	faster("modules_each", "time (times faster)", "modules_each", "pahole_modules_each", 12)
	memory("modules_each_memory", "peak memory of the largest call", "modules_each",
	       "pahole_modules_each", 0.2)
}

function command_rows(    j) {
	if (!("plain_j1" in median))
		return
	heading("other commands, and encode")
	for (j = 1; j <= 2; j++) {
		at_most("stats_j" j, "time of stats, -j" j ", against encode",
			"stats_j" j, "plain_j" j, 1.5)
		at_most("explain_j" j, "time of explain, -j" j ", against encode",
			"explain_j" j, "plain_j" j, 1.5)
	}
}

function time_and_memory(key, what, goal,    j) {
	for (j = 1; j <= 2; j++)
		at_most(key "_j" j, "time with " what ", -j" j ", against none", key "_j" j,
			"bare_j" j, goal)
	for (j = 1; j <= 2; j++)
		memory(key "_memory_j" j, "peak memory with " what ", -j" j, key "_j" j,
		       "bare_j" j, 0)
}

function bytes_row(key, label, bytes, sites, goal) {
	if (counted[sites])
		figure(key, label, counted[bytes] " B", counted[sites],
		       counted[bytes] / counted[sites], " B", goal ? "<=" : "", goal)
}

function site_rows() {
	if (!("bare_j1" in median))
		return
	heading("sites (inline, func_secinfo), and encode without")
	time_and_memory("inline", "inline", 1.6)
	memory_share("inline_share", "peak memory with inline, -j1, against .debug_info",
		     "inline_j1", 0.9)
	time_and_memory("secinfo", "func_secinfo", 0)
	time_and_memory("secinfo_inline", "func_secinfo=inline", 0)
	printf "\n%-50s %10s %10s %8s  %s\n", "bytes of sites", "bytes", "sites", "each", "goal"
	bytes_row("inline_bytes", "inline: .BTF.inline, and what .BTF grows by", "inline.bytes",
		  "inline.sites", 20)
	bytes_row("entry_bytes", "func_secinfo: entries and LOCs", "entries.entry_bytes",
		  "entries.sites", 14)
	bytes_row("extra_bytes", "func_secinfo: all of .BTF.extra", "entries.bytes",
		  "entries.sites", 0)
	bytes_row("both_entry_bytes", "func_secinfo=inline: entries and LOCs",
		  "both.entry_bytes", "both.sites", 0)
	bytes_row("both_bytes", "func_secinfo=inline: all of .BTF.extra", "both.bytes",
		  "both.sites", 0)
}

function image_rows(    i, j) {
	if (!("image_1" in fact))
		return
	heading("other images (times faster than pahole)")
	for (i = 1; ("image_" i) in fact; i++)
		for (j = 1; j <= 2; j++)
			faster("image_" i "_j" j, fact["image_" i] ", -j" j,
			       "image_" i "_j" j, "pahole_image_" i "_j" j, j == 2 ? 12 : 0)
}

function diff_rows(    j) {
	if (!("diff_j1" in median))
		return
	heading("diff, and two encodings")
	for (j = 1; j <= 2; j++)
		at_most("diff_j" j, "diff of two vmlinux, -j" j ", against two encodings",
			"diff_j" j, "two_j" j, 1.3)
	for (j = 1; j <= 2; j++)
		at_most("diff_list_j" j, "diff of a list and a vmlinux, -j" j \
			", against two encodings", "diff_list_j" j, "two_j" j, 0)
	at_most("diff_lists", "diff of two lists, against two encodings, -j2", "lists", "two_j2", 0)
	for (j = 1; j <= 2; j++)
		memory("diff_memory_j" j, "peak memory of diff, -j" j ", against one encoding",
		       "diff_j" j, "two_j" j, 0)
}

# A case of bench/hostile.py, by one command: processor time, because one core is what is asked for.
# Growth is that of the time of a byte from the cheapest of the smaller sizes to the largest; below
# 20 ms the start of the program is most of it.
function hostile_row(name, command,    n, key, last, each, least, growth, met) {
	last = "hostile." name ".1." command
	if (!(last in processor))
		return
	least = 0
	for (n = 8; n > 1; n /= 2) {
		key = "hostile." name "." n
		each = processor[key "." command] / counted[key ".bytes"]
		if (processor[key "." command] >= 0.02 && (!least || each < least))
			least = each
	}
	each = processor[last] / counted["hostile." name ".1.bytes"]
	growth = least ? each / least : 1
	met = processor[last] < 3 && peak[last] < 300 * 1024 && growth <= 1.5
	printf "%-30s %-8s %9s %9s %9s %6.1f ns %5.2fx  %s\n", name, command,
	       sprintf("%.2f MB", counted["hostile." name ".1.bytes"] / 1e6),
	       sprintf("%.3f s", processor[last]), mebibytes(peak[last]), each * 1e9, growth,
	       met ? "met" : "MISSED"
	goals++
	goals_met += met
	objects[++object_count] = sprintf("{ \"name\": %s, \"seconds\": %.4f, " \
		"\"bytes\": %d, \"peak_kib\": %d, \"growth\": %.3f, \"met\": %s }",
		quoted("hostile." name "." command), processor[last],
		counted["hostile." name ".1.bytes"], peak[last], growth, met ? "true" : "false")
}

function hostile_rows(    i, parts, shown) {
	for (i = 1; i <= fact_count; i++) {
		if (split(facts[i], parts, ".") != 3 || parts[1] != "hostile")
			continue
		if (!shown++)
			printf "\n%-39s %9s %9s %9s %9s %6s  %s\n", "hostile input", "size",
			       "time", "peak", "a byte", "growth",
			       "goal: < 3 s, < 300 MiB, <= 1.5x"
		hostile_row(parts[2], "encode")
		hostile_row(parts[2], "split")
		hostile_row(parts[2], "inline")
		hostile_row(parts[2], "secinfo")
		hostile_row(parts[2], "stats")
	}
}

# ---- the file ----

function comma(i) { return i > 1 ? "," : "" }

function write_json(    i, key, value) {
	print "{" >json
	for (i = 1; i <= fact_count; i++) {
		key = facts[i]
		value = fact[key] ~ /^[0-9]+$/ ? fact[key] : quoted(fact[key])
		printf "  %s: %s,\n", quoted(key), value >json
	}
	printf "  \"figures\": [" >json
	for (i = 1; i <= object_count; i++)
		printf "%s\n    %s", comma(i), objects[i] >json
	printf "\n  ],\n  \"measured\": {" >json
	for (i = 1; i <= measured; i++) {
		key = order[i]
		printf "%s\n    %s: { \"median_s\": %s, \"best_s\": %s", comma(i),
		       quoted(key), median[key], best[key] >json
		if (peak[key])
			printf ", \"peak_kib\": %s", peak[key] >json
		printf " }" >json
	}
	printf "\n  },\n  \"notes\": [" >json
	for (i = 1; i <= note_count; i++)
		printf "%s\n    %s", comma(i), quoted(notes[i]) >json
	printf "\n  ]\n}\n" >json
}

END {
	printf "%s, medians of %s runs in turns; pahole %s\n", fact["vmlinux"], fact["rounds"],
	       fact["pahole"]
	printf "%s, %s cores, %s; %s\n", fact["processor"], fact["cores"], fact["host"],
	       fact["compiler"]
	encode_rows()
	growth_rows()
	module_rows()
	command_rows()
	site_rows()
	diff_rows()
	image_rows()
	hostile_rows()
	printf "\n%d of %d goals met\n", goals_met, goals
	for (i = 1; i <= note_count; i++)
		print "note: " notes[i]
	write_json()
}
