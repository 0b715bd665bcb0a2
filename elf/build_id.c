/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "elf/build_id.h"

#include <stdio.h>
#include <string.h>

/*
 * The build id among notes in host order: a header of three words, a name and a description, both
 * of which end at a multiple of 4 (elf(5)). NULL: there is none.
 */
static const uint8_t *find_note(const uint8_t *notes, size_t size, size_t *bytes)
{
	uint32_t header[3];

	for (size_t at = 0; size - at >= sizeof(header);) {
		size_t room = size - at - sizeof(header), name, description;
		const uint8_t *text = notes + at + sizeof(header);

		memcpy(header, notes + at, sizeof(header));
		name = ((size_t)header[0] + 3) & ~(size_t)3;
		description = ((size_t)header[1] + 3) & ~(size_t)3;
		if (name > room || header[1] > room - name)
			break;
		if (header[2] == NT_GNU_BUILD_ID && header[0] == 4 && memcmp(text, "GNU", 4) == 0) {
			*bytes = header[1];
			return text + name;
		}
		at += sizeof(header) + name + (description < room - name ? description
								       : room - name);
	}
	return NULL;
}

const uint8_t *object_find_build_id(const struct object *object, size_t *bytes)
{
	for (size_t i = 1; i < object->header_count; i++) {
		bool is_note = object->headers[i].type == SHT_NOTE;
		bool is_sup = strcmp(object->headers[i].name, ".debug_sup") == 0;
		Elf_Data *data = is_note || is_sup
					 ? elf_getdata(elf_getscn(object->elf, i), NULL) : NULL;
		const uint8_t *buffer = data ? data->d_buf : NULL;
		const uint8_t *id = is_note && buffer ? find_note(buffer, data->d_size, bytes)
						      : NULL;

		/* Version, the flag, no name, a length. */
		if (is_sup && buffer && data->d_size > 5 && buffer[2]) {
			*bytes = data->d_size - 5;
			return buffer + 5;
		}
		if (id)
			return id;
	}
	*bytes = 0;
	return NULL;
}

void build_id_text(const uint8_t *id, size_t bytes, char text[BUILD_ID_TEXT_BYTES])
{
	*text = '\0';
	for (size_t i = 0; i < bytes && i < BUILD_ID_TEXT_BYTES / 2; i++)
		sprintf(text + 2 * i, "%02x", id[i]);
}

void object_build_id(const struct object *object, char text[BUILD_ID_TEXT_BYTES])
{
	size_t bytes;
	const uint8_t *id = object_find_build_id(object, &bytes);

	build_id_text(id, bytes, text);
}

void build_id_of_notes(const void *notes, size_t size, char text[BUILD_ID_TEXT_BYTES])
{
	size_t bytes = 0;
	const uint8_t *id = find_note(notes, size, &bytes);

	build_id_text(id, bytes, text);
}
