/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * What a tracer can attach to at an address, by the tables and section borders that a kernel image
 * or a module carries: hooks of ftrace (which fentry needs), code that kprobes must not touch, code
 * that is gone after booting. And how to name an address so that it survives KASLR.
 */
#ifndef BTFENC_KERNEL_ATTACH_ATTACH_H
#define BTFENC_KERNEL_ATTACH_ATTACH_H

#include "kernel/attach/attach_image.h"
#include "btf/own_btf.h"
#include "kernel/attach/patched_code.h"

struct attach_state {
	enum attach_answer ftrace;	/* is there a hook at the function's entry? */
	struct answer kprobe;	/* YES unless something speaks against it */
	bool may_have_nop;	/* no hook, but what serves as one: patches_make_nop() */
	bool notrace;		/* no hook is in the function around it: kprobe events are refused
				   without CONFIG_KPROBE_EVENTS_ON_NOTRACE */
	bool modifiable;	/* ALLOW_ERROR_INJECTION: fmod_ret is taken at this entry */
	bool no_return;		/* kretprobes are refused at this entry */
	bool init;		/* .init.text: freed when booting, or loading the module, is done */
	bool exit;		/* .exit.text: of built-in code never called */
};

/*
 * `section`: the name of the one that holds the address, "": not known. Is it the entry of a
 * function? Else nothing is said of hooks.
 */
struct attach_state attach_state_at(const struct attach_image *image, uint64_t address,
				    const char *section, bool is_entry);

/* Why the kernel takes no kprobe at all; NULL: it takes some, or that is not known. */
const char *attach_no_kprobes(const struct attach_image *image);

/*
 * Of the function that is entered there, in whatever section. `for_fentry`: only what that asks
 * for, `ftrace`, `init` and `exit`.
 */
struct attach_state attach_state_of_entry(const struct attach_image *image, uint64_t address,
					  bool for_fentry);

/* Of a function of the running kernel, by its name alone. */
struct attach_state attach_state_of_name(const struct attach_image *image, const char *name,
					 bool for_fentry);

/* The longest names that a kernel takes, and an offset. */
#define ATTACH_PROBE_BYTES 600

/* "0xffffffff81001a40"; of a module, which has no addresses before it is loaded, ".text+0x1a40". */
void attach_address(const struct object *object, uint64_t address, char text[ATTACH_PROBE_BYTES]);

#define ATTACH_NOWHERE UINT64_MAX

/*
 * What tracefs takes: "caller+0x1c", "module:caller", "_stext+0x1a40", "0xffffffff81001a40"; or "".
 *
 * `symbol` holds the address, and its name is best if no other symbol has it: of several the kernel
 * takes any, or none (since 6.6). A kernel's namesakes are told by their distance from _stext,
 * which moves with them, as perf probe does it; a module's by the address alone. `running`: where
 * the code is now, ATTACH_NOWHERE: not known; if it is `address`, in the file that was not loaded,
 * attach_address() tells it.
 *
 * By a name the kernel finds ppc64le's local entry itself; anything else has to lead there, because
 * direct calls never come by the global entry, and only the symbols of an ELF file say where it is.
 */
void attach_probe(const struct attach_image *image, const struct symbol *symbol, uint64_t address,
		  uint64_t running, char text[ATTACH_PROBE_BYTES]);

/*
 * The function symbol of that name if the kernel finds no other one: it looks at data, too, where
 * CONFIG_KALLSYMS_ALL keeps its symbols. NULL: there is another one.
 */
const struct symbol *attach_only_symbol(const struct symbol_table *symbols, const char *name);

/* The function symbol that holds the address, or NULL. */
const struct symbol *attach_symbol_at(const struct attach_image *image, uint64_t address);

/* ---- the table of hooks ---- */

/*
 * Where functions have a tracer's hook, which fentry needs: the table __mcount_loc of an image, or
 * of a module (__patchable_function_entries of arm64 and riscv64 modules).
 *
 * An entry is the address of what ftrace patches, and where that is depends on the machine: at the
 * symbol (x86, s390), after an endbr64, up to two words in front of the symbol (arm64, riscv64:
 * NOPs), in the prologue (ppc64le: +4 or +12, arm: +4 to +16). The kernel takes the first entry in
 * a symbol's extent for its hook (ftrace_location(), since 5.18), and so it is here.
 */
struct hook_table {
	Elf *elf;		/* of a linked image, for its relative relocations; else NULL */
	uint64_t address;
	const uint8_t *words;	/* addresses of hooks, in the byte order of the file */
	uint64_t size;		/* in bytes */
	uint8_t word_bytes;	/* 4 or 8 */
	bool swap;		/* the file's byte order is not the host's */
};

/* Where the hooks are, ascending. */
struct hook_addresses {
	uint64_t *data;
	size_t count, capacity;
};

/* None where only a link or the boot fills the table. */
void hook_table_read(struct hook_addresses *hooks, const struct hook_table *table);

/*
 * Has the function that is entered there a hook? `size_bytes` is its symbol's, 0: not known. `abi`
 * may be NULL. UNKNOWN where there is no hook at all.
 */
enum attach_answer hook_addresses_ask(const struct hook_addresses *hooks, const struct abi *abi,
				      uint64_t entry, uint64_t size_bytes);

/* ---- all tables ---- */

struct table_row {
	uint64_t address;
	const char *why;
	bool whole_function;	/* that is entered there */
};

struct table_rows {
	struct table_row *data;
	size_t count, capacity;
};

#define ATTACH_SPANS 11

/* Of an image with contents; else there is nothing in them but spans between symbols. */
struct attach_tables {
	struct attach_span spans[ATTACH_SPANS];
	struct hook_addresses hooks;
	struct table_rows kept;		/* where no kprobe may be, by address */
	struct table_rows modifiable;	/* functions whose result BPF programs may set */
	struct own_btf own;		/* by attach_image_of_file(), */
	struct func_names kernel_funcs;	/* and attach_set_kernel() */
	struct patches patches;
};

/* Before the first question, of what the image has else. */
void attach_tables_read(struct attach_tables *tables, const struct attach_image *image);
void attach_tables_release(struct attach_tables *tables);

#endif
