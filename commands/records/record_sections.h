/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Where the sections are that a file's records count from. */
#ifndef BTFENC_COMMANDS_RECORDS_RECORD_SECTIONS_H
#define BTFENC_COMMANDS_RECORDS_RECORD_SECTIONS_H

#include "commands/records/records.h"

/*
 * Fills records->sections: one for each name, with its address in the image and its running one as
 * far as they are known. False: the symbols are not those of this kernel.
 */
bool record_sections_place(struct records *records, struct error *err);

/* The index of the section; records->sections.count: there is none of that name. */
uint32_t record_sections_find(const struct records *records, const char *name);

#endif
