/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * `btfenc encode`, also under pahole's name: which files are encoded on which base, by how many
 * threads, and where the BTF goes.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_kind.h"
#include "base/jobserver.h"
#include "base/memory.h"
#include "base/output_file.h"
#include "base/progress.h"
#include "base/text.h"
#include "base/workers.h"
#include "btf/elf_store.h"
#include "commands/encode_arguments.h"
#include "kernel/records.h"

/* ---- what is printed ---- */

/* The experimental records, and what they leave out. */
static void print_sites(const struct site_report *report)
{
	const struct site_counts *counts = &report->counts;

	if (!counts->sites && !report->instances)
		return;
	if (counts->sites)
		fprintf(stderr, "inline sites: %llu (%llu with a location for each parameter, %llu "
			"for some, %llu for none; %llu have no parameters); %llu without code\n",
			(unsigned long long)counts->sites, (unsigned long long)counts->complete,
			(unsigned long long)counts->partial, (unsigned long long)counts->empty,
			(unsigned long long)counts->without_parameters,
			(unsigned long long)counts->without_code);
	for (int i = 0; i < LOC_PARAM_COUNT; i++) {
		if (counts->locations[i])
			fprintf(stderr, "  %-20s %8llu  %s\n",
				loc_param_texts[i].code,
				(unsigned long long)counts->locations[i],
				loc_param_texts[i].sentence);
	}
	if (report->written)
		fprintf(stderr, "inline: %u sites, %u FUNCs added; %u sites left out, because a "
			"FUNC would be a promise\n", report->written, report->added_funcs,
			report->unpromisable);
	if (report->instances)
		fprintf(stderr, "func_secinfo: %u instances, %u inline sites, %u LOCs, %u FUNCs "
			"without prototype\n", report->instances, report->extra_sites,
			report->locs, report->extra_funcs);
}

static void print_summary(const char *path, const char *output, const struct btf_image *image,
			  const struct encode_report *report)
{
	progress_hide();
	flockfile(stderr);
	text_print_clean(stderr, path, strlen(path));
	fprintf(stderr, ": %u units (%u of excluded languages, %u unusable), %llu types in DWARF\n",
		report->units.units, report->units.excluded,
		report->units.unusable, (unsigned long long)report->dwarf_types);
	text_print_clean(stderr, output, strlen(output));
	fprintf(stderr, ": %u types, %u bytes of types, %u bytes of strings\n",
		image->type_count, image->type_bytes, image->string_bytes);
	for (int p = 0; p < BTF_PART_COUNT; p++) {
		if (!image->parts[p].data)
			continue;
		text_print_clean(stderr, output, strlen(output));
		fprintf(stderr, ": %zu bytes of %s\n", image->parts[p].size,
			btf_part_sections[p]);
	}
	for (int kind = 1; kind < BTF_KIND_COUNT; kind++) {
		if (image->kind_counts[kind])
			fprintf(stderr, "  %-12s %8u\n", btf_kinds[kind].name,
				image->kind_counts[kind]);
	}
	fprintf(stderr, "functions:\n");
	for (int i = 0; i < VERDICT_COUNT; i++) {
		if (report->verdicts[i])
			fprintf(stderr, "  %-20s %8u  %s\n", verdict_texts[i].code,
				report->verdicts[i], verdict_texts[i].sentence);
	}
	print_sites(&report->sites);
	fprintf(stderr, "names with several meanings: %u; types that lead to one: %u; "
		"definitions looked at: %u, distinct: %u; names with several types: %u\n",
		report->resolve.ambiguous_tags, report->resolve.tainted_tags,
		report->resolve.instances, report->resolve.classes,
		report->resolve.split_tags);
	funlockfile(stderr);
}

/* How many threads ran, and why not more. */
static void print_threads(void)
{
	static const char closed[] = "; make's jobserver is not open to this line of the recipe; "
				     "begin the line with +";
	bool is_one = workers_peak() <= 1;

	fprintf(stderr, "threads: %u%s\n", workers_peak(),
		jobserver_state() == JOBSERVER_CLOSED
		? closed
		: jobserver_state() == JOBSERVER_NONE ? ""
		: is_one ? "; make's jobserver had no job to spare"
			 : ", as make's jobserver had jobs to spare");
}

