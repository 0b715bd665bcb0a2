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

#define FILLS(base, offset, text, bytes)  { text, BYTES(bytes), base, offset, true }
#define SPARES(base, offset, text, bytes) { text, BYTES(bytes), base, offset, false }

static const struct slot_row x86_slots[] = {
	FILLS(RSP, 8, "mov %rdi,8(%rsp)", "\x48\x89\x7c\x24\x08\xc3"),
	SPARES(RSP, 8, "the slot above", "\x48\x89\x7c\x24\x10\xc3"),
	SPARES(RSP, 8, "the slot below", "\x48\x89\x3c\x24\xc3"),
	FILLS(RSP, 8, "its first byte", "\x48\x89\x7c\x24\x01\xc3"),
	FILLS(RSP, 8, "its last byte", "\x40\x88\x7c\x24\x0f\xc3"),
	FILLS(RSP, 8, "its upper half", "\x89\x7c\x24\x0c\xc3"),
	SPARES(RSP, 8, "far above", "\x48\x89\xbc\x24\x08\x01\x00\x00\xc3"),
	FILLS(RSP, 0x108, "far above, the slot, too", "\x48\x89\xbc\x24\x08\x01\x00\x00\xc3"),
	SPARES(RSP, 8, "mov 8(%rsp),%rdi", "\x48\x8b\x7c\x24\x08\xc3"),
	SPARES(RSP, 8, "lea 8(%rsp),%rdi", "\x48\x8d\x7c\x24\x08\xc3"),
	SPARES(RSP, 8, "movzbl 8(%rsp),%eax", "\x0f\xb6\x44\x24\x08\xc3"),
	FILLS(RSP, 8, "addl $1,8(%rsp)", "\x83\x44\x24\x08\x01\xc3"),
	FILLS(RSP, 8, "movl $5,8(%rsp)", "\xc7\x44\x24\x08\x05\x00\x00\x00\xc3"),
	FILLS(RSP, 8, "xchg %rax,8(%rsp)", "\x48\x87\x44\x24\x08\xc3"),
	FILLS(RSP, 8, "sete 8(%rsp)", "\x0f\x94\x44\x24\x08\xc3"),
	/* The address is unknown. */
	SPARES(RSP, 8, "mov %rdi,8(%rsp,%rax,1)", "\x48\x89\x7c\x04\x08\xc3"),
	/* ---- the stack pointer moves ---- */
	SPARES(RSP, 8, "push %rdi", "\x57\xc3"),
	FILLS(RSP, -8, "push %rdi, the slot itself", "\x57\x90\x90\x90\x90\x90\xc3"),
	FILLS(RSP, -8, "push %rdi, the new slot", "\x57\x48\x89\x7c\x24\x00\xc3"),
	SPARES(RSP, 8, "push %rdi; mov %rdi,8(%rsp)", "\x57\x48\x89\x7c\x24\x08\xc3"),
	FILLS(RSP, 8, "push %rdi; mov %rdi,16(%rsp)", "\x57\x48\x89\x7c\x24\x10\xc3"),
	FILLS(RSP, 8, "pop %rdi; mov %rdi,(%rsp)", "\x5f\x48\x89\x3c\x24\xc3"),
	FILLS(RSP, 8, "sub $16,%rsp; mov %rdi,24(%rsp)",
	      "\x48\x83\xec\x10\x48\x89\x7c\x24\x18\xc3"),
	SPARES(RSP, 8, "sub $16,%rsp; mov %rdi,8(%rsp)",
	       "\x48\x83\xec\x10\x48\x89\x7c\x24\x08\xc3"),
	FILLS(RSP, 8, "sub $256,%rsp; mov %rdi,264(%rsp)",
	      "\x48\x81\xec\x00\x01\x00\x00\x48\x89\xbc\x24\x08\x01\x00\x00\xc3"),
	FILLS(RSP, 8, "add $-128,%rsp; mov %rdi,136(%rsp)",
	      "\x48\x83\xc4\x80\x48\x89\xbc\x24\x88\x00\x00\x00\xc3"),
	FILLS(RSP, 8, "push $5; mov %rdi,16(%rsp)", "\x6a\x05\x48\x89\x7c\x24\x10\xc3"),
	FILLS(RSP, 8, "push %r12; mov %rdi,16(%rsp)", "\x41\x54\x48\x89\x7c\x24\x10\xc3"),
	SPARES(RSP, 8, "mov %rax,%rsp; mov %rdi,8(%rsp)", "\x48\x89\xc4\x48\x89\x7c\x24\x08\xc3"),
	/* ---- vectors ---- */
	FILLS(RSP, 8, "movups %xmm0,(%rsp)", "\x0f\x11\x04\x24\xc3"),
	SPARES(RSP, 8, "movups %xmm0,-8(%rsp)", "\x0f\x11\x44\x24\xf8\xc3"),
	SPARES(RSP, 8, "movups %xmm0,16(%rsp)", "\x0f\x11\x44\x24\x10\xc3"),
	SPARES(RSP, 8, "movups (%rsp),%xmm0", "\x0f\x10\x04\x24\xc3"),
	FILLS(RSP, 8, "vmovdqu %ymm0,-16(%rsp)", "\xc5\xfe\x7f\x44\x24\xf0\xc3"),
	SPARES(RSP, 8, "vmovdqu %ymm0,16(%rsp)", "\xc5\xfe\x7f\x44\x24\x10\xc3"),
	/* ---- other registers ---- */
	SPARES(RSP, 8, "mov %rdi,(%rsi)", "\x48\x89\x3e\xc3"),
	SPARES(RSP, 8, "mov (%rsi),%rdi", "\x48\x8b\x3e\xc3"),
	SPARES(RSP, 8, "mov %rax,0x1000(%rip)", "\x48\x89\x05\x00\x10\x00\x00\xc3"),
	FILLS(RBP, -16, "mov %rdi,-16(%rbp)", "\x48\x89\x7d\xf0\xc3"),
	SPARES(RBP, -16, "mov %rdi,-24(%rbp)", "\x48\x89\x7d\xe8\xc3"),
	SPARES(RSP, 8, "mov %rdi,-16(%rbp), a slot of rsp", "\x48\x89\x7d\xf0\xc3"),
	SPARES(RBP, 8, "mov %rdi,8(%rsp), a slot of rbp", "\x48\x89\x7c\x24\x08\xc3"),
	FILLS(RBX, 8, "mov %rdi,8(%rbx)", "\x48\x89\x7b\x08\xc3"),
	SPARES(RBP, -16, "mov %rsi,%rbp; mov %rdi,-16(%rbp)", "\x48\x89\xf5\x48\x89\x7d\xf0\xc3"),
	FILLS(RSP, 8, "mov %rsi,%rbp; mov %rdi,8(%rsp)", "\x48\x89\xf5\x48\x89\x7c\x24\x08\xc3"),
	/* ---- only what is surely next ---- */
	FILLS(RSP, 8, "nops, xor %eax,%eax", "\x90\x0f\x1f\x00\x31\xc0\x48\x89\x7c\x24\x08\xc3"),
	SPARES(RSP, 8, "after a call", "\xe8\xfb\x07\x00\x00\x48\x89\x7c\x24\x08\xc3"),
	SPARES(RSP, 8, "after a branch", "\x75\x00\x48\x89\x7c\x24\x08\xc3"),
	SPARES(RSP, 8, "after a jump", "\xeb\x00\x48\x89\x7c\x24\x08\xc3"),
	SPARES(RSP, 8, "after a return", "\xc3\x48\x89\x7c\x24\x08\xc3"),
	SPARES(RSP, 8, "after ud2", "\x0f\x0b\x48\x89\x7c\x24\x08\xc3"),
	SPARES(RSP, 8, "after what cannot be decoded", "\x06\x48\x89\x7c\x24\x08\xc3"),
};

