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

/* Of a register that is only passed on: does no callee read it? */
static int is_ignored(const struct machine_code *code, const struct code_row *row)
{
	return machine_code_callees_ignore(code, TEXT, TEXT + row->size, row->reg);
}

/* `unknown` is the answer where instructions are not decoded. */
static void check_table(const struct code_row *rows, size_t count, uint16_t machine,
			int (*ask)(const struct machine_code *code, const struct code_row *row),
			int unknown)
{
	bool decodes = machine != EM_X86_64 || DECODES_X86;

	for (size_t i = 0; i < count; i++) {
		int expected = decodes ? rows[i].answer : unknown, answer;
		struct machine_image image;

		machine_image_with(&image, machine, rows[i].bytes, rows[i].size);
		answer = ask(&image.code, &rows[i]);
		if (answer != expected)
			fail_msg("%s: register %u: %d, not %d", rows[i].text, rows[i].reg, answer,
				 expected);
		machine_image_close(&image);
	}
}

#define ROW(answer, reg, site, text, bytes) { text, BYTES(bytes), site, reg, answer }
#define REACHES(answer, reg, site, text, bytes) ROW(REACHING_##answer, reg, site, text, bytes)
#define USES(answer, reg, text, bytes)		ROW(USE_##answer, reg, 0, text, bytes)
#define AFTER(answer, reg, site, text, bytes)	ROW(USE_##answer, reg, site, text, bytes)
#define IGNORED(answer, reg, text, bytes)	ROW(answer, reg, 0, text, bytes)
#define CALL_LEAF				"\xe8\x3b\x08\x00\x00"

