/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#define _GNU_SOURCE	/* sched_getaffinity */
#include "base/workers.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/jobserver.h"
#include "base/memory.h"

struct worker {
	pthread_t thread;
	struct crew *crew;
	unsigned int number;
};

/* The workers of one call of workers_run(); only that thread changes it. */
struct crew {
	struct worker *workers;
	worker_function function;
	void *context;
	unsigned int count;
	unsigned int started;	/* these have threads, or are the caller */
	bool no_threads;	/* they cannot be started any more */
	char task[MEMORY_TASK_BYTES];	/* of the caller, when it called */
};

/* In which this thread is worker 0; calls of workers_run() may be nested. */
static _Thread_local struct crew *own_crew;

static _Atomic unsigned int threads = 1, peak = 1;

/* ---- one thread ---- */

static void has_ended(void)
{
	atomic_fetch_sub(&threads, 1);
	jobserver_give_back(1);
}

static void *run_worker(void *argument)
{
	const struct worker *worker = argument;

	memcpy(memory_task, worker->crew->task, sizeof(memory_task));
	worker->crew->function(worker->crew->context, worker->number);
	has_ended();
	return NULL;
}

static bool start(struct worker *worker)
{
	unsigned int now, most = atomic_load(&peak);

	if (jobserver_state() == JOBSERVER_OPEN && jobserver_take(1) != 1)
		return false;
	now = atomic_fetch_add(&threads, 1) + 1;
	while (now > most && !atomic_compare_exchange_weak(&peak, &most, now))
		;
	if (pthread_create(&worker->thread, NULL, run_worker, worker) == 0)
		return true;
	worker->crew->no_threads = true;
	has_ended();
	return false;
}

/* ---- all of them ---- */

static void start_more(struct crew *crew)
{
	while (crew->started < crew->count && !crew->no_threads &&
	       start(&crew->workers[crew->started]))
		crew->started++;
}

void workers_start_more(void)
{
	if (own_crew)
		start_more(own_crew);
}

void workers_run(unsigned int count, worker_function function, void *context)
{
	struct crew crew = { .workers = memory_zeroed(count, sizeof(*crew.workers)),
			     .function = function, .context = context, .count = count,
			     .started = 1 };
	struct crew *outer = own_crew;

	memcpy(crew.task, memory_task, sizeof(crew.task));
	for (unsigned int i = 0; i < count; i++)
		crew.workers[i] = (struct worker){ .crew = &crew, .number = i };
	start_more(&crew);
	own_crew = &crew;
	function(context, 0);
	own_crew = NULL;
	for (unsigned int i = crew.started; i < count; i++)
		function(context, i);
	own_crew = outer;
	for (unsigned int i = 1; i < crew.started; i++)
		pthread_join(crew.workers[i].thread, NULL);
	free(crew.workers);
}

/* ---- how many ---- */

unsigned int workers_by_default(void)
{
	cpu_set_t set;
	int count = 1;

	if (jobserver_open(getenv("MAKEFLAGS")) == JOBSERVER_CLOSED)
		return 1;
	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		count = CPU_COUNT(&set);
	return count > 0 ? (unsigned int)count : 1;
}

unsigned int workers_peak(void)
{
	return atomic_load(&peak);
}
