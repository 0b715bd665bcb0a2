/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Arguments and results in machine code: does a callee read an argument, do its callers set it,
 * does the caller read the result? Asked only where DWARF cannot tell.
 *
 * x86-64 and arm64. Two layers: byte patterns that need no disassembler (padding at the entry,
 * targets of direct calls, the callers of an address), always there; and dataflow over registers.
 * For that x86-64 is decoded by capstone, which is optional at build time (WITH_CAPSTONE): without
 * it, or for another machine, every such answer is "unknown". arm64 needs no capstone. Registers
 * are DWARF numbers of dwarf/abi/abi.h, general ones; machine_code_entry_use() alone knows the
 * vector registers of arm64, too.
 *
 * Opening calls libelf, which is not for two threads at once. The image is shared: open one and
 * give every further thread its own by machine_code_share().
 */
#ifndef BTFENC_DWARF_CODE_MACHINE_CODE_H
#define BTFENC_DWARF_CODE_MACHINE_CODE_H

#include "base/memory.h"
#include "elf/object.h"

struct code_image;
struct code_reader;

struct machine_code {
	const struct object *object;
	uint16_t machine;		/* EM_*; 0: none that this file knows */
	struct code_image *image;
	bool image_is_shared;
	struct code_reader *reader;	/* NULL without a decoder; one thread's */
};

/* Never fails: what cannot be decoded answers "unknown". The object must outlive it. */
void machine_code_open(struct machine_code *code, const struct object *object);
/* Another one for another thread; `first` must outlive it. */
void machine_code_share(struct machine_code *code, const struct machine_code *first);
void machine_code_close(struct machine_code *code);
/* Of x86-64, whose code needs capstone: what it could show has to be expected. */
bool machine_code_lacks_decoder(const struct machine_code *code);

/*
 * Length of what is at a function's entry and leaves all argument registers alone: endbr64,
 * NOPs, the call of __fentry__ (x86-64); bti, paciasp, NOPs, mov x9,x30 + bl (arm64). A call counts
 * only if it goes to a tracer's hook.
 */
uint32_t machine_code_entry_pad(const struct machine_code *code, uint64_t entry);

struct direct_call {
	uint64_t address;		/* of the instruction */
	uint64_t target;
	bool is_jump;			/* a tail call, or a mere jump */
};

/* The direct call or jump at an address; returns its length, 0: there is none. */
uint32_t machine_code_call_at(const struct machine_code *code, uint64_t address,
			      struct direct_call *call);

/*
 * The one that ends at `return_pc`, which should be known to end an instruction; false: there is
 * none. On x86-64 no jump of two bytes is found.
 */
bool machine_code_direct_call(const struct machine_code *code, uint64_t return_pc,
			      struct direct_call *call);

/*
 * Adds to callers[] how many calls and jumps lead to each of targets[0..count) (ascending; the
 * first of equal ones is meant), by byte pattern as below, but for jumps over a few bytes.
 */
void machine_code_count_callers(const struct machine_code *code, const uint64_t *targets,
				size_t count, uint32_t *callers);

/*
 * All direct calls and jumps in executable sections to one of targets[0..count) (ascending), in
 * order of address, appended to *calls. By byte pattern (x86-64: e8, e9, 0f 8x with rel32, eb, 7x
 * with rel8; arm64: b, bl): whether it is a real instruction shows when the function around it is
 * decoded.
 */
typedef ARRAY_OF(struct direct_call) direct_call_array;
void machine_code_find_calls(const struct machine_code *code, const uint64_t *targets,
			     size_t count, direct_call_array *calls);

/*
 * The reaching definitions of a register when the instruction at `call` is reached from the
 * caller's entry. UNSET is a claim that withdraws a promise, so it is made only where no path is
 * known on which the register is written, where the calls before surely return, and where none of
 * them may turn out to preserve it. Else, on a maybe, it is UNKNOWN.
 */
