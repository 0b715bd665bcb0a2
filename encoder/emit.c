/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* The pass of encode that adds functions: FUNC, and the DECL_TAGs on them. */
#include <string.h>

#include "base/text.h"
#include "encoder/kfuncs.h"
#include "encoder/passes.h"

struct pool_id program_add_text(struct program *program, const char *text)
{
	struct pool_string string = pool_string(text);
	struct pool_id known = string_pool_find(&program->pool, &string);

	if (known.index || !*text)
		return known;
	array_push(&program->texts, memory_copy(text));
	return string_pool_add(&program->pool, program->texts.data[program->texts.count - 1]);
}

uint32_t program_intern(struct program *program, const uint32_t *words)
{
	uint32_t node = node_table_intern(&program->table, words, UINT64_MAX);

	program->table.nodes.data[node].is_root = true;
	return node;
}

uint32_t program_append(struct program *program, const uint32_t *words)
{
	uint32_t node = node_table_append(&program->table, words, UINT64_MAX);

	program->table.nodes.data[node].is_root = true;
	return node;
}

uint32_t program_promised_func(const struct program *program, struct pool_id name)
{
	const struct judged_function *judged = selection_of(&program->selection, name);

	return judged ? program->funcs[judged - program->selection.functions.data] : 0;
}

bool program_promises(const struct program *program, const struct site_function *function)
{
	uint32_t func = program_promised_func(program, function->name);

	return func &&
	       selection_of(&program->selection, function->name)->number == function->number &&
	       node_words(&program->table, func)[BTF_WORD_TYPE] == function->prototype.word;
}

/* On a node; component -1 means the node itself. */
static void add_decl_tag(struct program *program, uint32_t node, struct pool_id value,
			 int32_t component)
{
	uint32_t words[BTF_HEAD_WORDS + 1] = {
		value.index, btf_info(BTF_DECL_TAG, 0, false), node, (uint32_t)component };

	program_intern(program, words);
}

void program_add_annotations(struct program *program, uint32_t node, uint32_t first,
			     uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct decl_annotation *annotation =
			&program->instances.annotations.data[first + i];

		add_decl_tag(program, node, annotation->value, annotation->component);
	}
}

/* ---- functions ---- */

/*
 * PTR -> T becomes PTR -> TYPE_TAG "address_space(1)" -> T, where kind_flag says that the text is
 * an attribute: this is how BPF programs declare pointers into an arena. Other types are unchanged.
 */
static struct node_ref to_arena(struct program *program, struct node_ref ref)
{
	uint32_t attribute;

	if (ref_is_void(ref) || ref_is_tag(ref) ||
	    node_kind(&program->table, ref_node(ref)) != BTF_PTR)
		return ref;
	attribute = program_intern(program, (uint32_t[]){
		string_pool_add(&program->pool, "address_space(1)").index,
		btf_info(BTF_TYPE_TAG, 0, true),
		node_words(&program->table, ref_node(ref))[BTF_WORD_TYPE] });
	return ref_to_node(program_intern(program, (uint32_t[]){
		0, btf_info(BTF_PTR, 0, false), attribute }));
}

/* A kfunc's prototype with the pointers into an arena that its flags name. */
static uint32_t arena_prototype(struct program *program, uint32_t prototype, uint32_t flags)
{
	static const uint32_t of_parameter[] = { KFUNC_ARENA_ARG1, KFUNC_ARENA_ARG2 };
	const uint32_t *old = node_words(&program->table, prototype);
	uint32_t parameters = btf_info_vlen(old[BTF_WORD_INFO]);
	size_t bytes = btf_record_words(old[BTF_WORD_INFO]) * sizeof(uint32_t);
	uint32_t *words;

	if (!(flags & (KFUNC_ARENA_RET | KFUNC_ARENA_ARG1 | KFUNC_ARENA_ARG2)))
		return prototype;
	words = memory_alloc(bytes);
	memcpy(words, old, bytes);
	if (flags & KFUNC_ARENA_RET)
		words[BTF_WORD_TYPE] = to_arena(program, ref_of_word(words[BTF_WORD_TYPE])).word;
	for (uint32_t i = 0; i < 2 && i < parameters; i++) {
		uint32_t *type = &words[BTF_HEAD_WORDS + 2 * i + 1];

		if (flags & of_parameter[i])
			*type = to_arena(program, ref_of_word(*type)).word;
	}
	prototype = program_intern(program, words);
	free(words);
	return prototype;
}

