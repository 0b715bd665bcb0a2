/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The verifier's view of strings: the string section as a whole, what each string is good for,
 * and the warnings about duplicate strings and names that begin inside a string.
 *
 * All strings are classified in one pass in memory order; the records only look up the result.
 */
#include "btf/verify/verify_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/hash_table.h"
#include "base/memory.h"

#define MAX_NAME_BYTES 512 /* the kernel's KSYM_NAME_LEN since 6.1 */

/* Where strings begin, from the beginning of the BTF's own. */
typedef ARRAY_OF(uint32_t) start_array;

#define SIGN	NAME_CLASS_PRINTABLE
#define DIGIT	(SIGN | NAME_CLASS_IDENTIFIER)
#define LETTER	(DIGIT | NAME_CLASS_FIRST)

/* The kernel's isalpha() and isprint() know Latin-1, so 0xc0..0xff count as letters. */
static const uint8_t character_classes[256] = {
	[' ' ... '-'] = SIGN,	['.'] = LETTER,		['/'] = SIGN,
	['0' ... '9'] = DIGIT,	[':' ... '@'] = SIGN,	['A' ... 'Z'] = LETTER,
	['[' ... '^'] = SIGN,	['_'] = LETTER,		['`'] = SIGN,
	['a' ... 'z'] = LETTER, ['{' ... '~'] = SIGN,	[0xa0 ... 0xbf] = SIGN,
	[0xc0 ... 0xd6] = LETTER, [0xd7] = SIGN,	[0xd8 ... 0xf6] = LETTER,
	[0xf7] = SIGN,		[0xf8 ... 0xff] = LETTER,
};

#undef SIGN
#undef DIGIT
#undef LETTER

static unsigned classify(const char *string, size_t *length)
{
	const unsigned char *c = (const unsigned char *)string;
	unsigned all = NAME_CLASS_IDENTIFIER | NAME_CLASS_PRINTABLE | NAME_CLASS_TEXT;

	if (!(character_classes[*c] & NAME_CLASS_FIRST))
		all &= ~(unsigned)NAME_CLASS_IDENTIFIER;
	for (; *c; c++)
		all &= character_classes[*c] | (unsigned)NAME_CLASS_TEXT;
	*length = (size_t)((const char *)c - string);
	if (*length == 0)
		return NAME_CLASS_SEEN;
	if (*length > MAX_NAME_BYTES)
		all = NAME_CLASS_TEXT;
	return NAME_CLASS_SEEN | all;
}

#define EACH_BYTE(value) (UINT64_C(0x0101010101010101) * (value))
#define HIGH_BITS	 EACH_BYTE(0x80)

/* The high bit of each byte, all of them below 0x80, that is in a range. */
static inline uint64_t bytes_between(uint64_t bytes, unsigned first, unsigned last)
{
	return (bytes + EACH_BYTE(0x80 - first)) & ~(bytes + EACH_BYTE(0x7f - last)) & HIGH_BITS;
}

/* The high bit of each byte that may stand in an identifier, ASCII only. */
static inline uint64_t identifier_bytes(uint64_t bytes)
{
	uint64_t ascii = bytes & ~HIGH_BITS;

	return ~bytes & (bytes_between(ascii | EACH_BYTE(0x20), 'a', 'z') |
			 bytes_between(ascii, '0', '9') | bytes_between(ascii, '_', '_') |
			 bytes_between(ascii, '.', '.'));
}

/* Strings are looked at in blocks of so many bytes; a bit per byte says what there is. */
#define BLOCK_BYTES 64

struct block {
	uint64_t ends;			/* NULs */
	uint64_t odd;			/* what cannot stand in an identifier, without these */
};

/* The high bits of eight bytes, side by side; the first byte's is the lowest. */
static inline uint64_t gather_high_bits(uint64_t bytes)
{
	return (bytes & HIGH_BITS) * 0x0002040810204081u >> 56;
}

/* 1.3 MB of a kernel: 0.4 ms. */
static struct block look_at_block(const char *strings)
{
	struct block block = { 0 };

	for (unsigned i = 0; i < BLOCK_BYTES; i += 8) {
		uint64_t bytes = bytes_load_u64((const uint8_t *)strings + i, HOST_IS_BIG_ENDIAN);
		uint64_t not_nul = ((bytes & ~HIGH_BITS) + ~HIGH_BITS) | bytes;

		block.ends |= gather_high_bits(~not_nul) << i;
		block.odd |= gather_high_bits(not_nul & ~identifier_bytes(bytes)) << i;
	}
	return block;
}

