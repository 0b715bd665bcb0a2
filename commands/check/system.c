/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * What kernels do is in kernel/bpf/btf.c, btf_module_notify(), and kernel/module/main.c; whether
 * this one does it is asked of its own BTF and configuration, not of its release.
 * tests/system_boot.sh loads what is said to load.
 */
#define _GNU_SOURCE /* memmem() */
#include "commands/check/system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file_kind.h"
#include "base/workers.h"
#include "btf/verify/verify.h"
#include "kernel/attach/running_kernel.h"
#include "kernel/build_files.h"
#include "kernel/elf_input.h"
#include "kernel/type_source.h"

enum module_state {
	MODULE_FITS,
	MODULE_WITHOUT_BTF,
	MODULE_UNKNOWN,
	MODULE_WRONG_TYPES,	/* the kernel takes its BTF, but that means other types */
	MODULE_LOSES_BTF,
	MODULE_MISMATCH,	/* one of the two next to it, by an option that is not known */
	MODULE_REFUSED,
	MODULE_STATES,
};

static const struct {
	const char *line, *summary;
} states[MODULE_STATES] = {
	[MODULE_FITS] = { NULL, "that fit" },
	[MODULE_WITHOUT_BTF] = { "has no BTF", "without BTF" },
	[MODULE_UNKNOWN] = { "not known", "not known" },
	[MODULE_WRONG_TYPES] = { "will have BTF of wrong types", "with wrong types" },
	[MODULE_LOSES_BTF] = { "will lose its BTF", "that will lose their BTF" },
	[MODULE_MISMATCH] = { "will not load, or lose its BTF", "that will not load, or lose it" },
	[MODULE_REFUSED] = { "will not load", "that will not load" },
};

struct module_answer {
	enum module_state state;
	char *why;
};

struct system {
	const char *root, *release;
	char *folder;			/* of its modules */
	char *kernel_path;		/* of its BTF */
	struct btf_bases bases;
	const struct btf_reader *btf;	/* the kernel's */
	struct btf_verify_options rules;
	uint16_t machine;		/* EM_*; 0: not known */
	char *vermagic;			/* NULL: not known */
	size_t module_bytes;		/* that a module's struct module must have; 0: any */
	bool takes_btf, takes_distilled;	/* of modules */
	char *config;			/* "" if no file has it */
	enum module_state mismatch;	/* of a module whose BTF the kernel refuses */
	struct build_files files;
	struct module_answer *answers;	/* by file */
};

/* ---- the kernel ---- */

/*
 * The first that is there, to be freed, of names below the root, before the release, and of those
 * in the folder of the modules; NULL: none.
 */
static char *find_file(const struct system *system, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char *path = *names[i] == '/'
				     ? text_format("%s%s%s", system->root, names[i],
						   system->release)
				     : text_format("%s/%s", system->folder, names[i]);

		if (file_exists(path))
			return path;
		free(path);
	}
	return NULL;
}

/* It is built without CONFIG_DEBUG_INFO_BTF. */
static bool lacks_btf(const char *image)
{
	struct elf_input elf;
	struct error ignored;
	bool lacks = elf_input_open(&elf, image, &ignored) &&
		     !elf_has_section(&elf.object, ".BTF");

	elf_input_close(&elf);
	return lacks;
}

/* Its vmlinuz may be newer than what runs now; but only root may read those of some. */
static bool open_kernel(struct system *system, bool is_running, const struct base_list *base,
			struct error *err)
{
	static const char *const images[] = {
		"/boot/vmlinuz-", "vmlinuz", "/boot/vmlinux-", "/boot/Image-" };
	char *image = base->count ? NULL : find_file(system, images, 4);
	struct base_list found = { .count = 1 };
	bool good;

