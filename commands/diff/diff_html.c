/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* A diff as one HTML file: commands/diff/diff_page.html, with the JSON report put into it. */
#include <string.h>

#include "commands/diff/diff.h"

/* The file as it is, and a NUL. */
__asm__(".section .rodata\n"
	".globl btfenc_diff_page\n"
	"btfenc_diff_page:\n"
	".incbin \"commands/diff/diff_page.html\"\n"
	".byte 0\n"
	".previous\n");

extern const char btfenc_diff_page[];

#define DATA_MARK "@DATA@"

void diff_print_html(const struct diff *diff, FILE *out)
{
	const char *mark = strstr(btfenc_diff_page, DATA_MARK);
	size_t before = mark ? (size_t)(mark - btfenc_diff_page) : strlen(btfenc_diff_page);

	fwrite(btfenc_diff_page, 1, before, out);
	if (!mark)
		return;
	diff_print_json(diff, true, out);
	fputs(mark + strlen(DATA_MARK), out);
}
