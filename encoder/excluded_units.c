/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Looks in the units that were left out for a name that was found nowhere else. They are read into
 * a model like others, but only their names are compared: nothing of them is lowered.
 */
#include <string.h>

#include "base/text.h"
#include "encoder/result.h"
#include "encoder/unit_references.h"

struct search {
	const struct excluded_query *query;
	struct unit_reader reader;
	struct dwarf_model model;
};

static bool is_named(const struct search *search, uint32_t key)
{
	return key && strcmp(name_table_text(&search->reader.names, key),
			     search->query->name) == 0;
}

static bool has_type(const struct search *search)
{
	static const enum btf_kind kinds[DWARF_KIND_COUNT] = {
		[DWARF_STRUCT] = BTF_STRUCT, [DWARF_UNION] = BTF_UNION, [DWARF_ENUM] = BTF_ENUM,
		[DWARF_TYPEDEF] = BTF_TYPEDEF };

	array_each(const struct dwarf_type, type, &search->model.types) {
		enum btf_kind kind = kinds[type->kind];

		if (kind && (!search->query->kind || kind == search->query->kind) &&
		    !(type->flags & TYPE_DECLARATION) && is_named(search, type->name))
			return true;
	}
	return false;
}

static bool has_function(const struct search *search)
{
	const struct dwarf_model *model = &search->model;

	for (uint32_t i = 0; i < model->functions.count; i++) {
		const struct dwarf_function *function = &model->functions.data[i];
		uint32_t declaring = dwarf_model_declaring(model, i);

		if (function->flags & FUNCTION_DECLARATION)
			continue;
		for (uint32_t k = 0; search->query->has_address && k < function->entry_count; k++) {
			if (model->entries.data[function->first_entry + k] ==
			    search->query->address)
				return true;
		}
		if (!search->query->has_address &&
		    is_named(search, model->functions.data[declaring].name))
			return true;
	}
	return false;
}

/* "described in C++ (FILE), which is left out: `btfenc encode --lang c,c++` takes it in" */
static char *sentence(const struct search *search, uint64_t language)
{
	static const struct { struct language_set set; const char *name, *word; } languages[] = {
		{ { .cxx = true }, "C++", "c++" }, { { .rust = true }, "Rust", "rust" },
	};
	struct die_cursor cursor = search->reader.cursor;
	const struct die *unit = &search->reader.unit_die;
	const char *name = NULL, *word = NULL, *in = "a language that BTF has no types for";
	struct text text = { 0 };
	uint64_t ignored;

	if (die_has(unit, SLOT_NAME))
		name = die_cursor_string(&cursor, unit, SLOT_NAME, &ignored);
	for (size_t i = 0; i < sizeof(languages) / sizeof(*languages) && !word; i++) {
		if (language_is_in(&languages[i].set, language) &&
		    !language_is_in(&(struct language_set){ 0 }, language)) {
			word = languages[i].word;
			in = languages[i].name;
		}
	}
	text_add_format(&text, "described in %s", in);
	if (name)
		text_add_clean_in(&text, " (", name, ")");
	text_add_string(&text, ", which is left out");
	if (word)
		text_add_format(&text, ": `btfenc encode --lang c,%s` takes it in", word);
	return text_finish(&text);
}

char *program_find_excluded(const struct program *program, const struct excluded_query *query)
{
	struct search search = { .query = query };
	struct error ignored;
	uint64_t language;
	char *found = NULL;

	unit_reader_init(&search.reader, &program->object, &program->units);
	for (size_t i = 0; i < program->units.count && !found; i++) {
		const struct unit *unit = &program->units.data[i];

		if (!unit_reader_open(&search.reader, unit, &language, &ignored) ||
		    !language_is_in(&program->options->languages, language))
			continue;
		dwarf_model_reset(&search.model, unit->offset, unit->end);
		if (unit_reader_read(&search.reader, &search.model, &ignored) &&
		    ((query->types && has_type(&search)) ||
		     (query->functions && has_function(&search))))
			found = sentence(&search, language);
	}
	dwarf_model_release(&search.model);
	unit_reader_release(&search.reader);
	return found;
}
