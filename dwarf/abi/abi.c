/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Which convention a file has, and the steps that all conventions share. */
#include "dwarf/abi/abi.h"

#include "dwarf/abi/abi_state.h"
#include "elf/section_header.h"

static const struct {
	uint16_t number;	/* of ELF */
	const struct abi *abi;
} abi_table[ABI_MACHINES] = {
	[ABI_X86_64] = { EM_X86_64, &abi_x86_64 },
	[ABI_I386] = { EM_386, &abi_i386 },
	[ABI_ARM64] = { EM_AARCH64, &abi_arm64 },
	[ABI_ARM] = { EM_ARM, &abi_arm },
	[ABI_S390X] = { EM_S390, &abi_s390x },
	[ABI_PPC64LE] = { EM_PPC64, &abi_ppc64le },
	[ABI_RISCV64] = { EM_RISCV, &abi_riscv64 },
	[ABI_LOONGARCH64] = { EM_LOONGARCH, &abi_loongarch64 },
};

const struct abi *abi_find(uint16_t number, uint8_t address_bytes, bool big_endian)
{
	for (size_t i = 0; i < ABI_MACHINES; i++) {
		const struct abi *abi = abi_table[i].abi;

		if (abi_table[i].number == number && abi->word_bytes == address_bytes &&
		    abi->big_endian == big_endian)
			return abi;
	}
	return NULL;
}

const struct abi *abi_at(size_t machine)
{
	return machine < ABI_MACHINES ? abi_table[machine].abi : NULL;
}

const struct abi *abi_of(const struct object *object)
{
	return abi_find(object->machine, object->address_bytes, object->big_endian);
}

const char *abi_register_name(const struct abi *abi, unsigned int dwarf_number)
{
	return dwarf_number < abi->register_name_count ? abi->register_names[dwarf_number] : NULL;
}

const char *abi_register_of(const void *abi, uint32_t dwarf_number)
{
	return abi ? abi_register_name(abi, dwarf_number) : NULL;
}

/* ---- locations ---- */

/* Offsets beyond 1 GiB are of no real function; they stay far from overflowing. */
#define MAX_STACK_BYTES (1u << 30)

bool abi_take_stack(struct abi_cursor *cursor, struct abi_location *location, uint64_t size_bytes,
		    uint64_t alignment)
{
	uint64_t offset = abi_align(cursor->stack_bytes, alignment);

	if (size_bytes > MAX_STACK_BYTES || offset > MAX_STACK_BYTES)
		return false;
	location->kind = ABI_STACK;
	location->stack_offset = cursor->abi->entry_stack_offset + (int32_t)offset;
	cursor->stack_bytes = offset + abi_align(size_bytes, cursor->abi->word_bytes);
	return true;
}

bool abi_take_words(struct abi_cursor *cursor, struct abi_location *location, uint64_t size_bytes,
		    uint64_t alignment)
{
	uint64_t words = abi_words(cursor->abi, size_bytes);

	if (words <= abi_integers_left(cursor)) {
		abi_take_integers(cursor, location, words);
		return true;
	}
	cursor->integers = cursor->abi->argument_register_count;
	return abi_take_stack(cursor, location, size_bytes, alignment);
}

bool abi_take_split(struct abi_cursor *cursor, struct abi_location *location, uint64_t size_bytes)
{
	uint32_t word_bytes = cursor->abi->word_bytes;
	uint32_t left = abi_integers_left(cursor);

	abi_take_integers(cursor, location, left);
	if (!abi_take_stack(cursor, location, size_bytes - left * word_bytes, word_bytes))
		return false;
	location->kind = ABI_SPLIT;
	return true;
}

bool abi_take_reference(struct abi_cursor *cursor, struct abi_location *location)
{
	if (abi_integers_left(cursor)) {
		abi_take_integers(cursor, location, 1);
		location->kind = ABI_REFERENCE;
		return true;
	}
	if (!abi_take_stack(cursor, location, cursor->abi->word_bytes, cursor->abi->word_bytes))
		return false;
	location->kind = ABI_REFERENCE_STACK;
	return true;
}

