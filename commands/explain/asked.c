/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/explain/asked.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "btf/inspect.h"

#define SEPARATORS ":/"

/* libbpf's sections (section_defs[]), bpftrace's probes with their aliases, tracefs' letters. */
static const struct prefix {
	const char *words;
	enum asked_kind kind;
	uint8_t needs;
} prefixes[] = {
	{ "fentry kfunc f", ASKED_FUNCTION, 0 },
	{ "fexit kretfunc fr fsession", ASKED_FUNCTION, ASKED_RETURN },
	{ "fmod_ret", ASKED_FUNCTION, ASKED_RETURN | ASKED_CHANGE },
	{ "kprobe k p kprobes", ASKED_FUNCTION, ASKED_PROBE },
	{ "kretprobe kr r", ASKED_FUNCTION, ASKED_PROBE | ASKED_RETURN },
	{ "tp tracepoint t raw_tp raw_tracepoint rawtracepoint rt tp_btf", ASKED_TRACEPOINT, 0 },
	{ "ksyscall syscall", ASKED_SYSTEM_CALL, 0 },
	{ "kretsyscall", ASKED_SYSTEM_CALL, ASKED_RETURN },
	{ "lsm lsm_cgroup", ASKED_LSM, 0 },
	{ "iter it", ASKED_ITERATOR, 0 },
	{ "uprobe uretprobe usdt xdp perf_event freplace", ASKED_ANY, 0 },
};

/* "fentry.s", "kprobe.multi", "raw_tp.w": the attribute after the dot changes nothing here. */
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

/* "module:vfs_read+0x4" of "vfs_read+0x4/0x80 [module]". */
static char *plain_symbol(const char *text, size_t length)
{
	char *whole = memory_string(text, length), *name;
	const char *module = strstr(whole, " ["), *plus = strchr(whole, '+');
	size_t symbol = plus ? (size_t)(plus - whole) + strcspn(plus, "/ ")
			: module ? (size_t)(module - whole) : length;

	if (!module || strcspn(whole, SEPARATORS) < symbol)
		return whole[symbol] = '\0', whole;
	name = text_format("%.*s:%.*s", (int)strcspn(module + 2, "]"), module + 2, (int)symbol,
			   whole);
	free(whole);
	return name;
}

char *asked_plain(const char *text)
{
	static const char *const ignored[] = { " ", "\t", "SEC(\"?", "SEC(\"", "? ",
					       "RIP: 0010:", "const " };
	const char *whole = text, *rest;
	size_t word, first = 0, end;
	char *plain;

	for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++) {
		rest = text_after(text, ignored[i]);
		if (rest) {
			text = rest;
			i = SIZE_MAX;
		}
	}
	word = strcspn(text, " ");
	rest = text + word + strspn(text + word, " ");
	/* "p:EVENT vfs_read file=%di:x64", "ffffffff81204a40 T vfs_read" */
	if (*rest && (text_after(text, "p:") || text_after(text, "r:")))
		return text_format("%.2s%.*s", text, (int)strcspn(rest, " "), rest);
	if (word == 16 && strspn(text, "0123456789abcdef") == word && rest[0] && rest[1] == ' ')
		text = rest + 2;
	end = strcspn(text, "({;\"");
	if (text[end] == '(') {
		/* The name is the last word before. */
		while (end && strchr(" \t", text[end - 1]))
			end--;
		for (first = end; first && !strchr(" \t*", text[first - 1]);)
			first--;
	} else if (btf_keyword_kind(text, word) != BTF_VOID) {
		end = (size_t)(rest - text) + strcspn(rest, " *{;");
	}
	while (end > first && strchr(" \t", text[end - 1]))
		end--;
	plain = plain_symbol(text + first, end - first);
	/* A symbol may be called anything. */
	if (*plain && text_is_made_of(plain, " _.$:/+->@"))
		return plain;
	free(plain);
	return memory_string(whole, strlen(whole));
}

/* "vfs_read" of "vfs_read+0x4". */
static char *without_offset(const char *name)
{
	size_t length = strcspn(name, "+");

	if (!name[length] || !name[length + 1 + strspn(name + length + 1, "0123456789abcdefx")])
		return memory_string(name, length);
	return memory_string(name, strlen(name));
}

bool asked_parse(struct asked *asked, const char *text)
{
	size_t length = strcspn(text, SEPARATORS);
	const struct prefix *found = asked_is_hook(text) ? find_prefix(text, length) : NULL;

	*asked = (struct asked){ .kind = found ? found->kind : ASKED_ANY };
	if (found) {
		asked->needs = found->needs;
		asked->word = memory_string(text, strcspn(text, "." SEPARATORS));
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
	/* tracefs: "p:kprobes/EVENT". */
	if (asked->folder && found && found->kind == ASKED_FUNCTION &&
	    find_prefix(asked->folder, strlen(asked->folder))) {
		free(asked->folder);
		asked->folder = NULL;
	}
	if (asked->folder && asked->kind == ASKED_ANY)
		asked->kind = strcmp(asked->folder, "syscalls") == 0 ? ASKED_TRACEPOINT
								     : ASKED_EVENT;
	switch (asked->kind) {
	case ASKED_SYSTEM_CALL:
		asked->name = text_format("%s%s", asked->needs ? "sys_exit_" : "sys_enter_", text);
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
