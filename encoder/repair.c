/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * C has more than BTF. What the verifier finds of that in the finished image is taken out of the
 * table, as little as possible, and the image is built again. A kernel's image has nothing of it,
 * so this costs nothing there.
 *
 *	name of a struct, union, enum, member or parameter	it has none
 *	name of a typedef			its target takes the place of it
 *	name of an enumerator			the enumerator is missing
 *	name of a declaration, array of 4 GiB	it is void: its size is not known
 *	prototype with a declared struct	it is void
 *	misaligned float			an INT of its name and size, as before BTF had FLOAT
 *	bits of an enum of 64 bits, and others	the member is missing
 *	chains of more than 32 references	nothing is missing, but ids are in another order
 */
#include <string.h>

#include "base/sort.h"
#include "encoder/passes.h"

#define KEPT   UINT32_MAX		/* the words of no reference */
#define TARGET (UINT32_MAX - 1)		/* its own, for a typedef */

struct repairs {
	struct program *program;
	uint32_t *instead;		/* by node: what references to it become, or KEPT */
	bool *is_void;			/* by tag without definition: these become void */
	bool *is_shorter;		/* by node: it has lost an element */
	ARRAY_OF(struct sort_item) elements;	/* node << 32 | element: to be removed */
};

/* A float as an INT. False: the member is not a float. */
static bool make_int(struct repairs *r, uint32_t node, uint32_t element)
{
	struct node_table *table = &r->program->table;
	uint32_t at = table->starts.data[node] + BTF_HEAD_WORDS + 3 * element + 1;
	struct node_ref type = ref_of_word(table->words.data[at]);
	const uint32_t *words;

	for (;;) {
		if (ref_is_void(type) || ref_is_tag(type))
			return false;
		words = node_words(table, ref_node(type));
		if (btf_info_kind(words[BTF_WORD_INFO]) == BTF_FLOAT)
			break;
		if (btf_kinds[btf_info_kind(words[BTF_WORD_INFO])].has_size)
			return false;
		type = ref_of_word(words[BTF_WORD_TYPE]);
	}
	node = program_intern(r->program, (uint32_t[]){
		words[BTF_WORD_NAME], btf_info(BTF_INT, 0, false), words[BTF_WORD_SIZE],
		words[BTF_WORD_SIZE] * 8 });
	table->words.data[at] = ref_to_node(node).word;
	return true;
}

static bool remove_element(struct repairs *r, uint32_t node, uint32_t element)
{
	array_push(&r->elements, ((struct sort_item){ (uint64_t)node << 32 | element, 0 }));
	return true;
}

static bool repair_name(struct repairs *r, uint32_t node, uint32_t element)
{
	struct node_table *table = &r->program->table;
	uint32_t *words = table->words.data + table->starts.data[node];
	const struct btf_kind_info *kind = btf_kind_of(words[BTF_WORD_INFO]);

	switch (btf_info_kind(words[BTF_WORD_INFO])) {
	case BTF_TYPEDEF:
		r->instead[node] = TARGET;
		return true;
	case BTF_ENUM:
	case BTF_ENUM64:
		if (element == BTF_NO_ELEMENT)
			break;
		return remove_element(r, node, element);
	case BTF_STRUCT:
	case BTF_UNION:
	case BTF_FUNC_PROTO:
		break;
	default:
		return false;
	}
	words[btf_name_word(kind, element + 1)] = 0;	/* BTF_NO_ELEMENT + 1 is 0 */
	return true;
}

/* False: legal C does not lead to that. */
static bool repair(struct repairs *r, struct node_ref what, const struct btf_finding *finding)
{
	bool is_name = finding->rule == BTF_RULE_NAME_INVALID ||
		       finding->rule == BTF_RULE_NAME_LENGTH;
	uint32_t node = ref_node(what);
	enum btf_kind kind;

	if (ref_is_tag(what)) {
		r->is_void[ref_tag(what)] = is_name;
		return is_name;
	}
	kind = node_kind(&r->program->table, node);
	if (is_name)
		return repair_name(r, node, finding->element);
	switch (finding->rule) {
	case BTF_RULE_MEMBER_ALIGN:
		return make_int(r, node, finding->element);
	case BTF_RULE_MEMBER_BITS:
	case BTF_RULE_MEMBER_BASE:
		return remove_element(r, node, finding->element);
	case BTF_RULE_REF_TO_VOID:
	case BTF_RULE_REF_NO_SIZE:
		if (kind == BTF_STRUCT || kind == BTF_UNION)
			return remove_element(r, node, finding->element);
		if (kind != BTF_ARRAY && kind != BTF_FUNC_PROTO)
			return false;
		break;
	case BTF_RULE_ARRAY_OVERFLOW:
	case BTF_RULE_FUNC_PROTO:	/* a FUNC or DECL_TAG of what has become void */
	case BTF_RULE_TAG_TARGET:
		break;
	default:
		return false;
	}
	r->instead[node] = REF_VOID.word;
	return true;
}

