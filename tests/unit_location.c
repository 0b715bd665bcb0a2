/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Locations: what each expression reduces to, which entry of a list counts, in all encodings, and
 * damage of both.
 */
#include "tests/cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "dwarf/location.h"
#include "tests/dwarf_reading.h"
#include "tests/mutate.h"

#define BYTES(text) text, sizeof(text) - 1

/* Opens the blob; the location_unit is valid until the release. */
static struct location_unit open_unit(struct dwarf_reading *r, struct dwarf_blob *b)
{
	assert_true(dwarf_reading_unit(r, b));
	return location_unit_of(&r->cursor);
}

/* ---- expressions ---- */

enum flavour { LITTLE, BIG, NARROW, OLD };	/* NARROW: addresses of 4 bytes; OLD: DWARF 2 */

static const struct {
	uint16_t version;
	uint8_t address_bytes;
	bool big_endian;
} flavours[] = {
	[LITTLE] = { 5, 8, false },
	[BIG] = { 4, 8, true },
	[NARROW] = { 5, 4, false },
	[OLD] = { 2, 8, false },
};

/* The offsets of build_unit()'s base types, as bytes of an expression. */
#define GENERIC "\x00"
#define U8	"\x0d"
#define U16	"\x10"
#define U32	"\x13"
#define S32	"\x16"
#define U64	"\x19"
#define FLOAT	"\x1c"
#define U128	"\x1f"
#define POINTER "\x22"
#define BITS	"\x23"
#define REVERSE "\x27"
#define NO_TYPE "\x70"

enum { T_U8 = 1, T_U16, T_U32, T_S32, T_U64, T_FLOAT, T_U128, T_POINTER, T_BITS, T_REVERSE };

static void build_unit(struct dwarf_blob *b, enum flavour flavour)
{
	dwarf_blob_init(b);
	b->big_endian = flavours[flavour].big_endian;
	b->address_bytes = flavours[flavour].address_bytes;
	b->elf32 = b->address_bytes == 4;
	blob_put(&b->sections[SECTION_ADDR], "01234567", 8);
	blob_put_number(b, &b->sections[SECTION_ADDR], 0xa0, b->address_bytes);
	blob_put_number(b, &b->sections[SECTION_ADDR], 0xa1, b->address_bytes);
	/* The header of DWARF 5 is one byte longer: the types shall be at the same offsets. */
	if (flavours[flavour].version == 5)
		dwarf_blob_unit(b, 5);
	else
		dwarf_blob_unit_with(b, flavours[flavour].version,
				     BLOB_ATTRS(ATTR(DW_AT_use_UTF8, DW_FORM_flag, 1)));
	DIE(b, T_U8, DW_TAG_base_type, SIZE(1), ENCODING(DW_ATE_unsigned_char));
	DIE(b, T_U16, DW_TAG_base_type, SIZE(2), ENCODING(DW_ATE_unsigned));
	DIE(b, T_U32, DW_TAG_base_type, SIZE(4), ENCODING(DW_ATE_unsigned));
	DIE(b, T_S32, DW_TAG_base_type, SIZE(4), ENCODING(DW_ATE_signed));
	DIE(b, T_U64, DW_TAG_base_type, SIZE(8), ENCODING(DW_ATE_unsigned));
	DIE(b, T_FLOAT, DW_TAG_base_type, SIZE(4), ENCODING(DW_ATE_float));
	DIE(b, T_U128, DW_TAG_base_type, SIZE(16), ENCODING(DW_ATE_unsigned));
	DIE(b, T_POINTER, DW_TAG_pointer_type);
	DIE(b, T_BITS, DW_TAG_base_type, SIZE(1), ENCODING(DW_ATE_unsigned),
	    ATTR(DW_AT_bit_size, DW_FORM_data1, 1));
	DIE(b, T_REVERSE, DW_TAG_base_type, SIZE(4), ENCODING(DW_ATE_unsigned),
	    ATTR(DW_AT_endianity, DW_FORM_data1, DW_END_big));
	dwarf_blob_end_unit(b);
	assert_int_equal(b->labels[T_U8], U8[0]);
	assert_int_equal(b->labels[T_BITS], BITS[0]);
	assert_int_equal(b->labels[T_REVERSE], REVERSE[0]);
}

struct expression_case {
	const char *what;
	const char *bytes;
	size_t count;
	struct location wanted;
	enum flavour flavour;
	enum frame_base frame_base;
	bool is_value;		/* location_reduce_value() */
	bool is_damaged;
};

#define IS(what_, bytes_, ...) { .what = (what_), BYTES_OF(bytes_), .wanted = { __VA_ARGS__ } }
#define BYTES_OF(text) .bytes = (text), .count = sizeof(text) - 1
#define OTHER(what_, bytes_) IS(what_, bytes_, .kind = LOCATION_OTHER)
#define DAMAGED(what_, bytes_)                                                                     \
	{ .what = (what_), BYTES_OF(bytes_), .wanted = { .kind = LOCATION_OTHER },                 \
	  .is_damaged = true }
#define REG(number)	  .kind = LOCATION_REGISTER, .reg = (number)
#define VALUE(number, by) .kind = LOCATION_REGISTER_VALUE, .reg = (number), .offset = (by)
#define LOW(number, n)	  .kind = LOCATION_REGISTER_VALUE, .reg = (number), .value_bytes = (n)
#define MEMORY(number, by) .kind = LOCATION_MEMORY, .reg = (number), .offset = (by)
#define LOADED(number, by, n)                                                                      \
	.kind = LOCATION_MEMORY_VALUE, .reg = (number), .offset = (by), .value_bytes = (n)
#define CONSTANT(number)  .kind = LOCATION_CONSTANT, .constant = (uint64_t)(number)
#define FRAME(by)	  .kind = LOCATION_FRAME, .offset = (by)
#define FRAME_VALUE(by)	  .kind = LOCATION_FRAME_VALUE, .offset = (by)
#define CFA(by)		  .kind = LOCATION_CFA, .offset = (by)
#define CFA_VALUE(by)	  .kind = LOCATION_CFA_VALUE, .offset = (by)
#define ADDRESS(number)	  .kind = LOCATION_ADDRESS, .constant = (number)
#define ADDRESS_VALUE(number) .kind = LOCATION_ADDRESS_VALUE, .constant = (number)
#define POINTER_TO(die, by) .kind = LOCATION_IMPLICIT_POINTER, .constant = (die), .offset = (by)
#define PARAMETER(die)	  .kind = LOCATION_PARAMETER_REF, .constant = (die)
#define ENTRY(number, by) .kind = LOCATION_ENTRY_VALUE, .reg = (number), .offset = (by)
#define PIECES(n, ...)	  .kind = LOCATION_PIECES, .piece_count = (n), .pieces = { __VA_ARGS__ }
#define IN_REG(number, bytes) { REG(number), .size_bytes = (bytes) }
#define LOW_PIECE(number, n, first, bytes)                                                         \
	{ LOW(number, n), .first_byte = (first), .size_bytes = (bytes) }

