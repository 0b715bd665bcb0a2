/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "encoder/btf_input.h"

#include <string.h>

/* The value of `--base FILE` or `--base=FILE`, NULL: another argument, or *missing. */
static const char *base_value(int argc, char **argv, int *at, bool *missing)
{
	const char *argument = argv[*at];

	if (strncmp(argument, "--base=", 7) == 0)
		return argument + 7;
	if (strcmp(argument, "--base") != 0)
		return NULL;
	if (*at + 1 == argc) {
		*missing = true;
		return NULL;
	}
	return argv[++*at];
}

bool btf_input_parse(struct btf_input *input, int argc, char **argv, struct error *err)
{
	bool options_end = false;

	*input = (struct btf_input){ 0 };
	for (int i = 1; i < argc; i++) {
		bool missing = false;
		const char *base = options_end ? NULL : base_value(argc, argv, &i, &missing);

		if (missing)
			return error_at(err, argv[0], "--base needs a file; see --help");
		if (base) {
			if (input->base_count == BTF_INPUT_MAX_BASES)
				return error_at(err, argv[0], "more than %d bases; see --help",
						BTF_INPUT_MAX_BASES);
			input->base_paths[input->base_count++] = base;
		} else if (!options_end && strcmp(argv[i], "--") == 0) {
			options_end = true;
		} else if (!options_end && (strcmp(argv[i], "--help") == 0 ||
					    strcmp(argv[i], "-h") == 0)) {
			input->help = true;
			return true;
		} else if (!options_end && argv[i][0] == '-' && argv[i][1]) {
			return error_at(err, argv[0], "unknown option %s; see --help", argv[i]);
		} else if (input->path) {
			return error_at(err, argv[0], "one file at a time, not also %s; see --help",
					argv[i]);
		} else {
			input->path = argv[i];
		}
	}
	return input->path ? true : error_at(err, argv[0], "needs a file; see --help");
}

bool btf_bases_open(struct btf_bases *bases, const char *const *paths, uint32_t count,
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
		if (!btf_reader_is_base(reader, err))
			return false;
	}
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

/* A module with a distilled base brings its own: no other is needed, and none fits. */
static bool open_own_base(struct btf_input *input, struct error *err)
{
	btf_reader_release(&input->btf);
	if (!btf_reader_open(&input->bases.readers[0], input->path, ".BTF.base", NULL, err))
		return false;
	input->bases.count = 1;
	return btf_reader_open(&input->btf, input->path, NULL, &input->bases.readers[0], err);
}

bool btf_input_open(struct btf_input *input, struct error *err)
{
	if (!btf_bases_open(&input->bases, input->base_paths, input->base_count, err) ||
	    !btf_reader_open(&input->btf, input->path, NULL, btf_bases_top(&input->bases), err))
		return false;
	if (!input->btf.has_base_section)
		return true;
	if (input->base_count)
		return error_at(err, input->path, "has its own, distilled base (.BTF.base); leave "
				"--base out");
	return open_own_base(input, err);
}

void btf_input_release(struct btf_input *input)
{
	btf_reader_release(&input->btf);
	btf_bases_release(&input->bases);
}
