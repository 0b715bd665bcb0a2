/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "encoder/select.h"

#include <string.h>

#include "base/search.h"
#include "base/sort.h"

const struct code_text verdict_texts[] = {
#define X(id, code, text) { code, text },
	VERDICT_LIST(X)
#undef X
};

/* The instances of one name, in the order of groups and DIEs. */
struct namesakes {
	const struct instances *instances;
	const struct sort_item *items;	/* by value: their indices */
	size_t count;
};

static const struct function_instance *namesake(const struct namesakes *names, size_t i)
{
	return &names->instances->functions.data[names->items[i].value];
}

/*
 * Do the symbols that a lookup of `name` may find have one address, and is it the one that a kernel
 * takes, the lowest of all symbols with the name? This also sees functions without DWARF, such as
 * an assembler's. `one` is the index of any of them.
 */
static bool one_address(const struct symbol_table *symbols, uint32_t one, const char *name)
{
	struct symbol_search search = symbol_table_namesakes(symbols, one);
	const struct symbol *first = NULL, *symbol;
	uint64_t other = UINT64_MAX;

	while ((symbol = symbol_search_next(&search))) {
		/* In kallsyms, too: variables, and labels of assembler code. */
		bool is_listed = symbol->type == STT_OBJECT || symbol->type == STT_NOTYPE;

		if (is_listed && symbol->address < other && strcmp(symbol->name, name) == 0)
			other = symbol->address;
		if (!symbol_is_function(symbol) ||
		    (symbol->name[symbol->base_length] &&
		     (!symbols->strips_llvm || symbol_parse(symbol->name).class != SUFFIX_SAME)))
			continue;
		if (first && symbol->address != first->address)
			return false;
		first = symbol;
	}
	return !first || other >= first->address;
}

typedef ARRAY_OF(struct sort_item) address_array;

/* Where those begin that DWARF itself has at an address, if others are told from them by it. */
static void find_own_addresses(const struct namesakes *names, address_array *own)
{
	bool any_folded = false;

	for (size_t i = 0; i < names->count; i++)
		any_folded |= namesake(names, i)->folded;
	for (size_t i = 0; any_folded && i < names->count; i++) {
		const struct function_instance *instance = namesake(names, i);

		if (!instance->folded && instance->join == JOIN_SAME)
			array_push(own, ((struct sort_item){ instance->address, 0 }));
	}
	sort_by_key(own->data, own->count);
}

/*
 * A namesake that is inlined everywhere has no code; the symbol that it was joined with by name
 * belongs to the one that has.
 */
static bool is_mere_namesake(const struct function_instance *instance, const address_array *own)
{
	size_t at = lower_bound(i, own->count, own->data[i].key < instance->address);

	return instance->folded && at < own->count && own->data[at].key == instance->address;
}

/* The instances that a tracer finds by the name. */
static reason_set judge_reachable(const struct namesakes *names, const char *name,
				  const struct symbol_table *symbols,
				  const struct features *features, struct judged_function *judged)
{
	const bool consistent = features->feature_consistent_func;
	const struct function_instance *first = NULL;
	address_array own = { 0 };
	reason_set reasons = 0;

	find_own_addresses(names, &own);
	for (size_t i = 0; i < names->count; i++) {
		const struct function_instance *instance = namesake(names, i);

		if (instance->join != JOIN_SAME || is_mere_namesake(instance, &own))
			continue;
		reasons |= instance->reasons;
		if (!first) {
			first = instance;
			judged->instance = names->items[i].value;
			judged->address = instance->address;
		} else if (consistent) {
			if (instance->address != first->address)
				reasons |= REASON(AMBIGUOUS_ADDRESS);
			if (!ref_equal(instance->prototype, first->prototype))
				reasons |= REASON(INCONSISTENT_PROTO);
		}
	}
	array_release(&own);
	if (consistent && first && !one_address(symbols, first->symbol, name))
		reasons |= REASON(AMBIGUOUS_ADDRESS);
	return reasons;
}

/*
 * Clones and outlined fragments only count if no instance has the name itself: a tracer does not
 * find them under it.
 */
