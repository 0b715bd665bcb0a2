/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "dwarf/code_pad.h"

#include <elf.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "elf/section_header.h"

/*
 * Instruction words under a mask, the longest first: NOPs, and what else is at entries and
 * leaves arguments alone. Instructions are little-endian but on s390,
 * whatever the data are.
 */
static const struct pad {
	uint16_t machine;
	uint8_t bytes;
	uint64_t mask;
	uint64_t word;
} rows[] = {
	{ EM_AARCH64, 4, 0xfffff01f, 0xd503201f },		/* hint #n */
	{ EM_RISCV, 4, 0xffffffff, 0x00000013 },		/* addi x0, x0, 0 */
	{ EM_RISCV, 2, 0xffff, 0x0001 },			/* c.nop */
	{ EM_PPC64, 4, 0xffffffff, 0x60000000 },		/* ori 0, 0, 0 */
	{ EM_PPC64, 4, 0xffff0000, 0x3c4c0000 },	/* addis r2, r12, *: the TOC, from */
	{ EM_PPC64, 4, 0xffff0000, 0x3c400000 },	/* lis r2, *         global entry to */
	{ EM_PPC64, 4, 0xffff0000, 0x38420000 },	/* addi r2, r2, *    local entry */
	{ EM_S390, 6, 0xffff00000000, 0xc00400000000 },		/* brcl 0, * */
	{ EM_S390, 6, 0xffff00000000, 0xc00500000000 },		/* brasl %r0, __fentry__ */
	{ EM_S390, 4, 0xfff00000, 0x47000000 },			/* bc 0, * */
	{ EM_S390, 2, 0xfff0, 0x0700 },				/* bcr 0, * */
	{ EM_LOONGARCH, 4, 0xffffffff, 0x03400000 },		/* andi r0, r0, 0 */
	{ EM_ARM, 4, 0x0fffffff, 0x0320f000 },			/* nop */
	{ EM_ARM, 4, 0xffffffff, 0xe1a00000 },			/* mov r0, r0 */
	{ EM_ARM, 4, 0xffffffff, 0x8000f3af },			/* Thumb: nop.w */
	{ EM_ARM, 2, 0xffff, 0xbf00 },				/* Thumb: nop */
	{ EM_ARM, 2, 0xffff, 0x46c0 },				/* Thumb: mov r8, r8 */
};

/* 90, and 0f 1f with an operand, both with any number of 66 and segment prefixes. */
static size_t x86_nop_length(const uint8_t *bytes, size_t size)
{
	size_t at = 0;
	uint8_t mode;

	while (at < size && at < 8 && (bytes[at] == 0x66 || bytes[at] == 0x2e))
		at++;
	if (at < size && bytes[at] == 0x90)
		return at + 1;
	if (size < at + 4 || bytes[at] != 0x0f || bytes[at + 1] != 0x1f)
		return 0;
	mode = bytes[at + 2] >> 6;
	/* With a SIB byte; none that begins with a displacement alone is in use. */
	at += (bytes[at + 2] & 7) == 4 ? 4 : 3;
	at += mode == 1 ? 1 : mode == 2 ? 4 : 0;
	return at <= size ? at : 0;
}

size_t code_pad_length(uint16_t machine, const uint8_t *bytes, size_t size)
{
	if (machine == EM_X86_64 || machine == EM_386)
		return x86_nop_length(bytes, size);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct pad *pad = &rows[i];

		if (pad->machine == machine && pad->bytes <= size &&
		    (bytes_load_number(bytes, pad->bytes, machine == EM_S390) & pad->mask) ==
			    pad->word)
			return pad->bytes;
	}
	return 0;
}

void code_pads_open(struct code_pads *pads, const struct object *object)
{
	*pads = (struct code_pads){
		.object = object,
		.machine = object->machine,
		.bytes = memory_zeroed(object->header_count + 1, sizeof(*pads->bytes)),
	};
	for (size_t i = 1; pads->machine && i < object->header_count; i++) {
		const struct section_header *section = &object->headers[i];
		const uint8_t *bytes;
		size_t size;

		if (section->type != SHT_PROGBITS || !(section->flags & SHF_EXECINSTR))
			continue;
		bytes = object_file_bytes(object, i, &size);
		pads->bytes[i] = size >= section->size ? bytes : NULL;
	}
}

void code_pads_close(struct code_pads *pads)
{
	free(pads->bytes);
	*pads = (struct code_pads){ 0 };
}

uint64_t code_pads_end(const struct code_pads *pads, uint32_t section, uint64_t begin,
		       uint64_t limit)
{
	const struct section_header *header;
	uint64_t at = begin;

	if (section >= pads->object->header_count || !pads->bytes[section])
		return begin;
	header = &pads->object->headers[section];
	while (at < limit && at - header->address < header->size) {
		uint64_t offset = at - header->address;
		size_t length = code_pad_length(pads->machine, pads->bytes[section] + offset,
						(size_t)(header->size - offset));

		if (!length)
			break;
		at += length;
	}
	return at;
}
