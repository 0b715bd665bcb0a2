/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/types/types.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/file_kind.h"
#include "kernel/elf_input.h"
#include "kernel/registered.h"
#include "commands/print/json.h"
#include "commands/print/template.h"

#define LINES_MAX (1u << 16)
#define TEXT_MAX  (1u << 24)	/* declarations have up to 4 KB each where BTF is damaged */
#define COMMENT_COLUMN 56
#define CACHE_LINE_BYTES 64
/* Of types without a name; bpf_attr has 47, and a damaged one may contain itself. */
#define BODIES_MAX 256
#define BRACES	   "{...}"	/* of a type without a name, in a declaration */

/* "struct " */
static void add_keyword(struct text *out, enum btf_kind kind)
{
	if (btf_keywords[kind])
		text_add_format(out, "%s ", btf_keywords[kind]);
}

/* "struct sock", "enum {...}"; of a typedef its name. */
static void add_type_name(struct text *out, const struct type_found *found, uint32_t id)
{
	const uint32_t *record = btf_reader_type(found->btf, id);
	const char *name = btf_type_name(found->btf, record);

	add_keyword(out, btf_record_kind(record));
	text_add_clean(out, *name ? name : BRACES);
}

/* ---- the declaration ---- */

struct printing {
	struct text *out;
	const struct type_found *found;
	size_t begin;		/* of its text in `out` */
	uint32_t lines;
	uint32_t bodies;
	bool is_endless;
	uint64_t cache_line;	/* in which the last member begins */
};

static bool is_full(const struct printing *d)
{
	return d->is_endless || d->lines >= LINES_MAX || d->out->count - d->begin >= TEXT_MAX;
}

static void indent(struct printing *d, uint32_t depth)
{
	d->lines++;
	for (uint32_t i = 0; i < depth; i++)
		text_add_string(d->out, "    ");
}

/* "3 bytes", or, if it takes bits to say it, "5 bits". */
static void add_size(struct text *out, uint64_t bits, bool is_bitfield)
{
	bool in_bits = is_bitfield || bits % 8;
	uint64_t count = in_bits ? bits : bits / 8;

	text_add_format(out, "%" PRIu64 " %s%s", count, in_bits ? "bit" : "byte",
			count == 1 ? "" : "s");
}

static void add_unused(struct printing *d, uint32_t depth, uint64_t from, uint64_t to)
{
	if (from >= to)
		return;
	indent(d, depth);
	text_add_string(d->out, "/* ");
	add_size(d->out, to - from, false);
	text_add_string(d->out, " unused */\n");
}

/* Before the first member that begins in it. Of most machines; s390x has 256 bytes, ppc64le 128. */
static void add_cache_line(struct printing *d, uint64_t line)
{
	if (line <= d->cache_line)
		return;
	d->cache_line = line;
	text_add_format(d->out, "    /* ---- cache line %" PRIu64 ": from byte %" PRIu64
			" on ---- */\n", line, line * CACHE_LINE_BYTES);
}

/* Ends a line of a member that began at `start`, with its offset and size. */
static void add_place(struct printing *d, size_t start, const struct btf_member_layout *member)
{
	size_t columns = d->out->count - start;

	text_add_format(d->out, "%*s/* %5" PRIu64,
			(int)(columns < COMMENT_COLUMN ? COMMENT_COLUMN - columns : 1), "",
			member->offset_bits / 8);
	if (member->is_bitfield)
		text_add_format(d->out, ":%-2" PRIu64, member->offset_bits % 8);
	else
		text_add_string(d->out, "   ");
	if (member->size_bits == UINT64_MAX)
		text_add_string(d->out, "     ?");
	else if (member->is_bitfield)
		text_add_format(d->out, " %2" PRIu64 " bit%s", member->size_bits,
				member->size_bits == 1 ? "" : "s");
	else
		text_add_format(d->out, " %5" PRIu64, member->size_bits / 8);
	text_add_string(d->out, " */\n");
}

