/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Functions whose signature a compiler changes, or which it splits: a FUNC for the plain name
 * would be a lie. What GCC 12 makes of them on x86-64 (see with nm):
 *
 *	sum_first()	.isra.0: the pointer is replaced by the one member it is used for
 *	drop_middle()	.constprop.0: the unused second parameter is gone, the third moves up
 *	scale_by()	.constprop.0: every caller passes the same factor, which is gone
 *	both_ways()	.constprop.0.isra.0: all three at once, one of the three parameters remains
 *	table_grow()	.part.0: the quick test is inlined, the rest is called; has a .part.0.cold
 *	check_frame()	.cold: the failing path lives elsewhere; the signature is as written
 *	keep_all()	no clone: nothing to gain, although it is just as static
 *	unused_kept()	no clone: its address is taken, so its unused parameter stays
 *
 * vprintk() of printk.c becomes .constprop.0, too. Clang 19 and 22 do not rename drop_middle(),
 * scale_by(), both_ways() and vprintk() but change them all the same; DWARF then says
 * DW_CC_nocall. Clang 19 also makes convert.specialized.1 (samename_b.c) and
 * unused_parameters.specialized.1 (functions.c). GCC on s390x makes no .cold.
 */
#include "kernel.h"

struct frame {
	u32 length;
	u32 flags;
	u8 *data;
	u64 reserved[6];
};

struct table {
	u32 used, size;
	u32 *slots;
	struct table *next;
};

static u32 sink;

static noinline u32 sum_first(const struct frame *frame, u32 limit)
{
	u32 i, length = frame->length, sum = 0;

	for (i = 0; i < limit; i++)
		sum += length ^ i;
	sink = sum;
	return sum;
}

static noinline u32 drop_middle(const u8 *data, int unused, u32 count)
{
	u32 sum = 0;

	while (count--)
		sum = sum * 31 + data[count];
	sink += sum;
	return sum;
}

static noinline u32 scale_by(u32 value, u32 factor)
{
	barrier();
	sink = value * factor;
	return sink + factor;
}

static noinline u32 both_ways(const struct frame *frame, u32 shift, int unused)
{
	u32 flags = frame->flags;

	barrier();
	sink += flags << shift;
	return sink;
}

static noinline u32 keep_all(u32 a, u32 b, const u32 *c)
{
	sink = a;
	barrier();
	return a * b + c[b];
}

static noinline int unused_kept(struct table *table, int unused)
{
	barrier();
	return (int)table->used;
}

static int table_grow(struct table *table, u32 want)
{
	u32 i, j;

	if (likely(table->size >= want))
		return 0;
	for (i = 0; i < want; i++) {
		for (j = i; j < table->size; j++)
			table->slots[i] ^= table->slots[j] + sink;
		if (table->slots[i] == want)
			printk("table %u of %u\n", i, want);
		sink += table->slots[i];
	}
	table->size = want;
	return (int)sink;
}

static noinline int check_frame(struct frame *frame, const char *who)
{
	if (unlikely(!frame->data)) {
		printk("%s: frame of %u bytes without data\n", who, frame->length);
		frame->flags |= 1;
		if (frame->reserved[0])
			panic("%s: frame is broken\n", who);
	}
	return (int)frame->length;
}

__visible int (*const unused_kept_pointer)(struct table *table, int unused) = unused_kept;

__visible u32 frame_sums(struct frame *a, struct frame *b)
{
	return sum_first(a, 5) + sum_first(b, b->flags) + both_ways(a, 3, 1) + both_ways(b, 3, 2);
}

__visible u32 frame_hash(struct frame *frame)
{
	return drop_middle(frame->data, 1, frame->length) + drop_middle(frame->data + 1, 2, 9) +
	       scale_by(frame->length, 10) + scale_by(frame->flags, 10);
}

__visible int table_insert(struct table *table, u32 value)
{
	if (table_grow(table, table->used + 1))
		return -1;
	table->slots[table->used++] = value;
	return 0;
}

__visible int table_insert_two(struct table *table, u32 first, u32 second)
{
	int err = table_grow(table, table->used + 2);

	table->slots[first] = keep_all(first, second, table->slots);
	return err;
}

__visible int table_reserve(struct table *table, u32 count)
{
	return table_grow(table->next, count) + (int)keep_all(count, 1, table->slots);
}

__visible int clones_run(void)
{
	struct frame frame = { .length = sink };
	struct frame *p = hide_pointer(&frame);

	return check_frame(p, "first") + check_frame(p + 1, "second") + (int)frame_sums(p, p + 1) +
	       (int)frame_hash(p);
}
