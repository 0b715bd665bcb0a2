/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The verifier's second pass: what each reference may point to, loops, nesting.
 *
 * The kernel's verdict depends on the order in which it walks, so this walk has the same order:
 * ids ascending, depth first, at most 32 types on the stack, and what a type "needs" depends on
 * how the walk began (enum mode): a pointer ends the walk through structs and arrays, a struct or
 * array ends the walk through pointers. A type that was walked once is never walked again; a
 * modifier that was reached through a pointer may therefore lead to an array whose size is not
 * known yet (0), and a pointer to a FUNC passes only if the FUNC was walked before. Both are the
 * kernel's own behaviour.
 *
 * After an error the type is VISIT_BAD and the walk goes on: one error is one finding.
 */
#include "btf/verify/verify_state.h"

enum mode {
	MODE_ANY,
	MODE_POINTER,
	MODE_AGGREGATE,
};

#define WALKED                                                                                     \
	(BTF_MODIFIERS | BTF_RECORDS | 1u << BTF_PTR | 1u << BTF_ARRAY | 1u << BTF_VAR |           \
	 1u << BTF_FUNC | 1u << BTF_DECL_TAG | 1u << BTF_DATASEC)
#define NEVER_REFERENCED                                                                           \
	(1u << BTF_VAR | 1u << BTF_DECL_TAG | 1u << BTF_DATASEC | BTF_LOCATIONS)
#define SIZELESS_TARGETS (1u << BTF_VOID | 1u << BTF_FWD | 1u << BTF_FUNC_PROTO)
#define TAG_TARGETS	 (BTF_RECORDS | 1u << BTF_FUNC | 1u << BTF_VAR | 1u << BTF_TYPEDEF)

static const uint32_t followed[] = {
	[MODE_ANY] = WALKED,
	[MODE_POINTER] = BTF_MODIFIERS | 1u << BTF_PTR,
	[MODE_AGGREGATE] = BTF_MODIFIERS | BTF_RECORDS | 1u << BTF_ARRAY,
};

struct frame {
	uint32_t id;
	uint32_t next_element;		/* struct, union, DATASEC: where to go on */
	bool bad;			/* an element was reported */
};

struct walk {
	struct verifier *v;
	enum mode mode;
	uint32_t depth;
	struct frame stack[MAX_DEPTH];
};

enum step {
	STEP_READY,			/* the referenced type is known as far as it is needed */
	STEP_WAIT,			/* it was pushed; come back */
	STEP_FAILED,			/* reported */
};

static enum step fail(struct verifier *v, enum btf_rule rule, uint32_t id, uint32_t element,
		      uint32_t value)
{
	verify_report(v, rule, id, element, value);
	return STEP_FAILED;
}

static void push(struct walk *walk, uint32_t id)
{
	uint32_t bit = type_bit(walk->v, id);

	walk->v->visits[id - walk->v->first_id] = VISIT_OPEN;
	walk->stack[walk->depth++] = (struct frame){ .id = id };
	if (walk->mode != MODE_ANY)
		return;
	if (bit & kind_bit(BTF_PTR))
		walk->mode = MODE_POINTER;
	else if (bit & (BTF_RECORDS | kind_bit(BTF_ARRAY)))
		walk->mode = MODE_AGGREGATE;
}

static enum step follow(struct walk *walk, uint32_t from, uint32_t element, uint32_t to)
{
	struct verifier *v = walk->v;

	if (!(followed[walk->mode] & type_bit(v, to)) || type_visit(v, to) == VISIT_DONE ||
	    type_visit(v, to) == VISIT_BAD || to < v->btf->first_id)
		return STEP_READY;
	if (walk->depth == MAX_DEPTH)
		return fail(v, BTF_RULE_REF_DEPTH, from, element, to);
	if (type_visit(v, to) == VISIT_OPEN)
		return fail(v, BTF_RULE_REF_LOOP, from, element, to);
	push(walk, to);
	return STEP_WAIT;
}

/* A reference to a type that exists and is none of `forbidden` (kind bits). */
static enum step reach(struct walk *walk, uint32_t from, uint32_t element, uint32_t to,
		       uint32_t forbidden)
{
	uint32_t bit;

	if (to >= walk->v->end_id)
		return fail(walk->v, BTF_RULE_REF_MISSING, from, element, to);
	bit = type_bit(walk->v, to);
	if (bit & (forbidden | NEVER_REFERENCED))
		return fail(walk->v, bit & SIZELESS ? BTF_RULE_REF_NO_SIZE : BTF_RULE_REF_KIND,
			    from, element, to);
	return follow(walk, from, element, to);
}

/* Where a modifier, PTR or VAR leads; to kinds without size only where `sizeless` has them. */
static enum step settle(struct verifier *v, uint32_t id, uint32_t to, uint32_t sizeless)
{
	uint32_t end = to;
	uint32_t size;

