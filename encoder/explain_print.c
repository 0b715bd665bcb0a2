/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "encoder/explain_print.h"

#include <ctype.h>
#include <string.h>

void explain_put(FILE *out, const char *text)
{
	for (; *text; text++)
		fputc(iscntrl((unsigned char)*text) ? '?' : *text, out);
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

json_t *explain_text_json(const char *text)
{
	json_t *value = text ? json_string(text) : NULL;

	return value ? value : json_null();
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
