/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "base/progress.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* When the line appears first, and how often it changes. */
#define FIRST_MS 1000
#define NEXT_MS  250

static struct {
	pthread_t thread;
	pthread_mutex_t lock;		/* of the fields below, and of the line */
	pthread_cond_t ends;
	const char *what, *noun;
	_Atomic bool runs;
	bool is_shown;
	_Atomic uint32_t expected, done;
} progress = { .lock = PTHREAD_MUTEX_INITIALIZER, .ends = PTHREAD_COND_INITIALIZER };

/* In one write, whatever else uses the terminal. */
static void put(const char *text, int length)
{
	ssize_t written = write(STDERR_FILENO, text, (size_t)length);

	(void)written;
}

static void hide(void)
{
	if (progress.is_shown)
		put("\r\033[K", 4);
	progress.is_shown = false;
}

static void show(void)
{
	uint32_t expected = atomic_load(&progress.expected), done = atomic_load(&progress.done);
	char text[120];
	int length = expected ? snprintf(text, sizeof(text), "\r\033[K%s: %u of %u %s",
					 progress.what, done, expected, progress.noun)
			      : snprintf(text, sizeof(text), "\r\033[K%s", progress.what);

	put(text, length < (int)sizeof(text) ? length : (int)sizeof(text) - 1);
	progress.is_shown = true;
}

static void *watch(void *unused)
{
	struct timespec next;
	long wait_ms = FIRST_MS;

	(void)unused;
	pthread_mutex_lock(&progress.lock);
	while (progress.runs) {
		clock_gettime(CLOCK_REALTIME, &next);
		next.tv_nsec += wait_ms % 1000 * 1000000;
		next.tv_sec += wait_ms / 1000 + next.tv_nsec / 1000000000;
		next.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&progress.ends, &progress.lock, &next);
		if (progress.runs)
			show();
		wait_ms = NEXT_MS;
	}
	hide();
	pthread_mutex_unlock(&progress.lock);
	return NULL;
}

void progress_begin(const char *what, const char *noun)
{
	const char *terminal = getenv("TERM");
	sigset_t all, before;

	if (progress.runs || !isatty(STDERR_FILENO) || !terminal || !strcmp(terminal, "dumb"))
		return;
	progress.what = what;
	progress.noun = noun;
	progress.expected = progress.done = 0;
	progress.runs = true;
	/* Signals are for the threads that work. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	progress.runs = pthread_create(&progress.thread, NULL, watch, NULL) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void progress_end(void)
{
	if (!progress.runs)
		return;
	pthread_mutex_lock(&progress.lock);
	progress.runs = false;
	pthread_cond_signal(&progress.ends);
	pthread_mutex_unlock(&progress.lock);
	pthread_join(progress.thread, NULL);
}

static bool counts(const char *noun)
{
	return progress.runs && strcmp(noun, progress.noun) == 0;
}

void progress_expect(const char *noun, uint32_t count)
{
	if (counts(noun))
		atomic_fetch_add_explicit(&progress.expected, count, memory_order_relaxed);
}

void progress_done(const char *noun, uint32_t count)
{
	if (counts(noun))
		atomic_fetch_add_explicit(&progress.done, count, memory_order_relaxed);
}

void progress_hide(void)
{
	pthread_mutex_lock(&progress.lock);
	hide();
	pthread_mutex_unlock(&progress.lock);
}
