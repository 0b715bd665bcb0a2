/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The walk keeps a stack of open DIEs. A type is appended when its DIE is met, so that types are
 * in the order of their offsets (the offset index needs that); members and parameters wait on a
 * stack of their own until their parent closes, because a nested definition may be between two
 * of them.
 */
#include "dwarf/unit_reader.h"

#include <string.h>

#include "dwarf/fixed_reader.h"

void unit_reader_init(struct unit_reader *reader, const struct object *object,
		      const struct unit_list *units)
{
	memset(reader, 0, sizeof(*reader));
	reader->object = object;
	reader->units = units;
	name_table_init(&reader->names, object);
}

void unit_reader_release(struct unit_reader *reader)
{
	name_table_release(&reader->names);
	abbrev_table_release(&reader->abbrevs);
	array_release(&reader->pending_members);
	array_release(&reader->pending_parameters);
	array_release(&reader->pending_arguments);
	array_release(&reader->annotation_dies);
	array_release(&reader->annotation_uses);
	array_release(&reader->ranges);
	file_table_release(&reader->files);
}

static bool report_skeleton(struct die_cursor *cursor, const struct die *die)
{
	return die_cursor_fail(cursor, die->offset,
			       "is what -gsplit-dwarf leaves of a unit, without its types; build "
			       "without it (CONFIG_DEBUG_INFO_SPLIT)");
}

bool unit_reader_open(struct unit_reader *reader, const struct unit *unit, uint64_t *language,
		      struct error *err)
{
	struct die *die = &reader->unit_die;
	enum die_status status;

	if (!unit_is_readable(unit, reader->object, err) ||
	    !abbrev_table_compile(&reader->abbrevs, reader->object, unit, err))
		return false;
	die_cursor_init(&reader->cursor, reader->object, reader->units, unit, &reader->abbrevs,
			err);
	*language = 0;
	reader->depth = 0;
	reader->pending_members.count = reader->pending_parameters.count = 0;
	reader->pending_arguments.count = 0;
	reader->annotation_dies.count = reader->annotation_uses.count = 0;
	die->present = 0;
	status = die_cursor_next(&reader->cursor, die);
	if (status == DIE_FAILED)
		return false;
	if (status != DIE_READ) {
		die->present = 0;
		return true;		/* an empty unit */
	}
	if (die_has(die, SLOT_DWO_NAME))
		return report_skeleton(&reader->cursor, die);
	if (die->tag != DW_TAG_compile_unit && die->tag != DW_TAG_partial_unit &&
	    die->tag != DW_TAG_type_unit)
		return die_cursor_fail(&reader->cursor, die->offset,
				       "its first DIE has tag 0x%x, which is not a unit; the file "
				       "is damaged, or newer than this program", die->tag);
	die_cursor_set_bases(&reader->cursor, die);
	file_table_open(&reader->files, &reader->cursor, die);
	*language = die_value(die, SLOT_LANGUAGE, 0);
	reader->is_assembler = *language == DW_LANG_Mips_Assembler ||
			       *language == 0x0031 /* DW_LANG_Assembly */;
	if (die->has_children)
		reader->frames[reader->depth++] = (struct reader_frame){ .role = ROLE_UNIT };
	return true;
}

/* Adds what is needed of the unit to judge its functions. */
static void add_unit(struct unit_reader *reader, struct dwarf_model *model)
{
	const struct die *die = &reader->unit_die;
	uint32_t first_code = (uint32_t)model->code.count;
	const char *producer = NULL;
	uint64_t ignored;

	code_ranges_read(&reader->cursor, die, &model->code);
	if (die_has(die, SLOT_PRODUCER))
		producer = die_cursor_string(&reader->cursor, die, SLOT_PRODUCER, &ignored);
	array_push(&model->units, ((struct dwarf_unit){
		.unit = reader->cursor.unit,
		.begin = (uint32_t)(reader->cursor.unit->offset - model->begin),
		.end = (uint32_t)(reader->cursor.unit->end - model->begin),
		.first_type = (uint32_t)model->types.count,
		.first_code = first_code,
		.location = location_unit_of(&reader->cursor),
		.producer = producer_parse(producer) }));
}

