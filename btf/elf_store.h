/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Puts sections into an ELF file in place; nothing else of it moves.
 *
 *  new		at the end of the section table, so that no index changes; not allocated
 *  there	the table gets the offset of the new contents; equal contents are not written
 *  allocated	(SHF_ALLOC in a linked file): addresses refer to it, so it stays where it is and as
 *		long as it is. BTF that is shorter is padded, longer BTF is refused
 *  removed	its entry in the table goes, or stays empty when others follow
 *
 * The file is the old or the new one at every instant (elf/file_update.h): the first two append
 * contents, names and table, then change the ELF header; overwriting an allocated section takes a
 * copy of the file. What the appended replaces stays in the file as unused bytes; objcopy, strip
 * and ld leave them out.
 *
 * Refused, and left alone: what is read-only, signed (a signature is of the bytes before it), no
 * regular ELF file, or damaged where this would rely on it.
 */
#ifndef BTFENC_BTF_ELF_STORE_H
#define BTFENC_BTF_ELF_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/error.h"

struct elf_section_data {
	const char *name;	/* ".BTF", ".BTF.base" */
	const void *data;	/* NULL: the file shall have no such section */
	size_t size;		/* in bytes */
	uint32_t own_strings;	/* of BTF that is split from earlier sections', which may be padded:
				   where its own strings begin; 0: it is not */
};

/*
 * All sections or none. `read`: the file that they were made from; if it has changed since, they do
 * not belong to it. NULL: any will do. False: err is filled. For one thread at a time
 * (base/output_file.h).
 */
bool elf_store(const char *path, const struct stat *read, const struct elf_section_data *sections,
	       size_t count, struct error *err);

/*
 * A copy of BTF, in either byte order, as long as the room it has to fill. The kernel takes all
 * of .BTF between two symbols of the linker and refuses bytes that belong to no section of it, so
 * the string section, which is last, grows: by empty strings that nothing refers to. Owned by the
 * caller. NULL: this is not BTF that ends with its strings, or they would get too long.
 */
void *btf_padded(const void *data, size_t bytes, size_t wanted_bytes);

/*
 * A copy of split BTF, intact, for when its base has been padded by so many bytes: its own strings,
 * which began with offset `first`, have moved. Owned by the caller.
 */
void *btf_moved(const void *data, size_t bytes, uint32_t first, size_t padding_bytes);

#endif
