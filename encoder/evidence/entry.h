/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The addresses of a function's entry, and the symbol there. They are several, and each question
 * wants its own:
 *
 * - The symbol's value is *the* entry: calls through pointers go there, kallsyms and tracers know
 *   it, and a FUNC promises the arguments there. The Thumb bit is in no address.
 * - DWARF may describe the function from a later address on, past the NOPs that
 *   -fpatchable-function-entry leaves for a tracer: GCC 11 to 16 put DW_AT_low_pc, location lists
 *   and call frames there (GCC PR98776) on arm64, riscv64, ppc64le, s390x and loongarch64; clang,
 *   and GCC on x86, describe the symbol's address. What is known of arguments is asked there.
 * - Direct calls of ppc64le (ELFv2) enter later, at the local entry (symbol.local_entry_bytes). A
 *   probe that is given as an address has to stand there.
 * - The tracer's hook may be in front of the symbol, at it, or after the prologue:
 *   commands/attach/hook_table.h.
 */
#ifndef BTFENC_ENCODER_EVIDENCE_ENTRY_H
#define BTFENC_ENCODER_EVIDENCE_ENTRY_H

#include "encoder/evidence/evidence.h"
#include "encoder/evidence/instance.h"

struct entry_join {
	enum join_class class;
	uint32_t symbol;	/* NO_SYMBOL when the class is JOIN_NONE */
	uint64_t described;	/* where DWARF begins to describe it */
};

/*
 * Looks for the best symbol of `name` for code that DWARF describes from an address on, and takes
 * it if it is better than what *join has.
 */
void entry_join_symbol(struct evidence *evidence, const char *name, uint64_t described,
		       struct entry_join *join);

/* Does DWARF's description of the symbol's code begin at that address? */
bool entry_is_described_at(struct evidence *evidence, const struct symbol *symbol,
			   uint64_t described);

#endif
