/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * A library for LD_PRELOAD that watches and holds threads; each variable may be left away:
 *
 *	INJECT_PROCESSORS	how many sched_getaffinity() says there are
 *	INJECT_LOG	a file that gets a line "+" when the process or a thread of it begins, "-"
 *			when it ends; the process's come first and last
 *	INJECT_HELD	a FIFO that gets a line from each thread but the first, before it begins;
 *			it waits then until a process opens the FIFO INJECT_GO to write to it
 *
 * The process is killed when its parent ends, so that none is held for ever.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* The C library's own; a function pointer has no conversion from what dlsym() returns. */
#define REAL(result, name, ...)                                                                    \
	result (*real)(__VA_ARGS__);                                                               \
	*(void **)&real = dlsym(RTLD_NEXT, name)

/* A line of a log is written at once, so those of several processes do not mix. */
static void put(const char *variable, int flags, const char *line)
{
	const char *name = getenv(variable);
	int fd = name ? open(name, flags | O_CLOEXEC, 0600) : -1;

	if (fd >= 0) {
		(void)!write(fd, line, strlen(line));
		close(fd);
	}
}

static void note(const char *line)
{
	put("INJECT_LOG", O_WRONLY | O_APPEND | O_CREAT, line);
}

__attribute__((constructor))
static void begin(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	note("+\n");
}

__attribute__((destructor))
static void end(void)
{
	note("-\n");
}

static void hold(void)
{
	const char *go = getenv("INJECT_GO");
	int fd;

	if (!go)
		return;
	put("INJECT_HELD", O_WRONLY, "held\n");
	fd = open(go, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		close(fd);
}

struct start {
	void *(*function)(void *argument);
	void *argument;
};

static void *run(void *argument)
{
	struct start start = *(struct start *)argument;
	void *result;

	free(argument);
	note("+\n");
	hold();
	result = start.function(start.argument);
	note("-\n");
	return result;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
		   void *(*function)(void *argument), void *argument)
{
	struct start *start = malloc(sizeof(*start));
	REAL(int, "pthread_create", pthread_t *, const pthread_attr_t *, void *(*)(void *),
	     void *);

	*start = (struct start){ function, argument };
	return real(thread, attributes, run, start);
}

int sched_getaffinity(pid_t process, size_t bytes, cpu_set_t *set)
{
	const char *processors = getenv("INJECT_PROCESSORS");
	REAL(int, "sched_getaffinity", pid_t, size_t, cpu_set_t *);

	if (!processors)
		return real(process, bytes, set);
	CPU_ZERO_S(bytes, set);
	for (unsigned long i = 0; i < strtoul(processors, NULL, 10); i++)
		CPU_SET_S(i, bytes, set);
	return 0;
}
