/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The verifier against BPF_BTF_LOAD of the running kernel, which takes root. Parts: the base or
 * nothing, the BTF. A process loads no split BTF: the kernel is given base and BTF joined, which is
 * the same to it if the base is good and the header of the other says nothing unusual.
 *
 * CASES=N in the environment: after so many comparisons it prints what they were and ends.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "btf/verify/verify.h"
#include "tests/fuzz/fuzz.h"
#include "tests/oracle_kernel.h"

const uint32_t fuzz_parts = 2;

static struct {
	uint64_t wanted, plain, split, rejected;
	bool is_asked;
} cases;

static void print_cases(void)
{
	dprintf(STDERR_FILENO, "%llu BTFs and %llu split BTFs: the kernel rejects %llu, as the "
		"verifier does\n", (unsigned long long)cases.plain,
		(unsigned long long)cases.split, (unsigned long long)cases.rejected);
}

/* An end past 32 bits is an error here and wraps around there: btf/verify/verify.h. */
static bool wraps_around(const struct btf_reader *btf, const struct btf_finding *finding)
{
	const uint32_t *record = btf_reader_type(btf, finding->type_id), *entry;

	if (finding->rule != BTF_RULE_DATASEC_END)
		return false;
	entry = record + BTF_HEAD_WORDS + 3 * (size_t)finding->element;
	return entry[1] > UINT32_MAX - entry[2];
}

static bool is_good(const struct btf_reader *btf, bool *is_exception, char *text, size_t bytes)
{
	const struct btf_verify_options options = { .pointer_bytes = 8, .errors_only = true,
						    .limit = 100 };
	struct btf_findings findings;
	bool good;

	btf_verify(btf, &options, &findings);
	good = !findings.errors;
	for (size_t i = 0; i < findings.count; i++)
		*is_exception |= wraps_around(btf, &findings.data[i]);
	if (!good)
		btf_finding_text(btf, &findings.data[0], text, bytes);
	btf_findings_release(&findings);
	return good;
}

static void ask(const void *data, size_t bytes, bool good, const char *text)
{
	static char log[1 << 16];
	enum kernel_verdict verdict = kernel_btf_load(data, bytes, NULL, 0);

	if (verdict == KERNEL_UNAVAILABLE) {
		if (!cases.is_asked) {
			dprintf(STDERR_FILENO, "BPF_BTF_LOAD is not permitted\n");
			_exit(77);
		}
		return;
	}
	cases.is_asked = true;
	cases.rejected += !good;
	if ((verdict == KERNEL_ACCEPTED) != good) {
		kernel_btf_load(data, bytes, log, sizeof(log));
		dprintf(STDERR_FILENO, "the verifier: %s\nthe kernel: %s\n", good ? "good" : text,
			log);
		abort();
	}
	if (cases.wanted && cases.plain + cases.split >= cases.wanted) {
		print_cases();
		_exit(0);
	}
}

/* Header, types and strings without gaps. */
static bool is_usual(const struct btf_reader *btf)
{
	const struct btf_file_header *header = &btf->header;

	return header->header_bytes == BTF_SHORT_HEADER_BYTES && !header->type_offset &&
	       !header->flags && !btf->swapped && header->type_bytes % 4 == 0 &&
	       header->string_offset == header->type_bytes && btf->complete &&
	       (uint64_t)header->header_bytes + header->type_bytes + header->string_bytes ==
		       btf->data_bytes;
}

static void ask_joined(const struct btf_reader *base, const struct btf_reader *btf)
{
	uint32_t types = base->header.type_bytes + btf->header.type_bytes;
	uint32_t strings = base->header.string_bytes + btf->header.string_bytes;
	uint8_t *joined = malloc(BTF_SHORT_HEADER_BYTES + (size_t)types + strings), *out = joined;
	const struct btf_reader *const parts[] = { base, btf };
	bool is_exception = false, good;
	char text[2048] = "";

	btf_put_header(out, BTF_SHORT_HEADER_BYTES, types, 0, strings, false);
	out += BTF_SHORT_HEADER_BYTES;
	for (int section = 0; section < 2; section++) {
		for (int i = 0; i < 2; i++) {
			const struct btf_file_header *header = &parts[i]->header;
			uint32_t bytes = section ? header->string_bytes : header->type_bytes;

			memcpy(out, parts[i]->data + header->header_bytes +
			       (section ? header->type_bytes : 0), bytes);
			out += bytes;
		}
	}
	good = is_good(btf, &is_exception, text, sizeof(text));
	cases.split += !is_exception;
	if (!is_exception)
		ask(joined, (size_t)(out - joined), good, text);
	free(joined);
}

void fuzz_one(const struct fuzz_input *input)
{
	const struct fuzz_part *parts = input->parts;
	bool is_exception = false, good = false;
	struct btf_reader base, btf;
	char text[2048] = "";
	struct error err = { "" };

	if (!cases.wanted && getenv("CASES"))
		cases.wanted = strtoull(getenv("CASES"), NULL, 10);
	if (!parts[0].bytes) {
		if (btf_reader_from_memory(&btf, parts[1].data, parts[1].bytes, "btf", NULL,
					   &err)) {
			/* Another machine's is good for kernels of that machine. */
			is_exception = btf.swapped;
			good = is_good(&btf, &is_exception, text, sizeof(text));
			btf_reader_release(&btf);
		}
		cases.plain += !is_exception;
		if (!is_exception)
			ask(parts[1].data, parts[1].bytes, good, good ? "" : text);
		return;
	}
	if (!btf_reader_from_memory(&base, parts[0].data, parts[0].bytes, "base", NULL, &err))
		return;
	if (is_usual(&base) && is_good(&base, &is_exception, text, sizeof(text)) &&
	    btf_reader_from_memory(&btf, parts[1].data, parts[1].bytes, "btf", &base, &err)) {
		if (is_usual(&btf))
			ask_joined(&base, &btf);
		btf_reader_release(&btf);
	}
	btf_reader_release(&base);
}
