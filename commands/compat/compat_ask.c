/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * What one kernel says of each need. libbpf and the kernel decide by the kernel's BTF, so it is
 * asked wherever that has the answer; DWARF and symbols tell what programs will not see.
 */
#include "commands/compat/compat.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/sort.h"
#include "bpf/reach.h"
#include "btf/own_btf.h"
#include "commands/compat/compat_attach.h"
#include "commands/print/json.h"
#include "kernel/btf_functions.h"
#include "kernel/events.h"
#include "kernel/registered.h"

#define GIVE_MODULES "give a directory with its modules, too, of which one may"

/* Blocks that are looked at for what fails; of more it is not known whether it runs. */
#define WORK_MOST (1u << 26)

/* The FUNCs of a file, and what else it has. */
struct functions {
	const char *path;
	struct func_names names;
};

/* One kernel while it is asked. */
struct asking {
	const struct compat *compat;
	struct compat_kernel *to;
	struct kernel kernel;
	struct kernel_types types;
	struct type_source source;		/* of these */
	struct core_target target;
	ARRAY_OF(struct kernel_types *) modules;
	ARRAY_OF(struct functions) functions;	/* of the kernel, then of its modules */
	bool has_kfunc_tags;
	ARRAY_OF(struct reach_constant) constants;	/* of relocations, file by file, */
	ARRAY_OF(struct reach_constant) symbols;	/* and of symbols */
	struct kernel_options options;	/* of the kernel */
	size_t work;			/* of fail_where_reached() */
};

static struct compat_answer *answer_of(const struct asking *asking, const struct compat_need *need)
{
	return &asking->to->answers[need - asking->compat->needs.data];
}

/* The worst of several counts. Takes the text over. */
static void say(struct compat_answer *answer, enum compat_state state, char *why)
{
	if (state <= answer->state && answer->why) {
		free(why);
		return;
	}
	free(answer->why);
	answer->why = why;
	answer->state = (uint8_t)(state > answer->state ? state : answer->state);
}

/* ---- what the kernel has ---- */

static void add_types(struct asking *asking, const char *path, const struct btf_reader *btf)
{
	struct functions functions = { .path = path };

	core_target_add(&asking->target, btf);
	func_names_read(&functions.names, btf, btf->first_id);
	array_push(&asking->functions, functions);
}

static bool open_modules(struct asking *asking, struct error *err)
{
	const struct build_files *build = &asking->to->build;
	struct kernel_options options = asking->compat->options;

	options.records.below = asking->types.btf;
	for (size_t i = 0; i < build->modules.count; i++) {
		struct kernel_types *module = memory_zeroed(1, sizeof(*module));

		options.records.path = build->modules.data[i].path;
		array_push(&asking->modules, module);
		/* That of DWARF alone takes minutes for all modules. */
		if (!btf_file_has_btf(options.records.path, true))
			continue;
		if (!kernel_types_open(module, &options, err))
			return false;
		add_types(asking, options.records.path, module->btf);
	}
	return true;
}

static bool open_kernel(struct asking *asking, struct error *err)
{
	struct kernel_options *options = &asking->options;

	*options = asking->compat->options;
	options->records.path = asking->to->build.vmlinux;
	/* Those of the running kernel would have to be compared with each BTF. */
	options->records.needs_no_symbols = !text_after(options->records.path,
						       RUNNING_BTF_DIRECTORY "/");
	if (!kernel_open(&asking->kernel, options, err) ||
	    !kernel_types_open(&asking->types, options, err))
		return false;
	asking->source = (struct type_source){ .btf = asking->types.btf };
	add_types(asking, asking->to->build.vmlinux, asking->types.btf);
	if (*asking->kernel.image.identity.release)
		asking->to->release = memory_copy(asking->kernel.image.identity.release);
	asking->has_kfunc_tags = type_named(&asking->source, BTF_DECL_TAG, "", "bpf_kfunc");
	return true;
}

static void close_kernel(struct asking *asking)
{
	for (size_t i = 0; i < asking->functions.count; i++)
		func_names_release(&asking->functions.data[i].names);
	array_release(&asking->functions);
	core_target_release(&asking->target);
	for (size_t i = 0; i < asking->modules.count; i++) {
		kernel_types_close(asking->modules.data[i]);
		free(asking->modules.data[i]);
	}
	array_release(&asking->modules);
	kernel_types_close(&asking->types);
	kernel_close(&asking->kernel);
	array_release(&asking->constants);
	array_release(&asking->symbols);
}

