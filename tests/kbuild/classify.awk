# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Why fentry programs were refused: reads "OBJECT FUNCTION" of functions in .init sections and
# "resolve_btfids FUNCTION" of FUNCs that only resolve_btfids has made, then fentry_all's lines, all
# separated by tabs. Prints a table
#
#	good|bad COUNT OBJECT CLASS: FUNCTION...
#
# "good" are the kernel's trampoline's own limits, which no BTF can change; "bad" is what BTF has
# wrongly promised, and what is not known here.
BEGIN {
	FS = "\t"
	# btf_id_deny of kernel/bpf/verifier.c
	split("migrate_disable migrate_enable rcu_read_unlock_strict preempt_count_add " \
	      "preempt_count_sub __rcu_read_lock __rcu_read_unlock ___migrate_enable", names, " ")
	for (i in names)
		denied[names[i]] = 1
	EINVAL = 22
	ENOTSUPP = 524
}

function count(verdict, object, class, name)
{
	class = verdict "\t" object "\t" class
	if (counts[class]++ < 12)
		examples[class] = examples[class] " " name
	else if (counts[class] == 13)
		examples[class] = examples[class] " ..."
}

FNR == NR {
	is_known[$1, $2] = 1
	next
}

$1 == "load" {
	object = $2; name = $3; error = $4; empty = $5; log_line = $6
	# A module's init code is thrown away with its symbols; the kernel keeps those of its own.
	if (log_line ~ /^The address of function .* cannot be found/) {
		if (object != "vmlinux" && (object, name) in is_known)
			count("good", object, "init code that is gone", name)
		# Kfuncs with arguments that the verifier adds have a second FUNC with all of them.
		else if (name ~ /_impl$/ && ("resolve_btfids", name) in is_known)
			count("good", object, "made by resolve_btfids", name)
		else
			count("bad", object, "no symbol of that name", name)
	} else if (log_line ~ /^The function .* with variable args is unsupported/)
		count("good", object, "variable arguments", name)
	else if (log_line ~ /^The function .* has [0-9]+ arguments\. Too many/)
		count("good", object, "too many arguments", name)
	else if (log_line ~ /^The function .* return type (STRUCT|UNION) is unsupported/)
		count("good", object, "returns a struct or union", name)
	else if (log_line ~ /^The function .* arg[0-9]+ type (STRUCT|UNION) is unsupported/)
		count("good", object, "a union, or a struct over 16 bytes, by value", name)
	else if (log_line ~ /^The function .* has malformed void argument/ && empty > 0)
		count("good", object, "an empty struct by value", name)
	else if (error == EINVAL && name in denied &&
		 (log_line == "" || log_line ~ /^Attaching tracing programs to function .* is rejected/))
		count("good", object, "the kernel's list of what must not be traced", name)
	else
		count("bad", object, "error " error ": " log_line, name)
	next
}

$1 == "attach" {
	if ($4 == ENOTSUPP)
		count("good", $2, "attaching: more arguments than registers", $3)
	else
		count("bad", $2, "attaching: error " $4, $3)
}

END {
	for (class in counts) {
		split(class, part, "\t")
		printf "%-4s %6d %-8s %s:%s\n", part[1], counts[class], part[2], part[3],
		       examples[class]
	}
}
