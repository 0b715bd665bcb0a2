/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/compat/compat.h"

#include "commands/print/json.h"

const char *const compat_answers[COMPAT_ANSWERS] = { "ok", "sees-less", "not-known", "fails" };

/* Its number in compat_answers. */
static int answer_of(const struct compat *compat, const struct compat_kernel *kernel,
		     uint32_t index)
{
	const struct compat_program *program = &compat->programs.data[index];
	struct compat_run run = kernel->runs[index];
	int answer = 0;

	array_each(const uint32_t, need, &program->needs) {
		uint8_t state = kernel->answers[*need].state;

		answer |= state == COMPAT_OK_BUT || state == COMPAT_CHANGED;
	}
	if (run.loads == ATTACH_NO || run.attaches == ATTACH_NO)
		return 3;
	/* Which needs no target to be loaded. */
	if (run.loads == ATTACH_UNKNOWN && strcmp(program->section.program_type, "KPROBE") == 0)
		return 2;
	return (run.loads == ATTACH_UNKNOWN || run.attaches == ATTACH_UNKNOWN) &&
			       !program->by_loader ? 2 : answer;
}

int compat_summary(const struct compat *compat, const struct compat_kernel *kernel)
{
	int worst = 0;

	for (size_t i = 0; i < compat->files.files.count; i++) {
		if (kernel->whole[i])
			worst = kernel->whole[i]->state == COMPAT_MISSING || worst == 3 ? 3 : 2;
	}
	for (size_t i = 0; i < compat->needs.count; i++) {
		if (kernel->answers[i].state == COMPAT_CHANGED &&
		    compat->needs.data[i].kind == COMPAT_STRUCT_OPS)
			worst = worst ? worst : 1;
	}
	for (uint32_t i = 0; i < compat->programs.count; i++) {
		int answer = answer_of(compat, kernel, i);

		if (compat->programs.data[i].program->is_loaded && answer > worst)
			worst = answer;
	}
	return worst;
}

static json_t *why_json(const struct compat_answer *answer)
{
	return answer && answer->decides && answer->state == COMPAT_NOT_KNOWN
		       ? json_sprintf("%s; whether that runs, %s decides", answer->why,
				      answer->decides)
		       : json_text(answer ? answer->why : NULL);
}

/* Why a program does not load or attach; NULL: it does. */
static const struct compat_answer *why_of(const struct compat *compat,
					  const struct compat_kernel *kernel, uint32_t program)
{
	const struct compat_run *run = &kernel->runs[program];
	const struct compat_answer *why = NULL;
	uint8_t worst = COMPAT_GUARDED;

	if (run->loads == ATTACH_YES && run->attaches == ATTACH_YES)
		return NULL;
	array_each(const uint32_t, need, &compat->programs.data[program].needs) {
		if (kernel->answers[*need].state > worst) {
			why = &kernel->answers[*need];
			worst = why->state;
		}
	}
	for (size_t i = 0; i < compat->files.files.count; i++) {
		if (kernel->whole[i] && kernel->whole[i]->state > worst &&
		    program >= compat->sources[i].programs && program < compat->sources[i].end)
			why = kernel->whole[i];
	}
	return why;
}

static json_t *kernels_json(const struct compat *compat)
{
	json_t *kernels = json_array();

	array_each(const struct compat_kernel, kernel, &compat->kernels) {
		const struct compat_answer *whole = NULL;
		json_t *programs = json_array();

		for (size_t i = 0; i < compat->files.files.count; i++) {
			if (kernel->whole[i] &&
			    (!whole || kernel->whole[i]->state > whole->state))
				whole = kernel->whole[i];
		}
		for (uint32_t i = 0; i < compat->programs.count; i++) {
			const struct bpf_program *program = compat->programs.data[i].program;

			json_array_append_new(programs, json_pack(
				"{s:o, s:o, s:b, s:s, s:o, s:o, s:o}",
				"name", json_text(program->name),
				"section", json_text(program->section),
				"by_default", program->is_loaded,
				"answer", compat_answers[answer_of(compat, kernel, i)],
				"load", json_answer((enum attach_answer)kernel->runs[i].loads),
				"attach", json_answer((enum attach_answer)kernel->runs[i].attaches),
				"why", why_json(why_of(compat, kernel, i))));
		}
		json_array_append_new(kernels, json_pack("{s:o, s:o, s:s, s:o, s:o}",
			"file", json_text(kernel->build.vmlinux),
			"release", json_text(kernel->release),
			"answer", compat_answers[compat_summary(compat, kernel)],
			"why", why_json(whole), "programs", programs));
	}
	return kernels;
}

static json_t *need_json(const struct compat *compat, size_t i)
{
	const struct compat_need *need = &compat->needs.data[i];
	json_t *programs = json_array(), *kernels = json_array();
	const char *name = NULL;

	array_each(const uint32_t, program, &need->programs)
		json_array_append_new(programs, json_text(
			compat->programs.data[*program].program->name));
	for (size_t k = 0; k < compat->kernels.count; k++) {
		const struct compat_answer *answer = &compat->kernels.data[k].answers[i];

		name = name ? name : answer->name;
		json_array_append_new(kernels, json_pack("{s:s, s:o, s:O*}",
			"state", compat_states[answer->state], "why", why_json(answer),
			"advice", answer->advice));
	}
	return json_pack("{s:s, s:o, s:o, s:o}", "kind", compat_kinds[need->kind],
			 "name", json_text(name ? name : need->name), "programs", programs,
			 "kernels", kernels);
}