static const struct code_row reaching_x86[] = {
	REACHES(SET, RDI, 5, "mov edi, 1; site: call f",
		"\xbf\x01\x00\x00\x00\xe8\xf6\x08\x00\x00"),
	REACHES(SET, RDI, 3, "mov dil, 1; site: call f", "\x40\xb7\x01\xe8\xf8\x08\x00\x00"),
	REACHES(SET, RDI, 2, "xor edi, edi; site: call f", "\x31\xff\xe8\xf9\x08\x00\x00"),
	REACHES(ENTRY, RDI, 6, "test edi, 0x1000; site: call f",
		"\xf7\xc7\x00\x10\x00\x00\xe8\xf5\x08\x00\x00"),
	REACHES(ENTRY, RDI, 4, "cmp rdi, 3; site: call f", "\x48\x83\xff\x03\xe8\xf7\x08\x00\x00"),
	REACHES(ENTRY, RDI, 1, "push rdi; site: call f", "\x57\xe8\xfa\x08\x00\x00"),
	REACHES(UNSET, RDI, 5, "call nonleaf; site: call f",
		"\xe8\xfb\x07\x00\x00\xe8\xf6\x08\x00\x00"),
	REACHES(SET, RDI, 6, "call nonleaf; pop rdi; site: call f",
		"\xe8\xfb\x07\x00\x00\x5f\xe8\xf5\x08\x00\x00"),
	REACHES(SET, RDI, 8, "call nonleaf; mov rdi, rax; site: call f",
		"\xe8\xfb\x07\x00\x00\x48\x89\xc7\xe8\xf3\x08\x00\x00"),
	REACHES(UNSET, RSI, 8, "call nonleaf; mov rdi, rax; site: call f",
		"\xe8\xfb\x07\x00\x00\x48\x89\xc7\xe8\xf3\x08\x00\x00"),
	REACHES(ENTRY, RBX, 5, "call nonleaf; site: call f",
		"\xe8\xfb\x07\x00\x00\xe8\xf6\x08\x00\x00"),
	REACHES(UNSET, RDI, 5, "call nonleaf; site: jmp f",
		"\xe8\xfb\x07\x00\x00\xe9\xf6\x08\x00\x00"),
	REACHES(UNSET, RDI, 7, "call nonleaf; test eax, eax; site: je f",
		"\xe8\xfb\x07\x00\x00\x85\xc0\x0f\x84\xf3\x08\x00\x00"),
	REACHES(ENTRY, RDI, 5, "call fentry; site: call f",
		"\xe8\xbb\x08\x00\x00\xe8\xf6\x08\x00\x00"),
	REACHES(UNSET, RDI, 2, "call rax; site: call f", "\xff\xd0\xe8\xf9\x08\x00\x00"),
	REACHES(UNSET, RDI, 3, "call [rax + 8]; site: call f", "\xff\x50\x08\xe8\xf8\x08\x00\x00"),
	REACHES(UNSET, RDI, 5, "call thunk; site: call f",
		"\xe8\xdb\x08\x00\x00\xe8\xf6\x08\x00\x00"),
	REACHES(UNKNOWN, RDI, 5, "call leaf; site: call f",
		"\xe8\x3b\x08\x00\x00\xe8\xf6\x08\x00\x00"),
	REACHES(UNKNOWN, RDI, 5, "call saver; site: call f",
		"\xe8\x5b\x08\x00\x00\xe8\xf6\x08\x00\x00"),
	REACHES(UNSET, RSI, 5, "call saver; site: call f",
		"\xe8\x5b\x08\x00\x00\xe8\xf6\x08\x00\x00"),
	REACHES(UNKNOWN, RDX, 5, "call getter; site: call f",
		"\xe8\x7b\x08\x00\x00\xe8\xf6\x08\x00\x00"),
	REACHES(UNSET, RDI, 5, "call trasher; site: call f",
		"\xe8\x5b\x0a\x00\x00\xe8\xf6\x08\x00\x00"),
	REACHES(UNKNOWN, RDX, 5, "call trasher; site: call f",
		"\xe8\x5b\x0a\x00\x00\xe8\xf6\x08\x00\x00"),
	REACHES(UNSET, RDI, 5, "call traced; site: call f",
		"\xe8\x3b\x09\x00\x00\xe8\xf6\x08\x00\x00"),
	REACHES(UNKNOWN, RDI, 7, "call [0x20000]; site: call f",
		"\xff\x14\x25\x00\x00\x02\x00\xe8\xf4\x08\x00\x00"),
	REACHES(UNKNOWN, RDI, 10, "mov edi, 1; call leaf; site: call f",
		"\xbf\x01\x00\x00\x00\xe8\x36\x08\x00\x00\xe8\xf1\x08\x00\x00"),
	REACHES(UNSET, RDI, 10, "call nonleaf; call leaf; site: call f",
		"\xe8\xfb\x07\x00\x00\xe8\x36\x08\x00\x00\xe8\xf1\x08\x00\x00"),
	REACHES(ENTRY, RDI, 9, "test esi, esi; je 1f; mov edi, 1; 1: site: call f",
		"\x85\xf6\x74\x05\xbf\x01\x00\x00\x00\xe8\xf2\x08\x00\x00"),
	REACHES(SET, RDI, 8, "mov dil, 2; jrcxz 1f; mov dil, 1; 1: site: call f",
		"\x40\xb7\x02\xe3\x03\x40\xb7\x01\xe8\xf3\x08\x00\x00"),
	REACHES(UNKNOWN, RDI, 10, "call nonleaf; jrcxz 1f; mov dil, 1; 1: site: call f",
		"\xe8\xfb\x07\x00\x00\xe3\x03\x40\xb7\x01\xe8\xf1\x08\x00\x00"),
	REACHES(UNSET, RDI, 0, "1: site: call f; test eax, eax; jne 1b; ret",
		"\xe8\xfb\x08\x00\x00\x85\xc0\x75\xf7\xc3"),
	REACHES(SET, RDI, 3, "1: mov rdi, rbx; site: call f; test eax, eax; jne 1b; ret",
		"\x48\x89\xdf\xe8\xf8\x08\x00\x00\x85\xc0\x75\xf4\xc3"),
	REACHES(UNKNOWN, RDI, 9, "test esi, esi; je 1f; call nonleaf; 1: site: call f",
		"\x85\xf6\x74\x05\xe8\xf7\x07\x00\x00\xe8\xf2\x08\x00\x00"),
	REACHES(UNKNOWN, RDI, 11, "test esi, esi; je 1f; call nonleaf; nop; nop; 1: site: call f",
		"\x85\xf6\x74\x07\xe8\xf7\x07\x00\x00\x90\x90\xe8\xf0\x08\x00\x00"),
	REACHES(SET, RDI, 11, "mov edi, 1; test esi, esi; je 1f; ud2; 1: site: call f",
		"\xbf\x01\x00\x00\x00\x85\xf6\x74\x02\x0f\x0b\xe8\xf0\x08\x00\x00"),
	REACHES(UNKNOWN, RDI, 7, "call nonleaf; ud2; site: call f",
		"\xe8\xfb\x07\x00\x00\x0f\x0b\xe8\xf4\x08\x00\x00"),
	REACHES(UNKNOWN, RDI, 6, "ret; call nonleaf; site: call f",
		"\xc3\xe8\xfa\x07\x00\x00\xe8\xf5\x08\x00\x00"),
	REACHES(SET, RDI, 6, "ret; mov edi, 1; site: call f",
		"\xc3\xbf\x01\x00\x00\x00\xe8\xf5\x08\x00\x00"),
	REACHES(UNKNOWN, RDI, 7, "jmp rax; call nonleaf; site: call f",
		"\xff\xe0\xe8\xf9\x07\x00\x00\xe8\xf4\x08\x00\x00"),
	REACHES(UNKNOWN, RDI, 11, "test esi, esi; je 1f; jmp rax; 1: call nonleaf; site: call f",
		"\x85\xf6\x74\x02\xff\xe0\xe8\xf5\x07\x00\x00\xe8\xf0\x08\x00\x00"),
	REACHES(SET, RDI, 11, "test esi, esi; je 1f; jmp rax; 1: mov edi, 1; site: call f",
		"\x85\xf6\x74\x02\xff\xe0\xbf\x01\x00\x00\x00\xe8\xf0\x08\x00\x00"),
	REACHES(UNSET, RDI, 13,
		"jrcxz 1f; mov rax, [rsi]; jmp rax; 1: call nonleaf; nop; site: call f",
		"\xe3\x05\x48\x8b\x06\xff\xe0\xe8\xf4\x07\x00\x00\x90\xe8\xee\x08\x00\x00"),
	REACHES(UNKNOWN, RDI, 12,
		"jrcxz 1f; mov eax, [rsi + rax * 8]; jmp rax; 1: call nonleaf; site: call f",
		"\xe3\x05\x8b\x04\xc6\xff\xe0\xe8\xf4\x07\x00\x00\xe8\xef\x08\x00\x00"),
	REACHES(UNSET, RDI, 16, "call nonleaf; jmp [table + rax * 8]; ud2; nop; nop; site: call f",
		"\xe8\xfb\x07\x00\x00\xff\x24\xc5\x00\x00\x02\x00\x0f\x0b\x90\x90\xe8\xeb\x08\x00"
		"\x00"),
	REACHES(UNKNOWN, RDI, 13, "call nonleaf; test eax, eax; je outside; site: call f",
		"\xe8\xfb\x07\x00\x00\x85\xc0\x0f\x84\xf3\x09\x00\x00\xe8\xee\x08\x00\x00"),
	REACHES(NO_CALL, RDI, 10, "mov edi, 1; call f; site: ret",
		"\xbf\x01\x00\x00\x00\xe8\xf6\x08\x00\x00\xc3"),
	REACHES(NO_CALL, RDI, 1, ".byte 0xb8; site: call f", "\xb8\xe8\xfa\x08\x00\x00"),
	REACHES(UNKNOWN, RDI, 7, "mov edi, 1; .byte 0x62, 0x62; site: call f",
		"\xbf\x01\x00\x00\x00\x62\x62\xe8\xf4\x08\x00\x00"),
	REACHES(SET, RCX, 2, "cpuid; site: call f", "\x0f\xa2\xe8\xf9\x08\x00\x00"),
	REACHES(SET, RSI, 2, "rep movsb; site: call f", "\xf3\xa4\xe8\xf9\x08\x00\x00"),
	REACHES(SET, RDX, 2, "rdmsr; site: call f", "\x0f\x32\xe8\xf9\x08\x00\x00"),
};

