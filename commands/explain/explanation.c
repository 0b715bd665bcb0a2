/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/explain/explanation.h"

#include <stdlib.h>

/*
 * A site has a few bytes in the input, and may refer to a prototype with thousands of parameters,
 * each with a long type. Debian's 6.1 kernel has 7,745 sites of one function, which take 14 MB.
 */
#define ROOM_LEAST    ((size_t)8 << 20)
#define ROOM_PER_BYTE 8

void explanation_begin(struct explanation *explanation, const struct kernel *kernel,
		       const char *name, const struct asked *asked)
{
	const struct program *program = kernel->program;

	*explanation = (struct explanation){
		.name = name, .asked = asked->name, .kind = asked->kind, .word = asked->word,
		.needs = asked->needs, .folder = asked->folder, .path = kernel->path,
		.program = program, .records = kernel->records, .image = kernel->image,
		.types = kernel->types };
	explanation->own_room = ROOM_LEAST + ROOM_PER_BYTE * (program ? program->object.map_bytes
						: kernel->records->btf->data_bytes);
	explanation->room = &explanation->own_room;
	explanation->events = (struct events){ .image = &explanation->image,
						.types = &explanation->types, .by_dwarf = program };
	if (program)
		source_lines_open(&explanation->lines, &program->object);
}

void explain_spend(size_t *room, size_t bytes)
{
	*room -= bytes < *room ? bytes : *room;
}

char *explain_prototype(const struct explanation *explanation, uint32_t prototype,
			const char *name)
{
	struct text text = { 0 };

	/* What the answer is about is said in any case. */
	if (!prototype || (!*explanation->room && (explanation->prototype || explanation->rank)))
		return NULL;
	type_add(&text, &explanation->types, prototype, name);
	explain_spend(explanation->room, text.count);
	return text_finish(&text);
}

bool explanation_is_of_tracepoint(const struct explanation *explanation)
{
	return explanation->kind == ASKED_TRACEPOINT || explanation->kind == ASKED_SYSTEM_CALL ||
	       (explanation->kind == ASKED_EVENT && explanation->tracepoint);
}

const char *explain_refusal(const struct explanation *explanation,
			    const struct probe_point *point, bool by_fentry)
{
	const struct attach_state *attach = &point->attach;

	if (attach->kprobe.is == ATTACH_NO && !by_fentry)
		return attach->kprobe.why;
	if (attach->init && !explanation->image.is_module)
		return "it is freed when booting is done (.init.text)";
	if (attach->exit)
		return "built-in code never runs it (.exit.text)";
	if (*point->probe)
		return NULL;
	return explanation->func == FUNC_OF_NAMESAKES ? "several functions have the name"
						      : "no symbol names it";
}

struct type_source explain_own_types(const struct explanation *explanation)
{
	struct type_source types = explanation->types;

	types.btf = &explanation->image.tables->own.btf;
	return types;
}

uint32_t explain_find_function(const struct explanation *explanation, const char *name)
{
	const struct program *program = explanation->program;
	const struct judged_function *judged;
	const uint32_t *function;

	if (!program) {
		function = type_named(&explanation->types, BTF_FUNC, "", name);
		return function ? function[BTF_WORD_TYPE] : 0;
	}
	judged = selection_find(&program->selection, &program->pool, name);
	if (!judged || judged->verdict == VERDICT_INLINED_ONLY ||
	    judged->reasons & REASON(NO_PROTOTYPE))
		return 0;
	return program->instances.functions.data[judged->instance].prototype.word;
}

enum attach_answer explain_has_attach_type(const struct explanation *explanation, const char *name)
{
	const struct type_source *types = &explanation->types;
	const uint32_t *words = type_named(types, BTF_ENUM, "", "bpf_attach_type");

	return !words ? ATTACH_UNKNOWN
	       : type_enumerator(types, words, name) ? ATTACH_YES : ATTACH_NO;
}

void explanation_add_namesakes(struct explanation *explanation, size_t count)
{
	explanation->namesakes = memory_alloc(count * sizeof(*explanation->namesakes));
	explanation->namesake_count = count;
	for (size_t i = 0; i < count; i++) {
		struct explanation *namesake = &explanation->namesakes[i];

		*namesake = *explanation;
		namesake->rank = i + 1;
		namesake->namesakes = NULL;
		namesake->namesake_count = 0;
		namesake->tracepoint = NULL;
		namesake->kfunc = NULL;
		namesake->instances = namesake->sites = namesake->unplaced =
			(struct probe_points){ 0 };
		namesake->func = FUNC_NONE;
		namesake->prototype_id = 0;
	}
}
