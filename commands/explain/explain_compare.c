/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* What several kernels say of one function or tracepoint, as a table. */
#include "commands/explain/explain_print.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "commands/explain/hooks.h"
#include "commands/explain/tracepoint.h"
#include "commands/print/json.h"
#include "commands/print/template.h"
#include "kernel/function_rows.h"

/* Is a call seen there, by fentry or a kprobe? */
static enum attach_answer point_answer(const struct explanation *explanation,
				       const struct probe_point *point, bool by_fentry)
{
	const struct attach_state *attach = &point->attach;

	if (explain_refusal(explanation, point, by_fentry) || attach->init)
		return ATTACH_NO;
	if (!by_fentry)
		return attach->kprobe.is;
	if (explanation->func != FUNC_PROMISED || point->join != JOIN_SAME ||
	    attach->ftrace == ATTACH_NO || point->fentry.is == ATTACH_NO)
		return ATTACH_NO;
	return attach->ftrace == ATTACH_YES ? point->fentry.is : ATTACH_UNKNOWN;
}

enum attach_answer explain_function_answer(const struct explanation *explanation, bool by_fentry)
{
	enum attach_answer best = ATTACH_NO;

	for (size_t i = 0; i < explanation->instances.count + explanation->has_entry; i++) {
		const struct probe_point *point = i < explanation->instances.count
			? &explanation->instances.data[i] : &explanation->entry;
		enum attach_answer answer = point->is_entry_probe || point == &explanation->entry
			? point_answer(explanation, point, by_fentry) : ATTACH_NO;

		best = best == ATTACH_YES || answer == ATTACH_NO ? best : answer;
	}
	return best;
}

json_t *explain_kernel_json(const struct explanation *explanation, bool known)
{
	const struct tracepoint *tracepoint = known ? explanation->tracepoint : NULL;
	bool is_function = known && explanation->has_function;
	const struct hook *hook = is_function && hooks_are_asked(explanation)
					  ? explanation->hooks.data : NULL;
	json_t *symbols = json_array();
	const char *prototype = is_function  ? explanation->prototype
				: tracepoint ? tracepoint->prototype : NULL;

	for (size_t i = 0; is_function && i < explanation->instances.count; i++)
		json_array_append_new(symbols,
				      json_text(explanation->instances.data[i].function));
	if (is_function && explanation->has_entry)
		json_array_append_new(symbols, json_text(explanation->name));
	return json_pack("{s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
		"file", json_text(explanation->path),
		"release", json_known(explanation->image.identity.release),
		"known", known,
		"name", json_text(known ? explanation->name : NULL),
		"prototype", json_text(prototype),
		"promised", is_function ? json_boolean(explanation->func == FUNC_PROMISED)
					: json_null(),
		"reasons", json_words(is_function ? explanation->reasons : 0, function_reasons),
		"symbols", symbols,
		"fentry", is_function ? json_answer(explain_function_answer(explanation, true))
				      : json_null(),
		"kprobe", is_function ? json_answer(explain_function_answer(explanation, false))
				      : json_null(),
		"inline_sites", json_number(is_function && !explanation->sites_unknown,
					    explanation->sites.count),
		"event", tracepoint ? json_answer(tracepoint->event) : json_null(),
		"hook", hook ? json_answer(hook->taken.is) : json_null());
}

/* A value in words. To be freed. */
static char *value_text(const json_t *value)
{
	struct text text = { 0 };

	if (json_is_boolean(value))
		return memory_copy(json_is_true(value) ? "yes" : "no");
	if (json_is_integer(value))
		return text_format("%" JSON_INTEGER_FORMAT, json_integer_value(value));
	if (json_is_string(value))
		return memory_copy(json_string_value(value));
	if (!json_is_array(value))
		return memory_copy("not known");
	for (size_t i = 0; i < json_array_size(value); i++)
		text_add_format(&text, "%s%s", i ? ", " : "",
				json_string_value(json_array_get(value, i)));
	return text.count ? text_finish(&text) : memory_copy("none");
}

/* What is the same in all that have it is said once, else of each. NULL: nothing is known. */
static json_t *row(json_t *kernels, const char *key, const char *title, const char *called)
{
	json_t *each = json_array(), *first = NULL;
	bool is_of_file = strcmp(key, "known") == 0 || strcmp(key, "file") == 0;
	bool is_same = true, is_known = false;

	for (size_t i = 0; i < json_array_size(kernels); i++) {
		json_t *kernel = json_array_get(kernels, i), *value = json_object_get(kernel, key);
		char *text;

		if (!is_of_file && json_is_false(json_object_get(kernel, "known")))
			continue;
		text = value_text(value);
		first = first ? first : json_text(text);
		is_same &= strcmp(json_string_value(first), text) == 0;
		is_known |= json_is_array(value) ? json_array_size(value) : !json_is_null(value);
		json_array_append_new(each, json_pack("{s:O, s:o}",
			"label", json_object_get(kernel, called), "text", json_text(text)));
		free(text);
	}
	if (!is_known) {
		json_decref(first);
		json_decref(each);
		return NULL;
	}
	return json_pack("{s:s, s:o, s:b, s:b, s:o}", "title", title, "text", first,
			 "same", is_same, "is_file", strcmp(key, "file") == 0, "each", each);
}

EMBED(compare_page, "commands/explain/compare_page.txt");

/* Kernels are called by their releases, where these tell them apart, else by their files. */
static const char *name_of_kernels(const json_t *kernels)
{
	for (size_t i = 0; i < json_array_size(kernels); i++) {
		json_t *release = json_object_get(json_array_get(kernels, i), "release");

		for (size_t k = 0; k <= i; k++) {
			if (json_is_null(release) || (k < i && json_equal(release,
					json_object_get(json_array_get(kernels, k), "release"))))
				return "file";
		}
	}
	return "release";
}

void explain_compare_print(const char *name, json_t *kernels, bool as_json)
{
	static const struct { const char *key, *title; } rows[] = {
		{ "file", "file" }, { "known", "is there" }, { "name", "name" },
		{ "prototype", "prototype" },
		{ "promised", "FUNC" }, { "reasons", "reasons against it" },
		{ "symbols", "symbols" }, { "fentry", "fentry" }, { "kprobe", "kprobe" },
		{ "inline_sites", "inline sites" }, { "event", "event" },
		{ "hook", "programs hang here" },
	};
	const char *called = name_of_kernels(kernels);
	json_t *list = as_json ? NULL : json_array();

	if (as_json) {
		json_write(json_pack("{s:i, s:o, s:o}", "version", 1, "name", json_text(name),
				     "kernels", kernels), JSON_INDENT(2), stdout);
		return;
	}
	json_align(kernels, called);
	for (size_t i = strcmp(called, "file") == 0; i < sizeof(rows) / sizeof(*rows); i++)
		json_array_append_new(list, row(kernels, rows[i].key, rows[i].title, called));
	json_decref(kernels);
	template_print(compare_page, json_pack("{s:o, s:o}", "name", json_text(name),
					       "rows", list), false, stdout);
}
