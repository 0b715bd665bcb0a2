/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The parameters of an instance or inline site: names and types by the FUNC_PROTO, where they are
 * by a record of encoder/sites or by the calling convention, and tracefs' fetch arguments
 * (Documentation/trace/kprobetrace.rst): `%di`, `+8(%sp)`, `\10`. Only this file makes these.
 */
#ifndef BTFENC_COMMANDS_EXPLAIN_EXPLAIN_ARGUMENT_H
#define BTFENC_COMMANDS_EXPLAIN_EXPLAIN_ARGUMENT_H

#include "commands/explain/explain.h"

/* One of the three, or none. */
struct argument_source {
	bool by_convention;
	const uint32_t *loc;		/* words of a LOC: strings of tracefs */
	const uint32_t *loc_proto;	/* of a LOC_PROTO, whose LOC_PARAMs are in the types */
};

/*
 * Fills by_convention, result, parameters and unknown_parameters of a point with a prototype. What
 * the convention says is worked out up to the first parameter of which the types do not tell
 * enough (commands/records/type_source.h).
 */
void explain_arguments(struct probe_point *point, const struct type_source *types,
		       const struct argument_source *source);

/* Adds what DWARF shows of a parameter at a function's first instruction, and the ABI wants. */
void explain_evidence(struct explained_parameter *parameter, const struct abi *abi,
		      const struct parameter_finding *finding);

/* All fetch arguments, each with `blank` in front. */
void explain_add_fetch(struct text *out, const struct probe_point *point, char blank);

#endif