static const struct code_row uses_x86[] = {
	USES(UNKNOWN, 17, "movss [rdi], xmm0; ret", "\xf3\x0f\x11\x07\xc3"),
	USES(READ, RDI, "mov eax, [rdi]; ret", "\x8b\x07\xc3"),
	USES(READ, RDI, "mov rax, [rsi + rdi]; ret", "\x48\x8b\x04\x3e\xc3"),
	USES(DEAD, RDI, "xor edi, edi; mov eax, edi; ret", "\x31\xff\x89\xf8\xc3"),
	USES(DEAD, RDI, "sbb edi, edi; ret", "\x19\xff\xc3"),
	USES(READ, RDI, "xor edi, esi; ret", "\x31\xf7\xc3"),
	USES(DEAD, RDI, "or edi, -1; ret", "\x83\xcf\xff\xc3"),
	USES(READ, RDI, "or edi, 1; ret", "\x83\xcf\x01\xc3"),
	USES(DEAD, RDI, "nop dword ptr [rdi + rax]; ret", "\x0f\x1f\x04\x07\xc3"),
	USES(READ, RDI, "test edi, 0x1000; ret", "\xf7\xc7\x00\x10\x00\x00\xc3"),
	USES(UNKNOWN, RDI, "push rdi; xor edi, edi; call f; pop rdi; ret",
	     "\x57\x31\xff\xe8\xf8\x08\x00\x00\x5f\xc3"),
	USES(READ, RDI, "push [rdi]; pop rax; ret", "\xff\x37\x58\xc3"),
	USES(DEAD, RDI, "ret", "\xc3"),
	USES(PASSED, RDI, "call f; ret", "\xe8\xfb\x08\x00\x00\xc3"),
	USES(DEAD, RDI, "xor edi, edi; call f; ret", "\x31\xff\xe8\xf9\x08\x00\x00\xc3"),
	USES(PASSED, RDI, "jmp f", "\xe9\xfb\x08\x00\x00"),
	USES(DEAD, RDI, "jmp return_thunk", "\xe9\x9b\x08\x00\x00"),
	USES(DEAD, RDI, "call fentry; ret", "\xe8\xbb\x08\x00\x00\xc3"),
	USES(READ, RDI, "call fentry; mov eax, edi; ret", "\xe8\xbb\x08\x00\x00\x89\xf8\xc3"),
	USES(READ, RDI, "test esi, esi; je 1f; mov eax, edi; 1: ret",
	     "\x85\xf6\x74\x02\x89\xf8\xc3"),
	USES(PASSED, RDI, "test esi, esi; je f; ret", "\x85\xf6\x0f\x84\xf8\x08\x00\x00\xc3"),
	USES(READ, RDX, "call fentry; test esi, esi; je outside; ret",
	     "\xe8\xbb\x08\x00\x00\x85\xf6\x0f\x84\xf3\x09\x00\x00\xc3"),
	USES(PASSED, RDI, "call f; mov eax, edi; ret", "\xe8\xfb\x08\x00\x00\x89\xf8\xc3"),
	USES(UNKNOWN, RDI, "call leaf; mov eax, edi; ret", "\xe8\x3b\x08\x00\x00\x89\xf8\xc3"),
	USES(READ, RDI, "call rdi; ret", "\xff\xd7\xc3"),
	USES(UNKNOWN, RDI, "jmp rax", "\xff\xe0"),
	USES(PASSED, RDI, "mov rax, [rsi]; jmp rax", "\x48\x8b\x06\xff\xe0"),
	USES(PASSED, RDI, "jmp [rax + 8]", "\xff\x60\x08"),
	USES(UNKNOWN, RDI, "vmcall; ret", "\x0f\x01\xc1\xc3"),
	USES(UNKNOWN, RDI, "test esi, esi; je 1f; mov edi, 1; jmp 2f; 1: ud2; 2: mov eax, edi; ret",
	     "\x85\xf6\x74\x07\xbf\x01\x00\x00\x00\xeb\x02\x0f\x0b\x89\xf8\xc3"),
	USES(READ, RDI, "ud2; mov eax, edi; ret", "\x0f\x0b\x89\xf8\xc3"),
	USES(READ, RDI, ".byte 0x67, 0x0f, 0xb9, 0x40, 0x05; mov eax, edi; ret",
	     "\x67\x0f\xb9\x40\x05\x89\xf8\xc3"),
	USES(UNKNOWN, RDI, ".byte 0x62, 0x62; ret", "\x62\x62\xc3"),
	/* Neither capstone 4 nor 5 knows it. */
	USES(UNKNOWN, RDX, "rdpru; ret", "\x0f\x01\xfd\xc3"),
	USES(READ, RDI, "test esi, esi; cmove edi, edx; mov eax, edi; ret",
	     "\x85\xf6\x0f\x44\xfa\x89\xf8\xc3"),
	USES(READ, RCX, "rep stosb; ret", "\xf3\xaa\xc3"),
	USES(DEAD, RDI, "xor edi, edi; nop; jmp 1f; 1: mov eax, edi; ret",
	     "\x31\xff\x90\xeb\x00\x89\xf8\xc3"),
};

