/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * A linked image for tests of instructions: a function of theirs at TEXT, its callees after it
 * (machine_image.c has the list), tables that it may jump by, and a section without bytes.
 */
#ifndef BTFENC_TESTS_MACHINE_IMAGE_H
#define BTFENC_TESTS_MACHINE_IMAGE_H

#include "dwarf/code/machine_code.h"

#define TEXT	   0x10000u
#define TEXT_BYTES 0x1000u
#define TABLES	   0x20000u
#define NO_BYTES   0x30000u

/* DWARF numbers of x86-64. */
enum {
	RAX = 0,
	RDX = 1,
	RCX = 2,
	RBX = 3,
	RSI = 4,
	RDI = 5,
	RBP = 6,
	RSP = 7,
};

#define BYTES(text) text, sizeof(text) - 1
#define RET	    "\xc0\x03\x5f\xd6"	/* of arm64 */

/* Without capstone every answer about x86-64 is "unknown". */
#ifdef WITH_CAPSTONE
#define DECODES_X86 true
#else
#define DECODES_X86 false
#endif

struct machine_image {
	uint8_t text[TEXT_BYTES];
	uint8_t tables[0x50];	/* a table of jumps, then one of static branches at 0x40 */
	uint8_t faults[12];
	bool has_faults;
	uint16_t machine;
	int fd;
	char path[64];
	struct object object;
	struct machine_code code;
};

void machine_image_init(struct machine_image *image, uint16_t machine);

/* The object and its code have what `text` holds at this call. */
void machine_image_open(struct machine_image *image);
void machine_image_close(struct machine_image *image);

/* Opened, with these bytes at TEXT. */
void machine_image_with(struct machine_image *image, uint16_t machine, const char *bytes,
			size_t size);

void put_le32(uint8_t *at, uint32_t value);

#endif
