/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Where the canonical frame address (CFA) is at an instruction: a register and a number, from
 * .debug_frame and .eh_frame. The rest of these sections, where registers are saved, is not kept.
 *
 * Opening reads the heads of all entries once, to sort them by address: 4 ms for Debian's kernel
 * 6.1, which has 46,000 of them in 2.5 MB; a question takes 0.25 us (tests/compare_call_frame says
 * both). After that nothing changes: threads share it.
 */
#ifndef BTFENC_DWARF_CALL_FRAME_H
#define BTFENC_DWARF_CALL_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dwarf/frame_entry.h"
#include "elf/object.h"

enum { CALL_FRAME_SECTIONS = 2 };

struct call_frame_range;

struct call_frames {
	struct frame_section sections[CALL_FRAME_SECTIONS];
	struct call_frame_range *ranges;	/* by their begin */
	size_t count;
};

/*
 * Never fails: of what cannot be read nothing is known. Borrows bytes of the object, and calls
 * libelf (object_late_bytes()), which is not for two threads at once.
 */
void call_frames_open(struct call_frames *frames, struct object *object);
/* The same of bytes that the caller has. */
void call_frames_open_sections(struct call_frames *frames,
			       const struct frame_section sections[CALL_FRAME_SECTIONS]);
void call_frames_close(struct call_frames *frames);

/*
 * The CFA right before the instruction at pc: reg (DWARF's number) + offset. False: not
 * known, an expression, a register above 255, or several entries for this pc disagree.
 */
bool call_frames_cfa(const struct call_frames *frames, uint64_t pc, uint8_t *reg, int64_t *offset);

#endif
