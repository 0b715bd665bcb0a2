/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "encoder/function_list.h"

#include <string.h>

#include "base/sort.h"
#include "btf/c_declaration.h"
#include "encoder/explain_attach.h"

/* The names of units, read when the first instance asks for one. */
struct unit_names {
	const struct program *program;
	struct unit_reader reader;
	const char **names;		/* by unit; NULL: not asked for yet */
};

static const char *read_unit_name(struct unit_names *units, const struct unit *unit)
{
	struct unit_reader *reader = &units->reader;
	uint64_t language, str_offset;
	const char *name = NULL;
	struct error err;

	if (unit_reader_open(reader, unit, &language, &err) &&
	    die_has(&reader->unit_die, SLOT_NAME))
		name = die_cursor_string(&reader->cursor, &reader->unit_die, SLOT_NAME,
					 &str_offset);
	return name && *name ? name : "-";
}

/* The name of the unit that has a DIE of the group; "-" when there is none. */
static const char *unit_name(struct unit_names *units, uint32_t group, uint32_t die)
{
	const struct program *program = units->program;
	const struct unit *unit = unit_list_find(
		&program->units, program->groups.groups.data[group].begin + die);
	const char **name;

	if (!unit)
		return "-";
	name = &units->names[unit - program->units.data];
	if (!*name)
		*name = read_unit_name(units, unit);
	return *name;
}

/*
 * Where the function was written, not where its code was put together: an LTO link has all code in
 * units called "<artificial>". (A partial unit of dwz has no name.)
 */
static const char *source_unit_name(struct unit_names *units,
				    const struct function_instance *instance)
{
	const char *name = unit_name(units, instance->group, instance->declared_die);

	return strcmp(name, "-") != 0 ? name : unit_name(units, instance->group, instance->die);
}

static void print_field(const char *text, FILE *out)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		putc_unlocked(c < 0x20 || c == 0x7f ? '?' : c, out);
	}
	putc_unlocked('\t', out);
}

static void print_reasons(reason_set reasons, FILE *out)
{
	if (!reasons)
		putc_unlocked('-', out);
	for (reason_set left = reasons; left; left &= left - 1) {
		fputs(verdict_code((enum verdict)__builtin_ctz(left)), out);
		if (left & (left - 1))
			putc_unlocked(',', out);
	}
	putc_unlocked('\t', out);
}

static void print_instance(const struct program *program, const struct judged_function *judged,
			   const struct function_instance *instance, const char *unit, FILE *out)
{
	const char *name = string_pool_text(&program->pool, instance->name);
	char address[ATTACH_PLACE_BYTES];

	print_field(name, out);
	print_field(instance->symbol == NO_SYMBOL
			    ? "-" : program->symbols.symbols.data[instance->symbol].name, out);
	attach_address(program, instance->address, address, sizeof(address));
	fprintf(out, "%s\t", address);
	print_field(unit, out);
	print_field(verdict_code(judged->verdict), out);
	print_reasons(instance->reasons, out);
	if (instance->reasons & REASON(NO_PROTOTYPE))
		putc_unlocked('-', out);
	else
		c_declaration_print(out, &program->table, &program->pool, instance->prototype,
				    name);
	putc_unlocked('\n', out);
}

/* The instances in the order of their names. */
static struct sort_item *order_by_name(const struct program *program)
{
	const struct instances *instances = &program->instances;
	uint32_t *rank = memory_zeroed(program->pool.strings.count, sizeof(*rank));
	struct sort_item *order =
		memory_alloc(instances->functions.count * sizeof(*order));

	for (uint32_t i = 0; i < program->selection.functions.count; i++)
		rank[program->selection.functions.data[i].name] = i;
	for (uint32_t i = 0; i < instances->functions.count; i++)
		order[i] = (struct sort_item){ rank[instances->functions.data[i].name], i };
	sort_by_key(order, instances->functions.count);
	free(rank);
	return order;
}

void function_list_print(const struct program *program, FILE *out)
{
	struct unit_names *units = memory_zeroed(1, sizeof(*units));
	struct sort_item *order = order_by_name(program);

	units->program = program;
	units->names = memory_zeroed(program->units.count, sizeof(*units->names));
	unit_reader_init(&units->reader, &program->object, &program->units);
	fputs("name\tsymbol\taddress\tunit\tverdict\treasons\tprototype\n", out);
	for (size_t i = 0; i < program->instances.functions.count; i++) {
		const struct function_instance *instance =
			&program->instances.functions.data[order[i].value];

		print_instance(program, &program->selection.functions.data[order[i].key],
			       instance, source_unit_name(units, instance), out);
	}
	unit_reader_release(&units->reader);
	free(units->names);
	free(units);
	free(order);
}
