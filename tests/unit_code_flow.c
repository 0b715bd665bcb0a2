/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Which definition of a register reaches a call, and who reads a register first: after the entry,
 * and after a call. Each row is a function at TEXT, its assembly text as its name; its callees
 * follow it in the same image (tests/machine_image.c).
 */
#include "tests/cmocka_all.h"

#include <elf.h>
#include <string.h>

#include "tests/machine_image.h"

struct code_row {
	const char *text;
	const char *bytes;
	size_t size;
	uint32_t site;			/* offset of the call or, for what follows it, of its end */
	unsigned int reg;
	int answer;			/* enum reaching_definition or register_use */
};

static int reaching_at_call(const struct machine_code *code, const struct code_row *row)
{
	return (int)machine_code_reaching_at_call(code, TEXT, TEXT + row->size, TEXT + row->site,
						  row->reg);
}

static int use_at_entry(const struct machine_code *code, const struct code_row *row)
{
	return (int)machine_code_entry_use(code, TEXT, TEXT + row->size, row->reg);
}

static int use_after_call(const struct machine_code *code, const struct code_row *row)
{
	return (int)machine_code_use_after(code, TEXT, TEXT + row->size, TEXT + row->site,
					   row->reg);
}

/* unknown: the answer where instructions are not decoded. */
static void check_rows(uint16_t machine, const struct code_row *rows, size_t count,
		       int (*ask)(const struct machine_code *code, const struct code_row *row),
		       int unknown)
{
	for (size_t i = 0; i < count; i++) {
		int expected = machine == EM_X86_64 && !DECODES_X86 ? unknown : rows[i].answer;
		struct machine_image image;
		int answer;

		machine_image_with(&image, machine, rows[i].bytes, rows[i].size);
		answer = ask(&image.code, &rows[i]);
		if (answer != expected)
			fail_msg("%s: register %u: %d, not %d", rows[i].text, rows[i].reg, answer,
				 expected);
		machine_image_close(&image);
	}
}