/* ---- enumerators ---- */

/* Has the enum the enumerator, or one of that value, whose name becomes the answer's? */
static void ask_enum(const struct asking *asking, struct compat_answer *answer, const char *name,
		     const char *enumerator, uint32_t value, enum compat_state missing)
{
	const struct type_source *source = &asking->source;
	const uint32_t *words = type_named(source, BTF_ENUM, "", name), *found = NULL;

	for (uint32_t i = 0; !enumerator && !found && i < btf_element_count(words); i++) {
		if (btf_enumerator_value(words, btf_element(words, i)) == value)
			found = btf_element(words, i);
	}
	if (words && enumerator)
		found = type_enumerator(source, words, enumerator);
	if (found && !enumerator && !text_after(type_string(source, *found), "__"))
		answer->name = memory_copy(type_string(source, *found));
	else if (!words)
		say(answer, COMPAT_NOT_KNOWN, text_format("its BTF has no enum %s", name));
	else if (!found || !enumerator)
		say(answer, missing, text_format("the kernel's enum %s does not have it", name));
}

/* ---- externs ---- */

static struct reach_constant *constant_of(struct asking *asking, const struct compat_need *need)
{
	return &asking->symbols.data[need->source->symbols +
				     (size_t)(need->symbol - need->source->file->symbols.data)];
}

static bool has_modules(const struct asking *asking)
{
	return asking->to->build.modules.count ||
	       (asking->kernel.records && asking->kernel.records->is_running);
}

/* What is not there: of a weak one the address is 0, and calls of it fail. */
static void say_missing(struct asking *asking, const struct compat_need *need, char *what)
{
	struct compat_answer *answer = answer_of(asking, need);
	bool is_weak = need->symbol->is_weak;

	if (has_modules(asking))
		say(answer, is_weak ? COMPAT_GUARDED : COMPAT_MISSING, text_format(
			"neither the kernel nor a module that was given or loaded has %s", what));
	else
		say(answer, is_weak ? COMPAT_GUARDED : COMPAT_NOT_KNOWN,
		    text_format("the kernel does not have %s; " GIVE_MODULES, what));
	if (is_weak) {
		*constant_of(asking, need) =
			(struct reach_constant){ .is_known = has_modules(asking) };
		answer->fails_at = BPF_CALL;
	}
	answer->is_open = !has_modules(asking);
	answer->stops_all = !is_weak;
	free(what);
}

static void ask_kfunc(struct asking *asking, const struct compat_need *need)
{
	const struct btf_reader *local = &need->source->file->btf, *btf = NULL;
	char *name = memory_string(need->name, core_name_length(need->name));
	struct kernel_version version = asking->kernel.image.version;
	struct compat_answer *answer = answer_of(asking, need);
	uint32_t id = 0;

	for (size_t i = 0; i < asking->functions.count && !id; i++) {
		btf = asking->functions.data[i].names.btf;
		id = func_names_find(&asking->functions.data[i].names, name);
	}
	if (!id || !core_types_are_compatible(local,
			btf_reader_type(local, need->symbol->type)[BTF_WORD_TYPE], btf,
			btf_reader_type(btf, id)[BTF_WORD_TYPE])) {
		say_missing(asking, need, text_format(id ? "a function %s of this prototype"
							 : "a function %s in its BTF", name));
		free(name);
		return;
	}
	*constant_of(asking, need) = (struct reach_constant){ true, 1, 0 };
	if (asking->has_kfunc_tags && !btf_has_kfunc_tag(btf, name)) {
		say(answer, COMPAT_GUARDED, memory_copy("the kernel's function is no kfunc"));
		answer->fails_at = BPF_CALL;
	} else if (need->takes_address && version.major &&
		   !kernel_version_is_from(version, 6, 4)) {
		say(answer, COMPAT_GUARDED, memory_copy("before 6.4 programs cannot ask whether a "
							"kfunc is there, if it is"));
		answer->fails_at = BPF_LOAD_64;
	}
	free(name);
}

