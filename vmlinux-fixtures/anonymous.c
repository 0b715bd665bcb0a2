/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Nameless things: anonymous structs and unions nested deeply in each other, two anonymous
 * structs of equal contents (they are one type in BTF), unions by value, typedefs of anonymous
 * types, anonymous enums, and an anonymous struct that refers to its own container.
 */
#include "kernel.h"

struct nested {
	int kind;
	union {
		struct {
			u32 a;
			union {
				struct {
					u16 low;
					struct {
						u8 third;
						union {
							u8 last;
							s8 last_signed;
						};
					};
				};
				u32 word;
			};
		};
		struct {
			struct nested *left, *right;
		};
		u64 raw[2];
	};
	enum { NESTED_NONE, NESTED_SOME = 5 } state;
	struct {
		struct nested *owner;
		struct {
			int x, y;
		} from, to;
	} link;
};

typedef union {
	u32 value;
	struct {
		u16 low, high;
	};
} split_t;

typedef enum { FLAVOR_SWEET, FLAVOR_SALT } flavor_t;

typedef struct {
	struct {
		int x, y;
	} at;
	split_t split;
	flavor_t flavor;
} place_t;

enum { LOOSE_CONSTANT = 77 };

__visible struct {
	int lonely;
	place_t place;
} nameless_global;

__visible u32 nested_walk(struct nested *n, place_t *place, split_t split)
{
	if (n->state == NESTED_SOME)
		return n->a + n->low + n->last + LOOSE_CONSTANT;
	return split.low + (u32)place->at.x + (u32)n->link.from.y;
}