static const struct code_row reaching_arm64[] = {
	REACHES(SET, 0, 4, "mov w0, #1; site: bl f", "\x20\x00\x80\x52\x3f\x02\x00\x94"),
	REACHES(SET, 0, 4, "movk w0, #1; site: bl f", "\x20\x00\x80\x72\x3f\x02\x00\x94"),
	REACHES(UNKNOWN, 0, 4, "bl nonleaf; site: bl f", "\x00\x02\x00\x94\x3f\x02\x00\x94"),
	REACHES(UNSET, 1, 4, "bl nonleaf; site: bl f", "\x00\x02\x00\x94\x3f\x02\x00\x94"),
	REACHES(SET, 1, 8, "bl nonleaf; ldp x2, x1, [sp, #16]; site: bl f",
		"\x00\x02\x00\x94\xe2\x07\x41\xa9\x3e\x02\x00\x94"),
	REACHES(UNSET, 1, 8, "bl nonleaf; mov x2, x1; site: b f",
		"\x00\x02\x00\x94\xe2\x03\x01\xaa\x3e\x02\x00\x14"),
	REACHES(ENTRY, 19, 4, "bl nonleaf; site: bl f", "\x00\x02\x00\x94\x3f\x02\x00\x94"),
	REACHES(ENTRY, 0, 8, "cmp w0, #3; b.eq f; site: bl f",
		"\x1f\x0c\x00\x71\xe0\x47\x00\x54\x3e\x02\x00\x94"),
	REACHES(ENTRY, 0, 8, "cbz x1, 1f; mov x0, x2; 1: site: bl f",
		"\x41\x00\x00\xb4\xe0\x03\x02\xaa\x3e\x02\x00\x94"),
	REACHES(UNKNOWN, 2, 8, "cbz x1, 1f; bl nonleaf; 1: site: bl f",
		"\x41\x00\x00\xb4\xff\x01\x00\x94\x3e\x02\x00\x94"),
	REACHES(UNKNOWN, 2, 16, "cbz x1, 1f; br x3; 1: bl nonleaf; nop; site: bl f",
		"\x41\x00\x00\xb4\x60\x00\x1f\xd6\xfe\x01\x00\x94\x1f\x20\x03\xd5\x3c\x02\x00\x94"),
	REACHES(UNSET, 2, 20, "cbz x1, 1f; ldr x3, [x1]; br x3; 1: bl nonleaf; nop; site: bl f",
		"\x61\x00\x00\xb4\x23\x00\x40\xf9\x60\x00\x1f\xd6\xfd\x01\x00\x94\x1f\x20\x03\xd5"
		"\x3b\x02\x00\x94"),
	REACHES(SET, 4, 4, "mrs x4, sp_el0; site: bl f", "\x04\x41\x38\xd5\x3f\x02\x00\x94"),
	REACHES(SET, 1, 4, "ldr x0, [x1, #8]!; site: bl f", "\x20\x8c\x40\xf8\x3f\x02\x00\x94"),
	REACHES(SET, 2, 4, "hvc #0; site: bl f", "\x02\x00\x00\xd4\x3f\x02\x00\x94"),
	REACHES(UNSET, 1, 4, "blr x8; site: bl f", "\x00\x01\x3f\xd6\x3f\x02\x00\x94"),
};

static const struct code_row uses_arm64[] = {
	USES(DEAD, 0, "mov w0, #3; ret", "\x60\x00\x80\x52" RET),
	USES(READ, 0, "movk w0, #3; ret", "\x60\x00\x80\x72" RET),
	USES(READ, 0, "add w0, w0, #3; ret", "\x00\x0c\x00\x11" RET),
	USES(READ, 1, "stp x0, x1, [sp, #-16]!; ret", "\xe0\x07\xbf\xa9" RET),
	USES(DEAD, 1, "ldp x0, x1, [x2]; ret", "\x40\x04\x40\xa9" RET),
	USES(READ, 2, "str x0, [x1, x2, lsl #3]; ret", "\x20\x78\x22\xf8" RET),
	USES(READ, 0, "cbz w0, 1f; 1: ret", "\x20\x00\x00\x34" RET),
	USES(READ, 1, "tbnz w1, #3, 1f; 1: ret", "\x21\x00\x18\x37" RET),
	USES(DEAD, 0, "eor x0, x0, x0; ret", "\x00\x00\x00\xca" RET),
	USES(READ, 0, "eor x0, x0, x1; ret", "\x00\x00\x01\xca" RET),
	USES(READ, 0, "bfi x0, x1, #3, #4; ret", "\x20\x0c\x7d\xb3" RET),
	USES(DEAD, 0, "ubfx x0, x1, #3, #4; ret", "\x20\x18\x43\xd3" RET),
	USES(READ, 2, "csel x0, x1, x2, eq; ret", "\x20\x00\x82\x9a" RET),
	USES(DEAD, 3, "ccmp x1, #3, #0, eq; ret", "\x20\x08\x43\xfa" RET),
	USES(DEAD, 2, "ldadd x1, x2, [x3]; ret", "\x62\x00\x21\xf8" RET),
	USES(READ, 1, "casp x0, x1, x2, x3, [x4]; ret", "\x82\x7c\x20\x48" RET),
	USES(READ, 3, "madd x0, x1, x2, x3; ret", "\x20\x0c\x02\x9b" RET),
	USES(READ, 3, "msr daif, x3; ret", "\x23\x42\x1b\xd5" RET),
	USES(DEAD, 3, "mrs x3, sp_el0; ret", "\x03\x41\x38\xd5" RET),
	USES(DEAD, 0, "ldr x0, 1f; 1: ret", "\x20\x00\x00\x58" RET),
	USES(READ, 0, "fmov d0, x0; ret", "\x00\x00\x67\x9e" RET),
	USES(DEAD, 0, "fmov x0, d0; ret", "\x00\x00\x66\x9e" RET),
	USES(READ, 0, "prfm pldl1keep, [x0]; ret", "\x00\x00\x80\xf9" RET),
	USES(DEAD, 0, "paciasp; bti c; nop; ret",
	     "\x3f\x23\x03\xd5\x5f\x24\x03\xd5\x1f\x20\x03\xd5" RET),
	USES(PASSED, 0, "bl f; ret", "\x40\x02\x00\x94" RET),
	USES(PASSED, 0, "b f", "\x40\x02\x00\x14"),
	USES(READ, 0, "br x0", "\x00\x00\x1f\xd6"),
	USES(READ, 0, "brk #0x800; mov x1, x0; ret", "\x00\x00\x21\xd4\xe1\x03\x00\xaa" RET),
	USES(UNKNOWN, 1, "hvc #0; ret", "\x02\x00\x00\xd4" RET),
	USES(UNKNOWN, 0, "ptrue p0.b; mov x0, #0; ret", "\xe0\xe3\x18\x25\x00\x00\x80\xd2" RET),
};

