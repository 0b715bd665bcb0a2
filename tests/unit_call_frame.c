/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The CFA: each instruction, each encoding of CIEs and FDEs, what the index finds, and damage of
 * all that.
 */
#include "tests/cmocka_all.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "dwarf/call_frame.h"
#include "elf/relocatable.h"
#include "tests/dwarf_reading.h"
#include "tests/mutate.h"

#define BYTES(text) text, sizeof(text) - 1

#define CODE	   0x1000u
#define CODE_BYTES 0x200000u
#define EH_ADDRESS 0x40000u

#define UNKNOWN (-1)

/* ---- sections made by hand ---- */

struct format {
	bool is_eh, big_endian, is_wide;	/* is_wide: the 64-bit format */
	uint8_t version, address_bytes;
};

struct image {
	struct format format;
	struct dwarf_blob blob;		/* for the byte order of numbers */
	blob_bytes bytes;
	size_t entry;			/* where the last one begins */
	size_t common;			/* where the last CIE begins */
	struct call_frames frames;	/* once it is opened */
};

static void init(struct image *image, const struct format *format)
{
	memset(image, 0, sizeof(*image));
	image->format = *format;
	dwarf_blob_init(&image->blob);
	image->blob.big_endian = format->big_endian;
}

static void release(struct image *image)
{
	call_frames_close(&image->frames);
	array_release(&image->bytes);
	dwarf_blob_release(&image->blob);
}

static void put(struct image *image, uint64_t value, uint8_t bytes)
{
	blob_put_number(&image->blob, &image->bytes, value, bytes);
}

static uint8_t id_bytes(const struct image *image)
{
	return image->format.is_wide && !image->format.is_eh ? 8 : 4;
}

static void begin_entry(struct image *image)
{
	image->entry = image->bytes.count;
	if (image->format.is_wide)
		put(image, 0xffffffff, 4);
	put(image, 0, image->format.is_wide ? 8 : 4);
}

static void end_entry(struct image *image)
{
	size_t at = image->entry + (image->format.is_wide ? 4 : 0);
	uint8_t wide = image->format.is_wide ? 8 : 4;

	blob_set_number(&image->blob, image->bytes.data + at,
			image->bytes.count - at - wide, wide);
}

/* Up to the instructions. The augmentation has no 'z' of its own data but what `data` says. */
static void begin_common(struct image *image, const char *augmentation, const char *data,
			 size_t data_bytes)
{
	begin_entry(image);
	image->common = image->entry;
	put(image, image->format.is_eh ? 0 : UINT64_MAX, id_bytes(image));
	put(image, image->format.version, 1);
	blob_put(&image->bytes, augmentation, strlen(augmentation) + 1);
	if (image->format.version == 4) {
		put(image, image->format.address_bytes, 1);
		put(image, 0, 1);
	}
	blob_put_uleb(&image->bytes, 2);	/* code alignment */
	blob_put_sleb(&image->bytes, -8);	/* data alignment */
	blob_put_uleb(&image->bytes, 16);	/* return address */
	if (*augmentation == 'z')
		blob_put_uleb(&image->bytes, data_bytes);
	blob_put(&image->bytes, data, data_bytes);
}

/* One that says r7 + 8. */
static void put_common_with(struct image *image, const char *augmentation, const char *data,
			    size_t data_bytes)
{
	begin_common(image, augmentation, data, data_bytes);
	blob_put(&image->bytes, "\x0c\x07\x08", 3);
	end_entry(image);
}

static void put_common(struct image *image)
{
	put_common_with(image, "", "", 0);
}

static void begin_fde(struct image *image)
{
	begin_entry(image);
	put(image, image->format.is_eh ? image->bytes.count - image->common : image->common,
	    id_bytes(image));
}

static void put_fde(struct image *image, uint64_t begin, uint64_t bytes, const char *code,
		    size_t code_bytes)
{
	begin_fde(image);
	put(image, begin, image->format.address_bytes);
	put(image, bytes, image->format.address_bytes);
	blob_put(&image->bytes, code, code_bytes);
	end_entry(image);
}

static struct frame_section section_of(const struct image *image, const uint8_t *data, size_t size)
{
	return (struct frame_section){
		.data = data,
		.size = size,
		.address = image->format.is_eh ? EH_ADDRESS : 0,
		.address_bytes = image->format.address_bytes,
		.is_eh = image->format.is_eh,
		.swap = image->format.big_endian != HOST_IS_BIG_ENDIAN,
	};
}

/* Opens the bytes given; they must live as long as the frames. */
static void open_bytes(struct call_frames *frames, const struct image *image, const uint8_t *data,
		       size_t size)
{
	struct frame_section sections[CALL_FRAME_SECTIONS] = { section_of(image, data, size) };

	call_frames_open_sections(frames, sections);
}

static void open_whole(struct call_frames *frames, const struct image *image)
{
	open_bytes(frames, image, image->bytes.data, image->bytes.count);
}

static void open_image(struct image *image)
{
	open_whole(&image->frames, image);
}

