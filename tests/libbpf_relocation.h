/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* What libbpf, whose headers clash with ours, makes of a distilled base. */
#ifndef BTFENC_TESTS_LIBBPF_RELOCATION_H
#define BTFENC_TESTS_LIBBPF_RELOCATION_H

#include <stdbool.h>
#include <stddef.h>

struct libbpf_bytes {
	const void *data;
	size_t bytes;
};

/* False: it is older than 1.6; that of 1.5 sees only some of what a module embeds. */
bool libbpf_can_relocate(void);

enum libbpf_answer {
	LIBBPF_CANNOT_READ,
	LIBBPF_REFUSES,
	LIBBPF_TAKES,
};

/* Raw BTF; the module's is split from `base`. */
enum libbpf_answer libbpf_relocates(struct libbpf_bytes base, struct libbpf_bytes module,
				    struct libbpf_bytes kernel);

#endif