enum { V0 = 64 };

/* For a vector register the only answer besides "unknown" is that it is read. */
static const struct code_row vectors_arm64[] = {
	USES(READ, V0 + 1, "fadd s0, s1, s2; ret", "\x20\x28\x22\x1e" RET),
	USES(READ, V0 + 2, "fadd s0, s1, s2; ret", "\x20\x28\x22\x1e" RET),
	USES(UNKNOWN, V0 + 0, "fadd s0, s1, s2; ret", "\x20\x28\x22\x1e" RET),
	USES(UNKNOWN, V0 + 3, "fadd s0, s1, s2; ret", "\x20\x28\x22\x1e" RET),
	USES(READ, V0 + 3, "fmadd d0, d1, d2, d3; ret", "\x20\x0c\x42\x1f" RET),
	USES(READ, V0 + 0, "fcmp s0, s1; ret", "\x00\x20\x21\x1e" RET),
	USES(READ, V0 + 1, "fcmp s0, s1; ret", "\x00\x20\x21\x1e" RET),
	USES(READ, V0 + 1, "fcmp s1, #0.0; ret", "\x28\x20\x20\x1e" RET),
	USES(UNKNOWN, V0 + 0, "fcmp s1, #0.0; ret", "\x28\x20\x20\x1e" RET),
	USES(READ, V0 + 1, "fccmp s0, s1, #0, eq; ret", "\x00\x04\x21\x1e" RET),
	USES(READ, V0 + 2, "fcsel s0, s1, s2, eq; ret", "\x20\x0c\x22\x1e" RET),
	USES(UNKNOWN, V0 + 0, "fcsel s0, s1, s2, eq; ret", "\x20\x0c\x22\x1e" RET),
	USES(READ, V0 + 1, "fcvt d0, s1; ret", "\x20\xc0\x22\x1e" RET),
	USES(UNKNOWN, V0 + 0, "fcvt d0, s1; ret", "\x20\xc0\x22\x1e" RET),
	USES(READ, V0 + 1, "fcvtzs w0, s1; ret", "\x20\x00\x38\x1e" RET),
	USES(UNKNOWN, V0 + 0, "fcvtzs w0, s1; ret", "\x20\x00\x38\x1e" RET),
	USES(READ, V0 + 1, "fcvtzu x0, d1, #3; ret", "\x20\xf4\x59\x9e" RET),
	USES(UNKNOWN, V0 + 0, "fcvtzu x0, d1, #3; ret", "\x20\xf4\x59\x9e" RET),
	USES(UNKNOWN, V0 + 0, "scvtf s1, w0; ret", "\x01\x00\x22\x1e" RET),
	USES(UNKNOWN, V0 + 1, "scvtf s1, w0; ret", "\x01\x00\x22\x1e" RET),
	USES(UNKNOWN, V0 + 1, "scvtf s0, w1, #3; ret", "\x20\xf4\x02\x1e" RET),
	USES(READ, V0 + 1, "fmov w0, s1; ret", "\x20\x00\x26\x1e" RET),
	USES(UNKNOWN, V0 + 0, "fmov w0, s1; ret", "\x20\x00\x26\x1e" RET),
	USES(UNKNOWN, V0 + 0, "fmov s1, w0; ret", "\x01\x00\x27\x1e" RET),
	USES(UNKNOWN, V0 + 0, "fmov s0, #1.0; ret", "\x00\x10\x2e\x1e" RET),
	USES(READ, V0 + 1, "fmov s0, s1; ret", "\x20\x40\x20\x1e" RET),
	USES(UNKNOWN, V0 + 0, "fmov s0, s1; ret", "\x20\x40\x20\x1e" RET),
	USES(UNKNOWN, V0 + 0, "movi v0.2d, #0; ret", "\x00\xe4\x00\x6f" RET),
	USES(READ, V0 + 0, "str s0, [x1]; ret", "\x20\x00\x00\xbd" RET),
	USES(UNKNOWN, V0 + 1, "str s0, [x1]; ret", "\x20\x00\x00\xbd" RET),
	USES(READ, V0 + 1, "str q1, [x0, x2]; ret", "\x01\x68\xa2\x3c" RET),
	USES(UNKNOWN, V0 + 0, "str q1, [x0, x2]; ret", "\x01\x68\xa2\x3c" RET),
	USES(READ, V0 + 0, "stur h0, [x1, #1]; ret", "\x20\x10\x00\x7c" RET),
	USES(READ, V0 + 0, "stp s0, s1, [x2]; ret", "\x40\x04\x00\x2d" RET),
	USES(READ, V0 + 1, "stp s0, s1, [x2]; ret", "\x40\x04\x00\x2d" RET),
	USES(UNKNOWN, V0 + 1, "ldr s1, [x0], #4; ret", "\x01\x44\x40\xbc" RET),
	USES(UNKNOWN, V0 + 1, "ldp d0, d1, [x2]; ret", "\x40\x04\x40\x6d" RET),
	USES(UNKNOWN, V0 + 0, "st1 {v0.4s}, [x0]; ret", "\x00\x78\x00\x4c" RET),
	USES(READ, V0 + 1, "mov v0.s[1], v1.s[0]; ret", "\x20\x04\x0c\x6e" RET),
	USES(UNKNOWN, V0 + 0, "mov v0.s[1], v1.s[0]; ret", "\x20\x04\x0c\x6e" RET),
	USES(READ, V0 + 0, "mov w0, v0.s[1]; ret", "\x00\x3c\x0c\x0e" RET),
	USES(READ, V0 + 1, "mov s0, v1.s[1]; ret", "\x20\x04\x0c\x5e" RET),
	USES(UNKNOWN, V0 + 0, "mov s0, v1.s[1]; ret", "\x20\x04\x0c\x5e" RET),
	USES(READ, V0 + 1, "dup v0.4s, v1.s[0]; ret", "\x20\x04\x04\x4e" RET),
	USES(UNKNOWN, V0 + 0, "dup v0.4s, v1.s[0]; ret", "\x20\x04\x04\x4e" RET),
	USES(UNKNOWN, V0 + 0, "dup v1.4s, w0; ret", "\x01\x0c\x04\x4e" RET),
	USES(READ, V0 + 0, "mov v1.16b, v0.16b; ret", "\x01\x1c\xa0\x4e" RET),
	USES(UNKNOWN, V0 + 0, "eor v0.16b, v0.16b, v0.16b; ret", "\x00\x1c\x20\x6e" RET),
	USES(UNKNOWN, V0 + 0, "sub d0, d0, d0; ret", "\x00\x84\xe0\x7e" RET),
	USES(READ, V0 + 0, "fadd v0.2s, v0.2s, v1.2s; ret", "\x00\xd4\x21\x0e" RET),
	USES(READ, V0 + 1, "fadd v0.2s, v0.2s, v1.2s; ret", "\x00\xd4\x21\x0e" RET),
	USES(READ, V0 + 1, "scvtf s0, s1; ret", "\x20\xd8\x21\x5e" RET),
	USES(READ, V0 + 1, "faddp s0, v1.2s; ret", "\x20\xd8\x30\x7e" RET),
	USES(READ, V0 + 1, "shl v0.2s, v1.2s, #3; ret", "\x20\x54\x23\x0f" RET),
	USES(UNKNOWN, V0 + 0, "shl v0.2s, v1.2s, #3; ret", "\x20\x54\x23\x0f" RET),
	USES(READ, V0 + 1, "fmul v0.2s, v1.2s, v2.s[0]; ret", "\x20\x90\x82\x0f" RET),
	USES(UNKNOWN, V0 + 2, "fmul v0.2s, v1.2s, v2.s[0]; ret", "\x20\x90\x82\x0f" RET),
	USES(READ, V0 + 1, "smull v0.2d, v1.2s, v2.2s; ret", "\x20\xc0\xa2\x0e" RET),
	USES(READ, V0 + 2, "smull v0.2d, v1.2s, v2.2s; ret", "\x20\xc0\xa2\x0e" RET),
	USES(UNKNOWN, V0 + 1, "ext v0.16b, v0.16b, v1.16b, #4; ret", "\x00\x20\x01\x6e" RET),
	USES(UNKNOWN, V0 + 0, "add x0, x0, x1; ret", "\x00\x00\x01\x8b" RET),
	USES(UNKNOWN, V0 + 1, "fmov s1, w0; fadd s0, s1, s2; ret",
	     "\x01\x00\x27\x1e\x20\x28\x22\x1e" RET),
	USES(READ, V0 + 2, "fmov s1, w0; fadd s0, s1, s2; ret",
	     "\x01\x00\x27\x1e\x20\x28\x22\x1e" RET),
	USES(UNKNOWN, V0 + 2, "ld1 {v1.4s}, [x0]; fadd s0, s1, s2; ret",
	     "\x01\x78\x40\x4c\x20\x28\x22\x1e" RET),
	USES(UNKNOWN, V0 + 1, "bl f; fadd s0, s1, s8; ret", "\x40\x02\x00\x94\x20\x28\x28\x1e" RET),
	USES(READ, V0 + 8, "bl f; fadd s0, s1, s8; ret", "\x40\x02\x00\x94\x20\x28\x28\x1e" RET),
	USES(READ, V0 + 1, "cbz x0, 1f; fmov s1, w0; 1: fneg s0, s1; ret",
	     "\x40\x00\x00\xb4\x01\x00\x27\x1e\x20\x40\x21\x1e" RET),
};

