/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/diff/diff.h"
#include "kernel/attach/known_functions.h"
#include "kernel/c_spelling.h"

#include <fnmatch.h>
#include <string.h>

#include "base/sort.h"

/* ---- functions ---- */

static bool is_ok(const struct table_function *function)
{
	return function && function->verdict == VERDICT_OK;
}

/* A file alone has one name for its module, whatever it is called. */
static bool is_same_module(const struct diff *diff, const struct table_function *old,
			   const struct table_function *new)
{
	const char *a = old->module, *b = new->module;

	return a == b || !diff->has_modules || (a && b && strcmp(a, b) == 0);
}

bool diff_has_moved(const struct diff *diff, const struct diff_change *change)
{
	return change->old && change->new && !is_same_module(diff, change->old, change->new);
}

/* DIFF_CLASS_COUNT: nothing has changed, as far as is known. */
static enum diff_class class_of(const struct diff *diff, const struct table_function *old,
				const struct table_function *new)
{
	bool olds_known = diff->old->table.knows_all, news_known = diff->new->table.knows_all;
	bool moved = old && new && !is_same_module(diff, old, new);
	bool know_sites, suffixes;

	if (is_ok(old) && !is_ok(new)) {
		if (!new)
			return news_known ? DIFF_GONE : DIFF_LOST;
		switch ((int)new->verdict) {
		case VERDICT_AMBIGUOUS_ADDRESS: return DIFF_AMBIGUOUS;
		case VERDICT_INCONSISTENT_PROTO: return DIFF_INCONSISTENT;
		case VERDICT_INLINED_ONLY: return DIFF_INLINED;
		default: return DIFF_LOST;
		}
	}
	if (is_ok(new) && !is_ok(old))
		return DIFF_GAINED;
	/* A name that one side lacks may exist there all the same. */
	if (!old || !new)
		return olds_known && news_known ? DIFF_OTHER : DIFF_CLASS_COUNT;
	know_sites = olds_known == news_known && old->sites_known && new->sites_known;
	suffixes = old->suffixes_known && new->suffixes_known && old->suffixes != new->suffixes;
	if (is_ok(old)) {
		if (old->prototype && new->prototype &&
		    !c_spelling_is_same(old->prototype, new->prototype))
			return DIFF_CHANGED;
		/* An image has the sets, BTF tags of all their members. */
		if (diff->knows_kfuncs && olds_known == news_known &&
		    old->marks & ~new->marks & 1u << MARK_KFUNC)
			return DIFF_NO_KFUNC;
		if (moved)
			return DIFF_MOVED;
		if (olds_known && know_sites && !old->sites.count && new->sites.count)
			return DIFF_PARTLY_INLINED;
		if (suffixes)
			return DIFF_CLONES;
	} else if (moved) {
		return DIFF_MOVED;
	} else if (old->verdict != VERDICT_UNKNOWN && new->verdict != VERDICT_UNKNOWN &&
		   (old->verdict != new->verdict || old->reasons != new->reasons || suffixes)) {
		return DIFF_OTHER;
	}
	return know_sites && memcmp(&old->sites, &new->sites, sizeof(old->sites)) != 0
		       ? DIFF_SITES : DIFF_CLASS_COUNT;
}

const char *diff_module(const char *module)
{
	return module ? module : "vmlinux";
}

const char *diff_change_module(const struct diff_change *change)
{
	return diff_module(change->type  ? change->type->module
			   : change->new ? change->new->module : change->old->module);
}

/* Why it is lost, where its new state does not say so. */
static void add_reason(const struct diff *diff, struct diff_change *change)
{
	const struct table_function *new = change->new;
	const char *why = new && (int)new->verdict != VERDICT_UNKNOWN
				  ? verdict_texts[new->verdict].sentence
			  : diff->new->table.knows_all ? "neither code nor an inline site"
						       : "BTF does not say why";
	char *state = change->to;

	if (!(DIFF_LOSSES >> change->class & 1) || strchr(state, ':'))
		return;
	change->to = text_format("%s: %s", state, why);
	free(state);
}