static const struct expression_case expression_cases[] = {
	/* ---- registers and memory ---- */
	IS("nothing", "", .kind = LOCATION_NONE),
	IS("nops", "\x96\x96", .kind = LOCATION_NONE),
	IS("reg0", "\x50", REG(0)),
	IS("reg31", "\x6f", REG(31)),
	IS("reg5, nop", "\x55\x96", REG(5)),
	IS("regx", "\x90\x11", REG(17)),
	IS("regx 255", "\x90\xff\x01", REG(255)),
	OTHER("regx 256", "\x90\x80\x02"),
	IS("breg7 + 8", "\x77\x08", MEMORY(7, 8)),
	IS("breg7 - 8", "\x77\x78", MEMORY(7, -8)),
	IS("bregx", "\x92\x21\x7f", MEMORY(33, -1)),
	OTHER("bregx 256", "\x92\x80\x02\x00"),
	IS("breg, plus_uconst", "\x77\x08\x23\x10", MEMORY(7, 24)),
	IS("breg, lit, minus", "\x77\x08\x35\x1c", MEMORY(7, 3)),
	IS("lit, breg, plus", "\x35\x77\x08\x22", MEMORY(7, 13)),
	OTHER("lit - breg", "\x35\x77\x08\x1c"),
	OTHER("breg + breg", "\x75\x00\x74\x00\x22\x9f"),
	OTHER("memory at an address in memory", "\x75\x00\x06"),
	OTHER("reg5 and something on the stack", "\x75\x00\x55"),
	OTHER("two registers", "\x55\x54"),
	OTHER("reg5, stack_value", "\x55\x9f"),
	OTHER("reg0, GNU_uninit", "\x50\xf0"),
	/* ---- the frame ---- */
	IS("fbreg, no base", "\x91\x70", FRAME(-16)),
	{ "fbreg on the CFA", BYTES("\x91\x08"), { CFA(8) }, .frame_base = FRAME_BASE_CFA },
	{ "fbreg on a register", BYTES("\x91\x08"), { FRAME(8) },
	  .frame_base = FRAME_BASE_REGISTER },
	IS("call_frame_cfa + 16", "\x9c\x23\x10", CFA(16)),
	IS("the address of a slot", "\x91\x08\x9f", FRAME_VALUE(8)),
	IS("CFA - 8, stack_value", "\x9c\x38\x1c\x9f", CFA_VALUE(-8)),
	/* s390x, arm64: a struct by reference, whose address is on the stack. */
	OTHER("fbreg, deref", "\x91\x00\x06"),
	/* ---- values ---- */
	IS("breg5, stack_value", "\x75\x00\x9f", VALUE(5, 0)),
	IS("breg5 - 1, stack_value", "\x75\x7f\x9f", VALUE(5, -1)),
	IS("deref, stack_value", "\x75\x08\x06\x9f", LOADED(5, 8, 8)),
	IS("deref_size, stack_value", "\x75\x08\x94\x02\x9f", LOADED(5, 8, 2)),
	OTHER("deref_size 9", "\x75\x08\x94\x09\x9f"),
	OTHER("deref_size 0", "\x75\x08\x94\x00\x9f"),
	OTHER("deref twice", "\x75\x08\x06\x06\x9f"),
	OTHER("deref, + 1", "\x75\x08\x06\x23\x01\x9f"),
	IS("deref, and -1", "\x75\x08\x06\x0b\xff\xff\x1a\x9f", LOADED(5, 8, 8)),
	IS("deref, mask", "\x75\x08\x06\x0a\xff\xff\x1a\x9f", LOADED(5, 8, 2)),
	IS("deref, high half", "\x75\x08\x06\x08\x20\x25\x9f", LOADED(5, 12, 4)),
	IS("deref_type", "\x75\x00\xa6\x04" U32 "\x9f", LOADED(5, 0, 4)),
	IS("GNU_deref_type", "\x75\x00\xf6\x04" U32 "\xf7" GENERIC "\x9f", LOADED(5, 0, 4)),
	OTHER("deref_type, another size", "\x75\x00\xa6\x02" U32 "\x9f"),
	OTHER("xderef", "\x75\x00\x31\x18\x9f"),
	OTHER("eq", "\x75\x00\x30\x29\x9f"),
	OTHER("neg", "\x75\x00\x1f\x9f"),
	OTHER("rsi & -2", "\x74\x00\x09\xfe\x1a\x9f"),
	OTHER("rsi >> 5", "\x74\x00\x35\x26\x9f"),
	OTHER("rsi | rdi", "\x74\x00\x75\x00\x21\x9f"),
	/* ---- narrowed ---- */
	IS("and 0xff", "\x75\x00\x08\xff\x1a\x9f", LOW(5, 1)),
	IS("and 0xffff", "\x75\x00\x0a\xff\xff\x1a\x9f", LOW(5, 2)),
	IS("and 0xffffffff", "\x75\x00\x0c\xff\xff\xff\xff\x1a\x9f", LOW(5, 4)),
	IS("0xff and", "\x08\xff\x75\x00\x1a\x9f", LOW(5, 1)),
	IS("and -1", "\x75\x00\x09\xff\x1a\x9f", VALUE(5, 0)),
	OTHER("and 0xff00", "\x75\x00\x0a\x00\xff\x1a\x9f"),
	IS("(rdi + 1) & 0xff", "\x75\x01\x08\xff\x1a\x9f", VALUE(5, 1), .value_bytes = 1),
	/* clang: a parameter that the first statement decrements. */
	IS("(rsi & 0xffffffff) - 1", "\x74\x00\x10\xff\xff\xff\xff\x0f\x1a\x31\x1c\x9f",
	   VALUE(4, -1), .value_bytes = 4),
	OTHER("memory at a narrowed register", "\x75\x00\x08\xff\x1a"),
	OTHER("memory at a narrowed register, loaded", "\x75\x00\x08\xff\x1a\x06\x9f"),
	IS("shl 32, shra 32", "\x75\x00\x08\x20\x24\x08\x20\x26\x9f", LOW(5, 4)),
	IS("shl 56, shr 56", "\x75\x00\x08\x38\x24\x08\x38\x25\x9f", LOW(5, 1)),
	OTHER("shl 32, shra 31", "\x75\x00\x08\x20\x24\x4f\x26\x9f"),
	OTHER("shl 32", "\x75\x00\x08\x20\x24\x9f"),
	OTHER("shl 31, shra 31", "\x75\x00\x4f\x24\x4f\x26\x9f"),
	OTHER("shl 64", "\x75\x00\x08\x40\x24\x9f"),
	IS("shr 32", "\x75\x00\x08\x20\x25\x9f", LOW(5, 4), .first_byte = 4),
	OTHER("shr 64", "\x75\x00\x08\x40\x25\x9f"),
	OTHER("shr 32, + 1", "\x75\x00\x08\x20\x25\x23\x01\x9f"),
	/* clang before DWARF 5: bool. */
	IS("and 0xffffffff, and 1", "\x75\x00\x10\xff\xff\xff\xff\x0f\x1a\x10\x01\x1a\x9f",
	   .kind = LOCATION_REGISTER_BIT, .reg = 5),
	OTHER("(rdi + 1) & 1", "\x75\x01\x31\x1a\x9f"),
	OTHER("(rdi & 1) + 1", "\x75\x00\x31\x1a\x23\x01\x9f"),
	/* clang in DWARF 5. */
	IS("convert, convert", "\x75\x00\xa8" U8 "\xa8" U32 "\x9f", LOW(5, 1)),
	IS("convert to 32 bits", "\x75\x00\xa8" U32 "\x9f", LOW(5, 4)),
	IS("convert to 64 bits", "\x75\x00\xa8" U64 "\xa8" GENERIC "\x9f", VALUE(5, 0)),
	IS("convert, + 1 of that type",
	   "\x75\x00\xa8" U32 "\xa4" U32 "\x04\x01\x00\x00\x00\x22\x9f",
	   VALUE(5, 1), .value_bytes = 4),
	OTHER("convert, + 1 of another type", "\x75\x00\xa8" U32 "\x31\x22\x9f"),
	OTHER("convert to float", "\x75\x00\xa8" FLOAT "\x9f"),
	OTHER("convert to 128 bits", "\x75\x00\xa8" U128 "\x9f"),
	OTHER("convert to a bitfield", "\x75\x00\xa8" BITS "\x9f"),
	OTHER("convert to another byte order", "\x75\x00\xa8" REVERSE "\x9f"),
	OTHER("convert to a pointer", "\x75\x00\xa8" POINTER "\x9f"),
	OTHER("convert to nothing", "\x75\x00\xa8" NO_TYPE "\x9f"),
	OTHER("convert to the header", "\x75\x00\xa8\x01\x9f"),
	OTHER("convert to what is far away",
	      "\x75\x00\xa8\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x9f"),
	IS("reinterpret", "\x75\x00\xa9" U64 "\x9f", VALUE(5, 0)),
	OTHER("reinterpret with another size", "\x75\x00\xa9" U32 "\x9f"),
	IS("regval_type", "\xa5\x05" U32 "\x9f", LOW(5, 4)),
	IS("GNU_regval_type, GNU_convert", "\xf5\x05" U16 "\xf7" U32 "\x9f", LOW(5, 2)),
	OTHER("regval_type 256", "\xa5\x80\x02" U32 "\x9f"),
	OTHER("regval_type of a float", "\xa5\x11" FLOAT "\x9f"),
	/* ---- constants ---- */
	IS("lit0", "\x30\x9f", CONSTANT(0)),
	IS("lit31", "\x4f\x9f", CONSTANT(31)),
	IS("const1u", "\x08\xfe\x9f", CONSTANT(0xfe)),
	IS("const1s", "\x09\xfe\x9f", CONSTANT(-2)),
	IS("const2u", "\x0a\xfe\xff\x9f", CONSTANT(0xfffe)),
	IS("const2s", "\x0b\xfe\xff\x9f", CONSTANT(-2)),
	IS("const4u", "\x0c\xfe\xff\xff\xff\x9f", CONSTANT(0xfffffffe)),
	IS("const4s", "\x0d\xfe\xff\xff\xff\x9f", CONSTANT(-2)),
	IS("const8u", "\x0e\xfe\xff\xff\xff\xff\xff\xff\xff\x9f", CONSTANT(-2)),
	IS("const8s", "\x0f\xfe\xff\xff\xff\xff\xff\xff\xff\x9f", CONSTANT(-2)),
	IS("constu", "\x10\x80\x01\x9f", CONSTANT(128)),
	IS("consts", "\x11\x7f\x9f", CONSTANT(-1)),
	IS("constx", "\xa2\x01\x9f", CONSTANT(0xa1)),
	IS("plus", "\x35\x33\x22\x9f", CONSTANT(8)),
	IS("minus", "\x33\x35\x1c\x9f", CONSTANT(-2)),
	IS("mul", "\x33\x35\x1e\x9f", CONSTANT(15)),
	IS("or", "\x33\x35\x21\x9f", CONSTANT(7)),
	IS("xor", "\x33\x35\x27\x9f", CONSTANT(6)),
	IS("shl", "\x33\x35\x24\x9f", CONSTANT(3 << 5)),
	IS("shl by too much", "\x33\x08\x40\x24\x9f", CONSTANT(0)),
	IS("shr", "\x09\xff\x08\x3c\x25\x9f", CONSTANT(15)),
	IS("shra", "\x09\xf0\x32\x26\x9f", CONSTANT(-4)),
	IS("shra by too much", "\x09\xf0\x08\x40\x26\x9f", CONSTANT(-1)),
	OTHER("div", "\x33\x35\x1b\x9f"),
	IS("const_type", "\xa4" S32 "\x04\xfe\xff\xff\xff\x9f", CONSTANT(0xfffffffe),
	   .value_bytes = 4),
	IS("const_type, extended", "\xa4" S32 "\x04\xfe\xff\xff\xff\xa8" GENERIC "\x9f",
	   CONSTANT(-2)),
	IS("GNU_const_type, extended", "\xf4" U32 "\x04\xfe\xff\xff\xff\xf7" U64 "\x9f",
	   CONSTANT(0xfffffffe), .value_bytes = 8),
	OTHER("const_type, another size", "\xa4" S32 "\x02\xfe\xff\x9f"),
	OTHER("const_type of 16 bytes", "\xa4" U128 "\x10" "0123456789abcdef\x9f"),
	IS("implicit_value", "\x9e\x02\x34\x12", CONSTANT(0x1234), .value_bytes = 2),
	IS("implicit_value of 8", "\x9e\x08\xff\xff\xff\xff\xff\xff\xff\xff", CONSTANT(-1),
	   .value_bytes = 8),
	OTHER("implicit_value of 9", "\x9e\x09" "012345678"),
	OTHER("implicit_value of 0", "\x9e\x00"),
	/* ---- addresses ---- */
	IS("addr", "\x03\x00\x10\x00\x81\xff\xff\xff\xff", ADDRESS(0xffffffff81001000)),
	IS("addr + 8", "\x03\x00\x10\x00\x81\xff\xff\xff\xff\x23\x08", ADDRESS(0xffffffff81001008)),
	IS("addr, stack_value", "\x03\x00\x10\x00\x81\xff\xff\xff\xff\x9f",
	   ADDRESS_VALUE(0xffffffff81001000)),
	OTHER("low bytes of an address", "\x03\x00\x10\x00\x81\xff\xff\xff\xff\x08\xff\x1a\x9f"),
	IS("addrx", "\xa1\x01", ADDRESS(0xa1)),
	IS("a number as an address", "\x08\x80", ADDRESS(0x80)),
	/* ---- what was ---- */
	IS("entry_value", "\xa3\x01\x55\x9f", ENTRY(5, 0)),
	IS("GNU_entry_value", "\xf3\x01\x54\x9f", ENTRY(4, 0)),
	IS("entry_value of regx", "\xa3\x02\x90\x21\x9f", ENTRY(33, 0)),
	IS("entry_value of breg", "\xa3\x02\x75\x7f\x9f", ENTRY(5, -1)),
	IS("entry_value of bregx", "\xa3\x03\x92\x05\x01\x9f", ENTRY(5, 1)),
	IS("entry_value + 16", "\xa3\x01\x55\x23\x10\x9f", ENTRY(5, 16)),
	IS("entry_value, low bytes", "\xa3\x01\x55\x08\xff\x1a\x9f", ENTRY(5, 0), .value_bytes = 1),
	OTHER("memory at an entry_value", "\xa3\x01\x55\x23\x10"),
	OTHER("entry_value of memory", "\xa3\x03\x75\x00\x06\x9f"),
	OTHER("entry_value of nothing", "\xa3\x00\x9f"),
	OTHER("entry_value of half an operation", "\xa3\x01\x75\x9f"),
	OTHER("entry_value of a constant", "\xa3\x01\x35\x9f"),
	IS("implicit_pointer", "\xa0\x34\x12\x00\x00\x04", POINTER_TO(0x1234, 4)),
	IS("GNU_implicit_pointer", "\xf2\x34\x12\x00\x00\x7c", POINTER_TO(0x1234, -4)),
	IS("GNU_parameter_ref", "\xfa\x34\x12\x00\x00\x9f", PARAMETER(0x1234)),
	OTHER("GNU_parameter_ref + 1", "\xfa\x34\x12\x00\x00\x23\x01\x9f"),
	OTHER("GNU_variable_value", "\xfd\x34\x12\x00\x00\x9f"),
	/* ---- the stack ---- */
	IS("dup, drop", "\x75\x00\x12\x13\x9f", VALUE(5, 0)),
	IS("over", "\x75\x01\x74\x02\x14\x9f", VALUE(5, 1)),
	IS("pick 2", "\x75\x01\x74\x02\x71\x03\x15\x02\x9f", VALUE(5, 1)),
	IS("swap", "\x75\x01\x74\x02\x16\x9f", VALUE(5, 1)),
	IS("rot", "\x75\x01\x74\x02\x71\x03\x17\x9f", VALUE(4, 2)),
	IS("rot, drop", "\x75\x01\x74\x02\x71\x03\x17\x13\x9f", VALUE(5, 1)),
	IS("rot, drop, drop", "\x75\x01\x74\x02\x71\x03\x17\x13\x13\x9f", VALUE(1, 3)),
	OTHER("push_object_address", "\x97\x9f"),
	OTHER("form_tls_address", "\x30\x9b"),
	OTHER("GNU_push_tls_address", "\x30\xe0"),
	OTHER("32 deep and one", "\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31"
	      "\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x9f"),
	OTHER("32 deep and a copy", "\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31"
	      "\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x12\x9f"),
	IS("32 deep", "\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31"
	   "\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x9f", CONSTANT(1)),
	/* ---- what leads away, or is not known ---- */
	OTHER("bra backwards", "\x31\x28\xfc\xff"),
	OTHER("skip to itself", "\x2f\xfd\xff"),
	OTHER("call4", "\x99\x00\x00\x00\x00"),
	OTHER("call_ref", "\x9a\x00\x00\x00\x00"),
	OTHER("a vendor's operation", "\xe9\x00\x55"),
	OTHER("operation 0", "\x00"),
	/* ---- pieces ---- */
	IS("two registers", "\x55\x93\x08\x54\x93\x08", PIECES(2, IN_REG(5, 8), IN_REG(4, 8))),
	IS("one piece", "\x55\x93\x04", PIECES(1, IN_REG(5, 4))),
	IS("an empty piece, then a register", "\x93\x08\x51\x93\x04",
	   PIECES(2, { .kind = LOCATION_NONE, .size_bytes = 8 }, IN_REG(1, 4))),
	IS("entry value, constant, memory",
	   "\xa3\x01\x51\x9f\x93\x02\x35\x9f\x93\x02\x77\x08\x93\x04",
	   PIECES(3, { ENTRY(1, 0), .size_bytes = 2 }, { CONSTANT(5), .size_bytes = 2 },
		  { MEMORY(7, 8), .size_bytes = 4 })),
	IS("one of them computed", "\x75\x00\x1f\x9f\x93\x08\x54\x93\x08",
	   PIECES(2, { .kind = LOCATION_OTHER, .size_bytes = 8 }, IN_REG(4, 8))),
	/* clang: struct { int a, b; } in one register. */
	IS("slices that join", "\x55\x93\x04\x75\x00\x10\x20\x25\x9f\x93\x04",
	   PIECES(1, IN_REG(5, 8))),
	IS("three slices, converted", "\x71\x00\xa8" U16 "\xa8" U32 "\x9f\x93\x02\x71\x00\x40\x25"
	   "\xa8" U8 "\x9f\x93\x01\x71\x00\x48\x25\x9f\x93\x01", PIECES(1, IN_REG(1, 4))),
	IS("slices from the middle on", "\x71\x00\x38\x25\x9f\x93\x01\x71\x00\x40\x25\x9f\x93\x01",
	   PIECES(1, LOW_PIECE(1, 2, 1, 2))),
	IS("slices with a gap", "\x55\x93\x02\x75\x00\x08\x20\x25\x9f\x93\x04",
	   PIECES(2, IN_REG(5, 2), LOW_PIECE(5, 4, 4, 4))),
	IS("slices of two registers", "\x54\x93\x04\x75\x00\x08\x20\x25\x9f\x93\x04",
	   PIECES(2, IN_REG(4, 4), LOW_PIECE(5, 4, 4, 4))),
	IS("a slice beyond what was kept",
	   "\x75\x00\x08\xff\x1a\x9f\x93\x04\x75\x00\x08\x20\x25\x9f\x93\x04",
	   PIECES(2, { LOW(5, 1), .size_bytes = 4 }, LOW_PIECE(5, 4, 4, 4))),
	IS("bit_piece", "\x55\x9d\x10\x00", PIECES(1, IN_REG(5, 2))),
	IS("bit_piece of 3 bits", "\x55\x9d\x03\x00", PIECES(1, IN_REG(5, 0))),
	IS("bit_piece inside", "\x55\x9d\x08\x08",
	   PIECES(1, { .kind = LOCATION_OTHER, .reg = 5, .size_bytes = 1 })),
	IS("eight pieces", "\x50\x93\x08\x51\x93\x08\x52\x93\x08\x53\x93\x08"
	   "\x54\x93\x08\x55\x93\x08\x56\x93\x08\x57\x93\x08",
	   PIECES(8, IN_REG(0, 8), IN_REG(1, 8), IN_REG(2, 8), IN_REG(3, 8), IN_REG(4, 8),
		  IN_REG(5, 8), IN_REG(6, 8), IN_REG(7, 8))),
	OTHER("nine pieces", "\x50\x93\x08\x51\x93\x08\x52\x93\x08\x53\x93\x08"
	      "\x54\x93\x08\x55\x93\x08\x56\x93\x08\x57\x93\x08\x58\x93\x08"),
	OTHER("a piece, then a register alone", "\x55\x93\x08\x54"),
	OTHER("a piece of 64 KiB", "\x55\x93\x80\x80\x04"),
	OTHER("a piece of 2^62 bytes", "\x55\x93\x80\x80\x80\x80\x80\x80\x80\x80\x40"),
	OTHER("a piece, then something unknown", "\x55\x93\x08\xe9"),
	/* ---- damage ---- */
	DAMAGED("addr cut", "\x03\x00\x10\x00\x81\xff\xff\xff"),
	DAMAGED("breg cut", "\x75"),
	DAMAGED("breg cut in its number", "\x75\x80"),
	DAMAGED("const2u cut", "\x0a\x01"),
	DAMAGED("bregx cut", "\x92\x05"),
	DAMAGED("implicit_value cut", "\x9e\x05" "0123"),
	DAMAGED("implicit_value, absurd", "\x9e\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01" "0"),
	DAMAGED("entry_value cut", "\xa3\x02\x55"),
	DAMAGED("const_type cut", "\xa4" S32 "\x04\xff\xff\xff"),
	DAMAGED("piece cut", "\x55\x93"),
	DAMAGED("plus of one", "\x35\x22"),
	DAMAGED("stack_value of none", "\x9f"),
	DAMAGED("deref of none", "\x06"),
	DAMAGED("rot of two", "\x31\x31\x17"),
	DAMAGED("pick from below", "\x31\x31\x15\x02"),
	DAMAGED("pick of none", "\x15\x00"),
	DAMAGED("an index outside .debug_addr", "\xa1\x02\x9f"),
	DAMAGED("an absurd index", "\xa2\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x9f"),
	DAMAGED("damage after a piece", "\x55\x93\x08\x22"),
	/* ---- values of call sites ---- */
#define CALL(what_, bytes_, ...)                                                                   \
	{ .what = (what_), BYTES_OF(bytes_), .wanted = { __VA_ARGS__ }, .is_value = true }
	CALL("call value: breg3", "\x73\x00", VALUE(3, 0)),
	CALL("call value: lit1", "\x31", CONSTANT(1)),
	CALL("call value: addr", "\x03\x00\x10\x00\x81\xff\xff\xff\xff",
	     ADDRESS_VALUE(0xffffffff81001000)),
	CALL("call value: what is in memory", "\x77\x08\x06", LOADED(7, 8, 8)),
	CALL("call value: entry_value", "\xa3\x01\x55", ENTRY(5, 0)),
	CALL("call value: parameter_ref", "\xfa\x34\x12\x00\x00", PARAMETER(0x1234)),
	CALL("call value: fbreg", "\x91\x70", FRAME_VALUE(-16)),
	CALL("call value: nothing", "", .kind = LOCATION_NONE),
	CALL("call value: a register", "\x55", REG(5)),
	/* ---- other encodings ---- */
#define IN(flavour_, what_, bytes_, ...)                                                           \
	{ .what = (what_), BYTES_OF(bytes_), .wanted = { __VA_ARGS__ }, .flavour = (flavour_) }
	IN(BIG, "const2u, big-endian", "\x0a\x12\x34\x9f", CONSTANT(0x1234)),
	IN(BIG, "const4s, big-endian", "\x0d\xff\xff\xff\xfe\x9f", CONSTANT(-2)),
	IN(BIG, "const8u, big-endian", "\x0e\x01\x02\x03\x04\x05\x06\x07\x08\x9f",
	   CONSTANT(0x0102030405060708)),
	IN(BIG, "addr, big-endian", "\x03\x00\x00\x00\x00\x00\x10\xa0\xe0", ADDRESS(0x10a0e0)),
	IN(BIG, "implicit_value, big-endian", "\x9e\x02\x12\x34", CONSTANT(0x1234),
	   .value_bytes = 2),
	IN(BIG, "parameter_ref, big-endian", "\xfa\x00\x00\x12\x34\x9f", PARAMETER(0x1234)),
	IN(BIG, "low bytes in memory are at the end", "\x75\x08\x06\x0a\xff\xff\x1a\x9f",
	   LOADED(5, 14, 2)),
	IN(BIG, "high bytes in memory are in front", "\x75\x08\x06\x08\x20\x25\x9f",
	   LOADED(5, 8, 4)),
	IN(BIG, "convert", "\x75\x00\xf7" U16 "\x9f", LOW(5, 2)),
	IN(BIG, "slices never join", "\x55\x93\x04\x75\x00\x10\x20\x25\x9f\x93\x04",
	   PIECES(2, IN_REG(5, 4), LOW_PIECE(5, 4, 4, 4))),
	IN(NARROW, "addr of 4 bytes", "\x03\x00\x10\x00\xc1\x9f", ADDRESS_VALUE(0xc1001000)),
	IN(NARROW, "addr - 8", "\x03\x00\x10\x00\xc1\x38\x1c", ADDRESS(0xc1000ff8)),
	IN(NARROW, "offsets wrap", "\x75\x00\x0c\xff\xff\xff\xff\x22", MEMORY(5, -1)),
	IN(NARROW, "and 0xffffffff is all", "\x75\x00\x0c\xff\xff\xff\xff\x1a\x9f", VALUE(5, 0)),
	IN(NARROW, "shl 16, shra 16", "\x75\x00\x40\x24\x40\x26\x9f", LOW(5, 2)),
	IN(NARROW, "a register does not fill 8 bytes", "\x75\x00\xa8" U64 "\x9f", LOW(5, 4)),
	IN(NARROW, "regval_type of 8 bytes", "\xa5\x05" U64 "\x9f", .kind = LOCATION_OTHER),
	IN(NARROW, "a 64-bit constant stays", "\x0e\x01\x02\x03\x04\x05\x06\x07\x08\x9f",
	   CONSTANT(0x0807060504030201)),
	IN(NARROW, "a generic number has no sign", "\x09\xff\xa8" U64 "\x9f",
	   .kind = LOCATION_OTHER),
	IN(NARROW, "... where that matters", "\x31\xa8" U64 "\x9f", CONSTANT(1), .value_bytes = 8),
	IN(OLD, "implicit_pointer of DWARF 2", "\xf2\x34\x12\x00\x00\x00\x00\x00\x00\x04",
	   POINTER_TO(0x1234, 4)),
};

