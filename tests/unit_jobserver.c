/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The jobserver: what MAKEFLAGS may say, descriptors that are none of make's, and that tokens come
 * back whatever happens; on pipes and FIFOs with tokens of our own. tests/jobserver.sh has make's.
 */
#include "tests/cmocka_all.h"

#include <errno.h>
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
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/jobserver.h"
#include "base/memory.h"
#include "base/workers.h"
#include "tests/scratch.h"

/* ---- a pipe of make's ---- */

static int ends[2];

static int setup(void **state)
{
	if (scratch_setup(state) != 0)
		return -1;
	return pipe(ends);
}

static int teardown(void **state)
{
	jobserver_close();
	close(ends[0]);
	close(ends[1]);
	return scratch_teardown(state);
}

static void put_tokens(const char *tokens)
{
	assert_int_equal(write(ends[1], tokens, strlen(tokens)), strlen(tokens));
}

static int token_count(int fd)
{
	int count = -1;

	assert_int_equal(ioctl(fd, FIONREAD, &count), 0);
	return count;
}

static int compare_bytes(const void *a, const void *b)
{
	return *(const char *)a - *(const char *)b;
}

/* Takes out what is there: it has to be these, in any order. */
static void expect_tokens(int fd, const char *tokens)
{
	char found[64];
	int count = token_count(fd);

	assert_int_equal(count, strlen(tokens));
	if (!count)
		return;
	assert_int_equal(read(fd, found, sizeof(found)), count);
	qsort(found, (size_t)count, 1, compare_bytes);
	assert_memory_equal(found, tokens, (size_t)count);
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

/* ---- what MAKEFLAGS says ---- */

static const struct {
	const char *format;
	enum jobserver_state state;
} words[] = {
	{ "", JOBSERVER_NONE },
	{ "  ", JOBSERVER_NONE },
	{ "kw", JOBSERVER_NONE },
	{ "-j", JOBSERVER_NONE },
	{ "rR -j1 --no-print-directory", JOBSERVER_NONE },
	{ " -j4 --jobserver-auth=%d,%d", JOBSERVER_OPEN },
	{ "--jobserver-auth=%d,%d -j4", JOBSERVER_OPEN },
	{ "kw -j --jobserver-fds=%d,%d", JOBSERVER_OPEN },
	{ "\t-j4\t--jobserver-auth=%d,%d\t", JOBSERVER_OPEN },
	{ "-j4 --jobserver-auth=%d,%d -- A=b", JOBSERVER_OPEN },
	/* the last one counts */
	{ "--jobserver-fds=-2,-2 --jobserver-auth=%d,%d", JOBSERVER_OPEN },
	{ "--jobserver-auth=fifo:/nowhere --jobserver-fds=%d,%d", JOBSERVER_OPEN },
	{ "-j4 --jobserver-auth=%d,%d --jobserver-auth=-2,-2", JOBSERVER_CLOSED },
	{ "--jobserver-auth=%d,%d --jobserver-auth=", JOBSERVER_CLOSED },
	/* values of variables */
	{ "-j4 -- A=b\\ --jobserver-auth=%d,%d", JOBSERVER_NONE },
	{ "-j4 -- A=b --jobserver-auth=%d,%d", JOBSERVER_NONE },
	{ "-I a\\ --jobserver-auth=%d,%d", JOBSERVER_NONE },
	{ "-j4 --jobserver-auth=%d,%d -- --jobserver-auth=-2,-2", JOBSERVER_OPEN },
	{ "--no-jobserver-auth=%d,%d", JOBSERVER_NONE },
	/* no descriptors */
	{ "--jobserver-auth=%d", JOBSERVER_CLOSED },
	{ "--jobserver-auth=%d,", JOBSERVER_CLOSED },
	{ "--jobserver-auth=%d,%dx", JOBSERVER_CLOSED },
	{ "--jobserver-auth=%d,%d,5", JOBSERVER_CLOSED },
	{ "--jobserver-auth=%d,\\ %d", JOBSERVER_CLOSED },
	{ "--jobserver-auth=99999999999999999999,%d", JOBSERVER_CLOSED },
	{ "--jobserver-auth=-1,-1", JOBSERVER_CLOSED },
	{ "--jobserver-auth=semaphore", JOBSERVER_CLOSED },
	{ "--jobserver-auth=fifo:", JOBSERVER_CLOSED },
	{ "--jobserver-auth=fifo:/nowhere", JOBSERVER_CLOSED },
	{ "--jobserver-auth=fifo:/dev/null", JOBSERVER_CLOSED },
};

static void test_words(void **state)
{
	(void)state;
	assert_int_equal(jobserver_open(NULL), JOBSERVER_NONE);
	for (size_t i = 0; i < LENGTH(words); i++) {
		if (open_with(words[i].format, ends[0], ends[1]) != words[i].state)
			fail_msg("%s", words[i].format);
		assert_int_equal(jobserver_state(), words[i].state);
		if (words[i].state != JOBSERVER_OPEN)
			assert_int_equal(jobserver_take(1), 0);
		jobserver_give_back(1);
	}
	expect_tokens(ends[0], "");
}

/* ---- descriptors that are none of make's ---- */

static void test_other_descriptors(void **state)
{
	const char *format = "--jobserver-auth=%d,%d";
	int other[2], file, null;

	(void)state;
	scratch_write("file", "+++", 3);
	file = open(scratch_path("file"), O_RDWR);
	null = open("/dev/null", O_RDWR);
	assert_int_equal(pipe(other), 0);
	assert_int_equal(open_with(format, file, file), JOBSERVER_CLOSED);
	assert_int_equal(open_with(format, null, null), JOBSERVER_CLOSED);
	assert_int_equal(open_with(format, ends[0], file), JOBSERVER_CLOSED);
	assert_int_equal(open_with(format, ends[0], other[1]), JOBSERVER_CLOSED);
	assert_int_equal(open_with(format, ends[1], ends[0]), JOBSERVER_CLOSED);
	assert_int_equal(open_with(format, ends[0], ends[0]), JOBSERVER_CLOSED);
	assert_int_equal(open_with(format, ends[1], ends[1]), JOBSERVER_CLOSED);
	close(other[0]);
	close(other[1]);
	assert_int_equal(open_with(format, other[0], other[1]), JOBSERVER_CLOSED);
	assert_int_equal(open_with(format, ends[0], other[1]), JOBSERVER_CLOSED);
	assert_true(scratch_equals("file", "+++", 3));
	close(file);
	close(null);
}

/* ---- a FIFO ---- */

/* A blank in its name has a backslash in MAKEFLAGS. */
static void test_fifo(void **state)
{
	char path[256], makeflags[512];
	const char *blank;
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "%s", scratch_path("a fifo"));
	assert_int_equal(mkfifo(path, 0600), 0);
	fd = open(path, O_RDWR);
	assert_int_equal(write(fd, "xyz", 3), 3);
	blank = strchr(path, ' ');
	snprintf(makeflags, sizeof(makeflags), "-j4 --jobserver-auth=fifo:%.*s\\%s -- A=b",
		 (int)(blank - path), path, blank);
	assert_int_equal(jobserver_open(makeflags), JOBSERVER_OPEN);
	assert_int_equal(jobserver_take(2), 2);
	assert_int_equal(token_count(fd), 1);
	jobserver_close();
	expect_tokens(fd, "xyz");
	close(fd);
	scratch_write("file", "+", 1);
	snprintf(makeflags, sizeof(makeflags), "--jobserver-auth=fifo:%s", scratch_path("file"));
	assert_int_equal(jobserver_open(makeflags), JOBSERVER_CLOSED);
}

