/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/explain/asked.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "btf/inspect.h"

#define SEPARATORS ":/"
#define HEX_DIGITS "0123456789abcdef"

#define SECTION_ONLY 8	/* "xdp:xdp_exception" is an event */

/* libbpf's sections (section_defs[]), bpftrace's probes with their aliases, tracefs' letters. */
static const struct prefix {
	const char *words;
	enum asked_kind kind;
	uint8_t needs;
} prefixes[] = {
	{ "fentry kfunc f fprobe fprobes", ASKED_FUNCTION, 0 },
	{ "fexit kretfunc fr fsession", ASKED_FUNCTION, ASKED_RETURN },
	{ "fmod_ret", ASKED_FUNCTION, ASKED_RETURN | ASKED_CHANGE },
	{ "kprobe k p kprobes probe", ASKED_FUNCTION, ASKED_PROBE },
	{ "kretprobe kr r", ASKED_FUNCTION, ASKED_PROBE | ASKED_RETURN },
	{ "tp tracepoint t", ASKED_TRACEPOINT, ASKED_TRACE_EVENT },
	{ "raw_tp raw_tracepoint rawtracepoint rt tp_btf", ASKED_TRACEPOINT, 0 },
	{ "ksyscall syscall", ASKED_SYSTEM_CALL, 0 },
	{ "kretsyscall", ASKED_SYSTEM_CALL, ASKED_RETURN },
	{ "lsm lsm_cgroup", ASKED_LSM, 0 },
	{ "iter it", ASKED_ITERATOR, 0 },
	{ "uprobe uretprobe usdt profile interval software hardware watchpoint asyncwatchpoint",
	  ASKED_ANY, 0 },
	{ "xdp perf_event freplace cgroup_skb sk_lookup sk_msg sk_reuseport sk_skb sockops tcx "
	  "netkit flow_dissector", ASKED_ANY, SECTION_ONLY },
};

/* "fentry.s", "kprobe.multi", "raw_tp.w" are found without what is after the dot. */
static const struct prefix *find_prefix(const char *word, size_t length)
{
	const char *dot = memchr(word, '.', length);
	size_t bare = dot ? (size_t)(dot - word) : length;

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		const char *known = prefixes[i].words;

		for (size_t end; *known; known += end + strspn(known + end, " ")) {
			end = strcspn(known, " ");
			if (end == bare && strncmp(known, word, bare) == 0)
				return &prefixes[i];
		}
	}
	return NULL;
}

bool asked_is_hook(const char *text)
{
	size_t first = strcspn(text, SEPARATORS);

	return text[first] && text[first + 1] && !memchr(text, ' ', first) &&
	       strncmp(text, "struct_ops", 10) != 0;
}

/*
 * The symbol, "kprobe:module:vfs_read" if `rest` begins with " [module]" or " [module 0123abcd]":
 * a lone "module:vfs_read" is an event.
 */
static char *plain_symbol(const char *symbol, size_t length, const char *rest)
{
	if (!text_after(rest, " [") || strcspn(symbol, SEPARATORS) < length)
		return memory_string(symbol, length);
	return text_format("kprobe:%.*s:%.*s", (int)strcspn(rest + 2, "] "), rest + 2, (int)length,
			   symbol);
}

/*
 * Of a line with addresses in code the first, "vfs_read+0x4" of "RIP: 0010:vfs_read+0x4/0x80". What
 * is in front of it differs by machine and kernel. NULL: there is none.
 */
static char *plain_address(const char *line)
{
	/* "kprobe:vfs_read { print(arg0+8, 1); }" */
	const char *program = strstr(line, " {");

	for (const char *plus = line; (plus = strchr(plus, '+')); plus++) {
		const char *number = text_after(plus, "+0x"), *name = plus, *end, *size, *rest;

		number = number ? number : plus + 1;
		end = number + strspn(number, HEX_DIGITS);
		size = text_after(end, "/0x");
		rest = size ? size + strspn(size, HEX_DIGITS) : end;
		while (name > line &&
		       (isalnum((unsigned char)name[-1]) || strchr("_.$:/", name[-1])))
			name--;
		while (name < plus && isdigit((unsigned char)*name))
			name += strcspn(name, ":+") + 1;
		if (program && plus > program)
			break;
		if (name < plus && end > number && strchr(" ,)>'", *rest) &&
		    (isalpha((unsigned char)*name) || *name == '_'))
			return plain_symbol(name, (size_t)(end - name), rest);
	}
	return NULL;
}

/* A copy with blanks for other white space and attributes. */
static char *with_blanks(const char *text)
{
	static const char attribute[] = "__attribute__";
	char *copy = memory_copy(text), *at;

	for (at = copy; *at; at++) {
		if (isspace((unsigned char)*at))
			*at = ' ';
	}
	while ((at = strstr(copy, attribute)) != NULL) {
		size_t length = strlen(attribute), depth = 0;

		length += strspn(at + length, " ");
		for (; at[length] == '(' || (depth && at[length]); length++) {
			depth += at[length] == '(';
			depth -= at[length] == ')';
			if (!depth)
				break;
		}
		length += at[length] == ')';
		memset(at, ' ', length);
	}
	return copy;
}

