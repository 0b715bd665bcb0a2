/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Calls each function of a test program with registers and stack as the tables say, and compares
 * what it has seen and returned. Freestanding: it is linked with nothing else, for any machine that
 * it has a caller for. Exit status 0: all was as the tables say.
 */
#define ABI_RUNNER
#include "tests/abi/machine.h"

unsigned char seen[BUFFER_BYTES], given[BUFFER_BYTES];
unsigned char result_memory[BUFFER_BYTES] __attribute__((aligned(64)));

/* void call_with(struct call *): the offsets are those of struct call. */
void call_with(struct call *call);

#if defined(__x86_64__)
__asm__(".text\n.globl call_with\ncall_with:\n"
	"	push %rbp\n	mov %rsp, %rbp\n	push %rbx\n	push %rbx\n"
	"	mov %rdi, %rbx\n	mov 8(%rbx), %rcx\n	mov 16(%rbx), %rdx\n"
	"	lea 0(,%rcx,8), %rax\n	sub %rax, %rsp\n	and $-64, %rsp\n"
	"1:	test %rcx, %rcx\n	jz 2f\n	dec %rcx\n"
	"	mov (%rdx,%rcx,8), %rax\n	mov %rax, (%rsp,%rcx,8)\n	jmp 1b\n"
	"2:	movups 128(%rbx), %xmm0\n	movups 144(%rbx), %xmm1\n"
	"	movups 160(%rbx), %xmm2\n	movups 176(%rbx), %xmm3\n"
	"	movups 192(%rbx), %xmm4\n	movups 208(%rbx), %xmm5\n"
	"	movups 224(%rbx), %xmm6\n	movups 240(%rbx), %xmm7\n"
	"	mov 32(%rbx), %rdi\n	mov 40(%rbx), %rsi\n	mov 48(%rbx), %rdx\n"
	"	mov 56(%rbx), %rcx\n	mov 64(%rbx), %r8\n	mov 72(%rbx), %r9\n"
	"	mov $8, %eax\n	call *(%rbx)\n"
	"	mov %rax, 384(%rbx)\n	mov %rdx, 392(%rbx)\n"
	"	movups %xmm0, 416(%rbx)\n	movups %xmm1, 432(%rbx)\n"
	"	cmpq $0, 24(%rbx)\n	je 3f\n	fstpt 416(%rbx)\n"
	"	cmpq $1, 24(%rbx)\n	je 3f\n	fstpt 432(%rbx)\n"
	"3:	lea -16(%rbp), %rsp\n	pop %rbx\n	pop %rbx\n	pop %rbp\n	ret\n");
#elif defined(__i386__) /* built with -mregparm=3, as the functions are */
__asm__(".text\n.globl call_with\ncall_with:\n"
	"	push %ebp\n	mov %esp, %ebp\n	push %ebx\n	push %esi\n"
	"	mov %eax, %ebx\n	mov 4(%ebx), %ecx\n	mov 8(%ebx), %edx\n"
	"	lea 0(,%ecx,4), %eax\n	sub %eax, %esp\n	and $-64, %esp\n"
	"1:	test %ecx, %ecx\n	jz 2f\n	dec %ecx\n"
	"	mov (%edx,%ecx,4), %eax\n	mov %eax, (%esp,%ecx,4)\n	jmp 1b\n"
	"2:	mov 16(%ebx), %eax\n	mov 20(%ebx), %edx\n	mov 24(%ebx), %ecx\n"
	"	call *(%ebx)\n"
	"	mov %eax, 320(%ebx)\n	mov %edx, 324(%ebx)\n"
	"	lea -8(%ebp), %esp\n	pop %esi\n	pop %ebx\n	pop %ebp\n	ret\n");
#elif defined(__aarch64__)
__asm__(".text\n.globl call_with\ncall_with:\n"
	"	stp x29, x30, [sp, #-32]!\n	mov x29, sp\n	str x19, [sp, #16]\n"
	"	mov x19, x0\n	ldr x9, [x19, #8]\n	ldr x10, [x19, #16]\n"
	"	sub x11, sp, x9, lsl #3\n	and x11, x11, #-64\n	mov sp, x11\n"
	"1:	cbz x9, 2f\n	sub x9, x9, #1\n	ldr x12, [x10, x9, lsl #3]\n"
	"	str x12, [x11, x9, lsl #3]\n	b 1b\n"
	"2:	ldp q0, q1, [x19, #128]\n	ldp q2, q3, [x19, #160]\n"
	"	ldp q4, q5, [x19, #192]\n	ldp q6, q7, [x19, #224]\n"
	"	ldp x0, x1, [x19, #32]\n	ldp x2, x3, [x19, #48]\n"
	"	ldp x4, x5, [x19, #64]\n	ldp x6, x7, [x19, #80]\n"
	"	ldr x8, [x19, #96]\n"
	"	ldr x9, [x19]\n	blr x9\n"
	"	add x9, x19, #384\n	stp x0, x1, [x9]\n	add x9, x19, #416\n"
	"	stp q0, q1, [x9]\n	stp q2, q3, [x9, #32]\n"
	"	mov sp, x29\n	ldr x19, [sp, #16]\n	ldp x29, x30, [sp], #32\n	ret\n");
