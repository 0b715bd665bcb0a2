/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The verifier's first pass: every record by itself, without following references.
 *
 * Most of what a kind demands is one row of a table (vlen, kind_flag, name); what is left has a
 * function per kind. A record with an error is marked, so that the second pass neither trusts it
 * nor blames those that refer to it.
 */
#include "btf/verify/verify_state.h"

#define KNOWN_INFO_BITS	   0x9f00ffffu
#define KNOWN_INT_BITS	   0x0fffffffu
#define MAX_INT_BITS	   128
#define SECINFO_WORDS	   3
#define COMPONENT_NONE	   0xffffffffu /* DECL_TAG: the type itself */
#define COMPONENT_NEGATIVE 0x80000000u

enum name_rule {
	NAME_ANY,			/* anything inside the string section */
	NAME_NONE,
	NAME_MAYBE,			/* none or an identifier */
	NAME_IDENTIFIER,
	NAME_SECTION,			/* printable */
	NAME_VALUE,			/* not empty */
};

static const struct record_rule {
	enum name_rule name : 8;
	bool vlen_zero;
	bool kind_flag_zero;
} record_rules[BTF_KIND_COUNT] = {
	[BTF_INT] = { NAME_ANY, true, true },
	[BTF_PTR] = { NAME_NONE, true, true },
	[BTF_ARRAY] = { NAME_NONE, true, true },
	[BTF_STRUCT] = { NAME_MAYBE, false, false },
	[BTF_UNION] = { NAME_MAYBE, false, false },
	[BTF_ENUM] = { NAME_MAYBE, false, false },
	[BTF_FWD] = { NAME_IDENTIFIER, true, false },
	[BTF_TYPEDEF] = { NAME_IDENTIFIER, true, true },
	[BTF_VOLATILE] = { NAME_NONE, true, true },
	[BTF_CONST] = { NAME_NONE, true, true },
	[BTF_RESTRICT] = { NAME_NONE, true, true },
	[BTF_FUNC] = { NAME_IDENTIFIER, false, true },
	[BTF_FUNC_PROTO] = { NAME_NONE, false, true },
	[BTF_VAR] = { NAME_IDENTIFIER, true, true },
	[BTF_DATASEC] = { NAME_SECTION, false, true },
	[BTF_FLOAT] = { NAME_ANY, true, true },
	/* kind_flag of the tags says "attribute", since Linux 6.15. */
	[BTF_DECL_TAG] = { NAME_VALUE, true, false },
	[BTF_TYPE_TAG] = { NAME_VALUE, true, false },
	[BTF_ENUM64] = { NAME_MAYBE, false, false },
	[BTF_LOC_PARAM] = { NAME_NONE, false, true },
	[BTF_LOC_PROTO] = { NAME_NONE, false, true },
	[BTF_LOCSEC] = { NAME_SECTION, false, true },
	[BTF_LOC] = { NAME_NONE, false, true },
};

static bool fail(struct verifier *v, enum btf_rule rule, uint32_t id, uint32_t value)
{
	return verify_report(v, rule, id, BTF_NO_ELEMENT, value);
}

static bool check_own_name(struct verifier *v, uint32_t id, uint32_t name, enum name_rule rule)
{
	switch (rule) {
	case NAME_ANY:
		return name == 0 || verify_name(v, id, BTF_NO_ELEMENT, name, 0);
	case NAME_NONE:
		return name == 0 || fail(v, BTF_RULE_NAME_FORBIDDEN, id, name);
	case NAME_MAYBE:
		return name == 0 || verify_identifier(v, id, BTF_NO_ELEMENT, name);
	case NAME_IDENTIFIER:
		return verify_identifier(v, id, BTF_NO_ELEMENT, name);
	case NAME_SECTION:
		return verify_name(v, id, BTF_NO_ELEMENT, name, NAME_CLASS_PRINTABLE);
	case NAME_VALUE:
		return verify_name(v, id, BTF_NO_ELEMENT, name, NAME_CLASS_TEXT);
	}
	return true;
}

/* Only sites in the code may be more than the elements of any older kind. */
static uint32_t unknown_bits(uint32_t info)
{
	return btf_info_kind(info) == BTF_LOCSEC ? 0 : info & ~KNOWN_INFO_BITS;
}

