/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/types/types.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/file_kind.h"
#include "kernel/elf_input.h"
#include "kernel/registered.h"
#include "commands/print/json.h"

#define DEPTH_MAX 32		/* of types without a name in each other */
#define LINES_MAX (1u << 16)
#define TEXT_MAX  (1u << 24)	/* declarations have up to 4 KB each where BTF is damaged */
#define COMMENT_COLUMN 56
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
	const struct btf_reader *btf;
	uint32_t pointer_bytes;
	size_t begin;		/* of its text in `out` */
	uint32_t lines;
	uint32_t bodies;
	bool is_endless;
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

/* "3 bytes", "5 bits" */
static void add_size(struct text *out, uint64_t bits)
{
	bool in_bits = bits % 8;
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
	add_size(d->out, to - from);
	text_add_string(d->out, " unused */\n");
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

#define LOW_BITS "(of the low 32 bits; BTF without enum64 lacks the others)"

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

	for (uint32_t i = 0; i < btf_info_vlen(record[BTF_WORD_INFO]) && !cut; i++)
		cut = is_cut(d->btf, record, btf_enumerator(record, i));
	if (cut)
		text_add_string(d->out, "    /* values " LOW_BITS " */\n");
	for (uint32_t i = 0; i < btf_info_vlen(record[BTF_WORD_INFO]) && !is_full(d); i++) {
		const uint32_t *words = btf_enumerator(record, i);

		indent(d, 1);
		text_add_clean_in(d->out, "", btf_text(d->btf, words[0]), " = ");
		add_value(d->out, record, words);
		text_add_string(d->out, ",\n");
	}
}

/* The struct or union without a name that a member has, is an array of, or points to. */
static uint32_t inner_of(struct printing *d, const struct btf_members *walk, bool *by_pointer)
{
	uint32_t id = 0;

	if (walk->depth < BTF_MEMBERS_DEPTH && d->bodies < BODIES_MAX)
		id = type_aggregate(d->btf, walk->words[1], true, by_pointer);
	for (uint32_t i = 0; id && i < walk->depth; i++)
		d->is_endless |= walk->bodies[i].record == btf_reader_type(d->btf, id);
	return d->is_endless ? 0 : id;
}

/* A member's line, its begin, or its end. `end_bits`: of the members so far, for each body. */
static void add_member_line(struct printing *d, struct btf_members *walk, uint64_t *end_bits)
{
	struct btf_member_layout member = btf_members_layout(walk, d->btf, d->pointer_bytes);
	uint64_t *end = &end_bits[walk->depth - 1];
	const struct type_source types = { .btf = d->btf };
	bool by_pointer = false;
	struct text text = { 0 };
	char *declaration, *braces;
	uint32_t inner = 0;
	size_t start;

	if (!walk->has_ended && btf_info_kind(walk->info) == BTF_STRUCT)
		add_unused(d, walk->depth, *end, member.offset_bits);
	type_add(&text, &types, member.type, btf_text(d->btf, walk->words[0]));
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
		btf_members_enter(walk, btf_reader_type(d->btf, inner), end[1]);
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
	const uint32_t *record = btf_reader_type(d->btf, id);
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
	const struct type_source types = { .btf = found->btf };
	struct printing d = { .out = out, .btf = found->btf,
				 .pointer_bytes = found->pointer_bytes,
				 .begin = out->count };
	const uint32_t *record = btf_reader_type(found->btf, found->id);
	const char *name = btf_type_name(found->btf, record);
	uint32_t id = found->id;
	bool by_pointer = false;

	if (btf_record_kind(record) == BTF_TYPEDEF) {
		struct text text = { 0 };
		char *declaration, *body;

		type_add(&text, &types, record[BTF_WORD_TYPE], name);
		declaration = text_finish(&text);
		body = strstr(declaration, BRACES);
		id = body ? type_aggregate(found->btf, record[BTF_WORD_TYPE], true, &by_pointer)
			  : 0;
		text_add_string(out, "typedef ");
		text_add(out, declaration, body && id ? (size_t)(body - declaration)
						      : strlen(declaration));
		if (id) {
			text_add_string(out, "{\n");
			add_members(&d, id);
			text_add_char(out, '}');
			text_add_string(out, body + strlen(BRACES));
		}
		free(declaration);
	} else {
		add_type_name(out, found, id);
		text_add_string(out, " {\n");
		add_members(&d, id);
		text_add_char(out, '}');
	}
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
	const struct type_source types = { .btf = found->btf };
	struct value_type value;
	char *name;

	if (!found->id) {
		text_add_string(out, query->is_ops ? "no struct that BPF programs can implement"
				     : query->kind != BTF_VOID || *query->path
				     ? "no such type" : "no such type or enumerator");
		return;
	}
	value = value_type_of(&types, found->member.type);
	name = memory_string(found->missing, missing_length(found));
	text_add_clean_in(out, enum_of(found) ? "no enumerator " : is_element(found) ? "no element "
			       : "no member ", name, " in ");
	if (found->container)
		add_type_name(out, found, found->container);
	else
		type_add(out, &types, found->member.type, "");
	if (value.kind == BTF_PTR && value.words)
		value = value_type_of(&types, value.words[BTF_WORD_TYPE]);
	if (!found->container && !is_element(found))
		text_add_string(out, value.kind == BTF_FWD ? ", which is only declared here"
							   : ", which is no struct");
	free(name);
}