static uint32_t name_of(struct unit_reader *reader, const struct die *die)
{
	return name_table_key(&reader->names, &reader->cursor, die, SLOT_NAME);
}

static uint8_t small(uint64_t value)
{
	return value <= UINT8_MAX ? (uint8_t)value : UINT8_MAX;
}

/* UINT32_MAX: too far, or computed. */
static uint32_t member_offset_bits(const struct die_cursor *cursor, const struct die *die)
{
	uint64_t bytes = die_value(die, SLOT_MEMBER_LOCATION, 0);
	struct byte_range block;

	if (die_has(die, SLOT_DATA_BIT_OFFSET)) {
		uint64_t bits = die->value[SLOT_DATA_BIT_OFFSET];

		return bits < UINT32_MAX ? (uint32_t)bits : UINT32_MAX;
	}
	/* In DWARF 2 and 3 an expression: only "add a constant" is meaningful. */
	if (die_cursor_block(cursor, die, SLOT_MEMBER_LOCATION, &block) &&
	    (block.begin == block.end ||
	     (*block.begin != DW_OP_plus_uconst && *block.begin != DW_OP_constu) ||
	     leb128_unsigned(block.begin + 1, block.end, &bytes) != block.end))
		return UINT32_MAX;
	return bytes < UINT32_MAX / 8 ? (uint32_t)bytes * 8 : UINT32_MAX;
}

/* Static data members (C++) are not in the record: false. */
static bool read_member(struct unit_reader *reader, struct dwarf_model *model,
			struct reader_frame *record, const struct die *die)
{
	struct dwarf_member member = {
		.name = name_of(reader, die),
		.type = unit_reference(model, die, SLOT_TYPE),
		.offset_bits = member_offset_bits(&reader->cursor, die),
	};
	int64_t msb_offset = (int64_t)die_value(die, SLOT_BIT_OFFSET, 0);

	if (die_has(die, SLOT_EXTERNAL) || die_has(die, SLOT_DECLARATION))
		return false;
	if (die_has(die, SLOT_BIT_SIZE)) {
		member.size_bits = small(die->value[SLOT_BIT_SIZE]);
		model->types.data[record->index].flags |= TYPE_BITFIELDS;
		member.has_msb_offset = die_has(die, SLOT_BIT_OFFSET) &&
					!die_has(die, SLOT_DATA_BIT_OFFSET);
		member.msb_offset = msb_offset >= INT16_MIN && msb_offset <= INT16_MAX
					    ? (int16_t)msb_offset : INT16_MAX;
		member.storage_bytes = die_value(die, SLOT_BYTE_SIZE, 0) & 0x7f;
	}
	array_push(&reader->pending_members, member);
	return true;
}

/* The number of elements of one dimension; 0 for a flexible or variable one. */
static uint32_t dimension(const struct die *die)
{
	uint64_t count;

	if (die_has(die, SLOT_COUNT_OF) && !(die->abbrev->block_slots >> SLOT_COUNT_OF & 1))
		count = die->value[SLOT_COUNT_OF];
	else if (die_has(die, SLOT_UPPER_BOUND) &&
		 !(die->abbrev->block_slots >> SLOT_UPPER_BOUND & 1))
		/* An upper bound of -1, in whatever width: no elements. */
		count = die->value[SLOT_UPPER_BOUND] == UINT32_MAX
				? 0 : die->value[SLOT_UPPER_BOUND] + 1;
	else
		return 0;
	return count <= UINT32_MAX ? (uint32_t)count : DIMENSION_HUGE;
}

static void read_enumerator(struct unit_reader *reader, struct dwarf_model *model,
			    const struct reader_frame *frame, const struct die *die)
{
	struct dwarf_enumerator enumerator = {
		.name = name_of(reader, die),
		.value = die_value(die, SLOT_CONST_VALUE, 0),
	};
	struct dwarf_type *type = &model->types.data[frame->index];

	if (die->abbrev->signed_slots >> SLOT_CONST_VALUE & 1 && (int64_t)enumerator.value < 0)
		type->flags |= TYPE_NEGATIVE;
	type->count++;
	array_push(&model->enumerators, enumerator);
}

static uint8_t flag_if(const struct die *die, enum die_slot slot, unsigned int flag)
{
	return die_has(die, slot) && die->value[slot] ? (uint8_t)flag : 0;
}