/* Its old and new state, in words; for DIFF_CHANGED the prototypes tell. */
static void describe(const struct diff *diff, struct diff_change *change)
{
	const struct table_function *old = change->old, *new = change->new;

	switch (change->class) {
	case DIFF_CHANGED: return;
	case DIFF_MOVED:
		change->from = memory_copy(diff_module(old->module));
		change->to = memory_copy(diff_module(new->module));
		return;
	case DIFF_NO_KFUNC: change->to = memory_copy("no kfunc"); return;
	case DIFF_CLONES: change->to = diff_suffixes_text(old->suffixes, new->suffixes); return;
	case DIFF_PARTLY_INLINED:
	case DIFF_SITES:
		change->from = diff_sites_text(&old->sites);
		change->to = diff_sites_text(&new->sites);
		return;
	case DIFF_NEW_NAME:
		change->to = text_format("gone; new with this prototype: %s", new->name);
		return;
	default: break;
	}
	change->from = diff_state(&diff->old->table, old);
	change->to = diff_state(&diff->new->table, new);
	add_reason(diff, change);
	if (!old || !new || strcmp(change->from, change->to) != 0)
		return;
	/* Neither has a FUNC, and the words are equal: what else is different? */
	free(change->from);
	free(change->to);
	change->from = NULL;
	if (old->suffixes != new->suffixes) {
		change->to = diff_suffixes_text(old->suffixes, new->suffixes);
	} else {
		change->from = diff_reasons_text(old->reasons);
		change->to = diff_reasons_text(new->reasons);
	}
}

/* ---- which are wanted ---- */

static bool is_wanted(const struct diff *diff, const char *name, uint32_t marks)
{
	const struct diff_options *options = diff->options;
	bool fits = !options->only.count;

	array_each(struct diff_only, only, &options->only) {
		if (only->mark ? marks & only->mark : fnmatch(only->word, name, 0) == 0)
			fits = only->fits = true;
	}
	return fits;
}

static bool matches(const char *const *globs, const char *text)
{
	while (*globs && fnmatch(*globs, text, 0) != 0)
		globs++;
	return *globs;
}

/* Is the function known as a test? `file` is the base name of its source. */
static bool is_test(const char *name, const char *file)
{
	static const char *const names[] = { "bpf_kfunc_call_*", "bpf_testmod_*",
					     "bpf_fentry_test*", "bpf_modify_return_test*", NULL };
	static const char *const files[] = { "test[_-]*", "*[_-]test.c", "*[_-]tests.c",
					     "*selftest*", "*kunit*", "*_testmod*", NULL };

	return matches(names, name) || matches(files, file);
}

/*
 * How much is lost with it, the most first: what known tools trace, interfaces of modules and BPF
 * programs, other functions, those that are gone after booting, and tests.
 */
static int weigh(const struct diff *diff, const struct diff_change *change)
{
	const char *file =
		change->new   ? function_table_file(&diff->new->table, change->new)
		: change->old ? function_table_file(&diff->old->table, change->old) : "";

	if (change->type)
		return 3;
	if (is_test(change->name, file))
		return 5;
	if (change->marks >> MARK_INIT & 1)
		return 4;
	if (function_is("traced", change->name))
		return 0;
	if (change->marks >> MARK_KFUNC & 1)
		return 1;
	return change->marks >> MARK_EXPORTED & 1 ? 2 : 3;
}

static void compare_function(struct diff *diff, const struct table_function *old,
			     const struct table_function *new)
{
	struct diff_change change = {
		.class = class_of(diff, old, new), .old = old, .new = new,
		.name = old ? old->name : new->name,
		.marks = (old ? old->marks : 0) | (new ? new->marks : 0) };

	diff->in_both += old && new;
	/* It is not gone after booting if one of the builds keeps it. */
	if (old && new)
		change.marks &= ~(1u << MARK_INIT) | (old->marks & new->marks);
	change.is_wanted = is_wanted(diff, change.name, change.marks);
	if (change.class != DIFF_CLASS_COUNT)
		array_push(&diff->changes, change);
}

/* False: it is not listed. */
static bool finish_change(struct diff *diff, struct diff_change *change)
{
	uint32_t bit = 1u << change->class;

	if (!change->is_wanted || change->class == DIFF_CLASS_COUNT)
		return false;
	diff->counts[change->class]++;
	change->allowed = allow_list_find(&diff->options->allow, change->name, bit);
	diff->allowed[change->class] += change->allowed != NULL;
	change->fails = diff->options->fail_on & bit && !change->allowed;
	diff->fails += change->fails;
	if (!(diff->options->show & bit) && !change->fails)
		return false;
	if (!change->type)
		describe(diff, change);
	change->weight = weigh(diff, change);
	return true;
}

/* ---- names in several modules ---- */

/* Functions of one name, by their modules. */
struct namesakes {
	const struct table_function *first, *end;
};

