/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* The rules of the verifier (btf/verify/verify.h). */
#ifndef BTFENC_BTF_VERIFY_RULES_H
#define BTFENC_BTF_VERIFY_RULES_H

/* X(name, code, severity, sentence); the codes are stable: scripts may rely on them. */
#define BTF_RULES(X)                                                                               \
	X(OBJECT_SIZE, "object-size", ERROR, "BPF_BTF_LOAD takes at most 16 MiB of BTF")           \
	X(HEADER_EXTRA, "header-extra", ERROR, "header bytes after the known ones must be zero")   \
	X(HEADER_FLAGS, "header-flags", ERROR, "the header's flags must be zero")                  \
	X(SECTION_GAP, "section-gap", ERROR, "header and sections must follow without a gap")      \
	X(SECTION_OVERLAP, "section-overlap", ERROR, "the sections overlap")                       \
	X(SECTION_ORDER, "section-order", ERROR, "the string section must be the last")            \
	X(SECTION_ALIGN, "section-align", ERROR, "the type section must be 4-byte aligned")        \
	X(TYPES_NONE, "types-none", ERROR, "there are no types")                                   \
	X(TYPES_MAX, "types-max", ERROR, "more types than the kernel can number")                  \
	X(STRINGS_SIZE, "strings-size", ERROR, "the string section is empty or above 16 MiB")      \
	X(STRINGS_START, "strings-start", ERROR, "the string section must start with a NUL")       \
	X(STRINGS_END, "strings-end", ERROR, "the string section must end with a NUL")             \
	X(TYPE_TRUNCATED, "type-truncated", ERROR, "the type extends past the type section")       \
	X(KIND_UNKNOWN, "kind-unknown", ERROR, "the kernel does not know this kind")               \
	X(INFO_RESERVED, "info-reserved", ERROR, "info has bits that Linux reserves before 7.2")   \
	X(NAME_OFFSET, "name-offset", ERROR, "the name is outside the string section")             \
	X(NAME_MISSING, "name-missing", ERROR, "this must have a name")                            \
	X(NAME_FORBIDDEN, "name-forbidden", ERROR, "this must not have a name")                    \
	X(NAME_INVALID, "name-invalid", ERROR, "the name has a character that is not allowed")     \
	X(NAME_LENGTH, "name-length", ERROR, "the name is longer than 512 bytes")                  \
	X(VLEN_NONZERO, "vlen-nonzero", ERROR, "vlen must be zero for this kind")                  \
	X(KIND_FLAG, "kind-flag", ERROR, "kind_flag must be zero for this kind")                   \
	X(SIZE_NONZERO, "size-nonzero", ERROR, "the size or type word must be zero")               \
	X(REF_TO_VOID, "ref-void", ERROR, "the reference must not be void")                        \
	X(REF_MISSING, "ref-missing", ERROR, "the referenced type does not exist")                 \
	X(REF_KIND, "ref-kind", ERROR, "a type of this kind must not be referenced here")          \
	X(REF_NO_SIZE, "ref-no-size", ERROR, "the referenced type has no size")                    \
	X(REF_LOOP, "ref-loop", ERROR, "the type contains itself")                                 \
	X(REF_DEPTH, "ref-depth", ERROR, "types are nested deeper than the kernel's 32 levels")    \
	X(INT_RESERVED, "int-reserved", ERROR, "reserved bits of the INT's data word are set")     \
	X(INT_BITS, "int-bits", ERROR, "offset and bits exceed 128 or the INT's size")             \
	X(INT_ENCODING, "int-encoding", ERROR, "the encoding must be none, signed, char or bool")  \
	X(ARRAY_INDEX, "array-index", ERROR, "the index type must be a plain integer")             \
	X(ARRAY_ELEMENT, "array-element", ERROR, "an integer element must be a plain integer")     \
	X(ARRAY_OVERFLOW, "array-overflow", ERROR, "the array's size exceeds 32 bits")             \
	X(MEMBER_ORDER, "member-order", ERROR, "members must be in the order of their offsets")    \
	X(MEMBER_OFFSET, "member-offset", ERROR, "the offset is outside, or nonzero in a union")   \
	X(MEMBER_ALIGN, "member-align", ERROR, "the member is not aligned as its type needs")      \
	X(MEMBER_END, "member-end", ERROR, "the member extends past its struct or union")          \
	X(MEMBER_BITS, "member-bits", ERROR, "the bit-field is wider than its type allows")        \
	X(MEMBER_BASE, "member-base", ERROR, "with kind_flag the type must be a plain integer")    \
	X(ENUM_SIZE, "enum-size", ERROR, "an enum has 1, 2, 4 or 8 bytes")                         \
	X(FUNC_LINKAGE, "func-linkage", ERROR, "a FUNC is static (0) or global (1)")               \
	X(FUNC_PROTO, "func-proto", ERROR, "a FUNC must refer to a FUNC_PROTO")                    \
	X(FUNC_PARAM, "func-param", ERROR, "a FUNC's parameters must have names")                  \
	X(PARAM_VARARG, "param-vararg", ERROR, "the final void parameter (...) has no name")       \
	X(VAR_LINKAGE, "var-linkage", ERROR, "a VAR is static (0) or global (1)")                  \
	X(DATASEC_SIZE, "datasec-size", ERROR, "a DATASEC must not be empty")                      \
	X(DATASEC_OFFSET, "datasec-offset", ERROR, "entries must ascend, apart, in the section")   \
	X(DATASEC_END, "datasec-end", ERROR, "the entry is empty or extends past the section")     \
	X(DATASEC_ENTRY, "datasec-entry", ERROR, "an entry must refer to a VAR")                   \
	X(DATASEC_VAR, "datasec-var", ERROR, "the entry is smaller than its variable's type")      \
	X(FLOAT_SIZE, "float-size", ERROR, "a FLOAT has 2, 4, 8, 12 or 16 bytes")                  \
	X(TAG_TARGET, "tag-target", ERROR, "a DECL_TAG needs a struct, union, VAR, FUNC, TYPEDEF") \
	X(TAG_COMPONENT, "tag-component", ERROR, "the tagged member or parameter does not exist")  \
	X(TAG_ORDER, "tag-order", ERROR, "a type tag after other modifiers needs Linux 7.2")       \
	X(CHAIN_LENGTH, "chain-length", ERROR, "more than 32 modifiers and typedefs in a row")     \
	X(LOC_SIZE, "loc-size", ERROR, "a LOC_PARAM must have a size of at most 16")               \
	X(LOC_FLAGS, "loc-flags", ERROR, "the flags are unknown, or exclude each other")           \
	X(LOC_VALUES, "loc-values", ERROR, "the number of values does not fit flags and size")     \
	X(LOC_PARAM, "loc-param", ERROR, "a LOC_PROTO refers to LOC_PARAMs, or to nothing")        \
	X(LOC_PROTO, "loc-proto", ERROR, "a LOC must refer to a FUNC_PROTO")                       \
	X(LOC_PLACE, "loc-place", ERROR, "a location is a fetch argument: %reg, +N(%reg), \\N")    \
	X(LOC_COUNT, "loc-count", ERROR, "there must be as many locations as parameters")          \
	X(LOC_VARARG, "loc-vararg", ERROR, "the final void parameter (...) has no location")       \
	X(LOCSEC_FUNC, "locsec-func", ERROR, "a site must refer to a FUNC that has a FUNC_PROTO")  \
	X(LOCSEC_PROTO, "locsec-proto", ERROR, "a site must refer to a LOC_PROTO")                 \
	X(LOCSEC_ORDER, "locsec-order", ERROR, "sites must ascend: function, offset, LOC_PROTO")   \
	X(SITE_OFFSET, "site-offset", ERROR, "the site is outside of the section")                 \
	X(SITE_ORDER, "site-order", ERROR, "sites must be in the order of their offsets")          \
	X(SITE_FUNC, "site-func", ERROR, "a site must refer to a FUNC")                            \
	X(SITE_LOCATION, "site-location", ERROR, "a location is a LOC, a FUNC_PROTO or nothing")   \
	X(BASE_KIND, "base-kind", ERROR, "a distilled base has named scalars, structs and FWDs")   \
	X(BASE_MISSING, "base-missing", ERROR, "the kernel's BTF has no such type")                \
	X(BASE_SEVERAL, "base-several", ERROR, "the kernel's BTF has several such types")          \
	X(BASE_NAME, "base-name", ERROR, "a name is in the base, but not that of a type")          \
	X(LOC_KINDS, "loc-kinds", WARNING, "kernels that do not know kinds 20 to 22 refuse this")  \
	X(LAYOUT, "layout", WARNING, "there is a layout section, which older kernels refuse")      \
	X(BLOB_SIZE, "blob-size", WARNING, "above 16 MiB, which BPF_BTF_LOAD refuses")             \
	X(NAMES_UNSORTED, "names-unsorted", WARNING, "types are not sorted by name from here on")  \
	X(STRING_DUPLICATE, "string-duplicate", WARNING, "the string is there more than once")     \
	X(STRING_TAIL, "string-tail", WARNING, "the name is the tail of another string")

enum btf_rule {
#define BTF_RULE_ENUM(name, code, severity, sentence) BTF_RULE_##name,
	BTF_RULES(BTF_RULE_ENUM)
#undef BTF_RULE_ENUM
	BTF_RULE_COUNT,
};

enum btf_severity {
	BTF_RULE_ERROR,			/* the kernel rejects the BTF */
	BTF_RULE_WARNING,
};

struct btf_rule_info {
	const char *code;
	const char *sentence;
	enum btf_severity severity;
};

extern const struct btf_rule_info btf_rules[BTF_RULE_COUNT];

#endif