/* The format that comes after this one; false: there is none. The first is all zeros. */
static bool next_format(struct format *format)
{
	static const uint8_t versions[] = { 1, 3, 4 };
	static unsigned int number;
	unsigned int n = format->version ? ++number : (number = 0);

	*format = (struct format){
		.is_eh = n & 1,
		.big_endian = n & 2,
		.is_wide = n & 4,
		.address_bytes = n & 8 ? 4 : 8,
		.version = n / 16 < LENGTH(versions) ? versions[n / 16] : 0,
	};
	return format->version != 0;
}

static void check_cfa(const struct call_frames *frames, uint64_t pc, int reg, int64_t offset,
		      const char *what)
{
	uint8_t found_reg = 0xee;
	int64_t found_offset = 0xee;
	bool is_known = call_frames_cfa(frames, pc, &found_reg, &found_offset);

	if (is_known != (reg != UNKNOWN) ||
	    (is_known && (found_reg != reg || found_offset != offset)))
		fail_msg("%s: pc 0x%llx: %s r%u %+lld", what, (unsigned long long)pc,
			 is_known ? "known" : "unknown", found_reg, (long long)found_offset);
}

/* ---- instructions ---- */

struct question {
	uint64_t at;		/* relative to CODE */
	int reg;
	int64_t offset;
};

struct code_row {
	const char *what;
	const char *code;	/* numbers of several bytes read the same in both orders */
	size_t bytes;
	struct question questions[4];	/* the first may be for 0; others at 0 are not asked */
};

#define IS(reg, offset, what, code) { what, BYTES(code), { { 0, reg, offset } } }
#define NOTHING(what, code)	    IS(UNKNOWN, 0, what, code)

/* After r7 + 8 of the CIE; the code is counted in twos, the data in minus eights. */
static const struct code_row code_rows[] = {
	{ "nothing", BYTES(""), { { 0, 7, 8 }, { CODE_BYTES - 1, 7, 8 } } },
	{ "outside", BYTES(""), { { 0, 7, 8 }, { CODE_BYTES, UNKNOWN, 0 } } },
	IS(7, 8, "nop", "\0\0\0"),
	IS(6, 16, "def_cfa", "\x0c\x06\x10"),
	IS(255, 0x4010, "def_cfa, long numbers", "\x0c\xff\x01\x90\x80\x01"),
	NOTHING("def_cfa, register 256", "\x0c\x80\x02\x10"),
	IS(7, INT64_MAX, "def_cfa, the highest offset",
	   "\x0c\x07\xff\xff\xff\xff\xff\xff\xff\xff\x7f"),
	NOTHING("def_cfa, an offset above", "\x0c\x07\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"),
	IS(6, 8, "def_cfa_register", "\x0d\x06"),
	IS(7, 32, "def_cfa_offset", "\x0e\x20"),
	IS(6, 16, "def_cfa_sf", "\x12\x06\x7e"),
	IS(6, -16, "def_cfa_sf, below", "\x12\x06\x02"),
	NOTHING("def_cfa_sf, too much", "\x12\x06\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f"),
	IS(7, 24, "def_cfa_offset_sf", "\x13\x7d"),
	NOTHING("expression", "\x0f\x02\x77\x08"),
	NOTHING("register of an expression", "\x0f\x02\x77\x08\x0d\x06"),
	NOTHING("offset of an expression", "\x0f\x02\x77\x08\x0e\x06"),
	NOTHING("signed offset of an expression", "\x0f\x02\x77\x08\x13\x06"),
	NOTHING("offset of an expression, def_cfa", "\x0f\x02\x77\x08\x0e\x06\x0c\x07\x10"),
	{ "after an expression", BYTES("\x0f\x02\x77\x08\x41\x0c\x07\x20"),
	  { { 0, UNKNOWN, 0 }, { 1, UNKNOWN, 0 }, { 2, 7, 32 } } },
	{ "advance_loc", BYTES("\x41\x0e\x10\x7f\x0e\x18"),
	  { { 0, 7, 8 }, { 1, 7, 8 }, { 2, 7, 16 }, { 0x80, 7, 24 } } },
	{ "advance_loc, one before", BYTES("\x41\x0e\x10\x7f\x0e\x18"),
	  { { 0, 7, 8 }, { 0x7f, 7, 16 } } },
	IS(7, 16, "advance_loc by 0", "\x40\x0e\x10"),
	{ "advance_loc1", BYTES("\x02\xff\x0e\x10"),
	  { { 0, 7, 8 }, { 0x1fd, 7, 8 }, { 0x1fe, 7, 16 } } },
	{ "advance_loc2", BYTES("\x03\x11\x11\x0e\x10"),
	  { { 0, 7, 8 }, { 0x2221, 7, 8 }, { 0x2222, 7, 16 } } },
	{ "advance_loc4", BYTES("\x04\0\x02\x02\0\x0e\x10"),
	  { { 0, 7, 8 }, { 0x403ff, 7, 8 }, { 0x40400, 7, 16 } } },
	{ "advance_loc8", BYTES("\x1d\0\0\1\0\0\1\0\0\x0e\x10"),
	  { { 0, 7, 8 }, { CODE_BYTES - 1, 7, 8 } } },
	NOTHING("advance_loc8, too far", "\x1d\xff\xff\xff\xff\xff\xff\xff\xff\x0e\x10"),
	{ "remember, restore", BYTES("\x0a\x0e\x10\x41\x0b\x41\x0e\x18"),
	  { { 0, 7, 16 }, { 2, 7, 8 }, { 4, 7, 24 } } },
	{ "remember an expression", BYTES("\x0f\x01\x9c\x0a\x0c\x07\x10\x41\x0b"),
	  { { 0, 7, 16 }, { 2, UNKNOWN, 0 } } },
	NOTHING("restore nothing", "\x0b"),
	{ "restore twice", BYTES("\x0a\x0b\x41\x0b"), { { 0, 7, 8 }, { 2, UNKNOWN, 0 } } },
	IS(7, 8, "remember 16", "\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a"),
	NOTHING("remember 17",
		"\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a"),
	/* Passed over, whatever their operands look like: all end with def_cfa_offset 16. */
	IS(7, 16, "offset", "\x86\x02\x0e\x10"),
	IS(7, 16, "offset, long", "\x86\x82\x0e\x0e\x10"),
	IS(7, 16, "restore", "\xc6\x0e\x10"),
	IS(7, 16, "offset_extended", "\x05\x0b\x0b\x0e\x10"),
	IS(7, 16, "restore_extended", "\x06\x0b\x0e\x10"),
	IS(7, 16, "undefined", "\x07\x0b\x0e\x10"),
	IS(7, 16, "same_value", "\x08\x0b\x0e\x10"),
	IS(7, 16, "register", "\x09\x0b\x0b\x0e\x10"),
	IS(7, 16, "rule by expression", "\x10\x0b\x02\x0b\x0b\x0e\x10"),
	IS(7, 16, "rule by expression, empty", "\x10\x0b\0\x0e\x10"),
	IS(7, 16, "offset_extended_sf", "\x11\x0b\x7f\x0e\x10"),
	IS(7, 16, "val_offset", "\x14\x0b\x0b\x0e\x10"),
	IS(7, 16, "val_offset_sf", "\x15\x0b\x0b\x0e\x10"),
	IS(7, 16, "val_expression", "\x16\x0b\x02\x0b\x0b\x0e\x10"),
	IS(7, 16, "negate_ra_state_with_pc", "\x2c\x0e\x10"),
	IS(7, 16, "window_save, negate_ra_state", "\x2d\x0e\x10"),
	IS(7, 16, "args_size", "\x2e\x0b\x0e\x10"),
	IS(7, 16, "negative_offset_extended", "\x2f\x0b\x0b\x0e\x10"),
	/* Not there to their end. */
	NOTHING("cut def_cfa", "\x0c\x06"),
	NOTHING("cut number", "\x0e\x80"),
	NOTHING("a number of eleven bytes", "\x0e\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\0"),
	NOTHING("cut offset", "\x86"),
	NOTHING("cut advance_loc4", "\x04\0\0\0"),
	NOTHING("cut expression", "\x10\x06\x03\x77\x08"),
	NOTHING("endless expression", "\x10\x06\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x77"),
	NOTHING("cut set_loc", "\x01\0\0\0"),
	NOTHING("not known", "\x17"),
	NOTHING("not known, the highest", "\x3f"),
	NOTHING("set_loc back to 0", "\x01\0\0\0\0\0\0\0\0"),
	/* Damage after the row that was asked for. */
	{ "not known, later", BYTES("\x41\x17"), { { 0, 7, 8 }, { 1, 7, 8 }, { 2, UNKNOWN, 0 } } },
};

