/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The BTF format as the kernel defines it (Documentation/bpf/btf.rst, include/uapi/linux/btf.h):
 * numbers, header, limits, and one table row per kind that says where its references and names
 * sit. Everything that walks over BTF records (graph, dedup, writer, reader, verifier, printer)
 * asks this table; nothing else knows the layout of a record.
 *
 * A type record is a sequence of 32-bit words:
 *
 *	word 0		name: offset into the string section (in a graph: a name key)
 *	word 1		info: vlen bits 0-23, kind bits 24-30, kind_flag bit 31
 *	word 2		size in bytes, or the id of the referenced type
 *	then		`fixed_words` words, then vlen elements of `element_words` words
 *
 * Kernels that do not know the LOC kinds have vlen in bits 0-15 and kind in bits 24-28; the other
 * bits are 0 there. The experimental kinds are specified in docs/format.md.
 */
#ifndef BTFENC_BTF_FORMAT_H
#define BTFENC_BTF_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BTF_MAGIC	0xeb9f
#define BTF_VERSION	1
/* Newer <linux/btf.h>, which <bpf/btf.h> includes, has an enum of BTF_MAX_TYPE and the like. */
#define BTF_TYPE_ID_MAX	0x000fffff	/* the kernel's limit on ids */
#define BTF_NAME_OFFSET_MAX 0x00ffffff	/* and on the string section's size */
#define BTF_NAME_BYTES_MAX 512		/* of a name with its NUL: KSYM_NAME_LEN */
#define BTF_VLEN_MAX	0xffff
#define BTF_MAX_LOCSEC_VLEN 0x00ffffff	/* of a LOCSEC, which no older kernel reads */
#define BTF_MAX_SIZE	(16u * 1024 * 1024)	/* BPF_BTF_LOAD's limit on a whole BTF blob */
#define BTF_MAX_MEMBER_BITS_KFLAG 0x00ffffff	/* bit offset of a member when kind_flag is set */

struct btf_file_header {
	uint16_t magic;
	uint8_t version;
	uint8_t flags;
	uint32_t header_bytes;
	uint32_t type_offset;	/* of the type section, from the end of the header */
	uint32_t type_bytes;
	uint32_t string_offset;
	uint32_t string_bytes;
	/* Only in a header of this whole length, which older kernels refuse; else 0. */
	uint32_t layout_offset;
	uint32_t layout_bytes;
};

#define BTF_SHORT_HEADER_BYTES 24	/* a header without the layout section */

/* Entry of the layout section: how long the records of a kind are, kind by kind from 0. */
struct btf_layout_entry {
	uint8_t fixed_bytes;	/* after the head words */
	uint8_t element_bytes;
	uint16_t flags;		/* 0 */
};

enum btf_kind {
	BTF_VOID = 0,
	BTF_INT,
	BTF_PTR,
	BTF_ARRAY,
	BTF_STRUCT,
	BTF_UNION,
	BTF_ENUM,
	BTF_FWD,
	BTF_TYPEDEF,
	BTF_VOLATILE,
	BTF_CONST,
	BTF_RESTRICT,
	BTF_FUNC,
	BTF_FUNC_PROTO,
	BTF_VAR,
	BTF_DATASEC,
	BTF_FLOAT,
	BTF_DECL_TAG,
	BTF_TYPE_TAG,
	BTF_ENUM64,
	BTF_CLASSIC_KIND_COUNT,	/* what every kernel of the last years knows */
	/* Inline sites, in .BTF.inline or .BTF when asked for. */
	BTF_LOC_PARAM = BTF_CLASSIC_KIND_COUNT,
	BTF_LOC_PROTO,
	BTF_LOCSEC,
	BTF_INLINE_KIND_COUNT,
	/* Locations of parameters, in .BTF.extra only. */
	BTF_LOC = 31,
	BTF_KIND_COUNT,
	/*
	 * Not a kind of its own but a row of the table: a DATASEC with kind_flag, whose entries are
	 * functions and have two references (func_secinfo, in .BTF.extra only).
	 */
	BTF_FUNC_DATASEC = BTF_KIND_COUNT,
	BTF_ROW_COUNT,
};

