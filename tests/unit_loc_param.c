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

/* The kind, and the record of it. */
#define RECORD(kind_, flags_, count_, ...) LOC_PARAM_##kind_, { flags_, count_, { __VA_ARGS__ } }
#define NO(kind_)		RECORD(kind_, 0, 0, 0)
#define R(number)		RECORD(REGISTER, BTF_LOC_REG, 1, number)
#define RR(first, second)	RECORD(TWO_REGISTERS, BTF_LOC_REG, 2, first, second)
#define SUM_OF(kind_, number, by)                                                                  \
	RECORD(kind_, BTF_LOC_REG | BTF_LOC_OFFSET, 2, number, (uint32_t)(by))
#define SUM(number, by)		SUM_OF(SUM, number, by)
#define FRAME_SUM(by)		SUM_OF(FRAME, BTF_LOC_FRAME_BASE, by)
#define MEM_AT(kind_, number, by)                                                                  \
	RECORD(kind_, BTF_LOC_REG | BTF_LOC_DEREF | BTF_LOC_OFFSET, 2, number, (uint32_t)(by))
#define MEM(number, by)		MEM_AT(MEMORY, number, by)
#define FRAME_MEM(by)		MEM_AT(FRAME, BTF_LOC_FRAME_BASE, by)
#define WORD(value)		RECORD(CONSTANT, BTF_LOC_CONST, 1, value)
#define NEGATIVE(value)		RECORD(CONSTANT, BTF_LOC_CONST | BTF_LOC_SIGNED, 1, value)
#define WORDS(low, high)	RECORD(CONSTANT, BTF_LOC_CONST, 2, low, high)
#define NEGATIVES(low, high)	RECORD(CONSTANT, BTF_LOC_CONST | BTF_LOC_SIGNED, 2, low, high)
#define ADDR(low)		RECORD(ADDRESS, BTF_LOC_CONST | BTF_LOC_ADDR, 1, low)
#define ADDRS(low, high)	RECORD(ADDRESS, BTF_LOC_CONST | BTF_LOC_ADDR, 2, low, high)

/* A parameter's type: of how many bytes, unsigned or signed. */
#define U(bytes)		{ bytes, false }
#define S(bytes)		{ bytes, true }

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
#define TWO(reg_, n, next, m)                                                                      \
	PIECES(2, PIECE(REGISTER, reg_, n), PIECE(REGISTER, next, m))
#define VALUE(reg_, ...)       { .kind = LOCATION_REGISTER_VALUE, .reg = reg_, __VA_ARGS__ }