static const struct code_row after_x86[] = {
	AFTER(READ, RAX, 5, "call leaf; site: test al, al; ret", CALL_LEAF "\x84\xc0\xc3"),
	AFTER(DEAD, RAX, 5, "call leaf; site: mov eax, 1; ret",
	      CALL_LEAF "\xb8\x01\x00\x00\x00\xc3"),
	AFTER(DEAD, RAX, 5, "call leaf; site: xor eax, eax; ret", CALL_LEAF "\x31\xc0\xc3"),
	AFTER(DEAD, RAX, 5, "call leaf; site: setne al; ret", CALL_LEAF "\x0f\x95\xc0\xc3"),
	AFTER(PASSED, RAX, 5, "call leaf; site: ret", CALL_LEAF "\xc3"),
	AFTER(PASSED, RAX, 5, "call leaf; site: jmp empty", CALL_LEAF "\xe9\x96\x08\x00\x00"),
	AFTER(UNKNOWN, RDX, 5, "call leaf; site: mov rbx, rdx; ret", CALL_LEAF "\x48\x89\xd3\xc3"),
	AFTER(PASSED, RDX, 5, "call leaf; site: mov rbx, rax; ret", CALL_LEAF "\x48\x89\xc3\xc3"),
	AFTER(READ, RAX, 5,
		"call leaf; site: test edi, edi; je 1f; mov ebx, eax; 1: xor eax, eax; ret",
		CALL_LEAF "\x85\xff\x74\x02\x89\xc3\x31\xc0\xc3"),
	AFTER(PASSED, RAX, 5, "call leaf; site: test edi, edi; je 1f; mov eax, 1; 1: ret",
	      CALL_LEAF "\x85\xff\x74\x05\xb8\x01\x00\x00\x00\xc3"),
	AFTER(DEAD, RAX, 5,
		"call leaf; site: test edi, edi; je 1f; xor eax, eax; ret; 1: mov eax, 1; ret",
		CALL_LEAF "\x85\xff\x74\x03\x31\xc0\xc3\xb8\x01\x00\x00\x00\xc3"),
	AFTER(DEAD, RAX, 5, "1: call leaf; site: dec ebx; jne 1b; xor eax, eax; ret",
	      CALL_LEAF "\xff\xcb\x75\xf7\x31\xc0\xc3"),
	AFTER(READ, RAX, 7, "1: mov ecx, eax; call leaf; site: dec ebx; jne 1b; xor eax, eax; ret",
	      "\x89\xc1\xe8\x39\x08\x00\x00\xff\xcb\x75\xf5\x31\xc0\xc3"),
	AFTER(DEAD, RAX, 5, "call leaf; site: call traced; ret",
	      CALL_LEAF "\xe8\x36\x09\x00\x00\xc3"),
	AFTER(DEAD, RAX, 5, "call leaf; site: call fentry; xor eax, eax; ret",
	      CALL_LEAF "\xe8\xb6\x08\x00\x00\x31\xc0\xc3"),
	AFTER(READ, RAX, 5, "call leaf; site: call fentry; test eax, eax; ret",
	      CALL_LEAF "\xe8\xb6\x08\x00\x00\x85\xc0\xc3"),
	AFTER(UNKNOWN, RAX, 5, "call leaf; site: call empty; test eax, eax; ret",
	      CALL_LEAF "\xe8\x96\x08\x00\x00\x85\xc0\xc3"),
	AFTER(UNKNOWN, RAX, 5, "call leaf; site: call keeper; test eax, eax; ret",
	      CALL_LEAF "\xe8\x16\x0a\x00\x00\x85\xc0\xc3"),
	AFTER(DEAD, RAX, 5, "call leaf; site: call keeper; xor eax, eax; ret",
	      CALL_LEAF "\xe8\x16\x0a\x00\x00\x31\xc0\xc3"),
	AFTER(READ, RAX, 5, "call leaf; site: call getter; ret",
	      CALL_LEAF "\xe8\x76\x08\x00\x00\xc3"),
	AFTER(DEAD, RAX, 5, "call leaf; site: call trapper; xor eax, eax; ret",
	      CALL_LEAF "\xe8\x36\x0a\x00\x00\x31\xc0\xc3"),
	AFTER(UNKNOWN, RDX, 5, "call leaf; site: call trapper; ret",
	      CALL_LEAF "\xe8\x36\x0a\x00\x00\xc3"),
	AFTER(READ, RAX, 5, "call leaf; site: call thunk; ret",
	      CALL_LEAF "\xe8\xd6\x08\x00\x00\xc3"),
	AFTER(READ, RAX, 5, "call leaf; site: call rax; ret", CALL_LEAF "\xff\xd0\xc3"),
	AFTER(DEAD, RAX, 5, "call leaf; site: call rbx; ret", CALL_LEAF "\xff\xd3\xc3"),
	AFTER(UNKNOWN, RDX, 5, "call leaf; site: call rbx; ret", CALL_LEAF "\xff\xd3\xc3"),
	AFTER(DEAD, RAX, 5, "call leaf; site: call [0x20000]; test eax, eax; ret",
	      CALL_LEAF "\xff\x14\x25\x00\x00\x02\x00\x85\xc0\xc3"),
	AFTER(UNKNOWN, RAX, 5, "call leaf; site: push rax; call traced; pop rcx; ret",
	      CALL_LEAF "\x50\xe8\x35\x09\x00\x00\x59\xc3"),
	AFTER(DEAD, RAX, 5, "call leaf; site: ud2", CALL_LEAF "\x0f\x0b"),
	AFTER(UNKNOWN, RAX, 5, "call leaf; site: ud2; mov ebx, eax; ret",
	      CALL_LEAF "\x0f\x0b\x89\xc3\xc3"),
	AFTER(DEAD, RAX, 5, "call leaf; site: ud2; xor eax, eax; ret",
	      CALL_LEAF "\x0f\x0b\x31\xc0\xc3"),
	AFTER(DEAD, RAX, 5, "call leaf; site: jmp leaf", CALL_LEAF "\xe9\x36\x08\x00\x00"),
	AFTER(READ, RAX, 5, "call leaf; site: jmp getter", CALL_LEAF "\xe9\x76\x08\x00\x00"),
	AFTER(READ, RAX, 5, "call leaf; site: test edi, edi; je getter; xor eax, eax; ret",
	      CALL_LEAF "\x85\xff\x0f\x84\x73\x08\x00\x00\x31\xc0\xc3"),
	AFTER(PASSED, RAX, 5, "call leaf; site: jmp [rbx]", CALL_LEAF "\xff\x23"),
	AFTER(UNKNOWN, RAX, 5, "call leaf; site: jmp rbx", CALL_LEAF "\xff\xe3"),
	AFTER(UNKNOWN, RAX, 5, "call leaf; site: .byte 0x62, 0x62; ret", CALL_LEAF "\x62\x62\xc3"),
	AFTER(DEAD, RAX, 5, "call leaf; site:", CALL_LEAF),
	AFTER(DEAD, RAX, 5, "call leaf; site: nop; nop", CALL_LEAF "\x90\x90"),
	AFTER(PASSED, RAX, 5, "call leaf; site: mov ebx, 1", CALL_LEAF "\xbb\x01\x00\x00\x00"),
	AFTER(PASSED, RAX, 5, "jmp leaf; site:", "\xe9\x3b\x08\x00\x00"),
	AFTER(UNKNOWN, RAX, 2, "jmp 1f; site: nop; 1: ret", "\xeb\x01\x90\xc3"),
	AFTER(UNKNOWN, RAX, 1, "nop; site: test eax, eax; ret", "\x90\x85\xc0\xc3"),
};