static void ask_ksym(struct asking *asking, const struct compat_need *need)
{
	const struct btf_reader *local = &need->source->file->btf, *btf = NULL;
	uint32_t type = btf_reader_type(local, need->symbol->type)[BTF_WORD_TYPE];
	bool is_typed = btf_skip_modifiers(local, type) != NULL, has;
	const struct symbol_table *symbols = asking->kernel.image.symbols;
	struct compat_answer *answer = answer_of(asking, need);
	const uint32_t *variable = NULL;

	for (size_t i = 0; is_typed && !variable && i < asking->functions.count; i++) {
		btf = asking->functions.data[i].names.btf;
		variable = type_named(&(struct type_source){ .btf = btf }, BTF_VAR, "", need->name);
	}
	has = variable;
	if (has && asking->kernel.records && asking->kernel.records->is_running &&
	    !symbol_table_find(symbols, need->name)) {
		say(answer, COMPAT_GUARDED, memory_copy("the kernel has no addresses of variables "
							"(CONFIG_KALLSYMS_ALL)"));
		answer->fails_at = BPF_LOAD_64;
	}
	if (!is_typed && symbols && symbols->symbols.count)
		has = symbol_table_find(symbols, need->name);
	else if (!is_typed)
		say(answer, COMPAT_NOT_KNOWN, memory_copy("there are no symbols; give the kernel's "
							   "vmlinux, or System.map"));
	if (variable && !core_types_are_compatible(local, type, btf, variable[BTF_WORD_TYPE])) {
		say(answer, COMPAT_MISSING, memory_copy("the kernel's variable has another type"));
		answer->stops_all = true;
	} else if (has && !is_typed) {
		/* Verifiers do not take the address of a typed one for one that is not NULL. */
		*constant_of(asking, need) = (struct reach_constant){ true, 1, 0 };
	} else if (!has && !answer->why) {
		say_missing(asking, need, text_format(is_typed ? "a variable %s in its BTF"
							       : "a symbol %s", need->name));
	}
}

/* Red Hat's releases have more than their number says. */
static void ask_instruction(const struct asking *asking, const struct compat_need *need)
{
	struct kernel_version version = asking->kernel.image.version;
	struct compat_answer *answer = answer_of(asking, need);

	if (version.major && kernel_version_compare(version, need->younger->since) >= 0)
		return;
	answer->is_open = !version.major || strstr(asking->kernel.image.identity.release, ".el");
	say(answer, !need->younger->is_code ? COMPAT_GUARDED
		    : answer->is_open       ? COMPAT_NOT_KNOWN : COMPAT_MISSING,
	    text_format("Linux has them since %u.%u%s", need->younger->since.major,
			need->younger->since.minor, need->younger->advice));
}

static void ask_kconfig(struct asking *asking, const struct compat_need *need)
{
	struct kernel_version version = asking->kernel.image.version;
	bool is_version = strcmp(need->name, "LINUX_KERNEL_VERSION") == 0;
	struct compat_answer *answer = answer_of(asking, need);
	unsigned int patch = 0;

	if (is_version && version.major &&
	    sscanf(asking->kernel.image.identity.release, "%*u.%*u.%u", &patch) == 1) {
		/* Debian's 6.1.0 is a name; libbpf takes what is in parentheses after it. */
		*constant_of(asking, need) = (struct reach_constant){ true,
			(uint64_t)version.major << 16 | (uint64_t)version.minor << 8 |
			(patch > 255 ? 255 : patch), patch ? 0 : 255 };
	} else if (is_version || (!text_after(need->name, "LINUX_") && !need->symbol->is_weak)) {
		say(answer, COMPAT_NOT_KNOWN, memory_copy(
			!is_version     ? "btfenc does not read the kernel's configuration"
			: version.major ? "libbpf fails where neither the release nor Debian's or "
					  "Ubuntu's version has three numbers"
					: "nothing here says the release"));
		answer->stops_all = true;
	}
}

/* ---- CO-RE ---- */

/* Each optional program as if it alone were loaded, too. */
static bool resolve_file(struct asking *asking, const struct bpf_file *file, struct error *err)
{
	struct core_load all = { .target = &asking->target, .local = &file->btf }, own = all;
	const char *section = NULL;
	bool good = true;

	for (size_t k = 0; good && k < file->relocations.count; k++) {
		const struct bpf_relocation *relocation = &file->relocations.data[k];
		struct core_value value;

		if (relocation->section != section && *relocation->section == '?') {
			core_load_release(&own);
			own = (struct core_load){ .target = all.target, .local = all.local };
		}
		section = relocation->section;
		good = core_resolve(&value, *section == '?' ? &own : &all, &relocation->core, NULL,
				    err);
		array_push(&asking->to->values, value);
	}
	core_load_release(&all);
	core_load_release(&own);
	return good;
}

