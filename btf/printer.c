/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Text of BTF records. The text is put together in a block of memory by functions that know only
 * strings and decimal numbers, and handed to stdio in big pieces: printf() would take four times
 * as long. References are printed, not followed, except that a DATASEC's entries show the kind and
 * name of what they refer to, and that sites show their parameters.
 */
#include "btf/printer.h"

#include <string.h>

#include "base/text.h"
#include "btf/inspect.h"

#define FLUSH_BYTES (1u << 18)

/*
 * Of a damaged file each site could repeat names and thousands of parameters: so much is repeated,
 * and for each byte of BTF. Kernels have a twentieth of that.
 */
#define SITE_PARAMETERS_MAX 64
#define ROOM_LEAST	    ((size_t)16 << 20)
#define ROOM_PER_BYTE	    16
#define LOCATION_BYTES	    256

struct page {
	struct text bytes;
	const struct btf_reader *btf;
	const struct btf_print_words *words;
	size_t room;		/* bytes for what is said of records elsewhere; 0: it was cut */
};

static void put(struct page *text, const char *string)
{
	text_add_string(&text->bytes, string);
}

static void put_signed(struct page *text, int64_t value)
{
	put(text, value < 0 ? "-" : "");
	text_add_number(&text->bytes, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

static void put_field(struct page *text, const char *label, uint32_t value)
{
	put(text, label);
	text_add_number(&text->bytes, value);
}

static void put_name(struct page *text, uint32_t name)
{
	const char *string = name ? btf_reader_string(text->btf, name) : "(anon)";

	put(text, "'");
	string = string ? string : "(invalid)";
	text_add_clean_bytes(&text->bytes, string, btf_name_length(string));
	put(text, "'");
}

static void put_element_name(struct page *text, uint32_t name)
{
	put(text, "\n\t");
	put_name(text, name);
}

static void put_linkage(struct page *text, const char *label, uint32_t type, uint32_t linkage)
{
	static const char *const names[] = { [BTF_LINKAGE_STATIC] = "static",
					     [BTF_LINKAGE_GLOBAL] = "global",
					     [BTF_LINKAGE_EXTERN] = "extern" };

	put_field(text, " type_id=", type);
	put(text, label);
	put(text, linkage <= BTF_LINKAGE_EXTERN ? names[linkage] : "(unknown)");
}

static void put_size_and_count(struct page *text, const uint32_t *record)
{
	put_field(text, " size=", record[BTF_WORD_SIZE]);
	put_field(text, " vlen=", btf_element_count(record));
}

static void put_members(struct page *text, const uint32_t *record)
{
	uint32_t info = record[BTF_WORD_INFO];

	put_size_and_count(text, record);
	for (uint32_t i = 0; i < btf_info_vlen(info); i++) {
		const uint32_t *member = btf_element(record, i);

		put_element_name(text, member[0]);
		put_field(text, " type_id=", member[1]);
		put_field(text, " bits_offset=", btf_member_offset(info, member));
		if (btf_member_bits(info, member))
			put_field(text, " bitfield_size=", btf_member_bits(info, member));
	}
}

static void put_enumerators(struct page *text, const uint32_t *record)
{
	uint32_t info = record[BTF_WORD_INFO];
	bool is_signed = btf_info_kind_flag(info);
	bool wide = btf_info_kind(info) == BTF_ENUM64;

	put(text, is_signed ? " encoding=SIGNED" : " encoding=UNSIGNED");
	put_size_and_count(text, record);
	for (uint32_t i = 0; i < btf_info_vlen(info); i++) {
		const uint32_t *words = btf_element(record, i);
		uint64_t value = btf_enumerator_value(record, words);

		put_element_name(text, words[0]);
		put(text, " val=");
		if (is_signed)
			put_signed(text, (int64_t)value);
		else
			text_add_number(&text->bytes, value);
		if (wide)
			put(text, is_signed ? "LL" : "ULL");
	}
}

static void put_entries(struct page *text, const uint32_t *record)
{
	put_size_and_count(text, record);
	for (uint32_t i = 0; i < btf_element_count(record); i++) {
		const uint32_t *entry = btf_element(record, i);
		const uint32_t *type = btf_reader_type(text->btf, entry[0]);

		put_field(text, "\n\ttype_id=", entry[0]);
		put_field(text, " offset=", entry[1]);
		put_field(text, " size=", entry[2]);
		if (type) {
			put(text, " (");
			put(text, btf_kinds[btf_info_kind(type[BTF_WORD_INFO])].name);
			put(text, " ");
			put_name(text, type[BTF_WORD_NAME]);
			put(text, ")");
		} else if (entry[0] == 0) {
			put(text, " (UNKNOWN '(anon)')");
		}
	}
}

/* ---- sites and locations ---- */

static void put_hex(struct page *text, const char *label, uint32_t value)
{
	text_add_format(&text->bytes, "%s0x%x", label, value);
}

/* What many may repeat. */
static void put_repeated(struct page *text, const char *bytes, size_t count)
{
	if (count < text->room) {
		text->room -= count;
		text_add_clean_bytes(&text->bytes, bytes, count);
	} else {
		text->room = 0;
		put(text, "...");
	}
}

/* As much of a name as BTF allows; NULL or "": there is none. */
static void put_word(struct page *text, const char *word, const char *otherwise)
{
	if (word && *word)
		put_repeated(text, word, btf_name_length(word));
	else
		put(text, otherwise);
}

/* The record of a type of that kind, else NULL. */
static const uint32_t *type_of_kind(const struct page *text, uint32_t id, enum btf_kind kind)
{
	const uint32_t *record = btf_reader_type(text->btf, id);

	return btf_record_kind(record) == kind ? record : NULL;
}

static void put_loc_param(struct page *text, const uint32_t *loc_param)
{
	char buffer[LOCATION_BYTES] = "?";

	if (loc_param)
		btf_location_text(loc_param, text->words->register_name, text->words->context,
				  buffer, sizeof(buffer));
	put_repeated(text, buffer, strlen(buffer));
}

/* The location of parameter `i`: of a LOC_PROTO a type, of a LOC a string. */
static void put_parameter_location(struct page *text, const uint32_t *location, uint32_t i)
{
	uint32_t value = location[BTF_HEAD_WORDS + i];

	if (btf_info_kind(location[BTF_WORD_INFO]) == BTF_LOC_PROTO)
		put_loc_param(text, type_of_kind(text, value, BTF_LOC_PARAM));
	else
		put_word(text, btf_text(text->btf, value), "?");
}

static void put_loc(struct page *text, const uint32_t *record)
{
	const uint32_t *proto = type_of_kind(text, record[BTF_WORD_TYPE], BTF_FUNC_PROTO);
	uint32_t known = btf_element_count(proto);
	uint32_t count = btf_element_count(record);

	put_field(text, " type_id=", record[BTF_WORD_TYPE]);
	put_field(text, " vlen=", count);
	for (uint32_t i = 0; i < count; i++) {
		put(text, "\n\t'");
		put_word(text, i < known ? btf_text(text->btf, *btf_element(proto, i))
					 : NULL, "(anon)");
		put(text, "' location=");
		put_parameter_location(text, record, i);
	}
}

/* " a=%di b=?"; the dots of a variadic function have no location. */
static void put_arguments(struct page *text, uint32_t proto_id, const uint32_t *location)
{
	const uint32_t *proto = type_of_kind(text, proto_id, BTF_FUNC_PROTO);
	uint32_t known = btf_element_count(proto);
	uint32_t count = btf_element_count(location);

	for (uint32_t i = 0; i < count; i++) {
		const uint32_t *param = i < known ? btf_element(proto, i) : NULL;

		if (!text->room || i == SITE_PARAMETERS_MAX ||
		    (param && !param[0] && !param[1])) {
			put(text, " ...");
			return;
		}
		put(text, " ");
		put_word(text, param ? btf_text(text->btf, param[0]) : NULL, "(anon)");
		put(text, "=");
		put_parameter_location(text, location, i);
	}
}

/* "caller+0x12: f", or where no symbols are known ".text+0x1a40: f". */
static void put_site(struct page *text, const char *section, uint32_t offset, const char *function)
{
	char buffer[LOCATION_BYTES];
	int length = 0;

	if (text->words->site_text && section && function)
		length = text->words->site_text(text->words->context, section, offset, function,
						buffer, sizeof(buffer));
	if (length > 0) {
		put_repeated(text, buffer, strlen(buffer));
	} else {
		put_word(text, section, "(anon)");
		put_hex(text, "+", offset);
	}
	put(text, ": ");
	put_word(text, function, "(anon)");
}

/* A LOCSEC, or a DATASEC of functions. */
static void put_sites(struct page *text, const uint32_t *record)
{
	bool is_locsec = btf_info_kind(record[BTF_WORD_INFO]) == BTF_LOCSEC;
	const char *section = btf_reader_string(text->btf, record[BTF_WORD_NAME]);

	section = section && is_locsec ? btf_site_section(section) : section;
	if (is_locsec)
		put_field(text, " vlen=", btf_element_count(record));
	else
		put_size_and_count(text, record);
	for (uint32_t i = 0; i < btf_element_count(record); i++) {
		const uint32_t *site = btf_element(record, i);
		uint32_t offset = site[is_locsec ? 2 : 1], location_id = site[is_locsec ? 1 : 2];
		const uint32_t *func = type_of_kind(text, site[0], BTF_FUNC);
		const uint32_t *location =
			type_of_kind(text, location_id, is_locsec ? BTF_LOC_PROTO : BTF_LOC);

		put_field(text, is_locsec ? "\n\tfunc_id=" : "\n\ttype_id=", site[0]);
		if (is_locsec)
			put_field(text, " loc_proto_id=", location_id);
		put_hex(text, " offset=", offset);
		if (!is_locsec)
			put_field(text, " location_type_id=", location_id);
		put(text, " (");
		put_site(text, section, offset,
			 func ? btf_reader_string(text->btf, func[BTF_WORD_NAME]) : NULL);
		if (location && (func || !is_locsec))
			put_arguments(text, (is_locsec ? func : location)[BTF_WORD_TYPE], location);
		else if (!is_locsec && type_of_kind(text, location_id, BTF_FUNC_PROTO))
			put(text, " by convention");
		put(text, ")");
	}
}

static void put_body(struct page *text, const uint32_t *record)
{
	static const char *const encodings[16] = {
		[0] = "(none)", [BTF_INT_SIGNED] = "SIGNED", [BTF_INT_CHAR] = "CHAR",
		[BTF_INT_BOOL] = "BOOL" };
	const uint32_t *data = record + BTF_HEAD_WORDS;
	uint32_t info = record[BTF_WORD_INFO], count = btf_info_vlen(info);
	const char *encoding;

	switch (btf_info_kind(info)) {
	case BTF_INT:
		encoding = encodings[data[0] >> 24 & 0xf];
		put_field(text, " size=", record[BTF_WORD_SIZE]);
		put_field(text, " bits_offset=", data[0] >> 16 & 0xff);
		put_field(text, " nr_bits=", data[0] & 0xff);
		put(text, " encoding=");
		put(text, encoding ? encoding : "UNKN");
		break;
	case BTF_ARRAY:
		put_field(text, " type_id=", data[0]);
		put_field(text, " index_type_id=", data[1]);
		put_field(text, " nr_elems=", data[2]);
		break;
	case BTF_STRUCT:
	case BTF_UNION:
		put_members(text, record);
		break;
	case BTF_ENUM:
	case BTF_ENUM64:
		put_enumerators(text, record);
		break;
	case BTF_FWD:
		put(text, btf_info_kind_flag(info) ? " fwd_kind=union" : " fwd_kind=struct");
		break;
	case BTF_FUNC:
		put_linkage(text, " linkage=", record[BTF_WORD_TYPE], count);
		break;
	case BTF_FUNC_PROTO:
		put_field(text, " ret_type_id=", record[BTF_WORD_TYPE]);
		put_field(text, " vlen=", count);
		for (uint32_t i = 0; i < count; i++) {
			put_element_name(text, data[2 * i]);
			put_field(text, " type_id=", data[2 * i + 1]);
		}
		break;
	case BTF_VAR:
		put_linkage(text, ", linkage=", record[BTF_WORD_TYPE], data[0]);
		break;
	case BTF_DATASEC:
	case BTF_LOCSEC:
		if (btf_kind_of(info) == &btf_kinds[BTF_DATASEC])
			put_entries(text, record);
		else
			put_sites(text, record);
		break;
	case BTF_FLOAT:
		put_field(text, " size=", record[BTF_WORD_SIZE]);
		break;
	case BTF_DECL_TAG:
		put_field(text, " type_id=", record[BTF_WORD_TYPE]);
		put(text, " component_idx=");
		put_signed(text, (int32_t)data[0]);
		break;
	case BTF_LOC_PARAM:
		put_size_and_count(text, record);
		put_hex(text, " flags=", data[0]);
		for (uint32_t i = 0; i < count; i++)
			put_field(text, i ? "," : " values=", data[1 + i]);
		put(text, " (");
		put_loc_param(text, record);
		put(text, ")");
		break;
	case BTF_LOC_PROTO:
		put_field(text, " vlen=", count);
		for (uint32_t i = 0; i < count; i++) {
			put_field(text, "\n\ttype_id=", data[i]);
			put(text, " (");
			put_parameter_location(text, record, i);
			put(text, ")");
		}
		break;
	case BTF_LOC:
		put_loc(text, record);
		break;
	default:
		put_field(text, " type_id=", record[BTF_WORD_TYPE]);
		break;
	}
}

bool btf_print(const struct btf_reader *btf, const bool *wanted,
	       const struct btf_print_words *words, FILE *out)
{
	static const struct btf_print_words no_words;
	struct page text = { .btf = btf, .words = words ? words : &no_words,
			     .room = ROOM_LEAST + ROOM_PER_BYTE * btf->data_bytes };

	for (uint32_t id = btf->first_id; id < btf_reader_end_id(btf); id++) {
		const uint32_t *record = btf_reader_type(btf, id);

		if (wanted && !wanted[id])
			continue;
		put_field(&text, "[", id);
		put(&text, "] ");
		put(&text, btf_kinds[btf_info_kind(record[BTF_WORD_INFO])].name);
		put(&text, " ");
		put_name(&text, record[BTF_WORD_NAME]);
		put_body(&text, record);
		put(&text, "\n");
		if (text.bytes.count >= FLUSH_BYTES) {
			fwrite(text.bytes.data, 1, text.bytes.count, out);
			text.bytes.count = 0;
		}
	}
	if (text.bytes.count)
		fwrite(text.bytes.data, 1, text.bytes.count, out);
	array_release(&text.bytes);
	return text.room;
}
