/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Actions for a process that ends early: by a signal whose default is to end it, or for lack of
 * memory. Signals that are ignored (nohup) or have a handler already are left alone. SIGKILL cannot
 * be caught.
 */
#ifndef BTFENC_BASE_ENDING_H
#define BTFENC_BASE_ENDING_H

/*
 * Calls `act` before the process ends early, once or twice, from any thread, while the others run
 * on: it may do only what a signal handler may (signal-safety(7)), and has to return soon. Adding
 * it again changes nothing. One thread at a time; there is room for ENDING_ACTS.
 */
void ending_add(void (*act)(void));

#define ENDING_ACTS 4

/* Does all that was added: the process ends early. */
void ending_run(void);

#endif