/* See dwarf_function.declared_at. */
static uint32_t declared_at(struct unit_reader *reader, const struct die *die)
{
	uint64_t line = die_value(die, SLOT_DECL_LINE, 0);
	uint64_t file = die_value(die, SLOT_DECL_FILE, UINT64_MAX);

	return (line < UINT16_MAX ? (uint32_t)line : UINT16_MAX) << 16 |
	       (file_table_hash(&reader->files, file) & UINT16_MAX);
}

static void read_function(struct unit_reader *reader, struct dwarf_model *model,
			  const struct die *die)
{
	struct dwarf_function function = {
		.offset = (uint32_t)(die->offset - model->begin),
		.name = name_of(reader, die),
		.type = unit_reference(model, die, SLOT_TYPE),
		.origin = unit_reference(model, die, die_has(die, SLOT_ORIGIN) ? SLOT_ORIGIN
									  : SLOT_SPECIFICATION),
		.unit = (uint32_t)model->units.count - 1,
		.first_entry = (uint32_t)model->entries.count,
		.declared_at = declared_at(reader, die),
		.frame_base = location_source_of(&reader->cursor, die, SLOT_FRAME_BASE),
		.flags = (uint8_t)(flag_if(die, SLOT_EXTERNAL, FUNCTION_EXTERNAL) |
				   flag_if(die, SLOT_DECLARATION, FUNCTION_DECLARATION) |
				   flag_if(die, SLOT_PROTOTYPED, FUNCTION_PROTOTYPED)),
	};
	uint64_t low_pc;

	if (die_has(die, SLOT_INLINE))
		function.flags |= FUNCTION_ABSTRACT;
	/* Not DW_INL_inlined: the compiler inlined it at some calls, and it may have code, too. */
	if (die_value(die, SLOT_INLINE, DW_INL_not_inlined) >= DW_INL_declared_not_inlined)
		function.flags |= FUNCTION_INLINE;
	switch (die_value(die, SLOT_CALLING_CONVENTION, DW_CC_normal)) {
	case DW_CC_normal:
	case DW_CC_program:
	/* The platform's by LLVM's names, and two that differ in the callee-saved registers. */
	case 0xc2:	/* DW_CC_LLVM_X86_64SysV */
	case 0xc3:	/* DW_CC_LLVM_AAPCS */
	case 0xc9:	/* DW_CC_LLVM_PreserveMost */
	case 0xca:	/* DW_CC_LLVM_PreserveAll */
		break;
	default:	/* DW_CC_nocall among them */
		function.flags |= FUNCTION_NO_CALL;
		break;
	}
	if (reader->is_assembler)
		function.flags |= FUNCTION_ASSEMBLER;
	if (die_has(die, SLOT_LOW_PC) &&
	    die_cursor_address(&reader->cursor, die, SLOT_LOW_PC, &low_pc)) {
		array_push(&model->entries, low_pc);
	} else if (die_has(die, SLOT_RANGES)) {
		reader->ranges.count = 0;
		ranges_read(&reader->cursor, die, &reader->ranges);
		for (size_t i = 0; i < reader->ranges.count; i++)
			array_push(&model->entries, reader->ranges.data[i].begin);
	}
	function.entry_count = (uint32_t)model->entries.count - function.first_entry;
	array_push(&model->functions, function);
}

/*
 * Static storage is an address, or an index into .debug_addr, and that is all of the expression but
 * for a constant after it: LLVM merges small variables into one symbol.
 */
static bool static_address(struct unit_reader *reader, const struct byte_range *block,
			   uint64_t *address)
{
	uint8_t wide = reader->cursor.unit->address_bytes;
	const uint8_t *p = block->begin + 1;
	uint64_t number = 0;

	if (*block->begin == DW_OP_addr && block->end - p >= wide) {
		*address = unit_load_word(p, wide, reader->object->swap);
		p += wide;
	} else if (*block->begin == DW_OP_addrx) {
		p = leb128_unsigned(p, block->end, &number);
		if (!p || !die_cursor_indexed_address(&reader->cursor, number, address))
			return false;
	} else {
		return false;
	}
	if (p == block->end)
		return true;
	if (*p != DW_OP_plus_uconst || leb128_unsigned(p + 1, block->end, &number) != block->end)
		return false;
	*address += number;
	return true;
}

