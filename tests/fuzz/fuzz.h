/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * What the fuzz targets share. Each fuzz_*.c is one program, which takes one kind of input: run
 * with files and folders it runs each file once, built with -fsanitize=fuzzer it goes on from them.
 *
 * An input is a byte of flags and then parts; each part but the last has its length in front of it,
 * in four bytes, little endian. A length that is too great ends the input.
 */
#ifndef BTFENC_TESTS_FUZZ_FUZZ_H
#define BTFENC_TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define FUZZ_PARTS_MAX 9

/* Of this target: how many parts its inputs have. */
extern const uint32_t fuzz_parts;

struct fuzz_part {
	const uint8_t *data;
	size_t bytes;
};

struct fuzz_input {
	uint8_t flags;
	struct fuzz_part parts[FUZZ_PARTS_MAX];
};

/* Runs an input. What it prints goes to stdout and stderr, which are no files here. */
void fuzz_one(const struct fuzz_input *input);

/* Where the parts are; those that are missing are empty. */
struct fuzz_input fuzz_split(const uint8_t *data, size_t bytes);

/*
 * The path of a file in memory with these bytes, good until the next call for the same slot:
 * "/proc/self/fd/100" for slot 0. One that names another by its number finds it.
 */
#define FUZZ_FIRST_FILE 100
const char *fuzz_file(uint32_t slot, const struct fuzz_part *part);

/* A copy that ends with a NUL, to be freed. */
char *fuzz_text(const struct fuzz_part *part);

/* Says what is wrong with the text, and aborts. */
void fuzz_complain(const char *what, const char *text);

/* Aborts unless the error is one line. */
void fuzz_expect_line(const struct error *err);

/* Runs a command on arguments that a NULL ends. Aborts unless a failure printed one line. */
void fuzz_command(int (*command)(int argc, char **argv), char **argv);

/* Of libFuzzer: returns the new size. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t max_bytes, unsigned int seed);

#endif
