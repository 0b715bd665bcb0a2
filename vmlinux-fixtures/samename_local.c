/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Same names within one unit: structs that are local to functions. struct scratch has different
 * members in either function, struct scratch_box looks the same in both but holds the other
 * scratch, and struct scratch_same really is the same in both. Nested blocks shadow a name once
 * more.
 */
#include "kernel.h"

__visible int local_first(const void *data)
{
	struct scratch {
		int number;
		short half;
	};
	struct scratch_box {
		struct scratch *scratch;
		struct scratch_box *next;
	};
	struct scratch_same {
		int same;
	};
	const struct scratch_box *box = data;
	const struct scratch_same *same = (const void *)(box + 1);

	return box->scratch->number + box->next->scratch->half + same->same;
}

__visible int local_second(const void *data)
{
	struct scratch {
		const char *text;
		u64 length;
	};
	struct scratch_box {
		struct scratch *scratch;
		struct scratch_box *next;
	};
	struct scratch_same {
		int same;
	};
	const struct scratch_box *box = data;
	const struct scratch_same *same = (const void *)(box + 1);

	if (box->next) {
		struct scratch {
			u8 shadow;
		};
		const struct scratch *inner = (const void *)(same + 1);

		return inner->shadow;
	}
	return box->scratch->text[0] + (int)box->scratch->length + same->same;
}
