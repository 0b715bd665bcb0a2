/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The evidence about the parameters of one function instance at its entry, and the reasons that
 * follow from it: argument locations of the ABI, parameter locations of DWARF, call sites,
 * instructions.
 *
 * In: a linked dwarf_model of a group, a function with code, the address where it is entered. Out:
 * a finding per parameter and a set of reasons. Two steps, because the second needs the calls of
 * the whole group: evidence_examine() for each function, evidence_collect_call_sites() for those
 * that need call-site evidence. Knows nothing of BTF; one per worker.
 */
#ifndef BTFENC_ENCODER_EVIDENCE_EVIDENCE_H
#define BTFENC_ENCODER_EVIDENCE_EVIDENCE_H

#include <pthread.h>

#include "base/sort.h"
#include "base/text.h"
#include "dwarf/abi/abi.h"
#include "dwarf/call_frame.h"
#include "dwarf/call_site.h"
#include "dwarf/code/machine_code.h"
#include "dwarf/code_pad.h"
#include "dwarf/location.h"
#include "dwarf/type_layout.h"
#include "encoder/evidence/verdict.h"
#include "kallsyms/symbol_table.h"

/*
 * Compares where DWARF shows a parameter at its function's entry with where the ABI wants it.
 * Knows no file, no caller and no verdict.
 */

/* What DWARF shows of a parameter, X(identifier, code, sentence). */
#define PARAMETER_STATE_LIST(X)                                                                    \
	X(IN_PLACE, "in-place", "it is where the ABI puts it")                                     \
	X(STORED, "stored", "only the location where the function keeps it is known")              \
	X(NOT_COMPARED, "not-compared", "its location cannot be compared with the ABI's")          \
	X(ABSENT, "no-location", "DWARF has no location at the entry")                             \
	X(PARTLY, "partly", "DWARF locates only a part of it there")                               \
	X(ELSEWHERE, "elsewhere", "it is not where the ABI puts it")                               \
	X(CONSTANT, "constant", "it has one value at every call")                                  \
	X(SCALARIZED, "scalarized", "its target, or members of it, are passed instead")        \
	X(REMOVED, "removed", "only the caller knows its value")                                   \
	X(UNSET, "unset", "callers do not set its register")

enum parameter_state {
#define X(id, code, text) PARAMETER_##id,
	PARAMETER_STATE_LIST(X)
#undef X
	PARAMETER_STATE_COUNT,
};

extern const struct code_text parameter_state_texts[PARAMETER_STATE_COUNT];

/*
 * What a location means for a parameter that the ABI wants at `expected`. *missing_words is set
 * with PARAMETER_PARTLY.
 */
enum parameter_state parameter_compare(const struct abi *abi, const struct abi_location *expected,
				       const struct location *found,
				       uint8_t *missing_words);

/* How often calls in the group that could be judged set the parameter's register. */
struct call_site_counts {
	uint16_t calls;		/* direct calls to this code */
	uint16_t described;	/* of these: DWARF describes a load of the register */
	uint16_t zeroed;	/* DWARF says that 0 is loaded */
	uint16_t set;		/* instructions set it */
	uint16_t unset;		/* instructions leave it clobbered */
	uint8_t use;		/* enum register_use of the callee, USE_UNKNOWN: not asked */
};

/* The type of a parameter, as far as compilers change how it is passed. */
enum passed_type {
	PASSED_SCALAR,
	PASSED_POINTER,		/* may be replaced by what it points to */
	PASSED_AGGREGATE,	/* may be split into its members */
};

struct parameter_finding {
	uint8_t state;			/* enum parameter_state */
	uint8_t passed_type;		/* enum passed_type */
	bool is_packed;			/* a scalar in it is misaligned */
	uint32_t size_bytes;
	uint8_t missing_words;		/* of PARTLY: mask of the words without a location */
	bool from_list;			/* `found` holds at the entry, not perhaps after it only */
	bool expected_known;		/* `expected` is valid */
	bool may_be_unfilled;		/* a struct by reference, in LLVM's code: callers that know
					   that it is not read pass an address, and fill nothing */
	struct abi_location expected;
	struct location_piece found;	/* at the entry; kind NONE: no location */
	uint8_t piece_count;		/* of LOCATION_PIECES */
	uint32_t first_piece;		/* in the pieces of parameter_findings */
	uint8_t read_registers;		/* mask of those in question, in their order, that the code
					   reads */
	struct call_site_counts call_sites;
};

