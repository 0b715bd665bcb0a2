/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "bpf/core.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "btf/inspect.h"
#include "btf/members.h"

/* Of libbpf; and 1,000 times what large programs need: then a type contains itself. */
enum { STEPS_MAX = 64, LEVELS_MAX = 32, WORK_MAX = 1 << 26 };

enum answer { NO, YES, OPEN, FAILED };

const struct core_kind_row core_kinds[] = {
	{ "byte_off", CORE_FIELD, true }, { "byte_sz", CORE_FIELD, true },
	{ "field_exists", CORE_FIELD, false }, { "signed", CORE_FIELD, true },
	{ "lshift_u64", CORE_FIELD, true }, { "rshift_u64", CORE_FIELD, true },
	{ "local_type_id", CORE_TYPE, false }, { "target_type_id", CORE_TYPE, false },
	{ "type_exists", CORE_TYPE, false }, { "type_size", CORE_TYPE, false },
	{ "enumval_exists", CORE_ENUMERATOR, false }, { "enumval_value", CORE_ENUMERATOR, true },
	{ "type_matches", CORE_TYPE, false },
};

/* Without a flavour: what follows the last three underscores that are between others. */
size_t core_name_length(const char *name)
{
	size_t length = btf_name_length(name);

	for (size_t end = length; end >= 5; end--) {
		const char *s = name + end - 5;

		if (s[3] == '_' && s[2] == '_' && s[1] == '_' && s[0] != '_' && s[4] != '_')
			return end - 4;
	}
	return length;
}

static bool is_same_name(const char *a, const char *b)
{
	size_t length = *a == *b ? core_name_length(a) : 0;

	return *a == *b && length == core_name_length(b) && memcmp(a, b, length) == 0;
}

static enum btf_kind type_kind(const uint32_t *record)
{
	return btf_record_kind(record) == BTF_ENUM64 ? BTF_ENUM : btf_record_kind(record);
}

static const uint32_t *type_under(const struct btf_reader *btf, uint32_t *id)
{
	return btf_under(btf, id, BTF_MODIFIERS, &(uint32_t){ 0 });
}

/* FAILED: it has none, or too many. */
static enum answer type_size(const struct core_file *file, uint32_t id, uint32_t *bytes)
{
	const uint32_t *bit_int, *record;
	uint64_t bits = btf_type_bits(file->btf, id, file->pointer_bytes, &bit_int);

	record = btf_under(file->btf, &id, BTF_MODIFIERS | 1u << BTF_ARRAY, &(uint32_t){ 0 });
	*bytes = (uint32_t)(bits / 8);
	return record && bits / 8 <= UINT32_MAX && (btf_record_kind(record) == BTF_PTR ||
		btf_kind_of(record[BTF_WORD_INFO])->has_size) ? YES : FAILED;
}

/* ---- candidates ---- */

void core_target_add(struct core_target *target, const struct btf_reader *btf)
{
	uint32_t pointer_bytes = btf_pointer_bytes(btf);
	struct core_file file = { btf, pointer_bytes ? pointer_bytes : 8, { 0 } };

	/* As it does not grow from here on, types of one name are found in order. */
	hash_table_reserve(&file.by_name, btf->type_count);
	for (uint32_t id = btf->first_id; id < btf_reader_end_id(btf); id++) {
		const uint32_t *record = btf_reader_type(btf, id);
		const char *name;

		if (!record[BTF_WORD_NAME] || type_kind(record) == BTF_FUNC)
			continue;
		name = btf_type_name(btf, record);
		hash_table_add(&file.by_name, hash_bytes(name, core_name_length(name)), id);
	}
	array_push(&target->files, file);
}

void core_target_release(struct core_target *target)
{
	for (size_t i = 0; i < target->files.count; i++)
		hash_table_release(&target->files.data[i].by_name);
	array_release(&target->files);
}

void core_load_release(struct core_load *load)
{
	array_release(&load->candidates);
	hash_table_release(&load->by_type);
}

