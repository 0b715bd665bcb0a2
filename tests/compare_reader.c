/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * usage: compare_reader [-n DAMAGED] FILE...
 *
 * Differential test: the unit reader with its fast half (fixed_reader.c) against the general path
 * alone, on whole files. Each unit by itself, and then all units as one group, with names as they
 * are and with all of them interned, must give the same model, the same calls and the same inlined
 * calls: they are printed as text, names and all, and the texts are compared. Of DAMAGED units
 * (2000 of each file, other ones each time) bytes are changed in .debug_info or .debug_abbrev: both
 * ways must refuse them with the same words, or read the same.
 *
 * Exit status: 0 equal (or no FILE: skipped), 1 different, 3 a file cannot be read.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/call_site.h"
#include "dwarf/inline_site.h"
#include "dwarf/unit_reader.h"
#include "tests/comparison.h"
#include "tests/mutate.h"

static uint32_t damaged_units = 2000;

/* The units from first on, as one group. */
struct reading {
	size_t first, count;
	bool intern_all;
	uint64_t begin, end;
};

static uint64_t types, refused;

/* ---- a model as text ---- */

static const char *text_of(const struct unit_reader *reader, uint32_t key)
{
	return name_table_text(&reader->names, key);
}

/* References are printed as the index of what they find. */
static void print_reference(FILE *out, const struct dwarf_model *model, uint32_t reference)
{
	fprintf(out, " ->%x", reference);
	if (reference != REF_NONE && reference != REF_INVALID)
		fprintf(out, "=%d", (int)offset_index_find(&model->type_index, reference));
}

static void print_parameters(FILE *out, const struct unit_reader *reader,
			     const struct dwarf_model *model, uint32_t first, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct dwarf_parameter *p = &model->parameters.data[first + i];

		fprintf(out, "\n   parameter %x '%s'", p->offset, text_of(reader, p->name));
		print_reference(out, model, p->type);
	}
}

static void print_members(FILE *out, const struct unit_reader *reader,
			  const struct dwarf_model *model, const struct dwarf_type *type)
{
	for (uint32_t i = 0; i < type->count; i++) {
		const struct dwarf_member *m = &model->members.data[type->first + i];

		fprintf(out, "\n   member '%s' %u:%u msb %d %d %d", text_of(reader, m->name),
			m->offset_bits, m->size_bits, m->has_msb_offset, m->storage_bytes,
			m->msb_offset);
		print_reference(out, model, m->type);
	}
}

static void print_type(FILE *out, const struct unit_reader *reader, const struct dwarf_model *model,
		       const struct dwarf_type *type)
{
	fprintf(out, "%x: kind %d '%s' size %" PRIu64 " flags %d encoding %d alignment %d",
		type->offset, type->kind, text_of(reader, type->name), type->size_bytes,
		type->flags, type->encoding, type->alignment_log2);
	print_reference(out, model, type->type);
	switch ((enum dwarf_type_kind)type->kind) {
	case DWARF_STRUCT:
	case DWARF_UNION: print_members(out, reader, model, type); break;
	case DWARF_SUBROUTINE:
		print_parameters(out, reader, model, type->first, type->count);
		break;
	case DWARF_ENUM:
		for (uint32_t i = 0; i < type->count; i++) {
			const struct dwarf_enumerator *e =
				&model->enumerators.data[type->first + i];

			fprintf(out, " %s=%" PRIx64, text_of(reader, e->name), e->value);
		}
		break;
	case DWARF_ARRAY:
		for (uint32_t i = 0; i < type->count; i++)
			fprintf(out, " [%u]", model->dimensions.data[type->first + i]);
		break;
	default: fprintf(out, " %u", type->count); break;
	}
	fputc('\n', out);
}

