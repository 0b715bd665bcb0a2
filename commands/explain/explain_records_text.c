/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * What records say, for people, in the order of explain_text.c: the first line answers, the lines
 * of "tracefs" and of inline sites can be pasted into kprobe_events.
 */
#include <string.h>

#include "commands/explain/explain_print.h"
#include "commands/explain/explain_records.h"

/* ---- instances ---- */

static const char *name_of(const struct record_parameter *parameter)
{
	return *parameter->name ? parameter->name : "(unnamed)";
}

static void print_parameters(FILE *out, const struct record_place *place)
{
	size_t name = strlen("parameter"), type = strlen("type");

	for (size_t i = 0; i < place->parameters.count; i++) {
		const struct record_parameter *parameter = &place->parameters.data[i];
		size_t length = strlen(name_of(parameter));

		name = length > name ? length : name;
		length = strlen(parameter->type);
		type = length > type ? length : type;
	}
	if (!place->parameters.count)
		return;
	fputs("    ", out);
	explain_put_padded(out, "parameter", name);
	explain_put_padded(out, "type", type);
	fputs(place->by_convention ? "place, by convention\n" : "place\n", out);
	for (size_t i = 0; i < place->parameters.count; i++) {
		const struct record_parameter *parameter = &place->parameters.data[i];

		fputs("    ", out);
		explain_put_padded(out, name_of(parameter), name);
		explain_put_padded(out, parameter->type, type);
		explain_put(out, *parameter->place ? parameter->place : "-");
		fputs("\n", out);
	}
}

static void print_section(FILE *out, const struct records *records,
			  const struct record_place *place)
{
	explain_put(out, records->sections.data[place->site.section].name);
	fprintf(out, "+0x%x", place->site.offset);
}

/* "0xffffffff81000040, .text+0x40", of a module that is not loaded only the latter. */
static void print_where(FILE *out, const struct records *records, const struct record_place *place)
{
	char address[ATTACH_PLACE_BYTES];

	record_address(records, place, address, sizeof(address));
	if (*address != '.') {
		explain_put(out, address);
		fputs(", ", out);
	}
	print_section(out, records, place);
}

static void print_instance(FILE *out, const struct records *records,
			   const struct record_place *place)
{
	fputs("\n  at ", out);
	print_where(out, records, place);
	fputs(": ", out);
	explain_put(out, place->function);
	fputs(place->prototype_id ? "\n" : ", of which no prototype is known\n", out);
	print_parameters(out, place);
}

/* ---- inline sites ---- */

/* The places that tracefs cannot fetch from are told behind the #. */
static void print_other_places(FILE *out, const struct record_place *place)
{
	for (size_t i = 0; i < place->parameters.count; i++) {
		const struct record_parameter *parameter = &place->parameters.data[i];

		if (*parameter->fetch || !*parameter->place)
			continue;
		fputs(", ", out);
		explain_put(out, name_of(parameter));
		fputs(" in ", out);
		explain_put(out, parameter->place);
	}
}

static bool is_probe(const struct record_place *place)
{
	return !place->forbidden && *place->place;
}

/* `number`: of the probes. */
static void print_site(FILE *out, const struct record_explanation *explanation,
		       const struct record_place *place, size_t number)
{
	if (is_probe(place))
		fprintf(out, "  p:%.45s_inline_%zu %s", explanation->name, number, place->place);
	else
		fprintf(out, "  # no kprobe %s %s", place->forbidden ? "may go to" : "can name",
			*place->place ? place->place : "it by its symbol");
	for (size_t i = 0; is_probe(place) && i < place->parameters.count; i++) {
		fputs(*place->parameters.data[i].fetch ? " " : "", out);
		explain_put(out, place->parameters.data[i].fetch);
	}
	fputs("  # ", out);
	print_where(out, explanation->records, place);
	if (place->symbol) {
		fputs(", in ", out);
		explain_put(out, place->symbol->name);
	}
	print_other_places(out, place);
	fputs("\n", out);
}

static void print_sites(FILE *out, const struct record_explanation *explanation)
{
	size_t count = explanation->sites.places.count, probes = 0;

	if (!count)
		return;
	fprintf(out, "\n  inlined at %zu place%s", count, count == 1 ? "" : "s");
	if (count > EXPLAIN_SITES_SHOWN)
		fprintf(out, "; the first %d, all by --json", EXPLAIN_SITES_SHOWN);
	fputs(":\n", out);
	for (size_t i = 0; i < count && i < EXPLAIN_SITES_SHOWN; i++) {
		const struct record_place *place = &explanation->sites.places.data[i];

		probes += is_probe(place);
		print_site(out, explanation, place, probes);
	}
}

static void print_unplaced(FILE *out, const struct record_explanation *explanation)
{
	size_t count = explanation->unplaced.places.count;

	if (!count)
		return;
	fprintf(out, "\n  %zu place%s in sections whose address is not known:\n", count,
		count == 1 ? "" : "s");
	for (size_t i = 0; i < count && i < EXPLAIN_SITES_SHOWN; i++) {
		const struct record_place *place = &explanation->unplaced.places.data[i];

		fputs("  # ", out);
		print_section(out, explanation->records, place);
		fputs(": ", out);
		explain_put(out, place->function);
		print_other_places(out, place);
		fputs("\n", out);
	}
}

void record_explanation_print_text(const struct record_explanation *explanation, FILE *out)
{
	explain_put(out, explanation->name);
	if (strcmp(explanation->name, explanation->asked) != 0) {
		fputs(", of which ", out);
		explain_put(out, explanation->asked);
		fputs(" would be made", out);
	}
	fprintf(out, ": %s\n", explanation->headline);
	if (explanation->prototype)
		fprintf(out, "\n  %s\n", explanation->prototype);
	explain_put_advice(out, explanation->advice.data, explanation->advice.count,
			   false);
	explain_put_advice(out, explanation->advice.data, explanation->advice.count,
			   true);
	for (size_t i = 0; i < explanation->instances.places.count; i++)
		print_instance(out, explanation->records, &explanation->instances.places.data[i]);
	print_sites(out, explanation);
	print_unplaced(out, explanation);
}
