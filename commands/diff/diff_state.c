/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/diff/function_table.h"

#include <string.h>

#include "base/text.h"

/* No more clones, parameters or changes are named. */
#define NAMED_MAX 6

/* Different texts, in the order of their first appearance. */
struct text_set {
	const char *texts[NAMED_MAX];
	uint32_t count;
	bool more;
};

static void add_text(struct text_set *set, const char *text)
{
	for (uint32_t i = 0; i < set->count; i++) {
		if (strcmp(set->texts[i], text) == 0)
			return;
	}
	if (set->count == NAMED_MAX)
		set->more = true;
	else
		set->texts[set->count++] = text;
}

/* Its texts in quotes, or bare, with commas between them. */
static void put_set(struct text *phrase, const struct text_set *set, const char *quote)
{
	size_t first = phrase->count;

	for (uint32_t i = 0; i < set->count; i++) {
		text_add_item(phrase, first, ", ", quote);
		text_add_string(phrase, set->texts[i]);
		text_add_string(phrase, quote);
	}
	text_add_string(phrase, set->more ? ", ..." : "");
}

/* ---- changed parameters ---- */

/* Callers do not set the register of a parameter that was removed: REASON(PARAM_UNSET), too. */
#define NOT_PASSED (REASON(PARAM_REMOVED) | REASON(PARAM_UNSET))

static const struct {
	const char *state;
	const char *words;
	reason_set explains;
} changes[] = {
	{ "partly", "passed in part", NOT_PASSED | REASON(PARAM_SCALARIZED) },
	{ "scalarized", "scalarized", NOT_PASSED | REASON(PARAM_SCALARIZED) },
	{ "constant", "constant", NOT_PASSED | REASON(PARAM_CONSTANT) },
	{ "removed", "removed", NOT_PASSED },
	{ "unset", "not set by callers", NOT_PASSED },
	{ "elsewhere", "elsewhere",
	  REASON(REG_MISMATCH) | REASON(STACK_LAYOUT) | REASON(REORDERED) },
};

/* Reasons in the words of a report, where their codes would be obscure. */
static const char *const reason_words[VERDICT_COUNT] = {
	[VERDICT_PARAM_SCALARIZED] = "a parameter scalarized",
	[VERDICT_PARAM_CONSTANT] = "a parameter constant",
	[VERDICT_PARAM_REMOVED] = "a parameter removed",
	[VERDICT_PARAM_UNSET] = "a parameter not set by callers",
	[VERDICT_RETURN_REMOVED] = "return value dropped",
	[VERDICT_INCONSISTENT_PROTO] = "several prototypes",
};

/* The parameters of the function in a state, by its code. */
static struct text_set parameters_in(const struct function_table *table,
				     const struct table_function *function, const char *state)
{
	struct text_set names = { 0 };

	for (uint32_t i = 0; i < function->row_count; i++) {
		const struct function_row *row = &table->rows.data[function->first_row + i];

		for (uint32_t k = 0; row->join == function->join && k < row->parameter_count; k++) {
			const struct row_parameter *parameter = &row->parameters[k];

			if (strcmp(parameter_state_texts[parameter->state].code, state) == 0)
				add_text(&names, parameter->name);
		}
	}
	return names;
}

/* All reasons but those that were named before; parameters by name where they are known. */
static void put_reasons(struct text *phrase, const struct function_table *table,
			const struct table_function *function, reason_set named)
{
	const char *between = ": ";

	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		struct text_set names = parameters_in(table, function, changes[i].state);

		if (!names.count)
			continue;
		text_add_format(phrase, "%sparameter%s ", between, names.count > 1 ? "s" : "");
		put_set(phrase, &names, "\"");
		text_add_format(phrase, " %s", changes[i].words);
		named |= changes[i].explains;
		between = ", ";
	}
	for (reason_set left = function->reasons & ~named; left; left &= left - 1) {
		enum verdict reason = (enum verdict)__builtin_ctz(left);

		text_add_string(phrase, between);
		text_add_string(phrase, reason_words[reason] ? reason_words[reason]
							     : verdict_texts[reason].code);
		between = ", ";
	}
}

/* ---- states ---- */

static void put_sites(struct text *phrase, const struct function_sites *sites)
{
	text_add_format(phrase, "%u site%s", sites->count, sites->count == 1 ? "" : "s");
	if (sites->parameters)
		text_add_format(phrase, ", %u of %u parameters", sites->locations,
				sites->parameters);
}

char *diff_state(const struct function_table *table, const struct table_function *function)
{
	size_t base = function ? strlen(function->name) : 0;
	struct text_set symbols = { 0 };
	struct text phrase = { 0 };

	if (!function) {
		text_add_string(&phrase, table->knows_all ? "not there" : "no FUNC");
	} else if (function->verdict == VERDICT_OK) {
		text_add_string(&phrase, "ok");
	} else if ((int)function->verdict == VERDICT_UNKNOWN) {
		text_add_string(&phrase, "no FUNC");
	} else if (function->verdict == VERDICT_INLINED_ONLY) {
		text_add_string(&phrase, "inlined everywhere");
		if (function->sites_known && function->sites.count) {
			text_add_string(&phrase, ": ");
			put_sites(&phrase, &function->sites);
		}
	} else if (function->join >= JOIN_COLD && function->join <= JOIN_RENAMED) {
		for (uint32_t i = 0; i < function->row_count; i++) {
			const struct function_row *row =
				&table->rows.data[function->first_row + i];
			const char *symbol = row->symbol;

			if (row->join != function->join)
				continue;
			/* ".isra.0, .constprop.1" */
			if (strncmp(symbol, function->name, base) == 0)
				symbol += base;
			add_text(&symbols, symbol);
		}
		put_set(&phrase, &symbols, "");
		put_reasons(&phrase, table, function,
			    REASON(RENAMED) | REASON(CLONE) | REASON(PARTIAL) | REASON(COLD));
	} else {
		text_add_string(&phrase, verdict_texts[function->verdict].code);
		if (function->verdict == VERDICT_AMBIGUOUS_ADDRESS && function->addresses > 1)
			text_add_format(&phrase, ": %u addresses", function->addresses);
		put_reasons(&phrase, table, function, (reason_set)1 << function->verdict);
	}
	return text_finish(&phrase);
}

char *diff_sites_text(const struct function_sites *sites)
{
	struct text phrase = { 0 };

	put_sites(&phrase, sites);
	return text_finish(&phrase);
}

char *diff_reasons_text(reason_set reasons)
{
	struct text phrase = { 0 };

	for (reason_set left = reasons; left; left &= left - 1)
		text_add_item(&phrase, 0, ", ", function_reasons[__builtin_ctz(left)]);
	return text_finish(&phrase);
}

char *diff_suffixes_text(uint32_t old, uint32_t new)
{
	struct text phrase = { 0 };

	for (uint32_t left = old ^ new; left; left &= left - 1) {
		enum suffix suffix = (enum suffix)__builtin_ctz(left);

		text_add_item(&phrase, 0, ", ", suffix_texts[suffix]);
		text_add_string(&phrase, new >> suffix & 1 ? " appeared" : " vanished");
	}
	return text_finish(&phrase);
}
