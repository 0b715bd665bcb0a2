/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "elf/relocate.h"

#include <elf.h>
#include <inttypes.h>

#include "base/bytes.h"
#include "elf/section_header.h"

/* The number to write: S is the symbol's value, A the addend, P the address of the field. */
enum relocation_operation {
	UNKNOWN,
	NOTHING,
	STORE,			/* S + A */
	STORE_DISTANCE,		/* S + A - P */
	STORE_ADDEND,		/* A: of thread-local variables, which kernels do not have */
	ADD,			/* the old number, + S + A */
	SUBTRACT,		/* the old number, - S - A */
	OPERAND,		/* of an instruction; left alone, no control goes there */
};

/* Where it is written: 1, 2, 4 or 8 bytes, or one of these. */
enum relocation_field {
	SIX_BITS = 16,		/* the low ones of a byte */
	ULEB128,		/* of the length that is there */
	FIRST_OF_CODE,		/* arm64: a distance in words inside an instruction ... */
	WORDS_26 = FIRST_OF_CODE,	/* ... from bit 0 */
	WORDS_19,			/* from bit 5 */
	WORDS_14,			/* from bit 5 */
};

struct rule_row {
	uint16_t first, last;	/* types */
	struct relocation_rule rule;
};

/* Type 0 is NONE on all machines. */
static const struct rule_row x86_64_rows[] = {
	{ R_X86_64_64, R_X86_64_64, { STORE, 8 } },
	{ R_X86_64_PC32, R_X86_64_PC32, { STORE_DISTANCE, 4 } },
	{ R_X86_64_PLT32, R_X86_64_PLT32, { STORE_DISTANCE, 4 } },
	{ R_X86_64_GOTPCREL, R_X86_64_GOTPCREL, { OPERAND, 0 } },
	{ R_X86_64_32, R_X86_64_32S, { STORE, 4 } },
	{ R_X86_64_16, R_X86_64_16, { STORE, 2 } },
	{ R_X86_64_8, R_X86_64_8, { STORE, 1 } },
	{ R_X86_64_DTPOFF64, R_X86_64_DTPOFF64, { STORE_ADDEND, 8 } },
	{ R_X86_64_DTPOFF32, R_X86_64_DTPOFF32, { STORE_ADDEND, 4 } },
	{ R_X86_64_PC64, R_X86_64_PC64, { STORE_DISTANCE, 8 } },
	{ R_X86_64_SIZE32, R_X86_64_SIZE64, { OPERAND, 0 } },
	{ R_X86_64_GOTPCRELX, R_X86_64_REX_GOTPCRELX, { OPERAND, 0 } },
};

static const struct rule_row i386_rows[] = {
	{ R_386_32, R_386_32, { STORE, 4 } },
	{ R_386_PC32, R_386_PC32, { STORE_DISTANCE, 4 } },
	{ R_386_PLT32, R_386_PLT32, { STORE_DISTANCE, 4 } },
	{ R_386_16, R_386_16, { STORE, 2 } },
	{ R_386_8, R_386_8, { STORE, 1 } },
	{ R_386_TLS_LDO_32, R_386_TLS_LDO_32, { STORE_ADDEND, 4 } },
};

