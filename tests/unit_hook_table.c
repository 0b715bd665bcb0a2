/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* A function's entry in __mcount_loc: the offsets are those of Debian's kernels. */
#include "kernel/attach/attach.h"

#include <elf.h>

#include "base/bytes.h"
#include "tests/cmocka_all.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

TEST(test_machines)
{
	static const struct {
		uint16_t machine;
		uint8_t word_bytes;
		bool big_endian;
		uint64_t hook, entry, size;
		enum attach_answer answer;
	} rows[] = {
		{ EM_X86_64, 8, false, 0x1000, 0x1000, 64, ATTACH_YES },
		{ EM_X86_64, 8, false, 0x1004, 0x1000, 64, ATTACH_YES },	/* endbr64 */
		{ EM_X86_64, 8, false, 0xff8, 0x1000, 64, ATTACH_NO },
		{ EM_X86_64, 8, false, 0x1040, 0x1000, 64, ATTACH_NO },		/* the next one's */
		{ EM_X86_64, 8, false, 0x1004, 0x1000, 0, ATTACH_YES },		/* no size */
		{ EM_AARCH64, 8, false, 0xff8, 0x1000, 64, ATTACH_YES },
		{ EM_AARCH64, 8, false, 0xff4, 0x1000, 64, ATTACH_NO },
		{ EM_RISCV, 8, false, 0xff8, 0x1000, 64, ATTACH_YES },
		{ EM_PPC64, 8, false, 0x100c, 0x1000, 64, ATTACH_YES },		/* bl _mcount */
		{ EM_S390, 8, true, 0x1000, 0x1000, 64, ATTACH_YES },
		{ EM_ARM, 4, false, 0x1010, 0x1000, 64, ATTACH_YES },	/* after the prologue */
		{ EM_ARM, 4, false, 0, 0x1000, 64, ATTACH_UNKNOWN },	/* not linked yet */
	};

	for (size_t i = 0; i < LENGTH(rows); i++) {
		const struct abi *abi = abi_find(rows[i].machine, rows[i].word_bytes,
						 rows[i].big_endian);
		struct hook_table table = { .address = 0x8000, .size = rows[i].word_bytes,
					    .word_bytes = rows[i].word_bytes };
		uint32_t narrow = (uint32_t)rows[i].hook;
		struct hook_addresses hooks = { 0 };

		assert_non_null(abi);
		table.words = rows[i].word_bytes == 8 ? (const uint8_t *)&rows[i].hook
						      : (const uint8_t *)&narrow;
		hook_table_read(&hooks, &table);
		assert_int_equal(hook_addresses_ask(&hooks, abi, rows[i].entry, rows[i].size),
				 rows[i].answer);
		array_release(&hooks);
	}
}