static bool resolve(struct asking *asking, struct error *err)
{
	const struct bpf_files *files = &asking->compat->files;
	bool good = true;

	asking->to->values.count = 0;
	for (size_t i = 0; good && i < files->files.count; i++)
		good = resolve_file(asking, files->files.data[i], err);
	return good;
}

static bool resolve_all(struct asking *asking, struct error *err)
{
	bool all = true;

	if (!resolve(asking, err))
		return false;
	array_each(const struct core_value, value, &asking->to->values)
		all &= value->is == CORE_MATCHED;
	for (size_t i = 0; i < asking->compat->needs.count && all; i++)
		all = asking->compat->needs.data[i].kind < COMPAT_KFUNC ||
		      asking->compat->needs.data[i].kind == COMPAT_KCONFIG;
	if (!all && has_modules(asking) &&
	    (!open_modules(asking, err) || !resolve(asking, err)))
		return false;
	array_each(const struct core_value, value, &asking->to->values)
		array_push(&asking->constants, ((struct reach_constant){
			.is_known = !value->is_poisoned && value->is != CORE_FAILED,
			.value = value->value }));
	return true;
}

static void ask_relocations(struct asking *asking, const struct compat_need *need)
{
	struct compat_answer *answer = answer_of(asking, need);

	for (size_t i = 0; i < need->relocations.count; i++) {
		uint32_t index = need->relocations.data[i];
		const struct core_value *value =
			&asking->to->values.data[need->source->relocations + index];
		bool is_optional = *need->source->file->relocations.data[index].section == '?';

		if (value->is == CORE_FAILED) {
			say(answer, is_optional ? COMPAT_GUARDED : COMPAT_MISSING,
			    text_format("libbpf does not load what has it: %s", value->why));
			answer->stops_all |= !is_optional;
		} else if (value->is == CORE_UNMATCHED || value->is_poisoned) {
			say(answer, COMPAT_GUARDED, memory_copy(
				value->is == CORE_MATCHED ? "it has another size here"
				: !value->lacks_type      ? "the kernel's type does not have it"
				: has_modules(asking)
				? "no such type is in the kernel or in its modules"
				: "the kernel has no such type; " GIVE_MODULES));
		}
	}
}

/* ---- structs of operations ---- */

/* What libbpf asks of a member (bpf_map__init_kern_struct_ops()); NULL: it fits. */
static const char *why_not(const struct btf_reader *local, uint32_t info,
			   const struct bpf_ops_member *member, const struct type_source *source,
			   const uint32_t *words, const uint32_t *found)
{
	const uint32_t *is = btf_skip_modifiers(local, member->words[1]);
	const uint32_t *wanted = btf_skip_modifiers(source->btf, found[1]), *bits;

	if (btf_member_bits(info, member->words) ||
	    btf_member_bits(words[BTF_WORD_INFO], found))
		return "a bit-field, which libbpf does not set";
	if (btf_record_kind(is) != btf_record_kind(wanted))
		return "of another kind of type here";
	if (btf_record_kind(is) == BTF_PTR)
		return !member->is_set ||
		       btf_record_kind(btf_skip_modifiers(source->btf,
							  wanted[BTF_WORD_TYPE])) == BTF_FUNC_PROTO
			       ? NULL : "no function here";
	return btf_type_bits(local, member->words[1], 8, &bits) ==
			       btf_type_bits(source->btf, found[1], 8, &bits)
		       ? NULL : "of another size here";
}

static void ask_member(const struct asking *asking, const struct compat_need *need,
		       const struct bpf_map *map, const struct bpf_ops_member *member,
		       const struct type_source *source, const uint32_t *words)
{
	const struct btf_reader *local = &need->source->file->btf;
	const char *name = btf_text(local, member->words[0]), *why;
	const char *ops = btf_type_name(source->btf, words);
	const uint32_t *found = type_member(source, words, name);
	struct compat_answer *answer = answer_of(asking, need);
	struct text type = { 0 };

	if (!found && member->is_set)
		say(answer, COMPAT_MISSING, text_format("struct %s has no member %s here", ops,
							name));
	if (!found)
		return;
	why = why_not(local, map->ops[BTF_WORD_INFO], member, source, words, found);
	if (!why && member->program &&
	    registered_ops_take(&asking->kernel.image, source, ops, name) == ATTACH_NO)
		why = "not for programs: the kernel's cfi_stubs lack it";
	if (why)
		say(answer, COMPAT_MISSING, text_format("member %s of struct %s is %s", name, ops,
							why));
	if (!member->is_set)
		return;
	type_add(&type, source, found[1], name);
	json_array_append_new(answer->parameters, json_take(&type));
}