/* Is more of the value than its low 32 bits not known? */
static bool is_cut(const struct btf_reader *btf, const uint32_t *record, const uint32_t *words)
{
	return btf_enum_is_cut(btf, record) && (record[BTF_WORD_SIZE] > 4 || words[1] >> 31);
}

/* Of an enumerator, by its words. */
static void add_value(struct text *out, const uint32_t *record, const uint32_t *words)
{
	bool is_signed = btf_info_kind_flag(record[BTF_WORD_INFO]);

	text_add_format(out, is_signed ? "%" PRId64 : "%" PRIu64,
			btf_enumerator_value(record, words));
}

static void add_enumerators(struct printing *d, const uint32_t *record)
{
	bool cut = false;

	for (uint32_t i = 0; i < btf_element_count(record) && !cut; i++)
		cut = is_cut(d->found->btf, record, btf_element(record, i));
	if (cut)
		text_add_string(d->out, "    /* values (of the low 32 bits; BTF without enum64 "
					"lacks the others) */\n");
	for (uint32_t i = 0; i < btf_element_count(record) && !is_full(d); i++) {
		const uint32_t *words = btf_element(record, i);

		indent(d, 1);
		text_add_clean_in(d->out, "", btf_text(d->found->btf, words[0]), " = ");
		add_value(d->out, record, words);
		text_add_string(d->out, ",\n");
	}
}

/* The struct or union without a name that a member has, is an array of, or points to. */
static uint32_t inner_of(struct printing *d, const struct btf_members *walk, bool *by_pointer)
{
	uint32_t id = 0;

	if (walk->depth < BTF_MEMBERS_DEPTH && d->bodies < BODIES_MAX)
		id = type_aggregate(d->found->btf, walk->words[1], true, by_pointer);
	for (uint32_t i = 0; id && i < walk->depth; i++)
		d->is_endless |= walk->bodies[i].record == btf_reader_type(d->found->btf, id);
	return d->is_endless ? 0 : id;
}

/* A member's line, its begin, or its end. `end_bits`: of the members so far, for each body. */
static void add_member_line(struct printing *d, struct btf_members *walk, uint64_t *end_bits)
{
	const struct type_source *types = &d->found->types;
	struct btf_member_layout member =
		btf_members_layout(walk, types->btf, types->word_bytes);
	uint64_t *end = &end_bits[walk->depth - 1];
	bool by_pointer = false;
	struct text text = { 0 };
	char *declaration, *braces;
	uint32_t inner = 0;
	size_t start;

	if (walk->depth == 1 && !walk->has_ended)
		add_cache_line(d, member.offset_bits / 8 / CACHE_LINE_BYTES);
	if (!walk->has_ended && btf_info_kind(walk->info) == BTF_STRUCT)
		add_unused(d, walk->depth, *end, member.offset_bits);
	type_add(&text, types, member.type, btf_text(d->found->btf, walk->words[0]));
	declaration = text_finish(&text);
	braces = strstr(declaration, BRACES);
	if (braces && !walk->has_ended)
		inner = inner_of(d, walk, &by_pointer);
	start = d->out->count;
	indent(d, walk->depth);
	if (walk->has_ended)
		text_add_format(d->out, "}%s", braces + strlen(BRACES));
	else
		text_add(d->out, declaration,
			 inner ? (size_t)(braces - declaration) : strlen(declaration));
	free(declaration);
	if (inner) {
		d->bodies++;
		text_add_string(d->out, "{\n");
		end[1] = by_pointer ? 0 : member.offset_bits;
		btf_members_enter(walk, btf_reader_type(d->found->btf, inner), end[1]);
		return;
	}
	if (member.is_bitfield)
		text_add_format(d->out, " : %" PRIu64, member.size_bits);
	text_add_char(d->out, ';');
	add_place(d, start, &member);
	if (member.size_bits != UINT64_MAX && member.offset_bits + member.size_bits > *end)
		*end = member.offset_bits + member.size_bits;
}

