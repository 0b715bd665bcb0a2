/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * usage: compare_lower FILE...
 *
 * Differential test: whole files encoded with and without guesses at what a type is likely to be
 * (encoder/lower/lower_known.c). The bytes must be the same, with one thread and with three.
 *
 * Exit status: 0 equal (or no FILE: skipped), 1 different, 3 a file cannot be encoded.
 */
#include <stdio.h>
#include <string.h>

#include "encoder/result.h"
#include "tests/comparison.h"

static bool encode(const char *path, unsigned int jobs, bool never_guess, struct btf_image *image,
		   uint64_t *broken)
{
	struct encode_options options = { .path = path, .jobs = jobs };
	struct encode_report report;
	struct error err;
	bool good;

	features_default(&options.features);
	lower_never_guess = never_guess;
	good = encode_file(&options, image, &report, &err);
	lower_never_guess = false;
	if (!good)
		printf("compare_lower: %s\n", err.text);
	*broken = report.broken;
	return good;
}

/* Returns the exit status. */
static int compare_file(const char *path)
{
	static const unsigned int jobs[] = { 1, 3 };
	struct btf_image wanted, image;
	int status = EXIT_DONE;
	uint64_t broken;

	if (!encode(path, 1, true, &wanted, &broken))
		return EXIT_FAILED;
	if (broken)
		status = EXIT_ANSWER_NO; /* this option promises nothing */
	for (size_t i = 0; i < 2 && status == EXIT_DONE; i++) {
		if (!encode(path, jobs[i], false, &image, &broken)) {
			status = EXIT_FAILED;
			break;
		}
		if (image.size != wanted.size || memcmp(image.data, wanted.data, image.size) != 0)
			status = EXIT_ANSWER_NO;
		printf("%s: -j%u, %llu promises broken: %s\n", path, jobs[i],
		       (unsigned long long)broken, status ? "DIFFERENT" : "equal");
		btf_image_release(&image);
	}
	btf_image_release(&wanted);
	return status;
}

int main(int argc, char **argv)
{
	return compare_files(argc, argv, compare_file);
}
