/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The unit reader: what the model holds after reading a unit. Each case is a unit and the model
 * printed as text: one line per type, function, variable and annotation.
 */
#include "tests/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/dwarf_reading.h"

enum { INT = 1, A, B, C, D, E };

static const char *const kinds[] = {
	"base", "pointer", "const", "volatile", "restrict", "atomic", "typedef",
	"struct", "union", "enum", "array", "subroutine", "unspecified",
	"bytes", "alias",
};

/* A reference is printed as the label at its target, as void, or as "?". */
static void print_reference(FILE *out, const struct dwarf_blob *b, uint32_t reference)
{
	for (uint32_t label = 1; label <= E; label++) {
		if (reference && b->labels[label] == reference) {
			fprintf(out, " @%u", label);
			return;
		}
	}
	fprintf(out, reference == REF_NONE ? " void" : " ?");
}

static void print_type(FILE *out, const struct dwarf_reading *r, const struct dwarf_blob *b,
		       const struct dwarf_type *type)
{
	const struct dwarf_model *model = &r->model;

	fprintf(out, "%s '%s' %llu", kinds[type->kind],
		name_table_text(&r->reader.names, type->name),
		(unsigned long long)type->size_bytes);
	print_reference(out, b, type->type);
	fprintf(out, "%s%s%s", type->flags & TYPE_DECLARATION ? " declaration" : "",
		type->flags & TYPE_VARIADIC ? " variadic" : "",
		type->flags & TYPE_NEGATIVE ? " negative" : "");
	for (uint32_t i = 0; i < type->count; i++) {
		const char *sign = i ? "," : ":";

		if (type->kind == DWARF_STRUCT || type->kind == DWARF_UNION) {
			const struct dwarf_member *m = &model->members.data[type->first + i];

			fprintf(out, "%s %s %u", sign, name_table_text(&r->reader.names, m->name),
				m->offset_bits);
			print_reference(out, b, m->type);
		} else if (type->kind == DWARF_ENUM) {
			const struct dwarf_enumerator *e =
				&model->enumerators.data[type->first + i];

			fprintf(out, "%s %s=%lld", sign, name_table_text(&r->reader.names, e->name),
				(long long)e->value);
		} else if (type->kind == DWARF_ARRAY) {
			fprintf(out, "%s %u", sign, model->dimensions.data[type->first + i]);
		} else {
			const struct dwarf_parameter *p = &model->parameters.data[type->first + i];

			fprintf(out, "%s %s", sign, name_table_text(&r->reader.names, p->name));
			print_reference(out, b, p->type);
		}
	}
	fprintf(out, "\n");
}

static void print_function(FILE *out, const struct dwarf_reading *r, const struct dwarf_blob *b,
			   const struct dwarf_function *function)
{
	const struct dwarf_model *model = &r->model;

	fprintf(out, "function '%s'", name_table_text(&r->reader.names, function->name));
	print_reference(out, b, function->type);
	fprintf(out, "%s%s%s", function->flags & FUNCTION_EXTERNAL ? " external" : "",
		function->flags & FUNCTION_DECLARATION ? " declaration" : "",
		function->flags & FUNCTION_VARIADIC ? " variadic" : "");
	for (uint32_t i = 0; i < function->parameter_count; i++) {
		const struct dwarf_parameter *p =
			&model->parameters.data[function->first_parameter + i];

		fprintf(out, ", %s", name_table_text(&r->reader.names, p->name));
		print_reference(out, b, p->type);
	}
	for (uint32_t i = 0; i < function->entry_count; i++)
		fprintf(out, " at 0x%llx",
			(unsigned long long)model->entries.data[function->first_entry + i]);
	fprintf(out, "\n");
}

static char *print_model(const struct dwarf_reading *r, const struct dwarf_blob *b)
{
	static const char *const owners[] = { "type", "function", "variable" };
	const struct dwarf_model *model = &r->model;
	size_t length;
	char *text;
	FILE *out = open_memstream(&text, &length);

	for (size_t i = 0; i < model->types.count; i++)
		print_type(out, r, b, &model->types.data[i]);
	for (size_t i = 0; i < model->functions.count; i++)
		print_function(out, r, b, &model->functions.data[i]);
	for (size_t i = 0; i < model->variables.count; i++) {
		const struct dwarf_variable *v = &model->variables.data[i];

		fprintf(out, "variable '%s'", name_table_text(&r->reader.names, v->name));
		print_reference(out, b, v->type);
		if (v->flags & VARIABLE_HAS_ADDRESS)
			fprintf(out, " at 0x%llx", (unsigned long long)v->address);
		fprintf(out, "\n");
	}
	for (size_t i = 0; i < model->annotations.count; i++) {
		const struct dwarf_annotation *a = &model->annotations.data[i];

		fprintf(out, "%s tag '%s' of %s %u, %d\n", a->is_type_tag ? "type" : "decl",
			name_table_text(&r->reader.names, a->value), owners[a->owner_kind],
			a->owner, a->component);
	}
	fclose(out);
	return text;
}

