/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Proof by a described argument (DW_TAG_call_site_parameter), and by the callee's code. Each case
 * is a static function with a parameter of which DWARF says nothing, or that it is at an address,
 * and a caller that calls it at most twice.
 */
#include "tests/cmocka_all.h"

#include <dwarf.h>
#include <elf.h>
#include <string.h>

#include "encoder/evidence/evidence.h"
#include "tests/dwarf_reading.h"

#define CALLEE 0x1000u
#define CALLER 0x1040u

#define CLANG_19 "Debian clang version 19.1.7 (3~deb12u1)"
#define CLANG_20 "clang version 20.1.0"
#define CLANG_22 "Debian clang version 22.1.8"

#define EXPRESSION(bytes) { bytes, sizeof(bytes) - 1 }
#define NOT_DESCRIBED	  { "", 0 }

enum { INT = 1, STRUCT, CALLEE_DIE };

/* What has the struct, of 24 bytes. */
enum struct_use { NO_STRUCT, STRUCT_BY_REFERENCE, STRUCT_IN_MEMORY, STRUCT_RESULT };

struct call {
	const char *value;	/* DW_AT_call_value; NULL: there is no such call */
	size_t size;		/* 0: the argument is not described */
};

static const struct {
	const char *what;
	uint16_t machine;
	const char *producer;
	uint8_t parameter_bytes;
	struct call calls[2];
	bool passed;
	const char *code;	/* of arm64: the callee's first instruction, NULL: nop */
	bool is_float;
	enum struct_use struct_use;
	reason_set reasons;	/* of the function if the parameter is passed */
} rows[] = {
	{ "a number", EM_ARM, CLANG_19, 4, { EXPRESSION("\x31") }, .passed = true },
	/* Before LLVM 20 a zero is what nothing becomes. */
	{ "zero", EM_ARM, CLANG_19, 4, { EXPRESSION("\x30") }, .passed = false },
	{ "zero and a number", EM_ARM, CLANG_19, 4,
	  { EXPRESSION("\x30"), EXPRESSION("\x31") }, .passed = true },
	{ "zero of LLVM 20", EM_ARM, CLANG_20, 4, { EXPRESSION("\x30") }, .passed = true },
	{ "zero of LLVM 22, extended", EM_ARM, CLANG_22, 1,
	  { EXPRESSION("\x30") }, .passed = false },
	/* DW_OP_breg5 0, where no instruction is understood, may be a zero (mov r5, #0). */
	{ "a register", EM_ARM, CLANG_19, 4, { EXPRESSION("\x75\x00") }, .passed = false },
	{ "a register and a number", EM_ARM, CLANG_19, 4,
	  { EXPRESSION("\x75\x00"), EXPRESSION("\x31") }, .passed = true },
	{ "a register plus 4", EM_ARM, CLANG_19, 4, { EXPRESSION("\x75\x04") }, .passed = true },
	{ "a register by LLVM 20", EM_ARM, CLANG_20, 4,
	  { EXPRESSION("\x75\x00") }, .passed = true },
	{ "a register by LLVM 22, extended", EM_ARM, CLANG_22, 1, { EXPRESSION("\x75\x00") },
	  .passed = false },
	/* clang for arm64 makes a zero before a loop: of the caller's code it is known. */
	{ "a register of arm64 that is loaded", EM_AARCH64, CLANG_22, 1,
	  { EXPRESSION("\x84\x00") }, .passed = true },
	{ "a register of arm64 that is zeroed", EM_AARCH64, CLANG_22, 1,
	  { EXPRESSION("\x85\x00") }, .passed = false },
	{ "a wide register that is zeroed", EM_AARCH64, CLANG_22, 4,
	  { EXPRESSION("\x85\x00") }, .passed = true },
	{ "a wide register that is zeroed by clang 19", EM_AARCH64, CLANG_19, 4,
	  { EXPRESSION("\x85\x00") }, .passed = false },
	{ "wzr", EM_AARCH64, CLANG_19, 4, { EXPRESSION("\x8f\x00") }, .passed = false },
	{ "wzr of LLVM 22", EM_AARCH64, CLANG_22, 4, { EXPRESSION("\x8f\x00") }, .passed = true },
	{ "nothing described", EM_AARCH64, CLANG_22, 4, { NOT_DESCRIBED }, .passed = false },
	{ "a number and nothing described", EM_AARCH64, CLANG_22, 4,
	  { EXPRESSION("\x31"), NOT_DESCRIBED }, .passed = false },
	/* fneg s0, s0; fmov s0, w0; fneg s0, s1 */
	{ "a float that is read", EM_AARCH64, CLANG_22, 4, { NOT_DESCRIBED },
	  .passed = true, .code = "\x00\x40\x21\x1e", .is_float = true },
	{ "a float that is overwritten", EM_AARCH64, CLANG_22, 4, { NOT_DESCRIBED },
	  .passed = false, .code = "\x00\x00\x27\x1e", .is_float = true },
	{ "a float and one that is read", EM_AARCH64, CLANG_22, 4, { NOT_DESCRIBED },
	  .passed = false, .code = "\x20\x40\x21\x1e", .is_float = true },
	/* The address is described, and passed; LLVM fills the struct if the callee reads it. */
	{ "a struct by reference that is read (ldr x8, [x0])", EM_AARCH64, CLANG_22, 8,
	  { NOT_DESCRIBED }, .passed = true, .code = "\x08\x00\x40\xf9",
	  .struct_use = STRUCT_BY_REFERENCE },
	{ "a struct by reference that is not read", EM_AARCH64, CLANG_22, 8,
	  { EXPRESSION("\x84\x00") }, .passed = false, .struct_use = STRUCT_BY_REFERENCE },
	{ "a struct by reference that is not read, without a call", EM_AARCH64, CLANG_22, 8,
	  { { NULL, 0 } }, .passed = true, .struct_use = STRUCT_BY_REFERENCE },
	/* mov 0x8(%rsp),%eax: the first word, or whatever is passed where the struct was. */
	{ "a struct in memory without a location", EM_X86_64, CLANG_22, 8, { NOT_DESCRIBED },
	  .passed = false, .struct_use = STRUCT_IN_MEMORY },
	{ "a struct in memory without a location or a call", EM_X86_64, CLANG_22, 8,
	  { { NULL, 0 } }, .passed = true, .struct_use = STRUCT_IN_MEMORY },
	/* LLVM may pass the result's address in x0, and the parameter in x1. */
	{ "a result in memory at x8 (str x0, [x8])", EM_AARCH64, CLANG_22, 8, { NOT_DESCRIBED },
	  .passed = true, .code = "\x00\x01\x00\xf9", .struct_use = STRUCT_RESULT },
	{ "a result in memory at x0 (str x1, [x0])", EM_AARCH64, CLANG_22, 8, { NOT_DESCRIBED },
	  .passed = true, .code = "\x01\x00\x00\xf9", .struct_use = STRUCT_RESULT,
	  .reasons = REASON(REG_MISMATCH) },
};

