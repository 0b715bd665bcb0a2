/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Which instructions of a BPF program run on a kernel, as its verifier will see it: the constants
 * that relocations become there are followed through registers, the stack and branches.
 *
 * What a loader or the kernel's configuration decides (.rodata, .kconfig) is not known: what runs
 * for some of their values, and not for others, is REACH_MAYBE. So is what depends on more than is
 * followed: ranges, two paths that meet, calls with different arguments.
 */
#ifndef BTFENC_BPF_REACH_H
#define BTFENC_BPF_REACH_H

#include "bpf/bpf_file.h"

struct reach_constant {
	bool is_known;
	uint64_t value, unknown;	/* and a mask of bits of it that are not */
};

struct reach_facts {
	/* What the file's become: the address of an extern, or its value. */
	const struct reach_constant *relocations, *symbols;
	/*
	 * Until 6.7 a verifier looks at each global function that is called in code that libbpf
	 * loads, whether that runs or not: their first instructions, and if this kernel does that.
	 */
	const uint32_t *globals;
	size_t global_count;
	bool looks_at_globals;		/* else it may */
};

enum reach_answer { REACH_NO, REACH_MAYBE, REACH_YES };

/* From a block; the next of the same function, from 1 on. */
struct reach_call {
	uint32_t block, next;
};

struct reach {
	const struct bpf_file *file;
	const struct reach_facts *facts;
	struct reach_block *blocks;
	size_t block_count;
	uint32_t *block_of;		/* by instruction */
	uint32_t entry;			/* block */
	ARRAY_OF(uint32_t) entered;	/* blocks that run */
	ARRAY_OF(uint32_t) queue;	/* those to be looked at */
	ARRAY_OF(struct reach_call) calls;
	ARRAY_OF(uint32_t) globals;	/* first instructions of global functions that it calls */
	uint64_t context_words;		/* bit i: the program reads its context at byte 8 * i */
};

/* For the programs of one file, which is borrowed. */
void reach_init(struct reach *reach, const struct bpf_file *file);
void reach_release(struct reach *reach);

/* Runs one: linear in its code. The facts are borrowed; what they lack is not known. */
void reach_run(struct reach *reach, const struct bpf_program *program,
	       const struct reach_facts *facts);

/* The instructions of a block that runs. */
void reach_range(const struct reach *reach, uint32_t block, uint32_t *first, uint32_t *end);

/*
 * Does one of these instructions run? Of MAYBE *decides is a symbol that does, from 1 on, as far as
 * that is known; else 0. It is `own` only if nothing else does.
 */
enum reach_answer reach_ask(const struct reach *reach, const uint32_t *instructions, size_t count,
			    uint32_t own, uint32_t *decides);

#endif
