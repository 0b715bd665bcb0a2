/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * A fixed-layout DIE is read with three or four loads, whatever it is: what an abbreviation does
 * not have is masked out, so there is no branch but the one on its kind. Members, enumerators,
 * parameters and dimensions have loops of their own below their type; a run of DIEs with the same
 * abbreviation, as in most records, is walked without looking it up again.
 *
 * 13 million of a kernel's 14 million DIEs come by here, at 9 ns each; of these 7 are the way from
 * one to the next (the load of a code, of its form, of its length; a wrong guess at what comes).
 * The general path for the same DIEs is in unit_reader.c; tests/compare_reader.c compares the two
 * on every fixture.
 */
#include "dwarf/fixed_reader.h"

#include "base/bytes.h"

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* The constants of one unit. */
struct fixed_walk {
	const struct fixed_die *fixed_dies;	/* by code */
	size_t codes;
	const uint8_t *limit;		/* up to here such a DIE lies inside the unit */
	const uint8_t *unit_begin;	/* offset 0 of the group would be here */
	uint32_t base;			/* of the unit in its group */
	uint32_t reach;			/* the last offset in the group, from the unit on */
	uint32_t section_base;		/* of references to other units, modulo 2^32 */
	uint32_t section_reach;		/* the last of their offsets in the group; 0: read none */
	uint32_t names;			/* size of .debug_str, as far as keys reach */
	uint32_t names_start;		/* of the unit's piece, 0 unless all are interned */
	struct unit_reader *reader;
	struct dwarf_model *model;
};

struct fixed_values {
	uint32_t name;			/* key */
	uint32_t type;			/* reference in the group */
	uint32_t number;
	uint8_t second;
};

/*
 * The processor fetches ahead by itself, but not over the end of a page, and .debug_info is forty
 * thousand pages: 2% of the whole encode.
 */
#define AHEAD_BYTES 4096

/* Of a fixed-layout DIE, its code, an inline name and the wide loads from it, at most. */
#define REACH (2 + 4 + FIXED_MAX_BYTES + 8)

static const struct fixed_die not_fixed = { .action = FIXED_NOT };

/* The layout of the DIE at *p, which goes after the abbreviation code. */
static inline const struct fixed_die *peek(const struct fixed_walk *walk, const uint8_t **p)
{
	uint32_t code = **p;

	*p += 1;
	if (likely(code < 0x80))
		return &walk->fixed_dies[code];
	/* With a third byte, its flag makes this more than any code that is in the table. */
	code = (code & 0x7f) | (uint32_t)**p << 7;
	*p += 1;
	return code < walk->codes ? &walk->fixed_dies[code] : &not_fixed;
}

/* DW_FORM_strx*: the offset that is in .debug_str_offsets, or one that no name has. */
static uint32_t indexed_name(const struct fixed_walk *walk, uint32_t index)
{
	const struct section *offsets = &walk->reader->object->sections[SECTION_STR_OFFSETS];
	uint64_t at;

	if (__builtin_add_overflow(walk->reader->cursor.bases.str_offsets, 4 * (uint64_t)index,
				   &at) ||
	    offsets->size < 4 || at > offsets->size - 4)
		return UINT32_MAX;
	return bytes_load_u32(offsets->data + at, false);
}

/*
 * A name of up to three characters that is in the DIE, and *at goes after it. False: it is
 * longer, which is unusual (C++ compilers).
 */
static inline bool inline_name(const struct fixed_walk *walk, const uint8_t **at, uint32_t *name)
{
	uint32_t text = bytes_load_u32(*at, false);
	uint32_t zeros = (text - 0x01010101u) & ~text & 0x80808080u;
	uint32_t bits;

	if (!zeros)
		return false;
	bits = (uint32_t)__builtin_ctz(zeros) & ~7u;	/* before the NUL */
	text &= (1u << bits) - 1;
	*name = name_table_short(&walk->reader->names, text, (const char *)*at);
	*at += bits / 8 + 1;
	return true;
}

