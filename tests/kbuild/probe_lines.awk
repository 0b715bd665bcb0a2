# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# The probes in what tests/tool_probes.c prints, without the names of their events, by tabs:
#
#	accepted|refused text|script|unseen NAME LINE
#
# "text" is a line for dynamic_events, "event" one that the kernel completes by its BTF, "script" a call of probe() in a script for tracefs, "unseen" an
# address that the script calls not seen because kprobes are refused there. Of a function's sites
# beyond the first 20 it is each EVERYth. Those of which it is not known whether they are taken are left out.

function put(expected, kind, line)
{
	print expected "\t" kind "\t" name "\t" line
}

/# .*not known/ { next }

/^== / {
	name = $2
	is_script = 0
	next
}

/^-- script$/ {
	is_script = 1
	unseen = 0
	next
}

!is_script && /^  (tracefs)? *[prf]:/ {
	refused = /# .*refused/
	sub(/^  (tracefs)? */, "")
	sub(/  #.*/, "")
	sub(/:[^ ]*/, "")
	put(refused ? "refused" : "accepted", /^f/ ? "event" : "text", $0)
}

is_script && /^probe [^ ]* '/ {
	number = $2
	sub(/.*_inline_/, "", number)
	if (number > 20 && number % every != 0)
		next
	sub(/^probe [^ ]* '/, "p ")
	sub(/'$/, "")
	put("accepted", "script", $0)
}

# "#   calls inlined at vfs_read+0x1c (.text+0x1234): the kernel patches ..."
is_script && /^#   calls (of|inlined at) .*: (kprobes are refused|the kernel|the instruction|it must not|it is entry|it is freed|kprobes themselves)/ {
	sub(/^#   calls (of|inlined at) /, "")
	place = $1
	sub(/:$/, "", place)
	if (place !~ /^0x/ && (++unseen <= 20 || unseen % every == 0))
		put("refused", "unseen", "p " place)
}
