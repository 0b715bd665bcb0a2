/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The jobserver: what MAKEFLAGS may say, descriptors that are none of make's, and that tokens come
 * back whatever happens; on a pipe with tokens of our own. tests/jobserver.sh has make's, FIFOs,
 * and how many threads there are.
 */
#include "tests/cmocka_all.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/jobserver.h"
#include "base/memory.h"

static int ends[2];

static int setup(void **state)
{
	(void)state;
	/* Who waits for a token, or for the lock, would wait for ever. */
	alarm(120);
	return pipe(ends);
}

static int teardown(void **state)
{
	(void)state;
	jobserver_close();
	close(ends[0]);
	return close(ends[1]);
}

#define TEST_IN_PIPE(name) TEST_WITH(name, setup, teardown)

static void put_tokens(const char *tokens)
{
	assert_int_equal(write(ends[1], tokens, strlen(tokens)), strlen(tokens));
}

static int token_count(void)
{
	int count = -1;

	assert_int_equal(ioctl(ends[0], FIONREAD, &count), 0);
	return count;
}

/* These are there, in any order, and are taken out. */
static void expect_tokens(const char *tokens)
{
	char found[16] = "";
	int count = token_count();

	assert_int_equal(count, strlen(tokens));
	if (count)
		assert_int_equal(read(ends[0], found, sizeof(found)), count);
	for (; *tokens; tokens++)
		assert_non_null(memchr(found, *tokens, sizeof(found)));
}

/* The format has places for two descriptors. */
static enum jobserver_state open_with(const char *format, int reading, int writing)
{
	char makeflags[512];

	/* NOLINTNEXTLINE(clang-diagnostic-format-nonliteral) */
	snprintf(makeflags, sizeof(makeflags), format, reading, writing);
	return jobserver_open(makeflags);
}

static enum jobserver_state open_pipe(void)
{
	return open_with("kw -j4 --jobserver-auth=%d,%d", ends[0], ends[1]);
}

static const struct {
	const char *format;
	enum jobserver_state state;
} words[] = {
	{ "", JOBSERVER_NONE },
	{ "rR -j1 --no-print-directory", JOBSERVER_NONE },
	{ "--jobserver-auth=%d,%d -j4", JOBSERVER_OPEN },
	{ "kw -j --jobserver-fds=%d,%d", JOBSERVER_OPEN },
	{ "\t-j4\t--jobserver-auth=%d,%d\t", JOBSERVER_OPEN },
	{ "--jobserver-fds=-2,-2 --jobserver-auth=%d,%d", JOBSERVER_OPEN },
	{ "-j4 --jobserver-auth=%d,%d --jobserver-auth=-2,-2", JOBSERVER_CLOSED },
	{ "-j4 -- A=b\\ --jobserver-auth=%d,%d", JOBSERVER_NONE },
	{ "-j4 --jobserver-auth=%d,%d -- --jobserver-auth=-2,-2", JOBSERVER_OPEN },
	{ "--no-jobserver-auth=%d,%d", JOBSERVER_NONE },
	{ "--jobserver-auth=fifo:/proc/self/fd/%d -- A=b", JOBSERVER_OPEN },
	{ "--jobserver-auth=fifo:/proc/sel\\f/fd/%d", JOBSERVER_OPEN },
	{ "--jobserver-auth=%d,", JOBSERVER_CLOSED },
	{ "--jobserver-auth=%d,%dx", JOBSERVER_CLOSED },
	{ "--jobserver-auth=%d,\\ %d", JOBSERVER_CLOSED },
	{ "--jobserver-auth=99999999999999999999,%d", JOBSERVER_CLOSED },
	{ "--jobserver-auth=semaphore", JOBSERVER_CLOSED },
	{ "--jobserver-auth=fifo:", JOBSERVER_CLOSED },
	{ "--jobserver-auth=fifo:/nowhere", JOBSERVER_CLOSED },
	{ "--jobserver-auth=fifo:/dev/null", JOBSERVER_CLOSED },
};

TEST_IN_PIPE(test_words)
{
	assert_int_equal(jobserver_open(NULL), JOBSERVER_NONE);
	for (size_t i = 0; i < LENGTH(words); i++) {
		if (open_with(words[i].format, ends[0], ends[1]) != words[i].state)
			fail_msg("%s", words[i].format);
		assert_int_equal(jobserver_state(), words[i].state);
		if (words[i].state != JOBSERVER_OPEN)
			assert_int_equal(jobserver_take(1), 0);
		jobserver_give_back(1);
	}
	expect_tokens("");
}

