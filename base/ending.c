/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "base/ending.h"

#include <assert.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

typedef void (*ending_act)(void);

static _Atomic ending_act acts[ENDING_ACTS];	/* filled from the front */

void ending_run(void)
{
	for (size_t i = 0; i < ENDING_ACTS; i++) {
		ending_act act = atomic_load(&acts[i]);

		if (act)
			act();
	}
}

/* All signals are blocked meanwhile: what is raised here ends the process on return. */
static void on_signal(int number)
{
	ending_run();
	signal(number, SIG_DFL);
	raise(number);
}

void ending_add(void (*act)(void))
{
	static const int numbers[] = { SIGHUP,	SIGINT,	 SIGQUIT, SIGILL,    SIGTRAP,
				       SIGABRT, SIGBUS,	 SIGFPE,  SIGUSR1,   SIGSEGV,
				       SIGUSR2, SIGPIPE, SIGALRM, SIGTERM,   SIGXCPU,
				       SIGXFSZ, SIGPROF, SIGSYS,  SIGVTALRM, SIGPOLL };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	size_t i = 0;

	while (i < ENDING_ACTS && acts[i] && acts[i] != act)
		i++;
	assert(i < ENDING_ACTS);
	atomic_store(&acts[i], act);
	sigfillset(&action.sa_mask);
	for (i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		struct sigaction old;

		if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
			sigaction(numbers[i], &action, NULL);
	}
}