/* ---- tokens ---- */

static void test_taking(void **state)
{
	(void)state;
	assert_int_equal(open_pipe(), JOBSERVER_OPEN);
	assert_int_equal(jobserver_take(3), 0);
	put_tokens("abcd");
	assert_int_equal(jobserver_take(0), 0);
	assert_int_equal(jobserver_take(3), 3);
	assert_int_equal(token_count(ends[0]), 1);
	assert_int_equal(jobserver_take(3), 1);
	assert_int_equal(jobserver_take(3), 0);
	jobserver_give_back(1);
	assert_int_equal(token_count(ends[0]), 1);
	jobserver_give_back(0);
	assert_int_equal(token_count(ends[0]), 1);
	jobserver_give_back(100);
	jobserver_give_back(1);
	jobserver_close();
	jobserver_close();
	expect_tokens(ends[0], "abcd");
}

/* make's files stay as they are: its open files block, and nothing else is inherited. */
static void test_shared_files(void **state)
{
	int before = dup(0), after;

	(void)state;
	close(before);
	put_tokens("a");
	open_pipe();
	assert_int_equal(jobserver_take(1), 1);
	assert_int_equal(fcntl(ends[0], F_GETFL) & O_NONBLOCK, 0);
	assert_int_equal(fcntl(ends[1], F_GETFL) & O_NONBLOCK, 0);
	assert_int_equal(fcntl(before, F_GETFD), FD_CLOEXEC);
	open_pipe();
	jobserver_close();
	after = dup(0);
	close(after);
	assert_int_equal(before, after);
	expect_tokens(ends[0], "a");
}

