/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "encoder/folded_code.h"


#include "base/hash.h"
#include "base/search.h"
#include "base/sort.h"
#include "encoder/evidence/instance.h"

static void add_ranges(address_range_array *code, const address_range_array *from, size_t first,
		       size_t end)
{
	for (size_t i = first; i < end; i++)
		array_push(code, from->data[i]);
}

/* Sorts ranges and joins those that overlap. */
static void join_ranges(address_range_array *ranges)
{
	struct address_range *code = ranges->data;
	size_t count = 0;

	array_sort(ranges, compare_u64);
	for (size_t i = 0; i < ranges->count; i++) {
		if (!count || code[i].begin >= code[count - 1].end)
			code[count++] = code[i];
		else if (code[i].end > code[count - 1].end)
			code[count - 1].end = code[i].end;
	}
	ranges->count = count;
}

void folded_code_begin(struct folded_code *folded, const struct dwarf_model *model,
		       const struct unit_groups *groups, struct group_id group)
{
	folded->model = model;
	folded->groups = groups;
	folded->group = &groups->groups.data[group.index];
	folded->unit = UINT32_MAX;
	folded->connected.ranges.count = 0;
	hash_table_clear(&folded->connected.known);
}

static void use_unit(struct folded_code *folded, uint32_t unit)
{
	const struct dwarf_model *model = folded->model;
	const struct unit_group *group = folded->group;
	size_t first = model->units.data[unit].first_code;
	size_t end = unit + 1 < model->units.count ? model->units.data[unit + 1].first_code
						   : model->code.count;

	folded->unit = unit;
	folded->code = first < end ? &folded->own : &folded->connected;
	if (first < end) {
		folded->own.ranges.count = 0;
		hash_table_clear(&folded->own.known);
		add_ranges(&folded->own.ranges, &model->code, first, end);
	} else if (!folded->connected.ranges.count) {
		add_ranges(&folded->connected.ranges, &model->code, 0, model->code.count);
		if (group->is_part)
			add_ranges(&folded->connected.ranges, &folded->groups->code,
				   group->first_code, group->first_code + group->code_count);
	} else {
		return;
	}
	join_ranges(&folded->code->ranges);
}

void folded_code_release(struct folded_code *folded)
{
	array_release(&folded->own.ranges);
	array_release(&folded->connected.ranges);
	hash_table_release(&folded->own.known);
	hash_table_release(&folded->connected.known);
}

/*
 * A range may begin after the pads of an entry. Each step passes a symbol or a range, so there are
 * as many as the fewer of them, not as the product.
 */
static uint32_t find_symbol(struct folded_code *folded, const char *name)
{
	const struct symbol_table *symbols = folded->evidence->symbols;
	struct symbol_search search = symbol_table_search_base(symbols, name);
	const struct address_range *code = folded->code->ranges.data;
	size_t count = folded->code->ranges.count, i = 0;
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
uint32_t folded_code_symbol(struct folded_code *folded, const struct dwarf_function *definition,
			    const char *name)
{
	uint32_t hash = hash_number(definition->name), symbol = NO_SYMBOL;
	const uint64_t *known;

	if (definition->unit != folded->unit)
		use_unit(folded, definition->unit);
	known = hash_table_first(&folded->code->known, hash);

	if (*known)
		return hash_table_value(known) == NO_SYMBOL ? NO_SYMBOL
							     : hash_table_value(known) - 1;
	/* A name with suffixes would be another function's. */
	if (!name[symbol_parse(name).base_length])
		symbol = find_symbol(folded, name);
	hash_table_add(&folded->code->known, hash, symbol == NO_SYMBOL ? NO_SYMBOL : symbol + 1);
	return symbol;
}