static bool check_head(struct verifier *v, uint32_t id, const uint32_t *record)
{
	uint32_t info = record[BTF_WORD_INFO];
	const struct record_rule *rule = &record_rules[btf_info_kind(info)];
	bool of_functions = v->options->dialect == BTF_DIALECT_EXTRA &&
			    btf_info_kind(info) == BTF_DATASEC;

	if (!(v->known_kinds & kind_bit(btf_info_kind(info))))
		return fail(v, BTF_RULE_KIND_UNKNOWN, id, btf_info_kind(info));
	if (unknown_bits(info))
		return fail(v, BTF_RULE_INFO_RESERVED, id, info);
	if (rule->vlen_zero && btf_info_vlen(info))
		return fail(v, BTF_RULE_VLEN_NONZERO, id, btf_info_vlen(info));
	if (btf_info_kind_flag(info) && rule->kind_flag_zero && !of_functions)
		return fail(v, BTF_RULE_KIND_FLAG, id, 1);
	return check_own_name(v, id, record[BTF_WORD_NAME], rule->name);
}

static bool check_int(struct verifier *v, uint32_t id, const uint32_t *record)
{
	uint32_t data = record[BTF_HEAD_WORDS];
	uint32_t bits = (data & 0xff) + (data >> 16 & 0xff);
	uint32_t encoding = data >> 24 & 0xf;

	if (data & ~KNOWN_INT_BITS)
		return fail(v, BTF_RULE_INT_RESERVED, id, data);
	if (bits > MAX_INT_BITS || (bits + 7) / 8 > record[BTF_WORD_SIZE])
		return fail(v, BTF_RULE_INT_BITS, id, bits);
	if (encoding & (encoding - 1) || encoding > BTF_INT_BOOL)
		return fail(v, BTF_RULE_INT_ENCODING, id, encoding);
	return true;
}

static bool check_array(struct verifier *v, uint32_t id, const uint32_t *record)
{
	if (record[BTF_WORD_SIZE])
		return fail(v, BTF_RULE_SIZE_NONZERO, id, record[BTF_WORD_SIZE]);
	if (!record[BTF_HEAD_WORDS] || !record[BTF_HEAD_WORDS + 1])
		return fail(v, BTF_RULE_REF_VOID, id, 0);
	return true;
}

static bool check_members(struct verifier *v, uint32_t id, const uint32_t *record)
{
	uint32_t info = record[BTF_WORD_INFO];
	uint32_t mask = btf_info_kind_flag(info) ? BTF_MAX_MEMBER_BITS_KFLAG : UINT32_MAX;
	uint64_t size_bits = (uint64_t)record[BTF_WORD_SIZE] * 8;
	uint32_t last = 0;
	bool ok = true;

	for (uint32_t i = 0; i < btf_info_vlen(info); i++) {
		const uint32_t *member = record + BTF_HEAD_WORDS + 3 * i;
		uint32_t offset = member[2] & mask;

		if (member[0] && !verify_identifier(v, id, i, member[0]))
			ok = false;
		if (member[1] == 0)
			ok = verify_report(v, BTF_RULE_REF_VOID, id, i, 0);
		if (offset > size_bits || (offset && btf_info_kind(info) == BTF_UNION))
			ok = verify_report(v, BTF_RULE_MEMBER_OFFSET, id, i, offset);
		if (offset < last)
			ok = verify_report(v, BTF_RULE_MEMBER_ORDER, id, i, offset);
		last = offset;
	}
	return ok;
}

static bool check_enumerators(struct verifier *v, uint32_t id, const uint32_t *record)
{
	uint32_t info = record[BTF_WORD_INFO];
	uint32_t words = btf_kinds[btf_info_kind(info)].element_words;
	uint32_t size = record[BTF_WORD_SIZE];
	bool ok = true;

	if (size == 0 || size > 8 || size & (size - 1))
		ok = fail(v, BTF_RULE_ENUM_SIZE, id, size);
	for (uint32_t i = 0; i < btf_info_vlen(info); i++)
		ok &= verify_identifier(v, id, i, record[BTF_HEAD_WORDS + i * words]);
	return ok;
}

