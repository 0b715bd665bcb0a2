/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* The functions that fentry takes, by machine, release and prototype; the release in a text. */
#include "tests/cmocka_all.h"

#include <elf.h>
#include <string.h>

#include "kernel/btf_machine.h"
#include "kernel/attach/trampoline.h"

#define INT4   { .kind = BTF_INT, .size_bytes = 4 }
#define INT8   { .kind = BTF_INT, .size_bytes = 8 }
#define INT16  { .kind = BTF_INT, .size_bytes = 16 }
#define STR8   { .kind = BTF_STRUCT, .size_bytes = 8 }
#define STR16  { .kind = BTF_STRUCT, .size_bytes = 16 }
/* Perhaps it is aligned to 16 bytes. */
#define ALIGNED { .kind = BTF_STRUCT, .size_bytes = 16, .may_be_aligned = true }
#define PACKED { .kind = BTF_STRUCT, .size_bytes = 9, .is_irregular = true }
#define STR24  { .kind = BTF_STRUCT, .size_bytes = 24 }
#define UNI8   { .kind = BTF_UNION, .size_bytes = 8 }
#define FLT8   { .kind = BTF_FLOAT, .size_bytes = 8 }
#define VEC8   { .kind = BTF_ARRAY, .size_bytes = 8 }
#define VOID   { .kind = BTF_VOID, .size_bytes = 0 }
#define SIX    INT8, INT8, INT8, INT8, INT8, INT8
#define EIGHT  SIX, INT8, INT8
#define TWELVE SIX, SIX

/* A list of types ends with this one. */
#define END    { .kind = BTF_FUNC, .size_bytes = 0 }

enum { NO = ATTACH_NO, YES = ATTACH_YES, ASK = ATTACH_UNKNOWN };