static json_t *relocations_json(const struct compat *compat)
{
	json_t *array = json_array();
	size_t first = 0;

	for (size_t i = 0; i < compat->files.files.count; i++) {
		const struct bpf_file *file = compat->files.files.data[i];

		for (size_t k = 0; k < file->relocations.count; k++) {
			const struct bpf_relocation *relocation = &file->relocations.data[k];
			json_t *kernels = json_array();

			array_each(const struct compat_kernel, kernel, &compat->kernels) {
				const struct core_value *value = &kernel->values.data[first + k];

				json_array_append_new(kernels, json_pack("{s:o, s:b}",
					"value", json_number(
						!value->is_poisoned && value->is != CORE_FAILED,
						value->value),
					"reached", kernel->reached.data[first + k]));
			}
			json_array_append_new(array, json_pack("{s:s, s:I, s:I, s:s, s:o, s:o}",
				"section", relocation->section, "index", INTEGER(relocation->index),
				"instruction", INTEGER(relocation->in_section),
				"kind", relocation->core.kind < CORE_KIND_COUNT
					? core_kinds[relocation->core.kind].word : "?",
				"spec", json_text(relocation->name), "kernels", kernels));
		}
		first += file->relocations.count;
	}
	return array;
}

static enum compat_state worst_of(const struct compat *compat, size_t need)
{
	uint8_t worst = COMPAT_OK;

	for (size_t k = 0; k < compat->kernels.count; k++) {
		if (compat->kernels.data[k].answers[need].state > worst)
			worst = compat->kernels.data[k].answers[need].state;
	}
	return (enum compat_state)worst;
}

json_t *compat_json(const struct compat *compat, const char *path, bool has_relocations)
{
	json_t *needs = json_array();

	for (int rank = COMPAT_STATES * COMPAT_KINDS - 1; rank >= 0; rank--) {
		enum compat_kind kind = (enum compat_kind)(COMPAT_KINDS - 1 - rank % COMPAT_KINDS);

		for (size_t i = 0; i < compat->needs.count; i++) {
			const struct compat_need *need = &compat->needs.data[i];
			enum compat_state worst = worst_of(compat, i);

			/* Of functions that no program calls only what stops libbpf counts. */
			if (need->kind == kind && (int)worst == rank / COMPAT_KINDS &&
			    (need->programs.count || need->symbol || kind == COMPAT_MAP_TYPE ||
			     kind == COMPAT_STRUCT_OPS ||
			     worst == COMPAT_MISSING))
				json_array_append_new(needs, need_json(compat, i));
		}
	}
	return json_pack("{s:i, s:o, s:o, s:o, s:o*}", "version", 1, "object", json_text(path),
			 "kernels", kernels_json(compat), "needs", needs,
			 "relocations", has_relocations ? relocations_json(compat) : NULL);
}

/* ---- the page ---- */

/* Of a need: what is said of each kernel, and of which else it is the same. */
static json_t *notes_of(json_t *need)
{
	json_t *kernels = json_object_get(need, "kernels"), *notes = json_array();
	size_t count = json_array_size(kernels);

	for (size_t i = 0; i < count; i++) {
		json_t *answer = json_array_get(kernels, i), *why = json_object_get(answer, "why");
		struct text numbers = { 0 };

		if (!json_is_string(why) || json_object_get(answer, "is_said"))
			continue;
		for (size_t k = i; k < count; k++) {
			json_t *other = json_array_get(kernels, k);

			if (!json_equal(why, json_object_get(other, "why")) ||
			    !json_equal(json_object_get(answer, "state"),
					json_object_get(other, "state")))
				continue;
			json_set(other, "is_said", json_true());
			text_add_format(&numbers, "%s%zu", numbers.count ? ", " : "", k + 1);
		}
		json_array_append_new(notes, json_pack("{s:o, s:O, s:O, s:O*}", "numbers",
			json_take(&numbers), "state", json_object_get(answer, "state"),
			"why", why, "advice", json_object_get(answer, "advice")));
	}
	return notes;
}

json_t *compat_page(json_t *json)
{
	json_t *needs = json_object_get(json, "needs"), *kernels = json_object_get(json, "kernels");
	json_t *value;
	size_t i, all_ok = 0;

	json_array_foreach(kernels, i, value) {
		json_t *program, *answer = json_object_get(value, "answer");
		bool all_good = strcmp(json_string_value(answer), compat_answers[0]) == 0;
		struct text failing = { 0 };
		size_t k;

		json_array_foreach(json_object_get(value, "programs"), k, program) {
			if (all_good || json_is_false(json_object_get(program, "by_default")))
				continue;
			if (json_equal(json_object_get(program, "answer"), answer))
				text_add_item(&failing, 0, ", ", json_string_value(
					json_object_get(program, "name")));
		}
		json_set(value, "number", json_integer(INTEGER(i + 1)));
		json_set(value, "failing", json_take(&failing));
	}
	json_array_foreach(needs, i, value) {
		json_t *notes = notes_of(value);

		all_ok += !json_array_size(notes);
		json_set(value, "notes", notes);
	}
	json_set(json, "all_ok", json_integer(INTEGER(all_ok)));
	json_set(json, "has_notes", json_boolean(all_ok < json_array_size(needs)));
	return json;
}
