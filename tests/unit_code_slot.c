/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Instructions and a parameter where inlined code begins: is its slot filled by the next
 * ones, does a register still hold what the function was entered with? Each row is a function at
 * TEXT, as in tests/unit_code_flow.c.
 */
#include "tests/cmocka_all.h"

#include <elf.h>
#include <string.h>

#include "tests/machine_image.h"

/* ---- slots ---- */

struct slot_row {
	const char *text;
	const char *bytes;
	size_t size;
	unsigned int base;
	int64_t offset;
	bool fills;		/* 8 bytes at base + offset */
};


static const struct slot_row x86_slots[] = {
	{ "mov %rdi,8(%rsp)", BYTES("\x48\x89\x7c\x24\x08\xc3"), RSP, 8, true },
	{ "the slot above", BYTES("\x48\x89\x7c\x24\x10\xc3"), RSP, 8, false },
	{ "the slot below", BYTES("\x48\x89\x3c\x24\xc3"), RSP, 8, false },
	{ "its first byte", BYTES("\x48\x89\x7c\x24\x01\xc3"), RSP, 8, true },
	{ "its last byte", BYTES("\x40\x88\x7c\x24\x0f\xc3"), RSP, 8, true },
	{ "its upper half", BYTES("\x89\x7c\x24\x0c\xc3"), RSP, 8, true },
	{ "far above", BYTES("\x48\x89\xbc\x24\x08\x01\x00\x00\xc3"), RSP, 8, false },
	{ "far above, the slot, too", BYTES("\x48\x89\xbc\x24\x08\x01\x00\x00\xc3"), RSP, 0x108,
	  true },
	{ "mov 8(%rsp),%rdi", BYTES("\x48\x8b\x7c\x24\x08\xc3"), RSP, 8, false },
	{ "lea 8(%rsp),%rdi", BYTES("\x48\x8d\x7c\x24\x08\xc3"), RSP, 8, false },
	{ "movzbl 8(%rsp),%eax", BYTES("\x0f\xb6\x44\x24\x08\xc3"), RSP, 8, false },
	{ "addl $1,8(%rsp)", BYTES("\x83\x44\x24\x08\x01\xc3"), RSP, 8, true },
	{ "movl $5,8(%rsp)", BYTES("\xc7\x44\x24\x08\x05\x00\x00\x00\xc3"), RSP, 8, true },
	{ "xchg %rax,8(%rsp)", BYTES("\x48\x87\x44\x24\x08\xc3"), RSP, 8, true },
	{ "sete 8(%rsp)", BYTES("\x0f\x94\x44\x24\x08\xc3"), RSP, 8, true },
	/* The address is unknown. */
	{ "mov %rdi,8(%rsp,%rax,1)", BYTES("\x48\x89\x7c\x04\x08\xc3"), RSP, 8, false },
	/* ---- the stack pointer moves ---- */
	{ "push %rdi", BYTES("\x57\xc3"), RSP, 8, false },
	{ "push %rdi, the slot itself", BYTES("\x57\x90\x90\x90\x90\x90\xc3"), RSP, -8, true },
	{ "push %rdi, the new slot", BYTES("\x57\x48\x89\x7c\x24\x00\xc3"), RSP, -8, true },
	{ "push %rdi; mov %rdi,8(%rsp)", BYTES("\x57\x48\x89\x7c\x24\x08\xc3"), RSP, 8, false },
	{ "push %rdi; mov %rdi,16(%rsp)", BYTES("\x57\x48\x89\x7c\x24\x10\xc3"), RSP, 8, true },
	{ "pop %rdi; mov %rdi,(%rsp)", BYTES("\x5f\x48\x89\x3c\x24\xc3"), RSP, 8, true },
	{ "sub $16,%rsp; mov %rdi,24(%rsp)",
	  BYTES("\x48\x83\xec\x10\x48\x89\x7c\x24\x18\xc3"), RSP, 8, true },
	{ "sub $16,%rsp; mov %rdi,8(%rsp)",
	  BYTES("\x48\x83\xec\x10\x48\x89\x7c\x24\x08\xc3"), RSP, 8, false },
	{ "sub $256,%rsp; mov %rdi,264(%rsp)",
	  BYTES("\x48\x81\xec\x00\x01\x00\x00\x48\x89\xbc\x24\x08\x01\x00\x00\xc3"), RSP, 8, true },
	{ "add $-128,%rsp; mov %rdi,136(%rsp)",
	  BYTES("\x48\x83\xc4\x80\x48\x89\xbc\x24\x88\x00\x00\x00\xc3"), RSP, 8, true },
	{ "push $5; mov %rdi,16(%rsp)", BYTES("\x6a\x05\x48\x89\x7c\x24\x10\xc3"), RSP, 8, true },
	{ "push %r12; mov %rdi,16(%rsp)", BYTES("\x41\x54\x48\x89\x7c\x24\x10\xc3"), RSP, 8,
	  true },
	{ "mov %rax,%rsp; mov %rdi,8(%rsp)", BYTES("\x48\x89\xc4\x48\x89\x7c\x24\x08\xc3"), RSP,
	  8, false },
	/* ---- vectors ---- */
	{ "movups %xmm0,(%rsp)", BYTES("\x0f\x11\x04\x24\xc3"), RSP, 8, true },
	{ "movups %xmm0,-8(%rsp)", BYTES("\x0f\x11\x44\x24\xf8\xc3"), RSP, 8, false },
	{ "movups %xmm0,16(%rsp)", BYTES("\x0f\x11\x44\x24\x10\xc3"), RSP, 8, false },
	{ "movups (%rsp),%xmm0", BYTES("\x0f\x10\x04\x24\xc3"), RSP, 8, false },
	{ "vmovdqu %ymm0,-16(%rsp)", BYTES("\xc5\xfe\x7f\x44\x24\xf0\xc3"), RSP, 8, true },
	{ "vmovdqu %ymm0,16(%rsp)", BYTES("\xc5\xfe\x7f\x44\x24\x10\xc3"), RSP, 8, false },
	/* ---- other registers ---- */
	{ "mov %rdi,(%rsi)", BYTES("\x48\x89\x3e\xc3"), RSP, 8, false },
	{ "mov (%rsi),%rdi", BYTES("\x48\x8b\x3e\xc3"), RSP, 8, false },
	{ "mov %rax,0x1000(%rip)", BYTES("\x48\x89\x05\x00\x10\x00\x00\xc3"), RSP, 8, false },
	{ "mov %rdi,-16(%rbp)", BYTES("\x48\x89\x7d\xf0\xc3"), RBP, -16, true },
	{ "mov %rdi,-24(%rbp)", BYTES("\x48\x89\x7d\xe8\xc3"), RBP, -16, false },
	{ "mov %rdi,-16(%rbp), a slot of rsp", BYTES("\x48\x89\x7d\xf0\xc3"), RSP, 8, false },
	{ "mov %rdi,8(%rsp), a slot of rbp", BYTES("\x48\x89\x7c\x24\x08\xc3"), RBP, 8, false },
	{ "mov %rdi,8(%rbx)", BYTES("\x48\x89\x7b\x08\xc3"), RBX, 8, true },
	{ "mov %rsi,%rbp; mov %rdi,-16(%rbp)", BYTES("\x48\x89\xf5\x48\x89\x7d\xf0\xc3"), RBP, -16,
	  false },
	{ "mov %rsi,%rbp; mov %rdi,8(%rsp)", BYTES("\x48\x89\xf5\x48\x89\x7c\x24\x08\xc3"), RSP, 8,
	  true },
	/* ---- only what is surely next ---- */
	{ "nops, xor %eax,%eax", BYTES("\x90\x0f\x1f\x00\x31\xc0\x48\x89\x7c\x24\x08\xc3"), RSP, 8,
	  true },
	{ "after a call", BYTES("\xe8\xfb\x07\x00\x00\x48\x89\x7c\x24\x08\xc3"), RSP, 8, false },
	{ "after a branch", BYTES("\x75\x00\x48\x89\x7c\x24\x08\xc3"), RSP, 8, false },
	{ "after a jump", BYTES("\xeb\x00\x48\x89\x7c\x24\x08\xc3"), RSP, 8, false },
	{ "after a return", BYTES("\xc3\x48\x89\x7c\x24\x08\xc3"), RSP, 8, false },
	{ "after ud2", BYTES("\x0f\x0b\x48\x89\x7c\x24\x08\xc3"), RSP, 8, false },
	{ "after what cannot be decoded", BYTES("\x06\x48\x89\x7c\x24\x08\xc3"), RSP, 8, false },
};