bool verify_odd_name(struct verifier *v, uint32_t id, uint32_t element, uint32_t name,
		     unsigned wanted)
{
	const char *string = btf_reader_string(v->btf, name);
	uint8_t *known = string && name >= v->btf->first_string
				 ? &v->names[name - v->btf->first_string] : NULL;
	enum btf_rule rule = BTF_RULE_NAME_INVALID;
	size_t length;
	unsigned good_for = known ? *known : 0;

	if (string && !good_for)
		good_for = classify(string, &length);
	if (known && !*known) {
		*known = (uint8_t)good_for;
		if (name > v->btf->first_string && string[-1])
			verify_report_text(v, BTF_RULE_STRING_TAIL, id, element, name, string);
	}
	if (name == 0 || (string && !*string))
		rule = BTF_RULE_NAME_MISSING;
	else if (!string)
		rule = BTF_RULE_NAME_OFFSET;
	else if ((good_for & wanted) == wanted)
		return true;
	else if (strlen(string) > MAX_NAME_BYTES)
		rule = BTF_RULE_NAME_LENGTH;
	if (rule == BTF_RULE_NAME_MISSING && wanted == NAME_CLASS_SEEN)
		return true;
	verify_report_text(v, rule, id, element, name, string);
	return false;
}

static void report_section(struct verifier *v, enum btf_rule rule, uint32_t value)
{
	verify_report(v, rule, 0, BTF_NO_ELEMENT, value);
}

static void check_section(struct verifier *v)
{
	const struct btf_reader *btf = v->btf;
	uint32_t bytes = btf->header.string_bytes;

	if (bytes == 0 && btf->base)
		return;
	if (bytes == 0 || (bytes - 1 > BTF_MAX_NAME_OFFSET &&
			   v->options->dialect != BTF_DIALECT_EXTRA)) {
		report_section(v, BTF_RULE_STRINGS_SIZE, bytes);
		return;
	}
	if (btf->strings[bytes - 1])
		report_section(v, BTF_RULE_STRINGS_END, bytes);
	if (btf->strings[0] && !btf->base)
		report_section(v, BTF_RULE_STRINGS_START, 0);
}

static void check_duplicates(struct verifier *v, const start_array *starts)
{
	const struct btf_reader *btf = v->btf;
	struct hash_table seen = { 0 };	/* offset + 1 */

	hash_table_reserve(&seen, starts->count);
	for (size_t i = 0; i < starts->count; i++) {
		uint32_t at = starts->data[i];
		uint32_t end = i + 1 < starts->count ? starts->data[i + 1] : btf->string_bytes;
		const char *string = btf->strings + at;
		const uint64_t *slot;
		uint32_t hash;

		/* NULs at the end pad a section that has to keep its size (btf/padding.h). */
		if (!*string)
			continue;
		hash = hash_bytes(string, end - at - 1);
		slot = hash_table_first(&seen, hash);
		while (*slot && strcmp(btf->strings + hash_table_value(slot) - 1, string) != 0)
			slot = hash_table_next(&seen, slot);
		if (*slot)
			verify_report_text(v, BTF_RULE_STRING_DUPLICATE, 0, BTF_NO_ELEMENT,
					   btf->first_string + at, string);
		else
			hash_table_add(&seen, hash, at + 1);
	}
	hash_table_release(&seen);
}

/* classify() of a string of which it is known whether an identifier's characters are all it has. */
static unsigned classify_known(const char *string, size_t length, bool is_plain)
{
	if (is_plain && length && length <= MAX_NAME_BYTES &&
	    character_classes[(uint8_t)*string] & NAME_CLASS_FIRST)
		return NAME_CLASS_SEEN | NAME_CLASS_IDENTIFIER | NAME_CLASS_PRINTABLE |
		       NAME_CLASS_TEXT;
	return classify(string, &length);
}

/* The strings that end within whole blocks; returns where the next one starts. */
static uint32_t classify_blocks(struct verifier *v)
{
	const char *strings = v->btf->strings;
	uint32_t start = 0;
	bool is_plain = true;

	for (uint32_t at = 0; at + BLOCK_BYTES <= v->btf->string_bytes; at += BLOCK_BYTES) {
		struct block block = look_at_block(strings + at);

		for (; block.ends; block.ends &= block.ends - 1) {
			uint64_t below = (block.ends & -block.ends) - 1;
			uint32_t end = at + (uint32_t)__builtin_ctzll(block.ends);

			is_plain &= !(block.odd & below);
			v->names[start] = (uint8_t)classify_known(strings + start, end - start,
								  is_plain);
			block.odd &= ~below;
			start = end + 1;
			is_plain = true;
		}
		is_plain &= !block.odd;
	}
	return start;
}

static void collect_starts(const struct verifier *v, start_array *starts)
{
	for (uint32_t at = 0; at < v->btf->string_bytes; at++) {
		if (v->names[at])
			array_push(starts, at);
	}
}

void verify_strings(struct verifier *v)
{
	const struct btf_reader *btf = v->btf;
	start_array starts = { 0 };

	check_section(v);
	for (uint32_t at = classify_blocks(v); at < btf->string_bytes;) {
		size_t length;

		v->names[at] = (uint8_t)classify(btf->strings + at, &length);
		at += (uint32_t)length + 1;
	}
	if (v->options->errors_only)
		return;
	collect_starts(v, &starts);
	check_duplicates(v, &starts);
	array_release(&starts);
}
