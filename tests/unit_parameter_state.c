/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* A parameter's location in DWARF against the one in the ABI; verdicts as sets of reasons. */
#include "tests/cmocka_all.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encoder/evidence/evidence.h"
#include "encoder/evidence/verdict.h"
#include "tests/file_bytes.h"

/* DWARF numbers of x86-64. */
enum { RAX, RDX, RCX, RBX, RSI, RDI, RBP, RSP, R8, R9, XMM0 = 17, XMM1 };

#define IN(...)                                                                                    \
	{ .kind = ABI_REGISTERS,                                                                   \
	  .register_count = sizeof((uint8_t[]){ __VA_ARGS__ }),                                    \
	  .registers = { __VA_ARGS__ } }
#define ON_STACK(at) { .kind = ABI_STACK, .stack_offset = at }
#define BY_REFERENCE(reg_) { .kind = ABI_REFERENCE, .register_count = 1, .registers = { reg_ } }

#define AT(kind_, reg_, offset_) { .kind = LOCATION_##kind_, .reg = reg_, .offset = offset_ }
#define PIECE(kind_, reg_, bytes) { .kind = LOCATION_##kind_, .reg = reg_, .size_bytes = bytes }
#define PIECES(count, ...)                                                                         \
	{ .kind = LOCATION_PIECES, .piece_count = count, .pieces = { __VA_ARGS__ } }