static void test_reaching_x86(void **state)
{
	static const struct code_row rows[] = {
		{ "mov edi, 1; site: call f",
		  BYTES("\xbf\x01\x00\x00\x00\xe8\xf6\x08\x00\x00"), 0x5, RDI, REACHING_SET },
		{ "mov dil, 1; site: call f",
		  BYTES("\x40\xb7\x01\xe8\xf8\x08\x00\x00"), 0x3, RDI, REACHING_SET },
		{ "xor edi, edi; site: call f",
		  BYTES("\x31\xff\xe8\xf9\x08\x00\x00"), 0x2, RDI, REACHING_SET },
		{ "test edi, 0x1000; site: call f",
		  BYTES("\xf7\xc7\x00\x10\x00\x00\xe8\xf5\x08\x00\x00"), 0x6, RDI, REACHING_ENTRY },
		{ "cmp rdi, 3; site: call f",
		  BYTES("\x48\x83\xff\x03\xe8\xf7\x08\x00\x00"), 0x4, RDI, REACHING_ENTRY },
		{ "push rdi; site: call f",
		  BYTES("\x57\xe8\xfa\x08\x00\x00"), 0x1, RDI, REACHING_ENTRY },
		{ "call nonleaf; site: call f",
		  BYTES("\xe8\xfb\x07\x00\x00\xe8\xf6\x08\x00\x00"), 0x5, RDI, REACHING_UNSET },
		{ "call nonleaf; pop rdi; site: call f",
		  BYTES("\xe8\xfb\x07\x00\x00\x5f\xe8\xf5\x08\x00\x00"), 0x6, RDI, REACHING_SET },
		{ "call nonleaf; mov rdi, rax; site: call f",
		  BYTES("\xe8\xfb\x07\x00\x00\x48\x89\xc7\xe8\xf3\x08\x00\x00"),
		  0x8, RDI, REACHING_SET },
		{ "call nonleaf; mov rdi, rax; site: call f",
		  BYTES("\xe8\xfb\x07\x00\x00\x48\x89\xc7\xe8\xf3\x08\x00\x00"),
		  0x8, RSI, REACHING_UNSET },
		{ "call nonleaf; site: call f",
		  BYTES("\xe8\xfb\x07\x00\x00\xe8\xf6\x08\x00\x00"), 0x5, RBX, REACHING_ENTRY },
		{ "call nonleaf; site: jmp f",
		  BYTES("\xe8\xfb\x07\x00\x00\xe9\xf6\x08\x00\x00"), 0x5, RDI, REACHING_UNSET },
		{ "call nonleaf; test eax, eax; site: je f",
		  BYTES("\xe8\xfb\x07\x00\x00\x85\xc0\x0f\x84\xf3\x08\x00\x00"),
		  0x7, RDI, REACHING_UNSET },
		{ "call fentry; site: call f",
		  BYTES("\xe8\xbb\x08\x00\x00\xe8\xf6\x08\x00\x00"), 0x5, RDI, REACHING_ENTRY },
		{ "call rax; site: call f",
		  BYTES("\xff\xd0\xe8\xf9\x08\x00\x00"), 0x2, RDI, REACHING_UNSET },
		{ "call [rax + 8]; site: call f",
		  BYTES("\xff\x50\x08\xe8\xf8\x08\x00\x00"), 0x3, RDI, REACHING_UNSET },
		{ "call thunk; site: call f",
		  BYTES("\xe8\xdb\x08\x00\x00\xe8\xf6\x08\x00\x00"), 0x5, RDI, REACHING_UNSET },
		{ "call leaf; site: call f",
		  BYTES("\xe8\x3b\x08\x00\x00\xe8\xf6\x08\x00\x00"), 0x5, RDI, REACHING_UNKNOWN },
		{ "call saver; site: call f",
		  BYTES("\xe8\x5b\x08\x00\x00\xe8\xf6\x08\x00\x00"), 0x5, RDI, REACHING_UNKNOWN },
		{ "call saver; site: call f",
		  BYTES("\xe8\x5b\x08\x00\x00\xe8\xf6\x08\x00\x00"), 0x5, RSI, REACHING_UNSET },
		{ "call getter; site: call f",
		  BYTES("\xe8\x7b\x08\x00\x00\xe8\xf6\x08\x00\x00"), 0x5, RDX, REACHING_UNKNOWN },
		{ "call trasher; site: call f",
		  BYTES("\xe8\x5b\x0a\x00\x00\xe8\xf6\x08\x00\x00"), 0x5, RDI, REACHING_UNSET },
		{ "call trasher; site: call f",
		  BYTES("\xe8\x5b\x0a\x00\x00\xe8\xf6\x08\x00\x00"), 0x5, RDX, REACHING_UNKNOWN },
		{ "call traced; site: call f",
		  BYTES("\xe8\x3b\x09\x00\x00\xe8\xf6\x08\x00\x00"), 0x5, RDI, REACHING_UNSET },
		{ "call [0x20000]; site: call f",
		  BYTES("\xff\x14\x25\x00\x00\x02\x00\xe8\xf4\x08\x00\x00"),
		  0x7, RDI, REACHING_UNKNOWN },
		{ "mov edi, 1; call leaf; site: call f",
		  BYTES("\xbf\x01\x00\x00\x00\xe8\x36\x08\x00\x00\xe8\xf1\x08\x00\x00"),
		  0xa, RDI, REACHING_UNKNOWN },
		{ "call nonleaf; call leaf; site: call f",
		  BYTES("\xe8\xfb\x07\x00\x00\xe8\x36\x08\x00\x00\xe8\xf1\x08\x00\x00"),
		  0xa, RDI, REACHING_UNSET },
		{ "test esi, esi; je 1f; mov edi, 1; 1: site: call f",
		  BYTES("\x85\xf6\x74\x05\xbf\x01\x00\x00\x00\xe8\xf2\x08\x00\x00"),
		  0x9, RDI, REACHING_ENTRY },
		{ "mov dil, 2; jrcxz 1f; mov dil, 1; 1: site: call f",
		  BYTES("\x40\xb7\x02\xe3\x03\x40\xb7\x01\xe8\xf3\x08\x00\x00"),
		  0x8, RDI, REACHING_SET },
		{ "call nonleaf; jrcxz 1f; mov dil, 1; 1: site: call f",
		  BYTES("\xe8\xfb\x07\x00\x00\xe3\x03\x40\xb7\x01\xe8\xf1\x08\x00\x00"),
		  0xa, RDI, REACHING_UNKNOWN },
		{ "1: site: call f; test eax, eax; jne 1b; ret",
		  BYTES("\xe8\xfb\x08\x00\x00\x85\xc0\x75\xf7\xc3"), 0x0, RDI, REACHING_UNSET },
		{ "1: mov rdi, rbx; site: call f; test eax, eax; jne 1b; ret",
		  BYTES("\x48\x89\xdf\xe8\xf8\x08\x00\x00\x85\xc0\x75\xf4\xc3"),
		  0x3, RDI, REACHING_SET },
		{ "test esi, esi; je 1f; call nonleaf; 1: site: call f",
		  BYTES("\x85\xf6\x74\x05\xe8\xf7\x07\x00\x00\xe8\xf2\x08\x00\x00"),
		  0x9, RDI, REACHING_UNKNOWN },
		{ "test esi, esi; je 1f; call nonleaf; nop; nop; 1: site: call f",
		  BYTES("\x85\xf6\x74\x07\xe8\xf7\x07\x00\x00\x90\x90\xe8\xf0\x08\x00\x00"),
		  0xb, RDI, REACHING_UNKNOWN },
		{ "mov edi, 1; test esi, esi; je 1f; ud2; 1: site: call f",
		  BYTES("\xbf\x01\x00\x00\x00\x85\xf6\x74\x02\x0f\x0b\xe8\xf0\x08\x00\x00"),
		  0xb, RDI, REACHING_SET },
		{ "call nonleaf; ud2; site: call f",
		  BYTES("\xe8\xfb\x07\x00\x00\x0f\x0b\xe8\xf4\x08\x00\x00"),
		  0x7, RDI, REACHING_UNKNOWN },
		{ "ret; call nonleaf; site: call f",
		  BYTES("\xc3\xe8\xfa\x07\x00\x00\xe8\xf5\x08\x00\x00"),
		  0x6, RDI, REACHING_UNKNOWN },
		{ "ret; mov edi, 1; site: call f",
		  BYTES("\xc3\xbf\x01\x00\x00\x00\xe8\xf5\x08\x00\x00"), 0x6, RDI, REACHING_SET },
		{ "jmp rax; call nonleaf; site: call f",
		  BYTES("\xff\xe0\xe8\xf9\x07\x00\x00\xe8\xf4\x08\x00\x00"),
		  0x7, RDI, REACHING_UNKNOWN },
		{ "test esi, esi; je 1f; jmp rax; 1: call nonleaf; site: call f",
		  BYTES("\x85\xf6\x74\x02\xff\xe0\xe8\xf5\x07\x00\x00\xe8\xf0\x08\x00\x00"),
		  0xb, RDI, REACHING_UNKNOWN },
		{ "test esi, esi; je 1f; jmp rax; 1: mov edi, 1; site: call f",
		  BYTES("\x85\xf6\x74\x02\xff\xe0\xbf\x01\x00\x00\x00\xe8\xf0\x08\x00\x00"),
		  0xb, RDI, REACHING_SET },
		{ "jrcxz 1f; mov rax, [rsi]; jmp rax; 1: call nonleaf; nop; site: call f",
		  BYTES("\xe3\x05\x48\x8b\x06\xff\xe0\xe8\xf4\x07\x00\x00\x90\xe8\xee\x08\x00\x00"),
		  0xd, RDI, REACHING_UNSET },
		{ "jrcxz 1f; mov eax, [rsi + rax * 8]; jmp rax; 1: call nonleaf; site: call f",
		  BYTES("\xe3\x05\x8b\x04\xc6\xff\xe0\xe8\xf4\x07\x00\x00\xe8\xef\x08\x00\x00"),
		  0xc, RDI, REACHING_UNKNOWN },
		{ "call nonleaf; jmp [table + rax * 8]; ud2; nop; nop; site: call f",
		  BYTES("\xe8\xfb\x07\x00\x00\xff\x24\xc5\x00\x00\x02\x00\x0f\x0b\x90\x90\xe8\xeb"
		  "\x08\x00\x00"), 0x10, RDI, REACHING_UNSET },
		{ "call nonleaf; test eax, eax; je outside; site: call f",
		  BYTES("\xe8\xfb\x07\x00\x00\x85\xc0\x0f\x84\xf3\x09\x00\x00\xe8\xee\x08\x00\x00"),
		  0xd, RDI, REACHING_UNKNOWN },
		{ "mov edi, 1; call f; site: ret",
		  BYTES("\xbf\x01\x00\x00\x00\xe8\xf6\x08\x00\x00\xc3"),
		  0xa, RDI, REACHING_NO_CALL },
		{ ".byte 0xb8; site: call f",
		  BYTES("\xb8\xe8\xfa\x08\x00\x00"), 0x1, RDI, REACHING_NO_CALL },
		{ "mov edi, 1; .byte 0x62, 0x62; site: call f",
		  BYTES("\xbf\x01\x00\x00\x00\x62\x62\xe8\xf4\x08\x00\x00"),
		  0x7, RDI, REACHING_UNKNOWN },
		{ "cpuid; site: call f",
		  BYTES("\x0f\xa2\xe8\xf9\x08\x00\x00"), 0x2, RCX, REACHING_SET },
		{ "rep movsb; site: call f",
		  BYTES("\xf3\xa4\xe8\xf9\x08\x00\x00"), 0x2, RSI, REACHING_SET },
		{ "rdmsr; site: call f",
		  BYTES("\x0f\x32\xe8\xf9\x08\x00\x00"), 0x2, RDX, REACHING_SET },
	};

	(void)state;
	check_rows(EM_X86_64, rows, LENGTH(rows), reaching_at_call, REACHING_UNKNOWN);
}