#define NOPS_8 "\x90\x90\x90\x90\x90\x90\x90\x90"
#define NOPS_31 NOPS_8 NOPS_8 NOPS_8 "\x90\x90\x90\x90\x90\x90\x90"

/* As many as compilers may put between. */
static const struct slot_row x86_distances[] = {
	FILLS(RSP, 8, "31 nops", NOPS_31 "\x48\x89\x7c\x24\x08\xc3"),
	SPARES(RSP, 8, "32 nops", NOPS_31 "\x90\x48\x89\x7c\x24\x08\xc3"),
};

enum { X0, X1, X29 = 29, SP = 31 };

static const struct slot_row arm64_slots[] = {
	FILLS(X29, 16, "str x0,[x29,#16]", "\xa0\x0b\x00\xf9" RET),
	SPARES(X29, 16, "str x0,[x29,#24]", "\xa0\x0f\x00\xf9" RET),
	SPARES(X29, 16, "mov x29,x1; str x0,[x29,#16]", "\xfd\x03\x01\xaa\xa0\x0b\x00\xf9" RET),
	SPARES(X29, 16, "str x0,[x1]", "\x20\x00\x00\xf9" RET),
	SPARES(X1, 0, "ldr x0,[x1]", "\x20\x00\x40\xf9" RET),
	FILLS(X1, 0, "str x0,[x1], its slot", "\x20\x00\x00\xf9" RET),
	SPARES(X29, 16, "b; str x0,[x29,#16]", "\x01\x00\x00\x14\xa0\x0b\x00\xf9" RET),
	SPARES(X29, 16, "cbz; str x0,[x29,#16]", "\x20\x00\x00\xb4\xa0\x0b\x00\xf9" RET),
	SPARES(X29, 16, "bl; str x0,[x29,#16]", "\x00\x02\x00\x94\xa0\x0b\x00\xf9" RET),
	FILLS(X29, 16, "mov w0,#1; str x0,[x29,#16]", "\x20\x00\x80\x52\xa0\x0b\x00\xf9" RET),
};

