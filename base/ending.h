/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * What has to be undone or given back when the process ends before its time: by a signal whose
 * default is to end it, or for lack of memory. What the caller ignores (nohup), or somebody else
 * handles, is left alone. Against SIGKILL nothing can be done.
 */
#ifndef BTFENC_BASE_ENDING_H
#define BTFENC_BASE_ENDING_H

/*
 * From now on calls `act` before the process ends so, once or twice, from any thread, while the
 * others run on: it may do only what a signal handler may (signal-safety(7)), and has to return
 * soon. Adding it again changes nothing. One thread at a time; there is room for ENDING_ACTS.
 */
void ending_add(void (*act)(void));

#define ENDING_ACTS 4

#endif