static void print_function(FILE *out, const struct unit_reader *reader,
			   const struct dwarf_model *model, const struct dwarf_function *f)
{
	fprintf(out, "%x: function '%s' origin %x unit %u flags %d frame base %" PRIx64 " %d",
		f->offset, text_of(reader, f->name), f->origin, f->unit, f->flags,
		f->frame_base.value, f->frame_base.form_class);
	print_reference(out, model, f->type);
	for (uint32_t i = 0; i < f->entry_count; i++)
		fprintf(out, " @%" PRIx64, model->entries.data[f->first_entry + i]);
	print_parameters(out, reader, model, f->first_parameter, f->parameter_count);
	for (uint32_t i = 0; i < f->argument_count; i++) {
		const struct dwarf_argument *a = &model->arguments.data[f->first_argument + i];

		fprintf(out, "\n   argument %x %d %" PRIx64 " %d", a->parameter, a->has_constant,
			a->location.value, a->location.form_class);
	}
	fputc('\n', out);
}

static void print_model(FILE *out, const struct unit_reader *reader,
			const struct dwarf_model *model)
{
	for (size_t i = 0; i < model->types.count; i++)
		print_type(out, reader, model, &model->types.data[i]);
	for (size_t i = 0; i < model->taggable.count; i++)
		fprintf(out, "taggable %u\n", model->taggable.data[i]);
	for (size_t i = 0; i < model->functions.count; i++)
		print_function(out, reader, model, &model->functions.data[i]);
	for (size_t i = 0; i < model->variables.count; i++) {
		const struct dwarf_variable *v = &model->variables.data[i];

		fprintf(out, "%x: variable '%s' specification %x address %" PRIx64 " flags %d",
			v->offset, text_of(reader, v->name), v->specification, v->address,
			v->flags);
		print_reference(out, model, v->type);
		fputc('\n', out);
	}
	for (size_t i = 0; i < model->annotations.count; i++) {
		const struct dwarf_annotation *a = &model->annotations.data[i];

		fprintf(out, "annotation %d %d of %u component %d '%s'\n", a->owner_kind,
			a->is_type_tag, a->owner, a->component, text_of(reader, a->value));
	}
	for (size_t i = 0; i < model->units.count; i++)
		fprintf(out, "unit %" PRIx64 " '%s'\n", model->units.data[i].unit->offset,
			model->units.data[i].producer.text ? model->units.data[i].producer.text
							   : "");
	for (size_t i = 0; i < model->code.count; i++)
		fprintf(out, "code %" PRIx64 " to %" PRIx64 "\n", model->code.data[i].begin,
			model->code.data[i].end);
	/* Nothing is left that no type or function has. */
	fprintf(out,
		"%zu types, %zu members, %zu enumerators, %zu dimensions, %zu parameters, "
		"%zu arguments, %zu entries\n",
		model->types.count, model->members.count, model->enumerators.count,
		model->dimensions.count, model->parameters.count, model->arguments.count,
		model->entries.count);
}

/* ---- calls and inlined calls, by the second walks over functions ---- */

static bool wants_odd(const void *context, uint32_t callee)
{
	const bool *all = context;

	return *all || callee % 2;
}

static void print_calls(FILE *out, const struct call_sites *calls)
{
	for (size_t i = 0; i < calls->sites.count; i++) {
		const struct call_site *site = &calls->sites.data[i];

		fprintf(out, "call of %u in %u, %" PRIx64 " %" PRIx64 ":", site->callee,
			site->caller, site->return_pc, site->call_pc);
		for (uint32_t k = 0; k < site->load_count; k++) {
			const struct call_load *load = &calls->loads.data[site->first_load + k];

			fprintf(out, " %d %d %d %d", load->on_stack, load->is_zero, load->reg,
				load->stack_offset);
		}
		fputc('\n', out);
	}
}