/* Nearly all locations are whole: their pieces are kept apart. */
struct parameter_findings {
	struct parameter_finding *data;		/* an array as ARRAY_OF() makes it */
	size_t count;
	size_t capacity;
	ARRAY_OF(struct location_piece) pieces;
};

void parameter_findings_release(struct parameter_findings *findings);

/* The pieces of one of them; NULL: its location has none. */
static inline const struct location_piece *parameter_finding_pieces(
	const struct parameter_findings *findings, const struct parameter_finding *finding)
{
	return finding->piece_count ? &findings->pieces.data[finding->first_piece] : NULL;
}

/* Appends a finding with its piece_count pieces. */
void parameter_findings_add(struct parameter_findings *findings, struct parameter_finding finding,
			    const struct location_piece *pieces);

/* The location of one of them, with its pieces. */
struct location parameter_findings_location(const struct parameter_findings *findings,
					    const struct parameter_finding *finding);

/* Do the callers use the declared return value? */
enum result_state {
	RESULT_UNKNOWN,
	RESULT_USED,		/* one of them reads it */
	RESULT_REMOVED,		/* there are callers, and none of them reads it */
};

struct examined_function {
	/* Of its owner: one function, as its code was joined with a symbol. */
	uint32_t function;		/* of the model: the code */
	uint32_t declared;		/* the DIE with name and parameters */
	uint64_t described;		/* where DWARF begins to describe it: instance.h */
	bool changes;			/* its symbol's suffix lets the signature change */
	bool want_call_sites;		/* if it needs them, its callers shall be asked */
	/* By evidence_examine(). */
	uint32_t name;			/* name key */
	uint64_t entry;			/* the symbol's address */
	uint64_t end;			/* of the code that begins at the entry; entry: not known */
	bool internal;			/* all its callers were seen together with it */
	bool is_thumb;
	bool is_variadic;		/* it may read more than its parameters' registers */
	bool is_int128_whole;		/* producer_keeps_int128_whole() */
	bool needs_call_sites;		/* and shall have them */
	reason_set reasons;
	uint32_t first_finding;		/* in findings, a finding per declared parameter */
	uint32_t finding_count;
	uint64_t open_registers;	/* not read or set in this group, callers elsewhere may
					   tell: mask of DWARF numbers below 64 */
	bool open_struct;		/* the same of a struct in memory */
	struct abi_call call;
	bool call_known;		/* `call` and all `expected` are valid */
	bool may_move_up;		/* arguments, into registers after the result's address */
	bool may_drop_result;		/* it returns something, or did before it was changed */
	uint8_t result;			/* enum result_state, once call sites are seen */
	uint8_t result_words_read;	/* by some caller: mask of call.result.registers */
	uint32_t results_dropped;	/* calls after which it is not read */
	uint32_t seen_calls;		/* direct calls in the group */
	uint32_t described_calls;	/* of these, with a load described */
	uint32_t loaded_registers;	/* by described calls: mask of DWARF numbers below 32 */
};

/* The machine code of the image, opened when the first worker needs it: GCC's kernels do not. */
struct shared_code {
	struct object *object;
	pthread_mutex_t lock;
	bool is_open;
	struct machine_code code;
	bool has_frames;		/* the same of the call frames, which inline sites need */
	struct call_frames frames;
	bool has_pads;			/* and of the NOPs at entries, for GCC's arm64 kernels */
	struct code_pads pads;
};

void shared_code_init(struct shared_code *shared, struct object *object);
void shared_code_release(struct shared_code *shared);

