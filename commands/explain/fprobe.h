/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Events of tracefs on functions, whose arguments the kernel finds by its BTF. */
#ifndef BTFENC_COMMANDS_EXPLAIN_FPROBE_H
#define BTFENC_COMMANDS_EXPLAIN_FPROBE_H

#include "commands/explain/explanation.h"

/*
 * Adds "f:tcp_v4_rcv tcp_v4_rcv $arg* len=skb->len dev_name=skb->dev->name:string": all
 * parameters, of the first struct that one points to a number, and a name if it leads to one, and
 * strings. Nothing if the kernel, or the function, is not known to have such events.
 */
void fprobe_add(struct text *out, const struct explanation *explanation,
		const struct probe_point *point);

#endif
