/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Does a function read its stack arguments? Each row is a function at TEXT, its assembly text as
 * its name; its callees follow it in the same image (tests/machine_image.c).
 */
#include "tests/cmocka_all.h"

#include <elf.h>

#include "tests/machine_image.h"

struct stack_row {
	const char *text;
	const char *bytes;
	size_t size;
	int64_t offset;
	uint64_t slot_size;
	bool is_read;
};

static void check_stack(const struct stack_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		bool expected = rows[i].is_read && DECODES_X86;
		struct machine_image image;

		machine_image_with(&image, EM_X86_64, rows[i].bytes, rows[i].size);
		if (machine_code_reads_stack(&image.code, TEXT, TEXT + rows[i].size,
					     rows[i].offset, rows[i].slot_size, true) != expected)
			fail_msg("%s: offset %d: not %d", rows[i].text, (int)rows[i].offset,
				 expected);
		machine_image_close(&image);
	}
}

static void test_stack_x86(void **state)
{
	static const struct stack_row rows[] = {
		{ "ret",
		  BYTES("\xc3"), 8, 8, false },
		{ "mov eax, [rsp + 8]; ret",
		  BYTES("\x8b\x44\x24\x08\xc3"), 8, 8, true },
		{ "mov eax, [rsp + 8]; ret",
		  BYTES("\x8b\x44\x24\x08\xc3"), 16, 8, false },
		{ "mov al, [rsp + 15]; ret",
		  BYTES("\x8a\x44\x24\x0f\xc3"), 8, 8, true },
		{ "mov rax, [rsp]; ret",
		  BYTES("\x48\x8b\x04\x24\xc3"), 8, 8, false },
		{ "mov rax, [rsp + 1]; ret",
		  BYTES("\x48\x8b\x44\x24\x01\xc3"), 8, 8, true },
		{ "mov rax, [rsp + 72]; ret",
		  BYTES("\x48\x8b\x44\x24\x48\xc3"), 8, 65, true },
		{ "mov rax, [rsp + 72]; ret",
		  BYTES("\x48\x8b\x44\x24\x48\xc3"), 8, 64, false },
		{ "mov eax, gs:[rsp + 8]; ret",
		  BYTES("\x65\x8b\x44\x24\x08\xc3"), 8, 8, false },
		{ "mov [rsp + 8], eax; ret",
		  BYTES("\x89\x44\x24\x08\xc3"), 8, 8, false },
		{ "cmp [rsp + 8], eax; ret",
		  BYTES("\x39\x44\x24\x08\xc3"), 8, 8, true },
		{ "call [rsp + 8]; ret",
		  BYTES("\xff\x54\x24\x08\xc3"), 8, 8, true },
		{ "movups [rsp + 8], xmm0; ret",
		  BYTES("\x0f\x11\x44\x24\x08\xc3"), 8, 8, false },
		{ "movsd [rsp + 8], xmm0; ret",
		  BYTES("\xf2\x0f\x11\x44\x24\x08\xc3"), 8, 8, false },
		{ "fld tbyte ptr [rsp + 8]; ret",
		  BYTES("\xdb\x6c\x24\x08\xc3"), 16, 8, true },
		{ "nop dword ptr [rsp + 8]; ret",
		  BYTES("\x0f\x1f\x44\x24\x08\xc3"), 8, 8, false },
		{ "prefetcht0 [rsp + 8]; ret",
		  BYTES("\x0f\x18\x4c\x24\x08\xc3"), 8, 8, false },
		{ "mov [rsp + 8], rdi; mov rax, [rsp + 8]; ret",
		  BYTES("\x48\x89\x7c\x24\x08\x48\x8b\x44\x24\x08\xc3"), 8, 8, false },
		{ "mov [rsp + 8], edi; mov rax, [rsp + 8]; ret",
		  BYTES("\x89\x7c\x24\x08\x48\x8b\x44\x24\x08\xc3"), 8, 8, true },
		{ "mov [rsp + 8], rdi; mov rax, [rsp + 16]; ret",
		  BYTES("\x48\x89\x7c\x24\x08\x48\x8b\x44\x24\x10\xc3"), 8, 16, true },
		{ "mov [rsp + 8], rdi; 1: mov rax, [rsp + 8]; dec edi; jne 1b; ret",
		  BYTES("\x48\x89\x7c\x24\x08\x48\x8b\x44\x24\x08\xff\xcf\x75\xf7\xc3"),
		  8, 8, false },
		{ "push rbx; mov rax, [rsp + 8]; pop rbx; ret",
		  BYTES("\x53\x48\x8b\x44\x24\x08\x5b\xc3"), 8, 8, false },
		{ "push rbx; mov rax, [rsp + 16]; pop rbx; ret",
		  BYTES("\x53\x48\x8b\x44\x24\x10\x5b\xc3"), 8, 8, true },
		{ "push rbx; pop rbx; mov rax, [rsp + 8]; ret",
		  BYTES("\x53\x5b\x48\x8b\x44\x24\x08\xc3"), 8, 8, true },
		{ "push rsp; pop rbx; mov rax, [rsp + 8]; ret",
		  BYTES("\x54\x5b\x48\x8b\x44\x24\x08\xc3"), 8, 8, true },
		{ "pushfq; mov rax, [rsp + 16]; popfq; ret",
		  BYTES("\x9c\x48\x8b\x44\x24\x10\x9d\xc3"), 8, 8, true },
		{ "sub rsp, 24; mov rax, [rsp + 24]; add rsp, 24; ret",
		  BYTES("\x48\x83\xec\x18\x48\x8b\x44\x24\x18\x48\x83\xc4\x18\xc3"),
		  8, 8, false },
		{ "sub rsp, 24; mov rax, [rsp + 32]; add rsp, 24; ret",
		  BYTES("\x48\x83\xec\x18\x48\x8b\x44\x24\x20\x48\x83\xc4\x18\xc3"),
		  8, 8, true },
		{ "sub rsp, -128; add rsp, -128; mov rax, [rsp + 8]; ret",
		  BYTES("\x48\x83\xec\x80\x48\x83\xc4\x80\x48\x8b\x44\x24\x08\xc3"),
		  8, 8, true },
		{ "push rbp; mov rbp, rsp; push rbx; mov rax, [rbp + 16]; leave; ret",
		  BYTES("\x55\x48\x89\xe5\x53\x48\x8b\x45\x10\xc9\xc3"), 8, 8, true },
		{ "push rbp; mov rbp, rsp; push rbx; leave; mov rax, [rsp + 8]; ret",
		  BYTES("\x55\x48\x89\xe5\x53\xc9\x48\x8b\x44\x24\x08\xc3"), 8, 8, true },
		{ "push rbp; mov rbp, rsp; push rbx; lea rsp, [rbp - 8]; pop rbx; pop rbp; "
		  "mov rax, [rsp + 8]; ret",
		  BYTES("\x55\x48\x89\xe5\x53\x48\x8d\x65\xf8\x5b\x5d\x48\x8b\x44\x24\x08\xc3"),
		  8, 8, true },
		{ "push rbp; mov rbp, rsp; sub rsp, rdi; mov rax, [rsp + 16]; leave; ret",
		  BYTES("\x55\x48\x89\xe5\x48\x29\xfc\x48\x8b\x44\x24\x10\xc9\xc3"),
		  8, 8, false },
		{ "push rbp; mov rbp, rsp; sub rsp, rdi; mov rax, [rbp + 16]; leave; ret",
		  BYTES("\x55\x48\x89\xe5\x48\x29\xfc\x48\x8b\x45\x10\xc9\xc3"),
		  8, 8, true },
		{ "push rbp; mov rbp, rsp; mov rax, rsp; sub rax, rdi; mov rsp, rax; "
		  "mov rax, [rsp + 16]; leave; ret",
		  BYTES("\x55\x48\x89\xe5\x48\x89\xe0\x48\x29\xf8\x48\x89\xc4\x48\x8b\x44\x24"
			"\x10\xc9\xc3"),
		  8, 8, false },
		{ "push rbp; mov rbp, rsp; and rsp, -32; mov rax, [rsp + 40]; leave; ret",
		  BYTES("\x55\x48\x89\xe5\x48\x83\xe4\xe0\x48\x8b\x44\x24\x28\xc9\xc3"),
		  8, 8, false },
		{ "push rbp; mov rbp, rsp; and rsp, -32; mov rax, [rbp + 16]; leave; ret",
		  BYTES("\x55\x48\x89\xe5\x48\x83\xe4\xe0\x48\x8b\x45\x10\xc9\xc3"),
		  8, 8, true },
		{ "lea r10, [rsp + 8]; and rsp, -32; push [r10 - 8]; push rbp; "
		  "mov rbp, rsp; push r10; call leaf; mov r10, [rbp - 8]; leave; "
		  "lea rsp, [r10 - 8]; ret",
		  BYTES("\x4c\x8d\x54\x24\x08\x48\x83\xe4\xe0\x41\xff\x72\xf8\x55\x48\x89\xe5"
			"\x41\x52\xe8\x28\x08\x00\x00\x4c\x8b\x55\xf8\xc9\x49\x8d\x62\xf8\xc3"),
		  8, 8, false },
		{ "lea r10, [rsp + 8]; and rsp, -32; push [r10 - 8]; push rbp; "
		  "mov rbp, rsp; push r10; mov eax, [r10 + 8]; mov r10, [rbp - 8]; leave; "
		  "lea rsp, [r10 - 8]; ret",
		  BYTES("\x4c\x8d\x54\x24\x08\x48\x83\xe4\xe0\x41\xff\x72\xf8\x55\x48\x89\xe5"
			"\x41\x52\x41\x8b\x42\x08\x4c\x8b\x55\xf8\xc9\x49\x8d\x62\xf8\xc3"),
		  16, 8, true },
		{ "lea r10, [rsp + 8]; and rsp, -32; push [r10 - 8]; push rbp; "
		  "mov rbp, rsp; push r10; mov eax, [r10 + 8]; mov r10, [rbp - 8]; leave; "
		  "lea rsp, [r10 - 8]; ret",
		  BYTES("\x4c\x8d\x54\x24\x08\x48\x83\xe4\xe0\x41\xff\x72\xf8\x55\x48\x89\xe5"
			"\x41\x52\x41\x8b\x42\x08\x4c\x8b\x55\xf8\xc9\x49\x8d\x62\xf8\xc3"),
		  8, 8, false },
		{ "lea r10, [rsp + 8]; and rsp, -32; push [r10 - 8]; push rbp; "
		  "mov rbp, rsp; push r10; mov rcx, [rbp - 8]; mov eax, [rcx + 8]; "
		  "mov r10, [rbp - 8]; leave; lea rsp, [r10 - 8]; ret",
		  BYTES("\x4c\x8d\x54\x24\x08\x48\x83\xe4\xe0\x41\xff\x72\xf8\x55\x48\x89\xe5"
			"\x41\x52\x48\x8b\x4d\xf8\x8b\x41\x08\x4c\x8b\x55\xf8\xc9\x49\x8d\x62"
			"\xf8\xc3"),
		  8, 8, false },
		{ "lea r10, [rsp + 8]; and rsp, -32; push [r10 - 8]; push rbp; "
		  "mov rbp, rsp; push r10; mov rcx, [rbp - 16]; mov eax, [rcx + 8]; "
		  "mov r10, [rbp - 8]; leave; lea rsp, [r10 - 8]; ret",
		  BYTES("\x4c\x8d\x54\x24\x08\x48\x83\xe4\xe0\x41\xff\x72\xf8\x55\x48\x89\xe5"
			"\x41\x52\x48\x8b\x4d\xf0\x8b\x41\x08\x4c\x8b\x55\xf8\xc9\x49\x8d\x62"
			"\xf8\xc3"),
		  16, 8, false },
		{ "mov rsp, [rdi]; mov rax, [rsp + 8]; ret",
		  BYTES("\x48\x8b\x27\x48\x8b\x44\x24\x08\xc3"), 8, 8, false },
		{ "1: sub rsp, 16; dec edi; jne 1b; mov rax, [rsp + 8]; ret",
		  BYTES("\x48\x83\xec\x10\xff\xcf\x75\xf8\x48\x8b\x44\x24\x08\xc3"),
		  8, 8, false },
		{ "test edi, edi; je 1f; push rax; call nonleaf; 1: mov rax, [rsp + 8]; ret",
		  BYTES("\x85\xff\x74\x06\x50\xe8\xf6\x07\x00\x00\x48\x8b\x44\x24\x08\xc3"),
		  8, 8, true },
		{ "test edi, edi; je 1f; push rax; call nonleaf; 1: mov rax, [rsp + 8]; ret",
		  BYTES("\x85\xff\x74\x06\x50\xe8\xf6\x07\x00\x00\x48\x8b\x44\x24\x08\xc3"),
		  16, 8, false },
		{ "vmovdqu [rsp + 8], ymm0; ret",
		  BYTES("\xc5\xfe\x7f\x44\x24\x08\xc3"), 8, 8, false },
		{ "movsxd rax, dword ptr [rsp + 8]; ret",
		  BYTES("\x48\x63\x44\x24\x08\xc3"), 8, 8, true },
		{ "movdqa [rsp + 8], xmm1; ret",
		  BYTES("\x66\x0f\x7f\x4c\x24\x08\xc3"), 8, 8, false },
		{ "lea rdi, [rsp + 8]; call leaf; ret",
		  BYTES("\x48\x8d\x7c\x24\x08\xe8\x36\x08\x00\x00\xc3"), 8, 8, true },
		{ "lea rdi, [rsp + 8]; call leaf; ret",
		  BYTES("\x48\x8d\x7c\x24\x08\xe8\x36\x08\x00\x00\xc3"), 16, 8, false },
		{ "lea rdi, [rsp + 16]; call leaf; ret",
		  BYTES("\x48\x8d\x7c\x24\x10\xe8\x36\x08\x00\x00\xc3"), 8, 8, false },
		{ "lea rdi, [rsp - 16]; call leaf; ret",
		  BYTES("\x48\x8d\x7c\x24\xf0\xe8\x36\x08\x00\x00\xc3"), 8, 8, false },
		{ "lea rbx, [rsp + 8]; call leaf; ret",
		  BYTES("\x48\x8d\x5c\x24\x08\xe8\x36\x08\x00\x00\xc3"), 8, 8, false },
		{ "lea rdi, [rsp + 8]; jmp leaf",
		  BYTES("\x48\x8d\x7c\x24\x08\xe9\x36\x08\x00\x00"), 8, 8, true },
		{ "lea rax, [rsp + 8]; mov [rdi], rax; ret",
		  BYTES("\x48\x8d\x44\x24\x08\x48\x89\x07\xc3"), 8, 8, true },
		{ "lea rax, [rsp + 8]; mov ecx, [rax + 8]; ret",
		  BYTES("\x48\x8d\x44\x24\x08\x8b\x48\x08\xc3"), 8, 8, false },
		{ "lea rax, [rsp + 8]; mov rdx, rax; add rdx, 16; mov ecx, [rdx - 8]; ret",
		  BYTES("\x48\x8d\x44\x24\x08\x48\x89\xc2\x48\x83\xc2\x10\x8b\x4a\xf8\xc3"),
		  16, 8, true },
		{ "lea rax, [rsp + 8]; mov [rax], rdi; ret",
		  BYTES("\x48\x8d\x44\x24\x08\x48\x89\x38\xc3"), 8, 8, false },
		{ "lea rdi, [rsp + 8]; rep stosb; ret",
		  BYTES("\x48\x8d\x7c\x24\x08\xf3\xaa\xc3"), 8, 8, false },
		{ "lea rax, [rsp + 8]; 1: mov ecx, [rax]; add rax, 8; dec edi; jne 1b; ret",
		  BYTES("\x48\x8d\x44\x24\x08\x8b\x08\x48\x83\xc0\x08\xff\xcf\x75\xf6\xc3"),
		  40, 8, false },
		{ "lea rax, [rsp + 16]; 1: mov ecx, [rax]; add rax, 8; dec edi; jne 1b; ret",
		  BYTES("\x48\x8d\x44\x24\x10\x8b\x08\x48\x83\xc0\x08\xff\xcf\x75\xf6\xc3"),
		  8, 8, false },
		{ "mov eax, [rsp + rdi * 4 + 8]; ret",
		  BYTES("\x8b\x44\xbc\x08\xc3"), 8, 8, true },
		{ "mov eax, [rsp + rdi * 4 + 8]; ret",
		  BYTES("\x8b\x44\xbc\x08\xc3"), 16, 8, false },
		{ "mov eax, [rsp + rdi * 4 + 16]; ret",
		  BYTES("\x8b\x44\xbc\x10\xc3"), 8, 8, false },
		{ "mov eax, [rsp + rdi * 4]; ret",
		  BYTES("\x8b\x04\xbc\xc3"), 8, 8, false },
		{ "mov eax, [rsp + rdi * 4 - 88]; ret",
		  BYTES("\x8b\x44\xbc\xa8\xc3"), 8, 8, false },
		{ "mov [rsp + rdi * 4 + 8], eax; ret",
		  BYTES("\x89\x44\xbc\x08\xc3"), 8, 8, false },
		{ "mov rax, [rsp + 8]; push rax; call leaf; pop rcx; ret",
		  BYTES("\x48\x8b\x44\x24\x08\x50\xe8\x35\x08\x00\x00\x59\xc3"),
		  8, 8, false },
		{ "push [rsp + 8]; call leaf; pop rcx; ret",
		  BYTES("\xff\x74\x24\x08\xe8\x37\x08\x00\x00\x59\xc3"),
		  8, 8, false },
		{ "lea rax, [rsp + 8]; mov rax, [rax + 8]; push rax; call leaf; pop rcx; ret",
		  BYTES("\x48\x8d\x44\x24\x08\x48\x8b\x40\x08\x50\xe8\x31\x08\x00\x00"
			"\x59\xc3"),
		  8, 24, false },
		{ "mov rcx, [rsp + 8]; push rcx; call leaf; pop rcx; ret",
		  BYTES("\x48\x8b\x4c\x24\x08\x51\xe8\x35\x08\x00\x00\x59\xc3"),
		  8, 8, false },
		{ "mov rcx, [rsp + 8]; call leaf; ret",
		  BYTES("\x48\x8b\x4c\x24\x08\xe8\x36\x08\x00\x00\xc3"), 8, 8, true },
		{ "push rbx; mov rbx, [rsp + 16]; call leaf; push rbx; call leaf; pop rcx; "
		  "pop rbx; ret",
		  BYTES("\x53\x48\x8b\x5c\x24\x10\xe8\x35\x08\x00\x00\x53\xe8\x2f\x08\x00"
			"\x00\x59\x5b\xc3"),
		  8, 8, true },
		{ "mov rax, [rsp + 8]; mov [rdi], rax; ret",
		  BYTES("\x48\x8b\x44\x24\x08\x48\x89\x07\xc3"), 8, 8, true },
		{ "mov rax, [rsp + 8]; add rax, rdi; push rax; call leaf; pop rcx; ret",
		  BYTES("\x48\x8b\x44\x24\x08\x48\x01\xf8\x50\xe8\x32\x08\x00\x00\x59\xc3"),
		  8, 8, true },
		{ "movups xmm0, [rsp + 8]; sub rsp, 24; movups [rsp], xmm0; call leaf; "
		  "add rsp, 24; ret",
		  BYTES("\x0f\x10\x44\x24\x08\x48\x83\xec\x18\x0f\x11\x04\x24\xe8\x2e\x08"
			"\x00\x00\x48\x83\xc4\x18\xc3"),
		  8, 16, false },
		{ "jmp leaf",
		  BYTES("\xe9\x3b\x08\x00\x00"), 8, 8, false },
		{ "mov [rsp + 8], rdi; jmp leaf",
		  BYTES("\x48\x89\x7c\x24\x08\xe9\x36\x08\x00\x00"), 8, 8, false },
		{ "mov [rsp + 8], rdi; jmp leaf",
		  BYTES("\x48\x89\x7c\x24\x08\xe9\x36\x08\x00\x00"), 8, 16, false },
		{ "test edi, edi; je leaf; ret",
		  BYTES("\x85\xff\x0f\x84\x38\x08\x00\x00\xc3"), 8, 8, false },
		{ "jmp [rdi]",
		  BYTES("\xff\x27"), 8, 8, false },
		{ "push rbx; jmp rax; mov rcx, [rsp + 16]; pop rbx; ret",
		  BYTES("\x53\xff\xe0\x48\x8b\x4c\x24\x10\x5b\xc3"), 16, 8, false },
		{ "jmp rax",
		  BYTES("\xff\xe0"), 8, 8, false },
		{ "ret; mov eax, [rdi]; ret",
		  BYTES("\xc3\x8b\x07\xc3"), 8, 8, false },
		{ ".byte 0x62, 0x62; ret",
		  BYTES("\x62\x62\xc3"), 8, 8, false },
		{ "add [rsp + 8], eax; ret",
		  BYTES("\x01\x44\x24\x08\xc3"), 8, 8, true },
		{ "test edi, edi; je 1f; mov [rsp + 8], rdi; 1: mov rax, [rsp + 8]; ret",
		  BYTES("\x85\xff\x74\x05\x48\x89\x7c\x24\x08\x48\x8b\x44\x24\x08\xc3"),
		  8, 8, true },
		/* Read, but this is not followed. */
		{ "push [rsp + 8]; pop rax; ret",
		  BYTES("\xff\x74\x24\x08\x58\xc3"), 8, 8, false },
		{ "movups xmm0, [rsp + 8]; ret",
		  BYTES("\x0f\x10\x44\x24\x08\xc3"), 16, 8, false },
		{ "movsd xmm0, [rsp + 8]; ret",
		  BYTES("\xf2\x0f\x10\x44\x24\x08\xc3"), 8, 8, false },
		{ "lea r10, [rsp + 8]; and rsp, -32; push [r10 - 8]; push rbp; "
		  "mov rbp, rsp; push r10; mov rcx, [rbp - 8]; mov eax, [rcx + 8]; "
		  "mov r10, [rbp - 8]; leave; lea rsp, [r10 - 8]; ret",
		  BYTES("\x4c\x8d\x54\x24\x08\x48\x83\xe4\xe0\x41\xff\x72\xf8\x55\x48\x89\xe5"
			"\x41\x52\x48\x8b\x4d\xf8\x8b\x41\x08\x4c\x8b\x55\xf8\xc9\x49\x8d\x62"
			"\xf8\xc3"),
		  16, 8, false },
		{ "vmovdqu ymm0, [rsp + 8]; ret",
		  BYTES("\xc5\xfe\x6f\x44\x24\x08\xc3"), 32, 8, false },
		{ "lea rax, [rsp + 8]; push rax; call leaf; pop rcx; ret",
		  BYTES("\x48\x8d\x44\x24\x08\x50\xe8\x35\x08\x00\x00\x59\xc3"),
		  8, 8, false },
		{ "lea rsi, [rsp + 8]; rep movsb; ret",
		  BYTES("\x48\x8d\x74\x24\x08\xf3\xa4\xc3"), 8, 8, false },
		{ "lea rax, [rsp + 8]; test edi, edi; cmove rax, rsi; mov eax, [rax]; ret",
		  BYTES("\x48\x8d\x44\x24\x08\x85\xff\x48\x0f\x44\xc6\x8b\x00\xc3"),
		  8, 8, false },
		{ "lea rax, [rsp + 8]; test edi, edi; je 1f; mov rax, rsi; "
		  "1: mov eax, [rax]; ret",
		  BYTES("\x48\x8d\x44\x24\x08\x85\xff\x74\x03\x48\x89\xf0\x8b\x00\xc3"),
		  8, 8, false },
		{ "lea rax, [rsp + 8]; 1: mov ecx, [rax]; add rax, 8; dec edi; jne 1b; ret",
		  BYTES("\x48\x8d\x44\x24\x08\x8b\x08\x48\x83\xc0\x08\xff\xcf\x75\xf6\xc3"),
		  8, 40, false },
		{ "lea rax, [rsp + 8]; add rax, rdi; mov eax, [rax]; ret",
		  BYTES("\x48\x8d\x44\x24\x08\x48\x01\xf8\x8b\x00\xc3"), 8, 8, false },
		{ "lea rax, [rsp + rdi * 4 + 8]; mov eax, [rax]; ret",
		  BYTES("\x48\x8d\x44\xbc\x08\x8b\x00\xc3"), 8, 8, false },
		{ "movups xmm0, [rsp + 8]; movups [rdi], xmm0; ret",
		  BYTES("\x0f\x10\x44\x24\x08\x0f\x11\x07\xc3"), 8, 16, false },
		{ "push rbx; jmp rax; mov rcx, [rsp + 16]; pop rbx; ret",
		  BYTES("\x53\xff\xe0\x48\x8b\x4c\x24\x10\x5b\xc3"), 8, 8, false },
	};

	(void)state;
	check_stack(rows, LENGTH(rows));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stack_x86),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
