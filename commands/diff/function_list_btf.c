/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/diff/function_list_btf.h"

#include <string.h>
#include <unistd.h>

#include "base/sort.h"
#include "btf/dedup/c_declaration.h"
#include "btf/inspect.h"
#include "commands/stats/function_list.h"
#include "commands/records/records.h"
#include "kallsyms/suffix.h"

/* A FUNC of the BTF or of its extra part, with counts of its sites. */
struct listed {
	const char *symbol;		/* the FUNC's name */
	uint32_t base_length;		/* of it: the function's name */
	uint32_t prototype;		/* id, 0: none */
	uint32_t sites;			/* of LOCSECs: they are inline sites for certain */
	uint32_t parameters;
	uint32_t places;
	uint32_t entries;		/* of .BTF.extra: instances and inline sites */
	uint32_t located;		/* of these: with a LOC, as inline sites have */
	uint32_t entry_parameters;
	uint32_t entry_places;
	bool is_global;
	bool is_kfunc;
	bool has_others;		/* there are FUNCs f.part.0 or the like, too */
};

struct btf_list {
	const struct btf_reader *btf;	/* the higher of both: it finds all ids */
	ARRAY_OF(struct listed) functions;
	uint32_t *of_id;		/* FUNC's id -> functions + 1 */
	bool has_sites;			/* there is a LOCSEC */
	bool has_extra;
	bool has_inline_entries;	/* .BTF.extra has inline sites */
};

/* ---- FUNCs ---- */

static void add_func(struct btf_list *list, uint32_t id, const uint32_t *words)
{
	struct listed listed = { .symbol = btf_type_name(list->btf, words),
				 .prototype = words[BTF_WORD_TYPE] };

	if (!*listed.symbol)
		return;
	listed.base_length = (uint32_t)symbol_parse(listed.symbol).base_length;
	listed.is_global = btf_info_vlen(words[BTF_WORD_INFO]) == 1;
	if (btf_record_kind(btf_reader_type(list->btf, listed.prototype)) != BTF_FUNC_PROTO)
		listed.prototype = 0;
	array_push(&list->functions, listed);
	list->of_id[id] = (uint32_t)list->functions.count;
}

static struct listed *listed_of(const struct btf_list *list, uint32_t id)
{
	return id < btf_reader_end_id(list->btf) && list->of_id[id]
		       ? &list->functions.data[list->of_id[id] - 1] : NULL;
}

/* ---- sites ---- */

/* Adds the elements of a record of parameter locations, and those that are not 0. */
static void count_locations(const uint32_t *record, uint32_t *parameters, uint32_t *locations)
{
	uint32_t count = btf_info_vlen(record[BTF_WORD_INFO]);

	*parameters += count;
	for (uint32_t i = 0; i < count; i++)
		*locations += record[BTF_HEAD_WORDS + i] != 0;
}

/* Elements of a LOCSEC. */
static void add_sites(struct btf_list *list, const uint32_t *words)
{
	list->has_sites = true;
	for (uint32_t i = 0; i < btf_info_vlen(words[BTF_WORD_INFO]); i++) {
		const uint32_t *site = words + BTF_HEAD_WORDS + 3 * i;
		const uint32_t *locations = btf_reader_type(list->btf, site[1]);
		struct listed *listed = listed_of(list, site[0]);

		if (!listed || btf_record_kind(locations) != BTF_LOC_PROTO)
			continue;
		listed->sites++;
		count_locations(locations, &listed->parameters, &listed->places);
	}
}

/* Elements of a DATASEC of functions: instances, and inline sites, which have a LOC. */
static void add_entries(struct btf_list *list, const uint32_t *words)
{
	for (uint32_t i = 0; i < btf_info_vlen(words[BTF_WORD_INFO]); i++) {
		const uint32_t *entry = words + BTF_HEAD_WORDS + 3 * i;
		const uint32_t *location = btf_reader_type(list->btf, entry[2]);
		struct listed *listed = listed_of(list, entry[0]);

		if (!listed)
			continue;
		/* A function with a FUNC has one address; its other entries are inline sites. */
		list->has_inline_entries |= listed->prototype && listed->entries;
		listed->entries++;
		if (btf_record_kind(location) != BTF_LOC)
			continue;
		listed->located++;
		count_locations(location, &listed->entry_parameters, &listed->entry_places);
	}
}

/* First the FUNCs, then records about them. Not of the base: a module's list is the module's. */
static void scan(struct btf_list *list, const struct btf_reader *btf, bool funcs)
{
	for (uint32_t i = 0; i < btf->type_count; i++) {
		const uint32_t *words = btf->words + btf->positions[i];
		enum btf_kind kind = btf_record_kind(words);
		struct listed *listed;

		if (funcs && kind == BTF_FUNC)
			add_func(list, btf->first_id + i, words);
		if (funcs)
			continue;
		if (kind == BTF_DECL_TAG) {
			listed = listed_of(list, words[BTF_WORD_TYPE]);
			if (listed && strcmp(btf_type_name(list->btf, words), "bpf_kfunc") == 0)
				listed->is_kfunc = true;
		} else if (kind == BTF_LOCSEC) {
			add_sites(list, words);
		} else if (kind == BTF_DATASEC && btf_info_kind_flag(words[BTF_WORD_INFO])) {
			add_entries(list, words);
		}
	}
}

