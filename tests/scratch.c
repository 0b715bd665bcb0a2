/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "tests/scratch.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/cmocka_all.h"
#include "tests/file_bytes.h"

static char directory[64];

int scratch_setup(void **state)
{
	(void)state;
	snprintf(directory, sizeof(directory), "/dev/shm/btfenc.XXXXXX");
	if (mkdtemp(directory))
		return 0;
	snprintf(directory, sizeof(directory), "/tmp/btfenc.XXXXXX");
	return mkdtemp(directory) ? 0 : -1;
}

const char *scratch_path(const char *name)
{
	static char path[4][sizeof(directory) + 256];
	static uint32_t turn;

	turn = (turn + 1) % LENGTH(path);
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", directory, name);
	return path[turn];
}

/* Files are visited, counted, and removed if so wanted. */
static uint32_t visit(bool and_remove)
{
	DIR *dir = opendir(directory);
	const struct dirent *entry;
	uint32_t count = 0;

	while ((entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		count++;
		if (and_remove)
			remove(scratch_path(entry->d_name));
	}
	closedir(dir);
	return count;
}

int scratch_teardown(void **state)
{
	(void)state;
	visit(true);
	return rmdir(directory);
}

uint32_t scratch_file_count(void)
{
	return visit(false);
}

void scratch_write(const char *name, const void *data, size_t bytes)
{
	FILE *file = fopen(scratch_path(name), "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, bytes, file), bytes);
	assert_int_equal(fclose(file), 0);
}

bool scratch_equals(const char *name, const void *data, size_t bytes)
{
	size_t found_bytes = 0;
	void *found = file_bytes(scratch_path(name), &found_bytes);
	bool equal = found && found_bytes == bytes && memcmp(found, data, bytes) == 0;

	free(found);
	return equal;
}
