/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/explain/explain_buffer.h"

#include <stdarg.h>

/* glibc's stream fails for lack of memory only; asking for it once more takes the one path out. */
static void exhausted(void)
{
	memory_resize(NULL, SIZE_MAX / 2, 1);
}

FILE *text_begin(struct text_buffer *buffer)
{
	buffer->data = NULL;
	buffer->stream = open_memstream(&buffer->data, &buffer->size);
	if (!buffer->stream)
		exhausted();
	return buffer->stream;
}

char *text_end(struct text_buffer *buffer)
{
	if (fclose(buffer->stream) != 0 || !buffer->data)
		exhausted();
	return buffer->data;
}

char *text_of(const char *format, ...)
{
	struct text_buffer buffer;
	FILE *out = text_begin(&buffer);
	va_list args;

	va_start(args, format);
	vfprintf(out, format, args);
	va_end(args);
	return text_end(&buffer);
}
