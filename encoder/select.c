/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "encoder/select.h"

#include <string.h>

#include "base/search.h"
#include "base/sort.h"

const struct code_text verdict_texts[] = { VERDICT_LIST(LIST_CODE_TEXT) };

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
	const struct symbol_search all = symbol_table_namesakes(symbols, one);
	struct symbol_search exact = symbol_table_search(symbols, name);
	const struct symbol *first = NULL, *symbol;

	/* Of each kin the lowest address is found, and whether there is a higher one: no walk. */
	for (int kin = KIN_FUNCTION; kin <= KIN_RENAMED; kin++) {
		struct symbol_search search = all;
		uint32_t found = kin == KIN_OBJECT || (kin > KIN_OBJECT && !symbols->strips_llvm)
				 ? NO_SYMBOL : symbol_search_from(&search, (enum symbol_kin)kin, 0);

		if (found == NO_SYMBOL)
			continue;
		symbol = &symbols->symbols.data[found];
		if ((first && symbol->address != first->address) ||
		    (symbol->address != UINT64_MAX &&
		     symbol_search_from(&search, (enum symbol_kin)kin, symbol->address + 1) !=
			     NO_SYMBOL))
			return false;
		first = symbol;
	}
	/* In kallsyms, too: variables, and labels of assembler code. */
	while (first && (symbol = symbol_search_next(&exact)) &&
	       (symbol_is_function(symbol) || symbol->address < first->address)) {
		if (symbol->type == STT_OBJECT || symbol->type == STT_NOTYPE)
			return false;
	}
	return true;
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
	return instance->folded && sorted_find(own, key, instance->address);
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

static enum join_class best_join(const struct namesakes *names)
{
	enum join_class best = JOIN_NONE;

	for (size_t i = 0; i < names->count; i++) {
		if (namesake(names, i)->join > best)
			best = (enum join_class)namesake(names, i)->join;
	}
	return best;
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
	enum join_class best = best_join(names);
	reason_set of_best = 0;
	bool has_best = false;

	for (size_t i = 0; i < names->count; i++) {
		const struct function_instance *instance = namesake(names, i);

		if (instance->join != best)
			continue;
		if (!has_best)
			judged.instance = names->items[i].value;
		has_best = true;
		if (best >= JOIN_CLONE)
			of_best |= instance->reasons;
	}
	judged.reasons = of_join[best] | of_best;
	if (best == JOIN_SAME)
		judged.reasons = judge_reachable(names, string_pool_text(pool, judged.name),
						 symbols, features, &judged);
	judged.verdict = reasons_verdict(judged.reasons);
	judged.number = names->instances->functions.data[judged.instance].number;
	return judged;
}

static uint32_t hash_function(struct pool_id name, uint32_t number)
{
	return (name.index * 0x9e3779b1u ^ number) * 0x85ebca6bu;
}

static void add_judged(struct selection *selection, struct judged_function judged)
{
	uint32_t *of_name = &selection->of_name[judged.name.index];
	uint32_t added = (uint32_t)selection->functions.count;
	struct judged_function *functions = selection->functions.data;

	if (*of_name) {
		struct judged_function *first = &functions[*of_name - 1];

		functions[(first->last ? first->last : *of_name) - 1].next = added + 1;
		first->last = added + 1;
		hash_table_add(&selection->others, hash_function(judged.name, judged.number),
			       added);
	} else {
		*of_name = added + 1;
		selection->counts[judged.verdict]++;
	}
	array_push(&selection->functions, judged);
}

/*
 * After the first, which was judged by the instances of the best join: a static function of another
 * file that has none of these is found under no name but those of its clones.
 */
static void judge_others(struct selection *selection, const struct namesakes *names,
			 const struct string_pool *pool, const struct symbol_table *symbols,
			 const struct features *features)
{
	enum join_class best = best_join(names);
	struct sort_item *order;
	bool differ = false;

	for (size_t i = 1; i < names->count && !differ; i++)
		differ = namesake(names, i)->number != namesake(names, 0)->number;
	if (!differ)
		return;
	order = memory_alloc(names->count * sizeof(*order));
	for (size_t i = 0; i < names->count; i++)
		order[i] = (struct sort_item){ namesake(names, i)->number, names->items[i].value };
	sort_by_key(order, names->count);
	for (size_t i = 0, end; i < names->count; i = end) {
		struct namesakes of_one = { names->instances, order + i, 1 };

		for (end = i + 1; end < names->count && order[end].key == order[i].key; end++)
			of_one.count++;
		if (best_join(&of_one) != best)
			add_judged(selection, judge(&of_one, pool, symbols, features));
	}
	free(order);
}