static const struct place_row {
	const char *what;
	enum where where;
	struct loc_param_type type;
	struct location found;
	enum loc_param_kind kind;
	struct record record;
} rows[] = {
	/* ---- registers ---- */
	{ "a register", INSIDE, U(8), AT(REGISTER, RDI, 0), R(RDI) },
	{ "register 0", INSIDE, U(8), AT(REGISTER, RAX, 0), R(RAX) },
	{ "of a byte", INSIDE, S(1), AT(REGISTER, RDI, 0), R(RDI) },
	{ "of unknown size", INSIDE, U(0), AT(REGISTER, RDI, 0), NO(NARROWED) },
	{ "two words in one", INSIDE, U(16), AT(REGISTER, RDI, 0), NO(PIECES) },
	{ "nine bytes in one", INSIDE, U(9), AT(REGISTER, RDI, 0), NO(PIECES) },
	{ "two words in a vector's", INSIDE, U(16), AT(REGISTER, XMM0, 0), R(XMM0) },
	{ "which is unknown here", STRANGE, U(16), AT(REGISTER, XMM0, 0), NO(PIECES) },
	{ "a word of 4 bytes", NARROW, U(4), AT(REGISTER, 2, 0), R(2) },
	{ "8 bytes in 4", NARROW, U(8), AT(REGISTER, 2, 0), NO(PIECES) },
	{ "the low bytes are enough", INSIDE, U(4), LOW(REGISTER_VALUE, RDI, 4), R(RDI) },
	{ "more than enough", INSIDE, U(2), LOW(REGISTER_VALUE, RDI, 4), R(RDI) },
	{ "not enough", INSIDE, U(4), LOW(REGISTER_VALUE, RDI, 3), NO(NARROWED) },
	{ "in the middle", INSIDE, U(1), VALUE(RDI, .value_bytes = 1, .first_byte = 1),
	  NO(NARROWED) },
	{ "a bit", INSIDE, U(1), AT(REGISTER_BIT, RDI, 0), NO(NARROWED) },

	/* ---- sums ---- */
	{ "a register and a number", INSIDE, U(8), AT(REGISTER_VALUE, RSI, 5), SUM(RSI, 5) },
	{ "and nothing", INSIDE, U(8), AT(REGISTER_VALUE, RSI, 0), R(RSI) },
	{ "and a negative number", INSIDE, U(8), AT(REGISTER_VALUE, RSI, -1), SUM(RSI, -1) },
	{ "and the highest", INSIDE, U(8), AT(REGISTER_VALUE, RSI, INT32_MAX),
	  SUM(RSI, INT32_MAX) },
	{ "and one more", INSIDE, U(8), AT(REGISTER_VALUE, RSI, INT32_MAX + 1ll), NO(COMPUTED) },
	{ "and the lowest", INSIDE, U(8), AT(REGISTER_VALUE, RSI, INT32_MIN), SUM(RSI, INT32_MIN) },
	{ "and one less", INSIDE, U(8), AT(REGISTER_VALUE, RSI, INT32_MIN - 1ll), NO(COMPUTED) },
	{ "two words", INSIDE, U(16), AT(REGISTER_VALUE, RSI, 5), NO(PIECES) },

	/* ---- what was at the entry ---- */
	{ "rdi is kept", INSIDE, U(8), AT(ENTRY_VALUE, RDI, 0), R(RDI) },
	{ "rsi is not", INSIDE, U(8), AT(ENTRY_VALUE, RSI, 0), NO(ENTRY_LOST) },
	{ "rsi is, at the entry", ENTRY, U(8), AT(ENTRY_VALUE, RSI, 0), R(RSI) },
	{ "rdi and a number", INSIDE, U(8), AT(ENTRY_VALUE, RDI, 16), SUM(RDI, 16) },
	{ "low bytes of rdi", INSIDE, U(4), LOW(ENTRY_VALUE, RDI, 1), NO(NARROWED) },
	{ "more than rdi", INSIDE, U(16), AT(ENTRY_VALUE, RDI, 0), NO(PIECES) },

	/* ---- memory ---- */
	{ "memory", INSIDE, U(8), AT(MEMORY, RBX, 16), MEM(RBX, 16) },
	{ "right at a register", INSIDE, U(8), AT(MEMORY, RBX, 0), MEM(RBX, 0) },
	{ "below it", INSIDE, U(8), AT(MEMORY, RBX, -8), MEM(RBX, -8) },
	{ "of any size", INSIDE, U(400), AT(MEMORY, RBX, 16), MEM(RBX, 16) },
	{ "of unknown size", INSIDE, U(0), AT(MEMORY, RBX, 16), NO(NARROWED) },
	{ "the highest", INSIDE, U(8), AT(MEMORY, RBX, INT32_MAX), MEM(RBX, INT32_MAX) },
	{ "beyond it", INSIDE, U(8), AT(MEMORY, RBX, INT32_MAX + 1ll), NO(COMPUTED) },
	{ "the lowest", INSIDE, U(8), AT(MEMORY, RBX, INT32_MIN), MEM(RBX, INT32_MIN) },
	{ "beyond that", INSIDE, U(8), AT(MEMORY, RBX, INT32_MIN - 1ll), NO(COMPUTED) },
	{ "a load", INSIDE, U(4),
	  { .kind = LOCATION_MEMORY_VALUE, .reg = RBX, .offset = 4, .value_bytes = 4 },
	  MEM(RBX, 4) },
	{ "a load of more", INSIDE, U(4), LOW(MEMORY_VALUE, RBX, 8), MEM(RBX, 0) },
	{ "a load of less", INSIDE, U(4), LOW(MEMORY_VALUE, RBX, 2), NO(NARROWED) },
	{ "big-endian: a load", BIG, U(4), LOW(MEMORY_VALUE, 2, 4), MEM(2, 0) },
	/* The low bytes are at the end. */
	{ "big-endian: a load of more", BIG, U(4), LOW(MEMORY_VALUE, 2, 8), NO(NARROWED) },
	{ "big-endian: a load of less", BIG, U(4), LOW(MEMORY_VALUE, 2, 2), NO(NARROWED) },
	{ "at a fixed address", INSIDE, U(8), AT(ADDRESS, 0, 0), NO(FIXED) },

	/* ---- the frame: the CFA is rsp + 24 ---- */
	{ "at the CFA", INSIDE, U(8), AT(CFA, 0, 0), MEM(RSP, 24) },
	{ "at the stack pointer", INSIDE, U(8), AT(CFA, 0, -24), MEM(RSP, 0) },
	{ "what the CFA is", INSIDE, U(8), AT(CFA_VALUE, 0, 0), SUM(RSP, 24) },
	{ "what the stack pointer is", INSIDE, U(8), AT(CFA_VALUE, 0, -24), R(RSP) },
	{ "the low half of it", INSIDE, U(4), AT(CFA_VALUE, 0, 0), SUM(RSP, 24) },
	{ "more than it", INSIDE, U(16), AT(CFA_VALUE, 0, 0), NO(NARROWED) },
	{ "more than a word at the CFA", INSIDE, U(16), AT(CFA, 0, 0), MEM(RSP, 24) },
	{ "of unknown size", INSIDE, U(0), AT(CFA, 0, 0), NO(NARROWED) },
	{ "the highest slot", INSIDE, U(8), AT(CFA, 0, INT32_MAX - 24), MEM(RSP, INT32_MAX) },
	{ "above it", INSIDE, U(8), AT(CFA, 0, INT32_MAX - 23), NO(COMPUTED) },
	{ "where numbers end", INSIDE, U(8), AT(CFA, 0, INT64_MAX), NO(COMPUTED) },
	{ "the CFA is not known", NO_CFA, U(8), AT(CFA, 0, 16), FRAME_MEM(16) },
	{ "nor its value", NO_CFA, U(8), AT(CFA_VALUE, 0, 16), FRAME_SUM(16) },
	{ "a sum, even with nothing", NO_CFA, U(8), AT(CFA_VALUE, 0, 0), FRAME_SUM(0) },
	{ "and it has no name", NO_FRAME, U(8), AT(CFA, 0, 16), NO(COMPUTED) },
	{ "the CFA is not the frame base", ON_RBP_NO_CFA, U(8), AT(CFA, 0, 16), NO(COMPUTED) },
	{ "but may be known", ON_RBP, U(8), AT(CFA, 0, 16), MEM(RSP, 40) },
	{ "on a register", ON_RBP, U(8), AT(FRAME, 0, -16), MEM(RBP, -16) },
	{ "the sum with it", ON_RBP, U(8), AT(FRAME_VALUE, 0, -16), SUM(RBP, -16) },
	{ "itself", ON_RBP, U(8), AT(FRAME_VALUE, 0, 0), R(RBP) },
	{ "no frame base at all", NO_FRAME, U(8), AT(FRAME, 0, -16), FRAME_MEM(-16) },
	{ "whose offset is too large", NO_FRAME, U(8), AT(FRAME, 0, INT32_MAX + 1ll),
	  NO(COMPUTED) },

	/* ---- the frame at the entry: x86-64's CFA is rsp + 8, s390x's r15 + 160 ---- */
	{ "an argument on the stack", ENTRY, U(8), AT(CFA, 0, 0), MEM(RSP, 8) },
	{ "the next", ENTRY, U(8), AT(CFA, 0, 8), MEM(RSP, 16) },
	{ "a slot that is elsewhere", WRONG_FRAME, U(8), AT(CFA, 0, -16), NO(FRAME_WRONG) },
	{ "its address", WRONG_FRAME, U(8), AT(CFA_VALUE, 0, -16), NO(FRAME_WRONG) },
	{ "a register all the same", WRONG_FRAME, U(8), AT(REGISTER, RBX, 0), R(RBX) },
	{ "no slot yet", ENTRY, U(8), AT(CFA, 0, -16), NO(LATER) },
	{ "but its address", ENTRY, U(8), AT(CFA_VALUE, 0, -16), SUM(RSP, -8) },
	{ "that of the return address", ENTRY, U(8), AT(CFA_VALUE, 0, -8), R(RSP) },
	{ "no frame yet", ENTRY_ON_RBP, U(8), AT(FRAME, 0, 16), NO(LATER) },
	{ "nor a base", ENTRY_ON_RBP, U(8), AT(FRAME_VALUE, 0, 16), FRAME_SUM(16) },
	{ "the CFA needs no base", ENTRY_ON_RBP, U(8), AT(CFA, 0, 0), MEM(RSP, 8) },
	{ "above the stack pointer", ENTRY, U(8), AT(MEMORY, RSP, 8), MEM(RSP, 8) },
	{ "i386", NARROW_ENTRY, U(4), AT(CFA, 0, 0), MEM(4, 4) },
	{ "s390x", BIG_ENTRY, U(8), AT(CFA, 0, 0), MEM(15, 160) },
	{ "who knows", STRANGE_ENTRY, U(8), AT(CFA, 0, 0), NO(COMPUTED) },
	{ "where numbers end", ENTRY, U(8), AT(CFA, 0, INT64_MAX), NO(COMPUTED) },

	/* ---- constants ---- */
	{ "of unknown size", INSIDE, U(0), NUMBER(5), NO(NARROWED) },
	{ "a byte", INSIDE, U(1), NUMBER(0xff), WORD(0xff) },
	{ "a signed byte", INSIDE, S(1), NUMBER(-1), NEGATIVE(0xff) },
	{ "the highest", INSIDE, S(1), NUMBER(0x7f), WORD(0x7f) },
	{ "the lowest", INSIDE, S(1), NUMBER(0x80), NEGATIVE(0x80) },
	{ "more than a byte", INSIDE, U(1), NUMBER(0x1234), WORD(0x34) },
	{ "two bytes", INSIDE, U(2), NUMBER(-2), WORD(0xfffe) },
	{ "two signed bytes", INSIDE, S(2), NUMBER(-2), NEGATIVE(0xfffe) },
	{ "three", INSIDE, S(3), NUMBER(0x800000), NEGATIVE(0x800000) },
	{ "four", INSIDE, U(4), NUMBER(-1), WORD(0xffffffff) },
	{ "four signed", INSIDE, S(4), NUMBER(-1), NEGATIVE(0xffffffff) },
	{ "and not negative", INSIDE, S(4), NUMBER(0x7fffffff), WORD(0x7fffffff) },
	{ "bits above are others'", INSIDE, S(4), NUMBER(0x8000000000000001), WORD(1) },
	{ "five", INSIDE, S(5), NUMBER(-1), NEGATIVES(0xffffffff, 0xff) },
	{ "eight", INSIDE, U(8), NUMBER(0x8000000012345678), WORDS(0x12345678, 0x80000000) },
	{ "eight signed", INSIDE, S(8), NUMBER(0x8000000012345678),
	  NEGATIVES(0x12345678, 0x80000000) },
	{ "a small one", INSIDE, S(8), NUMBER(1), WORDS(1, 0) },
	{ "sixteen", INSIDE, S(16), NUMBER(1), NO(NARROWED) },
	{ "nine", INSIDE, U(9), NUMBER(1), NO(NARROWED) },
	{ "said in four bytes", INSIDE, U(4), NUMBER_OF(4, 0xfffffffe), WORD(0xfffffffe) },
	{ "in eight", INSIDE, U(4), NUMBER_OF(8, 0xfffffffe), WORD(0xfffffffe) },
	{ "in three", INSIDE, U(4), NUMBER_OF(3, 0xfffffe), NO(NARROWED) },
	{ "two words of i386", NARROW, U(8), NUMBER(1), WORDS(1, 0) },
	{ "of s390x, the low one first", BIG, U(8), NUMBER(1), WORDS(1, 0) },

	/* ---- addresses ---- */
	{ "an address", INSIDE, U(8), ADDRESS(IMAGE_BASE + 0x1234), ADDRS(0x1234, 0) },
	{ "the image's own", INSIDE, U(8), ADDRESS(IMAGE_BASE), ADDRS(0, 0) },
	{ "below it", INSIDE, U(8), ADDRESS(IMAGE_BASE - 1), NO(FIXED) },
	{ "per-CPU, which does not move", INSIDE, U(8), ADDRESS(0x19068), NO(FIXED) },
	{ "its end", INSIDE, U(8), ADDRESS(IMAGE_BASE + 0x10000000), ADDRS(0x10000000, 0) },
	{ "above it", INSIDE, U(8), ADDRESS(IMAGE_BASE + 0x10000001), NO(FIXED) },
	{ "that moves", MODULE, U(8), ADDRESS(IMAGE_BASE + 0x1234), NO(FIXED) },
	{ "the low half", INSIDE, U(4), ADDRESS(IMAGE_BASE + 0x1234), NO(NARROWED) },
	{ "more than one", INSIDE, U(16), ADDRESS(IMAGE_BASE), NO(NARROWED) },
	{ "of four bytes", NARROW, U(4), ADDRESS(IMAGE_BASE_NARROW + 0x1234), ADDR(0x1234) },
	{ "of four bytes in eight", NARROW, U(8), ADDRESS(IMAGE_BASE_NARROW), NO(NARROWED) },

	/* ---- pieces ---- */
	{ "two registers", INSIDE, U(16), TWO(RDI, 8, RSI, 8), RR(RDI, RSI) },
	{ "the second one not full", INSIDE, U(12), TWO(RDI, 8, RSI, 4), RR(RDI, RSI) },
	{ "and something missing", INSIDE, U(16), TWO(RDI, 8, RSI, 4), NO(PIECES) },
	{ "the first one not full", INSIDE, U(12), TWO(RDI, 4, RSI, 8), NO(PIECES) },
	{ "halves of a word", INSIDE, U(8), TWO(RDI, 4, RSI, 4), NO(PIECES) },
	{ "a word and more", INSIDE, U(8), TWO(RDI, 8, RSI, 8), NO(PIECES) },
	{ "a word and a byte", INSIDE, U(9), TWO(RDI, 8, RSI, 1), RR(RDI, RSI) },
	{ "two words of four", NARROW, U(8), TWO(0, 4, 2, 4), RR(0, 2) },
	{ "three registers", INSIDE, U(24),
	  PIECES(3, PIECE(REGISTER, RDI, 8), PIECE(REGISTER, RSI, 8), PIECE(REGISTER, RDX, 8)),
	  NO(PIECES) },
	{ "three registers for two", INSIDE, U(16),
	  PIECES(3, PIECE(REGISTER, RDI, 8), PIECE(REGISTER, RSI, 8), PIECE(REGISTER, RDX, 8)),
	  NO(PIECES) },
	{ "two as values", INSIDE, U(16),
	  PIECES(2, PIECE(REGISTER_VALUE, RDI, 8), PIECE(REGISTER_VALUE, RSI, 8)), RR(RDI, RSI) },
	{ "a value of all bytes", INSIDE, U(16),
	  PIECES(2, PIECE(REGISTER, RDI, 8), VALUE(RSI, .value_bytes = 8, .size_bytes = 8)),
	  RR(RDI, RSI) },
	{ "of some", INSIDE, U(16),
	  PIECES(2, PIECE(REGISTER, RDI, 8), VALUE(RSI, .value_bytes = 4, .size_bytes = 8)),
	  NO(PIECES) },
	{ "from the second on", INSIDE, U(16),
	  PIECES(2, PIECE(REGISTER, RDI, 8), VALUE(RSI, .first_byte = 1, .size_bytes = 8)),
	  NO(PIECES) },
	{ "a sum", INSIDE, U(16),
	  PIECES(2, VALUE(RDI, .offset = 1, .size_bytes = 8), PIECE(REGISTER, RSI, 8)),
	  NO(PIECES) },
	{ "one in memory", INSIDE, U(16), PIECES(2, PIECE(REGISTER, RDI, 8), PIECE(MEMORY, RSP, 8)),
	  NO(PIECES) },
	{ "one that is nowhere", INSIDE, U(16),
	  PIECES(2, PIECE(REGISTER, RDI, 8), PIECE(NONE, 0, 8)), NO(PIECES) },
	{ "one piece that is all", INSIDE, U(4), PIECES(1, PIECE(REGISTER, RDI, 4)), R(RDI) },
	{ "one that is more", INSIDE, U(4), PIECES(1, PIECE(REGISTER, RDI, 8)), R(RDI) },
	{ "one that is less", INSIDE, U(8), PIECES(1, PIECE(REGISTER, RDI, 4)), NO(PIECES) },
	{ "one in memory", INSIDE, U(8),
	  PIECES(1, { .kind = LOCATION_MEMORY, .reg = RSP, .offset = 16, .size_bytes = 8 }),
	  MEM(RSP, 16) },
	{ "one in the frame", INSIDE, U(16),
	  PIECES(1, { .kind = LOCATION_CFA, .offset = -16, .size_bytes = 16 }), MEM(RSP, 8) },
	{ "a constant", INSIDE, S(4),
	  PIECES(1, { .kind = LOCATION_CONSTANT, .constant = (uint64_t)-3, .size_bytes = 4 }),
	  NEGATIVE(0xfffffffd) },
	{ "a narrow one", INSIDE, U(8),
	  PIECES(1, VALUE(RSI, .value_bytes = 4, .size_bytes = 8)), NO(NARROWED) },
	{ "of unknown size", INSIDE, U(0), PIECES(1, PIECE(REGISTER, RDI, 4)), NO(NARROWED) },

	/* ---- nothing ---- */
	{ "nothing", INSIDE, U(8), AT(NONE, 0, 0), NO(NOT_HERE) },
	{ "nothing, of unknown size", INSIDE, U(0), AT(NONE, 0, 0), NO(NOT_HERE) },
	{ "what it points to", INSIDE, U(8), AT(IMPLICIT_POINTER, 0, 0), NO(POINTEE) },
	{ "its caller's business", INSIDE, U(8), AT(PARAMETER_REF, 0, 0), NO(CALLER) },
	{ "computed", INSIDE, U(8), AT(OTHER, 0, 0), NO(COMPUTED) },
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

TEST(test_places)
{
	bool is_met[LOC_PARAM_COUNT] = { [LOC_PARAM_NOT_SAID] = true };	/* of what is not there */

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
TEST(test_constants)
{
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
TEST(test_codes)
{
	for (int i = 0; i < LOC_PARAM_COUNT; i++) {
		const char *code = loc_param_texts[i].code;

		assert_int_equal(strspn(code, "abcdefghijklmnopqrstuvwxyz-"), strlen(code));
		assert_true(strlen(loc_param_texts[i].sentence) > 5);
		for (int k = 0; k < i; k++)
			assert_string_not_equal(code, loc_param_texts[k].code);
	}
}
