/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* The LOC_PARAM of each location at each kind of site, or why there is none. */
#include "tests/cmocka_all.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "encoder/sites/loc_param.h"

/* DWARF numbers of x86-64. */
enum { RAX, RDX, RCX, RBX, RSI, RDI, RBP, RSP, XMM0 = 17 };

#define IMAGE_BASE	  0xffffffff81000000
#define IMAGE_BASE_NARROW 0xc1000000
#define FRAME		  BTF_LOC_FRAME_BASE

/* ---- sites ---- */

/* rdi alone still holds what it held at the entry. */
static bool keeps_rdi(void *context, uint8_t reg)
{
	(void)context;
	return reg == RDI;
}

static bool is_never_asked(void *context, uint8_t reg)
{
	(void)context;
	fail_msg("at the entry register %u holds what it held at the entry", reg);
	return false;
}

static bool cfa_at_rsp_24(void *context, uint8_t *reg, int64_t *offset)
{
	(void)context;
	*reg = RSP;
	*offset = 24;
	return true;
}

static bool no_cfa(void *context, uint8_t *reg, int64_t *offset)
{
	(void)context;
	*reg = RBX;
	*offset = 1;
	return false;
}

enum where {
	INSIDE,			/* x86-64; the frame base is the CFA, which is rsp + 24 */
	ENTRY,
	WRONG_FRAME,		/* INSIDE, but DWARF's frame is wrong */
	NO_CFA,			/* the CFA is unknown */
	NO_FRAME,		/* the same, and the function has no frame base */
	ON_RBP,			/* the frame base is rbp */
	ON_RBP_NO_CFA,
	ENTRY_ON_RBP,
	MODULE,			/* addresses are not final */
	STRANGE,		/* a machine of 64 bits that is not known */
	STRANGE_ENTRY,
	NARROW,			/* i386 */
	NARROW_ENTRY,
	BIG,			/* s390x */
	BIG_ENTRY,
};

static struct loc_param_site site_of(enum where where)
{
	struct loc_param_site site = {
		.word_bytes = 8, .frame_base = FRAME_BASE_CFA,
		.has_image_base = where != MODULE, .image_base = IMAGE_BASE,
		.image_end = IMAGE_BASE + 0x10000000,
		.find_cfa = cfa_at_rsp_24, .keeps_entry = keeps_rdi,
		.is_frame_wrong = where == WRONG_FRAME,
	};

	site.is_entry = where == ENTRY || where == ENTRY_ON_RBP || where == STRANGE_ENTRY ||
			where == NARROW_ENTRY || where == BIG_ENTRY;
	if (site.is_entry)
		site.keeps_entry = is_never_asked;
	if (where == NO_CFA || where == NO_FRAME || where == ON_RBP_NO_CFA)
		site.find_cfa = no_cfa;
	if (where == NO_FRAME)
		site.frame_base = FRAME_BASE_NONE;
	if (where == ON_RBP || where == ON_RBP_NO_CFA || where == ENTRY_ON_RBP) {
		site.frame_base = FRAME_BASE_REGISTER;
		site.frame_register = RBP;
	}
	if (where < STRANGE)
		site.abi = abi_find(EM_X86_64, 8, false);
	if (where == NARROW || where == NARROW_ENTRY) {
		site.abi = abi_find(EM_386, 4, false);
		site.word_bytes = 4;
		site.image_base = IMAGE_BASE_NARROW;
		site.image_end = IMAGE_BASE_NARROW + 0x10000000;
	}
	if (where == BIG || where == BIG_ENTRY) {
		site.abi = abi_find(EM_S390, 8, true);
		site.big_endian = true;
	}
	return site;
}

/* ---- rows ---- */

struct record {
	uint32_t flags;
	uint32_t count;		/* of values; 0: no record */
	uint32_t values[2];
};

#define R(number)	       { BTF_LOC_REG, 1, { number } }
#define RR(first, second)      { BTF_LOC_REG, 2, { first, second } }
#define SUM(number, by)                                                                            \
	{ BTF_LOC_REG | BTF_LOC_OFFSET, 2, { number, (uint32_t)(by) } }
#define MEM(number, by)                                                                            \
	{ BTF_LOC_REG | BTF_LOC_DEREF | BTF_LOC_OFFSET, 2, { number, (uint32_t)(by) } }