/* 263-273, 287-293, 299: parts of addresses. 274-278, 284-286: pages and offsets in them. */
static const struct rule_row arm64_rows[] = {
	{ 256, 256, { NOTHING, 0 } },	/* the number of NONE before it was 0 */
	{ R_AARCH64_ABS64, R_AARCH64_ABS64, { STORE, 8 } },
	{ R_AARCH64_ABS32, R_AARCH64_ABS32, { STORE, 4 } },
	{ R_AARCH64_ABS16, R_AARCH64_ABS16, { STORE, 2 } },
	{ R_AARCH64_PREL64, R_AARCH64_PREL64, { STORE_DISTANCE, 8 } },
	{ R_AARCH64_PREL32, R_AARCH64_PREL32, { STORE_DISTANCE, 4 } },
	{ R_AARCH64_PREL16, R_AARCH64_PREL16, { STORE_DISTANCE, 2 } },
	{ R_AARCH64_MOVW_UABS_G0, R_AARCH64_LDST8_ABS_LO12_NC, { OPERAND, 0 } },
	{ R_AARCH64_TSTBR14, R_AARCH64_TSTBR14, { STORE_DISTANCE, WORDS_14 } },
	{ R_AARCH64_CONDBR19, R_AARCH64_CONDBR19, { STORE_DISTANCE, WORDS_19 } },
	{ R_AARCH64_JUMP26, R_AARCH64_CALL26, { STORE_DISTANCE, WORDS_26 } },
	{ R_AARCH64_LDST16_ABS_LO12_NC, R_AARCH64_MOVW_PREL_G3, { OPERAND, 0 } },
	{ R_AARCH64_LDST128_ABS_LO12_NC, R_AARCH64_LDST128_ABS_LO12_NC, { OPERAND, 0 } },
	{ R_AARCH64_ADR_GOT_PAGE, R_AARCH64_LD64_GOTPAGE_LO15, { OPERAND, 0 } },
	{ R_AARCH64_TLS_DTPREL, R_AARCH64_TLS_DTPREL, { STORE_ADDEND, 8 } },
};

static const struct rule_row arm_rows[] = {
	{ R_ARM_ABS32, R_ARM_ABS32, { STORE, 4 } },
	{ R_ARM_REL32, R_ARM_REL32, { STORE_DISTANCE, 4 } },
	{ R_ARM_TLS_LDO32, R_ARM_TLS_LDO32, { STORE_ADDEND, 4 } },
};

static const struct rule_row s390_rows[] = {
	{ R_390_8, R_390_8, { STORE, 1 } },
	{ R_390_16, R_390_16, { STORE, 2 } },
	{ R_390_32, R_390_32, { STORE, 4 } },
	{ R_390_64, R_390_64, { STORE, 8 } },
	{ R_390_PC32, R_390_PC32, { STORE_DISTANCE, 4 } },
	{ R_390_PC64, R_390_PC64, { STORE_DISTANCE, 8 } },
	{ R_390_TLS_LDO32, R_390_TLS_LDO32, { STORE_ADDEND, 4 } },
	{ R_390_TLS_LDO64, R_390_TLS_LDO64, { STORE_ADDEND, 8 } },
};

static const struct rule_row ppc64_rows[] = {
	{ R_PPC64_ADDR32, R_PPC64_ADDR32, { STORE, 4 } },
	{ R_PPC64_ADDR64, R_PPC64_ADDR64, { STORE, 8 } },
	{ R_PPC64_UADDR32, R_PPC64_UADDR32, { STORE, 4 } },
	{ R_PPC64_UADDR64, R_PPC64_UADDR64, { STORE, 8 } },
	{ R_PPC64_REL32, R_PPC64_REL32, { STORE_DISTANCE, 4 } },
	{ R_PPC64_REL64, R_PPC64_REL64, { STORE_DISTANCE, 8 } },
	{ R_PPC64_DTPREL64, R_PPC64_DTPREL64, { STORE_ADDEND, 8 } },
};

/* By number: glibc's elf.h of 2022 ends at 58, and musl 1.2.3 has none. */
static const struct rule_row riscv_rows[] = {
	{ R_RISCV_32, R_RISCV_32, { STORE, 4 } },
	{ R_RISCV_64, R_RISCV_64, { STORE, 8 } },
	{ R_RISCV_TLS_DTPREL32, R_RISCV_TLS_DTPREL32, { STORE_ADDEND, 4 } },
	{ R_RISCV_TLS_DTPREL64, R_RISCV_TLS_DTPREL64, { STORE_ADDEND, 8 } },
	{ R_RISCV_ADD8, R_RISCV_ADD8, { ADD, 1 } },
	{ R_RISCV_ADD16, R_RISCV_ADD16, { ADD, 2 } },
	{ R_RISCV_ADD32, R_RISCV_ADD32, { ADD, 4 } },
	{ R_RISCV_ADD64, R_RISCV_ADD64, { ADD, 8 } },
	{ R_RISCV_SUB8, R_RISCV_SUB8, { SUBTRACT, 1 } },
	{ R_RISCV_SUB16, R_RISCV_SUB16, { SUBTRACT, 2 } },
	{ R_RISCV_SUB32, R_RISCV_SUB32, { SUBTRACT, 4 } },
	{ R_RISCV_SUB64, R_RISCV_SUB64, { SUBTRACT, 8 } },
	{ R_RISCV_RELAX, R_RISCV_RELAX, { NOTHING, 0 } },
	{ R_RISCV_SUB6, R_RISCV_SUB6, { SUBTRACT, SIX_BITS } },
	{ R_RISCV_SET6, R_RISCV_SET6, { STORE, SIX_BITS } },
	{ R_RISCV_SET8, R_RISCV_SET8, { STORE, 1 } },
	{ R_RISCV_SET16, R_RISCV_SET16, { STORE, 2 } },
	{ R_RISCV_SET32, R_RISCV_SET32, { STORE, 4 } },
	{ R_RISCV_32_PCREL, R_RISCV_32_PCREL, { STORE_DISTANCE, 4 } },
	{ 60, 60, { STORE, ULEB128 } },	/* R_RISCV_SET_ULEB128 */
	{ 61, 61, { SUBTRACT, ULEB128 } },	/* R_RISCV_SUB_ULEB128 */
};

