/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/print/json.h"

#include <stdlib.h>
#include <string.h>

json_t *json_text_bytes(const char *text, size_t length)
{
	/* DEL is a control character, too, but jansson does not escape it. */
	bool has_delete = text && memchr(text, 0x7f, length);
	json_t *value = has_delete ? NULL : text ? json_stringn(text, length) : json_null();
	struct text good = { 0 };

	for (size_t i = 0; !value && text && i < length;) {
		unsigned char lead = (unsigned char)text[i];
		size_t bytes = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
		json_t *one = bytes <= length - i && lead != 0x7f
				      ? json_stringn(text + i, bytes) : NULL;

		text_add(&good, one ? text + i : "\xef\xbf\xbd", one ? bytes : 3);
		i += one ? bytes : 1;
		json_decref(one);
	}
	value = value ? value : json_stringn(good.data, good.count);
	array_release(&good);
	return value;
}

json_t *json_text(const char *text)
{
	return json_text_bytes(text, text ? strlen(text) : 0);
}

json_t *json_take(struct text *text)
{
	json_t *json = json_text_bytes(text->count ? text->data : "", text->count);

	array_release(text);
	return json;
}

json_t *json_known(const char *text)
{
	return json_text(text && *text ? text : NULL);
}

json_t *json_number(bool is_known, uint64_t number)
{
	return is_known ? json_integer(INTEGER(number)) : json_null();
}

json_t *json_answer(enum attach_answer answer)
{
	return answer == ATTACH_UNKNOWN ? json_null() : json_boolean(answer == ATTACH_YES);
}

json_t *json_words(uint32_t set, const char *const *words)
{
	json_t *array = json_array();

	for (uint32_t left = set; left; left &= left - 1)
		json_array_append_new(array, json_string(words[__builtin_ctz(left)]));
	return array;
}

void json_align(json_t *rows, const char *key)
{
	json_t *row;
	int width = 0;
	size_t i;

	json_array_foreach(rows, i, row) {
		int length = (int)json_string_length(json_object_get(row, key));

		width = length > width ? length : width;
	}
	json_array_foreach(rows, i, row) {
		char *text = text_format("%-*s", width,
					 json_string_value(json_object_get(row, key)));

		json_set(row, key, json_string(text));
		free(text);
	}
}

void json_write(json_t *root, size_t flags, FILE *out)
{
	/* No control characters: jansson escapes those of C0, and all beyond ASCII if asked. */
	json_dumpf(root, out, flags | JSON_ENSURE_ASCII);
	putc('\n', out);
	json_decref(root);
}
