/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * usage: tool_btf_load FILE
 *
 * Loads raw BTF into the running kernel. Exit status: 0 accepted, 1 rejected (the verifier's last
 * lines follow), 2 FILE cannot be read, 77 the kernel cannot be asked.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/file_bytes.h"
#include "tests/oracle_kernel.h"

#define LOG_BYTES  (1 << 24)
#define TAIL_BYTES 2000

enum { ACCEPTED = 0, REJECTED = 1, UNREADABLE = 2, UNAVAILABLE = 77 };

/* The log lists every type before the one at fault. */
static void print_tail(const char *log)
{
	size_t length = strlen(log);
	const char *tail = log + (length > TAIL_BYTES ? length - TAIL_BYTES : 0);

	printf("%s\n", tail);
}

int main(int argc, char **argv)
{
	static char log[LOG_BYTES];
	void *data;
	size_t bytes;
	int status = REJECTED;

	if (argc != 2 || !(data = file_bytes(argv[1], &bytes))) {
		fprintf(stderr, "tool_btf_load: cannot read %s\n", argc == 2 ? argv[1] : "FILE");
		return UNREADABLE;
	}
	/* With a log that overflows the kernel refuses what it would accept: ask without one. */
	switch (kernel_btf_load(data, bytes, NULL, 0)) {
	case KERNEL_ACCEPTED:
		status = ACCEPTED;
		break;
	case KERNEL_UNAVAILABLE:
		printf("BPF_BTF_LOAD is not allowed or not there\n");
		status = UNAVAILABLE;
		break;
	case KERNEL_REJECTED:
		kernel_btf_load(data, bytes, log, sizeof(log));
		print_tail(log);
		break;
	}
	free(data);
	return status;
}
