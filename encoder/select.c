/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "encoder/select.h"

#include <gelf.h>
#include <string.h>

#include "base/sort.h"

static const struct {
	const char *code;
	const char *sentence;
} verdicts[VERDICT_COUNT] = {
#define X(id, code, text) [VERDICT_##id] = { code, text },
	VERDICT_LIST(X)
#undef X
};

const char *verdict_code(enum verdict verdict)
{
	return verdicts[verdict].code;
}

const char *verdict_sentence(enum verdict verdict)
{
	return verdicts[verdict].sentence;
}

/* What a kernel lists in kallsyms, beside functions: variables, and labels of assembler code. */
static bool is_listed(const struct symbol *symbol)
{
	return symbol->type == STT_OBJECT || symbol->type == STT_NOTYPE;
}

/*
 * Do the symbols that promise to be `name` stand at one address, and is it what a kernel finds,
 * which takes the lowest of whatever has the name? This also sees functions without DWARF, such
 * as an assembler's, and the namesakes that an LTO link renamed.
 */
static bool one_address(const struct symbol_table *symbols, const char *name,
			bool renamed_count)
{
	struct base_search search = symbol_table_search_base(symbols, name);
	const struct symbol *first = NULL, *symbol;
	uint64_t other = UINT64_MAX;

	while ((symbol = base_search_next(&search))) {
		if (is_listed(symbol) && strcmp(symbol->name, name) == 0 &&
		    symbol->address < other)
			other = symbol->address;
		if (!symbol_is_function(symbol) ||
		    (symbol->name[symbol->base_length] &&
		     (!renamed_count || symbol_parse(symbol->name).class != SUFFIX_SAME)))
			continue;
		if (first && symbol->address != first->address)
			return false;
		first = symbol;
	}
	return !first || other >= first->address;
}

/*
 * A namesake that is inlined everywhere has no code; the symbol that it was joined with by name
 * belongs to the one that has.
 */
static bool is_mere_namesake(const struct instances *instances, const struct sort_item *order,
			     size_t count, const struct function_instance *folded)
{
	for (size_t i = 0; folded->folded && i < count; i++) {
		const struct function_instance *other =
			&instances->functions.data[order[i].value];

		if (!other->folded && other->join == JOIN_SAME &&
		    other->address == folded->address)
			return true;
	}
	return false;
}

/* What a tracer that looks for the name finds: the instances that carry it. */
static reason_set judge_reachable(const struct instances *instances, const struct sort_item *order,
				  size_t count, const char *name,
				  const struct symbol_table *symbols,
				  const struct features *features, struct judged_function *judged)
{
	const bool consistent = features->feature_consistent_func;
	const struct function_instance *first = NULL;
	reason_set reasons = 0;

	for (size_t i = 0; i < count; i++) {
		const struct function_instance *instance =
			&instances->functions.data[order[i].value];

		if (instance->join != JOIN_SAME ||
		    is_mere_namesake(instances, order, count, instance))
			continue;
		reasons |= instance->reasons;
		if (!first) {
			first = instance;
			judged->instance = order[i].value;
			judged->address = instance->address;
		} else if (consistent) {
			if (instance->address != first->address)
				reasons |= REASON(AMBIGUOUS_ADDRESS);
			if (instance->prototype != first->prototype)
				reasons |= REASON(INCONSISTENT_PROTO);
		}
	}
	if (consistent && !one_address(symbols, name, features->feature_optimized_func))
		reasons |= REASON(AMBIGUOUS_ADDRESS);
	return reasons;
}

/*
 * The instances order[0..count) of one name become one verdict. Copies and pieces are looked at
 * only where nothing carries the name itself: a tracer does not find them under it.
 */
