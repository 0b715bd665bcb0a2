/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * An entry for coverage-guided fuzzers: one input is one ELF file to encode, strictly and not.
 *
 *	libFuzzer	clang -fsanitize=fuzzer,address -DBTFENC_LIBFUZZER ...; ./fuzz_encode CORPUS
 *	AFL++		afl-clang-fast ...; afl-fuzz -i CORPUS -o OUT -- ./fuzz_encode @@
 *	by itself	fuzz_encode FILE...	runs each file once
 */
#define _GNU_SOURCE	/* memfd_create, RTLD_NEXT */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "encoder/result.h"
#include "tests/exact_sections.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	char path[64];

	if (fd < 0 || write(fd, data, bytes) != (ssize_t)bytes)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	for (int strict = 0; strict < 2; strict++) {
		struct encode_options options = { .path = path, .jobs = 1, .strict = strict };
		struct encode_report report;
		struct btf_image image;
		struct error err = { "" };

		features_default(&options.features);
		/* All evidence is looked at, and everything is written. */
		options.features.feature_true_signature = options.count_inlined = true;
		options.features.feature_global_var = options.features.feature_attributes = true;
		options.features.feature_inline = !strict;
		options.features.feature_func_secinfo = options.features.func_secinfo_inline = true;
		if (encode_file(&options, &image, &report, &err))
			btf_image_release(&image);
		else if (!err.text[0] || strchr(err.text, '\n'))
			abort();
		exact_sections_release();
	}
	close(fd);
	return 0;
}

#ifndef BTFENC_LIBFUZZER
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		int fd = open(argv[i], O_RDONLY | O_CLOEXEC);
		struct stat st;
		uint8_t *data;

		if (fd < 0 || fstat(fd, &st) < 0)
			return EXIT_FAILED;
		data = memory_alloc((size_t)st.st_size);
		if (read(fd, data, (size_t)st.st_size) != st.st_size)
			return EXIT_FAILED;
		LLVMFuzzerTestOneInput(data, (size_t)st.st_size);
		free(data);
		close(fd);
	}
	return 0;
}
#endif
