/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/records/btf_input.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_kind.h"
#include "base/memory.h"

static bool report_lacking_base(const struct btf_reader *reader, struct error *err)
{
	return error_at(err, reader->name, "is split BTF; give its base with --base");
}

/* To read what is split from them, no more than their sizes must be known. */
static bool is_readable_base(const struct btf_reader *reader, struct error *err)
{
	return !btf_reader_lacks_base(reader) || report_lacking_base(reader, err);
}

static bool open_bases(struct btf_bases *bases, const char *const *paths, uint32_t count,
		       bool (*is_good)(const struct btf_reader *reader, struct error *err),
		       struct error *err)
{
	*bases = (struct btf_bases){ 0 };
	for (uint32_t i = 0; i < count; i++) {
		struct btf_reader *reader = &bases->readers[i];

		if (!btf_reader_open(reader, paths[i], NULL, btf_bases_top(bases), err))
			return false;
		bases->count++;
		if (reader->has_base_section)
			return error_at(err, paths[i],
					"its BTF is split from a distilled base (.BTF.base), from "
					"which nothing else can be split; encode it without "
					"distilled_base");
		if (!is_good(reader, err))
			return false;
	}
	return true;
}

bool btf_bases_open(struct btf_bases *bases, const char *const *paths, uint32_t count,
		    struct error *err)
{
	return open_bases(bases, paths, count, btf_reader_is_base, err);
}

void btf_bases_release(struct btf_bases *bases)
{
	while (bases->count)
		btf_reader_release(&bases->readers[--bases->count]);
}

const struct btf_reader *btf_bases_top(const struct btf_bases *bases)
{
	return bases->count ? &bases->readers[bases->count - 1] : NULL;
}

/* A module with a distilled base brings its own: no other is needed, and none fits. */
static bool open_own_base(struct btf_input *input, struct error *err)
{
	btf_reader_release(&input->btf);
	if (!btf_reader_open(&input->bases.readers[0], input->path, ".BTF.base", NULL, err))
		return false;
	input->bases.count = 1;
	return btf_reader_open(&input->btf, input->path, NULL, &input->bases.readers[0], err);
}

bool btf_file_is_split(const char *path)
{
	struct btf_reader reader;
	struct error err;
	bool split;

	if (!btf_reader_open(&reader, path, NULL, NULL, &err))
		return false;
	split = !reader.has_base_section && btf_reader_lacks_base(&reader);
	btf_reader_release(&reader);
	return split;
}

static bool is_given(const struct btf_input *input, const char *path)
{
	struct stat wanted, given;

	if (stat(path, &wanted) != 0)
		return false;
	for (uint32_t i = 0; i < input->base_count; i++) {
		if (stat(input->base_paths[i], &given) == 0 && given.st_dev == wanted.st_dev &&
		    given.st_ino == wanted.st_ino)
			return true;
	}
	return false;
}

/*
 * Raw FILE.extra: FILE is its base, unless the user knows better; but what FILE is split from is
 * only part of that.
 */
static bool recognize_extra(struct btf_input *input, struct error *err)
{
	size_t length = strlen(input->path), suffix = strlen(BTF_EXTRA_SUFFIX);
	char *base;

	if (length <= suffix || strcmp(input->path + length - suffix, BTF_EXTRA_SUFFIX) != 0 ||
	    file_kind_of(input->path) != FILE_RAW_BTF)
		return true;
	input->is_extra = true;
	input->extra_base = base = memory_string(input->path, length - suffix);
	if (!input->base_count && access(base, F_OK) != 0)
		return error_at(err, input->path, "by its name it goes on top of %.300s, of which: "
				"%s; give its base with --base", base, strerror(errno));
	if (!input->base_count && btf_file_is_split(base))
		return error_at(err, base, "is split BTF; give -b BASE, from which it is split; "
				"%.300s is taken by itself", base);
	if (input->base_count < BTF_INPUT_MAX_BASES &&
	    (!input->base_count || (!is_given(input, base) && btf_file_is_split(base)))) {
		input->base_paths[input->base_count++] = base;
		return true;
	}
	free(input->extra_base);
	input->extra_base = NULL;
	return true;
}

/* By its types, whatever the file is called: other BTF has none of these. */
static bool has_extra_types(const struct btf_reader *btf)
{
	for (uint32_t i = 0; i < btf->type_count; i++) {
		uint32_t info = btf->words[btf->positions[i] + BTF_WORD_INFO];

		if (btf_info_kind(info) == BTF_LOC ||
		    (btf_info_kind(info) == BTF_DATASEC && btf_info_kind_flag(info)))
			return true;
	}
	return false;
}

bool btf_input_open_extra(struct btf_input *input, struct error *err)
{
	struct error inner;

	if (!input->btf.has_extra_section)
		return true;
	input->has_extra = btf_reader_open(&input->extra, input->path, BTF_EXTRA_SECTION,
					   &input->btf, &inner);
	return input->has_extra || error_set(err, BTF_EXTRA_SECTION " of %s", inner.text);
}

static const char *base_option(const struct btf_input *input)
{
	return input->base_option ? input->base_option : "--base";
}

bool btf_input_open(struct btf_input *input, struct error *err)
{
	if (!recognize_extra(input, err) ||
	    !open_bases(&input->bases, input->base_paths, input->base_count, is_readable_base,
			err) ||
	    !btf_reader_open(&input->btf, input->path, NULL, btf_bases_top(&input->bases), err))
		return false;
	input->is_extra |= input->base_count && has_extra_types(&input->btf);
	if (!input->btf.has_base_section)
		return !btf_reader_lacks_base(&input->btf) ||
		       error_at(err, input->path, "is split BTF; give its base with %s",
				base_option(input));
	if (input->base_count)
		return error_at(err, input->path, "has its own, distilled base (.BTF.base); leave "
				"%s out", base_option(input));
	return open_own_base(input, err);
}

void btf_input_release(struct btf_input *input)
{
	if (input->has_extra)
		btf_reader_release(&input->extra);
	free(input->extra_base);
	btf_reader_release(&input->btf);
	btf_bases_release(&input->bases);
}
