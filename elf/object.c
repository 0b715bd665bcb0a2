/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "elf/object.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef WITH_ZSTD
#include <zstd.h>
#endif

#include "base/bytes.h"
#include "base/file_kind.h"
#include "elf/libelf_error.h"
#include "elf/object_internal.h"
#include "elf/relocatable.h"

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

const char *const object_section_names[SECTION_COUNT] = {
	[SECTION_INFO] = ".debug_info",
	[SECTION_ABBREV] = ".debug_abbrev",
	[SECTION_STR] = ".debug_str",
	[SECTION_LINE_STR] = ".debug_line_str",
	[SECTION_STR_OFFSETS] = ".debug_str_offsets",
	[SECTION_ADDR] = ".debug_addr",
	[SECTION_RANGES] = ".debug_ranges",
	[SECTION_RNGLISTS] = ".debug_rnglists",
	[SECTION_LOC] = ".debug_loc",
	[SECTION_LOCLISTS] = ".debug_loclists",
	[SECTION_FRAME] = ".debug_frame",
	[SECTION_EH_FRAME] = ".eh_frame",
	[SECTION_LINE] = ".debug_line",
};

static bool read_headers(struct object *object, struct error *err)
{
	uint64_t file_bytes = object->map_bytes, all_bytes = 0;
	size_t names_index;
	Elf_Scn *scn = NULL;

	if (elf_getshdrnum(object->elf, &object->header_count) < 0 ||
	    elf_getshdrstrndx(object->elf, &names_index) < 0)
		return libelf_error(err, object->path, "the section headers");
	object->headers = memory_zeroed(object->header_count, sizeof(*object->headers));
	while ((scn = elf_nextscn(object->elf, scn))) {
		size_t index = elf_ndxscn(scn);
		struct section_header *out = &object->headers[index];
		GElf_Shdr header;

		if (!gelf_getshdr(scn, &header))
			return libelf_error(err, object->path, "section header %zu", index);
		out->name = elf_strptr(object->elf, names_index, header.sh_name);
		if (!out->name && libelf_lacked_memory())
			return libelf_error(err, object->path, "the sections' names");
		if (!out->name)
			out->name = "";
		out->address = header.sh_addr;
		out->size = header.sh_size;
		out->file_offset = header.sh_offset;
		out->type = header.sh_type;
		out->alignment = header.sh_addralign;
		out->flags = header.sh_flags;
		out->link = header.sh_link;
		out->info = header.sh_info;
		/* What lies outside of the file is an error of its readers. */
		if (header.sh_type != SHT_NOBITS && header.sh_offset <= file_bytes &&
		    header.sh_size <= file_bytes - header.sh_offset)
			all_bytes += header.sh_size;
	}
	return all_bytes / 4 <= file_bytes ||
	       error_at(err, object->path, "its sections overlap: they have more than four times "
			"the bytes of the file, which is damaged");
}

bool object_is_named(const char *name, const char *known)
{
	/* The GNU form of a compressed section, from before SHF_COMPRESSED. */
	return strncmp(name, ".zdebug_", 8) == 0 ? strcmp(name + 2, known + 1) == 0
						 : strcmp(name, known) == 0;
}

bool object_claim(Elf_Scn *scn, const char *name, uint64_t file_bytes, uint64_t *claimed,
		  const char *path, struct error *err)
{
	uint64_t limit = file_limit(file_bytes);
	Elf_Data *data = elf_rawdata(scn, NULL);
	GElf_Chdr header = { 0 };

	if (!gelf_getchdr(scn, &header) && name[1] == 'z' && data && data->d_size >= 12)
		header.ch_size = bytes_load_number((uint8_t *)data->d_buf + 4, 8, true);
	if (header.ch_size > limit - *claimed)
		return error_at(err, path, "compressed section %s claims to be %llu bytes, which "
				"exceeds the limit for all of a file's sections (%d MiB and %d "
				"times its size); it is damaged, or decompress it with objcopy "
				"--decompress-debug-sections", name,
				(unsigned long long)header.ch_size, FILE_FREE_MIB,
				FILE_EXPANSION);
	*claimed += header.ch_size;
	return true;
}

/* An object of a test's making may have no counts. */
static bool is_shared_by_few(const struct object *object, enum section_id id)
{
	uint64_t bytes;

	if (!object || !object->shared)
		return true;
	bytes = id == SHARED_CODE ? object->stored_bytes : object->sections[id].size;
	return object->shared[id] <= ((uint64_t)OBJECT_SHARED_MIB << 20) +
	       object->stored_bytes + bytes * OBJECT_SHARING;
}

bool object_share(const struct object *object, enum section_id id, uint64_t bytes)
{
	if (bytes && object && object->shared)
		atomic_fetch_add_explicit(&object->shared[id], bytes, memory_order_relaxed);
	return is_shared_by_few(object, id);
}