static struct namesakes next_namesakes(const struct function_table *table, size_t from,
				       const char *name)
{
	const struct table_function *functions = table->functions.data;
	size_t end = from;

	while (end < table->functions.count && strcmp(functions[end].name, name) == 0)
		end++;
	return (struct namesakes){ functions + from, functions + end };
}

/*
 * Is it one function? Static functions of two drivers often share a name: they must be of one
 * source file, or, where that is not known, have one prototype.
 */
static bool is_same_function(const struct diff *diff, const struct table_function *old,
			     const struct table_function *new)
{
	const char *a = function_table_file(&diff->old->table, old);
	const char *b = function_table_file(&diff->new->table, new);

	if (old->marks & new->marks & 1u << MARK_GLOBAL)
		return true;
	if (*a && *b)
		return strcmp(a, b) == 0;
	if (!old->prototype || !new->prototype)
		return false;
	return c_spelling_is_same(old->prototype, new->prototype);
}

/* Takes the next one of both sides in the order of their modules; NULL: it has no partner. */
static bool next_pair(const struct diff *diff, struct namesakes sides[2],
		      const struct table_function *pair[2])
{
	const struct table_function *old = sides[0].first, *new = sides[1].first;
	int order;

	if (old == sides[0].end && new == sides[1].end)
		return false;
	order = old == sides[0].end		   ? 1
		: new == sides[1].end		   ? -1
		: is_same_module(diff, old, new)
			? function_table_compare_others(&diff->old->table, old,
							&diff->new->table, new)
		: !old->module			   ? -1
		: !new->module			   ? 1
						   : strcmp(old->module, new->module);
	pair[0] = order <= 0 ? sides[0].first++ : NULL;
	pair[1] = order >= 0 ? sides[1].first++ : NULL;
	return true;
}

/* If one is left on each side when those of the same modules are paired, it may have moved. */
static void compare_namesakes(struct diff *diff, const struct namesakes sides[2])
{
	struct namesakes left[2] = { sides[0], sides[1] };
	const struct table_function *pair[2], *lone[2] = { NULL, NULL };
	uint32_t lones[2] = { 0, 0 };

	while (next_pair(diff, left, pair)) {
		int side = !pair[0];

		if (pair[0] && pair[1]) {
			compare_function(diff, pair[0], pair[1]);
		} else {
			lone[side] = pair[side];
			lones[side]++;
		}
	}
	if (lones[0] == 1 && lones[1] == 1 && is_same_function(diff, lone[0], lone[1])) {
		compare_function(diff, lone[0], lone[1]);
		return;
	}
	memcpy(left, sides, sizeof(left));
	while (next_pair(diff, left, pair)) {
		if (!pair[0] || !pair[1])
			compare_function(diff, pair[0], pair[1]);
	}
}

/* Both tables are sorted by name. */
static void compare_functions(struct diff *diff)
{
	const struct function_table *olds = &diff->old->table, *news = &diff->new->table;
	size_t i = 0, k = 0;

	while (i < olds->functions.count || k < news->functions.count) {
		const char *old = i < olds->functions.count ? olds->functions.data[i].name : NULL;
		const char *new = k < news->functions.count ? news->functions.data[k].name : NULL;
		const char *name = !new || (old && strcmp(old, new) < 0) ? old : new;
		const struct namesakes sides[2] = { next_namesakes(olds, i, name),
						    next_namesakes(news, k, name) };

		i += (size_t)(sides[0].end - sides[0].first);
		k += (size_t)(sides[1].end - sides[1].first);
		compare_namesakes(diff, sides);
	}
}

/* ---- order ---- */

/* Callers where it was called last. */
static uint32_t callers_of(const struct diff_change *change)
{
	return change->old ? change->old->callers : 0;
}

/* Names that begin with underscores are seldom asked for. */
static int compare_importance(const struct diff_change *a, const struct diff_change *b)
{
	int order = order_of(a->weight, b->weight);

	order = order ? order : order_of(callers_of(b), callers_of(a));
	order = order ? order : order_of(b->marks >> MARK_GLOBAL & 1, a->marks >> MARK_GLOBAL & 1);
	order = order ? order : order_of(*a->name == '_', *b->name == '_');
	order = order ? order : strcmp(a->name, b->name);
	if (!order && a->type && b->type)
		order = strcmp(a->type->keyword, b->type->keyword);
	return order ? order : strcmp(diff_change_module(a), diff_change_module(b));
}