/* The lines between the braces, those of types without a name included. */
static void add_members(struct printing *d, uint32_t id)
{
	const uint32_t *record = btf_reader_type(d->found->btf, id);
	uint64_t end_bits[BTF_MEMBERS_DEPTH] = { 0 };
	struct btf_members walk = { 0 };

	if (btf_kind_is_enum(btf_record_kind(record)))
		add_enumerators(d, record);
	else
		btf_members_enter(&walk, record, 0);
	while (btf_members_next(&walk)) {
		const struct btf_body *ended = &walk.bodies[walk.depth];

		if (is_full(d) && !walk.has_ended)
			continue;
		if (walk.has_ended && btf_record_kind(ended->record) == BTF_STRUCT && !is_full(d))
			add_unused(d, walk.depth + 1, end_bits[walk.depth], ended->begin_bits +
				   8 * (uint64_t)ended->record[BTF_WORD_SIZE]);
		if (walk.depth)
			add_member_line(d, &walk, end_bits);
	}
	if (d->is_endless)
		text_add_string(d->out, "    /* ... It contains itself: the BTF is damaged. */\n");
	else if (is_full(d))
		text_add_string(d->out, "    /* ... */\n");
}

/* Of a struct, union, enum or typedef. */
static void add_declaration(struct text *out, const struct type_found *found)
{
	struct printing d = { .out = out, .found = found, .begin = out->count };
	const uint32_t *record = btf_reader_type(found->btf, found->id);
	bool is_typedef = btf_record_kind(record) == BTF_TYPEDEF;
	uint32_t id = found->id;
	struct text text = { 0 };
	char *declaration, *braces;

	if (is_typedef) {
		text_add_string(&text, "typedef ");
		type_add(&text, &found->types, record[BTF_WORD_TYPE],
			 btf_type_name(found->btf, record));
	} else {
		add_type_name(&text, found, id);
		text_add_string(&text, " " BRACES);
	}
	declaration = text_finish(&text);
	braces = is_typedef ? strstr(declaration, BRACES)
			    : declaration + strlen(declaration) - strlen(BRACES);
	if (is_typedef)
		id = braces ? type_aggregate(found->btf, id, true, &(bool){ false }) : 0;
	text_add(out, declaration, id ? (size_t)(braces - declaration) : strlen(declaration));
	if (id) {
		text_add_string(out, "{\n");
		add_members(&d, id);
		text_add_format(out, "}%s", braces + strlen(BRACES));
	}
	free(declaration);
	text_add_string(out, ";\n");
}

/* ---- the answer ---- */

static void add_asked(struct text *out, const struct type_query *query)
{
	add_keyword(out, query->kind);
	text_add_clean(out, query->name);
	if (*query->path)
		text_add_clean_in(out, ".", query->path, "");
}

/* Its record, if the type is an enum; NULL: it is none. */
static const uint32_t *enum_of(const struct type_found *found)
{
	const uint32_t *record = btf_skip_modifiers(found->btf, found->id);

	return btf_kind_is_enum(btf_record_kind(record)) ? record : NULL;
}

/* Is what is missing not after a dot, and after a member? */
static bool is_element(const struct type_found *found)
{
	return !found->container && found->missing[-1] != '.';
}

/* Of the step that is missing: a member's name, "[3]", or an enumerator. */
static size_t missing_length(const struct type_found *found)
{
	return strcspn(found->missing, enum_of(found) ? "" : is_element(found) ? "." : ".[");
}