/* What is after marks, and the address of a line of kallsyms, "ffffffff81204a40 T vfs_read". */
static const char *after_marks(const char *text)
{
	static const char *const marks[] = { " ", "SEC(\"?", "SEC(\"", "=> ", "const " };
	size_t digits;

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		/* "[   12.345678] vfs_read+0x4/0x80" */
		const char *stamp = *text == '[' ? strchr(text, ']') : NULL;
		const char *rest = stamp ? stamp + 1 : text_after(text, marks[i]);

		if (rest) {
			text = rest;
			i = SIZE_MAX;
		}
	}
	digits = strspn(text, HEX_DIGITS);
	if ((digits == 8 || digits == 16) && text[digits] == ' ' && text[digits + 1] &&
	    text[digits + 2] == ' ')
		text += digits + 3;
	return text;
}

/* Of a typedef "typedef u32". */
static char *plain_name(const char *text)
{
	size_t word = strcspn(text, " "), first = 0, end = strcspn(text, "({;\"");
	const char *rest = text + word + strspn(text + word, " ");
	const char *colon = memchr(text, ':', word), *brace = strrchr(text, '}');
	enum btf_kind kind = btf_keyword_kind(text, word);
	bool is_typedef = false, is_last = false;

	if (colon && colon[1] != ':') {
		/* "kprobe:vfs_read /pid == 1/ { }" */
		end = word < end ? word : end;
	} else if (text[end] == '(' && text[end + 1] == '*') {
		/* "int (*open)(struct inode *)" */
		first = end + 1 + strspn(text + end + 1, "* ");
		end = first + strcspn(text + first, " ()[");
	} else if (text[end] == '(' ||
		   (kind == BTF_VOID && *rest && !strstr(text, " at ") &&
		    text_is_made_of(text, " *_;"))) {
		/* "int vfs_read(...)", "static int vfs_read" */
		is_last = true;
	} else if (kind == BTF_TYPEDEF && *rest) {
		/* "typedef struct { ... } name[2];" */
		end = brace ? (size_t)(brace - text) + 1 : 0;
		end += strcspn(text + end, ";[");
		is_typedef = is_last = true;
	} else if (kind != BTF_VOID) {
		end = (size_t)(rest - text) + strcspn(rest, " *{;");
	}
	for (size_t i = first; i < end; i++) {
		if (text_after(text + i, " ["))
			end = i;
	}
	while (end > first && text[end - 1] == ' ')
		end--;
	for (first = is_last ? end : first; is_last && first && !strchr(" *", text[first - 1]);)
		first--;
	return is_typedef ? text_format("typedef %.*s", (int)(end - first), text + first)
			  : plain_symbol(text + first, end - first, text + end);
}

/* "p:EVENT vfs_read file=%di", and not bpftrace's "k:vfs_read { }". */
static bool is_line_of_tracefs(const char *line)
{
	size_t word = strcspn(line, " ");

	return *line && strchr("prft", *line) &&
	       strcspn(line, ":") == 1 + strspn(line + 1, "0123456789") &&
	       isalpha((unsigned char)line[word + strspn(line + word, " ")]);
}

char *asked_plain(const char *text)
{
	char *copy = with_blanks(text);
	const char *line = after_marks(copy);
	char *plain = is_line_of_tracefs(line) ? memory_copy(text) : plain_address(copy);

	plain = plain ? plain : plain_name(line);
	free(copy);
	/* A symbol may be called anything. */
	if (*plain && text_is_made_of(plain, " _.$:/+->@"))
		return plain;
	free(plain);
	return memory_copy(text);
}

/* "vfs_read" of "vfs_read+0x4". */
static char *without_offset(const char *name)
{
	size_t length = strcspn(name, "+");

	if (!name[length] || !name[length + 1 + strspn(name + length + 1, "0123456789abcdefx")])
		return memory_string(name, length);
	return memory_copy(name);
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
	/* tracefs: "p:kprobes/EVENT". */
	if (asked->folder && found && found->kind == ASKED_FUNCTION &&
	    find_prefix(asked->folder, strlen(asked->folder))) {
		free(asked->folder);
		asked->folder = NULL;
	}
	/* bpftrace's raw tracepoints have a module there, not the events' folder. */
	if (asked->folder && asked->kind == ASKED_TRACEPOINT &&
	    strcmp(asked->folder, "vmlinux") == 0) {
		free(asked->folder);
		asked->folder = NULL;
	}
	if (asked->folder && asked->kind == ASKED_ANY) {
		asked->needs = ASKED_TRACE_EVENT;
		asked->kind = strcmp(asked->folder, "syscalls") == 0 ? ASKED_TRACEPOINT
								     : ASKED_EVENT;
	}
	switch (asked->kind) {
	case ASKED_SYSTEM_CALL:
		asked->name = text_format("%s%s", asked->needs & ASKED_RETURN
						  ? "sys_exit_" : "sys_enter_", text);
		break;
	case ASKED_LSM: asked->name = text_format("bpf_lsm_%s", text); break;
	case ASKED_ITERATOR: asked->name = text_format("bpf_iter_%s", text); break;
	default: asked->name = without_offset(text);
	}
	return true;
}

void asked_release(struct asked *asked)
{
	free(asked->folder);
	free(asked->name);
	free(asked->word);
}