static const struct {
	const char *name;
	struct abi_location expected;
	struct location found;
	enum parameter_state state;
	uint8_t missing;
} rows[] = {
	{ "its register", IN(RDI), AT(REGISTER, RDI, 0), PARAMETER_IN_PLACE, 0 },
	{ "another argument's", IN(RDI), AT(REGISTER, RSI, 0), PARAMETER_ELSEWHERE, 0 },
	{ "one that passes nothing", IN(RDI), AT(REGISTER, RBX, 0), PARAMETER_STORED, 0 },
	{ "a bool's bit", IN(RDI), AT(REGISTER_BIT, RDI, 0), PARAMETER_IN_PLACE, 0 },
	{ "narrowed", IN(RSI), { .kind = LOCATION_REGISTER_VALUE, .reg = RSI, .value_bytes = 2 },
	  PARAMETER_IN_PLACE, 0 },
	{ "computed from it", IN(RSI), AT(REGISTER_VALUE, RSI, 4), PARAMETER_NOT_COMPARED, 0 },
	{ "not from its low byte", IN(RSI),
	  { .kind = LOCATION_REGISTER_VALUE, .reg = RSI, .first_byte = 1 },
	  PARAMETER_NOT_COMPARED, 0 },
	{ "what it held at the entry", IN(R8), AT(ENTRY_VALUE, R8, 0), PARAMETER_IN_PLACE, 0 },
	{ "what another held", IN(R8), AT(ENTRY_VALUE, R9, 0), PARAMETER_ELSEWHERE, 0 },
	{ "a float's", IN(XMM0), AT(REGISTER, XMM0, 0), PARAMETER_IN_PLACE, 0 },
	{ "another float's", IN(XMM0), AT(REGISTER, XMM1, 0), PARAMETER_ELSEWHERE, 0 },
	{ "two floats, a register for each", IN(XMM0, XMM1),
	  PIECES(2, PIECE(REGISTER, XMM0, 4), PIECE(REGISTER, XMM1, 4)), PARAMETER_IN_PLACE, 0 },
	{ "two floats, exchanged", IN(XMM0, XMM1),
	  PIECES(2, PIECE(REGISTER, XMM1, 4), PIECE(REGISTER, XMM0, 4)), PARAMETER_ELSEWHERE, 0 },
	{ "nothing", IN(RDI), AT(NONE, 0, 0), PARAMETER_ABSENT, 0 },
	{ "a number", IN(RDI), { .kind = LOCATION_CONSTANT, .constant = 3 },
	  PARAMETER_CONSTANT, 0 },
	{ "an address", IN(RDI), { .kind = LOCATION_ADDRESS_VALUE, .constant = 3 },
	  PARAMETER_CONSTANT, 0 },
	{ "its caller's business", IN(RDI), AT(PARAMETER_REF, 0, 0), PARAMETER_REMOVED, 0 },
	{ "a pointer that is gone", IN(RDI), AT(IMPLICIT_POINTER, 0, 0), PARAMETER_SCALARIZED, 0 },
	{ "through another pointer", IN(RSI), AT(MEMORY_VALUE, RDI, 8), PARAMETER_SCALARIZED, 0 },
	{ "beyond this reader", IN(RDI), AT(OTHER, 0, 0), PARAMETER_NOT_COMPARED, 0 },

	/* The CFA is 8 above the stack pointer at the entry. */
	{ "its slot", ON_STACK(8), AT(CFA, 0, 0), PARAMETER_IN_PLACE, 0 },
	{ "the next slot", ON_STACK(8), AT(CFA, 0, 8), PARAMETER_ELSEWHERE, 0 },
	{ "copied into the frame", ON_STACK(8), AT(CFA, 0, -24), PARAMETER_STORED, 0 },
	{ "moved up into a register", ON_STACK(8), AT(REGISTER, R9, 0), PARAMETER_ELSEWHERE, 0 },
	{ "pushed down to the stack", IN(R9), AT(CFA, 0, 0), PARAMETER_ELSEWHERE, 0 },
	{ "stored by the prologue", IN(R9), AT(CFA, 0, -20), PARAMETER_STORED, 0 },
	{ "somewhere in the frame", IN(R9), AT(FRAME, 0, 16), PARAMETER_STORED, 0 },
	{ "above the pushes", IN(R9), AT(MEMORY, RSP, 16), PARAMETER_STORED, 0 },

	{ "a copy's address", BY_REFERENCE(RDI), AT(MEMORY, RDI, 0), PARAMETER_IN_PLACE, 0 },
	{ "another's address", BY_REFERENCE(RDI), AT(MEMORY, RSI, 0), PARAMETER_ELSEWHERE, 0 },
	{ "inside a copy", BY_REFERENCE(RDI), AT(MEMORY, RDI, 8), PARAMETER_ELSEWHERE, 0 },
	{ "memory instead of a value", IN(RSI), AT(MEMORY, RDI, 0), PARAMETER_SCALARIZED, 0 },

	{ "one register for two", IN(RDI, RSI), AT(REGISTER, RDI, 0), PARAMETER_PARTLY, 2 },
	{ "both halves", IN(RDI, RSI), PIECES(2, PIECE(REGISTER, RDI, 8), PIECE(REGISTER, RSI, 8)),
	  PARAMETER_IN_PLACE, 0 },
	{ "halves exchanged", IN(RDI, RSI),
	  PIECES(2, PIECE(REGISTER, RSI, 8), PIECE(REGISTER, RDI, 8)), PARAMETER_ELSEWHERE, 0 },
	{ "the first half only", IN(RDI, RSI),
	  PIECES(2, PIECE(REGISTER, RDI, 8), PIECE(NONE, 0, 8)), PARAMETER_PARTLY, 2 },
	{ "the list ends early", IN(RDI, RSI), PIECES(1, PIECE(REGISTER, RDI, 8)),
	  PARAMETER_PARTLY, 2 },
	{ "the second half only", IN(RDI, RSI),
	  PIECES(2, PIECE(NONE, 0, 8), PIECE(REGISTER, RSI, 8)), PARAMETER_PARTLY, 1 },
	{ "members that share a register", IN(RDI),
	  PIECES(2, PIECE(REGISTER, RDI, 4), PIECE(OTHER, 0, 4)), PARAMETER_IN_PLACE, 0 },
	{ "a member less", IN(RDI), PIECES(2, PIECE(REGISTER, RDI, 4), PIECE(NONE, 0, 4)),
	  PARAMETER_IN_PLACE, 0 },
};

TEST(test_compare)
{
	const struct abi *abi = abi_find(EM_X86_64, 8, false);

	assert_non_null(abi);
	for (size_t i = 0; i < LENGTH(rows); i++) {
		uint8_t missing = 0;
		enum parameter_state found =
			parameter_compare(abi, &rows[i].expected, &rows[i].found, &missing);

		if (found != rows[i].state || missing != rows[i].missing)
			fail_msg("%s: %s, missing %u; expected is %s, missing %u", rows[i].name,
				 parameter_state_texts[found].code, missing,
				 parameter_state_texts[rows[i].state].code, rows[i].missing);
	}
}