#define NOPS_8 "\x90\x90\x90\x90\x90\x90\x90\x90"
#define NOPS_31 NOPS_8 NOPS_8 NOPS_8 "\x90\x90\x90\x90\x90\x90\x90"

/* As many as compilers may put between. */
static const struct slot_row x86_distances[] = {
	{ "31 nops", BYTES(NOPS_31 "\x48\x89\x7c\x24\x08\xc3"), RSP, 8, true },
	{ "32 nops", BYTES(NOPS_31 "\x90\x48\x89\x7c\x24\x08\xc3"), RSP, 8, false },
};

enum { X0, X1, X29 = 29, SP = 31 };

static const struct slot_row arm64_slots[] = {
	{ "str x0,[x29,#16]", BYTES("\xa0\x0b\x00\xf9" RET), X29, 16, true },
	{ "str x0,[x29,#24]", BYTES("\xa0\x0f\x00\xf9" RET), X29, 16, false },
	{ "mov x29,x1; str x0,[x29,#16]", BYTES("\xfd\x03\x01\xaa\xa0\x0b\x00\xf9" RET), X29, 16,
	  false },
	{ "str x0,[x1]", BYTES("\x20\x00\x00\xf9" RET), X29, 16, false },
	{ "ldr x0,[x1]", BYTES("\x20\x00\x40\xf9" RET), X1, 0, false },
	{ "str x0,[x1], its slot", BYTES("\x20\x00\x00\xf9" RET), X1, 0, true },
	{ "b; str x0,[x29,#16]", BYTES("\x01\x00\x00\x14\xa0\x0b\x00\xf9" RET), X29, 16, false },
	{ "cbz; str x0,[x29,#16]", BYTES("\x20\x00\x00\xb4\xa0\x0b\x00\xf9" RET), X29, 16,
	  false },
	{ "bl; str x0,[x29,#16]", BYTES("\x00\x02\x00\x94\xa0\x0b\x00\xf9" RET), X29, 16, false },
	{ "mov w0,#1; str x0,[x29,#16]", BYTES("\x20\x00\x80\x52\xa0\x0b\x00\xf9" RET), X29, 16,
	  true },
};

