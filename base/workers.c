/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#define _GNU_SOURCE	/* sched_getaffinity */
#include "base/workers.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"

struct worker {
	pthread_t thread;
	worker_function function;
	void *context;
	unsigned int number;
	bool started;
};

static void *run_worker(void *argument)
{
	struct worker *worker = argument;

	worker->function(worker->context, worker->number);
	return NULL;
}

void workers_run(unsigned int count, worker_function function, void *context)
{
	struct worker *workers = memory_zeroed(count, sizeof(*workers));

	for (unsigned int i = 1; i < count; i++) {
		workers[i] =
			(struct worker){ .function = function, .context = context, .number = i };
		workers[i].started = pthread_create(&workers[i].thread, NULL, run_worker,
						    &workers[i]) == 0;
	}
	function(context, 0);
	for (unsigned int i = 1; i < count; i++) {
		if (workers[i].started)
			pthread_join(workers[i].thread, NULL);
		else
			function(context, i);
	}
	free(workers);
}

unsigned int workers_available(void)
{
	cpu_set_t set;
	int count = 1;

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		count = CPU_COUNT(&set);
	return count > 0 ? (unsigned int)count : 1;
}
