/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/explain/explain.h"

#include <stdlib.h>

#include "base/sort.h"
#include "commands/explain/advice.h"
#include "commands/explain/explain_dwarf.h"
#include "commands/explain/explain_near.h"
#include "commands/explain/hooks.h"
#include "commands/explain/tracepoint.h"
#include "commands/print/json.h"
#include "kernel/btf_functions.h"
#include "kernel/elf_input.h"
#include "kernel/kfunc_table.h"
#include "kernel/c_spelling.h"

/* Functions first, then clones, fragments, cold code; each by address. */
static int compare_instances(const void *a, const void *b)
{
	const struct probe_point *x = a, *y = b;
	int order = order_of(y->join, x->join);

	order = order ? order : order_of(x->address, y->address);
	return order ? order : order_of(x->section_offset, y->section_offset);
}

static int compare_sites(const void *a, const void *b)
{
	const struct probe_point *x = a, *y = b;
	int order = order_of(x->address, y->address);

	return order || !x->source || !y->source ? order
						 : order_of(x->source->die, y->source->die);
}

static void ask_trampoline(const struct explanation *explanation, struct probe_point *point)
{
	point->view = type_trampoline_view(&explanation->types, point->true_prototype
								? point->true_prototype
								: point->prototype);
	point->fentry = trampoline_answer(&explanation->image, point->function ? point->function
								       : explanation->name,
					  &point->view);
}

/*
 * Fragments are worth a probe where they are all there is; cold code is entered from its function.
 */
static bool is_entry_of(const struct explanation *explanation, const struct probe_point *point)
{
	enum verdict verdict = reasons_verdict(explanation->reasons);

	switch ((enum join_class)point->join) {
	case JOIN_SAME:
	case JOIN_RENAMED:
	case JOIN_CLONE: return true;
	case JOIN_NONE: return verdict == VERDICT_NO_SYMBOL;
	case JOIN_FRAGMENT: return verdict == VERDICT_PARTIAL;
	case JOIN_COLD: return false;
	}
	return false;
}

/* Of several instances at one address the first is. */
static void find_entry_probes(struct explanation *explanation)
{
	const struct probe_points *instances = &explanation->instances;
	struct sort_item *order = memory_alloc(instances->count * sizeof(*order));
	size_t count = 0, number = 0;

	for (size_t i = 0; i < instances->count; i++)
		order[i] = (struct sort_item){ instances->data[i].address, (uint32_t)i };
	sort_by_key(order, instances->count);
	for (size_t i = 0; i < instances->count; i++) {
		struct probe_point *point = &instances->data[order[i].value];

		point->is_entry_probe = (!i || order[i].key != order[i - 1].key) &&
					is_entry_of(explanation, point);
		count += point->is_entry_probe;
	}
	free(order);
	array_each(struct probe_point, point, instances)
		point->number = count > 1 && point->is_entry_probe ? ++number : 0;
}

/*
 * Several calls may have been inlined at one address, where compilers merge equal code: one probe
 * sees all of them. The one that fetches most is kept, of sites by address.
 */
static void merge_sites(struct probe_points *sites)
{
	size_t kept = 0;

	for (size_t i = 0; i < sites->count; i++) {
		struct probe_point *last = kept ? &sites->data[kept - 1] : NULL;
		struct probe_point point = sites->data[i];

		if (!last || last->address != point.address) {
			sites->data[kept++] = point;
			continue;
		}
		point.in_itself = last->in_itself = last->in_itself && point.in_itself;
		if (point.unknown_parameters < last->unknown_parameters) {
			probe_point_release(last);
			*last = point;
		} else {
			probe_point_release(&point);
		}
	}
	sites->count = kept;
}

/* Programs and bpftrace go by the image's own BTF, which may say otherwise than DWARF. */
static void find_own_prototype(struct explanation *explanation)
{
	const struct own_btf *own =
		explanation->image.tables ? &explanation->image.tables->own : NULL;
	uint32_t func = own && own->is_known ? func_names_find(&own->funcs, explanation->name) : 0;
	struct text text = { 0 };
	struct type_source types;

	/* What a kfunc's FUNC lacks is known (explain_count_implicit()). */
	if (!func || explanation->rank || explanation->implicit ||
	    explanation->func != FUNC_PROMISED || !explanation->prototype)
		return;
	types = explain_own_types(explanation);
	explanation->own_prototype_id = btf_reader_type(&own->btf, func)[BTF_WORD_TYPE];
	type_add(&text, &types, explanation->own_prototype_id, explanation->name);
	explanation->own_prototype = text_finish(&text);
	if (c_spelling_is_same(explanation->own_prototype, explanation->prototype)) {
		free(explanation->own_prototype);
		explanation->own_prototype = NULL;
	}
}

