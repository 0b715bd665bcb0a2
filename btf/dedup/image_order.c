/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Depth first, each record after its targets. The cycles go through structs with pointers: members
 * that are pointers come last, so that a struct has all that it contains when one leads back to it,
 * and a modifier of a struct that is not finished is left to a later root.
 */
#include "btf/dedup/image.h"

#include <assert.h>
#include <string.h>

struct ordering {
	const struct node_table *table;
	struct node_ref *records;
	uint32_t first_id;
	const uint32_t *node_ids, *tag_ids;
	bool *is_pointer;		/* by node: maybe with modifiers */
	ARRAY_OF(uint32_t) targets;	/* of the record that is visited */
};

struct visit {
	uint32_t record;
	bool is_exit;			/* its targets have been visited */
};

static enum btf_kind kind_of(const struct ordering *o, struct node_ref what)
{
	return ref_is_tag(what) ? BTF_FWD : node_kind(o->table, ref_node(what));
}

static bool is_pointer(const struct ordering *o, struct node_ref what)
{
	return !ref_is_tag(what) && o->is_pointer[ref_node(what)];
}

/*
 * Does the kernel follow such a reference? Its rules are in btf/verify/verify_resolve.c. It looks
 * at the parameters of a prototype when it comes to the prototype.
 */
static bool follows(enum btf_kind from, enum btf_kind to)
{
	if (from == BTF_PTR)
		return (BTF_MODIFIERS | 1u << BTF_PTR) >> to & 1;
	if (from == BTF_STRUCT || from == BTF_UNION || from == BTF_ARRAY)
		return to != BTF_PTR && to != BTF_FUNC_PROTO;
	return to != BTF_FUNC_PROTO;
}

/* Fills o->targets: records, in the order in which they are visited. */
static void find_targets(struct ordering *o, struct node_ref what)
{
	o->targets.count = 0;
	for (int pass = 0; !ref_is_tag(what) && pass < 2; pass++) {
		const uint32_t *words = node_words(o->table, ref_node(what));

		btf_each_ref(word, words) {
			struct node_ref to = ref_of_word(words[word]);
			uint32_t id = ref_is_tag(to) ? o->tag_ids[ref_tag(to)]
						     : o->node_ids[ref_node(to)];

			if (id >= o->first_id && is_pointer(o, to) == pass &&
			    follows(kind_of(o, what), kind_of(o, to)))
				array_push(&o->targets, id - o->first_id);
		}
	}
}

/* Fills `order`. A modifier has one target; as a root it is not left, for that is visited then. */
static void visit_all(struct ordering *o, struct node_ref *order, size_t count)
{
	enum { NEW, OPEN, DONE, LEFT };	/* LEFT + root: not visited again from there */
	uint32_t *states = memory_zeroed(count, sizeof(*states));
	ARRAY_OF(struct visit) stack = { 0 };
	size_t written = 0;

	for (uint32_t root = 0; root < count; root++) {
		array_push(&stack, ((struct visit){ root, false }));
		while (stack.count) {
			struct visit visit = stack.data[--stack.count];
			struct node_ref what = o->records[visit.record];
			uint32_t *state = &states[visit.record];

			if (!visit.is_exit &&
			    (*state == OPEN || *state == DONE || *state == LEFT + root))
				continue;
			find_targets(o, what);
			if (!visit.is_exit) {
				*state = OPEN;
				array_push(&stack, ((struct visit){ visit.record, true }));
				for (size_t i = o->targets.count; i-- > 0;)
					array_push(&stack,
						   ((struct visit){ o->targets.data[i], false }));
			} else if (BTF_MODIFIERS >> kind_of(o, what) & 1 && o->targets.count &&
				   states[o->targets.data[0]] != DONE) {
				*state = LEFT + root;
			} else {
				*state = DONE;
				order[written++] = what;
			}
		}
	}
	assert(written == count);
	free(states);
	array_release(&stack);
}

void put_targets_first(struct node_ref *records, size_t count, uint32_t first_id,
		       const struct node_table *table, const uint32_t *node_ids,
		       const uint32_t *tag_ids)
{
	struct ordering o = { .table = table, .records = records, .first_id = first_id,
			      .node_ids = node_ids, .tag_ids = tag_ids,
			      .is_pointer = memory_zeroed(table->nodes.count, sizeof(bool)) };
	struct node_ref *order = memory_alloc(count * sizeof(*order));

	for (uint32_t s = 1; s < table->nodes.count; s++) {
		enum btf_kind kind = node_kind(table, s);

		o.is_pointer[s] =
			kind == BTF_PTR ||
			(BTF_MODIFIERS >> kind & 1 &&
			 is_pointer(&o, ref_of_word(node_words(table, s)[BTF_WORD_TYPE])));
	}
	visit_all(&o, order, count);
	memcpy(records, order, count * sizeof(*order));
	free(order);
	free(o.is_pointer);
	array_release(&o.targets);
}