static void read_variable(struct unit_reader *reader, struct dwarf_model *model,
			  const struct die *die)
{
	struct dwarf_variable variable = {
		.offset = (uint32_t)(die->offset - model->begin),
		.name = name_of(reader, die),
		.type = unit_reference(model, die, SLOT_TYPE),
		.specification = unit_reference(model, die, die_has(die, SLOT_SPECIFICATION)
							       ? SLOT_SPECIFICATION : SLOT_ORIGIN),
		.flags = (uint8_t)(flag_if(die, SLOT_EXTERNAL, VARIABLE_EXTERNAL) |
				   flag_if(die, SLOT_DECLARATION, VARIABLE_DECLARATION) |
				   flag_if(die, SLOT_ARTIFICIAL, VARIABLE_ARTIFICIAL)),
	};
	struct byte_range block;

	if (die_cursor_block(&reader->cursor, die, SLOT_LOCATION, &block) &&
	    block.begin < block.end && static_address(reader, &block, &variable.address))
		variable.flags |= VARIABLE_HAS_ADDRESS;
	array_push(&model->variables, variable);
}

/* Types are appended in the order of their offsets. */
static void read_type(struct unit_reader *reader, struct dwarf_model *model, const struct die *die,
		      struct reader_frame *frame, enum dwarf_type_kind kind)
{
	uint32_t offset = (uint32_t)(die->offset - model->begin);
	struct dwarf_type *type;

	frame->index = (uint32_t)model->types.count;
	frame->annotations = (uint32_t)model->annotations.count;
	array_reserve(&model->types, 1);
	type = &model->types.data[model->types.count++];
	*type = (struct dwarf_type){
		.offset = offset,
		.kind = (uint8_t)kind,
		.name = name_of(reader, die),
		.type = unit_reference(model, die, SLOT_TYPE),
		.size_bytes = die_value(die, SLOT_BYTE_SIZE, 0),
	};
	offset_index_add(&model->type_index, offset, frame->index);
	switch (kind) {
	case DWARF_BASE:
		type->encoding = small(die_value(die, SLOT_ENCODING, 0));
		if (!die_has(die, SLOT_BYTE_SIZE))
			type->size_bytes = (die_value(die, SLOT_BIT_SIZE, 0) + 7) / 8;
		break;
	case DWARF_STRUCT:
	case DWARF_UNION:
		type->alignment_log2 = unit_reader_alignment(die_value(die, SLOT_ALIGNMENT, 0));
		frame->pending = (uint32_t)reader->pending_members.count;
		break;
	case DWARF_ENUM:
		type->first = (uint32_t)model->enumerators.count;
		break;
	case DWARF_ARRAY:
		type->first = (uint32_t)model->dimensions.count;
		type->flags = flag_if(die, SLOT_GNU_VECTOR, TYPE_VECTOR);
		break;
	case DWARF_SUBROUTINE:
		frame->pending = (uint32_t)reader->pending_parameters.count;
		break;
	case DWARF_BYTES:
		/* Compilers do not say its size; lower_bytes() knows those to functions. */
		if (die->tag == DW_TAG_ptr_to_member_type && !die_has(die, SLOT_BYTE_SIZE))
			type->size_bytes = reader->cursor.unit->address_bytes;
		break;
	default:
		break;
	}
	/* BTF has no such size. The name of a struct is what it can say of it. */
	if (die_has(die, SLOT_DECLARATION) || type->size_bytes > UINT32_MAX)
		type->flags = TYPE_DECLARATION;
	if (die_has(die, SLOT_SIGNATURE)) {
		/* A stand-in: the definition is in a type unit of this group. */
		type->kind = DWARF_ALIAS;
		type->type = unit_reference(model, die, SLOT_SIGNATURE);
		frame->role = ROLE_OTHER;
	} else if (kind == DWARF_STRUCT || kind == DWARF_UNION || kind == DWARF_ENUM) {
		array_push(&model->taggable, frame->index);
	}
}

