/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "base/jobserver.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ending.h"
#include "base/memory.h"
#include "base/text.h"

/* As many as there can be processors (sched_getaffinity() with a cpu_set_t). */
#define MAX_TOKENS 1024

/* `fd`, `tokens`, `held` and `ended` are only touched with the lock. */
static enum jobserver_state state;
static int fd = -1;			/* for both directions, not blocking, not shared */
static char tokens[MAX_TOKENS];		/* as they were read */
static unsigned int held;
static bool ended;			/* the process is about to end: nothing is taken any more */

/* ---- the lock ---- */

/*
 * A token must not be between pipe and array when a signal handler gives all back. So no signal is
 * handled by the thread that has the lock, and a handler in another thread waits for it: a few
 * system calls, none of which blocks.
 */
static atomic_flag lock = ATOMIC_FLAG_INIT;

static void take_lock(sigset_t *before)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, before);
	while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
		sched_yield();
}

static void drop_lock(const sigset_t *before)
{
	atomic_flag_clear_explicit(&lock, memory_order_release);
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* ---- MAKEFLAGS ---- */

/*
 * Copies the next word without the backslashes that make puts before blanks and backslashes.
 * Returns what follows, NULL if there is none.
 */
static const char *next_word(const char *at, char *word)
{
	at += strspn(at, " \t");
	if (!*at)
		return NULL;
	while (*at && *at != ' ' && *at != '\t') {
		at += at[0] == '\\' && at[1];
		*word++ = *at++;
	}
	*word = '\0';
	return at;
}

/* ---- opening ---- */

/* Opened for both directions a FIFO never blocks, and never raises SIGPIPE. */
static int open_fifo(const char *path)
{
	struct stat st;
	int opened, moved;

	if (stat(path, &st) != 0 || !S_ISFIFO(st.st_mode))
		return -1;
	opened = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (opened < 0 || opened > STDERR_FILENO)
		return opened;
	/* If stderr is closed, what is written to it would become tokens. */
	moved = fcntl(opened, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	close(opened);
	return moved;
}

static bool has_mode(int number, int wanted)
{
	int flags = fcntl(number, F_GETFL);
	int mode = flags & O_ACCMODE;

	return flags >= 0 && (mode == wanted || mode == O_RDWR);
}

/* "R,W" must be the two ends of one pipe. */
static int open_pipe(const char *auth)
{
	char path[64], end;
	int reading, writing;
	struct stat r, w;

	if (strspn(auth, "0123456789,-") != strlen(auth) ||
	    sscanf(auth, "%9d,%9d%c", &reading, &writing, &end) != 2 ||
	    fstat(reading, &r) != 0 || fstat(writing, &w) != 0 || !S_ISFIFO(r.st_mode) ||
	    r.st_dev != w.st_dev || r.st_ino != w.st_ino || !has_mode(reading, O_RDONLY) ||
	    !has_mode(writing, O_WRONLY))
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", reading);
	return open_fifo(path);
}

/* ---- tokens ---- */

/* With the lock. The pipe has room for what came out of it, so nothing but a signal can fail. */
static void write_back(unsigned int count)
{
	for (; count && held; count--) {
		held--;
		while (write(fd, &tokens[held], 1) < 0 && errno == EINTR)
			;
	}
}

static void give_all_back_for_good(void)
{
	sigset_t before;

	take_lock(&before);
	ended = true;
	write_back(held);
	drop_lock(&before);
}

unsigned int jobserver_take(unsigned int wanted)
{
	unsigned int count = 0;
	sigset_t before;

	if (state != JOBSERVER_OPEN)
		return 0;
	take_lock(&before);
	while (count < wanted && held < MAX_TOKENS && !ended) {
		ssize_t bytes = read(fd, &tokens[held], 1);

		if (bytes < 0 && errno == EINTR)
			continue;
		if (bytes != 1)
			break;
		held++;
		count++;
	}
	drop_lock(&before);
	return count;
}

void jobserver_give_back(unsigned int count)
{
	sigset_t before;

	if (state != JOBSERVER_OPEN)
		return;
	take_lock(&before);
	write_back(count);
	drop_lock(&before);
}

enum jobserver_state jobserver_open(const char *makeflags)
{
	size_t room = makeflags ? strlen(makeflags) + 1 : 1;
	char *word = memory_alloc(room), *auth = memory_copy("");
	const char *path, *value;

	jobserver_close();
	/* The last option counts; variables come after --. */
	while (makeflags && (makeflags = next_word(makeflags, word)) && strcmp(word, "--") != 0) {
		value = text_after(word, "--jobserver-auth=");
		if (!value)
			value = text_after(word, "--jobserver-fds=");
		if (!value)
			continue;
		free(auth);
		auth = memory_copy(value);
		state = JOBSERVER_CLOSED;
	}
	if (state == JOBSERVER_CLOSED) {
		path = text_after(auth, "fifo:");
		fd = path ? open_fifo(path) : open_pipe(auth);
	}
	if (fd >= 0) {
		state = JOBSERVER_OPEN;
		ending_add(give_all_back_for_good);
	}
	free(word);
	free(auth);
	return state;
}

enum jobserver_state jobserver_state(void)
{
	return state;
}

void jobserver_close(void)
{
	jobserver_give_back(held);
	if (fd >= 0)
		close(fd);
	fd = -1;
	state = JOBSERVER_NONE;
}