static void print_sites(FILE *out, const struct inline_sites *sites)
{
	for (size_t i = 0; i < sites->sites.count; i++) {
		const struct inline_site *site = &sites->sites.data[i];

		fprintf(out, "site %x of %u in %u %u, %d %" PRIx64 " %d %" PRIx64 " %u:%u",
			site->offset, site->origin, site->function, site->parent, site->has_entry,
			site->has_entry ? site->entry : 0, site->has_view, site->view,
			site->call_file, site->call_line);
		for (uint32_t k = 0; k < site->argument_count; k++) {
			const struct dwarf_argument *argument =
				&sites->arguments.data[site->first_argument + k];

			fprintf(out, " %x %d %d:%" PRIx64 " %d:%" PRIx64, argument->parameter,
				argument->is_number, argument->location.form_class,
				argument->location.value, argument->location.has_views,
				argument->location.has_views ? argument->location.views : 0);
		}
		fputc('\n', out);
	}
}

static void print_walks(FILE *out, struct unit_reader *reader, const struct dwarf_model *model,
			struct error *err)
{
	struct call_sites calls = { 0 };
	struct inline_sites sites = { 0 };

	for (int all = 0; all < 2; all++) {
		const bool context = all;
		const struct call_filter filter = { wants_odd, &context };

		for (uint32_t unit = 0; unit < model->units.count; unit++) {
			if (!call_sites_read(&calls, reader, model, unit, &filter, err))
				fprintf(out, "%s\n", err->text);
		}
		for (size_t i = 0; !all && i < calls.sites.count; i++) {
			if (calls.sites.data[i].callee % 2 == 0) {
				printf("a call was read that is not needed\n");
				exit(1);
			}
		}
	}
	for (uint32_t unit = 0; unit < model->units.count; unit++) {
		if (!inline_sites_read(&sites, reader, model, unit, err))
			fprintf(out, "%s\n", err->text);
	}
	print_calls(out, &calls);
	print_sites(out, &sites);
	call_sites_release(&calls);
	inline_sites_release(&sites);
}

/* ---- one way ---- */

struct way {
	struct unit_reader reader;
	struct dwarf_model model;
	bool good;
	struct error err;
	char *text;
};

static bool read_units(struct way *way, const struct reading *reading)
{
	uint64_t language;

	for (size_t i = 0; i < reading->count; i++) {
		if (!unit_reader_open(&way->reader, &compared.units.data[reading->first + i],
				      &language, &way->err) ||
		    !unit_reader_read(&way->reader, &way->model, &way->err))
			return false;
	}
	return true;
}

static void take_way(struct way *way, const struct reading *reading, bool general_path_only)
{
	size_t length;
	FILE *out;

	memset(way, 0, sizeof(*way));
	unit_reader_init(&way->reader, &compared.object, &compared.units);
	way->reader.general_path_only = general_path_only;
	way->reader.names.intern_all = reading->intern_all;
	/* In the other half of the runs with all that a site has. */
	way->reader.abbrevs.ignored_slots = reading->intern_all ? 0 : INLINE_SITE_CALL_SLOTS;
	dwarf_model_reset(&way->model, reading->begin, reading->end);
	way->good = read_units(way, reading);
	out = open_memstream(&way->text, &length);
	if (way->good) {
		print_model(out, &way->reader, &way->model);
		print_walks(out, &way->reader, &way->model, &way->err);
	} else {
		fprintf(out, "%s\n", way->err.text);
	}
	fclose(out);
}

static void release_way(struct way *way)
{
	unit_reader_release(&way->reader);
	dwarf_model_release(&way->model);
	free(way->text);
}

/* ---- both ways ---- */

static void show_difference(const struct reading *reading, const char *fast, const char *general)
{
	int f, g;

	while (*fast && strcspn(fast, "\n") == strcspn(general, "\n") &&
	       strncmp(fast, general, strcspn(fast, "\n") + 1) == 0) {
		fast += strcspn(fast, "\n") + 1;
		general += strcspn(general, "\n") + 1;
	}
	f = (int)strcspn(fast, "\n");
	g = (int)strcspn(general, "\n");
	printf("%s: %zu units from 0x%" PRIx64 " on:\n  fast:    %.*s\n  general: %.*s\n",
	       compared.path, reading->count, compared.units.data[reading->first].offset, f, fast,
	       g, general);
}

