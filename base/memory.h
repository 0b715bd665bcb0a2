/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Memory: allocation that cannot fail, and growable arrays.
 *
 * There is one out-of-memory path: memory_exhausted() prints one line, does what a process that
 * ends early has to do (base/ending.h) and leaves the process with status 3. Nothing in the
 * program has a second opinion about that, so no caller tests for NULL.
 */
#ifndef BTFENC_BASE_MEMORY_H
#define BTFENC_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Before any allocation: fewer page faults, which take a third of a short run. */
void memory_init(void);

void *memory_alloc(size_t bytes);			/* contents undefined */
void *memory_zeroed(size_t count, size_t element_bytes);
void *memory_resize(void *old, size_t count, size_t element_bytes);
char *memory_string(const char *text, size_t length);	/* a NUL-terminated copy */
char *memory_copy(const char *text);			/* the same of a string */
_Noreturn void memory_exhausted(size_t bytes);		/* for libraries; SIZE_MAX: not known */

/*
 * Gives the pages that lie wholly between the two back to the kernel. They are a mapping of a file,
 * private and unmodified, so that they can be read again.
 */
void memory_forget(const void *begin, const void *end);

/*
 * What this thread is doing to which file, for the line of an exhausted memory: workers_run() hands
 * it on. The path is copied.
 */
#define MEMORY_TASK_BYTES 320

extern _Thread_local char memory_task[MEMORY_TASK_BYTES];

void memory_set_task(const char *path, const char *doing);

/* The N-th allocation from now fails; 0 switches the failure off (tests). */
void memory_fail_after(uint64_t allocations);

/*
 * A growable array: `struct u32_array { uint32_t *data; size_t count, capacity; }`.
 * ARRAY_OF names the element type; the macros below work on any such struct.
 */
#define ARRAY_OF(type)                                                                             \
	struct {                                                                                   \
		type *data;                                                                        \
		size_t count;                                                                      \
		size_t capacity;                                                                   \
	}

/* Capacity after growth for `need` elements; at least doubles, so that pushes are O(1). */
size_t array_capacity(size_t capacity, size_t need);

/* Makes room for `extra` more elements; data may move. */
#define array_reserve(array, extra)                                                                \
	do {                                                                                       \
		if (__builtin_expect((array)->count + (extra) > (array)->capacity, 0)) {           \
			(array)->capacity =                                                        \
				array_capacity((array)->capacity, (array)->count + (extra));       \
			(array)->data = memory_resize((array)->data, (array)->capacity,            \
						      sizeof(*(array)->data));                     \
		}                                                                                  \
	} while (0)

/* Makes it `length` elements of zeros. */
#define array_zero(array, length)                                                                  \
	do {                                                                                       \
		(array)->count = 0;                                                                \
		array_reserve(array, length);                                                      \
		(array)->count = (length);                                                         \
		if ((array)->count)                                                                \
			memset((array)->data, 0, (array)->count * sizeof(*(array)->data));         \
	} while (0)

#define array_push(array, value)                                                                   \
	do {                                                                                       \
		array_reserve(array, 1);                                                           \
		(array)->data[(array)->count++] = (value);                                         \
	} while (0)

/* For each element, which `item` points to; none are added meanwhile. There is no NULL + 0. */
#define array_each(type, item, array)                                                              \
	for (type *item = (array)->data;                                                           \
	     (array)->count && item < (array)->data + (array)->count; item++)

/* Where an element is, or would be; NULL in an array that has had none: there is no NULL + 0. */
#define array_place(array, index) ((array)->data ? (array)->data + (index) : NULL)

/* Appends the elements of `from` from `start` on to `to`, and cuts them off there. */
#define array_move(to, from, start)                                                                \
	do {                                                                                       \
		size_t count_ = (from)->count - (start);                                           \
		array_reserve(to, count_);                                                         \
		if (count_)                                                                        \
			memcpy((to)->data + (to)->count, (from)->data + (start),                   \
			       count_ * sizeof(*(to)->data));                                      \
		(to)->count += count_;                                                             \
		(from)->count = (start);                                                           \
	} while (0)

/* qsort() wants an array, even of nothing. */
#define array_sort(array, compare)                                                                 \
	do {                                                                                       \
		if ((array)->count)                                                                \
			qsort((array)->data, (array)->count, sizeof(*(array)->data), compare);     \
	} while (0)

/* An element that begins with *key, of those that `compare` has sorted; NULL: there is none. */
#define array_find(array, key, compare)                                                            \
	((array)->count ? bsearch(key, (array)->data, (array)->count, sizeof(*(array)->data),      \
				  compare) : NULL)

#define array_release(array)                                                                       \
	do {                                                                                       \
		free((array)->data);                                                               \
		(array)->data = NULL;                                                              \
		(array)->count = (array)->capacity = 0;                                            \
	} while (0)

/* Of strings that are the array's own: from `start` on they are freed and cut off. */
#define array_free_from(array, start)                                                              \
	do {                                                                                       \
		while ((array)->count > (start))                                                   \
			free((array)->data[--(array)->count]);                                     \
	} while (0)

/* All of them, and the array. */
#define array_free(array)                                                                          \
	do {                                                                                       \
		array_free_from(array, 0);                                                         \
		array_release(array);                                                              \
	} while (0)

#endif
