/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * usage: compare_groups FILE...
 *
 * Connected units (dwz, LTO) as one group, and divided as far as it goes (encoder/unit_groups.h):
 * the types must be the same in another order, but for what leads to a declaration that is bound
 * in the larger group only; the verdicts must be the same; and divided, the bytes must be the same
 * with any number of threads.
 *
 * Exit status: 0 equal (or no FILE: skipped), 1 different, 3 a file cannot be encoded.
 */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "encoder/result.h"
#include "tests/comparison.h"

/* Types are equal if they are so up to this depth of references. */
#define ROUNDS 12

/* Of the fixtures only that with type units has one more: a pointer to struct route. */
#define MORE_TYPES 1

struct encoded {
	struct btf_image image;
	struct encode_report report;
	uint32_t groups;
};

static bool encode(const char *path, unsigned int jobs, bool divide, struct encoded *encoded)
{
	struct encode_options options = { .path = path, .jobs = jobs };
	struct program program;
	struct error err;
	bool good;

	features_default(&options.features);
	unit_groups_always_divide = divide;
	good = program_open(&program, &options, &err);
	if (good) {
		good = program_encode(&program, &encoded->image, &encoded->report, &err);
		encoded->groups = (uint32_t)program.groups.groups.count;
		program_close(&program);
	}
	if (!good)
		printf("compare_groups: %s\n", err.text);
	return good;
}

static int compare_numbers(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* A number for each type that does not depend on ids, sorted. To be freed. */
static uint64_t *type_numbers(const struct btf_reader *reader)
{
	uint32_t count = btf_reader_end_id(reader);
	uint64_t *numbers = memory_zeroed(count, sizeof(*numbers));
	uint64_t *next = memory_zeroed(count, sizeof(*next));

	for (int round = 0; round < ROUNDS; round++) {
		uint64_t *swap = numbers;

		for (uint32_t id = 1; id < count; id++) {
			const uint32_t *words = reader->words + reader->positions[id - 1];
			uint32_t length = btf_record_words(words[BTF_WORD_INFO]);
			uint64_t number = 0;
			uint32_t copy[length];

			memcpy(copy, words, sizeof(copy));
			btf_each_name(word, words) {
				const char *name = reader->strings + words[word];

				copy[word] = hash_bytes(name, strlen(name));
			}
			btf_each_ref(word, words)
				copy[word] = (uint32_t)(numbers[words[word]] >> 32);
			for (uint32_t i = 0; i < length; i++)
				number = hash_mix(number, copy[i]);
			next[id] = number;
		}
		numbers = next;
		next = swap;
	}
	free(next);
	qsort(numbers, count, sizeof(*numbers), compare_numbers);
	return numbers;
}

/* Does b have all types of a, and no more but a few roots? */
static bool has_types(const struct btf_image *a, const struct btf_image *b)
{
	struct btf_reader readers[2];
	uint64_t *numbers[2];
	struct error err;
	uint32_t found = 0, count, more;

	if (!btf_reader_from_memory(&readers[0], a->data, a->size, "a", NULL, &err) ||
	    !btf_reader_from_memory(&readers[1], b->data, b->size, "b", NULL, &err))
		abort();
	for (int i = 0; i < 2; i++)
		numbers[i] = type_numbers(&readers[i]);
	count = readers[0].type_count;
	more = readers[1].type_count;
	/* Both are sorted, and begin with void. */
	for (uint32_t i = 1; i <= more && found < count; i++)
		found += numbers[1][i] == numbers[0][found + 1];
	for (int i = 0; i < 2; i++) {
		free(numbers[i]);
		btf_reader_release(&readers[i]);
	}
	return found == count && more - count <= MORE_TYPES;
}

static bool same_report(const struct encode_report *a, const struct encode_report *b)
{
	return a->units.units == b->units.units && a->dwarf_types == b->dwarf_types &&
	       a->units.functions == b->units.functions && a->variables == b->variables &&
	       memcmp(a->verdicts, b->verdicts, sizeof(a->verdicts)) == 0;
}

/* Returns the exit status. */
static int compare_file(const char *path)
{
	struct encoded whole, parts[4] = { 0 };
	int status = EXIT_DONE;
	unsigned int jobs;

	if (!encode(path, 1, false, &whole))
		return EXIT_FAILED;
	for (jobs = 1; jobs <= 4 && encode(path, jobs, true, &parts[jobs - 1]); jobs++) {
		const struct btf_image *first = &parts[0].image, *image = &parts[jobs - 1].image;

		if (image->size != first->size ||
		    memcmp(image->data, first->data, image->size) != 0)
			status = EXIT_ANSWER_NO;
	}
	if (jobs <= 4)
		status = EXIT_FAILED;
	else if (!has_types(&whole.image, &parts[0].image) ||
		 !same_report(&whole.report, &parts[0].report))
		status = EXIT_ANSWER_NO;
	printf("%s: %u groups, divided %u: %s\n", path, whole.groups, parts[0].groups,
	       status ? "DIFFERENT" : "equal");

	while (--jobs)
		btf_image_release(&parts[jobs - 1].image);
	btf_image_release(&whole.image);
	return status;
}

int main(int argc, char **argv)
{
	return compare_files(argc, argv, compare_file);
}
