/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * usage: fentry_args FILE
 *
 * Does an fentry program see under a parameter's name what the caller has passed? Each row of the
 * table names a parameter of a kernel function and the value that a system call of ours brings
 * there. Where the parameter is comes from the BTF alone. FILE, which is opened, is on ext4. On
 * stdout, separated by tabs:
 *
 *	argument OBJECT FUNCTION PARAMETER WANTED SEEN
 *
 * SEEN is "absent" when the BTF has no such FUNC: nothing has been promised. It is "unsupported" if
 * the function has more arguments than this kernel's trampoline takes. Exit status: 0 when all rows
 * were tried.
 */
#include "tests/kbuild/fentry.h"

#include <bpf/bpf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/kbuild/calls.h"

enum {
	LOG_BYTES = 1 << 16,
	LOAD_64_BITS = BPF_DW, /* BPF_LD and BPF_IMM are 0 */
	ENOTSUPP = 524,	       /* the kernel's own */
};

/* The location of the parameter according to the BTF. */
struct argument {
	size_t slot;   /* which of the program's 64-bit arguments */
	uint64_t mask; /* the bits of it that the type has */
};

static bool argument_find(const struct btf *btf, uint32_t func_id, const char *parameter,
		       struct argument *argument)
{
	const struct btf_type *proto = btf__type_by_id(btf, btf__type_by_id(btf, func_id)->type);
	const struct btf_param *params = btf_params(proto);

	argument->slot = 0;
	for (uint16_t i = 0; i < btf_vlen(proto); i++) {
		int64_t size_bytes = btf__resolve_size(btf, params[i].type);

		if (strcmp(btf__name_by_offset(btf, params[i].name_off), parameter) == 0) {
			argument->mask = size_bytes < 8 ? (1ull << 8 * size_bytes) - 1 : ~0ull;
			return size_bytes > 0;
		}
		argument->slot += (size_t)(size_bytes + 7) / 8;
	}
	return false;
}

/* Two words: has the function been called by this process, and with what. */
struct seen {
	uint64_t called, value;
};

#define INSTRUCTIONS(...)                                                                          \
	{                                                                                          \
		(const struct bpf_insn[]){ __VA_ARGS__ },                                          \
			sizeof((const struct bpf_insn[]){ __VA_ARGS__ }) / sizeof(struct bpf_insn) \
	}

/*
 * Loads the program that writes to the map. It reads the argument from its context or by the helper
 * bpf_get_func_arg(), for which the argument's type does not matter.
 */
static int load_observer(const struct kernel_btf *target, uint32_t func_id, size_t slot, int map,
			 bool by_helper, char *log)
{
	const int16_t called_offset = offsetof(struct seen, called);
	const int16_t value_offset = offsetof(struct seen, value);
	const struct {
		const struct bpf_insn *code;
		size_t count;
	} read_argument[] = {
		INSTRUCTIONS({ BPF_LDX | BPF_MEM | BPF_DW, BPF_REG_1, BPF_REG_6,
			       (int16_t)(8 * slot), 0 }),
		INSTRUCTIONS({ BPF_ST | BPF_MEM | BPF_DW, BPF_REG_10, 0, -8, 0 },
			     { BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_1, BPF_REG_6, 0, 0 },
			     { BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_2, 0, 0, (int32_t)slot },
			     { BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_3, BPF_REG_10, 0, 0 },
			     { BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_3, 0, 0, -8 },
			     { BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_get_func_arg },
			     { BPF_LDX | BPF_MEM | BPF_DW, BPF_REG_1, BPF_REG_10, -8, 0 }),
	}, parts[] = {
		INSTRUCTIONS(
			/* r6 = context; not our process: out */
			{ BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_6, BPF_REG_1, 0, 0 },
			{ BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_get_current_pid_tgid },
			{ BPF_ALU64 | BPF_RSH | BPF_K, BPF_REG_0, 0, 0, 32 },
			{ BPF_JMP | BPF_JNE | BPF_K, BPF_REG_0, 0,
			  (int16_t)(5 + read_argument[by_helper].count), getpid() }),
		read_argument[by_helper],
		INSTRUCTIONS(
			/* r7 = the map's value */
			{ LOAD_64_BITS, BPF_REG_7, BPF_PSEUDO_MAP_VALUE, 0, map },
			{ 0, 0, 0, 0, 0 },
			{ BPF_STX | BPF_MEM | BPF_DW, BPF_REG_7, BPF_REG_1, value_offset, 0 },
			{ BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_1, 0, 0, 1 },
			{ BPF_STX | BPF_MEM | BPF_DW, BPF_REG_7, BPF_REG_1, called_offset, 0 },
			/* out */
			{ BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0 },
			{ BPF_JMP | BPF_EXIT, 0, 0, 0, 0 }),
	};
	struct bpf_insn code[32];
	size_t count = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		memcpy(code + count, parts[i].code, parts[i].count * sizeof(*code));
		count += parts[i].count;
	}
	return fentry_load(target, func_id, code, count, log, LOG_BYTES);
}

