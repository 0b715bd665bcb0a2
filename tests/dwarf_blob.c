/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#define _GNU_SOURCE	/* memfd_create */
#include "tests/dwarf_blob.h"

#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"

static const char *const section_names[SECTION_COUNT] = {
	".debug_info", ".debug_abbrev",	 ".debug_str",	  ".debug_line_str",
	".debug_str_offsets", ".debug_addr", ".debug_ranges", ".debug_rnglists",
	".debug_loc", ".debug_loclists", ".debug_frame", ".eh_frame",
};

#define TEXT_ADDRESS   0x1000u
#define PERCPU_ADDRESS 0x8000u

/* ---- bytes ---- */

void blob_put(blob_bytes *out, const void *bytes, size_t count)
{
	array_reserve(out, count);
	if (count)
		memcpy(out->data + out->count, bytes, count);
	out->count += count;
}

void blob_set_number(const struct dwarf_blob *b, uint8_t *at, uint64_t value, uint8_t bytes)
{
	for (unsigned int i = 0; i < bytes; i++) {
		unsigned int shift = 8 * (b->big_endian ? bytes - 1u - i : i);

		at[i] = (uint8_t)(shift < 64 ? value >> shift : 0);
	}
}

void blob_put_number(const struct dwarf_blob *b, blob_bytes *out, uint64_t value, uint8_t bytes)
{
	uint8_t buffer[16] = { 0 };

	blob_set_number(b, buffer, value, bytes);
	blob_put(out, buffer, bytes);
}

void blob_put_uleb(blob_bytes *out, uint64_t value)
{
	do {
		uint8_t byte = (uint8_t)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));

		array_push(out, byte);
		value >>= 7;
	} while (value);
}

void blob_put_sleb(blob_bytes *out, int64_t value)
{
	for (;;) {
		uint8_t byte = value & 0x7f;
		bool last;

		value >>= 7;
		last = value == (byte & 0x40 ? -1 : 0);
		array_push(out, (uint8_t)(byte | (last ? 0 : 0x80)));
		if (last)
			return;
	}
}

uint64_t blob_string(struct dwarf_blob *b, enum section_id section, const char *text)
{
	blob_bytes *bytes = &b->sections[section];
	size_t length = strlen(text) + 1;
	uint64_t at;

	for (size_t i = 0; i + length <= bytes->count; i++) {
		if (memcmp(bytes->data + i, text, length) == 0 &&
		    (i == 0 || bytes->data[i - 1] == 0))
			return i;
	}
	at = bytes->count;
	blob_put(bytes, text, length);
	return at;
}

/* ---- DIEs ---- */

static void put_label(struct dwarf_blob *b, uint64_t label, bool absolute, uint8_t bytes)
{
	blob_bytes *info = &b->sections[SECTION_INFO];

	array_push(&b->fixups, ((struct blob_fixup){
		.at = info->count, .base = absolute ? 0 : b->unit_begin, .label = (uint32_t)label,
		.bytes = bytes, .absolute = absolute }));
	blob_put_number(b, info, 0, bytes);
}

static uint8_t reference_bytes(const struct dwarf_blob *b, uint16_t form)
{
	switch (form) {
	case DW_FORM_ref1: return 1;
	case DW_FORM_ref2: return 2;
	case DW_FORM_ref4: return 4;
	case DW_FORM_ref8: return 8;
	case DW_FORM_ref_addr: return b->version == 2 ? b->address_bytes : b->offset_bytes;
	default: abort();
	}
}

static void put_strx(struct dwarf_blob *b, const struct blob_attr *attr, uint8_t bytes)
{
	blob_bytes *offsets = &b->sections[SECTION_STR_OFFSETS];
	uint64_t index = attr->value;

	if (attr->text) {
		uint64_t at = blob_string(b, SECTION_STR, attr->text);

		if (!offsets->count)	/* a header that only its length matters of */
			blob_put_number(b, offsets, 0, b->offset_bytes == 8 ? 16 : 8);
		index = (offsets->count - (b->offset_bytes == 8 ? 16u : 8u)) / b->offset_bytes;
		blob_put_number(b, offsets, at, b->offset_bytes);
	}
	if (bytes)
		blob_put_number(b, &b->sections[SECTION_INFO], index, bytes);
	else
		blob_put_uleb(&b->sections[SECTION_INFO], index);
}

