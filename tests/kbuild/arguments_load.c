/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * usage: arguments_load
 *
 * Of each global function of the module arguments.c, which is loaded: attaches an fentry program
 * that reads all words of its arguments, lets the module call it, and compares. On stdout,
 * separated by tabs:
 *
 *	arguments FUNCTION right
 *	arguments FUNCTION wrong ARGUMENT WORDS	the first that is not what was passed; all
 *	arguments FUNCTION refused load|attach ERROR TEXT	the end of the verifier's log
 *	arguments FUNCTION unseen			there was no call
 */
#include "tests/kbuild/fentry.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LOG_BYTES = 1 << 16, MAX_WORDS = 16, VALUE_BYTES = 8 * (MAX_WORDS + 1) };

/* Sets known[] where the type has bytes with a value: not between members, nor after the last. */
static void mark(const struct btf *btf, uint32_t id, size_t at, bool *known)
{
	const struct btf_type *type = btf__type_by_id(btf, id);
	const struct btf_array *array;

	while (btf_is_mod(type) || btf_is_typedef(type))
		type = btf__type_by_id(btf, type->type);
	if (btf_is_array(type)) {
		array = btf_array(type);
		for (uint32_t i = 0; i < array->nelems; i++)
			mark(btf, array->type, at + i * (size_t)btf__resolve_size(btf, array->type),
			     known);
	} else if (btf_is_composite(type)) {
		for (uint32_t i = 0; i < btf_vlen(type); i++) {
			uint32_t bit = btf_member_bit_offset(type, i);
			uint32_t bits = btf_member_bitfield_size(type, i);

			if (bits)
				memset(known + at + bit / 8, true, (bit % 8 + bits + 7) / 8);
			else
				mark(btf, btf_members(type)[i].type, at + bit / 8, known);
		}
	} else {
		memset(known + at, true, (size_t)btf__resolve_size(btf, id));
	}
}

/* What a prototype's arguments are in words of the program's context. */
struct layout {
	size_t words;
	bool known[8 * MAX_WORDS];
	uint8_t wanted[8 * MAX_WORDS], argument[8 * MAX_WORDS];
};

static void layout_fill(struct layout *layout, const struct btf *btf, uint32_t function)
{
	const struct btf_type *proto =
		btf__type_by_id(btf, btf__type_by_id(btf, function)->type);

	memset(layout, 0, sizeof(*layout));
	for (uint32_t i = 0; i < btf_vlen(proto); i++) {
		uint32_t type = btf_params(proto)[i].type;
		size_t bytes = (size_t)btf__resolve_size(btf, type), at = 8 * layout->words;

		mark(btf, type, at, layout->known);
		for (size_t k = 0; k < bytes; k++) {
			layout->wanted[at + k] = (uint8_t)(bytes == 1 ? 1 : 16 * (i + 1) + k);
			layout->argument[at + k] = (uint8_t)i;
		}
		layout->words += (bytes + 7) / 8;
	}
}

static int load(const struct kernel_btf *module, uint32_t function, size_t words, int map,
		char *log)
{
	struct bpf_insn code[2 * MAX_WORDS + 6];
	size_t count = 0;

	/* r2 = the map's value: each word of the context, then 1 */
	code[count++] = (struct bpf_insn){ BPF_DW, BPF_REG_2, BPF_PSEUDO_MAP_VALUE, 0, map };
	code[count++] = (struct bpf_insn){ 0 };
	for (size_t i = 0; i < words; i++) {
		int16_t offset = (int16_t)(8 * i);

		code[count++] = (struct bpf_insn){ BPF_LDX | BPF_MEM | BPF_DW, BPF_REG_3, BPF_REG_1,
						   offset, 0 };
		code[count++] = (struct bpf_insn){ BPF_STX | BPF_MEM | BPF_DW, BPF_REG_2, BPF_REG_3,
						   offset, 0 };
	}
	code[count++] = (struct bpf_insn){ BPF_ST | BPF_MEM | BPF_DW, BPF_REG_2, 0, 8 * MAX_WORDS,
					   1 };
	code[count++] = (struct bpf_insn){ BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0 };
	code[count++] = (struct bpf_insn){ BPF_JMP | BPF_EXIT, 0, 0, 0, 0 };
	return fentry_load(module, function, code, count, log, LOG_BYTES);
}

static void compare(const char *name, const struct layout *layout, const uint8_t *seen)
{
	uint64_t words[MAX_WORDS];

	memcpy(words, seen, sizeof(words));
	for (size_t i = 0; i < 8 * layout->words; i++) {
		if (!layout->known[i] || seen[i] == layout->wanted[i])
			continue;
		printf("arguments\t%s\twrong\t%u\t", name, layout->argument[i]);
		for (size_t j = 0; j < layout->words; j++)
			printf(" %llx", (unsigned long long)words[j]);
		printf("\n");
		return;
	}
	printf("arguments\t%s\tright\n", name);
}

static void try_function(const struct kernel_btf *module, uint32_t function, int run)
{
	const char *name = btf__name_by_offset(
		module->btf, btf__type_by_id(module->btf, function)->name_off);
	uint8_t seen[VALUE_BYTES] = { 0 };
	static char log[LOG_BYTES];
	struct layout layout;
	uint32_t key = 0;
	int map = bpf_map_create(BPF_MAP_TYPE_ARRAY, NULL, sizeof(key), VALUE_BYTES, 1, NULL);
	int program, link, error;

	layout_fill(&layout, module->btf, function);
	program = load(module, function, layout.words, map, log);
	link = program < 0 ? -1 : fentry_attach(program);
	error = errno;
	if (link < 0) {
		for (char *c = log; *c; c++)
			*c = *c == '\n' ? ' ' : *c;
		printf("arguments\t%s\trefused\t%s\t%d\t%s\n", name,
		       program < 0 ? "load" : "attach", error,
		       log + (strlen(log) > 100 ? strlen(log) - 100 : 0));
	} else if (write(run, "1", 1) != 1 || bpf_map_lookup_elem(map, &key, seen) != 0 ||
		   !seen[8 * MAX_WORDS]) {
		printf("arguments\t%s\tunseen\n", name);
	} else {
		compare(name, &layout, seen);
	}
	close(link);
	close(program);
	close(map);
}

int main(void)
{
	int run = open("/sys/module/arguments/parameters/run", O_WRONLY);
	static struct kernel_btfs btfs;

	if (run < 0 || !kernel_btfs_open(&btfs)) {
		perror("arguments_load");
		return EXIT_FAILURE;
	}
	for (size_t i = 1; i < btfs.count; i++) {
		const struct kernel_btf *module = &btfs.items[i];

		if (strcmp(module->object, "arguments") != 0)
			continue;
		for (uint32_t id = module->first_id; id < btf__type_cnt(module->btf); id++) {
			const struct btf_type *type = btf__type_by_id(module->btf, id);

			if (btf_is_func(type) && btf_vlen(type) == BTF_FUNC_GLOBAL)
				try_function(module, id, run);
		}
	}
	return EXIT_SUCCESS;
}
