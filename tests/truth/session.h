/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The tracer's data: the functions of a program by source, symbol and BTF, and what has been found
 * out about them. A name has the symbol that a FUNC of that name is about; a site is an
 * address that functions are entered at.
 */
#ifndef BTFENC_TESTS_TRUTH_SESSION_H
#define BTFENC_TESTS_TRUTH_SESSION_H

#include "judge.h"
#include "plain.h"
#include "returns.h"
#include "symbols.h"

#define LABELS_MAX 4
#define CLAIMS_MAX 64

struct site {
	uint64_t address;
	const struct prototype *truth;		/* of the source; NULL until it is called */
	const struct placement *placements;
	struct finding finding;
};

struct promise {
	unsigned int count;	/* of FUNCs */
	struct prototype prototype;
	struct placement placements[PARAMETERS_MAX];
	struct finding finding;
};

/* What is known of a name. subject: the symbol that a FUNC of that name is about; NULL: none. */
struct name {
	const struct symbol *subject;
	unsigned int addresses;
	struct promise promises[LABELS_MAX];
};

/* A function that may have another prototype than the source: the copies of one name. */
struct changed {
	const char *name;
	uint64_t address;
	unsigned int addresses;
	struct promise promise;
};

struct session {
	const struct machine *machine;
	struct source source;
	struct placement (*placements)[PARAMETERS_MAX];	/* of the source's functions */
	struct symbols symbols;
	struct site *sites;
	struct breakpoint *breakpoints;
	size_t site_count;
	struct name *names;
	const char *labels[LABELS_MAX];
	unsigned int label_count;
	/* Changed prototypes: FUNCs that the previous BTF does not have. */
	struct changed *changed;
	size_t changed_count;
	const char *changed_label;
	struct returns returns;
	uint64_t expect, called, objects, objects_end;
	uint64_t left, left_by, nonce;
	struct plain_results plain;	/* empty: not known */
	bool records;			/* an unoptimized build, whose results are written down */
};

/* One of the prototypes that a call is compared with. */
struct claim {
	const struct prototype *prototype;
	const struct placement *placements;
	bool by_name;
	struct finding *finding;
};

/* Ends the program if it cannot be read. */
void session_open(struct session *session, const char *program, const char *truth);
void session_close(struct session *session);

/* label: kept. Of +LABEL the BTF of LABEL has been added before. */
void session_add_btf(struct session *session, const char *label, const char *path);

struct site *session_site(struct session *session, uint64_t address);

/* All that is claimed of what is entered at the site, by source and BTFs. Returns how many. */
unsigned int session_claims(struct session *session, struct site *site,
			    struct claim claims[CLAIMS_MAX]);

/* report.c: a line per function that was called. */
void session_report(struct session *session);

#endif