static const struct slot_row arm64_stack_slots[] = {
	FILLS(SP, 8, "str x0,[sp,#8]", "\xe0\x07\x00\xf9" RET),
	SPARES(SP, 8, "str x0,[sp,#16]", "\xe0\x0b\x00\xf9" RET),
	FILLS(SP, 8, "str w0,[sp,#12]", "\xe0\x0f\x00\xb9" RET),
	FILLS(SP, 8, "strb w0,[sp,#15]", "\xe0\x3f\x00\x39" RET),
	FILLS(SP, 8, "stur x0,[sp,#1]", "\xe0\x13\x00\xf8" RET),
	SPARES(SP, 8, "ldr x0,[sp,#8]", "\xe0\x07\x40\xf9" RET),
	FILLS(SP, 8, "stp x0,x1,[sp]", "\xe0\x07\x00\xa9" RET),
	SPARES(SP, 8, "stp x0,x1,[sp,#16]", "\xe0\x07\x01\xa9" RET),
	FILLS(SP, 8, "str q0,[sp]", "\xe0\x03\x80\x3d" RET),
	SPARES(SP, 8, "str q0,[sp,#16]", "\xe0\x07\x80\x3d" RET),
	FILLS(SP, 8, "stp x29,x30,[sp,#-16]!; str x0,[sp,#24]",
	      "\xfd\x7b\xbf\xa9\xe0\x0f\x00\xf9" RET),
	SPARES(SP, 8, "stp x29,x30,[sp,#-16]!; str x0,[sp,#8]",
	       "\xfd\x7b\xbf\xa9\xe0\x07\x00\xf9" RET),
	FILLS(SP, 8, "sub sp,sp,#16; str x0,[sp,#24]", "\xff\x43\x00\xd1\xe0\x0f\x00\xf9" RET),
	SPARES(SP, 8, "sub sp,sp,#16; str x0,[sp,#8]", "\xff\x43\x00\xd1\xe0\x07\x00\xf9" RET),
	SPARES(SP, 8, "str x0,[x1]", "\x20\x00\x00\xf9" RET),
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

TEST(test_slots_x86)
{
	if (!DECODES_X86)
		skip();
	check_slots(EM_X86_64, x86_slots, LENGTH(x86_slots));
	check_slots(EM_X86_64, x86_distances, LENGTH(x86_distances));
}

TEST(test_slots_arm64)
{
	check_slots(EM_AARCH64, arm64_slots, LENGTH(arm64_slots));
	check_slots(EM_AARCH64, arm64_stack_slots, LENGTH(arm64_stack_slots));
}

/* Sizes and slots that no code has; code that cannot be read gives no answer. */
TEST(test_slot_limits)
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

#define KEEPS(at, reg, text, bytes) { text, BYTES(bytes), at, reg, true }
#define LOSES(at, reg, text, bytes) { text, BYTES(bytes), at, reg, false }

static const struct entry_row x86_entries[] = {
	KEEPS(0, RDI, "at the entry", "\x90\xc3"),
	KEEPS(3, RDI, "mov %rdi,%rbx; rdi", "\x48\x89\xfb\x90\xc3"),
	LOSES(3, RBX, "mov %rdi,%rbx; rbx", "\x48\x89\xfb\x90\xc3"),
	KEEPS(0, RBX, "mov %rdi,%rbx; rbx before", "\x48\x89\xfb\x90\xc3"),
	LOSES(3, RDI, "inc %rdi", "\x48\xff\xc7\x90\xc3"),
	LOSES(3, RDI, "mov %sil,%dil", "\x40\x88\xf7\x90\xc3"),
	KEEPS(1, RDI, "written after it", "\x90\x31\xff\xc3"),
	/* ---- paths ---- */
	LOSES(6, RDI, "written on one path", "\x85\xc0\x74\x02\x31\xff\x90\xc3"),
	KEEPS(4, RDI, "before that", "\x85\xc0\x74\x02\x31\xff\x90\xc3"),
	KEEPS(6, RSI, "another register", "\x85\xc0\x74\x02\x31\xff\x90\xc3"),
	LOSES(0, RDI, "a loop that writes after it", "\x90\x31\xff\x85\xc0\x75\xf9\xc3"),
	KEEPS(0, RSI, "of another register", "\x90\x31\xff\x85\xc0\x75\xf9\xc3"),
	KEEPS(0, RDI, "a loop, then a write", "\x90\xff\xc8\x75\xfb\x31\xff\xc3"),
	LOSES(0, RAX, "a loop whose counter is asked for", "\x90\xff\xc8\x75\xfb\x31\xff\xc3"),
	/* ---- calls ---- */
	LOSES(5, RDI, "after a call", "\xe8\xfb\x07\x00\x00\x90\xc3"),
	KEEPS(0, RDI, "before it", "\xe8\xfb\x07\x00\x00\x90\xc3"),
	KEEPS(5, RDI, "after a call of fentry", "\xe8\xbb\x08\x00\x00\x90\xc3"),
	LOSES(2, RDI, "through a pointer", "\xff\xd0\x90\xc3"),
	LOSES(7, RDI, "saved and restored", "\x57\xe8\xfa\x07\x00\x00\x5f\x90\xc3"),
	LOSES(0, RDI, "a loop that calls after it", "\x90\xe8\xfa\x07\x00\x00\x85\xc0\x75\xf6\xc3"),
	/* ---- unknown ---- */
	LOSES(1, RDI, "not decodable after it", "\x90\x06\xc3"),
	LOSES(4, RDI, "not decodable on another path", "\x85\xc0\x74\x02\x90\xc3\x06\xc3"),
	LOSES(0, 31, "no register", "\x90\xc3"),
};

static const struct entry_row arm64_entries[] = {
	KEEPS(0, X0, "at the entry", "\x1f\x20\x03\xd5" RET),
	KEEPS(4, X0, "mov x1,x0; x0", "\xe1\x03\x00\xaa" RET),
	LOSES(4, X1, "mov x1,x0; x1", "\xe1\x03\x00\xaa" RET),
	LOSES(4, X0, "mov w0,#1", "\x20\x00\x80\x52" RET),
	LOSES(8, X0, "written on one path", "\x41\x00\x00\xb4\x20\x00\x80\x52\x1f\x20\x03\xd5" RET),
	KEEPS(8, X1, "another register", "\x41\x00\x00\xb4\x20\x00\x80\x52\x1f\x20\x03\xd5" RET),
	LOSES(4, X0, "after a call", "\x00\x02\x00\x94\x1f\x20\x03\xd5" RET),
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

TEST(test_entries)
{
	check_entries(EM_AARCH64, arm64_entries, LENGTH(arm64_entries));
	if (DECODES_X86)
		check_entries(EM_X86_64, x86_entries, LENGTH(x86_entries));
}
