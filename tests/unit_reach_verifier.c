/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Does the verifier of the running kernel look at what reach says? Random programs call a helper
 * that no kernel has, somewhere: the verifier says its number if it gets there, and takes the
 * program if not. REACH_YES and REACH_NO are promises. REACH_PROGRAMS=N: so many, of seeds from
 * REACH_SEED on.
 */
#define _GNU_SOURCE	/* syscall() */
#include "tests/cmocka_all.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#undef BPF_CALL
#undef BPF_EXIT
#include "bpf/reach.h"
#include "tests/mutate.h"

#define HELPER_NONE 7777
#define CODE_MOST   96
#define SLOT_COUNT  4

struct maker {
	struct random random;
	struct bpf_insn code[CODE_MOST];
	uint32_t count, asked;
	uint32_t functions[2];	/* calls of the first and second function; 0: none */
	bool wants_call;
};

static void emit(struct maker *m, uint8_t code, uint8_t to, uint8_t from, int16_t offset,
		 int32_t immediate)
{
	struct bpf_insn *insn = &m->code[m->count++];

	*insn = (struct bpf_insn){ .code = code, .off = offset, .imm = immediate };
	insn->dst_reg = to & 15u;
	insn->src_reg = from & 15u;
}

static uint32_t below(struct maker *m, uint32_t limit)
{
	return (uint32_t)random_below(&m->random, limit);
}

/* r0, r7, r8 and r9 are numbers all the time; r6 is the context, or a pointer to the stack. */
static uint8_t a_number(struct maker *m)
{
	static const uint8_t registers[] = { 0, 7, 8, 9 };

	return registers[below(m, 4)];
}

static int32_t an_immediate(struct maker *m)
{
	static const int32_t values[] = { 0, 1, 2, 3, 4, 7, 8, 15, 16, 100, 255, 256, 0x7fffffff,
					  -1, -2, -256, INT32_MIN };

	return values[below(m, sizeof(values) / sizeof(*values))];
}

static int16_t a_slot(struct maker *m)
{
	return (int16_t)(-8 * (int)(1 + below(m, SLOT_COUNT)));
}

static void emit_calculation(struct maker *m)
{
	static const uint8_t operations[] = { 0x00, 0x10, 0x20, 0x40, 0x50, 0x60, 0x70, 0xa0, 0xb0,
					      0xc0, 0x30, 0x90 };
	uint8_t operation = operations[below(m, 12)], wide = below(m, 2) ? 0x07 : 0x04;
	uint8_t to = a_number(m);
	bool extends = operation == 0xb0 && below(m, 3) == 0;
	bool is_shift = operation == 0x60 || operation == 0x70 || operation == 0xc0;

	if (below(m, 12) == 0) {
		emit(m, below(m, 2) ? 0xd4 : 0xdc, to, 0, 0, below(m, 2) ? 16 : 32);
	} else if (below(m, 3) == 0 && !is_shift) {
		emit(m, operation | wide | 8, to, a_number(m), extends ? 8 : 0, 0);
	} else {
		int32_t by = is_shift ? (int32_t)below(m, wide == 7 ? 64 : 32) : an_immediate(m);

		if ((operation == 0x30 || operation == 0x90) && !by)
			by = 3;
		emit(m, operation | wide, to, 0, 0, by);
	}
}

static void emit_memory(struct maker *m)
{
	static const uint8_t sizes[] = { 0x00, 0x08, 0x10, 0x18 }, bytes[] = { 4, 2, 1, 8 };
	uint32_t size = below(m, 4);
	int16_t at = (int16_t)(a_slot(m) + (int16_t)(bytes[size] * below(m, 8 / bytes[size])));

	switch (below(m, 6)) {
	case 0: emit(m, 0x7b, 10, a_number(m), a_slot(m), 0); break;
	case 1: emit(m, 0x63 | sizes[size], 10, a_number(m), at, 0); break;
	case 2: emit(m, 0x62 | sizes[size], 10, 0, at, an_immediate(m)); break;
	case 3: emit(m, 0x79, a_number(m), 10, a_slot(m), 0); break;
	case 4:
		emit(m, 0x61 | sizes[size], a_number(m), 10, at, 0);
		break;
	default:	/* at a place that is not known, */
		emit(m, 0xbf, 2, 10, 0, 0);
		emit(m, 0xbf, 1, a_number(m), 0, 0);
		emit(m, 0x57, 1, 0, 0, 8);
		emit(m, 0x0f, 2, 1, 0, 0);
		emit(m, below(m, 2) ? 0x7b : 0x7a, 2, a_number(m), -16, below(m, 2) ? 1 : 0);
	}
}

