/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "kernel/kfunc_table.h"

#include <string.h>

#include "base/search.h"

/* KF_KPTR_GET was in 6.0 to 6.3; no other bit has had two meanings. */
static const char *const flag_names[] = {
	"KF_ACQUIRE", "KF_RELEASE", "KF_RET_NULL", "KF_KPTR_GET", "KF_TRUSTED_ARGS",
	"KF_SLEEPABLE", "KF_DESTRUCTIVE", "KF_RCU", "KF_ITER_NEW", "KF_ITER_NEXT",
	"KF_ITER_DESTROY", "KF_RCU_PROTECTED", "KF_FASTCALL", "KF_ARENA_RET", "KF_ARENA_ARG1",
	"KF_ARENA_ARG2", "KF_IMPLICIT_ARGS",
};

const char *kfunc_flag_name(unsigned int bit)
{
	return bit < sizeof(flag_names) / sizeof(*flag_names) ? flag_names[bit] : NULL;
}

const char *kfunc_program_type(const struct type_source *types, uint64_t type)
{
	const uint32_t *words = type_named(types, BTF_ENUM, "", "bpf_prog_type");

	for (uint32_t i = 0; i < btf_element_count(words); i++) {
		if (btf_element(words, i)[1] == type)
			return type_string(types, *btf_element(words, i));
	}
	return NULL;
}

static int compare_rows(const void *a, const void *b)
{
	const struct kfunc_row *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : order_of(x->set_address, y->set_address);
}

/* By sets: the rows of that which a struct btf_kfunc_id_set points to. */
static void set_program_types(struct kfunc_table *table, const struct attach_image *image,
			      const struct program *program)
{
	const uint32_t *words = type_named(table->types, BTF_STRUCT, "", "btf_kfunc_id_set");
	struct kfunc_row *rows = table->rows.data;
	size_t count = table->rows.count;
	uint32_t offset, filter_offset;
	bool has_filters = type_member_byte(table->types, words, "filter", &filter_offset);

	if (!type_member_byte(table->types, words, "set", &offset))
		return;
	array_each(const struct kfunc_registration, call, &program->registrations) {
		uint64_t set, type, filter = 0;

		if (call->program_type >= 64 || !call->set ||
		    !attach_word(image->object, call->set + offset, &set)) {
			table->lacks_calls = true;
			continue;
		}
		if (has_filters)
			attach_word(image->object, call->set + filter_offset, &filter);
		type = UINT64_C(1) << call->program_type;
		for (size_t k = lower_bound(n, count, rows[n].set_address < set);
		     k < count && rows[k].set_address == set && !(rows[k].program_types & type);
		     k++) {
			rows[k].program_types |= type;
			rows[k].has_filter |= filter != 0;
		}
	}
}

void kfunc_table_read(struct kfunc_table *table, const struct attach_image *image,
		      const struct type_source *types, const struct program *program)
{
	const struct own_btf *own = &image->tables->own;
	struct error ignored;

	*table = (struct kfunc_table){ .types = types };
	/* encode reports a damaged .BTF_ids. */
	if (!image->object || !kfuncs_read(&table->list, image->object, image->symbols, &ignored))
		return;
	kfuncs_find_flags(&table->list, own->is_known ? &own->btf : types->btf);
	array_each(const struct kfunc, kfunc, &table->list.kfuncs) {
		array_push(&table->rows, ((struct kfunc_row){
			.name = kfunc->name, .set = kfunc->set,
			.set_address = kfunc->set_address, .flags = kfunc->flags,
			.has_flags = kfunc->has_flags, .is_callable = kfunc->is_callable }));
	}
	if (program)
		set_program_types(table, image, program);
	array_sort(&table->rows, compare_rows);
}

void kfunc_table_release(struct kfunc_table *table)
{
	array_release(&table->rows);
	kfuncs_release(&table->list);
}

const struct kfunc_row *kfunc_table_find(const struct kfunc_table *table, const char *name,
					 size_t *count)
{
	const struct kfunc_row *rows = table->rows.data;
	size_t at = lower_bound(i, table->rows.count, strcmp(rows[i].name, name) < 0);

	*count = 0;
	while (at + *count < table->rows.count && strcmp(rows[at + *count].name, name) == 0)
		++*count;
	return *count ? &rows[at] : NULL;
}