/* ---- descriptors that are none of make's ---- */

static bool is_refused(int reading, int writing)
{
	return open_with("--jobserver-auth=%d,%d", reading, writing) == JOBSERVER_CLOSED;
}

TEST_IN_PIPE(test_other_descriptors)
{
	int null = open("/dev/null", O_RDWR), closed = dup(null), other[2];

	assert_int_equal(pipe(other), 0);
	close(closed);
	assert_true(is_refused(null, null) && is_refused(ends[0], null));
	assert_true(is_refused(ends[0], other[1]));
	assert_true(is_refused(ends[1], ends[0]));
	assert_true(is_refused(ends[0], ends[0]) && is_refused(ends[1], ends[1]));
	assert_true(is_refused(closed, closed) && is_refused(ends[0], closed));
	close(null);
	close(other[0]);
	close(other[1]);
}

/* make's files stay as they are: its open files block, and nothing else is inherited or left. */
TEST_IN_PIPE(test_shared_files)
{
	int before = dup(0), after;

	close(before);
	open_pipe();
	assert_int_equal(fcntl(ends[0], F_GETFL) & O_NONBLOCK, 0);
	assert_int_equal(fcntl(ends[1], F_GETFL) & O_NONBLOCK, 0);
	assert_int_equal(fcntl(before, F_GETFD), FD_CLOEXEC);
	open_pipe();
	jobserver_close();
	jobserver_close();
	after = dup(0);
	close(after);
	assert_int_equal(before, after);
}

/* ---- the end of a process ---- */

static void *take_and_give_back(void *unused)
{
	(void)unused;
	for (;;)
		jobserver_give_back(jobserver_take(2));
	return NULL;
}

/* The signal comes to one of several that take tokens all the time, without one for itself. */
static void end_among_threads(int number)
{
	pthread_t threads[4];

	for (size_t i = 0; i < LENGTH(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, take_and_give_back, NULL), 0);
	for (int i = 0; i < 100; i++)
		jobserver_give_back(jobserver_take(2));
	pthread_kill(threads[0], number);
	take_and_give_back(NULL);
}

static void end_by_lack_of_memory(int number)
{
	(void)number;
	memory_fail_after(1);
	free(memory_alloc(1));
}

struct end {
	void (*end)(int number);	/* NULL: raises the signal */
	int number;
	void (*handler)(int number);	/* who runs the tests may ignore it (nohup) */
	int status, rounds;
};

/*
 * In a child: takes two of three tokens, ends, or else exits with the number of those that are
 * left. Returns its exit status, or minus the signal. What it says on stderr, which is closed, must
 * not become tokens.
 */
static int end_of_child(const struct end *row)
{
	const struct rlimit no_core = { 0, 0 };
	int status, left = 99;
	pid_t child;

	put_tokens("abc");
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setrlimit(RLIMIT_CORE, &no_core);
		close(STDERR_FILENO);
		signal(row->number, row->handler);
		open_pipe();
		if (jobserver_take(2) == 2) {
			if (row->end)
				row->end(row->number);
			else
				raise(row->number);
			left = token_count();
		}
		jobserver_close();
		_exit(left);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

TEST_IN_PIPE(test_ends)
{
	static const struct end rows[] = {
		/* Signals that tests/jobserver.sh does not send. */
		{ NULL, SIGALRM, SIG_DFL, -SIGALRM, 1 }, { NULL, SIGUSR1, SIG_DFL, -SIGUSR1, 1 },
		{ NULL, SIGUSR2, SIG_DFL, -SIGUSR2, 1 }, { NULL, SIGXCPU, SIG_DFL, -SIGXCPU, 1 },
		{ NULL, SIGXFSZ, SIG_DFL, -SIGXFSZ, 1 }, { NULL, SIGABRT, SIG_DFL, -SIGABRT, 1 },
		/* nohup: what is ignored ends nothing, and tokens stay where they are. */
		{ NULL, SIGHUP, SIG_IGN, 1, 1 },
		{ end_by_lack_of_memory, SIGABRT, SIG_DFL, EXIT_FAILED, 1 },
		{ end_among_threads, SIGTERM, SIG_DFL, -SIGTERM, 300 },
	};

	for (size_t i = 0; i < LENGTH(rows); i++) {
		for (int round = 0; round < rows[i].rounds; round++) {
			assert_int_equal(end_of_child(&rows[i]), rows[i].status);
			expect_tokens("abc");
		}
	}
}
