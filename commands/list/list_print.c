/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/list/list.h"

#include <string.h>

#include "commands/print/json.h"

/* "void sys_enter_openat(int dfd, ...)" */
static void add_call(struct text *out, const struct list_source *source, const char *name)
{
	const char *call = text_after(name, "sys_enter_");
	struct call_parameters found;

	if (!call || !system_call_parameters(&source->image, call, &found))
		return;
	text_add_clean_in(out, "void ", name, found.count ? "(" : "(void");
	for (size_t i = 0; i < found.count; i++)
		text_add_format(out, "%s%s %s", i ? ", " : "", found.types[i], found.names[i]);
	text_add_char(out, ')');
}

/* False: not known, or too long: many functions of a damaged file can have one that is. */
static bool add_known_prototype(struct text *out, const struct list_source *source,
				const struct listed *listed)
{
	size_t before = out->count;

	if (listed->kind == LIST_STRUCT_OPS) {
		text_add_format(out, "struct %s", listed->name);
	} else if (!listed->prototype) {
		add_call(out, source, listed->name);
	} else if (listed->kind == LIST_TRACEPOINT) {
		text_add_clean_in(out, "void ", listed->name, "(");
		type_add_parameters(out, &source->types, listed->prototype,
				    listed->named_prototype, 1, 0);
		text_add_char(out, ')');
	} else {
		type_add(out, &source->types, listed->prototype, listed->name);
	}
	if (out->count - before >= C_DECLARATION_MAX_BYTES)
		out->count = before;
	return out->count > before;
}

static void add_prototype(struct text *out, const struct list_source *source,
			  const struct listed *listed)
{
	if (!add_known_prototype(out, source, listed))
		text_add_clean_in(out, "", listed->name, "(?)");
}

/* NULL: they are not known, or not asked for. */
static json_t *sets_of(const struct list_source *source, const struct listed *listed)
{
	return source->kind == LIST_KFUNC ? kfunc_sets_json(&source->kfuncs, listed->name) : NULL;
}

/* NULL: only functions have one. */
static const char *verdict_of(const struct listed *listed)
{
	return listed->kind > LIST_KFUNC ? NULL : verdict_texts[listed->verdict].code;
}

/* Is there a hook, which fentry needs; of an LSM hook: does it take programs? */
static enum attach_answer hook_of(const struct list_source *source, const struct listed *listed)
{
	return list_is_of_kind(listed, LIST_FUNCTION) ? list_attach(source, listed, false).ftrace
						      : (enum attach_answer)listed->taken;
}

/* "sched:sched_switch" */
static void add_name(struct text *out, const struct listed *listed)
{
	if (listed->event.group)
		text_add_clean_in(out, "", listed->event.group, ":");
	text_add_clean(out, *listed->name ? listed->name : "-");
}

/* "common_btf_ids:KF_FASTCALL:UNSPEC" for each set; "-": none of these, "?": not known. */
static void add_sets(struct text *out, const json_t *sets)
{
	static const char *const keys[] = { "flags", "program_types" };
	const json_t *set, *words = NULL;
	size_t i;

	json_array_foreach(sets, i, set) {
		text_add_string(out, i ? ";" : "");
		text_add_clean(out, json_string_value(json_object_get(set, "name")));
		for (size_t key = 0; key < 2; key++) {
			size_t first = out->count + 1;

			words = json_object_get(set, keys[key]);
			text_add_string(out, json_is_null(words) ? ":?" : ":");
			for (size_t k = 0; k < json_array_size(words); k++)
				text_add_item(out, first, "|",
					      json_string_value(json_array_get(words, k)));
			if (out->count == first)
				text_add_char(out, '-');
		}
		if (json_array_size(words) && !json_is_true(json_object_get(set, "is_complete")))
			text_add_string(out, "|?");
	}
}

/* `int ext4_sync_file(struct file *file, ...)  [ext4] inlined-only` */
static void add_line(struct text *out, const struct list_source *source,
		     const struct listed *listed)
{
	json_t *sets = sets_of(source, listed);

	add_prototype(out, source, listed);
	if (source->module)
		text_add_clean_in(out, "  [", source->module, "]");
	if (listed->kind > LIST_KFUNC)
		text_add_format(out, "  %s", list_kinds[listed->kind]);
	else if (listed->verdict != VERDICT_OK)
		text_add_format(out, "  %s", verdict_of(listed));
	if (listed->event.group) {
		text_add_char(out, ' ');
		add_name(out, listed);
	}
	text_add_string(out, sets ? "  " : "");
	add_sets(out, sets);
	text_add_char(out, '\n');
	json_decref(sets);
}

/* ---- for programs ---- */

static void add_field(struct text *out, const char *field)
{
	text_add_clean(out, field && *field ? field : "-");
	text_add_char(out, '\t');
}

