/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Where functions have a tracer's hook, which fentry needs: only a kernel's ELF file says it. */
#ifndef BTFENC_COMMANDS_RECORDS_RECORD_HOOKS_H
#define BTFENC_COMMANDS_RECORDS_RECORD_HOOKS_H

#include "commands/attach/attach.h"
#include "commands/records/records.h"

/* Of a function's entry at an address in the ELF file's own image. */
enum attach_answer record_hook_at(const struct records *records, uint64_t address);

#endif