static void ask_operations(struct asking *asking, const struct compat_need *need)
{
	char *name = memory_string(need->name, core_name_length(need->name));
	struct compat_answer *answer = answer_of(asking, need);
	struct kernel_version version = asking->kernel.image.version;
	const struct btf_reader *local = &need->source->file->btf;
	const uint32_t *words = NULL;
	struct type_source source;

	answer->stops_all = true;
	for (size_t i = 0; i < asking->functions.count && !words; i++) {
		source = (struct type_source){ .btf = asking->functions.data[i].names.btf };
		if (type_named(&source, BTF_STRUCT, "bpf_struct_ops_", name))
			words = type_named(&source, BTF_STRUCT, "", name);
	}
	if (!words)
		say(answer, has_modules(asking) ? COMPAT_MISSING : COMPAT_NOT_KNOWN, text_format(
			"programs of this kernel cannot implement struct %s%s", name,
			has_modules(asking) ? "" : "; " GIVE_MODULES));
	else
		answer->parameters = json_array();
	array_each(const struct bpf_map, map, &need->source->file->maps) {
		if (!words || !map->ops || !map->is_created ||
		    strcmp(btf_type_name(local, map->ops), need->name) != 0)
			continue;
		if (map->is_link && version.major && !kernel_version_is_from(version, 6, 4))
			say(answer, COMPAT_MISSING,
			    memory_copy("before 6.4 a struct of operations takes no link; use "
					"SEC(\".struct_ops\")"));
		array_each(const struct bpf_ops_member, member, &map->members)
			ask_member(asking, need, map, member, &source, words);
	}
	free(name);
}

/* Why libbpf loads nothing of an object for its structs of operations; NULL: it does. */
static const struct compat_answer *lone_operation(const struct compat *compat,
						  const struct compat_source *source)
{
	static const struct compat_answer twice = {
		.state = COMPAT_MISSING,
		.why = (char *)"one program is of two members, which libbpf refuses" };
	static const struct compat_answer none = {
		.state = COMPAT_NOT_KNOWN,
		.why = (char *)"a struct_ops program is in no map: libbpf fails, unless the "
			       "loader sets it" };
	const struct bpf_file *file = source->file;
	const char **members = memory_zeroed(file->code.count + 1, sizeof(*members));
	const struct compat_answer *answer = NULL;

	array_each(const struct bpf_map, map, &file->maps) {
		array_each(const struct bpf_ops_member, member, &map->members) {
			const char *name = btf_text(&file->btf, member->words[0]), **has;
			uint64_t at = member->program
				? file->symbols.data[member->program - 1].value : file->code.count;

			if (at >= file->code.count)
				continue;
			has = &members[at];
			if (*has && strcmp(*has, name) != 0)
				answer = &twice;
			*has = name;
		}
	}
	for (uint32_t p = source->programs; p < source->end && !answer; p++) {
		const struct compat_program *program = &compat->programs.data[p];

		if (strcmp(program->section.program_type, "STRUCT_OPS") == 0 &&
		    program->program->is_loaded && !members[program->program->first])
			answer = &none;
	}
	free(members);
	return answer;
}

/* ---- attach points ---- */

/* The module that has the function or tracepoint, by its BTF; NULL: none. */
static const struct functions *find_module(const struct asking *asking, const char *name)
{
	for (size_t i = 1; i < asking->functions.count; i++) {
		const struct functions *module = &asking->functions.data[i];
		const struct type_source types = { .btf = module->names.btf };

		if (func_names_find(&module->names, name) ||
		    type_named_from(&types, types.btf->first_id, BTF_TYPEDEF, TRACEPOINT_TYPE,
				    name))
			return module;
	}
	return NULL;
}