#elif defined(__arm__)
__asm__(".text\n.arm\n.globl call_with\n.type call_with, %function\ncall_with:\n"
	"	push {r4, r5, fp, lr}\n	mov fp, sp\n	mov r4, r0\n"
	"	ldr r1, [r4, #4]\n	ldr r2, [r4, #8]\n	sub r3, sp, r1, lsl #2\n"
	"	bic r3, r3, #63\n	mov sp, r3\n"
	"1:	cmp r1, #0\n	beq 2f\n	sub r1, r1, #1\n	ldr r0, [r2, r1, lsl #2]\n"
	"	str r0, [r3, r1, lsl #2]\n	b 1b\n"
	"2:	add r5, r4, #16\n	ldm r5, {r0-r3}\n	ldr r5, [r4]\n	blx r5\n"
	"	add r5, r4, #320\n	stm r5, {r0, r1}\n"
	"	mov sp, fp\n	pop {r4, r5, fp, pc}\n");
#elif defined(__s390x__)
__asm__(".text\n.globl call_with\ncall_with:\n"
	"	stmg %r6, %r15, 48(%r15)\n	lgr %r11, %r15\n	lgr %r10, %r2\n"
	"	lg %r1, 8(%r10)\n	lg %r3, 16(%r10)\n	sllg %r4, %r1, 3\n"
	"	lgr %r5, %r15\n	aghi %r5, -160\n	sgr %r5, %r4\n	lgr %r15, %r5\n"
	"	nill %r15, 0xfff8\n"
	"1:	ltgr %r1, %r1\n	jz 2f\n	aghi %r1, -1\n	sllg %r4, %r1, 3\n"
	"	lg %r0, 0(%r4,%r3)\n	stg %r0, 0(%r4,%r15)\n	j 1b\n"
	"2:	ld %f0, 128(%r10)\n	ld %f2, 144(%r10)\n	ld %f4, 160(%r10)\n"
	"	ld %f6, 176(%r10)\n	lmg %r2, %r6, 32(%r10)\n	lg %r1, 0(%r10)\n"
	"	basr %r14, %r1\n	stg %r2, 384(%r10)\n	stg %r3, 392(%r10)\n"
	"	std %f0, 416(%r10)\n	lgr %r15, %r11\n	lmg %r6, %r15, 48(%r15)\n"
	"	br %r14\n");
#elif defined(__powerpc64__)
__asm__(".text\n.globl call_with\n.type call_with, @function\ncall_with:\n"
	"	addis 2, 12, .TOC.-call_with@ha\n	addi 2, 2, .TOC.-call_with@l\n"
	".localentry call_with, .-call_with\n"
	"	mflr 0\n	std 0, 16(1)\n	std 31, -8(1)\n	std 30, -16(1)\n	mr 31, 1\n"
	"	mr 30, 3\n	ld 5, 8(30)\n	ld 6, 16(30)\n	sldi 7, 5, 3\n"
	"	subf 8, 7, 1\n	addi 8, 8, -512\n	rldicr 8, 8, 0, 57\n	std 1, 0(8)\n"
	"	mr 1, 8\n"
	"1:	cmpdi 5, 5\n	ble 2f\n	addi 5, 5, -1\n	sldi 7, 5, 3\n"
	"	ldx 9, 6, 7\n	stdx 9, 8, 7\n	b 1b\n"
	/* Words 0 to 3 are the frame's own. */
	"2:	lfd 1, 128(30)\n	lfd 2, 144(30)\n	lfd 3, 160(30)\n"
	"	lfd 4, 176(30)\n"
	"	lfd 5, 192(30)\n	lfd 6, 208(30)\n	lfd 7, 224(30)\n"
	"	lfd 8, 240(30)\n"
	"	lfd 9, 256(30)\n	lfd 10, 272(30)\n	lfd 11, 288(30)\n"
	"	lfd 12, 304(30)\n	lfd 13, 320(30)\n"
	"	ld 3, 32(30)\n	ld 4, 40(30)\n	ld 5, 48(30)\n	ld 6, 56(30)\n"
	"	ld 7, 64(30)\n	ld 8, 72(30)\n	ld 9, 80(30)\n	ld 10, 88(30)\n"
	"	std 2, 24(1)\n	ld 12, 0(30)\n	mtctr 12\n	bctrl\n	ld 2, 24(1)\n"
	"	std 3, 384(30)\n	std 4, 392(30)\n	stfd 1, 416(30)\n"
	"	stfd 2, 432(30)\n	stfd 3, 448(30)\n	stfd 4, 464(30)\n"
	"	stfd 5, 480(30)\n	stfd 6, 496(30)\n	stfd 7, 512(30)\n"
	"	stfd 8, 528(30)\n"
	"	mr 1, 31\n	ld 30, -16(1)\n	ld 31, -8(1)\n	ld 0, 16(1)\n	mtlr 0\n"
	"	blr\n");
