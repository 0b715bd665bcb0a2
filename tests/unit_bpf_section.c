/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* bpf/section_names.txt against the libbpf that is linked: it may know fewer, but no others. */
#include "tests/cmocka_all.h"

#include <bpf/libbpf.h>
#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "bpf/section.h"

extern const char bpf_section_names[];

/* "supported section(type) names are: socket sk_reuseport/migrate ... kprobe+ ..." */
static char libbpf_names[8192];

static int take_names(enum libbpf_print_level level, const char *format, va_list args)
{
	char text[sizeof(libbpf_names)];
	const char *names;

	(void)level;
	vsnprintf(text, sizeof(text), format, args);
	names = strstr(text, "names are:");
	if (names)
		snprintf(libbpf_names, sizeof(libbpf_names), "%s", names + strlen("names are:"));
	return 0;
}

/* "BPF_PROG_TYPE_KPROBE" of "kprobe", as libbpf's own tables of names have it. */
static void assert_word(const char *name, const char *libbpfs, const char *own)
{
	char word[BPF_WORD_BYTES];

	snprintf(word, sizeof(word), "%s", libbpfs);
	for (char *at = word; *at; at++)
		*at = (char)toupper((unsigned char)*at);
	if (strcmp(word, own) != 0)
		fail_msg("%s: libbpf has %s, the table %s", name, word, own);
}

/* "kprobe+", of either. False: libbpf does not know it. */
static bool assert_same(char *name)
{
	size_t last = strlen(name) - 1;
	bool takes_target = name[last] == '+';
	struct bpf_section section;
	enum bpf_attach_type attach;
	enum bpf_prog_type type;

	name[last + !takes_target] = '\0';
	section = bpf_section_of(name);
	if (!*section.program_type || section.takes_target != takes_target)
		fail_msg("the table has not %s%s", name, takes_target ? "+" : "");
	if (libbpf_prog_type_by_name(name, &type, &attach) != 0)
		return false;
	assert_word(name, libbpf_bpf_prog_type_str(type), section.program_type);
	if (*section.attach_type)
		assert_word(name, libbpf_bpf_attach_type_str(attach), section.attach_type);
	return true;
}

static void test_names_are_libbpfs(void **state)
{
	char name[BPF_WORD_BYTES], *rest = libbpf_names;
	int known = 0;

	(void)state;
	libbpf_set_print(take_names);
	libbpf_prog_type_by_name("none", &(enum bpf_prog_type){ 0 }, &(enum bpf_attach_type){ 0 });
	libbpf_set_print(NULL);
	for (char *word; (word = strtok_r(rest, " \n", &rest)); known++)
		assert_true(assert_same(word));
	/* Those of 1.1, which Debian 12 has. */
	assert_true(known >= 80);
	for (const char *line = bpf_section_names; *line; line = strchr(line, '\n') + 1) {
		if (*line != '\n' && *line != '#' && sscanf(line, "%47s", name) == 1)
			assert_same(name);
	}
}

static void test_targets(void **state)
{
	struct bpf_section section = bpf_section_of("kprobe.multi/tcp_*");

	(void)state;
	assert_string_equal(section.program_type, "KPROBE");
	assert_string_equal(section.attach_type, "TRACE_KPROBE_MULTI");
	assert_string_equal(section.target, "tcp_*");
	section = bpf_section_of("fentry");
	assert_true(section.takes_target);
	assert_null(section.target);
	assert_string_equal(bpf_section_of("xdp/other").program_type, "");
	assert_string_equal(bpf_section_of("kprobes").program_type, "");
	assert_string_equal(bpf_section_of("").program_type, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_are_libbpfs),
		cmocka_unit_test(test_targets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