static bool same_piece(const struct location_piece *a, const struct location_piece *b)
{
	return a->kind == b->kind && a->size_bytes == b->size_bytes &&
	       (a->kind == LOCATION_OTHER ||
		(a->reg == b->reg && a->value_bytes == b->value_bytes &&
		 a->first_byte == b->first_byte && a->offset == b->offset &&
		 a->constant == b->constant));
}

static bool same_location(const struct location *a, const struct location *b)
{
	if (a->kind != b->kind || a->piece_count != b->piece_count)
		return false;
	for (size_t i = 0; i < a->piece_count; i++) {
		if (!same_piece(&a->pieces[i], &b->pieces[i]))
			return false;
	}
	return a->kind == LOCATION_OTHER ||
	       (a->reg == b->reg && a->value_bytes == b->value_bytes &&
		a->first_byte == b->first_byte && a->offset == b->offset &&
		a->constant == b->constant);
}

/* From a block of exactly the expression's size, so that a sanitizer sees a read past its end. */
static bool reduce(const struct location_unit *unit, const struct expression_case *c,
		   struct location *location)
{
	uint8_t *copy = malloc(c->count ? c->count : 1);
	bool good;

	memcpy(copy, c->bytes, c->count);
	memset(location, 0xee, sizeof(*location));
	if (c->is_value)
		good = location_reduce_value(unit, copy, copy + c->count, location);
	else
		good = location_reduce(unit, copy, copy + c->count, c->frame_base, location);
	free(copy);
	return good;
}

