/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Runs one function on several threads. The caller's thread is worker 0; there is no queue here:
 * workers take their work from an atomic counter of their own.
 *
 * Where make counts jobs (base/jobserver.h is open) each thread but the caller's costs a token,
 * which it has from before its start to its end.
 */
#ifndef BTFENC_BASE_WORKERS_H
#define BTFENC_BASE_WORKERS_H

typedef void (*worker_function)(void *context, unsigned int worker);

/*
 * Calls function(context, w) once for each w below `count`, at the same time, and returns when all
 * have returned. Where a thread cannot be started, or there is no token for it, its share is run by
 * the caller after its own: no function may wait for another.
 */
void workers_run(unsigned int count, worker_function function, void *context);

/*
 * To be called by a worker between two pieces of its work: if it is worker 0, threads that had no
 * token at first are started when there are some by now. Costs a system call when there are such.
 */
void workers_start_more(void);

/*
 * The number of workers if -j was not given: as many as there are processors that this process may
 * use, but one in a recipe that make counts as one job. After this call threads cost tokens if make
 * has a jobserver: call it only if -j was not given.
 */
unsigned int workers_by_default(void);

/* The most threads, the first one among them, that there have been at once. */
unsigned int workers_peak(void);

#endif
