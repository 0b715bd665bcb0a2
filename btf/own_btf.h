/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The BTF that an image or module has in its .BTF, whoever made it: the kernel that runs it, libbpf
 * and bpftrace go by that, not by DWARF. pahole 1.24 gave mm_init() of Debian's 6.1 the prototype
 * of another function of that name; vmlinux of 7.2 has 35 functions whose FUNC pahole left out.
 * Names and types of a module may be in the BTF of its kernel, which is to be given.
 *
 * A module's FUNC is not all: libbpf looks for a name in the kernel's BTF first, and kernels before
 * 6.4 (31bf1dbccfb0) for its address, too. With nls_cp1251.ko of 6.1 loaded, fentry/char2uni is
 * attached to the kernel's char2uni(), of nls_base.c. Of several modules with the name libbpf takes
 * the one that was loaded first.
 */
#ifndef BTFENC_BTF_OWN_BTF_H
#define BTFENC_BTF_OWN_BTF_H

#include "base/hash_table.h"
#include "btf/reader.h"
#include "elf/object.h"

/* The ids of FUNCs by name. */
struct func_names {
	const struct btf_reader *btf;	/* borrowed; NULL: not known */
	struct hash_table ids;
};

/* From that id on. */
void func_names_read(struct func_names *names, const struct btf_reader *btf, uint32_t first_id);
void func_names_release(struct func_names *names);

/* The first FUNC of that name; 0: there is none. */
uint32_t func_names_find(const struct func_names *names, const char *name);

struct own_btf {
	bool is_known;			/* all records are whole, and there are FUNCs */
	const char *why_unread;		/* there is one, and yet it is not known; NULL: or none */
	struct btf_reader btf;
	struct btf_reader distilled;	/* its base, of .BTF.base */
	struct func_names funcs;	/* none of the base's */
};

/*
 * `base` is that of a module's, which it borrows; NULL: not known. To be released in any case, and
 * not to be moved.
 */
void own_btf_read(struct own_btf *own, const struct object *object, const struct btf_reader *base);
void own_btf_release(struct own_btf *own);

/*
 * Has it fewer parameters than the function? A trampoline saves and restores only those of the
 * FUNC, so the function gets garbage for the others: an empty fexit program on mm_init() brought
 * 6.1.0-56 down. resolve_btfids takes arguments from kfuncs, but leaves a FUNC NAME_impl with all.
 */
bool own_btf_lacks_parameters(const struct own_btf *own, const char *name, uint32_t parameters);

#endif
