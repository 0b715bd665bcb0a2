/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* truth.txt, as the tracer reads it (expect.c writes it): what is passed in which calls. */
#ifndef BTFENC_TESTS_SITES_EXPECTED_H
#define BTFENC_TESTS_SITES_EXPECTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXPECTED_PARAMETERS 8
#define EXPECTED_WORDS	    3

struct expected_value {
	char base;			/* N: number, S: symbol, L: log */
	uint64_t address;		/* S: of the symbol; L: of the slot */
	uint64_t words[EXPECTED_WORDS];
};

/* One call, by the path from its driver. */
struct expected_context {
	uint64_t driver_begin, driver_end;	/* the code of the driver; 0: it has no symbol */
	int iteration;				/* -1: in no loop */
	struct expected_value values[EXPECTED_PARAMETERS];
	struct expected_value changed[EXPECTED_PARAMETERS];	/* what is made of them at once */
};

struct expected_function {
	char name[32];
	unsigned int parameter_count;
	unsigned int sizes[EXPECTED_PARAMETERS];
	struct expected_context *contexts;
	size_t context_count;
};

struct expected {
	struct expected_function *functions;
	size_t function_count;
};

/* Finds a symbol; false: there is none. */
typedef bool expected_symbol(const void *context, const char *name, uint64_t *address,
			     uint64_t *size);

/* Ends the program if it cannot be read. */
void expected_read(struct expected *expected, const char *path, expected_symbol *symbol,
		   const void *context);
void expected_release(struct expected *expected);

/* By the name of a symbol, up to its first dot. NULL: none. */
const struct expected_function *expected_function(const struct expected *expected,
						  const char *name);

#endif
