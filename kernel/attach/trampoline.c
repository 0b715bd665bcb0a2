/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "kernel/attach/trampoline.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "btf/inspect.h"
#include "kernel/attach/known_functions.h"
#include "kernel/attach/machine.h"

#define MAX_STRUCT_BYTES 16	/* in btf_distill_func_proto() */

/* ---- the prototype ---- */

void trampoline_see_result(struct trampoline_view *view, struct trampoline_type type)
{
	view->returns_struct = btf_kind_is_aggregate(type.kind);
	view->has_float |= type.kind == BTF_FLOAT;
	if (view->returns_struct)
		view->refusal = "it returns a struct";
	else if (type.kind == BTF_FLOAT)
		view->refusal = "it returns a floating-point number";
	else if (type.kind == BTF_ARRAY)
		view->refusal = "it returns a vector or complex number, which is an array in BTF";
}

/*
 * A 128-bit integer is let through, but then the trampolines take it from the next two slots, where
 * it is not on arm64 (an even register) nor on the stack of x86-64 (a multiple of 16).
 */
void trampoline_see_parameter(struct trampoline_view *view, struct trampoline_type type)
{
	uint32_t words = (type.size_bytes + 7) / 8;

	if (view->parameters == TRAMPOLINE_MAX_ARGUMENTS) {
		view->refusal = "it has more than 12 parameters";
	} else {
		view->words[view->parameters] = type.kind == BTF_PTR ? 1
						: words < UINT8_MAX  ? (uint8_t)words
								     : UINT8_MAX;
		view->may_be_aligned |= (uint16_t)(type.may_be_aligned << view->parameters++);
	}
	if (type.kind == BTF_VOID) {
		view->is_variadic = true;
		view->refusal = "it is variadic";
		return;
	}
	if (type.kind == BTF_FWD) {
		view->refusal = "it takes a struct that is only declared";
		return;
	}
	view->has_struct |= btf_kind_is_aggregate(type.kind);
	view->has_union |= type.kind == BTF_UNION;
	view->has_float |= type.kind == BTF_FLOAT;
	view->slots += type.kind == BTF_PTR ? 1 : words;
	view->widest_bytes =
		type.size_bytes > view->widest_bytes ? type.size_bytes : view->widest_bytes;
	if (btf_kind_is_aggregate(type.kind)) {
		view->last_record = view->slots;
		if (type.size_bytes > MAX_STRUCT_BYTES)
			view->refusal = "it takes a struct of more than 16 bytes";
		else if (!type.size_bytes)
			view->refusal = "it takes an empty struct";
		else if (type.is_irregular)
			view->refusal = "it takes a struct that is packed or aligned by an "
					"attribute, which "
					"trampolines may take from the wrong place";
	} else if (type.kind == BTF_FLOAT) {
		view->refusal = "it takes a floating-point number";
	} else if (type.kind == BTF_ARRAY) {
		/* __get_type_size() in kernel/bpf/btf.c: pointers, integers, enums, structs. */
		view->refusal = "it takes a vector or complex number, which is an array in BTF";
	} else if (type.size_bytes > 8) {
		view->refusal = "it takes a 128-bit integer, which trampolines may take from the "
				"wrong place";
	}
}

/* ---- machines and releases ---- */

static const struct kernel_version union_arguments = { 6, 18 };

enum attach_answer trampoline_built_in(const struct symbol_table *symbols, bool have_binding)
{
	/* The second from 5.15 to 6.2, the third from 7.0 on, together with the first. */
	bool direct_calls = symbol_table_find(symbols, "register_ftrace_direct") ||
			    symbol_table_find(symbols, "register_ftrace_direct_multi") ||
			    symbol_table_find(symbols, "update_ftrace_direct_add");
	const struct symbol *prepare = symbol_table_find(symbols, "arch_prepare_bpf_trampoline");

	if (!symbol_table_find(symbols, "linux_banner"))
		return ATTACH_UNKNOWN;		/* no kernel, or not all of its symbols */
	if (!direct_calls || !prepare)
		return ATTACH_NO;
	if (!have_binding)
		return ATTACH_UNKNOWN;
	/* kernel/bpf/trampoline.c has a weak one, which refuses. */
	return prepare->binding == STB_WEAK ? ATTACH_NO : ATTACH_YES;
}