/* "u64 at byte 192 of 9728, 8 bytes" */
static void add_member(struct text *out, const struct type_found *found)
{
	const struct type_source types = { .btf = found->btf };
	const struct btf_member_layout *member = &found->member;

	type_add(out, &types, member->type, "");
	text_add_format(out, ", at byte %" PRIu64, member->offset_bits / 8);
	if (member->is_bitfield)
		text_add_format(out, ", bit %" PRIu64, member->offset_bits % 8);
	if (found->base != type_aggregate(found->btf, found->id, false, &(bool){ false })) {
		text_add_string(out, " of ");
		add_type_name(out, found, found->base);
	}
	text_add_string(out, ", ");
	if (member->size_bits == UINT64_MAX)
		text_add_string(out, "more than 2^64 bits");
	else if (member->is_bitfield)
		text_add_format(out, "%" PRIu64 " bit%s", member->size_bits,
				member->size_bits == 1 ? "" : "s");
	else
		add_size(out, member->size_bits);
}

static uint64_t size_of(const struct type_found *found)
{
	const uint32_t *bit_int = NULL;

	return btf_type_bits(found->btf, found->id, found->pointer_bytes, &bit_int) / 8;
}

/* What it is, or what is missing. */
static void add_answer(struct text *out, const struct type_query *query,
		       const struct type_found *found)
{
	if (!type_is_found(found)) {
		add_missing(out, query, found);
	} else if (found->enumerator) {
		add_value(out, enum_of(found), found->enumerator);
		text_add_string(out,
				is_cut(found->btf, enum_of(found), found->enumerator)
					? " " LOW_BITS ", in " : ", in ");
		add_type_name(out, found, found->id);
	} else if (*query->path) {
		add_member(out, found);
	} else {
		text_add_format(out, "%" PRIu64 " bytes", size_of(found));
	}
}

/* char[16] is a string; u8[16] is not. */
static bool is_string(const struct btf_reader *btf, const uint32_t *array)
{
	const uint32_t *element = btf_skip_modifiers(btf, array[BTF_HEAD_WORDS]);

	return btf_record_kind(element) == BTF_INT &&
	       strcmp(btf_type_name(btf, element), "char") == 0;
}

/* "a, b.c" as "a->b.c". */
static void add_access(struct text *out, const char *accessors)
{
	for (const char *c = accessors; *c; c++) {
		text_add_string(out, *c == ',' ? "->" : "");
		if (*c != ',' && *c != ' ')
			text_add_char(out, *c);
	}
}

