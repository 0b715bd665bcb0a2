/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "elf/debug_file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define DEBUG_DIRECTORY "/usr/lib/debug"

const uint8_t *debug_file_build_id(const struct object *object, size_t *bytes)
{
	for (size_t i = 1; i < object->header_count; i++) {
		bool is_note = object->headers[i].type == SHT_NOTE;
		bool is_sup = strcmp(object->headers[i].name, ".debug_sup") == 0;
		Elf_Data *data = is_note || is_sup
					 ? elf_getdata(elf_getscn(object->elf, i), NULL) : NULL;
		size_t at = 0, next, name, description;
		GElf_Nhdr note;

		/* Version, the flag, no name, a length. */
		if (is_sup && data && data->d_size > 5 && ((const uint8_t *)data->d_buf)[2]) {
			*bytes = data->d_size - 5;
			return (const uint8_t *)data->d_buf + 5;
		}
		for (; is_note && data &&
		       (next = gelf_getnote(data, at, &note, &name, &description)) > 0;
		     at = next) {
			if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
			    memcmp((char *)data->d_buf + name, "GNU", 4) != 0)
				continue;
			*bytes = note.n_descsz;
			return (const uint8_t *)data->d_buf + description;
		}
	}
	*bytes = 0;
	return NULL;
}

/* Takes the path's memory unless it is the file. */
static bool is_it(struct object *found, const struct debug_link *link, char *path)
{
	const uint8_t *build_id;
	struct error ignored;
	size_t bytes;

	if (object_open_bare(found, path, &ignored)) {
		build_id = debug_file_build_id(found, &bytes);
		if (!link->build_id_bytes ||
		    (build_id && bytes == link->build_id_bytes &&
		     memcmp(build_id, link->build_id, bytes) == 0))
			return true;
		object_close(found);
	}
	free(path);
	return false;
}

bool debug_file_open(struct object *found, const struct object *object,
		     const struct debug_link *link, char **path, struct error *err)
{
	char directory[PATH_MAX], id[2 * 64 + 1] = "";
	char *slash = realpath(object->path, directory) ? strrchr(directory, '/') : NULL;

	*(slash ? slash : directory) = '\0';
	for (size_t i = 0; i < link->build_id_bytes && i < 64; i++)
		sprintf(id + 2 * i, "%02x", link->build_id[i]);
	for (int at = 0; at < 4; at++) {
		if (at == 3 ? !*id : !link->name || (*link->name == '/' && at))
			continue;
		if (at == 3)
			*path = text_format(DEBUG_DIRECTORY "/.build-id/%.2s/%s.debug", id, id + 2);
		else
			*path = text_format("%s%s%s/%s", at == 2 ? DEBUG_DIRECTORY : "",
					    *link->name == '/' ? "" : directory,
					    at == 1 ? "/.debug" : "", link->name);
		if (is_it(found, link, *path))
			return true;
	}
	return error_at(err, object->path, "needs %s, '%s' with build id %s, which is neither "
			"there nor below " DEBUG_DIRECTORY "; put it there", link->what,
			link->name ? link->name : "", *id ? id : "(none)");
}
