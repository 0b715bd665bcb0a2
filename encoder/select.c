/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "encoder/select.h"

#include <gelf.h>
#include <string.h>

#include "base/sort.h"

/* The kernel's KSYM_NAME_LEN, with the NUL. */
#define NAME_BYTES_MAX 512

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

bool is_btf_identifier(const char *name)
{
	size_t length = 0;

	for (; name[length]; length++) {
		char c = name[length];
		bool letter =
			(c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';

		if (!letter && !(length && c >= '0' && c <= '9'))
			return false;
	}
	return length > 0 && length < NAME_BYTES_MAX;
}

/* What the symbols say about one instance. */
struct join {
	bool same;		/* a symbol of its name, signature untouched */
	bool clone;
	bool piece;
	uint64_t address;	/* of the symbol behind `same` */
};

static void join_address(struct join *join, const char *name, uint64_t address,
			 const struct symbol_table *symbols, const struct features *features)
{
	size_t length = strlen(name);

	for (size_t i = symbol_table_at(symbols, address);
	     i < symbols->symbols.count && symbols->symbols.data[i].address == address; i++) {
		const struct symbol *symbol = &symbols->symbols.data[i];
		struct symbol_base base;

		if (!symbol_is_function(symbol) || strncmp(symbol->name, name, length) != 0)
			continue;
		base = symbol_parse(symbol->name);
		if (base.base_length != length && strcmp(symbol->name, name) != 0)
			continue;
		join->piece |= base.class == SUFFIX_PIECE;
		join->clone |= base.class == SUFFIX_CHANGES;
		if (base.class == SUFFIX_SAME &&
		    (features->feature_optimized_func || !symbol->name[length])) {
			join->same = true;
			join->address = address;
		}
	}
}

static struct join join_instance(const struct instances *instances,
				 const struct function_instance *instance, const char *name,
				 const struct symbol_table *symbols,
				 const struct features *features)
{
	struct join join = { 0 };

	for (uint32_t i = 0; i < instance->entry_count; i++)
		join_address(&join, name, instances->entries.data[instance->first_entry + i],
			     symbols, features);
	return join;
}

/*
 * Do the symbols that promise to be `name` stand at one address? This also sees functions without
 * DWARF, such as an assembler's, and the namesakes that an LTO link renamed.
 */
static bool one_address(const struct symbol_table *symbols, const char *name)
{
	struct base_search search = symbol_table_search_base(symbols, name);
	const struct symbol *first = NULL, *symbol;

	while ((symbol = base_search_next(&search))) {
		if (!symbol_is_function(symbol) ||
		    (symbol->name[symbol->base_length] &&
		     symbol_parse(symbol->name).class != SUFFIX_SAME))
			continue;
		if (first && symbol->address != first->address)
			return false;
		first = symbol;
	}
	return true;
}

/* The instances order[0..count) of one name become one verdict. */
static struct judged_function judge(const struct instances *instances,
				    const struct sort_item *order,
				    size_t count, const struct string_pool *pool,
				    const struct symbol_table *symbols,
				    const struct features *features)
{
	struct judged_function judged = { .name = instances->functions.data[order[0].value].name };
	const char *name = string_pool_text(pool, judged.name);
	bool clone = false, piece = false, found = false;
	bool several_addresses = false, several_prototypes = false, unnamed = false;
	bool no_call = false, no_prototype = false;

	for (size_t i = 0; i < count; i++) {
		const struct function_instance *instance =
			&instances->functions.data[order[i].value];
		struct join join = join_instance(instances, instance, name, symbols, features);

		clone |= join.clone;
		piece |= join.piece;
		if (!join.same)
			continue;
		unnamed |= instance->unnamed_parameter;
		no_call |= instance->no_call;
		no_prototype |= instance->no_prototype;
		if (!found) {
			judged.instance = order[i].value;
			judged.address = join.address;
			found = true;
			continue;
		}
		several_addresses |= join.address != judged.address;
		several_prototypes |= instance->prototype !=
				      instances->functions.data[judged.instance].prototype;
	}
	several_addresses |= !one_address(symbols, name);
	if (!found)
		judged.verdict = clone ? VERDICT_CLONE : piece ? VERDICT_PARTIAL
							       : VERDICT_NO_SYMBOL;
	else if (no_prototype)
		judged.verdict = VERDICT_NO_PROTOTYPE;
	else if (no_call)
		judged.verdict = VERDICT_SIGNATURE_CHANGED;
	else if (several_addresses && features->feature_consistent_func)
		judged.verdict = VERDICT_AMBIGUOUS_ADDRESS;
	else if (several_prototypes && features->feature_consistent_func)
		judged.verdict = VERDICT_INCONSISTENT_PROTO;
	else if (unnamed)
		judged.verdict = VERDICT_UNNAMED_PARAM;
	else if (!is_btf_identifier(name))
		judged.verdict = VERDICT_INVALID_NAME;
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
