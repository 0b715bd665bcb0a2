/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "kernel/btf_input.h"

#include <errno.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/file_kind.h"
#include "base/memory.h"
#include "base/text.h"
#include "kernel/btf_machine.h"
#include "kernel/attach/running_kernel.h"
#include "elf/object.h"

static bool open_bases(struct btf_bases *bases, const struct base_list *list, bool to_split,
		       struct error *err)
{
	*bases = (struct btf_bases){ 0 };
	for (uint32_t i = 0; i < list->count; i++) {
		struct btf_reader *reader = &bases->readers[i];

		if (!btf_reader_open(reader, list->paths[i], NULL, btf_bases_top(bases), err))
			return false;
		bases->count++;
		if (reader->has_base_section)
			return error_at(err, list->paths[i],
					"its BTF is split from a distilled base (.BTF.base), from "
					"which nothing else can be split; encode it without "
					"distilled_base");
		if (to_split && !btf_reader_is_base(reader, err))
			return false;
		if (i && reader->string_bytes > 1 && !reader->strings[0])
			return error_at(err, reader->name, "is complete, not split from %.300s; "
					"give one of the two", list->paths[i - 1]);
		/* To read what is split from them, no more than their sizes must be known. */
		if (!to_split && btf_reader_lacks_base(reader))
			return error_at(err, reader->name, "is split BTF; give its base with "
					"--base");
	}
	return true;
}

static bool refuse_own_base(const char *path, const char *option, struct error *err)
{
	return error_at(err, path, "cannot be its own base; give %s the BTF that it is split from, "
			"or leave that out", option);
}

/*
 * The release of a kernel image, or of the running kernel for its BTF; "": it is neither. And the
 * machine (EM_*); 0: it is no ELF file.
 */
static uint16_t read_release(const char *path, char release[KERNEL_RELEASE_BYTES])
{
	struct object object;
	struct utsname running;
	struct error ignored;
	uint16_t machine = 0;

	if (text_after(path, RUNNING_BTF_DIRECTORY "/") && uname(&running) == 0)
		snprintf(release, KERNEL_RELEASE_BYTES, "%s", running.release);
	if (file_kind_of(path) == FILE_ELF && object_open_bare(&object, path, &ignored)) {
		kernel_release_of_image(&object, release);
		machine = object.machine;
		object_close(&object);
	}
	return machine;
}