/* Reasons that are about this code's signature, not about its name. */
#define SIGNATURE_REASONS                                                                          \
	(REASON(REORDERED) | REASON(PARAM_SCALARIZED) | REASON(PARAM_CONSTANT) |                   \
	 REASON(PARAM_REMOVED) | REASON(PARAM_UNSET) | REASON(STACK_LAYOUT) |                      \
	 REASON(REG_MISMATCH) | REASON(RETURN_REMOVED) | REASON(SIGNATURE_CHANGED))

/*
 * The name under which a true prototype may be promised: a clone's own symbol, or the function's
 * name when its signature is the only reason against it. NULL: none.
 */
static const char *true_name(const struct program *program,
			     const struct function_instance *instance)
{
	const char *symbol = program->symbols.symbols.data[instance->symbol].name;
	const char *name = string_pool_text(&program->pool, instance->name);
	struct symbol_search search = symbol_table_search(&program->symbols, symbol);
	const struct symbol *first = symbol_search_next(&search), *other;
	const struct judged_function *judged;

	while ((other = symbol_search_next(&search))) {
		if (other->address != first->address)
			return NULL;
	}
	if (!first || !btf_is_identifier(symbol))
		return NULL;
	if (instance->join != JOIN_SAME)
		return symbol;
	judged = selection_find(&program->selection, &program->pool, name);
	return judged && !(judged->reasons & ~SIGNATURE_REASONS) ? name : NULL;
}

static void add_true_signatures(struct program *program)
{
	array_each(const struct function_instance, instance, &program->instances.functions) {
		struct node_ref prototype = instance_true_prototype(instance);
		const char *name = ref_is_void(prototype) ? NULL : true_name(program, instance);

		if (!name)
			continue;
		program_intern(program, (uint32_t[]){
			string_pool_add(&program->pool, name).index,
			btf_info(BTF_FUNC, instance->external && instance->join == JOIN_SAME
						   ? BTF_LINKAGE_GLOBAL : BTF_LINKAGE_STATIC,
				 false),
			prototype.word });
	}
}

/*
 * The FUNC of a judged function, with its annotations. A name is promised once, so no such node
 * exists, unless true signatures may promise the same.
 */
static uint32_t add_func(struct program *program, const struct judged_function *judged,
			 uint32_t kfunc_flags)
{
	const struct function_instance *instance =
		&program->instances.functions.data[judged->instance];
	uint32_t linkage = instance->external ? BTF_LINKAGE_GLOBAL : BTF_LINKAGE_STATIC;
	uint32_t words[BTF_HEAD_WORDS] = {
		judged->name.index, btf_info(BTF_FUNC, linkage, false),
		arena_prototype(program, ref_node(instance->prototype), kfunc_flags) };
	uint32_t node = program->options->features.feature_true_signature
				 ? program_intern(program, words) : program_append(program, words);

	program_add_annotations(program, node, instance->first_annotation,
				instance->annotation_count);
	return node;
}

/*
 * Fills program->funcs. FUNCs that bring more than themselves come last and in the order of their
 * names, because annotations and prototypes are written in the order in which they were made.
 */
static void add_promised(struct program *program, bool attributes)
{
	size_t count = program->selection.functions.count;
	/* By judged function, the flags of all sets that it is in. */
	uint32_t *kfunc_flags = memory_zeroed(count, sizeof(uint32_t));
	const struct kfunc_list *list = &program->kfuncs;
	ARRAY_OF(struct pool_id) late = { 0 };

	program->funcs = memory_zeroed(count, sizeof(uint32_t));
	for (size_t i = 0; attributes && i < list->kfuncs.count; i++) {
		const struct judged_function *judged = selection_find(
			&program->selection, &program->pool, list->kfuncs.data[i].name);

		if (judged && list->kfuncs.data[i].is_tagged)
			kfunc_flags[judged - program->selection.functions.data] |=
				list->kfuncs.data[i].flags;
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct judged_function *judged = &program->selection.functions.data[i];

		if (judged->verdict != VERDICT_OK)
			continue;
		if (kfunc_flags[i] ||
		    program->instances.functions.data[judged->instance].annotation_count)
			array_push(&late, judged->name);
		else
			program->funcs[i] = add_func(program, judged, 0);
	}
	string_pool_sort(&program->pool, late.data, late.count);
	for (size_t k = 0; k < late.count; k++) {
		uint32_t i = program->selection.of_name[late.data[k].index] - 1;

		program->funcs[i] = add_func(program, &program->selection.functions.data[i],
					     kfunc_flags[i]);
	}
	array_release(&late);
	free(kfunc_flags);
}

