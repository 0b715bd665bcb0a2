/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * ELF with DWARF, encoded on a base. Parts: the base, the file.
 *
 * flags: bit 0 the base is indexed as a whole, 1 distilled, 2 and 3 sites.
 */
#include "btf/verify/verify.h"
#include "encoder/result.h"
#include "tests/fuzz/fuzz.h"

const uint32_t fuzz_parts = 2;

/* What the encoder makes of a good base its own verifier accepts; of a bad one it may not. */
static void read_back(const struct btf_image *image, const struct btf_reader *base)
{
	struct btf_findings findings;
	struct btf_reader reader;
	struct error err;

	if (!btf_reader_from_memory(&reader, image->data, image->size, "split", base, &err)) {
		fuzz_expect_line(&err);
		return;
	}
	btf_verify(&reader, NULL, &findings);
	btf_findings_release(&findings);
	btf_reader_release(&reader);
}

void fuzz_one(const struct fuzz_input *input)
{
	struct encode_options options = { .jobs = 1 };
	struct encode_report report;
	struct btf_reader reader;
	struct btf_image image;
	struct btf_base base;
	struct error err = { "" };

	if (!btf_reader_from_memory(&reader, input->parts[0].data, input->parts[0].bytes, "base",
				    NULL, &err)) {
		fuzz_expect_line(&err);
		return;
	}
	if (!btf_reader_is_base(&reader, &err)) {
		fuzz_expect_line(&err);
		btf_reader_release(&reader);
		return;
	}
	features_default(&options.features);
	options.features.feature_distilled_base = input->flags & 2;
	options.features.feature_inline = options.split_inline = input->flags & 4;
	options.features.feature_func_secinfo = input->flags & 8;
	btf_base_init(&base, &reader);
	if (input->flags & 1)
		btf_base_index_all(&base);
	options.base = &base;
	options.path = fuzz_file(0, &input->parts[1]);
	if (encode_file(&options, &image, &report, &err)) {
		if (!image.base_data)
			read_back(&image, &reader);
		btf_image_release(&image);
	} else {
		fuzz_expect_line(&err);
	}
	btf_base_release(&base);
	btf_reader_release(&reader);
}
