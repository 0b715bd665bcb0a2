/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#ifndef BTFENC_ELF_SECTION_HEADER_H
#define BTFENC_ELF_SECTION_HEADER_H

#include <elf.h>
#include <stdint.h>

/* musl 1.2.3 does not know it. */
#ifndef EM_LOONGARCH
#define EM_LOONGARCH 258
#endif

struct section_header {
	const char *name;
	uint64_t address;	/* in a relocatable object: made up, see elf/relocatable.h */
	uint64_t size;
	uint64_t file_offset;
	uint64_t alignment;
	uint64_t flags;		/* SHF_* */
	uint32_t type;		/* SHT_* */
	uint32_t link;		/* sh_link and sh_info: what they refer to depends on the type */
	uint32_t info;
	uint32_t in_image;	/* where object->image has its contents; 0: they are in this file */
};

#endif