/* Flags in the first word after a LOC_PARAM's head; then come vlen values. */
enum btf_loc_param_flag {
	BTF_LOC_SIGNED = 1,	/* the parameter's type is signed */
	BTF_LOC_CONST = 2,	/* the value; two words, the low one first, if size > 4 */
	BTF_LOC_ADDR = 4,	/* with CONST: it is an address, relative to the image's base */
	BTF_LOC_REG = 8,	/* DWARF register; two values: two registers */
	BTF_LOC_DEREF = 0x10,	/* the parameter is in memory there */
	BTF_LOC_OFFSET = 0x20,	/* the second value is a signed offset */
};

/* Kernels take no LOC_PARAM of a larger parameter. */
#define BTF_LOC_MAX_SIZE 16

#define BTF_LOC_FRAME_BASE 0xffffffffu	/* in place of a register: DW_OP_fbreg's */

/* The word after the record of an INT: encoding bits 24-27, bit offset 16-23, bits 0-7. */
enum btf_int_encoding {
	BTF_INT_SIGNED = 1,
	BTF_INT_CHAR = 2,
	BTF_INT_BOOL = 4,
};

enum btf_linkage {
	BTF_LINKAGE_STATIC = 0,
	BTF_LINKAGE_GLOBAL = 1,
	BTF_LINKAGE_EXTERN = 2,
};

/* Words 0-2 of every record. */
enum { BTF_WORD_NAME, BTF_WORD_INFO, BTF_WORD_SIZE, BTF_WORD_TYPE = 2, BTF_HEAD_WORDS = 3 };

/* btf_info() of a kind without elements, as a constant. */
#define BTF_INFO(kind) ((uint32_t)(kind) << 24)

static inline uint32_t btf_info(enum btf_kind kind, uint32_t vlen, bool kind_flag)
{
	return (uint32_t)kind_flag << 31 | (uint32_t)kind << 24 | vlen;
}

/* A bit for each kind that is another type by another name, or qualified. */
#define BTF_MODIFIERS                                                                              \
	(1u << BTF_TYPEDEF | 1u << BTF_VOLATILE | 1u << BTF_CONST | 1u << BTF_RESTRICT |           \
	 1u << BTF_TYPE_TAG)

static inline enum btf_kind btf_info_kind(uint32_t info)
{
	return (enum btf_kind)(info >> 24 & 0x7f);
}

static inline uint32_t btf_info_vlen(uint32_t info)
{
	return info & 0xffffff;
}

static inline bool btf_info_kind_flag(uint32_t info)
{
	return info >> 31;
}

#define BTF_NO_WORD 0xff

struct btf_kind_info {
	const char *name;		/* as bpftool prints it */
	uint8_t fixed_words;		/* after the three head words */
	uint8_t element_words;		/* per vlen element; 0: vlen counts nothing */
	uint8_t head_refs;		/* how many references outside the elements */
	uint8_t ref_word;		/* the first of all references, in the record */
	uint8_t ref_step;		/* from each to the next, or from pair to pair */
	uint8_t element_refs;		/* how many in each element */
	uint8_t ref_pair;		/* from the first of two in an element to the second */
	uint8_t element_name_word;	/* name inside an element, or BTF_NO_WORD */
	bool has_size;			/* word 2 is a size in bytes */
};

/* Rows without a name do not exist: btf_kind_exists(). */
extern const struct btf_kind_info btf_kinds[BTF_ROW_COUNT];

static inline bool btf_kind_exists(uint32_t info)
{
	enum btf_kind kind = btf_info_kind(info);

	return kind < BTF_KIND_COUNT && btf_kinds[kind].name;
}

/* The row for a record with this info word, whose kind must exist. */
static inline const struct btf_kind_info *btf_kind_of(uint32_t info)
{
	enum btf_kind kind = btf_info_kind(info);

	if (__builtin_expect(kind == BTF_DATASEC && btf_info_kind_flag(info), 0))
		kind = BTF_FUNC_DATASEC;
	return &btf_kinds[kind];
}

/* Length in words of a record with this info word, whose kind must exist. */
static inline uint32_t btf_record_words(uint32_t info)
{
	const struct btf_kind_info *kind = btf_kind_of(info);

	return BTF_HEAD_WORDS + kind->fixed_words + kind->element_words * btf_info_vlen(info);
}