TEST(test_expressions)
{
	int failures = 0;

	for (enum flavour f = LITTLE; f <= OLD; f++) {
		struct location_unit unit;
		struct dwarf_reading r;
		struct dwarf_blob b;

		build_unit(&b, f);
		unit = open_unit(&r, &b);
		for (size_t i = 0; i < LENGTH(expression_cases); i++) {
			const struct expression_case *c = &expression_cases[i];
			struct location location;
			bool good;

			if (c->flavour != f)
				continue;
			good = reduce(&unit, c, &location);
			if (good == c->is_damaged || !same_location(&location, &c->wanted)) {
				print_error("%s: %d, kind %u, reg %u, offset %lld, 0x%llx, bytes "
					    "%u from %u, %u pieces\n", c->what, good, location.kind,
					    location.reg, (long long)location.offset,
					    (unsigned long long)location.constant,
					    location.value_bytes, location.first_byte,
					    location.piece_count);
				failures++;
			}
		}
		dwarf_reading_end(&r, &b);
	}
	assert_int_equal(failures, 0);
}

/* For any bytes, the reduction ends inside them. */
TEST(test_random_expressions)
{
	struct random random = { 1 };

	for (enum flavour f = LITTLE; f <= OLD; f++) {
		struct location_unit unit;
		struct dwarf_reading r;
		struct dwarf_blob b;

		build_unit(&b, f);
		unit = open_unit(&r, &b);
		for (int round = 0; round < 20000; round++) {
			char bytes[24];
			struct expression_case c = { .bytes = bytes };
			struct location location;

			c.count = random_below(&random, sizeof(bytes));
			c.is_value = random_below(&random, 2);
			/* Mostly the standard operations. */
			for (size_t i = 0; i < c.count; i++) {
				uint64_t limit = random_below(&random, 3) ? 0xb0 : 0x100;

				bytes[i] = (char)random_below(&random, limit);
			}
			if (!reduce(&unit, &c, &location))
				assert_int_equal(location.kind, LOCATION_OTHER);
			assert_true(location.kind <= LOCATION_OTHER);
			assert_true(location.piece_count <= LOCATION_MAX_PIECES);
		}
		dwarf_reading_end(&r, &b);
	}
}

