/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * How the verifier gives arguments to BPF programs on tracepoints (tp_btf) and functions (fentry):
 * btf_ctx_access() in kernel/bpf/btf.c, which goes by the type and the release alone.
 *
 * An argument is a number, a pointer to a struct that programs can follow, or refused. Since 6.12
 * one whose name ends in "__nullable" has to be compared with NULL first. Since 6.13 so have those
 * of the kernel's table raw_tp_null_args[] and all of a module's tracepoints, and arguments that
 * may be errors are numbers: the verifier names them itself, and they are not told here.
 */
#include <stdlib.h>
#include <string.h>

#include "commands/explain/tracepoint.h"
#include "commands/explain/explain_argument.h"
#include "kernel/btf_functions.h"

const char *const argument_states[ARGUMENT_STATES] = {
	[ARGUMENT_PLAIN] = "plain", [ARGUMENT_NULL] = "null",
	[ARGUMENT_NUMBER] = "number", [ARGUMENT_REFUSED] = "refused",
	[ARGUMENT_UNKNOWN] = "unknown",
};

/*
 * What some kernels refuse. Each row was measured, by loading programs that read an argument: all
 * of all tracepoints, and up to 40 of functions for each kind of type, in Debian's 5.10, 6.1, 6.12,
 * 6.16 to 6.19, and 7.0 to 7.2 for x86-64. Between the two releases nobody has looked.
 */