static void ask(const struct call_frames *frames, const struct code_row *row)
{
	for (size_t i = 0; i < LENGTH(row->questions) && (i == 0 || row->questions[i].at); i++)
		check_cfa(frames, CODE + row->questions[i].at, row->questions[i].reg,
			  row->questions[i].offset, row->what);
}

/* Each row's code in its FDE, after a CIE that says r7 + 8; or in a CIE, before an empty FDE. */
static void check_code(const struct code_row *rows, size_t count, bool is_common)
{
	struct format format = { 0 };

	while (next_format(&format)) {
		for (size_t i = 0; i < count; i++) {
			const struct code_row *row = &rows[i];
			struct image image;

			init(&image, &format);
			begin_common(&image, "", "", 0);
			blob_put(&image.bytes, is_common ? row->code : "\x0c\x07\x08",
				 is_common ? row->bytes : 3);
			end_entry(&image);
			put_fde(&image, CODE, CODE_BYTES, row->code, is_common ? 0 : row->bytes);
			open_image(&image);
			assert_int_equal(image.frames.count, 1);
			ask(&image.frames, row);
			release(&image);
		}
	}
}

TEST(test_instructions)
{
	check_code(code_rows, LENGTH(code_rows), false);
}

TEST(test_set_loc)
{
	struct format format = { 0 };

	while (next_format(&format)) {
		struct image image;

		init(&image, &format);
		put_common(&image);
		begin_fde(&image);
		put(&image, CODE, format.address_bytes);
		put(&image, CODE_BYTES, format.address_bytes);
		put(&image, DW_CFA_set_loc, 1);
		put(&image, CODE + 0x33, format.address_bytes);
		blob_put(&image.bytes, "\x0e\x10", 2);
		end_entry(&image);
		open_image(&image);
		check_cfa(&image.frames, CODE + 0x32, 7, 8, "set_loc, before");
		check_cfa(&image.frames, CODE + 0x33, 7, 16, "set_loc");
		release(&image);
	}
}

