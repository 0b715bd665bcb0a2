/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* The verdicts: session.h, and trace.c for what they mean. */
#include <stdio.h>

#include "session.h"

/* If there is one in registers. */
static bool result_observed(const struct machine *machine, const struct prototype *truth,
			    const struct finding *finding)
{
	struct placement placement;

	return finding->results || !prototype_place_result(machine, truth, &placement);
}

static const char *verdict_of(const struct machine *machine, const struct name *name,
			      const struct prototype *truth, const struct promise *promise,
			      const struct finding *source)
{
	bool observed = result_observed(machine, truth, source);

	if (name->addresses > 1 || promise->count > 1)
		return promise->count ? "ambiguous" : "namesake";
	if (!promise->count)
		return source->outcome != OUTCOME_CORRECT ? "rightly-absent" :
		       observed				  ? "missed" :
							    "unknown";
	switch (promise->finding.outcome) {
	case OUTCOME_RESULT:
		return "result";
	case OUTCOME_UNSET:
		return "unset";
	case OUTCOME_MISPLACED:
	case OUTCOME_PROTOTYPE:
		return "misplaced";
	case OUTCOME_CORRECT:
		break;
	}
	return observed ? "correct" : "unproven";
}

static void report_names(struct session *session)
{
	for (uint32_t i = 0; i < session->source.name_count; i++) {
		const struct name *name = &session->names[i];
		const struct finding *source;
		const struct site *site;

		for (unsigned int label = 0; !name->subject && label < session->label_count;
		     label++)
			if (name->promises[label].count)
				printf("%s\tnameless\t%s\t-\t0\t0\t-\t-\n",
				       session->labels[label], session->source.names[i]);
		if (!name->subject)
			continue;
		site = session_site(session, name->subject->address);
		source = &site->finding;
		if (!source->calls)
			continue;
		for (unsigned int label = 0; label < session->label_count; label++) {
			const struct promise *promise = &name->promises[label];
			const struct finding *finding = promise->count ? &promise->finding : source;

			if (session->source.is_alias[i] && !promise->count)
				continue;
			printf("%s\t%s\t%s\t%s\t%u\t%u\t%s\t%s\n", session->labels[label],
			       verdict_of(session->machine, name, site->truth, promise, source),
			       session->source.names[i], name->subject->name, finding->calls,
			       finding->bad_calls,
			       *finding->parameter ? finding->parameter : "-",
			       *finding->detail ? finding->detail : "-");
		}
	}
}

static const char *verdict_of_changed(const struct changed *changed)
{
	if (!changed->promise.count)
		return "absent";
	if (changed->addresses > 1 || changed->promise.count > 1)
		return "ambiguous";
	switch (changed->promise.finding.outcome) {
	case OUTCOME_UNSET:
		return "unset";
	case OUTCOME_MISPLACED:
	case OUTCOME_PROTOTYPE:
		return "misplaced";
	case OUTCOME_RESULT:
		return "result";
	case OUTCOME_CORRECT:
		break;
	}
	return "correct";
}

static void report_changed(struct session *session)
{
	for (size_t i = 0; i < session->changed_count; i++) {
		const struct changed *changed = &session->changed[i];
		const struct site *site = session_site(session, changed->address);
		const struct finding *finding = &changed->promise.finding;

		if (!site->truth)
			continue;
		printf("%s\t%s\t%s\t%s\t%u\t%u\t%s\t%s\n", session->changed_label,
		       verdict_of_changed(changed), changed->name, changed->name,
		       site->finding.calls, finding->bad_calls,
		       *finding->parameter ? finding->parameter : "-",
		       *finding->detail ? finding->detail : "-");
	}
}

void session_report(struct session *session)
{
	report_names(session);
	report_changed(session);
}
