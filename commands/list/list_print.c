/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/list/list.h"

#include <jansson.h>

#include "commands/stats/stats.h"

static void add_prototype(struct text *out, const struct list_found *found)
{
	const struct type_source *types = &found->source->types;
	const struct listed *listed = found->listed;

	if (!listed->prototype) {
		text_add_clean_in(out, "", listed->name, "(?)");
	} else if (listed->is_tracepoint) {
		text_add_clean_in(out, "void ", listed->name, "(");
		type_add_parameters(out, types, listed->prototype, listed->named_prototype, 1);
		text_add_char(out, ')');
	} else {
		type_add(out, types, listed->prototype, listed->name);
	}
}

static const char *verdict_of(const struct listed *listed)
{
	return listed->is_tracepoint ? NULL : verdict_texts[listed->verdict].code;
}

/* NULL: it is not known. */
static const char *hook_of(const struct list_found *found)
{
	static const char *const words[] = {
		[ATTACH_UNKNOWN] = NULL, [ATTACH_NO] = "no", [ATTACH_YES] = "yes",
	};

	if (found->listed->is_tracepoint)
		return NULL;
	return words[list_attach(found->source, found->listed).ftrace];
}

/* ---- for people ---- */

/* `int ext4_sync_file(struct file *file, ...)  [ext4] inlined-only` */
static void add_line(struct text *out, const struct list_found *found)
{
	const struct listed *listed = found->listed;

	add_prototype(out, found);
	if (found->source->module)
		text_add_clean_in(out, "  [", found->source->module, "]");
	if (listed->is_tracepoint)
		text_add_string(out, "  tracepoint");
	else if (listed->verdict != VERDICT_OK)
		text_add_format(out, "  %s", verdict_of(listed));
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
	const struct listed *listed = found->listed;

	add_field(out, listed->name, '\t');
	add_field(out, found->source->module, '\t');
	add_field(out, listed->is_tracepoint ? "tracepoint" : listed->is_kfunc ? "kfunc"
									       : "function", '\t');
	add_field(out, verdict_of(listed), '\t');
	add_field(out, hook_of(found), '\t');
	if (found->source->has_sites)
		text_add_number(out, listed->sites);
	else
		text_add_char(out, '-');
	text_add_char(out, '\t');
	add_prototype(out, found);
	text_add_char(out, '\n');
}

static void add_probe(struct text *out, const struct list_found *found, bool by_kprobe)
{
	const char *module = found->source->module;

	text_add_string(out, found->listed->is_tracepoint ? "rawtracepoint:"
			     : by_kprobe ? "kprobe:" : "fentry:");
	if (module && !found->listed->is_tracepoint)
		text_add_clean_in(out, "", module, ":");
	text_add_clean(out, found->listed->name);
}

static void print_json(const struct list_answer *answer)
{
	json_t *list = json_array();

	for (size_t i = 0; i < answer->count; i++) {
		const struct list_found *found = &answer->data[i];
		const struct listed *listed = found->listed;
		const char *hook = hook_of(found);
		struct text prototype = { 0 };
		char *text;

		add_prototype(&prototype, found);
		text = text_finish(&prototype);
		json_array_append_new(list, json_pack(
			"{s:o, s:o, s:b, s:b, s:o, s:o, s:o, s:o}",
			"name", json_text(listed->name),
			"module", json_text(found->source->module),
			"tracepoint", (int)listed->is_tracepoint,
			"kfunc", (int)listed->is_kfunc,
			"verdict", json_text(verdict_of(listed)),
			"hook", hook ? json_boolean(strcmp(hook, "yes") == 0) : json_null(),
			"inline_sites", found->source->has_sites ? json_integer(listed->sites)
								 : json_null(),
			"prototype", json_text(listed->prototype ? text : NULL)));
		free(text);
	}
	json_write(json_pack("{s:i, s:o}", "version", 1, "functions", list), JSON_INDENT(2),
		   stdout);
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
		case LIST_NAMES: add_field(&out, found->listed->name, '\n'); break;
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