/*
 * The values of a DIE whose attributes are at *at, which goes after them. False: leave it to the
 * general path.
 */
static inline bool load(const struct fixed_walk *walk, const struct fixed_die *fixed,
			const uint8_t **at, struct fixed_values *values)
{
	const uint8_t *p = *at;
	uint32_t name = 0, type, reach = walk->reach;

	if (fixed->has_inline_name) {
		if (!inline_name(walk, &p, &values->name))
			return false;
	} else {
		name = bytes_load_u32(p + fixed->name_at, false) & fixed->name_mask;
		if (unlikely(fixed->has_indexed_name))
			name = indexed_name(walk, name);
		values->name = name + (fixed->name_mask & 1);
		if (unlikely(walk->reader->names.intern_all) && fixed->name_mask) {
			name = name < walk->names - walk->names_start ? name + walk->names_start
								      : UINT32_MAX;
			if (name < walk->names)
				values->name = name_table_key_at(&walk->reader->names, name);
		}
	}
	type = bytes_load_u32(p + fixed->type_at, false) & fixed->type_mask;
	if (unlikely(fixed->has_section_type)) {
		type += walk->section_base;
		reach = walk->section_reach;
	}
	values->type = type + (walk->base & fixed->base_mask);
	values->number = (bytes_load_u32(p + fixed->number_at, false) & fixed->number_mask) +
			 fixed->number_constant;
	values->second = (uint8_t)((p[fixed->second_at] & fixed->second_mask) +
				   fixed->second_constant);
	*at = p + fixed->bytes;
	/* A reference to the unit's header is wrong, too: it could look like none. */
	return likely(name < walk->names && type - (fixed->type_mask & 1) < reach);
}

/* The same for one that has a reference and nothing else: most parameters, pointers, arrays. */
static inline bool load_type(const struct fixed_walk *walk, const struct fixed_die *fixed,
			     const uint8_t **at, struct fixed_values *values)
{
	uint32_t type;

	if (!fixed->has_type_only)
		return false;
	type = bytes_load_u32(*at + fixed->type_at, false);
	*values = (struct fixed_values){ .type = type + walk->base };
	if (unlikely(type - 1 >= walk->reach))
		return false;
	*at += fixed->bytes;
	return true;
}

/* ---- what is below a type ----
 *
 * Each loop reads DIEs of its kind from p on and returns where it stopped.
 */

/*
 * A run of members of one abbreviation of the common form: name, type and offset. Where they are,
 * and where the next member begins, is in registers, so that no load waits for another. From the
 * attributes at `at` on; returns where the next DIE is. Two of three members come by here: 4 ns.
 */
static const uint8_t *read_member_run(const struct fixed_walk *walk, const struct fixed_die *fixed,
				      uint8_t code, const uint8_t *at)
{
	struct dwarf_model *model = walk->model;
	struct dwarf_member *out = model->members.data + model->members.count;
	const struct dwarf_member *end = model->members.data + model->members.capacity;
	const size_t name_at = fixed->name_at, type_at = fixed->type_at;
	const size_t offset_at = fixed->number_at, bytes = fixed->bytes + 1u;
	const uint32_t offset_mask = fixed->number_mask, offset_base = fixed->number_constant;
	const uint32_t base = walk->base, reach = walk->reach, names = walk->names;
	const uint8_t *limit = walk->limit;

	do {
		uint32_t name = bytes_load_u32(at + name_at, false);
		uint32_t type = bytes_load_u32(at + type_at, false);
		uint32_t offset = offset_base +
				  (bytes_load_u32(at + offset_at, false) & offset_mask);

		if (unlikely(out == end)) {
			model->members.count = (size_t)(out - model->members.data);
			array_reserve(&model->members, 1);
			out = model->members.data + model->members.count;
			end = model->members.data + model->members.capacity;
		}
		if (unlikely(name >= names) || unlikely(type - 1 >= reach) ||
		    unlikely(offset >= UINT32_MAX >> 3))
			break;
		*out++ = (struct dwarf_member){ .name = name + 1, .type = type + base,
						.offset_bits = offset * 8 };
		at += bytes;
	} while (at[-1] == code && at <= limit);
	model->members.count = (size_t)(out - model->members.data);
	return at - 1;
}