static const struct code_row after_arm64[] = {
	AFTER(READ, 0, 4, "bl f; site: cbz w0, 1f; 1: ret", "\x40\x02\x00\x94\x20\x00\x00\x34" RET),
	AFTER(DEAD, 0, 4, "bl f; site: mov w0, #1; ret", "\x40\x02\x00\x94\x20\x00\x80\x52" RET),
	AFTER(PASSED, 0, 4, "bl f; site: ret", "\x40\x02\x00\x94" RET),
	AFTER(UNKNOWN, 0, 4, "bl f; site: bl nonleaf; ret", "\x40\x02\x00\x94\xff\x01\x00\x94" RET),
	AFTER(DEAD, 0, 4, "bl f; site: mov x0, x19; bl nonleaf; ret",
	      "\x40\x02\x00\x94\xe0\x03\x13\xaa\xfe\x01\x00\x94" RET),
	AFTER(UNKNOWN, 1, 4, "bl f; site: mov x0, x19; bl nonleaf; ret",
	      "\x40\x02\x00\x94\xe0\x03\x13\xaa\xfe\x01\x00\x94" RET),
	AFTER(READ, 1, 4, "bl f; site: mov x2, x1; bl nonleaf; ret",
	      "\x40\x02\x00\x94\xe2\x03\x01\xaa\xfe\x01\x00\x94" RET),
	AFTER(PASSED, 0, 4, "b f; site:", "\x40\x02\x00\x14"),
	AFTER(DEAD, 0, 4, "bl f; site: brk #0x800", "\x40\x02\x00\x94\x00\x00\x21\xd4"),
};

