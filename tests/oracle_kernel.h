/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* The running kernel's opinion on a BTF blob. */
#ifndef BTFENC_TESTS_ORACLE_KERNEL_H
#define BTFENC_TESTS_ORACLE_KERNEL_H

#include <stddef.h>

enum kernel_verdict {
	KERNEL_ACCEPTED,
	KERNEL_REJECTED,
	KERNEL_UNAVAILABLE,		/* no such system call, no permission, no memory */
};

/*
 * BPF_BTF_LOAD. `log` (may be NULL) gets the verifier's log, cut off at log_bytes; it is slow for
 * big blobs. Split BTF cannot be loaded with this call.
 */
enum kernel_verdict kernel_btf_load(const void *data, size_t bytes, char *log, size_t log_bytes);

#endif
