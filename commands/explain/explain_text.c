/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * An explanation for people. The first line answers; the lines of "tracefs" can be pasted into
 * kprobe_events as they are, inline sites included: what follows a # is a comment there.
 */
#include <inttypes.h>
#include <string.h>

#include "commands/explain/explain_print.h"
#include "commands/explain/explain_argument.h"
#include "commands/explain/tracepoint.h"

static void print_line(struct text *out, const struct source_line *line)
{
	if (!line->file)
		return;
	text_add_clean(out, line->file);
	if (line->line)
		text_add_format(out, ":%d", line->line);
}

/* "0xffffffff81000040, .text+0x40", of a module that is not loaded only the latter. */
static void print_where(struct text *out, const struct probe_point *point)
{
	text_add_clean(out, point->where);
	if (!*point->section)
		return;
	text_add_clean_in(out, *point->where ? ", " : "", point->section, "");
	text_add_format(out, "+0x%" PRIx64, point->section_offset);
}

static void print_advice(struct text *out, const struct explanation *explanation, bool notes)
{
	const char *last = "";

	for (size_t i = 0; i < explanation->advice.count; i++) {
		const struct advice *advice = &explanation->advice.data[i];

		if ((strcmp(advice->tool, "note") == 0) != notes)
			continue;
		text_add_string(out, *last ? "" : "\n");
		text_add_format(out, "  %-10s",
				strcmp(advice->tool, last) == 0 ? "" : advice->tool);
		text_add_clean(out, advice->text);
		text_add_char(out, '\n');
		last = advice->tool;
	}
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
		return finding ? parameter_state_texts[finding->state].code : "";
	}
}

/* What the ABI wants and the state are known where DWARF's evidence was examined. */
static void print_parameters(struct text *out, const struct probe_point *point)
{
	static const char *const uses[] = {
		[USE_UNKNOWN] = "", [USE_READ] = "; its code reads the register",
		[USE_PASSED] = "; its code passes the register on",
		[USE_DEAD] = "; its code does not read the register",
	};
	size_t count = point->parameters.count;
	bool examined = count && point->parameters.data[0].finding;
	const char *const heads[COLUMNS] = {
		"parameter", "type", "ABI",
		examined ? "DWARF" : point->by_convention ? "location, by convention" : "location",
		"state" };
	int last = examined ? STATE : FOUND;
	size_t width[COLUMNS];

	for (int c = 0; c < COLUMNS; c++) {
		width[c] = strlen(heads[c]);
		for (size_t i = 0; i < count; i++) {
			size_t length = strlen(cell(&point->parameters.data[i], c));

			width[c] = length > width[c] ? length : width[c];
		}
	}
	for (size_t row = 0; count && row <= count; row++) {
		text_add_string(out, "    ");
		for (int c = 0; c <= last; c++) {
			const char *text = row ? cell(&point->parameters.data[row - 1], c)
					       : heads[c];

			if (c == ABI && !examined)
				continue;
			text_add_clean(out, text);
			if (c != last)
				text_add_format(out, "%*s", (int)(width[c] + 2 - strlen(text)), "");
		}
		text_add_char(out, '\n');
	}
	/* What is said of a parameter that is not where it should be. */
	for (size_t i = 0; i < count; i++) {
		const struct parameter_finding *finding = point->parameters.data[i].finding;
		const struct call_site_counts *seen = finding ? &finding->call_sites : NULL;

		if (finding && finding->state != PARAMETER_IN_PLACE)
			text_add_format(out, "      %s: %s\n",
					cell(&point->parameters.data[i], NAME),
					parameter_state_texts[finding->state].sentence);
		if (finding && seen->calls)
			text_add_format(out, "        %u call site%s: %u describe the argument, %u "
					"set its register, %u leave it clobbered%s\n", seen->calls,
					seen->calls == 1 ? "" : "s", seen->described, seen->set,
					seen->unset, uses[seen->use]);
	}
}

/* ---- instances ---- */

static void print_reasons(struct text *out, const char *indent, reason_set reasons)
{
	for (int i = 1; i < VERDICT_COUNT; i++) {
		if (reasons >> i & 1)
			text_add_format(out, "%s%s: %s\n", indent, verdict_texts[i].code,
				verdict_texts[i].sentence);
	}
}

