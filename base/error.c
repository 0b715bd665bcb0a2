/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "base/error.h"

#include <string.h>

#include "base/progress.h"
#include "base/text_clean.h"

/* Where this thread's warnings go; NULL: to standard error. */
static _Thread_local FILE *kept;

bool error_set(struct error *err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	text_clean(err->text, strlen(err->text));
	return false;
}

bool error_at(struct error *err, const char *prefix, const char *format, ...)
{
	va_list args;
	int used = snprintf(err->text, sizeof(err->text), "%.300s: ",
			    *prefix ? prefix : "''");

	va_start(args, format);
	vsnprintf(err->text + used, sizeof(err->text) - (size_t)used, format, args);
	va_end(args);
	text_clean(err->text, strlen(err->text));
	return false;
}

void warnings_keep(FILE *file)
{
	kept = file;
}

void print_warning(const char *format, ...)
{
	/* Names may be long, and it is one line however many threads print. */
	char text[2 * ERROR_TEXT_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	text_clean(text, strlen(text));
	if (!kept)
		progress_hide();
	fprintf(kept ? kept : stderr, "btfenc: warning: %s\n", text);
}
