/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Layouts of types compared: each kind of line, and what looks similar and is not a difference.
 * Each pair is compared with its ids in either order, and each side with itself.
 *
 * Types are written as words, one definition up to each semicolon; a type is referred to by its
 * label, which is its name but for `#x`, which has none, and `s'2`, which is another `s`:
 *
 *	int unsigned_int 4		struct s 8 int.a@0 int.b@4:3	(3 bits, at bit 4)
 *	ptr P int			union #u 4 int.@0
 *	array A int 4			enum e 4 A=0 B=-1	(enum64; senum, senum64: signed)
 *	typedef t int			proto F void int.a
 *	fwd s (ufwd)			tag T user int
 */
#include "tests/cmocka_all.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/diff/diff_types.h"
#include "tests/btf_blob.h"

/* ---- types from words ---- */

#define MAX_TYPES 4096

/* The words of each test follow it. */
#define BASIC "int int 4;int unsigned_int 4;int long_int 8;int char 1;ptr P int;ptr V void;"

struct written {
	char *text;
	char *definitions[MAX_TYPES];
	uint32_t count;
	uint32_t first_id;
	uint32_t first_string;
	const struct written *base;
	ARRAY_OF(uint32_t) words;
	ARRAY_OF(char) strings;
};

static bool has_label(const char *definition, const char *label, size_t length)
{
	const char *own = strchr(definition, ' ') + 1;

	return strncmp(own, label, length) == 0 && (own[length] == ' ' || own[length] == '\0');
}

/* A word that is not a label is an id. */
static uint32_t id_of(const struct written *w, const char *label, size_t length)
{
	for (const struct written *at = w; at; at = at->base) {
		for (uint32_t i = 0; i < at->count; i++) {
			if (has_label(at->definitions[i], label, length))
				return at->first_id + i;
		}
	}
	return (uint32_t)atoi(label);
}

static uint32_t string_of(struct written *w, const char *name, size_t length)
{
	uint32_t at = w->first_string + (uint32_t)w->strings.count;

	if (!length || *name == '#')
		return 0;
	for (size_t i = 0; i < length && name[i] != '\''; i++)
		array_push(&w->strings, name[i] == '_' && name[i + 1] != '_' ? ' ' : name[i]);
	array_push(&w->strings, '\0');
	return at;
}

static void push(struct written *w, uint32_t word)
{
	array_push(&w->words, word);
}

/* "int.a@4:3" */
static void write_member(struct written *w, const char *token, bool kind_flag)
{
	const char *dot = strchr(token, '.'), *at = strchr(dot, '@'), *colon = strchr(dot, ':');
	uint32_t offset = (uint32_t)atoi(at + 1) * (colon ? 1 : 8);

	push(w, string_of(w, dot + 1, (size_t)(at - dot - 1)));
	push(w, id_of(w, token, (size_t)(dot - token)));
	push(w, kind_flag && colon ? (uint32_t)atoi(colon + 1) << 24 | offset : offset);
}

static void write_parameter(struct written *w, const char *token)
{
	const char *dot = strchr(token, '.');

	push(w, string_of(w, dot + 1, strlen(dot + 1)));
	push(w, id_of(w, token, (size_t)(dot - token)));
}

static void write_value(struct written *w, const char *token, bool is_wide)
{
	const char *equals = strchr(token, '=');
	uint64_t value = (uint64_t)strtoll(equals + 1, NULL, 0);

	push(w, string_of(w, token, (size_t)(equals - token)));
	push(w, (uint32_t)value);
	if (is_wide)
		push(w, (uint32_t)(value >> 32));
}

static const struct {
	const char *word;
	enum btf_kind kind;
	bool kind_flag;
	bool has_name;
} forms[] = {
	{ "int", BTF_INT, false, true },	{ "ptr", BTF_PTR, false, false },
	{ "array", BTF_ARRAY, false, false },	{ "struct", BTF_STRUCT, false, true },
	{ "union", BTF_UNION, false, true },	{ "enum", BTF_ENUM, false, true },
	{ "senum", BTF_ENUM, true, true },	{ "enum64", BTF_ENUM64, false, true },
	{ "senum64", BTF_ENUM64, true, true },	{ "fwd", BTF_FWD, false, true },
	{ "ufwd", BTF_FWD, true, true },	{ "typedef", BTF_TYPEDEF, false, true },
	{ "const", BTF_CONST, false, false },	{ "volatile", BTF_VOLATILE, false, false },
	{ "proto", BTF_FUNC_PROTO, false, false }, { "tag", BTF_TYPE_TAG, false, false },
	{ "float", BTF_FLOAT, false, true },
};

static size_t form_of(const char *word)
{
	for (size_t i = 0; i < LENGTH(forms); i++) {
		if (strcmp(forms[i].word, word) == 0)
			return i;
	}
	fail_msg("no form of a type: %s", word);
	return 0;
}

