/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Writes the files of the made-up kernel (tests/records_blob.h) into a directory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/records_blob.h"

static void write_file(const char *directory, const char *name, const void *data, size_t bytes)
{
	char path[4096];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	out = fopen(path, "wb");
	if (!out || fwrite(data, 1, bytes, out) != bytes || fclose(out)) {
		perror(path);
		exit(1);
	}
}

int main(int argc, char **argv)
{
	struct records_blobs blobs;

	if (argc != 2) {
		fprintf(stderr, "usage: tool_records DIRECTORY\n");
		return 2;
	}
	records_blobs_make(&blobs);
	write_file(argv[1], "kernel", blobs.btf.data, blobs.btf.bytes);
	write_file(argv[1], "kernel.extra", blobs.extra.data, blobs.extra.bytes);
	write_file(argv[1], "inlined", blobs.inlined.data, blobs.inlined.bytes);
	write_file(argv[1], "System.map", records_system_map, strlen(records_system_map));
	write_file(argv[1], "kallsyms", records_kallsyms, strlen(records_kallsyms));
	records_blobs_release(&blobs);
	return 0;
}
