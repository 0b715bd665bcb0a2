/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * What find_bug() of kernel/kprobes.c and each machine's arch_prepare_kprobe() refuse. Debian's 6.1
 * kernels are asked by tests/machine_probes.sh; 7.2 of riscv64 was asked once by hand, for each
 * 100th name; loongarch64 is by its source alone.
 *
 * Where the kernel replaces code, patched_code.c asks for all that may be there.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "base/text.h"
#include "kernel/attach/patched_code.h"

#define TAKEN ANSWER_YES
#define BUG_OR_WARN ANSWER_NO("the instruction there is that of a BUG() or WARN()")
#define MAYBE_BUG ANSWER_MAYBE("of the releases before 5.4 only late stable ones refuse the " \
			       "instruction of a BUG() or WARN(), which is there")
#define NOT_STEPPED ANSWER_NO("the instruction there cannot be single-stepped")
#define TO_STACK ANSWER_NO("the kernel steps no store at [sp, register], which is there")
#define IN_MEMORY ANSWER_NO("the kernel cannot emulate a call or jump through memory, which is " \
			    "there")
#define ATOMIC ANSWER_NO("the kernel takes the code there for an atomic sequence, after an " \
			 "exclusive load")
#define MAYBE_ATOMIC ANSWER_MAYBE("kernels before 6.15 take the code there for an atomic " \
				  "sequence, and stable releases may have the fix")

EMBED(instruction_rows, "kernel/attach/kprobe_instructions.txt");

struct pattern {
	char machine[16];
	uint32_t mask, value;
	struct answer answer;
	struct kernel_version since, until;
};

static ARRAY_OF(struct pattern) patterns;
static pthread_once_t are_read = PTHREAD_ONCE_INIT;

static void read_patterns(void)
{
	static const char *const words[] = { "taken", "bug", "maybe-bug", "not-stepped",
					     "to-stack" };
	const struct answer answers[] = { TAKEN, BUG_OR_WARN, MAYBE_BUG, NOT_STEPPED, TO_STACK };
	char *copy = memory_copy(instruction_rows), *rest = copy, *line;

	while ((line = strsep(&rest, "\n"))) {
		struct pattern pattern = { .until = { UINT16_MAX, UINT16_MAX } };
		char answer[16], when[8] = "from";

		if (sscanf(line, "%15[a-z0-9] %" SCNx32 " %" SCNx32 " %15s %7s %" SCNu16
			   ".%" SCNu16, pattern.machine, &pattern.mask, &pattern.value, answer,
			   when, &pattern.since.major, &pattern.since.minor) < 4)
			continue;
		pattern.answer = answers[text_find_word(words, 5, answer, strlen(answer))];
		if (strcmp(when, "before") == 0) {
			pattern.until = pattern.since;
			pattern.since = (struct kernel_version){ 0 };
		}
		array_push(&patterns, pattern);
	}
	free(copy);
}

/* __copy_instruction() and prepare_emulation() of arch/x86/kernel/kprobes/core.c */
static struct answer refused_by_x86(bool is_64, struct kernel_version version,
				    const uint8_t *code, size_t size)
{
	/* Before 5.13 what the cases below name was stepped, not emulated; so to 7.2. */
	bool is_emulated = kernel_version_is_from(version, 5, 13);
	size_t at = 0;

	/* No instruction is longer. */
	size = size < 15 ? size : 15;
	/* Prefixes: a segment, notrack, REX. */
	while (at < size && (code[at] == 0x2e || code[at] == 0x3e || code[at] == 0x64 ||
			     code[at] == 0x65 || (is_64 && (code[at] & 0xf0) == 0x40)))
		at++;
	/* int3; far call and jump of i386, iret */
	if (at < size && (code[at] == 0xcc || (is_emulated && memchr("\x9a\xea\xcf", code[at], 3))))
		return NOT_STEPPED;
	if (at + 2 > size)
		return TAKEN;
	if (code[at] == 0x0f && code[at + 1] == 0x0b)
		return kernel_version_is_from(version, 5, 4) ? BUG_OR_WARN : MAYBE_BUG;
	if (!is_emulated)
		return TAKEN;
	/* vmcall and its kin */
	if (code[at] == 0x0f && code[at + 1] == 0x01 && at + 2 < size && code[at + 2] >> 3 == 0x18)
		return NOT_STEPPED;
	/* ff /2 to /5 with an operand in memory */
	return code[at] == 0xff && (code[at + 1] >> 3 & 7) >= 2 && (code[at + 1] >> 3 & 7) <= 5 &&
			       code[at + 1] >> 6 != 3 ? IN_MEMORY : TAKEN;
}

/* is_probed_address_atomic(): the instructions in front, up to the symbol, at most 32. */
static bool is_atomic(uint32_t mask, const uint8_t *code, size_t at)
{
	for (size_t i = 1; i <= 32 && 4 * i <= at; i++) {
		uint32_t word = bytes_load_u32(code + at - 4 * i, HOST_IS_BIG_ENDIAN);

		if ((word & mask) == 0x08000000)
			return false;
		if ((word & mask) == 0x08400000)
			return true;
	}
	return false;
}

/*
 * Before 6.15 loads and stores that acquire and release, and casa, were taken for exclusive ones:
 * by 6.1.192 and 6.12.117, too, thus by all up to 6.12. Stable 6.13 and 6.14 may have the fix.
 */
static struct answer refused_as_atomic(struct kernel_version version, const uint8_t *code,
				       size_t at)
{
	bool now = is_atomic(0x3fc00000, code, at), before = is_atomic(0x3f400000, code, at);
	bool has_fix = kernel_version_is_from(version, 6, 15);

	if (now != before && !has_fix && kernel_version_is_from(version, 6, 13))
		return MAYBE_ATOMIC;
	return (has_fix ? now : before) ? ATOMIC : TAKEN;
}

static struct answer refused_by_pattern(const struct abi *abi, struct kernel_version version,
					const uint8_t *code, size_t at)
{
	uint32_t word = bytes_load_u32(code + at, abi->big_endian != HOST_IS_BIG_ENDIAN);

	pthread_once(&are_read, read_patterns);
	array_each(const struct pattern, pattern, &patterns) {
		if ((word & pattern->mask) != pattern->value ||
		    strcmp(pattern->machine, abi->name) != 0 ||
		    kernel_version_compare(version, pattern->since) < 0 ||
		    kernel_version_compare(version, pattern->until) >= 0)
			continue;
		if (pattern->answer.is != ATTACH_YES)
			return pattern->answer;
		break;
	}
	return abi->machine == ABI_ARM64 ? refused_as_atomic(version, code, at) : TAKEN;
}

struct answer kprobe_instruction_is_taken(const struct abi *abi, struct kernel_version version,
					  const uint8_t *code, size_t size, size_t at)
{
	if (!abi || at >= size)
		return TAKEN;
	/* One whose release is not known counts as new. */
	if (!version.major)
		version.major = UINT16_MAX;
	if (abi->machine == ABI_X86_64 || abi->machine == ABI_I386)
		return refused_by_x86(abi->machine == ABI_X86_64, version, code + at, size - at);
	return size - at >= 4 ? refused_by_pattern(abi, version, code, at) : TAKEN;
}
