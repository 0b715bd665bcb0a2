/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "types.h"

#include <string.h>

#define SCALAR(text, k, c, bytes, often)                                                           \
	{ .name = (text), .kind = (k), .size = (bytes), .weight = (often),                         \
	  .members = { { "", (text), (c), 0, (bytes) } } }
#define ADDRESS(text, k, often, any, always)                                                       \
	{ .name = (text), .kind = (k), .size = 8, .weight = (often), .value = (any),               \
	  .constant = (always), .members = { { "", (text), 'i', 0, 8 } } }
#define AGGREGATE(text, bytes, often, ...)                                                         \
	{ .name = (text), .kind = TYPE_AGGREGATE, .size = (bytes), .weight = (often),              \
	  .members = { __VA_ARGS__ } }

struct type types[] = {
	SCALAR("int", TYPE_INTEGER, 'i', 4, 30),
	SCALAR("unsigned int", TYPE_INTEGER, 'i', 4, 16),
	SCALAR("long", TYPE_INTEGER, 'i', 8, 20),
	SCALAR("unsigned long", TYPE_INTEGER, 'i', 8, 20),
	SCALAR("_Bool", TYPE_INTEGER, 'i', 1, 8),
	SCALAR("char", TYPE_INTEGER, 'i', 1, 4),
	SCALAR("unsigned char", TYPE_INTEGER, 'i', 1, 6),
	SCALAR("short", TYPE_INTEGER, 'i', 2, 4),
	SCALAR("unsigned short", TYPE_INTEGER, 'i', 2, 6),
	SCALAR("enum color", TYPE_INTEGER, 'i', 4, 4),
	SCALAR("__int128", TYPE_INTEGER, 'i', 16, 2),
	SCALAR("float", TYPE_FLOAT, 'f', 4, 4),
	SCALAR("double", TYPE_FLOAT, 'f', 8, 6),
	ADDRESS("struct node *", TYPE_NODE, 50, "&truth_nodes[n >> 1 & 7]", "&truth_nodes[3]"),
	ADDRESS("const struct node *", TYPE_NODE, 16, "&truth_nodes[n & 7]", "&truth_nodes[5]"),
	ADDRESS("void *", TYPE_POINTER, 10, "(char *)truth_nodes + (n & 63)", "truth_nodes"),
	ADDRESS("const char *", TYPE_POINTER, 8, "truth_text + (n & 31)", "truth_text"),
	ADDRESS("int *", TYPE_POINTER, 10, "&truth_ints[n & 7]", "&truth_ints[2]"),
	ADDRESS("truth_callback", TYPE_CALLBACK, 6, "(n & 1 ? truth_callback_a : truth_callback_b)",
		"truth_callback_a"),
	AGGREGATE("struct s1", 1, 2, { ".a", "unsigned char", 'i', 0, 1 }),
	AGGREGATE("struct s3", 3, 1, { ".a", "unsigned char", 'i', 0, 1 },
		  { ".b", "unsigned char", 'i', 1, 1 }, { ".c", "unsigned char", 'i', 2, 1 }),
	AGGREGATE("struct s4", 4, 3, { ".a", "short", 'i', 0, 2 }, { ".b", "short", 'i', 2, 2 }),
	AGGREGATE("struct s6", 6, 1, { ".a", "unsigned short", 'i', 0, 2 },
		  { ".b", "unsigned short", 'i', 2, 2 }, { ".c", "unsigned short", 'i', 4, 2 }),
	AGGREGATE("struct s8", 8, 5, { ".a", "int", 'i', 0, 4 }, { ".b", "int", 'i', 4, 4 }),
	AGGREGATE("struct s8_long", 8, 5, { ".a", "long", 'i', 0, 8 }),
	AGGREGATE("struct s8_bits", 8, 1, { ".a", "b:12", 'i', 0, 0 }, { ".b", "b:20", 'i', 0, 4 },
		  { ".c", "b:32", 'i', 4, 4 }),
	AGGREGATE("struct s8_array", 8, 1, { ".a[0]", "unsigned char", 'i', 0, 1 },
		  { ".a[1]", "unsigned char", 'i', 1, 1 }, { ".a[2]", "unsigned char", 'i', 2, 1 },
		  { ".a[3]", "unsigned char", 'i', 3, 1 }, { ".a[4]", "unsigned char", 'i', 4, 1 },
		  { ".a[5]", "unsigned char", 'i', 5, 1 }, { ".a[6]", "unsigned char", 'i', 6, 1 },
		  { ".a[7]", "unsigned char", 'i', 7, 1 }),
	AGGREGATE("struct s12", 12, 2, { ".a", "int", 'i', 0, 4 }, { ".b", "int", 'i', 4, 4 },
		  { ".c", "int", 'i', 8, 4 }),
	AGGREGATE("struct s16", 16, 5, { ".a", "long", 'i', 0, 8 }, { ".b", "long", 'i', 8, 8 }),
	AGGREGATE("struct s16_pointer", 16, 4, { ".a", "struct node *", 'i', 0, 8 },
		  { ".b", "int", 'i', 8, 4 }),
	AGGREGATE("struct s16_nested", 16, 2, { ".a.a", "int", 'i', 0, 4 },
		  { ".a.b", "int", 'i', 4, 4 }, { ".b.a", "short", 'i', 8, 2 },
		  { ".b.b", "short", 'i', 10, 2 }, { ".c", "int", 'i', 12, 4 }),
	AGGREGATE("struct s8_floats", 8, 1, { ".a", "float", 'f', 0, 4 },
		  { ".b", "float", 'f', 4, 4 }),
	AGGREGATE("struct s8_mixed", 8, 2, { ".a", "float", 'f', 0, 4 },
		  { ".b", "int", 'i', 4, 4 }),
	AGGREGATE("struct s8_double", 8, 1, { ".a", "double", 'f', 0, 8 }),
	AGGREGATE("struct s16_double_long", 16, 2, { ".a", "double", 'f', 0, 8 },
		  { ".b", "long", 'i', 8, 8 }),
	AGGREGATE("struct s16_long_double", 16, 2, { ".a", "long", 'i', 0, 8 },
		  { ".b", "double", 'f', 8, 8 }),
	AGGREGATE("struct s12_floats", 12, 1, { ".a", "float", 'f', 0, 4 },
		  { ".b", "float", 'f', 4, 4 }, { ".c", "float", 'f', 8, 4 }),
	AGGREGATE("struct s16_floats", 16, 1, { ".a", "float", 'f', 0, 4 },
		  { ".b", "float", 'f', 4, 4 }, { ".c", "int", 'i', 8, 4 },
		  { ".d", "float", 'f', 12, 4 }),
	AGGREGATE("struct s24", 24, 5, { ".a", "long", 'i', 0, 8 }, { ".b", "long", 'i', 8, 8 },
		  { ".c", "long", 'i', 16, 8 }),
	AGGREGATE("struct s20", 20, 2, { ".a", "int", 'i', 0, 4 }, { ".b", "int", 'i', 4, 4 },
		  { ".c", "int", 'i', 8, 4 }, { ".d", "int", 'i', 12, 4 },
		  { ".e", "int", 'i', 16, 4 }),
	AGGREGATE("struct s64", 64, 2, { ".a[0]", "long", 'i', 0, 8 },
		  { ".a[1]", "long", 'i', 8, 8 }, { ".a[2]", "long", 'i', 16, 8 },
		  { ".a[3]", "long", 'i', 24, 8 }, { ".a[4]", "long", 'i', 32, 8 },
		  { ".a[5]", "long", 'i', 40, 8 }, { ".a[6]", "long", 'i', 48, 8 },
		  { ".a[7]", "long", 'i', 56, 8 }),
	AGGREGATE("struct s5_packed", 5, 1, { ".a", "char", 'i', 0, 1 },
		  { ".b", "int", 'i', 1, 4 }),
	AGGREGATE("struct s9_packed", 9, 1, { ".a", "long", 'i', 0, 8 },
		  { ".b", "char", 'i', 8, 1 }),
	AGGREGATE("union u8", 8, 2, { ".a", "long", 'i', 0, 8 }),
	AGGREGATE("union u16", 16, 1, { ".a.a", "long", 'i', 0, 8 }, { ".a.b", "long", 'i', 8, 8 }),
};

const unsigned int type_count = sizeof(types) / sizeof(types[0]);

void types_for_32_bits(void)
{
	for (unsigned int i = 0; i < type_count; i++) {
		struct type *type = &types[i];
		unsigned int saved = 0;

		/* There is none. */
		if (type->members[0].size == 16)
			type->weight = 0;
		for (unsigned int j = 0; j < type_member_count(type); j++) {
			struct type_member *member = &type->members[j];

			member->offset -= saved;
			if (!type->value && !strchr(member->type, '*'))
				continue;
			member->size = 4;
			saved = 4;
		}
		/* A pointer in a struct goes with an int, and what was padding is gone, too. */
		if (saved)
			type->size = type->kind == TYPE_AGGREGATE ? 8 : 4;
	}
}

unsigned int type_words(const struct type *type)
{
	return (type->size + 7) / 8;
}

unsigned int type_member_count(const struct type *type)
{
	unsigned int count = 0;

	while (count < MEMBERS_MAX && type->members[count].path)
		count++;
	return count;
}

bool type_is_scalar(const struct type *type)
{
	return type->kind != TYPE_AGGREGATE;
}