static const struct {
	const char *abi;
	const char *release;		/* "": not known */
	bool is_module;
	uint8_t built_in;
	struct trampoline_type types[16];	/* the result, then the parameters */
	uint8_t answer;
	const char *text;	/* why not, or from when on */
} rows[] = {
	/* From which release on, whatever the prototype. */
	{ "x86-64", "5.4.0", false, 0, { VOID, END }, NO,
	  "x86-64 takes it from 5.5 on, this is 5.4" },
	{ "x86-64", "5.5.0", false, 0, { VOID, END }, YES, "" },
	{ "arm64", "6.1.0-56-cloud-arm64", false, 0, { INT4, INT8, END }, NO,
	  "arm64 takes it from 6.4 on, this is 6.1" },
	{ "arm64", "6.4.0", false, 0, { INT4, INT8, END }, YES, "" },
	{ "s390x", "6.1.0-50-s390x", false, 0, { VOID, END }, NO,
	  "s390x takes it from 6.3 on, this is 6.1" },
	{ "s390x", "6.3.0", false, 0, { VOID, END }, YES, "" },
	{ "riscv64", "6.7.12", false, 0, { VOID, END }, NO,
	  "riscv64 takes it from 6.8 on, this is 6.7" },
	{ "riscv64", "6.8.0", false, 0, { VOID, END }, YES, "" },
	{ "ppc64le", "6.12.1", false, 0, { VOID, END }, NO,
	  "ppc64le takes it from 6.13 on, this is 6.12" },
	{ "ppc64le", "6.13.0", false, 0, { VOID, END }, YES, "" },
	{ "loongarch64", "6.16.9", false, 0, { VOID, END }, NO,
	  "loongarch64 takes it from 6.17 on, this is 6.16" },
	{ "loongarch64", "6.17.0", false, 0, { VOID, END }, YES, "" },
	{ "i386", "7.2.0", false, 0, { VOID, END }, NO, "i386 has no BPF trampoline" },
	{ "arm", "7.2.0", true, 0, { VOID, END }, NO, "arm has no BPF trampoline" },
	{ "i386", "", false, 0, { STR24, END }, NO, "i386 has no BPF trampoline" },

	/* The release is not known. */
	{ "x86-64", "", false, 0, { VOID, END }, ASK, " from 5.5 on" },
	{ "arm64", "", true, 0, { VOID, END }, ASK, " from 6.4 on" },
	{ "x86-64", "", false, 0, { VOID, SIX, INT4, END }, ASK,
	  " from 6.6 on (more than 6 arguments)" },
	{ "s390x", "", false, 0, { VOID, STR16, END }, ASK, " from 6.3 on" },
	{ NULL, "6.12.0", false, 0, { VOID, END }, ASK, " where the machine has BPF trampolines" },

	/* Evidence in the kernel's own symbols. */
	{ "arm64", "6.12.0", false, ATTACH_NO, { VOID, END }, NO,
	  "this kernel is built without what it needs there, BPF trampolines or ftrace's direct "
	  "calls" },
	{ "arm64", "6.1.0", false, ATTACH_NO, { VOID, END }, NO,
	  "arm64 takes it from 6.4 on, this is 6.1" },
	{ "s390x", "5.14.0-503.el9", false, ATTACH_YES, { VOID, INT8, END }, YES, "" },
	{ "x86-64", "5.14.0-503.el9", false, ATTACH_YES, { VOID, STR16, END }, NO,
	  "x86-64 takes structs by value from 6.1 on, this is 5.14" },
	{ "arm64", "", false, ATTACH_YES, { VOID, INT8, END }, YES, "" },
	{ "arm64", "", false, ATTACH_YES, { VOID, EIGHT, INT8, END }, ASK,
	  " from 6.16 on (more than 8 arguments)" },

	/* More arguments than registers. */
	{ "x86-64", "6.5.0", false, 0, { VOID, SIX, END }, YES, "" },
	{ "x86-64", "6.5.0", false, 0, { VOID, SIX, INT4, END }, NO,
	  "x86-64 takes more than 6 arguments from 6.6 on, this is 6.5" },
	{ "x86-64", "6.6.0", false, 0, { VOID, TWELVE, END }, YES, "" },
	{ "x86-64", "6.6.0", false, 0, { VOID, TWELVE, INT4, END }, NO,
	  "it has more than 12 parameters" },
	{ "arm64", "6.12.117+deb12-arm64", false, 0, { VOID, EIGHT, END }, YES, "" },
	{ "arm64", "6.12.117+deb12-arm64", false, 0, { VOID, EIGHT, INT8, END }, NO,
	  "arm64 takes more than 8 arguments from 6.16 on, this is 6.12" },
	{ "arm64", "6.16.0", false, 0, { VOID, TWELVE, END }, YES, "" },
	{ "riscv64", "6.10.0", false, 0, { VOID, EIGHT, INT8, END }, NO,
	  "riscv64 takes more than 8 arguments from 6.11 on, this is 6.10" },
	{ "riscv64", "6.11.0", false, 0, { VOID, EIGHT, INT8, END }, YES, "" },
	{ "loongarch64", "7.0.0", false, 0, { VOID, EIGHT, INT8, END }, NO,
	  "loongarch64 takes more than 8 arguments from 7.1 on, this is 7.0" },
	{ "loongarch64", "7.2.13+deb14-loong64", false, 0, { VOID, EIGHT, INT8, END }, YES, "" },
	{ "s390x", "6.3.0", false, 0, { VOID, TWELVE, END }, YES, "" },
	{ "ppc64le", "6.13.0", false, 0, { VOID, TWELVE, END }, YES, "" },

	/* Structs by value. */
	{ "x86-64", "6.0.0", false, 0, { VOID, STR16, END }, NO,
	  "x86-64 takes structs by value from 6.1 on, this is 6.0" },
	{ "x86-64", "6.1.0", false, 0, { VOID, STR16, INT8, END }, YES, "" },
	{ "x86-64", "6.1.0", false, 0, { VOID, INT8, INT8, INT8, INT8, INT8, STR16, END }, NO,
	  "x86-64 takes more than 6 arguments from 6.6 on, this is 6.1" },
	{ "arm64", "6.4.0", false, 0, { VOID, STR8, END }, NO,
	  "arm64 takes structs by value from 6.5 on, this is 6.4" },
	{ "arm64", "6.5.0", false, 0, { VOID, STR8, END }, YES, "" },
	{ "arm64", "6.16.0", false, 0, { VOID, EIGHT, STR16, END }, NO,
	  "arm64 takes structs on the stack from 6.17 on, this is 6.16" },
	{ "arm64", "6.16.0", false, 0, { VOID, STR16, SIX, INT8, END }, YES, "" },
	{ "arm64", "6.17.0", false, 0, { VOID, EIGHT, STR16, END }, YES, "" },
	{ "loongarch64", "7.0.0", false, 0, { VOID, STR8, END }, NO,
	  "loongarch64 takes structs by value from 7.1 on, this is 7.0" },
	{ "x86-64", "6.17.0", false, 0, { VOID, UNI8, END }, NO,
	  "x86-64 takes unions by value from 6.18 on, this is 6.17" },
	{ "x86-64", "6.18.0", false, 0, { VOID, UNI8, END }, YES, "" },
	{ "x86-64", "7.2.0", false, 0, { VOID, SIX, INT8, INT8, INT8, INT8, INT8, STR16, END }, NO,
	  "its arguments take more than 12 words" },
	{ "s390x", "7.2.0", false, 0, { VOID, SIX, INT8, INT8, INT8, INT8, INT8, STR16, END }, YES,
	  "" },

	/* Modules. */
	{ "loongarch64", "6.18.0", false, 0, { VOID, END }, YES, "" },
	{ "loongarch64", "6.18.0", true, 0, { VOID, END }, NO,
	  "loongarch64 takes functions of modules from 6.19 on, this is 6.18" },
	{ "loongarch64", "6.19.0", true, 0, { VOID, END }, YES, "" },

	/* No release takes these. */
	{ "x86-64", "7.2.0", false, 0, { STR8, END }, NO, "it returns a struct" },
	{ "x86-64", "7.2.0", false, 0, { UNI8, END }, NO, "it returns a struct" },
	{ "x86-64", "7.2.0", false, 0, { FLT8, END }, NO, "it returns a floating-point number" },
	{ "x86-64", "7.2.0", false, 0, { VEC8, END }, NO,
	  "it returns a vector or complex number, which is an array in BTF" },
	{ "x86-64", "7.2.0", false, 0, { VOID, VEC8, END }, NO,
	  "it takes a vector or complex number, which is an array in BTF" },
	{ "x86-64", "7.2.0", false, 0, { VOID, FLT8, END }, NO,
	  "it takes a floating-point number" },
	{ "x86-64", "7.2.0", false, 0, { VOID, STR24, END }, NO,
	  "it takes a struct of more than 16 bytes" },
	{ "x86-64", "7.2.0", false, 0, { VOID, { .kind = BTF_STRUCT }, END }, NO,
	  "it takes an empty struct" },
	{ "x86-64", "7.2.0", false, 0, { VOID, { .kind = BTF_FWD }, END }, NO,
	  "it takes a struct that is only declared" },
	{ "arm64", "7.2.0", false, 0, { VOID, INT4, INT16, END }, NO,
	  "it takes a 128-bit integer, which trampolines may take from the wrong place" },
	{ "x86-64", "7.2.0", false, 0, { INT16, INT8, END }, YES, "" },
	{ "x86-64", "7.2.0", false, 0, { VOID, PACKED, INT8, END }, NO,
	  "it takes a struct that is packed or aligned by an attribute, which trampolines may "
	  "take from the wrong place" },
	/*
	 * Six registers, then the stack; a struct goes there whole, and what is after it need
	 * not.
	 */
	{ "x86-64", "7.2.0", false, 0, { VOID, SIX, ALIGNED, END }, YES, "" },
	{ "x86-64", "7.2.0", false, 0, { VOID, SIX, INT8, STR8, END }, YES, "" },
	{ "x86-64", "7.2.0", false, 0, { VOID, SIX, INT8, STR16, END }, YES, "" },
	{ "x86-64", "7.2.0", false, 0, { VOID, SIX, INT8, INT8, ALIGNED, END }, YES, "" },
	{ "x86-64", "7.2.0", false, 0, { VOID, SIX, INT8, ALIGNED, END }, NO,
	  "it takes a struct that may be aligned to 16 bytes, which trampolines may take from the "
	  "wrong place" },
	{ "x86-64", "7.2.0", false, 0,
	  { VOID, INT8, INT8, INT8, INT8, INT8, ALIGNED, INT8, ALIGNED, END }, YES, "" },
	{ "arm64", "7.2.0", false, 0, { VOID, SIX, INT8, STR16, STR8, ALIGNED, END }, NO,
	  "it takes a struct that may be aligned to 16 bytes, which trampolines may take from the "
	  "wrong place" },
	/* In registers, too. */
	{ "x86-64", "7.2.0", false, 0, { VOID, INT8, ALIGNED, END }, YES, "" },
	{ "riscv64", "7.2.0", false, 0, { VOID, INT8, ALIGNED, END }, YES, "" },
	{ "arm64", "7.2.0", false, 0, { VOID, INT8, STR16, END }, YES, "" },
	{ "arm64", "7.2.0", false, 0, { VOID, INT8, INT8, ALIGNED, END }, YES, "" },
	{ "arm64", "7.2.0", false, 0, { VOID, INT8, ALIGNED, END }, NO,
	  "it takes a struct that may be aligned to 16 bytes, which trampolines may take from the "
	  "wrong place" },
	{ "ppc64le", "7.2.0", false, 0, { VOID, INT8, ALIGNED, END }, NO,
	  "it takes a struct that may be aligned to 16 bytes, which trampolines may take from the "
	  "wrong place" },
	{ NULL, "7.2.0", false, 0, { INT4, INT8, VOID, END }, NO, "it is variadic" },
};

