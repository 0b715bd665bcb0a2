/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/types/type_input.h"

#include "base/file_kind.h"
#include "kernel/records.h"
#include "encoder/result.h"

static bool encode(struct type_input *input, const struct encode_options *options,
		   struct error *err)
{
	struct encode_report report;

	input->has_image = encode_file(options, &input->image, &report, err);
	if (!input->has_image)
		return false;
	input->has_reader = btf_reader_from_memory(&input->reader, input->image.data,
						   input->image.size, options->path, NULL, err);
	input->btf = &input->reader;
	return input->has_reader;
}

static bool is_split_right(const struct btf_reader *btf, const char *path, struct error *err)
{
	bool has_elf = btf->base && file_kind_of(path) == FILE_ELF;
	struct elf_input elf;
	bool good = (!has_elf || elf_input_open(&elf, path, err)) &&
		    records_are_split_right(btf, has_elf ? &elf : NULL, err);

	if (has_elf)
		elf_input_close(&elf);
	return good;
}

bool type_input_open(struct type_input *input, const char *path, const struct base_list *bases,
		     const struct btf_reader *below, const struct encode_options *options,
		     struct error *err)
{
	struct encode_options of_path = *options;

	*input = (struct type_input){ .input = { .path = path, .given = *bases, .below = below } };
	of_path.path = path;
	if (!bases->count && file_kind_of(path) == FILE_ELF && !btf_file_has_btf(path, below) &&
	    !is_asked_by_btf(path))
		return encode(input, &of_path, err);
	if (!btf_input_open(&input->input, err))
		return false;
	input->btf = &input->input.btf;
	return btf_reader_check_complete(input->btf, err) &&
	       is_split_right(input->btf, path, err);
}

void type_input_release(struct type_input *input)
{
	if (input->has_reader)
		btf_reader_release(&input->reader);
	if (input->has_image)
		btf_image_release(&input->image);
	btf_input_release(&input->input);
}
