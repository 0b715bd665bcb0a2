/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "tests/file_bytes.h"

#include <stdio.h>
#include <stdlib.h>

void *file_bytes(const char *path, size_t *bytes)
{
	FILE *file = fopen(path, "rb");
	char *data = NULL;
	long size;

	if (!file)
		return NULL;
	if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0) {
		rewind(file);
		*bytes = (size_t)size;
		data = calloc(*bytes + 1, 1);
	}
	if (data && fread(data, 1, *bytes, file) != *bytes) {
		free(data);
		data = NULL;
	}
	fclose(file);
	return data;
}