TEST(test_answers)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct attach_image kernel = {
			.abi = rows[i].abi ? btf_machine_named(rows[i].abi) : NULL,
			.version = kernel_version_parse(rows[i].release),
			.is_module = rows[i].is_module, .built_in = rows[i].built_in };
		struct trampoline_view view = { 0 };
		struct trampoline_answer answer;
		struct text built = { 0 };
		char *text;

		assert_true(!rows[i].abi || kernel.abi);
		trampoline_see_result(&view, rows[i].types[0]);
		for (size_t k = 1; rows[i].types[k].kind != BTF_FUNC; k++)
			trampoline_see_parameter(&view, rows[i].types[k]);
		answer = trampoline_answer(&kernel, "f", &view);
		if (answer.is == ATTACH_NO)
			text_add_string(&built, answer.why);
		trampoline_add_since(&built, &answer);
		text = text_finish(&built);
		if (answer.is != rows[i].answer || strcmp(text, rows[i].text) != 0)
			print_error("row %zu: %s %s: %d '%s'\n", i, rows[i].abi ? rows[i].abi : "-",
				    rows[i].release, answer.is, text);
		assert_int_equal(answer.is, rows[i].answer);
		assert_string_equal(text, rows[i].text);
		free(text);
	}
}

/* Every machine whose calling convention is known has a row. */
TEST(test_machines)
{
	const struct trampoline_view nothing = { 0 };
	const struct abi *abi;

	for (size_t i = 0; (abi = abi_at(i)); i++) {
		const struct attach_image kernel = { .abi = abi };
		struct trampoline_answer answer = trampoline_answer(&kernel, NULL, &nothing);

		assert_true(answer.is == ATTACH_NO || answer.since.major);
	}
}

