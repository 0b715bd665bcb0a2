/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * usage: tool_libbpf FILE [BASE]
 *
 * Reads raw BTF, split from BASE if there is one, with libbpf and prints every type as C. Exit
 * status: 0 done, 1 libbpf refuses it, 2 a file cannot be read.
 */
#include <bpf/btf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

enum { DONE = 0, REFUSED = 1, UNREADABLE = 2 };

static int read_btf(const char *path, struct btf *base, struct btf **btf)
{
	if (access(path, R_OK) < 0) {
		fprintf(stderr, "tool_libbpf: cannot read %s\n", path);
		return UNREADABLE;
	}
	*btf = btf__parse_raw_split(path, base);
	if (*btf)
		return DONE;
	fprintf(stderr, "tool_libbpf: %s: %s\n", path, strerror(errno));
	return REFUSED;
}

int main(int argc, char **argv)
{
	struct btf *btf = NULL, *base = NULL;
	int status = DONE;

	if (argc < 2 || argc > 3) {
		fprintf(stderr, "usage: tool_libbpf FILE [BASE]\n");
		return UNREADABLE;
	}
	if (argc == 3)
		status = read_btf(argv[2], NULL, &base);
	if (status == DONE)
		status = read_btf(argv[1], base, &btf);
	if (status == DONE)
		status = dump_all(btf);
	btf__free(btf);
	btf__free(base);
	return status;
}
