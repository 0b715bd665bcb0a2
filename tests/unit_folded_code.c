/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* The symbol of a folded function, of random symbols and ranges: against looking at all of them. */
#include "tests/cmocka_all.h"

#include <gelf.h>
#include <stdlib.h>

#include "dwarf/code_pad.h"
#include "encoder/folded_code.h"
#include "tests/mutate.h"

#define ROUNDS	2000
#define MOST	12
#define STEP	(4u * CODE_PADS_MAX)	/* so that no symbol is right before a range */

static const char *const names[] = { "f", "g", "f.cold", "f.isra.0", "f.1" };

static void add_symbols(struct symbol_table *table, struct random *random)
{
	size_t count = random_below(random, MOST);
	uint64_t address = 0;

	for (size_t i = 0; i < count; i++) {
		address += STEP * random_below(random, 3);	/* several at one address, too */
		array_push(&table->symbols, ((struct symbol){
			.name = names[random_below(random, LENGTH(names))],
			.address = address,
			.type = random_below(random, 4) ? STT_FUNC : STT_OBJECT }));
	}
	symbol_table_index(table);
}

/* In any order, empty ones and overlapping ones, too. */
static void add_code(address_range_array *code, struct random *random)
{
	for (size_t count = random_below(random, MOST); count; count--) {
		uint64_t begin = STEP * random_below(random, 2 * MOST);

		array_push(code, ((struct address_range){
			begin, begin + STEP * random_below(random, 4) }));
	}
}

static uint32_t look_at_all(const struct symbol_table *table, const address_range_array *code,
			    const char *name)
{
	for (uint32_t i = 0; i < table->symbols.count; i++) {
		const struct symbol *symbol = &table->symbols.data[i];

		for (size_t k = 0; k < code->count; k++) {
			if (symbol->type == STT_FUNC && strcmp(symbol->name, name) == 0 &&
			    symbol->address >= code->data[k].begin &&
			    symbol->address < code->data[k].end)
				return i;
		}
	}
	return NO_SYMBOL;
}

#define UNITS 3

/* Of each unit: its code, or, if it has none, that of all, and of what is connected with a part. */
static void find_code(address_range_array *code, const struct dwarf_model *model, uint32_t unit,
		      const struct unit_groups *groups)
{
	size_t first = model->units.data[unit].first_code;
	size_t end = unit + 1 < UNITS ? model->units.data[unit + 1].first_code : model->code.count;
	bool has_none = first == end;
	bool takes_all = has_none && groups->groups.data[0].is_part;

	code->count = 0;
	for (size_t i = has_none ? 0 : first; i < (has_none ? model->code.count : end); i++)
		array_push(code, model->code.data[i]);
	for (size_t i = 0; takes_all && i < groups->code.count; i++)
		array_push(code, groups->code.data[i]);
}

TEST(test_lowest_symbol)
{
	struct random random = { 18 };
	struct object object = { .path = "image" };
	size_t found = 0;

	for (int round = 0; round < ROUNDS; round++) {
		struct unit_group group = { .is_part = random_below(&random, 2) };
		struct unit_groups groups = { 0 };
		struct dwarf_model model = { 0 };
		address_range_array code = { 0 };
		struct folded_code folded = { 0 };
		struct symbol_table table = { 0 };
		struct shared_code shared;
		struct evidence evidence;

		add_symbols(&table, &random);
		for (uint32_t u = 0; u < UNITS; u++) {
			array_push(&model.units, ((struct dwarf_unit){
				.first_code = (uint32_t)model.code.count }));
			if (random_below(&random, 2))
				add_code(&model.code, &random);
		}
		add_code(&groups.code, &random);
		group.code_count = (uint32_t)groups.code.count;
		array_push(&groups.groups, group);

		shared_code_init(&shared, &object);
		evidence_init(&evidence, &object, &table, &shared);
		folded.evidence = &evidence;
		folded_code_begin(&folded, &model, &groups, (struct group_id){ 0 });
		/* The same name in one unit after the other, and, remembered, twice in each. */
		for (uint32_t i = 0; i < 8 * UNITS; i++) {
			const char *name = names[i % 2];
			struct dwarf_function definition = { .name = i % 2 + 1,
							     .unit = i / 4 % UNITS };
			uint32_t symbol = folded_code_symbol(&folded, &definition, name), expected;

			find_code(&code, &model, definition.unit, &groups);
			expected = look_at_all(&table, &code, name);
			found += symbol != NO_SYMBOL;
			if (expected != symbol &&
			    (expected == NO_SYMBOL || symbol == NO_SYMBOL ||
			     table.symbols.data[expected].address !=
				     table.symbols.data[symbol].address))
				fail_msg("round %d, unit %u: %s: %u instead of %u", round,
					 definition.unit, name, symbol, expected);
		}
		/* Its symbol may be in the code, but no definition has such a name. */
		assert_int_equal(folded_code_symbol(&folded,
						    &(struct dwarf_function){ .name = 9 }, "f.1"),
				 NO_SYMBOL);
		folded_code_release(&folded);
		evidence_release(&evidence);
		shared_code_release(&shared);
		symbol_table_release(&table);
		array_release(&model.units);
		array_release(&model.code);
		array_release(&code);
		array_release(&groups.code);
		array_release(&groups.groups);
	}
	assert_in_range(found, 4 * ROUNDS, 8 * UNITS * ROUNDS);
}
