/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* C declarations: where each star, bracket and qualifier belongs, and the limits. */
#include "tests/cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "btf/dedup/c_declaration.h"

static struct node_table table;
static struct string_pool pool;
static uint32_t int_type, char_type;

static uint32_t name(const char *text)
{
	return string_pool_add(&pool, text).index;
}

static uint32_t reference(enum btf_kind kind, const char *text, uint32_t target)
{
	uint32_t words[] = { name(text), btf_info(kind, 0, false), target };

	return node_table_intern(&table, words, 0);
}

static uint32_t pointer(uint32_t target)
{
	return reference(BTF_PTR, "", target);
}

static uint32_t constant(uint32_t target)
{
	return reference(BTF_CONST, "", target);
}

static uint32_t integer(const char *text)
{
	uint32_t words[] = { name(text), btf_info(BTF_INT, 0, false), 4, 32 };

	return node_table_intern(&table, words, 0);
}

static uint32_t array(uint32_t element, uint32_t count)
{
	uint32_t words[] = { 0, btf_info(BTF_ARRAY, 0, false), 0, element, int_type, count };

	return node_table_intern(&table, words, 0);
}

static uint32_t record(enum btf_kind kind, const char *text)
{
	uint32_t words[] = { name(text), btf_info(kind, 0, false), 4 };

	return node_table_intern(&table, words, 0);
}

static uint32_t tag(enum btf_kind kind, const char *text)
{
	return ref_to_tag(node_table_tag(&table, kind, name(text), 0)).word;
}

struct parameter {
	const char *name;
	uint32_t type;
};

static uint32_t prototype(uint32_t result, uint32_t count, const struct parameter *parameters)
{
	uint32_t *words = memory_alloc((BTF_HEAD_WORDS + 2 * (size_t)count) * sizeof(*words));
	uint32_t node;

	words[BTF_WORD_NAME] = 0;
	words[BTF_WORD_INFO] = btf_info(BTF_FUNC_PROTO, count, false);
	words[BTF_WORD_TYPE] = result;
	for (uint32_t i = 0; i < count; i++) {
		words[BTF_HEAD_WORDS + 2 * i] = name(parameters[i].name);
		words[BTF_HEAD_WORDS + 2 * i + 1] = parameters[i].type;
	}
	node = node_table_intern(&table, words, 0);
	free(words);
	return node;
}

#define PROTOTYPE(result, ...)                                                                     \
	prototype(result, sizeof((struct parameter[]){ __VA_ARGS__ }) / sizeof(struct parameter),  \
		  (struct parameter[]){ __VA_ARGS__ })

static char *declaration(uint32_t what, const char *text)
{
	struct text out = { 0 };

	c_declaration_add(&out, &table, &pool, ref_of_word(what), text);
	return text_finish(&out);
}

static void expect(uint32_t what, const char *text, const char *wanted)
{
	char *printed = declaration(what, text);

	assert_string_equal(printed, wanted);
	free(printed);
}

static int setup(void **state)
{
	(void)state;
	node_table_init(&table);
	string_pool_init(&pool);
	int_type = integer("int");
	char_type = integer("char");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	node_table_release(&table);
	string_pool_release(&pool);
	return 0;
}

TEST_WITH(test_types, setup, teardown)
{
	expect(int_type, "a", "int a");
	expect(int_type, "", "int");
	expect(0, "", "void");
	expect(pointer(0), "p", "void *p");
	expect(pointer(pointer(int_type)), "p", "int **p");
	expect(tag(BTF_STRUCT, "sk_buff"), "s", "struct sk_buff s");
	expect(pointer(tag(BTF_UNION, "u")), "", "union u *");
	expect(tag(BTF_ENUM, "e"), "e", "enum e e");
	expect(record(BTF_STRUCT, ""), "s", "struct {...} s");
	expect(record(BTF_ENUM64, ""), "s", "enum {...} s");
	expect(reference(BTF_TYPEDEF, "u32", int_type), "a", "u32 a");
	expect(integer(""), "a", "? a");
	expect(integer("a\tb\n"), "c", "a?b? c");
}

TEST_WITH(test_qualifiers, setup, teardown)
{
	uint32_t user = reference(BTF_TYPE_TAG, "user", char_type);
	uint32_t space = node_table_intern(&table, (uint32_t[]){
		name("address_space(1)"), btf_info(BTF_TYPE_TAG, 0, true), user }, 0);

	expect(constant(int_type), "a", "const int a");
	expect(pointer(constant(int_type)), "p", "const int *p");
	expect(constant(pointer(int_type)), "p", "int *const p");
	expect(constant(pointer(constant(char_type))), "", "const char *const");
	expect(pointer(reference(BTF_VOLATILE, "", constant(int_type))), "p",
	       "volatile const int *p");
	expect(reference(BTF_RESTRICT, "", pointer(char_type)), "p", "char *restrict p");
	expect(pointer(constant(0)), "p", "const void *p");
	expect(pointer(user), "p", "char __user *p");
	expect(pointer(constant(user)), "p", "const char __user *p");
	expect(pointer(space), "p", "char __attribute__((address_space(1))) __user *p");
	expect(pointer(reference(BTF_TYPE_TAG, "rcu", pointer(int_type))), "p", "int *__rcu *p");
	/* A constant array is an array of constants. */
	expect(constant(array(int_type, 3)), "a", "const int a[3]");
	expect(constant(array(array(pointer(char_type), 3), 2)), "a", "char *const a[2][3]");
}

