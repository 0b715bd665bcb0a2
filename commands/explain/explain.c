/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/explain/explain.h"

/* Functions first, then copies, parts, cold code; each by address. */
static int compare_instances(const void *a, const void *b)
{
	const struct probe_point *x = a, *y = b;

	if (x->join != y->join)
		return x->join > y->join ? -1 : 1;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->section_offset < y->section_offset ? -1 : x->section_offset > y->section_offset;
}

static int compare_sites(const void *a, const void *b)
{
	const struct probe_point *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (!x->source || !y->source)
		return 0;
	return x->source->die < y->source->die ? -1 : x->source->die > y->source->die;
}

static void ask_trampoline(const struct explanation *explanation, struct probe_point *point)
{
	point->view = type_trampoline_view(&explanation->types, point->true_prototype
								? point->true_prototype
								: point->prototype);
	point->fentry = trampoline_answer(&explanation->image, &point->view);
}

char *explain_prototype(const struct explanation *explanation, uint32_t prototype,
			const char *name)
{
	struct text text = { 0 };

	if (!prototype)
		return NULL;
	type_add(&text, &explanation->types, prototype, name);
	return text_finish(&text);
}

bool explanation_is_of_tracepoint(const struct explanation *explanation)
{
	return explanation->kind == ASKED_TRACEPOINT || explanation->kind == ASKED_SYSTEM_CALL ||
	       (explanation->kind == ASKED_EVENT && explanation->tracepoint);
}

void explanation_finish(struct explanation *explanation)
{
	struct probe_points *instances = &explanation->instances, *sites = &explanation->sites;
	const struct probe_points *const lists[] = { instances, sites, &explanation->unplaced };

	if (instances->count && explanation->records)
		qsort(instances->data, instances->count, sizeof(*instances->data),
		      compare_instances);
	if (sites->count)
		qsort(sites->data, sites->count, sizeof(*sites->data), compare_sites);
	for (size_t i = 0; i < sites->count; i++)
		explanation->outer_sites += !sites->data[i].in_itself;
	for (size_t i = 0; i < instances->count; i++)
		ask_trampoline(explanation, &instances->data[i]);
	ask_trampoline(explanation, &explanation->entry);
	for (size_t k = 0; k < sizeof(lists) / sizeof(*lists); k++) {
		for (size_t i = 0; i < lists[k]->count && !explanation->prototype_id; i++)
			explanation->prototype_id = lists[k]->data[i].prototype;
	}
	explanation->prototype = explain_prototype(explanation, explanation->prototype_id,
						   explanation->name);
	hooks_find(explanation);
	advice_give(explanation);
}

static void release_parameters(struct probe_point *point)
{
	for (size_t i = 0; i < point->parameters.count; i++) {
		free(point->parameters.data[i].type);
		free(point->parameters.data[i].found);
		free(point->parameters.data[i].fetch);
		free(point->parameters.data[i].expected);
	}
	array_release(&point->parameters);
}

void probe_points_release(struct probe_points *points)
{
	for (size_t i = 0; i < points->count; i++)
		release_parameters(&points->data[i]);
	array_release(points);
}

void explanation_release(struct explanation *explanation)
{
	probe_points_release(&explanation->instances);
	probe_points_release(&explanation->sites);
	probe_points_release(&explanation->unplaced);
	release_parameters(&explanation->entry);
	for (size_t i = 0; i < explanation->advice.count; i++)
		free(explanation->advice.data[i].text);
	array_release(&explanation->advice);
	free(explanation->headline);
	free(explanation->prototype);
	tracepoint_free(explanation->tracepoint);
	hooks_release(explanation);
	source_lines_close(&explanation->lines);
}
