/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The printer: one type of every kind and form, alone and split, against the text that bpftool
 * v7.1 prints for the same blobs.
 *
 * `unit_printer BASE SPLIT` writes the two blobs into files, so that tests/dump.sh can compare
 * with the bpftool that is installed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "btf/printer.h"
#include "tests/btf_blob.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
#define T	      BLOB_TYPE

enum { N_int = 1, N_s = 5, N_a = 7, N_data = 9, N_end = 15 };

static const char base_strings[] = "\0int\0s\0a\0.data";
static const uint32_t base_words[] = {
	T(BTF_INT, 0, 0, N_int, 4), 0x01000020,
	T(BTF_INT, 0, 0, N_s, 1), 0x04000008,
	T(BTF_INT, 0, 0, N_s, 1), 0x02000008,
	T(BTF_INT, 0, 0, N_s, 4), 0x00030005,
	T(BTF_PTR, 0, 0, 0, 0),
	T(BTF_ARRAY, 0, 0, 0, 0), 1, 4, 0xffffffff,
	T(BTF_STRUCT, 2, 0, N_s, 8), N_a, 1, 0, 0, 1, 32,
	T(BTF_STRUCT, 2, 1, 0, 4), N_a, 1, 0x05000003, N_s, 1, 8,
	T(BTF_UNION, 0, 0, N_s, 4),
	T(BTF_ENUM, 2, 0, N_s, 4), N_a, 0xffffffff, N_s, 1,
	T(BTF_ENUM, 1, 1, 0, 4), N_a, 0xffffffff,
	T(BTF_ENUM64, 1, 0, N_s, 8), N_a, 0xffffffff, 0xffffffff,
	T(BTF_ENUM64, 2, 1, N_s, 8), N_a, 0xffffffff, 0xffffffff, N_s, 0, 0x80000000,
	T(BTF_FWD, 0, 0, N_s, 0),
	T(BTF_FWD, 0, 1, N_s, 0),
	T(BTF_TYPEDEF, 0, 0, N_a, 1),
	T(BTF_VOLATILE, 0, 0, 0, 1),
	T(BTF_CONST, 0, 0, 0, 0),
	T(BTF_RESTRICT, 0, 0, 0, 5),
	T(BTF_FUNC_PROTO, 2, 0, 0, 1), N_a, 1, 0, 0,
	T(BTF_FUNC, 0, 0, N_a, 20),
	T(BTF_FUNC, 1, 0, N_a, 20),
	T(BTF_FUNC, 2, 0, N_a, 20),
	T(BTF_FUNC, 7, 0, N_a, 20),
	T(BTF_VAR, 0, 0, N_a, 1), 0,
	T(BTF_VAR, 0, 0, N_a, 1), 1,
	T(BTF_VAR, 0, 0, N_a, 1), 2,
	T(BTF_VAR, 0, 0, N_a, 1), 3,
	T(BTF_DATASEC, 4, 0, N_data, 8), 25, 0, 4, 0, 4, 4, 99, 8, 4, 1, 12, 4,
	T(BTF_FLOAT, 0, 0, N_s, 8),
	T(BTF_DECL_TAG, 0, 0, N_a, 7), 0xffffffff,
	T(BTF_DECL_TAG, 0, 0, N_a, 7), 1,
	T(BTF_TYPE_TAG, 0, 0, N_a, 1),
	T(BTF_STRUCT, 0, 0, 1000, 0),
};