/* ---- lines ---- */

/*
 * Feature inline adds FUNCs for functions that have no code of their name. .BTF.extra has no
 * instance of these; what is left of one may have another FUNC, f.part.0.
 */
static const char *verdict_text(const struct btf_list *list, const struct listed *listed)
{
	if (!listed->prototype || listed->symbol[listed->base_length])
		return "?";
	if (list->has_extra && listed->sites &&
	    listed->entries == (list->has_inline_entries ? listed->sites : 0))
		return listed->has_others ? "?" : verdict_code(VERDICT_INLINED_ONLY);
	return verdict_code(VERDICT_OK);
}

static void add_line(const struct btf_list *list, const struct listed *listed, struct text *out)
{
	uint32_t marks = (uint32_t)listed->is_global << MARK_GLOBAL |
			 (uint32_t)listed->is_kfunc << MARK_KFUNC;
	/* In .BTF.extra alone the instance is known if it is the only entry without a LOC. */
	bool by_entries = list->has_inline_entries && listed->prototype && listed->entries &&
			  listed->located + 1 == listed->entries;
	char *name = memory_string(listed->symbol, listed->base_length);

	function_list_put_field(out, name);
	function_list_put_field(out, listed->symbol);
	text_add_string(out, "?\t?\t");
	text_add_string(out, verdict_text(list, listed));
	text_add_string(out, "\t-\t");
	if (listed->prototype)
		c_declaration_add_btf(out, list->btf, listed->prototype, name);
	else
		text_add_char(out, '?');
	text_add_string(out, "\t?\t");
	for (uint32_t left = marks; left; left &= left - 1) {
		text_add_string(out, function_mark_code((enum function_mark)__builtin_ctz(left)));
		text_add_char(out, ',');
	}
	text_add_string(out, "?\t?\t");
	if (list->has_sites || by_entries) {
		text_add_number(out, list->has_sites ? listed->sites : listed->located);
		text_add_char(out, '\t');
		text_add_number(out, list->has_sites ? listed->parameters
						     : listed->entry_parameters);
		text_add_char(out, '\t');
		text_add_number(out, list->has_sites ? listed->places : listed->entry_places);
		text_add_char(out, '\n');
	} else {
		text_add_string(out, "?\t?\t?\n");
	}
	free(name);
}

static int compare_listed(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;
	size_t length = x->base_length < y->base_length ? x->base_length : y->base_length;
	int order = memcmp(x->symbol, y->symbol, length);

	if (order || x->base_length != y->base_length)
		return order ? order : x->base_length < y->base_length ? -1 : 1;
	/* Promised ones first: the first line has the verdict of the name. */
	if (!x->prototype != !y->prototype)
		return x->prototype ? -1 : 1;
	return strcmp(x->symbol, y->symbol);
}

static void add_lines(struct btf_list *list, struct text *out)
{
	struct listed *listed = list->functions.data;

	if (list->functions.count)
		qsort(listed, list->functions.count, sizeof(*listed), compare_listed);
	for (size_t i = 1; i < list->functions.count; i++) {
		struct listed *a = &listed[i - 1], *b = &listed[i];

		if (a->base_length == b->base_length &&
		    memcmp(a->symbol, b->symbol, a->base_length) == 0 &&
		    strcmp(a->symbol, b->symbol) != 0)
			a->has_others = b->has_others = true;
	}
	function_list_put_head(out);
	for (size_t i = 0; i < list->functions.count; i++)
		add_line(list, &listed[i], out);
}

/* ---- the extra part ---- */

static bool open_extra(struct btf_input *input, struct error *err)
{
	char path[4096];

	if (input->btf.has_extra_section) {
		if (!btf_input_open_extra(input, err))
			return false;
	} else {
		if (snprintf(path, sizeof(path), "%s" BTF_EXTRA_SUFFIX, input->path) >=
			    (int)sizeof(path) || access(path, F_OK) != 0)
			return true;
		input->has_extra =
			btf_reader_open(&input->extra, path, NULL, &input->btf, err);
		if (!input->has_extra)
			return false;
	}
	return records_extra_fits(&input->extra, &input->btf, err);
}

bool function_list_of_btf(struct btf_input *input, struct text *out, struct error *err)
{
	struct btf_list list = { 0 };
	bool good;

	if (!input->btf.complete)
		return error_at(err, input->path, "type %u: broken record; run `btfenc check`",
				btf_reader_end_id(&input->btf));
	if (!open_extra(input, err))
		return false;
	list.btf = input->has_extra ? &input->extra : &input->btf;
	list.has_extra = input->has_extra;
	list.of_id = memory_zeroed(btf_reader_end_id(list.btf), sizeof(*list.of_id));
	for (int funcs = 1; funcs >= 0; funcs--) {
		scan(&list, &input->btf, funcs);
		if (input->has_extra)
			scan(&list, &input->extra, funcs);
	}
	/* Feature inline adds FUNCs for functions without code; only .BTF.extra tells which. */
	good = !list.has_sites || input->has_extra ||
	       error_at(err, input->path, "was made with feature inline: only .BTF.extra would "
			"tell which of its FUNCs have code; encode with func_secinfo, too, or "
			"give the DWARF");
	if (good)
		add_lines(&list, out);
	free(list.of_id);
	array_release(&list.functions);
	return good;
}