void attach_image_of_file(struct attach_image *image, struct attach_tables *tables,
			  const struct object *object, const struct symbol_table *symbols,
			  const struct btf_reader *base)
{
	image->object = object;
	image->symbols = symbols;
	image->abi = abi_of(object);
	image->is_module = object->relocatable;
	image->identity = kernel_identity_of_image(object);
	image->version = kernel_version_parse(image->identity.release);
	image->built_in = trampoline_built_in(symbols, true);
	attach_tables_read(tables, image);
	own_btf_read(&tables->own, object, base);
	image->tables = tables;
}

void attach_set_kernel(struct attach_image *image, struct attach_tables *tables,
		       const struct btf_reader *kernel)
{
	func_names_read(&tables->kernel_funcs, kernel, 1);
	image->kernel_funcs = &tables->kernel_funcs;
}

/* A demand that is newer than all before. */
static void demand(struct trampoline_answer *answer, struct kernel_version since, const char *what)
{
	if (answer->since.major && kernel_version_compare(since, answer->since) <= 0)
		return;
	answer->since = since;
	snprintf(answer->why, sizeof(answer->why), "%s", what);
}

static struct trampoline_answer no(bool refused, const char *format, const char *word)
{
	struct trampoline_answer answer = { .is = ATTACH_NO, .refused = refused };

	snprintf(answer.why, sizeof(answer.why), format, word);
	return answer;
}

static struct trampoline_answer demands(const struct trampoline_rules *rules,
					const struct attach_image *kernel,
					const struct trampoline_view *view)
{
	struct trampoline_answer answer = { .is = ATTACH_UNKNOWN };

	demand(&answer, rules->attach, "");
	if (kernel->is_module)
		demand(&answer, rules->modules, "functions of modules");
	if (view->has_struct)
		demand(&answer, rules->structs, "structs by value");
	if (view->has_union)
		demand(&answer, union_arguments, "unions by value");
	if (rules->registers && view->slots > rules->registers)
		demand(&answer, rules->stack, rules->stack_words);
	if (rules->registers && view->last_record > rules->registers)
		demand(&answer, rules->struct_on_stack, "structs on the stack");
	return answer;
}

/*
 * Trampolines take one word after the other. On the stack a struct that is aligned to 16 bytes is
 * there only if an even number of words is before it, on some machines also in registers: on arm64
 * where a member is aligned, which is another thing than the struct (AAPCS64, stage C), on ppc64le
 * where the struct is. Programs saw that on x86-64 (tests/programs.sh) and, of the same module, in
 * 7.2 for arm64. On x86-64 (where slots are counted) an argument after one on the stack may be in a
 * register again.
 */
static bool is_ambiguous(const struct trampoline_rules *rules, const struct trampoline_view *view)
{
	uint32_t in_registers = 0, on_stack = 0;

	for (uint32_t i = 0; i < view->parameters; i++) {
		uint32_t end = in_registers + view->words[i];
		bool fits = !rules->registers || end <= rules->registers;
		bool is_odd = fits ? rules->even_pairs && in_registers % 2 : on_stack % 2;

		if (is_odd && view->may_be_aligned >> i & 1)
			return true;
		if (fits)
			in_registers = end;
		else
			on_stack += view->words[i];
		if (!fits && !rules->counts_slots)
			in_registers = rules->registers;
	}
	return false;
}

bool trampoline_returns(const char *name)
{
	return !function_is("never", name);
}

/* NULL: it is not known, or has no say. */
static const struct own_btf *own_btf_of(const struct attach_image *kernel, const char *name)
{
	const struct own_btf *own = kernel->tables ? &kernel->tables->own : NULL;

	/* Clones are not looked for: that of --features +true_signature may have more. */
	return own && own->is_known && name && !strchr(name, '.') ? own : NULL;
}

