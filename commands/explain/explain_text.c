/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * An explanation for people. The first line answers; the lines of "tracefs" can be pasted into
 * kprobe_events as they are, inline sites included: what follows a # is a comment there.
 */
#include <inttypes.h>
#include <string.h>

#include "commands/explain/explain_argument.h"
#include "commands/explain/explain_print.h"

static void print_line(FILE *out, const struct source_line *line)
{
	if (!line->file)
		return;
	explain_put(out, line->file);
	if (line->line)
		fprintf(out, ":%d", line->line);
}

/* "0xffffffff81000040, .text+0x40", of a module that is not loaded only the latter. */
static void print_where(FILE *out, const struct explained_place *place)
{
	explain_put(out, place->where);
	if (!*place->section)
		return;
	fputs(*place->where ? ", " : "", out);
	explain_put(out, place->section);
	fprintf(out, "+0x%" PRIx64, place->section_offset);
}

/* ---- the table of parameters ---- */

enum { NAME, TYPE, ABI, FOUND, STATE, COLUMNS };

static const char *cell(const struct explained_parameter *parameter, int column)
{
	const struct parameter_finding *finding = parameter->finding;

	switch (column) {
	case NAME: return *parameter->name ? parameter->name : "(unnamed)";
	case TYPE: return parameter->type;
	case ABI: return *parameter->expected ? parameter->expected : "-";
	case FOUND: return *parameter->found ? parameter->found : "-";
	default:
		return finding ? parameter_state_code((enum parameter_state)finding->state) : "";
	}
}

static const char *use_word(const struct call_site_counts *seen)
{
	switch ((enum register_use)seen->use) {
	case USE_READ: return "; its code reads the register";
	case USE_PASSED: return "; its code passes the register on";
	case USE_DEAD: return "; its code does not read the register";
	case USE_UNKNOWN: break;
	}
	return "";
}

/* What is said of a parameter that is not where it should be. */
static void print_remark(FILE *out, const struct explained_parameter *parameter)
{
	const struct call_site_counts *seen;
	uint8_t state;

	if (!parameter->finding)
		return;
	state = parameter->finding->state;
	seen = &parameter->finding->call_sites;
	if (state != PARAMETER_IN_PLACE)
		fprintf(out, "      %s: %s\n", cell(parameter, 0),
			parameter_state_sentence((enum parameter_state)state));
	if (seen->calls)
		fprintf(out, "        %u call site%s: %u describe the argument, %u set its "
			"register, %u leave it clobbered%s\n", seen->calls,
			seen->calls == 1 ? "" : "s", seen->described,
			seen->set, seen->unset, use_word(seen));
}

/* What the ABI wants and the state are known where DWARF's evidence was examined. */
static void print_parameters(FILE *out, const struct explained_place *place)
{
	bool examined = place->parameters.count && place->parameters.data[0].finding;
	const char *const heads[COLUMNS] = {
		"parameter", "type", "ABI",
		examined ? "DWARF" : place->by_convention ? "place, by convention" : "place",
		"state" };
	int last = examined ? STATE : FOUND;
	size_t width[COLUMNS];

	for (int c = 0; c < COLUMNS; c++) {
		width[c] = strlen(heads[c]);
		for (size_t i = 0; i < place->parameters.count; i++) {
			size_t length = strlen(cell(&place->parameters.data[i], c));

			width[c] = length > width[c] ? length : width[c];
		}
	}
	for (size_t row = 0; place->parameters.count && row <= place->parameters.count; row++) {
		fputs("    ", out);
		for (int c = 0; c <= last; c++) {
			const char *text = row ? cell(&place->parameters.data[row - 1], c)
					       : heads[c];

			if (c == ABI && !examined)
				continue;
			if (c == last)
				explain_put(out, text);
			else
				explain_put_padded(out, text, width[c]);
		}
		fputs("\n", out);
	}
	for (size_t i = 0; i < place->parameters.count; i++)
		print_remark(out, &place->parameters.data[i]);
}

/* ---- instances ---- */

static void print_reasons(FILE *out, const char *indent, reason_set reasons)
{
	for (int i = 1; i < VERDICT_COUNT; i++) {
		if (reasons >> i & 1)
			fprintf(out, "%s%s: %s\n", indent, verdict_code((enum verdict)i),
				verdict_sentence((enum verdict)i));
	}
}

static void print_instance(FILE *out, const struct explanation *explanation,
			   const struct explained_place *place)
{
	const struct function_instance *instance = place->instance;
	char *prototype = explain_prototype(explanation, place->prototype, explanation->name);
	char *left = explain_prototype(explanation, place->true_prototype, place->function);

	fputs("\n  at ", out);
	print_where(out, place);
	fputs(": ", out);
	explain_put(out, instance && !place->symbol ? "no symbol" : place->function);
	if (instance)
		fputs(instance->external ? ", global" : ", static", out);
	if (place->unit) {
		fputs(", of ", out);
		explain_put(out, place->unit);
	}
	fputs(place->prototype ? "\n" : ", of which no prototype is known\n", out);
	if (explanation->prototype && prototype &&
	    strcmp(explanation->prototype, prototype) != 0)
		fprintf(out, "    %s\n", prototype);
	if (instance && instance->reasons && explanation->instances.places.count > 1)
		print_reasons(out, "    ", instance->reasons);
	if (left)
		fprintf(out, "    what is left of it: %s\n", left);
	print_parameters(out, place);
	free(prototype);
	free(left);
}

/* ---- inline sites ---- */

