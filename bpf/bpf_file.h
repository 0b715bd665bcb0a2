/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * An object file of BPF programs, of either byte order, as compilers, `bpftool gen object` and
 * libbpf's linker write it: what it needs of a kernel. Nothing here knows a kernel.
 *
 * libbpf could open it without loading it, but Debian 12's has neither the other byte order nor the
 * sections of newer programs, and none tells what instructions its relocations are about.
 *
 * Sources: libbpf's rules for objects (bpf_object_open() and what it calls), the instruction set
 * (RFC 9669), relocations in Documentation/bpf/llvm_reloc.rst of the kernel.
 */
#ifndef BTFENC_BPF_BPF_FILE_H
#define BTFENC_BPF_BPF_FILE_H

#include "base/hash_table.h"
#include "base/memory.h"
#include "bpf/core.h"
#include "btf/reader.h"

/* What instructions refer to by a relocation. */
enum bpf_symbol_kind {
	BPF_SYMBOL_OTHER,	/* nothing that counts here */
	BPF_SYMBOL_CODE,	/* a function of the file; `value` is its first instruction */
	BPF_SYMBOL_DATA,	/* in `section`, at `value` */
	BPF_SYMBOL_KCONFIG,	/* extern, of .kconfig, */
	BPF_SYMBOL_KSYM,	/* or a variable of the kernel, */
	BPF_SYMBOL_KFUNC,	/* or a function */
};

struct bpf_symbol {
	const char *name;
	uint8_t kind;		/* enum bpf_symbol_kind */
	bool is_weak, is_global;
	bool is_loader_set;	/* in .rodata: a program that loads the file may set it */
	uint32_t section;	/* index in the ELF file */
	uint64_t value;
	uint32_t type;		/* of an extern: its VAR or FUNC; 0: none */
};

struct bpf_instruction {
	uint8_t code, to, from;
	int16_t offset;
	int32_t immediate;
	uint32_t symbol;	/* from 1 on; 0: none */
	uint32_t relocation;	/* the same of the file's relocations */
};

/* An entry function. */
struct bpf_program {
	const char *name, *section;	/* without a "?", which is_loaded has */
	bool is_loaded;
	uint32_t first;			/* instruction */
};

struct bpf_relocation {
	struct core_relocation core;
	char *name;		/* the caller's, freed with the file; or NULL */
	const char *section;
	uint32_t index;		/* in the section's list */
	uint32_t instruction, in_section;	/* of the file; of the section */
};

/* Of a struct that programs implement. */
struct bpf_ops_member {
	const uint32_t *words;		/* in the BTF */
	bool is_set;
	uint32_t program;		/* its symbol, from 1 on; 0: none */
};

/* A map, or one that is inside of another. */
struct bpf_map {
	uint32_t type;			/* enum bpf_map_type; 0: not known */
	const uint32_t *ops;		/* the struct that it implements, in BTF, or NULL */
	ARRAY_OF(struct bpf_ops_member) members;	/* of that, from the last one on */
	bool is_created;		/* by default */
	bool is_link;			/* attached by a link (.struct_ops.link) */
};

struct bpf_file {
	char *name;
	bool swapped;
	struct btf_reader btf;
	const char **sections;		/* names, by ELF index */
	size_t section_count;
	struct hash_table by_name;	/* the first section of each name */
	uint32_t *section_first;	/* of code: its first instruction; else UINT32_MAX */
	ARRAY_OF(struct bpf_instruction) code;
	ARRAY_OF(struct bpf_symbol) symbols;
	ARRAY_OF(struct bpf_program) programs;
	ARRAY_OF(struct bpf_relocation) relocations;
	ARRAY_OF(struct bpf_map) maps;
	char *bytes;
	void *elf;		/* libelf's, over the bytes, with all names */
};

struct bpf_files {
	ARRAY_OF(struct bpf_file *) files;	/* at least one */
};

/*
 * Opens an object file; else all that are inside a program or in the C of a skeleton. False: err is
 * filled. Release them in any case.
 */
bool bpf_files_open(struct bpf_files *files, const char *path, struct error *err);
void bpf_files_release(struct bpf_files *files);

/* Codes of instructions. */
enum {
	BPF_CLASS_LD, BPF_CLASS_LDX, BPF_CLASS_ST, BPF_CLASS_STX, BPF_CLASS_ALU, BPF_CLASS_JMP,
	BPF_CLASS_JMP32, BPF_CLASS_ALU64,
	BPF_BY_REGISTER = 8,
	BPF_LOAD_64 = 0x18,		/* of two slots */
	BPF_JUMP_MAYBE = 0xe0,		/* an operation: verifiers go both ways */
	BPF_JUMP_TABLE = 0x0d,
	BPF_CALL = 0x85, BPF_EXIT = 0x95, BPF_JUMP = 0x05, BPF_JUMP_FAR = 0x06,
	BPF_STACK_REGISTER = 10,
};

/* What is in the `from` of a call, */
enum { BPF_CALL_HELPER, BPF_CALL_OWN, BPF_CALL_KFUNC };

#endif
