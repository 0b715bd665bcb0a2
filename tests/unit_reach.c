/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Which instructions run, by what relocations become, by externs and what a loader sets. */
#include "tests/cmocka_all.h"

#include "bpf/reach.h"

#define MOV(r, n)	{ .code = 0xb7, .to = r, .immediate = n }
#define MOV32(r, n)	{ .code = 0xb4, .to = r, .immediate = n }
#define CORE(r)		{ .code = 0xb7, .to = r, .relocation = 1 }
#define COPY(r, s)	{ .code = 0xbf, .to = r, .from = s }
#define ALU(op, r, n)	{ .code = 0x07 | (op), .to = r, .immediate = n }
#define JUMP(op, r, n, by) { .code = 0x05 | (op), .to = r, .immediate = n, .offset = by }
#define ADD(r, s)	{ .code = 0x0f, .to = r, .from = s }
#define AND(r, s)	{ .code = 0x5f, .to = r, .from = s }
#define LOAD8(r, s, o)	{ .code = 0x71, .to = r, .from = s, .offset = o }
#define LOADS8(r, s, o)	{ .code = 0x91, .to = r, .from = s, .offset = o }
#define CORE64(r)	{ .code = 0x18, .to = r, .relocation = 1 }, NOTHING
#define GOTO(by)	{ .code = 0x05, .offset = by }
#define LOAD(r, s, o)	{ .code = 0x79, .to = r, .from = s, .offset = o }
#define LOAD32(r, s, o)	{ .code = 0x61, .to = r, .from = s, .offset = o }
#define STORE(r, s, o)	{ .code = 0x7b, .to = r, .from = s, .offset = o }
#define SYMBOL(r, n)	{ .code = 0x18, .to = r, .symbol = n }, NOTHING
#define NOTHING		{ .code = 0 }
#define HELPER(n)	{ .code = 0x85, .immediate = n }
#define OWN(n)		{ .code = 0x85, .from = 1, .immediate = n }
#define EXIT		{ .code = 0x95 }
/* The instruction that is asked about. */
#define ASKED		{ .code = 0x85, .immediate = 7777 }

#define EQ 0x10
#define NE 0x50
#define GT 0x20
#define LT 0xa0

