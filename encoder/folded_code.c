/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "encoder/folded_code.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/search.h"
#include "encoder/evidence/instance.h"

static int compare_ranges(const void *a, const void *b)
{
	const struct address_range *x = a, *y = b;

	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

void folded_code_begin(struct folded_code *folded, const address_range_array *own,
		       const struct unit_groups *groups, struct group_id group)
{
	const struct unit_group *read = &groups->groups.data[group.index];
	struct address_range *code;
	size_t count = 0;

	hash_table_clear(&folded->known);
	folded->code.count = 0;
	for (size_t i = 0; i < own->count; i++)
		array_push(&folded->code, own->data[i]);
	for (uint32_t i = 0; read->is_part && i < read->code_count; i++)
		array_push(&folded->code, groups->code.data[read->first_code + i]);
	code = folded->code.data;
	array_sort(&folded->code, compare_ranges);
	for (size_t i = 0; i < folded->code.count; i++) {
		if (!count || code[i].begin >= code[count - 1].end)
			code[count++] = code[i];
		else if (code[i].end > code[count - 1].end)
			code[count - 1].end = code[i].end;
	}
	folded->code.count = count;
}

void folded_code_release(struct folded_code *folded)
{
	array_release(&folded->code);
	hash_table_release(&folded->known);
}

/*
 * A range may begin after the pads of an entry. Each step passes a symbol or a range, so there are
 * as many as the fewer of them, not as the product.
 */
static uint32_t find_symbol(struct folded_code *folded, const char *name)
{
	const struct symbol_table *symbols = folded->evidence->symbols;
	struct symbol_search search = symbol_table_search_base(symbols, name);
	const struct address_range *code = folded->code.data;
	size_t count = folded->code.count, i = 0;
	uint64_t address = 0;
	uint32_t found;

	while ((found = symbol_search_from(&search, KIN_FUNCTION, address)) != NO_SYMBOL) {
		const struct symbol *symbol = &symbols->symbols.data[found];

		i += lower_bound(k, count - i, code[i + k].end <= symbol->address);
		if (i == count)
			return NO_SYMBOL;
		if (symbol->address >= code[i].begin ||
		    entry_is_described_at(folded->evidence, symbol, code[i].begin))
			return found;
		address = symbol->address + 1;
		if (code[i].begin > CODE_PADS_MAX && address < code[i].begin - CODE_PADS_MAX)
			address = code[i].begin - CODE_PADS_MAX;
	}
	return NO_SYMBOL;
}

/* With LTO each unit of a group may define the name. */
uint32_t folded_code_symbol(struct folded_code *folded, uint32_t key, const char *name)
{
	uint32_t hash = hash_number(key), symbol = NO_SYMBOL;
	const uint64_t *known = hash_table_first(&folded->known, hash);

	if (*known)
		return hash_table_value(known) == NO_SYMBOL ? NO_SYMBOL
							     : hash_table_value(known) - 1;
	/* A name with suffixes would be another function's. */
	if (!name[symbol_parse(name).base_length])
		symbol = find_symbol(folded, name);
	hash_table_add(&folded->known, hash, symbol == NO_SYMBOL ? NO_SYMBOL : symbol + 1);
	return symbol;
}