/* What the path asks for that is not there. */
static void add_missing(struct text *out, const struct type_query *query,
			const struct type_found *found)
{
	struct value_type value;
	char *name;

	if (!found->id) {
		text_add_string(out, query->is_ops ? "no struct that BPF programs can implement"
				     : query->kind != BTF_VOID || *query->path
				     ? "no such type" : "nothing of that name");
		return;
	}
	value = value_type_of(&found->types, found->member.type);
	name = memory_string(found->missing, missing_length(found));
	text_add_clean_in(out, enum_of(found) ? "no enumerator " : is_element(found) ? "no element "
			       : "no member ", name, " in ");
	if (found->container)
		add_type_name(out, found, found->container);
	else
		type_add(out, &found->types, found->member.type, "");
	if (value.kind == BTF_PTR && value.words)
		value = value_type_of(&found->types, value.words[BTF_WORD_TYPE]);
	if (!found->container && !is_element(found))
		text_add_string(out, value.kind == BTF_FWD ? ", which is only declared here"
							   : ", which is no struct");
	free(name);
}

/* "a, b.c" as "a->b.c". */
static void add_access(struct text *out, const char *accessors, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		text_add_string(out, accessors[i] == ',' ? "->" : "");
		if (accessors[i] != ',' && accessors[i] != ' ')
			text_add_char(out, accessors[i]);
	}
}

/* One of CO-RE's macros. `name`: the pointer to begin with. All names are plain. */
static void add_macro(struct text *out, const char *name, const struct type_found *found)
{
	enum btf_kind kind = value_type_of(&found->types, found->member.type).kind;
	const char *accessors = found->accessors, *last = strrchr(accessors, ',');

	if (found->is_indirect) {
		text_add_string(out, "not by one macro: a pointer leads to a pointer or an array");
		return;
	}
	/* The macro for bit fields follows no pointer. */
	if (found->member.is_bitfield && last) {
		int length = (int)(last - accessors);

		text_add_format(out, "typeof(%s->", name);
		add_access(out, accessors, (size_t)length);
		text_add_format(out, ") pointer = BPF_CORE_READ(%s, %.*s); ", name, length,
				accessors);
		name = "pointer";
		accessors = last + 2;
	}
	text_add_string(out, found->member.is_bitfield ? "BPF_CORE_READ_BITFIELD_PROBED("
			     : type_is_string(&found->types, found->member.type)
			     ? "BPF_CORE_READ_STR_INTO(&value, "
			     : kind == BTF_ARRAY || btf_kind_is_aggregate(kind)
			     ? "BPF_CORE_READ_INTO(&value, " : "BPF_CORE_READ(");
	text_add_format(out, "%s, %s)", name, accessors);
}

/* The FUNC_PROTO that a member points to, or 0. */
static uint32_t prototype_of(const struct type_found *found)
{
	struct value_type pointer = value_type_of(&found->types, found->member.type);
	uint32_t target = pointer.kind == BTF_PTR ? pointer.words[BTF_WORD_TYPE] : 0;

	return type_words_of(&found->types, target, BTF_FUNC_PROTO) ? target : 0;
}

void type_find_operation(struct type_answer *row, const struct type_query *query)
{
	const struct type_found *found = &row->found;
	struct elf_input elf;
	struct error ignored;

	row->is_operation = type_is_found(found) && found->has_ops && *query->path &&
			    text_is_made_of(found->accessors, "_") && prototype_of(found);
	if (row->is_operation && file_kind_of(row->path) == FILE_ELF) {
		if (elf_input_open(&elf, row->path, &ignored))
			row->is_taken = (uint8_t)registered_ops_take(
				&(struct attach_image){ .object = &elf.object,
							.symbols = &elf.symbols },
				&found->types, query->name, found->accessors);
		elf_input_close(&elf);
	}
}

/* The head of a program that is that member of a struct that programs can implement. */
static void add_program(struct text *out, const struct type_answer *row)
{
	const struct type_found *found = &row->found;
	uint32_t prototype = prototype_of(found);
	const uint32_t *words = type_words_of(&found->types, prototype, BTF_FUNC_PROTO);
	struct text head = { 0 };

	if (row->is_taken == ATTACH_NO) {
		text_add_string(out, "no struct_ops program: the kernel's cfi_stubs lack it");
		return;
	}
	type_add(&head, &found->types, words[BTF_WORD_TYPE], "");
	text_add_format(&head, " BPF_PROG(%s%s", found->accessors,
			btf_element_count(words) ? ", " : "");
	type_add_parameters(&head, &found->types, prototype, prototype, 0, 0);
	text_add_char(&head, ')');
	if (type_is_code(head.data, head.count))
		text_add_format(out, "SEC(\"struct_ops/%s\") %.*s", found->accessors,
				(int)head.count, head.data);
	else
		text_add_string(out, "a program is not printed: a name in its prototype is none in "
				"C");
	array_release(&head);
}