static void print_warnings(const struct encode_arguments *arguments, const char *path,
			   const struct encode_report *report)
{
	bool is_build = arguments->dialect == DIALECT_PAHOLE;

	if (report->inexpressible)
		print_warning("%s: %llu names, members, elements or lengths cannot be expressed in "
			      "BTF and are missing%s%s", path,
			      (unsigned long long)report->inexpressible,
			      *report->loss ? ", for instance " : "", report->loss);
	/* A single one has had its line. */
	if (report->units.unusable > 1)
		print_warning("%s: %u of %u units could not be used; their types are missing",
			      path, report->units.unusable,
			      report->units.unusable + report->units.units);
	/* Kernel builds run resolve_btfids next. */
	if (report->stale_ids && !arguments->output && !is_build)
		print_warning("%s: its .BTF_ids refer to the BTF that it had before; no kernel "
			      "may boot or load it", path);
	else if (report->kfuncs_without_flags)
		print_warning("%s: the flags of %u kfuncs are not known, because its .BTF_ids are "
			      "sorted by ids of another BTF than its own; their bpf_fastcall and "
			      "arena tags are left out", path, report->kfuncs_without_flags);
	if (report->lone_module)
		print_warning("%s: is a module, and kernels take only BTF of modules that is split "
			      "from theirs; give the vmlinux with %s", path,
			      is_build ? "--btf_base" : "-b");
}

/* ---- one file ---- */

/* Only one at a time stores: the signals' clean-up knows one unfinished file. */
static pthread_mutex_t store_lock = PTHREAD_MUTEX_INITIALIZER;

/* A distilled base has names and sizes of types, and nothing that refers to another type. */
static bool is_distilled(const struct btf_reader *reader)
{
	const uint32_t kinds = 1u << BTF_INT | 1u << BTF_FLOAT | 1u << BTF_FWD | 1u << BTF_ENUM |
			       1u << BTF_ENUM64 | 1u << BTF_STRUCT | 1u << BTF_UNION;
	uint32_t id = reader->first_id;

	for (; id < btf_reader_end_id(reader); id++) {
		uint32_t info = btf_reader_type(reader, id)[BTF_WORD_INFO];

		if (btf_info_vlen(info) || !(kinds >> btf_info_kind(info) & 1))
			return false;
	}
	return id > reader->first_id;
}

/*
 * Did an earlier run write it, as the base of OUT or as its records? Other BTF, which is not split
 * and has no sites, is the user's.
 */
static bool is_part_of_another(const char *path, bool is_base)
{
	struct btf_reader reader;
	struct error err;
	bool is_part;

	if (file_kind_of(path) != FILE_RAW_BTF ||
	    !btf_reader_open(&reader, path, NULL, NULL, &err))
		return false;
	is_part = is_base ? is_distilled(&reader)
			  : btf_reader_lacks_base(&reader) &&
			    (btf_has_kind(&reader, BTF_LOC) || btf_has_kind(&reader, BTF_LOCSEC) ||
			     btf_has_kind(&reader, BTF_DATASEC));
	btf_reader_release(&reader);
	return is_part;
}

/* Is there an OUT, or will there be, for which OUT.base could be taken? */
static bool has_base(const struct encode_arguments *arguments)
{
	return arguments->bases.count || (file_kind_of(arguments->output) == FILE_RAW_BTF &&
					  btf_file_is_split(arguments->output));
}

static void remove_file(const char *path, const char *shown, struct text *gone)
{
	if (unlink(path) == 0)
		text_add_format(gone, "%s%.200s", gone->count ? ", " : "", shown);
}

/* After output_file_commit(), by its errno. `is_new`: OUT, or NULL. */
static void say_what_changed(const char *shown, const char *is_new, const struct text *gone,
			     struct error *err)
{
	error_at(err, shown, "cannot write: %s; %.200s %s%s%.*s%s; %s", strerror(errno),
		 is_new ? is_new : "nothing", is_new ? "is new" : "was written",
		 gone->count ? ", but " : "", (int)gone->count, gone->count ? gone->data : "",
		 gone->count ? " of before was removed" : "", output_hint(errno));
}

/*
 * All are complete before any name changes, so a full disk leaves all as they were. Then old side
 * files go, OUT is replaced, and its own side files come: a signal waits until that is done, and
 * wherever it is cut short, no OUT is next to side files of another.
 */
static bool write_output(const struct encode_arguments *arguments, const struct btf_image *image,
			 struct error *err)
{
	const struct {
		const char *path;
		const void *data;
		size_t size;
	} outputs[OUTPUT_FILES] = {
		{ arguments->output, image->data, image->size },
		{ arguments->base_output, image->base_data, image->base_size },
		{ arguments->part_outputs[0], image->parts[0].data, image->parts[0].size },
		{ arguments->part_outputs[1], image->parts[1].data, image->parts[1].size },
	};
	const size_t count = sizeof(outputs) / sizeof(*outputs);
	struct output_file files[OUTPUT_FILES];
	size_t staged = 0, committed = 0;
	struct text gone = { 0 };
	const char *shown = NULL;
	sigset_t all, before;