#define WORD(value)	       { BTF_LOC_CONST, 1, { value } }
#define NEGATIVE(value)	       { BTF_LOC_CONST | BTF_LOC_SIGNED, 1, { value } }
#define WORDS(low, high)       { BTF_LOC_CONST, 2, { low, high } }
#define NEGATIVES(low, high)   { BTF_LOC_CONST | BTF_LOC_SIGNED, 2, { low, high } }
#define ADDR(low)	       { BTF_LOC_CONST | BTF_LOC_ADDR, 1, { low } }
#define ADDRS(low, high)       { BTF_LOC_CONST | BTF_LOC_ADDR, 2, { low, high } }
#define NONE		       { 0, 0, { 0 } }

#define AT(kind_, reg_, by)    { .kind = LOCATION_##kind_, .reg = reg_, .offset = by }
#define LOW(kind_, reg_, n)    { .kind = LOCATION_##kind_, .reg = reg_, .value_bytes = n }
#define NUMBER(value)	       { .kind = LOCATION_CONSTANT, .constant = (uint64_t)(value) }
#define NUMBER_OF(n, value)                                                                        \
	{ .kind = LOCATION_CONSTANT, .value_bytes = n, .constant = (uint64_t)(value) }
#define ADDRESS(value)                                                                             \
	{ .kind = LOCATION_ADDRESS_VALUE, .constant = (uint64_t)(value) }
#define PIECE(kind_, reg_, n)  { .kind = LOCATION_##kind_, .reg = reg_, .size_bytes = n }
#define PIECES(n, ...)                                                                             \
	{ .kind = LOCATION_PIECES, .piece_count = n, .pieces = { __VA_ARGS__ } }

