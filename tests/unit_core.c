/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * CO-RE relocations of hand-made BTF. That libbpf puts the same values into real objects for real
 * kernels is compared by tests/compat_oracle.sh.
 */
#include "tests/cmocka_all.h"

#include "base/bytes.h"
#include "bpf/core.h"
#include "tests/btf_blob.h"

#define LDX_W  0x61
#define LDX_DW 0x79
#define MOV    0xb7

struct types {
	uint32_t words[1024], count, ids;
	char strings[4096];
	uint32_t string_bytes, first_string;
	struct btf_blob blob;
	struct btf_reader btf;
};

static uint32_t text(struct types *types, const char *string)
{
	uint32_t at = types->string_bytes ? types->string_bytes : 1;

	if (!*string)
		return 0;
	strcpy(types->strings + at, string);
	types->string_bytes = at + (uint32_t)strlen(string) + 1;
	return types->first_string + at;
}

static void put(struct types *types, uint32_t a, uint32_t b, uint32_t c)
{
	memcpy(types->words + types->count, (const uint32_t[]){ a, b, c }, 12);
	types->count += 3;
}

/* Its id; elements follow. */
static uint32_t type(struct types *types, enum btf_kind kind, uint32_t elements, const char *name,
		     uint32_t word)
{
	put(types, text(types, name), BLOB_INFO(kind, elements, 0), word);
	return ++types->ids;
}

static uint32_t int_type(struct types *types, const char *name, uint32_t bytes, uint32_t encoding)
{
	uint32_t id = type(types, BTF_INT, 0, name, bytes);

	types->words[types->count++] = encoding << 24 | 8 * bytes;
	return id;
}

static uint32_t array(struct types *types, uint32_t of, uint32_t count)
{
	uint32_t id = type(types, BTF_ARRAY, 0, "", 0);

	put(types, of, of, count);
	return id;
}

static void member(struct types *types, const char *name, uint32_t id, uint32_t offset_bits)
{
	put(types, text(types, name), id, offset_bits);
}

/* A struct with one member, whose kind_flag is set if it is a bit field. */
static uint32_t struct_of(struct types *types, const char *name, uint32_t bytes, const char *field,
			  uint32_t id, uint32_t offset_bits)
{
	put(types, text(types, name), BLOB_INFO(BTF_STRUCT, 1, offset_bits >> 24 > 0), bytes);
	member(types, field, id, offset_bits);
	return ++types->ids;
}

static void enumerator(struct types *types, const char *name, uint32_t value)
{
	put(types, text(types, name), value, 0);
	types->count--;
}

static void types_open(struct types *types, const struct btf_reader *base, bool swap)
{
	types->blob = btf_blob_make(types->words, types->count, types->strings,
				    types->string_bytes ? types->string_bytes : 1);
	if (swap)
		btf_blob_swap(&types->blob);
	btf_open(&types->btf, types->blob.data, types->blob.bytes, base);
}

static void types_release(struct types *types)
{
	btf_reader_release(&types->btf);
	btf_blob_release(&types->blob);
}

static struct types local, kernel, module;

/* In the object and, with other offsets and sizes, in the kernel. */
static void make_local(void)
{
	struct types *t = &local;
	uint32_t number = int_type(t, "int", 4, BTF_INT_SIGNED), wide = int_type(t, "wide", 8, 0);
	uint32_t list = array(t, number, 3), open = array(t, number, 0);
	uint32_t pointer = type(t, BTF_PTR, 0, "", number), proto, inner, id;

	id = type(t, BTF_STRUCT, 6, "s___mine", 60);
	member(t, "a", number, 0);
	member(t, "list", list, 32);
	member(t, "wide", wide, 128);
	member(t, "pointer", pointer, 192);
	member(t, "gone", number, 256);
	member(t, "open", open, 288);
	struct_of(t, "bits", 4, "bit", number, 3u << 24 | 5);
	type(t, BTF_ENUM, 2, "colour", 4);
	enumerator(t, "RED___x", 3);
	enumerator(t, "NONE", 4);
	type(t, BTF_TYPEDEF, 0, "s_t", id);
	type(t, BTF_STRUCT, 1, "absent", 4);
	member(t, "a", number, 0);
	inner = struct_of(t, "", 4, "x", number, 0);
	struct_of(t, "match", 4, "", inner, 0);
	struct_of(t, "nomatch", 8, "y", wide, 0);
	proto = type(t, BTF_FUNC_PROTO, 1, "", number);
	member(t, "", pointer, 0);
	t->count--;
	type(t, BTF_TYPEDEF, 0, "callback", proto);
	type(t, BTF_TYPEDEF, 0, "other_callback", proto);
	struct_of(t, "", 4, "x", number, 0);
	struct_of(t, "loop", 4, "no", number, 0);
}

