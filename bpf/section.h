/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#ifndef BTFENC_BPF_SECTION_H
#define BTFENC_BPF_SECTION_H

#include <stdbool.h>

#define BPF_WORD_BYTES 48

/* What SEC() says of a program: enumerators of the kernel, without BPF_PROG_TYPE_ and BPF_. */
struct bpf_section {
	char program_type[BPF_WORD_BYTES];	/* "KPROBE"; "": libbpf does not know the name */
	char attach_type[BPF_WORD_BYTES];	/* "TRACE_FENTRY"; "": it needs none */
	bool takes_target;	/* the name may go on with /TARGET */
	const char *target;	/* "vfs_read" of "fentry/vfs_read"; NULL: none is said */
};

/* By libbpf's names, bpf/section_names.txt. `name` is borrowed. */
struct bpf_section bpf_section_of(const char *name);

#endif