static struct judged_function judge(const struct namesakes *names, const struct string_pool *pool,
				    const struct symbol_table *symbols,
				    const struct features *features)
{
	static const reason_set of_join[] = {
		[JOIN_NONE] = REASON(NO_SYMBOL),
		[JOIN_COLD] = REASON(COLD),
		[JOIN_FRAGMENT] = REASON(PARTIAL),
		[JOIN_CLONE] = REASON(CLONE),
		[JOIN_RENAMED] = REASON(RENAMED),
		[JOIN_SAME] = 0,
	};
	struct judged_function judged = { .name = namesake(names, 0)->name,
					  .instance = names->items[0].value };
	enum join_class best = JOIN_NONE;
	reason_set of_best = 0;

	for (size_t i = 0; i < names->count; i++) {
		const struct function_instance *instance = namesake(names, i);

		if (instance->join > best) {
			best = (enum join_class)instance->join;
			judged.instance = names->items[i].value;
			of_best = 0;
		}
		if (instance->join == best && best >= JOIN_CLONE)
			of_best |= instance->reasons;
	}
	judged.reasons = of_join[best] | of_best;
	if (best == JOIN_SAME)
		judged.reasons = judge_reachable(names, string_pool_text(pool, judged.name),
						 symbols, features, &judged);
	judged.verdict = reasons_verdict(judged.reasons);
	return judged;
}

/* The names are numbered as they come, from 1 in of_name; no strings are compared. */
void select_functions(struct selection *selection, const struct instances *instances,
		      const struct string_pool *pool, const struct symbol_table *symbols,
		      const struct features *features)
{
	size_t count = instances->functions.count;
	struct sort_item *order = memory_alloc(count * sizeof(*order));
	uint32_t names = 0, *of_name = memory_zeroed(pool->strings.count, sizeof(*of_name));

	*selection = (struct selection){ .of_name = of_name,
					 .name_count = (uint32_t)pool->strings.count };
	for (uint32_t i = 0; i < count; i++) {
		uint32_t *number = &of_name[instances->functions.data[i].name.index];

		if (!*number)
			*number = ++names;
		order[i] = (struct sort_item){ *number, i };
	}
	sort_by_key(order, count);
	array_reserve(&selection->functions, names);
	for (size_t i = 0, end; i < count; i = end) {
		struct namesakes namesakes = { instances, order + i, 1 };
		struct judged_function judged;

		for (end = i + 1; end < count && order[end].key == order[i].key; end++)
			namesakes.count++;
		judged = judge(&namesakes, pool, symbols, features);
		selection->counts[judged.verdict]++;
		array_push(&selection->functions, judged);
	}
	free(order);
}

void selection_release(struct selection *selection)
{
	array_release(&selection->functions);
	free(selection->of_name);
}

const struct judged_function *selection_find(const struct selection *selection,
					     const struct string_pool *pool, const char *name)
{
	const struct pool_string string = pool_string(name);

	return selection_of(selection, string_pool_find(pool, &string));
}

void selection_add_inlined(struct selection *selection, const struct pool_id *names, size_t count,
			   const struct string_pool *pool)
{
	size_t known = selection->functions.count;

	selection->of_name = memory_resize(selection->of_name, pool->strings.count,
					   sizeof(uint32_t));
	memset(selection->of_name + selection->name_count, 0,
	       (pool->strings.count - selection->name_count) * sizeof(uint32_t));
	selection->name_count = (uint32_t)pool->strings.count;
	for (size_t i = 0; i < count; i++) {
		if (selection->of_name[names[i].index])
			continue;
		array_push(&selection->functions, ((struct judged_function){
			.name = names[i], .verdict = VERDICT_INLINED_ONLY,
			.reasons = REASON(INLINED_ONLY), .instance = NO_INSTANCE }));
		selection->of_name[names[i].index] = (uint32_t)selection->functions.count;
	}
	selection->counts[VERDICT_INLINED_ONLY] += (uint32_t)(selection->functions.count - known);
}

void selection_sort(struct selection *selection, const struct string_pool *pool)
{
	size_t count = selection->functions.count;
	struct pool_id *names = memory_alloc(count * sizeof(*names));
	struct judged_function *sorted = memory_alloc(count * sizeof(*sorted));

	for (size_t i = 0; i < count; i++)
		names[i] = selection->functions.data[i].name;
	string_pool_sort(pool, names, count);
	for (size_t i = 0; i < count; i++) {
		uint32_t *index = &selection->of_name[names[i].index];

		sorted[i] = selection->functions.data[*index - 1];
		*index = (uint32_t)i + 1;
	}
	free(names);
	free(selection->functions.data);
	selection->functions.data = sorted;
	selection->functions.capacity = count;
}