static void make_kernel(struct types *t)
{
	uint32_t number = int_type(t, "int", 4, BTF_INT_SIGNED), narrow = int_type(t, "u16", 2, 0);
	uint32_t list = array(t, number, 2), open = array(t, number, 0);
	uint32_t pointer = type(t, BTF_PTR, 0, "", narrow), proto, inner, other;

	inner = type(t, BTF_UNION, 1, "", 12);
	member(t, "a", number, 32);
	type(t, BTF_STRUCT, 5, "s___other", 64);
	member(t, "list", list, 0);
	member(t, "", inner, 64);
	member(t, "wide", narrow, 160);
	member(t, "pointer", pointer, 192);
	member(t, "open", open, 288);
	struct_of(t, "bits", 8, "bit", number, 3u << 24 | 30);
	type(t, BTF_ENUM64, 1, "colour___2", 8);
	put(t, text(t, "RED"), 7, 1);
	type(t, BTF_TYPEDEF, 0, "s_t", inner);
	inner = struct_of(t, "", 4, "w", number, 0);
	other = struct_of(t, "", 4, "x", number, 0);
	type(t, BTF_STRUCT, 2, "match", 8);
	member(t, "", inner, 0);
	member(t, "", other, 32);
	struct_of(t, "nomatch", 8, "y", number, 0);
	proto = type(t, BTF_FUNC_PROTO, 1, "", narrow);
	member(t, "", pointer, 0);
	t->count--;
	type(t, BTF_TYPEDEF, 0, "callback", proto);
	type(t, BTF_TYPEDEF, 0, "other_callback", pointer);
	struct_of(t, "loop", 4, "", t->ids + 1, 0);
}

static uint32_t id_of(const struct btf_reader *btf, const char *name)
{
	for (uint32_t id = 1; id < btf_reader_end_id(btf); id++) {
		if (strcmp(btf_reader_string(btf, *btf_reader_type(btf, id)), name) == 0)
			return id;
	}
	fail_msg("no type %s", name);
	return 0;
}

struct row {
	const char *type, *access;
	enum core_kind kind;
	uint8_t opcode;
	const char *wanted;	/* the value, if there is no match with "no "; or a word */
	const char *name;	/* NULL: not asked */
};

static const char *resolve(struct core_load *load, const struct row *row, uint32_t access,
			   struct text *name)
{
	struct core_relocation relocation = { 8, id_of(&local.btf, row->type), access, row->kind,
					      row->opcode };
	static char result[32];
	struct core_value value;
	struct error err;

	if (!core_resolve(&value, load, &relocation, name, &err))
		return "damaged";
	assert_int_equal(value.why != NULL, value.is == CORE_FAILED);
	snprintf(result, sizeof(result), "%s%lld", value.is == CORE_UNMATCHED ? "no " : "",
		 (long long)value.value);
	return value.is == CORE_FAILED ? "failed" : value.is_poisoned ? "poisoned" : result;
}

/* Each row is a load of its own, unless is_one_load. */
static void check_rows(const struct row *rows, size_t count, bool is_one_load)
{
	struct core_target target = { 0 };
	struct core_load load = { .target = &target, .local = &local.btf };
	uint32_t accesses[64];

	for (size_t i = 0; i < count; i++)
		accesses[i] = text(&local, rows[i].access);
	types_open(&local, NULL, false);
	core_target_add(&target, &kernel.btf);
	if (module.ids)
		core_target_add(&target, &module.btf);
	for (size_t i = 0; i < count; i++) {
		struct text name = { 0 };

		assert_string_equal(resolve(&load, &rows[i], accesses[i], &name), rows[i].wanted);
		text_add_char(&name, '\0');
		if (rows[i].name)
			assert_string_equal(name.data, rows[i].name);
		array_release(&name);
		if (!is_one_load) {
			core_load_release(&load);
			load = (struct core_load){ .target = &target, .local = &local.btf };
		}
	}
	core_load_release(&load);
	core_target_release(&target);
	types_release(&local);
	types_release(&kernel);
	if (module.ids)
		types_release(&module);
	local = kernel = module = (struct types){ 0 };
}