static void test_uses_x86(void **state)
{
	static const struct code_row rows[] = {
		{ "movss [rdi], xmm0; ret",
		  BYTES("\xf3\x0f\x11\x07\xc3"), 0, 17, USE_UNKNOWN },
		{ "mov eax, [rdi]; ret", BYTES("\x8b\x07\xc3"), 0, RDI, USE_READ },
		{ "mov rax, [rsi + rdi]; ret", BYTES("\x48\x8b\x04\x3e\xc3"), 0, RDI, USE_READ },
		{ "xor edi, edi; mov eax, edi; ret",
		  BYTES("\x31\xff\x89\xf8\xc3"), 0, RDI, USE_DEAD },
		{ "sbb edi, edi; ret", BYTES("\x19\xff\xc3"), 0, RDI, USE_DEAD },
		{ "xor edi, esi; ret", BYTES("\x31\xf7\xc3"), 0, RDI, USE_READ },
		{ "or edi, -1; ret", BYTES("\x83\xcf\xff\xc3"), 0, RDI, USE_DEAD },
		{ "or edi, 1; ret", BYTES("\x83\xcf\x01\xc3"), 0, RDI, USE_READ },
		{ "nop dword ptr [rdi + rax]; ret",
		  BYTES("\x0f\x1f\x04\x07\xc3"), 0, RDI, USE_DEAD },
		{ "test edi, 0x1000; ret",
		  BYTES("\xf7\xc7\x00\x10\x00\x00\xc3"), 0, RDI, USE_READ },
		{ "push rdi; xor edi, edi; call f; pop rdi; ret",
		  BYTES("\x57\x31\xff\xe8\xf8\x08\x00\x00\x5f\xc3"), 0, RDI, USE_UNKNOWN },
		{ "push [rdi]; pop rax; ret", BYTES("\xff\x37\x58\xc3"), 0, RDI, USE_READ },
		{ "ret", BYTES("\xc3"), 0, RDI, USE_DEAD },
		{ "call f; ret", BYTES("\xe8\xfb\x08\x00\x00\xc3"), 0, RDI, USE_PASSED },
		{ "xor edi, edi; call f; ret",
		  BYTES("\x31\xff\xe8\xf9\x08\x00\x00\xc3"), 0, RDI, USE_DEAD },
		{ "jmp f", BYTES("\xe9\xfb\x08\x00\x00"), 0, RDI, USE_PASSED },
		{ "jmp return_thunk", BYTES("\xe9\x9b\x08\x00\x00"), 0, RDI, USE_DEAD },
		{ "call fentry; ret", BYTES("\xe8\xbb\x08\x00\x00\xc3"), 0, RDI, USE_DEAD },
		{ "call fentry; mov eax, edi; ret",
		  BYTES("\xe8\xbb\x08\x00\x00\x89\xf8\xc3"), 0, RDI, USE_READ },
		{ "test esi, esi; je 1f; mov eax, edi; 1: ret",
		  BYTES("\x85\xf6\x74\x02\x89\xf8\xc3"), 0, RDI, USE_READ },
		{ "test esi, esi; je f; ret",
		  BYTES("\x85\xf6\x0f\x84\xf8\x08\x00\x00\xc3"), 0, RDI, USE_PASSED },
		{ "call fentry; test esi, esi; je outside; ret",
		  BYTES("\xe8\xbb\x08\x00\x00\x85\xf6\x0f\x84\xf3\x09\x00\x00\xc3"),
		  0, RDX, USE_READ },
		{ "call f; mov eax, edi; ret",
		  BYTES("\xe8\xfb\x08\x00\x00\x89\xf8\xc3"), 0, RDI, USE_PASSED },
		{ "call leaf; mov eax, edi; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\x89\xf8\xc3"), 0, RDI, USE_UNKNOWN },
		{ "call rdi; ret", BYTES("\xff\xd7\xc3"), 0, RDI, USE_READ },
		{ "jmp rax", BYTES("\xff\xe0"), 0, RDI, USE_UNKNOWN },
		{ "mov rax, [rsi]; jmp rax", BYTES("\x48\x8b\x06\xff\xe0"), 0, RDI, USE_PASSED },
		{ "jmp [rax + 8]", BYTES("\xff\x60\x08"), 0, RDI, USE_PASSED },
		{ "vmcall; ret", BYTES("\x0f\x01\xc1\xc3"), 0, RDI, USE_UNKNOWN },
		{ "test esi, esi; je 1f; mov edi, 1; jmp 2f; 1: ud2; 2: mov eax, edi; ret",
		  BYTES("\x85\xf6\x74\x07\xbf\x01\x00\x00\x00\xeb\x02\x0f\x0b\x89\xf8\xc3"),
		  0, RDI, USE_UNKNOWN },
		{ "ud2; mov eax, edi; ret", BYTES("\x0f\x0b\x89\xf8\xc3"), 0, RDI, USE_READ },
		{ ".byte 0x67, 0x0f, 0xb9, 0x40, 0x05; mov eax, edi; ret",
		  BYTES("\x67\x0f\xb9\x40\x05\x89\xf8\xc3"), 0, RDI, USE_READ },
		{ ".byte 0x62, 0x62; ret", BYTES("\x62\x62\xc3"), 0, RDI, USE_UNKNOWN },
		/* Neither capstone 4 nor 5 knows it. */
		{ "rdpru; ret", BYTES("\x0f\x01\xfd\xc3"), 0, RDX, USE_UNKNOWN },
		{ "test esi, esi; cmove edi, edx; mov eax, edi; ret",
		  BYTES("\x85\xf6\x0f\x44\xfa\x89\xf8\xc3"), 0, RDI, USE_READ },
		{ "rep stosb; ret", BYTES("\xf3\xaa\xc3"), 0, RCX, USE_READ },
		{ "xor edi, edi; nop; jmp 1f; 1: mov eax, edi; ret",
		  BYTES("\x31\xff\x90\xeb\x00\x89\xf8\xc3"), 0, RDI, USE_DEAD },
	};

	(void)state;
	check_rows(EM_X86_64, rows, LENGTH(rows), use_at_entry, USE_UNKNOWN);
}

