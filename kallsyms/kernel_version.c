/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "kallsyms/kernel_version.h"

#include <gelf.h>
#include <string.h>

#define BANNER "Linux version "
#define VERMAGIC "vermagic="

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

	if (size <= length || !memchr(text, 0, size) || strncmp(text, word, length) != 0)
		return (struct kernel_version){ 0 };
	return kernel_version_parse(text + length);
}

static Elf_Data *contents_of(Elf_Scn *section, GElf_Shdr *header)
{
	Elf_Data *data;

	if (!section || !gelf_getshdr(section, header) || header->sh_type == SHT_NOBITS ||
	    header->sh_flags & SHF_COMPRESSED)
		return NULL;
	data = elf_rawdata(section, NULL);
	return data && data->d_buf ? data : NULL;
}

static struct kernel_version version_by_banner(Elf *elf, const struct symbol_table *symbols)
{
	const struct symbol *symbol = symbol_table_find(symbols, "linux_banner");
	GElf_Shdr header;
	Elf_Data *data =
		symbol ? contents_of(elf_getscn(elf, symbol->section), &header) : NULL;
	uint64_t offset = data ? symbol->address - header.sh_addr : 0;

	if (!data || offset >= data->d_size)
		return (struct kernel_version){ 0 };
	return parse_behind((const char *)data->d_buf + offset, data->d_size - offset, BANNER);
}

/* .modinfo is texts, one after the other, with zeros between them. */
static struct kernel_version version_by_vermagic(Elf *elf)
{
	struct kernel_version version = { 0 };
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return version;
	while ((section = elf_nextscn(elf, section)) && !version.major) {
		GElf_Shdr header;
		Elf_Data *data = contents_of(section, &header);
		const char *name = data ? elf_strptr(elf, names, header.sh_name) : NULL;

		if (!name || strcmp(name, ".modinfo") != 0)
			continue;
		for (size_t at = 0; at < data->d_size && !version.major;) {
			const char *text = (const char *)data->d_buf + at;

			version = parse_behind(text, data->d_size - at, VERMAGIC);
			at += strnlen(text, data->d_size - at) + 1;
		}
	}
	return version;
}

struct kernel_version kernel_version_of_image(Elf *elf, const struct symbol_table *symbols)
{
	struct kernel_version version = version_by_banner(elf, symbols);

	return version.major ? version : version_by_vermagic(elf);
}
