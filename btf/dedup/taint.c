/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Against the direction of the references, from the ambiguous tags to all that lead to them. The
 * vertices of the graph are nodes, and base tags after them; each has a list of its users, which
 * are tainted when it is.
 */
#include "btf/dedup/resolve.h"

struct use {
	uint32_t user;
	uint32_t next;			/* of the same vertex; 0: the last */
};

struct uses {
	const struct node_table *table;
	uint32_t node_count;
	uint32_t *heads;		/* by vertex */
	ARRAY_OF(struct use) all;	/* [0] is none */
	ARRAY_OF(uint32_t) pending;	/* tainted vertices whose users are not yet */
};

static uint32_t tag_node(const struct uses *uses, uint32_t tag)
{
	return uses->node_count + uses->table->tags.data[tag].base;
}

/* Users come one after the other: one that has come already is the list's first. */
static void add_use(struct uses *uses, uint32_t vertex, uint32_t user)
{
	uint32_t head = uses->heads[vertex];

	if (head && uses->all.data[head].user == user)
		return;
	uses->heads[vertex] = (uint32_t)uses->all.count;
	array_push(&uses->all, ((struct use){ user, head }));
}

/* 130,000 references in a kernel: 1.7 ms. */
static void find_uses(struct uses *uses)
{
	const struct node_table *table = uses->table;

	array_reserve(&uses->all, 2 * (size_t)uses->node_count);
	array_push(&uses->all, ((struct use){ 0 }));
	for (uint32_t s = 1; s < uses->node_count; s++) {
		const uint32_t *words = node_words(table, s);

		btf_each_ref(word, words) {
			struct node_ref ref = ref_of_word(words[word]);

			if (ref_is_tag(ref))
				add_use(uses, tag_node(uses, ref_tag(ref)), s);
			else if (!ref_is_void(ref))
				add_use(uses, ref_node(ref), s);
		}
	}
	/* A definition taints its tag. An ambiguous tag is tainted whatever its others are. */
	for (uint32_t t = 0; t < table->tags.count; t++) {
		if (table->tags.data[t].definition)
			add_use(uses, table->tags.data[t].definition, tag_node(uses, t));
	}
}

static void taint_vertex(struct taint *taint, struct uses *uses, uint32_t vertex)
{
	bool is_tag = vertex >= uses->node_count;
	bool *mark = is_tag ? &taint->tags[vertex - uses->node_count] : &taint->nodes[vertex];

	if (*mark)
		return;
	*mark = true;
	taint->tainted_tags += is_tag;
	array_push(&uses->pending, vertex);
}

void taint_find(struct taint *taint, const struct node_table *table)
{
	size_t nodes = table->nodes.count, tags = table->tags.count;
	struct uses uses = { .table = table, .node_count = (uint32_t)nodes };

	*taint = (struct taint){
		.nodes = memory_zeroed(nodes, sizeof(bool)),
		.tags = memory_zeroed(tags, sizeof(bool)),
	};
	for (uint32_t t = 0; t < tags; t++) {
		if (table->tags.data[t].ambiguous || table->tags.data[t].variant)
			taint_vertex(taint, &uses, tag_node(&uses, t));
	}
	taint->ambiguous_tags = taint->tainted_tags;
	if (!taint->ambiguous_tags)
		return;
	uses.heads = memory_zeroed(nodes + tags, sizeof(*uses.heads));
	find_uses(&uses);
	while (uses.pending.count) {
		uint32_t vertex = uses.pending.data[--uses.pending.count];

		for (uint32_t u = uses.heads[vertex]; u; u = uses.all.data[u].next)
			taint_vertex(taint, &uses, uses.all.data[u].user);
	}
	free(uses.heads);
	array_release(&uses.all);
	array_release(&uses.pending);
}