static void write_type(struct written *w, const char *definition)
{
	char *copy = memory_string(definition, strlen(definition)), *rest;
	const char *word = strtok_r(copy, " ", &rest), *label = strtok_r(NULL, " ", &rest);
	const char *token;
	bool kind_flag = strchr(definition, ':');
	size_t form = form_of(word), head = w->words.count;
	uint32_t vlen = 0;

	push(w, forms[form].has_name ? string_of(w, label, strlen(label)) : 0);
	push(w, 0);
	token = strtok_r(NULL, " ", &rest);
	if (forms[form].kind == BTF_TYPE_TAG) {
		w->words.data[head] = string_of(w, token, strlen(token));
		token = strtok_r(NULL, " ", &rest);
	}
	if (forms[form].kind == BTF_ARRAY || !token)
		push(w, 0);
	else if (forms[form].kind == BTF_FWD || btf_kinds[forms[form].kind].has_size)
		push(w, (uint32_t)atoi(token));
	else
		push(w, id_of(w, token, strlen(token)));
	if (forms[form].kind == BTF_ARRAY) {
		push(w, id_of(w, token, strlen(token)));
		push(w, 1);
		push(w, (uint32_t)atoi(strtok_r(NULL, " ", &rest)));
	} else if (forms[form].kind == BTF_INT) {
		const char *bits = strtok_r(NULL, " ", &rest);

		push(w, bits ? (uint32_t)atoi(bits) : (uint32_t)atoi(token) * 8);
	} else {
		for (; (token = strtok_r(NULL, " ", &rest)); vlen++) {
			if (forms[form].kind == BTF_STRUCT || forms[form].kind == BTF_UNION)
				write_member(w, token, kind_flag);
			else if (forms[form].kind == BTF_FUNC_PROTO)
				write_parameter(w, token);
			else
				write_value(w, token, forms[form].kind == BTF_ENUM64);
		}
	}
	if (forms[form].kind == BTF_STRUCT || forms[form].kind == BTF_UNION)
		w->words.data[head + 1] = btf_info(forms[form].kind, vlen, kind_flag);
	else
		w->words.data[head + 1] = btf_info(forms[form].kind, vlen, forms[form].kind_flag);
	free(copy);
}

struct opened {
	struct written written;
	struct btf_blob blob;
	struct btf_reader btf;
};

static void open_text(struct opened *o, const char *text, bool reversed,
		      const struct opened *base)
{
	struct written *w = &o->written;
	char *rest;

	memset(o, 0, sizeof(*o));
	w->first_id = 1;
	if (base) {
		w->base = &base->written;
		w->first_id = btf_reader_end_id(&base->btf);
		w->first_string = btf_reader_end_string(&base->btf);
	}
	w->text = memory_string(text, strlen(text));
	for (char *at = strtok_r(w->text, ";", &rest); at; at = strtok_r(NULL, ";", &rest)) {
		assert_true(w->count < MAX_TYPES);
		w->definitions[w->count++] = at;
	}
	for (uint32_t i = 0; reversed && i < w->count / 2; i++) {
		char *kept = w->definitions[i];

		w->definitions[i] = w->definitions[w->count - 1 - i];
		w->definitions[w->count - 1 - i] = kept;
	}
	array_push(&w->strings, '\0');
	for (uint32_t i = 0; i < w->count; i++)
		write_type(w, w->definitions[i]);
	o->blob = btf_blob_make(w->words.data, w->words.count, w->strings.data, w->strings.count);
	btf_open(&o->btf, o->blob.data, o->blob.bytes, base ? &base->btf : NULL);
	assert_true(o->btf.complete);
}

static void close_text(struct opened *o)
{
	btf_reader_release(&o->btf);
	btf_blob_release(&o->blob);
	array_release(&o->written.words);
	array_release(&o->written.strings);
	free(o->written.text);
}

/* ---- differences as text ---- */