static bool ask_attach(struct asking *asking, const struct compat_need *need, struct error *err)
{
	const struct compat_program *program =
		&asking->compat->programs.data[need->programs.data[0]];
	struct compat_answer *answer = answer_of(asking, need);
	struct kernel_options options = asking->compat->options;
	const struct functions *module;
	struct kernel kernel;
	bool good;

	compat_attach(answer, &asking->kernel, &asking->functions.data[0].names, program);
	if (answer->is_elsewhere && !has_modules(asking)) {
		answer->state = COMPAT_NOT_KNOWN;
		answer->loads = answer->loads == ATTACH_NO ? ATTACH_UNKNOWN : answer->loads;
		free(answer->why);
		answer->why = text_format("the kernel has no %s; " GIVE_MODULES,
					  program->asked.name);
	}
	if (!answer->is_elsewhere || !has_modules(asking))
		return true;
	if (!asking->modules.count && !open_modules(asking, err))
		return false;
	module = find_module(asking, program->asked.name);
	if (!module)
		return true;
	options.records.path = module->path;
	options.records.below = asking->types.btf;
	options.records.is_module = options.records.needs_no_symbols = true;
	good = kernel_open(&kernel, &options, err);
	if (good) {
		free(answer->why);
		*answer = (struct compat_answer){ 0 };
		compat_attach(answer, &kernel, &module->names, program);
	}
	kernel_close(&kernel);
	return good;
}

/* ---- what runs ---- */

/* Does the instruction fail, where it runs? *is_known: it is not one that a module could mend. */
static bool fails(const struct asking *asking, const struct compat_source *source,
		  const struct compat_need *need, uint32_t instruction, bool *is_known)
{
	const struct bpf_instruction *at = &source->file->code.data[instruction];
	const struct compat_answer *answer = answer_of(asking, need);
	const struct core_value *value;

	if (!need->relocations.count) {
		*is_known &= !answer->is_open;
		return need->younger ? answer->why && !need->younger->is_code
				     : at->code == answer->fails_at;
	}
	value = &asking->to->values.data[source->relocations + at->relocation - 1];
	*is_known &= has_modules(asking) || !value->lacks_type;
	return value->is_poisoned || value->is == CORE_FAILED;
}

/* A program that fails where it runs is not loaded. */
static void fail_where_reached(struct asking *asking, const struct compat_need *need,
			       const struct reach *reach, uint32_t program,
			       const uint32_t *instructions, size_t count, bool is_known)
{
	struct compat_answer *answer = answer_of(asking, need);
	const struct bpf_symbol *symbols = need->source->file->symbols.data;
	uint8_t *loads = &asking->to->runs[program].loads;
	uint32_t own = need->symbol ? (uint32_t)(need->symbol - symbols) + 1 : 0, decides = 0;
	enum reach_answer runs = REACH_MAYBE;

	asking->work += reach->entered.count;
	if (asking->work < WORK_MOST)
		runs = reach_ask(reach, instructions, count, own, &decides);

	if (runs == REACH_YES && is_known) {
		answer->state = need->relocations.count ? COMPAT_POISONED : COMPAT_MISSING;
		*loads = ATTACH_NO;
	} else if (runs == REACH_YES || (runs == REACH_MAYBE && (!own || decides != own))) {
		answer->state = answer->state > COMPAT_NOT_KNOWN ? answer->state : COMPAT_NOT_KNOWN;
		if (runs == REACH_MAYBE && !answer->decides)
			answer->decides = decides ? symbols[decides - 1].name : "a value";
		*loads = *loads == ATTACH_YES ? ATTACH_UNKNOWN : *loads;
	}
}

