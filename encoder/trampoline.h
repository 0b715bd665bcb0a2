/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * What the kernel's BPF trampoline makes of a prototype that is true: fentry and fexit do not take
 * all that BTF can say (kernel/bpf/btf.c, btf_distill_func_proto()).
 */
#ifndef BTFENC_ENCODER_TRAMPOLINE_H
#define BTFENC_ENCODER_TRAMPOLINE_H

#include "encoder/program.h"

struct trampoline_view {
	const char *refusal;	/* why no kernel takes it: "it is variadic"; NULL: it is taken */
	uint32_t argument_words;	/* x86-64 before 6.7 takes 6 at most */
	bool returns_struct;	/* perhaps by a hidden first argument */
	bool has_struct_argument;	/* taken since 6.1; libbpf: BPF_PROG2 */
};

/* `prototype` is a resolved FUNC_PROTO shape. */
struct trampoline_view trampoline_view(const struct program *program, shape_ref prototype);

#endif
