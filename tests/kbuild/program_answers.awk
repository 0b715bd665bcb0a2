# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# From what tests/tool_probes.c prints of lines TYPE/NAME, by tabs: yes|no|maybe TYPE/NAME HEADLINE, the
# answer being whether the kernel takes such a program. There is none where explain does not judge that:
# of another name's function, of BPF programs on kprobes where there is no promise, and of exits of what
# never returns, which kernels take at times.

function flush(    type, answer)
{
	type = line
	sub(/\/.*/, "", type)
	if (index(head, "not known whether by " type ":"))
		answer = "maybe"
	else if (index(head, "not by " type ": the function never returns") || head ~ /: another name of/)
		answer = ""
	else if (index(head, "not by " type ":"))
		answer = "no"
	else if (type ~ /^lsm|^iter/)
		answer = head ~ /: yes, (by LSM programs|it is an iterator)/ ? "yes" : "no"
	else if (type ~ /^k/ && head ~ /: no: (BTF does not|every call|only |several|it is declared)|: no fentry: /)
		answer = ""
	else if (type ~ /^k/)
		answer = head ~ /[:;] yes, |a kprobe works/ ? "yes" : "no"
	else
		answer = head ~ /[:;] yes, by fentry/ ? "yes" : "no"
	if (answer && head)
		print answer "\t" line "\t" head
}

/^== / {
	flush()
	line = $2
	head = ""
	next
}

!head { head = $0 }
END { flush() }