/* ppc64le leaves room for register arguments in the caller's frame: there they are stored. */
TEST(test_compare_home)
{
	const struct abi *x86 = abi_find(EM_X86_64, 8, false);
	const struct abi *ppc = abi_find(EM_PPC64, 8, false);
	struct abi_location expected = { .kind = ABI_REGISTERS, .register_count = 1 };
	struct location found = AT(CFA, 0, 32);
	uint8_t missing;

	expected.registers[0] = ppc->argument_registers[0];
	assert_int_equal(parameter_compare(ppc, &expected, &found, &missing), PARAMETER_STORED);
	expected.registers[0] = x86->argument_registers[0];
	assert_int_equal(parameter_compare(x86, &expected, &found, &missing), PARAMETER_ELSEWHERE);
}

TEST(test_reasons)
{
	assert_int_equal(reasons_verdict(0), VERDICT_OK);
	assert_int_equal(reasons_verdict(REASON(CLONE)), VERDICT_CLONE);
	/* A reason in the code is more specific than a reason in the name. */
	assert_int_equal(reasons_verdict(REASON(CLONE) | REASON(PARAM_REMOVED)),
			 VERDICT_PARAM_REMOVED);
	assert_int_equal(reasons_verdict(REASON(SIGNATURE_CHANGED) | REASON(PARAM_UNSET)),
			 VERDICT_PARAM_UNSET);
	assert_int_equal(reasons_verdict(REASON(AMBIGUOUS_ADDRESS) | REASON(INCONSISTENT_PROTO)),
			 VERDICT_AMBIGUOUS_ADDRESS);
	assert_int_equal(reasons_verdict(REASON(NO_PROTOTYPE) | REASON(INVALID_NAME)),
			 VERDICT_INVALID_NAME);
}

/* Codes are names for machines: each its own, in lower case and with dashes. */
TEST(test_codes)
{
	for (int i = 0; i < VERDICT_COUNT; i++) {
		const char *code = verdict_texts[i].code;

		assert_int_equal(strspn(code, "abcdefghijklmnopqrstuvwxyz-"), strlen(code));
		assert_true(strlen(verdict_texts[i].sentence) > 10);
		for (int k = 0; k < i; k++)
			assert_string_not_equal(code, verdict_texts[k].code);
	}
	assert_true(VERDICT_COUNT <= 8 * sizeof(reason_set));
}

/*
 * The manual has each code with its sentence, as it is here; docs/functions.md each code in a
 * row.
 */
TEST(test_documents)
{
	size_t bytes;
	char *manual = file_bytes("man/btfenc.1", &bytes);
	char *functions = file_bytes("docs/functions.md", &bytes);
	char entry[300];

	assert_true(manual && functions);
	for (int i = 0; i < VERDICT_COUNT; i++) {
		enum verdict verdict = (enum verdict)i;

		snprintf(entry, sizeof(entry), "\n.B %s\n%s\n", verdict_texts[verdict].code,
			 verdict_texts[verdict].sentence);
		if (!strstr(manual, entry))
			fail_msg("man/btfenc.1 has no such entry:%s", entry);
		snprintf(entry, sizeof(entry), "\n| `%s` |", verdict_texts[verdict].code);
		if (!strstr(functions, entry))
			fail_msg("docs/functions.md has no row for %s",
				 verdict_texts[verdict].code);
	}
	for (int i = 0; i < PARAMETER_STATE_COUNT; i++) {
		enum parameter_state parameter = (enum parameter_state)i;

		snprintf(entry, sizeof(entry), "\n.B %s\n%s\n",
			 parameter_state_texts[parameter].code,
			 parameter_state_texts[parameter].sentence);
		if (!strstr(manual, entry))
			fail_msg("man/btfenc.1 has no such entry:%s", entry);
	}
	free(manual);
	free(functions);
}
