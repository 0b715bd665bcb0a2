/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/diff/function_list_btf.h"

#include <string.h>
#include <unistd.h>

#include "base/sort.h"
#include "btf/dedup/c_declaration.h"
#include "commands/stats/function_list.h"
#include "commands/records/records.h"
#include "kallsyms/suffix.h"

/* A FUNC of the BTF or of its extra part, with what sites there are of it. */
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
	bool has_others;		/* there are FUNCs f.part.0 or the like beside it */
};

struct btf_list {
	const struct btf_reader *btf;	/* the higher of both: it finds all ids */
	ARRAY_OF(struct listed) functions;
	uint32_t *of_id;		/* FUNC's id -> functions + 1 */
	bool has_sites;			/* there is a LOCSEC */
	bool has_extra;
	bool has_inline_entries;	/* .BTF.extra has inline sites */
};

static const char *string_at(const struct btf_list *list, uint32_t offset)
{
	const char *text = btf_reader_string(list->btf, offset);

	return text ? text : "";
}

static uint32_t kind_at(const struct btf_list *list, uint32_t id, const uint32_t **words)
{
	*words = btf_reader_type(list->btf, id);
	return *words ? btf_info_kind((*words)[BTF_WORD_INFO]) : 0;
}

/* ---- FUNCs ---- */

static void add_func(struct btf_list *list, uint32_t id, const uint32_t *words)
{
	struct listed listed = { .symbol = string_at(list, words[BTF_WORD_NAME]),
				 .prototype = words[BTF_WORD_TYPE] };
	const uint32_t *prototype;

	if (!*listed.symbol)
		return;
	listed.base_length = (uint32_t)symbol_parse(listed.symbol).base_length;
	listed.is_global = btf_info_vlen(words[BTF_WORD_INFO]) == 1;
	if (kind_at(list, listed.prototype, &prototype) != BTF_FUNC_PROTO)
		listed.prototype = 0;
	array_push(&list->functions, listed);
	list->of_id[id] = (uint32_t)list->functions.count;
}

static struct listed *listed_of(const struct btf_list *list, uint32_t id)
{
	return id < btf_reader_end_id(list->btf) && list->of_id[id]
		       ? &list->functions.data[list->of_id[id] - 1] : NULL;
}

static void add_tag(struct btf_list *list, const uint32_t *words)
{
	struct listed *listed = listed_of(list, words[BTF_WORD_TYPE]);

	if (listed && strcmp(string_at(list, words[BTF_WORD_NAME]), "bpf_kfunc") == 0)
		listed->is_kfunc = true;
}

/* ---- sites ---- */

static void add_site(struct btf_list *list, const uint32_t *site)
{
	struct listed *listed = listed_of(list, site[0]);
	const uint32_t *places;

	if (!listed || kind_at(list, site[1], &places) != BTF_LOC_PROTO)
		return;
	listed->sites++;
	for (uint32_t i = 0; i < btf_info_vlen(places[BTF_WORD_INFO]); i++) {
		listed->parameters++;
		listed->places += places[BTF_HEAD_WORDS + i] != 0;
	}
}

static void add_sites(struct btf_list *list, const uint32_t *words)
{
	list->has_sites = true;
	for (uint32_t i = 0; i < btf_info_vlen(words[BTF_WORD_INFO]); i++)
		add_site(list, words + BTF_HEAD_WORDS + 3 * i);
}

static void add_entry(struct btf_list *list, const uint32_t *entry)
{
	struct listed *listed = listed_of(list, entry[0]);
	const uint32_t *location;

	if (!listed)
		return;
	/* What has a FUNC has one address; its other entries are where it was inlined. */
	list->has_inline_entries |= listed->prototype && listed->entries;
	listed->entries++;
	if (kind_at(list, entry[2], &location) != BTF_LOC)
		return;
	listed->located++;
	for (uint32_t i = 0; i < btf_info_vlen(location[BTF_WORD_INFO]); i++) {
		listed->entry_parameters++;
		listed->entry_places += location[BTF_HEAD_WORDS + i] != 0;
	}
}