static void test_reaching_arm64(void **state)
{
	static const struct code_row rows[] = {
		{ "mov w0, #1; site: bl f",
		  BYTES("\x20\x00\x80\x52\x3f\x02\x00\x94"), 0x4, 0, REACHING_SET },
		{ "movk w0, #1; site: bl f",
		  BYTES("\x20\x00\x80\x72\x3f\x02\x00\x94"), 0x4, 0, REACHING_SET },
		{ "bl nonleaf; site: bl f",
		  BYTES("\x00\x02\x00\x94\x3f\x02\x00\x94"), 0x4, 0, REACHING_UNKNOWN },
		{ "bl nonleaf; site: bl f",
		  BYTES("\x00\x02\x00\x94\x3f\x02\x00\x94"), 0x4, 1, REACHING_UNSET },
		{ "bl nonleaf; ldp x2, x1, [sp, #16]; site: bl f",
		  BYTES("\x00\x02\x00\x94\xe2\x07\x41\xa9\x3e\x02\x00\x94"), 0x8, 1, REACHING_SET },
		{ "bl nonleaf; mov x2, x1; site: b f",
		  BYTES("\x00\x02\x00\x94\xe2\x03\x01\xaa\x3e\x02\x00\x14"),
		  0x8, 1, REACHING_UNSET },
		{ "bl nonleaf; site: bl f",
		  BYTES("\x00\x02\x00\x94\x3f\x02\x00\x94"), 0x4, 19, REACHING_ENTRY },
		{ "cmp w0, #3; b.eq f; site: bl f",
		  BYTES("\x1f\x0c\x00\x71\xe0\x47\x00\x54\x3e\x02\x00\x94"),
		  0x8, 0, REACHING_ENTRY },
		{ "cbz x1, 1f; mov x0, x2; 1: site: bl f",
		  BYTES("\x41\x00\x00\xb4\xe0\x03\x02\xaa\x3e\x02\x00\x94"),
		  0x8, 0, REACHING_ENTRY },
		{ "cbz x1, 1f; bl nonleaf; 1: site: bl f",
		  BYTES("\x41\x00\x00\xb4\xff\x01\x00\x94\x3e\x02\x00\x94"),
		  0x8, 2, REACHING_UNKNOWN },
		{ "cbz x1, 1f; br x3; 1: bl nonleaf; nop; site: bl f",
		  BYTES("\x41\x00\x00\xb4\x60\x00\x1f\xd6\xfe\x01\x00\x94\x1f\x20\x03\xd5\x3c\x02"
		  "\x00\x94"), 0x10, 2, REACHING_UNKNOWN },
		{ "cbz x1, 1f; ldr x3, [x1]; br x3; 1: bl nonleaf; nop; site: bl f",
		  BYTES("\x61\x00\x00\xb4\x23\x00\x40\xf9\x60\x00\x1f\xd6\xfd\x01\x00\x94\x1f\x20"
		  "\x03\xd5\x3b\x02\x00\x94"), 0x14, 2, REACHING_UNSET },
		{ "mrs x4, sp_el0; site: bl f",
		  BYTES("\x04\x41\x38\xd5\x3f\x02\x00\x94"), 0x4, 4, REACHING_SET },
		{ "ldr x0, [x1, #8]!; site: bl f",
		  BYTES("\x20\x8c\x40\xf8\x3f\x02\x00\x94"), 0x4, 1, REACHING_SET },
		{ "hvc #0; site: bl f",
		  BYTES("\x02\x00\x00\xd4\x3f\x02\x00\x94"), 0x4, 2, REACHING_SET },
		{ "blr x8; site: bl f",
		  BYTES("\x00\x01\x3f\xd6\x3f\x02\x00\x94"), 0x4, 1, REACHING_UNSET },
	};

	(void)state;
	check_rows(EM_AARCH64, rows, LENGTH(rows), reaching_at_call, REACHING_UNKNOWN);
}

static void test_uses_arm64(void **state)
{
	static const struct code_row rows[] = {
		{ "mov w0, #3; ret", BYTES("\x60\x00\x80\x52\xc0\x03\x5f\xd6"), 0, 0, USE_DEAD },
		{ "movk w0, #3; ret", BYTES("\x60\x00\x80\x72\xc0\x03\x5f\xd6"), 0, 0, USE_READ },
		{ "add w0, w0, #3; ret",
		  BYTES("\x00\x0c\x00\x11\xc0\x03\x5f\xd6"), 0, 0, USE_READ },
		{ "stp x0, x1, [sp, #-16]!; ret",
		  BYTES("\xe0\x07\xbf\xa9\xc0\x03\x5f\xd6"), 0, 1, USE_READ },
		{ "ldp x0, x1, [x2]; ret",
		  BYTES("\x40\x04\x40\xa9\xc0\x03\x5f\xd6"), 0, 1, USE_DEAD },
		{ "str x0, [x1, x2, lsl #3]; ret",
		  BYTES("\x20\x78\x22\xf8\xc0\x03\x5f\xd6"), 0, 2, USE_READ },
		{ "cbz w0, 1f; 1: ret", BYTES("\x20\x00\x00\x34\xc0\x03\x5f\xd6"), 0, 0, USE_READ },
		{ "tbnz w1, #3, 1f; 1: ret",
		  BYTES("\x21\x00\x18\x37\xc0\x03\x5f\xd6"), 0, 1, USE_READ },
		{ "eor x0, x0, x0; ret",
		  BYTES("\x00\x00\x00\xca\xc0\x03\x5f\xd6"), 0, 0, USE_DEAD },
		{ "eor x0, x0, x1; ret",
		  BYTES("\x00\x00\x01\xca\xc0\x03\x5f\xd6"), 0, 0, USE_READ },
		{ "bfi x0, x1, #3, #4; ret",
		  BYTES("\x20\x0c\x7d\xb3\xc0\x03\x5f\xd6"), 0, 0, USE_READ },
		{ "ubfx x0, x1, #3, #4; ret",
		  BYTES("\x20\x18\x43\xd3\xc0\x03\x5f\xd6"), 0, 0, USE_DEAD },
		{ "csel x0, x1, x2, eq; ret",
		  BYTES("\x20\x00\x82\x9a\xc0\x03\x5f\xd6"), 0, 2, USE_READ },
		{ "ccmp x1, #3, #0, eq; ret",
		  BYTES("\x20\x08\x43\xfa\xc0\x03\x5f\xd6"), 0, 3, USE_DEAD },
		{ "ldadd x1, x2, [x3]; ret",
		  BYTES("\x62\x00\x21\xf8\xc0\x03\x5f\xd6"), 0, 2, USE_DEAD },
		{ "casp x0, x1, x2, x3, [x4]; ret",
		  BYTES("\x82\x7c\x20\x48\xc0\x03\x5f\xd6"), 0, 1, USE_READ },
		{ "madd x0, x1, x2, x3; ret",
		  BYTES("\x20\x0c\x02\x9b\xc0\x03\x5f\xd6"), 0, 3, USE_READ },
		{ "msr daif, x3; ret", BYTES("\x23\x42\x1b\xd5\xc0\x03\x5f\xd6"), 0, 3, USE_READ },
		{ "mrs x3, sp_el0; ret",
		  BYTES("\x03\x41\x38\xd5\xc0\x03\x5f\xd6"), 0, 3, USE_DEAD },
		{ "ldr x0, 1f; 1: ret", BYTES("\x20\x00\x00\x58\xc0\x03\x5f\xd6"), 0, 0, USE_DEAD },
		{ "fmov d0, x0; ret", BYTES("\x00\x00\x67\x9e\xc0\x03\x5f\xd6"), 0, 0, USE_READ },
		{ "fmov x0, d0; ret", BYTES("\x00\x00\x66\x9e\xc0\x03\x5f\xd6"), 0, 0, USE_DEAD },
		{ "prfm pldl1keep, [x0]; ret",
		  BYTES("\x00\x00\x80\xf9\xc0\x03\x5f\xd6"), 0, 0, USE_READ },
		{ "paciasp; bti c; nop; ret",
		  BYTES("\x3f\x23\x03\xd5\x5f\x24\x03\xd5\x1f\x20\x03\xd5\xc0\x03\x5f\xd6"),
		  0, 0, USE_DEAD },
		{ "bl f; ret", BYTES("\x40\x02\x00\x94\xc0\x03\x5f\xd6"), 0, 0, USE_PASSED },
		{ "b f", BYTES("\x40\x02\x00\x14"), 0, 0, USE_PASSED },
		{ "br x0", BYTES("\x00\x00\x1f\xd6"), 0, 0, USE_READ },
		{ "brk #0x800; mov x1, x0; ret",
		  BYTES("\x00\x00\x21\xd4\xe1\x03\x00\xaa\xc0\x03\x5f\xd6"), 0, 0, USE_READ },
		{ "hvc #0; ret", BYTES("\x02\x00\x00\xd4\xc0\x03\x5f\xd6"), 0, 1, USE_UNKNOWN },
		{ "ptrue p0.b; mov x0, #0; ret",
		  BYTES("\xe0\xe3\x18\x25\x00\x00\x80\xd2\xc0\x03\x5f\xd6"), 0, 0, USE_UNKNOWN },
	};

	(void)state;
	check_rows(EM_AARCH64, rows, LENGTH(rows), use_at_entry, USE_UNKNOWN);
}