static char *diff_text(const struct btf_reader *old, const struct btf_reader *new)
{
	/* Not on the stack: GCC takes what strstr() finds in the text for a pointer to this. */
	static char *text;
	static size_t bytes;
	static const struct {
		enum diff_class class;
		char mark;
	} kinds[] = { { DIFF_TYPE_GONE, '-' }, { DIFF_TYPE_CHANGED, '~' }, { DIFF_TYPE_NEW, '+' } };
	struct type_diff diff = { 0 };
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	type_diff_add(&diff, NULL, old, 0, new, 0);
	type_diff_finish(&diff);
	for (size_t i = 0; i < LENGTH(kinds) * diff.changes.count; i++) {
		const struct type_change *change = &diff.changes.data[i % diff.changes.count];

		if (change->class != kinds[i / diff.changes.count].class)
			continue;
		fprintf(out, "%c%s %s\n", kinds[i / diff.changes.count].mark, change->keyword,
			change->name);
		assert_true(change->class == DIFF_TYPE_CHANGED ? change->details.count
							       : !change->details.count);
		for (size_t j = 0; j < change->details.count; j++)
			fprintf(out, "%s\n", change->details.data[j]);
	}
	if (diff.incomplete)
		fputs("incomplete\n", out);
	type_diff_release(&diff);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void expect_readers(const struct btf_reader *old, const struct btf_reader *new,
			   const char *expected)
{
	char *text = diff_text(old, new);

	assert_string_equal(text, expected);
	free(text);
}

static void expect(const char *old_text, const char *new_text, const char *expected)
{
	static struct opened old, new, other;

	for (unsigned order = 0; order < 4; order++) {
		open_text(&old, old_text, order & 1, NULL);
		open_text(&new, new_text, order & 2, NULL);
		expect_readers(&old.btf, &new.btf, expected);
		open_text(&other, old_text, !(order & 1), NULL);
		expect_readers(&old.btf, &other.btf, "");
		close_text(&other);
		open_text(&other, new_text, !(order & 2), NULL);
		expect_readers(&other.btf, &new.btf, "");
		close_text(&other);
		close_text(&old);
		close_text(&new);
	}
}

/* Compares a struct `s` that has 32 bytes on both sides. */
static void expect_s(const char *old_members, const char *new_members, const char *expected)
{
	char old[4096], new[4096], text[4096];

	snprintf(old, sizeof(old), BASIC "%s", old_members);
	snprintf(new, sizeof(new), BASIC "%s", new_members);
	snprintf(text, sizeof(text), "%s%s", *expected ? "~struct s\n" : "", expected);
	expect(old, new, text);
}

/* ---- which names ---- */

TEST(test_names)
{
	expect(BASIC, BASIC, "");
	expect(BASIC "struct b 4 int.x@0;struct a 8;union c 2;enum b 4 A=1;enum64 z 8 B=1",
	       BASIC "struct b 4 int.x@0;struct d 4;union a 8;struct n 4;enum c 4 C=0;union b 8",
	       "-struct a\n"
	       "-enum b\n"
	       "-union c\n"
	       "-enum z\n"
	       "+union a\n"
	       "+union b\n"
	       "+enum c\n"
	       "+struct d\n"
	       "+struct n\n");
	/* Declarations, types without a name and other kinds do not count. */
	expect(BASIC "fwd f;struct #x 4 int.a@0;int i 4;typedef t int;enum #e 4 A=1",
	       BASIC "ufwd g;union #y 4 int.a@0;int j 4;typedef u int;float h 4",
	       "-typedef t\n+typedef u\n");
	expect(BASIC "fwd f", BASIC "struct f 4", "+struct f\n");
}

TEST(test_compared)
{
	static struct opened old, new;
	struct type_diff diff = { 0 };

	open_text(&old, "struct a 4;union a 4;enum b 4;struct c 4;struct c'2 8", false, NULL);
	open_text(&new, "struct a 8;struct b 4;enum64 b 4;struct c 4", false, NULL);
	type_diff_add(&diff, NULL, &old.btf, 0, &new.btf, 0);
	type_diff_finish(&diff);
	assert_int_equal(diff.compared, 3);
	type_diff_release(&diff);
	assert_int_equal(diff.changes.count, 0);
	type_diff_release(&diff);
	close_text(&old);
	close_text(&new);
}

/* ---- members ---- */

TEST(test_members)
{
	expect(BASIC "struct s 4 int.a@0", BASIC "struct s 8 int.a@0",
	       "~struct s\nsize 4 -> 8\n");
	expect(BASIC "struct s 4 int.a@0", BASIC "struct s 16 int.a@0 P.p@8",
	       "~struct s\nsize 4 -> 16\n+ int *p at 8, 8 bytes\n");
	expect(BASIC "union u 4 int.a@0 char.b@0", BASIC "union u 4 int.a@0",
	       "~union u\n- char b at 0, 1 byte\n");
	expect_s("struct s 32 int.a@0 int.b@4 int.c@8", "struct s 32 int.a@0 int.x@4 int.c@8",
		 "- int b at 4, 4 bytes\n+ int x at 4, 4 bytes\n");
	expect_s("struct s 32 int.a@0 int.b@4", "struct s 32 int.b@4",
		 "- int a at 0, 4 bytes\n");
	/* The order of records alone is nothing. */
	expect_s("struct s 32 int.a@0 int.b@4 char.c@0", "struct s 32 int.a@0 char.c@0 int.b@4",
		 "");
}

TEST(test_moves)
{
	expect_s("struct s 32 int.a@0 int.b@8 int.c@24", "struct s 32 int.a@0 int.b@16 int.c@24",
		 "b moved 8 -> 16\n");
	expect_s("struct s 32 int.a@0 int.b@4 int.c@8 int.d@12",
		 "struct s 32 int.x@0 int.a@4 int.b@8 int.c@12 int.d@20",
		 "+ int x at 0, 4 bytes\na .. c (3 members) moved by +4\nd moved 12 -> 20\n");
	expect_s("struct s 32 int.x@0 int.a@4 int.b@8", "struct s 32 int.a@0 int.b@4",
		 "- int x at 0, 4 bytes\na .. b (2 members) moved by -4\n");
	/* A member that stays, comes, goes or changes in between ends a run. */
	expect_s("struct s 32 int.a@0 int.b@4 int.c@16 int.d@20 int.g@24",
		 "struct s 32 int.a@4 int.b@8 int.c@16 int.d@24 int.x@0 int.g@28",
		 "a .. b (2 members) moved by +4\nd moved 20 -> 24\n+ int x at 0, 4 bytes\n"
		 "g moved 24 -> 28\n");
	expect_s("struct s 32 int.a@0 char.x@4 int.b@8 int.c@12 int.d@16",
		 "struct s 32 int.a@4 int.b@12 unsigned_int.c@16 int.d@20",
		 "a moved 0 -> 4\n- char x at 4, 1 byte\nb moved 8 -> 12\n"
		 "c: int -> unsigned int, moved 12 -> 16\nd moved 16 -> 20\n");
}

#define RESHAPED " (the same elements; CO-RE matches only one shape)"

TEST(test_sizes_and_types)
{
	expect_s("struct s 32 int.a@0", "struct s 32 long_int.a@0", "a resized 4 -> 8 bytes\n");
	expect_s("struct s 32 int.a@0", "struct s 32 char.a@8",
		 "a resized 4 -> 1 byte, moved 0 -> 8\n");
	expect_s("struct s 32 int.a@0", "struct s 32 unsigned_int.a@0",
		 "a: int -> unsigned int\n");
	expect_s("array A int 2;struct s 32 A.a@0", "array A int 3;struct s 32 A.a@0",
		 "a resized 8 -> 12 bytes\n");
	expect_s("array A int 0;struct s 32 int.n@0",
		 "array A int 0;struct s 32 int.n@0 A.a@4", "+ int a[] at 4, 0 bytes\n");
	expect_s("array B int 2;array A B 3;struct s 32 A.a@0",
		 "array B int 3;array A B 2;struct s 32 A.a@0",
		 "a: int[3][2] -> int[2][3]" RESHAPED "\n");
	expect_s("array A int 6;struct s 32 A.a@0",
		 "array B int 3;array A B 2;struct s 32 A.a@4",
		 "a: int[6] -> int[2][3]" RESHAPED ", moved 0 -> 4\n");
	expect_s("array A int 6;struct s 32 A.a@0",
		 "array B unsigned_int 3;array A B 2;struct s 32 A.a@0",
		 "a: int[6] -> unsigned int[2][3]\n");
	expect_s("array A int 6;ptr Q A;struct s 32 Q.a@0",
		 "array B int 3;array A B 2;ptr Q A;struct s 32 Q.a@0",
		 "a: int (*)[6] -> int (*)[2][3]" RESHAPED "\n");
	expect_s("array A int 6;ptr Q A;proto F void Q.p;ptr R F;struct s 32 R.a@0",
		 "array B int 3;array A B 2;ptr Q A;proto F void Q.p;ptr R F;struct s 32 R.a@0",
		 "a: void (*)(int (*p)[6]) -> void (*)(int (*p)[2][3])" RESHAPED "\n");
	expect_s("array A int 6;ptr Q A;struct s 32 Q.a@0",
		 "array B int 4;array A B 2;ptr Q A;struct s 32 Q.a@0",
		 "a: int (*)[6] -> int (*)[2][4]\n");
	expect_s("struct s 32 P.a@0", "struct s 32 V.a@0", "a: int * -> void *\n");
	expect_s("struct s 32 P.a@0", "struct s 32 long_int.a@0", "a: int * -> long\n");
	expect_s("const C int;ptr Q C;struct s 32 Q.a@0", "struct s 32 P.a@0",
		 "a: const int * -> int *\n");
	/* Tags are not layout, and only clang has them. */
	expect_s("tag T user int;ptr Q T;struct s 32 Q.a@0", "struct s 32 P.a@0", "");
	expect_s("typedef t int;typedef u int;struct s 32 t.a@0",
		 "typedef t int;typedef u int;struct s 32 u.a@0", "a: t -> u\n");
	expect_s("proto F void int.a;ptr Q F;struct s 32 Q.a@0",
		 "proto F void char.a;ptr Q F;struct s 32 Q.a@0",
		 "a: void (*)(int a) -> void (*)(char a)\n");
	expect_s("proto F void int.a;ptr Q F;struct s 32 Q.a@0",
		 "proto F void int.a int.b;ptr Q F;struct s 32 Q.a@0",
		 "a: void (*)(int a) -> void (*)(int a, int b)\n");
	expect_s("fwd x;ptr Q x;struct s 32 Q.a@0", "ufwd y;ptr Q y;struct s 32 Q.a@0",
		 "a: struct x * -> union y *\n");
}

/* The same types, written in another way. */
TEST(test_same_types)
{
	static const char *const pairs[][2] = {
		{ "proto F void int.a;ptr Q F;struct s 32 Q.a@0",
		  "proto F void int.b;ptr Q F;struct s 32 Q.a@0" },
		{ "struct s 32 long_int.a@0", "int long 8;struct s 32 long.a@0" },
		{ "int long_unsigned_int 8;ptr Q long_unsigned_int;struct s 32 Q.a@0",
		  "int unsigned_long 8;ptr Q unsigned_long;struct s 32 Q.a@0" },
		{ "fwd x;ptr Q x;struct s 32 Q.a@0;struct x'2 4",
		  "struct x 4;ptr Q x;struct s 32 Q.a@0" },
		{ "const C int;array A C 2;const D A;struct s 32 D.a@0",
		  "const C int;array A C 2;struct s 32 A.a@0" },
		{ "const C int;array A C 2;struct s 32 A.a@0",
		  "array A int 2;const D A;struct s 32 D.a@0" },
		{ "const C int;volatile D C;struct s 32 D.a@0",
		  "volatile C int;const D C;struct s 32 D.a@0" },
		{ "fwd x;ptr R x;proto F void R.a;ptr Q F;struct s 32 Q.a@0;struct x'2 4",
		  "struct x 4;ptr R x;proto F void R.b;ptr Q F;struct s 32 Q.a@0" },
		{ "enum x 4 A=1;proto F void x.a;ptr Q F;struct s 32 Q.a@0",
		  "enum64 x 4 A=1;proto F void x.b;ptr Q F;struct s 32 Q.a@0" },
		{ "struct s 32 999.a@0", "struct s 32 998.a@0" },
	};

	for (size_t i = 0; i < LENGTH(pairs); i++)
		expect_s(pairs[i][0], pairs[i][1], "");
}

/* An inner type is compared under its own name. */
TEST(test_inner_types)
{
	expect(BASIC "struct i 8 int.a@0 int.b@4;struct s 8 i.x@0;typedef t i;struct v 8 t.x@0",
	       BASIC "struct i 8 int.b@0 int.a@4;struct s 8 i.x@0;typedef t i;struct v 8 t.x@0",
	       "~struct i\nb moved 4 -> 0\na moved 0 -> 4\n");
	expect(BASIC "struct i 4 int.a@0;struct s 32 i.x@0",
	       BASIC "struct i 8 int.a@0;struct s 32 i.x@0",
	       "~struct i\nsize 4 -> 8\n~struct s\nx resized 4 -> 8 bytes\n");
}

TEST(test_bitfields)
{
	expect_s("struct s 32 int.a@0:3 int.b@3:5", "struct s 32 int.a@0:3 int.b@3:5", "");
	expect_s("struct s 32 int.a@0:3 int.b@3:5", "struct s 32 int.a@0:4 int.b@4:5",
		 "a resized 3 -> 4 bits\nb moved 0:3 -> 0:4\n");
	expect_s("struct s 32 int.a@0:3", "struct s 32 int.a@0:3 int.b@131:1 int.c@136:8",
		 "+ int b at 16:3, 1 bit\n+ int c at 17, 8 bits\n");
	expect_s("struct s 32 int.a@0:3 int.b@3:5", "struct s 32 int.a@1:3 int.b@4:5",
		 "a .. b (2 members) moved by +0:1\n");
	expect_s("struct s 32 int.a@9:3 int.b@12:5", "struct s 32 int.a@0:3 int.b@3:5",
		 "a .. b (2 members) moved by -1:1\n");
	expect_s("struct s 32 int.a@0:3", "struct s 32 int.a@0",
		 "a resized 3 bits -> 4 bytes\n");
	expect_s("struct s 32 int.a@0:3", "struct s 32 unsigned_int.a@0:3",
		 "a: int -> unsigned int\n");
	/* As old compilers wrote them: INTs of 3 bits at bit 2 (0x20003). */
	expect_s("int int'b 4 131075;struct s 32 int'b.a@4", "struct s 32 int.a@34:3", "");
	expect_s("int int'b 4 131075;struct s 32 int'b.a@4", "struct s 32 int.a@35:3",
		 "a moved 4:2 -> 4:3\n");
}

/* ---- containers without a name ---- */

TEST(test_containers)
{
	/* Without a name: as if there were none. */
	expect_s("union #u 8 int.b@0 int.c@0;struct s 32 int.a@0 #u.@8",
		 "struct s 32 int.a@0 int.b@8 int.c@8", "");
	expect_s("union #u 8 int.b@0 int.c@4;struct #t 8 #u.@0;struct s 32 int.a@0 #t.@8",
		 "union #u 8 int.b@0 int.c@8;struct s 32 int.a@0 #u.@12",
		 "b moved 8 -> 12\nc moved 12 -> 20\n");
	/* Even if the type has one. */
	expect_s("struct t 8 int.b@0;typedef y t;struct s 32 y.@8",
		 "struct t 8 int.b@0;typedef y t;struct s 32 int.b@8", "");
	/* With a name: its path. */
	expect_s("struct #t 8 int.a@0 int.b@4;struct s 32 #t.t@8",
		 "struct #t 8 int.a@0 char.c@4;struct s 32 #t.t@8",
		 "- int t.b at 12, 4 bytes\n+ char t.c at 12, 1 byte\n");
	expect_s("struct #i 8 int.a@0;union #t 8 #i.i@0 int.b@0;struct s 32 #t.t@8 int.a@0",
		 "struct #i 8 int.a@4;union #t 8 #i.i@0 int.b@0;struct s 32 #t.t@8 int.a@0",
		 "t.i.a moved 8 -> 12\n");
	expect_s("struct #t 8 int.a@0;struct s 32 #t.t@0 #t.u@8",
		 "struct #t 8 int.a@0;struct s 32 #t.v@0 #t.u@8",
		 "- int t.a at 0, 4 bytes\n+ int v.a at 0, 4 bytes\n");
	expect_s("struct #t 8 int.a@0;const C #t;struct s 32 C.t@8",
		 "struct #t 8 int.a@4;struct s 32 #t.t@8", "t.a moved 8 -> 12\n");
	expect_s("struct #t 8 int.a@0;struct s 32 #t.t@8", "struct s 32 int.t@8",
		 "- int t.a at 8, 4 bytes\n+ int t at 8, 4 bytes\n");
	/* Empty ones are members; what has a name is one, too, and so is an array. */
	expect_s("struct #t 0;struct s 32 int.a@0", "struct #t 0;struct s 32 #t.t@0 int.a@0 #t.@4",
		 "+ struct {...} t at 0, 0 bytes\n+ struct {...} at 4, 0 bytes\n");
	/* The first element of an array, and the array. */
	expect_s("struct #t 8 int.a@0 int.b@4;array A #t 2;struct s 32 A.a@8",
		 "struct #t 8 int.b@0 int.a@4;array A #t 2;struct s 32 A.a@8",
		 "a[].b moved 12 -> 8\na[].a moved 8 -> 12\n");
	expect_s("struct #t 8 int.a@0;array A #t 2;array B A 3;struct s 32 B.a@8",
		 "struct #t 8 int.a@0;array A #t 2;array B A 2;struct s 32 B.a@8",
		 "a resized 48 -> 32 bytes\n");
	/* A run goes through them. */
	expect_s("struct #t 8 int.b@0 int.c@4;struct s 32 int.a@0 #t.t@4",
		 "struct #t 8 int.b@0 int.c@4;struct s 32 int.a@8 #t.t@12",
		 "a .. t.c (3 members) moved by +8\n");
}

/* ---- typedefs ---- */

TEST(test_typedefs)
{
	/* A type whose only name is the typedef. */
	expect(BASIC "struct #t 8 int.a@0 int.b@4;typedef y #t",
	       BASIC "struct #t 8 int.b@0 int.a@4;typedef y #t",
	       "~typedef y\nb moved 4 -> 0\na moved 0 -> 4\n");
	expect(BASIC "struct #t 8 int.a@0;const C #t;typedef y C",
	       BASIC "struct #t 12 int.a@0 int.b@8;const C #t;typedef y C",
	       "~typedef y\nsize 8 -> 12\n+ int b at 8, 4 bytes\n");
	expect(BASIC "enum #e 4 A=1;typedef y #e", BASIC "enum #e 4 A=2;typedef y #e",
	       "~typedef y\nA 1 -> 2\n");
	/* A type with a name is reported under that. */
	expect(BASIC "struct t 8 int.a@0;typedef y t", BASIC "struct t 8 int.b@0;typedef y t",
	       "~struct t\n- int a at 0, 4 bytes\n+ int b at 0, 4 bytes\n");
	/* All else by its text. */
	expect(BASIC "typedef y int", BASIC "typedef y char",
	       "~typedef y\nsize 4 -> 1\nint -> char\n");
	expect(BASIC "array A int 6;typedef y A", BASIC "array B int 3;array A B 2;typedef y A",
	       "~typedef y\nint[6] -> int[2][3]" RESHAPED "\n");
	expect(BASIC "typedef y int;typedef z y", BASIC "typedef y int;typedef z int",
	       "~typedef z\ny -> int\n");
	expect(BASIC "struct t 4 int.a@0;struct u 4 int.a@0;typedef y t",
	       BASIC "struct t 4 int.a@0;struct u 4 int.a@0;typedef y u",
	       "~typedef y\nstruct t -> struct u\n");
	expect(BASIC "proto F void int.a;ptr G F;typedef y G",
	       BASIC "proto F void char.a;ptr G F;typedef y G",
	       "~typedef y\nvoid (*)(int a) -> void (*)(char a)\n");
	/* From one kind to another. */
	expect(BASIC "struct #t 4 int.a@0;typedef y #t", BASIC "typedef y int",
	       "~typedef y\nstruct {...} -> int\n");
	expect(BASIC "struct #t 4 int.a@0;typedef y #t", BASIC "union #t 4 int.a@0;typedef y #t",
	       "~typedef y\nstruct {...} -> union {...}\n");
	/* Two compilers' names of one type. */
	expect("int long_int 8;typedef y long_int", "int long 8;typedef y long", "");
}

/* ---- enums ---- */

TEST(test_enums)
{
	expect("enum e 4 A=0 B=1 C=2", "enum e 4 A=0 X=1 B=2",
	       "~enum e\n+ X = 1\nB 1 -> 2\n- C = 2\n");
	expect("enum e 4 A=1 B=2", "enum e 4 B=2 A=1", "");
	expect("enum e 4 A=1", "enum64 e 8 A=1", "~enum e\nsize 4 -> 8\n");
	expect("enum e 8 A=1", "enum64 e 8 A=1", "");
	/* Only the low 32 bits are there, and no sign. */
	expect("senum e 4 A=-1 B=2", "enum e 4 A=-1 B=2", "");
	expect("enum e 4 A=-1", "senum e 4 A=-2", "~enum e\nA 4294967295 -> -2\n");
	expect("enum e 4 A=-1", "enum64 e 4 A=-1", "");
	/* Another enum shows that there would be one. */
#define SIGNED "senum z 4 Z=-1;"
	expect(SIGNED "enum e 4 A=-1 B=2", SIGNED "senum e 4 A=-1 B=2",
	       "~enum e\nA 4294967295 -> -1\n");
	expect("enum e 8 A=2", "enum64 e 8 A=-9223372036854775806", "");
	expect("enum64 e 8 A=4294967298", "enum e 8 A=2", "");
	expect("enum e 8 A=2", "enum64 e 8 A=4294967299", "~enum e\nA 2 -> 4294967299\n");
	expect("senum e 4 A=-1", "senum64 e 4 A=-1", "");
	expect("senum e 4 A=-1", "senum64 e 4 A=-4294967297",
	       "~enum e\nA -1 -> -4294967297\n");
	expect(SIGNED "enum e 4 A=-1", SIGNED "enum64 e 4 A=-1",
	       "~enum e\nA 4294967295 -> 18446744073709551615\n");
	expect("enum e 4 A=1 B=1", "enum e 4 A=1 B=1 A=1", "~enum e\n+ A = 1\n");
}

/* ---- several definitions ---- */

TEST(test_definitions)
{
#define S4 "struct s 4 int.a@0;"
#define S8 "struct s'2 8 int.a@0 int.b@4;"
#define S12 "struct s'3 12 int.a@0 int.c@4;"
	expect(BASIC S4 S8, BASIC S8 S4, "");
	expect(BASIC S4 S4, BASIC S4, "");
	expect(BASIC S4, BASIC S4 S8, "~struct s\none more definition\n");
	expect(BASIC S4, BASIC S4 S8 S12, "~struct s\n2 more definitions\n");
	expect(BASIC S4 S8, BASIC S8, "~struct s\none definition of 2 is gone\n");
	expect(BASIC S4 S8 S12, BASIC S4, "~struct s\n2 definitions of 3 are gone\n");
	expect(BASIC S4 S8, BASIC S12 S4,
	       "~struct s\nsize 8 -> 12\n- int b at 4, 4 bytes\n+ int c at 4, 4 bytes\n");
	expect(BASIC S4 S8, BASIC S12,
	       "~struct s\nsize 4 -> 12\n+ int c at 4, 4 bytes\n"
	       "one definition of 2 is gone\n");
	expect(BASIC S4 S8, BASIC "struct s 16 int.a@0;struct s'2 20 int.a@0 int.b@4",
	       "~struct s\nsize 4 -> 16\nanother definition:\nsize 8 -> 20\n");
	/* The same size and count: told apart by their members. */
	expect(BASIC "struct s 4 int.a@0;struct s'2 4 int.b@0",
	       BASIC "struct s 4 char.a@0;struct s'2 4 char.b@0",
	       "~struct s\na resized 4 -> 1 byte\nanother definition:\n"
	       "b resized 4 -> 1 byte\n");
	expect("enum e 4 A=1;enum e'2 4 B=1", "enum e 4 B=1;enum e'2 4 A=2",
	       "~enum e\nA 1 -> 2\n");
}

/* ---- other readers ---- */

TEST(test_pointer_size)
{
	expect("int int 4;int long_int 4;ptr P int;struct s 8 int.a@0",
	       "int int 4;int long_int 4;ptr P int;struct s 8 int.a@0 P.p@4",
	       "~struct s\n+ int *p at 4, 4 bytes\n");
	expect("int int 4;ptr P int;struct s 8", "int int 4;ptr P int;struct s 8 P.p@0",
	       "~struct s\n+ int *p at 0, 8 bytes\n");
	/* A type that only one side has counts for both. */
	expect("int int 4;ptr P int;struct s 8 P.p@0",
	       "int int 4;int long_int 4;ptr P int;struct s 8 P.p@0", "");
}

/* DWARF knows it. */
TEST(test_known_pointer_size)
{
	static const struct {
		uint32_t old_bytes, new_bytes;
		const char *detail;
	} cases[] = {
		{ 4, 4, NULL }, { 4, 0, NULL }, { 0, 4, NULL },
		{ 4, 8, "p resized 4 -> 8 bytes" },
	};
	static struct opened old, new;

	open_text(&old, "int int 4;ptr P int;struct s 8 P.p@0", false, NULL);
	open_text(&new, "int int 4;ptr P int;struct s 8 P.p@0", false, NULL);
	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct type_diff diff = { 0 };

		type_diff_add(&diff, NULL, &old.btf, cases[i].old_bytes, &new.btf,
			      cases[i].new_bytes);
		type_diff_finish(&diff);
		assert_int_equal(diff.changes.count, cases[i].detail != NULL);
		if (cases[i].detail)
			assert_string_equal(diff.changes.data[0].details.data[0], cases[i].detail);
		type_diff_release(&diff);
	}
	close_text(&old);
	close_text(&new);
}

