/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "kernel/attach/known_functions.h"

#include <ctype.h>
#include <pthread.h>
#include <string.h>

#include "base/sort.h"
#include "base/text.h"

/* ---- sets of BTF ids ---- */

/* Is the symbol a BTF id of the function: "__BTF_ID__func__NAME__NUMBER"? */
static bool is_id_of(const struct symbol *symbol, const char *function)
{
	const char *name = text_after(symbol->name, "__BTF_ID__func__");
	const char *number = name ? text_after(name, function) : NULL;

	number = number ? text_after(number, "__") : NULL;
	return number && isdigit((unsigned char)*number);
}

/*
 * The ids of a set follow its symbol, and end at the next one that is no id: each set and list of
 * ids has one. The size is of no use, because lists of symbols have none. A set without ids was
 * stripped, or its ids were.
 */
enum attach_answer btf_ids_set_has(const struct symbol_table *symbols, const struct symbol *set,
				   const char *function)
{
	const struct symbol *end, *next = set, *first = NULL, *id = NULL;

	if (!set)
		return ATTACH_UNKNOWN;
	end = symbols->symbols.data + symbols->symbols.count;
	for (; next < end && (next->address == set->address ||
			      (text_after(next->name, "__BTF_ID__") &&
			       !text_after(next->name, "__BTF_ID__set"))); next++) {
		if (!first && next->address != set->address)
			first = next;
		if (!id && is_id_of(next, function))
			id = next;
	}
	/* The id may come before the symbol of the list that it begins. */
	if (id && (next == end || id->address < next->address))
		return ATTACH_YES;
	return first && (next == end || first->address < next->address) ? ATTACH_NO
									: ATTACH_UNKNOWN;
}

enum attach_answer btf_ids_have(const struct symbol_table *symbols, const char *set,
				const char *function)
{
	return symbols ? btf_ids_set_has(symbols, symbol_table_find(symbols, set), function)
		       : ATTACH_UNKNOWN;
}

/* ---- by name alone ---- */

EMBED(known_functions, "kernel/attach/known_functions.txt");

struct known_function {
	const char *name, *word;
};

static ARRAY_OF(struct known_function) known;	/* by name */
static pthread_once_t is_read = PTHREAD_ONCE_INIT;

static void read_known(void)
{
	char *rest = memory_copy(known_functions), *line;

	while ((line = strsep(&rest, "\n"))) {
		const char *word = strsep(&line, " ");

		if (line && *word != '#')
			array_push(&known, ((struct known_function){ line, word }));
	}
	array_sort(&known, compare_strings);
}

bool function_is(const char *word, const char *name)
{
	const struct known_function *found;

	pthread_once(&is_read, read_known);
	found = array_find(&known, &name, compare_strings);
	return found && strcmp(found->word, word) == 0;
}

static const char *const why_around[] = {
	[ATTACH_UNKNOWN] = "it runs around each BPF program, so kernels refuse it or may hang "
			   "(btf_id_deny)",
	[ATTACH_NO] = "it runs around each BPF program, so the machine may hang; later kernels "
		      "refuse it (btf_id_deny)",
	[ATTACH_YES] = "it runs around each BPF program, so the verifier refuses it (btf_id_deny)",
};

const char *denied_why(const struct attach_image *kernel, const char *name)
{
	enum attach_answer listed = btf_ids_have(kernel->symbols, BTF_ID_SET "btf_id_deny", name);

	/* A module's function may have the name of one of the kernel's. */
	if (kernel->is_module)
		return NULL;
	if (function_is("around", name))
		return why_around[listed];
	if (listed == ATTACH_YES)
		return "the verifier refuses it by name (btf_id_deny)";
	if (function_is("after", name))
		return "it may run after each BPF program, so the machine may hang";
	if (function_is("locks", name))
		return "of its source file, which locks BPF maps, later kernels have no hooks: a "
		       "program may hang there";
	return NULL;
}
