/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "kernel/btf_functions.h"

#include <stdlib.h>
#include <string.h>

#include "btf/inspect.h"
#include "kernel/attach/known_functions.h"
#include "kernel/btf_input.h"

struct walk {
	struct btf_functions *functions;
	const struct btf_reader *btf;	/* the highest */
	uint32_t *of_id;		/* FUNC's id -> item + 1 */
};

static struct btf_function *function_of(const struct walk *walk, uint32_t id)
{
	uint32_t item = id < btf_reader_end_id(walk->btf) ? walk->of_id[id] : 0;

	return item ? &walk->functions->items.data[item - 1] : NULL;
}

static void add_funcs(struct walk *walk, const struct btf_reader *btf, bool is_part)
{
	bool is_extra = is_part && !btf_has_kind(btf, BTF_LOCSEC);

	for (uint32_t i = 0; i < btf->type_count; i++) {
		const uint32_t *words = btf->words + btf->positions[i];
		struct btf_function function = { .is_part = is_part, .is_extra = is_extra };

		if (btf_record_kind(words) != BTF_FUNC)
			continue;
		function.symbol = btf_type_name(walk->btf, words);
		if (!*function.symbol || function.symbol[btf_name_length(function.symbol)])
			continue;
		function.id = btf->first_id + i;
		function.is_global = btf_info_vlen(words[BTF_WORD_INFO]) == 1;
		if (btf_record_kind(btf_reader_type(walk->btf, words[BTF_WORD_TYPE])) ==
		    BTF_FUNC_PROTO)
			function.prototype = words[BTF_WORD_TYPE];
		array_push(&walk->functions->items, function);
		walk->of_id[btf->first_id + i] = (uint32_t)walk->functions->items.count;
	}
}

/* One more site, with a record of parameter locations: 0 is none. */
static void count_site(struct function_sites *counts, const uint32_t *record)
{
	uint32_t count = btf_element_count(record);

	counts->count++;
	counts->parameters += count;
	for (uint32_t i = 0; i < count; i++)
		counts->locations += *btf_element(record, i) != 0;
}

/* Elements of a LOCSEC. */
static void add_sites(const struct walk *walk, const uint32_t *words)
{
	walk->functions->has_sites = true;
	for (uint32_t i = 0; i < btf_element_count(words); i++) {
		const uint32_t *site = btf_element(words, i);
		const uint32_t *locations = btf_reader_type(walk->btf, site[1]);
		struct btf_function *function = function_of(walk, site[0]);

		if (function && btf_record_kind(locations) == BTF_LOC_PROTO)
			count_site(&function->sites, locations);
	}
}

/* Elements of a DATASEC of functions: instances, and inline sites, which have a LOC. */
static void add_entries(const struct walk *walk, const uint32_t *words)
{
	walk->functions->has_entries = true;
	for (uint32_t i = 0; i < btf_element_count(words); i++) {
		const uint32_t *entry = btf_element(words, i);
		const uint32_t *location = btf_reader_type(walk->btf, entry[2]);
		struct btf_function *function = function_of(walk, entry[0]);

		if (!function)
			continue;
		/* A function with a FUNC has one address; its other entries are inline sites. */
		walk->functions->has_inline_entries |= function->prototype && function->entries;
		function->entries++;
		if (btf_record_kind(location) == BTF_FUNC_PROTO)
			function->entry_prototype = entry[2];
		if (btf_record_kind(location) != BTF_LOC)
			continue;
		count_site(&function->located, location);
		function->entry_prototype = location[BTF_WORD_TYPE];
	}
}

static void add_records(const struct walk *walk, const struct btf_reader *btf)
{
	for (uint32_t i = 0; i < btf->type_count; i++) {
		const uint32_t *words = btf->words + btf->positions[i];
		enum btf_kind kind = btf_record_kind(words);

		if (kind == BTF_DECL_TAG) {
			struct btf_function *function = function_of(walk, words[BTF_WORD_TYPE]);

			if (function && strcmp(btf_type_name(walk->btf, words), "bpf_kfunc") == 0)
				function->is_kfunc = !function_is("fmod_ret", function->symbol);
		} else if (kind == BTF_LOCSEC) {
			add_sites(walk, words);
		} else if (kind == BTF_DATASEC && btf_info_kind_flag(words[BTF_WORD_INFO])) {
			add_entries(walk, words);
		}
	}
}

void btf_functions_read(struct btf_functions *functions, const struct btf_reader *btf,
			const struct btf_reader *parts, uint32_t part_count)
{
	struct walk walk = { functions, part_count ? &parts[part_count - 1] : btf, NULL };

	*functions = (struct btf_functions){ .btf = walk.btf };
	walk.of_id = memory_zeroed(btf_reader_end_id(walk.btf), sizeof(*walk.of_id));
	/* What a BTF has refers to itself, and to those below. */
	for (uint32_t i = 0; i <= part_count; i++) {
		const struct btf_reader *layer = i ? &parts[i - 1] : btf;

		add_funcs(&walk, layer, i);
		add_records(&walk, layer);
	}
	free(walk.of_id);
}

bool btf_has_kfunc_tag(const struct btf_reader *btf, const char *function)
{
	for (uint32_t id = 1; btf && id < btf_reader_end_id(btf); id++) {
		const uint32_t *tag = btf_reader_type(btf, id), *words;

		if (btf_record_kind(tag) != BTF_DECL_TAG ||
		    strcmp(btf_type_name(btf, tag), "bpf_kfunc") != 0)
			continue;
		words = btf_reader_type(btf, tag[BTF_WORD_TYPE]);
		if (words && strcmp(btf_type_name(btf, words), function) == 0)
			return true;
	}
	return false;
}
