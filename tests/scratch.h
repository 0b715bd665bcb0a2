/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* A directory of files for one cmocka test; it goes away with all that is in it. */
#ifndef BTFENC_TESTS_SCRATCH_H
#define BTFENC_TESTS_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In memory (/dev/shm) if possible: tests sync files often. */
int scratch_setup(void **state);
int scratch_teardown(void **state);
#define SCRATCH_TEST(name) TEST_WITH(name, scratch_setup, scratch_teardown)

/* The path of a file there; good until the fourth next call. */
const char *scratch_path(const char *name);

void scratch_write(const char *name, const void *data, size_t bytes);
bool scratch_equals(const char *name, const void *data, size_t bytes);
uint32_t scratch_file_count(void);

#endif