static const uint8_t *read_members(const struct fixed_walk *walk, struct dwarf_type *type,
				   const uint8_t *p)
{
	struct dwarf_model *model = walk->model;
	struct fixed_values values;
	uint8_t flags = 0;

	while (p < walk->limit) {
		const uint8_t *at = p;
		const struct fixed_die *fixed = peek(walk, &at);

		if (fixed->action != FIXED_MEMBER)
			break;
		if (fixed->is_common_member && *p < 0x80 && !walk->reader->names.intern_all) {
			const uint8_t *end = read_member_run(walk, fixed, *p, at);

			if (end == p)
				break;
			p = end;
			continue;
		}
		if (!load(walk, fixed, &at, &values) ||
		    values.number >= UINT32_MAX >> fixed->shift)
			break;
		array_push(&model->members, ((struct dwarf_member){
			.name = values.name, .type = values.type,
			.offset_bits = values.number << fixed->shift,
			.size_bits = values.second }));
		flags |= fixed->is_bitfield;
		p = at;
	}
	type->flags |= flags ? TYPE_BITFIELDS : 0;
	return p;
}

static const uint8_t *read_enumerators(const struct fixed_walk *walk, const uint8_t *p)
{
	struct fixed_values values;

	while (p < walk->limit) {
		const uint8_t *at = p;
		const struct fixed_die *fixed = peek(walk, &at);

		if (fixed->action != FIXED_ENUMERATOR || !load(walk, fixed, &at, &values))
			break;
		array_push(&walk->model->enumerators,
			   ((struct dwarf_enumerator){ values.name, values.number }));
		p = at;
	}
	return p;
}

static const uint8_t *read_parameters(const struct fixed_walk *walk, struct dwarf_type *type,
				      const uint8_t *p)
{
	struct fixed_values values;

	while (p < walk->limit) {
		const uint8_t *at = p;
		const struct fixed_die *fixed = peek(walk, &at);

		if (fixed->action == FIXED_DOTS) {
			type->flags |= TYPE_VARIADIC;
			at += fixed->bytes;
		} else if (fixed->action != FIXED_PARAMETER) {
			break;
		} else {
			if (!load_type(walk, fixed, &at, &values) &&
			    !load(walk, fixed, &at, &values))
				break;
			array_push(&walk->model->parameters, ((struct dwarf_parameter){
				values.name, values.type, (uint32_t)(p - walk->unit_begin) }));
		}
		p = at;
	}
	return p;
}

/* As dimension() in unit_reader.c: an upper bound of -1 means no elements, as none does. */
static const uint8_t *read_dimensions(const struct fixed_walk *walk, const uint8_t *p)
{
	struct fixed_values values;

	while (p < walk->limit) {
		const uint8_t *at = p;
		const struct fixed_die *fixed = peek(walk, &at);

		if (fixed->action != FIXED_SUBRANGE || !load(walk, fixed, &at, &values))
			break;
		array_push(&walk->model->dimensions,
			   fixed->has_number && values.number != UINT32_MAX ? values.number + 1
									    : 0);
		p = at;
	}
	return p;
}

/*
 * Reads what is below a type, from *p on. False: something else is there, which is for the
 * general path; the type's frame is opened. *p goes on.
 */
static bool read_children(const struct fixed_walk *walk, enum fixed_action action,
			  struct dwarf_type *type, const uint8_t **p)
{
	struct dwarf_model *model = walk->model;
	struct unit_reader *reader = walk->reader;
	uint32_t pending = 0;
	enum frame_role role;
	size_t end;

