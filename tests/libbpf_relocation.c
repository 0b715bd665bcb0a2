/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "tests/libbpf_relocation.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>

/* Libraries before 1.5 have neither, nor have headers of 1.4 the first. */
extern int btf__relocate(struct btf *btf, const struct btf *base) __attribute__((weak));
#pragma weak btf__new_split

bool libbpf_can_relocate(void)
{
	return btf__relocate && libbpf_major_version() * 100 + libbpf_minor_version() >= 106;
}

enum libbpf_answer libbpf_relocates(struct libbpf_bytes of_base, struct libbpf_bytes of_module,
				    struct libbpf_bytes of_kernel)
{
	struct btf *base, *kernel, *module;
	enum libbpf_answer answer = LIBBPF_CANNOT_READ;

	libbpf_set_print(NULL);
	base = btf__new(of_base.data, (__u32)of_base.bytes);
	kernel = btf__new(of_kernel.data, (__u32)of_kernel.bytes);
	module = base ? btf__new_split(of_module.data, (__u32)of_module.bytes, base) : NULL;
	if (module && kernel)
		answer = btf__relocate(module, kernel) == 0 ? LIBBPF_TAKES : LIBBPF_REFUSES;
	btf__free(module);
	btf__free(base);
	btf__free(kernel);
	return answer;
}
