/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "kernel/kernel_program.h"

#include <stdlib.h>

#include "kernel/module_name.h"
#include "kernel/records.h"
#include "kernel/trampoline.h"

/* False: its .BTF is not split from that. True, too, where it has none. */
static bool open_own(struct kernel_program *kernel, const struct btf_reader *below,
		     struct error *err)
{
	kernel->own = (struct btf_input){ .path = kernel->options.path, .below = below };
	if (!btf_file_has_btf(kernel->options.path, true)) {
		btf_base_init(&kernel->base, below);
	} else {
		if (!btf_input_open(&kernel->own, err) ||
		    !records_are_split_right(&kernel->own.btf, NULL, err))
			return false;
		btf_base_init(&kernel->base, kernel->own.btf.base);
	}
	kernel->options.base = &kernel->base;
	return true;
}

bool kernel_program_open(struct kernel_program *kernel, const struct encode_options *options,
			 const struct module_kernel *of, struct error *err)
{
	const struct btf_reader *below = of->btf;
	struct program *program = &kernel->program;
	struct encode_report report;

	*kernel = (struct kernel_program){ .options = *options };
	if (of->given &&
	    !btf_bases_open_for(&kernel->bases, of->given, kernel->options.path, err))
		return false;
	below = kernel->bases.count ? btf_bases_top(&kernel->bases) : below;
	if (below && !open_own(kernel, below, err) && kernel->bases.count)
		return false;
	kernel->is_open = program_open(program, &kernel->options, err);
	if (!kernel->is_open || !program_judge(program, &report, err))
		return false;
	if (object_is_module(&program->object))
		kernel->module = module_name_of(&program->object, kernel->options.path);
	kernel->image.module = kernel->module;
	attach_image_of_file(&kernel->image, &kernel->tables, &program->object, &program->symbols,
			     program_base(program));
	if (of->funcs)
		kernel->image.kernel_funcs = of->funcs;
	else if (below && kernel->image.is_module)
		attach_set_kernel(&kernel->image, &kernel->tables, below);
	return true;
}

void kernel_program_close(struct kernel_program *kernel)
{
	attach_tables_release(&kernel->tables);
	if (kernel->is_open)
		program_close(&kernel->program);
	btf_input_release(&kernel->own);
	btf_bases_release(&kernel->bases);
	free(kernel->module);
}