/* ---- lists ---- */

/* The encoding of a list. */
static const struct encoding {
	uint16_t version;
	uint8_t offset_bytes;
	uint8_t address_bytes;
	bool big_endian;
} encodings[] = {
	{ 2, 4, 8, false }, { 3, 8, 4, true }, { 4, 4, 4, false }, { 4, 8, 8, true },
	{ 5, 4, 8, false }, { 5, 8, 8, true }, { 5, 4, 4, true },  { 5, 8, 4, false },
};

enum entry_kind {
	END,
	NO_END,			/* the section ends without one */
	PAIR,			/* relative to the base */
	BASE,
	BASE_INDEX,		/* from here on: DWARF 5 only */
	INDEXES,
	INDEX_LENGTH,
	DEFAULT,
	START_END,
	START_LENGTH,
	VIEWS,
	UNKNOWN,
};

struct list_row {
	enum entry_kind kind;
	uint64_t a, b;
	uint8_t reg;		/* its expression is this register */
};

enum { ABSENT = 0x80, BAD };

struct list_query {
	uint64_t pc;
	uint32_t pad;
	bool is_entry;
	uint8_t wanted;		/* a register, ABSENT or BAD */
};

#define LIST_ENTRIES 6
#define LIST_QUERIES 12
#define LOW_PC	     0x1000

