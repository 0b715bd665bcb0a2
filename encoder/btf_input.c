/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "encoder/btf_input.h"

#include <getopt.h>
#include <stdio.h>

#include "encoder/arguments.h"

static int add_base(struct btf_input *input, const char *command, const char *path)
{
	if (input->base_count == BTF_INPUT_MAX_BASES)
		return arguments_usage_error(command, "more bases than can be stacked: %s", path);
	input->base_paths[input->base_count++] = path;
	return -1;
}

int btf_input_parse(struct btf_input *input, int argc, char **argv, const char *help)
{
	static const struct option long_options[] = {
		{ "base", required_argument, NULL, 'b' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	const char *command = argv[0];
	int option, status;

	*input = (struct btf_input){ 0 };
	optind = 0;
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":b:h", long_options, NULL)) != -1) {
		switch (option) {
		case 'b':
			status = add_base(input, command, optarg);
			if (status >= 0)
				return status;
			break;
		case 'h': fputs(help, stdout); return EXIT_DONE;
		case ':':
			return arguments_usage_error(command, "%s needs a file", argv[optind - 1]);
		default:
			return arguments_usage_error(command, "%s is not an option",
						     argv[optind - 1]);
		}
	}
	if (optind == argc)
		return arguments_usage_error(command, "%s", "no FILE is given");
	if (optind + 1 != argc)
		return arguments_usage_error(command, "one FILE at a time, not also %s",
					     argv[optind + 1]);
	input->path = argv[optind];
	return -1;
}

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

bool btf_input_open(struct btf_input *input, struct error *err)
{
	if (!open_bases(&input->bases, input->base_paths, input->base_count, is_readable_base,
			err) ||
	    !btf_reader_open(&input->btf, input->path, NULL, btf_bases_top(&input->bases), err))
		return false;
	if (!input->btf.has_base_section)
		return !btf_reader_lacks_base(&input->btf) ||
		       report_lacking_base(&input->btf, err);
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
