/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The verifier: runs its passes over an open BTF and collects the findings. Here are also the
 * rules for the header and the sections, and the warning about the order of types.
 *
 * Every pass looks at what the reader guarantees (whole records, terminated strings) and trusts
 * nothing else; an earlier pass's findings only keep later ones from repeating them.
 */
#include "btf/verify/verify_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"
#include "base/workers.h"

/*
 * The sections (offset << 32 | bytes) must cover what follows the header, each directly after the
 * one before it.
 */
static void check_cover(struct verifier *v, struct sort_item *sections, size_t count, size_t room)
{
	size_t end = 0;

	sort_by_key(sections, count);
	for (size_t i = 0; i < count; i++) {
		size_t offset = sections[i].key >> 32;

		if (offset != end) {
			verify_fail(v, offset < end ? BTF_RULE_SECTION_OVERLAP
						    : BTF_RULE_SECTION_GAP, 0, (uint32_t)offset);
			return;
		}
		end += (uint32_t)sections[i].key;
	}
	if (end != room)
		verify_fail(v, BTF_RULE_SECTION_GAP, 0, (uint32_t)end);
	else if ((size_t)v->btf->header.string_offset + v->btf->header.string_bytes != room)
		verify_fail(v, BTF_RULE_SECTION_ORDER, 0, v->btf->header.string_offset);
}

static void check_header(struct verifier *v)
{
	const struct btf_reader *btf = v->btf;
	const struct btf_file_header *header = &btf->header;
	bool is_extra = v->options->dialect == BTF_DIALECT_EXTRA;
	size_t known = is_extra ? BTF_EXTRA_HEADER_BYTES
		       : v->options->layout ? sizeof(*header) : BTF_SHORT_HEADER_BYTES;
	bool has_layout = v->options->layout && header->layout_bytes;
	struct sort_item sections[] = {
		{ (uint64_t)header->type_offset << 32 | header->type_bytes, 0 },
		{ (uint64_t)header->string_offset << 32 | header->string_bytes, 0 },
		{ (uint64_t)header->layout_offset << 32 | header->layout_bytes, 0 },
	};

	if (btf->data_bytes > BTF_MAX_SIZE && !is_extra)
		verify_fail(v, v->options->dialect == BTF_DIALECT_OBJECT
				       ? BTF_RULE_OBJECT_SIZE : BTF_RULE_BLOB_SIZE,
			    0, (uint32_t)btf->data_bytes);
	if (header->flags)
		verify_fail(v, BTF_RULE_HEADER_FLAGS, 0, header->flags);
	for (size_t i = known; i < header->header_bytes; i++) {
		if (btf->data[i]) {
			verify_fail(v, BTF_RULE_HEADER_EXTRA, 0, (uint32_t)i);
			break;
		}
	}
	if (header->type_offset % sizeof(uint32_t))
		verify_fail(v, BTF_RULE_SECTION_ALIGN, 0, header->type_offset);
	check_cover(v, sections, has_layout ? 3 : 2, btf->data_bytes - header->header_bytes);
	/* A module that needs none of the kernel's types has a distilled base without any. */
	if (header->type_bytes == 0 && !btf->base && !v->options->as_module)
		verify_fail(v, BTF_RULE_TYPES_NONE, 0, 0);
	if (has_layout)
		verify_fail(v, BTF_RULE_LAYOUT, 0, header->layout_bytes);
	if (v->end_id > BTF_TYPE_ID_MAX && !is_extra)
		verify_fail(v, BTF_RULE_TYPES_MAX, 0, v->end_id - 1);
}

/* Anonymous types first, then by name: the order that lets the kernel search in halves. */
static void check_order(struct verifier *v)
{
	const char *last = "";

	for (uint32_t id = v->btf->first_id; id < v->end_id; id++) {
		const char *name = btf_reader_string(v->btf, type_words(v, id)[BTF_WORD_NAME]);

		if (!name)
			return;
		/* Ends of one long string would be compared as often as there are types. */
		if (strncmp(last, name, BTF_NAME_BYTES_MAX) > 0) {
			verify_report_text(v, BTF_RULE_NAMES_UNSORTED, id, BTF_NO_ELEMENT, id - 1,
					   last);
			return;
		}
		last = name;
	}
}

