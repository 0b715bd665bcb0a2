/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * What records say, for programs. What explain_json.c has, too, has the same key and form.
 */
#include <inttypes.h>

#include "commands/explain/explain_print.h"
#include "commands/explain/explain_records.h"

static json_t *text_json(const char *text)
{
	return explain_text_json(text && *text ? text : NULL);
}

static json_t *parameter_json(const struct record_parameter *parameter)
{
	return json_pack("{s:o, s:o, s:o, s:o}", "name", text_json(parameter->name),
			 "type", text_json(parameter->type),
			 "found", text_json(parameter->place),
			 "fetch", text_json(parameter->fetch));
}

static json_t *parameters_json(const struct record_place *place)
{
	json_t *array = json_array();

	for (size_t i = 0; i < place->parameters.count; i++)
		json_array_append_new(array, parameter_json(&place->parameters.data[i]));
	return array;
}

static char *fetch_line(const struct record_place *place)
{
	struct text_buffer buffer;
	FILE *out = text_begin(&buffer);
	bool any = false;

	for (size_t i = 0; i < place->parameters.count; i++) {
		const char *fetch = place->parameters.data[i].fetch;

		fprintf(out, "%s%s", any && *fetch ? " " : "", fetch);
		any |= *fetch != '\0';
	}
	return text_end(&buffer);
}

/* What instances and sites have in common. */
static json_t *place_json(const struct record_explanation *explanation,
			  const struct record_place *place)
{
	const struct records *records = explanation->records;
	const struct record_section *section = &records->sections.data[place->site.section];
	char address[ATTACH_PLACE_BYTES];
	json_t *object = json_object();

	record_address(records, place, address, sizeof(address));
	json_object_set_new(object, "address", text_json(address));
	json_object_set_new(object, "section", text_json(section->name));
	json_object_set_new(object, "section_offset", json_integer(place->site.offset));
	json_object_set_new(object, "place", text_json(place->place));
	json_object_set_new(object, "kprobe", place->is_known ? json_boolean(!place->forbidden)
							      : json_null());
	json_object_set_new(object, "by_convention", json_boolean(place->by_convention));
	json_object_set_new(object, "parameters", parameters_json(place));
	return object;
}

static json_t *instance_json(const struct record_explanation *explanation,
			     const struct record_place *place)
{
	static const char *const joins[] = { [RECORD_SAME] = "same", [RECORD_COPY] = "copy",
					     [RECORD_PART] = "part", [RECORD_COLD] = "cold" };
	json_t *object = place_json(explanation, place);

	json_object_set_new(object, "symbol", text_json(place->function));
	json_object_set_new(object, "joined", json_string(joins[place->join]));
	return object;
}

static json_t *site_json(const struct record_explanation *explanation,
			 const struct record_place *place)
{
	const struct symbol *symbol = place->symbol;
	json_t *object = place_json(explanation, place);
	char *fetch = fetch_line(place);

	json_object_set_new(object, "symbol", text_json(symbol ? symbol->name : NULL));
	json_object_set_new(object, "offset",
			    symbol ? json_integer((json_int_t)(place->address - symbol->address))
				   : json_null());
	json_object_set_new(object, "fetch", text_json(fetch));
	free(fetch);
	return object;
}

static json_t *sections_json(const struct records *records)
{
	json_t *array = json_array();

	for (size_t i = 0; i < records->sections.count; i++) {
		const struct record_section *section = &records->sections.data[i];
		char address[32] = "";

		if (section->runs || section->is_known)
			snprintf(address, sizeof(address), "0x%" PRIx64,
				 section->runs ? section->running : section->address);
		json_array_append_new(array, json_pack("{s:o, s:o, s:i, s:i}",
			"name", text_json(section->name), "address", text_json(address),
			"anchors", (int)section->anchors.count,
			"agreeing", (int)section->anchors.agreeing));
	}
	return array;
}

bool record_explanation_print_json(const struct record_explanation *explanation, FILE *out)
{
	json_t *instances = json_array(), *sites = json_array(), *unplaced = json_array();
	json_t *root = json_pack("{s:o, s:o, s:b, s:s, s:b, s:o, s:o, s:o, s:o}",
		"name", text_json(explanation->name), "asked", text_json(explanation->asked),
		"known", 1, "answer", explanation->headline,
		"promised", explanation->is_promised,
		"prototype", text_json(explanation->prototype),
		"symbols", text_json(explanation->records->symbols_path),
		"sections", sections_json(explanation->records),
		"advice", explain_advice_json(explanation->advice.data, explanation->advice.count));

	for (size_t i = 0; i < explanation->instances.places.count; i++)
		json_array_append_new(instances, instance_json(explanation,
			&explanation->instances.places.data[i]));
	for (size_t i = 0; i < explanation->sites.places.count; i++)
		json_array_append_new(sites, site_json(explanation,
			&explanation->sites.places.data[i]));
	for (size_t i = 0; i < explanation->unplaced.places.count; i++)
		json_array_append_new(unplaced, instance_json(explanation,
			&explanation->unplaced.places.data[i]));
	json_object_set_new(root, "instances", instances);
	json_object_set_new(root, "inline_sites", sites);
	json_object_set_new(root, "unplaced", unplaced);
	return explain_write_json(root, out);
}