	switch (action) {
	case FIXED_RECORD:
		type->first = (uint32_t)model->members.count;
		*p = read_members(walk, type, *p);
		end = model->members.count;
		role = ROLE_RECORD;
		break;
	case FIXED_ENUM:
		type->first = (uint32_t)model->enumerators.count;
		*p = read_enumerators(walk, *p);
		end = model->enumerators.count;
		role = ROLE_ENUM;
		break;
	case FIXED_ARRAY:
		type->first = (uint32_t)model->dimensions.count;
		*p = read_dimensions(walk, *p);
		end = model->dimensions.count;
		role = ROLE_ARRAY;
		break;
	default:
		type->first = (uint32_t)model->parameters.count;
		*p = read_parameters(walk, type, *p);
		end = model->parameters.count;
		role = ROLE_SUBROUTINE;
		break;
	}
	type->count = (uint32_t)end - type->first;
	if (likely(*p < walk->limit && **p == 0)) {
		++*p;
		return true;
	}
	if (role == ROLE_RECORD) {
		pending = (uint32_t)reader->pending_members.count;
		array_move(&reader->pending_members, &model->members, type->first);
	} else if (role == ROLE_SUBROUTINE) {
		pending = (uint32_t)reader->pending_parameters.count;
		array_move(&reader->pending_parameters, &model->parameters, type->first);
	}
	reader->frames[reader->depth++] = (struct reader_frame){
		.role = (uint8_t)role,
		.index = (uint32_t)model->types.count - 1,
		.pending = pending,
		.annotations = (uint32_t)model->annotations.count,
	};
	return false;
}

/* Reads the type at *p; false when what follows is for the general path. *p goes on. */
static inline bool read_type(const struct fixed_walk *walk, const uint8_t **p)
{
	const uint8_t *at = *p;
	const struct fixed_die *fixed = peek(walk, &at);
	struct dwarf_model *model = walk->model;
	struct fixed_values values;
	struct dwarf_type *type;
	uint32_t offset, index;

	if (fixed->action < FIXED_TYPE || fixed->action > FIXED_SUBROUTINE ||
	    (!load_type(walk, fixed, &at, &values) && !load(walk, fixed, &at, &values)))
		return false;
	__builtin_prefetch(*p + AHEAD_BYTES);
	offset = (uint32_t)(*p - walk->unit_begin);
	index = (uint32_t)model->types.count;
	array_reserve(&model->types, 1);
	type = &model->types.data[model->types.count++];
	*type = (struct dwarf_type){ .offset = offset,
				     .name = values.name,
				     .type = values.type,
				     .kind = tag_table[fixed->tag].kind,
				     .flags = (uint8_t)(fixed->is_declaration * TYPE_DECLARATION),
				     .size_bytes = values.number };
	offset_index_add(&model->type_index, offset, index);
	if (fixed->action == FIXED_RECORD)
		type->alignment_log2 = unit_reader_alignment(values.second);
	else
		type->encoding = values.second;
	if (fixed->action == FIXED_RECORD || fixed->action == FIXED_ENUM)
		array_push(&model->taggable, index);
	*p = at;
	return !fixed->has_children ||
	       read_children(walk, (enum fixed_action)fixed->action, type, p);
}

static inline struct fixed_walk start_walk(struct unit_reader *reader)
{
	const struct die_cursor *cursor = &reader->cursor;
	const uint8_t *end = cursor->end < cursor->wide_end ? cursor->end : cursor->wide_end;
	struct fixed_walk walk = {
		.fixed_dies = reader->abbrevs.fixed_dies.data,
		.codes = reader->abbrevs.fixed_dies.count,
		.limit = cursor->section,
		.reader = reader,
	};

	/* The other byte order, and machines of the other one, are left to the general path. */
	if (end && end - cursor->section > REACH && !cursor->swap &&
	    !reader->object->big_endian && !reader->general_path_only)
		walk.limit = end - REACH;
	return walk;
}

