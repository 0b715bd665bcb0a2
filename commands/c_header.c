/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#define _GNU_SOURCE	/* memfd_create */
#include "commands/c_header.h"

#ifdef WITH_LIBBPF

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/late_library.h"
#include "base/text.h"
#include "btf/inspect.h"
#include "commands/records/records.h"

#define LIBBPF_FUNCTIONS(X)                                                                        \
	X(btf__free) X(btf__new) X(btf__parse_raw_split) X(btf_dump__dump_type)                    \
	X(btf_dump__emit_type_decl) X(btf_dump__free) X(btf_dump__new) X(libbpf_get_error)         \
	X(libbpf_set_print)

LATE_LIBRARY(libbpf, LIBBPF_FUNCTIONS);

#define TEXT_OF(number)	  #number
#define LIBRARY(number)	  "libbpf.so." TEXT_OF(number)
#define MOST_READERS	  (BTF_INPUT_MAX_BASES + 1)

struct c_writer {
	const struct btf_reader *btf;
	struct btf *loaded[MOST_READERS];	/* lowest first */
	uint32_t count;
	struct btf_dump *dump;
	FILE *out;
};

static void print(void *out, const char *format, va_list values)
{
	vfprintf(out, format, values);
}

static void writer_close(struct c_writer *writer)
{
	if (writer->dump)
		libbpf.btf_dump__free(writer->dump);
	while (writer->count)
		libbpf.btf__free(writer->loaded[--writer->count]);
}

/*
 * libbpf takes split BTF from files only (btf__new_split() is not in all of its versions): without
 * /proc there is none.
 */
static struct btf *load_split(const struct btf_reader *reader, struct btf *below)
{
	int fd = memfd_create("btf", MFD_CLOEXEC), error;
	struct btf *loaded = NULL;
	char path[32];

	if (fd < 0)
		return NULL;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, reader->data, reader->data_bytes) == (ssize_t)reader->data_bytes)
		loaded = libbpf.btf__parse_raw_split(path, below);
	error = errno;
	close(fd);
	errno = error;
	return loaded;
}

/* Both have the same bytes: libbpf's ids are those of the readers. */
static bool load(struct c_writer *writer, const struct btf_reader *reader, struct error *err)
{
	struct btf *loaded = writer->count
		? load_split(reader, writer->loaded[writer->count - 1])
		: libbpf.btf__new(reader->data, (uint32_t)reader->data_bytes);

	if (!loaded || libbpf.libbpf_get_error(loaded))
		return error_at(err, reader->name, "libbpf cannot read it (%s); see what btfenc "
				"check says, or take a newer libbpf", strerror(errno));
	writer->loaded[writer->count++] = loaded;
	return true;
}

/* libbpf prints these as they are, and the kernel takes any text for them. */
static bool has_c_words(const struct btf_reader *btf, struct error *err)
{
	for (uint32_t id = btf->first_id; id < btf_reader_end_id(btf); id++) {
		const uint32_t *words = btf_reader_type(btf, id);
		enum btf_kind kind = btf_info_kind(words[BTF_WORD_INFO]);
		const char *name = btf_reader_string(btf, words[BTF_WORD_NAME]);
		/* "long unsigned int", "long double"; a tag, an attribute with an argument */
		const char *marks = kind == BTF_INT || kind == BTF_FLOAT ? "_. " : "_.()";

		if ((1u << BTF_INT | 1u << BTF_FLOAT | 1u << BTF_TYPE_TAG) >> kind & 1 &&
		    (!name || !text_is_made_of(name, marks)))
			return error_at(err, btf->name, "type %u has a name that is none in C; "
					"run btfenc check", id);
	}
	return true;
}

/* libbpf does not check what it reads: ids that lead nowhere crash it, and circles do not end. */
static bool is_sound(const struct btf_reader *btf, struct error *err)
{
	char text[256];

	if (!btf->complete || btf_first_error(btf, BTF_DIALECT_CLASSIC, text, sizeof(text)))
		return error_at(err, btf->name, "is damaged, or has kinds that C has not: %s; run "
				"btfenc check", btf->complete ? text : "a broken record");
	return has_c_words(btf, err);
}

static bool writer_open(struct c_writer *writer, const struct btf_reader *btf, FILE *out,
			struct error *err)
{
	const struct btf_reader *readers[MOST_READERS];
	uint32_t count = 0;

	*writer = (struct c_writer){ .btf = btf, .out = out };
	if (!LATE_LOAD(libbpf, LIBBPF_FUNCTIONS, LIBRARY(LIBBPF_MAJOR_VERSION)))
		return error_set(err, "--format c: cannot load %s (%s); install it",
				 LIBRARY(LIBBPF_MAJOR_VERSION), dlerror());
	libbpf.libbpf_set_print(NULL);
	for (const struct btf_reader *reader = btf; reader; reader = reader->base)
		readers[count++] = reader;
	while (count) {
		if (!is_sound(readers[--count], err) || !load(writer, readers[count], err))
			return false;
	}
	writer->dump = libbpf.btf_dump__new(writer->loaded[writer->count - 1], print, out, NULL);
	return (writer->dump && !libbpf.libbpf_get_error(writer->dump)) ||
	       error_at(err, btf->name, "libbpf cannot print it (%s)", strerror(errno));
}

static bool put_type(struct c_writer *writer, uint32_t id, struct error *err)
{
	int error = libbpf.btf_dump__dump_type(writer->dump, id);

	return error >= 0 || error_at(err, writer->btf->name, "type %u: libbpf cannot print it "
				      "(%s)", id, strerror(-error));
}