static void emit_call(struct maker *m)
{
	switch (below(m, 4)) {
	case 0:		/* a helper that writes to the stack: bpf_get_current_comm() */
		emit(m, 0xbf, 1, 10, 0, 0);
		emit(m, 0x07, 1, 0, 0, below(m, 2) ? -16 : -32);
		emit(m, 0xb7, 2, 0, 0, 16);
		emit(m, 0x85, 0, 0, 0, 16);
		break;
	case 1:
	case 2:
		if (m->wants_call && m->count < CODE_MOST - 40) {
			uint32_t which = below(m, 2);

			if (m->functions[which])
				break;
			emit(m, 0xbf, 1, a_number(m), 0, 0);
			emit(m, 0xbf, 2, 10, 0, 0);
			emit(m, 0x07, 2, 0, 0, a_slot(m));
			m->functions[which] = m->count;
			emit(m, 0x85, 0, 1, 0, 0);
			break;
		}
		/* fall through */
	default: emit(m, 0x85, 0, 0, 0, 7); break;
	}
}

static void emit_branch(struct maker *m);

static void emit_some(struct maker *m, uint32_t count)
{
	while (count-- && m->count < CODE_MOST - 32) {
		switch (below(m, 8)) {
		case 0:
		case 1: emit_memory(m); break;
		case 2: emit_call(m); break;
		case 3:
		case 4: emit_branch(m); break;
		default: emit_calculation(m); break;
		}
	}
}

/* Over some instructions, which may be the asked one's place. */
static void emit_branch(struct maker *m)
{
	static const uint8_t operations[] = { 0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70, 0xa0, 0xb0,
					      0xc0, 0xd0 };
	uint32_t jump = m->count;
	uint8_t code = operations[below(m, 11)] | (below(m, 3) ? 0x05 : 0x06);

	if (below(m, 3))
		emit(m, code, a_number(m), 0, 0, an_immediate(m));
	else	/* Of a number and itself verifiers follow ways that there are not. */
		emit(m, code | 8, (uint8_t)(7 + below(m, 2)), below(m, 2) ? 0 : 9, 0, 0);
	if (!m->asked && below(m, 3) == 0) {
		m->asked = m->count;
		emit(m, 0x85, 0, 0, 0, HELPER_NONE);
	} else {
		emit_some(m, 1 + below(m, 3));
	}
	m->code[jump].off = (int16_t)(m->count - jump - 1);
}

/* r1 is a number, r2 a pointer to the caller's stack. */
static void emit_function(struct maker *m, uint32_t call)
{
	m->code[call].imm = (int32_t)(m->count - call - 1);
	m->wants_call = false;
	emit(m, 0xbf, 7, 1, 0, 0);
	emit(m, 0xbf, 6, 2, 0, 0);
	emit(m, 0xb7, 0, 0, 0, an_immediate(m));
	emit(m, 0xbf, 8, 1, 0, 0);
	emit(m, 0xb7, 9, 0, 0, 5);
	for (int i = 1; i <= SLOT_COUNT; i++)
		emit(m, 0x7a, 10, 0, (int16_t)(-8 * i), 0);
	if (below(m, 2))
		emit(m, 0x7b, 6, 7, 0, 0);
	emit_some(m, 1 + below(m, 3));
	emit(m, 0x95, 0, 0, 0, 0);
}

static void make(struct maker *m, uint64_t seed)
{
	*m = (struct maker){ .random = { seed * 2 + 1 }, .wants_call = true };
	for (int i = 0; i < 4; i++)
		random_next(&m->random);
	emit(m, 0xbf, 6, 1, 0, 0);
	emit(m, 0x79, 7, 6, 0, 0);
	emit(m, 0x61, 8, 6, 8, 0);
	emit(m, 0xb7, 9, 0, 0, an_immediate(m));
	emit(m, 0xb7, 0, 0, 0, an_immediate(m));
	for (int i = 1; i <= SLOT_COUNT; i++)
		emit(m, 0x7a, 10, 0, (int16_t)(-8 * i), an_immediate(m));
	emit_some(m, 3 + below(m, 8));
	emit(m, 0xb7, 0, 0, 0, 0);
	emit(m, 0x95, 0, 0, 0, 0);
	for (int i = 0; i < 2; i++) {
		if (m->functions[i])
			emit_function(m, m->functions[i]);
	}
}

