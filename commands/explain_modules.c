/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/explain_modules.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "commands/explain/explain_near.h"
#include "kernel/events.h"

/* Has BTF from that id on the function, tracepoint or variable, whose name `wanted` is? */
static bool has_name(const struct btf_reader *btf, uint32_t first_id, const void *wanted)
{
	const struct type_source types = { .btf = btf };

	return type_named_from(&types, first_id, BTF_FUNC, "", wanted) ||
	       type_named_from(&types, first_id, BTF_VAR, "", wanted) ||
	       type_named_from(&types, first_id, BTF_TYPEDEF, TRACEPOINT_TYPE, wanted);
}

/* Or the type, and its member, or the enumerator? `wanted` is a type_query. */
static bool has_type(const struct btf_reader *btf, uint32_t first_id, const void *wanted)
{
	const struct type_source types = { .btf = btf };
	const struct type_query *query = wanted;
	struct type_found found;
	bool has;

	if (!type_exists(&types, first_id, query->name))
		return false;
	type_find(&found, btf, wanted);
	has = type_is_found(&found);
	type_found_release(&found);
	return has;
}

struct module_answer {
	bool has, unread;
	bool has_variable;		/* of the name */
	struct error err;		/* why it is unread */
};

/* What the threads share. */
struct search {
	const struct module_question *question;
	struct kernel_options kernel;	/* of a module, by one thread; all but the path */
	bool by_name;			/* a function, tracepoint or variable; else the type */
	struct module_answer *answers;
	_Atomic size_t first;		/* that has it; those after it need not be asked */
};

/* Also false: it is a module of another kernel. */
static bool open_module(const struct search *search, const char *path,
			struct kernel_types *types, struct error *err)
{
	struct kernel_options module = search->kernel;

	module.records.path = path;
	return kernel_types_open(types, &module, err);
}

/* False: it cannot be read. Has the module the function, tracepoint or variable? */
static bool ask_symbols(const struct search *search, const struct module_file *module,
			struct module_answer *answer)
{
	char *tracepoint = text_format("__tracepoint_%s", search->question->name);
	const struct symbol *symbol;
	struct kernel_types types;
	struct elf_input elf;
	bool good = elf_input_open(&elf, module->path, &answer->err);

	/* The sections' headers are at the end. */
	if (good && elf.object.header_count <= 1)
		good = error_at(&answer->err, module->path,
				"has no sections; the file is cut off or damaged");
	if (good) {
		symbol = records_find_symbol(&elf.symbols, search->question->name,
					     RECORDS_ANYWHERE);
		answer->has_variable = symbol && symbol->type == STT_OBJECT &&
				       search->question->asked->kind == ASKED_ANY;
		answer->has = (symbol && symbol->type != STT_OBJECT) ||
			      symbol_table_find(&elf.symbols, tracepoint);
		explain_offer_symbols(search->question->near, &elf.symbols, module->name);
	}
	elf_input_close(&elf);
	free(tracepoint);
	if ((answer->has || answer->has_variable) && search->kernel.records.below &&
	    is_asked_by_btf(module->path)) {
		good = open_module(search, module->path, &types, &answer->err);
		answer->has &= good;
		answer->has_variable &= good;
		kernel_types_close(&types);
	}
	return good;
}

/* Or the type? */
static bool ask_types(const struct search *search, const struct module_file *module,
		      struct module_answer *answer)
{
	struct kernel_types types;
	bool good;

	if (search->question->name && !btf_file_has_btf(module->path, search->kernel.records.below))
		return true;
	good = open_module(search, module->path, &types, &answer->err);
	answer->has = good && has_type(types.btf, types.btf->first_id, search->question->type);
	kernel_types_close(&types);
	return good;
}

/* On any thread. */
static bool ask_module(void *context, size_t i, struct error *err __attribute__((unused)))
{
	struct search *search = context;
	const struct asked *asked = search->question->asked;
	const struct module_file *module = &search->question->build->modules.data[i];
	size_t first;
	struct module_answer *answer = &search->answers[i];

	/* All that have a function of that name are said. */
	if (answer->unread || (!search->by_name && i > atomic_load(&search->first)) ||
	    (asked->kind == ASKED_FUNCTION && asked->folder &&
	     strcmp(asked->folder, module->name) != 0))
		return true;
	answer->unread = !(search->by_name ? ask_symbols(search, module, answer)
					   : ask_types(search, module, answer));
	first = atomic_load(&search->first);
	while (answer->has && i < first &&
	       !atomic_compare_exchange_weak(&search->first, &first, i))
		;
	return true;
}

/* The first module that has it; NULL: none. */
static const char *find_module(struct search *search)
{
	const struct module_question *question = search->question;
	struct error unused;

	atomic_store(&search->first, SIZE_MAX);
	files_visit("btfenc: searching modules", question->build->modules.count,
		    question->kernel->encode.jobs, ask_module, search, &unused);
	return search->first != SIZE_MAX ? question->build->modules.data[search->first].path : NULL;
}