#elif defined(__riscv)
__asm__(".text\n.globl call_with\ncall_with:\n"
	"	addi sp, sp, -32\n	sd ra, 0(sp)\n	sd s0, 8(sp)\n	sd s1, 16(sp)\n"
	"	mv s0, sp\n	mv s1, a0\n	ld t0, 8(s1)\n	ld t1, 16(s1)\n"
	"	slli t2, t0, 3\n	sub sp, sp, t2\n	andi sp, sp, -64\n"
	"1:	beqz t0, 2f\n	addi t0, t0, -1\n	slli t2, t0, 3\n	add t3, t1, t2\n"
	"	ld t4, 0(t3)\n	add t3, sp, t2\n	sd t4, 0(t3)\n	j 1b\n"
	"2:	ld a0, 32(s1)\n	ld a1, 40(s1)\n	ld a2, 48(s1)\n	ld a3, 56(s1)\n"
	"	ld a4, 64(s1)\n	ld a5, 72(s1)\n	ld a6, 80(s1)\n	ld a7, 88(s1)\n"
	"	ld t0, 0(s1)\n	jalr t0\n	sd a0, 384(s1)\n	sd a1, 392(s1)\n"
	"	mv sp, s0\n	ld ra, 0(sp)\n	ld s0, 8(sp)\n	ld s1, 16(sp)\n"
	"	addi sp, sp, 32\n	ret\n");
#elif defined(__loongarch__)
__asm__(".text\n.globl call_with\ncall_with:\n"
	"	addi.d $sp, $sp, -32\n	st.d $ra, $sp, 0\n	st.d $s0, $sp, 8\n"
	"	st.d $s1, $sp, 16\n	move $s0, $sp\n	move $s1, $a0\n"
	"	ld.d $t0, $s1, 8\n	ld.d $t1, $s1, 16\n	slli.d $t2, $t0, 3\n"
	"	sub.d $sp, $sp, $t2\n	bstrins.d $sp, $zero, 5, 0\n"
	"1:	beqz $t0, 2f\n	addi.d $t0, $t0, -1\n	slli.d $t2, $t0, 3\n"
	"	ldx.d $t4, $t1, $t2\n	stx.d $t4, $sp, $t2\n	b 1b\n"
	"2:	ld.d $a0, $s1, 32\n	ld.d $a1, $s1, 40\n	ld.d $a2, $s1, 48\n"
	"	ld.d $a3, $s1, 56\n	ld.d $a4, $s1, 64\n	ld.d $a5, $s1, 72\n"
	"	ld.d $a6, $s1, 80\n	ld.d $a7, $s1, 88\n	ld.d $t0, $s1, 0\n"
	"	jirl $ra, $t0, 0\n	st.d $a0, $s1, 384\n	st.d $a1, $s1, 392\n"
	"	move $sp, $s0\n	ld.d $ra, $sp, 0\n	ld.d $s0, $sp, 8\n"
	"	ld.d $s1, $sp, 16\n	addi.d $sp, $sp, 32\n	ret\n");
#endif

/* ---- the little that is needed of an operating system ---- */

#if defined(__x86_64__)
#define SYSCALL(nr, a, b, c) \
	({ long r_; __asm__ volatile("syscall" : "=a"(r_) : "a"(nr), "D"(a), "S"(b), "d"(c) \
				     : "rcx", "r11", "memory"); r_; })
enum { NR_WRITE = 1, NR_EXIT = 231 };
#elif defined(__i386__)
#define SYSCALL(nr, a, b, c) \
	({ long r_; __asm__ volatile("int $0x80" : "=a"(r_) : "a"(nr), "b"(a), "c"(b), "d"(c) \
				     : "memory"); r_; })