/* By number: glibc's elf.h of 2022 ends at 58, and musl 1.2.3 has none. */
static const struct rule_row loongarch_rows[] = {
	{ 1, 1, { STORE, 4 } },			/* R_LARCH_32 */
	{ 2, 2, { STORE, 8 } },			/* R_LARCH_64 */
	{ 8, 8, { STORE_ADDEND, 4 } },		/* R_LARCH_TLS_DTPREL32 */
	{ 9, 9, { STORE_ADDEND, 8 } },		/* R_LARCH_TLS_DTPREL64 */
	{ 47, 47, { ADD, 1 } },			/* R_LARCH_ADD8 */
	{ 48, 48, { ADD, 2 } },			/* R_LARCH_ADD16 */
	{ 50, 50, { ADD, 4 } },			/* R_LARCH_ADD32 */
	{ 51, 51, { ADD, 8 } },			/* R_LARCH_ADD64 */
	{ 52, 52, { SUBTRACT, 1 } },		/* R_LARCH_SUB8 */
	{ 53, 53, { SUBTRACT, 2 } },		/* R_LARCH_SUB16 */
	{ 55, 55, { SUBTRACT, 4 } },		/* R_LARCH_SUB32 */
	{ 56, 56, { SUBTRACT, 8 } },		/* R_LARCH_SUB64 */
	{ 99, 99, { STORE_DISTANCE, 4 } },	/* R_LARCH_32_PCREL */
	{ 100, 100, { NOTHING, 0 } },		/* R_LARCH_RELAX */
	{ 105, 105, { ADD, SIX_BITS } },	/* R_LARCH_ADD6 */
	{ 106, 106, { SUBTRACT, SIX_BITS } },	/* R_LARCH_SUB6 */
	{ 107, 107, { ADD, ULEB128 } },		/* R_LARCH_ADD_ULEB128 */
	{ 108, 108, { SUBTRACT, ULEB128 } },	/* R_LARCH_SUB_ULEB128 */
	{ 109, 109, { STORE_DISTANCE, 8 } },	/* R_LARCH_64_PCREL */
};

static const struct {
	uint16_t machine;
	bool elf64;
	const struct rule_row *rows;
	size_t count;
} machines[] = {
#define ROWS(rows) rows, sizeof(rows) / sizeof(*(rows))
	{ EM_X86_64, true, ROWS(x86_64_rows) },
	{ EM_386, false, ROWS(i386_rows) },
	{ EM_AARCH64, true, ROWS(arm64_rows) },
	{ EM_ARM, false, ROWS(arm_rows) },
	{ EM_S390, true, ROWS(s390_rows) },
	{ EM_PPC64, true, ROWS(ppc64_rows) },
	{ EM_RISCV, true, ROWS(riscv_rows) },
	{ EM_LOONGARCH, true, ROWS(loongarch_rows) },
#undef ROWS
};