TEST(test_split)
{
	static struct opened base, split, whole;
	static const char types[] = "struct t 8 P.p@0;struct s 32 t.t@0 int.a@8;";

	open_text(&base, BASIC "struct b 4 int.x@0", false, NULL);
	open_text(&split, types, false, &base);
	open_text(&whole, BASIC "struct b 4 int.x@0;struct t 8 P.p@0;struct s 32 t.t@0 int.a@12",
		  true, NULL);
	expect_readers(&split.btf, &whole.btf, "~struct s\na moved 8 -> 12\n");
	expect_readers(&whole.btf, &base.btf, "-struct s\n-struct t\n");
	close_text(&split);
	close_text(&base);
	close_text(&whole);
}

/* ---- limits ---- */

struct long_text {
	char *text;
	size_t bytes;
	FILE *out;
};

static FILE *begin_text(struct long_text *text)
{
	text->out = open_memstream(&text->text, &text->bytes);
	assert_non_null(text->out);
	return text->out;
}

/* To be freed. */
static char *diff_long(struct long_text *old, struct long_text *new)
{
	static struct opened a, b;
	char *text;

	assert_int_equal(fclose(old->out) | fclose(new->out), 0);
	open_text(&a, old->text, false, NULL);
	open_text(&b, new->text, false, NULL);
	text = diff_text(&a.btf, &b.btf);
	close_text(&a);
	close_text(&b);
	free(old->text);
	free(new->text);
	return text;
}

