/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * A member of a struct or union against the type that it has in the end (modifiers skipped): its
 * alignment, its bit-field width, and that it ends inside the struct.
 *
 * With kind_flag the offset word holds a bit-field's width in bits 24-31. Without it, bit-fields
 * are INTs with an odd number of bits (the old encoding).
 */
#include "btf/verify/verify_state.h"

#define MAX_COPY_BITS 128
#define ENUM_BITS     32 /* the kernel takes every enum for an int here */

uint32_t verify_record_size(const struct verifier *v, const uint32_t *words)
{
	enum btf_kind kind = btf_info_kind(words[BTF_WORD_INFO]);

	if (kind == BTF_PTR)
		return v->pointer_bytes;
	return btf_kinds[kind].has_size ? words[BTF_WORD_SIZE] : 0;
}

/*
 * A base's types are taken as good, as the kernel takes them: they are not walked. They are still
 * only input, so ids are checked and the steps are counted. 0: the base is damaged.
 */
uint32_t verify_end_in_base(const struct verifier *v, uint32_t id)
{
	for (uint32_t steps = 0; id < v->btf->first_id && steps < 2 * MAX_DEPTH; steps++) {
		if (!(type_bit(v, id) & (BTF_MODIFIERS | 1u << BTF_VAR)))
			return id;
		id = type_words(v, id)[BTF_WORD_TYPE];
	}
	return 0;
}

static enum sized sized_in_base(const struct verifier *v, uint32_t *id, uint32_t *size)
{
	uint32_t end = verify_end_in_base(v, *id);
	uint32_t type = end;
	uint32_t count = 1;

	for (uint32_t steps = 0; type_bit(v, type) & 1u << BTF_ARRAY; steps++) {
		if (steps == MAX_DEPTH)
			return SIZED_UNKNOWN;
		count *= type_words(v, type)[BTF_HEAD_WORDS + 2];
		type = verify_end_in_base(v, type_words(v, type)[BTF_HEAD_WORDS]);
	}
	if (type_bit(v, type) & SIZELESS)
		return SIZED_NO;
	*size = count * verify_record_size(v, type_words(v, type));
	*id = end;
	return SIZED_YES;
}

enum sized verify_sized(const struct verifier *v, uint32_t *id, uint32_t *size)
{
	uint32_t end = *id;
	uint32_t bit = type_bit(v, end);

	if (end >= v->btf->first_id && bit & (BTF_MODIFIERS | 1u << BTF_VAR)) {
		if (type_visit(v, end) == VISIT_BAD || type_visit(v, end) == VISIT_OPEN)
			return SIZED_UNKNOWN;
		end = type_end(v, end);
		bit = type_bit(v, end);
	}
	if (end < v->btf->first_id) {
		*id = end;
		return sized_in_base(v, id, size);
	}
	if (bit & SIZELESS)
		return SIZED_NO;
	/* A modifier ends at a modifier only if that was reported: see settle(). */
	if (bit & BTF_MODIFIERS || (bit & 1u << BTF_ARRAY && type_visit(v, end) == VISIT_BAD))
		return SIZED_UNKNOWN;
	*size = v->sizes[end - v->first_id];
	*id = end;
	return SIZED_YES;
}

/* An INT that fills its power of two bytes from bit 0: no bit-field in disguise. */
bool verify_int_is_plain(const uint32_t *record)
{
	uint32_t data = record[BTF_HEAD_WORDS];
	uint32_t bits = data & 0xff;

	return (data >> 16 & 0xff) == 0 && bits >= 8 && bits <= 128 && (bits & (bits - 1)) == 0;
}

struct member {
	uint32_t struct_id;
	uint32_t element;
	uint32_t struct_bytes;
	uint32_t offset_bits;
	uint32_t bits;			/* 0: not a bit-field by kind_flag */
	bool kind_flag;
};