/* Symbols: 1 in .rodata, 2 a weak kfunc, 3 a map, 4 the release: 6.1.*. A relocation: `value`. */
static const struct {
	const char *what;
	uint64_t value;
	bool has_kfunc;
	enum reach_answer answer;
	struct bpf_instruction code[24];
} rows[] = {
	{ "straight", 0, false, REACH_YES, { MOV(0, 1), ASKED, EXIT } },
	{ "after the end", 0, false, REACH_NO, { MOV(0, 0), EXIT, ASKED, EXIT } },
	{ "exists", 1, false, REACH_YES, { CORE(1), JUMP(EQ, 1, 0, 1), ASKED, EXIT } },
	{ "does not exist", 0, false, REACH_NO, { CORE(1), JUMP(EQ, 1, 0, 1), ASKED, EXIT } },
	{ "by a copy", 0, false, REACH_NO,
	  { CORE(1), COPY(6, 1), JUMP(NE, 6, 0, 1), EXIT, ASKED, EXIT } },
	{ "by the stack", 0, false, REACH_NO,
	  { CORE(1), STORE(10, 1, -8), HELPER(5), LOAD(6, 10, -8), JUMP(NE, 6, 0, 1), EXIT, ASKED,
	    EXIT } },
	{ "the helper may have written there", 0, false, REACH_MAYBE,
	  { CORE(1), STORE(10, 1, -8), COPY(2, 10), ALU(0x00, 2, -8), HELPER(5), LOAD(6, 10, -8),
	    JUMP(NE, 6, 0, 1), EXIT, ASKED, EXIT } },
	{ "not below the pointer", 0, false, REACH_NO,
	  { CORE(1), STORE(10, 1, -16), COPY(2, 10), ALU(0x00, 2, -8), HELPER(5), LOAD(6, 10, -16),
	    JUMP(NE, 6, 0, 1), EXIT, ASKED, EXIT } },
	{ "by arithmetic", 0, false, REACH_NO,
	  { CORE(1), ALU(0x60, 1, 3), ALU(0x00, 1, 2), JUMP(GT, 1, 2, 1), EXIT, ASKED, EXIT } },
	{ "a greater value", 4, false, REACH_YES,
	  { CORE(1), ALU(0x60, 1, 3), ALU(0x00, 1, 2), JUMP(GT, 1, 2, 1), EXIT, ASKED, EXIT } },
	{ "signs of 32 bits", 0, false, REACH_NO,
	  { MOV32(1, -1), JUMP(GT, 1, -1, 1), EXIT, ASKED, EXIT } },
	{ "what a helper returns", 0, false, REACH_YES,
	  { HELPER(5), JUMP(EQ, 0, 77, 1), EXIT, ASKED, EXIT } },
	{ "below 0", 0, false, REACH_NO,
	  { HELPER(5), JUMP(LT, 0, 0, 1), EXIT, ASKED, EXIT } },
	{ "above all bits", 0, false, REACH_NO,
	  { HELPER(5), JUMP(GT, 0, -1, 1), EXIT, ASKED, EXIT } },
	{ "equal, and then not", 0, false, REACH_NO,
	  { HELPER(5), JUMP(NE, 0, 77, 2), JUMP(NE, 0, 77, 2), EXIT, EXIT, ASKED, EXIT } },
	{ "a loop", 0, false, REACH_YES,
	  { MOV(6, 0), ALU(0x00, 6, 1), JUMP(NE, 6, 9, -2), ASKED, EXIT } },
	{ "the loader decides", 0, false, REACH_MAYBE,
	  { SYMBOL(1, 1), LOAD32(1, 1, 0), JUMP(EQ, 1, 0, 1), ASKED, EXIT } },
	{ "whatever it decides", 0, false, REACH_YES,
	  { SYMBOL(1, 1), LOAD32(1, 1, 0), JUMP(EQ, 1, 0, 1), MOV(0, 0), ASKED, EXIT } },
	{ "by a filter that it sets", 0, false, REACH_YES,
	  { HELPER(5), COPY(7, 0), SYMBOL(1, 1), LOAD32(1, 1, 0), JUMP(EQ, 1, 0, 2),
	    JUMP(EQ, 7, 9, 1), EXIT, ASKED, EXIT } },
	{ "a map is not the loader's", 0, false, REACH_YES,
	  { SYMBOL(1, 3), LOAD32(1, 1, 0), JUMP(EQ, 1, 0, 1), ASKED, EXIT } },
	{ "a kfunc is there", 0, true, REACH_YES,
	  { SYMBOL(1, 2), JUMP(EQ, 1, 0, 1), ASKED, EXIT } },
	{ "it is not", 0, false, REACH_NO, { SYMBOL(1, 2), JUMP(EQ, 1, 0, 1), ASKED, EXIT } },
	{ "its address is some number", 0, true, REACH_MAYBE,
	  { SYMBOL(1, 2), JUMP(EQ, 1, 1, 1), EXIT, ASKED, EXIT } },
	{ "one of two that the loader sets", 0, false, REACH_MAYBE,
	  { HELPER(5), SYMBOL(1, 1), SYMBOL(2, 3), JUMP(EQ, 0, 9, 1), COPY(2, 1), LOAD(3, 2, 0),
	    JUMP(NE, 3, 0, 1), EXIT, ASKED, EXIT } },
	{ "a string's length", 0, false, REACH_MAYBE,
	  { HELPER(115), JUMP(GT, 0, 16, 1), EXIT, ASKED, EXIT } },
	{ "a pointer that is NULL", 0, false, REACH_MAYBE,
	  { HELPER(1), JUMP(EQ, 0, 0, 1), EXIT, ASKED, EXIT } },
	{ "a pointer that is not", 0, false, REACH_YES,
	  { HELPER(1), JUMP(NE, 0, 0, 1), EXIT, ASKED, EXIT } },
	{ "after a loop that the loader counts", 0, false, REACH_YES,
	  { SYMBOL(1, 1), LOAD(2, 1, 0), ALU(0x00, 2, 1), JUMP(NE, 2, 9, -2), ASKED, EXIT } },
	{ "by a function's argument", 0, false, REACH_NO,
	  { CORE(1), OWN(1), EXIT, JUMP(EQ, 1, 0, 1), ASKED, EXIT } },
	{ "by its result", 0, false, REACH_NO,
	  { OWN(3), JUMP(EQ, 0, 0, 1), ASKED, EXIT, CORE(0), EXIT } },
	{ "two calls", 0, false, REACH_MAYBE,
	  { CORE(1), OWN(3), MOV(1, 1), OWN(1), EXIT, JUMP(EQ, 1, 0, 1), ASKED, EXIT } },
	{ "a function that does not return", 0, false, REACH_NO,
	  { OWN(2), ASKED, EXIT, GOTO(-1) } },
	{ "a register that there is not", 0, false, REACH_NO,
	  { { .code = 0xb7, .to = 12 }, GOTO(0), ASKED, EXIT } },
	{ "a jump out of the file", 0, false, REACH_NO, { GOTO(1000), ASKED, EXIT } },
	{ "a constant of two slots", 0, false, REACH_NO,
	  { MOV(0, 5), CORE64(1), JUMP(EQ, 1, 0, 1), ASKED, EXIT } },
	{ "another one, where R0 is 0", 5, false, REACH_YES,
	  { MOV(0, 0), CORE64(1), JUMP(EQ, 1, 0, 1), ASKED, EXIT } },
	{ "a store at an index", 0, false, REACH_MAYBE,
	  { MOV(1, 0), STORE(10, 1, -8), HELPER(5), ADD(0, 10), STORE(0, 0, -16), LOAD(6, 10, -8),
	    JUMP(NE, 6, 0, 1), EXIT, ASKED, EXIT } },
	{ "a store through one of two pointers", 0, false, REACH_MAYBE,
	  { MOV(1, 0), STORE(10, 1, -8), HELPER(5), COPY(2, 10), JUMP(EQ, 0, 9, 1),
	    ALU(0x00, 2, -8), STORE(2, 0, 0), LOAD(6, 10, -8), JUMP(NE, 6, 0, 1), EXIT, ASKED,
	    EXIT } },
	{ "below what a function of the file gets", 0, false, REACH_MAYBE,
	  { MOV(1, 0), STORE(10, 1, -16), COPY(1, 10), ALU(0x00, 1, -8), OWN(4), LOAD(6, 10, -16),
	    JUMP(NE, 6, 0, 1), EXIT, ASKED, STORE(1, 1, -8), EXIT } },
	{ "by a pointer that is in the stack", 0, false, REACH_MAYBE,
	  { MOV(1, 0), STORE(10, 1, -8), COPY(1, 10), STORE(10, 1, -16), COPY(1, 10),
	    ALU(0x00, 1, -16), OWN(4), LOAD(6, 10, -8), JUMP(NE, 6, 0, 1), EXIT, ASKED, EXIT } },
	{ "anything and 0", 0, false, REACH_NO,
	  { HELPER(5), CORE(1), AND(0, 1), JUMP(NE, 0, 0, 1), EXIT, ASKED, EXIT } },
	{ "anything and 1", 1, false, REACH_YES,
	  { HELPER(5), CORE(1), AND(0, 1), JUMP(NE, 0, 0, 1), EXIT, ASKED, EXIT } },
	{ "anything and what the loader sets", 0, false, REACH_MAYBE,
	  { HELPER(5), SYMBOL(1, 1), LOAD32(1, 1, 0), AND(0, 1), JUMP(NE, 0, 0, 1), EXIT, ASKED,
	    EXIT } },
	{ "more than its bits", 0, false, REACH_MAYBE,
	  { HELPER(5), ALU(0x50, 0, 7), JUMP(GT, 0, 8, 1), EXIT, ASKED, EXIT } },
	{ "as many as its bits", 0, false, REACH_YES,
	  { HELPER(5), ALU(0x50, 0, 7), JUMP(GT, 0, 6, 1), EXIT, ASKED, EXIT } },
	{ "a byte is less than 256", 0, false, REACH_MAYBE,
	  { LOAD8(2, 1, 0), JUMP(GT, 2, 255, 1), EXIT, ASKED, EXIT } },
	{ "a byte of a sign is not", 0, false, REACH_MAYBE,
	  { LOADS8(2, 1, 0), JUMP(GT, 2, 255, 1), EXIT, ASKED, EXIT } },
	{ "compared before", 0, false, REACH_MAYBE,
	  { HELPER(5), JUMP(LT, 0, 100, 1), JUMP(EQ, 0, 3, 1), EXIT, ASKED, EXIT } },
	{ "a copy was compared", 0, false, REACH_MAYBE,
	  { HELPER(5), COPY(6, 0), JUMP(LT, 0, 100, 1), JUMP(EQ, 6, 3, 1), EXIT, ASKED, EXIT } },
	{ "a function compared a copy", 0, false, REACH_MAYBE,
	  { HELPER(5), COPY(6, 0), COPY(1, 0), OWN(3), JUMP(EQ, 6, 3, 1), EXIT, ASKED,
	    JUMP(LT, 1, 100, 0), EXIT } },
	{ "unequal to the greatest", 0, false, REACH_MAYBE,
	  { HELPER(5), JUMP(EQ, 0, -1, 1), JUMP(EQ, 0, 3, 1), EXIT, ASKED, EXIT } },
	{ "bytes that are swapped", 0, false, REACH_MAYBE,
	  { HELPER(5), { .code = 0xdc, .immediate = 16 }, JUMP(GT, 0, 1, 1), EXIT, ASKED, EXIT } },
	{ "a sum with bounds", 0, false, REACH_MAYBE,
	  { LOAD8(2, 1, 0), ALU(0x00, 2, 4), JUMP(EQ, 2, 0, 1), EXIT, ASKED, EXIT } },
	{ "a sign of 32 bits and upper ones", 0, false, REACH_NO,
	  { MOV(2, -1), { .code = 0x5e, .to = 2, .from = 2, .offset = 0 },
	    JUMP(EQ, 2, -1, 1), ASKED, EXIT } },
	{ "one case after another", 0, false, REACH_MAYBE,
	  { HELPER(5), JUMP(EQ, 0, 100, 1), JUMP(EQ, 0, 3, 1), EXIT, ASKED, EXIT } },
	{ "where paths meet", 0, false, REACH_MAYBE,
	  { HELPER(5), MOV(6, 0), JUMP(EQ, 0, 9, 1), MOV(6, 1), JUMP(NE, 6, 0, 1), EXIT, ASKED,
	    EXIT } },
	{ "the context is not compared with NULL", 0, false, REACH_MAYBE,
	  { JUMP(EQ, 1, 0, 1), EXIT, ASKED, EXIT } },
	{ "a release, loaded by an atomic instruction", 0, false, REACH_YES,
	  { MOV(2, 0), { .code = 0xdb, .to = 2, .from = 1, .immediate = 0x100 },
	    JUMP(NE, 2, 0, 1), EXIT, ASKED, EXIT } },
	{ "a release before 5.11", 0, false, REACH_NO,
	  { SYMBOL(1, 4), LOAD32(1, 1, 0), MOV(2, 0x50b00),
	    { .code = 0x2d, .to = 2, .from = 1, .offset = 1 }, EXIT, ASKED, EXIT } },
	{ "a release after 6.1.80", 0, false, REACH_MAYBE,
	  { SYMBOL(1, 4), LOAD32(1, 1, 0), JUMP(GT, 1, 0x60150, 1), EXIT, ASKED, EXIT } },
	{ "as often as the verifier likes", 0, false, REACH_YES,
	  { MOV(0, 0), { .code = 0xe5, .offset = 1 }, EXIT, ASKED, EXIT } },
	{ "half an instruction", 0, false, REACH_NO, { { .code = 0x18, .to = 1 } } },
};

