/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "btf/members.h"

bool btf_members_enter(struct btf_members *walk, const uint32_t *record, uint64_t begin_bits)
{
	if (walk->depth == BTF_MEMBERS_DEPTH)
		return false;
	walk->bodies[walk->depth++] = (struct btf_body){ record, 0, begin_bits };
	return true;
}

bool btf_members_next(struct btf_members *walk)
{
	struct btf_body *body;

	if (!walk->depth)
		return false;
	body = &walk->bodies[walk->depth - 1];
	walk->has_ended = body->next == btf_info_vlen(body->record[BTF_WORD_INFO]);
	if (!walk->has_ended)
		body->next++;
	else if (--walk->depth)
		body--;
	else
		return true;
	walk->info = body->record[BTF_WORD_INFO];
	walk->words = body->record + BTF_HEAD_WORDS + 3 * (size_t)(body->next - 1);
	walk->offset_bits = body->begin_bits + btf_member_offset(walk->info, walk->words);
	return true;
}

struct btf_member_layout btf_members_layout(const struct btf_members *walk,
					    const struct btf_reader *btf, uint32_t pointer_bytes)
{
	const uint32_t *words = walk->words, *bit_int = NULL;
	struct btf_member_layout member = {
		.type = words[1],
		.offset_bits = walk->offset_bits,
		.size_bits = btf_type_bits(btf, words[1], pointer_bytes, &bit_int),
	};
	uint32_t bits = btf_member_bits(walk->info, words);

	member.is_bitfield = bits || (bit_int && !btf_info_kind_flag(walk->info));
	if (bits) {
		member.size_bits = bits;
	} else if (member.is_bitfield) {
		member.size_bits = bit_int[BTF_HEAD_WORDS] & 0xff;
		member.offset_bits += bit_int[BTF_HEAD_WORDS] >> 16 & 0xff;
	}
	return member;
}