	if (verify_sized(v, &end, &size) == SIZED_NO) {
		end = to;
		if (to < v->btf->first_id)
			end = verify_end_in_base(v, to);
		else if (type_visit(v, to) == VISIT_DONE)
			end = type_end(v, to);
		/* A FUNC of the base counts as walked: it leads to its prototype. */
		if (end < v->btf->first_id && type_bit(v, end) & kind_bit(BTF_FUNC))
			end = verify_end_in_base(v, type_words(v, end)[BTF_WORD_TYPE]);
		if (!(type_bit(v, end) & sizeless))
			return fail(v, BTF_RULE_REF_NO_SIZE, id, BTF_NO_ELEMENT, to);
	}
	v->ends[id - v->first_id] = end;
	return STEP_READY;
}

/* libbpf names the parameters of a kfunc that is extern, and gives a ksym a type with a size. */
static bool is_open_extern(const struct verifier *v, uint32_t linkage)
{
	return v->options->dialect == BTF_DIALECT_OBJECT && linkage == BTF_LINKAGE_EXTERN;
}

/*
 * A modifier, PTR or VAR. A modifier below a PTR or VAR may lead to a pointer that is still to be
 * walked, because the modifier was met inside a struct, where pointers end the walk.
 */
static enum step walk_pointer(struct walk *walk, uint32_t id, const uint32_t *record)
{
	struct verifier *v = walk->v;
	uint32_t to = record[BTF_WORD_TYPE];
	enum step step = reach(walk, id, BTF_NO_ELEMENT, to, 0);

	if (step == STEP_READY && !(type_bit(v, id) & BTF_MODIFIERS) &&
	    type_bit(v, to) & BTF_MODIFIERS && type_bit(v, type_end(v, to)) & kind_bit(BTF_PTR))
		step = follow(walk, id, BTF_NO_ELEMENT, type_end(v, to));
	if (step != STEP_READY)
		return step;
	return settle(v, id, to, type_bit(v, id) & kind_bit(BTF_VAR) &&
				 !is_open_extern(v, record[BTF_HEAD_WORDS]) ? 0 : SIZELESS_TARGETS);
}

static enum step walk_array(struct walk *walk, uint32_t id, const uint32_t *record)
{
	struct verifier *v = walk->v;
	uint32_t element = record[BTF_HEAD_WORDS];
	uint32_t index = record[BTF_HEAD_WORDS + 1];
	uint32_t count = record[BTF_HEAD_WORDS + 2];
	uint32_t size = 0;
	enum step step = reach(walk, id, BTF_NO_ELEMENT, index, SIZELESS);
	enum sized sized;

	if (step != STEP_READY)
		return step;
	sized = verify_sized(v, &index, &size);
	if (sized == SIZED_NO || (sized == SIZED_YES && type_visit(v, index) != VISIT_BAD &&
				  (!(type_bit(v, index) & kind_bit(BTF_INT)) ||
				   !verify_int_is_plain(type_words(v, index)))))
		return fail(v, BTF_RULE_ARRAY_INDEX, id, BTF_NO_ELEMENT, index);
	step = reach(walk, id, BTF_NO_ELEMENT, element, SIZELESS);
	if (step != STEP_READY)
		return step;
	sized = verify_sized(v, &element, &size);
	if (sized == SIZED_UNKNOWN)
		return STEP_FAILED;
	if (sized == SIZED_NO)
		return fail(v, BTF_RULE_REF_NO_SIZE, id, BTF_NO_ELEMENT, element);
	if (type_bit(v, element) & kind_bit(BTF_INT) && type_visit(v, element) != VISIT_BAD &&
	    !verify_int_is_plain(type_words(v, element)))
		return fail(v, BTF_RULE_ARRAY_ELEMENT, id, BTF_NO_ELEMENT, element);
	if (__builtin_mul_overflow(size, count, &v->sizes[id - v->first_id]))
		return fail(v, BTF_RULE_ARRAY_OVERFLOW, id, BTF_NO_ELEMENT, count);
	v->ends[id - v->first_id] = element;
	return STEP_READY;
}

static enum step walk_record(struct walk *walk, struct frame *frame, const uint32_t *record)
{
	struct verifier *v = walk->v;
	uint32_t id = frame->id;
	uint32_t count = btf_info_vlen(record[BTF_WORD_INFO]);

	if (frame->next_element)
		frame->bad |= !verify_member(v, id, frame->next_element - 1);
	for (uint32_t i = frame->next_element; i < count; i++) {
		uint32_t to = record[BTF_HEAD_WORDS + 3 * i + 1];

		switch (reach(walk, id, i, to, SIZELESS)) {
		case STEP_READY:
			frame->bad |= !verify_member(v, id, i);
			break;
		case STEP_WAIT:
			frame->next_element = i + 1;
			return STEP_WAIT;
		case STEP_FAILED:
			frame->bad = true;
			break;
		}
	}
	return frame->bad ? STEP_FAILED : STEP_READY;
}

