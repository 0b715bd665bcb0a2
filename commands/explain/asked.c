/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/explain/asked.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

#define SEPARATORS ":/"
#define HEX_DIGITS "0123456789abcdef"

#define SECTION_ONLY 8	/* "xdp:xdp_exception" is an event */

/* libbpf's sections (section_defs[]), bpftrace's probes with their aliases, tracefs' letters. */
static const struct prefix {
	const char *words;
	enum asked_kind kind;
	uint8_t needs;
} prefixes[] = {
	{ " fentry kfunc f fprobe fprobes ", ASKED_FUNCTION, 0 },
	{ " fexit kretfunc fr fsession ", ASKED_FUNCTION, ASKED_RETURN },
	{ " fmod_ret ", ASKED_FUNCTION, ASKED_RETURN | ASKED_CHANGE },
	{ " kprobe k p kprobes probe ", ASKED_FUNCTION, ASKED_PROBE },
	{ " kretprobe kr r ", ASKED_FUNCTION, ASKED_PROBE | ASKED_RETURN },
	{ " tp tracepoint t ", ASKED_TRACEPOINT, ASKED_TRACE_EVENT },
	{ " raw_tp raw_tracepoint rawtracepoint rt tp_btf ", ASKED_TRACEPOINT, 0 },
	{ " ksyscall syscall ", ASKED_SYSTEM_CALL, 0 },
	{ " kretsyscall ", ASKED_SYSTEM_CALL, ASKED_RETURN },
	{ " lsm lsm_cgroup ", ASKED_LSM, 0 },
	{ " iter it ", ASKED_ITERATOR, 0 },
	{ " uprobe uretprobe usdt profile interval software hardware watchpoint asyncwatchpoint ",
	  ASKED_ANY, 0 },
	{ " xdp perf_event freplace cgroup_skb sk_lookup sk_msg sk_reuseport sk_skb sockops tcx "
	  "netkit flow_dissector ", ASKED_ANY, SECTION_ONLY },
};

#define PREFIXES (sizeof(prefixes) / sizeof(*prefixes))

/* "fentry.s", "kprobe.multi", "raw_tp.w" are found without what is after the dot. */
static const struct prefix *find_prefix(const char *word, size_t length)
{
	const char *dot = memchr(word, '.', length);
	char *known = text_format(" %.*s ", (int)(dot ? (size_t)(dot - word) : length), word);
	size_t i = 0;

	while (i < PREFIXES && !strstr(prefixes[i].words, known))
		i++;
	free(known);
	return i < PREFIXES ? &prefixes[i] : NULL;
}

bool asked_is_hook(const char *text)
{
	size_t first = strcspn(text, SEPARATORS);

	return text[first] && text[first + 1] && !memchr(text, ' ', first) &&
	       strncmp(text, "struct_ops", 10) != 0;
}

/*
 * Of a line with addresses in code the first, "vfs_read+0x4" of "RIP: 0010:vfs_read+0x4/0x80";
 * "kprobe:module:vfs_read+0x4" if " [module]" or " [module 0123abcd]" comes after it, as a lone
 * "module:vfs_read" is an event. What is in front of it differs by machine and kernel. NULL: there
 * is none.
 */
static char *plain_address(const char *line)
{
	/* "kprobe:vfs_read { print(arg0+8, 1); }" */
	const char *program = strstr(line, " {");

	for (const char *plus = program ? "" : line; (plus = strchr(plus, '+')); plus++) {
		const char *number = text_after(plus, "+0x"), *name = plus, *end, *size, *rest;
		int length;

		number = number ? number : plus + 1;
		end = number + strspn(number, HEX_DIGITS);
		size = text_after(end, "/0x");
		rest = size ? size + strspn(size, HEX_DIGITS) : end;
		while (name > line &&
		       (isalnum((unsigned char)name[-1]) || strchr("_.$:/", name[-1])))
			name--;
		while (name < plus && isdigit((unsigned char)*name))
			name += strcspn(name, ":+") + 1;
		if (name == plus || end == number || !strchr(" ,)>'", *rest) ||
		    !(isalpha((unsigned char)*name) || *name == '_'))
			continue;
		length = (int)(end - name);
		if (!text_after(rest, " [") || strcspn(name, SEPARATORS) < (size_t)length)
			return memory_string(name, (size_t)length);
		return text_format("kprobe:%.*s:%.*s", (int)strcspn(rest + 2, "] "), rest + 2,
				   length, name);
	}
	return NULL;
}

char *asked_plain(const char *text)
{
	const char *member = text_after(text, "current");
	size_t length = strlen(text);
	char *address = plain_address(text);

	if (member && (!*member || *member == '.' || text_after(member, "->"))) {
		print_warning("current is a macro: the answer is about the struct task_struct of "
			      "the task that runs, which bpf_get_current_task_btf() and bpftrace's "
			      "curtask return");
		free(address);
		return text_format("struct task_struct%s", member);
	}
	/* A symbol may be called anything. */
	if (address && text_is_made_of(address, " _.$:/+->@"))
		return address;
	free(address);
	if (length > 2 && strcmp(text + length - 2, "()") == 0)
		length -= 2;
	while (strncmp(text, "struct", 6) == 0 && strchr(" *{;", text[length - 1]))
		length--;
	return memory_string(text, length);
}