/* ---- cases ---- */

static void add_int(struct dwarf_blob *b)
{
	DIE(b, INT, DW_TAG_base_type, NAME("int"), SIZE(4), ENCODING(DW_ATE_signed));
}

#define INT_LINE "base 'int' 4 void\n"

static void nested_definitions(struct dwarf_blob *b)
{
	add_int(b);
	OPEN(b, A, DW_TAG_structure_type, NAME("outer"), SIZE(12));
	DIE(b, 0, DW_TAG_member, NAME("x"), TYPE(INT), AT(0));
	OPEN(b, B, DW_TAG_union_type, SIZE(4));
	DIE(b, 0, DW_TAG_member, NAME("u"), TYPE(INT));
	OPEN(b, C, DW_TAG_structure_type, NAME("deep"), SIZE(4));
	DIE(b, 0, DW_TAG_member, NAME("d"), TYPE(INT), AT(0));
	CLOSE(b);
	DIE(b, 0, DW_TAG_member, NAME("v"), TYPE(C));
	CLOSE(b);
	DIE(b, 0, DW_TAG_member, NAME("y"), TYPE(B), AT(4));
	DIE(b, 0, DW_TAG_member, NAME("z"), TYPE(INT), AT(8));
	CLOSE(b);
}

static void functions(struct dwarf_blob *b)
{
	add_int(b);
	OPEN(b, 0, DW_TAG_subprogram, NAME("f"), TYPE(INT), FLAG(DW_AT_external),
	     ATTR(DW_AT_low_pc, DW_FORM_addr, 0x1000));
	DIE(b, 0, DW_TAG_formal_parameter, NAME("a"), TYPE(INT));
	OPEN(b, 0, DW_TAG_lexical_block);
	OPEN(b, 0, DW_TAG_subprogram, NAME("inner"), FLAG(DW_AT_declaration));
	DIE(b, 0, DW_TAG_formal_parameter, NAME("i"), TYPE(INT));
	CLOSE(b);
	OPEN(b, A, DW_TAG_structure_type, NAME("local"), SIZE(4));
	DIE(b, 0, DW_TAG_member, NAME("m"), TYPE(INT), AT(0));
	CLOSE(b);
	DIE(b, 0, DW_TAG_variable, NAME("not_mine"), TYPE(INT));
	CLOSE(b);
	OPEN(b, 0, DW_TAG_inlined_subroutine);
	DIE(b, 0, DW_TAG_formal_parameter, NAME("inlined"), TYPE(INT));
	CLOSE(b);
	DIE(b, 0, DW_TAG_formal_parameter, NAME("b"), TYPE(A));
	DIE(b, 0, DW_TAG_unspecified_parameters);
	CLOSE(b);
}

static void variables(struct dwarf_blob *b)
{
	add_int(b);
	DIE(b, 0, DW_TAG_variable, NAME("at"), TYPE(INT),
	    BLOCK(DW_AT_location, DW_FORM_exprloc, "\x03\x10\x20\0\0\0\0\0\0"));
	DIE(b, 0, DW_TAG_variable, NAME("plus"), TYPE(INT),
	    BLOCK(DW_AT_location, DW_FORM_exprloc, "\x03\x10\x20\0\0\0\0\0\0\x23\1"));
	DIE(b, 0, DW_TAG_variable, NAME("value"), TYPE(INT),
	    BLOCK(DW_AT_location, DW_FORM_exprloc, "\x03\x10\x20\0\0\0\0\0\0\x9f"));
	DIE(b, 0, DW_TAG_variable, NAME("short"), TYPE(INT),
	    BLOCK(DW_AT_location, DW_FORM_exprloc, "\x03\x10"));
	DIE(b, 0, DW_TAG_variable, NAME("empty"), TYPE(INT),
	    BLOCK(DW_AT_location, DW_FORM_exprloc, ""));
	DIE(b, 0, DW_TAG_variable, NAME("list"), TYPE(INT),
	    ATTR(DW_AT_location, DW_FORM_sec_offset, UINT32_MAX));
}