/* The names are numbered as they come, from 1 in of_name; no strings are compared. */
void select_functions(struct selection *selection, const struct instances *instances,
		      const struct string_pool *pool, const struct symbol_table *symbols,
		      const struct features *features)
{
	size_t count = instances->functions.count;
	struct sort_item *order = memory_alloc(count * sizeof(*order));
	uint32_t names = 0, *of_name = memory_zeroed(pool->strings.count, sizeof(*of_name));

	*selection = (struct selection){
		.of_name = memory_zeroed(pool->strings.count, sizeof(*of_name)),
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

		for (end = i + 1; end < count && order[end].key == order[i].key; end++)
			namesakes.count++;
		add_judged(selection, judge(&namesakes, pool, symbols, features));
		judge_others(selection, &namesakes, pool, symbols, features);
	}
	free(of_name);
	free(order);
}

void selection_release(struct selection *selection)
{
	array_release(&selection->functions);
	hash_table_release(&selection->others);
	free(selection->of_name);
}

const struct judged_function *selection_find(const struct selection *selection,
					     const struct string_pool *pool, const char *name)
{
	const struct pool_string string = pool_string(name);

	return selection_of(selection, string_pool_find(pool, &string));
}

const struct judged_function *selection_of_function(const struct selection *selection,
						    struct pool_id name, uint32_t number)
{
	const struct judged_function *first = selection_of(selection, name);
	const struct judged_function *functions = selection->functions.data;
	uint32_t other;

	if (!first || !first->next || first->number == number)
		return first;
	other = hash_table_find(i, &selection->others, hash_function(name, number),
				functions[i].name.index == name.index &&
					functions[i].number == number);
	/* The instances of several functions may have decided together: these are the first's. */
	return other ? &functions[other] : first;
}

/*
 * GCC's LTO leaves no code and no address of what is inlined everywhere, and the symbol of that
 * name is in a unit of its group: is_mere_namesake().
 */
static bool has_code_of_namesake(const struct selection *selection,
				 const struct instances *instances,
				 const struct function_instance *instance)
{
	const struct judged_function *first = selection_of(selection, instance->name);
	const struct function_instance *other = &instances->functions.data[first->instance];

	return instance->folded && !other->folded && instance->number != other->number &&
	       instance->address == other->address;
}

static uint64_t name_and_number(struct pool_id name, uint32_t number)
{
	return (uint64_t)name.index << 32 | number;
}

void selection_add_inlined(struct selection *selection, const struct inlined_function *inlined,
			   size_t count, const struct instances *instances,
			   const struct string_pool *pool)
{
	ARRAY_OF(struct sort_item) with_code = { 0 };

	selection->of_name = memory_resize(selection->of_name, pool->strings.count,
					   sizeof(uint32_t));
	memset(selection->of_name + selection->name_count, 0,
	       (pool->strings.count - selection->name_count) * sizeof(uint32_t));
	selection->name_count = (uint32_t)pool->strings.count;
	array_each(const struct function_instance, instance, &instances->functions) {
		if (!has_code_of_namesake(selection, instances, instance))
			array_push(&with_code, ((struct sort_item){
				name_and_number(instance->name, instance->number), 0 }));
	}
	sort_by_key(with_code.data, with_code.count);
	for (size_t i = 0; i < count; i++) {
		struct pool_id name = inlined[i].name;
		uint32_t number = inlined[i].number;
		const struct judged_function *known =
			selection_of_function(selection, name, number);
		uint64_t wanted = name_and_number(name, number);

		if (!(known && known->number == number) && !sorted_find(&with_code, key, wanted))
			add_judged(selection, (struct judged_function){
				.name = name, .number = number, .verdict = VERDICT_INLINED_ONLY,
				.reasons = REASON(INLINED_ONLY), .instance = NO_INSTANCE });
	}
	array_release(&with_code);
}

void selection_sort(struct selection *selection, const struct string_pool *pool)
{
	size_t count = selection->functions.count, sorted_count = 0;
	ARRAY_OF(struct pool_id) names = { 0 };
	struct judged_function *sorted = memory_alloc(count * sizeof(*sorted));

	for (size_t i = 0; i < count; i++) {
		struct pool_id name = selection->functions.data[i].name;

		if (selection->of_name[name.index] == i + 1)
			array_push(&names, name);
	}
	string_pool_sort(pool, names.data, names.count);
	hash_table_clear(&selection->others);
	for (size_t i = 0; i < names.count; i++) {
		uint32_t *index = &selection->of_name[names.data[i].index], next = *index;

		struct judged_function *first = &sorted[sorted_count];

		*index = (uint32_t)sorted_count + 1;
		while (next) {
			struct judged_function *judged = &sorted[sorted_count];

			*judged = selection->functions.data[next - 1];
			next = judged->next;
			if (judged != first)
				hash_table_add(&selection->others,
					       hash_function(judged->name, judged->number),
					       (uint32_t)sorted_count);
			judged->next = next ? (uint32_t)sorted_count + 2 : 0;
			sorted_count++;
		}
		first->last = first->next ? (uint32_t)sorted_count : 0;
	}
	array_release(&names);
	free(selection->functions.data);
	selection->functions.data = sorted;
	selection->functions.capacity = count;
}