void program_find_absent_kfuncs(struct program *program)
{
	const struct selection *selection = &program->selection;
	const struct btf_base *base = program->options->base;
	bool is_module = program->object.relocatable;
	size_t count = program->kfuncs.kfuncs.count;
	struct kfunc *kfuncs = program->kfuncs.kfuncs.data;
	struct string_pool names;
	bool *in_base;

	string_pool_init(&names);
	for (size_t i = 0; i < count; i++)
		string_pool_add(&names, kfuncs[i].name);
	in_base = memory_zeroed(names.strings.count, sizeof(*in_base));
	for (uint32_t type = 1; count && is_module && base && type < base->end_id; type++) {
		const uint32_t *words = btf_reader_type(base->reader, type);
		const char *name = btf_reader_string(base->reader, words[BTF_WORD_NAME]);

		if (btf_info_kind(words[BTF_WORD_INFO]) == BTF_FUNC && name) {
			const struct pool_string text = pool_string(name);

			in_base[string_pool_find(&names, &text).index] = true;
		}
	}
	for (size_t i = 0; i < count; i++) {
		const struct judged_function *judged =
			selection_find(selection, &program->pool, kfuncs[i].name);
		bool is_here = judged && (!program->funcs ||
					  program->funcs[judged - selection->functions.data]);
		/* A module may list functions of the kernel. */
		bool is_elsewhere =
			is_module && (!judged || judged->instance == NO_INSTANCE) &&
			(base ? in_base[string_pool_add(&names, kfuncs[i].name).index] : !judged);

		kfuncs[i].is_lost = !kfuncs[i].is_repeated && !is_here && !is_elsewhere;
	}
	string_pool_release(&names);
	free(in_base);
}

char *program_lost_kfunc(const struct program *program, const struct kfunc *kfunc)
{
	const struct judged_function *judged =
		selection_find(&program->selection, &program->pool, kfunc->name);
	struct text text = { 0 };

	if (!kfunc->is_lost)
		return NULL;
	text_add_string(&text, "kfunc ");
	text_add_clean(&text, kfunc->name);
	text_add_string(&text, " gets no FUNC, so BPF programs cannot call it: ");
	for (reason_set left = judged ? judged->reasons : 0; left; left &= left - 1)
		text_add_format(&text, "%s%s", verdict_texts[__builtin_ctz(left)].code,
				left & (left - 1) ? ", " : " ");
	text_add_format(&text, judged ? "(%s); see `btfenc explain "
				      : "DWARF has no code of that name",
			judged ? verdict_texts[judged->verdict].sentence : "");
	text_add_clean(&text, judged ? kfunc->name : "");
	text_add_string(&text, judged ? "`" : "");
	return text_finish(&text);
}

bool program_add_functions(struct program *program, struct encode_report *report,
			   struct error *err)
{
	const struct features *features = &program->options->features;
	const bool tags = features->feature_decl_tag_kfuncs;
	struct pool_id kfunc_tag, fastcall_tag;
	char *lost = NULL;

	add_promised(program, tags && features->feature_attributes);
	if (features->feature_true_signature)
		add_true_signatures(program);
	kfunc_tag = string_pool_add(&program->pool, "bpf_kfunc");
	fastcall_tag = string_pool_add(&program->pool, "bpf_fastcall");
	program_find_absent_kfuncs(program);
	array_each(const struct kfunc, kfunc, &program->kfuncs.kfuncs) {
		const struct pool_string name = pool_string(kfunc->name);
		uint32_t func = program_promised_func(
			program, string_pool_find(&program->pool, &name));

		if (!lost)
			lost = program_lost_kfunc(program, kfunc);
		if (!func || !tags || !kfunc->is_tagged)
			continue;
		add_decl_tag(program, func, kfunc_tag, -1);
		if (kfunc->flags & KFUNC_FASTCALL)
			add_decl_tag(program, func, fastcall_tag, -1);
	}
	memcpy(report->verdicts, program->selection.counts, sizeof(report->verdicts));
	if (lost && program->options->strict)
		error_at(err, program->options->path, "%s", lost);
	free(lost);
	return !lost || !program->options->strict;
}