static void put_block(struct dwarf_blob *b, const struct blob_attr *attr, uint8_t length_bytes)
{
	blob_bytes *info = &b->sections[SECTION_INFO];

	if (length_bytes)
		blob_put_number(b, info, attr->value, length_bytes);
	else
		blob_put_uleb(info, attr->value);
	blob_put(info, attr->text, attr->value);
}

static void put_value(struct dwarf_blob *b, const struct blob_attr *attr, uint16_t form)
{
	blob_bytes *info = &b->sections[SECTION_INFO];

	if (attr->labelled) {
		put_label(b, attr->value, form == DW_FORM_ref_addr, reference_bytes(b, form));
		return;
	}
	switch (form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const: return;
	case DW_FORM_data1:
	case DW_FORM_flag:
	case DW_FORM_ref1:
	case DW_FORM_addrx1: blob_put_number(b, info, attr->value, 1); return;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_addrx2: blob_put_number(b, info, attr->value, 2); return;
	case DW_FORM_addrx3: blob_put_number(b, info, attr->value, 3); return;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_ref_sup4:
	case DW_FORM_addrx4: blob_put_number(b, info, attr->value, 4); return;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sig8:
	case DW_FORM_ref_sup8: blob_put_number(b, info, attr->value, 8); return;
	case DW_FORM_data16: blob_put_number(b, info, attr->value, 16); return;
	case DW_FORM_addr: blob_put_number(b, info, attr->value, b->address_bytes); return;
	case DW_FORM_ref_addr:
		blob_put_number(b, info, attr->value, reference_bytes(b, form));
		return;
	case DW_FORM_sec_offset:
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
	case DW_FORM_GNU_ref_alt: blob_put_number(b, info, attr->value, b->offset_bytes); return;
	case DW_FORM_strp:
	case DW_FORM_line_strp:
		blob_put_number(b, info,
				attr->text ? blob_string(b, form == DW_FORM_strp ? SECTION_STR
									: SECTION_LINE_STR,
							 attr->text)
					   : attr->value,
				b->offset_bytes);
		return;
	case DW_FORM_strx:
	case DW_FORM_GNU_str_index: put_strx(b, attr, 0); return;
	case DW_FORM_strx1: put_strx(b, attr, 1); return;
	case DW_FORM_strx2: put_strx(b, attr, 2); return;
	case DW_FORM_strx3: put_strx(b, attr, 3); return;
	case DW_FORM_strx4: put_strx(b, attr, 4); return;
	case DW_FORM_string: blob_put(info, attr->text, strlen(attr->text) + 1); return;
	case DW_FORM_block:
	case DW_FORM_exprloc: put_block(b, attr, 0); return;
	case DW_FORM_block1: put_block(b, attr, 1); return;
	case DW_FORM_block2: put_block(b, attr, 2); return;
	case DW_FORM_block4: put_block(b, attr, 4); return;
	case DW_FORM_sdata: blob_put_sleb(info, (int64_t)attr->value); return;
	default: blob_put_uleb(info, attr->value); return;
	}
}

void dwarf_blob_die(struct dwarf_blob *b, uint32_t label, uint16_t tag, bool children,
		    const struct blob_attr *attrs)
{
	blob_bytes *abbrev = &b->sections[SECTION_ABBREV];
	blob_bytes *info = &b->sections[SECTION_INFO];
	uint64_t code = b->next_code++;

	if (label)
		b->labels[label] = info->count;
	blob_put_uleb(abbrev, code);
	blob_put_uleb(abbrev, tag);
	array_push(abbrev, children);
	blob_put_uleb(info, code);
	for (; attrs && attrs->attribute; attrs++) {
		blob_put_uleb(abbrev, attrs->attribute);
		blob_put_uleb(abbrev, attrs->form);
		if (attrs->form == DW_FORM_implicit_const)
			blob_put_sleb(abbrev, (int64_t)attrs->value);
		put_value(b, attrs, attrs->form);
	}
	blob_put(abbrev, "\0", 2);
}

/* ---- units ---- */

void dwarf_blob_init(struct dwarf_blob *b)
{
	*b = (struct dwarf_blob){
		.big_endian = HOST_IS_BIG_ENDIAN,
		.elf_type = ET_EXEC,
		.address_bytes = 8,
		.offset_bytes = 4,
		.percpu_bytes = 0x1000,
		.fd = -1,
	};
}

