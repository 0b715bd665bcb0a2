/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/stats/stats.h"

void keep_absent_kfuncs(const struct program *program, bool of_module, kfunc_names *names)
{
	array_each(const struct kfunc, kfunc, &program->kfuncs.kfuncs) {
		struct text name = { 0 };

		if ((of_module ? kfunc->is_repeated : !kfunc->is_lost) ||
		    selection_find(&program->selection, &program->pool, kfunc->name))
			continue;
		text_add_clean(&name, kfunc->name);
		array_push(names, text_finish(&name));
	}
}

bool judge_program(struct program *program, struct btf_image *image, struct error *err)
{
	struct encode_report report;

	if (image)
		return program_encode(program, image, &report, err);
	/* A damaged .BTF_ids costs what is made of it: encode reports it. */
	kfuncs_read(&program->kfuncs, &program->object, &program->symbols, err);
	return program_judge(program, &report, err);
}

bool list_dwarf_module(const struct encode_options *options, const struct module_file *module,
		       struct btf_image *image, kfunc_names *absent,
		       struct function_rows *rows, struct error *err)
{
	struct encode_options own = *options;
	struct program program;
	bool good;

	own.path = module->path;
	own.jobs = 1;
	if (!program_open(&program, &own, err)) {
		if (!program.object.no_dwarf)
			return false;
		print_warning("%s; its functions are left out", err->text);
		return true;
	}
	good = judge_program(&program, image, err);
	if (good && absent)
		keep_absent_kfuncs(&program, true, absent);
	if (good) {
		selection_sort(&program.selection, &program.pool);
		good = function_rows_add_program(rows, &program, module->name, err);
	}
	program_close(&program);
	return good;
}