static void run_programs(struct asking *asking, const struct compat_source *source)
{
	const struct compat *compat = asking->compat;
	const struct bpf_file *file = source->file;
	struct kernel_version version = asking->kernel.image.version;
	struct reach_facts facts = { array_place(&asking->constants, source->relocations),
				     array_place(&asking->symbols, source->symbols),
				     .looks_at_globals = version.major };
	ARRAY_OF(struct sort_item) failing = { 0 };
	ARRAY_OF(uint32_t) instructions = { 0 };
	struct reach reach;

	reach_init(&reach, file);
	for (uint32_t p = source->programs; p < source->end; p++) {
		uint32_t at, end;
		bool is_known;

		facts.globals = compat->programs.data[p].globals.data;
		facts.global_count = version.major && kernel_version_is_from(version, 6, 8)
			? 0 : compat->programs.data[p].globals.count;
		reach_run(&reach, compat->programs.data[p].program, &facts);
		asking->to->runs[p].context_words = reach.context_words;
		failing.count = 0;
		for (size_t i = 0; i < reach.entered.count; i++) {
			reach_range(&reach, reach.entered.data[i], &at, &end);
			for (; at < end; at++) {
				uint32_t need = source->need_of[at];
				uint32_t relocation = file->code.data[at].relocation;

				if (relocation)
					asking->to->reached.data[source->relocations + relocation -
								 1] = true;
				is_known = true;
				if (need && fails(asking, source, &compat->needs.data[need - 1],
						  at, &is_known))
					array_push(&failing, ((struct sort_item){
						need, at * 2 + is_known }));
			}
		}
		sort_by_key(failing.data, failing.count);
		for (size_t i = 0; i < failing.count;) {
			uint64_t need = failing.data[i].key;

			instructions.count = 0;
			is_known = true;
			for (; i < failing.count && failing.data[i].key == need; i++) {
				array_push(&instructions, failing.data[i].value / 2);
				is_known &= failing.data[i].value % 2;
			}
			fail_where_reached(asking, &compat->needs.data[need - 1], &reach, p,
					   instructions.data, instructions.count, is_known);
		}
	}
	reach_release(&reach);
	array_release(&failing);
	array_release(&instructions);
}

/* ---- the answers as a whole ---- */

static bool ask_need(struct asking *asking, const struct compat_need *need, struct error *err)
{
	struct compat_answer *answer = answer_of(asking, need);

	switch (need->kind) {
	case COMPAT_PROGRAM_TYPE:
		ask_enum(asking, answer, "bpf_prog_type", need->name, 0,
			 COMPAT_MISSING);
		break;
	case COMPAT_ATTACH_TYPE:
		ask_enum(asking, answer, "bpf_attach_type", need->name, 0,
			 COMPAT_MISSING);
		break;
	case COMPAT_MAP_TYPE:
		ask_enum(asking, answer, "bpf_map_type", NULL, need->number, COMPAT_MISSING);
		answer->stops_all = true;
		break;
	case COMPAT_HELPER:
		ask_enum(asking, answer, "bpf_func_id", NULL, need->number, COMPAT_GUARDED);
		answer->fails_at = answer->why ? BPF_CALL : 0;
		break;
	case COMPAT_INSTRUCTION: ask_instruction(asking, need); break;
	case COMPAT_KFUNC: ask_kfunc(asking, need); break;
	case COMPAT_KSYM: ask_ksym(asking, need); break;
	case COMPAT_KCONFIG: ask_kconfig(asking, need); break;
	case COMPAT_STRUCT_OPS: ask_operations(asking, need); break;
	case COMPAT_FIELD:
	case COMPAT_TYPE:
	case COMPAT_ENUMERATOR: ask_relocations(asking, need); break;
	case COMPAT_ATTACH: return ask_attach(asking, need, err);
	case COMPAT_KINDS: break;
	}
	return true;
}

static void lower(uint8_t *answer, bool is_no)
{
	if (is_no || *answer == ATTACH_YES)
		*answer = is_no ? ATTACH_NO : ATTACH_UNKNOWN;
}

/* It is said of where the program attaches, when all have been asked that attach there. */
static void say_beyond(struct asking *asking, uint32_t p)
{
	const struct compat_program *program = &asking->compat->programs.data[p];
	struct compat_answer *answer =
		&asking->to->answers[program->needs.data[0]];
	uint64_t reads = asking->to->runs[p].context_words &
			 (answer->not_loaded_with | answer->not_attached_with);
	int word = reads ? __builtin_ctzll(reads) : 0;
	const char *why = word || !strstr(program->section.program_type, "WRITABLE")
		? "%s is refused if it reads byte %d of its context, as far as is known"
		: "%s is refused if it uses argument %d, unless that may be written";

	if (reads)
		say(answer, COMPAT_NOT_KNOWN, text_format(why, program->program->name, 8 * word));
}

