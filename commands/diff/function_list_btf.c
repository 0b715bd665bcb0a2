/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/diff/function_table.h"

#include <string.h>

#include "btf/dedup/c_declaration.h"
#include "btf/inspect.h"
#include "commands/records/records.h"
#include "kallsyms/suffix.h"

/* A FUNC of the BTF or of its extra part, with counts of its sites. */
struct listed {
	const char *symbol;		/* the FUNC's name */
	uint32_t base_length;		/* of it: the function's name */
	uint32_t prototype;		/* id, 0: none */
	struct function_sites sites;	/* of LOCSECs: they are inline sites for certain */
	uint32_t entries;		/* of .BTF.extra: instances and inline sites */
	struct function_sites located;	/* of these: with a LOC, as inline sites have */
	bool is_global;
	bool is_kfunc;
	bool has_others;		/* there are FUNCs f.part.0 or the like, too */
	bool is_site_only;		/* it is not in .BTF */
};

struct btf_list {
	const struct btf_reader *btf;	/* the highest: it finds all ids */
	uint32_t end_promised;		/* FUNCs with higher ids are only for sites */
	ARRAY_OF(struct listed) functions;
	uint32_t *of_id;		/* FUNC's id -> functions + 1 */
	const char *module;		/* NULL: not that of a module */
	bool has_sites;			/* there is a LOCSEC */
	bool has_extra;
	bool has_inline_entries;	/* .BTF.extra has inline sites */
};

/* ---- records ---- */

/* Not those of the base: a module's list is the module's. */
static void add_funcs(struct btf_list *list, const struct btf_reader *btf)
{
	for (uint32_t i = 0; i < btf->type_count; i++) {
		const uint32_t *words = btf->words + btf->positions[i];
		struct listed listed = { .symbol = btf_type_name(list->btf, words),
					 .prototype = words[BTF_WORD_TYPE] };

		if (btf_record_kind(words) != BTF_FUNC || !*listed.symbol)
			continue;
		listed.base_length = (uint32_t)symbol_parse(listed.symbol).base_length;
		listed.is_site_only = btf->first_id >= list->end_promised;
		listed.is_global = btf_info_vlen(words[BTF_WORD_INFO]) == 1;
		if (btf_record_kind(btf_reader_type(list->btf, listed.prototype)) !=
		    BTF_FUNC_PROTO)
			listed.prototype = 0;
		array_push(&list->functions, listed);
		list->of_id[btf->first_id + i] = (uint32_t)list->functions.count;
	}
}

static struct listed *listed_of(const struct btf_list *list, uint32_t id)
{
	return id < btf_reader_end_id(list->btf) && list->of_id[id]
		       ? &list->functions.data[list->of_id[id] - 1] : NULL;
}

/* One more site, with a record of parameter locations: 0 is none. */
static void count_site(struct function_sites *counts, const uint32_t *record)
{
	uint32_t count = btf_info_vlen(record[BTF_WORD_INFO]);

	counts->count++;
	counts->parameters += count;
	for (uint32_t i = 0; i < count; i++)
		counts->locations += record[BTF_HEAD_WORDS + i] != 0;
}

/* Elements of a LOCSEC. */
static void add_sites(struct btf_list *list, const uint32_t *words)
{
	list->has_sites = true;
	for (uint32_t i = 0; i < btf_info_vlen(words[BTF_WORD_INFO]); i++) {
		const uint32_t *site = words + BTF_HEAD_WORDS + 3 * i;
		const uint32_t *locations = btf_reader_type(list->btf, site[1]);
		struct listed *listed = listed_of(list, site[0]);

		if (listed && btf_record_kind(locations) == BTF_LOC_PROTO)
			count_site(&listed->sites, locations);
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
		if (btf_record_kind(location) == BTF_LOC)
			count_site(&listed->located, location);
	}
}

/* Records about the FUNCs. */
static void add_records(struct btf_list *list, const struct btf_reader *btf)
{
	for (uint32_t i = 0; i < btf->type_count; i++) {
		const uint32_t *words = btf->words + btf->positions[i];
		enum btf_kind kind = btf_record_kind(words);

		if (kind == BTF_DECL_TAG) {
			struct listed *listed = listed_of(list, words[BTF_WORD_TYPE]);

			if (listed && strcmp(btf_type_name(list->btf, words), "bpf_kfunc") == 0)
				listed->is_kfunc = true;
		} else if (kind == BTF_LOCSEC) {
			add_sites(list, words);
		} else if (kind == BTF_DATASEC && btf_info_kind_flag(words[BTF_WORD_INFO])) {
			add_entries(list, words);
		}
	}
}