static void test_rows(void **state)
{
	struct bpf_symbol symbols[] = {
		{ .name = "set", .kind = BPF_SYMBOL_DATA, .is_loader_set = true },
		{ .name = "function", .kind = BPF_SYMBOL_KFUNC, .is_weak = true },
		{ .name = "map", .kind = BPF_SYMBOL_DATA },
		{ .name = "release", .kind = BPF_SYMBOL_KCONFIG },
	};
	int wrong = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct bpf_file file = { 0 };
		struct bpf_program program = { 0 };
		struct reach_constant relocation = { true, rows[i].value, 0 };
		struct reach_constant known[4] = { [1] = { true, rows[i].has_kfunc, 0 },
						   [3] = { true, 0x60100, 0xff } };
		struct reach_facts facts = { .relocations = &relocation, .symbols = known };
		uint32_t asked = 0, decides;
		enum reach_answer answer;
		struct reach reach;

		file.symbols.data = symbols;
		file.symbols.count = 4;
		file.code.data = (struct bpf_instruction *)rows[i].code;
		while (file.code.count < 24 && rows[i].code[file.code.count].code)
			file.code.count += 1u + (rows[i].code[file.code.count].code == 0x18 &&
						i + 1 < sizeof(rows) / sizeof(*rows));
		for (uint32_t k = 0; k < file.code.count; k++)
			asked = rows[i].code[k].immediate == 7777 ? k : asked;
		reach_init(&reach, &file);
		reach_run(&reach, &program, &facts);
		answer = asked ? reach_ask(&reach, &asked, 1, 0, &decides) : REACH_NO;
		wrong += answer != rows[i].answer;
		if (answer != rows[i].answer)
			print_error("%s: %d, not %d\n", rows[i].what, answer, rows[i].answer);
		reach_release(&reach);
	}
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