static void expect_long(struct long_text *old, struct long_text *new, const char *expected)
{
	char *text = diff_long(old, new);

	assert_string_equal(text, expected);
	free(text);
}

/* `count` members in a container, `twice` in a struct whose last member is at `last`. */
static void put_many(FILE *out, int count, int bytes, int last)
{
	fprintf(out, "int int 4;struct #c 4");
	for (int i = 0; i < count; i++)
		fprintf(out, " int.m%d@0", i);
	fprintf(out, ";struct s %d #c.x@0 #c.y@4 int.more@60 int.last@%d", bytes, last);
}

TEST(test_many_members)
{
	struct long_text old, new;

	put_many(begin_text(&old), 32766, 64, 8);	/* 65536 with the four of s */
	put_many(begin_text(&new), 32766, 64, 12);
	expect_long(&old, &new, "~struct s\nlast moved 8 -> 12\n");
	put_many(begin_text(&old), 32767, 64, 8);
	put_many(begin_text(&new), 32767, 64, 12);
	expect_long(&old, &new, "incomplete\n");
	put_many(begin_text(&old), 32767, 64, 8);
	put_many(begin_text(&new), 32767, 68, 12);
	expect_long(&old, &new, "~struct s\nsize 64 -> 68\nincomplete\n");
}

