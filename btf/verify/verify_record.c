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
#define COMPONENT_NONE	   0xffffffffu /* DECL_TAG: the type itself */
#define COMPONENT_NEGATIVE 0x80000000u

enum name_rule {
	NAME_IDENTIFIER = NAME_CLASS_IDENTIFIER,
	NAME_SECTION = NAME_CLASS_PRINTABLE,
	NAME_VALUE = NAME_CLASS_TEXT,
	NAME_NONE = 0x40,
	NAME_ANY = 0x80,		/* anything inside the string section, or none */
	NAME_MAYBE = NAME_ANY | NAME_IDENTIFIER,
};

static const struct record_rule {
	uint8_t name;			/* enum name_rule */
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

/* Only sites in the code may be more than the elements of any older kind. */
static uint32_t unknown_bits(const struct verifier *v, uint32_t info)
{
	return btf_info_kind(info) == BTF_LOCSEC || v->options->wide_info ? 0
									  : info & ~KNOWN_INFO_BITS;
}

static bool is_tag(uint32_t info)
{
	return kind_bit(btf_info_kind(info)) & (1u << BTF_DECL_TAG | 1u << BTF_TYPE_TAG);
}

static bool check_head(struct verifier *v, uint32_t id, const uint32_t *record)
{
	uint32_t info = record[BTF_WORD_INFO], name = record[BTF_WORD_NAME];
	const struct record_rule *rule = &record_rules[btf_info_kind(info)];
	bool of_functions = v->options->dialect == BTF_DIALECT_EXTRA &&
			    btf_info_kind(info) == BTF_DATASEC;

	if (!(v->known_kinds & kind_bit(btf_info_kind(info))))
		return verify_fail(v, BTF_RULE_KIND_UNKNOWN, id, btf_info_kind(info));
	if (unknown_bits(v, info))
		return verify_fail(v, BTF_RULE_INFO_RESERVED, id, info);
	if (rule->vlen_zero && btf_info_vlen(info))
		return verify_fail(v, BTF_RULE_VLEN_NONZERO, id, btf_info_vlen(info));
	if (btf_info_kind_flag(info) && !of_functions &&
	    (rule->kind_flag_zero || (v->options->plain_tags && is_tag(info))))
		return verify_fail(v, BTF_RULE_KIND_FLAG, id, 1);
	if (rule->name == NAME_NONE)
		return !name || verify_fail(v, BTF_RULE_NAME_FORBIDDEN, id, name);
	return (rule->name & NAME_ANY && !name) ||
	       verify_name(v, id, BTF_NO_ELEMENT, name, rule->name & ~(unsigned)NAME_ANY);
}

static bool check_members(struct verifier *v, uint32_t id, const uint32_t *record)
{
	uint32_t info = record[BTF_WORD_INFO];
	uint64_t size_bits = (uint64_t)record[BTF_WORD_SIZE] * 8;
	uint32_t last = 0;
	bool ok = true;

	for (uint32_t i = 0; i < btf_info_vlen(info); i++) {
		const uint32_t *member = btf_element(record, i);
		uint32_t offset = btf_member_offset(info, member);

		if (member[0] && !verify_name(v, id, i, member[0], NAME_CLASS_IDENTIFIER))
			ok = false;
		if (member[1] == 0)
			ok = verify_report(v, BTF_RULE_REF_TO_VOID, id, i, 0);
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
	uint32_t size = record[BTF_WORD_SIZE];
	bool ok = true;

	if (size == 0 || size > 8 || size & (size - 1))
		ok = verify_fail(v, BTF_RULE_ENUM_SIZE, id, size);
	for (uint32_t i = 0; i < btf_element_count(record); i++)
		ok &= verify_name(v, id, i, *btf_element(record, i), NAME_CLASS_IDENTIFIER);
	return ok;
}

static bool check_entries(struct verifier *v, uint32_t id, const uint32_t *record)
{
	uint32_t section_bytes = record[BTF_WORD_SIZE];
	bool is_open = v->options->dialect == BTF_DIALECT_OBJECT && !section_bytes;
	uint64_t last_end = 0;
	bool ok = true;

	if (section_bytes == 0 && !is_open)
		return verify_fail(v, BTF_RULE_DATASEC_SIZE, id, 0);
	for (uint32_t i = 0; i < btf_info_vlen(record[BTF_WORD_INFO]); i++) {
		const uint32_t *entry = btf_element(record, i);
		uint64_t end = (uint64_t)entry[1] + entry[2];

		if (entry[0] == 0)
			ok = verify_report(v, BTF_RULE_REF_TO_VOID, id, i, 0);
		if (is_open)
			continue;
		if (entry[1] < last_end || entry[1] >= section_bytes)
			ok = verify_report(v, BTF_RULE_DATASEC_OFFSET, id, i, entry[1]);
		else if (entry[2] == 0 || end > section_bytes)
			ok = verify_report(v, BTF_RULE_DATASEC_END, id, i, entry[2]);
		last_end = end;
	}
	return ok;
}

static uint32_t last_linkage(const struct verifier *v)
{
	return v->options->dialect == BTF_DIALECT_OBJECT ? BTF_LINKAGE_EXTERN : BTF_LINKAGE_GLOBAL;
}

/* What no id can be is refused even where references are not followed. */
static bool has_ids(struct verifier *v, uint32_t id, const uint32_t *record)
{
	static const uint32_t unseen = 1u << BTF_FUNC | 1u << BTF_FUNC_PROTO | 1u << BTF_DECL_TAG;
	uint32_t wrong = 0;

	if (!v->options->as_module || kind_bit(btf_info_kind(record[BTF_WORD_INFO])) & unseen)
		return true;
	btf_each_ref(word, record)
		wrong = record[word] > BTF_TYPE_ID_MAX ? record[word] : wrong;
	return !wrong || verify_fail(v, BTF_RULE_REF_MISSING, id, wrong);
}

static bool check_body(struct verifier *v, uint32_t id, const uint32_t *record)
{
	uint32_t info = record[BTF_WORD_INFO], size = record[BTF_WORD_SIZE];
	uint32_t data = btf_record_words(info) > BTF_HEAD_WORDS ? record[BTF_HEAD_WORDS] : 0;
	uint32_t bits = (data & 0xff) + (data >> 16 & 0xff);
	uint32_t encoding = data >> 24 & 0xf;

	switch (btf_info_kind(info)) {
	case BTF_INT:
		if (data & ~KNOWN_INT_BITS)
			return verify_fail(v, BTF_RULE_INT_RESERVED, id, data);
		if (bits > MAX_INT_BITS || (bits + 7) / 8 > size)
			return verify_fail(v, BTF_RULE_INT_BITS, id, bits);
		return !(encoding & (encoding - 1) || encoding > BTF_INT_BOOL) ||
		       verify_fail(v, BTF_RULE_INT_ENCODING, id, encoding);
	case BTF_ARRAY:
		if (record[BTF_WORD_SIZE])
			return verify_fail(v, BTF_RULE_SIZE_NONZERO, id, size);
		return (record[BTF_HEAD_WORDS] && record[BTF_HEAD_WORDS + 1]) ||
		       verify_fail(v, BTF_RULE_REF_TO_VOID, id, 0);
	case BTF_STRUCT:
	case BTF_UNION:
		return check_members(v, id, record);
	case BTF_ENUM:
	case BTF_ENUM64:
		return check_enumerators(v, id, record);
	case BTF_FWD:
		return size == 0 || verify_fail(v, BTF_RULE_SIZE_NONZERO, id, size);
	case BTF_FUNC:
		return btf_info_vlen(info) <= last_linkage(v) ||
		       verify_fail(v, BTF_RULE_FUNC_LINKAGE, id, btf_info_vlen(info));
	case BTF_VAR:
		if (record[BTF_WORD_TYPE] == 0)
			return verify_fail(v, BTF_RULE_REF_TO_VOID, id, 0);
		return data <= last_linkage(v) ||
		       verify_fail(v, BTF_RULE_VAR_LINKAGE, id, data);
	case BTF_DATASEC:
		return btf_info_kind_flag(info) ? verify_location(v, id, record)
						: check_entries(v, id, record);
	case BTF_FLOAT:
		return size == 2 || size == 4 || size == 8 || size == 12 || size == 16 ||
		       verify_fail(v, BTF_RULE_FLOAT_SIZE, id, size);
	case BTF_DECL_TAG:
		return data < COMPONENT_NEGATIVE || data == COMPONENT_NONE ||
		       verify_fail(v, BTF_RULE_TAG_COMPONENT, id, data);
	case BTF_LOC_PARAM:
	case BTF_LOC_PROTO:
	case BTF_LOCSEC:
	case BTF_LOC:
		return verify_location(v, id, record);
	default:
		return true;
	}
}

void verify_records(struct verifier *v)
{
	const struct btf_reader *btf = v->btf;
	uint32_t at = btf->indexed_words, info;

	for (uint32_t id = btf->first_id; id < v->end_id; id++) {
		const uint32_t *record = type_words(v, id);

		if (!check_head(v, id, record) || !check_body(v, id, record) ||
		    !has_ids(v, id, record))
			v->visits[id - v->first_id] = VISIT_BAD;
	}
	if (btf->complete)
		return;
	/* The record after the last one that the reader could index. */
	info = btf->word_count - at < BTF_HEAD_WORDS ? 0 : btf->words[at + BTF_WORD_INFO];
	if (btf->word_count - at >= BTF_HEAD_WORDS && !btf_kind_exists(info))
		verify_fail(v, BTF_RULE_KIND_UNKNOWN, v->end_id, btf_info_kind(info));
	else if (unknown_bits(v, info))
		verify_fail(v, BTF_RULE_INFO_RESERVED, v->end_id, info);
	else
		verify_fail(v, BTF_RULE_TYPE_TRUNCATED, v->end_id,
			    btf->header.type_bytes - at * (uint32_t)sizeof(uint32_t));
}