static void print_instance(struct text *out, const struct explanation *explanation,
			   const struct probe_point *point)
{
	const struct function_instance *instance = point->instance;
	char *prototype = explain_prototype(explanation, point->prototype, explanation->name);
	char *left = explain_prototype(explanation, point->true_prototype, point->function);

	text_add_string(out, "\n  at ");
	print_where(out, point);
	text_add_string(out, ": ");
	text_add_clean(out, instance && !point->symbol ? "no symbol" : point->function);
	if (instance)
		text_add_string(out, point->is_global ? ", global" : ", static");
	if (point->unit)
		text_add_clean_in(out, ", of ", point->unit, "");
	text_add_string(out, point->prototype ? "\n" : ", of which no prototype is known\n");
	if (explanation->prototype && prototype &&
	    strcmp(explanation->prototype, prototype) != 0)
		text_add_format(out, "    %s\n", prototype);
	if (instance && instance->reasons && explanation->instances.count > 1)
		print_reasons(out, "    ", instance->reasons);
	if (left && point->true_prototype != point->prototype)
		text_add_format(out, "    what is left of it: %s\n", left);
	print_parameters(out, point);
	free(prototype);
	free(left);
}

/* ---- inline sites ---- */

/* Locations that tracefs cannot fetch from are printed after the #. */
static void print_other_probes(struct text *out, const struct probe_point *point)
{
	for (size_t i = 0; i < point->parameters.count; i++) {
		const struct explained_parameter *parameter = &point->parameters.data[i];

		if (parameter->fetched.sign || !*parameter->found)
			continue;
		text_add_clean_in(out, ", ", cell(parameter, NAME), " in ");
		text_add_clean(out, parameter->found);
	}
}

/* `number`: of the probes. */
static void print_site(struct text *out, const struct explanation *explanation,
		       const struct probe_point *point, size_t number)
{
	const char *refusal = explain_refusal(explanation, point, false);

	if (!refusal) {
		text_add_string(out, "  p:");
		explain_add_site_event(out, explanation, number);
		text_add_format(out, " %s", point->probe);
		explain_add_fetch(out, point, ' ');
	} else {
		text_add_format(out, "  # no kprobe%s%s, %s", *point->probe ? " at " : "",
				point->probe, refusal);
	}
	text_add_string(out, "  # ");
	print_where(out, point);
	if (point->call.file) {
		text_add_string(out, ", ");
		print_line(out, &point->call);
	}
	if (point->source && point->source->parent)
		text_add_format(out, ", in %s()", point->source->parent);
	else if (!point->source && point->symbol)
		text_add_format(out, ", in %s", point->symbol->name);
	if (point->in_itself)
		text_add_string(out, ", in itself");
	print_other_probes(out, point);
	if (!refusal && point->attach.notrace)
		text_add_string(out, EXPLAIN_NOTRACE);
	if (!refusal && point->attach.doubt)
		text_add_format(out, EXPLAIN_NOT_KNOWN ": %s", point->attach.doubt);
	text_add_string(out, "\n");
}

static void print_sites(struct text *out, const struct explanation *explanation)
{
	size_t count = explanation->sites.count, probes = 0;
	size_t inner = count - explanation->outer_sites;

	if (!count)
		return;
	text_add_format(out, "\n  inlined at %zu address%s", count, count == 1 ? "" : "es");
	if (inner && inner < count)
		text_add_format(out, ", %zu of them", inner);
	if (inner)
		text_add_string(out, " in itself (the rest of a call that is seen elsewhere, too)");
	if (count > EXPLAIN_SITES_SHOWN)
		text_add_format(out, "; the first %d, all by --json", EXPLAIN_SITES_SHOWN);
	text_add_string(out, ":\n");
	for (size_t i = 0; i < count && i < EXPLAIN_SITES_SHOWN; i++) {
		const struct probe_point *point = &explanation->sites.data[i];

		probes += !explain_refusal(explanation, point, false);
		print_site(out, explanation, point, probes);
	}
}