bool btf_bases_open_base(struct btf_bases *bases, const struct base_list *list,
			 struct btf_base *base, struct error *err)
{
	if (!open_bases(bases, list, true, err))
		return false;
	btf_base_init(base, btf_bases_top(bases));
	base->machine = read_release(*list->paths, bases->release);
	if (!base->machine)
		base->machine = btf_machine_of(NULL, base->reader).number;
	base->release = bases->release;
	return true;
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

bool btf_file_has_btf(const char *path, bool has_base)
{
	struct btf_reader reader;
	struct error ignored;
	bool has = btf_reader_open(&reader, path, NULL, NULL, &ignored);

	if (has)
		btf_reader_release(&reader);
	return has && (has_base || !btf_file_is_split(path));
}

static bool has_path(const struct base_list *list, const char *path)
{
	uint32_t i = 0;

	while (i < list->count && !is_same_file(list->paths[i], path))
		i++;
	return i < list->count;
}

bool btf_bases_open_for(struct btf_bases *bases, const struct base_list *list, const char *path,
			struct error *err)
{
	*bases = (struct btf_bases){ 0 };
	return has_path(list, path) ? refuse_own_base(path, "--base", err)
				    : open_bases(bases, list, false, err);
}

static bool add_base(struct btf_input *input, const char *path)
{
	if (input->given.count == BTF_INPUT_MAX_BASES || has_path(&input->given, path))
		return false;
	input->given.paths[input->given.count++] = path;
	return true;
}

/* The name of an existing file, which is no device, to be freed; or NULL. */
static char *with_suffix(const char *path, const char *suffix)
{
	char *name = text_format("%s%s", path, suffix);
	struct error ignored;

	if (file_exists(name) && file_is_regular(name, "", &ignored))
		return name;
	free(name);
	return NULL;
}

/*
 * Raw FILE.inline or FILE.extra: FILE is its base, unless the user knows better; but what FILE is
 * split from is only part of that. FILE.inline is below FILE.extra.
 */
static bool recognize_part(struct btf_input *input, struct error *err)
{
	size_t end = 0;
	char *base, *below;
	bool has_base;

	for (enum btf_part p = 0; p < BTF_PART_COUNT && !end; p++) {
		if (!text_ends_with(input->path, btf_part_suffix(p)))
			continue;
		end = strlen(input->path) - strlen(btf_part_suffix(p));
		input->is_extra = p == BTF_PART_EXTRA;
	}
	if (!end || file_kind_of(input->path) != FILE_RAW_BTF) {
		input->is_extra = false;
		return true;
	}
	input->part_suffix = input->path + end;
	input->part_bases[0] = base = memory_string(input->path, end);
	if (!input->given.count && !file_exists(base))
		return error_at(err, input->path, "by its name it goes on top of %.300s, of which: "
				"%s; give its base with --base", base, strerror(errno));
	if (!input->given.count && btf_file_is_split(base))
		return error_at(err, base, "is split BTF; give -b BASE, from which it is split; "
				"%.300s is taken by itself", base);
	has_base = has_path(&input->given, base);
	if (!has_base && (!input->given.count || btf_file_is_split(base)))
		has_base = input->implies_base = add_base(input, base);
	below = has_base && input->is_extra
			? with_suffix(base, btf_part_suffix(BTF_PART_INLINE)) : NULL;
	input->part_bases[1] = below;
	if (below)
		add_base(input, below);
	return true;
}

bool btf_has_kind(const struct btf_reader *btf, enum btf_kind kind)
{
	for (uint32_t i = 0; i < btf->type_count; i++) {
		uint32_t info = btf->words[btf->positions[i] + BTF_WORD_INFO];

		if (btf_info_kind(info) == kind &&
		    (kind != BTF_DATASEC || btf_info_kind_flag(info)))
			return true;
	}
	return false;
}

const struct btf_reader *btf_input_top(const struct btf_input *input)
{
	return input->part_count ? &input->parts[input->part_count - 1] : &input->btf;
}

static bool fits_base(const struct btf_reader *extra, const struct btf_input *input,
		      struct error *err)
{
	return btf_reader_fits_base(extra) ||
	       error_at(err, extra->name, "was made with another BTF than that of %.300s; encode "
			"both again", extra == &input->btf && extra->base ? extra->base->name
									  : input->path);
}

bool btf_input_open_parts(struct btf_input *input, bool next_to_it, const char *extra,
			  struct error *err)
{
	for (enum btf_part p = 0; p < BTF_PART_COUNT; p++) {
		struct btf_reader *reader = &input->parts[input->part_count];
		const char *section = btf_part_sections[p];
		char *file = next_to_it ? with_suffix(input->path, btf_part_suffix(p)) : NULL;
		const char *path = input->btf.has_part_section[p] ? input->path : file;
		struct error inner;
		bool good = true;

		if (extra && p == BTF_PART_EXTRA)
			path = extra;
		else if (extra && path == file && file && is_same_file(file, extra))
			path = NULL;
		if (path)
			good = btf_reader_open(reader, path, section, btf_input_top(input), &inner);
		if (path && good && !fits_base(reader, input, &inner)) {
			btf_reader_release(reader);
			good = false;
		}
		if (!good && path == input->path) {
			error_set(err, "%s of %s", section, inner.text);
		} else if (!good) {
			*err = inner;
		} else if (path == input->path) {
			free(reader->name);
			reader->name = text_format("%s: %s", path, section);
		}
		input->part_count += path && good;
		free(file);
		if (!good)
			return false;
	}
	return true;
}

static const char *base_option(const struct btf_input *input)
{
	return input->base_option ? input->base_option : "--base";
}

bool btf_input_open(struct btf_input *input, struct error *err)
{
	if (has_path(&input->given, input->path))
		return refuse_own_base(input->path, base_option(input), err);
	if (!recognize_part(input, err) ||
	    !open_bases(&input->bases, &input->given, false, err) ||
	    !btf_reader_open(&input->btf, input->path, NULL,
			     input->below ? input->below : btf_bases_top(&input->bases), err))
		return false;
	/* By its types, whatever the file is called: other BTF has none of these. */
	input->is_extra |= (input->given.count || input->below) &&
			   (btf_has_kind(&input->btf, BTF_LOC) ||
			    btf_has_kind(&input->btf, BTF_DATASEC));
	if (input->is_extra && !fits_base(&input->btf, input, err))
		return false;
	if (!input->btf.has_base_section)
		return !btf_reader_lacks_base(&input->btf) ||
		       error_at(err, input->path, "is split BTF; give its base with %s",
				base_option(input));
	if (input->given.count)
		return error_at(err, input->path, "has its own, distilled base (.BTF.base); leave "
				"%s out", base_option(input));
	/* A module's distilled base: no other is needed, and none fits. */
	btf_reader_release(&input->btf);
	if (!btf_reader_open(&input->bases.readers[0], input->path, ".BTF.base", NULL, err))
		return false;
	input->bases.count = 1;
	return btf_reader_open(&input->btf, input->path, NULL, &input->bases.readers[0], err);
}

void btf_input_release(struct btf_input *input)
{
	while (input->part_count)
		btf_reader_release(&input->parts[--input->part_count]);
	for (int p = 0; p < BTF_PART_COUNT; p++)
		free(input->part_bases[p]);
	btf_reader_release(&input->btf);
	btf_bases_release(&input->bases);
}
