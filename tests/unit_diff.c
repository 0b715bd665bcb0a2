/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Lists of functions read back, and what a diff makes of two of them: each class with a neighbour
 * that is none, the words, the order, what is allowed, what fails.
 */
#include "tests/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/diff/diff.h"
#include "kernel/c_spelling.h"
#include "tests/scratch.h"

#define HEAD                                                                                       \
	"name\tsymbol\taddress\tunit\tverdict\treasons\tprototype\tparameters\tmarks\tsuffixes\t"  \
	"sites\tsite_parameters\tsite_places\n"

static struct error err;

static bool parse(struct function_table *table, const char *text)
{
	struct text list = { 0 };

	text_add_string(&list, text);
	return function_table_parse(table, &list, "list", &err);
}

/* The diff of two lists, each without its head. */
struct pair {
	struct diff_side old, new;
	struct diff_options options;
	struct diff diff;
};

static char *with_head(const char *lines)
{
	size_t bytes = sizeof(HEAD) + strlen(lines);
	char *text = memory_alloc(bytes);

	snprintf(text, bytes, HEAD "%s", lines);
	return text;
}

static void compare(struct pair *pair, const char *old, const char *new)
{
	char *texts[2] = { with_head(old), with_head(new) };

	pair->old.path = "old";
	pair->new.path = "new";
	pair->old.kind = pair->new.kind = SIDE_TABLE;
	assert_true(parse(&pair->old.table, texts[0]));
	assert_true(parse(&pair->new.table, texts[1]));
	diff_make(&pair->diff, &pair->old, &pair->new, false, &pair->options);
	free(texts[0]);
	free(texts[1]);
}

static void release(struct pair *pair)
{
	diff_release(&pair->diff);
	function_table_release(&pair->old.table);
	function_table_release(&pair->new.table);
}

#define PAIR { .options = { .fail_on = DIFF_DEFAULT_FAILS, .show = DIFF_ALL } }

/* Lines of one function `f`. */
#define OK(address) "f\tf\t" address "\ta.c\tok\t-\tint f(int a)\t-\t-\t-\t0\t0\t0\n"
#define OK_SITES "f\tf\t0x10\ta.c\tok\t-\tint f(int a)\t-\t-\t-\t2\t2\t1\n"
#define OK_PART "f\tf\t0x10\ta.c\tok\t-\tint f(int a)\t-\t-\t.part\t0\t0\t0\n"
#define OK_LONG "f\tf\t0x10\ta.c\tok\t-\tint f(long int a)\t-\t-\t-\t0\t0\t0\n"
#define OK_LONG_CLANG "f\tf\t0x10\ta.c\tok\t-\tint f(long a)\t-\t-\t-\t0\t0\t0\n"
#define INLINED(n) "f\t-\t-\t-\tinlined-only\t-\t-\t-\t-\t-\t" n "\n"
/* Another function of that name. */
#define OTHER(unit, n) "f\t-\t-\t" unit "\tinlined-only\t-\t-\t-\t-\t-\t" n "\t0\t0\n"
#define TWICE                                                                                      \
	"f\tf\t0x10\ta.c\tambiguous-address\t-\tint f(int a)\t-\t-\t-\t0\t0\t0\n"                  \
	"f\tf\t0x90\tb.c\tambiguous-address\t-\tint f(int a)\t-\t-\t-\t0\t0\t0\n"
#define TWO_PROTOTYPES                                                                             \
	"f\tf\t0x10\ta.c\tinconsistent-proto\t-\t"                                                 \
	"int f(int a)\t-\t-\t-\t0\t0\t0\n"
#define ISRA(number)                                                                               \
	"f\tf.isra." number "\t0x10\ta.c\tparam-scalarized\tparam-scalarized,return-removed\t"     \
	"int f(int a)\ta:scalarized\t-\t.isra\t0\t0\t0\n"
#define PART "f\tf.part.0\t0x10\ta.c\tpartial\t-\tint f(int a)\t-\t-\t.part\t0\t0\t0\n"
#define CONSTANT                                                                                   \
	"f\tf\t0x10\ta.c\tparam-constant\tparam-constant\t"                                        \
	"int f(int a)\ta:constant\t-\t-\t0\t0\t0\n"