bool unit_reader_constant(const struct unit_reader *reader, const struct die *die,
			  uint64_t *constant)
{
	if (!die_has(die, SLOT_CONST_VALUE) || die->abbrev->block_slots >> SLOT_CONST_VALUE & 1 ||
	    abbrev_form_is_string(abbrev_form(&reader->abbrevs, die->abbrev, SLOT_CONST_VALUE)))
		return false;
	*constant = die_value(die, SLOT_CONST_VALUE, 0);
	return true;
}

static bool read_parameter(struct unit_reader *reader, const struct dwarf_model *model,
			   const struct reader_frame *parent, const struct die *die)
{
	struct dwarf_parameter parameter = { name_of(reader, die),
					     unit_reference(model, die, SLOT_TYPE),
					     (uint32_t)(die->offset - model->begin) };
	struct dwarf_argument argument;

	if (parent->role != ROLE_FUNCTION && parent->role != ROLE_SUBROUTINE)
		return false;
	array_push(&reader->pending_parameters, parameter);
	if (parent->role != ROLE_FUNCTION || !model->functions.data[parent->index].entry_count)
		return true;
	argument = (struct dwarf_argument){
		.parameter = die_has(die, SLOT_ORIGIN) ? unit_reference(model, die, SLOT_ORIGIN)
						       : parameter.offset,
		.has_constant = die_has(die, SLOT_CONST_VALUE),
		.location = location_source_of(&reader->cursor, die, SLOT_LOCATION),
	};
	argument.is_number = unit_reader_constant(reader, die, &argument.constant);
	array_push(&reader->pending_arguments, argument);
	return true;
}

/*
 * Reads one DIE into the model. *frame says what it is to its children; returns false when its
 * children are of no interest at all.
 */
static inline bool read_die(struct unit_reader *reader, struct dwarf_model *model,
			    const struct die *die, struct reader_frame *frame)
{
	struct reader_frame *parent = &reader->frames[reader->depth - 1];
	struct tag_row row = tag_table_row(die->tag);

	frame->role = row.role;
	switch ((enum die_action)row.action) {
	case ACTION_DESCEND:
		break;
	case ACTION_SKIP:
		return false;
	case ACTION_TYPE:
		read_type(reader, model, die, frame, (enum dwarf_type_kind)row.kind);
		break;
	case ACTION_MEMBER:
		if (parent->role != ROLE_RECORD || !read_member(reader, model, parent, die))
			frame->role = ROLE_OTHER;
		break;
	case ACTION_ENUMERATOR:
		if (parent->role == ROLE_ENUM)
			read_enumerator(reader, model, parent, die);
		break;
	case ACTION_SUBRANGE:
		if (parent->role == ROLE_ARRAY) {
			model->types.data[parent->index].count++;
			array_push(&model->dimensions, dimension(die));
			break;
		}
		/* A type by itself in Ada or Pascal. */
		read_type(reader, model, die, frame,
			  die_has(die, SLOT_TYPE) && !die_has(die, SLOT_BYTE_SIZE) ? DWARF_ALIAS
										   : DWARF_BYTES);
		break;
	case ACTION_PARAMETER:
		if (!read_parameter(reader, model, parent, die))
			frame->role = ROLE_OTHER;
		break;
	case ACTION_DOTS:
		if (parent->role == ROLE_FUNCTION)
			model->functions.data[parent->index].flags |= FUNCTION_VARIADIC;
		else if (parent->role == ROLE_SUBROUTINE)
			model->types.data[parent->index].flags |= TYPE_VARIADIC;
		break;
	case ACTION_FUNCTION:
		frame->index = (uint32_t)model->functions.count;
		frame->pending = (uint32_t)reader->pending_parameters.count;
		frame->arguments = (uint32_t)reader->pending_arguments.count;
		read_function(reader, model, die);
		break;
	case ACTION_VARIABLE:
		if (parent->role != ROLE_UNIT) {
			frame->role = ROLE_OTHER;
			break;
		}
		frame->index = (uint32_t)model->variables.count;
		read_variable(reader, model, die);
		break;
	case ACTION_ANNOTATION:
		annotation_read(reader, model, parent, die);
		break;
	}
	return true;
}