void dwarf_blob_release(struct dwarf_blob *b)
{
	for (int i = 0; i < SECTION_COUNT; i++)
		array_release(&b->sections[i]);
	array_release(&b->symbols);
	array_release(&b->fixups);
	if (b->fd >= 0)
		close(b->fd);
	b->fd = -1;
}

void dwarf_blob_header(struct dwarf_blob *b, uint16_t version, uint8_t unit_type,
		       uint64_t signature, uint32_t label)
{
	blob_bytes *info = &b->sections[SECTION_INFO];
	uint64_t abbrev = b->sections[SECTION_ABBREV].count;

	b->version = version;
	b->unit_begin = info->count;
	b->next_code = 1;
	if (b->offset_bytes == 8)
		blob_put_number(b, info, 0xffffffff, 4);
	blob_put_number(b, info, 0, b->offset_bytes);
	blob_put_number(b, info, version, 2);
	if (version < 5) {
		blob_put_number(b, info, abbrev, b->offset_bytes);
		blob_put_number(b, info, b->address_bytes, 1);
		return;
	}
	blob_put_number(b, info, unit_type, 1);
	blob_put_number(b, info, b->address_bytes, 1);
	blob_put_number(b, info, abbrev, b->offset_bytes);
	if (unit_type == DW_UT_type || unit_type == DW_UT_split_type) {
		blob_put_number(b, info, signature, 8);
		put_label(b, label, false, b->offset_bytes);
	} else if (unit_type == DW_UT_skeleton || unit_type == DW_UT_split_compile) {
		blob_put_number(b, info, signature, 8);
	}
}

void dwarf_blob_unit_with(struct dwarf_blob *b, uint16_t version, const struct blob_attr *attrs)
{
	dwarf_blob_header(b, version, DW_UT_compile, 0, 0);
	dwarf_blob_die(b, 0, DW_TAG_compile_unit, true, attrs);
}

void dwarf_blob_unit(struct dwarf_blob *b, uint16_t version)
{
	dwarf_blob_unit_with(b, version, NULL);
}

void dwarf_blob_finish_unit(struct dwarf_blob *b)
{
	blob_bytes *info = &b->sections[SECTION_INFO];
	uint64_t at = b->unit_begin + (b->offset_bytes == 8 ? 4 : 0);
	size_t kept = 0;

	array_push(&b->sections[SECTION_ABBREV], 0);
	blob_set_number(b, info->data + at, info->count - at - b->offset_bytes, b->offset_bytes);
	for (size_t i = 0; i < b->fixups.count; i++) {
		const struct blob_fixup *fixup = &b->fixups.data[i];

		blob_set_number(b, info->data + fixup->at, b->labels[fixup->label] - fixup->base,
				fixup->bytes);
		/* Into another unit, perhaps a later one: again when that ends. */
		if (fixup->absolute)
			b->fixups.data[kept++] = *fixup;
	}
	b->fixups.count = kept;
}

void dwarf_blob_end_unit(struct dwarf_blob *b)
{
	CLOSE(b);
	dwarf_blob_finish_unit(b);
}

void dwarf_blob_symbol(struct dwarf_blob *b, const char *name, uint64_t value, uint8_t type,
		       uint16_t section)
{
	array_push(&b->symbols, ((struct blob_symbol){
		.name = name, .value = value, .size = 16,
		.info = GELF_ST_INFO(STB_GLOBAL, type), .section = section }));
}

/* ---- the file ---- */

struct elf_writer {
	Elf *elf;
	blob_bytes names;	/* .shstrtab */
};

static Elf_Scn *add_section(struct elf_writer *w, const char *name, uint32_t type, uint64_t address,
			    void *data, size_t size, Elf_Type data_type)
{
	Elf_Scn *scn = elf_newscn(w->elf);
	Elf_Data *out = elf_newdata(scn);
	GElf_Shdr header;

	*out = (Elf_Data){ .d_buf = data, .d_size = size, .d_type = data_type, .d_align = 1,
			   .d_version = EV_CURRENT };
	gelf_getshdr(scn, &header);
	header.sh_type = type;
	header.sh_name = (uint32_t)w->names.count;
	header.sh_addr = address;
	header.sh_flags = address ? SHF_ALLOC : 0;
	gelf_update_shdr(scn, &header);
	blob_put(&w->names, name, strlen(name) + 1);
	return scn;
}

