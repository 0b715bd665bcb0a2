/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* An instance of a function, or a place where it was inlined, and its parameters there. */
#ifndef BTFENC_COMMANDS_EXPLAIN_PROBE_POINT_H
#define BTFENC_COMMANDS_EXPLAIN_PROBE_POINT_H

#include "commands/explain/explain_source.h"
#include "btf/location_text.h"
#include "encoder/result.h"
#include "kernel/attach/attach.h"
#include "kernel/attach/trampoline.h"

/* A type of tracefs' fetch arguments: u32, s8, x64. */
struct fetch_type {
	char sign;		/* u, s or x; '\0': none, such as void or a float */
	uint8_t bits;
	uint8_t words;		/* of the machine: 2 for a struct of 16 bytes */
	char string;		/* it points to one: 'u' of user space, 's' of either, where an
				   address tells which; '\0': no */
};

struct explained_parameter {
	const char *name;	/* "" when it has none */
	char *type;		/* as C */
	char *found;		/* "%di", "by convention", "constant 10"; "" when not known */
	struct fetch_type value;
	ARRAY_OF(struct btf_probe_value) values;	/* its words; none: not known */
	struct fetch_type fetched;	/* of each by tracefs; no sign: it cannot fetch them */
	char *expected;		/* by the ABI, "%di"; "" when not known. Of DWARF, as is */
	const struct parameter_finding *finding;	/* NULL: not examined */
};

/* An instance or an inline site. */
struct probe_point {
	uint64_t address;		/* in the image */
	char where[ATTACH_PROBE_BYTES];	/* for people: "0xffffffff81001a40"; "" in a module */
	const char *section;		/* "" when it is in none */
	uint64_t section_offset;
	const char *function;		/* of an instance: what its symbol is called, or itself */
	const struct symbol *symbol;	/* of an instance: at its entry; of a site: whose code it is
					   in; NULL: none */
	uint8_t join;			/* of an instance, enum join_class */
	bool is_global;			/* of an instance: by DWARF or by its symbol */
	char probe[ATTACH_PROBE_BYTES];	/* for tracefs; "" when it has no name there */
	struct attach_state attach;
	bool by_convention;		/* all parameters are where the convention puts them */
	uint32_t prototype;		/* in the types, 0: not known */
	struct fetch_type result;
	bool is_entry_probe;		/* of an instance: calls are seen there */
	size_t number;			/* in its event's name: of instances from 1 on, 0: there is
					   one; of a site, how many up to it can have a kprobe */
	ARRAY_OF(struct explained_parameter) parameters;
	uint32_t unknown_parameters;	/* without a fetch argument */
	/* Of instances: */
	uint32_t true_prototype;	/* what is left of it, 0: not known, or the same */
	bool result_in_doubt;		/* perhaps it is not returned any more */
	struct trampoline_view view;	/* of what is left */
	struct trampoline_answer fentry;	/* if it has a hook */
	const struct function_instance *instance;	/* NULL: not by DWARF */
	const char *unit;		/* source file, NULL: not known */
	struct source_line declared;
	/* Of inline sites: */
	const struct site_source *source;	/* NULL: not by DWARF */
	bool in_itself;			/* in the function's own code: a recursive call, or a
					   function that was split and put together again */
	struct source_line call;	/* filled by explain_locate_sites() */
};

struct probe_points {
	struct probe_point *data;
	size_t count, capacity;
};

/* As far as it is known. */
static inline bool probe_point_takes_fentry(const struct probe_point *point)
{
	return point->attach.ftrace != ATTACH_NO && point->fentry.is != ATTACH_NO;
}

/* Is its n-th parameter what the n-th argument register has? Not asked of i386's stack. */
bool probe_point_is_of_registers(const struct probe_point *point, const struct abi *abi);

void probe_point_release(struct probe_point *point);
void probe_points_release(struct probe_points *points);

#endif