static void others(struct dwarf_blob *b)
{
	add_int(b);
	OPEN(b, A, DW_TAG_array_type, TYPE(INT));
	DIE(b, 0, DW_TAG_subrange_type, ATTR(DW_AT_upper_bound, DW_FORM_data1, 1));
	DIE(b, 0, DW_TAG_subrange_type, ATTR(DW_AT_count, DW_FORM_data1, 0));
	CLOSE(b);
	OPEN(b, 0, DW_TAG_enumeration_type, NAME("e"), SIZE(4), TYPE(INT));
	DIE(b, 0, DW_TAG_enumerator, NAME("one"), ATTR(DW_AT_const_value, DW_FORM_data1, 1));
	DIE(b, 0, DW_TAG_enumerator, NAME("minus"), ATTR(DW_AT_const_value, DW_FORM_sdata, -1));
	CLOSE(b);
	OPEN(b, B, DW_TAG_subroutine_type);
	DIE(b, 0, DW_TAG_formal_parameter, TYPE(A));
	DIE(b, 0, DW_TAG_unspecified_parameters);
	CLOSE(b);
	DIE(b, 0, DW_TAG_structure_type, NAME("s"), FLAG(DW_AT_declaration));
	DIE(b, 0, 0x7fff, NAME("an unknown tag"));
	DIE(b, 0, DW_TAG_member, NAME("lost"), TYPE(INT));
	DIE(b, 0, DW_TAG_enumerator, NAME("lost"));
}

#define LLVM_TAG(name, value)                                                                      \
	DIE(b, 0, DW_TAG_LLVM_annotation, NAME(name),                                              \
	    STRING(DW_AT_const_value, DW_FORM_string, value))

static void llvm_annotations(struct dwarf_blob *b)
{
	add_int(b);
	OPEN(b, A, DW_TAG_pointer_type, TYPE(INT));
	LLVM_TAG("btf_type_tag", "first");
	LLVM_TAG("btf_type_tag", "second");
	LLVM_TAG("btf_decl_tag", "not of a pointer");
	CLOSE(b);
	OPEN(b, B, DW_TAG_structure_type, NAME("s"), SIZE(8));
	LLVM_TAG("btf_decl_tag", "struct");
	DIE(b, 0, DW_TAG_member, NAME("a"), TYPE(INT), AT(0));
	OPEN(b, 0, DW_TAG_member, NAME("b"), TYPE(INT), AT(4));
	LLVM_TAG("btf_decl_tag", "member");
	LLVM_TAG("something else", "ignored");
	DIE(b, 0, DW_TAG_LLVM_annotation, NAME("btf_decl_tag"),
	    ATTR(DW_AT_const_value, DW_FORM_data1, 1));
	CLOSE(b);
	CLOSE(b);
	OPEN(b, 0, DW_TAG_subprogram, NAME("f"));
	DIE(b, 0, DW_TAG_formal_parameter, NAME("p"), TYPE(INT));
	OPEN(b, 0, DW_TAG_formal_parameter, NAME("q"), TYPE(INT));
	LLVM_TAG("btf_decl_tag", "parameter");
	CLOSE(b);
	LLVM_TAG("btf_decl_tag", "function");
	CLOSE(b);
	OPEN(b, 0, DW_TAG_variable, NAME("v"), TYPE(INT));
	LLVM_TAG("btf_decl_tag", "variable");
	CLOSE(b);
}

#define CHAIN(label) REFERENCE(DW_AT_GNU_annotation_chain, DW_FORM_ref4, label)
#define GNU_TAG(label, name, value, ...)                                                           \
	DIE(b, label, DW_TAG_GNU_annotation_chain, NAME(name),                                     \
	    STRING(DW_AT_const_value, DW_FORM_string, value) __VA_OPT__(, ) __VA_ARGS__)

static void gnu_annotations(struct dwarf_blob *b)
{
	add_int(b);
	DIE(b, 0, DW_TAG_pointer_type, TYPE(INT), CHAIN(A));
	GNU_TAG(A, "btf_type_tag", "first", CHAIN(B));
	GNU_TAG(B, "btf_type_tag", "second");
	OPEN(b, 0, DW_TAG_structure_type, NAME("s"), SIZE(4), CHAIN(C));
	DIE(b, 0, DW_TAG_member, NAME("a"), TYPE(INT), AT(0), CHAIN(C));
	CLOSE(b);
	GNU_TAG(C, "btf_decl_tag", "shared");
	/* A loop: it ends. */
	DIE(b, 0, DW_TAG_variable, NAME("v"), TYPE(INT), CHAIN(D));
	GNU_TAG(D, "btf_type_tag", "of the wrong class", CHAIN(E));
	GNU_TAG(E, "btf_type_tag", "of the wrong class", CHAIN(D));
}

