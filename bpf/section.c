/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "bpf/section.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

EMBED(bpf_section_names, "bpf/section_names.txt");

/* The next word of the line; "-" is none. */
static void take_word(const char **line, char word[BPF_WORD_BYTES])
{
	size_t length = strcspn(*line, " \n");

	snprintf(word, BPF_WORD_BYTES, "%.*s", **line == '-' ? 0 : (int)length, *line);
	*line += length + 1;
}

struct bpf_section bpf_section_of(const char *name)
{
	char known[BPF_WORD_BYTES];

	for (const char *line = strstr(bpf_section_names, "\n\n") + 2; *line;) {
		struct bpf_section section = { 0 };
		const char *rest;
		size_t length;

		take_word(&line, known);
		take_word(&line, section.program_type);
		take_word(&line, section.attach_type);
		length = strlen(known);
		section.takes_target = known[length - 1] == '+';
		known[length - section.takes_target] = '\0';
		rest = text_after(name, known);
		if (!rest || (*rest && (*rest != '/' || !section.takes_target)))
			continue;
		section.target = *rest ? rest + 1 : NULL;
		return section;
	}
	return (struct bpf_section){ 0 };
}