static struct core_candidate *candidates_of(struct core_load *load, uint32_t type)
{
	const uint64_t *slot = hash_table_first(&load->by_type, hash_number(type));
	const uint32_t *record = btf_reader_type(load->local, type);
	const char *name = btf_type_name(load->local, record);
	uint32_t hash = hash_bytes(name, core_name_length(name));
	size_t first = load->candidates.count;

	if (*slot)
		return &load->candidates.data[hash_table_value(slot) - 1];
	for (size_t i = 0; i < load->target->files.count; i++) {
		const struct core_file *file = &load->target->files.data[i];

		if (i == 1 && load->candidates.count > first)
			break;
		slot = hash_table_first(&file->by_name, hash);
		for (; *slot && load->work++ < WORK_MAX;
		     slot = hash_table_next(&file->by_name, slot)) {
			struct core_candidate found = { file, hash_table_value(slot) };
			const uint32_t *other = btf_reader_type(file->btf, found.id);

			if (type_kind(other) == type_kind(record) &&
			    is_same_name(name, btf_type_name(file->btf, other)))
				array_push(&load->candidates, found);
		}
	}
	array_push(&load->candidates, (struct core_candidate){ 0 });
	hash_table_add(&load->by_type, hash_number(type), (uint32_t)first + 1);
	return &load->candidates.data[first];
}

/* ---- two types ---- */

struct comparison {
	struct core_load *load;
	const struct btf_reader *local, *target;
	enum {
		FIELDS,		/* what reads the one can read the other */
		COMPATIBLE,	/* alike but for names, sizes and members */
		MATCHING,	/* the target's has all that the local one has */
	} rule;
};

struct pair {
	uint32_t local_id, target_id;
	const uint32_t *local, *target;
	bool is_behind_pointer;
	uint32_t i, target_i;	/* which of their elements are compared */
};

/* The first element from the i-th on with that name; the count: there is none. */
static uint32_t find_element(const struct comparison *c, const uint32_t *target, uint32_t i,
			     const char *name)
{
	while (i < btf_element_count(target) && c->load->work++ < WORK_MAX &&
	       !is_same_name(name, btf_text(c->target, *btf_element(target, i))))
		i++;
	return i;
}

/* Types of one kind, or a declaration. OPEN: their elements decide. */
static enum answer compare_kind(const struct comparison *c, const struct pair *pair)
{
	const uint32_t *local = pair->local, *target = pair->target;
	const char *name = btf_type_name(c->local, local);
	const char *target_name = btf_type_name(c->target, target);
	enum btf_kind kind = type_kind(local);

	switch (kind) {
	case BTF_FUNC_PROTO:
		return c->rule != FIELDS && btf_element_count(local) == btf_element_count(target)
			       ? OPEN : NO;
	case BTF_INT:
		if (c->rule != MATCHING)
			return !((local[BTF_HEAD_WORDS] | target[BTF_HEAD_WORDS]) >> 16 & 0xff);
		return local[BTF_WORD_SIZE] == target[BTF_WORD_SIZE] &&
		       !((local[BTF_HEAD_WORDS] ^ target[BTF_HEAD_WORDS]) >> 24 & BTF_INT_SIGNED);
	case BTF_FWD:
	case BTF_ENUM:
		if (c->rule == FIELDS)
			return !*name || !*target_name || is_same_name(name, target_name);
		/* fall through */
	case BTF_VOID:
	case BTF_STRUCT:
	case BTF_UNION:
		if (c->rule != MATCHING || (pair->is_behind_pointer && kind != BTF_ENUM))
			return YES;
		if (kind == BTF_VOID || kind == BTF_FWD)
			return btf_declared_kind(local) == btf_declared_kind(target);
		if (kind == BTF_ENUM && local[BTF_WORD_SIZE] != target[BTF_WORD_SIZE])
			return NO;
		return btf_element_count(local) <= btf_element_count(target) ? OPEN : NO;
	default:
		return c->rule == FIELDS && (kind == BTF_FLOAT || kind == BTF_PTR);
	}
}

