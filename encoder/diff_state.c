/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "encoder/diff_state.h"

#include <string.h>

/* Of copies, parameters or changes that could be named, so many are. */
#define NAMED_MAX 6

/* A sentence that grows. There is one out-of-memory path (base/memory.h). */
struct phrase {
	ARRAY_OF(char) text;
};

static void put_bytes(struct phrase *phrase, const char *text, size_t length)
{
	array_reserve(&phrase->text, length + 1);
	memcpy(phrase->text.data + phrase->text.count, text, length);
	phrase->text.count += length;
	phrase->text.data[phrase->text.count] = '\0';
}

static void put(struct phrase *phrase, const char *text)
{
	put_bytes(phrase, text, strlen(text));
}

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
static bool put_changed(struct phrase *phrase, const struct function_table *table,
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
	put(phrase, between);
	put(phrase, names.count > 1 ? "parameters " : "parameter ");
	for (uint32_t i = 0; i < names.count; i++) {
		put(phrase, i ? ", \"" : "\"");
		put_bytes(phrase, names.texts[i], names.lengths[i]);
		put(phrase, "\"");
	}
	put(phrase, names.more ? ", ... " : " ");
	put(phrase, changes[change].words);
	return true;
}

/* All reasons but what the head of the phrase has said; parameters by name where they are known. */
static void put_reasons(struct phrase *phrase, const struct function_table *table,
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
		put(phrase, between);
		put(phrase, reason_words((enum verdict)__builtin_ctz(left)));
		between = ", ";
	}
}

/* ---- states ---- */

/* ".isra.0, .constprop.1": the symbols that are left. */
static void put_symbols(struct phrase *phrase, const struct function_table *table,
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
		put(phrase, i ? ", " : "");
		put_bytes(phrase, symbols.texts[i], symbols.lengths[i]);
	}
	put(phrase, symbols.more ? ", ..." : "");
}

static void put_sites(struct phrase *phrase, const struct function_sites *sites)
{
	char text[64];

	snprintf(text, sizeof(text), "%u site%s", sites->count, sites->count == 1 ? "" : "s");
	put(phrase, text);
	if (!sites->parameters)
		return;
	snprintf(text, sizeof(text), ", %u of %u parameters", sites->places, sites->parameters);
	put(phrase, text);
}

static void put_state(struct phrase *phrase, const struct function_table *table,
		      const struct table_function *function)
{
	switch ((int)function->verdict) {
	case VERDICT_OK: put(phrase, "ok"); return;
	case VERDICT_UNKNOWN: put(phrase, "no FUNC"); return;
	case VERDICT_INLINED_ONLY:
		put(phrase, "inlined everywhere");
		if (function->sites.is_known && function->sites.count) {
			put(phrase, ": ");
			put_sites(phrase, &function->sites);
		}
		return;
	default: break;
	}
	if (function->join >= JOIN_COLD && function->join <= JOIN_COPY) {
		put_symbols(phrase, table, function);
		put_reasons(phrase, table, function,
			    REASON(CLONE) | REASON(PARTIAL) | REASON(COLD), ": ");
		return;
	}
	put(phrase, verdict_code(function->verdict));
	if (function->verdict == VERDICT_AMBIGUOUS_ADDRESS && function->addresses > 1) {
		char text[64];

		snprintf(text, sizeof(text), ": %u addresses", function->addresses);
		put(phrase, text);
	}
	put_reasons(phrase, table, function, (reason_set)1 << function->verdict, ": ");
}

char *diff_state(const struct function_table *table, const struct table_function *function)
{
	struct phrase phrase = { 0 };

	if (function)
		put_state(&phrase, table, function);
	else
		put(&phrase, table->knows_all ? "not there" : "no FUNC");
	return phrase.text.data;
}

char *diff_sites_text(const struct function_sites *sites)
{
	struct phrase phrase = { 0 };

	put_sites(&phrase, sites);
	return phrase.text.data;
}

char *diff_reasons_text(reason_set reasons)
{
	struct phrase phrase = { 0 };

	put(&phrase, "");
	for (reason_set left = reasons; left; left &= left - 1) {
		put(&phrase, phrase.text.count ? ", " : "");
		put(&phrase, verdict_code((enum verdict)__builtin_ctz(left)));
	}
	return phrase.text.data;
}

char *diff_suffixes_text(uint32_t old, uint32_t new)
{
	struct phrase phrase = { 0 };

	put(&phrase, "");
	for (uint32_t left = old ^ new; left; left &= left - 1) {
		enum suffix suffix = (enum suffix)__builtin_ctz(left);

		put(&phrase, phrase.text.count ? ", " : "");
		put(&phrase, suffix_text(suffix));
		put(&phrase, new >> suffix & 1 ? " appeared" : " vanished");
	}
	return phrase.text.data;
}