/* Instructions of the CIE alone. */
TEST(test_common_instructions)
{
	static const struct code_row rows[] = {
		NOTHING("none", ""),
		IS(7, 8, "def_cfa", "\x0c\x07\x08\x90\x01"),
		IS(2, 0, "GNU as for RISC-V", "\x0d\x02"),
		NOTHING("an offset of nothing", "\x0e\x02"),
		NOTHING("a signed offset of nothing", "\x13\x02"),
		NOTHING("a CIE has no code: advance_loc", "\x0c\x07\x08\x41"),
		NOTHING("advance_loc4", "\x0c\x07\x08\x04\0\0\0\0"),
		NOTHING("cut", "\x0c\x07"),
	};

	check_code(rows, LENGTH(rows), true);
}

/* ---- how CIEs are written ---- */

TEST(test_augmentations)
{
	static const struct {
		const char *text;
		const char *data;
		size_t bytes;
		bool good;
	} rows[] = {
		{ "", BYTES(""), true },
		{ "z", BYTES(""), true },
		{ "z", BYTES("ignored"), true },
		{ "zR", BYTES("\0"), true },
		{ "zRS", BYTES("\0"), true },
		{ "zRB", BYTES("\0"), true },
		{ "zRGS", BYTES("\0more"), true },
		{ "zLR", BYTES("\x1b\0"), true },
		{ "zPLR", BYTES("\x1b\1\2\3\4\x1b\0"), true },
		{ "zPLR", BYTES("\x9b\1\2\3\4\x1b\0"), true },
		{ "zPR", BYTES("\x02\1\2\0"), true },
		{ "S", BYTES(""), true },
		{ "B", BYTES(""), true },
		{ "zR", BYTES(""), false },
		{ "zL", BYTES(""), false },
		{ "zP", BYTES("\x1b\1\2\3"), false },
		{ "zPR", BYTES("\x50\0\0\0\0\0\0\0\0"), false },	/* aligned */
		{ "zPR", BYTES("\x05\0\0\0\0\0\0\0\0"), false },	/* no format */
		{ "R", BYTES(""), false },
		{ "zX", BYTES("\0"), false },
		{ "zXR", BYTES("\0"), false },
		{ "eh", BYTES(""), false },
		{ "armcc+", BYTES(""), false },
		{ "zSSSSSSSSSSSSSS", BYTES(""), true },		/* 15 and the end */
		{ "zSSSSSSSSSSSSSSS", BYTES(""), false },
	};
	struct format format = { 0 };

	while (next_format(&format)) {
		for (size_t i = 0; i < LENGTH(rows); i++) {
			struct image image;
			bool has_data = *rows[i].text == 'z';

			init(&image, &format);
			put_common_with(&image, rows[i].text, rows[i].data, rows[i].bytes);
			put_fde(&image, CODE, CODE_BYTES, has_data ? "\2\x0b\x0b\x0e\x10" :
				"\x0e\x10", has_data ? 5 : 2);
			open_image(&image);
			check_cfa(&image.frames, CODE, rows[i].good ? 7 : UNKNOWN, 16,
				  rows[i].text);
			release(&image);
		}
	}
}

TEST(test_versions)
{
	static const struct {
		uint8_t version, address_bytes, segment_bytes;
		bool good;
	} rows[] = {
		{ 0, 8, 0, false }, { 1, 8, 0, true },  { 2, 8, 0, false }, { 3, 8, 0, true },
		{ 4, 8, 0, true },  { 5, 8, 0, false }, { 4, 4, 0, true },  { 4, 2, 0, false },
		{ 4, 0, 0, false }, { 4, 9, 0, false }, { 4, 8, 4, false }, { 4, 8, 1, false },
	};

	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct format format = { .version = rows[i].version,
					 .address_bytes = rows[i].address_bytes };
		struct call_frames frames;
		struct frame_section sections[CALL_FRAME_SECTIONS] = { 0 };
		struct image image;

		init(&image, &format);
		put_common(&image);
		if (rows[i].version == 4)
			image.bytes.data[image.entry + 11] = rows[i].segment_bytes;
		put_fde(&image, CODE, 0x100, "", 0);
		/* A CIE may say another size than the file's class. */
		sections[0] = section_of(&image, image.bytes.data, image.bytes.count);
		sections[0].address_bytes = 8;
		call_frames_open_sections(&frames, sections);
		check_cfa(&frames, CODE, rows[i].good ? 7 : UNKNOWN, 8, "version");
		call_frames_close(&frames);
		release(&image);
	}
}

/* ---- how FDEs are written ---- */

