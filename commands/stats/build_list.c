/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/stats/build_list.h"

#include <stdlib.h>
#include <string.h>

#include "commands/stats/function_list.h"

struct module_list {
	struct text text;
	struct error err;
	bool failed;
};

struct listing {
	const struct build_files *build;
	list_module *list;
	const void *context;
	struct module_list *lists;	/* by module */
};

static bool list_one(void *context, const struct module_file *module)
{
	struct listing *listing = context;
	struct module_list *list = &listing->lists[module - listing->build->modules.data];

	list->failed = !listing->list(listing->context, module, &list->text, &list->err);
	return !list->failed;
}

bool build_list_modules(const struct build_files *build, unsigned int jobs, list_module *list,
			const void *context, struct text *out, struct error *err)
{
	struct listing listing = { .build = build, .list = list, .context = context };
	size_t count = build->modules.count;
	bool good = true;

	listing.lists = memory_zeroed(count, sizeof(*listing.lists));
	build_files_visit(build, jobs, list_one, &listing);
	for (size_t i = 0; i < count; i++) {
		struct text *text = &listing.lists[i].text;
		const char *lines = text->count ? memchr(text->data, '\n', text->count) : NULL;

		if (good && listing.lists[i].failed) {
			*err = listing.lists[i].err;
			good = false;
		}
		if (good && lines)
			text_add(out, lines + 1, text->count - (size_t)(lines + 1 - text->data));
		array_release(text);
	}
	free(listing.lists);
	return good;
}

void keep_absent_kfuncs(const struct program *program, bool of_module, kfunc_names *names)
{
	for (size_t i = 0; i < program->kfuncs.kfuncs.count; i++) {
		const struct kfunc *kfunc = &program->kfuncs.kfuncs.data[i];
		struct text name = { 0 };

		if ((of_module ? kfunc->is_repeated : !kfunc->is_lost) ||
		    selection_find(&program->selection, &program->pool, kfunc->name))
			continue;
		text_add_clean(&name, kfunc->name);
		array_push(names, text_finish(&name));
	}
}

bool list_dwarf_module(const struct encode_options *options, const struct module_file *module,
		       struct btf_image *image, kfunc_names *absent, struct text *out,
		       struct error *err)
{
	struct encode_options own = *options;
	struct encode_report report;
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
	/* A damaged .BTF_ids costs what is made of it. */
	if (!image)
		kfuncs_read(&program.kfuncs, &program.object, &program.symbols, err);
	good = image ? program_encode(&program, image, &report, err)
		     : program_judge(&program, &report, err);
	if (good && absent)
		keep_absent_kfuncs(&program, true, absent);
	if (good) {
		selection_sort(&program.selection, &program.pool);
		good = function_list_print(&program, module->name, out, err);
	}
	program_close(&program);
	return good;
}
