# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# usage: awk -f lint_includes.awk LAYOUT FILE...
#
# Reads the #include lines of all sources and prints what LAYOUT (tests/layout) does not allow:
#
#	a folder that includes another one that its row does not name, and a row that names one in vain
#	a row that names a folder of a row below
#	a library's header where it does not belong
#	x_state.h or x_internal.h in a file whose name does not begin with x
#	modules (x.c and x.h, with x_state.h and x_internal.h) that include each other in a circle
#	a folder that has more lines than its budget, or 100 fewer
#	a header that has more than 150 lines, or than its row, and a row of one that has not
#
# usage: nm -APg OBJECT... | awk -v calls=1 -f lint_includes.awk LAYOUT -
#
# The same of calls: .c files of one folder whose functions use each other's in a circle. A function
# whose address is taken counts as called there.

function folder_of(path)
{
	return path ~ /\// ? substr(path, 1, match(path, /\/[^\/]*$/) - 1) : "."
}

# A noun of its own, such as parameter_state, has parameter_state.c.
function is_private(header,	stem)
{
	stem = header
	return sub(/(_state|_internal)\.h$/, "", stem) && !(substr(header, 1, length(header) - 2) ".c" in files)
}

function owner_of(path)
{
	if (is_private(path))
		sub(/(_state|_internal)\.h$/, "", path)
	else
		sub(/\.[ch]$/, "", path)
	return path
}

function read_row(	i)
{
	if ($1 == "library") {
		library_count++
		library[library_count] = $2
		library_users[library_count] = $0
		sub(/^library[ \t]+[^ \t]+[ \t]*/, "", library_users[library_count])
	} else if ($1 == "budget") {
		budget[$3] = $2
		budget_row[$3] = FNR
	} else if ($1 == "header") {
		header_limit[$3] = $2
		header_row[$3] = FNR
	} else if ($1 == (calls ? "circle-of-calls" : "circle")) {
		sub(/^[^ \t]+[ \t]+/, "")
		sub(/:.*/, "")
		known_circle[$0] = FNR
	} else if ($1 !~ /^circle/) {
		row[$1] = ++row_count
		for (i = 2; i <= NF; i++) {
			allowed[$1, $i] = FNR
			if (!($i in row))
				print layout ":" FNR ": " $1 " includes " $i ", which is below it"
		}
	}
}

function check_library(file, header,	i, k, count, user)
{
	for (i = 1; i <= library_count; i++) {
		if (index(header, library[i]) != 1)
			continue
		count = split(library_users[i], user, /[ \t]+/)
		for (k = 1; k <= count; k++) {
			if (user[k] != "" && index(file, user[k]) == 1)
				return
		}
		print file ": <" header "> is for " (count && user[1] != "" ? library_users[i] : "tests") " only"
	}
}

function check_include(file, header,	from, to, owner)
{
	from = folder_of(file)
	to = folder_of(header)
	if (from in row) {
		used[from, to] = 1
		if (!((from, to) in allowed))
			print file ": includes \"" header "\": " from " may not include " to
	}
	owner = owner_of(header)
	if (is_private(header) && file != owner ".c" && file != owner ".h" && index(file, owner "_") != 1)
		print file ": includes \"" header "\", which is for " owner "*.[ch] only"
	add_edge(owner_of(file), owner)
}

function add_edge(from, to)
{
	if (from != to && !((from, to) in edge)) {
		edge[from, to] = 1
		target[from, ++targets[from]] = to
	}
}

# All that a module includes, over others, too.
function reach_from(start,	todo, first, last, i, next_one)
{
	first = last = 1
	todo[1] = start
	while (first <= last) {
		for (i = 1; i <= targets[todo[first]]; i++) {
			next_one = target[todo[first], i]
			if (!((start, next_one) in reached)) {
				reached[start, next_one] = 1
				todo[++last] = next_one
			}
		}
		first++
	}
}

function check_circles(	a, b, i, k, swap, count, circle, done, text)
{
	for (a in targets)
		reach_from(a)
	for (a in targets) {
		if (!((a, a) in reached) || a in done)
			continue
		count = 0
		for (b in targets) {
			if ((a, b) in reached && (b, a) in reached) {
				circle[++count] = b
				done[b] = 1
			}
		}
		for (i = 1; i <= count; i++) {
			for (k = i + 1; k <= count; k++) {
				if (circle[k] < circle[i]) {
					swap = circle[i]
					circle[i] = circle[k]
					circle[k] = swap
				}
			}
		}
		text = circle[1]
		for (i = 2; i <= count; i++)
			text = text " " circle[i]
		if (text in known_circle)
			seen_circle[text] = 1
		else
			print "a circle of " (calls ? "calls: " : "includes: ") text
	}
	for (text in known_circle) {
		if (!(text in seen_circle))
			print layout ":" known_circle[text] ": this circle is gone, and so should the row be: " text
	}
}

BEGIN {
	layout = ARGV[1]
	for (i = 2; i < ARGC; i++)
		files[ARGV[i]] = 1
}

FILENAME == layout {
	if ($0 !~ /^#/ && NF)
		read_row()
	next
}

calls {
	file = $1
	if (!sub(/\.o:$/, "", file))
		print	# what nm has to complain of
	sub(/^.*\/obj\//, "", file)
	if ($3 == "T")
		defined_in[$2] = file
	else if ($3 == "U")
		needed[file, $2] = 1
	next
}

{
	lines[substr(FILENAME, 1, index(FILENAME, "/") - 1)]++
	if (FILENAME ~ /\.h$/ && folder_of(FILENAME) in row)
		header_lines[FILENAME]++
}

FNR == 1 && folder_of(FILENAME) !~ /^(tests|bench|include|docs)(\/|$)/ && !(folder_of(FILENAME) in row) {
	print FILENAME ": its folder is not a row of " layout
}

/^# *include *"/ {
	split($0, part, "\"")
	# A header in the folder of a test program is not a module of the project.
	if (part[2] ~ /\// && part[2] !~ /^\.\.\//)
		check_include(FILENAME, part[2])
	else if (folder_of(FILENAME) in row)
		print FILENAME ": includes \"" part[2] "\" without its folder"
}

/^# *include *</ && folder_of(FILENAME) in row {
	split($0, part, /[<>]/)
	check_library(FILENAME, part[2])
}

END {
	for (pair in needed) {
		split(pair, part, SUBSEP)
		if (part[2] in defined_in && folder_of(part[1]) == folder_of(defined_in[part[2]]))
			add_edge(part[1], defined_in[part[2]])
	}
	check_circles()
	if (calls)
		exit
	for (folder in budget) {
		if (lines[folder] > budget[folder] || lines[folder] < budget[folder] - 100)
			print layout ":" budget_row[folder] ": " folder " has " lines[folder] + 0 " lines, and a budget of " budget[folder]
	}
	for (header in header_lines) {
		if (header_lines[header] > (header in header_limit ? header_limit[header] : 150))
			print header ": has " header_lines[header] " lines, and headers have 150 at most"
	}
	for (header in header_limit) {
		if (header_lines[header] < header_limit[header] - 10 || header_lines[header] <= 150)
			print layout ":" header_row[header] ": " header " has " header_lines[header] + 0 " lines"
	}
	for (pair in allowed) {
		split(pair, part, SUBSEP)
		if (part[1] != part[2] && !(pair in used))
			print layout ":" allowed[pair] ": " part[1] " includes nothing of " part[2]
	}
}
