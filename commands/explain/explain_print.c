/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/explain/explain_print.h"

#include <string.h>

#include "base/text.h"

void explain_put(FILE *out, const char *text)
{
	text_print_clean(out, text, strlen(text));
}

void explain_put_padded(FILE *out, const char *text, size_t width)
{
	explain_put(out, text);
	for (size_t length = strlen(text); length < width + 2; length++)
		fputc(' ', out);
}

void explain_put_advice(FILE *out, const struct advice *advice, size_t count, bool notes)
{
	const char *last = "";

	for (size_t i = 0; i < count; i++) {
		if ((strcmp(advice[i].tool, "note") == 0) != notes)
			continue;
		if (!*last)
			fputs("\n", out);
		fprintf(out, "  %-10s", strcmp(advice[i].tool, last) == 0 ? "" : advice[i].tool);
		explain_put(out, advice[i].text);
		fputs("\n", out);
		last = advice[i].tool;
	}
}

/* With U+FFFD for each byte that is not UTF-8; jansson is the judge. */
static json_t *repaired_string(const char *text)
{
	struct text good = { 0 };
	json_t *value;

	while (*text) {
		unsigned char lead = (unsigned char)*text;
		size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
		json_t *one = strnlen(text, length) == length ? json_stringn(text, length) : NULL;

		if (one)
			text_add(&good, text, length);
		else
			text_add_string(&good, "\xef\xbf\xbd");
		text += one ? length : 1;
		json_decref(one);
	}
	value = json_stringn(good.data, good.count);
	array_release(&good);
	return value;
}

json_t *explain_text_json(const char *text)
{
	json_t *value;

	if (!text)
		return json_null();
	value = json_string(text);
	return value ? value : repaired_string(text);
}

json_t *explain_advice_json(const struct advice *advice, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(array, json_pack("{s:s, s:o}", "tool", advice[i].tool, "text",
						       explain_text_json(advice[i].text)));
	return array;
}

bool explain_write_json(json_t *root, FILE *out)
{
	bool good = json_dumpf(root, out, JSON_INDENT(2)) == 0 && fputc('\n', out) != EOF;

	json_decref(root);
	return good;
}