/* The end of the verifier's LOG, at most MAX characters, as one line. */
static const char *log_end(char *log, size_t max)
{
	size_t length = strlen(log);

	for (char *c = log; *c != '\0'; c++) {
		if (*c == '\n')
			*c = ' ';
	}
	return log + (length > max ? length - max : 0);
}

/* Writes what the program has seen during the call, or why it has seen nothing. */
static void observe(const struct kernel_btf *target, uint32_t func_id,
		    const struct argument *argument, void (*call)(void), char *text,
		    size_t text_bytes)
{
	static char log[LOG_BYTES];
	struct seen seen = { 0, 0 };
	uint32_t key = 0;
	int map, program, link;

	map = bpf_map_create(BPF_MAP_TYPE_ARRAY, NULL, sizeof(key), sizeof(seen), 1, NULL);
	program = load_observer(target, func_id, argument->slot, map, false, log);
	/*
	 * Before 6.16 no program may load a `const void *` or, where clang writes the type tag, a
	 * `void __user *` from its context: btf_ctx_access() takes void for void only if nothing is
	 * between it and the pointer, and else wants a struct.
	 */
	if (program < 0 && strstr(log, "type UNKNOWN is not a struct"))
		program = load_observer(target, func_id, argument->slot, map, true, log);
	link = program < 0 ? -1 : fentry_attach(program);
	if (program >= 0 && link == -ENOTSUPP) {
		snprintf(text, text_bytes, "unsupported");
	} else if (link < 0) {
		snprintf(text, text_bytes, "refused: %s", log_end(log, 200));
	} else {
		call();
		bpf_map_lookup_elem(map, &key, &seen);
		if (seen.called)
			snprintf(text, text_bytes, "%#" PRIx64, seen.value & argument->mask);
		else
			snprintf(text, text_bytes, "no call");
		close(link);
	}
	close(program);
	close(map);
}

/* The BTF that has the function, or NULL. */
static const struct kernel_btf *find_function(const struct kernel_btfs *btfs, const char *name,
					      uint32_t *func_id)
{
	for (size_t i = 0; i < btfs->count; i++) {
		const struct kernel_btf *target = &btfs->items[i];
		int id = btf__find_by_name_kind(target->btf, name, BTF_KIND_FUNC);

		if (id >= (int)target->first_id) {
			*func_id = (uint32_t)id;
			return target;
		}
	}
	return NULL;
}

static void try_row(const struct kernel_btfs *btfs, const struct expectation *row)
{
	const struct kernel_btf *target;
	struct argument argument = { 0, ~0ull };
	char text[256] = "absent";
	uint32_t func_id;

	target = find_function(btfs, row->function, &func_id);
	if (target && argument_find(target->btf, func_id, row->parameter, &argument))
		observe(target, func_id, &argument, row->call, text, sizeof(text));
	else if (target)
		strcpy(text, "no such parameter");
	printf("argument\t%s\t%s\t%s\t%#" PRIx64 "\t%s\n", target ? target->object : "-",
	       row->function, row->parameter, row->value & argument.mask, text);
}

int main(int argc, char **argv)
{
	struct kernel_btfs btfs;

	if (argc != 2 || !calls_begin(argv[1])) {
		fprintf(stderr, "fentry_args: cannot open %s\n", argc == 2 ? argv[1] : "FILE");
		return EXIT_FAILURE;
	}
	if (!kernel_btfs_open(&btfs))
		return EXIT_FAILURE;
	for (size_t i = 0; i < expectation_count; i++)
		try_row(&btfs, &expectations[i]);
	return EXIT_SUCCESS;
}
