/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/attach/kernel_version.h"

#include <string.h>

#include "commands/attach/attach.h"

/* Three digits at most; more are no release of Linux. */
static const char *parse_number(const char *text, uint16_t *number)
{
	int digits = 0;

	for (*number = 0; *text >= '0' && *text <= '9' && digits < 4; text++, digits++)
		*number = (uint16_t)(*number * 10 + (*text - '0'));
	return digits && digits < 4 ? text : NULL;
}

struct kernel_version kernel_version_parse(const char *release)
{
	struct kernel_version version;
	const char *dot = parse_number(release, &version.major);

	if (!dot || *dot != '.' || !parse_number(dot + 1, &version.minor))
		return (struct kernel_version){ 0 };
	return version;
}

int kernel_version_compare(struct kernel_version a, struct kernel_version b)
{
	return a.major != b.major ? a.major - b.major : a.minor - b.minor;
}

/* Of a text that begins with the word. */
static struct kernel_version parse_after(const char *text, const char *word)
{
	size_t length = strlen(word);

	return strncmp(text, word, length) == 0 ? kernel_version_parse(text + length)
						: (struct kernel_version){ 0 };
}

struct kernel_version kernel_version_of_image(const struct object *object,
					      const struct symbol_table *symbols)
{
	const struct symbol *symbol = symbol_table_find(symbols, "linux_banner");
	const char *banner = symbol ? attach_string(object, symbol->address) : NULL;
	struct kernel_version version = parse_after(banner ? banner : "", "Linux version ");

	/* .modinfo is texts, one after the other, with zeros between them. */
	for (size_t i = 1; i < object->header_count && !version.major; i++) {
		size_t left, length;
		const char *text = strcmp(object->headers[i].name, ".modinfo") == 0
			? (const char *)object_loaded_bytes(object, i, &left) : NULL;

		for (; text && !version.major && (length = strnlen(text, left)) < left;
		     text += length + 1, left -= length + 1)
			version = parse_after(text, "vermagic=");
	}
	return version;
}