static void add_row(struct text *out, const struct list_source *source,
		    const struct listed *listed)
{
	static const char *const hooks[] = {
		[ATTACH_UNKNOWN] = NULL, [ATTACH_NO] = "no", [ATTACH_YES] = "yes",
	};
	json_t *sets = sets_of(source, listed);

	add_field(out, listed->name);
	add_field(out, source->module);
	add_field(out, list_kinds[listed->kind]);
	add_field(out, verdict_of(listed));
	add_field(out, hooks[hook_of(source, listed)]);
	if (source->has_sites && list_is_of_kind(listed, LIST_FUNCTION))
		text_add_number(out, listed->sites);
	else
		text_add_char(out, '-');
	text_add_char(out, '\t');
	add_prototype(out, source, listed);
	text_add_char(out, '\t');
	add_field(out, listed->event.group);
	add_sets(out, sets);
	text_add_string(out, sets ? "\n" : "-\n");
	json_decref(sets);
}

static void add_probe(struct text *out, const struct list_source *source,
		      const struct listed *listed, enum list_attachable by)
{
	bool is_tracepoint = listed->kind == LIST_TRACEPOINT;
	bool has_event = listed->event.is == ATTACH_YES;

	text_add_string(out, is_tracepoint && listed->event.group && has_event ? "tracepoint:"
			     : is_tracepoint	? "rawtracepoint:"
			     : by == LIST_KPROBE ? "kprobe:" : "fentry:");
	if (is_tracepoint && has_event) {
		add_name(out, listed);
		return;
	}
	if (source->module && !is_tracepoint)
		text_add_clean_in(out, "", source->module, ":");
	text_add_clean(out, listed->name);
}

static json_t *row_json(const struct list_source *source, const struct listed *listed)
{
	bool has_sites = source->has_sites && list_is_of_kind(listed, LIST_FUNCTION);
	struct text prototype = { 0 };
	bool is_known = add_known_prototype(&prototype, source, listed);
	json_t *as_c = is_known ? json_take(&prototype) : json_null();

	if (!is_known)
		array_release(&prototype);
	return json_pack("{s:o, s:o, s:s, s:o, s:b, s:b, s:o?, s:o, s:o, s:o, s:o}",
		"name", json_text(listed->name),
		"module", json_text(source->module),
		"kind", list_kinds[listed->kind],
		"group", json_text(listed->event.group),
		"tracepoint", listed->kind == LIST_TRACEPOINT,
		"kfunc", listed->kind == LIST_KFUNC,
		"sets", sets_of(source, listed),
		"verdict", json_text(verdict_of(listed)),
		"hook", json_answer(hook_of(source, listed)),
		"inline_sites", json_number(has_sites, listed->sites),
		"prototype", as_c);
}

/* ---- the answer ---- */

void list_answer_add(struct list_answer *answer, const struct list_source *source,
		     const struct listed *listed)
{
	const struct list_query *query = answer->query;
	struct text *out = &answer->lines;

	switch (answer->format) {
	case LIST_TEXT: add_line(out, source, listed); break;
	case LIST_TSV: add_row(out, source, listed); break;
	case LIST_NAMES:
		if (answer->last_name && strcmp(answer->last_name, listed->name) == 0)
			break;
		add_name(out, listed);
		text_add_char(out, '\n');
		break;
	case LIST_IDS: text_add_format(out, "%u\n", listed->id); break;
	case LIST_BPFTRACE:
		add_probe(out, source, listed, query->attachable);
		text_add_string(out, ",\n");
		break;
	case LIST_JSON: json_array_append_new(answer->rows, row_json(source, listed)); break;
	}
	answer->last_name = listed->name;
	answer->count++;
	for (int i = 0; i < query->name_count; i++) {
		if (list_name_fits(query->names[i], listed->event.group, listed->name))
			query->is_found[i] = true;
	}
}

void list_answer_append(struct list_answer *answer, struct list_answer *from)
{
	text_add(&answer->lines, from->lines.data, from->lines.count);
	json_array_extend(answer->rows, from->rows);
	answer->count += from->count;
	list_answer_release(from);
}

void list_answer_release(struct list_answer *answer)
{
	array_release(&answer->lines);
	json_decref(answer->rows);
}

void list_print(const struct list_answer *answer)
{
	size_t bytes = answer->lines.count;

	if (answer->format == LIST_JSON)
		json_write(json_pack("{s:i, s:O}", "version", 1, "functions", answer->rows),
			   JSON_INDENT(2), stdout);
	if (answer->format == LIST_TSV)
		fputs("name\tmodule\tkind\tverdict\thook\tinline_sites\tprototype\tgroup\tsets\n",
		      stdout);
	/* After the last probe there is no comma. */
	if (answer->format == LIST_BPFTRACE)
		bytes -= strlen(",\n");
	if (bytes)
		fwrite(answer->lines.data, 1, bytes, stdout);
	if (answer->format == LIST_BPFTRACE)
		fputs(" { @[probe] = count(); }\n", stdout);
}