static json_t *find_kfunc(const struct explanation *explanation)
{
	struct kfunc_table table;
	json_t *sets;

	kfunc_table_read(&table, &explanation->image, &explanation->types, explanation->program);
	sets = kfunc_sets_json(&table, explanation->name);
	kfunc_table_release(&table);
	if (!sets && btf_has_kfunc_tag(explanation->types.btf, explanation->name))
		sets = json_array();
	return sets;
}

/* Sorts; fills the prototype as C, hooks, the answers of trampolines, headline and advice. */
static void finish(struct explanation *explanation)
{
	struct probe_points *instances = &explanation->instances, *sites = &explanation->sites;
	const struct probe_points *const lists[] = { instances, sites, &explanation->unplaced };
	size_t number = 0;

	if (explanation->records)
		array_sort(instances, compare_instances);
	array_sort(sites, compare_sites);
	merge_sites(sites);
	array_each(struct probe_point, site, sites) {
		explanation->outer_sites += !site->in_itself;
		number += !explain_refusal(explanation, site, false);
		site->number = number;
	}
	for (size_t i = 0; i < instances->count; i++)
		ask_trampoline(explanation, &instances->data[i]);
	find_entry_probes(explanation);
	ask_trampoline(explanation, &explanation->entry);
	for (size_t k = 0; k < sizeof(lists) / sizeof(*lists); k++) {
		for (size_t i = 0; i < lists[k]->count && !explanation->prototype_id; i++)
			explanation->prototype_id = lists[k]->data[i].prototype;
	}
	explanation->prototype = explain_prototype(explanation, explanation->prototype_id,
						   explanation->name);
	if (!explanation->implicit)
		explanation->implicit = explain_count_implicit(explanation);
	find_own_prototype(explanation);
	/* Who asks for fentry does not want to call it. */
	if (explanation->has_function && explanation->kind == ASKED_ANY && !explanation->rank)
		explanation->kfunc = find_kfunc(explanation);
	if (!explanation->rank)
		hooks_find(explanation);
	advice_give(explanation);
	if (explanation->tracepoint && explanation->tracepoint->is_said)
		note(explanation, "that the event is in %s is as you wrote it; nothing that could "
		     "be read tells", explanation->folder);
}

bool explanation_make(struct explanation *explanation, const struct kernel *kernel,
		      const char *name, const struct asked *asked)
{
	char *macro;

	explanation_begin(explanation, kernel, name, asked);
	explanation->tracepoint = tracepoint_find(explanation, name);
	if (explanation_is_of_tracepoint(explanation)) {
		finish(explanation);
		return explanation->tracepoint;
	}
	if (kernel->program)
		explain_dwarf_fill(explanation);
	else
		explain_records_fill(explanation);
	if (!explanation->has_function && !explanation->tracepoint)
		return false;
	finish(explanation);
	for (size_t i = 0; i < explanation->namesake_count; i++)
		finish(&explanation->namesakes[i]);
	macro = explanation->has_function ? NULL : explain_profiled(explanation);
	if (macro)
		note(explanation, "the function of that name is a macro in this kernel: ask for %s",
		     macro);
	free(macro);
	return true;
}

bool explain_is_elsewhere(const struct explanation *explanation)
{
	const struct attach_image *image = &explanation->image;
	const struct tracepoint *tracepoint = explanation->tracepoint;
	const char *folder = explanation->folder;
	/* libbpf looks no further. */
	size_t length = folder && explanation->needs & ASKED_IN_MODULE ? strlen(folder) : SIZE_MAX;
	bool is_other;
	char *module;

	if (folder && explanation_is_of_tracepoint(explanation) && length == SIZE_MAX)
		return tracepoint && tracepoint->system && strcmp(folder, tracepoint->system) != 0;
	if (!folder || !image->is_module)
		return folder && strncmp(folder, "vmlinux", length) != 0;
	module = image->module ? NULL : module_name_of_path(explanation->path);
	is_other = strncmp(folder, module ? module : image->module, length) != 0;
	free(module);
	return is_other;
}

void explanation_release(struct explanation *explanation)
{
	for (size_t i = 0; i < explanation->namesake_count; i++)
		explanation_release(&explanation->namesakes[i]);
	free(explanation->namesakes);
	probe_points_release(&explanation->instances);
	probe_points_release(&explanation->sites);
	probe_points_release(&explanation->unplaced);
	probe_point_release(&explanation->entry);
	for (size_t i = 0; i < explanation->advice.count; i++)
		free(explanation->advice.data[i].text);
	array_release(&explanation->advice);
	free(explanation->headline);
	free(explanation->prototype);
	free(explanation->own_prototype);
	free(explanation->excluded);
	if (explanation->rank)
		return;
	json_decref(explanation->kfunc);
	tracepoint_free(explanation->tracepoint);
	hooks_release(explanation);
	source_lines_close(&explanation->lines);
	events_release(&explanation->events);
}
