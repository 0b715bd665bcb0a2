/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "tests/oracle_kernel.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum kernel_verdict kernel_btf_load(const void *data, size_t bytes, char *log, size_t log_bytes)
{
	union bpf_attr attr;
	long fd;

	memset(&attr, 0, sizeof(attr));
	attr.btf = (uintptr_t)data;
	attr.btf_size = (uint32_t)bytes;
	if (log) {
		log[0] = '\0';
		attr.btf_log_buf = (uintptr_t)log;
		attr.btf_log_size = (uint32_t)log_bytes;
		attr.btf_log_level = 1;
	}
	fd = syscall(__NR_bpf, BPF_BTF_LOAD, &attr, sizeof(attr));
	if (fd >= 0) {
		close((int)fd);
		return KERNEL_ACCEPTED;
	}
	if (errno == EPERM || errno == ENOSYS || errno == ENOMEM)
		return KERNEL_UNAVAILABLE;
	return KERNEL_REJECTED;
}
