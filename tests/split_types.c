/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "tests/split_types.h"

#include "tests/cmocka_all.h"

void base_types_init(struct base_types *types, const char *text)
{
	type_text_read(&types->text, text);
	types->blob = type_text_btf(&types->text);
	btf_open(&types->reader, types->blob.data, types->blob.bytes, NULL);
	assert_true(types->reader.complete);
	base_types_index(types);
}

void base_types_index(struct base_types *types)
{
	btf_base_init(&types->lazy, &types->reader);
	btf_base_init(&types->base, &types->reader);
	btf_base_index_all(&types->base);
}

void base_types_release(struct base_types *types)
{
	btf_base_release(&types->base);
	btf_reader_release(&types->reader);
	btf_blob_release(&types->blob);
	type_text_release(&types->text);
}

void split_types_init(struct split_types *split, const struct base_types *base,
		      const struct type_text *module, bool distill)
{
	struct btf_image_options options = { .base = &base->base, .distill = distill };
	const struct btf_reader *on = &base->reader;
	struct btf_image image;
	struct error err;

	*split = (struct split_types){ 0 };
	assert_true(btf_image_build(&split->image, &module->table, &module->pool, &options, &err));
	options.base = &base->lazy;
	assert_true(btf_image_build(&image, &module->table, &module->pool, &options, &err));
	assert_int_equal(image.size, split->image.size);
	assert_memory_equal(image.data, split->image.data, image.size);
	assert_int_equal(image.base_size, split->image.base_size);
	if (image.base_size)
		assert_memory_equal(image.base_data, split->image.base_data, image.base_size);
	btf_image_release(&image);
	if (distill) {
		btf_open(&split->distilled, split->image.base_data, split->image.base_size, NULL);
		assert_true(split->distilled.complete);
		on = &split->distilled;
	}
	btf_open(&split->reader, split->image.data, split->image.size, on);
	assert_true(split->reader.complete);
	assert_in_range(split->reader.header.string_bytes, 1, split->image.size);
}

void split_types_release(struct split_types *split)
{
	btf_reader_release(&split->reader);
	btf_reader_release(&split->distilled);
	btf_image_release(&split->image);
}
