/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Names that one group defines repeatedly: types of the same name in two functions, units of one
 * LTO link, leftovers of dwz. All definitions start as one named type; if their nodes then
 * differ, each distinct node gets a variant number and everything is lowered again, until no more
 * differences show. By coinduction that is exact: definitions that share a variant have the same
 * words under the assumption that they are the same.
 */
#include "base/hash.h"
#include "encoder/lower/lower_state.h"

/*
 * Splits the contested named types by the nodes of their definitions: variants[i] numbers the
 * distinct nodes of a named type in the order in which they are first met. Returns how many more
 * there are than named types. A group of thousands of units (LTO, dwz) may contest every name.
 */
static size_t split_contested(struct lowering *lowering, const struct node_ref *bases,
			      uint32_t *variants)
{
	struct node_table *table = &lowering->collector->table;
	uint32_t *met = memory_zeroed(table->tags.count, sizeof(*met));
	struct hash_table pairs = { 0 };	/* of a named type and a node: position + 1 */
	size_t splits = 0;

	for (uint32_t i = 0; i < lowering->contested.count; i++) {
		uint32_t node = lowering->nodes.data[lowering->contested.data[i]];
		uint32_t pair[] = { bases[i].word, node }, first = i;
		uint32_t hash = hash_words(pair, 2);
		const uint64_t *slot = hash_table_first(&pairs, hash);

		if (!node)	/* it is a declaration */
			continue;
		for (; *slot; slot = hash_table_next(&pairs, slot)) {
			first = hash_table_value(slot) - 1;
			if (ref_equal(bases[first], bases[i]) &&
			    lowering->nodes.data[lowering->contested.data[first]] == node)
				break;
		}
		if (*slot) {
			variants[i] = variants[first];
			continue;
		}
		hash_table_add(&pairs, hash, i + 1);
		variants[i] = met[ref_tag(bases[i])]++;
		if (variants[i]) {
			table->tags.data[ref_tag(bases[i])].in_group = TAG_SPLIT;
			splits++;
		}
	}
	hash_table_release(&pairs);
	free(met);
	return splits;
}

static void apply_variants(struct lowering *lowering, const struct node_ref *bases,
			   const uint32_t *variants)
{
	struct node_table *table = &lowering->collector->table;
	const struct dwarf_model *model = lowering->model;

	for (size_t i = 0; i < model->types.count; i++) {
		/* The named type of a target may change. */
		if (!ref_is_tag(lowering->refs.data[i + 1]) ||
		    lower_is_transparent(&model->types.data[i]))
			lowering->refs.data[i + 1] = ref_of_word(LOWER_PENDING);
	}
	for (size_t i = 0; i < lowering->contested.count; i++) {
		uint32_t type = lowering->contested.data[i];
		struct tag base = table->tags.data[ref_tag(bases[i])];
		uint32_t variant = variants[i];

		if (model->types.data[type].flags & TYPE_DECLARATION && base.in_group == TAG_SPLIT)
			variant = TAG_VARIANT_UNKNOWN;
		lowering->refs.data[type + 1] = ref_to_tag(
			node_table_tag(table, (enum btf_kind)base.kind, base.name, variant));
	}
}

bool lower_variants(struct lowering *lowering)
{
	size_t count = lowering->contested.count;
	struct node_ref *bases = memory_alloc(count * sizeof(*bases));
	uint32_t *variants = memory_zeroed(count, sizeof(*variants));
	size_t before = 0, splits;
	bool good = true;

	for (size_t i = 0; i < count; i++)
		bases[i] = lowering->refs.data[lowering->contested.data[i] + 1];
	/* Nodes only ever become more different, so this ends; as a rule at once. */
	while (good && (splits = split_contested(lowering, bases, variants)) != before) {
		apply_variants(lowering, bases, variants);
		good = lower_all(lowering);
		before = splits;
	}
	free(bases);
	free(variants);
	return good;
}