/* Opening another one gives the tokens of the first back. */
static void test_opening_again(void **state)
{
	(void)state;
	put_tokens("ab");
	open_pipe();
	assert_int_equal(jobserver_take(2), 2);
	assert_int_equal(jobserver_open(NULL), JOBSERVER_NONE);
	expect_tokens(ends[0], "ab");
}

/* ---- the end of a process ---- */

/*
 * In a child: takes two of three tokens, ends. Returns how. What it says on stderr, which is
 * closed, must not become tokens. Who runs the tests may ignore the signal (nohup).
 */
static int end_of_child(void (*end)(int number), int number)
{
	const struct rlimit no_core = { 0, 0 };
	int status;
	pid_t child;

	put_tokens("abc");
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setrlimit(RLIMIT_CORE, &no_core);
		close(STDERR_FILENO);
		if (number)
			signal(number, SIG_DFL);
		open_pipe();
		if (jobserver_take(2) == 2)
			end(number);
		_exit(99);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

static void end_by_signal(int number)
{
	raise(number);
}

static void test_signals(void **state)
{
	static const int numbers[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGALRM,
				       SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ, SIGABRT };

	(void)state;
	for (size_t i = 0; i < LENGTH(numbers); i++) {
		int status = end_of_child(end_by_signal, numbers[i]);

		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), numbers[i]);
		expect_tokens(ends[0], "abc");
	}
}

static void end_by_lack_of_memory(int number)
{
	(void)number;
	memory_fail_after(1);
	free(memory_alloc(1));
}

static void test_lack_of_memory(void **state)
{
	int status;

	(void)state;
	status = end_of_child(end_by_lack_of_memory, 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), EXIT_FAILED);
	expect_tokens(ends[0], "abc");
}

/* nohup: what is ignored ends nothing, and tokens stay where they are. */
static void end_ignoring(int number)
{
	char left;

	signal(number, SIG_IGN);
	jobserver_close();
	open_pipe();
	jobserver_take(2);
	raise(number);
	left = (char)token_count(ends[0]);
	jobserver_close();
	_exit(left);
}

static void test_ignored_signal(void **state)
{
	int status;

	(void)state;
	status = end_of_child(end_ignoring, SIGHUP);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 1);
	expect_tokens(ends[0], "abc");
}

/* ---- threads ---- */

#define THREADS 4

static void take_and_give_back(int rounds)
{
	for (int i = 0; i < rounds; i++)
		jobserver_give_back(jobserver_take(2));
}

/* Without a token for the thread itself. */
static void *run_thread(void *rounds)
{
	take_and_give_back(*(int *)rounds);
	return NULL;
}

static void start_threads(pthread_t *threads, int *rounds)
{
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, run_thread, rounds), 0);
}

static void test_threads(void **state)
{
	pthread_t threads[THREADS];
	int rounds = 2000;

	(void)state;
	put_tokens("abcde");
	open_pipe();
	start_threads(threads, &rounds);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	expect_tokens(ends[0], "abcde");
}