static const struct place_row {
	const char *what;
	enum where where;
	struct loc_param_type type;
	struct location found;
	enum loc_param_kind kind;
	struct record record;
} rows[] = {
	/* ---- registers ---- */
	{ "a register", INSIDE, { 8, false }, AT(REGISTER, RDI, 0), LOC_PARAM_REGISTER, R(RDI) },
	{ "register 0", INSIDE, { 8, false }, AT(REGISTER, RAX, 0), LOC_PARAM_REGISTER, R(RAX) },
	{ "of a byte", INSIDE, { 1, true }, AT(REGISTER, RDI, 0), LOC_PARAM_REGISTER, R(RDI) },
	{ "of unknown size", INSIDE, { 0, false }, AT(REGISTER, RDI, 0), LOC_PARAM_NARROWED, NONE },
	{ "two words in one", INSIDE, { 16, false }, AT(REGISTER, RDI, 0), LOC_PARAM_PIECES, NONE },
	{ "nine bytes in one", INSIDE, { 9, false }, AT(REGISTER, RDI, 0), LOC_PARAM_PIECES, NONE },
	{ "two words in a vector's", INSIDE, { 16, false }, AT(REGISTER, XMM0, 0),
	  LOC_PARAM_REGISTER, R(XMM0) },
	{ "which is unknown here", STRANGE, { 16, false }, AT(REGISTER, XMM0, 0),
	  LOC_PARAM_PIECES, NONE },
	{ "a word of 4 bytes", NARROW, { 4, false }, AT(REGISTER, 2, 0), LOC_PARAM_REGISTER, R(2) },
	{ "8 bytes in 4", NARROW, { 8, false }, AT(REGISTER, 2, 0), LOC_PARAM_PIECES, NONE },
	{ "the low bytes are enough", INSIDE, { 4, false }, LOW(REGISTER_VALUE, RDI, 4),
	  LOC_PARAM_REGISTER, R(RDI) },
	{ "more than enough", INSIDE, { 2, false }, LOW(REGISTER_VALUE, RDI, 4),
	  LOC_PARAM_REGISTER, R(RDI) },
	{ "not enough", INSIDE, { 4, false }, LOW(REGISTER_VALUE, RDI, 3),
	  LOC_PARAM_NARROWED, NONE },
	{ "in the middle", INSIDE, { 1, false },
	  { .kind = LOCATION_REGISTER_VALUE, .reg = RDI, .value_bytes = 1, .first_byte = 1 },
	  LOC_PARAM_NARROWED, NONE },
	{ "a bit", INSIDE, { 1, false }, AT(REGISTER_BIT, RDI, 0), LOC_PARAM_NARROWED, NONE },

	/* ---- sums ---- */
	{ "a register and a number", INSIDE, { 8, false }, AT(REGISTER_VALUE, RSI, 5),
	  LOC_PARAM_SUM, SUM(RSI, 5) },
	{ "and nothing", INSIDE, { 8, false }, AT(REGISTER_VALUE, RSI, 0),
	  LOC_PARAM_REGISTER, R(RSI) },
	{ "and a negative number", INSIDE, { 8, false }, AT(REGISTER_VALUE, RSI, -1),
	  LOC_PARAM_SUM, SUM(RSI, -1) },
	{ "and the highest", INSIDE, { 8, false }, AT(REGISTER_VALUE, RSI, INT32_MAX),
	  LOC_PARAM_SUM, SUM(RSI, INT32_MAX) },
	{ "and one more", INSIDE, { 8, false }, AT(REGISTER_VALUE, RSI, INT32_MAX + 1ll),
	  LOC_PARAM_COMPUTED, NONE },
	{ "and the lowest", INSIDE, { 8, false }, AT(REGISTER_VALUE, RSI, INT32_MIN),
	  LOC_PARAM_SUM, SUM(RSI, INT32_MIN) },
	{ "and one less", INSIDE, { 8, false }, AT(REGISTER_VALUE, RSI, INT32_MIN - 1ll),
	  LOC_PARAM_COMPUTED, NONE },
	{ "two words", INSIDE, { 16, false }, AT(REGISTER_VALUE, RSI, 5), LOC_PARAM_PIECES, NONE },

	/* ---- what was at the entry ---- */
	{ "rdi is kept", INSIDE, { 8, false }, AT(ENTRY_VALUE, RDI, 0),
	  LOC_PARAM_REGISTER, R(RDI) },
	{ "rsi is not", INSIDE, { 8, false }, AT(ENTRY_VALUE, RSI, 0), LOC_PARAM_ENTRY_LOST, NONE },
	{ "rsi is, at the entry", ENTRY, { 8, false }, AT(ENTRY_VALUE, RSI, 0),
	  LOC_PARAM_REGISTER, R(RSI) },
	{ "rdi and a number", INSIDE, { 8, false }, AT(ENTRY_VALUE, RDI, 16),
	  LOC_PARAM_SUM, SUM(RDI, 16) },
	{ "low bytes of rdi", INSIDE, { 4, false }, LOW(ENTRY_VALUE, RDI, 1),
	  LOC_PARAM_NARROWED, NONE },
	{ "more than rdi", INSIDE, { 16, false }, AT(ENTRY_VALUE, RDI, 0), LOC_PARAM_PIECES, NONE },

	/* ---- memory ---- */
	{ "memory", INSIDE, { 8, false }, AT(MEMORY, RBX, 16), LOC_PARAM_MEMORY, MEM(RBX, 16) },
	{ "right at a register", INSIDE, { 8, false }, AT(MEMORY, RBX, 0),
	  LOC_PARAM_MEMORY, MEM(RBX, 0) },
	{ "below it", INSIDE, { 8, false }, AT(MEMORY, RBX, -8), LOC_PARAM_MEMORY, MEM(RBX, -8) },
	{ "of any size", INSIDE, { 400, false }, AT(MEMORY, RBX, 16), LOC_PARAM_MEMORY,
	  MEM(RBX, 16) },
	{ "of unknown size", INSIDE, { 0, false }, AT(MEMORY, RBX, 16), LOC_PARAM_NARROWED, NONE },
	{ "the highest", INSIDE, { 8, false }, AT(MEMORY, RBX, INT32_MAX), LOC_PARAM_MEMORY,
	  MEM(RBX, INT32_MAX) },
	{ "beyond it", INSIDE, { 8, false }, AT(MEMORY, RBX, INT32_MAX + 1ll),
	  LOC_PARAM_COMPUTED, NONE },
	{ "the lowest", INSIDE, { 8, false }, AT(MEMORY, RBX, INT32_MIN), LOC_PARAM_MEMORY,
	  MEM(RBX, INT32_MIN) },
	{ "beyond that", INSIDE, { 8, false }, AT(MEMORY, RBX, INT32_MIN - 1ll),
	  LOC_PARAM_COMPUTED, NONE },
	{ "a load", INSIDE, { 4, false },
	  { .kind = LOCATION_MEMORY_VALUE, .reg = RBX, .offset = 4, .value_bytes = 4 },
	  LOC_PARAM_MEMORY, MEM(RBX, 4) },
	{ "a load of more", INSIDE, { 4, false }, LOW(MEMORY_VALUE, RBX, 8),
	  LOC_PARAM_MEMORY, MEM(RBX, 0) },
	{ "a load of less", INSIDE, { 4, false }, LOW(MEMORY_VALUE, RBX, 2),
	  LOC_PARAM_NARROWED, NONE },
	{ "big-endian: a load", BIG, { 4, false }, LOW(MEMORY_VALUE, 2, 4), LOC_PARAM_MEMORY,
	  MEM(2, 0) },
	/* The low bytes are at the end. */
	{ "big-endian: a load of more", BIG, { 4, false }, LOW(MEMORY_VALUE, 2, 8),
	  LOC_PARAM_NARROWED, NONE },
	{ "big-endian: a load of less", BIG, { 4, false }, LOW(MEMORY_VALUE, 2, 2),
	  LOC_PARAM_NARROWED, NONE },
	{ "at a fixed address", INSIDE, { 8, false }, AT(ADDRESS, 0, 0), LOC_PARAM_FIXED, NONE },

	/* ---- the frame: the CFA is rsp + 24 ---- */
	{ "at the CFA", INSIDE, { 8, false }, AT(CFA, 0, 0), LOC_PARAM_MEMORY, MEM(RSP, 24) },
	{ "at the stack pointer", INSIDE, { 8, false }, AT(CFA, 0, -24), LOC_PARAM_MEMORY,
	  MEM(RSP, 0) },
	{ "what the CFA is", INSIDE, { 8, false }, AT(CFA_VALUE, 0, 0),
	  LOC_PARAM_SUM, SUM(RSP, 24) },
	{ "what the stack pointer is", INSIDE, { 8, false }, AT(CFA_VALUE, 0, -24),
	  LOC_PARAM_REGISTER, R(RSP) },
	{ "the low half of it", INSIDE, { 4, false }, AT(CFA_VALUE, 0, 0), LOC_PARAM_SUM,
	  SUM(RSP, 24) },
	{ "more than it", INSIDE, { 16, false }, AT(CFA_VALUE, 0, 0), LOC_PARAM_NARROWED, NONE },
	{ "more than a word at the CFA", INSIDE, { 16, false }, AT(CFA, 0, 0),
	  LOC_PARAM_MEMORY, MEM(RSP, 24) },
	{ "of unknown size", INSIDE, { 0, false }, AT(CFA, 0, 0), LOC_PARAM_NARROWED, NONE },
	{ "the highest slot", INSIDE, { 8, false }, AT(CFA, 0, INT32_MAX - 24),
	  LOC_PARAM_MEMORY, MEM(RSP, INT32_MAX) },
	{ "above it", INSIDE, { 8, false }, AT(CFA, 0, INT32_MAX - 23), LOC_PARAM_COMPUTED, NONE },
	{ "where numbers end", INSIDE, { 8, false }, AT(CFA, 0, INT64_MAX),
	  LOC_PARAM_COMPUTED, NONE },
	{ "the CFA is not known", NO_CFA, { 8, false }, AT(CFA, 0, 16), LOC_PARAM_FRAME,
	  MEM(FRAME, 16) },
	{ "nor its value", NO_CFA, { 8, false }, AT(CFA_VALUE, 0, 16), LOC_PARAM_FRAME,
	  SUM(FRAME, 16) },
	{ "a sum, even with nothing", NO_CFA, { 8, false }, AT(CFA_VALUE, 0, 0), LOC_PARAM_FRAME,
	  SUM(FRAME, 0) },
	{ "and it has no name", NO_FRAME, { 8, false }, AT(CFA, 0, 16), LOC_PARAM_COMPUTED, NONE },
	{ "the CFA is not the frame base", ON_RBP_NO_CFA, { 8, false }, AT(CFA, 0, 16),
	  LOC_PARAM_COMPUTED, NONE },
	{ "but may be known", ON_RBP, { 8, false }, AT(CFA, 0, 16),
	  LOC_PARAM_MEMORY, MEM(RSP, 40) },
	{ "on a register", ON_RBP, { 8, false }, AT(FRAME, 0, -16),
	  LOC_PARAM_MEMORY, MEM(RBP, -16) },
	{ "the sum with it", ON_RBP, { 8, false }, AT(FRAME_VALUE, 0, -16), LOC_PARAM_SUM,
	  SUM(RBP, -16) },
	{ "itself", ON_RBP, { 8, false }, AT(FRAME_VALUE, 0, 0), LOC_PARAM_REGISTER, R(RBP) },
	{ "no frame base at all", NO_FRAME, { 8, false }, AT(FRAME, 0, -16), LOC_PARAM_FRAME,
	  MEM(FRAME, -16) },
	{ "whose offset is too large", NO_FRAME, { 8, false }, AT(FRAME, 0, INT32_MAX + 1ll),
	  LOC_PARAM_COMPUTED, NONE },

	/* ---- the frame at the entry: x86-64's CFA is rsp + 8, s390x's r15 + 160 ---- */
	{ "an argument on the stack", ENTRY, { 8, false }, AT(CFA, 0, 0), LOC_PARAM_MEMORY,
	  MEM(RSP, 8) },
	{ "the next", ENTRY, { 8, false }, AT(CFA, 0, 8), LOC_PARAM_MEMORY, MEM(RSP, 16) },
	{ "a slot that is elsewhere", WRONG_FRAME, { 8, false }, AT(CFA, 0, -16),
	  LOC_PARAM_FRAME_WRONG, NONE },
	{ "its address", WRONG_FRAME, { 8, false }, AT(CFA_VALUE, 0, -16), LOC_PARAM_FRAME_WRONG,
	  NONE },
	{ "a register all the same", WRONG_FRAME, { 8, false }, AT(REGISTER, RBX, 0),
	  LOC_PARAM_REGISTER, R(RBX) },
	{ "no slot yet", ENTRY, { 8, false }, AT(CFA, 0, -16), LOC_PARAM_LATER, NONE },
	{ "but its address", ENTRY, { 8, false }, AT(CFA_VALUE, 0, -16), LOC_PARAM_SUM,
	  SUM(RSP, -8) },
	{ "that of the return address", ENTRY, { 8, false }, AT(CFA_VALUE, 0, -8),
	  LOC_PARAM_REGISTER, R(RSP) },
	{ "no frame yet", ENTRY_ON_RBP, { 8, false }, AT(FRAME, 0, 16), LOC_PARAM_LATER, NONE },
	{ "nor a base", ENTRY_ON_RBP, { 8, false }, AT(FRAME_VALUE, 0, 16), LOC_PARAM_FRAME,
	  SUM(FRAME, 16) },
	{ "the CFA needs no base", ENTRY_ON_RBP, { 8, false }, AT(CFA, 0, 0), LOC_PARAM_MEMORY,
	  MEM(RSP, 8) },
	{ "above the stack pointer", ENTRY, { 8, false }, AT(MEMORY, RSP, 8), LOC_PARAM_MEMORY,
	  MEM(RSP, 8) },
	{ "i386", NARROW_ENTRY, { 4, false }, AT(CFA, 0, 0), LOC_PARAM_MEMORY, MEM(4, 4) },
	{ "s390x", BIG_ENTRY, { 8, false }, AT(CFA, 0, 0), LOC_PARAM_MEMORY, MEM(15, 160) },
	{ "who knows", STRANGE_ENTRY, { 8, false }, AT(CFA, 0, 0), LOC_PARAM_COMPUTED, NONE },
	{ "where numbers end", ENTRY, { 8, false }, AT(CFA, 0, INT64_MAX),
	  LOC_PARAM_COMPUTED, NONE },

	/* ---- constants ---- */
	{ "of unknown size", INSIDE, { 0, false }, NUMBER(5), LOC_PARAM_NARROWED, NONE },
	{ "a byte", INSIDE, { 1, false }, NUMBER(0xff), LOC_PARAM_CONSTANT, WORD(0xff) },
	{ "a signed byte", INSIDE, { 1, true }, NUMBER(-1), LOC_PARAM_CONSTANT, NEGATIVE(0xff) },
	{ "the highest", INSIDE, { 1, true }, NUMBER(0x7f), LOC_PARAM_CONSTANT, WORD(0x7f) },
	{ "the lowest", INSIDE, { 1, true }, NUMBER(0x80), LOC_PARAM_CONSTANT, NEGATIVE(0x80) },
	{ "more than a byte", INSIDE, { 1, false }, NUMBER(0x1234),
	  LOC_PARAM_CONSTANT, WORD(0x34) },
	{ "two bytes", INSIDE, { 2, false }, NUMBER(-2), LOC_PARAM_CONSTANT, WORD(0xfffe) },
	{ "two signed bytes", INSIDE, { 2, true }, NUMBER(-2),
	  LOC_PARAM_CONSTANT, NEGATIVE(0xfffe) },
	{ "three", INSIDE, { 3, true }, NUMBER(0x800000), LOC_PARAM_CONSTANT, NEGATIVE(0x800000) },
	{ "four", INSIDE, { 4, false }, NUMBER(-1), LOC_PARAM_CONSTANT, WORD(0xffffffff) },
	{ "four signed", INSIDE, { 4, true }, NUMBER(-1),
	  LOC_PARAM_CONSTANT, NEGATIVE(0xffffffff) },
	{ "and not negative", INSIDE, { 4, true }, NUMBER(0x7fffffff), LOC_PARAM_CONSTANT,
	  WORD(0x7fffffff) },
	{ "bits above are others'", INSIDE, { 4, true }, NUMBER(0x8000000000000001),
	  LOC_PARAM_CONSTANT, WORD(1) },
	{ "five", INSIDE, { 5, true }, NUMBER(-1),
	  LOC_PARAM_CONSTANT, NEGATIVES(0xffffffff, 0xff) },
	{ "eight", INSIDE, { 8, false }, NUMBER(0x8000000012345678), LOC_PARAM_CONSTANT,
	  WORDS(0x12345678, 0x80000000) },
	{ "eight signed", INSIDE, { 8, true }, NUMBER(0x8000000012345678), LOC_PARAM_CONSTANT,
	  NEGATIVES(0x12345678, 0x80000000) },
	{ "a small one", INSIDE, { 8, true }, NUMBER(1), LOC_PARAM_CONSTANT, WORDS(1, 0) },
	{ "sixteen", INSIDE, { 16, true }, NUMBER(1), LOC_PARAM_NARROWED, NONE },
	{ "nine", INSIDE, { 9, false }, NUMBER(1), LOC_PARAM_NARROWED, NONE },
	{ "said in four bytes", INSIDE, { 4, false }, NUMBER_OF(4, 0xfffffffe), LOC_PARAM_CONSTANT,
	  WORD(0xfffffffe) },
	{ "in eight", INSIDE, { 4, false }, NUMBER_OF(8, 0xfffffffe), LOC_PARAM_CONSTANT,
	  WORD(0xfffffffe) },
	{ "in three", INSIDE, { 4, false }, NUMBER_OF(3, 0xfffffe), LOC_PARAM_NARROWED, NONE },
	{ "two words of i386", NARROW, { 8, false }, NUMBER(1), LOC_PARAM_CONSTANT, WORDS(1, 0) },
	{ "of s390x, the low one first", BIG, { 8, false }, NUMBER(1), LOC_PARAM_CONSTANT,
	  WORDS(1, 0) },

	/* ---- addresses ---- */
	{ "an address", INSIDE, { 8, false }, ADDRESS(IMAGE_BASE + 0x1234), LOC_PARAM_ADDRESS,
	  ADDRS(0x1234, 0) },
	{ "the image's own", INSIDE, { 8, false }, ADDRESS(IMAGE_BASE), LOC_PARAM_ADDRESS,
	  ADDRS(0, 0) },
	{ "below it", INSIDE, { 8, false }, ADDRESS(IMAGE_BASE - 1), LOC_PARAM_FIXED, NONE },
	{ "per-CPU, which does not move", INSIDE, { 8, false }, ADDRESS(0x19068), LOC_PARAM_FIXED,
	  NONE },
	{ "its end", INSIDE, { 8, false }, ADDRESS(IMAGE_BASE + 0x10000000), LOC_PARAM_ADDRESS,
	  { BTF_LOC_CONST | BTF_LOC_ADDR, 2, { 0x10000000, 0 } } },
	{ "above it", INSIDE, { 8, false }, ADDRESS(IMAGE_BASE + 0x10000001),
	  LOC_PARAM_FIXED, NONE },
	{ "that moves", MODULE, { 8, false }, ADDRESS(IMAGE_BASE + 0x1234), LOC_PARAM_FIXED, NONE },
	{ "the low half", INSIDE, { 4, false }, ADDRESS(IMAGE_BASE + 0x1234), LOC_PARAM_NARROWED,
	  NONE },
	{ "more than one", INSIDE, { 16, false }, ADDRESS(IMAGE_BASE), LOC_PARAM_NARROWED, NONE },
	{ "of four bytes", NARROW, { 4, false }, ADDRESS(IMAGE_BASE_NARROW + 0x1234),
	  LOC_PARAM_ADDRESS, ADDR(0x1234) },
	{ "of four bytes in eight", NARROW, { 8, false }, ADDRESS(IMAGE_BASE_NARROW),
	  LOC_PARAM_NARROWED, NONE },

	/* ---- pieces ---- */
	{ "two registers", INSIDE, { 16, false },
	  PIECES(2, PIECE(REGISTER, RDI, 8), PIECE(REGISTER, RSI, 8)),
	  LOC_PARAM_TWO_REGISTERS, RR(RDI, RSI) },
	{ "the second one not full", INSIDE, { 12, false },
	  PIECES(2, PIECE(REGISTER, RDI, 8), PIECE(REGISTER, RSI, 4)),
	  LOC_PARAM_TWO_REGISTERS, RR(RDI, RSI) },
	{ "and something missing", INSIDE, { 16, false },
	  PIECES(2, PIECE(REGISTER, RDI, 8), PIECE(REGISTER, RSI, 4)), LOC_PARAM_PIECES, NONE },
	{ "the first one not full", INSIDE, { 12, false },
	  PIECES(2, PIECE(REGISTER, RDI, 4), PIECE(REGISTER, RSI, 8)), LOC_PARAM_PIECES, NONE },
	{ "halves of a word", INSIDE, { 8, false },
	  PIECES(2, PIECE(REGISTER, RDI, 4), PIECE(REGISTER, RSI, 4)), LOC_PARAM_PIECES, NONE },
	{ "a word and more", INSIDE, { 8, false },
	  PIECES(2, PIECE(REGISTER, RDI, 8), PIECE(REGISTER, RSI, 8)), LOC_PARAM_PIECES, NONE },
	{ "a word and a byte", INSIDE, { 9, false },
	  PIECES(2, PIECE(REGISTER, RDI, 8), PIECE(REGISTER, RSI, 1)),
	  LOC_PARAM_TWO_REGISTERS, RR(RDI, RSI) },
	{ "two words of four", NARROW, { 8, false },
	  PIECES(2, PIECE(REGISTER, 0, 4), PIECE(REGISTER, 2, 4)),
	  LOC_PARAM_TWO_REGISTERS, RR(0, 2) },
	{ "three registers", INSIDE, { 24, false },
	  PIECES(3, PIECE(REGISTER, RDI, 8), PIECE(REGISTER, RSI, 8), PIECE(REGISTER, RDX, 8)),
	  LOC_PARAM_PIECES, NONE },
	{ "three registers for two", INSIDE, { 16, false },
	  PIECES(3, PIECE(REGISTER, RDI, 8), PIECE(REGISTER, RSI, 8), PIECE(REGISTER, RDX, 8)),
	  LOC_PARAM_PIECES, NONE },
	{ "two as values", INSIDE, { 16, false },
	  PIECES(2, PIECE(REGISTER_VALUE, RDI, 8), PIECE(REGISTER_VALUE, RSI, 8)),
	  LOC_PARAM_TWO_REGISTERS, RR(RDI, RSI) },
	{ "a value of all bytes", INSIDE, { 16, false },
	  PIECES(2, PIECE(REGISTER, RDI, 8),
		 { .kind = LOCATION_REGISTER_VALUE, .reg = RSI, .value_bytes = 8,
		   .size_bytes = 8 }),
	  LOC_PARAM_TWO_REGISTERS, RR(RDI, RSI) },
	{ "of some", INSIDE, { 16, false },
	  PIECES(2, PIECE(REGISTER, RDI, 8),
		 { .kind = LOCATION_REGISTER_VALUE, .reg = RSI, .value_bytes = 4,
		   .size_bytes = 8 }), LOC_PARAM_PIECES, NONE },
	{ "from the second on", INSIDE, { 16, false },
	  PIECES(2, PIECE(REGISTER, RDI, 8),
		 { .kind = LOCATION_REGISTER_VALUE, .reg = RSI, .first_byte = 1,
		   .size_bytes = 8 }), LOC_PARAM_PIECES, NONE },
	{ "a sum", INSIDE, { 16, false },
	  PIECES(2, { .kind = LOCATION_REGISTER_VALUE, .reg = RDI, .offset = 1, .size_bytes = 8 },
		 PIECE(REGISTER, RSI, 8)), LOC_PARAM_PIECES, NONE },
	{ "one in memory", INSIDE, { 16, false },
	  PIECES(2, PIECE(REGISTER, RDI, 8), PIECE(MEMORY, RSP, 8)), LOC_PARAM_PIECES, NONE },
	{ "one that is nowhere", INSIDE, { 16, false },
	  PIECES(2, PIECE(REGISTER, RDI, 8), PIECE(NONE, 0, 8)), LOC_PARAM_PIECES, NONE },
	{ "one piece that is all", INSIDE, { 4, false }, PIECES(1, PIECE(REGISTER, RDI, 4)),
	  LOC_PARAM_REGISTER, R(RDI) },
	{ "one that is more", INSIDE, { 4, false }, PIECES(1, PIECE(REGISTER, RDI, 8)),
	  LOC_PARAM_REGISTER, R(RDI) },
	{ "one that is less", INSIDE, { 8, false }, PIECES(1, PIECE(REGISTER, RDI, 4)),
	  LOC_PARAM_PIECES, NONE },
	{ "one in memory", INSIDE, { 8, false },
	  PIECES(1, { .kind = LOCATION_MEMORY, .reg = RSP, .offset = 16, .size_bytes = 8 }),
	  LOC_PARAM_MEMORY, MEM(RSP, 16) },
	{ "one in the frame", INSIDE, { 16, false },
	  PIECES(1, { .kind = LOCATION_CFA, .offset = -16, .size_bytes = 16 }),
	  LOC_PARAM_MEMORY, MEM(RSP, 8) },
	{ "a constant", INSIDE, { 4, true },
	  PIECES(1, { .kind = LOCATION_CONSTANT, .constant = (uint64_t)-3, .size_bytes = 4 }),
	  LOC_PARAM_CONSTANT, NEGATIVE(0xfffffffd) },
	{ "a narrow one", INSIDE, { 8, false },
	  PIECES(1, { .kind = LOCATION_REGISTER_VALUE, .reg = RSI, .value_bytes = 4,
		      .size_bytes = 8 }), LOC_PARAM_NARROWED, NONE },
	{ "of unknown size", INSIDE, { 0, false }, PIECES(1, PIECE(REGISTER, RDI, 4)),
	  LOC_PARAM_NARROWED, NONE },

	/* ---- nothing ---- */
	{ "nothing", INSIDE, { 8, false }, AT(NONE, 0, 0), LOC_PARAM_NOT_HERE, NONE },
	{ "nothing, of unknown size", INSIDE, { 0, false }, AT(NONE, 0, 0),
	  LOC_PARAM_NOT_HERE, NONE },
	{ "what it points to", INSIDE, { 8, false }, AT(IMPLICIT_POINTER, 0, 0), LOC_PARAM_POINTEE,
	  NONE },
	{ "its caller's business", INSIDE, { 8, false }, AT(PARAMETER_REF, 0, 0), LOC_PARAM_CALLER,
	  NONE },
	{ "computed", INSIDE, { 8, false }, AT(OTHER, 0, 0), LOC_PARAM_COMPUTED, NONE },
};

