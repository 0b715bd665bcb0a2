/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/explain/asked.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define SEPARATORS ":/"

struct prefix {
	const char *word;
	enum asked_kind kind;
	bool is_refused;
};

/* libbpf's sections (section_defs[]), bpftrace's probes with their aliases, tracefs' letters. */
static const struct prefix prefixes[] = {
	{ "fentry", ASKED_FUNCTION, false },	 { "fexit", ASKED_FUNCTION, false },
	{ "fmod_ret", ASKED_FUNCTION, false },	 { "fsession", ASKED_FUNCTION, false },
	{ "kprobe", ASKED_FUNCTION, false },	 { "kretprobe", ASKED_FUNCTION, false },
	{ "kfunc", ASKED_FUNCTION, false },	 { "kretfunc", ASKED_FUNCTION, false },
	{ "f", ASKED_FUNCTION, false },		 { "fr", ASKED_FUNCTION, false },
	{ "k", ASKED_FUNCTION, false },		 { "kr", ASKED_FUNCTION, false },
	{ "p", ASKED_FUNCTION, false },		 { "r", ASKED_FUNCTION, false },
	{ "kprobes", ASKED_FUNCTION, false },
	{ "tp", ASKED_TRACEPOINT, false },	 { "tracepoint", ASKED_TRACEPOINT, false },
	{ "raw_tp", ASKED_TRACEPOINT, false },	 { "raw_tracepoint", ASKED_TRACEPOINT, false },
	{ "rawtracepoint", ASKED_TRACEPOINT, false }, { "tp_btf", ASKED_TRACEPOINT, false },
	{ "t", ASKED_TRACEPOINT, false },	 { "rt", ASKED_TRACEPOINT, false },
	{ "ksyscall", ASKED_SYSTEM_CALL, false }, { "kretsyscall", ASKED_SYSTEM_CALL, false },
	{ "syscall", ASKED_SYSTEM_CALL, false },
	{ "lsm", ASKED_LSM, false },		 { "lsm_cgroup", ASKED_LSM, false },
	{ "iter", ASKED_ITERATOR, false },	 { "it", ASKED_ITERATOR, false },
	{ "uprobe", ASKED_ANY, true },		 { "uretprobe", ASKED_ANY, true },
	{ "usdt", ASKED_ANY, true },		 { "xdp", ASKED_ANY, true },
	{ "perf_event", ASKED_ANY, true },	 { "freplace", ASKED_ANY, true },
};

/* "fentry.s", "kprobe.multi", "raw_tp.w": the attribute after the dot changes nothing here. */
static const struct prefix *find_prefix(const char *word, size_t length)
{
	const char *dot = memchr(word, '.', length);
	size_t bare = dot ? (size_t)(dot - word) : length;

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		if (strlen(prefixes[i].word) == bare &&
		    strncmp(prefixes[i].word, word, bare) == 0)
			return &prefixes[i];
	}
	return NULL;
}

bool asked_is_hook(const char *text)
{
	size_t first = strcspn(text, SEPARATORS);

	return text[first] && text[first + 1] && !memchr(text, ' ', first) &&
	       strncmp(text, "struct_ops", 10) != 0;
}

/* "vfs_read" of "vfs_read+0x4". */
static char *without_offset(const char *name)
{
	size_t length = strcspn(name, "+");

	if (!name[length] || !name[length + 1 + strspn(name + length + 1, "0123456789abcdefx")])
		return memory_string(name, length);
	return memory_string(name, strlen(name));
}

bool asked_parse(struct asked *asked, const char *text, const char **prefix)
{
	size_t length = strcspn(text, SEPARATORS);
	const struct prefix *found = asked_is_hook(text) ? find_prefix(text, length) : NULL;
	bool returns = found && strcmp(found->word, "kretsyscall") == 0;

	*asked = (struct asked){ .kind = found ? found->kind : ASKED_ANY };
	*prefix = found ? found->word : NULL;
	if (found && found->is_refused)
		return false;
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
		asked->name = text_format("%s%s", returns ? "sys_exit_" : "sys_enter_", text);
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
}