/* What a need that is not there costs a program: that it is loaded, or that it attaches. */
static void conclude(struct asking *asking, uint32_t p)
{
	const struct compat_program *program = &asking->compat->programs.data[p];
	const char *type = program->section.program_type;
	uint8_t *loads = &asking->to->runs[p].loads, *attaches = &asking->to->runs[p].attaches;
	uint64_t reads = asking->to->runs[p].context_words;

	for (size_t i = 0; i < program->needs.count; i++) {
		uint32_t index = program->needs.data[i];
		const struct compat_need *need = &asking->compat->needs.data[index];
		const struct compat_answer *answer = answer_of(asking, need);
		bool is_missing = answer->state == COMPAT_MISSING;

		if (reads & answer->not_loaded_with)
			lower(loads, false);
		if (reads & answer->not_attached_with)
			lower(attaches, false);
		if (need->younger && need->younger->is_code && answer->why)
			lower(loads, is_missing);
		if (need->kind > COMPAT_ATTACH_TYPE ||
		    (!is_missing && answer->state != COMPAT_NOT_KNOWN))
			continue;
		if (need->kind == COMPAT_PROGRAM_TYPE ||
		    (need->kind == COMPAT_ATTACH_TYPE && strcmp(type, "KPROBE") != 0 &&
		     strcmp(type, "SCHED_CLS") != 0 && strcmp(type, "XDP") != 0))
			lower(loads, is_missing);
		else
			lower(attaches, is_missing);
		if (need->kind == COMPAT_ATTACH && answer->loads != ATTACH_YES)
			lower(loads, answer->loads == ATTACH_NO);
	}
	if (*loads != ATTACH_YES)
		lower(attaches, *loads == ATTACH_NO);
}

static bool ask_all(struct asking *asking, struct error *err)
{
	static const struct compat_answer other_order = {
		.state = COMPAT_MISSING,
		.why = (char *)"libbpf loads objects of the kernel's byte order alone" };
	const struct compat *compat = asking->compat;
	struct compat_kernel *to = asking->to;

	for (size_t i = 0; i < compat->needs.count; i++) {
		if (!ask_need(asking, &compat->needs.data[i], err))
			return false;
	}
	for (size_t i = 0; i < compat->files.files.count; i++) {
		const struct compat_source *source = &compat->sources[i];

		to->whole[i] = source->file->swapped != asking->types.btf->swapped
				       ? &other_order : lone_operation(compat, source);
		run_programs(asking, source);
		for (size_t k = 0; k < compat->needs.count; k++) {
			const struct compat_answer *answer = &to->answers[k];

			if (compat->needs.data[k].source == source && answer->stops_all &&
			    (answer->state == COMPAT_MISSING || (!to->whole[i] &&
							 answer->state == COMPAT_NOT_KNOWN)))
				to->whole[i] = answer;
		}
		for (uint32_t p = source->programs; p < source->end; p++) {
			if (to->whole[i])
				lower(&to->runs[p].loads, to->whole[i]->state == COMPAT_MISSING);
			conclude(asking, p);
		}
	}
	for (uint32_t p = 0; p < compat->programs.count; p++)
		say_beyond(asking, p);
	return true;
}

bool compat_ask(const struct compat *compat, struct compat_kernel *kernel, struct error *err)
{
	struct asking asking = { .compat = compat, .to = kernel };
	size_t symbols = 0;
	bool good;

	for (size_t i = 0; i < compat->files.files.count; i++)
		symbols += compat->files.files.data[i]->symbols.count;
	array_zero(&asking.symbols, symbols);
	kernel->answers = memory_zeroed(compat->needs.count + 1, sizeof(*kernel->answers));
	kernel->whole = memory_zeroed(compat->files.files.count, sizeof(*kernel->whole));
	kernel->runs = memory_zeroed(compat->programs.count + 1, sizeof(*kernel->runs));
	for (size_t i = 0; i < compat->programs.count; i++) {
		const struct compat_program *program = &compat->programs.data[i];
		const char *type = program->section.program_type;

		/* Those that trace are loaded for a target. */
		kernel->runs[i].attaches = program->by_loader ? ATTACH_UNKNOWN : ATTACH_YES;
		kernel->runs[i].loads = program->by_loader && strcmp(type, "KPROBE") != 0 &&
					   strcmp(type, "XDP") != 0 ? ATTACH_UNKNOWN : ATTACH_YES;
	}
	good = open_kernel(&asking, err) && resolve_all(&asking, err);
	array_zero(&kernel->reached, kernel->values.count);
	good = good && ask_all(&asking, err);
	close_kernel(&asking);
	return good;
}