static inline void set_group(struct fixed_walk *walk, const struct dwarf_model *model)
{
	const struct die_cursor *cursor = &walk->reader->cursor;

	walk->unit_begin = cursor->section + model->begin;
	walk->base = (uint32_t)(cursor->unit->offset - model->begin);
	walk->reach = (uint32_t)(model->end - cursor->unit->offset) - 1;
}

static struct fixed_walk start_reading(struct unit_reader *reader, struct dwarf_model *model)
{
	const struct die_cursor *cursor = &reader->cursor;
	size_t names = reader->object->sections[SECTION_STR].size;
	struct fixed_walk walk = start_walk(reader);

	set_group(&walk, model);
	if (model->end <= UINT32_MAX) {
		walk.section_base = (uint32_t)(cursor->spaces[SPACE_INFO] - model->begin);
		walk.section_reach = (uint32_t)(model->end - model->begin) - 1;
	}
	walk.names = names < NAME_KEY_INTERNED ? (uint32_t)names : NAME_KEY_INTERNED - 1;
	if (reader->cursor.unit->piece->starts[SECTION_STR] < walk.names)
		walk.names_start = (uint32_t)reader->cursor.unit->piece->starts[SECTION_STR];
	else
		walk.names = 0;
	walk.model = model;
	return walk;
}

void fixed_reader_read(struct unit_reader *reader, struct dwarf_model *model)
{
	const struct fixed_walk walk = start_reading(reader, model);
	const uint8_t *p = reader->cursor.p;

	while (p < walk.limit && read_type(&walk, &p))
		;
	reader->cursor.p = p;
}

void fixed_reader_members(struct unit_reader *reader, struct dwarf_model *model)
{
	const struct fixed_walk walk = start_reading(reader, model);
	uint32_t record = reader->frames[reader->depth - 1].index;
	const uint8_t *p = reader->cursor.p;

	do {
		size_t first = model->members.count;

		p = read_members(&walk, &model->types.data[record], p);
		array_move(&reader->pending_members, &model->members, first);
	} while (p < walk.limit && reader->depth < UNIT_MAX_DEPTH - 1 && read_type(&walk, &p));
	reader->cursor.p = p;
}

void fixed_reader_parameters(struct unit_reader *reader, struct dwarf_model *model)
{
	const struct fixed_walk walk = start_reading(reader, model);
	uint32_t first = (uint32_t)model->parameters.count;
	struct dwarf_function *function = &model->functions.data[model->functions.count - 1];
	struct dwarf_type dots = { 0 };

	reader->cursor.p = read_parameters(&walk, &dots, reader->cursor.p);
	if (dots.flags & TYPE_VARIADIC)
		function->flags |= FUNCTION_VARIADIC;
	array_move(&reader->pending_parameters, &model->parameters, first);
}

/* ---- DIEs that are skipped ---- */

/*
 * After a DIE whose attributes have lengths of their own; NULL: they run out of the unit. *sibling
 * stays as it is if there is none among them.
 */
static const uint8_t *after_steps(const struct fixed_walk *walk, const struct fixed_die *fixed,
				  const uint8_t *at, uint64_t *sibling)
{
	const struct die_cursor *cursor = &walk->reader->cursor;
	const struct abbrev *abbrev = &cursor->abbrevs->abbrevs.data[fixed - walk->fixed_dies];
	const struct abbrev_step *step = &cursor->abbrevs->steps.data[abbrev->first_step];
	struct byte_cursor left = { at, cursor->end, cursor->swap, false };

	cursor_skip(&left, fixed->bytes);
	for (const struct abbrev_step *end = step + abbrev->step_count; step < end; step++) {
		if (step->code == STEP_FIXED) {
			cursor_skip(&left, step->bytes);
		} else if (step->code == STEP_BLOCK) {
			cursor_block(&left, block_length_bytes(step->form));
		} else if (step->code == STEP_STRING) {
			while (cursor_number(&left, 1))
				;
		} else if (step->slot == SLOT_SIBLING) {
			*sibling = cursor_uleb(&left);
		} else {
			cursor_uleb(&left);
		}
	}
	return left.is_bad ? NULL : left.p;
}

