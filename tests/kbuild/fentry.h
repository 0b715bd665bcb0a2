/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Shared by the programs that run inside the kernel which tests/kbuild.sh has built: the BTF of the
 * kernel and of its modules, as the kernel itself has taken it, and fentry programs.
 */
#ifndef TESTS_KBUILD_FENTRY_H
#define TESTS_KBUILD_FENTRY_H

#include <bpf/btf.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_KERNEL_BTFS = 64, MAX_OBJECT_NAME = 64 };

struct kernel_btf {
	char object[MAX_OBJECT_NAME]; /* vmlinux, or the name of a module */
	int fd;			      /* 0: vmlinux, which needs none */
	struct btf *btf;
	uint32_t first_id; /* of its own types */
};

struct kernel_btfs {
	struct kernel_btf items[MAX_KERNEL_BTFS]; /* vmlinux comes first */
	size_t count;
};

/* Opens all that there are, for the lifetime of the process. False: a message is on stderr. */
bool kernel_btfs_open(struct kernel_btfs *btfs);

/*
 * Loads an fentry program for the FUNC. Returns its file descriptor, or -errno; LOG then holds what
 * the verifier said, or nothing. What is wrong with the FUNC is the first line. What is wrong with
 * the program comes last, after the instructions that the verifier has looked at.
 */
int fentry_load(const struct kernel_btf *target, uint32_t func_id, const struct bpf_insn *code,
		size_t instructions, char *log, size_t log_bytes);

/* Attaches a loaded program until the returned descriptor is closed; or -errno. */
int fentry_attach(int program);

/*
 * Loads an object file of clang and attaches its programs, until this process ends. Returns how
 * many are; "error TEXT" is on stdout, by a tab, for what cannot be.
 */
unsigned int programs_attach(const char *path);

#endif
