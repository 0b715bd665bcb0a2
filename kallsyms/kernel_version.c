/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#define _GNU_SOURCE	/* memmem */
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

/* A text up to a space or its end in the section; one without an end, or a longer one, is none. */
static bool take_release(const char *text, size_t size, char release[KERNEL_RELEASE_BYTES])
{
	size_t limit = size < KERNEL_RELEASE_BYTES ? size : KERNEL_RELEASE_BYTES, length = 0;

	while (length < limit && text[length] && text[length] != ' ')
		length++;
	if (length == limit)
		return false;
	memcpy(release, text, length);
	release[length] = 0;
	return kernel_version_parse(release).major;
}

/* linux_banner; with a number behind it, which no other text of a kernel has. */
static bool release_by_banner(const struct object *object, char release[KERNEL_RELEASE_BYTES])
{
	static const char banner[] = "Linux version ";
	const size_t length = sizeof(banner) - 1;
	size_t size;
	const char *text = (const char *)object_section_named(object, ".rodata", &size);
	const char *end = text ? text + size : NULL;

	while (text && (text = memmem(text, (size_t)(end - text), banner, length))) {
		text += length;
		if (take_release(text, (size_t)(end - text), release))
			return true;
	}
	return false;
}

const char *object_modinfo(const struct object *object, const char *key)
{
	size_t size, length = strlen(key);
	const char *info = (const char *)object_section_named(object, ".modinfo", &size);
	const char *end = info ? info + size : NULL;

	for (; info < end && memchr(info, '\0', (size_t)(end - info)); info += strlen(info) + 1) {
		if (strncmp(info, key, length) == 0 && info[length] == '=')
			return info + length + 1;
	}
	return NULL;
}

bool kernel_release_of_image(const struct object *object, char release[KERNEL_RELEASE_BYTES])
{
	const char *vermagic = object_modinfo(object, "vermagic");

	*release = 0;
	return release_by_banner(object, release) ||
	       (vermagic && take_release(vermagic, strlen(vermagic) + 1, release));
}

struct kernel_identity kernel_identity_of_image(const struct object *object)
{
	struct kernel_identity identity = { 0 };

	kernel_release_of_image(object, identity.release);
	object_build_id(object, identity.build_id);
	return identity;
}

struct kernel_version kernel_version_of_image(const struct object *object)
{
	char release[KERNEL_RELEASE_BYTES];

	return kernel_release_of_image(object, release) ? kernel_version_parse(release)
							: (struct kernel_version){ 0 };
}