bool object_check_shared(const struct object *object, struct error *err)
{
	for (enum section_id id = 0; id < SHARED_COUNT; id++) {
		if (!is_shared_by_few(object, id))
			return error_at(err, object->path, "its DIEs read %s %d times over, "
					"because too many refer to the same parts of it; the file "
					"is damaged",
					id == SHARED_CODE ? "code" : object_section_names[id],
					OBJECT_SHARING);
	}
	return true;
}

/*
 * A section compressed with zstd, which libelf does since 0.191 if it was built so: NULL, and
 * *problem says why or is libelf's.
 */
static uint8_t *decompress_zstd(struct object *object, Elf_Scn *scn, size_t *size,
				const char **problem)
{
	Elf_Data *data = elf_rawdata(scn, NULL);
	uint8_t *bytes = NULL;
	GElf_Chdr header;

	if (!gelf_getchdr(scn, &header) || header.ch_type != ELFCOMPRESS_ZSTD || !data)
		return NULL;
	*problem = "it is compressed with zstd, and this program was built without libzstd";
#ifdef WITH_ZSTD
	size_t skipped = gelf_getclass(object->elf) == ELFCLASS64 ? sizeof(Elf64_Chdr)
								  : sizeof(Elf32_Chdr);
	size_t left = data->d_size - skipped;

	*size = header.ch_size;
	*problem = "its zstd data are damaged";
	if (data->d_size < skipped)
		return NULL;
	bytes = memory_alloc(*size + 1);
	if (ZSTD_decompress(bytes, *size, (const uint8_t *)data->d_buf + skipped, left) != *size) {
		free(bytes);
		return NULL;
	}
	array_push(&object->decompressed, bytes);
#else
	(void)size;
	(void)object;
#endif
	return bytes;
}

bool object_read_section(struct object *object, size_t index, struct section *section,
			 struct error *err)
{
	const struct section_header *header = &object->headers[index];
	const char *name = header->name;
	/* Not both: what comes out of the one form would be decompressed without a limit. */
	bool gnu_compressed = strncmp(name, ".zdebug_", 8) == 0 &&
			      !(header->flags & SHF_COMPRESSED);
	bool is_compressed = gnu_compressed || header->flags & SHF_COMPRESSED;
	Elf_Scn *scn = elf_getscn(object->elf, index);
	Elf_Data *data;

	*section = (struct section){ .header = index, .file_offset = header->file_offset };
	/* A section may cover a hole. */
	if (!is_compressed && header->size > file_limit(object->stored_bytes))
		return error_at(err, object->path, "section %s claims to be %llu bytes, and the "
				"file has %llu; it is damaged", name,
				(unsigned long long)header->size,
				(unsigned long long)object->stored_bytes);
	if (is_compressed &&
	    !object_claim(scn, name, object->stored_bytes, &object->claimed,
			  object->path, err))
		return false;
	if (header->flags & SHF_COMPRESSED && elf_compress(scn, 0, 0) < 0) {
		const char *problem = elf_errmsg(-1);

		section->data = decompress_zstd(object, scn, &section->size, &problem);
		if (!section->data)
			return error_at(err, object->path, "cannot decompress section %s: %s; "
					"decompress it with objcopy --decompress-debug-sections",
					name, problem);
	}
	if (gnu_compressed && elf_compress_gnu(scn, 0, 0) < 0)
		return error_at(err, object->path, "cannot decompress section %s: %s; "
				"the file is damaged", name, elf_errmsg(-1));
	data = section->data ? NULL : elf_rawdata(scn, NULL);
	if (!section->data && (!data || (!data->d_buf && data->d_size)))
		return libelf_error(err, object->path, "section %s", name);
	if (data) {
		section->data = data->d_buf;
		section->size = data->d_size;
		section->mapped = object->map && !is_compressed;
	}
	if (object->relocatable && section->data) {
		const uint8_t *bytes = relocatable_bytes(object->relocatable, index, section->data,
							 section->size, is_compressed, err);

		section->mapped = section->mapped && bytes == section->data;
		section->data = bytes;
		return bytes != NULL;
	}
	return true;
}

/* System.map and /proc/kallsyms begin with an address of as many, or half as many. */
#define SYMBOL_DIGITS 16