/* An entry whose VAR had to be walked first escapes the size check: so it does in the kernel. */
static enum step walk_datasec(struct walk *walk, struct frame *frame, const uint32_t *record)
{
	struct verifier *v = walk->v;
	uint32_t id = frame->id;
	/* A kfunc that is extern. */
	bool has_functions = v->options->dialect == BTF_DIALECT_OBJECT;
	uint32_t taken = kind_bit(BTF_VAR) | (has_functions ? kind_bit(BTF_FUNC) : 0);

	/* One of functions refers to nothing that is walked for its sake: verify_location.c. */
	if (btf_info_kind_flag(record[BTF_WORD_INFO]))
		return STEP_READY;
	walk->mode = MODE_ANY;
	for (uint32_t i = frame->next_element; i < btf_info_vlen(record[BTF_WORD_INFO]); i++) {
		const uint32_t *entry = record + BTF_HEAD_WORDS + 3 * i;
		uint32_t type;
		uint32_t size = 0;
		enum step step;

		if (entry[0] >= v->end_id || !(type_bit(v, entry[0]) & taken)) {
			frame->bad = true;
			verify_report(v, BTF_RULE_DATASEC_ENTRY, id, i, entry[0]);
			continue;
		}
		step = follow(walk, id, i, entry[0]);
		frame->next_element = i + 1;
		if (step == STEP_WAIT)
			return step;
		frame->bad |= step == STEP_FAILED;
		if (step == STEP_FAILED || type_visit(v, entry[0]) == VISIT_BAD)
			continue;
		type = type_words(v, entry[0])[BTF_WORD_TYPE];
		if (type < v->end_id && verify_sized(v, &type, &size) == SIZED_YES &&
		    entry[2] < size && !(has_functions && !record[BTF_WORD_SIZE])) {
			frame->bad = true;
			verify_report(v, BTF_RULE_DATASEC_VAR, id, i, entry[2]);
		}
	}
	return frame->bad ? STEP_FAILED : STEP_READY;
}

static enum step walk_func(struct verifier *v, uint32_t id, const uint32_t *record)
{
	uint32_t to = record[BTF_WORD_TYPE];
	const uint32_t *proto;
	bool *named;

	if (to == 0 && v->options->dialect == BTF_DIALECT_EXTRA)
		return STEP_READY;
	if (to >= v->end_id || !(type_bit(v, to) & kind_bit(BTF_FUNC_PROTO)))
		return fail(v, BTF_RULE_FUNC_PROTO, id, BTF_NO_ELEMENT, to);
	if (is_open_extern(v, btf_info_vlen(record[BTF_WORD_INFO])))
		return STEP_READY;
	/* A prototype has several functions as a rule: the first that asks keeps the answer. */
	named = to < v->first_id ? NULL : &v->named[to - v->first_id];
	proto = type_words(v, to);
	for (uint32_t i = 0; !(named && *named) && i < btf_info_vlen(proto[BTF_WORD_INFO]); i++) {
		const uint32_t *param = proto + BTF_HEAD_WORDS + 2 * i;

		if (!param[0] && param[1])
			return fail(v, BTF_RULE_FUNC_PARAM, id, i, param[1]);
	}
	if (named)
		*named = true;
	v->ends[id - v->first_id] = to;
	return STEP_READY;
}

static enum step walk_decl_tag(struct walk *walk, uint32_t id, const uint32_t *record)
{
	struct verifier *v = walk->v;
	uint32_t to = record[BTF_WORD_TYPE];
	uint32_t component = record[BTF_HEAD_WORDS];
	uint32_t tagged;
	uint32_t count = 0;
	enum step step;

	if (to >= v->end_id || !(type_bit(v, to) & TAG_TARGETS))
		return fail(v, BTF_RULE_TAG_TARGET, id, BTF_NO_ELEMENT, to);
	step = follow(walk, id, BTF_NO_ELEMENT, to);
	if (step != STEP_READY || component == UINT32_MAX || type_visit(v, to) == VISIT_BAD)
		return step;
	tagged = type_bit(v, to) & kind_bit(BTF_FUNC) ? type_words(v, to)[BTF_WORD_TYPE] : to;
	if (tagged < v->end_id && type_bit(v, tagged) & (BTF_RECORDS | kind_bit(BTF_FUNC_PROTO)))
		count = btf_info_vlen(type_words(v, tagged)[BTF_WORD_INFO]);
	if (component >= count)
		return fail(v, BTF_RULE_TAG_COMPONENT, id, BTF_NO_ELEMENT, component);
	return STEP_READY;
}