/* The address of the code is CODE, the length 0x70; pc-relative ones reach down from EH_ADDRESS. */
TEST(test_encodings)
{
	static const struct {
		uint8_t encoding;
		uint8_t bytes;		/* 0: LEB128 */
		bool good;
	} rows[] = {
		{ DW_EH_PE_absptr, 8, true },
		{ DW_EH_PE_uleb128, 0, true },
		{ DW_EH_PE_udata2, 2, true },
		{ DW_EH_PE_udata4, 4, true },
		{ DW_EH_PE_udata8, 8, true },
		{ DW_EH_PE_sleb128, 0, true },
		{ DW_EH_PE_sdata2, 2, true },
		{ DW_EH_PE_sdata4, 4, true },
		{ DW_EH_PE_sdata8, 8, true },
		{ DW_EH_PE_pcrel | DW_EH_PE_absptr, 8, true },
		{ DW_EH_PE_pcrel | DW_EH_PE_sleb128, 0, true },
		{ DW_EH_PE_pcrel | DW_EH_PE_sdata4, 4, true },
		{ DW_EH_PE_pcrel | DW_EH_PE_sdata8, 8, true },
		{ 0x05, 8, false },
		{ 0x0f, 8, false },
		{ DW_EH_PE_textrel | DW_EH_PE_sdata4, 4, false },
		{ DW_EH_PE_datarel | DW_EH_PE_sdata4, 4, false },
		{ DW_EH_PE_funcrel | DW_EH_PE_sdata4, 4, false },
		{ DW_EH_PE_aligned, 8, false },
		{ DW_EH_PE_indirect | DW_EH_PE_pcrel | DW_EH_PE_sdata4, 4, false },
		{ DW_EH_PE_omit, 0, false },
	};

	for (int big_endian = 0; big_endian < 2; big_endian++) {
		for (size_t i = 0; i < LENGTH(rows); i++) {
			struct format format = { .is_eh = true, .big_endian = big_endian,
						 .version = 1, .address_bytes = 8 };
			const char data[] = { (char)rows[i].encoding, 0 };
			struct image image;
			int reg = rows[i].good ? 7 : UNKNOWN;
			uint64_t begin = CODE;

			init(&image, &format);
			put_common_with(&image, "zR", data, 1);
			begin_fde(&image);
			if ((rows[i].encoding & 0x70) == DW_EH_PE_pcrel)
				begin -= EH_ADDRESS + image.bytes.count;
			if (rows[i].bytes) {
				put(&image, begin, rows[i].bytes);
				put(&image, 0x70, rows[i].bytes);
			} else {
				blob_put_sleb(&image.bytes, (int64_t)begin);
				blob_put_sleb(&image.bytes, 0x70);
			}
			blob_put(&image.bytes, "\0\x0e\x10", 3);
			end_entry(&image);
			open_image(&image);
			assert_int_equal(image.frames.count, rows[i].good);
			check_cfa(&image.frames, CODE - 1, UNKNOWN, 0, "before");
			check_cfa(&image.frames, CODE, reg, 16, "encoding");
			check_cfa(&image.frames, CODE + 0x6f, reg, 16, "the last");
			check_cfa(&image.frames, CODE + 0x70, UNKNOWN, 0, "after");
			release(&image);
		}
	}
}

struct code_range {
	uint64_t begin, bytes;
	const char *code;
	size_t code_bytes;
};

/* ---- the index ---- */

#define R6	  BYTES("\x0d\x06")
#define SAME	  BYTES("")
#define IN_MEMORY BYTES("\x0f\x01\x9c")

TEST(test_index)
{
	static const struct {
		const char *what;
		struct code_range ranges[4];
		struct question questions[4];	/* at: the address */
	} rows[] = {
		{ "by address", { { 0x3000, 16, R6 }, { 0x1000, 16, SAME }, { 0x2000, 16, R6 } },
		  { { 0x1000, 7, 8 }, { 0x200f, 6, 8 }, { 0x3000, 6, 8 },
		    { 0x1010, UNKNOWN, 0 } } },
		{ "twice the same", { { 0x1000, 16, R6 }, { 0x1000, 16, R6 } },
		  { { 0x1000, 6, 8 }, { 0x1010, UNKNOWN, 0 } } },
		{ "twice", { { 0x1000, 16, R6 }, { 0x1000, 16, SAME } },
		  { { 0x1000, UNKNOWN, 0 } } },
		{ "twice, one not known", { { 0x1000, 16, R6 }, { 0x1000, 16, IN_MEMORY } },
		  { { 0x1000, UNKNOWN, 0 } } },
		{ "twice, the other not known", { { 0x1000, 16, IN_MEMORY }, { 0x1000, 16, R6 } },
		  { { 0x1000, UNKNOWN, 0 } } },
		{ "inside", { { 0x1000, 0x1000, SAME }, { 0x1800, 16, R6 }, { 0x1900, 16, SAME } },
		  { { 0x17ff, 7, 8 }, { 0x1800, UNKNOWN, 0 }, { 0x1905, 7, 8 },
		    { 0x1fff, 7, 8 } } },
		{ "thrown away", { { 0, 0x10000, R6 }, { 0x1000, 16, SAME } },
		  { { 0x1000, 7, 8 }, { 0x2000, UNKNOWN, 0 }, { 1, UNKNOWN, 0 } } },
		{ "thrown away, -1", { { UINT64_MAX, 16, R6 }, { UINT64_MAX - 1, 16, R6 } },
		  { { UINT64_MAX, UNKNOWN, 0 }, { UINT64_MAX - 1, UNKNOWN, 0 } } },
		{ "empty", { { 0x1000, 0, R6 } }, { { 0x1000, UNKNOWN, 0 } } },
		{ "up to the end", { { UINT64_MAX - 16, 16, R6 } },
		  { { UINT64_MAX - 1, 6, 8 }, { UINT64_MAX, UNKNOWN, 0 } } },
		{ "all", { { 1, UINT64_MAX - 1, R6 } }, { { 1, 6, 8 }, { INT64_MAX, 6, 8 } } },
	};
	static const struct format format = { .version = 1, .address_bytes = 8 };

	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct image image;

		init(&image, &format);
		put_common(&image);
		for (size_t k = 0; k < 4 && rows[i].ranges[k].code; k++) {
			const struct code_range *range = &rows[i].ranges[k];

			put_fde(&image, range->begin, range->bytes, range->code, range->code_bytes);
			/* Each has a CIE of its own; the first comes after its own. */
			put_common(&image);
		}
		open_image(&image);
		for (size_t k = 0; k < 4 && rows[i].questions[k].at; k++)
			check_cfa(&image.frames, rows[i].questions[k].at, rows[i].questions[k].reg,
				  rows[i].questions[k].offset, rows[i].what);
		release(&image);
	}
}