/* What a BTF has refers to itself, and to those below. */
static void add_layer(struct btf_list *list, const struct btf_reader *btf)
{
	add_funcs(list, btf);
	add_records(list, btf);
}

/* ---- lines ---- */

static void add_line(const struct btf_list *list, const struct listed *listed, struct text *out)
{
	uint32_t marks = (uint32_t)listed->is_global << MARK_GLOBAL |
			 (uint32_t)listed->is_kfunc << MARK_KFUNC;
	/* In .BTF.extra alone the instance is known if it is the only entry without a LOC. */
	bool by_entries = list->has_inline_entries && listed->prototype && listed->entries &&
			  listed->located.count + 1 == listed->entries;
	const struct function_sites *counts = list->has_sites ? &listed->sites
					   : by_entries	   ? &listed->located : NULL;
	const char *verdict = verdict_texts[VERDICT_OK].code;
	char *name = memory_string(listed->symbol, listed->base_length);

	/*
	 * Feature inline adds FUNCs for functions that have no code of their name, in .BTF.inline
	 * if there is one. .BTF.extra has no entry of these; what is left of one may have another
	 * FUNC there, f.part.0.
	 */
	if (!listed->prototype || listed->symbol[listed->base_length])
		verdict = "?";
	else if (listed->is_site_only ||
		 (list->has_extra && listed->sites.count && !listed->entries))
		verdict = !list->has_extra || listed->has_others
				  ? "?" : verdict_texts[VERDICT_INLINED_ONLY].code;
	function_list_put_field(out, name);
	function_list_put_field(out, listed->symbol);
	text_add_string(out, "?\t?\t");
	text_add_string(out, verdict);
	text_add_string(out, "\t-\t");
	if (listed->prototype)
		c_declaration_add_btf(out, list->btf, listed->prototype, name);
	else
		text_add_char(out, '?');
	text_add_string(out, "\t?\t");
	for (uint32_t left = marks; left; left &= left - 1) {
		text_add_string(out, function_marks[__builtin_ctz(left)]);
		text_add_char(out, ',');
	}
	text_add_string(out, "?\t?\t");
	function_list_put_end(out, counts, NULL, list->module);
	text_add_string(out, "?\n");
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

/* ---- all ---- */

bool function_list_of_btf(struct btf_input *input, const char *module, struct text *out,
			  struct error *err)
{
	struct btf_list list = { .module = module };
	bool good, in_btf;

	if (!input->btf.complete)
		return error_at(err, input->path, "type %u: broken record; run `btfenc check`",
				btf_reader_end_id(&input->btf));
	if (!records_open_parts(input, NULL, err))
		return false;
	list.btf = btf_input_top(input);
	list.end_promised = btf_reader_end_id(&input->btf);
	list.of_id = memory_zeroed(btf_reader_end_id(list.btf), sizeof(*list.of_id));
	add_layer(&list, &input->btf);
	in_btf = list.has_sites;
	for (uint32_t i = 0; i < input->part_count; i++) {
		list.has_extra |= !btf_has_kind(&input->parts[i], BTF_LOCSEC);
		add_layer(&list, &input->parts[i]);
	}
	/* Feature inline adds FUNCs for functions without code; only .BTF.extra tells which. */
	good = !in_btf || list.has_extra ||
	       error_at(err, input->path, "was made with feature inline: only .BTF.extra would "
			"tell which of its FUNCs have code; encode with func_secinfo, too, or "
			"give the DWARF");
	if (good) {
		if (list.functions.count)
			qsort(list.functions.data, list.functions.count, sizeof(struct listed),
			      compare_listed);
		/* FUNCs of the function's own name come before those of the others. */
		for (size_t i = list.functions.count; i-- > 1;) {
			struct listed *a = &list.functions.data[i - 1], *b = a + 1;

			a->has_others = a->base_length == b->base_length &&
					memcmp(a->symbol, b->symbol, a->base_length) == 0 &&
					(b->has_others || strcmp(a->symbol, b->symbol) != 0);
		}
		function_list_put_head(out);
		for (size_t i = 0; i < list.functions.count; i++)
			add_line(&list, &list.functions.data[i], out);
	}
	free(list.of_id);
	array_release(&list.functions);
	return good;
}
