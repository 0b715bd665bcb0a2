/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Runs one function on several threads. The caller's thread is worker 0; there is no queue here:
 * workers take their work from an atomic counter of their own.
 */
#ifndef BTFENC_BASE_WORKERS_H
#define BTFENC_BASE_WORKERS_H

typedef void (*worker_function)(void *context, unsigned int worker);

/*
 * Calls function(context, w) once for each w below `count`, at the same time, and returns when all
 * have returned. If a thread cannot be started, its share is run by the caller.
 */
void workers_run(unsigned int count, worker_function function, void *context);

/* Processors that this process may use. */
unsigned int workers_available(void);

#endif