static struct judged_function judge(const struct instances *instances,
				    const struct sort_item *order,
				    size_t count, const struct string_pool *pool,
				    const struct symbol_table *symbols,
				    const struct features *features)
{
	struct judged_function judged = { .name = instances->functions.data[order[0].value].name,
					  .instance = order[0].value };
	enum join_class best = JOIN_NONE;
	reason_set copies = REASON(CLONE);

	for (size_t i = 0; i < count; i++) {
		const struct function_instance *instance =
			&instances->functions.data[order[i].value];

		if (instance->join == JOIN_COPY)
			copies |= instance->reasons;
		if (instance->join > best) {
			best = (enum join_class)instance->join;
			judged.instance = order[i].value;
		}
	}
	switch (best) {
	case JOIN_SAME:
		judged.reasons = judge_reachable(instances, order, count,
						 string_pool_text(pool, judged.name), symbols,
						 features, &judged);
		break;
	case JOIN_COPY: judged.reasons = copies; break;
	case JOIN_PART: judged.reasons = REASON(PARTIAL); break;
	case JOIN_COLD: judged.reasons = REASON(COLD); break;
	case JOIN_NONE: judged.reasons = REASON(NO_SYMBOL); break;
	}
	judged.verdict = reasons_verdict(judged.reasons);
	return judged;
}

struct name_order {
	const struct instances *instances;
	const struct string_pool *pool;
};

static const char *instance_name(const void *context, uint32_t instance)
{
	const struct name_order *by = context;

	return string_pool_text(by->pool, by->instances->functions.data[instance].name);
}

/* Instances of one name stay in the order of groups and DIEs. */
void select_functions(struct selection *selection, const struct instances *instances,
		      const struct string_pool *pool, const struct symbol_table *symbols,
		      const struct features *features)
{
	struct name_order by = { instances, pool };
	size_t count = instances->functions.count;
	struct sort_item *order = memory_alloc(count * sizeof(*order));

	*selection = (struct selection){ 0 };
	for (size_t i = 0; i < count; i++)
		order[i].value = (uint32_t)i;
	sort_by_text(order, count, instance_name, &by);
	for (size_t first = 0, next; first < count; first = next) {
		uint32_t name = instances->functions.data[order[first].value].name;
		struct judged_function judged;

		for (next = first + 1; next < count; next++) {
			if (instances->functions.data[order[next].value].name != name)
				break;
		}
		judged = judge(instances, order + first, next - first, pool, symbols, features);
		selection->counts[judged.verdict]++;
		array_push(&selection->functions, judged);
	}
	free(order);
}

void selection_release(struct selection *selection)
{
	array_release(&selection->functions);
}

const struct judged_function *selection_find(const struct selection *selection,
					     const struct string_pool *pool, const char *name)
{
	size_t low = 0, high = selection->functions.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct judged_function *judged = &selection->functions.data[middle];
		int order = strcmp(string_pool_text(pool, judged->name), name);

		if (order == 0)
			return judged;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

static const char *pool_text(const void *pool, uint32_t name)
{
	return string_pool_text(pool, name);
}

/* Two sorted lists without a name in common become one. */
void selection_add_inlined(struct selection *selection, const uint32_t *names, size_t count,
			   const struct string_pool *pool)
{
	struct selection merged = { 0 };
	bool *known = memory_zeroed(pool->strings.count, sizeof(*known));
	struct sort_item *added = memory_alloc(count * sizeof(*added));
	size_t added_count = 0, old = 0;

	for (size_t i = 0; i < selection->functions.count; i++)
		known[selection->functions.data[i].name] = true;
	for (size_t i = 0; i < count; i++) {
		if (!known[names[i]])
			added[added_count++].value = names[i];
		known[names[i]] = true;
	}
	sort_by_text(added, added_count, pool_text, pool);
	for (size_t i = 0; i < added_count; i++) {
		const char *name = string_pool_text(pool, added[i].value);

		for (; old < selection->functions.count; old++) {
			const struct judged_function *judged = &selection->functions.data[old];

			if (strcmp(string_pool_text(pool, judged->name), name) > 0)
				break;
			array_push(&merged.functions, *judged);
		}
		array_push(&merged.functions, ((struct judged_function){
			.name = added[i].value, .verdict = VERDICT_INLINED_ONLY,
			.reasons = REASON(INLINED_ONLY), .instance = NO_INSTANCE }));
	}
	for (; old < selection->functions.count; old++)
		array_push(&merged.functions, selection->functions.data[old]);
	array_release(&selection->functions);
	selection->functions.data = merged.functions.data;
	selection->functions.count = merged.functions.count;
	selection->functions.capacity = merged.functions.capacity;
	selection->counts[VERDICT_INLINED_ONLY] += (uint32_t)added_count;
	free(known);
	free(added);
}
