/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Names as 32-bit keys, so that names are compared and hashed without touching characters.
 *
 * A name in .debug_str is its offset + 1: the linker merges that section, so equal names have equal
 * keys nearly always. All other names (inline ones, .debug_line_str) are interned here by content.
 * Equal keys mean equal names; two keys may still mean the same name (an unmerged .debug_str, a
 * name both inline and in .debug_str): callers that need identity map keys to one pool in the end.
 *
 * One table per worker; the characters live as long as the object, with `copies` as the table.
 */
#ifndef BTFENC_DWARF_NAME_TABLE_H
#define BTFENC_DWARF_NAME_TABLE_H

#include <string.h>

#include "base/hash_table.h"
#include "dwarf/die_cursor.h"

#define NAME_NONE 0u
#define NAME_KEY_INTERNED 0x80000000u

/* A name in .debug_str that has been interned. */
struct name_memo {
	uint32_t offset;	/* + 1; 0: none */
	uint32_t key;
};

struct name_table {
	const struct object *object;
	const char *debug_str;
	ARRAY_OF(const char *) interned;
	struct hash_table by_text;	/* index into interned + 1 */
	struct hash_table shorts;	/* keys, by hash_number() of up to three characters */
	bool copies;			/* of names between DIEs: their pages will be given back */
	ARRAY_OF(char *) blocks;	/* of copied characters */
	char *block_next;		/* in the last of them */
	size_t block_left;
	bool intern_all;		/* .debug_str by content, too: several units, or unmerged */
	struct name_memo *memos;	/* then: of recent offsets; NULL until needed */
	uint32_t memo_bits;		/* log2 of their number */
	const char *prefix;		/* a name that begins with it is read as it; or NULL */
	size_t prefix_length;
};

void name_table_init(struct name_table *names, const struct object *object);
void name_table_release(struct name_table *names);

/*
 * The key of the name in a string slot; NAME_NONE when the DIE has none. An empty name in
 * .debug_str has a key: looking at each would cost more than it is worth, so who needs to know
 * looks. A bad offset poisons the cursor.
 */
uint32_t name_table_key(struct name_table *names, struct die_cursor *cursor,
			const struct die *die, enum die_slot slot);

/* The key of the name at an offset that is inside .debug_str. */
uint32_t name_table_key_at(struct name_table *names, uint32_t str_offset);

/*
 * The key of a name of up to three characters, which are in `text` in the order of memory, zeros
 * after them; `where` they are. Half of the members with such a name are called id, len or dev:
 * 3 ns instead of the 25 of interning.
 */
uint32_t name_table_short(struct name_table *names, uint32_t text, const char *where);

/* The key of a string that is copied. */
uint32_t name_table_copy(struct name_table *names, const char *text);

/* The key of a string that outlives the table. */
uint32_t name_table_literal(struct name_table *names, const char *text);

static inline const char *name_table_text(const struct name_table *names, uint32_t key)
{
	const char *text = key & NAME_KEY_INTERNED
		? names->interned.data[key & ~NAME_KEY_INTERNED]
		: key ? names->debug_str + key - 1 : "";

	if (names->prefix && strncmp(text, names->prefix, names->prefix_length) == 0)
		return names->prefix;
	return text;
}

#endif
