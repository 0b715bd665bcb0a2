/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Does a kernel find the types of a module's distilled base (.BTF.base) in its own BTF? The rules
 * are those of btf_relocate() in Linux 7.2, 7.3 and libbpf 1.6 to 1.8, with their oddities: a
 * FWD does not fit a STRUCT that has bit-fields (its kind_flag), nor one of several of its name,
 * and a STRUCT fits anything that has its name unless it is embedded and nothing fitted before.
 * libbpf 1.5, and perhaps kernels of its time, see only some of what is embedded: they may take,
 * with wrong types, what has another size here.
 */
#include "btf/verify/verify_state.h"

#include <string.h>

#include "base/hash_table.h"
#include "base/memory.h"
#include "btf/string_pool.h"

struct relocation {
	struct verifier report;		/* findings are about the distilled base */
	const struct btf_reader *module, *base, *kernel;
	struct hash_table by_name;	/* an id of the base for each name */
	/* By id of the base. */
	uint32_t *next;			/* another one of its name; 0: there are no more */
	bool *is_embedded;		/* a struct of the module has it inside */
	uint32_t *of_name;		/* how many of the kernel's records have its name */
	uint32_t *matches;		/* the kernel's types that it is */
};

#define BASE_KINDS                                                                                 \
	(1u << BTF_INT | 1u << BTF_FLOAT | 1u << BTF_ENUM | 1u << BTF_FWD | BTF_RECORDS)

/* Structs have what comes behind modifiers and typedefs, and in arrays. */
static void mark_embedded(struct relocation *r, const uint32_t *record)
{
	btf_each_ref(word, record) {
		uint32_t id = record[word], passed = 0;
		const uint32_t *type =
			btf_under(r->module, &id, BTF_MODIFIERS | 1u << BTF_ARRAY, &passed);

		if (id < r->module->first_id && btf_kind_is_aggregate(btf_record_kind(type)))
			r->is_embedded[id] = true;
	}
}

static bool is_match(const struct relocation *r, uint32_t id, const uint32_t *wanted,
		     const uint32_t *found)
{
	enum btf_kind kind = btf_record_kind(found);
	uint32_t info = found[BTF_WORD_INFO];
	uint32_t other = found[BTF_WORD_SIZE] ^ wanted[BTF_WORD_SIZE];

	/* There sizes have 31 bits when names are looked for. */
	if (other << 1 && kind != BTF_FWD && !(btf_kind_is_aggregate(kind) && r->of_name[id] == 1))
		return false;
	switch (btf_record_kind(wanted)) {
	case BTF_FWD:
		return kind == BTF_FWD
			       ? btf_info_kind_flag(info) ==
					 btf_info_kind_flag(wanted[BTF_WORD_INFO])
			       : btf_kind_is_aggregate(kind) &&
					 btf_info_kind_flag(info) == (kind == BTF_UNION);
	case BTF_INT:
		return kind == BTF_INT &&
		       (found[BTF_HEAD_WORDS] ^ wanted[BTF_HEAD_WORDS]) >> 24 == 0;
	case BTF_FLOAT: return kind == BTF_FLOAT;
	case BTF_ENUM: return btf_kind_is_enum(kind);
	default: return !other || !r->is_embedded[id] || r->matches[id];
	}
}

/* The first id of the base that has the name; 0: there is none. */
static uint32_t first_of_name(const struct relocation *r, const struct pool_string *name)
{
	return hash_table_find(id, &r->by_name, name->hash,
			       strcmp(btf_type_name(r->base, btf_reader_type(r->base, id)),
				      name->text) == 0);
}

/*
 * A damaged base may have one name a million times, which the table would search each time, or one
 * of a megabyte, which no kernel has.
 */
static void add_name(struct relocation *r, uint32_t id, const char *text)
{
	struct pool_string name;
	uint32_t first;

	if (strnlen(text, BTF_NAME_BYTES_MAX) == BTF_NAME_BYTES_MAX)
		return;
	name = pool_string(text);
	first = first_of_name(r, &name);
	if (!first) {
		hash_table_add(&r->by_name, name.hash, id);
		return;
	}
	r->next[id] = r->next[first];
	r->next[first] = id;
}