/* ---- running them ---- */

/* Words that are not written stay as they were. */
static void expect_words(const char *what, const struct place_row *row, enum loc_param_kind kind,
			 const uint32_t words[LOC_PARAM_WORDS])
{
	const struct record *record = &row->record;
	uint32_t wanted[LOC_PARAM_WORDS];

	memset(wanted, 0xee, sizeof(wanted));
	if (record->count) {
		wanted[BTF_WORD_NAME] = 0;
		wanted[BTF_WORD_INFO] = btf_info(BTF_LOC_PARAM, record->count, false);
		wanted[BTF_WORD_SIZE] = row->type.size_bytes;
		wanted[BTF_HEAD_WORDS] = record->flags;
		memcpy(wanted + BTF_HEAD_WORDS + 1, record->values, record->count * 4);
	}
	if (kind != row->kind)
		fail_msg("%s: %s; expected is %s", what, loc_param_texts[kind].code,
			 loc_param_texts[row->kind].code);
	assert_int_equal(loc_param_is_known(kind), record->count > 0);
	for (int i = 0; record->count && i < LOC_PARAM_WORDS; i++) {
		if (words[i] != wanted[i])
			fail_msg("%s: word %d is 0x%x; expected is 0x%x", what, i, words[i],
				 wanted[i]);
	}
}