enum verdict { TAKEN, GETS_THERE, REFUSED, NOT_ALLOWED };

static enum verdict verify(const struct maker *m, char *log, uint32_t log_bytes)
{
	static const char license[] = "GPL";
	union bpf_attr attr;
	long fd;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT;
	attr.insns = (uintptr_t)m->code;
	attr.insn_cnt = m->count;
	attr.license = (uintptr_t)license;
	attr.log_buf = (uintptr_t)log;
	attr.log_size = log_bytes;
	attr.log_level = 1;
	*log = '\0';
	fd = syscall(__NR_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
	if (fd >= 0)
		close((int)fd);
	else if (errno == EPERM || errno == ENOSYS)
		return NOT_ALLOWED;
	return fd >= 0 ? TAKEN : strstr(log, "unknown#7777") ? GETS_THERE : REFUSED;
}

static enum reach_answer ask(const struct maker *m)
{
	static const struct bpf_program program = { .name = "random", .section = "raw_tp" };
	const struct reach_facts facts = { .relocations = NULL };
	struct bpf_file file = { 0 };
	struct reach reach;
	enum reach_answer answer;
	uint32_t decides;

	for (uint32_t i = 0; i < m->count; i++) {
		const struct bpf_insn *from = &m->code[i];

		array_push(&file.code, ((struct bpf_instruction){
			.code = from->code, .to = from->dst_reg, .from = from->src_reg,
			.offset = from->off, .immediate = from->imm }));
	}
	reach_init(&reach, &file);
	reach_run(&reach, &program, &facts);
	answer = reach_ask(&reach, &m->asked, 1, 0, &decides);
	reach_release(&reach);
	array_release(&file.code);
	return answer;
}

static void print_program(const struct maker *m, uint64_t seed)
{
	print_error("seed %llu, asked %u:\n", (unsigned long long)seed, m->asked);
	for (uint32_t i = 0; i < m->count; i++)
		print_error("%3u: %02x r%u r%u %+d %d\n", i, m->code[i].code, m->code[i].dst_reg,
			    m->code[i].src_reg, m->code[i].off, m->code[i].imm);
}

TEST(test_random_programs)
{
	const char *wanted = getenv("REACH_PROGRAMS"), *from = getenv("REACH_SEED");
	uint64_t count = wanted ? strtoull(wanted, NULL, 10) : 4000;
	uint64_t seed = from ? strtoull(from, NULL, 10) : 1, end = seed + count;
	uint32_t counts[3][2] = { { 0 } }, refused = 0, wrong = 0;
	char *log = malloc(1 << 20);

	assert_non_null(log);
	for (; seed < end; seed++) {
		struct maker m;
		enum verdict verdict;
		enum reach_answer answer;

		make(&m, seed);
		if (!m.asked)
			continue;
		verdict = verify(&m, log, 1 << 20);
		if (verdict == NOT_ALLOWED) {
			free(log);
			print_message("bpf() is not allowed here\n");
			skip();
		}
		refused += verdict == REFUSED;
		if (verdict == REFUSED) {
			if (getenv("REACH_WHY"))
				print_message("seed %llu: %s\n", (unsigned long long)seed,
					      strlen(log) > 200 ? log + strlen(log) - 200 : log);
			continue;
		}
		answer = ask(&m);
		counts[answer][verdict == GETS_THERE]++;
		if (answer == REACH_MAYBE || (answer == REACH_YES) == (verdict == GETS_THERE))
			continue;
		print_error("the verifier %s there, and reach says %s\n",
			    verdict == GETS_THERE ? "gets" : "does not get", answer ? "yes" : "no");
		print_program(&m, seed);
		wrong++;
		if (wrong >= 5)
			break;
	}
	free(log);
	print_message("no %u, maybe %u + %u, yes %u; not comparable %u\n", counts[REACH_NO][0],
		      counts[REACH_MAYBE][0], counts[REACH_MAYBE][1], counts[REACH_YES][1],
		      refused);
	assert_int_equal(wrong, 0);
	assert_in_range(counts[REACH_NO][0], count / 100, count);
	assert_in_range(counts[REACH_YES][1], count / 100, count);
}