/* One of CO-RE's macros. `name`: the pointer to begin with. */
static void add_macro(struct text *out, const char *name, const struct type_found *found)
{
	const uint32_t *record = btf_skip_modifiers(found->btf, found->member.type);
	enum btf_kind kind = btf_record_kind(record);
	const char *accessors = found->accessors, *last = strrchr(accessors, ',');

	if (found->is_indirect) {
		text_add_string(out, "not by one macro: a pointer leads to a pointer or an array");
		return;
	}
	/* The macro for bit fields follows no pointer. */
	if (found->member.is_bitfield && last) {
		char *path = memory_string(accessors, (size_t)(last - accessors));

		text_add_clean_in(out, "typeof(", name, "->");
		add_access(out, path);
		text_add_clean_in(out, ") pointer = BPF_CORE_READ(", name, ", ");
		text_add_clean_in(out, "", path, "); ");
		free(path);
		name = "pointer";
		accessors = last + 2;
	}
	text_add_string(out, found->member.is_bitfield ? "BPF_CORE_READ_BITFIELD_PROBED("
			     : kind == BTF_ARRAY && is_string(found->btf, record)
			     ? "BPF_CORE_READ_STR_INTO(&value, "
			     : kind == BTF_ARRAY || btf_kind_is_aggregate(kind)
			     ? "BPF_CORE_READ_INTO(&value, " : "BPF_CORE_READ(");
	text_add_clean_in(out, "", name, ", ");
	text_add_clean_in(out, "", accessors, ")");
}

/* How a program reads it. */
static void add_lines(struct text *out, const struct type_found *found)
{
	const char *name = btf_type_name(found->btf, btf_reader_type(found->btf, found->id));

	if (!type_is_plain_name(name) || !text_is_made_of(found->accessors, "_.,[] ")) {
		text_add_string(out, "\n  bpf        no program is printed: a name is none in C\n");
		return;
	}
	text_add_string(out, "\n  bpf        ");
	add_macro(out, name, found);
	/* NAME is the parameter's; kprobe has no types. */
	text_add_string(out, "\n  bpftrace   fentry: args.NAME->");
	add_access(out, found->accessors);
	text_add_string(out, ", kprobe: ((");
	add_type_name(out, found, found->id);
	text_add_string(out, " *)arg0)->");
	add_access(out, found->accessors);
	text_add_char(out, '\n');
}

/* CO-RE finds an enum by its name, or a typedef's. */
static void add_enumerator_lines(struct text *out, const struct type_found *found)
{
	static const char *const macros[] = { "\n  bpf        bpf_core_enum_value_exists(",
					      "\n  bpf        bpf_core_enum_value(" };
	const char *name = btf_text(found->btf, *found->enumerator);
	bool has_enum = type_is_plain_name(
		btf_type_name(found->btf, btf_reader_type(found->btf, found->id)));
	bool has_both = has_enum && type_is_plain_name(name);

	if (!has_both)
		text_add_format(out, "\n  bpf        not by CO-RE: the %s has no name in C\n",
				has_enum ? "enumerator" : "enum");
	for (int i = 0; i < 2 && has_both; i++) {
		text_add_string(out, macros[i]);
		add_type_name(out, found, found->id);
		text_add_format(out, ", %s%s", name, i ? ")\n" : ")");
	}
}

/* The FUNC_PROTO that a member points to, or 0. */
static uint32_t prototype_of(const struct type_found *found)
{
	const uint32_t *pointer = btf_skip_modifiers(found->btf, found->member.type);
	const uint32_t *words = btf_record_kind(pointer) == BTF_PTR
		? btf_reader_type(found->btf, pointer[BTF_WORD_TYPE]) : NULL;

	return btf_record_kind(words) == BTF_FUNC_PROTO ? pointer[BTF_WORD_TYPE] : 0;
}