/* Whole, as explain takes and finds them: a type that is near may lack the member. */
static json_t *near_json(const struct type_query *query, const struct type_found *found)
{
	char *wanted = found->id ? memory_string(found->missing, missing_length(found))
				 : memory_copy(query->name);
	json_t *list = json_array();
	struct near_names near;

	near_names_init(&near, wanted);
	type_find_near(&near, found, query);
	for (uint32_t i = 0; i < near.count; i++) {
		char *name = near.names[i].name;
		struct type_query other = {
			.kind = query->kind,
			.name = found->id ? query->name : name,
			.path = !found->id ? memory_copy(query->path)
				: text_format("%.*s%s%s", (int)(found->missing - query->path),
					      query->path, name, found->missing + strlen(wanted)),
		};
		struct type_found there;
		struct text text = { 0 };

		type_find(&there, found->btf, &other);
		add_asked(&text, &other);
		if (type_is_found(&there))
			json_array_append_new(list, json_take(&text));
		array_release(&text);
		type_found_release(&there);
		free(other.path);
	}
	near_names_release(&near);
	free(wanted);
	return list;
}

/* ---- JSON ---- */

static json_t *row_json(const struct type_answer *row)
{
	const struct type_found *found = &row->found;
	bool is_member = type_is_found(found) && found->accessors;
	const uint32_t *bit_int = NULL;
	struct text text = { 0 };
	json_t *json, *type = json_null();

	if (is_member)
		type_add(&text, &found->types, found->member.type, "");
	else if (type_is_found(found))
		add_type_name(&text, found, found->id);
	if (type_is_found(found))
		type = json_take(&text);
	json = json_pack("{s:o, s:b, s:o, s:o}", "file", json_text(row->path),
			 "found", (int)type_is_found(found),
			 "excluded", json_text(row->excluded), "type", type);
	if (is_member) {
		add_type_name(&text, found, found->base);
		json_object_update_new(json, json_pack("{s:o, s:I, s:o, s:b}",
			"in", json_take(&text),
			"offset_bits", INTEGER(found->member.offset_bits),
			"size_bits", json_number(found->member.size_bits != UINT64_MAX,
						 found->member.size_bits),
			"bitfield", (int)found->member.is_bitfield));
		if (row->is_operation)
			json_set(json, "struct_ops",
				 json_answer((enum attach_answer)row->is_taken));
	} else if (found->enumerator) {
		add_value(&text, enum_of(found), found->enumerator);
		json_set(json, is_cut(found->btf, enum_of(found), found->enumerator)
			 ? "value_low_32_bits" : "value", json_take(&text));
	} else if (type_is_found(found)) {
		if (row->differs)
			json_object_set(json, "differs", row->differs);
		add_declaration(&text, found);
		json_object_update_new(json, json_pack("{s:I, s:o, s:I}",
			"bytes", INTEGER(btf_type_bits(found->btf, found->id,
						       found->types.word_bytes, &bit_int) / 8),
			"declaration", json_take(&text),
			"namesakes", INTEGER(found->namesakes)));
	}
	return json;
}

/* ---- what the page says of a row, and the JSON does not ---- */