static bool fail(struct verifier *v, const struct member *m, enum btf_rule rule, uint32_t value)
{
	return verify_report(v, rule, m->struct_id, m->element, value);
}

static bool check_bits(struct verifier *v, const struct member *m, uint32_t offset, uint32_t bits)
{
	uint32_t touched = offset % 8 + bits;
	uint32_t first_byte = offset / 8;

	if (touched > MAX_COPY_BITS)
		return fail(v, m, BTF_RULE_MEMBER_BITS, touched);
	if (m->struct_bytes < first_byte || m->struct_bytes - first_byte < (touched + 7) / 8)
		return fail(v, m, BTF_RULE_MEMBER_END, offset);
	return true;
}

static bool check_int(struct verifier *v, const struct member *m, const uint32_t *type)
{
	uint32_t data = type[BTF_HEAD_WORDS];
	uint32_t type_bits = data & 0xff;
	uint32_t offset;

	if (!m->kind_flag) {
		if (__builtin_add_overflow(m->offset_bits, data >> 16 & 0xff, &offset))
			return fail(v, m, BTF_RULE_MEMBER_OFFSET, m->offset_bits);
		return check_bits(v, m, offset, type_bits);
	}
	if (!verify_int_is_plain(type))
		return fail(v, m, BTF_RULE_MEMBER_BASE, type_bits);
	if (m->bits == 0 && m->offset_bits % 8)
		return fail(v, m, BTF_RULE_MEMBER_ALIGN, m->offset_bits);
	if (m->bits > type_bits)
		return fail(v, m, BTF_RULE_MEMBER_BITS, m->bits);
	return check_bits(v, m, m->offset_bits, m->bits ? m->bits : type_bits);
}

bool verify_member(struct verifier *v, uint32_t id, uint32_t element)
{
	const uint32_t *record = type_words(v, id);
	const uint32_t *words = btf_element(record, element);
	uint32_t info = record[BTF_WORD_INFO];
	struct member m = {
		.struct_id = id,
		.element = element,
		.struct_bytes = record[BTF_WORD_SIZE],
		.offset_bits = btf_member_offset(info, words),
		.bits = btf_member_bits(info, words),
		.kind_flag = btf_info_kind_flag(info),
	};
	uint32_t type = words[1], size = 0, align_bytes = 1, bits;
	enum sized sized = verify_sized(v, &type, &size);

	if (sized == SIZED_NO)
		return fail(v, &m, BTF_RULE_REF_NO_SIZE, words[1]);
	if (sized == SIZED_UNKNOWN || type_visit(v, type) == VISIT_BAD)
		return true;
	switch (type_kind(v, type)) {
	case BTF_INT:
		return check_int(v, &m, type_words(v, type));
	case BTF_ENUM:
	case BTF_ENUM64:
		if (!m.kind_flag)
			break;
		bits = m.bits ? m.bits : ENUM_BITS;
		if (m.bits == 0 && m.offset_bits % 8)
			return fail(v, &m, BTF_RULE_MEMBER_ALIGN, m.offset_bits);
		if (bits > ENUM_BITS)
			return fail(v, &m, BTF_RULE_MEMBER_BITS, bits);
		return check_bits(v, &m, m.offset_bits, bits);
	case BTF_FLOAT:
		/* 0 can only come from a damaged base. */
		align_bytes = size < v->pointer_bytes ? size : v->pointer_bytes;
		break;
	default:
		break;
	}
	if (m.bits)
		return fail(v, &m, BTF_RULE_MEMBER_BITS, m.bits);
	if (align_bytes && m.offset_bits % (align_bytes * 8))
		return fail(v, &m, BTF_RULE_MEMBER_ALIGN, m.offset_bits);
	/* The first pass has made sure that offset_bits / 8 <= struct_bytes. */
	return m.struct_bytes - m.offset_bits / 8 >= size ||
	       fail(v, &m, BTF_RULE_MEMBER_END, m.offset_bits);
}
