/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/print/json.h"
#include "kernel/kfunc_table.h"

/* Names of bits, or numbers of those without: of flags, or of `types`. */
static json_t *bits_json(uint64_t bits, const struct type_source *types)
{
	json_t *list = json_array();

	for (; bits; bits &= bits - 1) {
		unsigned int bit = (unsigned int)__builtin_ctzll(bits);
		const char *name = types ? kfunc_program_type(types, bit) : kfunc_flag_name(bit);
		const char *rest = name ? text_after(name, "BPF_PROG_TYPE_") : NULL;

		if (types && !bit)
			rest = "ALL";
		json_array_append_new(list, rest ? json_text(rest) : name ? json_text(name)
						 : json_sprintf("%u", bit));
	}
	return list;
}

json_t *kfunc_sets_json(const struct kfunc_table *table, const char *name)
{
	size_t count;
	const struct kfunc_row *rows = kfunc_table_find(table, name, &count);
	json_t *list = NULL;

	for (size_t i = 0; i < count; i++) {
		if (!rows[i].is_callable)
			continue;
		list = list ? list : json_array();
		json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:b, s:b}",
			"name", json_text(rows[i].set),
			"flags", rows[i].has_flags ? bits_json(rows[i].flags, NULL) : json_null(),
			"program_types", rows[i].program_types
				? bits_json(rows[i].program_types, table->types) : json_null(),
			"has_filter", rows[i].has_filter,
			"is_complete", rows[i].program_types && !table->lacks_calls));
	}
	return list;
}
