/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* The symbols of a program: functions by what their names say, and where an object is. */
#ifndef BTFENC_TESTS_TRUTH_SYMBOLS_H
#define BTFENC_TESTS_TRUTH_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol {
	char *name;
	uint64_t address, size;
	size_t base_length;
	bool is_function;
	bool is_entry;	/* the function under its own name, by which a tracer finds it */
	bool is_copy;	/* whole, but under another name, perhaps with another prototype: .isra,
			   .constprop, .lto_priv, .llvm */
};

struct symbols {
	struct symbol *data;
	size_t count;
};

void symbols_read(struct symbols *symbols, const char *path);
void symbols_release(struct symbols *symbols);

/* NULL: there is none. */
const struct symbol *symbols_object(const struct symbols *symbols, const char *name);

#endif
