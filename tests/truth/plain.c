/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "plain.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void plain_write(uint64_t id, uint64_t nonce, const unsigned char bytes[RESULT_BYTES])
{
	printf("%" PRIu64 " %" PRIu64 " ", id, nonce);
	for (unsigned int i = 0; i < RESULT_BYTES; i++)
		printf("%02x", bytes[i]);
	putchar('\n');
}

static int by_nonce(const void *a, const void *b)
{
	const struct plain_result *left = a, *right = b;

	return (left->nonce > right->nonce) - (left->nonce < right->nonce);
}

void plain_read(struct plain_results *results, const char *path)
{
	FILE *file = fopen(path, "r");
	struct plain_result result = { 0 };
	char bytes[2 * RESULT_BYTES + 1];

	if (!file) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		exit(2);
	}
	while (fscanf(file, "%" SCNu64 " %" SCNu64 " %32s", &result.id, &result.nonce, bytes) ==
	       3) {
		for (unsigned int i = 0; i < RESULT_BYTES; i++)
			sscanf(bytes + 2 * i, "%2hhx", &result.bytes[i]);
		results->data = realloc(results->data, (results->count + 1) * sizeof(result));
		if (!results->data)
			abort();
		results->data[results->count++] = result;
	}
	fclose(file);
	qsort(results->data, results->count, sizeof(result), by_nonce);
}

void plain_release(struct plain_results *results)
{
	free(results->data);
}

const unsigned char *plain_find(const struct plain_results *results, uint64_t id, uint64_t nonce)
{
	const struct plain_result key = { .nonce = nonce };
	const struct plain_result *found = bsearch(&key, results->data, results->count,
						   sizeof(key), by_nonce);

	return found && found->id == id ? found->bytes : NULL;
}