enum reaching_definition {
	REACHING_UNKNOWN,	/* not decodable, or it depends on the path */
	REACHING_SET,		/* written on every path since the last call */
	REACHING_UNSET,		/* on some path a call has clobbered it, on none it is written */
	REACHING_ENTRY,		/* on some path still what the caller itself was entered with; on
				   the others that, too, or written */
	REACHING_NO_CALL,	/* no call or jump begins there */
};

/*
 * [begin, end) is the caller's code (a symbol's extent); `call` the address of a call or jump in
 * it. Writes count when they write the register as a value (a xor to zero, a narrower part, too).
 * Questions about one caller should follow each other: it is decoded once. A piece that is entered
 * at several addresses (a symbol .cold) has no entry: of such a caller only SET is an answer.
 */
enum reaching_definition machine_code_reaching_at_call(const struct machine_code *code,
						       uint64_t begin, uint64_t end,
						       uint64_t call, unsigned int reg);

/*
 * May the register hold a zero that an instruction of the function [begin, end) puts there, or into
 * another that is copied to it? Not: one that is computed. An empty range is a function that is not
 * known. LLVM for x86-64 makes each zero where it is needed; where no instruction is understood, a
 * register may be one.
 */
bool machine_code_may_hold_zero(const struct machine_code *code, uint64_t begin, uint64_t end,
				unsigned int reg);

/*
 * Does a register surely hold, right before the instruction at `pc`, what the function [begin, end)
 * was entered with? False where it cannot be told.
 */
bool machine_code_keeps_entry(const struct machine_code *code, uint64_t begin, uint64_t end,
			      uint64_t pc, unsigned int reg);

/*
 * Do the next instructions, up to the first that does not just go on to the next, write some of
 * the `size` bytes at register `base` + offset, which the DWARF says are filled already? False:
 * instructions of this machine, or this base register, are not understood.
 */
bool machine_code_fills_slot(const struct machine_code *code, uint64_t pc, unsigned int base,
			     int64_t offset, uint64_t size, bool *fills);

/*
 * Does a function read a register that it is entered with? Code outside of [begin, end) counts as
 * part of it when it jumps back into it (.cold); any other jump out is a tail call. A vector
 * register is either READ or UNKNOWN.
 */
enum register_use {
	USE_UNKNOWN,
	USE_READ,		/* on some path, before it is written; a push is a read */
	USE_PASSED,		/* not read, but on some path untouched at a call or tail call */
	USE_DEAD,		/* on every path overwritten, or not touched until the return */
};

enum register_use machine_code_entry_use(const struct machine_code *code, uint64_t begin,
					 uint64_t end, unsigned int reg);

/*
 * Of a register that a function only passes on: do all functions that it calls, or jumps to, surely
 * not read it? Those that they call count, too, as far as they are looked at.
 */
bool machine_code_callees_ignore(const struct machine_code *code, uint64_t begin, uint64_t end,
				 unsigned int reg);

/*
 * Is a register (rax, rdx; x0, x1: what a function returns) read after a call? The caller is
 * [begin, end), the call ends at return_pc. PASSED: not read, but on some path untouched at a
 * return; then it may be what the caller returns, if it returns something. So may what a tail call
 * returns: then the answer is PASSED at once. A jump out of the caller is followed: into another
 * part of it, which may read the value, or a function, which mostly overwrites it. To read it as an
 * argument (x0, rdx) is a read, too. DEAD: overwritten on every path, or clobbered by a call, or
 * the path ends (ud2 with nothing after it).
 */
enum register_use machine_code_use_after(const struct machine_code *code, uint64_t begin,
					  uint64_t end, uint64_t return_pc, unsigned int reg);

/*
 * Does a function surely read the argument in [offset, offset + size) above the stack pointer that
 * it is entered with (x86-64: 8 is the first argument on the stack, arm64: 0)? Some of the bytes
 * are read before they are written, or their address is passed on. With may_be_copied it is not a
 * read to copy them into the function's own frame, where the arguments of its calls are. False
 * where it cannot be told.
 */
bool machine_code_reads_stack(const struct machine_code *code, uint64_t begin, uint64_t end,
			      int64_t offset, uint64_t size, bool may_be_copied);

#endif
