/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/explain/explain.h"

#include <stdio.h>
#include <string.h>

#include "commands/print/json.h"
#include "commands/print/template.h"

/* Of one name: some are in hundreds of units, and most of these are in functions. */
#define VARIABLES_MOST 8

static bool is_lone_object(const struct explanation *explanation)
{
	struct symbol_search search =
		symbol_table_search_base(explanation->image.symbols, explanation->name);
	const struct symbol *symbol;
	size_t count = 0;

	while ((symbol = symbol_search_next(&search)))
		count += symbol->type == STT_OBJECT;
	return count <= 1;
}

/*
 * The type of the variable at the symbol; 0: not known. A VAR of BTF, which is as a rule of a
 * variable of each CPU, has no address, and is taken if it is the only one of the name.
 */
static uint32_t type_of(const struct explanation *explanation, const struct symbol *symbol)
{
	const struct program *program = explanation->program;
	const struct type_source *types = &explanation->types;
	const uint32_t *words;
	uint32_t type = 0, count = 0;

	for (size_t i = 0; program && i < program->instances.variables.count; i++) {
		const struct variable_instance *variable = &program->instances.variables.data[i];

		if (variable->address == symbol->address &&
		    strcmp(string_pool_text(&program->pool, variable->name), symbol->name) == 0)
			return variable->type.word;
	}
	for (uint32_t i = 1; !program && (words = type_nth(types, i)); i++) {
		if (btf_record_kind(words) != BTF_VAR ||
		    strcmp(type_string(types, words[BTF_WORD_NAME]), symbol->name) != 0)
			continue;
		type = words[BTF_WORD_TYPE];
		count++;
	}
	/* The symbols of a VAR's name may be of several variables. */
	return count == 1 && is_lone_object(explanation) ? type : 0;
}

/* NULL: it is not there. A VAR alone may have no symbol. */
static json_t *variable_json(const struct explanation *explanation, const struct symbol *symbol)
{
	const struct object *object = explanation->image.object;
	const char *section = object && symbol->section < object->header_count
				      ? object->headers[symbol->section].name : NULL;
	uint32_t type = type_of(explanation, symbol);
	struct text declaration = { 0 };
	char address[ATTACH_PROBE_BYTES] = "";

	if (!type && symbol->type != STT_OBJECT)
		return NULL;
	if (symbol->type == STT_OBJECT)
		attach_address(object, symbol->address, address);
	if (type)
		type_add(&declaration, &explanation->types, type, symbol->name);
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "symbol", json_text(symbol->name),
		"declaration", type ? json_take(&declaration) : json_null(),
		"address", json_known(address),
		"section", json_text(*address == '0' ? section : NULL),
		"bytes", json_number(symbol->size, symbol->size));
}

json_t *variables_find(const struct explanation *explanation)
{
	const struct symbol nowhere = { .name = explanation->name };
	struct symbol_search search =
		symbol_table_search_base(explanation->image.symbols, explanation->name);
	const struct symbol *symbol;
	json_t *list = json_array();

	while ((symbol = symbol_search_next(&search)) && json_array_size(list) < VARIABLES_MOST) {
		if (symbol->type == STT_OBJECT)
			json_array_append_new(list, variable_json(explanation, symbol));
	}
	if (!json_array_size(list))
		json_array_append_new(list, variable_json(explanation, &nowhere));
	if (json_array_size(list))
		return list;
	json_decref(list);
	return NULL;
}

EMBED(variable_page, "commands/explain/variable_page.txt");

void variables_print(const struct explanation *explanation, json_t *variables, bool as_json)
{
	json_t *root = json_pack("{s:i, s:o, s:o, s:b, s:o}", "version", 1,
				 "file", json_text(explanation->path),
				 "name", json_text(explanation->name), "known", 1,
				 "variables", variables);

	if (as_json)
		json_write(root, JSON_INDENT(2), stdout);
	else
		template_print(variable_page, root, false, stdout);
}