static void print_unplaced(struct text *out, const struct explanation *explanation)
{
	size_t count = explanation->unplaced.count;

	if (!count)
		return;
	text_add_format(out, "\n  %zu address%s in sections whose address is not known:\n", count,
		count == 1 ? "" : "es");
	for (size_t i = 0; i < count && i < EXPLAIN_SITES_SHOWN; i++) {
		const struct probe_point *point = &explanation->unplaced.data[i];

		text_add_string(out, "  # ");
		print_where(out, point);
		text_add_clean_in(out, ": ", point->function, "");
		print_other_probes(out, point);
		text_add_string(out, "\n");
	}
}

/* ---- tracepoints ---- */

static void print_tracepoint(struct text *out, const struct tracepoint *tracepoint)
{
	text_add_clean_in(out, "\n  tracepoint ", tracepoint->system ? tracepoint->system : "",
			  "");
	text_add_clean_in(out, tracepoint->system ? ":" : "", tracepoint->name, "");
	if (tracepoint->class_name && strcmp(tracepoint->class_name, tracepoint->name) != 0)
		text_add_clean_in(out, " of class ", tracepoint->class_name, "");
	if (tracepoint->prototype)
		text_add_clean_in(out, "\n    ", tracepoint->prototype, "");
	text_add_string(out, "\n");
	if (!tracepoint->record)
		return;
	text_add_clean_in(out, "    struct ", tracepoint->record, "");
	text_add_format(out, ", %u bytes:\n", tracepoint->record_bytes);
	for (size_t i = 0; i < tracepoint->members.count; i++) {
		const struct tracepoint_member *member = &tracepoint->members.data[i];

		text_add_format(out, "    %5u  ", member->offset_bits / 8);
		text_add_clean(out, member->declaration);
		if (member->size_bits)
			text_add_format(out, " : %u", member->size_bits);
		text_add_string(out, "\n");
	}
}

/* ---- all of it ---- */

/* The first line, and what it is about. */
static void print_answer(const struct explanation *explanation, struct text *out)
{
	if (explanation->rank) {
		text_add_clean_in(out, "\nanother function ", explanation->name, "");
	} else if (strcmp(explanation->name, explanation->asked) == 0) {
		text_add_clean(out, explanation->name);
	} else if (symbol_table_find(explanation->image.symbols, explanation->asked)) {
		text_add_clean(out, explanation->name);
		text_add_clean_in(out, ", of which ", explanation->asked, " is made");
	} else {
		text_add_clean_in(out, "no symbol ", explanation->asked, " is here; ");
		text_add_clean(out, explanation->name);
	}
	text_add_format(out, ": %s\n", explanation->headline);
	if (explanation->prototype)
		text_add_format(out, "\n  %s\n", explanation->prototype);
	if (explanation->declared.file) {
		text_add_string(out, explanation->prototype ? "  " : "\n  ");
		print_line(out, &explanation->declared);
		text_add_string(out, "\n");
	}
}

static void print_explanation(struct text *out, const struct explanation *explanation)
{
	const struct tracepoint *tracepoint = explanation->tracepoint;

	print_answer(explanation, out);
	/* A lone reason is in the first line. */
	if (explanation->reasons & (explanation->reasons - 1)) {
		text_add_string(out, "\n");
		print_reasons(out, "  ", explanation->reasons);
	}
	print_advice(out, explanation, false);
	print_advice(out, explanation, true);
	for (size_t i = 0; i < explanation->instances.count; i++)
		print_instance(out, explanation, &explanation->instances.data[i]);
	print_sites(out, explanation);
	print_unplaced(out, explanation);
	if (tracepoint && !(tracepoint->system_call && tracepoint->event == ATTACH_NO))
		print_tracepoint(out, tracepoint);
}

void explain_print_text(const struct explanation *explanation)
{
	struct text text = { 0 }, *out = &text;

	print_explanation(out, explanation);
	for (size_t i = 0; i < explanation->namesake_count; i++)
		print_explanation(out, &explanation->namesakes[i]);
	fwrite(text.data, 1, text.count, stdout);
	array_release(&text);
}