/* `s` contains `depth` containers in each other; the innermost has a member at `at`. */
static void put_deep(FILE *out, int depth, int at, int bytes)
{
	fprintf(out, "int int 4;struct #%d %d int.a@%d", depth, bytes, at);
	for (int i = depth - 1; i > 0; i--)
		fprintf(out, ";struct #%d 16 #%d.c%d@0", i, i + 1, i);
	fprintf(out, ";struct s 16 #1.c0@0");
}

TEST(test_depth)
{
	struct long_text old, new;
	static char expected[1024] = "~struct s\n";
	size_t end;

	for (int i = 0; i < 31; i++)
		snprintf(expected + strlen(expected), 16, "c%d.", i);
	end = strlen(expected);
	snprintf(expected + end, 64, "a moved 0 -> 4\n");
	put_deep(begin_text(&old), 31, 0, 16);
	put_deep(begin_text(&new), 31, 4, 16);
	expect_long(&old, &new, expected);
	/* One deeper, the innermost is a member like others, and the report says so. */
	put_deep(begin_text(&old), 32, 0, 16);
	put_deep(begin_text(&new), 32, 4, 16);
	expect_long(&old, &new, "incomplete\n");
	snprintf(expected + end, 64, "c31 resized 16 -> 8 bytes\nincomplete\n");
	put_deep(begin_text(&old), 32, 0, 16);
	put_deep(begin_text(&new), 32, 0, 8);
	expect_long(&old, &new, expected);
}