static bool check_entries(struct verifier *v, uint32_t id, const uint32_t *record)
{
	uint32_t section_bytes = record[BTF_WORD_SIZE];
	uint64_t last_end = 0;
	bool ok = true;

	if (section_bytes == 0)
		return fail(v, BTF_RULE_DATASEC_SIZE, id, 0);
	for (uint32_t i = 0; i < btf_info_vlen(record[BTF_WORD_INFO]); i++) {
		const uint32_t *entry = record + BTF_HEAD_WORDS + SECINFO_WORDS * i;
		uint64_t end = (uint64_t)entry[1] + entry[2];

		if (entry[0] == 0)
			ok = verify_report(v, BTF_RULE_REF_VOID, id, i, 0);
		if (entry[1] < last_end || entry[1] >= section_bytes)
			ok = verify_report(v, BTF_RULE_DATASEC_OFFSET, id, i, entry[1]);
		else if (entry[2] == 0 || end > section_bytes)
			ok = verify_report(v, BTF_RULE_DATASEC_END, id, i, entry[2]);
		last_end = end;
	}
	return ok;
}

static bool check_var(struct verifier *v, uint32_t id, const uint32_t *record)
{
	if (record[BTF_WORD_TYPE] == 0)
		return fail(v, BTF_RULE_REF_VOID, id, 0);
	if (record[BTF_HEAD_WORDS] > BTF_LINKAGE_GLOBAL)
		return fail(v, BTF_RULE_VAR_LINKAGE, id, record[BTF_HEAD_WORDS]);
	return true;
}

static bool check_body(struct verifier *v, uint32_t id, const uint32_t *record)
{
	uint32_t info = record[BTF_WORD_INFO];
	uint32_t size = record[BTF_WORD_SIZE];

	switch (btf_info_kind(info)) {
	case BTF_INT:
		return check_int(v, id, record);
	case BTF_ARRAY:
		return check_array(v, id, record);
	case BTF_STRUCT:
	case BTF_UNION:
		return check_members(v, id, record);
	case BTF_ENUM:
	case BTF_ENUM64:
		return check_enumerators(v, id, record);
	case BTF_FWD:
		return record[BTF_WORD_TYPE] == 0 ||
		       fail(v, BTF_RULE_SIZE_NONZERO, id, record[BTF_WORD_TYPE]);
	case BTF_FUNC:
		return btf_info_vlen(info) <= BTF_LINKAGE_GLOBAL ||
		       fail(v, BTF_RULE_FUNC_LINKAGE, id, btf_info_vlen(info));
	case BTF_VAR:
		return check_var(v, id, record);
	case BTF_DATASEC:
		return btf_info_kind_flag(info) ? verify_location(v, id, record)
						: check_entries(v, id, record);
	case BTF_FLOAT:
		return size == 2 || size == 4 || size == 8 || size == 12 || size == 16 ||
		       fail(v, BTF_RULE_FLOAT_SIZE, id, record[BTF_WORD_SIZE]);
	case BTF_DECL_TAG:
		return record[BTF_HEAD_WORDS] < COMPONENT_NEGATIVE ||
		       record[BTF_HEAD_WORDS] == COMPONENT_NONE ||
		       fail(v, BTF_RULE_TAG_COMPONENT, id, record[BTF_HEAD_WORDS]);
	case BTF_LOC_PARAM:
	case BTF_LOC_PROTO:
	case BTF_LOCSEC:
	case BTF_LOC:
		return verify_location(v, id, record);
	default:
		return true;
	}
}

/* The record behind the last one that the reader could index. */
static void report_broken_end(struct verifier *v)
{
	const struct btf_reader *btf = v->btf;
	uint32_t left = btf->header.type_bytes - btf->indexed_words * (uint32_t)sizeof(uint32_t);
	uint32_t info;

	if (btf->word_count - btf->indexed_words < BTF_HEAD_WORDS) {
		verify_report(v, BTF_RULE_TYPE_TRUNCATED, v->end_id, BTF_NO_ELEMENT, left);
		return;
	}
	info = btf->words[btf->indexed_words + BTF_WORD_INFO];
	if (!btf_kind_exists(info))
		verify_report(v, BTF_RULE_KIND_UNKNOWN, v->end_id, BTF_NO_ELEMENT,
			      btf_info_kind(info));
	else if (unknown_bits(info))
		verify_report(v, BTF_RULE_INFO_RESERVED, v->end_id, BTF_NO_ELEMENT, info);
	else
		verify_report(v, BTF_RULE_TYPE_TRUNCATED, v->end_id, BTF_NO_ELEMENT, left);
}

void verify_records(struct verifier *v)
{
	for (uint32_t id = v->btf->first_id; id < v->end_id; id++) {
		const uint32_t *record = type_words(v, id);

		if (!check_head(v, id, record) || !check_body(v, id, record))
			v->visits[id - v->first_id] = VISIT_BAD;
	}
	if (!v->btf->complete)
		report_broken_end(v);
}
