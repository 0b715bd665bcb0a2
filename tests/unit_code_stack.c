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

#define READ(offset, size, text, bytes)   { text, BYTES(bytes), offset, size, true }
#define UNREAD(offset, size, text, bytes) { text, BYTES(bytes), offset, size, false }

/* A function that aligns its stack and reaches its arguments by r10, which it saves. */
#define REALIGNED_TEXT(middle)                                                                     \
	"lea r10, [rsp + 8]; and rsp, -32; push [r10 - 8]; push rbp; mov rbp, rsp; "               \
	"push r10; " middle "mov r10, [rbp - 8]; leave; lea rsp, [r10 - 8]; ret"
#define REALIGNED(middle)                                                                          \
	"\x4c\x8d\x54\x24\x08\x48\x83\xe4\xe0\x41\xff\x72\xf8\x55\x48\x89\xe5\x41\x52"             \
	middle "\x4c\x8b\x55\xf8\xc9\x49\x8d\x62\xf8\xc3"

static const struct stack_row rows[] = {
	UNREAD(8, 8, "ret", "\xc3"),
	READ(8, 8, "mov eax, [rsp + 8]; ret", "\x8b\x44\x24\x08\xc3"),
	UNREAD(16, 8, "mov eax, [rsp + 8]; ret", "\x8b\x44\x24\x08\xc3"),
	READ(8, 8, "mov al, [rsp + 15]; ret", "\x8a\x44\x24\x0f\xc3"),
	UNREAD(8, 8, "mov rax, [rsp]; ret", "\x48\x8b\x04\x24\xc3"),
	READ(8, 8, "mov rax, [rsp + 1]; ret", "\x48\x8b\x44\x24\x01\xc3"),
	READ(8, 65, "mov rax, [rsp + 72]; ret", "\x48\x8b\x44\x24\x48\xc3"),
	UNREAD(8, 64, "mov rax, [rsp + 72]; ret", "\x48\x8b\x44\x24\x48\xc3"),
	UNREAD(8, 8, "mov eax, gs:[rsp + 8]; ret", "\x65\x8b\x44\x24\x08\xc3"),
	UNREAD(8, 8, "mov [rsp + 8], eax; ret", "\x89\x44\x24\x08\xc3"),
	READ(8, 8, "cmp [rsp + 8], eax; ret", "\x39\x44\x24\x08\xc3"),
	READ(8, 8, "call [rsp + 8]; ret", "\xff\x54\x24\x08\xc3"),
	UNREAD(8, 8, "movups [rsp + 8], xmm0; ret", "\x0f\x11\x44\x24\x08\xc3"),
	UNREAD(8, 8, "movsd [rsp + 8], xmm0; ret", "\xf2\x0f\x11\x44\x24\x08\xc3"),
	READ(16, 8, "fld tbyte ptr [rsp + 8]; ret", "\xdb\x6c\x24\x08\xc3"),
	UNREAD(8, 8, "nop dword ptr [rsp + 8]; ret", "\x0f\x1f\x44\x24\x08\xc3"),
	UNREAD(8, 8, "prefetcht0 [rsp + 8]; ret", "\x0f\x18\x4c\x24\x08\xc3"),
	UNREAD(8, 8, "mov [rsp + 8], rdi; mov rax, [rsp + 8]; ret",
	       "\x48\x89\x7c\x24\x08\x48\x8b\x44\x24\x08\xc3"),
	READ(8, 8, "mov [rsp + 8], edi; mov rax, [rsp + 8]; ret",
	     "\x89\x7c\x24\x08\x48\x8b\x44\x24\x08\xc3"),
	READ(8, 16, "mov [rsp + 8], rdi; mov rax, [rsp + 16]; ret",
	     "\x48\x89\x7c\x24\x08\x48\x8b\x44\x24\x10\xc3"),
	UNREAD(8, 8, "mov [rsp + 8], rdi; 1: mov rax, [rsp + 8]; dec edi; jne 1b; ret",
	       "\x48\x89\x7c\x24\x08\x48\x8b\x44\x24\x08\xff\xcf\x75\xf7\xc3"),
	UNREAD(8, 8, "push rbx; mov rax, [rsp + 8]; pop rbx; ret",
	       "\x53\x48\x8b\x44\x24\x08\x5b\xc3"),
	READ(8, 8, "push rbx; mov rax, [rsp + 16]; pop rbx; ret",
	     "\x53\x48\x8b\x44\x24\x10\x5b\xc3"),
	READ(8, 8, "push rbx; pop rbx; mov rax, [rsp + 8]; ret",
	     "\x53\x5b\x48\x8b\x44\x24\x08\xc3"),
	READ(8, 8, "push rsp; pop rbx; mov rax, [rsp + 8]; ret",
	     "\x54\x5b\x48\x8b\x44\x24\x08\xc3"),
	READ(8, 8, "pushfq; mov rax, [rsp + 16]; popfq; ret", "\x9c\x48\x8b\x44\x24\x10\x9d\xc3"),
	UNREAD(8, 8, "sub rsp, 24; mov rax, [rsp + 24]; add rsp, 24; ret",
	       "\x48\x83\xec\x18\x48\x8b\x44\x24\x18\x48\x83\xc4\x18\xc3"),
	READ(8, 8, "sub rsp, 24; mov rax, [rsp + 32]; add rsp, 24; ret",
	     "\x48\x83\xec\x18\x48\x8b\x44\x24\x20\x48\x83\xc4\x18\xc3"),
	READ(8, 8, "sub rsp, -128; add rsp, -128; mov rax, [rsp + 8]; ret",
	     "\x48\x83\xec\x80\x48\x83\xc4\x80\x48\x8b\x44\x24\x08\xc3"),
	READ(8, 8, "push rbp; mov rbp, rsp; push rbx; mov rax, [rbp + 16]; leave; ret",
	     "\x55\x48\x89\xe5\x53\x48\x8b\x45\x10\xc9\xc3"),
	READ(8, 8, "push rbp; mov rbp, rsp; push rbx; leave; mov rax, [rsp + 8]; ret",
	     "\x55\x48\x89\xe5\x53\xc9\x48\x8b\x44\x24\x08\xc3"),
	READ(8, 8, "push rbp; mov rbp, rsp; push rbx; lea rsp, [rbp - 8]; pop rbx; pop rbp; mov "
	     "rax, [rsp + 8]; ret",
	     "\x55\x48\x89\xe5\x53\x48\x8d\x65\xf8\x5b\x5d\x48\x8b\x44\x24\x08\xc3"),
	UNREAD(8, 8, "push rbp; mov rbp, rsp; sub rsp, rdi; mov rax, [rsp + 16]; leave; ret",
	       "\x55\x48\x89\xe5\x48\x29\xfc\x48\x8b\x44\x24\x10\xc9\xc3"),
	READ(8, 8, "push rbp; mov rbp, rsp; sub rsp, rdi; mov rax, [rbp + 16]; leave; ret",
	     "\x55\x48\x89\xe5\x48\x29\xfc\x48\x8b\x45\x10\xc9\xc3"),
	UNREAD(8, 8, "push rbp; mov rbp, rsp; mov rax, rsp; sub rax, rdi; mov rsp, rax; mov rax, "
	       "[rsp + 16]; leave; ret",
	       "\x55\x48\x89\xe5\x48\x89\xe0\x48\x29\xf8\x48\x89\xc4\x48\x8b\x44\x24\x10\xc9\xc3"),
	UNREAD(8, 8, "push rbp; mov rbp, rsp; and rsp, -32; mov rax, [rsp + 40]; leave; ret",
	       "\x55\x48\x89\xe5\x48\x83\xe4\xe0\x48\x8b\x44\x24\x28\xc9\xc3"),
	READ(8, 8, "push rbp; mov rbp, rsp; and rsp, -32; mov rax, [rbp + 16]; leave; ret",
	     "\x55\x48\x89\xe5\x48\x83\xe4\xe0\x48\x8b\x45\x10\xc9\xc3"),
	UNREAD(8, 8, REALIGNED_TEXT("call leaf; "), REALIGNED("\xe8\x28\x08\x00\x00")),
	READ(16, 8, REALIGNED_TEXT("mov eax, [r10 + 8]; "), REALIGNED("\x41\x8b\x42\x08")),
	UNREAD(8, 8, REALIGNED_TEXT("mov eax, [r10 + 8]; "), REALIGNED("\x41\x8b\x42\x08")),
	UNREAD(8, 8, REALIGNED_TEXT("mov rcx, [rbp - 8]; mov eax, [rcx + 8]; "),
	       REALIGNED("\x48\x8b\x4d\xf8\x8b\x41\x08")),
	UNREAD(16, 8, REALIGNED_TEXT("mov rcx, [rbp - 16]; mov eax, [rcx + 8]; "),
	       REALIGNED("\x48\x8b\x4d\xf0\x8b\x41\x08")),
	UNREAD(8, 8, "mov rsp, [rdi]; mov rax, [rsp + 8]; ret",
	       "\x48\x8b\x27\x48\x8b\x44\x24\x08\xc3"),
	UNREAD(8, 8, "1: sub rsp, 16; dec edi; jne 1b; mov rax, [rsp + 8]; ret",
	       "\x48\x83\xec\x10\xff\xcf\x75\xf8\x48\x8b\x44\x24\x08\xc3"),
	READ(8, 8, "test edi, edi; je 1f; push rax; call nonleaf; 1: mov rax, [rsp + 8]; ret",
	     "\x85\xff\x74\x06\x50\xe8\xf6\x07\x00\x00\x48\x8b\x44\x24\x08\xc3"),
	UNREAD(16, 8, "test edi, edi; je 1f; push rax; call nonleaf; 1: mov rax, [rsp + 8]; ret",
	       "\x85\xff\x74\x06\x50\xe8\xf6\x07\x00\x00\x48\x8b\x44\x24\x08\xc3"),
	UNREAD(8, 8, "vmovdqu [rsp + 8], ymm0; ret", "\xc5\xfe\x7f\x44\x24\x08\xc3"),
	READ(8, 8, "movsxd rax, dword ptr [rsp + 8]; ret", "\x48\x63\x44\x24\x08\xc3"),
	UNREAD(8, 8, "movdqa [rsp + 8], xmm1; ret", "\x66\x0f\x7f\x4c\x24\x08\xc3"),
	READ(8, 8, "lea rdi, [rsp + 8]; call leaf; ret",
	     "\x48\x8d\x7c\x24\x08\xe8\x36\x08\x00\x00\xc3"),
	UNREAD(16, 8, "lea rdi, [rsp + 8]; call leaf; ret",
	       "\x48\x8d\x7c\x24\x08\xe8\x36\x08\x00\x00\xc3"),
	UNREAD(8, 8, "lea rdi, [rsp + 16]; call leaf; ret",
	       "\x48\x8d\x7c\x24\x10\xe8\x36\x08\x00\x00\xc3"),
	UNREAD(8, 8, "lea rdi, [rsp - 16]; call leaf; ret",
	       "\x48\x8d\x7c\x24\xf0\xe8\x36\x08\x00\x00\xc3"),
	UNREAD(8, 8, "lea rbx, [rsp + 8]; call leaf; ret",
	       "\x48\x8d\x5c\x24\x08\xe8\x36\x08\x00\x00\xc3"),
	UNREAD(8, 8, "lea rax, [rsp + 8]; call leaf; mov eax, [rax]; ret",
	       "\x48\x8d\x44\x24\x08\xe8\x36\x08\x00\x00\x8b\x00\xc3"),
	READ(8, 8, "lea rax, [rsp + 8]; call fentry; mov eax, [rax]; ret",
	     "\x48\x8d\x44\x24\x08\xe8\xb6\x08\x00\x00\x8b\x00\xc3"),
	READ(8, 8, "lea rdi, [rsp + 8]; jmp leaf", "\x48\x8d\x7c\x24\x08\xe9\x36\x08\x00\x00"),
	READ(8, 8, "lea rax, [rsp + 8]; mov [rdi], rax; ret",
	     "\x48\x8d\x44\x24\x08\x48\x89\x07\xc3"),
	UNREAD(8, 8, "lea rax, [rsp + 8]; mov ecx, [rax + 8]; ret",
	       "\x48\x8d\x44\x24\x08\x8b\x48\x08\xc3"),
	READ(16, 8, "lea rax, [rsp + 8]; mov rdx, rax; add rdx, 16; mov ecx, [rdx - 8]; ret",
	     "\x48\x8d\x44\x24\x08\x48\x89\xc2\x48\x83\xc2\x10\x8b\x4a\xf8\xc3"),
	UNREAD(8, 8, "lea rax, [rsp + 8]; mov [rax], rdi; ret",
	       "\x48\x8d\x44\x24\x08\x48\x89\x38\xc3"),
	UNREAD(8, 8, "lea rdi, [rsp + 8]; rep stosb; ret", "\x48\x8d\x7c\x24\x08\xf3\xaa\xc3"),
	UNREAD(40, 8, "lea rax, [rsp + 8]; 1: mov ecx, [rax]; add rax, 8; dec edi; jne 1b; ret",
	       "\x48\x8d\x44\x24\x08\x8b\x08\x48\x83\xc0\x08\xff\xcf\x75\xf6\xc3"),
	UNREAD(8, 8, "lea rax, [rsp + 16]; 1: mov ecx, [rax]; add rax, 8; dec edi; jne 1b; ret",
	       "\x48\x8d\x44\x24\x10\x8b\x08\x48\x83\xc0\x08\xff\xcf\x75\xf6\xc3"),
	READ(8, 8, "mov eax, [rsp + rdi * 4 + 8]; ret", "\x8b\x44\xbc\x08\xc3"),
	UNREAD(16, 8, "mov eax, [rsp + rdi * 4 + 8]; ret", "\x8b\x44\xbc\x08\xc3"),
	UNREAD(8, 8, "mov eax, [rsp + rdi * 4 + 16]; ret", "\x8b\x44\xbc\x10\xc3"),
	UNREAD(8, 8, "mov eax, [rsp + rdi * 4]; ret", "\x8b\x04\xbc\xc3"),
	UNREAD(8, 8, "mov eax, [rsp + rdi * 4 - 88]; ret", "\x8b\x44\xbc\xa8\xc3"),
	UNREAD(8, 8, "mov [rsp + rdi * 4 + 8], eax; ret", "\x89\x44\xbc\x08\xc3"),
	UNREAD(8, 8, "mov rax, [rsp + 8]; push rax; call leaf; pop rcx; ret",
	       "\x48\x8b\x44\x24\x08\x50\xe8\x35\x08\x00\x00\x59\xc3"),
	UNREAD(8, 8, "push [rsp + 8]; call leaf; pop rcx; ret",
	       "\xff\x74\x24\x08\xe8\x37\x08\x00\x00\x59\xc3"),
	UNREAD(8, 24, "lea rax, [rsp + 8]; mov rax, [rax + 8]; push rax; call leaf; pop rcx; ret",
	       "\x48\x8d\x44\x24\x08\x48\x8b\x40\x08\x50\xe8\x31\x08\x00\x00\x59\xc3"),
	UNREAD(8, 8, "mov rcx, [rsp + 8]; push rcx; call leaf; pop rcx; ret",
	       "\x48\x8b\x4c\x24\x08\x51\xe8\x35\x08\x00\x00\x59\xc3"),
	READ(8, 8, "mov rcx, [rsp + 8]; call leaf; ret",
	     "\x48\x8b\x4c\x24\x08\xe8\x36\x08\x00\x00\xc3"),
	READ(8, 8, "push rbx; mov rbx, [rsp + 16]; call leaf; push rbx; call leaf; pop rcx; pop "
	     "rbx; ret",
	     "\x53\x48\x8b\x5c\x24\x10\xe8\x35\x08\x00\x00\x53\xe8\x2f\x08\x00\x00\x59\x5b\xc3"),
	READ(8, 8, "mov rax, [rsp + 8]; mov [rdi], rax; ret",
	     "\x48\x8b\x44\x24\x08\x48\x89\x07\xc3"),
	READ(8, 8, "mov rax, [rsp + 8]; add rax, rdi; push rax; call leaf; pop rcx; ret",
	     "\x48\x8b\x44\x24\x08\x48\x01\xf8\x50\xe8\x32\x08\x00\x00\x59\xc3"),
	UNREAD(8, 16, "movups xmm0, [rsp + 8]; sub rsp, 24; movups [rsp], xmm0; call leaf; add "
	       "rsp, 24; ret",
	       "\x0f\x10\x44\x24\x08\x48\x83\xec\x18\x0f\x11\x04"
	       "\x24\xe8\x2e\x08\x00\x00\x48\x83\xc4\x18\xc3"),
	UNREAD(8, 8, "jmp leaf", "\xe9\x3b\x08\x00\x00"),
	UNREAD(8, 8, "mov [rsp + 8], rdi; jmp leaf", "\x48\x89\x7c\x24\x08\xe9\x36\x08\x00\x00"),
	UNREAD(8, 16, "mov [rsp + 8], rdi; jmp leaf", "\x48\x89\x7c\x24\x08\xe9\x36\x08\x00\x00"),
	UNREAD(8, 8, "test edi, edi; je leaf; ret", "\x85\xff\x0f\x84\x38\x08\x00\x00\xc3"),
	UNREAD(8, 8, "jmp [rdi]", "\xff\x27"),
	UNREAD(16, 8, "push rbx; jmp rax; mov rcx, [rsp + 16]; pop rbx; ret",
	       "\x53\xff\xe0\x48\x8b\x4c\x24\x10\x5b\xc3"),
	UNREAD(8, 8, "jmp rax", "\xff\xe0"),
	UNREAD(8, 8, "ret; mov eax, [rdi]; ret", "\xc3\x8b\x07\xc3"),
	UNREAD(8, 8, ".byte 0x62, 0x62; ret", "\x62\x62\xc3"),
	READ(8, 8, "add [rsp + 8], eax; ret", "\x01\x44\x24\x08\xc3"),
	READ(8, 8, "test edi, edi; je 1f; mov [rsp + 8], rdi; 1: mov rax, [rsp + 8]; ret",
	     "\x85\xff\x74\x05\x48\x89\x7c\x24\x08\x48\x8b\x44\x24\x08\xc3"),
	/* Read, but this is not followed. */
	UNREAD(8, 8, "push [rsp + 8]; pop rax; ret", "\xff\x74\x24\x08\x58\xc3"),
	UNREAD(16, 8, "movups xmm0, [rsp + 8]; ret", "\x0f\x10\x44\x24\x08\xc3"),
	UNREAD(8, 8, "movsd xmm0, [rsp + 8]; ret", "\xf2\x0f\x10\x44\x24\x08\xc3"),
	UNREAD(16, 8, REALIGNED_TEXT("mov rcx, [rbp - 8]; mov eax, [rcx + 8]; "),
	       REALIGNED("\x48\x8b\x4d\xf8\x8b\x41\x08")),
	UNREAD(32, 8, "vmovdqu ymm0, [rsp + 8]; ret", "\xc5\xfe\x6f\x44\x24\x08\xc3"),
	UNREAD(8, 8, "lea rax, [rsp + 8]; push rax; call leaf; pop rcx; ret",
	       "\x48\x8d\x44\x24\x08\x50\xe8\x35\x08\x00\x00\x59\xc3"),
	UNREAD(8, 8, "lea rsi, [rsp + 8]; rep movsb; ret", "\x48\x8d\x74\x24\x08\xf3\xa4\xc3"),
	UNREAD(8, 8, "lea rax, [rsp + 8]; test edi, edi; cmove rax, rsi; mov eax, [rax]; ret",
	       "\x48\x8d\x44\x24\x08\x85\xff\x48\x0f\x44\xc6\x8b\x00\xc3"),
	UNREAD(8, 8,
		"lea rax, [rsp + 8]; test edi, edi; je 1f; mov rax, rsi; 1: mov eax, [rax]; ret",
		"\x48\x8d\x44\x24\x08\x85\xff\x74\x03\x48\x89\xf0\x8b\x00\xc3"),
	UNREAD(8, 40, "lea rax, [rsp + 8]; 1: mov ecx, [rax]; add rax, 8; dec edi; jne 1b; ret",
	       "\x48\x8d\x44\x24\x08\x8b\x08\x48\x83\xc0\x08\xff\xcf\x75\xf6\xc3"),
	UNREAD(8, 8, "lea rax, [rsp + 8]; add rax, rdi; mov eax, [rax]; ret",
	       "\x48\x8d\x44\x24\x08\x48\x01\xf8\x8b\x00\xc3"),
	UNREAD(8, 8, "lea rax, [rsp + rdi * 4 + 8]; mov eax, [rax]; ret",
	       "\x48\x8d\x44\xbc\x08\x8b\x00\xc3"),
	UNREAD(8, 16, "movups xmm0, [rsp + 8]; movups [rdi], xmm0; ret",
	       "\x0f\x10\x44\x24\x08\x0f\x11\x07\xc3"),
	UNREAD(8, 8, "push rbx; jmp rax; mov rcx, [rsp + 16]; pop rbx; ret",
	       "\x53\xff\xe0\x48\x8b\x4c\x24\x10\x5b\xc3"),
};

TEST(test_stack_x86)
{
	for (size_t i = 0; i < LENGTH(rows); i++) {
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