static const struct argument_rule {
	struct kernel_version refused_to, taken_from;
	const char *why;
} argument_rules[] = {
#define REFUSED(what, major, minor, from_major, from_minor)                                        \
	{ { major, minor }, { from_major, from_minor }, what ": refused up to " #major "." #minor  \
	  ", taken from " #from_major "." #from_minor " on" }
	REFUSED("it does not point to a struct", 7, 0, 7, 1),
	REFUSED("the struct that it points to is not in this BTF", 7, 0, 7, 1),
	REFUSED("it is a union", 6, 17, 6, 18),
	REFUSED("it points to const void", 6, 12, 6, 16),
	REFUSED("it points to a number that is not char", 5, 10, 6, 1),
	REFUSED("it is a struct", 5, 10, 6, 1),
	REFUSED("it is not in the kernel's BTF, by KF_IMPLICIT_ARGS", 7, 1, 7, 2),
};

enum { TO_OTHER, TO_UNKNOWN, IS_UNION, TO_CONST_VOID, TO_NUMBER, IS_STRUCT, IS_IMPLICIT, NO_RULE };

/* const and one of its kind are all that 5.10 looks through. */
static bool is_char(const struct type_source *types, uint32_t ref)
{
	const uint32_t *words = type_words(types, ref);

	if (words && btf_record_kind(words) == BTF_CONST)
		words = type_words(types, words[BTF_WORD_TYPE]);
	return words && btf_record_kind(words) == BTF_INT &&
	       strcmp(type_string(types, words[BTF_WORD_NAME]), "char") == 0;
}

/* The rule for a type, and what the argument is where it is taken. */
static size_t rule_of(const struct type_source *types, uint32_t ref,
		      enum tracepoint_argument_state *state)
{
	struct value_type type = value_type_of(types, ref), target;
	uint32_t pointed;

	*state = ARGUMENT_PLAIN;
	if (type.kind == BTF_INT || btf_kind_is_enum(type.kind))
		return NO_RULE;
	if (btf_kind_is_aggregate(type.kind))
		return type.kind == BTF_UNION ? IS_UNION : IS_STRUCT;
	*state = ARGUMENT_REFUSED;
	if (type.kind != BTF_PTR || !type.words)
		return NO_RULE;
	pointed = type.words[BTF_WORD_TYPE];
	target = value_type_of(types, pointed);
	*state = btf_kind_is_aggregate(target.kind) ? ARGUMENT_PLAIN : ARGUMENT_NUMBER;
	if (*state == ARGUMENT_PLAIN || !pointed)
		return NO_RULE;
	if (target.is_void)
		return TO_CONST_VOID;
	if (target.kind == BTF_INT)
		return is_char(types, pointed) ? NO_RULE : TO_NUMBER;
	return target.kind == BTF_FWD ? TO_UNKNOWN : TO_OTHER;
}

static bool is_taken(const struct explanation *explanation, size_t rule)
{
	struct kernel_version version = explanation->image.version;

	return version.major &&
	       kernel_version_compare(version, argument_rules[rule].taken_from) >= 0;
}

static struct argument_answer apply_rule(const struct explanation *explanation, size_t rule)
{
	struct kernel_version version = explanation->image.version;
	bool is_refused = version.major &&
		kernel_version_compare(version, argument_rules[rule].refused_to) <= 0;

	return (struct argument_answer){ is_refused ? ARGUMENT_REFUSED : ARGUMENT_UNKNOWN,
					 argument_rules[rule].why };
}

struct argument_answer explain_argument_by_type(const struct explanation *explanation,
						uint32_t ref)
{
	struct argument_answer answer = { .why = NULL };
	size_t rule = rule_of(&explanation->types, ref, &answer.is);

	if (answer.is == ARGUMENT_REFUSED)
		answer.why = "it is not a number or a pointer";
	return rule == NO_RULE || is_taken(explanation, rule) ? answer
							      : apply_rule(explanation, rule);
}

/* Is the function in a set of kfuncs, by its flag or BTF's tag? */
static bool is_kfunc(const struct explanation *explanation)
{
	const struct program *program = explanation->program;
	struct kfunc_list found;
	struct error ignored;
	bool is = btf_has_kfunc_tag(explanation->types.btf, explanation->name);

	if (!program || !kfuncs_read(&found, &program->object, &program->symbols, &ignored))
		return is;
	for (size_t i = 0; i < found.kfuncs.count; i++)
		is |= found.kfuncs.data[i].is_tagged &&
		      strcmp(found.kfuncs.data[i].name, explanation->name) == 0;
	kfuncs_release(&found);
	return is;
}

const char *explain_pointed_struct(const struct type_source *types, uint32_t ref)
{
	struct value_type type = value_type_of(types, ref);

	if (type.kind != BTF_PTR || !type.words)
		return "";
	type = value_type_of(types, type.words[BTF_WORD_TYPE]);
	return type.kind == BTF_STRUCT && type.words ? type_string(types, type.words[BTF_WORD_NAME])
						     : "";
}

/*
 * Kfuncs with KF_IMPLICIT_ARGS (since 7.0) get their last arguments from the verifier: the first of
 * these types, and what follows. resolve_btfids takes them out of the FUNC's prototype, and makes
 * a FUNC NAME_impl with all. So it is for 64 kfuncs of Debian's 7.2, and no other kfunc there has
 * such a parameter. The flag is of no use: it is not at the symbol of the function any more when
 * the ids have been sorted. fentry goes by the FUNC's prototype in 7.0 and 7.1, and has all in 7.2.
 */
uint32_t explain_count_implicit(const struct explanation *explanation)
{
	static const char *const structs[] = { "bpf_prog_aux", "btf_struct_meta" };
	const struct type_source *types = &explanation->types;
	const uint32_t *words = type_words_of(types, explanation->prototype_id, BTF_FUNC_PROTO);
	uint32_t count = btf_element_count(words);
	struct kernel_version version = explanation->image.version;

	if (version.major && version.major < 7)
		return 0;
	for (uint32_t i = 0; i < count; i++) {
		const char *name = explain_pointed_struct(types, btf_element(words, i)[1]);

		if (text_find_word(structs, 2, name, strlen(name)) < 2)
			return is_kfunc(explanation) ? count - i : 0;
	}
	return 0;
}

uint32_t explain_whole_prototype(const struct explanation *explanation, uint32_t prototype,
				 uint32_t *implicit)
{
	const struct type_source *types = &explanation->types;
	char *name = text_format("%s_impl", explanation->name);
	uint32_t whole = explain_find_function(explanation, name);
	const uint32_t *words = type_words_of(types, prototype, BTF_FUNC_PROTO);
	const uint32_t *all = type_words_of(types, whole, BTF_FUNC_PROTO);
	uint32_t count = btf_element_count(words);
	uint32_t all_count = btf_element_count(all);

	free(name);
	if (!words || all_count <= count || !is_kfunc(explanation) ||
	    memcmp(words + BTF_HEAD_WORDS, all + BTF_HEAD_WORDS, 8 * (size_t)count) != 0)
		return prototype;
	*implicit = all_count - count;
	return whole;
}

uint32_t explain_hidden(const struct explanation *explanation, uint32_t prototype)
{
	return prototype == explanation->prototype_id && !is_taken(explanation, IS_IMPLICIT)
		       ? explanation->implicit : 0;
}

struct argument_answer explain_argument_of(const struct explanation *explanation,
					   const struct probe_point *point, size_t i)
{
	const uint32_t *words =
		type_words_of(&explanation->types, point->prototype, BTF_FUNC_PROTO);
	uint32_t count = btf_element_count(words);

	if (i >= count)
		return (struct argument_answer){ ARGUMENT_UNKNOWN, NULL };
	if (i + explain_hidden(explanation, point->prototype) >= count)
		return apply_rule(explanation, IS_IMPLICIT);
	return explain_argument_by_type(explanation, btf_element(words, i)[1]);
}

void tracepoint_arguments(struct tracepoint *tracepoint, const struct explanation *explanation,
			  uint32_t prototype, uint32_t named)
{
	const struct type_source *types = &explanation->types;
	const uint32_t *words = type_words_of(types, prototype, BTF_FUNC_PROTO);
	const uint32_t *names = type_words_of(types, named, BTF_FUNC_PROTO);

	for (uint32_t i = 1; i < btf_element_count(words); i++) {
		uint32_t type = btf_element(words, i)[1];
		struct tracepoint_argument argument = {
			.name = names ? type_string(types, *btf_element(names, i)) : "",
			.value = explain_parameter_type(types, names ? names : words, i),
			.state = explain_argument_by_type(explanation, type) };

		if (argument.state.is == ARGUMENT_PLAIN &&
		    value_type_of(types, type).kind == BTF_PTR &&
		    text_ends_with(argument.name, "__nullable"))
			argument.state.is = ARGUMENT_NULL;
		array_push(&tracepoint->arguments, argument);
	}
}