bool relocator_init(struct relocator *relocator, uint16_t machine, bool elf64, bool swap)
{
	*relocator = (struct relocator){ .elf64 = elf64, .swap = swap,
					 .rules[0] = { NOTHING, 0 } };
	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++) {
		if (machines[i].machine != machine || machines[i].elf64 != elf64)
			continue;
		for (size_t k = 0; k < machines[i].count; k++)
			for (unsigned int type = machines[i].rows[k].first;
			     type <= machines[i].rows[k].last; type++)
				relocator->rules[type] = machines[i].rows[k].rule;
		return true;
	}
	return false;
}

/* ---- entries ---- */

struct relocation {
	uint64_t offset;
	uint64_t addend;
	uint32_t symbol;
	uint32_t type;
};

size_t relocator_entry_bytes(const struct relocator *relocator, bool has_addends)
{
	return (relocator->elf64 ? 8u : 4u) * (has_addends ? 3u : 2u);
}

static inline struct relocation load_relocation(const struct relocator *relocator,
						const uint8_t *p, bool has_addend)
{
	bool swap = relocator->swap;
	struct relocation found = { 0 };

	if (relocator->elf64) {
		uint64_t info = bytes_load_u64(p + 8, swap);

		found.offset = bytes_load_u64(p, swap);
		found.symbol = (uint32_t)(info >> 32);
		found.type = (uint32_t)info;
		found.addend = has_addend ? bytes_load_u64(p + 16, swap) : 0;
	} else {
		uint32_t info = bytes_load_u32(p + 4, swap);

		found.offset = bytes_load_u32(p, swap);
		found.symbol = info >> 8;
		found.type = info & 0xff;
		found.addend = has_addend ? (uint64_t)(int64_t)(int32_t)bytes_load_u32(p + 8, swap)
					  : 0;
	}
	return found;
}

/* ---- fields ---- */

/* Bytes of the field at `offset`; 0: it is not wholly inside. */
static size_t field_bytes(uint8_t field, const uint8_t *bytes, size_t size, uint64_t offset)
{
	size_t wanted = field == SIX_BITS ? 1 : field >= FIRST_OF_CODE ? 4 : field;

	if (field == ULEB128) {
		wanted = 1;
		while (offset < size && wanted < size - offset &&
		       bytes[offset + wanted - 1] & 0x80)
			wanted++;
		if (offset < size && bytes[offset + wanted - 1] & 0x80)
			return 0;
	}
	return offset < size && wanted <= size - offset ? wanted : 0;
}

static uint64_t load_field(uint8_t field, const uint8_t *p, size_t bytes, bool big_endian)
{
	uint64_t value = 0;

	if (field == SIX_BITS)
		return *p & 0x3f;
	if (field != ULEB128)
		return bytes_load_number(p, bytes, big_endian);
	for (size_t i = 0; i < bytes && i < 10; i++)
		value |= (uint64_t)(p[i] & 0x7f) << 7 * i;
	return value;
}

static bool fits(int64_t value, unsigned int bits)
{
	int64_t limit = INT64_C(1) << (bits - 1);

	return value >= -limit && value < limit;
}

/* Instructions of arm64 are little-endian, whatever the data are. */
static bool store_words(uint8_t *p, uint64_t distance, unsigned int bits, unsigned int first_bit)
{
	uint32_t mask = ((UINT32_C(1) << bits) - 1) << first_bit;
	uint32_t word = (uint32_t)bytes_load_number(p, 4, false);

	if (distance % 4 || !fits((int64_t)distance, bits + 2))
		return false;
	word = (word & ~mask) | ((uint32_t)(distance / 4) << first_bit & mask);
	bytes_store_number(p, 4, false, word);
	return true;
}

static bool store_field(uint8_t field, uint8_t *p, size_t bytes, bool big_endian, uint64_t value)
{
	switch (field) {
	case SIX_BITS: *p = (uint8_t)((*p & 0xc0) | (value & 0x3f)); return true;
	case WORDS_26: return store_words(p, value, 26, 0);
	case WORDS_19: return store_words(p, value, 19, 5);
	case WORDS_14: return store_words(p, value, 14, 5);
	case ULEB128:
		for (size_t i = 0; i < bytes; i++, value >>= 7)
			p[i] = (uint8_t)((p[i] & 0x80) | (value & 0x7f));
		return true;
	default: bytes_store_number(p, bytes, big_endian, value); return true;
	}
}

