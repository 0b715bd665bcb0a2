/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "tests/cmocka_all.h"

#include "base/text.h"

static void expect(struct text *text, const char *wanted)
{
	char *finished = text_finish(text);

	assert_string_equal(finished, wanted);
	assert_int_equal(text->count, 0);
	free(finished);
}

TEST(test_text)
{
	struct text text = { 0 };

	text_add(&text, "", 0);
	assert_int_equal(text.count, 0);
	for (int i = 0; i < 1000; i++)
		text_add_string(&text, "ab");
	assert_int_equal(text.count, 2000);
	assert_memory_equal(text.data + 1998, "ab", 2);
	array_release(&text);
	expect(&text, "");
}

/* A name in Latin-1 or UTF-8 stays as it is. */
TEST(test_clean)
{
	struct text text = { 0 };

	text_add_string(&text, "a\tb|");
	text_add_clean(&text, "c\td\ne\x7f" "f\x1f \xc3\xa9");
	expect(&text, "a\tb|c?d?e?f? \xc3\xa9");
	/* Those that turn the text: U+202E, U+2066, U+061C; not U+2026, U+2080, U+065C. */
	text_add_clean(&text, "\xe2\x80\xae \xe2\x81\xa6 \xd8\x9c "
			      "\xe2\x80\xa6 \xe2\x82\x80 \xd9\x9c");
	/* No UTF-8: a lone byte, half of a character, an overlong one. */
	text_add_clean(&text, "\x9b" "31m \xe2\x80 \xc0\xaf");
	expect(&text, "??? ??? ?? \xe2\x80\xa6 \xe2\x82\x80 \xd9\x9c?31m ?? ??");
}

TEST(test_numbers)
{
	struct text text = { 0 };

	text_add_number(&text, 0);
	text_add_char(&text, ' ');
	text_add_number(&text, 1090);
	text_add_char(&text, ' ');
	text_add_number(&text, UINT64_MAX);
	expect(&text, "0 1090 18446744073709551615");
}