#define PC(pc, wanted)	     { pc, 0, false, wanted }
#define ENTRY_PC(pc, wanted) { pc, 0, true, wanted }

/* .debug_addr: 0x2000, 0x2010. The queries end with one that is all zero. */
static const struct list_case {
	const char *what;
	struct list_row entries[LIST_ENTRIES];
	struct list_query queries[LIST_QUERIES];
} list_cases[] = {
	{ "one entry, on the unit's low_pc", { { PAIR, 0, 0x10, 5 } },
	  { PC(0xfff, ABSENT), PC(0x1000, 5), PC(0x100f, 5), PC(0x1010, ABSENT) } },
	{ "the first that covers, not the first",
	  { { PAIR, 0x20, 0x30, 1 }, { PAIR, 0, 0x10, 2 }, { PAIR, 0, 0x40, 3 } },
	  { PC(0x1000, 2), PC(0x1010, 3), PC(0x1020, 1) } },
	{ "the tolerance: pc + pad, and not one byte more", { { PAIR, 5, 0x10, 5 } },
	  { PC(0x1000, ABSENT), { 0x1000, 4, false, ABSENT }, { 0x1000, 5, false, 5 },
	    { 0x1000, 15, false, 5 }, { 0x1000, 16, false, ABSENT } } },
	{ "an entry for the pc goes before one for the tolerance",
	  { { PAIR, 5, 0x10, 5 }, { PAIR, 0, 5, 4 } },
	  { { 0x1000, 5, false, 4 }, PC(0x1000, 4) } },
	{ "GCC's views: a statement without an instruction",
	  { { PAIR, 0, 0, 5 }, { PAIR, 0, 0x10, 6 } },
	  { PC(0x1000, 6), ENTRY_PC(0x1000, 5), ENTRY_PC(0x1001, 6) } },
	{ "only views", { { PAIR, 4, 4, 5 } },
	  { PC(0x1004, ABSENT), ENTRY_PC(0x1004, 5), ENTRY_PC(0x1003, ABSENT),
	    { 0x1000, 4, true, ABSENT }, ENTRY_PC(0x1005, ABSENT) } },
	{ "views after what covers", { { PAIR, 0, 0x10, 5 }, { PAIR, 0, 0, 6 } },
	  { ENTRY_PC(0x1000, 5) } },
	{ "a range that ends before its start", { { PAIR, 0x10, 4, 5 } },
	  { ENTRY_PC(0x1008, ABSENT), ENTRY_PC(0x1010, ABSENT) } },
	{ "a base of its own",
	  { { BASE, 0x3000, 0, 0 }, { PAIR, 0, 0x10, 5 }, { BASE, 0x4000, 0, 0 },
	    { PAIR, 4, 5, 6 } },
	  { PC(0x1000, ABSENT), PC(0x3000, 5), PC(0x4004, 6) } },
	{ "no entries", { { END, 0, 0, 0 } }, { { 0x1000, 16, true, ABSENT } } },
	{ "no end", { { PAIR, 0, 0x10, 5 }, { NO_END, 0, 0, 0 } },
	  { PC(0x1000, 5), PC(0x1010, BAD), { 0xfff, 1, false, BAD } } },
	{ "a base from .debug_addr", { { BASE_INDEX, 1, 0, 0 }, { PAIR, 0, 0x10, 5 } },
	  { PC(0x2010, 5), PC(0x1000, ABSENT) } },
	{ "both ends from .debug_addr", { { INDEXES, 0, 1, 5 } },
	  { PC(0x2000, 5), PC(0x200f, 5), PC(0x2010, ABSENT) } },
	{ "a start from .debug_addr", { { INDEX_LENGTH, 1, 4, 5 } },
	  { PC(0x2010, 5), PC(0x2014, ABSENT) } },
	{ "start and end, start and length",
	  { { START_END, 0x5000, 0x5010, 5 }, { START_LENGTH, 0x5010, 0x90, 6 } },
	  { PC(0x5000, 5), PC(0x5010, 6), PC(0x509f, 6), PC(0x50a0, ABSENT) } },
	{ "a default, wherever it is, comes last",
	  { { DEFAULT, 0, 0, 9 }, { DEFAULT, 0, 0, 8 }, { PAIR, 5, 0x10, 5 }, { PAIR, 0, 1, 4 } },
	  { PC(0x1000, 4), PC(0x1001, 9), { 0x1001, 4, false, 5 } } },
	{ "view pairs between entries",
	  { { VIEWS, 1, 2, 0 }, { PAIR, 0, 0x10, 5 }, { VIEWS, 300, 0, 0 } },
	  { PC(0x1000, 5), PC(0x1010, ABSENT) } },
	{ "an index outside .debug_addr", { { PAIR, 0, 1, 5 }, { INDEXES, 0, 2, 6 } },
	  { PC(0x1000, 5), PC(0x2000, BAD) } },
	{ "an unknown kind", { { PAIR, 0, 1, 5 }, { UNKNOWN, 0, 0, 0 } },
	  { PC(0x1000, 5), PC(0x2000, BAD) } },
};

static bool is_new_only(const struct list_case *c)
{
	for (size_t i = 0; i < LIST_ENTRIES; i++) {
		if (c->entries[i].kind > BASE)
			return true;
	}
	return false;
}

static void put_register(struct dwarf_blob *b, blob_bytes *out, uint8_t reg, uint8_t length_bytes)
{
	if (length_bytes)
		blob_put_number(b, out, 1, length_bytes);
	else
		blob_put_uleb(out, 1);
	blob_put_number(b, out, (uint64_t)DW_OP_reg0 + reg, 1);
}

/* In .debug_loc a pair of zeros would end the list: it is made one of another base. */
static void put_old_entry(struct dwarf_blob *b, blob_bytes *out, const struct list_row *entry)
{
	uint8_t wide = b->address_bytes;
	bool is_zero = entry->kind == PAIR && !entry->a && !entry->b;

	if (entry->kind == BASE || is_zero) {
		blob_put_number(b, out, UINT64_MAX, wide);
		blob_put_number(b, out, is_zero ? LOW_PC - 1 : entry->a, wide);
	}
	if (entry->kind == BASE)
		return;
	blob_put_number(b, out, entry->a + is_zero, wide);
	blob_put_number(b, out, entry->b + is_zero, wide);
	put_register(b, out, entry->reg, 2);
	if (is_zero) {
		blob_put_number(b, out, UINT64_MAX, wide);
		blob_put_number(b, out, LOW_PC, wide);
	}
}