static void add_entries(struct btf_list *list, const uint32_t *words)
{
	uint32_t count = btf_info_kind_flag(words[BTF_WORD_INFO])
				 ? btf_info_vlen(words[BTF_WORD_INFO]) : 0;

	for (uint32_t i = 0; i < count; i++)
		add_entry(list, words + BTF_HEAD_WORDS + 3 * i);
}

/* Of this BTF alone, not of its base: a module's list is the module's. */
static void scan(struct btf_list *list, const struct btf_reader *btf, bool funcs)
{
	for (uint32_t i = 0; i < btf->type_count; i++) {
		const uint32_t *words = btf->words + btf->positions[i];

		switch (btf_info_kind(words[BTF_WORD_INFO])) {
		case BTF_FUNC:
			if (funcs)
				add_func(list, btf->first_id + i, words);
			break;
		case BTF_DECL_TAG:
			if (!funcs)
				add_tag(list, words);
			break;
		case BTF_LOCSEC:
			if (!funcs)
				add_sites(list, words);
			break;
		case BTF_DATASEC:
			if (!funcs)
				add_entries(list, words);
			break;
		default: break;
		}
	}
}

/* ---- lines ---- */

/*
 * Feature inline adds FUNCs for functions that have no code of their name. .BTF.extra tells them by
 * having no instance of them; what is left of one may stand under another FUNC, f.part.0.
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

static void add_numbers(struct text *out, uint32_t sites, uint32_t parameters, uint32_t places)
{
	text_add_number(out, sites);
	text_add_char(out, '\t');
	text_add_number(out, parameters);
	text_add_char(out, '\t');
	text_add_number(out, places);
	text_add_char(out, '\n');
}

/* In .BTF.extra alone the instance is known if it is the only entry that has no LOC. */
static void add_site_fields(const struct btf_list *list, const struct listed *listed,
			    struct text *out)
{
	if (list->has_sites)
		add_numbers(out, listed->sites, listed->parameters, listed->places);
	else if (list->has_inline_entries && listed->prototype && listed->entries &&
		 listed->located + 1 == listed->entries)
		add_numbers(out, listed->located, listed->entry_parameters,
			    listed->entry_places);
	else
		text_add_string(out, "?\t?\t?\n");
}

static void add_line(const struct btf_list *list, const struct listed *listed, struct text *out)
{
	uint32_t marks = (uint32_t)listed->is_global << MARK_GLOBAL |
			 (uint32_t)listed->is_kfunc << MARK_KFUNC;
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
	add_site_fields(list, listed, out);
	free(name);
}

static int compare_listed(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;
	size_t length = x->base_length < y->base_length ? x->base_length : y->base_length;
	int order = memcmp(x->symbol, y->symbol, length);

	if (order || x->base_length != y->base_length)
		return order ? order : x->base_length < y->base_length ? -1 : 1;
	/* What is promised first: the first line has the verdict of the name. */
	if (!x->prototype != !y->prototype)
		return x->prototype ? -1 : 1;
	return strcmp(x->symbol, y->symbol);
}

static bool is_same_name(const struct listed *a, const struct listed *b)
{
	return a->base_length == b->base_length &&
	       memcmp(a->symbol, b->symbol, a->base_length) == 0;
}

/* They are sorted by name. */
static void find_others(struct btf_list *list)
{
	for (size_t i = 1; i < list->functions.count; i++) {
		struct listed *a = &list->functions.data[i - 1], *b = a + 1;

		if (is_same_name(a, b) && strcmp(a->symbol, b->symbol) != 0)
			a->has_others = b->has_others = true;
	}
}

static void add_lines(struct btf_list *list, struct text *out)
{
	if (list->functions.count)
		qsort(list->functions.data, list->functions.count,
		      sizeof(*list->functions.data), compare_listed);
	find_others(list);
	function_list_put_head(out);
	for (size_t i = 0; i < list->functions.count; i++)
		add_line(list, &list->functions.data[i], out);
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
	if (list.has_sites && !input->has_extra) {
		free(list.of_id);
		array_release(&list.functions);
		return error_at(err, input->path, "was made with feature inline: which of its "
				"FUNCs have code is not known without .BTF.extra; encode with "
				"func_secinfo, too, or give the DWARF");
	}
	add_lines(&list, out);
	free(list.of_id);
	array_release(&list.functions);
	return true;
}
