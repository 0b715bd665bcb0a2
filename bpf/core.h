/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * CO-RE relocations: what libbpf puts into an instruction of a BPF object for the BTF of a kernel,
 * as 1.6 and later do. Before, loads and stores of arrays of another size were poisoned, too.
 */
#ifndef BTFENC_BPF_CORE_H
#define BTFENC_BPF_CORE_H

#include "base/hash_table.h"
#include "base/text.h"
#include "btf/reader.h"

/* enum bpf_core_relo_kind of <linux/bpf.h> */
enum core_kind {
	CORE_FIELD_BYTE_OFFSET, CORE_FIELD_BYTE_SIZE, CORE_FIELD_EXISTS, CORE_FIELD_SIGNED,
	CORE_FIELD_LSHIFT_U64, CORE_FIELD_RSHIFT_U64, CORE_TYPE_ID_LOCAL, CORE_TYPE_ID_TARGET,
	CORE_TYPE_EXISTS, CORE_TYPE_SIZE, CORE_ENUMVAL_EXISTS, CORE_ENUMVAL_VALUE,
	CORE_TYPE_MATCHES, CORE_KIND_COUNT
};

extern const struct core_kind_row {
	const char *word;	/* as libbpf prints it */
	enum { CORE_FIELD, CORE_TYPE, CORE_ENUMERATOR } of;
	bool is_poison;		/* without a match; others are 0 */
} core_kinds[CORE_KIND_COUNT];

/* A record of .BTF.ext, in host order, and what it is for. */
struct core_relocation {
	uint32_t instruction_byte;	/* in its ELF section */
	uint32_t type, access;		/* id, and offset of a string, of the object's BTF */
	uint32_t kind;			/* enum core_kind, or not */
	uint8_t opcode;			/* of the instruction */
};

/*
 * A kernel: its BTF, in which libbpf looks first, then that of the modules. They are borrowed.
 * Zeros are an empty one; threads may share it once all files are there.
 */
struct core_target {
	ARRAY_OF(struct core_file) files;
};

struct core_file {
	const struct btf_reader *btf;
	uint32_t pointer_bytes;
	struct hash_table by_name;	/* ids, without those of its base */
};

void core_target_add(struct core_target *target, const struct btf_reader *btf);
void core_target_release(struct core_target *target);

/*
 * One bpf_object__load(): target and local are set, the rest is zeros. What one relocation finds
 * rules out candidates for later ones of the same type, so they come in the order of .BTF.ext,
 * without those of programs that are not loaded; those of subprograms always are.
 */
struct core_load {
	const struct core_target *target;
	const struct btf_reader *local;		/* of the object */
	ARRAY_OF(struct core_candidate) candidates;	/* of each type; no file ends them */
	struct hash_table by_type;	/* where they begin, from 1, by ids of the object */
	uint32_t work;			/* names that were looked at */
};

struct core_candidate {
	const struct core_file *file;
	uint32_t id;
};

void core_load_release(struct core_load *load);

struct core_value {
	enum { CORE_MATCHED, CORE_UNMATCHED, CORE_FAILED } is;	/* failed: as the load is */
	const char *why;	/* of CORE_FAILED; constant */
	bool lacks_type;	/* there is none of that name and kind */
	bool is_poisoned;	/* the instruction becomes one that verifiers refuse */
	uint64_t value;
};

/*
 * False: the record is damaged, and err is filled. To `name`, unless NULL, what is asked for is
 * added: "struct task_struct.pid", "enum bpf_func_id::BPF_FUNC_loop", "struct sk_buff".
 */
bool core_resolve(struct core_value *value, struct core_load *load,
		  const struct core_relocation *relocation, struct text *name, struct error *err);

/* How long a name is without its flavour: "task_struct" of "task_struct___old". */
size_t core_name_length(const char *name);

/* As libbpf compares the prototype of a kfunc, or the type of a variable, with an extern's. */
bool core_types_are_compatible(const struct btf_reader *local, uint32_t local_id,
			       const struct btf_reader *target, uint32_t target_id);

#endif