static void put_definitions(FILE *out, int first, int count)
{
	for (int i = first; i < first + count; i++)
		fprintf(out, "struct s'%d %d;", i, i);
}

TEST(test_many_definitions)
{
	struct long_text old, new;

	put_definitions(begin_text(&old), 1, 64);
	put_definitions(begin_text(&new), 2, 63);
	expect_long(&old, &new, "~struct s\none definition of 64 is gone\n");
	/* The 65th is not looked at. */
	put_definitions(begin_text(&old), 1, 64);
	put_definitions(begin_text(&new), 1, 65);
	expect_long(&old, &new, "incomplete\n");
}

/* So much in all that only sizes are compared at last. */
static void put_hundreds(FILE *out, int bytes, int last)
{
	fprintf(out, "int int 4;struct #c 4");
	for (int i = 0; i < 65000; i++)
		fprintf(out, " int.m@0");
	for (int i = 0; i < 300; i++)
		fprintf(out, ";struct s%d 8 #c.@0", i);
	fprintf(out, ";struct t 8 int.a@%d;struct u %d", last, bytes);
}

TEST(test_budget)
{
	struct long_text old, new;

	put_hundreds(begin_text(&old), 8, 0);
	put_hundreds(begin_text(&new), 16, 4);
	expect_long(&old, &new, "~struct u\nsize 8 -> 16\nincomplete\n");
}