static void test_places(void **state)
{
	bool is_met[LOC_PARAM_COUNT] = { [LOC_PARAM_NOT_SAID] = true };	/* of what is not there */

	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct loc_param_site site = site_of(rows[i].where);
		uint32_t words[LOC_PARAM_WORDS];
		enum loc_param_kind kind;
		char what[100];

		assert_true(rows[i].where == STRANGE || rows[i].where == STRANGE_ENTRY || site.abi);
		memset(words, 0xee, sizeof(words));
		kind = loc_param_of(&site, &rows[i].type, &rows[i].found, words);
		snprintf(what, sizeof(what), "row %zu, %s", i, rows[i].what);
		expect_words(what, &rows[i], kind, words);
		is_met[kind] = true;
	}
	for (int kind = 0; kind < LOC_PARAM_COUNT; kind++) {
		if (!is_met[kind])
			fail_msg("no row is %s", loc_param_texts[kind].code);
	}
}

/* DW_AT_const_value says what DW_OP_const* does, whatever the site is. */
static void test_constants(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		uint32_t words[LOC_PARAM_WORDS];

		if (rows[i].found.kind != LOCATION_CONSTANT || rows[i].found.value_bytes)
			continue;
		memset(words, 0xee, sizeof(words));
		expect_words(rows[i].what, &rows[i],
			     loc_param_of_constant(&rows[i].type, rows[i].found.constant, words),
			     words);
	}
}

/* Each code is a word of its own, each sentence says something. */
static void test_codes(void **state)
{
	(void)state;
	for (int i = 0; i < LOC_PARAM_COUNT; i++) {
		const char *code = loc_param_texts[i].code;

		assert_int_equal(strspn(code, "abcdefghijklmnopqrstuvwxyz-"), strlen(code));
		assert_true(strlen(loc_param_texts[i].sentence) > 5);
		for (int k = 0; k < i; k++)
			assert_string_not_equal(code, loc_param_texts[k].code);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_constants),
		cmocka_unit_test(test_codes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
