/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/list/list.h"

#include <stdlib.h>
#include <string.h>

#include "commands/print/json.h"

/* NULL: not known, or too long: many functions of a damaged file can have one that is. */
static char *prototype_of(const struct list_source *source, const struct listed *listed)
{
	struct text out = { 0 };

	if (!listed->prototype)
		return NULL;
	if (listed->is_tracepoint) {
		text_add_clean_in(&out, "void ", listed->name, "(");
		type_add_parameters(&out, &source->types, listed->prototype,
				    listed->named_prototype, 1, 0);
		text_add_char(&out, ')');
	} else {
		type_add(&out, &source->types, listed->prototype, listed->name);
	}
	if (out.count >= C_DECLARATION_MAX_BYTES) {
		array_release(&out);
		return NULL;
	}
	return text_finish(&out);
}

void list_answer_add(struct list_answer *answer, const struct list_source *source,
		     const struct listed *listed, enum list_format format)
{
	bool wants_hook = format == LIST_TSV || format == LIST_JSON;
	const char *module = source->module;

	array_push(answer, ((struct list_found){
		.name = memory_copy(listed->name),
		.module = module ? memory_copy(module) : NULL,
		.prototype = format == LIST_NAMES || format == LIST_BPFTRACE
				     ? NULL : prototype_of(source, listed),
		.sites = listed->sites,
		.verdict = listed->verdict,
		.hook = wants_hook && !listed->is_tracepoint
				? list_attach(source, listed, false).ftrace : ATTACH_UNKNOWN,
		.is_tracepoint = listed->is_tracepoint,
		.is_kfunc = listed->is_kfunc,
		.has_sites = source->has_sites }));
}

void list_answer_release(struct list_answer *answer)
{
	for (size_t i = 0; i < answer->count; i++) {
		free(answer->data[i].name);
		free(answer->data[i].module);
		free(answer->data[i].prototype);
	}
	array_release(answer);
}

static void add_prototype(struct text *out, const struct list_found *found)
{
	if (found->prototype)
		text_add_string(out, found->prototype);
	else
		text_add_clean_in(out, "", found->name, "(?)");
}

/* NULL: a tracepoint has none. */
static const char *verdict_of(const struct list_found *found)
{
	return found->is_tracepoint ? NULL : verdict_texts[found->verdict].code;
}

/* ---- for people ---- */

/* `int ext4_sync_file(struct file *file, ...)  [ext4] inlined-only` */
static void add_line(struct text *out, const struct list_found *found)
{
	add_prototype(out, found);
	if (found->module)
		text_add_clean_in(out, "  [", found->module, "]");
	if (found->is_tracepoint)
		text_add_string(out, "  tracepoint");
	else if (found->verdict != VERDICT_OK)
		text_add_format(out, "  %s", verdict_of(found));
	text_add_char(out, '\n');
}

/* ---- for programs ---- */

static void add_field(struct text *out, const char *field, char after)
{
	text_add_clean(out, field && *field ? field : "-");
	text_add_char(out, after);
}

static void add_row(struct text *out, const struct list_found *found)
{
	static const char *const hooks[] = {
		[ATTACH_UNKNOWN] = NULL, [ATTACH_NO] = "no", [ATTACH_YES] = "yes",
	};

	add_field(out, found->name, '\t');
	add_field(out, found->module, '\t');
	add_field(out, found->is_tracepoint ? "tracepoint" : found->is_kfunc ? "kfunc"
									     : "function", '\t');
	add_field(out, verdict_of(found), '\t');
	add_field(out, hooks[found->hook], '\t');
	if (found->has_sites)
		text_add_number(out, found->sites);
	else
		text_add_char(out, '-');
	text_add_char(out, '\t');
	add_prototype(out, found);
	text_add_char(out, '\n');
}

static void add_probe(struct text *out, const struct list_found *found, bool by_kprobe)
{
	const char *module = found->module;

	text_add_string(out, found->is_tracepoint ? "rawtracepoint:"
			     : by_kprobe ? "kprobe:" : "fentry:");
	if (module && !found->is_tracepoint)
		text_add_clean_in(out, "", module, ":");
	text_add_clean(out, found->name);
}

static void print_json(const struct list_answer *answer)
{
	json_t *list = json_array();

	for (size_t i = 0; i < answer->count; i++) {
		const struct list_found *found = &answer->data[i];

		json_array_append_new(list, json_pack(
			"{s:o, s:o, s:b, s:b, s:o, s:o, s:o, s:o}",
			"name", json_text(found->name),
			"module", json_text(found->module),
			"tracepoint", (int)found->is_tracepoint,
			"kfunc", (int)found->is_kfunc,
			"verdict", json_text(verdict_of(found)),
			"hook", found->hook ? json_boolean(found->hook == ATTACH_YES)
					    : json_null(),
			"inline_sites", found->has_sites ? json_integer(found->sites)
							 : json_null(),
			"prototype", json_text(found->prototype)));
	}
	json_write(json_pack("{s:i, s:o}", "version", 1, "functions", list), JSON_INDENT(2),
		   stdout);
}

static bool is_same_module(const struct list_found *a, const struct list_found *b)
{
	return a->module && b->module ? strcmp(a->module, b->module) == 0 : a->module == b->module;
}

void list_print(const struct list_answer *answer, enum list_format format, bool by_kprobe)
{
	struct text out = { 0 };

	if (format == LIST_JSON) {
		print_json(answer);
		return;
	}
	if (format == LIST_TSV)
		text_add_string(&out, "name\tmodule\tkind\tverdict\thook\tinline_sites\t"
				      "prototype\n");
	for (size_t i = 0; i < answer->count; i++) {
		const struct list_found *found = &answer->data[i];

		switch (format) {
		case LIST_TEXT: add_line(&out, found); break;
		case LIST_TSV: add_row(&out, found); break;
		case LIST_NAMES:
			if (!i || strcmp(found[-1].name, found->name) != 0 ||
			    !is_same_module(&found[-1], found))
				add_field(&out, found->name, '\n');
			break;
		case LIST_BPFTRACE:
			add_probe(&out, found, by_kprobe);
			text_add_string(&out, i + 1 < answer->count ? ",\n"
								    : " { @[probe] = count(); }\n");
			break;
		case LIST_JSON: break;
		}
	}
	if (out.count)
		fwrite(out.data, 1, out.count, stdout);
	array_release(&out);
}