static const struct slot_row arm64_stack_slots[] = {
	{ "str x0,[sp,#8]", BYTES("\xe0\x07\x00\xf9" RET), SP, 8, true },
	{ "str x0,[sp,#16]", BYTES("\xe0\x0b\x00\xf9" RET), SP, 8, false },
	{ "str w0,[sp,#12]", BYTES("\xe0\x0f\x00\xb9" RET), SP, 8, true },
	{ "strb w0,[sp,#15]", BYTES("\xe0\x3f\x00\x39" RET), SP, 8, true },
	{ "stur x0,[sp,#1]", BYTES("\xe0\x13\x00\xf8" RET), SP, 8, true },
	{ "ldr x0,[sp,#8]", BYTES("\xe0\x07\x40\xf9" RET), SP, 8, false },
	{ "stp x0,x1,[sp]", BYTES("\xe0\x07\x00\xa9" RET), SP, 8, true },
	{ "stp x0,x1,[sp,#16]", BYTES("\xe0\x07\x01\xa9" RET), SP, 8, false },
	{ "str q0,[sp]", BYTES("\xe0\x03\x80\x3d" RET), SP, 8, true },
	{ "str q0,[sp,#16]", BYTES("\xe0\x07\x80\x3d" RET), SP, 8, false },
	{ "stp x29,x30,[sp,#-16]!; str x0,[sp,#24]",
	  BYTES("\xfd\x7b\xbf\xa9\xe0\x0f\x00\xf9" RET), SP, 8, true },
	{ "stp x29,x30,[sp,#-16]!; str x0,[sp,#8]",
	  BYTES("\xfd\x7b\xbf\xa9\xe0\x07\x00\xf9" RET), SP, 8, false },
	{ "sub sp,sp,#16; str x0,[sp,#24]", BYTES("\xff\x43\x00\xd1\xe0\x0f\x00\xf9" RET), SP, 8,
	  true },
	{ "sub sp,sp,#16; str x0,[sp,#8]", BYTES("\xff\x43\x00\xd1\xe0\x07\x00\xf9" RET), SP, 8,
	  false },
	{ "str x0,[x1]", BYTES("\x20\x00\x00\xf9" RET), SP, 8, false },
};