/* "vfs_read" of "vfs_read+0x4". */
static char *without_offset(const char *name)
{
	size_t length = strcspn(name, "+");

	if (!name[length] || !name[length + 1 + strspn(name + length + 1, "0123456789abcdefx")])
		return memory_string(name, length);
	return memory_copy(name);
}

/* Takes it over. */
static void set_name(struct asked *asked, char *text)
{
	const char *before = asked->kind == ASKED_LSM	     ? "bpf_lsm_"
			     : asked->kind == ASKED_ITERATOR ? "bpf_iter_"
			     : asked->kind != ASKED_SYSTEM_CALL ? ""
			     : asked->needs & ASKED_RETURN ? "sys_exit_" : "sys_enter_";

	asked->name = text_format("%s%s", before, text);
	free(text);
}

bool asked_parse(struct asked *asked, const char *text)
{
	size_t length = strcspn(text, SEPARATORS);
	const struct prefix *found = asked_is_hook(text) ? find_prefix(text, length) : NULL;

	if (found && found->needs & SECTION_ONLY && text[length] == ':')
		found = NULL;
	*asked = (struct asked){ .kind = found ? found->kind : ASKED_ANY };
	if (found) {
		asked->needs = found->needs;
		asked->word = memory_string(text, length);
		if (found->kind == ASKED_ANY)
			return false;
	}
	text += found ? length + 1 : 0;
	/* What is left is the name, perhaps with one word before it. */
	for (length = strcspn(text, SEPARATORS); text[length] && text[length + 1];
	     length = strcspn(text, SEPARATORS)) {
		free(asked->folder);
		asked->folder = memory_string(text, length);
		text += length + 1;
	}
	/* The kernel's name of a module has no hyphens, its file's may; folders of events, too. */
	for (char *at = asked->kind == ASKED_FUNCTION ? asked->folder : NULL; at && *at; at++)
		*at = *at == '-' ? '_' : *at;
	/*
	 * tracefs: "p:kprobes/EVENT". bpftrace's raw tracepoints have a module there, not the
	 * events' folder.
	 */
	if (asked->folder && (asked->kind == ASKED_FUNCTION
			      ? find_prefix(asked->folder, strlen(asked->folder)) != NULL
			      : asked->kind == ASKED_TRACEPOINT &&
				strcmp(asked->folder, "vmlinux") == 0)) {
		free(asked->folder);
		asked->folder = NULL;
	}
	if (asked->folder && asked->kind == ASKED_ANY) {
		asked->needs = ASKED_TRACE_EVENT;
		asked->kind = strcmp(asked->folder, "syscalls") == 0 ? ASKED_TRACEPOINT
								     : ASKED_EVENT;
	}
	set_name(asked, asked->kind >= ASKED_SYSTEM_CALL && asked->kind <= ASKED_ITERATOR
				? memory_copy(text) : without_offset(text));
	return true;
}

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_."

void asked_of_section(struct asked *asked, const char *section)
{
	size_t length = strcspn(section, "/"), taken;
	const struct prefix *found = find_prefix(section, length);
	const char *text = section + length + 1, *end;

	*asked = (struct asked){ .kind = ASKED_ANY };
	if (!found || !section[length] || found->kind == ASKED_ANY)
		return;
	*asked = (struct asked){ .kind = found->kind, .needs = found->needs,
				 .word = memory_string(section, length) };
	if (strstr(asked->word, ".multi") || strstr(asked->word, ".session"))
		asked->needs |= ASKED_MANY;
	/* sscanf() stops at others. */
	taken = !(asked->needs & (ASKED_MANY | ASKED_PROBE)) ? strlen(text)
		: strspn(text, !(asked->needs & ASKED_MANY) ? LETTERS
			: found->needs & ASKED_PROBE ? LETTERS "*?" : LETTERS "*?:");
	/* That is no module, of which it wants the name there. */
	end = found->kind == ASKED_SYSTEM_CALL || strncmp(asked->word, "raw", 3) == 0 ||
			      (asked->needs & ASKED_MANY && text_after(text, "vmlinux:"))
		      ? NULL : memchr(text, found->needs & ASKED_TRACE_EVENT ? '/' : ':', taken);
	if (end) {
		asked->needs |= *end == ':' ? ASKED_IN_MODULE : 0;
		asked->folder = memory_string(text, (size_t)(end - text));
		taken -= (size_t)(end + 1 - text);
		text = end + 1;
	}
	set_name(asked, memory_string(text, taken));
}

void asked_release(struct asked *asked)
{
	free(asked->folder);
	free(asked->name);
	free(asked->word);
}
