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
 * as an assembler's, and the namesakes that an LTO link renamed. `one` is the index of any of them.
 */
static bool one_address(const struct symbol_table *symbols, uint32_t one, const char *name,
			bool renamed_count)
{
	struct base_search search = symbol_table_namesakes(symbols, one);
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
static bool is_mere_namesake(const struct instances *instances, const uint32_t *order,
			     size_t count, const struct function_instance *folded)
{
	for (size_t i = 0; folded->folded && i < count; i++) {
		const struct function_instance *other =
			&instances->functions.data[order[i]];

		if (!other->folded && other->join == JOIN_SAME &&
		    other->address == folded->address)
			return true;
	}
	return false;
}

/* What a tracer that looks for the name finds: the instances that carry it. */
static reason_set judge_reachable(const struct instances *instances, const uint32_t *order,
				  size_t count, const char *name,
				  const struct symbol_table *symbols,
				  const struct features *features, struct judged_function *judged)
{
	const bool consistent = features->feature_consistent_func;
	const struct function_instance *first = NULL;
	reason_set reasons = 0;

	for (size_t i = 0; i < count; i++) {
		const struct function_instance *instance =
			&instances->functions.data[order[i]];

		if (instance->join != JOIN_SAME ||
		    is_mere_namesake(instances, order, count, instance))
			continue;
		reasons |= instance->reasons;
		if (!first) {
			first = instance;
			judged->instance = order[i];
			judged->address = instance->address;
		} else if (consistent) {
			if (instance->address != first->address)
				reasons |= REASON(AMBIGUOUS_ADDRESS);
			if (instance->prototype != first->prototype)
				reasons |= REASON(INCONSISTENT_PROTO);
		}
	}
	if (consistent && first &&
	    !one_address(symbols, first->symbol, name, features->feature_optimized_func))
		reasons |= REASON(AMBIGUOUS_ADDRESS);
	return reasons;
}

/*
 * The instances order[0..count) of one name become one verdict. Copies and pieces are looked at
 * only where nothing carries the name itself: a tracer does not find them under it.
 */
static struct judged_function judge(const struct instances *instances,
				    const uint32_t *order,
				    size_t count, const struct string_pool *pool,
				    const struct symbol_table *symbols,
				    const struct features *features)
{
	struct judged_function judged = { .name = instances->functions.data[order[0]].name,
					  .instance = order[0] };
	enum join_class best = JOIN_NONE;
	reason_set copies = REASON(CLONE);

	for (size_t i = 0; i < count; i++) {
		const struct function_instance *instance =
			&instances->functions.data[order[i]];

		if (instance->join == JOIN_COPY)
			copies |= instance->reasons;
		if (instance->join > best) {
			best = (enum join_class)instance->join;
			judged.instance = order[i];
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

/* The instances by name: those of name n are order[i], ends[n] <= i < ends[n + 1]. */
struct name_groups {
	uint32_t *order;
	uint32_t *ends;
	size_t count;
};

/*
 * Numbers the names as they come, from 1 in of_name, and counts; no strings are compared. Instances
 * of one name stay in the order of groups and DIEs.
 */
static void group_by_name(struct name_groups *groups, const struct instances *instances,
			  uint32_t *of_name)
{
	size_t count = instances->functions.count;

	*groups = (struct name_groups){
		.order = memory_alloc(count * sizeof(uint32_t)),
		.ends = memory_zeroed(count + 2, sizeof(uint32_t)),
	};
	for (size_t i = 0; i < count; i++) {
		uint32_t *number = &of_name[instances->functions.data[i].name.index];

		if (!*number)
			*number = (uint32_t)++groups->count;
		groups->ends[*number + 1]++;
	}
	for (size_t n = 1; n <= groups->count; n++)
		groups->ends[n + 1] += groups->ends[n];
	/* Here ends[number] is the begin of a name, and becomes its end. */
	for (size_t i = 0; i < count; i++) {
		uint32_t number = of_name[instances->functions.data[i].name.index];

		groups->order[groups->ends[number]++] = (uint32_t)i;
	}
}

void select_functions(struct selection *selection, const struct instances *instances,
		      const struct string_pool *pool, const struct symbol_table *symbols,
		      const struct features *features)
{
	struct name_groups groups;

	*selection = (struct selection){
		.of_name = memory_zeroed(pool->strings.count, sizeof(uint32_t)),
		.name_count = (uint32_t)pool->strings.count,
	};
	group_by_name(&groups, instances, selection->of_name);
	array_reserve(&selection->functions, groups.count);
	for (size_t n = 0; n < groups.count; n++) {
		struct judged_function judged =
			judge(instances, groups.order + groups.ends[n],
			      groups.ends[n + 1] - groups.ends[n], pool, symbols, features);

		selection->counts[judged.verdict]++;
		array_push(&selection->functions, judged);
	}
	free(groups.order);
	free(groups.ends);
}

void selection_release(struct selection *selection)
{
	array_release(&selection->functions);
	free(selection->of_name);
	selection->of_name = NULL;
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

static const char *pool_text(const void *pool, uint32_t name)
{
	return string_pool_word_text(pool, name);
}

void selection_sort(struct selection *selection, const struct string_pool *pool)
{
	size_t count = selection->functions.count;
	struct sort_item *items = memory_alloc(count * sizeof(*items));
	struct judged_function *sorted = memory_alloc(count * sizeof(*sorted));

	for (size_t i = 0; i < count; i++)
		items[i].value = selection->functions.data[i].name.index;
	sort_by_text(items, count, pool_text, pool);
	for (size_t i = 0; i < count; i++) {
		uint32_t *index = &selection->of_name[items[i].value];

		sorted[i] = selection->functions.data[*index - 1];
		*index = (uint32_t)i + 1;
	}
	free(items);
	free(selection->functions.data);
	selection->functions.data = sorted;
	selection->functions.capacity = count;
}
