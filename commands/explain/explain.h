/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Everything that is known about one function name: is it promised, where is its code entered,
 * where was it inlined, where are its parameters there, what can be attached.
 *
 * Two inputs fill the same model: explain_dwarf.c by the passes of encode, explain_records.c by
 * what they have written. Where a parameter is comes from encoder/sites in both cases. DWARF adds
 * evidence, reasons, source lines and tracepoints. advice.c draws the conclusions; explain_text.c,
 * explain_json.c and explain_script.c print. None of these four looks anything up.
 */
#ifndef BTFENC_COMMANDS_EXPLAIN_EXPLAIN_H
#define BTFENC_COMMANDS_EXPLAIN_EXPLAIN_H

#include <jansson.h>

#include "base/near_names.h"
#include "kernel/attach.h"
#include "kernel/kprobe_instruction.h"
#include "kernel/trampoline.h"
#include "commands/explain/asked.h"
#include "commands/explain/explain_source.h"
#include "kernel/records.h"
#include "kernel/type_source.h"
#include "commands/stats/stats.h"
#include "encoder/result.h"
#include "kernel/kernel_program.h"

/* A type of tracefs' fetch arguments: u32, s8, x64. */
struct fetch_type {
	char sign;		/* u, s or x; '\0': none, such as void or a float */
	uint8_t bits;
	uint8_t words;		/* of the machine: 2 for a struct of 16 bytes */
};

enum argument_kind {
	VALUE_IN_REGISTER,		/* %di */
	VALUE_IN_MEMORY,		/* +8(%sp) */
	VALUE_IS_SUM,			/* %bx + 16, which tracefs cannot fetch */
	VALUE_IS_CONSTANT,		/* \10 */
};

/* Where a tracer finds a word of a parameter, or what it is. */
struct argument_value {
	uint64_t number;		/* that is added, or the constant: */
	bool is_negative;		/* minus that */
	uint8_t kind;			/* enum argument_kind */
	char reg[8];			/* as tracefs calls it, without the % */
};

