/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "tests/encode_blob.h"

#include <stdlib.h>

#include "tests/btf_blob.h"

void encode_blob(struct encoded_blob *out, struct dwarf_blob *b,
		 void (*change)(struct encode_options *options))
{
	struct encode_options options = { .path = dwarf_blob_write(b), .jobs = 1 };
	struct btf_reader reader;
	struct btf_image image;

	*out = (struct encoded_blob){ 0 };
	features_default(&options.features);
	if (change)
		change(&options);
	if (!encode_file(&options, &image, &out->report, &out->err))
		return;
	if (!btf_reader_from_memory(&reader, image.data, image.size, "image", NULL, &out->err))
		abort();
	out->dump = btf_dump(&reader, NULL);
	btf_reader_release(&reader);
	btf_image_release(&image);
}

void encoded_blob_release(struct encoded_blob *out)
{
	free(out->dump);
	*out = (struct encoded_blob){ 0 };
}