	if (arguments->to_stdout)
		return output_stream_write(STDOUT_FILENO, "standard output", image->data,
					   image->size, err);
	for (size_t i = 0; i < count; i++) {
		if (!outputs[i].path || !outputs[i].data)
			continue;
		if (!output_file_stage(&files[staged], outputs[i].path, outputs[i].data,
				       outputs[i].size, err))
			goto failed;
		if (staged++ && files[staged - 1].is_direct) {
			error_at(err, outputs[i].path, "is not a regular file; remove it, or "
				 "choose another OUT");
			goto failed;
		}
	}
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	/* OUT.extra of an earlier run would be taken for this BTF's. It goes first. */
	for (size_t i = count - 1; i > 0; i--) {
		if (outputs[i].path && !outputs[i].data &&
		    (i > 1 || has_base(arguments)) &&
		    is_part_of_another(outputs[i].path, i == 1))
			remove_file(outputs[i].path, outputs[i].path, &gone);
	}
	for (size_t i = staged - 1; i > 0; i--)
		remove_file(files[i].destination, files[i].shown, &gone);
	for (; committed < staged; committed++) {
		shown = files[committed].shown;
		if (!output_file_commit(&files[committed], err))
			break;
	}
	if (committed < staged && (committed || gone.count))
		say_what_changed(shown, committed ? arguments->output : NULL, &gone, err);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	array_release(&gone);
	if (committed == staged)
		return true;
	committed++;	/* it is gone */
failed:
	while (committed < staged)
		output_file_abandon(&files[committed++]);
	return false;
}

static bool encode_one(const struct encode_arguments *arguments,
		       const struct encode_options *common, const char *path)
{
	struct encode_options options = *common;
	struct encode_report report;
	struct btf_image image;
	struct error err;
	bool is_pahole = arguments->dialect == DIALECT_PAHOLE, is_encoded, is_kept, good;

	options.path = path;
	if (file_is_packed(path)) {
		error_at(&err, path, "is compressed, or an image with a kernel in it; unpack it");
		command_failed(&err);
		return false;
	}
	is_encoded = encode_file(&options, &image, &report, &err);
	is_kept = is_encoded && !arguments->output && (is_pahole || !options.any_base) &&
		  records_are_of_another(path, &err);
	if (!is_encoded || is_kept) {
		/* pahole skips it in silence: a build goes on. But -g1 is a mistake. */
		good = is_pahole && (is_kept || report.nothing_wanted);
		if (!good)
			command_failed(&err);
		else if (is_kept || report.units.typeless)
			print_warning("%s", err.text);
		if (is_kept)
			btf_image_release(&image);
		return good;
	}
	pthread_mutex_lock(&store_lock);
	if (arguments->output) {
		good = write_output(arguments, &image, &err);
	} else if (report.stale_ids && !options.any_base && !is_pahole) {
		/* Sorted sets: symbols no longer name their slots, so flags would change owners. */
		good = error_at(&err, path, "its .BTF_ids have, or may have, ids of the .BTF that "
				"it has, and resolve_btfids, which sorted them, cannot run again; "
				"it was left as it is; use -o OUT, or the file from before "
				"resolve_btfids, or --force if no kernel boots or loads it");
	} else {
		const struct btf_image_part *parts = image.parts;
		/* What an earlier run has left is removed if there is none now. */
		const struct elf_section_data sections[] = {
			{ ".BTF", image.data, image.size, 0 },
			{ ".BTF.base", image.base_data, image.base_size, 0 },
			{ btf_part_sections[0], parts[0].data, parts[0].size,
			  image.end_strings[0] },
			{ btf_part_sections[1], parts[1].data, parts[1].size,
			  image.end_strings[1] },
		};

		good = elf_store(path, &report.read, sections, 4, &err);
	}
	pthread_mutex_unlock(&store_lock);
	if (good && arguments->verbose)
		print_summary(path, arguments->output ? arguments->output : path, &image, &report);
	if (good)
		print_warnings(arguments, path, &report);
	else
		command_failed(&err);
	btf_image_release(&image);
	return good;
}

/* ---- all files ---- */

struct encoding {
	const struct encode_arguments *arguments;
	struct encode_options options;	/* of each file */
	bool *is_repeated;		/* by file: it was given before, perhaps by another name */
	sigset_t ends;			/* SIGINT, SIGTERM, SIGHUP; blocked if there are threads */
	sigset_t before;		/* the caller's mask */
	_Atomic uint32_t next;
	_Atomic uint32_t failed;
};

static const int end_signals[] = { SIGINT, SIGTERM, SIGHUP };

#define END_SIGNAL_COUNT (sizeof(end_signals) / sizeof(*end_signals))