static void put_new_entry(struct dwarf_blob *b, blob_bytes *out, const struct list_row *entry)
{
	static const uint8_t codes[] = {
		[PAIR] = DW_LLE_offset_pair,	   [BASE] = DW_LLE_base_address,
		[BASE_INDEX] = DW_LLE_base_addressx, [INDEXES] = DW_LLE_startx_endx,
		[INDEX_LENGTH] = DW_LLE_startx_length, [DEFAULT] = DW_LLE_default_location,
		[START_END] = DW_LLE_start_end,	   [START_LENGTH] = DW_LLE_start_length,
		[VIEWS] = 9,			   [UNKNOWN] = 10,
	};
	enum entry_kind kind = entry->kind;
	bool is_address = kind == BASE || kind == START_END || kind == START_LENGTH;

	blob_put_number(b, out, codes[kind], 1);
	if (is_address)
		blob_put_number(b, out, entry->a, b->address_bytes);
	else if (kind != DEFAULT && kind != UNKNOWN)
		blob_put_uleb(out, entry->a);
	if (kind == START_END)
		blob_put_number(b, out, entry->b, b->address_bytes);
	else if (kind != BASE && kind != BASE_INDEX && kind != DEFAULT && kind != UNKNOWN)
		blob_put_uleb(out, entry->b);
	if (kind != BASE && kind != BASE_INDEX && kind != VIEWS && kind != UNKNOWN)
		put_register(b, out, entry->reg, 0);
}

/*
 * The bytes in front of the list must not be read; in DWARF 5 they are the header, as long as the
 * unit expects it, and the index of one list. Returns the section.
 */
static enum section_id build_list(struct dwarf_blob *b, const struct encoding *encoding,
				  const struct list_case *c)
{
	bool is_new = encoding->version == 5;
	enum section_id id = is_new ? SECTION_LOCLISTS : SECTION_LOC;
	blob_bytes *out = &b->sections[id], *addresses = &b->sections[SECTION_ADDR];
	uint16_t form = encoding->offset_bytes == 8 ? DW_FORM_data8 : DW_FORM_data4;
	const struct list_row *entry;
	uint64_t at;

	dwarf_blob_init(b);
	b->big_endian = encoding->big_endian;
	b->elf32 = encoding->address_bytes == 4;
	b->address_bytes = encoding->address_bytes;
	b->offset_bytes = encoding->offset_bytes;
	blob_put(addresses, "0123456789abcdef", encoding->offset_bytes == 8 ? 16 : 8);
	blob_put_number(b, addresses, 0x2000, b->address_bytes);
	blob_put_number(b, addresses, 0x2010, b->address_bytes);
	blob_put(out, "0123456789abcdefghij", encoding->offset_bytes == 8 ? 20 : 12);
	blob_put_number(b, out, encoding->offset_bytes, encoding->offset_bytes);
	at = out->count;
	for (entry = c->entries; entry->kind > NO_END; entry++) {
		if (is_new)
			put_new_entry(b, out, entry);
		else
			put_old_entry(b, out, entry);
	}
	for (int i = is_new ? 1 : 2; i > 0 && entry->kind == END; i--)
		blob_put_number(b, out, 0, is_new ? 1 : b->address_bytes);
	dwarf_blob_unit_with(b, encoding->version,
			     BLOB_ATTRS(ATTR(DW_AT_low_pc, DW_FORM_addr, LOW_PC)));
	if (encoding->version >= 4)
		form = DW_FORM_sec_offset;
	DIE(b, 0, DW_TAG_formal_parameter, ATTR(DW_AT_location, form, at));
	DIE(b, 0, DW_TAG_formal_parameter, ATTR(DW_AT_location, DW_FORM_loclistx, 0));
	dwarf_blob_end_unit(b);
	return id;
}

static struct location_source next_source(struct dwarf_reading *r)
{
	struct die die;

	assert_int_equal(die_cursor_next(&r->cursor, &die), DIE_READ);
	assert_int_equal(die.tag, DW_TAG_formal_parameter);
	return location_source_of(&r->cursor, &die, SLOT_LOCATION);
}

static void run_query(const struct location_unit *unit, const struct location_source *source,
		      const struct list_query *query, const char *what)
{
	struct location_moment moment = { .pc = query->pc, .pad_bytes = query->pad,
					  .is_entry = query->is_entry };
	struct location location;
	bool good;
	uint8_t found;

	good = location_at(unit, source, FRAME_BASE_NONE, &moment, &location);
	found = !good ? BAD : location.kind == LOCATION_NONE ? ABSENT : location.reg;
	if (!good)
		assert_int_equal(location.kind, LOCATION_OTHER);
	else if (found != ABSENT)
		assert_int_equal(location.kind, LOCATION_REGISTER);
	if (found != query->wanted)
		fail_msg("%s: pc 0x%llx + %u: 0x%x", what, (unsigned long long)query->pc,
			 query->pad, found);
}

/* Each list in each encoding that can have it. */
struct list_file {
	const struct list_case *c;
	struct dwarf_reading r;
	struct location_unit unit;
	enum section_id section;
	bool is_new;
};

static void each_list(void (*check)(struct list_file *file))
{
	for (size_t e = 0; e < LENGTH(encodings); e++) {
		for (size_t i = 0; i < LENGTH(list_cases); i++) {
			struct list_file file = { .c = &list_cases[i],
						  .is_new = encodings[e].version == 5 };
			struct dwarf_blob b;

			if (is_new_only(file.c) && !file.is_new)
				continue;
			file.section = build_list(&b, &encodings[e], file.c);
			file.unit = open_unit(&file.r, &b);
			check(&file);
			dwarf_reading_end(&file.r, &b);
		}
	}
}

static void check_list(struct list_file *file)
{
	struct location_source by_offset = next_source(&file->r);
	struct location_source by_index = next_source(&file->r);
	const struct list_query *queries = file->c->queries;

	assert_int_equal(by_offset.form_class, LOCATION_FORM_LIST);
	assert_int_equal(by_index.form_class, LOCATION_FORM_LIST_INDEX);
	for (size_t q = 0; q < LIST_QUERIES && queries[q].pc; q++) {
		run_query(&file->unit, &by_offset, &queries[q], file->c->what);
		if (file->is_new)
			run_query(&file->unit, &by_index, &queries[q], file->c->what);
	}
}

TEST(test_lists)
{
	each_list(check_list);
}

/* Wherever a section ends, a list that is not there to its end is malformed, or had the answer. */
static void check_cut_list(struct list_file *file)
{
	static const struct list_query query = { 0x7000, 1, true, BAD };
	struct location_source source = next_source(&file->r);
	struct section *section = &file->r.object.sections[file->section];
	struct section whole = *section;

	for (size_t bytes = 0; bytes < whole.size; bytes++) {
		uint8_t *copy = malloc(bytes ? bytes : 1);

		memcpy(copy, whole.data, bytes);
		section->data = copy;
		section->size = bytes;
		run_query(&file->unit, &source, &query, file->c->what);
		free(copy);
	}
	*section = whole;
}

TEST(test_cut_lists)
{
	each_list(check_cut_list);
}

