/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/types/types.h"

#include <inttypes.h>
#include <stdlib.h>

#include "kallsyms/suffix.h"
#include "kernel/registered.h"

/* ---- what is asked for ---- */

int type_query_parse(struct type_query *query, const char *name, const char *tag)
{
	const char *slash = strncmp(name, "struct_ops", 10) == 0 ? strchr(name, '/') : NULL;
	size_t length = strcspn(name, " ");
	enum btf_kind kind = slash ? BTF_STRUCT : btf_keyword_kind(name, length);
	int words = 1;
	char *dot, *plain, *arrow;

	*query = (struct type_query){ .kind = kind, .is_ops = slash };
	if (slash) {
		name = slash + 1;
	} else if (kind != BTF_VOID && name[length]) {
		name += length + strspn(name + length, " ");
	} else if (kind != BTF_VOID) {
		words += tag != NULL;
		name = tag ? tag : "";
	}
	plain = memory_copy(name);
	/* As in C: task_struct->mm. */
	while ((arrow = strstr(plain, "->"))) {
		*arrow = '.';
		memmove(arrow + 1, arrow + 2, strlen(arrow + 1));
	}
	dot = strchr(plain, '.');
	/* foo.isra.0 is a symbol of a function, foo.cold+0x4 an address in its code; but GCC's
	   .part has a number, and struct request has a member of that name. */
	if (kind == BTF_VOID && (!dot || strchr(dot, '+') ||
				 (symbol_parse(plain).base_length != strlen(plain) &&
				  !text_ends_with(plain, ".part")))) {
		free(plain);
		return 0;
	}
	query->path = memory_string(dot ? dot + 1 : "", dot ? strlen(dot + 1) : 0);
	if (dot)
		*dot = '\0';
	query->name = plain;
	return words;
}

void type_query_release(struct type_query *query)
{
	free(query->name);
	free(query->path);
}

/* ---- types ---- */

#define RANK_ENUMERATOR 1

/* How well a record answers the query: 0 not at all. A typedef is what has no tag. */
static int rank_of(const struct type_query *query, enum btf_kind kind)
{
	if (kind == BTF_ENUM64)
		kind = BTF_ENUM;
	if (query->kind != BTF_VOID)
		return kind == query->kind;
	return kind == BTF_STRUCT ? 5 : kind == BTF_UNION ? 4 : kind == BTF_ENUM ? 3
				  : kind == BTF_TYPEDEF	   ? RANK_ENUMERATOR + 1 : 0;
}

uint32_t type_aggregate(const struct btf_reader *btf, uint32_t id, bool pointers, bool *by_pointer)
{
	uint32_t kinds = BTF_MODIFIERS | (pointers ? 1u << BTF_PTR | 1u << BTF_ARRAY : 0);
	uint32_t passed = 0;
	enum btf_kind kind = btf_record_kind(btf_under(btf, &id, kinds, &passed));

	*by_pointer |= passed >> BTF_PTR & 1;
	return btf_kind_is_aggregate(kind) ? id : 0;
}

/* ---- members ---- */

/* Is it the same name, or with another beginning of its prefix, as skc_state is for sk_state? */
static bool is_namesake(const char *name, const char *wanted)
{
	const char *a = memchr(name, '_', strnlen(name, NEAR_LENGTH_MAX));
	const char *b = strchr(wanted, '_');
	size_t shared = 0;

	while (name[shared] && name[shared] == wanted[shared])
		shared++;
	return strcmp(name, wanted) == 0 ||
	       (a && b && a != name && b != wanted && strcmp(a, b) == 0 &&
		(name + shared == a || wanted + shared == b));
}

/* For a walk over members, which damage may make endless. */
static size_t steps_of(const struct btf_reader *btf)
{
	size_t steps = 0;

	for (; btf; btf = btf->base)
		steps += btf->data_bytes / sizeof(uint32_t);
	return steps;
}

/*
 * Of the name that begins at `name`, in the aggregate, which is at `offset_bits`. In C no member is
 * met twice, as its name would be; a damaged union may contain itself.
 */
static bool find_member(struct type_found *found, uint32_t id, uint64_t offset_bits,
			const char *name, size_t length)
{
	const struct btf_reader *btf = found->btf;
	struct btf_members walk = { 0 };
	size_t steps = steps_of(btf);

	btf_members_enter(&walk, btf_reader_type(btf, id), offset_bits);
	while (btf_members_next(&walk) && steps--) {
		const char *text;
		uint32_t inner;

		if (walk.has_ended)
			continue;
		text = btf_text(btf, walk.words[0]);
		if (strncmp(text, name, length) == 0 && !text[length]) {
			found->member = btf_members_layout(&walk, btf, found->types.word_bytes);
			return true;
		}
		inner = *text ? 0 : type_aggregate(btf, walk.words[1], false, &(bool){ false });
		if (inner)
			btf_members_enter(&walk, btf_reader_type(btf, inner), walk.offset_bits);
	}
	return false;
}