TEST(test_names)
{
	static const struct {
		const char *name;
		struct kernel_version version;
		bool is_refused;
	} names[] = {
		{ "migrate_disable", { 6, 1 }, true }, { "__rcu_read_lock", { 6, 1 }, true },
		{ "__rcu_read_lock", { 7, 2 }, true }, { "__rcu_read_lock", { 0, 0 }, true },
		{ "rcu_read_lock", { 7, 2 }, false }, { "trie_update_elem", { 6, 1 }, true },
		{ "trie_update", { 6, 1 }, false }, { "rcu_read_unlock_special", { 7, 2 }, true },
	};
	const struct trampoline_view nothing = { 0 };
	struct attach_image kernel = { .abi = abi_find(EM_X86_64, 8, false) };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		kernel.version = names[i].version;
		assert_int_equal(
			trampoline_answer(&kernel, names[i].name, &nothing).is == ATTACH_NO,
			names[i].is_refused);
	}
	assert_true(trampoline_returns("do_exits"));
	assert_false(trampoline_returns("do_exit"));
}

TEST(test_releases)
{
	static const struct {
		const char *text;
		struct kernel_version version;
	} releases[] = {
		{ "6.1.0-50-s390x", { 6, 1 } }, { "7.3-cloud-amd64", { 7, 3 } },
		{ "6.12.117+deb12-arm64 SMP", { 6, 12 } }, { "5.4", { 5, 4 } }, { "", { 0, 0 } },
		{ "6", { 0, 0 } }, { "6.", { 0, 0 } }, { "x6.1", { 0, 0 } },
		{ "99999.1", { 0, 0 } }, { "6.99999", { 0, 0 } },
	};

	for (size_t i = 0; i < sizeof(releases) / sizeof(*releases); i++) {
		struct kernel_version version = kernel_version_parse(releases[i].text);

		assert_int_equal(version.major, releases[i].version.major);
		assert_int_equal(version.minor, releases[i].version.minor);
	}
	assert_true(kernel_version_compare((struct kernel_version){ 6, 9 },
					   (struct kernel_version){ 6, 10 }) < 0);
	assert_true(kernel_version_compare((struct kernel_version){ 7, 0 },
					   (struct kernel_version){ 6, 18 }) > 0);
}

