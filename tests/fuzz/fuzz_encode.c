/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * ELF with DWARF: encode, stats, list and explain. Parts: the name that is explained, the file.
 *
 * flags: bits 0-2 what is done (0-3: encode), 3 strict, 4 inline sites, 5 .BTF.extra, 6 other
 * features, 7 the first part is no name: it is a file, called 101, which the other may name as its
 * debug file or as the supplementary file of dwz.
 */
#include <stdlib.h>

#include "commands/command_line.h"
#include "encoder/result.h"
#include "tests/fuzz/fuzz.h"

const uint32_t fuzz_parts = 2;

static void encode(const char *path, uint8_t flags)
{
	struct encode_options options = { .path = path, .jobs = 1, .strict = flags & 8 };
	struct encode_report report;
	struct btf_image image;
	struct error err = { "" };

	features_default(&options.features);
	options.languages = (struct language_set){ .rust = flags & 1, .cxx = flags & 1 };
	options.features.feature_inline = options.split_inline = flags & 16;
	options.features.feature_func_secinfo = options.features.func_secinfo_inline = flags & 32;
	/* All evidence is looked at, and everything is written. */
	options.features.feature_true_signature = options.count_inlined = true;
	options.features.feature_global_var = options.features.feature_attributes = true;
	if (flags & 64) {
		options.features.feature_float = options.features.feature_enum64 = false;
		options.features.feature_layout = options.examine_clones = true;
	}
	if (encode_file(&options, &image, &report, &err))
		btf_image_release(&image);
	else
		fuzz_expect_line(&err);
}

void fuzz_one(const struct fuzz_input *input)
{
	static char *const features[] = { (char *)"+inline,+true_signature",
					  (char *)"all,func_secinfo=inline" };
	char *feature = features[input->flags >> 4 & 1];
	char *path = (char *)fuzz_file(0, &input->parts[1]), *name;
	static const struct fuzz_part none;

	/* What an earlier input had for it is not found. */
	fuzz_file(1, input->flags & 128 ? &input->parts[0] : &none);
	switch (input->flags & 7) {
	case 4:
		name = (char *)(input->flags & 8 ? "--json" : "--functions=-");
		fuzz_command(cmd_stats, (char *[]){ (char *)"stats", (char *)"-j1", name,
						    (char *)"--features", feature, path, NULL });
		break;
	case 5:
		fuzz_command(cmd_list, (char *[]){ (char *)"list", (char *)"-j1", (char *)"-f",
						   path, NULL });
		break;
	case 6:
	case 7:
		name = input->flags & 128 ? memory_copy("linked") : fuzz_text(&input->parts[0]);
		fuzz_command(cmd_explain, (char *[]){ (char *)"explain", (char *)"-j1",
						      (char *)"--root=/nonexistent",
						      (char *)"--features", feature,
						      (char *)(input->flags & 8 ? "--json" : "-j1"),
						      (char *)"--", name, path, NULL });
		free(name);
		break;
	default:
		encode(path, input->flags);
	}
}