/* The signal comes to one of several that take tokens all the time. */
static void end_among_threads(int number)
{
	static int rounds = INT32_MAX;
	pthread_t threads[THREADS];

	start_threads(threads, &rounds);
	take_and_give_back(100);
	pthread_kill(threads[0], number);
	take_and_give_back(rounds);
}

static void test_signal_among_threads(void **state)
{
	(void)state;
	for (int i = 0; i < 300; i++) {
		int status = end_of_child(end_among_threads, SIGTERM);

		assert_true(WIFSIGNALED(status));
		expect_tokens(ends[0], "abc");
	}
}

/* ---- workers ---- */

struct crowd {
	_Atomic unsigned int begun;
	_Atomic unsigned int in_own_thread;
	pthread_t caller;
	const char *late;	/* tokens that come while worker 0 is at work */
	unsigned int wait_for;	/* all go on when so many have begun */
};

static void join_crowd(void *context, unsigned int worker)
{
	struct crowd *crowd = context;

	if (worker == 0 && crowd->late) {
		workers_start_more();
		put_tokens(crowd->late);
		workers_start_more();
	}
	crowd->in_own_thread += !pthread_equal(pthread_self(), crowd->caller);
	crowd->begun++;
	while (crowd->begun < crowd->wait_for)
		usleep(100);
}

static void expect_crowd(const char *tokens, const char *late, unsigned int in_own_thread)
{
	struct crowd crowd = { .caller = pthread_self(), .late = late,
			       .wait_for = in_own_thread + 1 };

	put_tokens(tokens);
	workers_run(4, join_crowd, &crowd);
	assert_int_equal(crowd.begun, 4);
	assert_int_equal(crowd.in_own_thread, in_own_thread);
}

/* With a token for each thread; without tokens all is done, and by the caller. */
static void test_workers(void **state)
{
	(void)state;
	open_pipe();
	expect_crowd("", NULL, 0);
	expect_tokens(ends[0], "");
	expect_crowd("", "ab", 2);
	expect_tokens(ends[0], "ab");
	expect_crowd("abcd", NULL, 3);
	expect_tokens(ends[0], "abcd");
	jobserver_close();
	expect_crowd("", NULL, 3);
	workers_start_more();
	assert_int_equal(workers_peak(), 4);
}

/* A thread that has nothing left to do has given its token back while others are at work. */
static void wait_for_token(void *context, unsigned int worker)
{
	(void)context;
	while (worker == 0 && token_count(ends[0]) < 2)
		usleep(100);
}

static void test_early_end(void **state)
{
	(void)state;
	put_tokens("ab");
	open_pipe();
	workers_run(3, wait_for_token, NULL);
	expect_tokens(ends[0], "ab");
}

static void test_workers_by_default(void **state)
{
	char makeflags[64];

	(void)state;
	unsetenv("MAKEFLAGS");
	assert_in_range(workers_by_default(), 1, 1024);
	assert_int_equal(jobserver_state(), JOBSERVER_NONE);
	setenv("MAKEFLAGS", "-j4 --jobserver-auth=-2,-2", 1);
	assert_int_equal(workers_by_default(), 1);
	snprintf(makeflags, sizeof(makeflags), "--jobserver-auth=%d,%d", ends[0], ends[1]);
	setenv("MAKEFLAGS", makeflags, 1);
	assert_in_range(workers_by_default(), 1, 1024);
	assert_int_equal(jobserver_state(), JOBSERVER_OPEN);
	unsetenv("MAKEFLAGS");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(test_words),
		TEST(test_other_descriptors),
		TEST(test_fifo),
		TEST(test_taking),
		TEST(test_shared_files),
		TEST(test_opening_again),
		TEST(test_signals),
		TEST(test_lack_of_memory),
		TEST(test_ignored_signal),
		TEST(test_threads),
		TEST(test_signal_among_threads),
		TEST(test_workers),
		TEST(test_early_end),
		TEST(test_workers_by_default),
	};

	/* Who waits for a token, or for the lock, would wait for ever. */
	alarm(120);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
