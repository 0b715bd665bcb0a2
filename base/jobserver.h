/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The jobs of the make that runs this process ("POSIX Jobserver" in GNU make's manual).
 *
 * A recipe is one job: it may keep one processor busy. A process that runs more in parallel reads a
 * token, one byte, for each from a pipe that make and all its children share, and writes the same
 * byte back when that is done. A token that is not written back is a job less for all others.
 *
 * Nothing here waits for a token: a process without one goes on with the job that is its own, so
 * there is no deadlock. That takes reads that do not block, but O_NONBLOCK belongs to the open file
 * that make and others read from as well; the pipe is opened a second time instead, through
 * /proc/self/fd.
 *
 * Tokens that are held when the process ends early are written back (base/ending.h). Those of a
 * process that is killed by SIGKILL are lost; make reports that at its end.
 *
 * There is one jobserver in a process. All functions but jobserver_open() and jobserver_close() may
 * be called from any thread.
 */
#ifndef BTFENC_BASE_JOBSERVER_H
#define BTFENC_BASE_JOBSERVER_H

enum jobserver_state {
	JOBSERVER_NONE,		/* make does not run this process */
	JOBSERVER_CLOSED,	/* make does, but takes this process for one job */
	JOBSERVER_OPEN,
};

/*
 * Looks for one in the value of MAKEFLAGS, which may be NULL; the last of its words counts:
 *
 *	--jobserver-auth=R,W	descriptors of a pipe, from make 4.2 on
 *	--jobserver-fds=R,W	the same, before
 *	--jobserver-auth=fifo:PATH	from make 4.4 on
 *
 * Make closes the pipe for lines of a recipe that have no + and no $(MAKE), or says -2,-2; so does
 * any process that closes descriptors. They may belong to something else then: they are taken for
 * make's only if they are the two ends of one pipe. All that cannot be used is JOBSERVER_CLOSED.
 */
enum jobserver_state jobserver_open(const char *makeflags);

enum jobserver_state jobserver_state(void);

/* Takes up to `wanted` tokens, as many as are there; returns how many. 0 if it is not open. */
unsigned int jobserver_take(unsigned int wanted);

/* Gives `count` tokens back, or as many as are held. */
void jobserver_give_back(unsigned int count);

/* Gives all back and forgets the jobserver. */
void jobserver_close(void);

#endif