/* Warns of those that could not be read. Returns how many could. */
static size_t count_read(const struct search *search)
{
	size_t count = search->question->build->modules.count, unread = 0;
	const struct error *first = NULL;

	for (size_t i = 0; i < count; i++) {
		unread += search->answers[i].unread;
		if (search->answers[i].unread && !first)
			first = &search->answers[i].err;
	}
	if (unread == 1)
		print_warning("%s; it is left out", first->text);
	else if (unread)
		print_warning("%s; it is left out, and %zu more %s", first->text, unread - 1,
			      unread == 2 ? "is" : "are");
	return count - unread;
}

#define OTHERS_SHOWN 4

/* The answer is about one of several. */
static void warn_of_others(const struct search *search)
{
	const struct build_files *build = search->question->build;
	struct text others = { 0 };
	size_t count = 0;

	for (size_t i = search->first + 1; i < build->modules.count; i++) {
		if (search->answers[i].has && count++ < OTHERS_SHOWN)
			text_add_format(&others, "%s%s", count > 1 ? ", " : "",
					build->modules.data[i].name);
	}
	if (count)
		print_warning("the answer is of the module %s; ask for fentry/MODULE:%s: %.*s%s "
			      "%s that name, too", build->modules.data[search->first].name,
			      search->question->name, (int)others.count, others.data,
			      count > OTHERS_SHOWN ? " and others" : "",
			      count > 1 ? "have" : "has");
	array_release(&others);
}

const char *modules_ask(struct module_question *question)
{
	struct search search = { .question = question, .kernel = *question->kernel,
				 .by_name = question->name };
	struct error ignored;
	const char *path;

	if (btf_reader_open(&question->vmlinux, question->build->vmlinux, NULL, NULL, &ignored))
		question->below = &question->vmlinux;
	search.kernel.records.below = question->below;
	search.kernel.records.bases.count = 0;
	search.kernel.encode.jobs = 1;
	search.answers = memory_zeroed(question->build->modules.count + 1,
				       sizeof(*search.answers));
	path = find_module(&search);
	if (!path && search.by_name && question->type) {
		search.by_name = false;
		path = find_module(&search);
	}
	for (size_t i = 0; !path && i < question->build->modules.count; i++) {
		search.by_name = question->name;
		if (search.answers[i].has_variable)
			path = question->build->modules.data[i].path;
	}
	/* Which modules were asked then depends on the threads. */
	if (path)
		near_names_release(question->near);
	if (path && search.by_name && search.first != SIZE_MAX)
		warn_of_others(&search);
	question->is_type = !question->name || (path && !search.by_name);
	question->read = path ? 0 : count_read(&search);
	free(search.answers);
	return path;
}

/* ---- the running kernel ---- */

/*
 * The first BTF of the kernel and its modules, or of `only`, that has it, if `has` is not NULL; or
 * whose inline sites have the name. NULL: none, or err.
 */
static const char *find_running(struct running_kernel *kernel, const char *only,
				bool (*has)(const struct btf_reader *, uint32_t, const void *),
				const void *wanted, struct error *err)
{
	const struct btf_reader *sites;

	error_set(err, "%s", "");
	for (size_t i = 0; i < kernel->btfs.count || running_kernel_next_btf(kernel, NULL, err);
	     i++) {
		const struct running_btf *btf = kernel->btfs.data[i];

		if ((!only || strcmp(only, btf->module ? btf->module : "vmlinux") == 0) &&
		    (!has || has(&btf->btf, btf->btf.first_id, wanted)))
			return btf->path;
	}
	for (size_t i = 0; has == has_name && i < kernel->btfs.count; i++) {
		struct running_btf *btf = kernel->btfs.data[i];

		if ((!only || strcmp(only, btf->module ? btf->module : "vmlinux") == 0) &&
		    (sites = running_kernel_sites(kernel, btf)) &&
		    has(sites, sites->first_id, wanted))
			return btf->path;
	}
	return NULL;
}

const char *modules_ask_running(struct module_question *question, struct running_kernel *kernel,
				struct error *err)
{
	const struct asked *asked = question->asked;
	const char *name = question->name, *path = NULL;
	bool is_event = asked->kind == ASKED_EVENT;
	const char *only = is_event || asked->kind == ASKED_FUNCTION ? asked->folder : NULL;
	bool is_address = name && text_after(name, "0x");
	char *module = is_address ? running_kernel_module_at(kernel, strtoull(name, NULL, 16))
				  : NULL;

	if (module)
		path = find_running(kernel, module, NULL, NULL, err);
	else if (name)
		path = find_running(kernel, only, has_name, name, err);
	/* A folder of events is not a module. */
	if (!path && only && is_event)
		path = find_running(kernel, NULL, has_name, name, err);
	if (!path && question->type)
		path = find_running(kernel, NULL, has_type, question->type, err);
	free(module);
	if (path)
		return path;
	running_kernel_warn_unread(kernel);
	question->read = kernel->btfs.count ? kernel->btfs.count - 1 : 0;
	for (size_t i = 1; name && i < kernel->btfs.count; i++) {
		const struct running_btf *btf = kernel->btfs.data[i];

		explain_offer_functions(question->near, &btf->btf, btf->module);
		explain_offer_functions(question->near, &btf->sites, btf->module);
	}
	return NULL;
}