/* `callee` has one instruction and returns; `caller` calls it twice. */
static const uint8_t arm64_text[] = {
	[CALLEE - CALLEE] = 0x1f, 0x20, 0x03, 0xd5,	/* nop */
	0xc0, 0x03, 0x5f, 0xd6,				/* ret */
	[CALLER - CALLEE] = 0x34, 0x00, 0x40, 0xb9,	/* ldr w20, [x1] */
	0xf5, 0x03, 0x1f, 0x2a,				/* mov w21, wzr */
	0xee, 0xff, 0xff, 0x97,				/* bl callee */
	0xed, 0xff, 0xff, 0x97,				/* bl callee */
	0xc0, 0x03, 0x5f, 0xd6,				/* ret */
};

static const uint8_t x86_text[sizeof(arm64_text)] = {
	[CALLEE - CALLEE] = 0x8b, 0x44, 0x24, 0x08,	/* mov 0x8(%rsp),%eax */
	0xc3,						/* ret */
	[CALLER - CALLEE] = 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90,
	0xe8, 0xb4, 0xff, 0xff, 0xff,			/* call callee */
	0xc3,
};

static void add_call(struct dwarf_blob *b, const struct call *call, uint64_t return_pc)
{
	const struct blob_attr value = { .attribute = DW_AT_call_value, .form = DW_FORM_exprloc,
					 .value = call->size, .text = call->value };

	OPEN(b, 0, DW_TAG_call_site, REFERENCE(DW_AT_call_origin, DW_FORM_ref4, CALLEE_DIE),
	     ATTR(DW_AT_call_return_pc, DW_FORM_addr, return_pc));
	if (call->size)
		DIE(b, 0, DW_TAG_call_site_parameter,
		    BLOCK(DW_AT_location, DW_FORM_exprloc, "\x50" /* DW_OP_reg0 */), value);
	CLOSE(b);
}