static const char base_text[] =
	"[1] INT 'int' size=4 bits_offset=0 nr_bits=32 encoding=SIGNED\n"
	"[2] INT 's' size=1 bits_offset=0 nr_bits=8 encoding=BOOL\n"
	"[3] INT 's' size=1 bits_offset=0 nr_bits=8 encoding=CHAR\n"
	"[4] INT 's' size=4 bits_offset=3 nr_bits=5 encoding=(none)\n"
	"[5] PTR '(anon)' type_id=0\n"
	"[6] ARRAY '(anon)' type_id=1 index_type_id=4 nr_elems=4294967295\n"
	"[7] STRUCT 's' size=8 vlen=2\n"
	"\t'a' type_id=1 bits_offset=0\n"
	"\t'(anon)' type_id=1 bits_offset=32\n"
	"[8] STRUCT '(anon)' size=4 vlen=2\n"
	"\t'a' type_id=1 bits_offset=3 bitfield_size=5\n"
	"\t's' type_id=1 bits_offset=8\n"
	"[9] UNION 's' size=4 vlen=0\n"
	"[10] ENUM 's' encoding=UNSIGNED size=4 vlen=2\n"
	"\t'a' val=4294967295\n"
	"\t's' val=1\n"
	"[11] ENUM '(anon)' encoding=SIGNED size=4 vlen=1\n"
	"\t'a' val=-1\n"
	"[12] ENUM64 's' encoding=UNSIGNED size=8 vlen=1\n"
	"\t'a' val=18446744073709551615ULL\n"
	"[13] ENUM64 's' encoding=SIGNED size=8 vlen=2\n"
	"\t'a' val=-1LL\n"
	"\t's' val=-9223372036854775808LL\n"
	"[14] FWD 's' fwd_kind=struct\n"
	"[15] FWD 's' fwd_kind=union\n"
	"[16] TYPEDEF 'a' type_id=1\n"
	"[17] VOLATILE '(anon)' type_id=1\n"
	"[18] CONST '(anon)' type_id=0\n"
	"[19] RESTRICT '(anon)' type_id=5\n"
	"[20] FUNC_PROTO '(anon)' ret_type_id=1 vlen=2\n"
	"\t'a' type_id=1\n"
	"\t'(anon)' type_id=0\n"
	"[21] FUNC 'a' type_id=20 linkage=static\n"
	"[22] FUNC 'a' type_id=20 linkage=global\n"
	"[23] FUNC 'a' type_id=20 linkage=extern\n"
	"[24] FUNC 'a' type_id=20 linkage=(unknown)\n"
	"[25] VAR 'a' type_id=1, linkage=static\n"
	"[26] VAR 'a' type_id=1, linkage=global\n"
	"[27] VAR 'a' type_id=1, linkage=extern\n"
	"[28] VAR 'a' type_id=1, linkage=(unknown)\n"
	"[29] DATASEC '.data' size=8 vlen=4\n"
	"\ttype_id=25 offset=0 size=4 (VAR 'a')\n"
	"\ttype_id=0 offset=4 size=4 (UNKNOWN '(anon)')\n"
	"\ttype_id=99 offset=8 size=4\n"
	"\ttype_id=1 offset=12 size=4 (INT 'int')\n"
	"[30] FLOAT 's' size=8\n"
	"[31] DECL_TAG 'a' type_id=7 component_idx=-1\n"
	"[32] DECL_TAG 'a' type_id=7 component_idx=1\n"
	"[33] TYPE_TAG 'a' type_id=1\n"
	"[34] STRUCT '(invalid)' size=0 vlen=0\n";

/* A split blob's string section need not start with a NUL. */
static const char split_strings[] = "new";
static const uint32_t split_words[] = {
	T(BTF_STRUCT, 1, 0, N_end, 8), N_a, 7, 0,
	T(BTF_DATASEC, 1, 0, N_data, 4), 25, 0, 4,
};

static const char split_text[] = "[35] STRUCT 'new' size=8 vlen=1\n"
				 "\t'a' type_id=7 bits_offset=0\n"
				 "[36] DATASEC '.data' size=4 vlen=1\n"
				 "\ttype_id=25 offset=0 size=4 (VAR 'a')\n";

static struct btf_blob base_blob(void)
{
	return btf_blob_make(base_words, LENGTH(base_words), base_strings, sizeof(base_strings));
}

static struct btf_blob split_blob(void)
{
	return btf_blob_make(split_words, LENGTH(split_words), split_strings,
			     sizeof(split_strings));
}

static char *print(const struct btf_reader *btf)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	btf_print(btf, out);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void test_print(void **state)
{
	struct btf_blob blobs[] = { base_blob(), split_blob() };
	struct btf_reader base;
	struct btf_reader split;
	struct error err;
	char *text;

	(void)state;
	assert_true(btf_reader_from_memory(&base, blobs[0].data, blobs[0].bytes, "base", NULL,
					   &err));
	text = print(&base);
	assert_string_equal(text, base_text);
	free(text);
	assert_true(btf_reader_from_memory(&split, blobs[1].data, blobs[1].bytes, "split", &base,
					   &err));
	text = print(&split);
	assert_string_equal(text, split_text);
	free(text);
	btf_reader_release(&split);
	btf_reader_release(&base);
	btf_blob_release(&blobs[0]);
	btf_blob_release(&blobs[1]);
}

static int write_blob(const char *path, struct btf_blob blob)
{
	FILE *out = fopen(path, "wb");
	int status = 1;

	if (out) {
		status = fwrite(blob.data, 1, blob.bytes, out) != blob.bytes;
		status |= fclose(out) != 0;
	}
	btf_blob_release(&blob);
	return status;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_print) };

	if (argc == 3)
		return write_blob(argv[1], base_blob()) | write_blob(argv[2], split_blob());
	return cmocka_run_group_tests(tests, NULL, NULL);
}
