/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Types as a calling convention and a probe see them: size, sign, the scalars inside. The types of
 * BTF and the merged ones of a program have the same words; only references and names differ.
 */
#ifndef BTFENC_KERNEL_TYPE_SOURCE_H
#define BTFENC_KERNEL_TYPE_SOURCE_H

#include "base/text.h"
#include "btf/dedup/c_declaration.h"
#include "btf/dedup/node_table.h"
#include "btf/inspect.h"
#include "btf/reader.h"
#include "btf/string_pool.h"
#include "kernel/attach/trampoline.h"
#include "dwarf/abi/abi.h"

/*
 * BTF does not say how types are aligned. A record of 16 bytes is not aligned to 16 if another one
 * has it 8 bytes after a multiple of 16, or has a size that is 8 more than one: sockptr_t and most
 * others of 7.2 for arm64, 59 of the 64 functions that have such a struct at an odd register. A
 * packed record whose members happen to be at multiples of 8 would mislead. Unnamed structs with
 * the same members are one type here, so that what one shows counts for the other.
 */
struct type_alignments {
	ARRAY_OF(uint64_t) records;	/* that are not: the addresses of their words, ascending */
	bool is_read;			/* when the first record asks */
};

struct type_source {
	const struct btf_reader *btf;		/* references are ids; NULL: the next two */
	const struct node_table *table;	/* a reference is the word of a resolved node_ref */
	const struct string_pool *pool;
	const struct abi *abi;			/* NULL: not known */
	uint8_t word_bytes;
	struct type_alignments *alignments;	/* the caller's, empty at first, and its records
						   are to be released; NULL: read for each
						   record that asks */
};

struct program;

/* The merged types of a program, which they borrow, with its machine. */
struct type_source type_source_of_program(const struct program *program);

/* The words of a type; NULL: there is none, or it is only declared. */
const uint32_t *type_words(const struct type_source *types, uint32_t ref);

/* The same; NULL also for another kind. */
const uint32_t *type_words_of(const struct type_source *types, uint32_t ref, enum btf_kind kind);

/* Of a type of a table that is only declared: its name and kind. "": it is none. */
const char *type_declared_name(const struct type_source *types, uint32_t ref, enum btf_kind *kind);

/* "" where there is none. */
const char *type_string(const struct type_source *types, uint32_t name);

/* The types of a table, or of BTF and its bases, are numbers 1 to the last; NULL: there is none. */
const uint32_t *type_nth(const struct type_source *types, uint32_t i);

/* The first of that kind, called PREFIXNAME, from a number on; by all of them, so for few names. */
const uint32_t *type_named_from(const struct type_source *types, uint32_t first,
				enum btf_kind kind, const char *prefix, const char *name);

static inline const uint32_t *type_named(const struct type_source *types, enum btf_kind kind,
					 const char *prefix, const char *name)
{
	return type_named_from(types, 1, kind, prefix, name);
}

/* From a number on, is there a struct, union, enum, typedef or enumerator of that name? */
bool type_exists(const struct type_source *types, uint32_t first, const char *name);

/* Of an enum's words those of that enumerator; NULL: it is no enum, or does not have it. */
const uint32_t *type_enumerator(const struct type_source *types, const uint32_t *words,
				const char *name);

/* The member of a struct's words, which may be NULL: its own; NULL: there is none. Its offset. */
const uint32_t *type_member(const struct type_source *types, const uint32_t *words,
			    const char *name);
bool type_member_byte(const struct type_source *types, const uint32_t *words, const char *name,
		      uint32_t *byte);

/* char[16] is a string; u8[16] is not. */
bool type_is_string(const struct type_source *types, uint32_t ref);

/*
 * Is it a `const char *`? 'u': of user space, as its TYPE_TAG says, which GCC up to 15 does not
 * write; 's': of either; '\0': no.
 */
char type_points_to_string(const struct type_source *types, uint32_t ref);

/* As a C declaration, of which what is too long ends with C_DECLARATION_CUT (c_declaration.h). */
void type_add(struct text *out, const struct type_source *types, uint32_t ref, const char *name);

/*
 * Parameters as C, "struct task_struct *prev, int state", of a FUNC_PROTO from number `first`
 * on: of a tracepoint from 1 on, after `void *__data`, or "void". `named`: one with their names;
 * 0: without. `left_out`: so many of the last are not there.
 */
void type_add_parameters(struct text *out, const struct type_source *types, uint32_t prototype,
			 uint32_t named, uint32_t first, uint32_t left_out);

/*
 * Its own name, or "ctx_", because BPF_PROG() has a ctx, or "arg3" for the third of a program if it
 * is not an identifier of C.
 */
#define TYPE_NAME_BYTES 16
const char *type_parameter_name(const char *name, uint32_t number, char buffer[TYPE_NAME_BYTES]);
bool type_is_plain_name(const char *name);

/* Are they types or parameters in C that cannot end the list that they are in? */
bool type_is_code(const char *text, size_t count);

/* ---- values ---- */

/* What a value of a type is, without names and qualifiers. */
struct value_type {
	enum btf_kind kind;	/* BTF_VOID: void, or nothing that is known; BTF_FWD: declared */
	bool is_void;
	bool is_signed;
	uint32_t size_bytes;
	const uint32_t *words;	/* its record; NULL: BTF_VOID, BTF_FWD */
};

struct value_type value_type_of(const struct type_source *types, uint32_t ref);

/* What the BPF trampoline sees of a FUNC_PROTO; of nothing if that is not known. */
struct trampoline_view type_trampoline_view(const struct type_source *types, uint32_t prototype);

/* The word of struct pt_regs that has the n-th integer argument, from 0 on; -1: not known, none. */
int type_argument_word(const struct type_source *types, unsigned int n);

/* How many scalars one value may have inside. */
#define VALUE_MAX_LEAVES 16

/*
 * Fills *out and leaves[0..VALUE_MAX_LEAVES), to which it points. False: the convention for it
 * cannot be told, as BTF does not say how types are aligned: a struct of more than a word (on
 * x86-64 two, and as a result of any size), or one that is packed.
 */
bool value_abi_type(const struct type_source *types, uint32_t ref, bool is_result,
		    struct abi_type *out, struct abi_leaf *leaves);

#endif