	if (!base->count && is_running && !(image && btf_file_has_btf(image, false))) {
		free(image);
		image = text_format("%s" RUNNING_BTF_DIRECTORY "/vmlinux", system->root);
	}
	if (!base->count && !image)
		return error_set(err, "%s/boot/vmlinuz-%s: is not there, nor %s/vmlinuz; give the "
				 "kernel's BTF, or a file with it, with --base", system->root,
				 system->release, system->folder);
	found.paths[0] = image;
	base = image ? &found : base;
	system->kernel_path = memory_copy(base->paths[base->count - 1]);
	good = (image && lacks_btf(image)) ||
	       btf_bases_open_for(&system->bases, base, "", err);
	system->btf = btf_bases_top(&system->bases);
	free(image);
	return good;
}

/* struct module has a member for what the kernel reads of a module. */
static bool ask_btf(struct system *system, struct error *err)
{
	struct type_source types = { .btf = system->btf };
	const uint32_t *module = type_named(&types, BTF_STRUCT, "", "module"), *record, *last;
	struct kernel_version version = kernel_version_parse(system->release);
	uint32_t byte, used = BTF_DATASEC;

	/* kernel/module/main.c compares them since 6.4; 6.1 was seen to load others. */
	if (module && kernel_version_is_from(version, 6, 4))
		system->module_bytes = module[BTF_WORD_SIZE];
	if (!module)
		return error_at(err, system->kernel_path,
				"is no kernel that takes modules: it has "
				"no struct module; give another one with --base");
	system->rules = (struct btf_verify_options){
		.as_module = true,
		.errors_only = true,
		.limit = 1,
		.layout = type_member_byte(&types, type_named(&types, BTF_STRUCT, "", "btf_header"),
					   "layout_off", &byte),
		.any_tag_order =
			type_named(&types, BTF_FUNC, "", "btf_check_modifier_chain_length"),
		/* Nothing in the BTF shows it. */
		.plain_tags = !kernel_version_is_from(version, 6, 15),
	};
	system->takes_btf = type_member_byte(&types, module, "btf_data", &byte);
	system->takes_distilled = type_member_byte(&types, module, "btf_base_data", &byte);
	for (uint32_t id = 1; (record = type_nth(&types, id)); id++) {
		used = btf_record_kind(record) > used ? btf_record_kind(record) : used;
		last = type_enumerator(&types, record, "BTF_KIND_MAX");
		if (last && last[1] < BTF_LOC)
			system->rules.end_kind = last[1] + 1;
		last = type_enumerator(&types, record, "BTF_MAX_VLEN");
		system->rules.wide_info |= last && last[1] > UINT16_MAX;
	}
	/* Before 5.16 it was no enumerator: what the kernel uses itself it knows. */
	if (!system->rules.end_kind)
		system->rules.end_kind = used + 1;
	return true;
}

static void ask_config(struct system *system, bool is_running)
{
	static const char *const files[] = { "/boot/config-", "config" };
	struct text text = { 0 };
	struct error ignored;

	system->config = find_file(system, files, 2);
	if (!system->config && is_running)
		system->config = text_format("%s/proc/config.gz", system->root);
	system->mismatch = MODULE_MISMATCH;
	if (system->config && text_read_file(&text, system->config, "", &ignored)) {
		text_add_char(&text, '\0');
		system->mismatch = strstr(text.data, "\nCONFIG_MODULE_ALLOW_BTF_MISMATCH=y")
					   ? MODULE_LOSES_BTF : MODULE_REFUSED;
	}
	array_release(&text);
}

/* ---- a module ---- */

static bool set_answer(struct module_answer *answer, enum module_state state, char *why)
{
	answer->state = state;
	answer->why = why;
	return false;
}

/*
 * The first error, to be freed, or that names of the base begin in the middle of others, which are
 * those of another one; NULL: none. Releases the findings.
 */
static char *take_finding(const struct btf_reader *btf, const char *section,
			  struct btf_findings *findings)
{
	char line[2048], *text = NULL;

	for (size_t i = 0; i < findings->count && !text; i++) {
		const struct btf_finding *finding = &findings->data[i];

		btf_finding_text(btf, finding, line, sizeof(line));
		if (finding->rule == BTF_RULE_STRING_TAIL && finding->value < btf->first_string)
			text = memory_copy("it is split from the BTF of another build");
		else if (btf_rules[finding->rule].severity == BTF_RULE_ERROR)
			text = text_format("%s: %s", section, line);
	}
	btf_findings_release(findings);
	return text;
}