static int compare_changes(const void *a, const void *b)
{
	const struct diff_change *x = a, *y = b;
	int order = order_of(x->class, y->class);

	return order ? order : compare_importance(x, y);
}

static int compare_losses(const void *a, const void *b)
{
	const struct diff_change *const *x = a, *const *y = b;
	int order = compare_importance(*x, *y);

	return order ? order : order_of(*x, *y);
}

/* ---- totals ---- */

static bool count_side(struct diff *diff, int side, const struct function_table *table)
{
	bool known = true;

	array_each(const struct table_function, function, &table->functions) {
		/* Of several functions of a name stats counts one, too. */
		diff->verdicts[side][function->verdict] += !function->is_other;
		diff->names[side] += !function->is_other;
		diff->knows_kfuncs |= side && function->marks >> MARK_KFUNC & 1;
		for (uint32_t left = function->suffixes; left; left &= left - 1)
			diff->suffixes[side][__builtin_ctz(left)]++;
		diff->sites[side] += function->sites.count;
		diff->site_parameters[side] += function->sites.parameters;
		diff->site_locations[side] += function->sites.locations;
		known &= function->sites_known;
	}
	return known;
}

const char *diff_side_name(const struct diff *diff, int side)
{
	const struct diff_side *sides[2] = { diff->old, diff->new };
	const char *release = sides[side]->table.identity.release;
	const char *other = sides[!side]->table.identity.release;

	return *release && *other && strcmp(release, other) != 0 ? release : sides[side]->path;
}

/* ---- all ---- */

/* Both sides have their modules by name. */
static void compare_types(struct diff *diff)
{
	const struct diff_side *old = diff->old, *new = diff->new;
	size_t i = 0, k = 0;

	type_diff_add(&diff->types, NULL, old->read.types.btf, old->pointer_bytes,
		      new->read.types.btf, new->pointer_bytes);
	while (i < old->build.modules.count || k < new->build.modules.count) {
		const char *a = i < old->build.modules.count
					? old->build.modules.data[i].name : NULL;
		const char *b = k < new->build.modules.count
					? new->build.modules.data[k].name : NULL;
		int order = !a ? 1 : !b ? -1 : strcmp(a, b);
		const struct btf_reader *was = order <= 0 ? old->modules_read[i++].types.btf : NULL;
		const struct btf_reader *is = order >= 0 ? new->modules_read[k++].types.btf : NULL;

		type_diff_add(&diff->types, order <= 0 ? a : b, was, old->pointer_bytes, is,
			      new->pointer_bytes);
	}
	type_diff_finish(&diff->types);
}

void diff_make(struct diff *diff, const struct diff_side *old, const struct diff_side *new,
	       bool types, const struct diff_options *options)
{
	size_t kept = 0;

	*diff = (struct diff){ .options = options, .old = old, .new = new };
	diff->has_modules = old->table.modules + old->table.has_kernel > 1 ||
			    new->table.modules + new->table.has_kernel > 1;
	diff->sites_known = count_side(diff, 0, &old->table);
	diff->sites_known &= count_side(diff, 1, &new->table);
	diff->sites_known &= old->table.knows_all == new->table.knows_all;
	compare_functions(diff);
	diff_join_renames(diff->changes.data, diff->changes.count);
	if (types)
		compare_types(diff);
	array_each(const struct type_change, type, &diff->types.changes) {
		array_push(&diff->changes, ((struct diff_change){
			.class = type->class, .name = type->name, .type = type,
			.is_wanted = is_wanted(diff, type->name, 0) }));
	}
	for (size_t i = 0; i < diff->changes.count; i++) {
		if (finish_change(diff, &diff->changes.data[i]))
			diff->changes.data[kept++] = diff->changes.data[i];
	}
	diff->changes.count = kept;
	array_sort(&diff->changes, compare_changes);
	array_each(struct diff_change, change, &diff->changes) {
		if (DIFF_LOSSES >> change->class & 1 && !change->allowed)
			array_push(&diff->important, change);
	}
	array_sort(&diff->important, compare_losses);
	if (diff->important.count > DIFF_IMPORTANT)
		diff->important.count = DIFF_IMPORTANT;
	for (size_t i = 0; i < diff->important.count; i++)
		diff->important.data[i]->is_important = true;
}

void diff_release(struct diff *diff)
{
	for (size_t i = 0; i < diff->changes.count; i++) {
		free(diff->changes.data[i].from);
		free(diff->changes.data[i].to);
	}
	array_release(&diff->changes);
	array_release(&diff->important);
	type_diff_release(&diff->types);
}
