/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * usage: compare_call_frame FILE...
 *
 * Differential test: where the CFA is, against libdw. In each function of the symbol table at its
 * first and its last byte, at both ends of each row of libdw's table, and at each seventh byte.
 * Prints how many addresses both know and neither does, and how long our half took: of Debian's
 * kernel 6.1, 2.2 million addresses, all of it takes two seconds.
 *
 * libdw relocates no .eh_frame of a relocatable object: of one only .debug_frame is compared. Of
 * RISC-V's nothing is: libdw 0.188 leaves alone how far an instruction of the table advances
 * (R_RISCV_SET6, SUB6, SET8, SUB8).
 *
 * Exit status: 0 equal (or no FILE: skipped), 1 different, 3 a file cannot be read.
 */
#include <dwarf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/memory.h"
#include "dwarf/call_frame.h"
#include "tests/comparison.h"

#define STEP 7

static struct {
	struct call_frames frames;
	Dwarf_CFI *debug_frame, *eh_frame;	/* NULL: there is none */
	size_t functions;
	uint64_t known, unknown;
	uint64_t open_ns, ask_ns;
} session;

struct cfa {
	bool is_known;
	uint8_t reg;
	int64_t offset;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- libdw ---- */

/* libdw has of a CFA an expression of one operation. */
static bool read_operation(const Dwarf_Op *op, struct cfa *cfa)
{
	uint64_t reg = op->atom == DW_OP_bregx ? op->number : (uint64_t)op->atom - DW_OP_breg0;
	uint64_t offset = op->atom == DW_OP_bregx ? op->number2 : op->number;

	if (op->atom != DW_OP_bregx && (op->atom < DW_OP_breg0 || op->atom > DW_OP_breg31))
		return false;
	*cfa = (struct cfa){ reg <= UINT8_MAX, (uint8_t)reg, (int64_t)offset };
	return cfa->is_known;
}

/* False: there is no entry. *end becomes the end of the row, if that is nearer. */
static bool ask_section(Dwarf_CFI *cfi, uint64_t pc, struct cfa *cfa, uint64_t *end)
{
	Dwarf_Frame *frame = NULL;
	Dwarf_Addr row_begin, row_end;
	Dwarf_Op *ops;
	size_t count;

	*cfa = (struct cfa){ 0 };
	if (!cfi || dwarf_cfi_addrframe(cfi, pc, &frame) != 0)
		return false;
	if (dwarf_frame_info(frame, &row_begin, &row_end, NULL) >= 0 && row_end > pc &&
	    row_end < *end)
		*end = row_end;
	if (dwarf_frame_cfa(frame, &ops, &count) == 0 && count == 1)
		read_operation(ops, cfa);
	free(frame);
	return true;
}

static struct cfa their_cfa(uint64_t pc, uint64_t *end)
{
	struct cfa debug, eh;
	bool has_debug = ask_section(session.debug_frame, pc, &debug, end);
	bool has_eh = ask_section(session.eh_frame, pc, &eh, end);

	if (has_debug && has_eh && (debug.is_known != eh.is_known || debug.reg != eh.reg ||
				    debug.offset != eh.offset))
		return (struct cfa){ 0 };
	return has_debug ? debug : eh;
}

/* ---- one function ---- */

/* Returns where libdw's row ends, or `end`. */
static uint64_t compare_pc(uint64_t pc, uint64_t end)
{
	struct cfa theirs = their_cfa(pc, &end), ours = { 0 };
	uint64_t start = now_ns();

	ours.is_known = call_frames_cfa(&session.frames, pc, &ours.reg, &ours.offset);
	session.ask_ns += now_ns() - start;
	session.known += ours.is_known && theirs.is_known;
	session.unknown += !ours.is_known && !theirs.is_known;
	if (ours.is_known == theirs.is_known && ours.reg == theirs.reg &&
	    ours.offset == theirs.offset)
		return end;
	if (compared.differences++ < MAX_DIFFERENCES)
		printf("%s: pc 0x%" PRIx64 ": %s r%u%+" PRId64 ", libdw %s r%u%+" PRId64 "\n",
		       compared.path, pc, ours.is_known ? "known" : "unknown", ours.reg,
		       ours.offset, theirs.is_known ? "known" : "unknown",
		       theirs.reg, theirs.offset);
	return end;
}

static void compare_function(uint64_t begin, uint64_t end)
{
	uint64_t next = begin;

	session.functions++;
	for (uint64_t pc = begin; pc < end; pc += STEP)
		compare_pc(pc, end);
	while (next < end) {
		uint64_t row_end = compare_pc(next, end);

		compare_pc(row_end - 1, end);
		next = row_end;
	}
}

/* ---- the symbol table ---- */

static bool is_function(const GElf_Sym *symbol)
{
	return GELF_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF &&
	       symbol->st_size;
}

/* libdw reads these wrongly. */
static bool is_compared(const struct object *object)
{
	GElf_Ehdr header;

	return !object->relocatable || !gelf_getehdr(object->elf, &header) ||
	       header.e_machine != EM_RISCV;
}

static void compare_symbols(void)
{
	const struct object *object = &compared.object;
	Elf_Scn *scn = libdw_file_symbols(object);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	size_t symbols = data ? data->d_size / gelf_fsize(object->elf, ELF_T_SYM, 1, EV_CURRENT)
			      : 0;

	for (size_t i = 0; i < symbols; i++) {
		uint64_t address;
		GElf_Sym symbol;

		if (!gelf_getsym(data, (int)i, &symbol) || !is_function(&symbol))
			continue;
		address = object_symbol_address(object, elf_ndxscn(scn), i, &symbol);
		if (address)
			compare_function(address, address + symbol.st_size);
	}
}

/* ---- one file ---- */

static void open_frames(void)
{
	uint64_t start = now_ns();

	/* Each pc of the code is asked for, more often than DIEs may. */
	free(compared.object.shared);
	compared.object.shared = NULL;
	call_frames_open(&session.frames, &compared.object);
	session.open_ns = now_ns() - start;
	if (compared.object.relocatable) {
		struct frame_section sections[CALL_FRAME_SECTIONS] = { session.frames.sections[0] };

		call_frames_close(&session.frames);
		call_frames_open_sections(&session.frames, sections);
	}
}

static bool compare_frames(struct error *err)
{
	uint64_t asked;

	(void)err;
	memset(&session, 0, sizeof(session));
	open_frames();
	session.debug_frame = dwarf_getcfi(compared.theirs.dwarf);
	if (!compared.object.relocatable)
		session.eh_frame = dwarf_getcfi_elf(dwarf_getelf(compared.theirs.dwarf));
	if (is_compared(&compared.object))
		compare_symbols();
	asked = session.known + session.unknown + compared.differences;
	printf("%s: %zu entries in %" PRIu64 " us; %zu functions, %" PRIu64
	       " addresses known, %" PRIu64 " not, %" PRIu64 " ns each: %s\n",
	       compared.path, session.frames.count, session.open_ns / 1000, session.functions,
	       session.known, session.unknown, asked ? session.ask_ns / asked : 0,
	       compared_verdict());
	if (session.eh_frame)
		dwarf_cfi_end(session.eh_frame);
	call_frames_close(&session.frames);
	return true;
}

int main(int argc, char **argv)
{
	return compare_dwarf(argc, argv, true, compare_frames);
}
