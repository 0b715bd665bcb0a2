/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * usage: fentry_multi FILE...
 *
 * Attaches one fentry program to all FUNCs of the kernel whose ids FILE has, one a line, by one
 * link: the kernel takes all or none (bpf_trampoline_multi_attach(), 7.2 and later). On stdout, by
 * tabs, for each FILE
 *
 *	multi FILE COUNT ERROR	0: attached
 *
 * No installed header has the attach type and the link's arguments: they are those of 7.2's
 * include/uapi/linux/bpf.h.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FENTRY_MULTI = 59, MAX_IDS = 1 << 17 };

struct link_create {
	uint32_t program, target, attach_type, flags;
	uint64_t ids, cookies;
	uint32_t count, unused;
};

static uint32_t ids[MAX_IDS];

static uint32_t ids_read(const char *path)
{
	FILE *file = fopen(path, "r");
	uint32_t count = 0;

	while (file && count < MAX_IDS && fscanf(file, "%u", &ids[count]) == 1)
		count++;
	if (file)
		fclose(file);
	return count;
}

int main(int argc, char **argv)
{
	static const struct bpf_insn return_zero[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	const struct bpf_prog_load_opts options = {
		.sz = sizeof(options), .expected_attach_type = FENTRY_MULTI };
	int program = bpf_prog_load(BPF_PROG_TYPE_TRACING, NULL, "GPL", return_zero, 2, &options);

	for (int i = 1; i < argc; i++) {
		struct link_create attr = { .program = (uint32_t)program,
					    .attach_type = FENTRY_MULTI, .ids = (uintptr_t)ids,
					    .count = ids_read(argv[i]) };
		long link = program < 0 ? program
					: syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));

		printf("multi\t%s\t%u\t%d\n", argv[i], attr.count, link < 0 ? errno : 0);
		if (link >= 0)
			close((int)link);
	}
	return EXIT_SUCCESS;
}
