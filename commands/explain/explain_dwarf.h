/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* What fills an explanation. */
#ifndef BTFENC_COMMANDS_EXPLAIN_EXPLAIN_DWARF_H
#define BTFENC_COMMANDS_EXPLAIN_EXPLAIN_DWARF_H

#include "commands/explain/explanation.h"

/* ---- by DWARF: explain_dwarf.c ---- */

/* Fills in the lines of the first `count` sites; where they are many, that takes a while. */
void explain_locate_sites(struct explanation *explanation, size_t count);

/* Fills what DWARF tells of the name, with its namesakes; or appends instances and sites. */
void explain_dwarf_fill(struct explanation *explanation);
void explain_dwarf_instance(struct explanation *explanation,
			    const struct function_instance *instance);
void explain_dwarf_fragment(struct explanation *explanation, const struct site_fragment *fragment);
void explain_dwarf_site(struct explanation *explanation, size_t site);

/* A point at an instance of another function, without its parameters; nothing is appended. */
void explain_dwarf_callee(const struct explanation *explanation,
			  const struct function_instance *instance, struct probe_point *point);

/* ---- by BTF, with records of sites where there are some: explain_records.c ---- */

/* Fills what the records tell of the name, with its namesakes; or appends one site. */
void explain_records_fill(struct explanation *explanation);
void explain_records_site(struct explanation *explanation, const struct record_site *site,
			  bool is_inline);

#endif