/* Members, parameters and arguments of the frame are next to each other from now on. */
static void close_frame(struct unit_reader *reader, struct dwarf_model *model,
			const struct reader_frame *frame)
{
	struct dwarf_type *type;
	struct dwarf_function *function;
	size_t last;

	switch ((enum frame_role)frame->role) {
	case ROLE_RECORD:
		type = &model->types.data[frame->index];
		type->first = (uint32_t)model->members.count;
		type->count = (uint32_t)reader->pending_members.count - frame->pending;
		array_move(&model->members, &reader->pending_members, frame->pending);
		break;
	case ROLE_SUBROUTINE:
		type = &model->types.data[frame->index];
		type->first = (uint32_t)model->parameters.count;
		type->count = (uint32_t)reader->pending_parameters.count - frame->pending;
		array_move(&model->parameters, &reader->pending_parameters, frame->pending);
		break;
	case ROLE_FUNCTION:
		function = &model->functions.data[frame->index];
		function->first_parameter = (uint32_t)model->parameters.count;
		function->parameter_count =
			(uint32_t)reader->pending_parameters.count - frame->pending;
		array_move(&model->parameters, &reader->pending_parameters, frame->pending);
		function->first_argument = (uint32_t)model->arguments.count;
		function->argument_count =
			(uint32_t)reader->pending_arguments.count - frame->arguments;
		array_move(&model->arguments, &reader->pending_arguments, frame->arguments);
		break;
	case ROLE_POINTER:
		/* LLVM's order of the type tags on a pointer is the reverse of BTF's. */
		last = model->annotations.count;
		for (size_t first = frame->annotations; first + 1 < last; first++) {
			struct dwarf_annotation swapped = model->annotations.data[first];

			model->annotations.data[first] = model->annotations.data[--last];
			model->annotations.data[last] = swapped;
		}
		break;
	default:
		break;
	}
}

/* Lets the fast half read on as far as it can. */
static inline void read_fixed_dies(struct unit_reader *reader, struct dwarf_model *model)
{
	const struct reader_frame *frame = &reader->frames[reader->depth - 1];

	switch ((enum frame_role)frame->role) {
	case ROLE_UNIT:
		fixed_reader_read(reader, model);
		break;
	case ROLE_RECORD:
		fixed_reader_members(reader, model);
		break;
	case ROLE_FUNCTION:
		if (!model->functions.data[frame->index].entry_count &&
		    frame->index + 1 == model->functions.count)
			fixed_reader_parameters(reader, model);
		fixed_reader_skip(reader);
		break;
	case ROLE_OTHER:
		fixed_reader_skip(reader);
		break;
	default:
		break;
	}
}

/*
 * The hot loop of reading: one DIE per turn, no allocation but for the growth of the arrays.
 * Figures: `btfenc encode --timings`, pass "read"; the walk alone: `make bench`, raw scan.
 */
bool unit_reader_read(struct unit_reader *reader, struct dwarf_model *model, struct error *err)
{
	struct die die;

	(void)err;	/* the cursor holds it since unit_reader_open() */
	add_unit(reader, model);
	while (reader->depth) {
		struct reader_frame frame = { 0 };

		read_fixed_dies(reader, model);
		switch (die_cursor_next(&reader->cursor, &die)) {
		case DIE_NULL:
			reader->depth--;
			close_frame(reader, model, &reader->frames[reader->depth]);
			continue;
		case DIE_READ:
			break;
		case DIE_END:
			/* Compilers may leave out the null entries at the very end of a unit. */
			while (reader->depth)
				close_frame(reader, model, &reader->frames[--reader->depth]);
			continue;
		case DIE_FAILED:
			return false;
		}
		if (!read_die(reader, model, &die, &frame)) {
			die_cursor_skip_children(&reader->cursor, &die);
			continue;
		}
		if (die_has(&die, SLOT_ANNOTATION) && die.tag != DW_TAG_GNU_annotation_chain) {
			reader->frames[reader->depth] = frame;
			annotation_note_use(reader, model, &reader->frames[reader->depth], &die);
		}
		if (!die.has_children) {
			close_frame(reader, model, &frame);
			continue;
		}
		if (reader->depth == UNIT_MAX_DEPTH - 1)
			return die_cursor_fail(&reader->cursor, die.offset,
					       "is nested more than %d deep; the file is damaged",
					       UNIT_MAX_DEPTH);
		reader->frames[reader->depth++] = frame;
	}
	annotation_resolve_chains(reader, model);
	return !reader->cursor.failed;
}