struct evidence {
	const struct object *object;
	const struct symbol_table *symbols;
	const struct abi *abi;		/* NULL: not known for this machine */
	struct shared_code *shared;
	struct machine_code code;	/* by evidence_code() */
	struct type_layout layout;
	struct call_sites calls;
	ARRAY_OF(struct abi_type) types;	/* scratch, per parameter */
	ARRAY_OF(struct abi_location) locations;
	ARRAY_OF(struct sort_item) argument_order;	/* of a function with many: by parameter */
	/* Of the group. */
	ARRAY_OF(struct examined_function) functions;	/* in the order they were examined */
	struct parameter_findings findings;
	bool any_needs_call_sites;
	bool unnamed_calls;	/* calls of which DWARF does not name the callee */
	struct address_range lists;	/* of the location lists' section, what has been touched
					   since the owner emptied it; begin > end: nothing */
};

/* `shared` outlives all that use it. */
void evidence_init(struct evidence *evidence, const struct object *object,
		   const struct symbol_table *symbols, struct shared_code *shared);
void evidence_release(struct evidence *evidence);

/* The layout of what a reference of the model leads to. */
bool evidence_layout(struct evidence *evidence, const struct dwarf_model *model,
		     uint32_t reference, struct abi_type *type);

/*
 * The state of a register when `caller` makes a call. With which registers an outlined fragment
 * (.cold, .part) is entered is not known: there only a write counts.
 */
enum reaching_definition evidence_reaching(const struct machine_code *code,
					   const struct symbol *caller, uint64_t call,
					   unsigned int reg);

/* This worker's view of the machine code. */
const struct machine_code *evidence_code(struct evidence *evidence);

/* How many bytes at an entry leave all arguments alone: the hook's call, NOPs, endbr64. */
uint32_t evidence_entry_pad(struct evidence *evidence, uint64_t entry);

/*
 * Where the caller has put a parameter on the stack: its offset from the stack pointer at the
 * entry. LLVM describes it from the register that the prologue sets up; where that is then, the
 * call frames tell. False: not known, or not above the CFA, where the caller's arguments are.
 */
bool evidence_stack_offset(struct evidence *evidence, const struct dwarf_model *model,
			   const struct examined_function *examined,
			   const struct location_piece *found, int64_t *stack_offset);

/* The pages of a location list will be read: they are given back with the group's. */
void evidence_note_list(struct evidence *evidence, const struct location_source *source);

/* The NOPs of the image; constant. */
const struct code_pads *evidence_pads(struct evidence *evidence);

/* The call frames of the image; constant. */
const struct call_frames *evidence_frames(struct evidence *evidence);

/* Where the code begins that may touch an argument: after the call of the tracer's hook. */
uint64_t evidence_body(struct evidence *evidence, const struct examined_function *examined);

/* Forgets the group before; the model is linked. */
void evidence_begin_group(struct evidence *evidence, const struct dwarf_model *model);

/* Examines one function, and appends it to evidence->functions. */
void evidence_examine(struct evidence *evidence, const struct dwarf_model *model,
		      struct examined_function examined, const struct symbol *symbol);

/*
 * Collects call-site evidence for all functions of the group that need it. Reasons may be added,
 * never removed.
 */
void evidence_collect_call_sites(struct evidence *evidence, const struct dwarf_model *model,
				 struct unit_reader *reader);

/*
 * The prototype that is left of a function whose signature the compiler has changed: which of its
 * declared parameters still arrive, in which order, and whether it still returns its value.
 *
 * Given only when it is proven: the parameters that have a location at the entry must be exactly
 * where the ABI puts them in the prototype that is left, and no other argument register may carry
 * anything, by what callers load and by what the function reads. Of a struct in two registers LLVM
 * may pass one word: then the member that begins there is a parameter of its own. (A member that is
 * passed instead of a pointer has no name and no type in DWARF; then there is none.)
 */

#define TRUE_SIGNATURE_MAX_PARAMETERS 32

struct true_parameter {
	uint8_t number;			/* of the declared one */
	uint32_t member;		/* passed instead of all of it: index in the model + 1;
					   0: it is passed whole */
};

struct true_signature {
	bool returns_void;		/* though the declaration returns something */
	uint32_t parameter_count;
	struct true_parameter parameters[TRUE_SIGNATURE_MAX_PARAMETERS];	/* in order */
};

/* `examined` has its call-site evidence. False: the rest is not known. */
bool true_signature_find(struct evidence *evidence, const struct dwarf_model *model,
			 const struct examined_function *examined,
			 struct true_signature *signature);

#endif