static void add_symbols(struct elf_writer *w, const struct dwarf_blob *b, blob_bytes *strings,
			void **table)
{
	size_t count = b->symbols.count + 1;
	size_t entry = gelf_fsize(w->elf, ELF_T_SYM, 1, EV_CURRENT);
	Elf_Scn *scn;
	Elf_Data *data;
	GElf_Shdr header;

	*table = memory_zeroed(count, entry);
	array_push(strings, 0);
	scn = add_section(w, ".symtab", SHT_SYMTAB, 0, *table, count * entry, ELF_T_SYM);
	data = elf_getdata(scn, NULL);
	for (size_t i = 0; i < b->symbols.count; i++) {
		const struct blob_symbol *symbol = &b->symbols.data[i];
		GElf_Sym out = { .st_name = (uint32_t)strings->count, .st_value = symbol->value,
				 .st_size = symbol->size, .st_info = symbol->info,
				 .st_shndx = symbol->section };

		gelf_update_sym(data, (int)i + 1, &out);
		blob_put(strings, symbol->name, strlen(symbol->name) + 1);
	}
	gelf_getshdr(scn, &header);
	header.sh_link = (uint32_t)elf_ndxscn(scn) + 1;
	header.sh_entsize = entry;
	gelf_update_shdr(scn, &header);
	add_section(w, ".strtab", SHT_STRTAB, 0, strings->data, strings->count, ELF_T_BYTE);
}

const char *dwarf_blob_write(struct dwarf_blob *b)
{
	static uint8_t image[BLOB_MAX_PERCPU];
	GElf_Ehdr ehdr = { .e_type = b->elf_type, .e_version = EV_CURRENT };
	struct elf_writer w = { 0 };
	blob_bytes strings = { 0 };
	void *table = NULL;
	GElf_Shdr header;
	Elf_Scn *text;

	if (b->fd >= 0)
		close(b->fd);
	b->fd = memfd_create("dwarf_blob", MFD_CLOEXEC);
	elf_version(EV_CURRENT);
	w.elf = elf_begin(b->fd, ELF_C_WRITE, NULL);
	gelf_newehdr(w.elf, b->elf32 ? ELFCLASS32 : ELFCLASS64);
	ehdr.e_ident[EI_DATA] = b->big_endian ? ELFDATA2MSB : ELFDATA2LSB;
	ehdr.e_machine = b->machine	 ? b->machine
			 : b->big_endian ? EM_S390
			 : b->elf32	 ? EM_386
					 : EM_X86_64;
	gelf_update_ehdr(w.elf, &ehdr);
	array_push(&w.names, 0);
	memcpy(image, b->text ? b->text : image, b->text_bytes);
	text = add_section(&w, ".text", SHT_PROGBITS, TEXT_ADDRESS, image, 0x1000, ELF_T_BYTE);
	if (b->text) {
		gelf_getshdr(text, &header);
		header.sh_flags |= SHF_EXECINSTR;
		gelf_update_shdr(text, &header);
	}
	add_section(&w, ".data..percpu", SHT_PROGBITS, PERCPU_ADDRESS, image, b->percpu_bytes,
		    ELF_T_BYTE);
	for (int i = 0; i < SECTION_COUNT; i++) {
		if (b->sections[i].count)
			add_section(&w, section_names[i], SHT_PROGBITS, 0, b->sections[i].data,
				    b->sections[i].count, ELF_T_BYTE);
	}
	if (b->symbols.count)
		add_symbols(&w, b, &strings, &table);
	ehdr.e_shstrndx = (uint16_t)elf_ndxscn(add_section(&w, ".shstrtab", SHT_STRTAB, 0, NULL, 0,
							   ELF_T_BYTE));
	gelf_update_ehdr(w.elf, &ehdr);
	{
		Elf_Data *names = elf_getdata(elf_getscn(w.elf, ehdr.e_shstrndx), NULL);

		names->d_buf = w.names.data;
		names->d_size = w.names.count;
	}
	if (elf_update(w.elf, ELF_C_WRITE) < 0) {
		fprintf(stderr, "dwarf_blob: %s\n", elf_errmsg(-1));
		abort();
	}
	elf_end(w.elf);
	array_release(&w.names);
	array_release(&strings);
	free(table);
	snprintf(b->path, sizeof(b->path), "/proc/self/fd/%d", b->fd);
	return b->path;
}