static bool report_not_elf(const struct object *object, struct error *err)
{
	uint8_t start[SYMBOL_DIGITS + 3];
	ssize_t got = pread(object->fd, start, sizeof(start), 0);
	size_t bytes = got > 0 ? (size_t)got : 0, digits = 0;

	while (digits < bytes && isxdigit(start[digits]))
		digits++;
	if (!bytes)
		return error_at(err, object->path, "is empty; give a vmlinux or a module");
	if ((digits == SYMBOL_DIGITS || digits == SYMBOL_DIGITS / 2) && digits + 2 < bytes &&
	    start[digits] == ' ' && isalpha(start[digits + 1]) && start[digits + 2] == ' ')
		return error_at(err, object->path, "is a list of symbols, which has no types; give "
				"a vmlinux or a module (explain takes a list as --symbols)");
	if (bytes >= SELFMAG && memcmp(start, ELFMAG, SELFMAG) == 0 &&
	    object->map_bytes < sizeof(Elf64_Ehdr))
		return error_at(err, object->path, "is truncated: it ends in its ELF header; copy "
				"or build it again");
	if (file_kind_is_raw_btf(start, bytes))
		return error_at(err, object->path, "is raw BTF, and has no DWARF; give the vmlinux "
				"or the module that it was made of");
	if (bytes >= 6 && (memcmp(start, "!<arch", 6) == 0 || memcmp(start, "!<thin", 6) == 0))
		return error_at(err, object->path, "is an archive; give a linked image, or its "
				"members joined by ld -r --whole-archive");
	if (bytes >= 4 && memcmp(start, "BC\xc0\xde", 4) == 0)
		return error_at(err, object->path, "is LLVM bitcode (-flto), which has no DWARF "
				"yet; give what the linker makes of it");
	return error_at(err, object->path,
			"is not an ELF file; give a vmlinux or a module with DWARF");
}

static bool open_elf(struct object *object, bool is_named, struct error *err)
{
	struct stat inside;	/* the same, unless it is packed */
	GElf_Ehdr header;

	object->fd = file_open_regular(object->path, O_RDONLY, &object->status);
	if (object->fd < 0 && errno == ENODEV)
		return error_at(err, object->path,
				"is not a regular file; give a vmlinux or a module");
	if (object->fd < 0)
		return error_at(err, object->path,
				"cannot open: %s%s; give the path of a vmlinux or a module",
				packed_file_problem(errno), strcmp(object->path, "-") == 0
				? " (ELF files are not read from standard input)" : "");
	object->stored_bytes = file_stored_bytes(&object->status);
	/* Those of /proc say that, too. */
	if (object->status.st_size == 0 || fstat(object->fd, &inside) != 0)
		return !is_named && report_not_elf(object, err);
	elf_version(EV_CURRENT);
	/*
	 * Mapped here, not by libelf, which reads into the heap without a word where it cannot:
	 * those pages must not be given back. libelf writes to section headers in the mapping when
	 * it decompresses.
	 */
	object->map_bytes = (size_t)inside.st_size;
	object->map = MAP_FAILED;
	if (object->map_bytes == (uint64_t)inside.st_size)
		object->map = mmap(NULL, object->map_bytes, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_NORESERVE, object->fd, 0);
	if (object->map == MAP_FAILED) {
		object->map = NULL;
		object->elf = elf_begin(object->fd, ELF_C_READ, NULL);
	} else {
		object->elf = elf_memory(object->map, object->map_bytes);
	}
	if (!object->elf && libelf_lacked_memory())
		return libelf_error(err, object->path, "the ELF header");
	if (!object->elf || elf_kind(object->elf) != ELF_K_ELF ||
	    !gelf_getehdr(object->elf, &header))
		return report_not_elf(object, err);
	/* libelf shows a file without its end as one without sections. */
	if (header.e_shoff > (uint64_t)inside.st_size)
		return error_at(err, object->path,
				"is truncated: its section headers are at byte %llu "
				"of %llu; copy or build it again",
				(unsigned long long)header.e_shoff,
				(unsigned long long)inside.st_size);
	object->big_endian = header.e_ident[EI_DATA] == ELFDATA2MSB;
	object->swap = object->big_endian != HOST_IS_BIG_ENDIAN;
	object->address_bytes = header.e_ident[EI_CLASS] == ELFCLASS64 ? 8 : 4;
	object->machine = header.e_machine;
	return true;
}

/* ---- relocatable objects ---- */

const uint8_t *object_file_bytes(const struct object *object, size_t section, size_t *size)
{
	size_t in_image = object->headers[section].in_image;
	Elf *elf = in_image ? object->image->elf : object->elf;
	Elf_Data *data = NULL;

	if (object->headers[section].type != SHT_NOBITS)
		data = elf_rawdata(elf_getscn(elf, in_image ? in_image : section), NULL);
	*size = data && data->d_buf ? data->d_size : 0;
	return *size ? data->d_buf : NULL;
}