static const struct {
	void (*build)(struct dwarf_blob *b);
	const char *wanted;
} cases[] = {
	{ nested_definitions, INT_LINE
	  "struct 'outer' 12 void: x 0 @1, y 32 @3, z 64 @1\n"
	  "union '' 4 void: u 0 @1, v 0 @4\n"
	  "struct 'deep' 4 void: d 0 @1\n" },
	{ functions, INT_LINE
	  "struct 'local' 4 void: m 0 @1\n"
	  "function 'f' @1 external variadic, a @1, b @2 at 0x1000\n"
	  "function 'inner' void declaration, i @1\n" },
	{ variables, INT_LINE
	  "variable 'at' @1 at 0x2010\n"
	  "variable 'plus' @1 at 0x2011\n"
	  "variable 'value' @1\n"
	  "variable 'short' @1\n"
	  "variable 'empty' @1\n"
	  "variable 'list' @1\n" },
	{ others, INT_LINE
	  "array '' 0 @1: 2, 0\n"
	  "enum 'e' 4 @1 negative: one=1, minus=-1\n"
	  "subroutine '' 0 void variadic:  @2\n"
	  "struct 's' 0 void declaration\n"
	  "bytes 'an unknown tag' 0 void\n" },
	{ llvm_annotations, INT_LINE
	  "pointer '' 0 @1\n"
	  "struct 's' 8 void: a 0 @1, b 32 @1\n"
	  "function 'f' void, p @1, q @1\n"
	  "variable 'v' @1\n"
	  "type tag 'second' of type 1, -1\n"
	  "type tag 'first' of type 1, -1\n"
	  "decl tag 'struct' of type 2, -1\n"
	  "decl tag 'member' of type 2, 1\n"
	  "decl tag 'parameter' of function 0, 1\n"
	  "decl tag 'function' of function 0, -1\n"
	  "decl tag 'variable' of variable 0, -1\n" },
	{ gnu_annotations, INT_LINE
	  "pointer '' 0 @1\n"
	  "struct 's' 4 void: a 0 @1\n"
	  "variable 'v' @1\n"
	  "type tag 'first' of type 1, -1\n"
	  "type tag 'second' of type 1, -1\n"
	  "decl tag 'shared' of type 2, -1\n"
	  "decl tag 'shared' of type 2, 0\n" },
};

TEST(test_cases)
{
	for (size_t i = 0; i < LENGTH(cases); i++) {
		for (int end = 0; end < 2; end++) {
			struct dwarf_reading r;
			struct dwarf_blob b;
			char *text;

			dwarf_blob_init(&b);
			b.big_endian = false;
			dwarf_blob_unit(&b, 5);
			cases[i].build(&b);
			/* The last null entry may be missing. */
			if (end)
				dwarf_blob_end_unit(&b);
			else
				dwarf_blob_finish_unit(&b);
			assert_true(dwarf_reading_open(&r, &b));
			if (!dwarf_reading_model(&r))
				fail_msg("%s", r.err.text);
			text = print_model(&r, &b);
			assert_string_equal(text, cases[i].wanted);
			free(text);
			dwarf_reading_end(&r, &b);
		}
	}
}

TEST(test_depth)
{
	for (int depth = UNIT_MAX_DEPTH - 2; depth <= UNIT_MAX_DEPTH; depth++) {
		struct dwarf_reading r;
		struct dwarf_blob b;

		dwarf_blob_init(&b);
		dwarf_blob_unit(&b, 5);
		for (int i = 0; i < depth; i++)
			OPEN(&b, 0, DW_TAG_lexical_block);
		for (int i = 0; i < depth; i++)
			CLOSE(&b);
		dwarf_blob_end_unit(&b);
		assert_true(dwarf_reading_open(&r, &b));
		assert_int_equal(dwarf_reading_model(&r), depth <= UNIT_MAX_DEPTH - 2);
		dwarf_reading_end(&r, &b);
	}
}

TEST(test_no_unit_die)
{
	struct dwarf_reading r;
	struct dwarf_blob b;

	dwarf_blob_init(&b);
	dwarf_blob_header(&b, 5, DW_UT_compile, 0, 0);
	DIE(&b, 0, DW_TAG_base_type, NAME("int"));
	dwarf_blob_finish_unit(&b);
	assert_true(dwarf_reading_open(&r, &b));
	assert_false(dwarf_reading_model(&r));
	assert_string_equal(
		dwarf_reading_error(&r),
		"unit 0x0, DIE 0xc: its first DIE has tag 0x24, which is not a unit; the file "
		"is damaged, or newer than this program");
	dwarf_reading_end(&r, &b);
}