TEST(test_classes)
{
	static const struct {
		const char *old, *new;
		int class;		/* -1: no change */
		const char *from, *to;
	} cases[] = {
		{ OK("0x10"), OK("0x20"), -1, NULL, NULL },
		{ OK("0x10"), ISRA("0"), DIFF_LOST, "ok",
		  ".isra.0: parameter \"a\" scalarized, return value dropped" },
		{ OK("0x10"), PART, DIFF_LOST, "ok",
		  ".part.0: only outlined fragments are left (.part), not the entry" },
		{ OK("0x10"), CONSTANT, DIFF_LOST, "ok",
		  "param-constant: parameter \"a\" constant" },
		{ OK("0x10"), TWICE, DIFF_AMBIGUOUS, "ok", "ambiguous-address: 2 addresses" },
		{ OK("0x10"), TWO_PROTOTYPES, DIFF_INCONSISTENT, "ok",
		  "inconsistent-proto: the name has several prototypes" },
		{ OK("0x10"), INLINED("3\t6\t5"), DIFF_INLINED, "ok",
		  "inlined everywhere: 3 sites, 5 of 6 parameters" },
		{ OK("0x10"), INLINED("1\t0\t0"), DIFF_INLINED, "ok",
		  "inlined everywhere: 1 site" },
		{ OK("0x10"), "", DIFF_GONE, "ok", "not there: neither code nor an inline site" },
		{ OK("0x10"), OK_LONG, DIFF_CHANGED, NULL, NULL },
		{ OK_LONG, OK_LONG_CLANG, -1, NULL, NULL },
		{ OK("0x10"), OK_SITES, DIFF_PARTLY_INLINED, "0 sites",
		  "2 sites, 1 of 2 parameters" },
		{ OK_SITES, OK("0x10"), DIFF_SITES, "2 sites, 1 of 2 parameters", "0 sites" },
		{ OK("0x10"), OK_PART, DIFF_CLONES, NULL, ".part appeared" },
		{ OK_PART, OK("0x10"), DIFF_CLONES, NULL, ".part vanished" },
		{ "", OK("0x10"), DIFF_GAINED, "not there", "ok" },
		{ ISRA("1"), OK("0x10"), DIFF_GAINED,
		  ".isra.1: parameter \"a\" scalarized, return value dropped", "ok" },
		{ ISRA("0"), ISRA("7"), -1, NULL, NULL },
		{ INLINED("1\t1\t1"), INLINED("1\t1\t1"), -1, NULL, NULL },
		{ INLINED("1\t1\t1"), INLINED("1\t1\t0"), DIFF_SITES, "1 site, 1 of 1 parameters",
		  "1 site, 0 of 1 parameters" },
		{ ISRA("0"), PART, DIFF_OTHER,
		  ".isra.0: parameter \"a\" scalarized, return value dropped", ".part.0" },
		{ "", PART, DIFF_OTHER, "not there", ".part.0" },
		{ OK("0x10") OTHER("b.c", "1") OTHER("c.c", "2"),
		  OK("0x10") OTHER("c.c", "2") OTHER("b.c", "1"), -1, NULL, NULL },
		{ OK("0x10") OTHER("b.c", "1") OTHER("c.c", "2"),
		  OK("0x10") OTHER("b.c", "1") OTHER("c.c", "4"), DIFF_SITES,
		  "2 sites", "4 sites" },
		{ OK("0x10") OTHER("b.c", "1"), OK("0x10"), DIFF_OTHER,
		  "inlined everywhere: 1 site", "not there" },
		{ OK("0x10") OTHER("b.c", "1"), OTHER("a.c", "1") OTHER("b.c", "1"), DIFF_INLINED,
		  "ok",
		  "inlined everywhere: 1 site" },
		/* A weak definition that lost has no symbol, and is none of the others. */
		{ OK("0x10") "f\t-\t0x20\tw.c\tok\t-\tint f(int a)\t-\t-\t-\t0\t0\t0\n", OK("0x10"),
		  -1, NULL, NULL },
		{ OTHER("x/a.c", "1") OTHER("x/b.c", "2"), OTHER("y/a.c", "1") OTHER("y/b.c", "2"),
		  -1, NULL, NULL },
		{ INLINED("1\t0\t0"), OTHER("a.c", "1") OTHER("b.c", "1"), DIFF_OTHER, "not there",
		  "inlined everywhere: 1 site" },
		{ OTHER("a.c", "1") OTHER("b.c", "2"), OTHER("b.c", "2") OTHER("a.c", "1"), -1,
		  NULL, NULL },
	};

	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct pair pair = PAIR;
		const struct diff_change *change;

		compare(&pair, cases[i].old, cases[i].new);
		if (cases[i].class < 0) {
			assert_int_equal(pair.diff.changes.count, 0);
			release(&pair);
			continue;
		}
		assert_int_equal(pair.diff.changes.count, 1);
		change = &pair.diff.changes.data[0];
		assert_int_equal(change->class, cases[i].class);
		assert_string_equal(change->name, "f");
		if (cases[i].from)
			assert_string_equal(change->from, cases[i].from);
		else
			assert_null(change->from);
		if (cases[i].to)
			assert_string_equal(change->to, cases[i].to);
		assert_int_equal(change->fails, DIFF_DEFAULT_FAILS >> change->class & 1);
		assert_int_equal(pair.diff.fails, change->fails);
		release(&pair);
	}
}

