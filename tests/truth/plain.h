/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The results of the same program when it was built without optimization: each call has a number of
 * its own (truth_nonce), and does the same in every build. A text file, one line per call:
 *
 *	ID NONCE BYTES
 */
#ifndef BTFENC_TESTS_TRUTH_PLAIN_H
#define BTFENC_TESTS_TRUTH_PLAIN_H

#include "judge.h"

struct plain_result {
	uint64_t id, nonce;
	unsigned char bytes[RESULT_BYTES];
};

struct plain_results {
	struct plain_result *data;	/* by nonce */
	size_t count;
};

void plain_write(uint64_t id, uint64_t nonce, const unsigned char bytes[RESULT_BYTES]);

/* Ends the program if it cannot be read. */
void plain_read(struct plain_results *results, const char *path);
void plain_release(struct plain_results *results);

/* NULL: the call was not seen, or its result is in memory. */
const unsigned char *plain_find(const struct plain_results *results, uint64_t id, uint64_t nonce);

#endif