/*
 * Members of the aggregate, and of those that it holds what the kernel's macros name: sk_state is
 * __sk_common.skc_state.
 */
static void offer_members(struct near_names *near, const struct btf_reader *btf, uint32_t id)
{
	const char *outer[BTF_MEMBERS_DEPTH + 1] = { 0 };	/* the members that are open, */
	bool is_held[BTF_MEMBERS_DEPTH + 1] = { 0 };		/* and one up to here has a name */
	struct btf_members walk = { 0 };
	size_t steps = steps_of(btf);

	btf_members_enter(&walk, btf_reader_type(btf, id), 0);
	while (btf_members_next(&walk) && steps--) {
		uint32_t inner, depth = walk.depth;
		const char *name;
		struct text path = { 0 };

		if (walk.has_ended)
			continue;
		name = btf_text(btf, walk.words[0]);
		inner = type_aggregate(btf, walk.words[1], false, &(bool){ false });
		if (inner && btf_members_enter(&walk, btf_reader_type(btf, inner), 0)) {
			outer[walk.depth] = name;
			is_held[walk.depth] = is_held[depth] || *name;
		}
		if (!is_held[depth])
			near_names_offer(near, name, "member");
		if (!is_held[depth] || !is_namesake(name, near->wanted))
			continue;
		for (uint32_t i = 2; i <= depth && path.count < NEAR_LENGTH_MAX; i++)
			text_add_format(&path, "%.*s%s", NEAR_LENGTH_MAX, outer[i],
					*outer[i] ? "." : "");
		text_add_format(&path, "%.*s", NEAR_LENGTH_MAX, name);
		if (path.count <= NEAR_LENGTH_MAX)
			near_names_add(near, path.data, "member", 0);
		array_release(&path);
	}
}

/* From a member to what members of it are in, by the first elements of arrays. */
static void pass_layers(struct type_found *found, struct text *accessors, uint32_t *type,
			bool *by_pointer)
{
	for (uint32_t i = 0; i < BTF_LAYERS_MAX; i++) {
		const uint32_t *record = btf_skip_modifiers(found->btf, *type);
		enum btf_kind kind = btf_record_kind(record);

		if (kind != BTF_ARRAY && kind != BTF_PTR)
			return;
		text_add_string(accessors, kind == BTF_ARRAY || *by_pointer ? "[0]" : "");
		found->is_indirect |= *by_pointer;
		*by_pointer |= kind == BTF_PTR;
		*type = record[kind == BTF_ARRAY ? BTF_HEAD_WORDS : BTF_WORD_TYPE];
	}
}

/* "[3]": the member becomes that element. Returns its length; 0: there is none. */
static size_t take_index(struct type_found *found, struct text *accessors, const char *path)
{
	struct btf_member_layout *member = &found->member;
	const uint32_t *array = btf_skip_modifiers(found->btf, member->type);
	size_t digits = strspn(path + 1, "0123456789");
	uint64_t index = strtoull(path + 1, NULL, 10), size_bits, offset_bits;
	const uint32_t *bit_int = NULL;

	if (!digits || path[1 + digits] != ']' || btf_record_kind(array) != BTF_ARRAY)
		return 0;
	size_bits = btf_type_bits(found->btf, array[BTF_HEAD_WORDS], found->types.word_bytes,
				  &bit_int);
	/* An array of 0 elements is a flexible one. */
	if (index >= (array[BTF_HEAD_WORDS + 2] ? array[BTF_HEAD_WORDS + 2] : UINT32_MAX) ||
	    __builtin_mul_overflow(index, size_bits, &offset_bits) ||
	    __builtin_add_overflow(offset_bits, member->offset_bits, &offset_bits))
		return 0;
	*member = (struct btf_member_layout){ .type = array[BTF_HEAD_WORDS],
					      .offset_bits = offset_bits, .size_bits = size_bits };
	text_add_format(accessors, "[%" PRIu64 "]", index);
	return digits + 2;
}

static void find_path(struct type_found *found, const char *path)
{
	const uint32_t *record = btf_skip_modifiers(found->btf, found->id);
	struct text accessors = { 0 };
	uint32_t type = found->id;
	uint64_t offset_bits = 0;
	bool first = true;
	size_t length;

	if (btf_kind_is_enum(btf_record_kind(record))) {
		found->enumerator = type_enumerator(&found->types, record, path);
		found->missing = found->enumerator ? NULL : path;
		return;
	}
	for (;; path++, first = false) {
		bool by_pointer = false;
		uint32_t container;

		if (!first)
			pass_layers(found, &accessors, &type, &by_pointer);
		container = type_aggregate(found->btf, type, false, &(bool){ false });
		length = strcspn(path, ".[");
		found->container = container ? container : first ? found->id : 0;
		if (first || by_pointer) {
			offset_bits = 0;
			found->base = container;
		}
		if (!container || !length ||
		    !find_member(found, container, offset_bits, path, length)) {
			found->missing = path;
			break;
		}
		text_add_string(&accessors, first ? "" : by_pointer ? ", " : ".");
		text_add(&accessors, path, length);
		path += length;
		while (*path == '[' && (length = take_index(found, &accessors, path)))
			path += length;
		type = found->member.type;
		offset_bits = found->member.offset_bits;
		if (*path != '.') {
			found->container = *path ? 0 : found->container;
			found->missing = *path ? path : NULL;
			break;
		}
	}
	found->accessors = text_finish(&accessors);
}