void type_find_operation(struct type_answer *row, const struct type_query *query)
{
	const struct type_found *found = &row->found;
	const struct type_source types = { .btf = found->btf, .word_bytes = sizeof(uint64_t) };
	struct elf_input elf;
	struct error ignored;

	row->is_operation = type_is_found(found) && found->has_ops && *query->path &&
			    text_is_made_of(found->accessors, "_") && prototype_of(found);
	if (row->is_operation && file_kind_of(row->path) == FILE_ELF) {
		if (elf_input_open(&elf, row->path, &ignored))
			row->is_taken = (uint8_t)registered_ops_take(
				&(struct attach_image){ .object = &elf.object,
							.symbols = &elf.symbols },
				&types, query->name, found->accessors);
		elf_input_close(&elf);
	}
}

/* The head of a program that is that member of a struct that programs can implement. */
static void add_program(struct text *out, const struct type_answer *row)
{
	const struct type_found *found = &row->found;
	const struct type_source types = { .btf = found->btf };
	uint32_t prototype = prototype_of(found);
	const uint32_t *words = type_words_of(&types, prototype, BTF_FUNC_PROTO);
	struct text head = { 0 };

	text_add_string(out, "  bpf        ");
	if (row->is_taken == ATTACH_NO) {
		text_add_string(out, "no struct_ops program: the kernel's cfi_stubs lack it\n");
		return;
	}
	if (row->is_taken == ATTACH_UNKNOWN)
		text_add_string(out, "not known whether the kernel takes it: its cfi_stubs, which "
				"an image of 6.10 or later shows, or its check_member() "
				"decides; if so:\n             ");
	type_add(&head, &types, words[BTF_WORD_TYPE], "");
	text_add_format(&head, " BPF_PROG(%s%s", found->accessors,
			btf_info_vlen(words[BTF_WORD_INFO]) ? ", " : "");
	type_add_parameters(&head, &types, prototype, prototype, 0, 0);
	text_add_char(&head, ')');
	if (type_is_code(head.data, head.count))
		text_add_format(out, "SEC(\"struct_ops/%s\") %.*s\n", found->accessors,
				(int)head.count, head.data);
	else
		text_add_string(out, "a program is not printed: a name in its prototype is none in "
				"C\n");
	array_release(&head);
}

/* Whole, as explain takes and finds them: a type that is near may lack the member. */
static void add_near(struct text *out, const struct type_query *query,
		     const struct type_found *found)
{
	char *wanted = found->id ? memory_string(found->missing, missing_length(found))
				 : memory_copy(query->name);
	const char *head = "\n  near it are:\n  ";
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

		type_find(&there, found->btf, &other);
		if (type_is_found(&there)) {
			text_add_string(out, head);
			if (query->kind != BTF_VOID)
				add_keyword(out, query->kind);
			text_add_clean_in(out, "", other.name, *other.path ? "." : "");
			text_add_clean_in(out, "", other.path, "\n");
			head = "  ";
		}
		type_found_release(&there);
		free(other.path);
	}
	near_names_release(&near);
	free(wanted);
}

void type_print(const struct type_query *query, const struct type_answer *row)
{
	const struct type_found *found = &row->found;
	struct text out = { 0 };

	add_asked(&out, query);
	text_add_string(&out, ": ");
	add_answer(&out, query, found);
	if (found->namesakes)
		text_add_format(&out, "; %u more of that name", found->namesakes);
	if (found->has_ops && found->id && !*query->path)
		text_add_string(&out, "; BPF programs can implement it (struct_ops)");
	text_add_clean_in(&out, "; from ", row->path, "");
	text_add_clean_in(&out, "", row->searched, "");
	text_add_format(&out, row->excluded ? "; it is %s\n" : "\n", row->excluded);
	if (found->enumerator) {
		add_enumerator_lines(&out, found);
	} else if (type_is_found(found) && *query->path) {
		add_lines(&out, found);
		if (row->is_operation)
			add_program(&out, row);
	} else if (found->id && !*query->path) {
		text_add_char(&out, '\n');
		add_declaration(&out, found);
	}
	if (!type_is_found(found) && !query->is_ops)
		add_near(&out, query, found);
	fwrite(out.data, 1, out.count, stdout);
	array_release(&out);
}