static void compare(const struct reading *reading)
{
	static struct way fast, general; /* frames for each depth: too large for a stack */

	take_way(&fast, reading, false);
	take_way(&general, reading, true);
	if ((fast.good != general.good || strcmp(fast.text, general.text) != 0) &&
	    compared.differences++ < MAX_DIFFERENCES)
		show_difference(reading, fast.text, general.text);
	types += fast.model.types.count;
	refused += !fast.good;
	release_way(&fast);
	release_way(&general);
}

static struct reading unit_alone(size_t i)
{
	return (struct reading){ .first = i, .count = 1, .begin = compared.units.data[i].offset,
				 .end = compared.units.data[i].end };
}

/* A sample of a real kernel: all its models as text take minutes, damaged copies hours. */
#define LARGE 500u
#define SAMPLE 100u

static bool is_large(void)
{
	return compared.units.count > LARGE;
}

static void compare_units(void)
{
	struct reading all = { .count = compared.units.count,
			       .end = compared.object.sections[SECTION_INFO].size };
	size_t step = is_large() ? compared.units.count / SAMPLE : 1;

	for (size_t i = 0; i < compared.units.count; i += step) {
		struct reading one = unit_alone(i);

		compare(&one);
	}
	if (is_large())
		return;
	compare(&all);
	all.intern_all = true;
	compare(&all);
}

/* ---- damage ---- */

/* The end of the table is not known: its first kilobyte will do. */
#define ABBREV_BYTES 1024

static void damage_range(struct random *random, uint8_t *data, size_t begin, size_t end)
{
	struct mutate_map map = {
		.regions = { { begin, end, 1 } }, .count = 1, .total_weight = 1, .file_bytes = end
	};

	if (begin < end)
		mutate_flip(&map, random, data);
}

/* Copies end where the section does, so that a sanitizer sees who reads on. */
static void compare_damaged(struct random *random)
{
	const struct section info = compared.object.sections[SECTION_INFO];
	const struct section abbrev = compared.object.sections[SECTION_ABBREV];
	size_t i = random_below(random, compared.units.count);
	struct reading one = unit_alone(i);
	const struct unit *unit = &compared.units.data[i];
	uint8_t *info_copy = memory_alloc(info.size), *abbrev_copy = memory_alloc(abbrev.size);
	size_t abbrev_end = abbrev.size - unit->abbrev_offset < ABBREV_BYTES
				    ? abbrev.size
				    : unit->abbrev_offset + ABBREV_BYTES;

	memcpy(info_copy, info.data, info.size);
	memcpy(abbrev_copy, abbrev.data, abbrev.size);
	if (random_below(random, 3))
		damage_range(random, info_copy, unit->first_die, unit->end);
	else
		damage_range(random, abbrev_copy, unit->abbrev_offset, abbrev_end);
	compared.object.sections[SECTION_INFO].data = info_copy;
	compared.object.sections[SECTION_ABBREV].data = abbrev_copy;
	one.intern_all = random_below(random, 4) == 0;
	compare(&one);
	compared.object.sections[SECTION_INFO] = info;
	compared.object.sections[SECTION_ABBREV] = abbrev;
	free(info_copy);
	free(abbrev_copy);
}

/* ---- files ---- */

static bool compare_readings(struct error *err)
{
	struct random random = { 1 };

	(void)err;
	types = refused = 0;
	compare_units();
	if (refused && compared.differences++ < MAX_DIFFERENCES)
		printf("%s: %" PRIu64 " readings fail\n", compared.path, refused);
	for (uint32_t i = 0; i < damaged_units && compared.units.count && !is_large(); i++)
		compare_damaged(&random);
	printf("%s: %zu units, %u damaged, %" PRIu64 " types, %" PRIu64 " refused: %s\n",
	       compared.path, compared.units.count, is_large() ? 0 : damaged_units, types, refused,
	       compared_verdict());
	return true;
}

int main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "-n") == 0) {
		damaged_units = (uint32_t)strtoul(argv[2], NULL, 0);
		argc -= 2;
		argv += 2;
	}
	return compare_dwarf(argc, argv, false, compare_readings);
}