/* Lists of BTF know neither reasons nor other instances: what is not known is not a difference. */
TEST(test_unknown)
{
	static const char known[] = "a\ta\t?\t?\tok\t-\tint a(void)\t?\t?\t?\t?\t?\t?\n"
				    "b\tb.isra.0\t?\t?\t?\t-\t?\t?\t?\t?\t?\t?\t?\n";
	static const char all[] =
		"a\ta\t0x1\ta.c\tok\t-\tint a(void)\t-\texported\t.cold\t3\t0\t0\n"
		"b\tb.isra.0\t0x2\ta.c\tclone\t-\tint b(void)\t-\t-\t.isra\t0\t0\t0\n"
		"c\t-\t-\t-\tinlined-only\t-\t-\t-\t-\t-\t1\t0\t0\n";
	struct pair pair = PAIR, back = PAIR, lost = PAIR;

	compare(&pair, known, all);
	assert_int_equal(pair.diff.changes.count, 0);
	assert_false(pair.old.table.knows_exports);
	assert_true(pair.new.table.knows_exports);
	release(&pair);
	compare(&back, all, known);
	assert_int_equal(back.diff.changes.count, 0);
	release(&back);
	/* But a FUNC that is not there is lost, though not known to be gone. */
	compare(&lost, all, known + strcspn(known, "\n") + 1);
	assert_int_equal(lost.diff.changes.count, 1);
	assert_int_equal(lost.diff.changes.data[0].class, DIFF_LOST);
	assert_string_equal(lost.diff.changes.data[0].to, "no FUNC: BTF does not say why");
	release(&lost);
}

TEST(test_order)
{
	static const char old[] = "__under\t__under\t0x1\ta.c\tok\t-\tv\t-\tglobal\t-\t0\t0\t0\n"
				  "boot\tboot\t0x1\ta.c\tok\t-\tv\t-\tglobal,init\t-\t0\t0\t0\n"
				  "global\tglobal\t0x1\ta.c\tok\t-\tv\t-\tglobal\t-\t0\t0\t0\n"
				  "kfunc\tkfunc\t0x1\ta.c\tok\t-\tv\t-\tkfunc\t-\t0\t0\t0\n"
				  "module\tmodule\t0x1\ta.c\tok\t-\tv\t-\texported\t-\t0\t0\t0\n"
				  "own\town\t0x1\ta.c\tok\t-\tv\t-\t-\t-\t0\t0\t0\n";
	static const char *const listed[] = { "kfunc", "module", "global", "__under", "own",
					      "boot" };
	static const char *const important[] = { "kfunc", "module", "global", "__under", "own",
						 "boot" };
	struct pair pair = PAIR;

	compare(&pair, old, "");
	assert_int_equal(pair.diff.changes.count, LENGTH(listed));
	assert_int_equal(pair.diff.important.count, LENGTH(important));
	for (size_t i = 0; i < LENGTH(listed); i++) {
		assert_string_equal(pair.diff.changes.data[i].name, listed[i]);
		assert_string_equal(pair.diff.important.data[i]->name, important[i]);
	}
	release(&pair);
}

