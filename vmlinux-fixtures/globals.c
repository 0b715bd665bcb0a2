/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Ordinary global variables: in .data, .bss, .rodata and .init.data, static ones, ones inside
 * functions, extern ones without definition (weak), of anonymous type, and aligned ones; one whose
 * declaration leaves the length open, one that is defined here and weakly in globals_weak.c, two
 * names for one address, and one of size zero.
 */
#include "kernel.h"

struct config {
	const char *key;
	union {
		long number;
		const char *text;
	};
	bool is_text;
};

__visible unsigned long jiffies = 4294937296ul;
__visible const struct config config_table[] = {
	{ .key = "threads", .number = 4 },
	{ .key = "mode", .text = "fast", .is_text = true },
};
__visible struct config config_current;
__visible const char banner[] = "fixture";
__visible int initial_value __initdata = 3;
__visible u8 page[4096] __aligned(4096);

extern int missing_symbol __weak;

extern const char *config_names[];
__visible const char *config_names[] = { "threads", "mode", "last" };
__visible unsigned long config_fallback = 1;
__visible int first_name = 5;
extern int second_name __alias("first_name");
__visible struct { } empty_variable;

static u32 hits;
static struct list_head *volatile watched;

__visible u32 globals_touch(const struct config *config)
{
	static u32 calls;
	static const u16 primes[] = { 2, 3, 5, 7 };

	calls += primes[config->number & 3];
	hits++;
	if (&missing_symbol)
		hits += (u32)missing_symbol;
	if (watched)
		config_current = *config;
	return calls + hits;
}