static void check_slots(uint16_t machine, const struct slot_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct slot_row *row = &rows[i];
		struct machine_image image;
		bool fills = !row->fills;

		machine_image_with(&image, machine, row->bytes, row->size);
		if (!machine_code_fills_slot(&image.code, TEXT, row->base, row->offset, 8, &fills))
			fail_msg("%s: cannot be looked at", row->text);
		if (fills != row->fills)
			fail_msg("%s: %d", row->text, fills);
		machine_image_close(&image);
	}
}

static void test_slots_x86(void **state)
{
	(void)state;
	if (!DECODES_X86)
		skip();
	check_slots(EM_X86_64, x86_slots, LENGTH(x86_slots));
	check_slots(EM_X86_64, x86_distances, LENGTH(x86_distances));
}

static void test_slots_arm64(void **state)
{
	(void)state;
	check_slots(EM_AARCH64, arm64_slots, LENGTH(arm64_slots));
	check_slots(EM_AARCH64, arm64_stack_slots, LENGTH(arm64_stack_slots));
}

/* Sizes and slots that no code has; code that cannot be read gives no answer. */
static void test_slot_limits(void **state)
{
	static const struct {
		uint64_t pc;
		unsigned int base;
		int64_t offset;
		uint64_t size;
		bool fills;
	} rows[] = {
		{ TEXT, X1, 0, 8, true },
		{ TEXT, X1, 0, 1, true },
		{ TEXT, X1, 0, 0, false },
		{ TEXT, X1, 8, 8, false },
		{ TEXT, X1, -8, 8, false },
		{ TEXT, X1, -8, 9, true },
		{ TEXT, X1, 0, INT32_MAX, true },
		{ TEXT, X1, 0, (uint64_t)INT32_MAX + 1, false },
		{ TEXT, X1, INT32_MIN, INT32_MAX, false },
		{ TEXT, X1, INT32_MAX, INT32_MAX, false },
		{ TEXT - 4, X1, 0, 8, false },
		{ NO_BYTES, X1, 0, 8, false },
	};
	struct machine_image image;
	bool fills;

	(void)state;
	machine_image_with(&image, EM_AARCH64, BYTES("\x20\x00\x00\xf9" RET));
	for (size_t i = 0; i < LENGTH(rows); i++) {
		fills = !rows[i].fills;
		assert_true(machine_code_fills_slot(&image.code, rows[i].pc, rows[i].base,
						    rows[i].offset, rows[i].size, &fills));
		if (fills != rows[i].fills)
			fail_msg("row %zu: %d", i, fills);
	}
	assert_false(machine_code_fills_slot(&image.code, TEXT, 32, 0, 8, &fills));
	assert_false(machine_code_fills_slot(&image.code, TEXT, 255, 0, 8, &fills));
	machine_image_close(&image);
}

/* ---- what registers held at the entry ---- */

struct entry_row {
	const char *text;
	const char *bytes;
	size_t size;
	uint32_t at;		/* pc - TEXT */
	unsigned int reg;
	bool keeps;
};

