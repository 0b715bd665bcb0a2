/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* What an object file needs of a kernel, by the instructions that its programs may run. */
#include "commands/compat/compat.h"

#include <stdlib.h>

#include "base/hash.h"
#include "bpf/reach.h"

const char *const compat_kinds[COMPAT_KINDS] = { COMPAT_KIND_LIST(LIST_CODE) };
const char *const compat_states[COMPAT_STATES] = { COMPAT_STATE_LIST(LIST_CODE) };

/* Those of one file are apart: its externs, flavours of types. Takes the name over. */
static uint32_t find_need(struct compat *compat, const struct compat_source *source,
			  enum compat_kind kind, char *name)
{
	uint32_t hash = hash_bytes(name, strlen(name)) + kind;
	const struct compat_need *needs = compat->needs.data;
	uint32_t known = hash_table_find(i, &compat->by_name, hash, needs[i - 1].kind == kind &&
		needs[i - 1].source == source && strcmp(needs[i - 1].name, name) == 0);

	if (known) {
		free(name);
		return known - 1;
	}
	array_push(&compat->needs, ((struct compat_need){ .kind = kind, .name = name,
							   .source = source }));
	hash_table_add(&compat->by_name, hash, (uint32_t)compat->needs.count);
	return (uint32_t)compat->needs.count - 1;
}

static void add_need(struct compat *compat, uint32_t program, uint32_t index)
{
	struct compat_need *need = &compat->needs.data[index];

	if (need->programs.count && need->programs.data[need->programs.count - 1] == program)
		return;
	array_push(&need->programs, program);
	array_push(&compat->programs.data[program].needs, index);
}

static enum compat_kind extern_kind(const struct bpf_symbol *symbol)
{
	return symbol->kind == BPF_SYMBOL_KCONFIG ? COMPAT_KCONFIG
	       : symbol->kind == BPF_SYMBOL_KFUNC ? COMPAT_KFUNC : COMPAT_KSYM;
}

/*
 * NULL: it is as old as BTF. The releases are of the history of kernel/bpf/verifier.c; 6.1 was seen
 * to refuse, and 6.12 to take, those of LLVM's cpu v4. Verifiers look at codes everywhere
 * (bpf_opcode_in_insntable()), at the fields of old ones where they run.
 */
static const struct younger *younger_of(const struct bpf_instruction *at)
{
#define OF_V4(what, is_code) { "cpu v4: " what, "; compile with -mcpu=v3", { 6, 6 }, is_code }
	static const struct younger codes = OF_V4("sign-extending loads, swaps, far jumps", true),
				    fields = OF_V4("signed moves and divisions", false),
				    fetch = { "atomic operations of cpu v3", "", { 5, 12 }, false },
				    may_goto = { "may_goto", "", { 6, 9 }, true },
				    cast = { "addr_space_cast", "", { 6, 9 }, false },
				    order = { "load_acquire, store_release", "", { 6, 15 }, false };
	unsigned int operation = at->code & 0xf0, mode = at->code & 0xe0;

	switch (at->code & 7) {
	case 1: return mode == 0x80 ? &codes : NULL;	/* MEMSX */
	case 3:	/* ATOMIC; 0: ADD without a result, as ever */
		return mode != 0xc0 || !at->immediate ? NULL
		       : at->immediate == 0x100 || at->immediate == 0x110 ? &order : &fetch;
	case 4:
	case 7:	/* BSWAP; MOV, DIV and MOD */
		if (at->code == 0xd7)
			return &codes;
		if (operation == 0xb0 && at->offset == 1)
			return &cast;
		return at->offset && (operation == 0xb0 || operation == 0x30 || operation == 0x90)
			       ? &fields : NULL;
	case 5: return operation == BPF_JUMP_MAYBE ? &may_goto : NULL;
	case 6: return at->code == BPF_JUMP_FAR ? &codes : NULL;
	default: return NULL;
	}
}

