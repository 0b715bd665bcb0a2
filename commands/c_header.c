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
	bool is_loaded;

	is_loaded = loaded && !libbpf.libbpf_get_error(loaded);
	if (!is_loaded && writer->count && access("/proc/self/fd", X_OK) != 0)
		return error_at(err, reader->name, "C from split BTF needs /proc, which is not "
				"there; mount it");
	if (!is_loaded)
		return error_at(err, reader->name, "libbpf cannot read it (%s); see what btfenc "
				"check says, or take a newer libbpf", strerror(errno));
	writer->loaded[writer->count++] = loaded;
	return true;
}

/* libbpf does not check what it reads: ids that lead nowhere crash it, and circles do not end. */
static bool is_sound(const struct btf_reader *btf, struct error *err)
{
	char text[256];

	if (!btf->complete || btf_first_error(btf, BTF_DIALECT_CLASSIC, text, sizeof(text)))
		return error_at(err, btf->name, "is damaged, or has kinds that C has not: %s; run "
				"btfenc check", btf->complete ? text : "a broken record");
	/* These names it prints as they are, and it counts the bits of an INT in 32 bits. */
	for (uint32_t id = btf->first_id; id < btf_reader_end_id(btf); id++) {
		const uint32_t *words = btf_reader_type(btf, id);
		enum btf_kind kind = btf_info_kind(words[BTF_WORD_INFO]);
		const char *name = btf_reader_string(btf, words[BTF_WORD_NAME]);
		/* "long unsigned int", "long double"; a tag, an attribute with an argument */
		const char *marks = kind == BTF_INT || kind == BTF_FLOAT ? "_. " : "_.()";

		if ((1u << BTF_INT | 1u << BTF_FLOAT | 1u << BTF_TYPE_TAG) >> kind & 1 &&
		    (!name || !text_is_made_of(name, marks) ||
		     (kind == BTF_INT && words[BTF_WORD_SIZE] > 16)))
			return error_at(err, btf->name, "type %u has a name or a size that is none "
					"in C; run btfenc check", id);
	}
	return true;
}

/*
 * No rule of BTF forbids what libbpf does not come to the end of: it writes what has no name again
 * wherever it is used, goes through all that a struct contains for each alignment, and pads with a
 * line for eight bytes. Twenty structs of two of the one before take a million steps; a pointer to
 * a function that takes this pointer takes them for ever. C cannot say either: there a circle has
 * a struct with a name in it. Kernels take half a step for a byte of BTF.
 */
#define MOST_STEPS    ((uint64_t)1 << 25)
#define STEPS_ANYWAY  ((uint64_t)1 << 18)
#define STEPS_OF_BYTE 8
#define OPEN	   UINT64_MAX

static bool is_followed(const struct btf_reader *btf, const uint32_t *words, uint32_t id,
			bool contained)
{
	const uint32_t *target = btf_reader_type(btf, id);
	enum btf_kind kind = btf_record_kind(words);

	if (!contained)
		return target && !(target[BTF_WORD_NAME] &&
				   btf_kind_is_aggregate(btf_record_kind(target)));
	return target && (btf_kind_is_aggregate(kind) || btf_kind_is_modifier(kind) ||
			  kind == BTF_ARRAY || kind == BTF_TYPEDEF);
}

/* Adds to the steps of each type those of what it contains, or of what it writes out. */
static void add_steps(const struct btf_reader *btf, uint64_t *steps, bool contained)
{
	uint32_t end = btf_reader_end_id(btf);
	uint64_t *sums = memory_zeroed(end, sizeof(*sums));
	ARRAY_OF(uint32_t) left = { 0 };

	for (uint32_t first = 1; first < end; first++) {
		array_push(&left, first);
		while (left.count) {
			uint32_t id = left.data[left.count - 1];
			const uint32_t *words = btf_reader_type(btf, id);
			bool is_open = sums[id] == OPEN;
			uint64_t sum = steps[id];

			left.count -= is_open || sums[id];
			if (sums[id] && !is_open)
				continue;
			sums[id] = OPEN;
			btf_each_ref(word, words) {
				uint32_t ref = words[word];
				uint64_t more = 1;

				if (!is_followed(btf, words, ref, contained))
					continue;
				if (!is_open && !sums[ref])
					array_push(&left, ref);
				/* A typedef is written once, but gone through for its order. */
				if (contained || sums[ref] >= MOST_STEPS ||
				    btf_record_kind(btf_reader_type(btf, ref)) != BTF_TYPEDEF)
					more = sums[ref];
				sum += more < MOST_STEPS ? more : MOST_STEPS;
			}
			if (is_open)
				sums[id] = sum < MOST_STEPS ? sum : MOST_STEPS;
		}
	}
	memcpy(steps, sums, end * sizeof(*sums));
	free(sums);
	array_release(&left);
}