/* Without modifiers, arrays and pointers; fields are compatible if they are pointers. */
static enum answer compare_types(const struct comparison *c, struct pair *pair)
{
	bool is_match = c->rule == MATCHING;

	for (uint32_t i = 0; i < LEVELS_MAX; i++) {
		const uint32_t *local = pair->local = type_under(c->local, &pair->local_id);
		const uint32_t *target = pair->target = type_under(c->target, &pair->target_id);
		enum btf_kind kind = type_kind(local), target_kind = type_kind(target);
		bool is_pointer = kind == BTF_PTR && c->rule != FIELDS;
		uint32_t word = is_pointer ? BTF_WORD_TYPE : BTF_HEAD_WORDS;

		if (is_match && !is_same_name(btf_type_name(c->local, local),
					      btf_type_name(c->target, target)))
			return NO;
		if (c->rule == FIELDS && btf_kind_is_aggregate(kind) &&
		    btf_kind_is_aggregate(target_kind))
			return YES;
		if (kind != target_kind && !(is_match && pair->is_behind_pointer &&
					     btf_declared_kind(local) == btf_declared_kind(target)))
			return NO;
		if (!is_pointer && kind != BTF_ARRAY)
			return compare_kind(c, pair);
		if (is_match && !is_pointer &&
		    local[BTF_HEAD_WORDS + 2] != target[BTF_HEAD_WORDS + 2])
			return NO;
		pair->local_id = local[word];
		pair->target_id = target[word];
		pair->is_behind_pointer |= is_pointer;
	}
	return FAILED;
}

/*
 * The next two elements of a pair, after the answer for those before (OPEN: there were none). OPEN:
 * *next is to be compared. Otherwise the answer is that for the pair.
 */
static enum answer next_elements(const struct comparison *c, struct pair *pair, enum answer answer,
				 struct pair *next)
{
	const uint32_t *local = pair->local, *target = pair->target;
	bool is_enum = type_kind(local) == BTF_ENUM;
	uint32_t word;

	*next = (struct pair){ .is_behind_pointer = pair->is_behind_pointer };
	if (c->load->work++ >= WORK_MAX)
		return FAILED;
	pair->i += answer == YES;
	pair->target_i = answer == NO ? pair->target_i + 1 : 0;
	if (type_kind(local) == BTF_FUNC_PROTO) {	/* what it returns, then its parameters */
		word = BTF_WORD_TYPE + 2 * pair->i;
		if (answer == NO || pair->i > btf_element_count(local))
			return answer;
		next->local_id = local[word];
		next->target_id = target[word];
		return OPEN;
	}
	if (pair->i == btf_element_count(local))
		return YES;
	local = btf_element(local, pair->i);
	pair->target_i = find_element(c, target, pair->target_i, btf_text(c->local, *local));
	if (pair->target_i == btf_element_count(target))
		return NO;
	next->local_id = is_enum ? 0 : local[1];
	next->target_id = is_enum ? 0 : btf_element(target, pair->target_i)[1];
	return OPEN;
}

static enum answer compare(const struct comparison *c, uint32_t local_id, uint32_t target_id)
{
	struct pair pair = { .local_id = local_id, .target_id = target_id }, outer[LEVELS_MAX];
	enum answer answer;
	uint32_t depth = 0;

	do {
		answer = compare_types(c, &pair);
		if (answer == OPEN && depth == LEVELS_MAX)
			return FAILED;
		if (answer == OPEN)
			outer[depth++] = pair;
		for (; depth && answer != FAILED; depth--) {
			answer = next_elements(c, &outer[depth - 1], answer, &pair);
			if (answer == OPEN)
				break;
		}
	} while (answer == OPEN);
	return answer;
}

bool core_types_are_compatible(const struct btf_reader *local, uint32_t local_id,
			       const struct btf_reader *target, uint32_t target_id)
{
	const struct comparison c = { &(struct core_load){ 0 }, local, target, COMPATIBLE };

	return compare(&c, local_id, target_id) == YES;
}

