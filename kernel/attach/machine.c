/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "kernel/attach/machine.h"

#include <ctype.h>

#include "base/text.h"

/*
 * Trampolines: fentry on a function of the kernel needs arch_prepare_bpf_trampoline()
 * (arch/ARCH/net/bpf_jit*.c) and ftrace's direct calls (HAVE_DYNAMIC_FTRACE_WITH_DIRECT_CALLS in
 * arch/ARCH/Kconfig): `attach` is the later of both. Read in the sources of 6.1, 6.12 and 7.2,
 * between them by the release whose merge window took the commit:
 *	x86-64	fec56f5890d9 (5.5), structs a9c5ad31fbdc (6.1), 12 arguments 473e3150e30a (6.6)
 *	arm64	trampoline efc9909fdce0 (6.0), but direct calls 2aa6ac03516d (6.4): until
 *		then register_fentry() answers -ENOTSUPP. Structs 90564f1e3dd6 (6.5), 12
 *		arguments 9014cf56f13d (6.16), structs on the stack dc704d0cfa43 (6.17)
 *	s390x	528eb2cb87bc (6.3), structs included, whose addresses are passed
 *	riscv64	trampoline 49b5e77ae3e2 (6.3), direct calls 196c79f19a92 (6.8), 12 arguments
 *		6801b0aef79d (6.11)
 *	ppc64le	d243b62b7bd3 and a52f6043a223 (6.13)
 *	loongarch64
 *		f9b6b41f0cf3 (6.17), modules 26138762d9a2 (6.19; 6.18 has it from some stable
 *		release on, which is not counted here), structs 0ef8b9605155 and 12 arguments
 *		c9ebe2016de9 (7.1)
 * Unions count as structs since ccb4f5d91ec4 (6.18), on all machines.
 */
static const struct machine machines[ABI_MACHINES] = {
	[ABI_X86_64] = {
		.trampolines = { { 5, 5 }, { 5, 5 }, { 6, 1 }, 6, { 6, 6 }, { 6, 6 },
				 "more than 6 arguments", true, false },
		.call_prefix = "__x64_", .has_call_table = true, .bpf_target = "x86",
		.register_prefix = "", .bpftrace_prefix = "" },
	[ABI_I386] = { .has_call_table = true, .bpf_target = "x86" },
	[ABI_ARM64] = {
		.trampolines = { { 6, 4 }, { 6, 4 }, { 6, 5 }, 8, { 6, 16 }, { 6, 17 },
				 "more than 8 arguments", false, true },
		.call_prefix = "__arm64_", .has_call_table = true, .bpf_target = "arm64",
		.register_prefix = "x", .bpftrace_prefix = "r", .register_array = "regs" },
	[ABI_ARM] = { .has_call_table = true, .bpf_target = "arm" },
	[ABI_S390X] = {
		.trampolines = { { 6, 3 }, { 6, 3 }, { 6, 3 }, 0, { 6, 3 }, { 6, 3 }, "", false,
				 false },
		.call_prefix = "__s390x_", .has_call_table = true, .bpf_target = "s390",
		.register_prefix = "r", .bpftrace_prefix = "r", .register_array = "gprs" },
	[ABI_PPC64LE] = {
		.trampolines = { { 6, 13 }, { 6, 13 }, { 6, 13 }, 0, { 6, 13 }, { 6, 13 }, "",
				 true, true },
		.call_prefix = "sys_", .has_call_table = true, .bpf_target = "powerpc",
		.register_prefix = "gpr", .bpftrace_prefix = "r", .register_array = "gpr" },
	[ABI_RISCV64] = {
		.trampolines = { { 6, 8 }, { 6, 8 }, { 6, 8 }, 8, { 6, 11 }, { 6, 11 },
				 "more than 8 arguments", false, false },
		.call_prefix = "__riscv_", .bpf_target = "riscv",
		.register_prefix = "", .bpftrace_prefix = "" },
	[ABI_LOONGARCH64] = {
		.trampolines = { { 6, 17 }, { 6, 19 }, { 7, 1 }, 8, { 7, 1 }, { 7, 1 },
				 "more than 8 arguments", false, false },
		.call_prefix = "sys_", .bpf_target = "loongarch",
		.register_prefix = "r", .bpftrace_prefix = "r", .register_array = "regs" },
};

const struct machine *machine_of(const struct abi *abi)
{
	return abi ? &machines[abi->machine] : NULL;
}

const char *machine_register(const struct machine *machine, const char *reg, const char **number)
{
	*number = machine->register_array ? text_after(reg, machine->register_prefix) : NULL;
	if (*number && !isdigit((unsigned char)**number))
		*number = NULL;
	return *number ? machine->register_array : reg;
}