/* Begins with what comes before the records: the header and the strings. */
static void start(struct verifier *v, const struct btf_reader *btf,
		  const struct btf_verify_options *options, struct btf_findings *findings)
{
	static const uint32_t known_kinds[] = {
		[BTF_DIALECT_CLASSIC] = (1u << BTF_CLASSIC_KIND_COUNT) - 1,
		[BTF_DIALECT_INLINE] = (1u << BTF_INLINE_KIND_COUNT) - 1,
		[BTF_DIALECT_EXTRA] = ((1u << BTF_CLASSIC_KIND_COUNT) - 1) | 1u << BTF_LOC,
		[BTF_DIALECT_OBJECT] = (1u << BTF_CLASSIC_KIND_COUNT) - 1,
	};
	uint32_t count = btf->type_count;

	*v = (struct verifier){
		.btf = btf,
		.options = options,
		.findings = findings,
		.known_kinds = known_kinds[options->dialect] &
			       (options->end_kind ? (kind_bit(options->end_kind) - 1) : ~0u),
		.pointer_bytes = options->pointer_bytes ? options->pointer_bytes
							: btf_pointer_bytes(btf),
		.first_id = btf->first_id,
		.end_id = btf_reader_end_id(btf),
		.kinds = memory_alloc(count),
		.visits = memory_zeroed(count, sizeof(*v->visits)),
		.named = memory_zeroed(count, sizeof(*v->named)),
		.ends = memory_zeroed(count, sizeof(*v->ends)),
		.sizes = memory_alloc(count * sizeof(*v->sizes)),
		.names = memory_zeroed(btf->string_bytes, sizeof(*v->names)),
	};
	*findings = (struct btf_findings){ 0 };
	if (!v->pointer_bytes)
		v->pointer_bytes = 8;
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t *words = btf->words + btf->positions[i];

		v->kinds[i] = (uint8_t)btf_info_kind(words[BTF_WORD_INFO]);
		v->sizes[i] = verify_record_size(v, words);
	}
	check_header(v);
	verify_strings(v);
}

static void release(struct verifier *v)
{
	free(v->kinds);
	free(v->visits);
	free(v->named);
	free(v->ends);
	free(v->sizes);
	free(v->names);
}

/* All that is referenced but missing may come after a broken record. */
static void verify_all_references(struct verifier *v)
{
	if (!v->btf->complete)
		return;
	if (!v->options->as_module)
		verify_references(v);
	verify_tag_order(v);
	if (v->options->dialect != BTF_DIALECT_CLASSIC)
		verify_location_references(v);
}

static void verify_part(void *context, unsigned int part)
{
	struct verifier *parts = context;

	if (part == 0)
		verify_records(&parts[0]);
	else
		verify_all_references(&parts[1]);
}

/*
 * Records and references at the same time, as long as there is nothing to report: findings about
 * references depend on those about records. False: there is. Both note which names they have seen,
 * so each has notes of its own; of all else they share, only references change anything.
 */
static bool is_flawless(struct verifier *v)
{
	struct btf_findings findings = { 0 };
	struct verifier parts[2] = { *v, *v };
	uint32_t count = v->btf->type_count;
	bool flawless;

	parts[1].findings = &findings;
	parts[1].visits = memory_zeroed(count, sizeof(*v->visits));
	parts[1].names = memory_alloc(v->btf->string_bytes);
	memcpy(parts[1].names, v->names, v->btf->string_bytes);
	workers_run(2, verify_part, parts);
	flawless = !v->findings->errors && !v->findings->warnings && !findings.errors &&
		   !findings.warnings;
	free(parts[1].visits);
	free(parts[1].names);
	btf_findings_release(&findings);
	return flawless;
}

void btf_verify(const struct btf_reader *btf, const struct btf_verify_options *options,
		struct btf_findings *findings)
{
	static const struct btf_verify_options defaults;
	struct verifier v;
	bool flawless;

	options = options ? options : &defaults;
	start(&v, btf, options, findings);
	flawless = options->two_threads && is_flawless(&v);
	if (options->two_threads && !flawless) {
		release(&v);
		btf_findings_release(findings);
		start(&v, btf, options, findings);
	}
	if (!flawless) {
		verify_records(&v);
		verify_all_references(&v);
	}
	if (!options->errors_only && options->dialect < BTF_DIALECT_EXTRA)
		check_order(&v);
	release(&v);
}
