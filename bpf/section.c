/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "bpf/section.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

EMBED(bpf_section_names, "bpf/section_names.txt");

struct bpf_section bpf_section_of(const char *name)
{
	const char *line = strstr(bpf_section_names, "\n\n") + 2;
	struct bpf_section section;
	char known[BPF_WORD_BYTES];
	int bytes;

	for (; sscanf(line, "%47s %47s %47s%n", known, section.program_type, section.attach_type,
		      &bytes) == 3; line += bytes) {
		size_t length = strlen(known);
		const char *rest;

		section.takes_target = known[length - 1] == '+';
		known[length - section.takes_target] = '\0';
		rest = text_after(name, known);
		if (!rest || (*rest && (*rest != '/' || !section.takes_target)))
			continue;
		section.target = *rest ? rest + 1 : NULL;
		if (*section.attach_type == '-')
			*section.attach_type = '\0';
		return section;
	}
	return (struct bpf_section){ 0 };
}