/* Base, table and index of DW_FORM_loclistx. */
TEST(test_list_indexes)
{
	static const struct {
		uint64_t index;
		bool good;
	} rows[] = {
		{ 0, true },  { 1, true }, { 2, false }, { UINT64_MAX, false },
		{ UINT64_MAX / 4, false }, { 1000, false },
	};

	for (uint8_t wide = 4; wide <= 8; wide += 4) {
		blob_bytes *out;
		struct location_unit unit;
		struct dwarf_reading r;
		struct dwarf_blob b;

		dwarf_blob_init(&b);
		b.offset_bytes = wide;
		out = &b.sections[SECTION_LOCLISTS];
		blob_put(out, "xyz", 3);	/* the base is where the unit says */
		blob_put_number(&b, out, 2u * wide, wide);
		blob_put_number(&b, out, 2u * wide + 4, wide);
		blob_put(out, "\5\1\x50\0\5\1\x51\0", 8);
		dwarf_blob_unit_with(&b, 5,
				     BLOB_ATTRS(ATTR(DW_AT_loclists_base, DW_FORM_sec_offset, 3)));
		for (size_t i = 0; i < LENGTH(rows); i++)
			DIE(&b, 0, DW_TAG_formal_parameter,
			    ATTR(DW_AT_location, DW_FORM_loclistx, rows[i].index));
		dwarf_blob_end_unit(&b);
		unit = open_unit(&r, &b);
		for (size_t i = 0; i < LENGTH(rows); i++) {
			struct location_source source = next_source(&r);
			struct list_query query = { 1, 0, false,
						    rows[i].good ? (uint8_t)rows[i].index : BAD };

			/* Entry 2 would be read from the lists: an offset outside the section. */
			run_query(&unit, &source, &query, "index");
		}
		dwarf_reading_end(&r, &b);
	}
}

/* ---- sources ---- */

TEST(test_sources)
{
	static const char expression[] = "\x75\x08";
	static const struct {
		uint16_t version;
		struct blob_attr attr;
		enum location_form form_class;
		bool good;
	} rows[] = {
		{ 4, BLOCK(DW_AT_location, DW_FORM_exprloc, expression), LOCATION_FORM_EXPRESSION,
		  true },
		{ 2, BLOCK(DW_AT_location, DW_FORM_block, expression), LOCATION_FORM_EXPRESSION,
		  true },
		{ 2, BLOCK(DW_AT_location, DW_FORM_block1, expression), LOCATION_FORM_EXPRESSION,
		  true },
		{ 3, BLOCK(DW_AT_location, DW_FORM_block2, expression), LOCATION_FORM_EXPRESSION,
		  true },
		{ 3, BLOCK(DW_AT_location, DW_FORM_block4, expression), LOCATION_FORM_EXPRESSION,
		  true },
		{ 2, ATTR(DW_AT_location, DW_FORM_data4, 4), LOCATION_FORM_LIST, true },
		{ 3, ATTR(DW_AT_location, DW_FORM_data8, 4), LOCATION_FORM_LIST, true },
		{ 4, ATTR(DW_AT_location, DW_FORM_sec_offset, 4), LOCATION_FORM_LIST, true },
		/* No location at all, but an attribute: it must not pass for one that is absent. */
		{ 4, ATTR(DW_AT_location, DW_FORM_data4, 4), LOCATION_FORM_LIST, false },
		{ 5, ATTR(DW_AT_location, DW_FORM_data8, 4), LOCATION_FORM_LIST, false },
		{ 3, ATTR(DW_AT_location, DW_FORM_data2, 4), LOCATION_FORM_LIST, false },
		{ 5, ATTR(DW_AT_location, DW_FORM_udata, 4), LOCATION_FORM_LIST, false },
		{ 5, ATTR(DW_AT_decl_line, DW_FORM_udata, 4), LOCATION_FORM_ABSENT, true },
	};

	for (int big_endian = 0; big_endian < 2; big_endian++) {
		for (size_t i = 0; i < LENGTH(rows); i++) {
			struct blob_attr attrs[] = { rows[i].attr, { 0 } };
			struct location_source source;
			struct location location;
			struct location_unit unit;
			struct dwarf_reading r;
			struct dwarf_blob b;

			dwarf_blob_init(&b);
			b.big_endian = big_endian;
			blob_put(&b.sections[SECTION_LOC], "0123", 4);
			blob_put_number(&b, &b.sections[SECTION_LOC], 1, 8);
			blob_put_number(&b, &b.sections[SECTION_LOC], 9, 8);
			blob_put_number(&b, &b.sections[SECTION_LOC], 2, 2);
			blob_put(&b.sections[SECTION_LOC], expression, 2);
			blob_put_number(&b, &b.sections[SECTION_LOC], 0, 8);
			blob_put_number(&b, &b.sections[SECTION_LOC], 0, 8);
			dwarf_blob_unit(&b, rows[i].version);
			dwarf_blob_die(&b, 0, DW_TAG_formal_parameter, false, attrs);
			dwarf_blob_end_unit(&b);
			unit = open_unit(&r, &b);
			source = next_source(&r);
			assert_int_equal(source.form_class, rows[i].form_class);
			assert_int_equal(location_at(&unit, &source, FRAME_BASE_NONE,
						     &(struct location_moment){ .pc = 1 },
						     &location), rows[i].good);
			assert_int_equal(location.kind,
					 !rows[i].good ? LOCATION_OTHER
					 : source.form_class == LOCATION_FORM_ABSENT
						 ? LOCATION_NONE : LOCATION_MEMORY);
			/* A block that is not where it was said to be. */
			source.value = unit.unit->end - 1;
			if (source.form_class != LOCATION_FORM_ABSENT)
				assert_false(location_at(&unit, &source, FRAME_BASE_NONE,
							 &(struct location_moment){ .pc = 0x7000 },
							 &location) &&
					     location.kind != LOCATION_NONE);
			dwarf_reading_end(&r, &b);
		}
	}
}

TEST(test_frame_bases)
{
	static const struct {
		const char *bytes;
		size_t count;
		enum frame_base wanted;
		uint8_t reg;
	} rows[] = {
		{ BYTES("\x9c"), FRAME_BASE_CFA, 0 },
		{ BYTES("\x56"), FRAME_BASE_REGISTER, 6 },
		{ BYTES("\x57"), FRAME_BASE_REGISTER, 7 },
		{ BYTES("\x77\x00"), FRAME_BASE_REGISTER, 7 },
		/* GCC in strict DWARF 2; clang in a function that moves its stack pointer. */
		{ BYTES("\x77\x08"), FRAME_BASE_NONE, 0 },
		{ BYTES("\x9c\x11\x90\x7f\x22"), FRAME_BASE_NONE, 0 },
		{ BYTES("\x91\x00"), FRAME_BASE_NONE, 0 },
		{ BYTES(""), FRAME_BASE_NONE, 0 },
		{ BYTES("\x77"), FRAME_BASE_NONE, 0 },
	};
	struct location_source absent = { .form_class = LOCATION_FORM_ABSENT };
	struct location_source list = { .form_class = LOCATION_FORM_LIST };
	struct location_unit unit;
	struct dwarf_reading r;
	struct dwarf_blob b;
	uint8_t reg = 0;

	dwarf_blob_init(&b);
	dwarf_blob_unit(&b, 4);
	for (size_t i = 0; i < LENGTH(rows); i++)
		DIE(&b, 0, DW_TAG_subprogram,
		    { .attribute = DW_AT_frame_base, .form = DW_FORM_exprloc,
		      .value = rows[i].count, .text = rows[i].bytes });
	dwarf_blob_end_unit(&b);
	unit = open_unit(&r, &b);
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct location_source source;
		struct die die;

		assert_int_equal(die_cursor_next(&r.cursor, &die), DIE_READ);
		source = location_source_of(&r.cursor, &die, SLOT_FRAME_BASE);
		assert_int_equal(frame_base_of(&unit, &source, &reg), rows[i].wanted);
		if (rows[i].wanted == FRAME_BASE_REGISTER)
			assert_int_equal(reg, rows[i].reg);
	}
	assert_int_equal(frame_base_of(&unit, &absent, &reg), FRAME_BASE_NONE);
	assert_int_equal(frame_base_of(&unit, &list, &reg), FRAME_BASE_NONE);
	dwarf_reading_end(&r, &b);
}
