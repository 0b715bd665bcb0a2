/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Will a BPF program work on a kernel? What its object file needs is gathered once; each kernel is
 * asked for all of it.
 */
#ifndef BTFENC_COMMANDS_COMPAT_COMPAT_H
#define BTFENC_COMMANDS_COMPAT_COMPAT_H

#include <jansson.h>

#include "bpf/bpf_file.h"
#include "bpf/section.h"
#include "commands/explain/asked.h"
#include "kernel/build_files.h"
#include "kernel/kernel.h"

/* X(identifier, code) */
#define COMPAT_KIND_LIST(X)                                                                        \
	X(ATTACH, "attach") X(PROGRAM_TYPE, "program-type") X(ATTACH_TYPE, "attach-type")          \
	X(MAP_TYPE, "map-type") X(HELPER, "helper") X(INSTRUCTION, "instruction")                  \
	X(FIELD, "field") X(TYPE, "type") X(ENUMERATOR, "enumerator") X(KFUNC, "kfunc")            \
	X(KSYM, "ksym") X(KCONFIG, "kconfig") X(STRUCT_OPS, "struct-ops")

enum compat_kind {
#define X(id, code) COMPAT_##id,
	COMPAT_KIND_LIST(X)
#undef X
	COMPAT_KINDS,
};

/* X(identifier, code): of a need on a kernel, the worst last. */
#define COMPAT_STATE_LIST(X)                                                                       \
	X(OK, "ok") X(GUARDED, "guarded") X(OK_BUT, "ok-but") X(NOT_KNOWN, "not-known")            \
	X(CHANGED, "changed") X(POISONED, "poisoned") X(MISSING, "missing")

enum compat_state {
#define X(id, code) COMPAT_##id,
	COMPAT_STATE_LIST(X)
#undef X
	COMPAT_STATES,
};

extern const char *const compat_kinds[COMPAT_KINDS], *const compat_states[COMPAT_STATES];

/* Instructions that are younger than BTF. */
struct younger {
	const char *name, *advice;
	struct kernel_version since;
	bool is_code;		/* verifiers refuse it where nothing runs it, too */
};

/* A file, and where what it has begins among that of all. */
struct compat_source {
	const struct bpf_file *file;
	size_t relocations, symbols;
	uint32_t *need_of;		/* by instruction, from 1 on; 0: none */
	uint32_t programs, end;		/* its programs */
};

struct compat_program {
	const struct bpf_program *program;
	ARRAY_OF(uint32_t) needs;
	struct bpf_section section;
	struct asked asked;		/* its target, if that is of the kernel: kind not ANY */
	bool by_loader;			/* that says where it attaches; or of which type it is */
	uint64_t context_words;		/* of reach, */
	ARRAY_OF(uint32_t) globals;	/* as these are */
};

struct compat_need {
	enum compat_kind kind;
	char *name;			/* of a helper or map type its number */
	const struct compat_source *source;	/* NULL: of all */
	uint32_t number;		/* of a helper or map type */
	const struct younger *younger;	/* of an instruction */
	const struct bpf_symbol *symbol;	/* of an extern */
	bool takes_address;		/* of a kfunc */
	ARRAY_OF(uint32_t) relocations;	/* of the file */
	ARRAY_OF(uint32_t) programs;	/* that have it, ascending; none: the file has */
};

/* A need on one kernel. */
struct compat_answer {
	uint8_t state;
	char *name;			/* as the kernel calls it, or NULL */
	char *why;			/* NULL: it is ok */
	const char *decides;		/* of NOT_KNOWN: what decides whether that runs */
	json_t *advice;			/* lines, or NULL */
	json_t *parameters;		/* of an attach point: their types in C, or NULL */
	uint8_t loads;			/* enum attach_answer: a program that attaches there */
	/* As reach's context_words, those with which a program may not be loaded, or attach. */
	uint64_t not_loaded_with, not_attached_with;
	bool is_elsewhere;		/* a module may have what the kernel itself has not */
	bool is_open;			/* the same of an extern: no modules were given */
	bool stops_all;			/* nothing of the object is loaded */
	uint8_t fails_at;		/* which of its instructions fail if they run; 0: none */
};

/* A program on one kernel. */
struct compat_run {
	uint8_t loads, attaches;	/* enum attach_answer */
	uint64_t context_words;		/* of reach */
};

struct compat_kernel {
	struct build_files build;	/* of its vmlinux alone, unless a directory was given */
	char *release;			/* NULL: not known */
	struct compat_answer *answers;	/* by need */
	const struct compat_answer **whole;	/* by source: why none of it is loaded, or NULL */
	struct compat_run *runs;	/* by program */
	ARRAY_OF(struct core_value) values;	/* of all relocations, file by file */
	ARRAY_OF(uint8_t) reached;	/* enum reach_answer of each, the most of all programs */
};

struct compat {
	struct bpf_files files;
	struct compat_source *sources;	/* by file */
	ARRAY_OF(struct compat_program) programs;
	ARRAY_OF(struct compat_need) needs;
	ARRAY_OF(struct compat_kernel) kernels;
	struct kernel_options options;	/* of all, but for the path */
	struct hash_table by_name;	/* needs, from 1 on */
	unsigned int jobs;
};

/* The files are open: fills programs and needs. False: err is filled. */
bool compat_gather(struct compat *compat, struct error *err);

/* Fills what is behind the kernel's files; any thread may do it. */
bool compat_ask(const struct compat *compat, struct compat_kernel *kernel, struct error *err);

/* When all have been asked: parameter lists that differ from the first kernel's. */
void compat_compare(struct compat *compat);
void compat_release(struct compat *compat);

/* From good to bad. */
enum { COMPAT_ANSWERS = 4 };
extern const char *const compat_answers[COMPAT_ANSWERS];

/* The worst of all programs that are loaded by default: its number in compat_answers. */
int compat_summary(const struct compat *compat, const struct compat_kernel *kernel);
json_t *compat_json(const struct compat *compat, const char *path, bool has_relocations);
/* The same with what pages want of it. */
json_t *compat_page(json_t *json);

#endif