/* For a vector register the only answer besides "unknown" is that it is read. */
static void test_vectors_arm64(void **state)
{
	enum { V0 = 64 };
	static const struct code_row rows[] = {
		{ "fadd s0, s1, s2; ret",
		  BYTES("\x20\x28\x22\x1e\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_READ },
		{ "fadd s0, s1, s2; ret",
		  BYTES("\x20\x28\x22\x1e\xc0\x03\x5f\xd6"), 0, V0 + 2, USE_READ },
		{ "fadd s0, s1, s2; ret",
		  BYTES("\x20\x28\x22\x1e\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_UNKNOWN },
		{ "fadd s0, s1, s2; ret",
		  BYTES("\x20\x28\x22\x1e\xc0\x03\x5f\xd6"), 0, V0 + 3, USE_UNKNOWN },
		{ "fmadd d0, d1, d2, d3; ret",
		  BYTES("\x20\x0c\x42\x1f\xc0\x03\x5f\xd6"), 0, V0 + 3, USE_READ },
		{ "fcmp s0, s1; ret",
		  BYTES("\x00\x20\x21\x1e\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_READ },
		{ "fcmp s0, s1; ret",
		  BYTES("\x00\x20\x21\x1e\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_READ },
		{ "fcmp s1, #0.0; ret",
		  BYTES("\x28\x20\x20\x1e\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_READ },
		{ "fcmp s1, #0.0; ret",
		  BYTES("\x28\x20\x20\x1e\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_UNKNOWN },
		{ "fccmp s0, s1, #0, eq; ret",
		  BYTES("\x00\x04\x21\x1e\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_READ },
		{ "fcsel s0, s1, s2, eq; ret",
		  BYTES("\x20\x0c\x22\x1e\xc0\x03\x5f\xd6"), 0, V0 + 2, USE_READ },
		{ "fcsel s0, s1, s2, eq; ret",
		  BYTES("\x20\x0c\x22\x1e\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_UNKNOWN },
		{ "fcvt d0, s1; ret",
		  BYTES("\x20\xc0\x22\x1e\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_READ },
		{ "fcvt d0, s1; ret",
		  BYTES("\x20\xc0\x22\x1e\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_UNKNOWN },
		{ "fcvtzs w0, s1; ret",
		  BYTES("\x20\x00\x38\x1e\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_READ },
		{ "fcvtzs w0, s1; ret",
		  BYTES("\x20\x00\x38\x1e\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_UNKNOWN },
		{ "fcvtzu x0, d1, #3; ret",
		  BYTES("\x20\xf4\x59\x9e\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_READ },
		{ "fcvtzu x0, d1, #3; ret",
		  BYTES("\x20\xf4\x59\x9e\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_UNKNOWN },
		{ "scvtf s1, w0; ret",
		  BYTES("\x01\x00\x22\x1e\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_UNKNOWN },
		{ "scvtf s1, w0; ret",
		  BYTES("\x01\x00\x22\x1e\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_UNKNOWN },
		{ "scvtf s0, w1, #3; ret",
		  BYTES("\x20\xf4\x02\x1e\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_UNKNOWN },
		{ "fmov w0, s1; ret",
		  BYTES("\x20\x00\x26\x1e\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_READ },
		{ "fmov w0, s1; ret",
		  BYTES("\x20\x00\x26\x1e\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_UNKNOWN },
		{ "fmov s1, w0; ret",
		  BYTES("\x01\x00\x27\x1e\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_UNKNOWN },
		{ "fmov s0, #1.0; ret",
		  BYTES("\x00\x10\x2e\x1e\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_UNKNOWN },
		{ "fmov s0, s1; ret",
		  BYTES("\x20\x40\x20\x1e\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_READ },
		{ "fmov s0, s1; ret",
		  BYTES("\x20\x40\x20\x1e\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_UNKNOWN },
		{ "movi v0.2d, #0; ret",
		  BYTES("\x00\xe4\x00\x6f\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_UNKNOWN },
		{ "str s0, [x1]; ret",
		  BYTES("\x20\x00\x00\xbd\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_READ },
		{ "str s0, [x1]; ret",
		  BYTES("\x20\x00\x00\xbd\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_UNKNOWN },
		{ "str q1, [x0, x2]; ret",
		  BYTES("\x01\x68\xa2\x3c\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_READ },
		{ "str q1, [x0, x2]; ret",
		  BYTES("\x01\x68\xa2\x3c\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_UNKNOWN },
		{ "stur h0, [x1, #1]; ret",
		  BYTES("\x20\x10\x00\x7c\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_READ },
		{ "stp s0, s1, [x2]; ret",
		  BYTES("\x40\x04\x00\x2d\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_READ },
		{ "stp s0, s1, [x2]; ret",
		  BYTES("\x40\x04\x00\x2d\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_READ },
		{ "ldr s1, [x0], #4; ret",
		  BYTES("\x01\x44\x40\xbc\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_UNKNOWN },
		{ "ldp d0, d1, [x2]; ret",
		  BYTES("\x40\x04\x40\x6d\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_UNKNOWN },
		{ "st1 {v0.4s}, [x0]; ret",
		  BYTES("\x00\x78\x00\x4c\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_UNKNOWN },
		{ "mov v0.s[1], v1.s[0]; ret",
		  BYTES("\x20\x04\x0c\x6e\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_READ },
		{ "mov v0.s[1], v1.s[0]; ret",
		  BYTES("\x20\x04\x0c\x6e\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_UNKNOWN },
		{ "mov w0, v0.s[1]; ret",
		  BYTES("\x00\x3c\x0c\x0e\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_READ },
		{ "mov s0, v1.s[1]; ret",
		  BYTES("\x20\x04\x0c\x5e\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_READ },
		{ "mov s0, v1.s[1]; ret",
		  BYTES("\x20\x04\x0c\x5e\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_UNKNOWN },
		{ "dup v0.4s, v1.s[0]; ret",
		  BYTES("\x20\x04\x04\x4e\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_READ },
		{ "dup v0.4s, v1.s[0]; ret",
		  BYTES("\x20\x04\x04\x4e\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_UNKNOWN },
		{ "dup v1.4s, w0; ret",
		  BYTES("\x01\x0c\x04\x4e\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_UNKNOWN },
		{ "mov v1.16b, v0.16b; ret",
		  BYTES("\x01\x1c\xa0\x4e\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_READ },
		{ "eor v0.16b, v0.16b, v0.16b; ret",
		  BYTES("\x00\x1c\x20\x6e\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_UNKNOWN },
		{ "sub d0, d0, d0; ret",
		  BYTES("\x00\x84\xe0\x7e\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_UNKNOWN },
		{ "fadd v0.2s, v0.2s, v1.2s; ret",
		  BYTES("\x00\xd4\x21\x0e\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_READ },
		{ "fadd v0.2s, v0.2s, v1.2s; ret",
		  BYTES("\x00\xd4\x21\x0e\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_READ },
		{ "scvtf s0, s1; ret",
		  BYTES("\x20\xd8\x21\x5e\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_READ },
		{ "faddp s0, v1.2s; ret",
		  BYTES("\x20\xd8\x30\x7e\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_READ },
		{ "shl v0.2s, v1.2s, #3; ret",
		  BYTES("\x20\x54\x23\x0f\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_READ },
		{ "shl v0.2s, v1.2s, #3; ret",
		  BYTES("\x20\x54\x23\x0f\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_UNKNOWN },
		{ "fmul v0.2s, v1.2s, v2.s[0]; ret",
		  BYTES("\x20\x90\x82\x0f\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_READ },
		{ "fmul v0.2s, v1.2s, v2.s[0]; ret",
		  BYTES("\x20\x90\x82\x0f\xc0\x03\x5f\xd6"), 0, V0 + 2, USE_UNKNOWN },
		{ "smull v0.2d, v1.2s, v2.2s; ret",
		  BYTES("\x20\xc0\xa2\x0e\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_READ },
		{ "smull v0.2d, v1.2s, v2.2s; ret",
		  BYTES("\x20\xc0\xa2\x0e\xc0\x03\x5f\xd6"), 0, V0 + 2, USE_READ },
		{ "ext v0.16b, v0.16b, v1.16b, #4; ret",
		  BYTES("\x00\x20\x01\x6e\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_UNKNOWN },
		{ "add x0, x0, x1; ret",
		  BYTES("\x00\x00\x01\x8b\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_UNKNOWN },
		{ "fmov s1, w0; fadd s0, s1, s2; ret",
		  BYTES("\x01\x00\x27\x1e\x20\x28\x22\x1e\xc0\x03\x5f\xd6"),
		  0, V0 + 1, USE_UNKNOWN },
		{ "fmov s1, w0; fadd s0, s1, s2; ret",
		  BYTES("\x01\x00\x27\x1e\x20\x28\x22\x1e\xc0\x03\x5f\xd6"), 0, V0 + 2, USE_READ },
		{ "ld1 {v1.4s}, [x0]; fadd s0, s1, s2; ret",
		  BYTES("\x01\x78\x40\x4c\x20\x28\x22\x1e\xc0\x03\x5f\xd6"),
		  0, V0 + 2, USE_UNKNOWN },
		{ "bl f; fadd s0, s1, s8; ret",
		  BYTES("\x40\x02\x00\x94\x20\x28\x28\x1e\xc0\x03\x5f\xd6"),
		  0, V0 + 1, USE_UNKNOWN },
		{ "bl f; fadd s0, s1, s8; ret",
		  BYTES("\x40\x02\x00\x94\x20\x28\x28\x1e\xc0\x03\x5f\xd6"), 0, V0 + 8, USE_READ },
		{ "cbz x0, 1f; fmov s1, w0; 1: fneg s0, s1; ret",
		  BYTES("\x40\x00\x00\xb4\x01\x00\x27\x1e\x20\x40\x21\x1e\xc0\x03\x5f\xd6"),
		  0, V0 + 1, USE_READ },
	};

	(void)state;
	check_rows(EM_AARCH64, rows, LENGTH(rows), use_at_entry, USE_UNKNOWN);
}

static void test_after_x86(void **state)
{
	static const struct code_row rows[] = {
		{ "call leaf; site: test al, al; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\x84\xc0\xc3"), 0x5, RAX, USE_READ },
		{ "call leaf; site: mov eax, 1; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\xb8\x01\x00\x00\x00\xc3"), 0x5, RAX, USE_DEAD },
		{ "call leaf; site: xor eax, eax; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\x31\xc0\xc3"), 0x5, RAX, USE_DEAD },
		{ "call leaf; site: setne al; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\x0f\x95\xc0\xc3"), 0x5, RAX, USE_DEAD },
		{ "call leaf; site: ret",
		  BYTES("\xe8\x3b\x08\x00\x00\xc3"), 0x5, RAX, USE_PASSED },
		{ "call leaf; site: jmp empty",
		  BYTES("\xe8\x3b\x08\x00\x00\xe9\x96\x08\x00\x00"), 0x5, RAX, USE_PASSED },
		{ "call leaf; site: mov rbx, rdx; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\x48\x89\xd3\xc3"), 0x5, RDX, USE_UNKNOWN },
		{ "call leaf; site: mov rbx, rax; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\x48\x89\xc3\xc3"), 0x5, RDX, USE_PASSED },
		{ "call leaf; site: test edi, edi; je 1f; mov ebx, eax; 1: xor eax, eax; "
		  "ret",
		  BYTES("\xe8\x3b\x08\x00\x00\x85\xff\x74\x02\x89\xc3\x31\xc0\xc3"),
		  0x5, RAX, USE_READ },
		{ "call leaf; site: test edi, edi; je 1f; mov eax, 1; 1: ret",
		  BYTES("\xe8\x3b\x08\x00\x00\x85\xff\x74\x05\xb8\x01\x00\x00\x00\xc3"),
		  0x5, RAX, USE_PASSED },
		{ "call leaf; site: test edi, edi; je 1f; xor eax, eax; ret; "
		  "1: mov eax, 1; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\x85\xff\x74\x03\x31\xc0\xc3\xb8\x01\x00\x00\x00"
			"\xc3"),
		  0x5, RAX, USE_DEAD },
		{ "1: call leaf; site: dec ebx; jne 1b; xor eax, eax; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\xff\xcb\x75\xf7\x31\xc0\xc3"),
		  0x5, RAX, USE_DEAD },
		{ "1: mov ecx, eax; call leaf; site: dec ebx; jne 1b; xor eax, eax; ret",
		  BYTES("\x89\xc1\xe8\x39\x08\x00\x00\xff\xcb\x75\xf5\x31\xc0\xc3"),
		  0x7, RAX, USE_READ },
		{ "call leaf; site: call traced; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\xe8\x36\x09\x00\x00\xc3"), 0x5, RAX, USE_DEAD },
		{ "call leaf; site: call fentry; xor eax, eax; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\xe8\xb6\x08\x00\x00\x31\xc0\xc3"),
		  0x5, RAX, USE_DEAD },
		{ "call leaf; site: call fentry; test eax, eax; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\xe8\xb6\x08\x00\x00\x85\xc0\xc3"),
		  0x5, RAX, USE_READ },
		{ "call leaf; site: call empty; test eax, eax; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\xe8\x96\x08\x00\x00\x85\xc0\xc3"),
		  0x5, RAX, USE_UNKNOWN },
		{ "call leaf; site: call keeper; test eax, eax; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\xe8\x16\x0a\x00\x00\x85\xc0\xc3"),
		  0x5, RAX, USE_UNKNOWN },
		{ "call leaf; site: call keeper; xor eax, eax; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\xe8\x16\x0a\x00\x00\x31\xc0\xc3"),
		  0x5, RAX, USE_DEAD },
		{ "call leaf; site: call getter; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\xe8\x76\x08\x00\x00\xc3"), 0x5, RAX, USE_READ },
		{ "call leaf; site: call trapper; xor eax, eax; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\xe8\x36\x0a\x00\x00\x31\xc0\xc3"),
		  0x5, RAX, USE_DEAD },
		{ "call leaf; site: call trapper; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\xe8\x36\x0a\x00\x00\xc3"),
		  0x5, RDX, USE_UNKNOWN },
		{ "call leaf; site: call thunk; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\xe8\xd6\x08\x00\x00\xc3"), 0x5, RAX, USE_READ },
		{ "call leaf; site: call rax; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\xff\xd0\xc3"), 0x5, RAX, USE_READ },
		{ "call leaf; site: call rbx; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\xff\xd3\xc3"), 0x5, RAX, USE_DEAD },
		{ "call leaf; site: call rbx; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\xff\xd3\xc3"), 0x5, RDX, USE_UNKNOWN },
		{ "call leaf; site: call [0x20000]; test eax, eax; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\xff\x14\x25\x00\x00\x02\x00\x85\xc0\xc3"),
		  0x5, RAX, USE_DEAD },
		{ "call leaf; site: push rax; call traced; pop rcx; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\x50\xe8\x35\x09\x00\x00\x59\xc3"),
		  0x5, RAX, USE_UNKNOWN },
		{ "call leaf; site: ud2",
		  BYTES("\xe8\x3b\x08\x00\x00\x0f\x0b"), 0x5, RAX, USE_DEAD },
		{ "call leaf; site: ud2; mov ebx, eax; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\x0f\x0b\x89\xc3\xc3"), 0x5, RAX, USE_UNKNOWN },
		{ "call leaf; site: ud2; xor eax, eax; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\x0f\x0b\x31\xc0\xc3"), 0x5, RAX, USE_DEAD },
		{ "call leaf; site: jmp leaf",
		  BYTES("\xe8\x3b\x08\x00\x00\xe9\x36\x08\x00\x00"), 0x5, RAX, USE_DEAD },
		{ "call leaf; site: jmp getter",
		  BYTES("\xe8\x3b\x08\x00\x00\xe9\x76\x08\x00\x00"), 0x5, RAX, USE_READ },
		{ "call leaf; site: test edi, edi; je getter; xor eax, eax; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\x85\xff\x0f\x84\x73\x08\x00\x00\x31\xc0\xc3"),
		  0x5, RAX, USE_READ },
		{ "call leaf; site: jmp [rbx]",
		  BYTES("\xe8\x3b\x08\x00\x00\xff\x23"), 0x5, RAX, USE_PASSED },
		{ "call leaf; site: jmp rbx",
		  BYTES("\xe8\x3b\x08\x00\x00\xff\xe3"), 0x5, RAX, USE_UNKNOWN },
		{ "call leaf; site: .byte 0x62, 0x62; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\x62\x62\xc3"), 0x5, RAX, USE_UNKNOWN },
		{ "call leaf; site:",
		  BYTES("\xe8\x3b\x08\x00\x00"), 0x5, RAX, USE_DEAD },
		{ "call leaf; site: nop; nop",
		  BYTES("\xe8\x3b\x08\x00\x00\x90\x90"), 0x5, RAX, USE_DEAD },
		{ "call leaf; site: mov ebx, 1",
		  BYTES("\xe8\x3b\x08\x00\x00\xbb\x01\x00\x00\x00"), 0x5, RAX, USE_PASSED },
		{ "jmp leaf; site:",
		  BYTES("\xe9\x3b\x08\x00\x00"), 0x5, RAX, USE_PASSED },
		{ "jmp 1f; site: nop; 1: ret",
		  BYTES("\xeb\x01\x90\xc3"), 0x2, RAX, USE_UNKNOWN },
		{ "nop; site: test eax, eax; ret",
		  BYTES("\x90\x85\xc0\xc3"), 0x1, RAX, USE_UNKNOWN },
	};

	(void)state;
	check_rows(EM_X86_64, rows, LENGTH(rows), use_after_call, USE_UNKNOWN);
}

static void test_after_arm64(void **state)
{
	static const struct code_row rows[] = {
		{ "bl f; site: cbz w0, 1f; 1: ret",
		  BYTES("\x40\x02\x00\x94\x20\x00\x00\x34\xc0\x03\x5f\xd6"),
		  0x4, 0, USE_READ },
		{ "bl f; site: mov w0, #1; ret",
		  BYTES("\x40\x02\x00\x94\x20\x00\x80\x52\xc0\x03\x5f\xd6"),
		  0x4, 0, USE_DEAD },
		{ "bl f; site: ret",
		  BYTES("\x40\x02\x00\x94\xc0\x03\x5f\xd6"), 0x4, 0, USE_PASSED },
		{ "bl f; site: bl nonleaf; ret",
		  BYTES("\x40\x02\x00\x94\xff\x01\x00\x94\xc0\x03\x5f\xd6"),
		  0x4, 0, USE_UNKNOWN },
		{ "bl f; site: mov x0, x19; bl nonleaf; ret",
		  BYTES("\x40\x02\x00\x94\xe0\x03\x13\xaa\xfe\x01\x00\x94\xc0\x03\x5f\xd6"),
		  0x4, 0, USE_DEAD },
		{ "bl f; site: mov x0, x19; bl nonleaf; ret",
		  BYTES("\x40\x02\x00\x94\xe0\x03\x13\xaa\xfe\x01\x00\x94\xc0\x03\x5f\xd6"),
		  0x4, 1, USE_UNKNOWN },
		{ "bl f; site: mov x2, x1; bl nonleaf; ret",
		  BYTES("\x40\x02\x00\x94\xe2\x03\x01\xaa\xfe\x01\x00\x94\xc0\x03\x5f\xd6"),
		  0x4, 1, USE_READ },
		{ "b f; site:",
		  BYTES("\x40\x02\x00\x14"), 0x4, 0, USE_PASSED },
		{ "bl f; site: brk #0x800",
		  BYTES("\x40\x02\x00\x94\x00\x00\x21\xd4"), 0x4, 0, USE_DEAD },
	};

	(void)state;
	check_rows(EM_AARCH64, rows, LENGTH(rows), use_after_call, USE_UNKNOWN);
}

/* Of a register that is only passed on: does no callee read it? */
static int is_ignored(const struct machine_code *code, const struct code_row *row)
{
	return machine_code_callees_ignore(code, TEXT, TEXT + row->size, row->reg);
}

static void test_ignored_x86(void **state)
{
	static const struct code_row rows[] = {
		{ "call leaf; ret", BYTES("\xe8\x3b\x08\x00\x00\xc3"), 0, RDI, true },
		{ "jmp leaf", BYTES("\xe9\x3b\x08\x00\x00"), 0, RDI, true },
		{ "call nonleaf; ret", BYTES("\xe8\xfb\x07\x00\x00\xc3"), 0, RDI, false },
		{ "xor edi, edi; call nonleaf; ret",
		  BYTES("\x31\xff\xe8\xf9\x07\x00\x00\xc3"), 0, RDI, true },
		{ "call rax; ret", BYTES("\xff\xd0\xc3"), 0, RDI, false },
		{ "call 1f; ret; 1: mov eax, edi; ret",
		  BYTES("\xe8\x01\x00\x00\x00\xc3\x89\xf8\xc3"), 0, RDI, false },
		{ "call 1f; ret; 1: mov eax, edi; ret",
		  BYTES("\xe8\x01\x00\x00\x00\xc3\x89\xf8\xc3"), 0, RSI, true },
	};

	(void)state;
	check_rows(EM_X86_64, rows, LENGTH(rows), is_ignored, false);
}

/*
 * ldr w3, [x1]; ret; mov w1, w0; ret. The second half is reached by a fault, or by a static
 * branch.
 */
static void test_hidden_paths(void **state)
{
	static const char body[] = "\x23\x00\x40\xb9\xc0\x03\x5f\xd6\xe1\x03\x00\x2a"
				   "\xc0\x03\x5f\xd6";

	(void)state;
	for (int path = 0; path < 3; path++) {
		struct machine_image image;
		enum register_use use;

		machine_image_init(&image, EM_AARCH64);
		memcpy(image.text, body, sizeof(body) - 1);
		if (path == 1) {
			image.has_faults = true;
			put_le32(image.faults, TEXT - (TABLES + 0x100));
			put_le32(image.faults + 4, TEXT + 8 - (TABLES + 0x104));
		} else if (path == 2) {
			put_le32(image.tables + 0x40, TEXT - (TABLES + 0x40));
			put_le32(image.tables + 0x44, TEXT + 8 - (TABLES + 0x44));
		}
		machine_image_open(&image);
		use = machine_code_entry_use(&image.code, TEXT, TEXT + 16, 0);
		assert_int_equal(use, path ? USE_READ : USE_DEAD);
		machine_image_close(&image);
	}
}

/* A callee that is one jump after the other: the walk over it ends. */
static void test_chain_of_jumps(void **state)
{
	static const uint8_t call[] = { 0xe8, 0x03, 0x00, 0x00, 0x00, 0x89, 0xf8, 0xc3 };
	struct machine_image image;

	(void)state;
	machine_image_init(&image, EM_X86_64);
	memcpy(image.text, call, sizeof(call));	/* call TEXT + 8; mov %edi, %eax; ret */
	for (size_t i = 8; i + 1 < TEXT_BYTES; i += 2)
		image.text[i] = 0xeb;		/* jmp to the next one */
	for (size_t i = 9; i < TEXT_BYTES; i += 2)
		image.text[i] = 0;
	machine_image_open(&image);
	assert_int_equal(machine_code_reaching_at_call(&image.code, TEXT, TEXT + 8, TEXT, 5),
			 DECODES_X86 ? REACHING_ENTRY : REACHING_UNKNOWN);
	assert_int_equal(machine_code_entry_use(&image.code, TEXT, TEXT + 8, 5), USE_UNKNOWN);
	assert_int_equal(machine_code_use_after(&image.code, TEXT, TEXT + 8, TEXT + 5, 0),
			 DECODES_X86 ? USE_DEAD : USE_UNKNOWN);
	machine_image_close(&image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reaching_x86),
		cmocka_unit_test(test_uses_x86),
		cmocka_unit_test(test_reaching_arm64),
		cmocka_unit_test(test_uses_arm64),
		cmocka_unit_test(test_vectors_arm64),
		cmocka_unit_test(test_after_x86),
		cmocka_unit_test(test_after_arm64),
		cmocka_unit_test(test_ignored_x86),
		cmocka_unit_test(test_hidden_paths),
		cmocka_unit_test(test_chain_of_jumps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