const uint8_t *object_loaded_bytes(const struct object *object, size_t section, size_t *size)
{
	const uint8_t *bytes = object_file_bytes(object, section, size);
	size_t in_image = object->headers[section].in_image;
	const struct object *file = in_image ? object->image : object;
	struct error unused;

	if (bytes && file->relocatable)
		bytes = relocatable_bytes(file->relocatable, in_image ? in_image : section, bytes,
					  *size, false, &unused);
	*size = bytes ? *size : 0;
	return bytes;
}

size_t object_find_section(const struct object *object, const char *name)
{
	for (size_t i = 1; i < object->header_count; i++)
		if (strcmp(object->headers[i].name, name) == 0)
			return i;
	return 0;
}

const uint8_t *object_section_named(const struct object *object, const char *name, size_t *size)
{
	const uint8_t *bytes = NULL;

	*size = 0;
	for (size_t i = 1; !bytes && i < object->header_count; i++)
		if (strcmp(object->headers[i].name, name) == 0)
			bytes = object_file_bytes(object, i, size);
	return bytes;
}

const uint8_t *object_late_bytes(struct object *object, enum section_id id, size_t *size)
{
	struct section *section = &object->sections[id];
	struct error unused;

	if (object->headers[section->header].in_image)
		return object_loaded_bytes(object, section->header, size);
	if (!section->data && section->header &&
	    !object_read_section(object, section->header, section, &unused))
		*section = (struct section){ .header = section->header };
	*size = section->size;
	return section->data;
}

uint64_t object_symbol_address(const struct object *object, size_t section, size_t index,
			       const GElf_Sym *symbol)
{
	const struct relocatable *relocatable = object->relocatable;

	if (!relocatable)
		return symbol->st_shndx == SHN_UNDEF ? 0 : symbol->st_value;
	return section == relocatable->symbol_section && index < relocatable->value_count
		       ? relocatable->code_values[index] : 0;
}

/* ---- opening ---- */

static bool open_once(struct object *object, const char *path, bool is_named, struct error *err)
{
	GElf_Ehdr header;
	bool good;

	*object = (struct object){ .path = path, .fd = -1 };
	object->shared = memory_zeroed(SHARED_COUNT, sizeof(*object->shared));
	memory_set_task(path, "reading its sections");
	good = open_elf(object, is_named, err) && read_headers(object, err);
	if (good && gelf_getehdr(object->elf, &header) && header.e_type == ET_REL) {
		object->relocatable = memory_alloc(sizeof(*object->relocatable));
		*object->relocatable = (struct relocatable){
			.path = path, .elf = object->elf, .is_mapped = object->map,
			.headers = object->headers, .header_count = object->header_count,
		};
		good = relocatable_open(object->relocatable, object->swap, err);
		object->section_bases = object->relocatable->bases;
	}
	if (good)
		section_index_make(&object->index, object->headers, object->header_count);
	return good;
}

bool object_open_named(struct object *object, const char *path, bool is_named, struct error *err)
{
	bool good = open_once(object, path, is_named, err);

	if (!good && object->fd >= 0 && file_has_changed(path, &object->status)) {
		object_close(object);
		good = open_once(object, path, is_named, err);
	}
	if (!good)
		object_close(object);
	return good;
}

bool object_open_bare(struct object *object, const char *path, struct error *err)
{
	return object_open_named(object, path, false, err);
}

bool object_has_gcc_lto(const struct object *object)
{
	for (size_t i = 1; i < object->header_count; i++)
		if (strncmp(object->headers[i].name, ".gnu.lto_", 9) == 0)
			return true;
	return false;
}

static void close_one(struct object *object)
{
	free(object->image);
	free(object->own_path);
	if (object->relocatable)
		relocatable_close(object->relocatable);
	free(object->relocatable);
	if (object->elf)
		elf_end(object->elf);
	if (object->map)
		munmap(object->map, object->map_bytes);
	if (object->fd >= 0)
		close(object->fd);
	section_index_release(&object->index);
	free(object->headers);
	free(object->shared);
	array_free(&object->pieces);
	array_free(&object->decompressed);
	for (int id = 0; id < SECTION_FIRST_LATE; id++)
		array_release(&object->joined[id]);
	*object = (struct object){ .fd = -1 };
}

void object_close(struct object *object)
{
	if (object->image)
		close_one(object->image);
	close_one(object);
}

void object_copy(const struct object *object, enum section_id id, uint64_t offset, void *to,
		 size_t bytes)
{
	const struct section *section = &object->sections[id];

	if (!section->mapped ||
	    pread(object->fd, to, bytes, (off_t)(section->file_offset + offset)) != (ssize_t)bytes)
		memcpy(to, section->data + offset, bytes);
}

void object_forget(const struct object *object, enum section_id id, size_t begin, size_t end)
{
	const struct section *section = &object->sections[id];

	if (section->mapped && section->data)
		memory_forget(section->data + begin,
			      section->data + (end < section->size ? end : section->size));
}
