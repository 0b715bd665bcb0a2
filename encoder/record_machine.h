/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Which machine a file with records is of: what registers are called, what a word is. */
#ifndef BTFENC_ENCODER_RECORD_MACHINE_H
#define BTFENC_ENCODER_RECORD_MACHINE_H

#include "encoder/records.h"

/* Fills abi and word_bytes; abi stays NULL where nothing tells. */
void record_machine_find(struct records *records);

#endif
