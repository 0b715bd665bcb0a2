/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "base/file_kind.h"

#define READ_CHUNK_BYTES (1u << 16)
#define MAX_FILE_BYTES	 (1u << 30)
/* A FIFO that no program has opened for writing; who writes to it may just have been started. */
#define WRITER_WAIT_MS	 5000

int text_open(const char *path, struct stat *status)
{
	struct stat unused;
	int fd = file_open_regular(path, O_RDONLY, status ? status : &unused);

	if (fd < 0 && errno == ENODEV && !file_is_of_root(path))
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd;
}

bool text_read(struct text *text, int fd, const char *path, const char *advice,
	       bool (*is_wanted)(const uint8_t *bytes, size_t count), struct error *err)
{
	struct pollfd writer = { .fd = fd, .events = POLLIN };
	bool good, has_writer;
	ssize_t got;

	if (fd < 0)
		return error_at(err, path, "cannot open: %s; %s", packed_file_problem(errno),
				advice);
	memory_set_task(path, "reading it");
	/* Of a writer that has not written yet, read() says EAGAIN; without one that is the end. */
	has_writer = poll(&writer, 1, WRITER_WAIT_MS) != 0;
	do {
		array_reserve(text, READ_CHUNK_BYTES);
		got = read(fd, text->data + text->count, text->capacity - text->count - 1);
		text->count += got > 0 ? (size_t)got : 0;
	} while (got > 0 ? text->count < MAX_FILE_BYTES &&
				   (!is_wanted ? !memchr(text->data + text->count - got, '\0',
							 (size_t)got)
				    : text->count < 2 ||
				      is_wanted((const uint8_t *)text->data, text->count))
			 : got < 0 && (errno == EINTR ||
				       (errno == EAGAIN && fcntl(fd, F_SETFL, O_RDONLY) == 0)));
	if (!has_writer && got == 0 && !text->count)
		good = error_at(err, path, "is a FIFO that no program writes to; %s", advice);
	else
		good = (got >= 0 && text->count < MAX_FILE_BYTES) ||
		       error_at(err, path, "cannot read: %s; check the file",
				got < 0 ? strerror(errno) : "more than 1 GiB");
	close(fd);
	text->data[text->count] = '\0';
	if (!good)
		array_release(text);
	return good;
}

bool text_read_file(struct text *text, const char *path, const char *advice, struct error *err)
{
	return text_read(text, text_open(path, NULL), path, advice, NULL, err);
}

void text_add_clean(struct text *text, const char *string)
{
	text_add_clean_bytes(text, string, strlen(string));
}

void text_add_clean_bytes(struct text *text, const char *bytes, size_t count)
{
	text_add(text, bytes, count);
	text_clean(array_place(text, text->count - count), count);
}

void text_add_clean_in(struct text *text, const char *before, const char *string, const char *after)
{
	text_add_string(text, before);
	text_add_clean(text, string);
	text_add_string(text, after);
}

void text_add_quoted(struct text *text, const char *string)
{
	bool is_plain = *string && text_is_made_of(string, "_./-+:@%=,");
	size_t count = strlen(string), end = 0;

	text_add_string(text, is_plain ? "" : "'");
	for (size_t i = 0; i < count; i++) {
		if (string[i] == '\'')
			text_add_string(text, "'\\'");
		text_add_char(text, text_clean_at(string, count, i, &end));
	}
	text_add_string(text, is_plain ? "" : "'");
}

void text_print(struct text *text, FILE *out)
{
	/* Nothing is not an array, even of nothing. */
	if (text->count)
		fwrite(text->data, 1, text->count, out);
	array_release(text);
}

void text_print_clean(FILE *out, const char *bytes, size_t count)
{
	size_t end = 0;

	for (size_t i = 0; i < count; i++)
		putc(text_clean_at(bytes, count, i, &end), out);
}

void text_add_wrapped(struct text *out, const char *string, size_t indent, size_t columns)
{
	for (size_t start = out->count; *string; string += *string == ' ') {
		size_t length = strcspn(string, " "), used = out->count - start;

		if (used && indent + used + 1 + length > columns) {
			text_add_format(out, "\n%*s", (int)indent, "");
			start = out->count;
		} else if (used) {
			text_add_char(out, ' ');
		}
		text_add(out, string, length);
		string += length;
	}
}

char *text_finish(struct text *text)
{
	char *finished;

	text_add_char(text, '\0');
	finished = text->data;
	*text = (struct text){ 0 };
	return finished;
}

void text_add_vformat(struct text *text, const char *format, va_list args)
{
	va_list again;
	int count;

	va_copy(again, args);
	count = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (count <= 0)
		return;
	array_reserve(text, (size_t)count + 1);
	vsnprintf(text->data + text->count, (size_t)count + 1, format, args);
	text->count += (size_t)count;
}

void text_add_format(struct text *text, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	text_add_vformat(text, format, args);
	va_end(args);
}

char *text_format(const char *format, ...)
{
	struct text text = { 0 };
	va_list args;

	va_start(args, format);
	text_add_vformat(&text, format, args);
	va_end(args);
	return text_finish(&text);
}

void text_add_number(struct text *text, uint64_t number)
{
	char digits[20];
	size_t first = sizeof(digits);

	do {
		digits[--first] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	text_add(text, digits + first, sizeof(digits) - first);
}

size_t text_find_word(const char *const *list, size_t count, const char *word, size_t length)
{
	size_t i = 0;

	while (i < count && (strncmp(word, list[i], length) != 0 || list[i][length]))
		i++;
	return i;
}

bool text_is_made_of(const char *string, const char *marks)
{
	while (isalnum((unsigned char)*string) || (*string && strchr(marks, *string)))
		string++;
	return !*string;
}

bool text_parse_number(const char *string, uint32_t max, uint32_t *number)
{
	unsigned long read;
	char *end;

	/* strtoul() would take " 3", "+3" and "-3", too. */
	if (!string || *string < '0' || *string > '9')
		return false;
	errno = 0;
	read = strtoul(string, &end, 10);
	*number = (uint32_t)read;
	return !errno && !*end && read <= max;
}