/* ---- what a relocation leads to ---- */

/* A place in a type. */
struct place {
	const struct core_file *file;
	uint32_t root, type, offset_bits;
	const uint32_t *record, *member;	/* of what it is; NULL: an element of an array */
	uint64_t value;
	uint32_t size_bytes;	/* of a load or store; 0: of a bit field, or not asked for */
	enum btf_kind size_of;	/* PTR, INT if it is not signed; else VOID */
};

/* The root is an element, too. */
static enum answer place_find_element(struct place *place, uint32_t index, bool is_root)
{
	const uint32_t *record = type_under(place->file->btf, &place->type);
	const uint32_t *owner = place->record;
	uint32_t bytes, count;

	if (!is_root) {
		if (type_kind(record) != BTF_ARRAY)
			return NO;
		count = record[BTF_HEAD_WORDS + 2];
		/* A flexible array is the last member. */
		if (index >= count &&
		    (count || !place->member ||
		     place->member != btf_element(owner, btf_element_count(owner) - 1)))
			return NO;
		place->type = record[BTF_HEAD_WORDS];
		type_under(place->file->btf, &place->type);
	}
	place->member = NULL;
	if (type_size(place->file, place->type, &bytes) == FAILED)
		return FAILED;
	place->offset_bits += index * bytes * 8;
	return YES;
}

/* Also in structs and unions without a name; an enumerator if local_id is 0. */
static enum answer place_find_member(struct place *place, const struct comparison *c,
				     const char *name, uint32_t local_id)
{
	const uint32_t *record = type_under(c->target, &place->type);
	struct btf_members walk = { 0 };

	if (!local_id && type_kind(record) == BTF_ENUM) {
		uint32_t i = find_element(c, record, 0, name);

		place->member = btf_element(record, i);
		return i < btf_element_count(record);
	}
	if (!local_id || !btf_kind_is_aggregate(type_kind(record)))
		return NO;
	btf_members_enter(&walk, record, place->offset_bits);
	while (btf_members_next(&walk) && c->load->work++ < WORK_MAX) {
		const char *found;

		if (walk.has_ended)
			continue;
		found = btf_text(c->target, walk.words[0]);
		record = btf_skip_modifiers(c->target, walk.words[1]);
		if (*found && strncmp(name, found, BTF_NAME_BYTES_MAX) == 0) {
			place->record = walk.bodies[walk.depth - 1].record;
			place->member = walk.words;
			place->type = walk.words[1];
			place->offset_bits = (uint32_t)walk.offset_bits;
			return compare(c, local_id, place->type);
		}
		if (!*found && btf_kind_is_aggregate(type_kind(record)) &&
		    !btf_members_enter(&walk, record, walk.offset_bits))
			return FAILED;
	}
	return NO;
}

/* From the root, by the numbers of the access; `out`, unless NULL, has what they are called. */
static enum answer place_find(struct place *place, struct core_load *load,
			      const struct core_relocation *relocation, struct text *out)
{
	struct comparison c = { load, load->local, place->file->btf, FIELDS };
	const char *at = btf_text(c.local, relocation->access);
	bool is_enum = core_kinds[relocation->kind].of == CORE_ENUMERATOR;
	uint32_t id = relocation->type;
	enum answer answer = NO;

	place->type = place->root;
	for (uint32_t i = 0; i < STEPS_MAX; i++, at++) {
		size_t digits = strspn(at, "0123456789");
		uint32_t index = digits < 10 ? (uint32_t)strtoul(at, NULL, 10) : UINT32_MAX;
		const uint32_t *record = type_under(c.local, &id), *element;
		enum btf_kind kind = type_kind(record);
		const char *name = NULL;

		if (i ? kind == BTF_ARRAY : !is_enum) {
			id = i ? record[BTF_HEAD_WORDS] : id;
			answer = place_find_element(place, index, !i);
			if (out && (i || index))
				text_add_format(out, "[%u]", index);
		} else if ((i ? btf_kind_is_aggregate(kind) : kind == BTF_ENUM) &&
			   index < btf_element_count(record)) {
			element = btf_element(record, index);
			name = btf_text(c.local, element[0]);
			id = element[1];
			if (*name || is_enum)
				answer = place_find_member(place, &c, name, is_enum ? 0 : id);
			if (out && *name)
				text_add_clean_in(out, is_enum ? "::" : ".", name, "");
		} else {
			return FAILED;
		}
		at += digits;
		if (answer != YES || !digits || *at != ':')
			return answer == YES && (!digits || *at) ? FAILED : answer;
	}
	return FAILED;
}

