/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Sections that are put into an ELF file, damaged or not. Parts: what becomes .BTF, the file.
 *
 * flags: bit 0: .BTF.base is removed; 1: .BTF.extra is put there, too. What is refused stays as it
 * was; else the first section of the name has these bytes, and a second time changes nothing. What
 * takes a copy next to the file is refused here: there is no folder.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "btf/elf_store.h"
#include "elf/object.h"
#include "tests/fuzz/fuzz.h"

const uint32_t fuzz_parts = 2;

static bool is_whole(const char *path, const void *bytes, size_t count)
{
	int fd = open(path, O_RDONLY);
	struct stat status;
	void *found = malloc(count + 1);
	bool same = found && fd >= 0 && fstat(fd, &status) == 0 &&
		    status.st_size == (off_t)count &&
		    pread(fd, found, count, 0) == (ssize_t)count &&
		    (!count || memcmp(found, bytes, count) == 0);

	close(fd);
	free(found);
	return same;
}

/* BTF may have been padded to the size of the room that it has. */
static void expect_section(const char *path, const struct fuzz_part *wanted)
{
	struct object object;
	struct error err;
	const uint8_t *found;
	size_t size;

	if (!object_open_bare(&object, path, &err))
		return;
	found = object_section_named(&object, ".BTF", &size);
	if (wanted->bytes && (size < wanted->bytes || (size == wanted->bytes &&
						       memcmp(found, wanted->data, size) != 0)))
		abort();
	object_close(&object);
}

void fuzz_one(const struct fuzz_input *input)
{
	const struct fuzz_part *btf = &input->parts[0], *file = &input->parts[1];
	const char *path = fuzz_file(0, file);
	const struct elf_section_data sections[] = {
		{ ".BTF", btf->bytes ? btf->data : NULL, btf->bytes, 0 },
		{ ".BTF.base", NULL, 0, 0 },
		{ ".BTF.extra", input->flags & 2 && btf->bytes ? btf->data : NULL, btf->bytes, 0 },
	};
	size_t count = input->flags & 2 ? 3 : 1 + (input->flags & 1);
	struct error err;
	struct stat first, second;

	if (!elf_store(path, NULL, sections, count, &err)) {
		fuzz_expect_line(&err);
		if (!is_whole(path, file->data, file->bytes))
			abort();
		return;
	}
	expect_section(path, btf);
	if (stat(path, &first) != 0 || !elf_store(path, NULL, sections, count, &err) ||
	    stat(path, &second) != 0 || first.st_size != second.st_size)
		abort();
}