static json_t *member_text(const struct type_answer *row)
{
	const struct type_found *found = &row->found;
	const char *name = btf_type_name(found->btf, btf_reader_type(found->btf, found->id));
	struct text size = { 0 }, macro = { 0 }, access = { 0 }, type = { 0 }, program = { 0 };

	if (found->member.size_bits == UINT64_MAX)
		text_add_string(&size, "more than 2^64 bits");
	else
		add_size(&size, found->member.size_bits, found->member.is_bitfield);
	if (!type_is_plain_name(name) || !text_is_made_of(found->accessors, "_.,[] ")) {
		text_add_string(&macro, "no program is printed: a name is none in C");
	} else {
		add_macro(&macro, "p", found);
		add_access(&access, found->accessors, strlen(found->accessors));
		add_type_name(&type, found, found->id);
		if (!found->is_indirect) {
			text_add_string(&macro, "  // ");
			add_type_name(&macro, found, found->id);
			text_add_string(&macro, " *p");
		}
	}
	if (row->is_operation)
		add_program(&program, row);
	return json_pack("{s:I, s:I, s:b, s:o, s:o, s:o, s:o, s:o, s:b}",
		"byte", INTEGER(found->member.offset_bits / 8),
		"bit", INTEGER(found->member.offset_bits % 8),
		"is_inside", found->base != type_aggregate(found->btf, found->id, false,
							   &(bool){ false }),
		"size", json_take(&size), "macro", json_take(&macro),
		"access", json_take(&access), "type", json_take(&type),
		"program", json_take(&program), "is_doubtful", row->is_taken == ATTACH_UNKNOWN);
}

/* No program has an enum or enumerator that has no name in C. */
static json_t *enumerator_text(const struct type_found *found)
{
	const char *type = btf_type_name(found->btf, btf_reader_type(found->btf, found->id));
	const char *name = btf_text(found->btf, *found->enumerator);
	const char *nameless = !type_is_plain_name(type) ? "enum"
			       : !type_is_plain_name(name) ? "enumerator" : NULL;

	return json_pack("{s:s?, s:s?}", "nameless", nameless,
			 "enumerator", nameless ? NULL : name);
}

static json_t *row_text(const struct type_query *query, const struct type_answer *row)
{
	const struct type_found *found = &row->found;
	json_t *json = found->enumerator ? enumerator_text(found)
		       : type_is_found(found) && found->accessors ? member_text(row)
								  : json_object();
	struct text missing = { 0 };

	if (!type_is_found(found)) {
		add_missing(&missing, query, found);
		json_set(json, "missing", json_take(&missing));
	}
	json_object_update_new(json, json_pack("{s:I, s:b, s:o}",
		"namesakes", INTEGER(found->namesakes),
		"has_ops", found->has_ops && found->id && !*query->path,
		"searched", json_text(row->searched)));
	return json;
}

json_t *type_json(const struct type_query *query, const struct type_answer *rows, size_t count)
{
	json_t *files = json_array();
	struct text asked = { 0 };

	add_asked(&asked, query);
	for (size_t i = 0; i < count; i++)
		json_array_append_new(files, row_json(&rows[i]));
	return json_pack("{s:i, s:o, s:o}", "version", 1, "asked", json_take(&asked),
			 "files", files);
}

EMBED(types_page, "commands/types/types_page.txt");

void type_print(const struct type_query *query, const struct type_answer *rows, size_t count)
{
	json_t *root = type_json(query, rows, count), *files = json_object_get(root, "files");
	const char *declaration = json_string_value(
		json_object_get(json_array_get(files, 0), "declaration"));

	json_align(files, "file");
	for (size_t i = 0; i < count; i++)
		json_set(json_array_get(files, i), "text", row_text(query, &rows[i]));
	if (count == 1 && !type_is_found(&rows[0].found) && !query->is_ops)
		json_set(root, "near", near_json(query, &rows[0].found));
	json_set(root, "has_table", json_boolean(count > 1));
	json_set(root, "is_word", json_boolean(count == 1 && query->kind == BTF_VOID));
	template_print(types_page, json_incref(root), false, stdout);
	if (count == 1 && declaration)
		printf("\n%s", declaration);
	json_decref(root);
}
