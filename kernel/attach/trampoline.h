/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Does the kernel's BPF trampoline, by which fentry and fexit work, take a function? That depends
 * on the prototype (kernel/bpf/btf.c, btf_distill_func_proto()), the machine and the release; one
 * table in trampoline.c has all of it. Nothing here knows whether the function has a tracer's hook.
 */
#ifndef BTFENC_KERNEL_ATTACH_TRAMPOLINE_H
#define BTFENC_KERNEL_ATTACH_TRAMPOLINE_H

#include "base/text.h"
#include "btf/format.h"
#include "kernel/attach/attach.h"

/* ---- the prototype ---- */

#define TRAMPOLINE_MAX_ARGUMENTS 12	/* MAX_BPF_FUNC_ARGS */

struct trampoline_view {
	const char *refusal;	/* why no kernel takes it: "it is variadic"; NULL: some do */
	bool is_variadic;
	uint32_t parameters;
	uint32_t slots;		/* of 8 bytes, which programs see as arguments */
	uint32_t last_record;	/* slots up to the end of the last struct or union; 0: none */
	uint32_t widest_bytes;	/* of a parameter */
	bool returns_struct;	/* perhaps by a hidden first argument */
	bool has_struct;	/* by value: libbpf's BPF_PROG2 */
	bool has_union;
	bool has_float;		/* in a parameter or the result */
	uint8_t words[TRAMPOLINE_MAX_ARGUMENTS];	/* of 8 bytes, by parameter */
	uint16_t may_be_aligned;	/* bit i: parameter i, as below */
};

/* A type without typedefs and qualifiers; BTF_FWD: a tag that is only declared. */
struct trampoline_type {
	enum btf_kind kind;
	uint32_t size_bytes;
	bool is_irregular;	/* a record, not made of aligned integers in each of its words */
	bool may_be_aligned;	/* a record, to 16 bytes: nothing shows that it is not */
};

/* In this order: the result, then each parameter. The dots are a last parameter of type void. */
void trampoline_see_result(struct trampoline_view *view, struct trampoline_type type);
void trampoline_see_parameter(struct trampoline_view *view, struct trampoline_type type);

/* ---- the kernel ---- */

/*
 * Is it a kernel that can attach fentry to its functions? By its own symbols, whatever its
 * release: the machine's arch_prepare_bpf_trampoline(), and ftrace's direct calls. `have_binding`:
 * symbols of an ELF file tell weak from strong; those of a list (System.map) do not here.
 */
enum attach_answer trampoline_built_in(const struct symbol_table *symbols, bool have_binding);

/*
 * Fills what a file with symbols says of itself; a module's name is the caller's, the FUNCs of its
 * kernel, and the base of its BTF (own_btf.h). The image borrows the tables, which are to be
 * released.
 */
void attach_image_of_file(struct attach_image *image, struct attach_tables *tables,
			  const struct object *object, const struct symbol_table *symbols,
			  const struct btf_reader *base);

/* The kernel of a module, whose BTF the tables borrow. */
void attach_set_kernel(struct attach_image *image, struct attach_tables *tables,
		       const struct btf_reader *kernel);

/* Does the name of a module's function alone lead to one of its kernel? False: or not known. */
bool attach_finds_kernels(const struct attach_image *module, const char *name);

#define TRAMPOLINE_WHY_BYTES 120

struct trampoline_answer {
	enum attach_answer is;	/* UNKNOWN: the release decides */
	struct kernel_version since;	/* of UNKNOWN: from then on; major 0: not known */
	bool refused;		/* NO on every kernel there is, because of the prototype */
	/* NO: "i386 has no BPF trampoline"; UNKNOWN: what `since` is about, "more than 6
	   arguments", or "" */
	char why[TRAMPOLINE_WHY_BYTES];
};

/* By the image's ABI, version, what is built in, and whether it is a module. `name` may be NULL. */
struct trampoline_answer trampoline_answer(const struct attach_image *kernel, const char *name,
					   const struct trampoline_view *view);

/* X(identifier, code): why fentry cannot attach, as far as that is known. */
#define FENTRY_OBSTACLE_LIST(X)                                                                    \
	X(INIT, "init") X(EXIT, "exit") X(NO_HOOK, "no_hook") X(NO_FUNC, "no_func")                \
	X(NO_TRAMPOLINE, "no_trampoline")

enum fentry_obstacle {
#define X(id, code) FENTRY_##id,
	FENTRY_OBSTACLE_LIST(X)
#undef X
	FENTRY_OBSTACLE_COUNT,	/* there is none */
};

/* Of a function with a FUNC. `name` may be NULL. */
enum fentry_obstacle fentry_obstacle(const struct attach_image *image,
				     const struct attach_state *state, const char *name,
				     const struct trampoline_view *view);

/* Do calls of the function come back? For fexit, which is refused or never runs where not. */
bool trampoline_returns(const char *name);

/* " from 6.4 on", " from 6.6 on (more than 6 arguments)"; "" for YES. */
void trampoline_add_since(struct text *out, const struct trampoline_answer *answer);

#endif