/* ---- what a kernel's symbols show ---- */

#define MAX_SYMBOLS 4

static const struct {
	struct {
		const char *name;
		uint8_t binding;
	} symbols[MAX_SYMBOLS];
	bool have_binding;
	uint8_t built_in;
} kernels[] = {
	{ { { "linux_banner", STB_GLOBAL }, { "register_ftrace_direct", STB_GLOBAL },
	    { "arch_prepare_bpf_trampoline", STB_GLOBAL } }, true, YES },
	{ { { "linux_banner", STB_GLOBAL }, { "register_ftrace_direct_multi", STB_GLOBAL },
	    { "arch_prepare_bpf_trampoline", STB_GLOBAL } }, true, YES },
	/* 686-pae 6.1: direct calls, but only the weak function. */
	{ { { "linux_banner", STB_GLOBAL }, { "register_ftrace_direct", STB_GLOBAL },
	    { "arch_prepare_bpf_trampoline", STB_WEAK } }, true, NO },
	/* cloud-arm64 6.1: a trampoline, but no direct calls. */
	{ { { "linux_banner", STB_GLOBAL }, { "arch_prepare_bpf_trampoline", STB_GLOBAL } }, true,
	  NO },
	/* s390x 6.1: built without the JIT. */
	{ { { "linux_banner", STB_GLOBAL }, { "register_ftrace_direct", STB_GLOBAL } }, true, NO },
	/* /proc/kallsyms. */
	{ { { "linux_banner", 0 }, { "register_ftrace_direct", 0 },
	    { "arch_prepare_bpf_trampoline", 0 } }, false, ASK },
	{ { { "linux_banner", 0 }, { "arch_prepare_bpf_trampoline", 0 } }, false, NO },
	/* A module, or a list of functions alone. */
	{ { { "vfs_read", STB_GLOBAL } }, true, ASK },
};

TEST(test_symbols)
{
	for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++) {
		struct symbol_table table = { 0 };

		for (size_t k = 0; k < MAX_SYMBOLS && kernels[i].symbols[k].name; k++)
			array_push(&table.symbols, ((struct symbol){
				.name = kernels[i].symbols[k].name, .address = 16 * (k + 1),
				.size = 16, .type = STT_FUNC,
				.binding = kernels[i].symbols[k].binding }));
		symbol_table_index(&table);
		assert_int_equal(trampoline_built_in(&table, kernels[i].have_binding),
				 kernels[i].built_in);
		symbol_table_release(&table);
	}
}
