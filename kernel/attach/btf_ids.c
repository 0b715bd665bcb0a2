/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "kernel/attach/btf_ids.h"

#include <ctype.h>

#include "base/text.h"

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
