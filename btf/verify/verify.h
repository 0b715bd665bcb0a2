/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The kernel's rules for BTF, as BPF_BTF_LOAD of Linux 6.18 applies them, and a few rules of our
 * own, which are warnings.
 *
 * A blob without errors is one that the kernel loads, and the other way round, with these
 * exceptions, all on purpose:
 *  - a base is taken as good, as the kernel takes it; check it by itself;
 *  - ids above BTF_TYPE_ID_MAX are errors here, the kernel drops such types without a word;
 *  - more than 16 MiB is a warning: a kernel's own BTF and that of its modules may be larger,
 *    but not that of a program (BTF_DIALECT_OBJECT);
 *  - a DATASEC entry whose end wraps around 32 bits is an error here;
 *  - what the kernel asks of BPF map values (bpf_spin_lock, bpf_list_head, kptr tags) is not
 *    checked: a kernel's own BTF is never asked.
 *
 * The experimental records of docs/format.md are unknown kinds to the kernel, and so they are here
 * unless the caller asks for their rules (enum btf_dialect).
 *
 * One pass over the records and one walk over the references, both linear, no recursion: 4 MB with
 * 95,000 types take 9 ms, and 4 ms more for the warnings. `unit_verify FILE` measures it again.
 */
#ifndef BTFENC_BTF_VERIFY_VERIFY_H
#define BTFENC_BTF_VERIFY_VERIFY_H

#include "btf/reader.h"
#include "btf/verify/rules.h"

#define BTF_NO_ELEMENT 0xffffffffu

struct btf_finding {
	uint32_t type_id;		/* 0: the header or the string section */
	enum btf_rule rule;
	uint32_t element;		/* member, parameter, ... from 0; or BTF_NO_ELEMENT */
	uint32_t value;			/* the offending number: id, offset, size, ... */
	const char *text;		/* the offending string, in the BTF; or NULL */
};

/* The findings in the order of the passes; the counts go on where the list is full. */
struct btf_findings {
	struct btf_finding *data;
	size_t count;
	size_t capacity;
	uint64_t errors;
	uint64_t warnings;
};

/* Whose rules apply: the kernel's, or these and what docs/format.md adds. */
enum btf_dialect {
	BTF_DIALECT_CLASSIC = 0,
	BTF_DIALECT_INLINE,		/* kinds 20 to 22 */
	/*
	 * .BTF.extra, on top of its .BTF: LOC, a DATASEC of functions, a FUNC of type 0. No kernel
	 * reads it: how large it may be and how its types are sorted do not matter.
	 */
	BTF_DIALECT_EXTRA,
	/*
	 * Of a BPF program before libbpf loads it. libbpf fills in the sizes and offsets of
	 * DATASECs, turns what is extern into what kernels know, and sorts nothing.
	 */
	BTF_DIALECT_OBJECT,
};

struct btf_verify_options {
	enum btf_dialect dialect;
	uint32_t pointer_bytes;		/* of the target; 0: guess from the type "long" */
	size_t limit;			/* findings to keep; 0: all */
	bool layout;			/* take a layout section as kernels do that know it */
	uint32_t end_kind;		/* one more than the kernel's last; 0: all of the dialect */
	/*
	 * As the kernel reads what a module has: of references it only follows modifiers, and takes
	 * a FUNC of a type that is not there (7.3: btf_parse_module(), 6.1 the same).
	 */
	bool as_module;
	bool wide_info;			/* 24 bits of vlen, 7 of the kind: Linux 7.2 */
	bool any_tag_order;		/* type tags may come after modifiers: Linux 7.2 */
	bool plain_tags;		/* no kind_flag in tags: before Linux 6.15 */
	bool errors_only;		/* skip what can only give warnings */
	bool two_threads;		/* 3 of 8 ms less for a kernel */
};

/* Fills *findings; release them with btf_findings_release(). NULL options: all zero. */
void btf_verify(const struct btf_reader *btf, const struct btf_verify_options *options,
		struct btf_findings *findings);

/*
 * The rules for a distilled base (.BTF.base), on which the module's BTF has been opened: each of
 * its types must be one of the kernel's BTF. The findings are about `module->base`, of which, as of
 * the module, BTF_RULE_ERRORs are not known. Linear in all three.
 */
void btf_verify_base(const struct btf_reader *module, const struct btf_reader *kernel,
		     struct btf_findings *findings);

void btf_findings_release(struct btf_findings *findings);

/*
 * One line without newline, "[12] STRUCT 'name': code: what (value)", with "warning: " in front of
 * the code of a warning, clean (base/text_clean.h); as snprintf() counts.
 */
int btf_finding_text(const struct btf_reader *btf, const struct btf_finding *finding, char *buffer,
		     size_t bytes);

#endif