TEST(test_values)
{
	static const struct row rows[] = {
		{ "s___mine", "0:0", CORE_FIELD_BYTE_OFFSET, LDX_W, "12", "struct s___mine.a" },
		{ "s___mine", "0:1:1", CORE_FIELD_BYTE_OFFSET, LDX_W, "4",
		  "struct s___mine.list[1]" },
		{ "s___mine", "0:1:2", CORE_FIELD_BYTE_OFFSET, LDX_W, "poisoned", NULL },
		{ "s___mine", "0:1:2", CORE_FIELD_EXISTS, MOV, "no 0", NULL },
		{ "s___mine", "0:1:3", CORE_FIELD_EXISTS, MOV, "damaged", NULL },
		{ "s___mine", "1:5:2", CORE_FIELD_BYTE_OFFSET, LDX_W, "108",
		  "struct s___mine[1].open[2]" },
		{ "s___mine", "0:2", CORE_FIELD_BYTE_OFFSET, LDX_DW, "20", NULL },
		{ "s___mine", "0:2", CORE_FIELD_BYTE_OFFSET, LDX_W, "failed", NULL },
		{ "s___mine", "0:2", CORE_FIELD_BYTE_OFFSET, MOV, "20", NULL },
		{ "s___mine", "0:2", CORE_FIELD_BYTE_SIZE, MOV, "2", NULL },
		{ "s___mine", "0:2", CORE_FIELD_SIGNED, MOV, "0", NULL },
		{ "s___mine", "0:0", CORE_FIELD_SIGNED, MOV, "1", NULL },
		{ "s___mine", "0:0", CORE_FIELD_LSHIFT_U64, MOV, "32", NULL },
		{ "s___mine", "0:0", CORE_FIELD_RSHIFT_U64, MOV, "32", NULL },
		{ "s___mine", "0:4", CORE_FIELD_BYTE_OFFSET, LDX_W, "poisoned", NULL },
		{ "s___mine", "0:4", CORE_FIELD_EXISTS, MOV, "no 0", NULL },
		{ "s___mine", "0:1", CORE_FIELD_BYTE_SIZE, MOV, "8", NULL },
		{ "s___mine", "0:1:1", CORE_FIELD_SIGNED, MOV, "failed", NULL },
		{ "s___mine", "0:9", CORE_FIELD_EXISTS, MOV, "damaged", NULL },
		{ "s___mine", "0:", CORE_FIELD_EXISTS, MOV, "damaged", NULL },
		{ "s___mine", "", CORE_FIELD_EXISTS, MOV, "damaged", NULL },
		{ "s___mine", "0", CORE_KIND_COUNT, MOV, "damaged", NULL },
		{ "bits", "0:0", CORE_FIELD_BYTE_OFFSET, MOV, "0", "struct bits.bit" },
		{ "bits", "0:0", CORE_FIELD_BYTE_SIZE, MOV, "8", NULL },
		{ "bits", "0:0", CORE_FIELD_LSHIFT_U64, MOV, "31", NULL },
		{ "bits", "0:0", CORE_FIELD_RSHIFT_U64, MOV, "61", NULL },
		{ "s_t", "0:0", CORE_FIELD_BYTE_OFFSET, LDX_W, "4", "s_t.a" },
		{ "colour", "0", CORE_ENUMVAL_VALUE, MOV, "4294967303", "enum colour::RED___x" },
		{ "colour", "1", CORE_ENUMVAL_VALUE, MOV, "poisoned", NULL },
		{ "colour", "1", CORE_ENUMVAL_EXISTS, MOV, "no 0", NULL },
		{ "colour", "2", CORE_ENUMVAL_EXISTS, MOV, "damaged", NULL },
		{ "colour", "0", CORE_TYPE_MATCHES, MOV, "no 0", "enum colour" },
		{ "s___mine", "0", CORE_TYPE_SIZE, MOV, "64", "struct s___mine" },
		{ "s___mine", "0", CORE_TYPE_ID_LOCAL, MOV, "6", NULL },
		{ "s___mine", "0", CORE_TYPE_ID_TARGET, MOV, "7", NULL },
		{ "s___mine", "0", CORE_TYPE_MATCHES, MOV, "no 0", NULL },
		{ "s_t", "0", CORE_TYPE_EXISTS, MOV, "no 0", "s_t" },
		{ "absent", "0", CORE_TYPE_SIZE, MOV, "no 0", NULL },
		{ "absent", "0", CORE_TYPE_ID_TARGET, MOV, "no 0", NULL },
		{ "match", "0", CORE_TYPE_MATCHES, MOV, "1", NULL },
		{ "nomatch", "0", CORE_TYPE_MATCHES, MOV, "no 0", NULL },
		{ "callback", "0", CORE_TYPE_EXISTS, MOV, "1", NULL },
		{ "callback", "0", CORE_TYPE_MATCHES, MOV, "no 0", NULL },
		{ "other_callback", "0", CORE_TYPE_EXISTS, MOV, "no 0", NULL },
		{ "", "0:0", CORE_FIELD_EXISTS, MOV, "failed", NULL },
		{ "loop", "0:0", CORE_FIELD_EXISTS, MOV, "failed", NULL },
	};

	make_local();
	make_kernel(&kernel);
	types_open(&kernel, NULL, false);
	check_rows(rows, LENGTH(rows), false);
}