/* ---- one relocation ---- */

static uint64_t result_of(enum relocation_operation operation, uint64_t there, uint64_t symbol,
			  uint64_t addend, uint64_t address)
{
	switch (operation) {
	case STORE_DISTANCE: return symbol + addend - address;
	case STORE_ADDEND: return addend;
	case ADD: return there + symbol + addend;
	case SUBTRACT: return there - symbol - addend;
	default: return symbol + addend;
	}
}

static bool apply(const struct relocator *relocator, const struct relocation_run *run,
		  const struct relocation *relocation, uint8_t *bytes, size_t size,
		  const char *path, struct error *err)
{
	bool big_endian = relocator->swap != HOST_IS_BIG_ENDIAN;
	struct relocation_rule rule = { UNKNOWN, 0 };
	uint64_t there, addend, value;
	unsigned int unused;
	size_t wanted;

	if (relocation->type < RELOCATION_TYPES)
		rule = relocator->rules[relocation->type];
	if (rule.operation == UNKNOWN ||
	    (!run->is_loaded && (rule.operation == OPERAND || rule.field >= FIRST_OF_CODE)))
		return error_at(err, path,
				"section %s has a relocation of type %" PRIu32 " at 0x%" PRIx64
				", which is not known for this machine; "
				"link the object, or report its compiler and assembler",
				run->section, relocation->type, relocation->offset);
	if (rule.operation == NOTHING || rule.operation == OPERAND)
		return true;
	if (relocation->symbol >= run->value_count)
		return error_at(err, path,
				"section %s has a relocation with symbol %" PRIu32
				" of %zu; the file is damaged",
				run->section, relocation->symbol, run->value_count);
	wanted = field_bytes(rule.field, bytes, size, relocation->offset);
	if (!wanted)
		return error_at(err, path,
				"section %s has a relocation at 0x%" PRIx64
				", outside of its 0x%zx bytes; the file is damaged",
				run->section, relocation->offset, size);
	there = load_field(rule.field, bytes + relocation->offset, wanted, big_endian);
	/* Addends in the section may be negative. */
	unused = wanted < 8 ? 64 - 8 * (unsigned int)wanted : 0;
	addend = run->has_addends ? relocation->addend
				  : (uint64_t)((int64_t)(there << unused) >> unused);
	value = result_of((enum relocation_operation)rule.operation, there,
			  run->values[relocation->symbol], addend,
			  run->address + relocation->offset);
	if ((rule.operation == STORE_DISTANCE && rule.field == 4 && relocator->elf64 &&
	     !fits((int64_t)value, 32)) ||
	    !store_field(rule.field, bytes + relocation->offset, wanted, big_endian, value))
		return error_at(err, path,
				"section %s has a relocation at 0x%" PRIx64
				" whose target is too far away; the file is damaged",
				run->section, relocation->offset);
	return true;
}

/*
 * The hot loop: 99 of 100 entries of a module store four bytes, most of them the offset of a
 * string. The 1.2 million of Debian's mlx5_core.ko (6.12) take 7 ms (perf record of an encode).
 */
bool relocate(const struct relocator *relocator, const struct relocation_run *run, uint8_t *bytes,
	      size_t size, const char *path, struct error *err)
{
	size_t step = relocator_entry_bytes(relocator, run->has_addends);

	for (size_t at = 0; step <= run->size - at; at += step) {
		struct relocation relocation =
			load_relocation(relocator, run->entries + at, run->has_addends);
		uint32_t type = relocation.type;

		if (run->has_addends && type < RELOCATION_TYPES &&
		    relocator->rules[type].operation == STORE &&
		    relocator->rules[type].field == 4 &&
		    relocation.symbol < run->value_count && size >= 4 &&
		    relocation.offset <= size - 4) {
			uint64_t value = run->values[relocation.symbol] + relocation.addend;
			uint32_t word = bytes_order_u32((uint32_t)value, relocator->swap);

			memcpy(bytes + relocation.offset, &word, sizeof(word));
		} else if (!apply(relocator, run, &relocation, bytes, size, path, err)) {
			return false;
		}
	}
	return true;
}