TEST(test_only_and_allow)
{
	static const char old[] = "kcode\tkcode\t0x1\ta.c\tok\t-\tv\t-\texported\t-\t0\t0\t0\n"
				  "other\tother\t0x1\ta.c\tok\t-\tv\t-\t-\t-\t0\t0\t0\n"
				  "third\tthird\t0x1\ta.c\tok\t-\tv\t-\tkfunc\t-\t0\t0\t0\n";
	struct diff_only only[] = { { .word = "exported", .mark = 1u << MARK_EXPORTED },
				    { .word = "th?rd" }, { .word = "fourth" } };
	struct allow_rule rules[] = {
		{ .glob = (char *)"k*", .why = (char *)"known", .classes = DIFF_BIT(CHANGED) },
		{ .glob = (char *)"third", .why = (char *)"agreed", .classes = DIFF_LOSSES },
	};
	struct pair pair = PAIR;

	pair.options.only.data = only;
	pair.options.only.count = LENGTH(only);
	pair.options.allow.rules.data = rules;
	pair.options.allow.rules.count = LENGTH(rules);
	compare(&pair, old, "");
	assert_int_equal(pair.diff.changes.count, 2);
	assert_string_equal(pair.diff.changes.data[0].name, "third");
	assert_ptr_equal(pair.diff.changes.data[0].allowed, &rules[1]);
	assert_false(pair.diff.changes.data[0].fails);
	assert_string_equal(pair.diff.changes.data[1].name, "kcode");
	assert_null(pair.diff.changes.data[1].allowed);
	assert_int_equal(pair.diff.fails, 1);
	assert_true(only[0].fits && only[1].fits && !only[2].fits);
	assert_int_equal(rules[0].used, 0);
	assert_int_equal(rules[1].used, 1);
	/* An allowed loss is not an important one. */
	assert_int_equal(pair.diff.important.count, 1);
	release(&pair);
}

TEST(test_class_lists)
{
	uint32_t mask;

	assert_null(diff_classes_parse("lost,changed", &mask));
	assert_int_equal(mask, DIFF_LOSSES | DIFF_BIT(CHANGED));
	assert_null(diff_classes_parse("all,-lost,inlined", &mask));
	assert_int_equal(mask, (DIFF_ALL & ~DIFF_LOSSES) | DIFF_BIT(INLINED));
	assert_null(diff_classes_parse("none", &mask));
	assert_int_equal(mask, 0);
	mask = DIFF_DEFAULT_FAILS;
	assert_null(diff_classes_parse("-changed", &mask));
	assert_int_equal(mask, DIFF_DEFAULT_FAILS & ~DIFF_BIT(CHANGED));
	assert_string_equal(diff_classes_parse("lost,chagned", &mask), "chagned");
	assert_non_null(diff_classes_parse("", &mask));
	assert_non_null(diff_classes_parse("lost,", &mask));
}

TEST(test_refused_lists)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "", "not complete" },
		{ "name\tsymbol\n", "no column \"verdict\"" },
		{ HEAD "f\tf\n", "line 2: has another number of fields" },
		{ HEAD "f\tf\t0x1\ta.c\tfine\t-\tv\t-\t-\t-\t0\t0\t0\n", "line 2: this btfenc" },
		{ HEAD "f\tf\t0x1\ta.c\tok\t-\tv\t-\t-\t-\t-1\t0\t0\n", "line 2: sites" },
		{ HEAD "f\tf\t0x1\ta.c\tok\t-\tv\t-\t-\t-\t4294967296\t0\t0\n", "line 2: sites" },
		/* A count that is not known is not 0. */
		{ HEAD "f\tf\t0x1\ta.c\tok\t-\tv\t-\t-\t-\t2\t?\t0\n", "line 2: sites" },
		{ HEAD "f\tf\t0x1", "not complete" },
	};
	struct function_table table;

	for (size_t i = 0; i < LENGTH(cases); i++) {
		assert_false(parse(&table, cases[i].text));
		assert_non_null(strstr(err.text, cases[i].message));
	}
}

/* Lists of before there were sites, marks and suffixes; columns of later ones. */
TEST(test_other_columns)
{
	struct function_table table;

	assert_true(parse(&table, "name\tsymbol\taddress\tunit\tverdict\treasons\tprototype\n"
				  "f\tf.isra.0\t0x1\ta.c\tclone\treturn-removed\tint f(void)\n"));
	assert_false(table.functions.data[0].sites_known);
	assert_false(table.functions.data[0].suffixes_known);
	assert_false(table.knows_exports);
	/* Nor lines of what was only inlined. */
	assert_false(table.knows_all);
	assert_int_equal(table.functions.data[0].reasons, REASON(RETURN_REMOVED) | REASON(CLONE));
	function_table_release(&table);
	assert_true(parse(&table, "name\tverdict\tlater\tsymbol\treasons\tprototype\n"
				  "f\tok\tx\tf\t-\tint f(void)\n"));
	assert_string_equal(table.functions.data[0].prototype, "int f(void)");
	function_table_release(&table);
}

