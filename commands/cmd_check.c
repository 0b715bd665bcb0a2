/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * `btfenc check`: the kernel's verdict on a BTF, one line per finding, without loading it; and the
 * rules of docs/format.md for sites and locations.
 */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "btf/inspect.h"
#include "btf/verify/verify.h"
#include "commands/check/system.h"
#include "commands/command_line.h"

#define MAX_LINES    1000
/* On a wrong base nearly every type is one: a few lines show it. */
#define BASE_ERRORS  100
#define BASE_LINES   20
#define LINE_BYTES   2048
#define PREFIX_BYTES (4096 + 64)

struct check_arguments {
	struct btf_input input;
	struct system_arguments system;
	bool is_system;
};

#define AT(member) offsetof(struct check_arguments, member)

static const struct option_row options[] = {
	{ "base", 'b', "BASE", option_base, AT(input.given) },
	{ "jobs", 'j', "N", option_jobs, AT(system.jobs) },
	{ "kernel", 0, "RELEASE", option_text, AT(system.release) },
	{ "root", 0, "DIR", option_text, AT(system.root) },
	{ "system", 0, NULL, option_set, AT(is_system) },
	HELP_ROW,
};

COMMAND(check);

/* One BTF of the file that is checked. */
struct part {
	const struct btf_reader *btf;
	enum btf_dialect dialect;
	const char *prefix;		/* of its lines: the file, or the file and the section */
	const char *hint;		/* a possible cause of its errors; NULL */
};

/* Can the errors come from another base than this was split from? */
static bool base_is_suspect(const struct part *part, const struct btf_findings *findings)
{
	if (!part->hint || part->dialect == BTF_DIALECT_EXTRA)
		return part->hint;
	for (size_t i = 0; i < findings->count; i++) {
		enum btf_rule rule = findings->data[i].rule;

		if (rule == BTF_RULE_REF_MISSING || rule == BTF_RULE_REF_KIND ||
		    (rule == BTF_RULE_STRING_TAIL &&
		     findings->data[i].value < part->btf->first_string) ||
		    (rule >= BTF_RULE_NAME_OFFSET && rule <= BTF_RULE_NAME_LENGTH))
			return true;
	}
	return false;
}

static void print_count(const char *before, uint64_t count, const char *what)
{
	printf("%s%llu %s%s", before, (unsigned long long)count, what, count == 1 ? "" : "s");
}

static int report(const struct part *part)
{
	const struct btf_verify_options verify = {
		.dialect = part->dialect, .limit = MAX_LINES, .layout = true };
	struct btf_findings findings;
	uint64_t total;
	size_t shown;
	int status;

	btf_verify(part->btf, &verify, &findings);
	total = findings.errors + findings.warnings;
	status = findings.errors ? EXIT_ANSWER_NO : EXIT_DONE;
	shown = findings.count;
	if (part->hint && findings.errors > BASE_ERRORS && shown > BASE_LINES)
		shown = BASE_LINES;
	for (size_t i = 0; i < shown; i++) {
		char line[LINE_BYTES];

		btf_finding_text(part->btf, &findings.data[i], line, sizeof(line));
		printf("%s: %s\n", part->prefix, line);
	}
	if (total > shown)
		printf("%s: ... and %llu more findings\n", part->prefix,
		       (unsigned long long)(total - shown));
	printf("%s: ", part->prefix);
	if (findings.errors) {
		print_count("", findings.errors, "error");
	} else {
		print_count("", part->btf->type_count, "type");
		printf(", no errors");
	}
	if (part->dialect == BTF_DIALECT_OBJECT)
		printf(", as BTF of a BPF program, in which libbpf fills in what kernels want");
	if (total)
		print_count(", ", findings.warnings, "warning");
	if (total && base_is_suspect(part, &findings))
		printf("; %s", part->hint);
	printf("\n");
	btf_findings_release(&findings);
	return status;
}

/*
 * Of a BPF program, before libbpf has filled in what the kernel wants: by the ELF file, or by
 * sections that raw BTF has of it and no kernel has.
 */
static bool is_of_program(const struct btf_reader *btf)
{
	static const char *const sections[] = { "license", ".maps", ".kconfig", ".ksyms" };
	bool is_raw = !btf->elf_word_bytes && !btf->base, is = btf->is_bpf_object;

	for (uint32_t i = 0; is_raw && !is && i < btf->type_count; i++) {
		const uint32_t *words = btf->words + btf->positions[i];

		is = btf_record_kind(words) == BTF_DATASEC &&
		     text_find_word(sections, 4, btf_type_name(btf, words),
				    strlen(btf_type_name(btf, words))) < 4;
	}
	return is;
}

/* All parts, whatever is found in the first; the worst of their exit statuses. */
static int report_all(struct btf_input *input)
{
	char prefix[PREFIX_BYTES], hint[PREFIX_BYTES];
	bool has_parts = input->btf.has_part_section[BTF_PART_INLINE] ||
			 input->btf.has_part_section[BTF_PART_EXTRA];
	struct part part = {
		.btf = &input->btf,
		.dialect = input->is_extra ? BTF_DIALECT_EXTRA :
			   is_of_program(&input->btf) ? BTF_DIALECT_OBJECT : BTF_DIALECT_INLINE,
		.prefix = prefix,
		.hint = input->given.count ? hint : NULL,
	};
	struct error err;
	int status, worst;

	snprintf(prefix, sizeof(prefix), has_parts ? "%s: .BTF" : "%s", input->path);
	text_clean(prefix, strlen(prefix));
	if (input->given.count)
		snprintf(hint, sizeof(hint), input->implies_base
				? "was %s encoded again without it?"
				: "was it split from another base than %s?",
			 input->given.paths[input->given.count - 1]);
	worst = report(&part);
	part.hint = "was .BTF replaced since? encode both again";
	status = btf_input_open_parts(input, false, NULL, &err) ? EXIT_DONE : command_failed(&err);
	worst = status > worst ? status : worst;
	for (uint32_t i = 0; i < input->part_count; i++) {
		part.btf = &input->parts[i];
		part.prefix = part.btf->name;
		part.dialect = btf_has_kind(part.btf, BTF_LOCSEC) ? BTF_DIALECT_INLINE
								  : BTF_DIALECT_EXTRA;
		status = report(&part);
		worst = status > worst ? status : worst;
	}
	return worst;
}

int cmd_check(int argc, char **argv)
{
	struct check_arguments arguments = { 0 };
	const struct system_arguments *system = &arguments.system;
	enum exit_status status = EXIT_DONE;
	struct error err;
	int worst = command_line_parse(&command, &arguments, argc, argv);

	if (worst < 0 && !arguments.is_system && (system->release || system->root))
		worst = usage_error(&command, "--kernel and --root go with --system");
	else if (worst < 0 && arguments.is_system == (optind < argc))
		worst = usage_error(&command, arguments.is_system ? "--system takes no FILE"
								  : "no FILE is given");
	if (worst >= 0)
		return worst;
	if (arguments.is_system &&
	    !check_system(system, &arguments.input.given, &status, &err))
		return command_failed(&err);
	worst = (int)status;
	for (int i = optind; i < argc; i++) {
		struct btf_input input = arguments.input;
		int found;

		input.path = argv[i];
		found = command_line_input(&command, &input.path);
		if (found < 0)
			found = btf_input_open(&input, &err) ? report_all(&input)
							     : command_failed(&err);
		btf_input_release(&input);
		worst = found > worst ? found : worst;
	}
	return stdout_flush(&err) ? worst : command_failed(&err);
}