/* Of the base's types of that name: first how many could be meant, then which are. */
static void look_at(struct relocation *r, const uint32_t *found, bool is_counted)
{
	struct pool_string name = pool_string(btf_type_name(r->kernel, found));

	for (uint32_t id = first_of_name(r, &name); id; id = r->next[id]) {
		if (!is_counted)
			r->of_name[id] += btf_kind_is_aggregate(btf_record_kind(found));
		else
			r->matches[id] += is_match(r, id, btf_reader_type(r->base, id), found);
	}
}

static void match_all(struct relocation *r)
{
	static const uint32_t kinds = BASE_KINDS | 1u << BTF_ENUM64;

	for (uint32_t id = r->module->first_id; id < btf_reader_end_id(r->module); id++) {
		const uint32_t *record = btf_reader_type(r->module, id);

		if (btf_kind_is_aggregate(btf_record_kind(record)))
			mark_embedded(r, record);
	}
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t id = 1; id < btf_reader_end_id(r->kernel); id++) {
			const uint32_t *record = btf_reader_type(r->kernel, id);

			if (kind_bit(btf_record_kind(record)) & kinds && record[BTF_WORD_NAME])
				look_at(r, record, pass == 1);
		}
	}
}

/* The module's types may have names of the base, but only those of types. */
static void check_names(struct relocation *r)
{
	bool *is_name = memory_zeroed(btf_reader_end_string(r->base), sizeof(*is_name));
	uint32_t id;

	is_name[0] = true;
	for (id = 1; id < btf_reader_end_id(r->base); id++)
		is_name[btf_reader_type(r->base, id)[BTF_WORD_NAME]] = true;
	for (; id < btf_reader_end_id(r->module); id++) {
		const uint32_t *record = btf_reader_type(r->module, id);

		btf_each_name(word, record) {
			if (record[word] < r->module->first_string && !is_name[record[word]])
				verify_fail(&r->report, BTF_RULE_BASE_NAME, 0, record[word]);
		}
	}
	free(is_name);
}

void btf_verify_base(const struct btf_reader *module, const struct btf_reader *kernel,
		     struct btf_findings *findings)
{
	static const struct btf_verify_options options = { .limit = 1 };
	uint32_t end = btf_reader_end_id(module->base);
	struct relocation r = {
		.report = { .btf = module->base, .options = &options, .findings = findings },
		.module = module,
		.base = module->base,
		.kernel = kernel,
		.next = memory_zeroed(end, sizeof(*r.next)),
		.is_embedded = memory_zeroed(end, sizeof(*r.is_embedded)),
		.of_name = memory_zeroed(end, sizeof(*r.of_name)),
		.matches = memory_zeroed(end, sizeof(*r.matches)),
	};

	*findings = (struct btf_findings){ 0 };
	for (uint32_t id = 1; id < end; id++) {
		const uint32_t *record = btf_reader_type(r.base, id);
		const char *name = btf_type_name(r.base, record);

		if (*name && kind_bit(btf_record_kind(record)) & BASE_KINDS)
			add_name(&r, id, name);
		else
			verify_fail(&r.report, BTF_RULE_BASE_KIND, id, btf_record_kind(record));
	}
	if (!findings->errors)
		match_all(&r);
	for (uint32_t id = 1; id < end && !findings->errors; id++) {
		if (r.matches[id] != 1)
			verify_fail(&r.report, r.matches[id] ? BTF_RULE_BASE_SEVERAL
							     : BTF_RULE_BASE_MISSING,
				    id, r.matches[id]);
	}
	if (!findings->errors)
		check_names(&r);
	hash_table_release(&r.by_name);
	free(r.next);
	free(r.is_embedded);
	free(r.of_name);
	free(r.matches);
}