enum { NR_WRITE = 4, NR_EXIT = 252 };
#elif defined(__aarch64__)
#define REGISTERS "x8", "x0", "x1", "x2"
#define TRAP	  "svc #0"
enum { NR_WRITE = 64, NR_EXIT = 94 };
#elif defined(__arm__)
#define REGISTERS "r7", "r0", "r1", "r2"
#define TRAP	  "svc #0"
enum { NR_WRITE = 4, NR_EXIT = 248 };
#elif defined(__s390x__)
#define REGISTERS "r1", "r2", "r3", "r4"
#define TRAP	  "svc 0"
enum { NR_WRITE = 4, NR_EXIT = 248 };
#elif defined(__powerpc64__)
#define REGISTERS "r0", "r3", "r4", "r5"
#define TRAP	  "sc"
enum { NR_WRITE = 4, NR_EXIT = 234 };
#elif defined(__riscv)
#define REGISTERS "a7", "a0", "a1", "a2"
#define TRAP	  "ecall"
enum { NR_WRITE = 64, NR_EXIT = 94 };
#elif defined(__loongarch__)
#define REGISTERS "$a7", "$a0", "$a1", "$a2"
#define TRAP	  "syscall 0"
enum { NR_WRITE = 64, NR_EXIT = 94 };
#endif

#ifdef REGISTERS
#define NAMED_SYSCALL(r0, r1, r2, r3, nr, a, b, c) \
	({ register long n_ __asm__(r0) = (nr); register long a_ __asm__(r1) = (long)(a); \
	   register long b_ __asm__(r2) = (long)(b); register long c_ __asm__(r3) = (long)(c); \
	   __asm__ volatile(TRAP : "+r"(a_) : "r"(n_), "r"(b_), "r"(c_) : "memory", "cc"); a_; })
#define NAMED(...)	     NAMED_SYSCALL(__VA_ARGS__)
#define SYSCALL(nr, a, b, c) NAMED(REGISTERS, nr, a, b, c)
#endif

void *memcpy(void *to, const void *from, word bytes)
{
	volatile unsigned char *t = to;
	const unsigned char *f = from;

	while (bytes--)
		*t++ = *f++;
	return to;
}

void *memset(void *to, int value, word bytes)
{
	volatile unsigned char *t = to;

	while (bytes--)
		*t++ = (unsigned char)value;
	return to;
}

static void print(const char *text)
{
	word length = 0;

	while (text[length])
		length++;
	SYSCALL(NR_WRITE, 1, text, length);
}

static void print_number(word number)
{
	char digits[24], *p = digits + sizeof(digits) - 1;

	*p = 0;
	do {
		*--p = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	print(p);
}

/* ---- checking ---- */

static unsigned int value_at(const struct call *call, unsigned int where)
{
	if (where >= IN_RESULT)
		return result_memory[where - IN_RESULT];
	if (where >= IN_OUT)
		return ((const unsigned char *)call->out_integers)[where - IN_OUT];
	return seen[where];
}

/* 0: as the tables say. */
static int run(struct call *call)
{
	word wrong = 0;

	memset(seen, 0xa5, sizeof(seen));
	memset(result_memory, 0xa5, sizeof(result_memory));
	memcpy(given, call->given, call->given_bytes);
	call_with(call);
	for (word i = 0; i < call->check_count; i++) {
		unsigned int item = call->checks[i] >> 8 & 0xff;

		if (value_at(call, call->checks[i] >> 16) == (call->checks[i] & 0xff) ||
		    wrong == item + 1)
			continue;
		wrong = item + 1;
		print(call->name);
		if (item == RESULT_ITEM) {
			print(": result\n");
		} else {
			print(": parameter ");
			print_number(item);
			print("\n");
		}
	}
	return wrong != 0;
}

__attribute__((used)) static void start(void)
{
	word functions = 0, parameters = 0, checks = 0;

	for (word i = 0; i < call_count; i++) {
		functions += (word)run(&calls[i]);
		parameters += calls[i].parameter_count;
		checks += calls[i].check_count;
	}
	print_number(call_count);
	print(" functions, ");
	print_number(parameters);
	print(" parameters, ");
	print_number(checks);
	print(" bytes compared, ");
	print_number(functions);
	print(" functions differ\n");
	SYSCALL(NR_EXIT, functions != 0, 0, 0);
}

#if defined(__x86_64__)
__asm__(".globl _start\n_start:\n	and $-64, %rsp\n	call start\n");
#elif defined(__i386__)
__asm__(".globl _start\n_start:\n	and $-64, %esp\n	call start\n");
#else
void _start(void);
void _start(void)
{
	start();
}
#endif