static enum answer place_value(struct place *place, enum core_kind kind)
{
	const struct core_file *file = place->file;
	uint32_t id = place->type, bytes, byte = place->offset_bits / 8, to_byte, bits = 0;
	const uint32_t *record = type_under(file->btf, &id);
	enum btf_kind kind_of = type_kind(record);
	uint32_t encoding = kind_of == BTF_INT ? record[BTF_HEAD_WORDS] >> 24 & 0xf : 0;
	bool is_bit_field;

	place->value = kind == CORE_TYPE_ID_TARGET ? place->root : 1;
	if (!core_kinds[kind].is_poison && kind != CORE_TYPE_SIZE)
		return YES;
	if (kind == CORE_ENUMVAL_VALUE) {	/* libbpf takes what has 32 bits for signed */
		place->value = btf_record_kind(record) == BTF_ENUM
				       ? (uint64_t)(int64_t)(int32_t)place->member[1]
				       : btf_enumerator_value(record, place->member);
		return YES;
	}
	if (place->member)
		bits = btf_member_bits(place->record[BTF_WORD_INFO], place->member);
	is_bit_field = bits;
	if (type_size(file, id, &bytes) == FAILED || (is_bit_field && !bytes) ||
	    (!place->member && kind >= CORE_FIELD_SIGNED && kind != CORE_TYPE_SIZE))
		return FAILED;
	/* It is read by the smallest number of bytes that has all of it. */
	for (; is_bit_field; bytes *= 2) {
		byte = place->offset_bits / 8 / bytes * bytes;
		if (place->offset_bits + bits - byte * 8 <= bytes * 8)
			break;
		if (bytes >= 8)
			return FAILED;
	}
	to_byte = place->offset_bits - byte * 8;
	bits = is_bit_field ? bits : 8 * bytes;
	switch (kind) {
	case CORE_FIELD_BYTE_OFFSET:
		place->value = byte;
		if (is_bit_field)
			return YES;
		if (kind_of == BTF_PTR || (kind_of == BTF_INT && encoding != BTF_INT_SIGNED))
			place->size_of = kind_of;
		btf_under(file->btf, &id, BTF_MODIFIERS | 1u << BTF_ARRAY, &(uint32_t){ 0 });
		return type_size(file, id, &place->size_bytes);
	case CORE_FIELD_SIGNED:
		place->value = (kind_of == BTF_ENUM && btf_info_kind_flag(record[BTF_WORD_INFO])) ||
			       (kind_of == BTF_INT && encoding & BTF_INT_SIGNED);
		return YES;
	case CORE_FIELD_LSHIFT_U64:
		place->value = file->btf->swapped != HOST_IS_BIG_ENDIAN
				       ? (8 - bytes) * 8 + to_byte : 64 - (to_byte + bits);
		return YES;
	default:
		place->value = kind == CORE_FIELD_RSHIFT_U64 ? 64 - bits : bytes;
		return YES;
	}
}