TEST(test_words)
{
	static const struct {
		const char *old, *new, *marked;
	} cases[] = {
		{ "int f(int a)", "int f(int a)", "=int f(int a)" },
		{ "int f(int a)", "int f(char a)", "=int f(|-int |+char |=a)" },
		{ "int f(void)", "int f(void *p, int n)", "=int f(void |+*p, int n|=)" },
		{ "", "x", "+x" },
		{ "x", "", "-x" },
		{ "a b", "c d", "-a b|+c d" },
	};

	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct word_runs runs;
		char text[200] = "", *at = text;

		word_runs_make(&runs, cases[i].old, cases[i].new);
		for (size_t k = 0; k < runs.count; k++)
			at += sprintf(at, "%s%c%.*s", k ? "|" : "", runs.data[k].op,
				      (int)runs.data[k].length, runs.data[k].text);
		word_runs_release(&runs);
		assert_string_equal(text, cases[i].marked);
	}
}

/* Beyond what is compared word by word. */
TEST(test_many_words)
{
	char *old = memory_zeroed(4001, 1), *new = memory_zeroed(4001, 1);
	struct word_runs runs;

	memset(old, ',', 4000);
	memset(new, ';', 4000);
	word_runs_make(&runs, old, new);
	assert_int_equal(runs.count, 2);
	assert_int_equal(runs.data[0].length, 4000);
	word_runs_release(&runs);
	free(old);
	free(new);
}

TEST(test_spelling)
{
	static const char *const same[][2] = {
		{ "long unsigned int", "unsigned long" },
		{ "const long unsigned int *p", "const unsigned long *p" },
		{ "short int", "short" },
		{ "long long unsigned int x", "unsigned long long x" },
		{ "unsigned x", "unsigned int x" },
		{ "void __percpu *f(char __user *p)", "void *f(char *p)" },
		{ "volatile const int *a", "const volatile int *a" },
		{ "char *const restrict a", "char *restrict const a" },
		{ "__int128 unsigned a", "unsigned __int128 a" },
		{ "const struct s *volatile const a", "const struct s *const volatile a" },
	};
	static const char *const different[][2] = {
		{ "unsigned long", "long" },	     { "long long", "long" },
		{ "signed char", "char" },	     { "unsigned char", "char" },
		{ "__u32 *p", "__u64 *p" },	     { "int longer", "int long er" },
		{ "unsigned long x", "unsigned x" }, { "int *p", "int p" },
		{ "const char *a", "char *const a" },
		{ "const char *a", "volatile char *a" },
		{ "__int128 a", "unsigned __int128 a" },
	};

	for (size_t i = 0; i < LENGTH(same); i++)
		assert_true(c_spelling_is_same(same[i][0], same[i][1]));
	for (size_t i = 0; i < LENGTH(different); i++)
		assert_false(c_spelling_is_same(different[i][0], different[i][1]));
}

static bool read_allow(const char *text, struct allow_list *list)
{
	scratch_write("allow", text, strlen(text));
	return allow_list_read(list, scratch_path("allow"), &err);
}

SCRATCH_TEST(test_allow_file)
{
	static const struct {
		const char *text, *message;
	} refused[] = {
		{ "foo\n", "line 1: does not say why" },
		{ "# ok\nfoo  #  \n", "line 2: does not say why" },
		{ "foo lots # why\n", "line 1: unknown change class 'lots'" },
		{ "foo lost bar # why\n", "line 1: has more than" },
	};
	struct allow_list list;

	assert_true(read_allow("# a comment\n\n  tcp_* lost,changed   # why not \nx # y", &list));
	assert_int_equal(list.rules.count, 2);
	assert_string_equal(list.rules.data[0].glob, "tcp_*");
	assert_string_equal(list.rules.data[0].why, "why not");
	assert_int_equal(list.rules.data[0].classes, DIFF_LOSSES | DIFF_BIT(CHANGED));
	assert_int_equal(list.rules.data[0].line, 3);
	assert_ptr_equal(allow_list_find(&list, "tcp_ack", DIFF_BIT(GONE)), &list.rules.data[0]);
	assert_null(allow_list_find(&list, "tcp_ack", DIFF_BIT(SITES)));
	assert_ptr_equal(allow_list_find(&list, "x", DIFF_BIT(SITES)), &list.rules.data[1]);
	assert_int_equal(list.rules.data[0].used, 1);
	allow_list_release(&list);
	for (size_t i = 0; i < LENGTH(refused); i++) {
		assert_false(read_allow(refused[i].text, &list));
		assert_non_null(strstr(err.text, refused[i].message));
	}
	assert_false(allow_list_read(&list, "/nowhere/allow", &err));
}