/* A long one below many short ones: it is found past some of them, not past any number. */
TEST(test_reach)
{
	static const struct format format = { .version = 1, .address_bytes = 8 };

	for (uint32_t count = 0; count < 70; count++) {
		struct image image;

		init(&image, &format);
		put_common(&image);
		for (uint32_t i = 0; i < count; i++)
			put_fde(&image, 0x1010 + 16 * i, 16, "", 0);
		put_fde(&image, 0x1000, 0x10000, "", 0);
		open_image(&image);
		assert_int_equal(image.frames.count, count + 1);
		check_cfa(&image.frames, 0x1fff, count < 64 ? 7 : UNKNOWN, 8, "reach");
		check_cfa(&image.frames, 0x1000, 7, 8, "the start");
		release(&image);
	}
}

TEST(test_two_sections)
{
	static const struct {
		struct code_range ranges[2];
		int reg;
	} rows[] = {
		{ { { 0x1000, 16, R6 }, { 0x1000, 16, R6 } }, 6 },
		{ { { 0x1000, 16, R6 }, { 0x1000, 16, SAME } }, UNKNOWN },
		{ { { 0x1000, 16, R6 }, { 0x1000, 16, IN_MEMORY } }, UNKNOWN },
		{ { { 0x1000, 16, R6 }, { 0x2000, 16, SAME } }, 6 },
		{ { { 0x2000, 16, SAME }, { 0x1000, 16, R6 } }, 6 },
	};

	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct frame_section sections[CALL_FRAME_SECTIONS];
		struct call_frames frames;
		struct image images[2];

		for (int k = 0; k < 2; k++) {
			struct format format = { .is_eh = k, .version = 1, .address_bytes = 8 };

			init(&images[k], &format);
			put_common(&images[k]);
			put_fde(&images[k], rows[i].ranges[k].begin, rows[i].ranges[k].bytes,
				rows[i].ranges[k].code, rows[i].ranges[k].code_bytes);
			sections[k] = section_of(&images[k], images[k].bytes.data,
						 images[k].bytes.count);
		}
		call_frames_open_sections(&frames, sections);
		check_cfa(&frames, 0x1008, rows[i].reg, 8, "two sections");
		call_frames_close(&frames);
		release(&images[0]);
		release(&images[1]);
	}
}

/* ---- bytes between the entries ---- */

TEST(test_between)
{
	struct format format = { 0 };

	while (next_format(&format)) {
		struct image image;

		init(&image, &format);
		put_common(&image);
		put_fde(&image, 0x1000, 16, "", 0);
		begin_entry(&image);	/* too short to be anything */
		put(&image, 0x1122, 2);
		end_entry(&image);
		begin_fde(&image);	/* too short for an FDE */
		put(&image, 0x11, 1);
		end_entry(&image);
		begin_entry(&image);	/* its CIE is an FDE; one that is outside; itself */
		put(&image, format.is_eh ? 40 : image.common + 12, id_bytes(&image));
		end_entry(&image);
		begin_entry(&image);
		put(&image, 0x7ffffff0, id_bytes(&image));
		end_entry(&image);
		put_fde(&image, 0x2000, 16, "", 0);
		put(&image, 0, 4);	/* ends .eh_frame */
		put_fde(&image, 0x3000, 16, "", 0);
		put(&image, 0xfffffff0, 4);	/* longer than the section */
		put_fde(&image, 0x4000, 16, "", 0);
		open_image(&image);
		check_cfa(&image.frames, 0x1000, 7, 8, "the first");
		check_cfa(&image.frames, 0x2000, 7, 8, "after what is too short");
		check_cfa(&image.frames, 0x3000, format.is_eh ? UNKNOWN : 7, 8, "after an end");
		check_cfa(&image.frames, 0x4000, UNKNOWN, 8, "after damage");
		release(&image);
	}
}

/* ---- damage ---- */

static void build_all(struct image *image, const struct format *format)
{
	init(image, format);
	put_common(image);
	for (size_t i = 0; i < LENGTH(code_rows); i++)
		put_fde(image, CODE + 0x100 * i, 0x100, code_rows[i].code, code_rows[i].bytes);
	put_common_with(image, "zPLR", "\x1b\1\2\3\4\x1b\x1b", 7);
	for (size_t i = 0; i < LENGTH(code_rows); i++) {
		begin_fde(image);
		put(image, 0x100 * i, 4);
		put(image, 0x100, 4);
		put(image, 0, 1);
		blob_put(&image->bytes, code_rows[i].code, code_rows[i].bytes);
		end_entry(image);
	}
}

