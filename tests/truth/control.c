/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The control of the tracer: functions that are called as their prototypes say, and functions that
 * are not, as if a compiler had changed them. control.txt says what is passed, control.expected
 * what the tracer has to find.
 */
#include "truth.h"

#define OUTSIDE __attribute__((noinline))

/* Keeps the caller from knowing what it calls. */
#define POINTER(type, function) static type (*volatile function##_pointer)() = (void *)(function)

#define BEFORE(id, a, b, c)                                                                        \
	do {                                                                                       \
		TRUTH_WORD(id, 0) = (truth_word)(a);                                               \
		TRUTH_WORD(id, 1) = (truth_word)(b);                                               \
		TRUTH_WORD(id, 2) = (truth_word)(c);                                               \
		truth_called = (id);                                                               \
		TRUTH_TRASH();                                                                     \
	} while (0)

OUTSIDE void as_promised(long p0, int p1, struct node *p2)
{
	truth_sink = (truth_word)p0 + (truth_word)p1 + (truth_word)p2->a;
}

OUTSIDE void exchanged(long p0, long p1)
{
	truth_sink = (truth_word)(p0 - p1);
}

OUTSIDE void dropped_last(long p0, long p1)
{
	truth_sink = (truth_word)(p0 - p1);
}

OUTSIDE void dropped_first(long p0, long p1)
{
	truth_sink = (truth_word)(p0 - p1);
}

OUTSIDE void member_passed(struct node *p0)
{
	truth_sink = (truth_word)p0;
}

OUTSIDE void struct_in_registers(struct s24 p0)
{
	/* If a struct is passed by reference, this caller has set no address for it. */
	(void)p0;
	truth_sink = 1;
}

OUTSIDE long result_kept(long p0)
{
	TRUTH_RETURN(6, long, p0 * 3);
}

OUTSIDE long result_dropped(long p0)
{
	truth_left[0] = (truth_word)(p0 * 3);
	truth_left_by = 7;
	return 5;
}

POINTER(long, result_kept);

OUTSIDE long result_by_tail(long p0)
{
	BEFORE(6, p0, 0, 0);
	return result_kept_pointer(p0);
}

/* The source has a p0 before it. */
OUTSIDE void left_over(long p1)
{
	truth_sink = (truth_word)p1;
}

/* The source has a struct p0 of two words, of which the second, b, is passed, or the first. */
OUTSIDE void word_passed(long p0__b)
{
	truth_sink = (truth_word)p0__b;
}

OUTSIDE void word_exchanged(long p0__b)
{
	truth_sink = (truth_word)p0__b + 1;
}

POINTER(void, as_promised);
POINTER(void, exchanged);
POINTER(void, dropped_last);
POINTER(void, dropped_first);
POINTER(void, member_passed);
POINTER(void, struct_in_registers);
POINTER(long, result_dropped);
POINTER(long, result_by_tail);
POINTER(void, left_over);
POINTER(void, word_passed);
POINTER(void, word_exchanged);

void truth_main(void)
{
	for (truth_word n = 1; n < 9; n++) {
		long a = (long)TRUTH_TAG64(1UL, 0, n), b = (long)TRUTH_TAG64(1UL, 1, n);
		long c = (long)TRUTH_TAG64(1UL, 2, n);
		struct node *node = &truth_nodes[n & 7];

		BEFORE(0, a, TRUTH_TAG32(1, n), node);
		as_promised_pointer(a, (int)TRUTH_TAG32(1, n), node);
		BEFORE(1, a, b, 0);
		exchanged_pointer(b, a);
		BEFORE(2, a, b, 0);
		dropped_last_pointer(a);
		BEFORE(3, a, b, 0);
		dropped_first_pointer(b);
		BEFORE(4, node, 0, 0);
		member_passed_pointer(node->a);
		BEFORE(5, a, b, c);
		struct_in_registers_pointer(a, b, c);
		BEFORE(7, a, 0, 0);
		result_dropped_pointer(a);
		BEFORE(8, a, 0, 0);
		result_by_tail_pointer(a);
		BEFORE(9, a, b, 0);
		left_over_pointer(b);
		BEFORE(10, a, b, 0);
		word_passed_pointer(b);
		BEFORE(11, a, b, 0);
		word_exchanged_pointer(a);
	}
}