static inline uint32_t btf_ref_count(uint32_t info)
{
	const struct btf_kind_info *kind = btf_kind_of(info);

	return kind->head_refs + kind->element_refs * btf_info_vlen(info);
}

static inline uint32_t btf_ref_word(const struct btf_kind_info *kind, uint32_t i)
{
	if (__builtin_expect(kind->ref_pair, 0))
		return kind->ref_word + (i >> 1) * kind->ref_step + (i & 1) * kind->ref_pair;
	return kind->ref_word + i * kind->ref_step;
}

static inline uint32_t btf_name_count(uint32_t info)
{
	const struct btf_kind_info *kind = btf_kind_of(info);

	return 1 + (kind->element_name_word != BTF_NO_WORD ? btf_info_vlen(info) : 0);
}

static inline uint32_t btf_name_word(const struct btf_kind_info *kind, uint32_t i)
{
	if (i == 0)
		return BTF_WORD_NAME;
	return BTF_HEAD_WORDS + kind->fixed_words + (i - 1) * kind->element_words +
	       kind->element_name_word;
}

/*
 * Every reference of a record, and every name (word 0, then one per element where elements have
 * names), in record order. `word` is declared here: its index in the record.
 *
 *	btf_each_ref(word, record)
 *		use(record[word]);
 */
#define btf_each_ref(word, record)                                                                 \
	btf_each_word(word, btf_ref_word, btf_ref_count, (record)[BTF_WORD_INFO])
#define btf_each_name(word, record)                                                                \
	btf_each_word(word, btf_name_word, btf_name_count, (record)[BTF_WORD_INFO])
#define btf_each_word(word, word_of, count_of, info)                                               \
	for (const struct btf_kind_info *word##_kind = btf_kind_of(info); word##_kind;             \
	     word##_kind = NULL)                                                                   \
		for (uint32_t word##_at = 0, word##_end = count_of(info), word;                    \
		     word##_at < word##_end && (word = word_of(word##_kind, word##_at), true);     \
		     word##_at++)

/*
 * Writes a header of that length in front of a types section, which the layout section (if any:
 * layout_bytes) and the strings follow without gaps.
 */
void btf_put_header(uint8_t *out, uint32_t header_bytes, uint32_t type_bytes, uint32_t layout_bytes,
		    uint32_t string_bytes, bool swap);

/*
 * The id of a BTF by its contents: FNV-1a of its type section, then of its string section without
 * zeros at the end, which padding in place adds (btf/elf_store.h). Never 0.
 */
uint64_t btf_id(const uint8_t *types, size_t type_bytes, const uint8_t *strings,
		size_t string_bytes);

/*
 * The header of .BTF.extra has after all others the id of the .BTF that it belongs to: the low
 * word, the high one. Kernels take no header of .BTF.inline with more than they know.
 */
#define BTF_EXTRA_HEADER_BYTES (sizeof(struct btf_file_header) + 2 * sizeof(uint32_t))

/* The layout section has an entry for each of the first kind_count kinds. */
void btf_put_layout(uint8_t *out, uint32_t kind_count);

/*
 * Records that readers of .BTF may not know are BTF of their own, each split from the one before:
 * .BTF, .BTF.inline, .BTF.extra. A file of raw BTF has files of these suffixes next to it.
 */
enum btf_part {
	BTF_PART_INLINE,
	BTF_PART_EXTRA,
	BTF_PART_COUNT,
};

extern const char *const btf_part_sections[BTF_PART_COUNT];	/* ".BTF.inline", ".BTF.extra" */

static inline const char *btf_part_suffix(enum btf_part part)
{
	return btf_part_sections[part] + sizeof(".BTF") - 1;
}

/* A LOCSEC is named "inline" and the ELF section, the latter alone in BTF of older encoders. */
#define BTF_LOCSEC_PREFIX "inline"

/* The ELF section that a record of sites is about, by the record's name. */
const char *btf_site_section(const char *name);

/* May a name stand in BTF as an identifier? (kernel: letters, digits, '_' and '.') */
bool btf_is_identifier(const char *name);

/*
 * Of the part of a name that kernels would read; they refuse a longer one. In damaged BTF each name
 * can be as long as all strings.
 */
size_t btf_name_length(const char *name);

#endif
