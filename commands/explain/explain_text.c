/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * An explanation for people. The first line answers; the lines of "tracefs" can be pasted into
 * kprobe_events as they are, inline sites included: what follows a # is a comment there.
 */
#include <inttypes.h>
#include <string.h>

#include "commands/explain/explain_print.h"

static void print_line(FILE *out, const struct source_line *line)
{
	if (!line->file)
		return;
	explain_put(out, line->file);
	if (line->line)
		fprintf(out, ":%d", line->line);
}

/* ---- the table of parameters ---- */

#define COLUMNS 5

static const char *state_of(const struct explained_parameter *parameter)
{
	if (!parameter->finding)
		return "";
	return parameter_state_code((enum parameter_state)parameter->finding->state);
}

static const char *cell(const struct explained_parameter *parameter, int column)
{
	switch (column) {
	case 0: return *parameter->name ? parameter->name : "(unnamed)";
	case 1: return parameter->type;
	case 2: return *parameter->expected ? parameter->expected : "-";
	case 3: return *parameter->found ? parameter->found : "-";
	default: return state_of(parameter);
	}
}

static const char *use_word(const struct call_site_counts *call_sites)
{
	switch ((enum register_use)call_sites->use) {
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
	const struct call_site_counts *call_sites;
	uint8_t state;

	if (!parameter->finding)
		return;
	state = parameter->finding->state;
	call_sites = &parameter->finding->call_sites;
	if (state != PARAMETER_IN_PLACE)
		fprintf(out, "      %s: %s\n", cell(parameter, 0),
			parameter_state_sentence((enum parameter_state)state));
	if (call_sites->calls)
		fprintf(out, "        of %u calls heard, %u describe a load of its register, "
			"%u set it, %u leave junk in it%s\n", call_sites->calls,
			call_sites->described, call_sites->set, call_sites->unset,
			use_word(call_sites));
}

static void print_parameters(FILE *out, const struct explained_instance *instance)
{
	static const char *const heads[COLUMNS] = { "parameter", "type", "ABI", "DWARF", "state" };
	size_t width[COLUMNS];

	if (!instance->parameters.count || !instance->parameters.data[0].finding)
		return;
	for (int c = 0; c < COLUMNS; c++) {
		width[c] = strlen(heads[c]);
		for (size_t i = 0; i < instance->parameters.count; i++) {
			size_t length = strlen(cell(&instance->parameters.data[i], c));

			width[c] = length > width[c] ? length : width[c];
		}
	}
	fputs("    ", out);
	for (int c = 0; c < COLUMNS - 1; c++)
		explain_put_padded(out, heads[c], width[c]);
	fprintf(out, "%s\n", heads[COLUMNS - 1]);
	for (size_t i = 0; i < instance->parameters.count; i++) {
		const struct explained_parameter *parameter = &instance->parameters.data[i];

		fputs("    ", out);
		for (int c = 0; c < COLUMNS - 1; c++)
			explain_put_padded(out, cell(parameter, c), width[c]);
		fprintf(out, "%s\n", cell(parameter, COLUMNS - 1));
	}
	for (size_t i = 0; i < instance->parameters.count; i++)
		print_remark(out, &instance->parameters.data[i]);
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
			   const struct explained_instance *instance)
{
	const struct function_instance *function = instance->instance;
	char address[ATTACH_PLACE_BYTES];

	attach_address(explanation->program, function->address, address, sizeof(address));
	fprintf(out, "\n  at %s", address);
	if (!explanation->program->object.relocatable)
		fprintf(out, " in %s", *instance->section ? instance->section : "no section");
	fputs(": ", out);
	if (instance->symbol)
		explain_put(out, instance->symbol->name);
	else
		fputs("no symbol", out);
	fprintf(out, ", %s", function->external ? "global" : "static");
	if (instance->unit) {
		fputs(", of ", out);
		explain_put(out, instance->unit);
	}
	fputs("\n", out);
	if (explanation->prototype && instance->prototype &&
	    strcmp(explanation->prototype, instance->prototype) != 0)
		fprintf(out, "    %s\n", instance->prototype);
	if (function->reasons && explanation->instances.count > 1)
		print_reasons(out, "    ", function->reasons);
	if (instance->true_prototype)
		fprintf(out, "    what is left of it: %s\n", instance->true_prototype);
	print_parameters(out, instance);
}

/* ---- what to do ---- */

static void print_site(FILE *out, const struct explanation *explanation,
		       const struct explained_site *explained, size_t number)
{
	const struct scanned_site *site = explained->site;
	char address[ATTACH_PLACE_BYTES];

	if (explained->forbidden)
		fprintf(out, "  # no kprobe may go to %s", explained->place);
	else
		fprintf(out, "  p:%.45s_inline_%zu %s", explanation->name, number,
			explained->place);
	if (*explained->fetch && !explained->forbidden)
		fprintf(out, " %s", explained->fetch);
	attach_address(explanation->program, site->address, address, sizeof(address));
	fprintf(out, "  # %s", address);
	if (explained->call.file) {
		fputs(", ", out);
		print_line(out, &explained->call);
	}
	if (site->parent)
		fprintf(out, ", in %s()", site->parent);
	if (explained->in_itself)
		fputs(", in itself", out);
	fputs("\n", out);
}

static void print_sites(FILE *out, const struct explanation *explanation)
{
	size_t count = explanation->sites.count;

	if (!count)
		return;
	fprintf(out, "\n  inlined at %zu place%s", count, count == 1 ? "" : "s");
	if (count > EXPLAIN_SITES_SHOWN)
		fprintf(out, "; the first %d, all by --json", EXPLAIN_SITES_SHOWN);
	fputs(":\n", out);
	for (size_t i = 0; i < count && i < EXPLAIN_SITES_SHOWN; i++)
		print_site(out, explanation, &explanation->sites.data[i], i + 1);
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

static bool symbol_is_there(const struct program *program, const char *name)
{
	struct symbol_search search = symbol_table_search(&program->symbols, name);

	return symbol_search_next(&search);
}

void explain_print_text(const struct explanation *explanation, FILE *out)
{
	if (strcmp(explanation->name, explanation->asked) == 0) {
		explain_put(out, explanation->name);
	} else if (symbol_is_there(explanation->program, explanation->asked)) {
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
	if (explanation->prototype || explanation->declared.file)
		fputs("\n", out);
	if (explanation->prototype)
		fprintf(out, "  %s\n", explanation->prototype);
	if (explanation->declared.file) {
		fputs("  ", out);
		print_line(out, &explanation->declared);
		fputs("\n", out);
	}
	/* A lone reason is in the first line. */
	if (explanation_has_function(explanation) &&
	    explanation->reasons & (explanation->reasons - 1)) {
		fputs("\n", out);
		print_reasons(out, "  ", explanation->reasons);
	}
	explain_put_advice(out, explanation->advice.data, explanation->advice.count,
			   false);
	explain_put_advice(out, explanation->advice.data, explanation->advice.count,
			   true);
	for (size_t i = 0; i < explanation->instances.count; i++)
		print_instance(out, explanation, &explanation->instances.data[i]);
	print_sites(out, explanation);
	if (explanation->tracepoint)
		print_tracepoint(out, explanation->tracepoint);
}
