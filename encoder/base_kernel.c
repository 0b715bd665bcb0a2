/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Is the base that of the kernel which a module was built for? What --force takes, or pahole's
 * name, is written all the same; not what is in another byte order, which nothing could read.
 * (encoder/passes.h)
 */
#include <string.h>

#include "btf/inspect.h"
#include "encoder/passes.h"
#include "kallsyms/kernel_version.h"

static bool is_accepted(const struct program *program, struct error *err)
{
	const struct error why = *err;

	if (program->options->any_base)
		print_warning("%s", why.text);
	else
		error_set(err, "%s (encode --force takes this one)", why.text);
	return program->options->any_base;
}

/* As far as the types of the base, or its file, tell. */
static bool check_machine(const struct program *program, struct error *err)
{
	const struct btf_base *base = program->options->base;
	const struct object *object = &program->object;
	uint32_t pointer_bytes = btf_pointer_bytes(base->reader);
	bool is_other = base->machine && base->machine != object->machine;

	if (base->reader->swapped != object->swap)
		return error_at(err, object->path, "its byte order is not that of the base %.300s; "
				"give the BTF of the same kernel", base->reader->name);
	if (!is_other && (!pointer_bytes || pointer_bytes == object->address_bytes))
		return true;
	error_at(err, object->path, "its %s is not that of the base %.300s; give the BTF of the "
		 "same kernel", is_other ? "machine" : "size of pointers", base->reader->name);
	return is_accepted(program, err);
}

bool program_check_base(const struct program *program, struct error *err)
{
	const struct btf_base *base = program->options->base;
	char release[KERNEL_RELEASE_BYTES];

	if (!base)
		return true;
	if (base->release && symbol_table_find(&program->symbols, "linux_banner")) {
		error_at(err, program->options->path, "is a kernel, whose BTF is split from no "
			 "other; leave the base %.300s out", base->reader->name);
		return is_accepted(program, err);
	}
	if (!check_machine(program, err))
		return false;
	if (!base->release || !*base->release ||
	    !kernel_release_of_image(&program->object, release) ||
	    strcmp(release, base->release) == 0)
		return true;
	error_at(err, program->options->path, "is of Linux %s, and the base %.300s of %s; give "
		 "the BTF of %s", release, base->reader->name, base->release, release);
	return is_accepted(program, err);
}

static bool is_module_struct(const uint32_t *words, const char *name)
{
	return btf_info_kind(words[BTF_WORD_INFO]) == BTF_STRUCT && strcmp(name, "module") == 0;
}

/* Does the image have a struct module of its own, of that size? */
static bool has_own(const struct program *program, const struct btf_image *image, uint64_t size)
{
	for (uint32_t i = 0; i < image->type_count; i++) {
		const uint32_t *words = ref_is_tag(image->nodes[i])
			? NULL : node_words(&program->table, ref_node(image->nodes[i]));

		if (words && words[BTF_WORD_SIZE] == size &&
		    is_module_struct(words, string_pool_word_text(&program->pool,
								  words[BTF_WORD_NAME])))
			return true;
	}
	return false;
}

/* The size of the base's struct module, of several that which is `size`; 0: it has none. */
static uint32_t size_in_base(const struct btf_base *base, uint64_t size)
{
	uint32_t found = 0;

	for (uint32_t id = 1; found != size && id < base->end_id; id++) {
		const uint32_t *words = btf_reader_type(base->reader, id);

		if (is_module_struct(words, btf_type_name(base->reader, words)))
			found = words[BTF_WORD_SIZE];
	}
	return found;
}

bool program_check_module(const struct program *program, const struct btf_image *image,
			  struct error *err)
{
	const struct encode_options *options = program->options;
	const struct object *object = &program->object;
	size_t section = object_find_section(object, ".gnu.linkonce.this_module");
	uint64_t size = section ? object->headers[section].size : 0;
	char release[KERNEL_RELEASE_BYTES];
	uint32_t other;

	if (!options->base || !section || !has_own(program, image, size))
		return true;
	other = size_in_base(options->base, size);
	if (other == size) {
		print_warning("%s: the base %s describes struct module otherwise, so its types are "
			      "repeated here; it is of another build, or of an encoder that "
			      "describes types otherwise (pahole 1.24: arrays of arrays)",
			      options->path, options->base->reader->name);
		return true;
	}
	if (!other)
		return true;
	kernel_release_of_image(object, release);
	error_at(err, options->path, "its struct module has %llu bytes, and in the base %.300s %u, "
		 "which is of another kernel; give the BTF of its own%s%s",
		 (unsigned long long)size, options->base->reader->name, other,
		 *release ? ", " : "", release);
	return is_accepted(program, err);
}
