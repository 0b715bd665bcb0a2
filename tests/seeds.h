/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* The arguments of a test that makes up its inputs: [HOW_MANY [FIRST_SEED]]. */
#ifndef BTFENC_TESTS_SEEDS_H
#define BTFENC_TESTS_SEEDS_H

#include <stdint.h>
#include <stdlib.h>

/* A value that is not given stays as it is. */
static inline void seeds_read(int argc, char **argv, uint32_t *how_many, uint32_t *first_seed)
{
	if (argc > 1)
		*how_many = (uint32_t)strtoul(argv[1], NULL, 0);
	if (argc > 2)
		*first_seed = (uint32_t)strtoul(argv[2], NULL, 0);
}

#endif