/* The need of each instruction. */
static void find_needs(struct compat *compat, struct compat_source *source)
{
	static const enum compat_kind kinds[] = {
		[CORE_FIELD] = COMPAT_FIELD, [CORE_TYPE] = COMPAT_TYPE,
		[CORE_ENUMERATOR] = COMPAT_ENUMERATOR };
	const struct bpf_file *file = source->file;

	source->need_of = memory_zeroed(file->code.count + 1, sizeof(*source->need_of));
	for (size_t i = 0; i < file->code.count; i++) {
		const struct bpf_instruction *at = &file->code.data[i];
		const struct bpf_symbol *symbol =
			at->symbol ? &file->symbols.data[at->symbol - 1] : NULL;
		const struct bpf_relocation *relocation =
			at->relocation ? &file->relocations.data[at->relocation - 1] : NULL;
		uint32_t kind = relocation ? relocation->core.kind : CORE_TYPE_ID_LOCAL, need;
		const struct younger *younger = younger_of(at);

		if (kind != CORE_TYPE_ID_LOCAL) {
			need = find_need(compat, source, kinds[core_kinds[kind].of],
					 memory_copy(relocation->name));
			array_push(&compat->needs.data[need].relocations, at->relocation - 1);
		} else if (symbol && symbol->kind >= BPF_SYMBOL_KCONFIG) {
			need = find_need(compat, source, extern_kind(symbol),
					 memory_copy(symbol->name));
			compat->needs.data[need].takes_address |= at->code == BPF_LOAD_64;
		} else if (at->code == BPF_CALL && at->from == BPF_CALL_HELPER && !symbol) {
			need = find_need(compat, source, COMPAT_HELPER,
					 text_format("%d", at->immediate));
			compat->needs.data[need].number = (uint32_t)at->immediate;
		} else if (younger) {
			need = find_need(compat, source, COMPAT_INSTRUCTION,
					 memory_copy(younger->name));
			compat->needs.data[need].younger = younger;
		} else {
			continue;
		}
		source->need_of[i] = need + 1;
	}
}

static void take_section(struct compat *compat, uint32_t index)
{
	struct compat_program *program = &compat->programs.data[index];
	const char *name = program->program->section;
	const char *type, *attach;

	program->section = bpf_section_of(name);
	type = program->section.program_type;
	attach = program->section.attach_type;
	asked_of_section(&program->asked, name);
	program->by_loader = text_ends_with(attach, "MAP") ||
			     (program->section.takes_target &&
			      program->asked.kind == ASKED_ANY && strcmp(type, "STRUCT_OPS") != 0);
	add_need(compat, index, find_need(compat, NULL, COMPAT_ATTACH, memory_copy(name)));
	if (*type)
		add_need(compat, index, find_need(compat, NULL, COMPAT_PROGRAM_TYPE,
						  text_format("BPF_PROG_TYPE_%s", type)));
	if (*attach)
		add_need(compat, index, find_need(compat, NULL, COMPAT_ATTACH_TYPE,
						  text_format("BPF_%s", attach)));
}

/* False: a relocation is damaged. */
static bool name_relocations(struct bpf_file *file, struct error *err)
{
	const struct core_target nothing = { 0 };
	struct core_load load = { .target = &nothing, .local = &file->btf };
	bool good = true;

	for (size_t i = 0; good && i < file->relocations.count; i++) {
		struct text name = { 0 };
		struct core_value value;

		good = core_resolve(&value, &load, &file->relocations.data[i].core, &name, err);
		file->relocations.data[i].name = text_finish(&name);
	}
	core_load_release(&load);
	return good;
}

/* Programs may share functions, but not by thousands. */
#define SHARED_MOST 64

