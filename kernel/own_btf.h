/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The BTF that an image or module has in its .BTF, whoever made it: the kernel that runs it, libbpf
 * and bpftrace go by that, not by DWARF. pahole 1.24 gave mm_init() of Debian's 6.1 the prototype
 * of another function of that name; vmlinux of 7.2 has 35 functions whose FUNC pahole left out.
 * Names and types of a module may be in the BTF of its kernel, which is to be given. A FUNC that is
 * only there is not the module's: with nls_cp1251.ko of 6.1 loaded, whose char2uni() has that of
 * nls_base.c, fentry/char2uni is attached to the kernel's. So it is where both have one.
 */
#ifndef BTFENC_COMMANDS_ATTACH_OWN_BTF_H
#define BTFENC_COMMANDS_ATTACH_OWN_BTF_H

#include "base/hash_table.h"
#include "btf/reader.h"
#include "elf/object.h"

struct own_btf {
	bool is_known;			/* all records are whole, and there are FUNCs */
	bool needs_base;		/* it is split from what was not given */
	struct btf_reader btf;
	struct btf_reader distilled;	/* its base, of .BTF.base */
	struct hash_table funcs;	/* ids of FUNCs by name */
	struct hash_table shared;	/* names of those of which the base has FUNCs, too */
};

/*
 * `base` is that of a module's, which it borrows; NULL: not known. To be released in any case, and
 * not to be moved.
 */
void own_btf_read(struct own_btf *own, const struct object *object, const struct btf_reader *base);
void own_btf_release(struct own_btf *own);

/* The FUNC of that name, none of the base's; 0: there is none. */
uint32_t own_btf_func(const struct own_btf *own, const char *name);

/* Has the base a FUNC of that name, too? */
bool own_btf_is_shared(const struct own_btf *own, const char *name);

/*
 * Has it fewer parameters than the function? A trampoline saves and restores only those of the
 * FUNC, so the function gets garbage for the others: an empty fexit program on mm_init() brought
 * 6.1.0-56 down. resolve_btfids takes arguments from kfuncs, but leaves a FUNC NAME_impl with all.
 */
bool own_btf_lacks_parameters(const struct own_btf *own, const char *name, uint32_t parameters);

#endif
