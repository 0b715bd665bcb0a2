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

static void test_lowest_symbol(void **state)
{
	struct random random = { 18 };
	struct object object = { .path = "image" };
	size_t found = 0;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct unit_group group = { .is_part = random_below(&random, 2) };
		bool has_code = random_below(&random, 2);
		struct unit_groups groups = { 0 };
		struct dwarf_model model = { 0 };
		struct dwarf_function definition = { .unit = 1 };
		address_range_array all = { 0 };
		struct folded_code folded = { 0 };
		struct symbol_table table = { 0 };
		struct shared_code shared;
		struct evidence evidence;

		add_symbols(&table, &random);
		/* Three units; the second one's code, or, if it has none, that of all. */
		for (uint32_t u = 0; u < 3; u++) {
			size_t first = model.code.count;

			array_push(&model.units, ((struct dwarf_unit){
				.first_code = (uint32_t)first }));
			if (u != 1 || has_code)
				add_code(&model.code, &random);
			for (size_t i = first; u == 1 && i < model.code.count; i++)
				array_push(&all, model.code.data[i]);
		}
		add_code(&groups.code, &random);
		group.code_count = (uint32_t)groups.code.count;
		array_push(&groups.groups, group);
		has_code = all.count;
		for (size_t i = 0; !has_code && i < model.code.count; i++)
			array_push(&all, model.code.data[i]);
		for (size_t i = 0; !has_code && group.is_part && i < groups.code.count; i++)
			array_push(&all, groups.code.data[i]);

		shared_code_init(&shared, &object);
		evidence_init(&evidence, &object, &table, &shared);
		folded.evidence = &evidence;
		folded_code_begin(&folded, &model, &groups, (struct group_id){ 0 });
		/* The second time it is remembered. */
		for (uint32_t i = 0; i < 4; i++) {
			uint32_t expected = look_at_all(&table, &all, names[i % 2]);
			uint32_t symbol;

			definition.name = i % 2 + 1;
			symbol = folded_code_symbol(&folded, &definition, names[i % 2]);
			found += symbol != NO_SYMBOL;
			if (expected != symbol &&
			    (expected == NO_SYMBOL || symbol == NO_SYMBOL ||
			     table.symbols.data[expected].address !=
				     table.symbols.data[symbol].address))
				fail_msg("round %d: %s: %u instead of %u", round, names[i % 2],
					 symbol, expected);
		}
		/* Its symbol may be in the code, but no definition has such a name. */
		definition.name = 9;
		assert_int_equal(folded_code_symbol(&folded, &definition, "f.1"), NO_SYMBOL);
		folded_code_release(&folded);
		evidence_release(&evidence);
		shared_code_release(&shared);
		symbol_table_release(&table);
		array_release(&model.units);
		array_release(&model.code);
		array_release(&all);
		array_release(&groups.code);
		array_release(&groups.groups);
	}
	assert_in_range(found, ROUNDS / 2, 4 * ROUNDS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lowest_symbol),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