static bool take_programs(struct compat *compat, struct compat_source *source, struct error *err)
{
	const struct bpf_file *file = source->file;
	const struct reach_constant *nothing =
		memory_zeroed(file->relocations.count + file->symbols.count + 1, sizeof(*nothing));
	const struct reach_facts facts = { .relocations = nothing, .symbols = nothing };
	struct reach reach;
	size_t work = 0;
	bool good = true;

	reach_init(&reach, file);
	source->programs = (uint32_t)compat->programs.count;
	for (size_t i = 0; good && i < file->programs.count; i++) {
		uint32_t index = (uint32_t)compat->programs.count, at, end;

		array_push(&compat->programs,
			   ((struct compat_program){ .program = &file->programs.data[i] }));
		take_section(compat, index);
		reach_run(&reach, &file->programs.data[i], &facts);
		compat->programs.data[index].context_words = reach.context_words;
		array_move(&compat->programs.data[index].globals, &reach.globals, 0);
		for (size_t k = 0; k < reach.entered.count; k++) {
			reach_range(&reach, reach.entered.data[k], &at, &end);
			for (work += end - at; at < end; at++) {
				if (source->need_of[at])
					add_need(compat, index, source->need_of[at] - 1);
			}
		}
		if (work > SHARED_MOST * file->code.count)
			good = error_at(err, file->name, "its programs share more code than those "
					"of any known file; give one with fewer of them");
	}
	source->end = (uint32_t)compat->programs.count;
	reach_release(&reach);
	free((void *)nothing);
	return good;
}

static void take_maps(struct compat *compat, const struct compat_source *source)
{
	array_each(const struct bpf_map, map, &source->file->maps) {
		uint32_t need;

		if (!map->is_created)
			continue;
		need = map->ops
			? find_need(compat, source, COMPAT_STRUCT_OPS,
				    memory_copy(btf_type_name(&source->file->btf, map->ops)))
			: find_need(compat, source, COMPAT_MAP_TYPE, text_format("%u", map->type));
		compat->needs.data[need].number = map->type;
	}
}

bool compat_gather(struct compat *compat, struct error *err)
{
	size_t relocations = 0, symbols = 0;

	compat->sources = memory_zeroed(compat->files.files.count, sizeof(*compat->sources));
	for (size_t i = 0; i < compat->files.files.count; i++) {
		struct bpf_file *file = compat->files.files.data[i];
		struct compat_source *source = &compat->sources[i];

		*source = (struct compat_source){ .file = file, .relocations = relocations,
						  .symbols = symbols };
		relocations += file->relocations.count;
		symbols += file->symbols.count;
		if (!name_relocations(file, err))
			return false;
		take_maps(compat, source);
		/* libbpf looks for all of them, used or not. */
		array_each(const struct bpf_symbol, symbol, &file->symbols) {
			uint32_t need;

			if (symbol->kind < BPF_SYMBOL_KCONFIG)
				continue;
			need = find_need(compat, source, extern_kind(symbol),
					 memory_copy(symbol->name));
			compat->needs.data[need].symbol = symbol;
		}
		find_needs(compat, source);
		if (!take_programs(compat, source, err))
			return false;
	}
	return compat->needs.count || error_at(err, compat->files.files.data[0]->name,
					       "has neither programs nor maps");
}

void compat_release(struct compat *compat)
{
	array_each(struct compat_kernel, kernel, &compat->kernels) {
		for (size_t i = 0; kernel->answers && i < compat->needs.count; i++) {
			free(kernel->answers[i].name);
			free(kernel->answers[i].why);
			json_decref(kernel->answers[i].advice);
			json_decref(kernel->answers[i].parameters);
		}
		free(kernel->answers);
		free(kernel->runs);
		free(kernel->whole);
		free(kernel->release);
		build_files_release(&kernel->build);
		array_release(&kernel->values);
		array_release(&kernel->reached);
	}
	array_release(&compat->kernels);
	for (size_t i = 0; i < compat->needs.count; i++) {
		free(compat->needs.data[i].name);
		array_release(&compat->needs.data[i].relocations);
		array_release(&compat->needs.data[i].programs);
	}
	array_release(&compat->needs);
	for (size_t i = 0; i < compat->programs.count; i++) {
		asked_release(&compat->programs.data[i].asked);
		array_release(&compat->programs.data[i].needs);
		array_release(&compat->programs.data[i].globals);
	}
	array_release(&compat->programs);
	hash_table_release(&compat->by_name);
	for (size_t i = 0; compat->sources && i < compat->files.files.count; i++)
		free(compat->sources[i].need_of);
	free(compat->sources);
	bpf_files_release(&compat->files);
}
