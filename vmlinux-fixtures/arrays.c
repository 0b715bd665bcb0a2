/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Arrays: flexible members, zero-length ones, several dimensions, arrays of pointers to arrays,
 * arrays of typedefs that are arrays, of qualified elements, and one that is only declared
 * without a bound. BTF knows one dimension and one element count, DWARF a list of subranges.
 */
#include "kernel.h"

typedef u32 vec4[4];
typedef vec4 mat4[4];
typedef const char *const name_table[];

struct flex_message {
	u16 length;
	u8 kind;
	u8 payload[];
};

struct flex_records {
	int count;
	struct {
		u32 key;
		u32 value;
	} record[];
};

struct zero_length {
	u32 head;
	u8 marker[0];
	u32 body;
	struct flex_message messages[0];
};

struct arrays {
	int plain[3];
	int grid[2][3];
	u8 cube[2][3][4];
	int (*to_array)[5];
	int (*array_of_pointers_to_arrays[2])[7];
	int *(*pointer_to_array_of_pointers)[6];
	mat4 matrix;
	vec4 *rows[2];
	const volatile u16 registers[8];
	int empty_grid[0][4];
	struct list_head heads[2][2];
	char name[16];
};

extern const char *const table_elsewhere[];

__visible const char *const table_elsewhere[] = { "zero", "one", "two" };
__visible name_table table_typedef = { "north", "south" };
__visible struct arrays arrays_global;

__visible int arrays_first(const struct arrays *a, struct zero_length *z, struct flex_records *r)
{
	return a->plain[0] + a->grid[1][2] + a->cube[1][0][3] + (*a->to_array)[1] + (int)z->body +
	       (int)r->record[0].key;
}

/* Array parameters decay: the prototypes have pointers, one of them to an array of 4. */
__visible int arrays_decay(int values[8], const u32 rows[][4], mat4 matrix, int n)
{
	int local[4] = { n, n + 1, n + 2, n + 3 };

	return values[n & 7] + (int)rows[0][1] + (int)matrix[0][0] + hide_pointer(&local[0])[n & 3];
}
