/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The verifier's view of strings: the string section as a whole, what each string is good for,
 * and the warnings about duplicate strings and names that begin inside a string.
 *
 * All strings are classified in one pass in memory order; the records only look up the result.
 */
#include "btf/verify/verify_state.h"

#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/hash_table.h"

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

#define ALL_CLASSES (NAME_CLASS_IDENTIFIER | NAME_CLASS_PRINTABLE | NAME_CLASS_TEXT)

/* No further than the longest name: many may end in one that is as long as the section. */
static unsigned classify(const char *string)
{
	const unsigned char *c = (const unsigned char *)string;
	const unsigned char *end = c + BTF_NAME_BYTES_MAX;
	unsigned all = ALL_CLASSES;

	if (!*c)
		return NAME_CLASS_SEEN;
	if (!(character_classes[*c] & NAME_CLASS_FIRST))
		all &= ~(unsigned)NAME_CLASS_IDENTIFIER;
	for (; *c && c < end; c++)
		all &= character_classes[*c] | (unsigned)NAME_CLASS_TEXT;
	return NAME_CLASS_SEEN | (*c ? (unsigned)NAME_CLASS_TEXT : all);
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
	const struct btf_reader *owner;
	unsigned good_for = known ? *known : 0;

	if (string && !good_for)
		good_for = classify(string);
	for (owner = v->btf; name < owner->first_string;)
		owner = owner->base;
	/* In a base, where others make no tails, it shows that this is another one. */
	if (string && (!known || !*known) && name > owner->first_string && string[-1])
		verify_report_text(v, BTF_RULE_STRING_TAIL, id, element, name, string);
	if (known && !*known)
		*known = (uint8_t)good_for;
	if (name == 0 || (string && !*string))
		rule = BTF_RULE_NAME_MISSING;
	else if (!string)
		rule = BTF_RULE_NAME_OFFSET;
	else if ((good_for & wanted) == wanted)
		return true;
	else if (string[btf_name_length(string)])
		rule = BTF_RULE_NAME_LENGTH;
	if (rule == BTF_RULE_NAME_MISSING && wanted == NAME_CLASS_SEEN)
		return true;
	verify_report_text(v, rule, id, element, name, string);
	return false;
}

static void check_duplicates(struct verifier *v)
{
	const struct btf_reader *btf = v->btf;
	struct hash_table seen = { 0 };	/* offset + 1 */
	uint32_t starts = 0, length;

	for (uint32_t at = 0; at < btf->string_bytes; at++)
		starts += v->names[at] != 0;
	hash_table_reserve(&seen, starts);
	for (uint32_t at = 0; at < btf->string_bytes; at += length + 1) {
		const char *string = btf->strings + at;
		uint32_t hash;

		length = (uint32_t)strlen(string);
		/* NULs at the end pad a section that has to keep its size. */
		if (!length)
			continue;
		hash = hash_bytes(string, length);
		if (hash_table_find(i, &seen, hash, strcmp(btf->strings + i - 1, string) == 0))
			verify_report_text(v, BTF_RULE_STRING_DUPLICATE, 0, BTF_NO_ELEMENT,
					   btf->first_string + at, string);
		else
			hash_table_add(&seen, hash, at + 1);
	}
	hash_table_release(&seen);
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
			size_t length = end - start;

			/* classify() of a string that has only an identifier's characters. */
			is_plain &= !(block.odd & below);
			if (is_plain && length && length <= BTF_NAME_BYTES_MAX &&
			    character_classes[(uint8_t)strings[start]] & NAME_CLASS_FIRST)
				v->names[start] = NAME_CLASS_SEEN | ALL_CLASSES;
			else
				v->names[start] = (uint8_t)classify(strings + start);
			block.odd &= ~below;
			start = end + 1;
			is_plain = true;
		}
		is_plain &= !block.odd;
	}
	return start;
}

void verify_strings(struct verifier *v)
{
	const struct btf_reader *btf = v->btf;
	uint32_t bytes = btf->header.string_bytes;
	bool is_too_large = bytes > BTF_NAME_OFFSET_MAX + 1u &&
			    v->options->dialect != BTF_DIALECT_EXTRA;

	if (bytes ? is_too_large : !btf->base) {
		verify_fail(v, BTF_RULE_STRINGS_SIZE, 0, bytes);
	} else if (bytes) {
		if (btf->strings[bytes - 1])
			verify_fail(v, BTF_RULE_STRINGS_END, 0, bytes);
		if (btf->strings[0] && !btf->base)
			verify_fail(v, BTF_RULE_STRINGS_START, 0, 0);
	}
	for (uint32_t at = classify_blocks(v); at < btf->string_bytes;) {
		v->names[at] = (uint8_t)classify(btf->strings + at);
		at += (uint32_t)strlen(btf->strings + at) + 1;
	}
	if (!v->options->errors_only)
		check_duplicates(v);
}