/* The last elements go first, so that the numbers of the others stay. */
static void remove_elements(struct repairs *r)
{
	struct node_table *table = &r->program->table;

	sort_by_key(r->elements.data, r->elements.count);
	for (size_t i = r->elements.count; i-- > 0;) {
		uint64_t key = r->elements.data[i].key;
		uint32_t node = (uint32_t)(key >> 32), element = (uint32_t)key;
		uint32_t *words = table->words.data + table->starts.data[node];
		uint32_t size = btf_kind_of(words[BTF_WORD_INFO])->element_words;
		uint32_t *at = words + BTF_HEAD_WORDS + size * element;

		if (i + 1 < r->elements.count && r->elements.data[i + 1].key == key)
			continue;
		table->nodes.data[node].word_count -= size;
		memmove(at, at + size, (size_t)(words + table->nodes.data[node].word_count - at) *
					       sizeof(*at));
		words[BTF_WORD_INFO]--;
		r->is_shorter[node] = true;
	}
}

/* References have smaller ids: what is instead of their targets is known. */
static void redirect(struct repairs *r, uint32_t count)
{
	struct node_table *table = &r->program->table;

	for (uint32_t node = 1; node < count; node++) {
		uint32_t *words = table->words.data + table->starts.data[node];
		struct node_ref type = ref_of_word(words[BTF_WORD_TYPE]);

		/* Components count members, of which some are missing. */
		if (btf_info_kind(words[BTF_WORD_INFO]) == BTF_DECL_TAG &&
		    words[BTF_HEAD_WORDS] != UINT32_MAX &&
		    r->is_shorter[ref_is_tag(type) ? table->tags.data[ref_tag(type)].definition
						   : ref_node(type)])
			r->instead[node] = REF_VOID.word;
		btf_each_ref(word, words) {
			struct node_ref ref = ref_of_word(words[word]);

			if (ref_is_tag(ref) && r->is_void[ref_tag(ref)])
				words[word] = REF_VOID.word;
			else if (!ref_is_tag(ref) && ref_node(ref) < count &&
				 r->instead[ref_node(ref)] != KEPT)
				words[word] = r->instead[ref_node(ref)];
		}
		if (r->instead[node] == TARGET)
			r->instead[node] = words[BTF_WORD_TYPE];
		if (r->instead[node] != KEPT)
			table->nodes.data[node].is_root = false;
	}
}

bool program_repair(struct program *program, const struct btf_image *image,
		    const struct btf_reader *reader, const struct btf_findings *findings,
		    uint32_t *losses)
{
	uint32_t count = (uint32_t)program->table.nodes.count;
	bool was_ordered = program->targets_first;
	struct repairs r = {
		.program = program,
		.instead = memory_alloc(count * sizeof(uint32_t)),
		.is_void = memory_zeroed(program->table.tags.count, sizeof(bool)),
		.is_shorter = memory_zeroed(count, sizeof(bool)),
	};

	*losses = 0;
	memset(r.instead, 0xff, count * sizeof(uint32_t));
	array_each(const struct btf_finding, finding, findings) {
		uint32_t id = finding->type_id;

		if (finding->rule == BTF_RULE_REF_DEPTH || finding->rule == BTF_RULE_CHAIN_LENGTH)
			program->targets_first = true;
		else if (id >= image->first_id && id < btf_reader_end_id(reader))
			*losses += repair(&r, image->nodes[id - image->first_id], finding);
	}
	remove_elements(&r);
	redirect(&r, count);
	free(r.instead);
	free(r.is_void);
	free(r.is_shorter);
	array_release(&r.elements);
	return *losses || program->targets_first != was_ordered;
}