/* What is said of a file is followed by what to do about a module. */
static char *reason_of(const char *text)
{
	return memory_string(text, strcspn(text, ";"));
}

/* Reads a section as the kernel will, and applies its rules. False: the answer is there. */
static bool read_section(const struct system *system, const struct object *object,
			 const char *section, struct btf_reader *btf, const struct btf_reader *base,
			 struct module_answer *answer)
{
	struct btf_findings findings;
	struct error err;
	size_t size;
	const uint8_t *bytes = object_section_named(object, section, &size);
	char *why;

	if (!btf_reader_from_memory(btf, bytes, size, section, base, &err))
		return set_answer(answer, system->mismatch, reason_of(err.text));
	if (btf->swapped != system->btf->swapped)
		return set_answer(answer, MODULE_REFUSED, memory_copy("it is for another machine"));
	btf_verify(btf, &system->rules, &findings);
	why = take_finding(btf, section, &findings);
	return !why || set_answer(answer, system->mismatch, why);
}

/* What the kernel does not look at before a program does comes last. */
static void check_btf(const struct system *system, const struct object *object,
		      struct module_answer *answer)
{
	/* Also one without bytes, in which kernels miss the header. */
	bool is_distilled = system->takes_distilled &&
			    section_index_named(&object->index, ".BTF.base", 0);
	struct btf_verify_options rules = system->rules;
	struct btf_reader base = { 0 }, btf = { 0 };
	struct btf_findings findings;
	char *why = NULL;

	rules.as_module = rules.errors_only = false;
	rules.limit = 0;
	if ((!is_distilled ||
	     read_section(system, object, ".BTF.base", &base, NULL, answer)) &&
	    read_section(system, object, ".BTF", &btf, is_distilled ? &base : system->btf,
			 answer)) {
		if (is_distilled) {
			btf_verify_base(&btf, system->btf, &findings);
			why = take_finding(&base, ".BTF.base", &findings);
		}
		if (why)
			set_answer(answer, system->mismatch, why);
		else {
			btf_verify(&btf, &rules, &findings);
			why = take_finding(&btf, ".BTF", &findings);
			if (why)
				set_answer(answer, MODULE_WRONG_TYPES, why);
		}
	}
	btf_reader_release(&btf);
	btf_reader_release(&base);
}

static bool is_link(const char *path)
{
	struct stat file;

	return lstat(path, &file) == 0 && S_ISLNK(file.st_mode);
}

static void check_object(const struct system *system, const struct object *object,
			 struct module_answer *answer)
{
	bool has_versions = elf_has_section(object, "__versions"), is_other;
	const char *vermagic = object_modinfo(object, "vermagic"), *own = system->vermagic;
	char release[KERNEL_RELEASE_BYTES], *why;
	size_t bytes;

	is_other = kernel_release_of_image(object, release) &&
		   strcmp(release, system->release) != 0;
	/* With versions of symbols kernels compare these in place of the release. */
	if (!object_section_named(object, ".gnu.linkonce.this_module", &bytes))
		set_answer(answer, MODULE_REFUSED, memory_copy("it is no module of Linux"));
	else if (!elf_has_section(object, ".symtab"))
		set_answer(answer, MODULE_REFUSED, memory_copy("its symbols are stripped"));
	else if (system->machine && object->machine != system->machine)
		set_answer(answer, MODULE_REFUSED, memory_copy("it is for another machine"));
	else if (is_other && !has_versions)
		set_answer(answer, MODULE_REFUSED, memory_copy("it has another release"));
	else if (vermagic && own &&
		 strcmp(vermagic + strcspn(vermagic, " "), own + strcspn(own, " ")) != 0)
		set_answer(answer, MODULE_REFUSED,
			   text_format("its version magic is \"%s\", not \"%s\"", vermagic, own));
	else if (system->module_bytes && bytes != system->module_bytes)
		set_answer(answer, MODULE_REFUSED,
			   text_format("its struct module has %zu bytes, not %zu: it is built for "
				       "another kernel", bytes, system->module_bytes));
	else if (!elf_has_section(object, ".BTF"))
		set_answer(answer, MODULE_WITHOUT_BTF, memory_copy(
			object_modinfo(object, "intree")
				? "it was built without, or stripped"
				: "it was built outside of the kernel's tree, perhaps "
				  "where that had no vmlinux, or stripped"));
	else if (system->takes_btf)
		check_btf(system, object, answer);
	if (is_other && answer->why) {
		why = text_format("%s; it is built for %s", answer->why, release);
		free(answer->why);
		answer->why = why;
	}
}

