/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "kallsyms/kernel_version.h"

#include <string.h>

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

/* Up to the end of the text, or of the section: a text without an end is of no kernel. */
static struct kernel_version parse_behind(const char *text, size_t size, const char *word)
{
	size_t length = strlen(word);

	return size > length && memchr(text, 0, size) && strncmp(text, word, length) == 0
		       ? kernel_version_parse(text + length) : (struct kernel_version){ 0 };
}

static struct kernel_version version_by_banner(const struct object *object,
					       const struct symbol_table *symbols)
{
	const struct symbol *symbol = symbol_table_find(symbols, "linux_banner");
	uint64_t offset;
	const uint8_t *bytes;
	size_t size;

	if (!symbol || symbol->section >= object->header_count)
		return (struct kernel_version){ 0 };
	bytes = object_file_bytes(object, symbol->section, &size);
	offset = symbol->address - object->headers[symbol->section].address;
	return offset < size ? parse_behind((const char *)bytes + offset, size - offset,
					    "Linux version ") : (struct kernel_version){ 0 };
}

/* .modinfo is texts, one after the other, with zeros between them. */
static struct kernel_version version_by_vermagic(const struct object *object)
{
	struct kernel_version version = { 0 };
	size_t size;
	const char *text = (const char *)object_section_named(object, ".modinfo", &size);

	for (size_t at = 0; at < size && !version.major; at += strnlen(text + at, size - at) + 1)
		version = parse_behind(text + at, size - at, "vermagic=");
	return version;
}

struct kernel_version kernel_version_of_image(const struct object *object,
					      const struct symbol_table *symbols)
{
	struct kernel_version version = version_by_banner(object, symbols);

	return version.major ? version : version_by_vermagic(object);
}