/* The bytes between and after the members, which are in the order of their offsets. */
static uint64_t padding_of(const struct btf_reader *btf, const uint32_t *words,
			   uint32_t pointer_bytes)
{
	uint32_t info = words[BTF_WORD_INFO];
	uint64_t end = 0, gaps = 0, size = (uint64_t)words[BTF_WORD_SIZE] * 8;

	for (uint32_t i = 0; i < btf_info_vlen(info); i++) {
		const struct btf_member_layout member = btf_member_of(btf, pointer_bytes, info,
							       words + BTF_HEAD_WORDS + 3 * i);
		uint64_t bits = member.size_bits < size ? member.size_bits : size;
		uint64_t offset = member.offset_bits;

		gaps += offset > end ? offset - end : 0;
		end = offset + bits > end ? offset + bits : end;
	}
	return (gaps + (size > end ? size - end : 0)) / 8;
}

/* A step for each 32 characters: a name is written again wherever it is used. */
static uint64_t steps_of_names(const struct btf_reader *btf, const uint32_t *words)
{
	uint64_t sum = 0;

	btf_each_name(word, words)
		sum += btf_name_length(btf_text(btf, words[word])) / 32;
	btf_each_ref(word, words) {
		const uint32_t *target = btf_reader_type(btf, words[word]);

		if (target)
			sum += btf_name_length(btf_type_name(btf, target)) / 32;
	}
	return sum;
}

/* `wanted`: by id; NULL: all are. */
static bool comes_to_an_end(const struct btf_reader *btf, const bool *wanted, struct error *err)
{
	uint32_t end = btf_reader_end_id(btf), pointer_bytes = btf_pointer_bytes(btf), id;
	uint64_t *steps = memory_zeroed(end, sizeof(*steps)), sum = 0, most = STEPS_ANYWAY;

	for (const struct btf_reader *reader = btf; reader; reader = reader->base)
		most += STEPS_OF_BYTE * (uint64_t)reader->data_bytes;
	most = most < MOST_STEPS ? most : MOST_STEPS;
	for (id = 1; id < end; id++) {
		const uint32_t *words = btf_reader_type(btf, id);

		steps[id] = 1 + (btf_kind_is_aggregate(btf_record_kind(words))
					 ? padding_of(btf, words, pointer_bytes) / 8 : 0);
	}
	add_steps(btf, steps, true);
	for (id = 1; id < end; id++)
		steps[id] += steps_of_names(btf, btf_reader_type(btf, id));
	add_steps(btf, steps, false);
	for (id = 1; id < end && sum < most; id++) {
		const uint32_t *words = btf_reader_type(btf, id);

		if ((!wanted || wanted[id]) && (words[BTF_WORD_NAME] || steps[id] == MOST_STEPS))
			sum += steps[id];
	}
	free(steps);
	return sum < most ||
	       error_at(err, btf->name, "type %u: the C of it would be too long, or endless: what "
			"has no name is written out wherever it is used", id - 1);
}

static bool writer_open(struct c_writer *writer, const struct btf_reader *btf, const bool *wanted,
			FILE *out, struct error *err)
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
	if (!comes_to_an_end(btf, wanted, err))
		return false;
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
	const struct c_types *types;
	FILE *out;
	struct error *err;
	bool good;
};

static void *run(void *context)
{
	struct c_job *job = context;
	const struct c_types *types = job->types;
	struct c_writer writer;

	job->good = writer_open(&writer, job->btf, types->wanted, job->out, job->err);
	if (job->good && !types->wanted)
		job->good = put_header(&writer, job->err);
	for (size_t i = 0; job->good && i < types->count; i++)
		job->good = put_type(&writer, types->ids[i], job->err);
	if (writer.dump)
		libbpf.btf_dump__free(writer.dump);
	while (writer.count)
		libbpf.btf__free(writer.loaded[--writer.count]);
	return NULL;
}

/*
 * libbpf goes down from type to type by recursion: a kernel's are 20 deep, but BTF may have a chain
 * of a million pointers. What is not used of the stack costs nothing.
 */
#define STACK_BYTES ((size_t)1 << (sizeof(size_t) > 4 ? 30 : 27))

bool c_print(const struct btf_reader *btf, const struct c_types *types, FILE *out,
	     struct error *err)
{
	struct c_job job = { .btf = btf, .types = types, .out = out, .err = err };
	pthread_attr_t attributes;
	pthread_t thread;
	bool good = pthread_attr_init(&attributes) == 0 &&
		    pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0 &&
		    pthread_create(&thread, &attributes, run, &job) == 0;

	if (!good)
		return error_at(err, btf->name, "cannot start a thread to print it; raise the "
				"limit on address space (ulimit -v): its stack takes %zu MiB of it",
				STACK_BYTES >> 20);
	pthread_join(thread, NULL);
	pthread_attr_destroy(&attributes);
	return job.good;
}

#else

bool c_print(const struct btf_reader *btf, const struct c_types *types, FILE *out,
	     struct error *err)
{
	(void)btf, (void)types, (void)out;
	return error_set(err, "--format c: this program was built without libbpf; install "
			 "libbpf-dev and build it again");
}

#endif
