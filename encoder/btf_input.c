/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "encoder/btf_input.h"

#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file_kind.h"
#include "base/memory.h"
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
		{ "machine", required_argument, NULL, 'm' },
		{ 0 },
	};
	bool has_machine = strstr(help, "--machine");
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
			return arguments_usage_error(command, optopt == 'm' ? "%s needs a name"
									    : "%s needs a file",
						     argv[optind - 1]);
		case 'm':
			input->machine = optarg;
			if (has_machine)
				break;
			return arguments_usage_error(command, "%s is not an option", "--machine");
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

static bool is_raw_btf(const char *path)
{
	uint8_t bytes[FILE_KIND_BYTES];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : pread(fd, bytes, sizeof(bytes), 0);

	if (fd >= 0)
		close(fd);
	return got > 0 && file_kind_is_raw_btf(bytes, (size_t)got);
}

/* Raw FILE.extra: FILE is its base, unless the user knows better. */
static void recognize_extra(struct btf_input *input)
{
	size_t length = strlen(input->path), suffix = strlen(BTF_EXTRA_SUFFIX);

	if (length <= suffix || strcmp(input->path + length - suffix, BTF_EXTRA_SUFFIX) != 0 ||
	    !is_raw_btf(input->path))
		return;
	input->is_extra = true;
	if (input->base_count)
		return;
	input->extra_base = memory_string(input->path, length - suffix);
	input->base_paths[input->base_count++] = input->extra_base;
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

bool btf_input_open(struct btf_input *input, struct error *err)
{
	recognize_extra(input);
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
	if (input->has_extra)
		btf_reader_release(&input->extra);
	free(input->extra_base);
	btf_reader_release(&input->btf);
	btf_bases_release(&input->bases);
}
