/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/diff/diff_state.h"

#include <string.h>

#include "base/text.h"

/* Of copies, parameters or changes that could be named, so many are. */
#define NAMED_MAX 6

/* Different texts, in the order in which they came. */
struct text_set {
	const char *texts[NAMED_MAX];
	size_t lengths[NAMED_MAX];
	uint32_t count;
	bool more;
};

static void add_text(struct text_set *set, const char *text, size_t length)
{
	for (uint32_t i = 0; i < set->count; i++) {
		if (set->lengths[i] == length && memcmp(set->texts[i], text, length) == 0)
			return;
	}
	if (set->count == NAMED_MAX) {
		set->more = true;
		return;
	}
	set->texts[set->count] = text;
	set->lengths[set->count++] = length;
}

/* ---- what was changed ---- */

/* Callers do not set the register of what is gone, which is a reason of its own. */
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

#define CHANGE_COUNT (sizeof(changes) / sizeof(*changes))

/* What the verdict alone says in the words of a report. */
static const char *reason_words(enum verdict reason)
{
	switch (reason) {
	case VERDICT_PARAM_SCALARIZED: return "a parameter scalarized";
	case VERDICT_PARAM_CONSTANT: return "a parameter constant";
	case VERDICT_PARAM_REMOVED: return "a parameter removed";
	case VERDICT_PARAM_UNSET: return "a parameter not set by callers";
	case VERDICT_RETURN_REMOVED: return "return value dropped";
	case VERDICT_INCONSISTENT_PROTO: return "several prototypes";
	default: return verdict_code(reason);
	}
}

/* The parameters of one kind of change, as `parameters "a", "b" constant`. */
static bool put_changed(struct text *phrase, const struct function_table *table,
			const struct table_function *function, size_t change, const char *between)
{
	size_t state_length = strlen(changes[change].state);
	struct text_set names = { 0 };

	for (uint32_t i = 0; i < function->row_count; i++) {
		const struct function_row *row = &table->rows.data[function->first_row + i];
		const char *at = row->fields[COLUMN_PARAMETERS];

		while (row->join == function->join && at && *at) {
			size_t length = strcspn(at, ","), name = strcspn(at, ":,");

			if (length > name && length - name - 1 == state_length &&
			    memcmp(at + name + 1, changes[change].state, state_length) == 0)
				add_text(&names, at, name);
			at += length + (at[length] == ',');
		}
	}
	if (!names.count)
		return false;
	text_add_string(phrase, between);
	text_add_string(phrase, names.count > 1 ? "parameters " : "parameter ");
	for (uint32_t i = 0; i < names.count; i++) {
		text_add_string(phrase, i ? ", \"" : "\"");
		text_add(phrase, names.texts[i], names.lengths[i]);
		text_add_string(phrase, "\"");
	}
	text_add_string(phrase, names.more ? ", ... " : " ");
	text_add_string(phrase, changes[change].words);
	return true;
}

/* All reasons but what the head of the phrase has said; parameters by name where they are known. */
static void put_reasons(struct text *phrase, const struct function_table *table,
			const struct table_function *function, reason_set said, const char *first)
{
	const char *between = first;

	for (size_t i = 0; i < CHANGE_COUNT; i++) {
		if (!put_changed(phrase, table, function, i, between))
			continue;
		said |= changes[i].explains;
		between = ", ";
	}
	for (reason_set left = function->reasons & ~said; left; left &= left - 1) {
		text_add_string(phrase, between);
		text_add_string(phrase, reason_words((enum verdict)__builtin_ctz(left)));
		between = ", ";
	}
}

/* ---- states ---- */

/* ".isra.0, .constprop.1": the symbols that are left. */
static void put_symbols(struct text *phrase, const struct function_table *table,
			const struct table_function *function)
{
	struct text_set symbols = { 0 };
	size_t base = strlen(function->name);

	for (uint32_t i = 0; i < function->row_count; i++) {
		const struct function_row *row = &table->rows.data[function->first_row + i];
		const char *symbol = row->fields[COLUMN_SYMBOL];

		if (row->join != function->join)
			continue;
		if (strncmp(symbol, function->name, base) == 0)
			symbol += base;
		add_text(&symbols, symbol, strlen(symbol));
	}
	for (uint32_t i = 0; i < symbols.count; i++) {
		text_add_string(phrase, i ? ", " : "");
		text_add(phrase, symbols.texts[i], symbols.lengths[i]);
	}
	text_add_string(phrase, symbols.more ? ", ..." : "");
}

static void put_sites(struct text *phrase, const struct function_sites *sites)
{
	text_add_number(phrase, sites->count);
	text_add_string(phrase, sites->count == 1 ? " site" : " sites");
	if (!sites->parameters)
		return;
	text_add_string(phrase, ", ");
	text_add_number(phrase, sites->places);
	text_add_string(phrase, " of ");
	text_add_number(phrase, sites->parameters);
	text_add_string(phrase, " parameters");
}

static void put_state(struct text *phrase, const struct function_table *table,
		      const struct table_function *function)
{
	switch ((int)function->verdict) {
	case VERDICT_OK: text_add_string(phrase, "ok"); return;
	case VERDICT_UNKNOWN: text_add_string(phrase, "no FUNC"); return;
	case VERDICT_INLINED_ONLY:
		text_add_string(phrase, "inlined everywhere");
		if (function->sites.is_known && function->sites.count) {
			text_add_string(phrase, ": ");
			put_sites(phrase, &function->sites);
		}
		return;
	default: break;
	}
	if (function->join >= JOIN_COLD && function->join <= JOIN_CLONE) {
		put_symbols(phrase, table, function);
		put_reasons(phrase, table, function,
			    REASON(CLONE) | REASON(PARTIAL) | REASON(COLD), ": ");
		return;
	}
	text_add_string(phrase, verdict_code(function->verdict));
	if (function->verdict == VERDICT_AMBIGUOUS_ADDRESS && function->addresses > 1) {
		text_add_string(phrase, ": ");
		text_add_number(phrase, function->addresses);
		text_add_string(phrase, " addresses");
	}
	put_reasons(phrase, table, function, (reason_set)1 << function->verdict, ": ");
}

char *diff_state(const struct function_table *table, const struct table_function *function)
{
	struct text phrase = { 0 };

	if (function)
		put_state(&phrase, table, function);
	else
		text_add_string(&phrase, table->knows_all ? "not there" : "no FUNC");
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

	for (reason_set left = reasons; left; left &= left - 1) {
		text_add_string(&phrase, phrase.count ? ", " : "");
		text_add_string(&phrase, verdict_code((enum verdict)__builtin_ctz(left)));
	}
	return text_finish(&phrase);
}

char *diff_suffixes_text(uint32_t old, uint32_t new)
{
	struct text phrase = { 0 };

	for (uint32_t left = old ^ new; left; left &= left - 1) {
		enum suffix suffix = (enum suffix)__builtin_ctz(left);

		text_add_string(&phrase, phrase.count ? ", " : "");
		text_add_string(&phrase, suffix_text(suffix));
		text_add_string(&phrase, new >> suffix & 1 ? " appeared" : " vanished");
	}
	return text_finish(&phrase);
}
