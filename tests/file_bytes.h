/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* A whole file in memory, for tests. */
#ifndef BTFENC_TESTS_FILE_BYTES_H
#define BTFENC_TESTS_FILE_BYTES_H

#include <stddef.h>

/*
 * The contents of `path` and a NUL, to be freed, or NULL with errno set. An empty file is not NULL.
 */
void *file_bytes(const char *path, size_t *bytes);

#endif