/* A long line is cut, and no name makes two of one. */
TEST(test_odd_names)
{
	struct long_text old, new;
	static const char expected[] =
		"~struct s\n- int a?b at 0, 4 bytes\n+ int b? at 0, 4 bytes\nc? moved 4 -> 8\n";
	char *text;

	fprintf(begin_text(&old), "int int 4;struct s 4 int.a\nb@0 int.c\n@4");
	fprintf(begin_text(&new), "int int 4;struct s 4 int.b\x1b@0 int.c\n@8");
	expect_long(&old, &new, expected);

	fprintf(begin_text(&old), "int int 4;struct s 4");
	fprintf(begin_text(&new), "int int 4;proto F void");
	for (int i = 0; i < 1000; i++)
		fprintf(new.out, " int.parameter");
	fprintf(new.out, ";ptr Q F;struct s 4 Q.q@0");
	text = diff_long(&old, &new);
	assert_true(strlen(text) > 4000 && strlen(text) < 4200);
	free(text);
}

/* ---- damage ---- */

/* What is different is so from either side. False: there is too much to compare. */
static bool check_both_ways(const struct btf_reader *old, const struct btf_reader *new,
			    bool are_same)
{
	char *there = diff_text(old, new), *back = diff_text(new, old);
	bool is_complete = strcmp(there, "incomplete\n") != 0 && strcmp(back, "incomplete\n") != 0;

	if (is_complete && are_same)
		assert_string_equal(there, "");
	if (is_complete && (*there == '\0') != (*back == '\0'))
		fail_msg("one way: %s\nthe other: %s", there, back);
	free(there);
	free(back);
	return is_complete;
}

TEST(test_cycles)
{
	static const char *const cycles[] = {
		"struct s 32 s.@0 s.@0 int.a@0", "union s 32 #x.@0 #x.b@4;struct #x 8 s.@0 #x.c@4",
		"struct #x 8 #x.@0 #x.x@0;struct s 32 #x.x@0", "const C C;struct s 32 C.a@0 C.@4",
		"typedef T T;struct s 32 T.a@0 T.@4", "array A A 4;struct s 32 A.a@0 A.@4",
		"ptr Q Q;struct s 32 Q.a@0", "proto F F F.a F.b;ptr Q F;struct s 32 Q.a@0 F.b@8",
		"tag T t T;struct s 32 T.a@0", "struct s 32 77777.a@0 77777.@0 s.b@0",
		"const C D;volatile D C;array A C 4000000000;struct s 32 A.a@0",
	};

	for (size_t i = 0; i < LENGTH(cycles); i++) {
		for (size_t j = 0; j < LENGTH(cycles); j++) {
			static struct opened old, new;

			open_text(&old, cycles[i], false, NULL);
			open_text(&new, cycles[j], true, NULL);
			check_both_ways(&old.btf, &new.btf, i == j);
			close_text(&old);
			close_text(&new);
		}
	}
}

static const char much[] =
	BASIC "struct #t 8 int.b@0 int.c@4;union #u 8 #t.@0 long_int.d@0;typedef t #t;"
	"proto F int P.a t.b;ptr Q F;array A t 4;const C A;volatile W P;tag G user P;fwd f;ptr R f;"
	"struct s 64 int.a@0 #u.@8 #u.u@16 Q.q@24 A.r@32;struct s'2 64 int.a@0 W.w@8 G.g@16 R.r@24;"
	"struct v 8 int.x@0:3 int.y@3:7;enum e 4 A=1 B=2;senum64 g 8 C=-1;union w 4 int.a@0 C.c@0;";

/* Any BTF that can be opened can be compared. */
TEST(test_damage)
{
	static struct opened good, bad;
	struct random dice = { 7 };
	uint32_t compared = 0;

	open_text(&good, much, true, NULL);
	for (int i = 0; i < 5000; i++) {
		struct btf_reader btf;
		struct error err;

		open_text(&bad, much, false, NULL);
		for (int j = 0; j <= i % 3; j++)
			btf_blob_damage(&bad.blob, &dice, 40);
		if (btf_reader_from_memory(&btf, bad.blob.data, bad.blob.bytes, "bad", NULL,
					   &err)) {
			compared += check_both_ways(&good.btf, &btf, false);
			check_both_ways(&btf, &btf, true);
			btf_reader_release(&btf);
		}
		close_text(&bad);
	}
	assert_true(compared > 4000);
	close_text(&good);
}