static void walk_type(struct walk *walk, uint32_t id)
{
	struct verifier *v = walk->v;

	if (!(type_bit(v, id) & WALKED) || type_visit(v, id) != VISIT_NEW || id < v->btf->first_id)
		return;
	walk->mode = MODE_ANY;
	push(walk, id);
	while (walk->depth) {
		struct frame *frame = &walk->stack[walk->depth - 1];
		uint32_t top = frame->id;
		const uint32_t *record = type_words(v, top);
		enum step step;

		switch (type_kind(v, top)) {
		case BTF_ARRAY: step = walk_array(walk, top, record); break;
		case BTF_STRUCT:
		case BTF_UNION: step = walk_record(walk, frame, record); break;
		case BTF_DATASEC: step = walk_datasec(walk, frame, record); break;
		case BTF_FUNC: step = walk_func(v, top, record); break;
		case BTF_DECL_TAG: step = walk_decl_tag(walk, top, record); break;
		default: step = walk_pointer(walk, top, record); break;
		}
		if (step == STEP_WAIT)
			continue;
		v->visits[top - v->first_id] = step == STEP_READY ? VISIT_DONE : VISIT_BAD;
		walk->depth--;
	}
}

static bool check_by_value(struct walk *walk, uint32_t id, uint32_t element, uint32_t type)
{
	struct verifier *v = walk->v;
	uint32_t size;

	if (type >= v->end_id)
		return verify_report(v, BTF_RULE_REF_MISSING, id, element, type);
	if (type_bit(v, type) & NEVER_REFERENCED)
		return verify_report(v, BTF_RULE_REF_KIND, id, element, type);
	walk_type(walk, type);
	if (verify_sized(v, &type, &size) != SIZED_NO)
		return true;
	return verify_report(v, BTF_RULE_REF_NO_SIZE, id, element, type);
}

static void check_prototype(struct walk *walk, uint32_t id)
{
	struct verifier *v = walk->v;
	const uint32_t *record = type_words(v, id);
	const uint32_t *params = record + BTF_HEAD_WORDS;
	uint32_t count = btf_info_vlen(record[BTF_WORD_INFO]);

	if (record[BTF_WORD_TYPE])
		check_by_value(walk, id, BTF_NO_ELEMENT, record[BTF_WORD_TYPE]);
	/* void at the end is "..." */
	if (count && params[2 * (count - 1) + 1] == 0) {
		count--;
		if (params[2 * count])
			verify_report(v, BTF_RULE_PARAM_VARARG, id, count, params[2 * count]);
	}
	for (uint32_t i = 0; i < count; i++) {
		check_by_value(walk, id, i, params[2 * i + 1]);
		if (params[2 * i])
			verify_name(v, id, i, params[2 * i], NAME_CLASS_IDENTIFIER);
	}
}

void verify_references(struct verifier *v)
{
	struct walk walk = { .v = v };

	for (uint32_t id = v->btf->first_id; id < v->end_id; id++) {
		walk_type(&walk, id);
		if (type_bit(v, id) & kind_bit(BTF_FUNC_PROTO) && type_visit(v, id) == VISIT_NEW)
			check_prototype(&walk, id);
	}
}

/*
 * Along a chain of modifiers and typedefs all type tags come first, and the chain ends within 32
 * steps, except that it need not be followed below an id that was found good before.
 */
static void check_chain(struct verifier *v, uint32_t start, uint32_t good_id)
{
	bool in_tags = type_bit(v, start) & kind_bit(BTF_TYPE_TAG);
	uint32_t id = start;

	for (uint32_t length = 0; id < v->end_id && type_bit(v, id) & BTF_MODIFIERS; length++) {
		bool is_tag = type_bit(v, id) & kind_bit(BTF_TYPE_TAG);

		if (type_visit(v, id) == VISIT_BAD)
			return;
		if (length == MAX_DEPTH || (is_tag && !in_tags && !v->options->any_tag_order)) {
			verify_fail(v, length == MAX_DEPTH ? BTF_RULE_CHAIN_LENGTH
							   : BTF_RULE_TAG_ORDER, start, id);
			return;
		}
		in_tags &= is_tag;
		if (id <= good_id)
			return;
		id = type_words(v, id)[BTF_WORD_TYPE];
	}
	if (id >= v->end_id && v->options->as_module)
		verify_fail(v, BTF_RULE_REF_MISSING, start, id);
}

void verify_tag_order(struct verifier *v)
{
	uint32_t good_id = v->btf->first_id - 1;

	for (uint32_t id = v->btf->first_id; id < v->end_id; id++) {
		if (type_bit(v, id) & BTF_MODIFIERS) {
			check_chain(v, id, good_id);
			good_id = id;
		}
	}
}