/* What the tag "bpf_kfunc" is on. */
static bool put_kfunc(struct c_writer *writer, const uint32_t *function, struct error *err)
{
	struct btf_dump_emit_type_decl_opts options = {
		.sz = sizeof(options),
		.field_name = btf_reader_string(writer->btf, function[BTF_WORD_NAME]),
	};
	int error;

	fputs("extern ", writer->out);
	error = libbpf.btf_dump__emit_type_decl(writer->dump, function[BTF_WORD_TYPE], &options);
	fputs(" __weak __ksym;\n", writer->out);
	return error >= 0 || error_at(err, writer->btf->name, "kfunc %s: libbpf cannot print it "
				      "(%s)", options.field_name, strerror(-error));
}

static bool put_kfuncs(struct c_writer *writer, struct error *err)
{
	const struct btf_reader *btf = writer->btf;
	bool good = true;

	fputs("\n#ifndef BPF_NO_KFUNC_PROTOTYPES\n"
	      "#ifndef __ksym\n#define __ksym __attribute__((section(\".ksyms\")))\n#endif\n"
	      "#ifndef __weak\n#define __weak __attribute__((weak))\n#endif\n\n", writer->out);
	for (uint32_t id = btf->first_id; good && id < btf_reader_end_id(btf); id++) {
		const uint32_t *tag = btf_reader_type(btf, id), *tagged;
		const char *name;

		if (btf_info_kind(tag[BTF_WORD_INFO]) != BTF_DECL_TAG)
			continue;
		name = btf_reader_string(btf, tag[BTF_WORD_NAME]);
		tagged = btf_reader_type(btf, tag[BTF_WORD_TYPE]);
		if (name && strcmp(name, "bpf_kfunc") == 0 && tagged &&
		    btf_info_kind(tagged[BTF_WORD_INFO]) == BTF_FUNC)
			good = put_kfunc(writer, tagged, err);
	}
	fputs("#endif\n", writer->out);
	return good;
}

static bool put_header(struct c_writer *writer, struct error *err)
{
	const struct btf_reader *btf = writer->btf;
	bool good = true;

	fputs("#ifndef __VMLINUX_H__\n#define __VMLINUX_H__\n\n"
	      "#ifndef BPF_NO_PRESERVE_ACCESS_INDEX\n"
	      "#pragma clang attribute push "
	      "(__attribute__((preserve_access_index)), apply_to = record)\n"
	      "#endif\n\n", writer->out);
	for (uint32_t id = btf->first_id; good && id < btf_reader_end_id(btf); id++)
		good = put_type(writer, id, err);
	good = good && put_kfuncs(writer, err);
	if (good)
		fputs("\n#ifndef BPF_NO_PRESERVE_ACCESS_INDEX\n#pragma clang attribute pop\n"
		      "#endif\n\n#endif\n", writer->out);
	return good;
}

/* ---- the thread ---- */

struct c_job {
	const struct btf_reader *btf;
	const uint32_t *ids;		/* NULL: all, as a header */
	size_t count;
	FILE *out;
	struct error *err;
	bool good;
};

static void *run(void *context)
{
	struct c_job *job = context;
	struct c_writer writer;

	job->good = writer_open(&writer, job->btf, job->out, job->err);
	if (job->good && !job->ids)
		job->good = put_header(&writer, job->err);
	for (size_t i = 0; job->good && job->ids && i < job->count; i++)
		job->good = put_type(&writer, job->ids[i], job->err);
	writer_close(&writer);
	return NULL;
}

/*
 * libbpf goes down from type to type by recursion: a kernel's are 20 deep, but BTF may have a chain
 * of a million pointers. What is not used of the stack costs nothing.
 */
#define STACK_BYTES ((size_t)1 << (sizeof(size_t) > 4 ? 30 : 27))

static bool run_apart(struct c_job *job)
{
	pthread_attr_t attributes;
	pthread_t thread;
	bool good = pthread_attr_init(&attributes) == 0 &&
		    pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0 &&
		    pthread_create(&thread, &attributes, run, job) == 0;

	if (!good)
		return error_at(job->err, job->btf->name, "cannot start a thread to print it (%zu "
				"MiB of address space for its stack)", STACK_BYTES >> 20);
	pthread_join(thread, NULL);
	pthread_attr_destroy(&attributes);
	return job->good;
}

bool c_header_print(const struct btf_reader *btf, FILE *out, struct error *err)
{
	struct c_job job = { .btf = btf, .out = out, .err = err };

	return run_apart(&job);
}

bool c_types_print(const struct btf_reader *btf, const uint32_t *ids, size_t count, FILE *out,
		   struct error *err)
{
	struct c_job job = { .btf = btf, .ids = ids, .count = count, .out = out, .err = err };

	return run_apart(&job);
}

#else

static bool is_missing(struct error *err)
{
	return error_set(err, "--format c: this program was built without libbpf; install "
			 "libbpf-dev and build it again");
}

bool c_header_print(const struct btf_reader *btf, FILE *out, struct error *err)
{
	(void)btf, (void)out;
	return is_missing(err);
}

bool c_types_print(const struct btf_reader *btf, const uint32_t *ids, size_t count, FILE *out,
		   struct error *err)
{
	(void)btf, (void)ids, (void)count, (void)out;
	return is_missing(err);
}

#endif