static const struct entry_row x86_entries[] = {
	{ "at the entry", BYTES("\x90\xc3"), 0, RDI, true },
	{ "mov %rdi,%rbx; rdi", BYTES("\x48\x89\xfb\x90\xc3"), 3, RDI, true },
	{ "mov %rdi,%rbx; rbx", BYTES("\x48\x89\xfb\x90\xc3"), 3, RBX, false },
	{ "mov %rdi,%rbx; rbx before", BYTES("\x48\x89\xfb\x90\xc3"), 0, RBX, true },
	{ "inc %rdi", BYTES("\x48\xff\xc7\x90\xc3"), 3, RDI, false },
	{ "mov %sil,%dil", BYTES("\x40\x88\xf7\x90\xc3"), 3, RDI, false },
	{ "written after it", BYTES("\x90\x31\xff\xc3"), 1, RDI, true },
	/* ---- paths ---- */
	{ "written on one path", BYTES("\x85\xc0\x74\x02\x31\xff\x90\xc3"), 6, RDI, false },
	{ "before that", BYTES("\x85\xc0\x74\x02\x31\xff\x90\xc3"), 4, RDI, true },
	{ "another register", BYTES("\x85\xc0\x74\x02\x31\xff\x90\xc3"), 6, RSI, true },
	{ "a loop that writes after it", BYTES("\x90\x31\xff\x85\xc0\x75\xf9\xc3"), 0, RDI, false },
	{ "of another register", BYTES("\x90\x31\xff\x85\xc0\x75\xf9\xc3"), 0, RSI, true },
	{ "a loop, then a write", BYTES("\x90\xff\xc8\x75\xfb\x31\xff\xc3"), 0, RDI, true },
	{ "a loop whose counter is asked for", BYTES("\x90\xff\xc8\x75\xfb\x31\xff\xc3"), 0, RAX,
	  false },
	/* ---- calls ---- */
	{ "after a call", BYTES("\xe8\xfb\x07\x00\x00\x90\xc3"), 5, RDI, false },
	{ "before it", BYTES("\xe8\xfb\x07\x00\x00\x90\xc3"), 0, RDI, true },
	{ "after a call of fentry", BYTES("\xe8\xbb\x08\x00\x00\x90\xc3"), 5, RDI, true },
	{ "through a pointer", BYTES("\xff\xd0\x90\xc3"), 2, RDI, false },
	{ "saved and restored", BYTES("\x57\xe8\xfa\x07\x00\x00\x5f\x90\xc3"), 7, RDI, false },
	{ "a loop that calls after it", BYTES("\x90\xe8\xfa\x07\x00\x00\x85\xc0\x75\xf6\xc3"), 0,
	  RDI, false },
	/* ---- unknown ---- */
	{ "not decodable after it", BYTES("\x90\x06\xc3"), 1, RDI, false },
	{ "not decodable on another path", BYTES("\x85\xc0\x74\x02\x90\xc3\x06\xc3"), 4, RDI,
	  false },
	{ "no register", BYTES("\x90\xc3"), 0, 31, false },
};

static const struct entry_row arm64_entries[] = {
	{ "at the entry", BYTES("\x1f\x20\x03\xd5" RET), 0, X0, true },
	{ "mov x1,x0; x0", BYTES("\xe1\x03\x00\xaa" RET), 4, X0, true },
	{ "mov x1,x0; x1", BYTES("\xe1\x03\x00\xaa" RET), 4, X1, false },
	{ "mov w0,#1", BYTES("\x20\x00\x80\x52" RET), 4, X0, false },
	{ "written on one path", BYTES("\x41\x00\x00\xb4\x20\x00\x80\x52\x1f\x20\x03\xd5" RET), 8,
	  X0, false },
	{ "another register", BYTES("\x41\x00\x00\xb4\x20\x00\x80\x52\x1f\x20\x03\xd5" RET), 8, X1,
	  true },
	{ "after a call", BYTES("\x00\x02\x00\x94\x1f\x20\x03\xd5" RET), 4, X0, false },
};

static void check_entries(uint16_t machine, const struct entry_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct entry_row *row = &rows[i];
		struct machine_image image;
		bool keeps;

		machine_image_with(&image, machine, row->bytes, row->size);
		keeps = machine_code_keeps_entry(&image.code, TEXT, TEXT + row->size,
						 TEXT + row->at, row->reg);
		if (keeps != row->keeps)
			fail_msg("%s: %d", row->text, keeps);
		/* Not of this function. */
		assert_false(machine_code_keeps_entry(&image.code, TEXT, TEXT + row->size,
						      TEXT + row->size, row->reg));
		assert_false(machine_code_keeps_entry(&image.code, TEXT, TEXT + row->size, TEXT - 4,
						      row->reg));
		machine_image_close(&image);
	}
}

static void test_entries(void **state)
{
	(void)state;
	check_entries(EM_AARCH64, arm64_entries, LENGTH(arm64_entries));
	if (DECODES_X86)
		check_entries(EM_X86_64, x86_entries, LENGTH(x86_entries));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slots_x86),
		cmocka_unit_test(test_slots_arm64),
		cmocka_unit_test(test_slot_limits),
		cmocka_unit_test(test_entries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