struct explained_parameter {
	const char *name;	/* "" when it has none */
	char *type;		/* as C */
	char *found;		/* "%di", "by convention", "constant 10"; "" when not known */
	struct fetch_type value;
	ARRAY_OF(struct argument_value) values;	/* its words; none: not known */
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

struct advice {
	const char *tool;		/* "bpf", "bpftrace", "tracefs", "boot", "encode", "note" */
	char *text;
};

/* Something else that sees the function's calls, or what it does: commands/explain/hooks.c. */
enum hook_kind {
	HOOK_TRACEPOINT,	/* its code calls the tracepoint */
	HOOK_SYSTEM_CALL,	/* it is the entry of the system call */
	HOOK_LSM,		/* it calls the LSM hook, which BPF programs attach to; or is it */
	HOOK_ITERATOR,		/* programs that iterate attach to it */
	HOOK_CALLEE,		/* it is inlined everywhere, and that calls the function */
	HOOK_KINDS,
};

struct hook {
	uint8_t kind;			/* enum hook_kind */
	char *name;			/* "block_io_start", "sys_enter_openat", "file_open" */
	size_t points;			/* of a tracepoint and a callee: at how many of the
					   explanation's hook_points */
	struct tracepoint *tracepoint;	/* of a tracepoint or system call */
	uint32_t prototype;		/* of a LSM hook or a callee; 0: not known */
	char *refusal;			/* why the kernel takes no BPF programs on that LSM hook */
	const char *unless;		/* what may be a reason and is not known, or NULL */
	enum attach_answer sleepable;	/* or sleepable ones, lsm.s */
	uint32_t callers;		/* of a callee: places in the code; 0: not known */
	struct probe_point callee;
};

/* What BTF has under the name. */
enum func_state {
	FUNC_NONE,
	FUNC_WITHOUT_PROTOTYPE,
	FUNC_WITHOUT_SYMBOL,
	FUNC_OF_NAMESAKES,	/* it may be any of several functions */
	FUNC_PROMISED,
};

struct explanation {
	const char *name;		/* without suffixes */
	/* Bytes for what is still said of instances, sites and their parameters; 0: it was cut. */
	size_t *room;			/* that of the first of namesakes: */
	size_t own_room;
	const char *asked;		/* the same, or a symbol of it: foo.isra.0 */
	enum asked_kind kind;		/* what the words before it said that it is; */
	const char *word;		/* the first of them, "fmod_ret.s", or NULL, */
	uint8_t needs;			/* and what its program needs (struct asked) */
	const char *folder;		/* of events, or a module; NULL: none was said */
	const struct program *program;	/* by DWARF, else NULL */
	const struct records *records;	/* by records, else NULL */
	struct type_source types;
	struct attach_image image;
	struct attach_tables tables;	/* of the image */
	struct source_lines lines;
	bool has_function;		/* false: only a tracepoint */
	bool is_system_call;		/* nothing but a system call has the name */
	bool is_described;		/* its code or a declaration: not by the symbol alone */
	uint8_t func;			/* enum func_state */
	reason_set reasons;		/* why it is not promised, as far as that is known */
	uint32_t prototype_id;		/* in the types, 0: not known */
	uint32_t implicit;		/* so many of its last parameters are not in a FUNC of the
					   kernel's BTF */
	char *prototype;		/* as C; NULL: not known */
	/* That of the image's own FUNC (kernel/own_btf.h), if it is another one; NULL */
	char *own_prototype;
	uint32_t own_prototype_id;	/* in explain_own_types() */
	struct source_line declared;
	struct probe_points instances;	/* functions, copies, parts, cold code */
	struct probe_points sites;		/* by address */
	struct probe_points unplaced;	/* by records: either, whose section is not known */
	/* Where nothing describes an instance: what symbol and promise say of the entry. */
	bool has_entry;
	struct probe_point entry;
	size_t outer_sites;		/* of the sites, not in the function itself */
	bool sites_unknown;		/* nothing says where it was inlined */
	struct tracepoint *tracepoint;	/* NULL: none of that name */
	ARRAY_OF(struct hook) hooks;
	size_t hook_points;		/* instances and outer sites whose code was looked at */
	char *headline;			/* the answer in a line, without the name */
	ARRAY_OF(struct advice) advice;
	/*
	 * Other functions of that name, as of other files. What they are asked by is the first's:
	 * they have no hooks, and borrow image and lines.
	 */
	struct explanation *namesakes;
	size_t namesake_count;
	size_t rank;			/* of a namesake, from 1 on: events' names have it */
};

/*
 * False: nothing has that name. `asked` has it, or the name of a symbol of it. The program has
 * been judged with options->keep_findings = name. Release the explanation in any case.
 */
bool explain_by_dwarf(struct explanation *explanation, const struct kernel_program *kernel,
		      const char *name, const struct asked *asked);
bool explain_by_records(struct explanation *explanation, struct records *records,
			const char *name, const struct asked *asked);
void explanation_release(struct explanation *explanation);

/* Fills in the lines of the first `count` sites; where they are many, that takes a while. */
void explain_locate_sites(struct explanation *explanation, size_t count);

/* By the bytes of the input; and takes from it what was said, as far as there is. */
void explain_make_room(struct explanation *explanation, size_t input_bytes);
void explain_spend(size_t *room, size_t bytes);

/* How many of a function's inline sites are shown, where not all are asked for. */
#define EXPLAIN_SITES_SHOWN 20

void explain_print_text(const struct explanation *explanation);
void explain_print_json(const struct explanation *explanation);

enum script_kind {
	SCRIPT_NONE,
	SCRIPT_BPFTRACE,
	SCRIPT_TRACEFS,
	SCRIPT_LIBBPF,
};

/* A program that sees the calls of the function, or the tracepoint if there is no function. */
void explain_print_script(const struct explanation *explanation, enum script_kind script);

/*
 * A line for bpftrace that prints a call's parameters by their registers. False: bpftrace has no
 * name for the probe, and nothing is added.
 */
bool explain_add_bpftrace(struct text *out, const struct explanation *explanation,
			  const struct probe_point *point);

/* Those of the image's own BTF. */
struct type_source explain_own_types(const struct explanation *explanation);

/* Why that is not known, and what to do; NULL: it is known, or there is none. */
const char *explain_why_own_unread(const struct explanation *explanation);

/* A FUNC_PROTO as C, to be freed; NULL for 0. */
char *explain_prototype(const struct explanation *explanation, uint32_t prototype,
			const char *name);

/* The file that is asked. */
static inline const char *explanation_path(const struct explanation *explanation)
{
	return explanation->program ? explanation->program->options->path
				    : explanation->records->options->path;
}

/* ---- for those who fill it ---- */

/* Is the tracepoint what was asked for, and not the function of that name? Or is there none? */
bool explanation_is_of_tracepoint(const struct explanation *explanation);

/* Sorts; fills the prototype as C, hooks, the answers of trampolines, headline and advice. */
void explanation_finish(struct explanation *explanation);

/* After explanation_ask(): as many namesakes, of which nothing else is known yet. */
void explanation_add_namesakes(struct explanation *explanation, size_t count);

/* Takes what is asked for. True: it is a tracepoint, or none, and the explanation is finished. */
bool explanation_ask(struct explanation *explanation, const struct asked *asked);

void probe_points_release(struct probe_points *points);

/* Where parameters are: one of the three, or none. */
struct argument_source {
	size_t *room;			/* of the explanation */
	bool by_convention;
	const uint32_t *loc;		/* words of a LOC: strings of tracefs */
	const uint32_t *loc_proto;	/* of a LOC_PROTO, whose LOC_PARAMs are in the types */
};

/*
 * Fills by_convention, result, parameters and unknown_parameters of a point with a prototype. What
 * the convention says is worked out up to the first parameter of which the types do not tell
 * enough (kernel/type_source.h). Without room the rest of the parameters is missing.
 */
void explain_arguments(struct probe_point *point, const struct type_source *types,
		       const struct argument_source *source);

/*
 * Adds what DWARF shows of a parameter at a function's first instruction, and the ABI wants; and a
 * fetch argument, if BTF was not enough for it.
 */
void explain_evidence(struct probe_point *point, uint32_t i, const struct type_source *types,
		      const struct parameter_findings *findings, size_t number);

/* How a value of that type is printed. */
struct fetch_type explain_fetch_type(const struct type_source *types, uint32_t ref);

/*
 * A name for an event or a program: what tracefs takes, identifiers of up to 63 characters
 * (MAX_EVENT_NAME_LEN). Of several instances each has a number; 0: of the only one.
 */
void explain_add_event(struct text *out, const char *name, size_t number, const char *suffix);
void explain_add_instance_event(struct text *out, const struct explanation *explanation,
				size_t number, const char *suffix);

/* Of an inline site: "vfs_read_inline_1". */
void explain_add_site_event(struct text *out, const struct explanation *explanation,
			    size_t number);

#define EXPLAIN_NOTRACE ", refused without CONFIG_KPROBE_EVENTS_ON_NOTRACE: no tracer's hook is " \
			"in the function around it"

#define EXPLAIN_NOT_KNOWN ", not known whether it is taken"

/* Why no kprobe or fentry program sees calls there when the kernel runs; NULL: one does. */
const char *explain_refusal(const struct explanation *explanation,
			    const struct probe_point *point, bool by_fentry);

/*
 * The fetch arguments of a parameter, "flags=%di:u32", with `blank` between them; nothing if it
 * cannot be fetched. And those of all, each with `blank` in front.
 */
void explain_add_parameter_fetch(struct text *out, const struct explained_parameter *parameter,
				 size_t number, char blank);
void explain_add_fetch(struct text *out, const struct probe_point *point, char blank);

/*
 * The parts of explain_by_dwarf() and explain_by_records(), for callers that look at more than one
 * name: after the first call, each other one appends an instance or a site.
 */
void explain_dwarf_begin(struct explanation *explanation, const struct kernel_program *kernel,
			 const char *name, const char *asked);
void explain_dwarf_instance(struct explanation *explanation,
			    const struct function_instance *instance);
void explain_dwarf_fragment(struct explanation *explanation, const struct site_fragment *fragment);
void explain_dwarf_site(struct explanation *explanation, size_t site);
/* A point at an instance of another function, without its parameters; nothing is appended. */
void explain_dwarf_callee(const struct explanation *explanation,
			  const struct function_instance *instance, struct probe_point *point);
void explain_records_begin(struct explanation *explanation, struct records *records,
			   const char *name, const char *asked);
void explain_records_site(struct explanation *explanation, const struct record_site *site,
			  bool is_inline);

/* Fills headline and advice. */
void advice_give(struct explanation *explanation);

/* ---- advice.c, for advice_hooks.c ---- */

__attribute__((format(printf, 3, 4)))
void advise(struct explanation *explanation, const char *tool, const char *format, ...);
/* `SEC("SECTION/SYMBOL") int BPF_PROG(on_SYMBOL, struct sk_buff *skb)` */
void advise_program(struct explanation *explanation, const char *section, const char *symbol,
		    uint32_t prototype);
/* All lines of fentry and fexit. */
void advise_fentry(struct explanation *explanation, const char *name,
		   const struct probe_point *point, uint32_t prototype);

#define note(explanation, ...) advise(explanation, "note", __VA_ARGS__)

/* ---- program_type.c ---- */

/*
 * The head of a BPF program in C on `section`, fentry or lsm and the like:
 * `int BPF_PROG(on_vfs_read, struct file *file)`. True: the last parameter is the function's
 * result, or what the programs before have returned.
 */
bool explain_add_signature(struct text *out, const struct explanation *explanation,
			   const char *section, const char *name, uint32_t prototype);

/*
 * Why the program that was asked for is refused, though others are taken; NULL: it is not. The
 * first reason that is certain, or else the first, with MAYBE in front. Of an LSM hook or iterator
 * the point has nothing.
 */
const char *explain_why_not_asked(const struct explanation *explanation,
				  const struct probe_point *point);

/*
 * The same, because there is no hook at the entry; NULL: there may be one. `is_single`: of a
 * program that is attached to one function.
 */
const char *explain_no_hook(const struct probe_point *point, bool is_single);

/*
 * Why fmod_ret is refused: the kernel's check_attach_modify_return() and, of programs that read the
 * result, btf_ctx_access(). NULL: it is taken.
 */
const char *explain_why_no_change(const struct explanation *explanation, const char *name,
				  const struct probe_point *point, uint32_t prototype);

/*
 * The section that was asked for by its name, "fentry.s", if the lines do not have it anyway, and
 * the kernel is known to take such programs at the point, or at the LSM hook or iterator that was
 * asked for; else NULL.
 */
const char *advise_section(const struct explanation *explanation, const struct probe_point *point);

/* ---- advice_hooks.c ---- */

/* Parameters that programs by fentry cannot read, or perhaps not. */
void note_unreadable(struct explanation *explanation, const struct probe_point *point);
/* Lines of the tracepoint that was asked for, and of the hooks. */
void advise_tracepoint(struct explanation *explanation, const struct tracepoint *tracepoint);
void advise_hooks(struct explanation *explanation);
/* Are they more useful than the function's own? */
bool hooks_come_first(const struct explanation *explanation);
/* Is the function one of a LSM hook or iterator, bpf_lsm_NAME() or bpf_iter_NAME()? */
bool hooks_are_own(const struct explanation *explanation);
/* And that is what was asked about. */
bool hooks_are_asked(const struct explanation *explanation);

/* ---- hooks.c ---- */

/* After instances and sites: fills the hooks. */
void hooks_find(struct explanation *explanation);
void hooks_release(struct explanation *explanation);
/* May programs set the function's result, by what register_btf_fmodret_id_set() gets? */
enum attach_answer hooks_modifiable(const struct explanation *explanation, const char *function);
/* Is the function in a set of kfuncs, by its flag or BTF's tag? */
bool hooks_is_kfunc(const struct explanation *explanation, const char *function);

/* ---- names that were meant perhaps ---- */

/* Is there only a symbol of that name, of what objtool or clang put before a function? */
bool explanation_is_of_padding(const struct explanation *explanation);

/*
 * After an explanation of nothing: functions, symbols, variables, tracepoints and system calls, and
 * explanation->is_system_call. Release them.
 */
void explain_find_near(struct near_names *near, struct explanation *explanation);
/* Before that, of a module, as MODULE:NAME: its functions that have a symbol, or a FUNC. */
void explain_offer_symbols(struct near_names *near, const struct symbol_table *symbols,
			   const char *module);
void explain_offer_functions(struct near_names *near, const struct btf_reader *btf,
			     const char *module);
/*
 * Of what is at `path`. `searched`: ", nor in its modules (3)". `list_options`: " -f FILE", by
 * which btfenc list lists the same.
 */
void explain_print_near(FILE *out, const struct near_names *near,
			const struct explanation *explanation, const char *path,
			const char *searched, const char *list_options);
/* `modules`: how many of them have no such name either. */
void explain_print_near_json(const struct near_names *near, const struct explanation *explanation,
			     const char *path, size_t modules);

/* ---- tracepoint.c ---- */

/*
 * Tracepoints, as far as an image tells about them (include/linux/tracepoint.h, trace/bpf_probe.h,
 * trace/trace_events.h):
 *
 *	btf_trace_NAME			typedef: a pointer to its prototype, `void *__data` first
 *	__traceiter_NAME()		a function of that prototype, whose parameters have names
 *	__bpf_trace_tp_map_NAME		bpf_raw_event_map; .bpf_func is __bpf_trace_CLASS()
 *	event_class_CLASS		trace_event_class; .system is "sched"
 *	event_NAME, __event_NAME	trace_event_call, and a pointer to it: it has an event
 *	struct trace_event_raw_CLASS	the record in the ring buffer; BPF programs get it, too
 *
 * TRACE_EVENT(x) makes a class x; DEFINE_EVENT(class, x) uses another's; DECLARE_TRACE(x) has none.
 */

struct tracepoint_member {
	char *declaration;	/* as C, without the semicolon */
	const char *name;
	uint32_t offset_bits;
	uint32_t size_bits;	/* of a bitfield, else 0 */
	struct fetch_type value;
	bool is_string;		/* char[] */
};

/* How BPF programs get an argument of a tracepoint or function: tracepoint_arguments.c. */
enum tracepoint_argument_state {
	ARGUMENT_PLAIN,
	ARGUMENT_NULL,		/* a pointer, to be compared with NULL first */
	ARGUMENT_NUMBER,	/* a number: a pointer that programs cannot follow */
	ARGUMENT_REFUSED,	/* programs that read it are refused */
	ARGUMENT_UNKNOWN,	/* by some kernels, and of this one it is not known */
	ARGUMENT_STATES,
};

struct tracepoint_argument {
	const char *name;
	uint8_t state;		/* enum tracepoint_argument_state */
	struct fetch_type value;
	const char *why;	/* of ARGUMENT_REFUSED and ARGUMENT_UNKNOWN */
};

struct tracepoint {
	const char *name;
	const char *system_call;	/* "openat", of which it is an event; NULL: of none */
	bool is_exit;			/* the event at its end */
	bool never_comes;		/* which the system call has not: it does not return */
	char *prototype;		/* without `__data`: `void NAME(...)`; NULL: not known */
	char *parameters;		/* the text in the parentheses */
	ARRAY_OF(struct tracepoint_argument) arguments;
	const char *class_name;		/* NULL: it has no event, or it is not known */
	const char *system;		/* "sched", or NULL: not known */
	char *own_system;		/* the same, if it has to be freed; else NULL */
	bool is_said;			/* the system is as the user wrote it */
	enum attach_answer event;	/* has it one in tracefs? Of a system call: has that a
					   number? Without one there is no event */
	const char *record;		/* "trace_event_raw_CLASS", or NULL: no such struct */
	uint32_t record_bytes;
	ARRAY_OF(struct tracepoint_member) members;
};

/*
 * That of a name, which is borrowed, by the explanation's program, or by its types, symbols and the
 * events of the running kernel; NULL: there is none. Freed by tracepoint_free().
 */
struct tracepoint *tracepoint_find(const struct explanation *explanation, const char *name);
void tracepoint_free(struct tracepoint *tracepoint);
/* "__x64_sys_openat", "__do_sys_openat", "sys_openat" -> "openat"; NULL: it is none. */
const char *tracepoint_system_call(const char *function);

/* By the type, for functions, too. *why: why it is refused, or may be; NULL: it is not. */
enum tracepoint_argument_state explain_argument_by_type(const struct explanation *explanation,
							uint32_t ref, const char **why);
/* explanation->implicit, by prototype_id, of types that resolve_btfids has not changed. */
uint32_t explain_count_implicit(const struct explanation *explanation);
/* Of those that it has: the FUNC's prototype with them, and how many they are. */
uint32_t explain_whole_prototype(const struct explanation *explanation, uint32_t prototype,
				 uint32_t *implicit);
/* How many of the last parameters programs by fentry do not have. */
uint32_t explain_hidden(const struct explanation *explanation, uint32_t prototype);
/* Of a function's parameter number i, from 0. */
enum tracepoint_argument_state explain_argument_of(const struct explanation *explanation,
						   const struct probe_point *point, size_t i,
						   const char **why);
/*
 * Fills the arguments. `prototype`: the FUNC_PROTO after `void *__data`; `named`:
 * one with the parameters' names, 0: not known.
 */
void tracepoint_arguments(struct tracepoint *tracepoint, const struct explanation *explanation,
			  uint32_t prototype, uint32_t named);

/* The FUNC_PROTO of a FUNC of that name, in BTF or the program's types; 0: none. */
uint32_t explain_find_function(const struct explanation *explanation, const char *name);
/* By enum bpf_attach_type: does the kernel know such programs? */
enum attach_answer explain_has_attach_type(const struct explanation *explanation, const char *name);
/* Is it a struct, union, enum, typedef or enumerator? */
bool explain_has_type(const struct explanation *explanation, const char *name);

#endif