void abi_take_result_address(struct abi_cursor *cursor, struct abi_call *call)
{
	call->result = (struct abi_location){ .kind = ABI_REFERENCE };
	call->has_result_address = true;
	abi_take_integers(cursor, &call->result_address, 1);
}

/* ---- types ---- */

/* Leaves come by offset, so those of a union repeat or go on where the one before ended. */
bool abi_is_homogeneous(const struct abi_type *type, enum abi_class class, uint32_t *count)
{
	uint64_t end = 0;

	if (!type->leaf_count)
		return false;
	for (uint32_t i = 0; i < type->leaf_count; i++) {
		const struct abi_leaf *leaf = &type->leaves[i];

		if (leaf->class != class || leaf->is_bitfield ||
		    leaf->size_bytes != type->leaves->size_bytes)
			return false;
		if (leaf->offset_bytes == end)
			end += leaf->size_bytes;
		else if (leaf->offset_bytes + leaf->size_bytes != end)
			return false;
	}
	*count = (uint32_t)(end / type->leaves->size_bytes);
	return end == type->size_bytes;
}

/* ---- the steps that all conventions have in common ---- */

/*
 * Whether the location of a type can be known. An array of no length: compilers disagree on whether
 * the record around it is passed by value.
 */
static bool is_known(const struct abi *abi, const struct abi_type *type)
{
	if (type->is_variable || (!type->leaves && !type->is_record && type->size_bytes))
		return false;
	for (uint32_t i = 0; i < type->leaf_count; i++) {
		const struct abi_leaf *leaf = &type->leaves[i];
		uint32_t sizes = leaf->class == ABI_FLOAT  ? abi->float_bytes :
				 leaf->class == ABI_VECTOR ? abi->vector_bytes :
							     ~UINT32_C(0);

		if (leaf->class != ABI_INTEGER &&
		    (leaf->size_bytes > 31 || !(sizes >> leaf->size_bytes & 1)))
			return false;
	}
	return true;
}

static bool is_passed(const struct abi *abi, const struct abi_type *type)
{
	return type->size_bytes || (abi->empty_counts && type->is_record);
}

bool abi_assign(const struct abi *abi, const struct abi_prototype *prototype, struct abi_call *call,
		struct abi_location *parameters)
{
	const struct abi_type *result = prototype->result;
	struct abi_cursor cursor = { .abi = abi, .is_int128_whole = prototype->is_int128_whole };

	if (prototype->is_variadic && abi->variadic_on_stack)
		cursor.integers = abi->argument_register_count;
	*call = (struct abi_call){ 0 };
	if (!is_known(abi, result) ||
	    (is_passed(abi, result) && !abi->result(&cursor, result, call)))
		return false;
	for (uint32_t i = 0; i < prototype->parameter_count; i++) {
		const struct abi_type *type = &prototype->parameters[i];

		parameters[i] = (struct abi_location){ 0 };
		if (!is_known(abi, type) || (!type->size_bytes && !type->is_record))
			return false;
		if (is_passed(abi, type)) {
			if (!abi->parameter(&cursor, type, &parameters[i]))
				return false;
		} else if (type->alignment_bytes > abi->word_bytes) {
			/* GCC aligns the stack for what follows an empty struct, clang does not. */
			return false;
		}
	}
	return true;
}

int abi_argument_order(const struct abi *abi, unsigned int dwarf_number)
{
	for (int i = 0; i < abi->argument_register_count; i++) {
		if (abi->argument_registers[i] == dwarf_number)
			return i;
	}
	return -1;
}

bool abi_passes_integers(const struct abi *abi, unsigned int dwarf_number)
{
	return abi_argument_order(abi, dwarf_number) >= 0;
}