static bool lacks_func(const struct attach_image *kernel, const char *name)
{
	const struct own_btf *own = own_btf_of(kernel, name);

	return own && !func_names_find(&own->funcs, name);
}

bool attach_finds_kernels(const struct attach_image *module, const char *name)
{
	return name && module->kernel_funcs && func_names_find(module->kernel_funcs, name);
}

struct trampoline_answer trampoline_answer(const struct attach_image *kernel, const char *name,
					   const struct trampoline_view *view)
{
	const struct machine *machine = machine_of(kernel->abi);
	const struct trampoline_rules *rules = machine ? &machine->trampolines : NULL;
	struct trampoline_answer answer = { .is = ATTACH_UNKNOWN };
	const struct own_btf *own = own_btf_of(kernel, name);
	const char *denied = name ? denied_why(kernel, name) : NULL;
	bool is_old;

	if (rules && !rules->attach.major)
		return no(false, "%s has no BPF trampoline", kernel->abi->name);
	if (view->refusal)
		return no(true, "%s", view->refusal);
	if (denied)
		return no(false, "%s", denied);
	if (lacks_func(kernel, name))
		return no(false, "%s", "the file's own .BTF has no FUNC of that name");
	if (attach_finds_kernels(kernel, name))
		return no(false, "%s",
			  "the kernel's BTF has a FUNC of that name, which libbpf finds first");
	if (own && own_btf_lacks_parameters(own, name, view->parameters))
		return no(false, "%s", "the file's own .BTF gives it fewer parameters, and the "
			  "trampoline would lose the others");
	if (!rules)
		return answer;
	if (rules->counts_slots && view->slots > TRAMPOLINE_MAX_ARGUMENTS)
		return no(true, "%s", "its arguments take more than 12 words");
	if (is_ambiguous(rules, view))
		return no(true, "%s",
			  "it takes a struct that may be aligned to 16 bytes, which trampolines "
			  "may take from the wrong place");
	answer = demands(rules, kernel, view);
	is_old = kernel->version.major &&
		 kernel_version_compare(kernel->version, answer.since) < 0;
	/* A kernel that shows that it can has what its release has not, by a backport. */
	if (kernel->built_in == ATTACH_YES &&
	    kernel_version_compare(answer.since, rules->attach) == 0)
		return (struct trampoline_answer){ .is = ATTACH_YES };
	if (kernel->built_in == ATTACH_NO && !is_old)
		return no(false, "%s", "this kernel is built without what it needs there, "
			  "BPF trampolines or ftrace's direct calls");
	if (is_old) {
		char what[sizeof(answer.why)];

		memcpy(what, answer.why, sizeof(what));
		answer.is = ATTACH_NO;
		snprintf(answer.why, sizeof(answer.why), "%s takes %.40s from %u.%u on, this is "
			 "%u.%u", kernel->abi->name, *what ? what : "it", answer.since.major,
			 answer.since.minor, kernel->version.major, kernel->version.minor);
	} else if (kernel->version.major) {
		answer = (struct trampoline_answer){ .is = ATTACH_YES };
	}
	return answer;
}

enum fentry_obstacle fentry_obstacle(const struct attach_image *image,
				     const struct attach_state *state, const char *name,
				     const struct trampoline_view *view)
{
	if (state->init)
		return FENTRY_INIT;
	if (state->exit)
		return FENTRY_EXIT;
	if (state->ftrace == ATTACH_NO)
		return FENTRY_NO_HOOK;
	if (lacks_func(image, name))
		return FENTRY_NO_FUNC;
	return trampoline_answer(image, name, view).is == ATTACH_NO ? FENTRY_NO_TRAMPOLINE
									: FENTRY_OBSTACLE_COUNT;
}

void trampoline_add_since(struct text *out, const struct trampoline_answer *answer)
{
	if (answer->is != ATTACH_UNKNOWN)
		return;
	if (answer->since.major)
		text_add_format(out, " from %u.%u on", answer->since.major, answer->since.minor);
	else
		text_add_string(out, " where the machine has BPF trampolines");
	if (*answer->why)
		text_add_format(out, " (%s)", answer->why);
}