/* Asks a copy that ends where its memory ends, so that ASan sees each read past its end. */
static void ask_copy(const struct image *image, const uint8_t *data, size_t size, bool is_cut)
{
	struct call_frames whole, frames;
	uint8_t *copy = malloc(size ? size : 1);

	memcpy(copy, data, size);
	open_whole(&whole, image);
	open_bytes(&frames, image, copy, size);
	for (uint64_t pc = CODE; pc < CODE + 0x100 * LENGTH(code_rows); pc += 0x82) {
		int64_t offset = 0, whole_offset = 0;
		uint8_t reg, whole_reg = 0;

		if (call_frames_cfa(&frames, pc, &reg, &offset) && is_cut) {
			assert_true(call_frames_cfa(&whole, pc, &whole_reg, &whole_offset));
			assert_int_equal(reg, whole_reg);
			assert_int_equal(offset, whole_offset);
		}
		call_frames_cfa(&frames, pc + EH_ADDRESS, &reg, &offset);
	}
	call_frames_close(&frames);
	call_frames_close(&whole);
	free(copy);
}

/* An entry that is not there to its end says nothing: what is left gives the same answers. */
TEST(test_cut)
{
	struct format format = { 0 };

	while (next_format(&format)) {
		struct image image;

		init(&image, &format);
		put_common(&image);
		put_fde(&image, CODE, 0x100, "\x41\x0e\x10", 3);
		put_fde(&image, CODE + 0x100, 0x100, "\x41\x0d\x06", 3);
		for (size_t size = 0; size <= image.bytes.count; size++)
			ask_copy(&image, image.bytes.data, size, true);
		release(&image);
	}
}

/* What is known of a pc; the register is UNKNOWN if nothing is. */
struct answer {
	int reg;
	int64_t offset;
};

static struct answer cfa_at(const struct call_frames *frames, uint64_t pc)
{
	int64_t offset;
	uint8_t reg;

	if (call_frames_cfa(frames, pc, &reg, &offset))
		return (struct answer){ reg, offset };
	return (struct answer){ UNKNOWN, 0 };
}

static bool is_same(struct answer a, struct answer b)
{
	return a.reg == b.reg && a.offset == b.offset;
}

struct flip_counts {
	uint32_t kept, lost, changed;
};

/*
 * Next to a whole section, which covers each pc here, a damaged one can only take answers away:
 * those on which the two disagree, or that it cannot tell.
 */
static void check_damaged_twin(const struct image *image, const uint8_t *data, size_t size,
			       struct flip_counts *counts)
{
	struct frame_section sections[CALL_FRAME_SECTIONS] = {
		section_of(image, image->bytes.data, image->bytes.count),
		section_of(image, data, size),
	};
	struct call_frames whole, damaged, both;

	open_whole(&whole, image);
	open_bytes(&damaged, image, data, size);
	call_frames_open_sections(&both, sections);
	for (uint64_t pc = CODE; pc < CODE + 0x100 * LENGTH(code_rows); pc += 0x82) {
		struct answer right = cfa_at(&whole, pc), found = cfa_at(&damaged, pc);
		struct answer joint = cfa_at(&both, pc);

		if (joint.reg != UNKNOWN)
			assert_true(is_same(joint, right));
		if (joint.reg != UNKNOWN && found.reg != UNKNOWN)
			assert_true(is_same(joint, found));
		if (right.reg == UNKNOWN)
			continue;
		counts->kept += is_same(found, right);
		counts->lost += found.reg == UNKNOWN;
		counts->changed += found.reg != UNKNOWN && !is_same(found, right);
	}
	call_frames_close(&both);
	call_frames_close(&damaged);
	call_frames_close(&whole);
}

TEST(test_flips)
{
	struct flip_counts counts = { 0 };
	struct random random = { 1 };
	struct format format = { 0 };

	while (next_format(&format)) {
		struct mutate_map map = { 0 };
		struct image image;
		uint8_t *copy;

		build_all(&image, &format);
		map.file_bytes = image.bytes.count;
		map.regions[0] = (struct mutate_region){ 0, image.bytes.count, 1 };
		map.count = map.total_weight = 1;
		copy = malloc(image.bytes.count);
		for (int i = 0; i < 100; i++) {
			memcpy(copy, image.bytes.data, image.bytes.count);
			for (int k = 0; k < 8; k++)
				mutate_flip(&map, &random, copy);
			ask_copy(&image, copy, image.bytes.count, false);
			check_damaged_twin(&image, copy, image.bytes.count, &counts);
		}
		free(copy);
		release(&image);
	}
	assert_true(counts.kept > 1000 && counts.lost > 1000 && counts.changed > 100);
}

