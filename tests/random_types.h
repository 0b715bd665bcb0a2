/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Random texts of types (tests/type_text.h): few names and few nodes, so that nearly everything is
 * a near miss of something else.
 */
#ifndef BTFENC_TESTS_RANDOM_TYPES_H
#define BTFENC_TESTS_RANDOM_TYPES_H

#include <stddef.h>

#include "tests/mutate.h"

#define RANDOM_TEXT_BYTES 1000

void random_types(struct random *random, char text[RANDOM_TEXT_BYTES]);

/* A module on that base: some of its words, some of these changed, and some of its own. */
void random_module(struct random *random, const char *base, char text[RANDOM_TEXT_BYTES]);

/* The same words in another order. */
void random_order(struct random *random, const char *from, char text[RANDOM_TEXT_BYTES]);

#endif