static void make_program(struct dwarf_blob *b, size_t row)
{
	static uint8_t text[sizeof(arm64_text)];
	const struct blob_attr none = { 0 }, result = TYPE(STRUCT);
	const struct blob_attr at_x0 =
		BLOCK(DW_AT_location, DW_FORM_exprloc, "\x70\x00" /* DW_OP_breg0 0 */);
	enum struct_use use = rows[row].struct_use;

	dwarf_blob_init(b);
	b->machine = rows[row].machine;
	b->big_endian = false;
	b->elf32 = rows[row].machine == EM_ARM;
	b->address_bytes = b->elf32 ? 4 : 8;
	if (rows[row].machine == EM_AARCH64) {
		memcpy(text, arm64_text, sizeof(text));
		if (rows[row].code)
			memcpy(text, rows[row].code, 4);
		b->text = text;
		b->text_bytes = sizeof(text);
	}
	if (rows[row].machine == EM_X86_64) {
		b->text = x86_text;
		b->text_bytes = sizeof(x86_text);
	}
	dwarf_blob_unit_with(b, 5, BLOB_ATTRS(STRING(DW_AT_producer, DW_FORM_string,
						     rows[row].producer)));
	DIE(b, INT, DW_TAG_base_type, NAME("int"), SIZE(rows[row].parameter_bytes),
	    ENCODING(rows[row].is_float ? DW_ATE_float : DW_ATE_signed));
	OPEN(b, STRUCT, DW_TAG_structure_type, SIZE(24));
	for (uint32_t i = 0; i < 3; i++)
		DIE(b, 0, DW_TAG_member, NAME("member"), TYPE(INT), AT(8 * i));
	CLOSE(b);
	OPEN(b, CALLEE_DIE, DW_TAG_subprogram, NAME("callee"), FLAG(DW_AT_prototyped),
	     ATTR(DW_AT_low_pc, DW_FORM_addr, CALLEE), ATTR(DW_AT_high_pc, DW_FORM_udata, 20),
	     use == STRUCT_RESULT ? result : none);
	DIE(b, 0, DW_TAG_formal_parameter, NAME("p"),
	    TYPE(use == NO_STRUCT || use == STRUCT_RESULT ? INT : STRUCT),
	    use == STRUCT_BY_REFERENCE ? at_x0 : none);
	CLOSE(b);
	OPEN(b, 0, DW_TAG_subprogram, NAME("caller"), FLAG(DW_AT_prototyped),
	     ATTR(DW_AT_low_pc, DW_FORM_addr, CALLER), ATTR(DW_AT_high_pc, DW_FORM_udata, 20));
	for (uint32_t i = 0; i < 2 && rows[row].calls[i].value; i++)
		add_call(b, &rows[row].calls[i], CALLER + 12 + 4 * i);
	CLOSE(b);
	dwarf_blob_end_unit(b);
	dwarf_blob_symbol(b, "callee", CALLEE, STT_FUNC, 1);
	dwarf_blob_symbol(b, "caller", CALLER, STT_FUNC, 1);
}

/* The state of the parameter, once its callers have been asked. */
static enum parameter_state examine(struct dwarf_reading *r, uint16_t *calls, reason_set *reasons)
{
	uint32_t callee = dwarf_model_find_function(&r->model, r->model.functions.data[0].offset);
	struct examined_function question = { .function = callee, .declared = callee,
					      .described = CALLEE, .want_call_sites = true };
	struct symbol_table symbols = { 0 };
	struct evidence evidence;
	struct shared_code shared;
	enum parameter_state state;

	assert_true(symbol_table_read(&symbols, r->object.elf, NULL, r->object.path, &r->err));
	shared_code_init(&shared, &r->object);
	evidence_init(&evidence, &r->object, &symbols, &shared);
	evidence_begin_group(&evidence, &r->model);
	evidence_examine(&evidence, &r->model, question,
			 &symbols.symbols.data[symbol_table_at(&symbols, CALLEE)]);
	assert_true(evidence.any_needs_call_sites);
	evidence_collect_call_sites(&evidence, &r->model, &r->reader);
	*calls = evidence.findings.data[0].call_sites.calls;
	state = (enum parameter_state)evidence.findings.data[0].state;
	*reasons = evidence.functions.data[0].reasons;
	evidence_release(&evidence);
	shared_code_release(&shared);
	symbol_table_release(&symbols);
	return state;
}

TEST(test_described)
{
	for (size_t i = 0; i < LENGTH(rows); i++) {
		enum struct_use use = rows[i].struct_use;
		enum parameter_state found, passed = use == STRUCT_BY_REFERENCE
							     ? PARAMETER_IN_PLACE
							     : PARAMETER_ABSENT;
		enum parameter_state left = use == STRUCT_IN_MEMORY ? PARAMETER_SCALARIZED
							       : PARAMETER_REMOVED;
		reason_set reasons;
		struct dwarf_reading r;
		struct dwarf_blob b;
		uint16_t calls;

		make_program(&b, i);
		if (!dwarf_reading_open(&r, &b) || !dwarf_reading_model(&r))
			fail_msg("%s: %s", rows[i].what, r.err.text);
		found = examine(&r, &calls, &reasons);
		if (calls != !!rows[i].calls[0].value + !!rows[i].calls[1].value)
			fail_msg("%s: %u calls", rows[i].what, calls);
		/* That it is passed leaves what DWARF says of its location, if anything. */
		if (found != (rows[i].passed ? passed : left))
			fail_msg("%s: %d", rows[i].what, found);
		assert_int_equal(reasons, rows[i].passed ? rows[i].reasons :
				 use == STRUCT_IN_MEMORY ? REASON(PARAM_SCALARIZED)
						    : REASON(PARAM_REMOVED));
		dwarf_reading_end(&r, &b);
	}
}
