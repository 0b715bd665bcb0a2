/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/diff/diff_class.h"

#include <string.h>

/* After the classes come the sets of them. */
const struct diff_class_row diff_classes[] = {
#define X(id, code, text) [DIFF_##id] = { code, text, DIFF_BIT(id) },
	DIFF_CLASS_LIST(X)
#undef X
	{ "lost", NULL, DIFF_LOSSES },
	{ "types", NULL, DIFF_TYPES },
	{ "all", NULL, DIFF_ALL },
	{ "none", NULL, 0 },
};

const char *diff_classes_parse(const char *text, uint32_t *mask)
{
	if (*text != '-')
		*mask = 0;
	do {
		bool minus = *text == '-';
		/* From the end: `lost` is the set. */
		size_t row = sizeof(diff_classes) / sizeof(*diff_classes), length;

		text += minus;
		length = strcspn(text, ",");
		while (row-- > 0) {
			if (strncmp(text, diff_classes[row].code, length) == 0 &&
			    !diff_classes[row].code[length])
				break;
		}
		if (row == SIZE_MAX)
			return text;
		*mask = minus ? *mask & ~diff_classes[row].mask : *mask | diff_classes[row].mask;
		text += length;
	} while (*text++ == ',');
	return NULL;
}
