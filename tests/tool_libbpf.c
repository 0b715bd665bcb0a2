/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * usage: tool_libbpf FILE
 *
 * Reads raw BTF with libbpf and prints every type as C. Exit status: 0 done, 1 libbpf refuses it,
 * 2 FILE cannot be read.
 */
#include <bpf/btf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/file_bytes.h"

static void print(void *context, const char *format, va_list args)
{
	vfprintf(context, format, args);
}

static int dump_all(struct btf *btf)
{
	struct btf_dump *dump = btf_dump__new(btf, print, stdout, NULL);
	int status = 0;

	if (!dump) {
		perror("tool_libbpf: btf_dump__new");
		return 1;
	}
	for (__u32 id = 1; id < btf__type_cnt(btf) && status == 0; id++) {
		int error = btf_dump__dump_type(dump, id);

		if (error) {
			fprintf(stderr, "tool_libbpf: type %u: %s\n", id, strerror(-error));
			status = 1;
		}
	}
	btf_dump__free(dump);
	return status;
}

int main(int argc, char **argv)
{
	size_t bytes;
	void *data = argc == 2 ? file_bytes(argv[1], &bytes) : NULL;
	struct btf *btf;
	int status;

	if (!data) {
		fprintf(stderr, "tool_libbpf: cannot read %s\n", argc == 2 ? argv[1] : "FILE");
		return 2;
	}
	btf = btf__new(data, (__u32)bytes);
	free(data);
	if (!btf) {
		perror("tool_libbpf: btf__new");
		return 1;
	}
	status = dump_all(btf);
	btf__free(btf);
	return status;
}
