/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/explain/explain.h"

#include <string.h>

enum join_class explain_join_of(const char *symbol, const char *name)
{
	struct symbol_base parsed = symbol_parse(symbol);

	if (strcmp(symbol, name) == 0)
		return JOIN_SAME;
	if (parsed.suffixes >> SUFFIX_COLD & 1)
		return JOIN_COLD;
	if (parsed.class == SUFFIX_PIECE)
		return JOIN_FRAGMENT;
	return parsed.class == SUFFIX_SAME ? JOIN_SAME : JOIN_CLONE;
}

/* Functions first, then copies, parts, cold code; each by address. */
static int compare_instances(const void *a, const void *b)
{
	const struct explained_place *x = a, *y = b;

	if (x->join != y->join)
		return x->join > y->join ? -1 : 1;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->section_offset < y->section_offset ? -1 : x->section_offset > y->section_offset;
}

static int compare_sites(const void *a, const void *b)
{
	const struct explained_place *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (!x->source || !y->source)
		return 0;
	return x->source->die < y->source->die ? -1 : x->source->die > y->source->die;
}

static struct trampoline_view view_of(const struct type_source *types, uint32_t prototype)
{
	const uint32_t *words = prototype ? type_words_of(types, prototype, BTF_FUNC_PROTO) : NULL;
	uint32_t count = words ? btf_info_vlen(words[BTF_WORD_INFO]) : 0;
	struct trampoline_view view = { 0 };

	for (uint32_t i = 0; words && i <= count; i++) {
		struct value_type value = value_type_of(types, i ? words[BTF_HEAD_WORDS + 2 * i - 1]
								 : words[BTF_WORD_TYPE]);
		struct trampoline_type type = { value.kind, value.size_bytes };

		if (i)
			trampoline_see_parameter(&view, type);
		else
			trampoline_see_result(&view, type);
	}
	return view;
}

static void ask_trampoline(const struct explanation *explanation, struct explained_place *place)
{
	place->view = view_of(&explanation->types, place->true_prototype ? place->true_prototype
									 : place->prototype);
	place->fentry = trampoline_answer(&explanation->kernel, &place->view);
}

char *explain_prototype(const struct explanation *explanation, uint32_t prototype,
			const char *name)
{
	struct text_buffer buffer;

	if (!prototype)
		return NULL;
	type_print(text_begin(&buffer), &explanation->types, prototype, name);
	return text_end(&buffer);
}

static uint32_t any_prototype(const struct explained_places *list)
{
	for (size_t i = 0; i < list->places.count; i++) {
		if (list->places.data[i].prototype)
			return list->places.data[i].prototype;
	}
	return 0;
}

void explanation_finish(struct explanation *explanation)
{
	struct explained_places *instances = &explanation->instances, *sites = &explanation->sites;
	uint32_t prototype = explanation->prototype_id;

	if (instances->places.count && explanation->records)
		qsort(instances->places.data, instances->places.count,
		      sizeof(*instances->places.data), compare_instances);
	if (sites->places.count)
		qsort(sites->places.data, sites->places.count, sizeof(*sites->places.data),
		      compare_sites);
	for (size_t i = 0; i < sites->places.count; i++)
		explanation->outer_sites += !sites->places.data[i].in_itself;
	for (size_t i = 0; i < instances->places.count; i++)
		ask_trampoline(explanation, &instances->places.data[i]);
	ask_trampoline(explanation, &explanation->entry);
	prototype = prototype ? prototype : any_prototype(instances);
	prototype = prototype ? prototype : any_prototype(sites);
	explanation->prototype_id = prototype =
		prototype ? prototype : any_prototype(&explanation->unplaced);
	explanation->prototype = explain_prototype(explanation, prototype, explanation->name);
	advice_give(explanation);
}

void explained_place_release(struct explained_place *place)
{
	for (size_t i = 0; i < place->parameters.count; i++) {
		free(place->parameters.data[i].type);
		free(place->parameters.data[i].found);
		free(place->parameters.data[i].fetch);
		free(place->parameters.data[i].expected);
	}
	array_release(&place->parameters);
}

static void release_places(struct explained_places *list)
{
	for (size_t i = 0; i < list->places.count; i++)
		explained_place_release(&list->places.data[i]);
	array_release(&list->places);
}

void explanation_release(struct explanation *explanation)
{
	release_places(&explanation->instances);
	release_places(&explanation->sites);
	release_places(&explanation->unplaced);
	explained_place_release(&explanation->entry);
	for (size_t i = 0; i < explanation->advice.count; i++)
		free(explanation->advice.data[i].text);
	array_release(&explanation->advice);
	free(explanation->headline);
	free(explanation->prototype);
	tracepoint_free(explanation->tracepoint);
	source_lines_close(&explanation->lines);
}