TEST_WITH(test_declarators, setup, teardown)
{
	uint32_t function = PROTOTYPE(int_type, { "a", int_type }, { "", pointer(char_type) });
	uint32_t variadic = PROTOTYPE(0, { "format", pointer(constant(char_type)) },
				       { "", 0 });

	expect(array(int_type, 4), "a", "int a[4]");
	expect(array(int_type, 0), "a", "int a[]");
	expect(array(array(int_type, 3), 2), "a", "int a[2][3]");
	expect(array(pointer(int_type), 2), "a", "int *a[2]");
	expect(pointer(array(int_type, 2)), "p", "int (*p)[2]");
	expect(prototype(0, 0, NULL), "f", "void f(void)");
	expect(function, "f", "int f(int a, char *)");
	expect(variadic, "f", "void f(const char *format, ...)");
	expect(pointer(function), "p", "int (*p)(int a, char *)");
	expect(pointer(function), "", "int (*)(int a, char *)");
	expect(pointer(pointer(function)), "p", "int (**p)(int a, char *)");
	expect(constant(pointer(function)), "p", "int (*const p)(int a, char *)");
	expect(array(pointer(function), 3), "p", "int (*p[3])(int a, char *)");
	/* signal(): takes a function and returns one. */
	expect(PROTOTYPE(pointer(variadic), { "number", int_type },
			 { "handler", pointer(variadic) }),
	       "signal", "void (*signal(int number, void (*handler)(const char *format, ...)))"
			 "(const char *format, ...)");
	/* A function that does not return is a volatile function in DWARF. */
	expect(pointer(reference(BTF_VOLATILE, "", function)), "p", "int (*p)(int a, char *)");
}

TEST_WITH(test_limits, setup, teardown)
{
	/* "int a, " has 7 bytes. */
	enum { ENOUGH = C_DECLARATION_MAX_BYTES / 8, TOO_MANY = C_DECLARATION_MAX_BYTES / 6 };
	struct parameter many[TOO_MANY];
	uint32_t deep = int_type, layers = int_type, wide;
	char *printed;

	for (int i = 0; i < C_DECLARATION_MAX_DEPTH + 3; i++)
		deep = PROTOTYPE(0, { "f", pointer(deep) });
	printed = declaration(deep, "deep");
	assert_non_null(strstr(printed, "(/* ... */)"));
	free(printed);

	for (int i = 0; i < C_DECLARATION_MAX_LAYERS - 1; i++)
		layers = pointer(layers);
	printed = declaration(layers, "p");
	assert_ptr_equal(strstr(printed, "int *"), printed);
	free(printed);
	printed = declaration(constant(array(pointer(pointer(layers)), 2)), "p");
	assert_ptr_equal(strstr(printed, "/* ... */ *"), printed);
	free(printed);

	for (size_t i = 0; i < sizeof(many) / sizeof(*many); i++)
		many[i] = (struct parameter){ "a", int_type };
	wide = prototype(0, ENOUGH, many);
	printed = declaration(wide, "wide");
	assert_null(strstr(printed, "..."));
	free(printed);
	wide = prototype(0, TOO_MANY, many);
	printed = declaration(wide, "wide");
	assert_non_null(strstr(printed, "int a " C_DECLARATION_CUT));
	free(printed);

	/* Each level doubles what would be printed; the whole stays small. */
	wide = int_type;
	for (int i = 0; i < C_DECLARATION_MAX_DEPTH; i++)
		wide = PROTOTYPE(0, { "a", pointer(wide) }, { "b", pointer(wide) });
	printed = declaration(wide, "wide");
	assert_true(strlen(printed) < C_DECLARATION_MAX_BYTES + 64);
	free(printed);
}

/* A damaged file may have one name that is as long as itself, and refer to it from everywhere. */
TEST_WITH(test_long_names, setup, teardown)
{
	enum { NAME_BYTES = C_DECLARATION_MAX_BYTES / 4 };
	char *long_name = memory_alloc(NAME_BYTES + 1), *printed;
	struct parameter many[100];

	memset(long_name, 'x', NAME_BYTES);
	long_name[NAME_BYTES] = '\0';
	for (size_t i = 0; i < sizeof(many) / sizeof(*many); i++)
		many[i] = (struct parameter){ "a", tag(BTF_STRUCT, long_name) };
	printed = declaration(prototype(0, 3, many), "f");
	assert_null(strstr(printed, C_DECLARATION_CUT));
	free(printed);
	printed = declaration(prototype(0, 100, many), "f");
	assert_non_null(strstr(printed, C_DECLARATION_CUT));
	assert_true(strlen(printed) < C_DECLARATION_MAX_BYTES + 2 * NAME_BYTES);
	free(printed);
	free(long_name);
}