/*
 * After the attributes of a DIE that is skipped; NULL: leave it to the general path, as an
 * expression of 128 bytes or more.
 */
static inline const uint8_t *after_attributes(const struct fixed_walk *walk,
					      const struct fixed_die *fixed, const uint8_t *at,
					      uint64_t *sibling)
{
	if (unlikely(fixed->has_steps))
		return after_steps(walk, fixed, at, sibling);
	at += fixed->bytes;
	if (!fixed->has_tail)
		return at;
	return *at < 0x80 && *at < walk->reader->cursor.end - at ? at + 1 + *at : NULL;
}

/* The same of one without children, or whose children come next. */
static inline const uint8_t *after_local(const struct fixed_walk *walk,
					 const struct fixed_die *fixed, const uint8_t *at)
{
	uint64_t sibling;

	return after_attributes(walk, fixed, at, &sibling);
}

/* After a call and its children, which end at a sibling that is not before them; else NULL. */
static const uint8_t *after_call(const struct fixed_walk *walk, const struct fixed_die *fixed,
				 const uint8_t *at)
{
	const struct die_cursor *cursor = &walk->reader->cursor;
	const uint8_t *unit = cursor->section + cursor->unit->offset;
	uint64_t sibling = bytes_load_u32(at + fixed->number_at, false) & fixed->number_mask;

	at = after_attributes(walk, fixed, at, &sibling);
	if (!fixed->has_children || !at)
		return at;
	if (sibling > (uint64_t)(cursor->end - unit) || unit + sibling <= at)
		return NULL;
	return unit + sibling;
}

/* Two of three DIEs in functions: 1.3 million of a kernel, 8 ns each instead of 25. */
void fixed_reader_skip(struct unit_reader *reader)
{
	const struct die_cursor *cursor = &reader->cursor;
	const struct fixed_walk walk = start_walk(reader);
	const uint8_t *p = cursor->p;

	while (p < walk.limit) {
		const uint8_t *at = p;
		const struct fixed_die *fixed = peek(&walk, &at);
		const uint8_t *next = NULL;

		if (fixed->action == FIXED_LOCAL || fixed->action == FIXED_BLOCK)
			next = after_local(&walk, fixed, at);
		else if (fixed->action == FIXED_INLINED)
			next = after_call(&walk, fixed, at);
		if (fixed->action == FIXED_BLOCK) {
			if (!next || reader->depth >= UNIT_MAX_DEPTH - 1)
				break;
			reader->frames[reader->depth++] =
				(struct reader_frame){ .role = ROLE_OTHER };
		} else if (fixed->action == FIXED_NULL &&
			   reader->frames[reader->depth - 1].role == ROLE_OTHER) {
			reader->depth--;
			next = at;
			/* Back among things that are read. */
			if (reader->frames[reader->depth - 1].role != ROLE_OTHER &&
			    reader->frames[reader->depth - 1].role != ROLE_FUNCTION) {
				p = next;
				break;
			}
		}
		if (!next)
			break;
		p = next;
	}
	reader->cursor.p = p;
}

void fixed_reader_skip_to_call(struct unit_reader *reader, uint64_t *depth)
{
	const struct die_cursor *cursor = &reader->cursor;
	const struct fixed_walk walk = start_walk(reader);
	const uint8_t *p = cursor->p;

	while (p < walk.limit && *depth) {
		const uint8_t *at = p;
		const struct fixed_die *fixed = peek(&walk, &at);
		const uint8_t *next = at;

		if (fixed->action == FIXED_LOCAL || fixed->action == FIXED_ARGUMENT ||
		    fixed->action == FIXED_BLOCK || fixed->tag == DW_TAG_inlined_subroutine)
			next = after_local(&walk, fixed, at);
		else if (fixed->action != FIXED_NULL)
			next = NULL;
		if (!next)
			break;
		if (fixed->action == FIXED_NULL)
			--*depth;
		else
			*depth += fixed->has_children;
		p = next;
	}
	reader->cursor.p = p;
}