/* CO-RE finds an enum by its name: without one, by a typedef's. */
static uint32_t named_enum(const struct btf_reader *btf, uint32_t id)
{
	const uint32_t *wanted = btf_reader_type(btf, id);
	bool is_named = *btf_type_name(btf, wanted);

	for (uint32_t i = 1; !is_named && i < btf_reader_end_id(btf); i++) {
		if (btf_record_kind(btf_reader_type(btf, i)) == BTF_TYPEDEF &&
		    btf_skip_modifiers(btf, i) == wanted)
			return i;
	}
	return id;
}

void type_find(struct type_found *found, const struct btf_reader *btf,
	       const struct type_query *query)
{
	uint32_t pointer_bytes = btf_pointer_bytes(btf);
	bool may_be_lone = query->kind == BTF_VOID && !*query->path;
	int best = 0;

	*found = (struct type_found){ .btf = btf, .types = { .btf = btf } };
	found->types.word_bytes = pointer_bytes ? (uint8_t)pointer_bytes : 8;
	for (uint32_t id = 1; id < btf_reader_end_id(btf); id++) {
		const uint32_t *record = btf_reader_type(btf, id);
		int rank = rank_of(query, btf_record_kind(record));
		const char *name = rank ? btf_type_name(btf, record) : "";
		const char *implemented = rank ? registered_ops_of(&found->types, record) : NULL;
		const uint32_t *enumerator = NULL;

		found->has_ops |= implemented && strcmp(implemented, query->name) == 0;
		if (rank && strcmp(name, query->name) != 0)
			rank = 0;
		if (!rank && may_be_lone && best <= RANK_ENUMERATOR) {
			enumerator = type_enumerator(&found->types, record, query->name);
			rank = enumerator ? RANK_ENUMERATOR : 0;
		}
		if (!rank || rank < best)
			continue;
		found->namesakes = rank == best ? found->namesakes + 1 : 0;
		if (rank > best) {
			found->id = found->container = id;
			found->enumerator = enumerator;
		}
		best = rank;
	}
	if (query->is_ops && !found->has_ops)
		found->id = found->namesakes = 0;
	if (found->enumerator)
		found->id = found->container = named_enum(btf, found->id);
	if (found->id && *query->path)
		find_path(found, query->path);
}

void type_find_near(struct near_names *near, const struct type_found *found,
		    const struct type_query *query)
{
	const uint32_t *record;

	for (uint32_t id = 1; !found->id && id < btf_reader_end_id(found->btf); id++) {
		const char *keyword;

		record = btf_reader_type(found->btf, id);
		keyword = btf_keywords[btf_record_kind(record)];
		if (rank_of(query, btf_record_kind(record)))
			near_names_offer(near, btf_type_name(found->btf, record), keyword);
	}
	if (!found->id || !found->missing || !found->container)
		return;
	record = btf_skip_modifiers(found->btf, found->container);
	for (uint32_t i = 0; btf_kind_is_enum(btf_record_kind(record)) &&
			     i < btf_element_count(record); i++)
		near_names_offer(near, btf_text(found->btf, *btf_element(record, i)), "");
	record = btf_reader_type(found->btf, found->container);
	if (btf_kind_is_aggregate(btf_record_kind(record)))
		offer_members(near, found->btf, found->container);
}

char *type_find_meant(const struct type_found *found, const struct type_query *query)
{
	const uint32_t *record = found->container && found->missing
		? btf_reader_type(found->btf, found->container) : NULL;
	size_t length = record ? strcspn(found->missing, ".[") : 0;
	char *wanted = memory_string(record ? found->missing : "", length), *path = NULL;
	struct near_names near;

	near_names_init(&near, wanted);
	if (btf_kind_is_aggregate(btf_record_kind(record)))
		offer_members(&near, found->btf, found->container);
	if (near.count && strchr(near.names[0].name, '.') &&
	    (near.count == 1 || !strchr(near.names[1].name, '.')))
		path = text_format("%.*s%s%s", (int)(found->missing - query->path), query->path,
				   near.names[0].name, found->missing + length);
	near_names_release(&near);
	free(wanted);
	return path;
}

void type_found_release(struct type_found *found)
{
	free(found->accessors);
}