/* A signal that will end the process waits until the files at hand are done, and no more begin. */
static bool is_interrupted(const struct encoding *encoding)
{
	sigset_t pending;

	sigemptyset(&pending);
	sigpending(&pending);
	for (size_t i = 0; i < END_SIGNAL_COUNT; i++) {
		if (sigismember(&pending, end_signals[i]) &&
		    sigismember(&encoding->ends, end_signals[i]))
			return true;
	}
	return false;
}

static void encode_some(void *context, unsigned int worker)
{
	struct encoding *encoding = context;
	const struct encode_arguments *arguments = encoding->arguments;
	uint32_t i;

	(void)worker;
	while (!is_interrupted(encoding) &&
	       (i = atomic_fetch_add(&encoding->next, 1)) < arguments->path_count) {
		workers_start_more();
		if (!encoding->is_repeated[i] &&
		    !encode_one(arguments, &encoding->options, arguments->paths[i]))
			encoding->failed++;
		progress_done("files", 1);
	}
}

/*
 * Threads start with the caller's mask, so none of them is interrupted in the middle of a file.
 * With one worker nothing is blocked here: elf/file_update.c does so where it matters. What is
 * blocked stays so until the caller has said what was not begun.
 */
static void run_workers(struct encoding *encoding, uint32_t workers)
{
	/* `| head` must not keep the next files from being encoded. */
	if (encoding->arguments->path_count > 1)
		signal(SIGPIPE, SIG_IGN);
	sigemptyset(&encoding->ends);
	pthread_sigmask(SIG_BLOCK, NULL, &encoding->before);
	for (size_t i = 0; workers > 1 && i < END_SIGNAL_COUNT; i++) {
		struct sigaction action;

		/* A signal that is ignored (nohup) or blocked already will end nothing. */
		if (sigaction(end_signals[i], NULL, &action) == 0 &&
		    action.sa_handler != SIG_IGN &&
		    !sigismember(&encoding->before, end_signals[i]))
			sigaddset(&encoding->ends, end_signals[i]);
	}
	pthread_sigmask(SIG_BLOCK, &encoding->ends, NULL);
	workers_run(workers, encode_some, encoding);
}

/* Many files: one thread for each at a time. Fewer than threads: each gets its share. */
static int encode_all(const struct encode_arguments *arguments, const struct btf_base *base)
{
	struct encoding encoding = { .arguments = arguments, .options = arguments->options };
	uint32_t workers = arguments->options.jobs, count = arguments->path_count;
	struct stat *files = memory_zeroed(count, sizeof(*files));
	struct error err;

	/* Two threads would change the same file while the other reads it. */
	encoding.is_repeated = memory_zeroed(count, sizeof(bool));
	for (uint32_t i = 0; i < count; i++) {
		if (stat(arguments->paths[i], &files[i]) != 0)
			continue;
		for (uint32_t k = 0; k < i && !encoding.is_repeated[i]; k++)
			encoding.is_repeated[i] = files[k].st_ino == files[i].st_ino &&
						  files[k].st_dev == files[i].st_dev;
	}
	free(files);
	if (workers > count)
		workers = count;
	encoding.options.base = base;
	encoding.options.jobs = arguments->options.jobs / workers;
	progress_begin("btfenc: encoding", count > 1 ? "files" : "units");
	progress_expect("files", count);
	run_workers(&encoding, workers);
	progress_end();
	free(encoding.is_repeated);
	if (arguments->verbose)
		print_threads();
	if (encoding.next < count) {
		error_at(&err, arguments->paths[encoding.next], "a signal came before this file "
			 "was begun; it and those after it were left unchanged; run again");
		command_failed(&err);
		encoding.failed++;
	}
	/* The signal ends the process here. */
	pthread_sigmask(SIG_SETMASK, &encoding.before, NULL);
	return !encoding.failed ? EXIT_DONE : count > 1 ? EXIT_ANSWER_NO : EXIT_FAILED;
}

static int encode(enum encode_dialect dialect, int argc, char **argv)
{
	struct encode_arguments arguments;
	struct btf_bases bases = { 0 };
	struct btf_base base;
	struct error err;
	int status = encode_arguments_parse(&arguments, dialect, argc, argv);

	if (status < 0 && !arguments.bases.count) {
		status = encode_all(&arguments, NULL);
	} else if (status < 0 && btf_bases_open_base(&bases, &arguments.bases, &base, &err)) {
		if (arguments.path_count > 1)
			btf_base_index_all(&base);
		status = encode_all(&arguments, &base);
		btf_base_release(&base);
	} else if (status < 0) {
		status = command_failed(&err);
	}
	btf_bases_release(&bases);
	encode_arguments_release(&arguments);
	return status;
}

int cmd_encode(int argc, char **argv)
{
	return encode(DIALECT_BTFENC, argc, argv);
}

int cmd_pahole(int argc, char **argv)
{
	return encode(DIALECT_PAHOLE, argc, argv);
}