/* Whatever the instructions of one entry are, they change no answer of another. */
TEST(test_flipped_instructions)
{
	struct random random = { 1 };
	struct format format = { 0 };
	uint32_t changed = 0;

	while (next_format(&format)) {
		size_t ends[LENGTH(code_rows)];
		struct image image;

		init(&image, &format);
		put_common(&image);
		for (size_t i = 0; i < LENGTH(code_rows); i++) {
			put_fde(&image, CODE + 0x100 * i, 0x100, code_rows[i].code,
				code_rows[i].bytes);
			ends[i] = image.bytes.count;
		}
		open_image(&image);
		for (int round = 0; round < 200; round++) {
			size_t damaged = random_below(&random, LENGTH(code_rows));
			size_t bytes = code_rows[damaged].bytes;
			struct answer before[LENGTH(code_rows)];
			uint8_t *code = image.bytes.data + ends[damaged] - bytes;

			for (size_t i = 0; i < LENGTH(code_rows); i++)
				before[i] = cfa_at(&image.frames, CODE + 0x100 * i + 0x82);
			for (size_t k = 0; k < bytes; k++)
				code[k] = (uint8_t)random_next(&random);
			for (size_t i = 0; i < LENGTH(code_rows); i++) {
				struct answer after =
					cfa_at(&image.frames, CODE + 0x100 * i + 0x82);

				if (i == damaged)
					changed += !is_same(after, before[i]);
				else
					assert_true(is_same(after, before[i]));
			}
			memcpy(code, code_rows[damaged].code, bytes);
		}
		release(&image);
	}
	assert_true(changed > 1000);
}

/* ---- of a file ---- */

static void put_both(struct dwarf_blob *b, const struct code_range *eh)
{
	for (int k = 0; k < 2; k++) {
		struct format format = { .is_eh = k, .big_endian = b->big_endian, .version = 3,
					 .address_bytes = b->address_bytes };
		struct image image;

		if (k && !eh)
			continue;
		init(&image, &format);
		put_common(&image);
		put_fde(&image, k ? eh->begin : 0x1000, 16, k ? eh->code : "",
			k ? eh->code_bytes : 0);
		blob_put(&b->sections[k ? SECTION_EH_FRAME : SECTION_FRAME], image.bytes.data,
			 image.bytes.count);
		release(&image);
	}
}

/* A file with one empty unit, and what its sections say. */
struct frame_file {
	struct dwarf_blob b;
	struct dwarf_reading r;
	struct call_frames frames;
};

static void begin_file(struct frame_file *file, uint16_t elf_type, bool big_endian)
{
	dwarf_blob_init(&file->b);
	file->b.elf_type = elf_type;
	file->b.big_endian = big_endian;
	dwarf_blob_unit(&file->b, 5);
	dwarf_blob_end_unit(&file->b);
}

static void open_file(struct frame_file *file)
{
	assert_true(dwarf_reading_open(&file->r, &file->b));
}

static void close_file(struct frame_file *file)
{
	call_frames_close(&file->frames);
	dwarf_reading_end(&file->r, &file->b);
}

TEST(test_object)
{
	static const struct code_range same = { 0x1000, 16, SAME }, other = { 0x1000, 16, R6 };
	static const struct {
		const struct code_range *eh;
		int reg;
	} rows[] = { { NULL, 7 }, { &same, 7 }, { &other, UNKNOWN } };

	for (int big_endian = 0; big_endian < 2; big_endian++) {
		for (size_t i = 0; i < LENGTH(rows); i++) {
			struct frame_file file;

			begin_file(&file, ET_EXEC, big_endian);
			put_both(&file.b, rows[i].eh);
			open_file(&file);
			assert_null(file.r.object.sections[SECTION_FRAME].data);
			call_frames_open(&file.frames, &file.r.object);
			check_cfa(&file.frames, 0x1004, rows[i].reg, 8, "a file");
			/* As often as one likes. */
			call_frames_close(&file.frames);
			call_frames_open(&file.frames, &file.r.object);
			check_cfa(&file.frames, 0x1004, rows[i].reg, 8, "a file, again");
			close_file(&file);
		}
	}
}

/* No such section, and one of rubbish: the file is read as ever, and nothing is known. */
TEST(test_object_without)
{
	for (int is_rubbish = 0; is_rubbish < 2; is_rubbish++) {
		struct frame_file file;

		begin_file(&file, ET_EXEC, false);
		if (is_rubbish) {
			blob_put(&file.b.sections[SECTION_FRAME], "ZLIB, or is it not?", 19);
			blob_put(&file.b.sections[SECTION_EH_FRAME], "rubbish", 7);
		}
		open_file(&file);
		call_frames_open(&file.frames, &file.r.object);
		assert_int_equal(file.frames.count, 0);
		check_cfa(&file.frames, 0x1000, UNKNOWN, 0, "nothing");
		call_frames_close(&file.frames);
		close_file(&file);
	}
}

/* Relocations that cannot be applied: the object is read, its frames are not. */
TEST(test_object_relocations)
{
	for (int is_bad = 0; is_bad < 2; is_bad++) {
		struct frame_file file;
		size_t section;

		begin_file(&file, ET_REL, false);
		put_both(&file.b, NULL);
		open_file(&file);
		/* As elf/relocatable.c notes relocations in a form that it does not know. */
		section = file.r.object.sections[SECTION_FRAME].header;
		if (is_bad)
			file.r.object.relocatable->relocated_by[section] = UINT32_C(1) << 31 | 1;
		call_frames_open(&file.frames, &file.r.object);
		check_cfa(&file.frames, 0x1004, is_bad ? UNKNOWN : 7, 8, "relocations");
		assert_true(is_bad || file.frames.sections[0].data);
		assert_false(is_bad && file.frames.sections[0].size);
		close_file(&file);
	}
}
