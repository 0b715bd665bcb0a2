/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Questions about types of a BTF that may be damaged: records that do not exist are of kind
 * BTF_VOID, strings that do not exist are empty, and each walk ends after BTF_LAYERS_MAX steps.
 */
#ifndef BTFENC_BTF_INSPECT_H
#define BTFENC_BTF_INSPECT_H

#include <stdbool.h>

#include "btf/reader.h"

#define BTF_LAYERS_MAX 64	/* typedefs, modifiers and arrays around a type */

/* `record` may be NULL. */
static inline enum btf_kind btf_record_kind(const uint32_t *record)
{
	return record ? btf_info_kind(record[BTF_WORD_INFO]) : BTF_VOID;
}

static inline const char *btf_text(const struct btf_reader *btf, uint32_t offset)
{
	const char *text = btf_reader_string(btf, offset);

	return text ? text : "";
}

/* `record` may be NULL. */
static inline const char *btf_type_name(const struct btf_reader *btf, const uint32_t *record)
{
	return record ? btf_text(btf, record[BTF_WORD_NAME]) : "";
}

/* A declaration is of the kind that it declares, and an ENUM64 an ENUM. */
static inline enum btf_kind btf_declared_kind(const uint32_t *record)
{
	enum btf_kind kind = btf_record_kind(record);

	if (kind == BTF_FWD)
		return btf_info_kind_flag(record[BTF_WORD_INFO]) ? BTF_UNION : BTF_STRUCT;
	return kind == BTF_ENUM64 ? BTF_ENUM : kind;
}

static inline bool btf_kind_is_modifier(enum btf_kind kind)
{
	return kind == BTF_CONST || kind == BTF_VOLATILE || kind == BTF_RESTRICT ||
	       kind == BTF_TYPE_TAG;
}

static inline bool btf_kind_is_aggregate(enum btf_kind kind)
{
	return kind == BTF_STRUCT || kind == BTF_UNION;
}

static inline bool btf_kind_is_enum(enum btf_kind kind)
{
	return kind == BTF_ENUM || kind == BTF_ENUM64;
}

/* How many members, enumerators, parameters or the like it has. `record` may be NULL. */
static inline uint32_t btf_element_count(const uint32_t *record)
{
	return record ? btf_info_vlen(record[BTF_WORD_INFO]) : 0;
}

/*
 * The words of one of them: its name or type first, as its kind has them (btf/format.h). The record
 * is not NULL, and its kind exists.
 */
static inline const uint32_t *btf_element(const uint32_t *record, size_t i)
{
	const struct btf_kind_info *kind = btf_kind_of(record[BTF_WORD_INFO]);

	return record + BTF_HEAD_WORDS + kind->fixed_words + kind->element_words * i;
}

/*
 * Without enum64 an ENUM has the low 32 bits of its values, and no sign: the rest is not known.
 * Only a signed enum, or a large one, shows that BTF was made with it.
 */
static inline bool btf_enum_is_cut(const struct btf_reader *btf, const uint32_t *record)
{
	return btf_record_kind(record) == BTF_ENUM &&
	       (record[BTF_WORD_SIZE] > 4 ||
		!(btf->has_signs || btf_info_kind_flag(record[BTF_WORD_INFO])));
}

/* Its value, or what there is of it; the enum is signed by its kind_flag. */
static inline uint64_t btf_enumerator_value(const uint32_t *record, const uint32_t *words)
{
	return btf_record_kind(record) == BTF_ENUM64 ? words[1] | (uint64_t)words[2] << 32
	       : btf_info_kind_flag(record[BTF_WORD_INFO]) ? (uint64_t)(int64_t)(int32_t)words[1]
						   : words[1];
}

/* By kind its word in C, "struct" or "const"; NULL: there is none. */
extern const char *const btf_keywords[BTF_KIND_COUNT];

/* STRUCT, UNION, ENUM or TYPEDEF by its word in C, BTF_VOID: it is none of these words. */
enum btf_kind btf_keyword_kind(const char *word, size_t length);

/*
 * The record under those layers of a type that are of these kinds, a bit for each: modifiers,
 * typedefs, pointers, arrays. *id is its id, and the kinds that there were are added to *passed.
 */
const uint32_t *btf_under(const struct btf_reader *btf, uint32_t *id, uint32_t kinds,
			  uint32_t *passed);

/* The same under typedefs and modifiers. */
static inline const uint32_t *btf_skip_modifiers(const struct btf_reader *btf, uint32_t id)
{
	return btf_under(btf, &id, BTF_MODIFIERS, &(uint32_t){ 0 });
}

/*
 * The size of a type in bits, 0 if it has none, UINT64_MAX if it is too large. An INT may be a bit
 * field by itself, as compilers wrote them before members could: then *bit_int is its record.
 */
uint64_t btf_type_bits(const struct btf_reader *btf, uint32_t id, uint32_t pointer_bytes,
		       const uint32_t **bit_int);

/* Of an element of a STRUCT or UNION with this info word. */
static inline uint32_t btf_member_offset(uint32_t info, const uint32_t *words)
{
	return btf_info_kind_flag(info) ? words[2] & BTF_MAX_MEMBER_BITS_KFLAG : words[2];
}

/* Its size as a bit field; 0: it is none, or as compilers wrote them before. */
static inline uint32_t btf_member_bits(uint32_t info, const uint32_t *words)
{
	return btf_info_kind_flag(info) ? words[2] >> 24 : 0;
}

/*
 * BTF does not say how large a pointer is: by the class of its ELF file, or of the file of a
 * base; as "long" is; or 4 if a struct has no room for more. 0: nothing shows it, 8 will do.
 */
uint32_t btf_pointer_bytes(const struct btf_reader *btf);

#endif