static bool check_module(void *context, size_t i, struct error *err)
{
	struct system *system = context;
	const char *path = system->files.modules.data[i].path;
	struct module_answer *answer = &system->answers[i];
	char *clean = memory_copy(path);
	struct object object;
	struct stat status;
	/* What this machine cannot do is no fault of the module's. */
	int fd = file_open_regular(path, O_RDONLY, &status);

	text_clean(clean, strlen(clean));
	if (is_link(path) && (*system->root || is_directory(path))) {
		set_answer(answer, MODULE_UNKNOWN,
			   memory_copy(*system->root
					       ? "it is a link, which is not followed below --root"
					       : "it is a link to a folder behind another link"));
	} else if (fd < 0 && errno != EBADMSG && errno != ENOENT) {
		set_answer(answer, MODULE_UNKNOWN, errno == EACCES
			? memory_copy("only another user may read it; run this as root")
			: reason_of(packed_file_problem(errno)));
	} else if (!object_open_bare(&object, path, err)) {
		const char *text = text_after(err->text, clean);

		set_answer(answer, MODULE_REFUSED, reason_of(text ? text + 2 : err->text));
	} else {
		check_object(system, &object, answer);
		object_close(&object);
	}
	if (fd >= 0)
		close(fd);
	free(clean);
	return true;
}

/* ---- all of it ---- */

static void print_kernel(const struct system *system)
{
	struct text line = { 0 };

	text_add_format(&line, "%s: by the BTF of %s; ", system->release, system->kernel_path);
	if (!system->btf)
		text_add_string(&line, "it has none (CONFIG_DEBUG_INFO_BTF is not set), and takes "
				"none of modules");
	else if (!system->takes_btf)
		text_add_string(&line, "it takes no BTF of modules (CONFIG_DEBUG_INFO_BTF_MODULES "
				"is not set)");
	else if (system->mismatch == MODULE_MISMATCH)
		text_add_format(&line, "whether modules load whose BTF does not fit is not known, "
				"for there is no %s/boot/config-%s", system->root, system->release);
	else
		text_add_format(&line, "modules whose BTF does not fit %s (%s: "
				"CONFIG_MODULE_ALLOW_BTF_MISMATCH%s)",
				system->mismatch == MODULE_LOSES_BTF ? "load without it"
								     : "do not load",
				system->config,
				system->mismatch == MODULE_LOSES_BTF ? "=y" : " is not set");
	text_print_clean(stdout, line.data, line.count);
	printf("\n");
	array_release(&line);
}

static enum exit_status print_modules(const struct system *system, size_t begin)
{
	size_t counts[MODULE_STATES] = { 0 }, count = system->files.modules.count, i;
	struct text line = { 0 };
	enum exit_status status = EXIT_DONE;

	for (i = 0; i < count; i++) {
		const struct module_answer *answer = &system->answers[i];
		const char *name = system->files.modules.data[i].path + begin;
		bool fails = answer->state >= MODULE_WRONG_TYPES;

		counts[answer->state]++;
		if (fails)
			status = EXIT_ANSWER_NO;
		if (!answer->why)
			continue;
		text_add_clean(&line, name);
		text_add_format(&line, ": %s: ", states[answer->state].line);
		text_add_clean(&line, answer->why);
		text_add_string(&line, !fails ? "\n" : text_after(name, "kernel/")
				? "; install the package of this kernel again\n"
				: "; build it again for this kernel\n");
		text_print(&line, stdout);
	}
	printf("%s: %zu modules", system->release, count);
	for (i = 0; i < MODULE_STATES; i++) {
		if (counts[i])
			printf(", %zu %s", counts[i], states[i].summary);
	}
	printf("\n");
	return status;
}