/* Where tracefs cannot fetch from is told behind the #. */
static void print_other_places(FILE *out, const struct explained_place *place)
{
	for (size_t i = 0; i < place->parameters.count; i++) {
		const struct explained_parameter *parameter = &place->parameters.data[i];

		if (*parameter->fetch || !*parameter->found)
			continue;
		fputs(", ", out);
		explain_put(out, cell(parameter, NAME));
		fputs(" in ", out);
		explain_put(out, parameter->found);
	}
}

static bool is_probe(const struct explained_place *place)
{
	return !place->attach.forbidden && *place->place;
}

/* `number`: of the probes. */
static void print_site(FILE *out, const struct explanation *explanation,
		       const struct explained_place *place, size_t number)
{
	if (is_probe(place)) {
		fprintf(out, "  p:%.45s_inline_%zu %s", explanation->name, number, place->place);
		explain_print_fetch(out, place, ' ');
	} else {
		fprintf(out, "  # no kprobe %s %s",
			place->attach.forbidden ? "may go to" : "can name",
			*place->place ? place->place : "it by its symbol");
	}
	fputs("  # ", out);
	print_where(out, place);
	if (place->call.file) {
		fputs(", ", out);
		print_line(out, &place->call);
	}
	if (place->source && place->source->parent)
		fprintf(out, ", in %s()", place->source->parent);
	else if (!place->source && place->symbol)
		fprintf(out, ", in %s", place->symbol->name);
	if (place->in_itself)
		fputs(", in itself", out);
	print_other_places(out, place);
	fputs("\n", out);
}

static void print_sites(FILE *out, const struct explanation *explanation)
{
	size_t count = explanation->sites.places.count, probes = 0;

	if (!count)
		return;
	fprintf(out, "\n  inlined at %zu place%s", count, count == 1 ? "" : "s");
	if (count > EXPLAIN_SITES_SHOWN)
		fprintf(out, "; the first %d, all by --json", EXPLAIN_SITES_SHOWN);
	fputs(":\n", out);
	for (size_t i = 0; i < count && i < EXPLAIN_SITES_SHOWN; i++) {
		const struct explained_place *place = &explanation->sites.places.data[i];

		probes += is_probe(place);
		print_site(out, explanation, place, probes);
	}
}

static void print_unplaced(FILE *out, const struct explanation *explanation)
{
	size_t count = explanation->unplaced.places.count;

	if (!count)
		return;
	fprintf(out, "\n  %zu place%s in sections whose address is not known:\n", count,
		count == 1 ? "" : "s");
	for (size_t i = 0; i < count && i < EXPLAIN_SITES_SHOWN; i++) {
		const struct explained_place *place = &explanation->unplaced.places.data[i];

		fputs("  # ", out);
		print_where(out, place);
		fputs(": ", out);
		explain_put(out, place->function);
		print_other_places(out, place);
		fputs("\n", out);
	}
}

/* ---- tracepoints ---- */

static void print_tracepoint(FILE *out, const struct tracepoint *tracepoint)
{
	fprintf(out, "\n  tracepoint %s%s%s", tracepoint->system ? tracepoint->system : "",
		tracepoint->system ? ":" : "", tracepoint->name);
	if (tracepoint->class_name && strcmp(tracepoint->class_name, tracepoint->name) != 0)
		fprintf(out, " of class %s", tracepoint->class_name);
	if (tracepoint->prototype)
		fprintf(out, "\n    %s", tracepoint->prototype);
	fputs("\n", out);
	if (!tracepoint->record)
		return;
	fprintf(out, "    struct %s, %u bytes:\n", tracepoint->record, tracepoint->record_bytes);
	for (size_t i = 0; i < tracepoint->members.count; i++) {
		const struct tracepoint_member *member = &tracepoint->members.data[i];

		fprintf(out, "    %5u  ", member->offset_bits / 8);
		explain_put(out, member->declaration);
		if (member->size_bits)
			fprintf(out, " : %u", member->size_bits);
		fputs("\n", out);
	}
}

/* ---- all of it ---- */

/* The first line, and what it is about. */
static void print_answer(const struct explanation *explanation, FILE *out)
{
	struct symbol_search search = symbol_table_search(explanation->symbols,
							  explanation->asked);

	if (strcmp(explanation->name, explanation->asked) == 0) {
		explain_put(out, explanation->name);
	} else if (symbol_search_next(&search)) {
		explain_put(out, explanation->name);
		fputs(", of which ", out);
		explain_put(out, explanation->asked);
		fputs(" is made", out);
	} else {
		fputs("no symbol ", out);
		explain_put(out, explanation->asked);
		fputs(" is here; ", out);
		explain_put(out, explanation->name);
	}
	fprintf(out, ": %s\n", explanation->headline);
	if (explanation->prototype)
		fprintf(out, "\n  %s\n", explanation->prototype);
	if (explanation->declared.file) {
		fputs(explanation->prototype ? "  " : "\n  ", out);
		print_line(out, &explanation->declared);
		fputs("\n", out);
	}
}

void explain_print_text(const struct explanation *explanation, FILE *out)
{
	print_answer(explanation, out);
	/* A lone reason is in the first line. */
	if (explanation->reasons & (explanation->reasons - 1)) {
		fputs("\n", out);
		print_reasons(out, "  ", explanation->reasons);
	}
	explain_put_advice(out, explanation->advice.data, explanation->advice.count, false);
	explain_put_advice(out, explanation->advice.data, explanation->advice.count, true);
	for (size_t i = 0; i < explanation->instances.places.count; i++)
		print_instance(out, explanation, &explanation->instances.places.data[i]);
	print_sites(out, explanation);
	print_unplaced(out, explanation);
	if (explanation->tracepoint)
		print_tracepoint(out, explanation->tracepoint);
}