/* Loads and stores get the size of the field, if it is a pointer or unsigned. */
static const char *patch(struct core_value *value, uint8_t opcode, const struct place *local,
			 const struct place *target)
{
	static const uint8_t sizes[] = { 4, 2, 1, 8 };
	uint32_t size = target->size_bytes;

	if ((opcode & 7) < 1 || (opcode & 7) > 3)	/* neither LDX, ST nor STX */
		return NULL;
	if (value->value > INT16_MAX)
		return "the offset is too large for a load or store";
	if (size == local->size_bytes)
		return NULL;
	if (!local->size_of || local->size_of != target->size_of)
		value->is_poisoned = true;
	else if (sizes[opcode >> 3 & 3] != local->size_bytes || !size || size > 8 ||
		 size & (size - 1))
		return "no load or store has the size of the field";
	return NULL;
}

/* NULL, or why libbpf gives up. */
static const char *find_value(struct core_value *value, struct core_load *load,
			      const struct core_relocation *relocation, const struct place *local)
{
	struct core_candidate *next = candidates_of(load, local->root), *left = next;
	struct place first = { 0 };
	bool is_match = relocation->kind == CORE_TYPE_MATCHES;

	value->lacks_type = !next->file;
	for (; next->file; next++) {
		struct comparison c = { load, load->local, next->file->btf,
					is_match ? MATCHING : COMPATIBLE };
		struct place place = { .file = next->file, .root = next->id, .type = next->id };
		enum answer answer = core_kinds[relocation->kind].of == CORE_TYPE
					     ? compare(&c, local->root, place.root)
					     : place_find(&place, load, relocation, NULL);

		if (answer == YES)
			answer = place_value(&place, relocation->kind);
		if (answer == FAILED)
			return "it has no size in a type of that name, or one too large";
		if (answer == NO)
			continue;
		if (value->is == CORE_UNMATCHED)
			first = place;
		value->is = CORE_MATCHED;
		if (place.offset_bits != first.offset_bits || place.value != first.value)
			return "types of that name differ in it";
		*left++ = *next;
	}
	if (value->is == CORE_MATCHED)
		left->file = NULL;
	value->value = first.value;
	value->is_poisoned = value->is == CORE_UNMATCHED && core_kinds[relocation->kind].is_poison;
	return value->is_poisoned ? NULL : patch(value, relocation->opcode, local, &first);
}

bool core_resolve(struct core_value *value, struct core_load *load,
		  const struct core_relocation *relocation, struct text *name, struct error *err)
{
	const struct core_file file = { .btf = load->local, .pointer_bytes = 8 };
	struct place local = { .file = &file, .root = relocation->type, .type = relocation->type };
	const uint32_t *record = btf_reader_type(load->local, relocation->type);
	const char *word = btf_keywords[btf_declared_kind(record)];
	const char *type = btf_type_name(file.btf, record);
	const char *access = btf_text(file.btf, relocation->access);

	*value = (struct core_value){ .is = CORE_UNMATCHED };
	if (name) {
		text_add_clean_in(name, word ? word : "", word ? " " : "", "");
		text_add_clean(name, type);
	}
	if (!record || relocation->kind >= CORE_KIND_COUNT ||
	    (core_kinds[relocation->kind].of == CORE_TYPE
		     ? strcmp(access, "0") != 0
		     : place_find(&local, load, relocation, name) != YES))
		return error_at(err, file.btf->name,
				"the CO-RE relocation of the instruction at 0x%x (type %u, access "
				"\"%.80s\", kind %u) does not fit its types; compile it again",
				relocation->instruction_byte, local.root, access, relocation->kind);
	if (relocation->kind == CORE_TYPE_ID_LOCAL)
		*value = (struct core_value){ .is = CORE_MATCHED, .value = local.root };
	else if (!*type)
		value->why = "its type has no name";
	else if (place_value(&local, relocation->kind) == FAILED)
		value->why = "it has no size in the object, or one too large";
	else
		value->why = find_value(value, load, relocation, &local);
	if (value->why)
		*value = (struct core_value){ .is = CORE_FAILED, .why = value->why };
	if (load->work < WORK_MAX)
		return true;
	return error_at(err, file.btf->name, "its types cannot be compared with a kernel's in %d "
			"steps: one contains itself; run btfenc check on both", WORK_MAX);
}
