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

#define LONG(name, at)	 { name, "long", 'i', at, 8 }
#define INT(name, at)	 { name, "int", 'i', at, 4 }
#define SHORT(name, at)	 { name, "short", 'i', at, 2 }
#define USHORT(name, at) { name, "unsigned short", 'i', at, 2 }
#define UCHAR(name, at)	 { name, "unsigned char", 'i', at, 1 }
#define FLOAT(name, at)	 { name, "float", 'f', at, 4 }
#define DOUBLE(name, at) { name, "double", 'f', at, 8 }

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
	AGGREGATE("struct s1", 1, 2, UCHAR(".a", 0)),
	AGGREGATE("struct s3", 3, 1, UCHAR(".a", 0), UCHAR(".b", 1), UCHAR(".c", 2)),
	AGGREGATE("struct s4", 4, 3, SHORT(".a", 0), SHORT(".b", 2)),
	AGGREGATE("struct s6", 6, 1, USHORT(".a", 0), USHORT(".b", 2), USHORT(".c", 4)),
	AGGREGATE("struct s8", 8, 5, INT(".a", 0), INT(".b", 4)),
	AGGREGATE("struct s8_long", 8, 5, LONG(".a", 0)),
	AGGREGATE("struct s8_bits", 8, 1, { ".a", "b:12", 'i', 0, 0 }, { ".b", "b:20", 'i', 0, 4 },
		  { ".c", "b:32", 'i', 4, 4 }),
	AGGREGATE("struct s8_array", 8, 1, UCHAR(".a[0]", 0), UCHAR(".a[1]", 1), UCHAR(".a[2]", 2),
		  UCHAR(".a[3]", 3), UCHAR(".a[4]", 4), UCHAR(".a[5]", 5), UCHAR(".a[6]", 6),
		  UCHAR(".a[7]", 7)),
	AGGREGATE("struct s12", 12, 2, INT(".a", 0), INT(".b", 4), INT(".c", 8)),
	AGGREGATE("struct s16", 16, 5, LONG(".a", 0), LONG(".b", 8)),
	AGGREGATE("struct s16_pointer", 16, 4, { ".a", "struct node *", 'i', 0, 8 }, INT(".b", 8)),
	AGGREGATE("struct s16_nested", 16, 2, INT(".a.a", 0), INT(".a.b", 4), SHORT(".b.a", 8),
		  SHORT(".b.b", 10), INT(".c", 12)),
	AGGREGATE("struct s8_floats", 8, 1, FLOAT(".a", 0), FLOAT(".b", 4)),
	AGGREGATE("struct s8_mixed", 8, 2, FLOAT(".a", 0), INT(".b", 4)),
	AGGREGATE("struct s8_double", 8, 1, DOUBLE(".a", 0)),
	AGGREGATE("struct s16_double_long", 16, 2, DOUBLE(".a", 0), LONG(".b", 8)),
	AGGREGATE("struct s16_long_double", 16, 2, LONG(".a", 0), DOUBLE(".b", 8)),
	AGGREGATE("struct s12_floats", 12, 1, FLOAT(".a", 0), FLOAT(".b", 4), FLOAT(".c", 8)),
	AGGREGATE("struct s16_floats", 16, 1, FLOAT(".a", 0), FLOAT(".b", 4), INT(".c", 8),
		  FLOAT(".d", 12)),
	AGGREGATE("struct s24", 24, 5, LONG(".a", 0), LONG(".b", 8), LONG(".c", 16)),
	AGGREGATE("struct s20", 20, 2, INT(".a", 0), INT(".b", 4), INT(".c", 8), INT(".d", 12),
		  INT(".e", 16)),
	AGGREGATE("struct s64", 64, 2, LONG(".a[0]", 0), LONG(".a[1]", 8), LONG(".a[2]", 16),
		  LONG(".a[3]", 24), LONG(".a[4]", 32), LONG(".a[5]", 40), LONG(".a[6]", 48),
		  LONG(".a[7]", 56)),
	AGGREGATE("struct s5_packed", 5, 1, { ".a", "char", 'i', 0, 1 }, INT(".b", 1)),
	AGGREGATE("struct s9_packed", 9, 1, LONG(".a", 0), { ".b", "char", 'i', 8, 1 }),
	AGGREGATE("union u8", 8, 2, LONG(".a", 0)),
	AGGREGATE("union u16", 16, 1, LONG(".a.a", 0), LONG(".a.b", 8)),
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