/* ---- inlined calls ---- */

/* As location_source_of(). */
static struct location_source location_of(const struct fixed_walk *walk,
					  const struct fixed_die *fixed, const uint8_t *at)
{
	const struct die_cursor *cursor = &walk->reader->cursor;
	enum section_id id = cursor->unit->version < 5 ? SECTION_LOC : SECTION_LOCLISTS;
	uint64_t lists = cursor->unit->piece->starts[id];
	struct location_source source = { .form_class = LOCATION_FORM_ABSENT };

	if (fixed->has_tail) {
		source.form_class = LOCATION_FORM_EXPRESSION;
		source.value = (uint64_t)(at + fixed->bytes - cursor->section);
	} else if (fixed->number_mask) {
		source.form_class = LOCATION_FORM_LIST;
		source.value = bytes_load_u32(at + fixed->number_at, false) + lists;
		source.has_views = fixed->name_mask;
		if (source.has_views)
			source.views = bytes_load_u32(at + fixed->name_at, false) + lists;
	}
	return source;
}

/* Reads what is in places of its own; the attributes are at `at`. */
static enum local_kind read_placed(const struct fixed_walk *walk, const struct fixed_die *fixed,
				   const uint8_t *at, struct local_die *local)
{
	uint32_t origin = bytes_load_u32(at + fixed->type_at, false);

	if (origin - 1 >= walk->reach)
		return LOCAL_OTHER;
	local->origin = origin + walk->base;
	if (fixed->action == FIXED_ARGUMENT) {
		local->argument = (struct dwarf_argument){
			.location = location_of(walk, fixed, at) };
		return LOCAL_ARGUMENT;
	}
	local->site = (struct inline_site){
		.has_entry = true,
		.entry = bytes_load_u64(at + fixed->name_at, false),
		.has_view = fixed->name_mask,
		.view = bytes_load_u32(at + fixed->second_at, false) & fixed->name_mask,
	};
	return LOCAL_SITE;
}

/* 600,000 of a kernel: 35 instructions each instead of 200. */
enum local_kind fixed_reader_local(struct unit_reader *reader, const struct dwarf_model *model,
				   bool in_site, struct local_die *local)
{
	struct fixed_walk walk = start_walk(reader);
	const uint8_t *p = reader->cursor.p, *next = p;
	enum local_kind kind = LOCAL_OTHER;

	set_group(&walk, model);
	for (; next && kind == LOCAL_OTHER && p < walk.limit; p = next ? next : p) {
		const uint8_t *at = p;
		const struct fixed_die *fixed = peek(&walk, &at);

		next = NULL;
		local->offset = (uint32_t)(p - walk.unit_begin);
		local->has_children = fixed->has_children;
		switch ((enum fixed_action)fixed->action) {
		case FIXED_NULL:
			kind = LOCAL_NULL;
			next = at;
			break;
		case FIXED_BLOCK:
			next = after_local(&walk, fixed, at);
			kind = next ? LOCAL_BLOCK : LOCAL_OTHER;
			break;
		case FIXED_LOCAL: next = after_local(&walk, fixed, at); break;
		case FIXED_ARGUMENT:
		case FIXED_INLINED:
			if (fixed->tag == DW_TAG_call_site) {
				next = after_call(&walk, fixed, at);
				break;
			}
			next = after_local(&walk, fixed, at);
			if (fixed->action == FIXED_ARGUMENT && !in_site)
				break;
			if (next && fixed->is_placed)
				kind = read_placed(&walk, fixed, at, local);
			next = kind == LOCAL_OTHER ? NULL : next;
			break;
		default: break;
		}
	}
	reader->cursor.p = p;
	return kind;
}