void type_print_table(const struct type_query *query, const struct type_answer *rows, size_t count)
{
	struct text out = { 0 };
	bool any = false;
	size_t width = 0;

	add_asked(&out, query);
	text_add_char(&out, '\n');
	for (size_t i = 0; i < count; i++)
		width = strlen(rows[i].path) > width ? strlen(rows[i].path) : width;
	for (size_t i = 0; i < count; i++) {
		const struct type_found *found = &rows[i].found;

		text_add_clean_in(&out, "  ", rows[i].path, "");
		text_add_format(&out, "%*s", (int)(width + 2 - strlen(rows[i].path)), "");
		add_answer(&out, query, found);
		text_add_format(&out, rows[i].excluded ? "; it is %s\n" : "\n",
				rows[i].excluded);
		any |= found->id;
	}
	if (!any && query->kind == BTF_VOID && !*query->path)
		text_add_string(&out, "  functions and tracepoints are explained of one FILE\n");
	fwrite(out.data, 1, out.count, stdout);
	array_release(&out);
}

/* ---- JSON ---- */

static json_t *take_text(struct text *text)
{
	char *string = text_finish(text);
	json_t *json = json_text(string);

	free(string);
	return json;
}

static json_t *row_json(const struct type_query *query, const struct type_answer *row)
{
	const struct type_found *found = &row->found;
	const struct type_source types = { .btf = found->btf };
	bool is_member = type_is_found(found) && *query->path && !found->enumerator;
	struct text text = { 0 };
	json_t *json, *type = json_null();

	if (is_member)
		type_add(&text, &types, found->member.type, "");
	else if (type_is_found(found))
		add_type_name(&text, found, found->id);
	if (type_is_found(found))
		type = take_text(&text);
	json = json_pack("{s:o, s:b, s:o, s:o}", "file", json_text(row->path),
			 "found", (int)type_is_found(found),
			 "excluded", json_text(row->excluded), "type", type);
	if (is_member) {
		add_type_name(&text, found, found->base);
		json_object_update_new(json, json_pack("{s:o, s:I, s:o, s:b}",
			"in", take_text(&text),
			"offset_bits", INTEGER(found->member.offset_bits),
			"size_bits", found->member.size_bits == UINT64_MAX ? json_null()
				     : json_integer(INTEGER(found->member.size_bits)),
			"bitfield", (int)found->member.is_bitfield));
		if (row->is_operation)
			json_object_set_new(json, "struct_ops", row->is_taken == ATTACH_UNKNOWN
				? json_null() : json_boolean(row->is_taken == ATTACH_YES));
	} else if (found->enumerator) {
		add_value(&text, enum_of(found), found->enumerator);
		json_object_set_new(json,
				    is_cut(found->btf, enum_of(found), found->enumerator)
					    ? "value_low_32_bits" : "value",
				    take_text(&text));
	} else if (type_is_found(found)) {
		add_declaration(&text, found);
		json_object_update_new(json, json_pack("{s:I, s:o, s:I}",
			"bytes", INTEGER(size_of(found)),
			"declaration", take_text(&text),
			"namesakes", INTEGER(found->namesakes)));
	}
	return json;
}

json_t *type_json(const struct type_query *query, const struct type_answer *rows, size_t count)
{
	json_t *files = json_array();
	struct text asked = { 0 };

	add_asked(&asked, query);
	for (size_t i = 0; i < count; i++)
		json_array_append_new(files, row_json(query, &rows[i]));
	return json_pack("{s:i, s:o, s:o}", "version", 1, "asked", take_text(&asked),
			 "files", files);
}