static bool find_modules(struct system *system, size_t *begin, struct error *err)
{
	static const char *const folders[] = { "/lib/modules/", "/usr/lib/modules/" };
	char *folder = system->folder = find_file(system, folders, 2);
	bool good = folder ? build_files_find_all(&system->files, folder, !*system->root, err)
			   : error_set(err, "%s/lib/modules/%s: is not there; give another release "
				       "with --kernel", system->root, system->release);

	*begin = folder ? strlen(folder) + 1 : 0;
	if (good && !system->files.modules.count)
		good = error_at(err, folder, "no modules (*.ko) are in this directory");
	return good;
}

/* A kernel keeps "RELEASE SMP preempt mod_unload " as text, to be freed; NULL: it is not found. */
static char *find_vermagic(const struct object *kernel, const char *release)
{
	size_t size, length = strlen(release);
	const char *at = (const char *)object_section_named(kernel, ".rodata", &size);
	const char *begin = at, *end = at ? at + size : NULL;

	for (; at && (at = memmem(at, (size_t)(end - at), release, length)); at += length) {
		if ((at == begin || !at[-1]) && end - at > (ptrdiff_t)length && at[length] == ' ' &&
		    memchr(at, '\0', (size_t)(end - at)))
			return memory_copy(at);
	}
	return NULL;
}

static bool is_of_release(struct system *system, struct error *err)
{
	char release[KERNEL_RELEASE_BYTES] = "";
	struct elf_input elf;
	struct error ignored;

	if (elf_input_open(&elf, system->kernel_path, &ignored)) {
		kernel_release_of_image(&elf.object, release);
		system->machine = elf.object.machine;
		system->vermagic = find_vermagic(&elf.object, system->release);
	}
	elf_input_close(&elf);
	return !*release || strcmp(release, system->release) == 0 ||
	       error_at(err, system->kernel_path, "is the kernel %s, not %s; give another one with "
			"--base", release, system->release);
}

bool check_system(const struct system_arguments *arguments, const struct base_list *base,
		  enum exit_status *status, struct error *err)
{
	struct running_kernel running = { .root = file_set_root(arguments->root) };
	struct kernel_identity identity = running_kernel_identity(&running, NULL);
	struct system system = {
		.root = running.root,
		.release = arguments->release ? arguments->release : identity.release,
	};
	bool is_running = strcmp(system.release, identity.release) == 0, good;
	size_t begin = 0;

	if (!*system.release || *system.release == '.' || strchr(system.release, '/'))
		return arguments->release
			? error_set(err, "--kernel: '%s' is no release of a kernel; give one of "
				    "%s/lib/modules", system.release, system.root)
			: error_set(err, "%s/proc/sys/kernel/osrelease: does not say which kernel "
				    "runs; give one of %s/lib/modules with --kernel", system.root,
				    system.root);
	good = find_modules(&system, &begin, err) && open_kernel(&system, is_running, base, err) &&
	       is_of_release(&system, err);
	good = good && (!system.btf || ask_btf(&system, err));
	if (good) {
		system.answers = memory_zeroed(system.files.modules.count, sizeof(*system.answers));
		ask_config(&system, is_running);
		print_kernel(&system);
		good = files_visit(NULL, system.files.modules.count, arguments->jobs, check_module,
				   &system, err);
	}
	if (good)
		*status = print_modules(&system, begin);
	for (size_t i = 0; system.answers && i < system.files.modules.count; i++)
		free(system.answers[i].why);
	free(system.answers);
	free(system.config);
	free(system.vermagic);
	free(system.folder);
	free(system.kernel_path);
	build_files_release(&system.files);
	btf_bases_release(&system.bases);
	return good;
}