static const struct code_row ignored_x86[] = {
	IGNORED(true, RDI, "call leaf; ret", "\xe8\x3b\x08\x00\x00\xc3"),
	IGNORED(true, RDI, "jmp leaf", "\xe9\x3b\x08\x00\x00"),
	IGNORED(false, RDI, "call nonleaf; ret", "\xe8\xfb\x07\x00\x00\xc3"),
	IGNORED(true, RDI, "xor edi, edi; call nonleaf; ret", "\x31\xff\xe8\xf9\x07\x00\x00\xc3"),
	IGNORED(false, RDI, "call rax; ret", "\xff\xd0\xc3"),
	IGNORED(false, RDI, "call 1f; ret; 1: mov eax, edi; ret",
		"\xe8\x01\x00\x00\x00\xc3\x89\xf8\xc3"),
	IGNORED(true, RSI, "call 1f; ret; 1: mov eax, edi; ret",
		"\xe8\x01\x00\x00\x00\xc3\x89\xf8\xc3"),
};

/*
 * ldr w3, [x1]; ret; mov w1, w0; ret. The second half is reached by a fault, or by a static
 * branch.
 */
TEST(test_hidden_paths)
{
	static const char body[] = "\x23\x00\x40\xb9\xc0\x03\x5f\xd6\xe1\x03\x00\x2a"
				   "\xc0\x03\x5f\xd6";

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
TEST(test_chain_of_jumps)
{
	static const uint8_t call[] = { 0xe8, 0x03, 0x00, 0x00, 0x00, 0x89, 0xf8, 0xc3 };
	struct machine_image image;

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

#define TABLE_TEST(rows, ...)                                                                      \
	TEST(test_##rows)                                                                          \
	{                                                                                          \
		check_table(rows, LENGTH(rows), __VA_ARGS__);                                      \
	}

TABLE_TEST(reaching_x86, EM_X86_64, reaching_at_call, REACHING_UNKNOWN)
TABLE_TEST(uses_x86, EM_X86_64, use_at_entry, USE_UNKNOWN)
TABLE_TEST(reaching_arm64, EM_AARCH64, reaching_at_call, REACHING_UNKNOWN)
TABLE_TEST(uses_arm64, EM_AARCH64, use_at_entry, USE_UNKNOWN)
TABLE_TEST(vectors_arm64, EM_AARCH64, use_at_entry, USE_UNKNOWN)
TABLE_TEST(after_x86, EM_X86_64, use_after_call, USE_UNKNOWN)
TABLE_TEST(after_arm64, EM_AARCH64, use_after_call, USE_UNKNOWN)
TABLE_TEST(ignored_x86, EM_X86_64, is_ignored, false)