/* The kernel's byte order decides how a field is shifted. */
TEST(test_big_endian)
{
	static const struct row rows[] = {
		{ "bits", "0:0", CORE_FIELD_LSHIFT_U64, MOV,
		  HOST_IS_BIG_ENDIAN ? "31" : "30", NULL },
		{ "s___mine", "0:2", CORE_FIELD_LSHIFT_U64, MOV, "48", NULL },
	};

	make_local();
	make_kernel(&kernel);
	types_open(&kernel, NULL, true);
	check_rows(rows, LENGTH(rows), false);
}

/* Two types that differ; the field that one of them has rules out the other. */
TEST(test_several)
{
	static const struct row rows[] = {
		{ "s___mine", "0:0", CORE_FIELD_EXISTS, MOV, "failed", NULL },
		{ "s___mine", "0", CORE_TYPE_ID_TARGET, MOV, "failed", NULL },
		{ "s___mine", "0", CORE_TYPE_EXISTS, MOV, "1", NULL },
		{ "s___mine", "0:4", CORE_FIELD_EXISTS, MOV, "no 0", NULL },
		{ "s___mine", "0:2", CORE_FIELD_BYTE_OFFSET, LDX_DW, "20", NULL },
		{ "s___mine", "0:0", CORE_FIELD_BYTE_OFFSET, LDX_W, "12", NULL },
	};

	make_local();
	make_kernel(&kernel);
	struct_of(&kernel, "s", 8, "a", 1, 0);
	types_open(&kernel, NULL, false);
	check_rows(rows, LENGTH(rows), true);
}

/* Modules are for what the kernel does not have. */
TEST(test_modules)
{
	static const struct row rows[] = {
		{ "absent", "0:0", CORE_FIELD_BYTE_OFFSET, LDX_W, "4", NULL },
		{ "s___mine", "0:0", CORE_FIELD_BYTE_OFFSET, LDX_W, "12", NULL },
	};

	make_local();
	make_kernel(&kernel);
	types_open(&kernel, NULL, false);
	module.first_string = btf_reader_end_string(&kernel.btf);
	struct_of(&module, "absent", 8, "a", 1, 32);
	struct_of(&module, "s", 8, "a", 1, 0);
	types_open(&module, &kernel.btf, false);
	check_rows(rows, LENGTH(rows), false);
}

/* Pointers to pointers, function types that take such, without end: both are given up. */
TEST(test_depth)
{
	for (uint32_t depth = 30; depth < 34; depth++) {
		for (uint32_t is_proto = 0; is_proto < 2; is_proto++) {
			uint32_t id = int_type(&kernel, "int", 4, 0);

			for (uint32_t i = 0; i < depth; i++)
				id = type(&kernel, is_proto ? BTF_FUNC_PROTO : BTF_PTR, 0, "", id);
			types_open(&kernel, NULL, false);
			assert_int_equal(
				core_types_are_compatible(&kernel.btf, id, &kernel.btf, id),
				depth < 32 + is_proto);
			types_release(&kernel);
			kernel = (struct types){ 0 };
		}
	}
}
