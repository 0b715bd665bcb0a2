/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "machine.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct machine machines[] = {
	{
		.name = "x86-64", .elf_machine = EM_X86_64, .word_bytes = 8,
		.integer_count = 6, .floating_count = 8,
		.integer_names = { "%rdi", "%rsi", "%rdx", "%rcx", "%r8", "%r9" },
		.floating_name = "%%xmm%u", .floating_name_step = 1,
		.stack_name = "%rsp", .stack_start = 8, .return_bytes = 8,
		.returned_in_memory = in_memory_x86_64, .place = place_x86_64,
	},
	{
		.name = "arm64", .elf_machine = EM_AARCH64, .word_bytes = 8,
		.emulator = "qemu-aarch64",
		.integer_count = 8, .floating_count = 8,
		.integer_names = { "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7" },
		.floating_name = "v%u", .floating_name_step = 1,
		.stack_name = "sp", .result_address_apart = true,
		.returned_in_memory = in_memory_arm64, .place = place_arm64,
		.remote = { .integer = 0, .stack_pointer = 8 * 31, .program_counter = 8 * 32,
			    .return_address = 8 * 30, .floating = 34, .floating_step = 1 },
	},
	{	/* AAPCS32 without floating-point registers, as in kernels */
		.name = "arm", .elf_machine = EM_ARM, .has_thumb = true, .word_bytes = 4,
		.emulator = "qemu-arm",
		.integer_count = 4,
		.integer_names = { "r0", "r1", "r2", "r3" },
		.stack_name = "sp",
		.returned_in_memory = in_memory_arm, .place = place_arm,
		.remote = { .integer = 0, .stack_pointer = 4 * 13, .program_counter = 4 * 15,
			    .return_address = 4 * 14 },
	},
	{	/* LP64 without floating-point registers, as in kernels */
		.name = "riscv64", .elf_machine = EM_RISCV, .word_bytes = 8,
		.emulator = "qemu-riscv64",
		.integer_count = 8,
		.integer_names = { "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7" },
		.stack_name = "sp",
		.returned_in_memory = in_memory_riscv64, .place = place_riscv64,
		.remote = { .integer = 8 * 10, .stack_pointer = 8 * 2, .program_counter = 8 * 32,
			    .return_address = 8 * 1 },
	},
	{
		.name = "s390x", .elf_machine = EM_S390, .big_endian = true, .word_bytes = 8,
		.emulator = "qemu-s390x",
		.integer_count = 5, .floating_count = 4,
		.integer_names = { "%r2", "%r3", "%r4", "%r5", "%r6" },
		.floating_name = "%%f%u", .floating_name_step = 2,
		.stack_name = "%r15", .stack_start = 160,
		.returned_in_memory = in_memory_s390x, .place = place_s390x,
		.remote = { .integer = 8 * 4, .stack_pointer = 8 * 17, .program_counter = 8,
			    .return_address = 8 * 16, .floating = 35, .floating_step = 2 },
	},
	{
		.name = "ppc64le", .elf_machine = EM_PPC64, .word_bytes = 8,
		.emulator = "qemu-ppc64le",
		.integer_count = 8, .floating_count = 13, .widens_floats = true,
		.integer_names = { "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10" },
		.floating_name = "f%u", .floating_first = 1, .floating_name_step = 1,
		.stack_name = "r1", .stack_start = 32,
		.returned_in_memory = in_memory_ppc64le, .place = place_ppc64le,
		.remote = { .integer = 8 * 3, .stack_pointer = 8 * 1, .program_counter = 8 * 32,
			    .return_address = 8 * 34 + 4, .floating = 72, .floating_step = 1 },
	},
};

const struct machine *machine_of(const char *path)
{
	unsigned char header[20] = { 0 };
	FILE *file = fopen(path, "r");
	size_t got = file ? fread(header, 1, sizeof(header), file) : 0;
	unsigned int number;

	if (file)
		fclose(file);
	number = header[EI_DATA] == ELFDATA2MSB ? header[18] << 8 | header[19] :
						  header[19] << 8 | header[18];
	for (size_t i = 0; got && i < sizeof(machines) / sizeof(machines[0]); i++) {
		if (machines[i].elf_machine == number &&
		    machines[i].big_endian == (header[EI_DATA] == ELFDATA2MSB))
			return &machines[i];
	}
	fprintf(stderr, "%s: not a program of a machine that the tests know\n", path);
	exit(2);
}

uint64_t machine_number(const struct machine *machine, const void *bytes, size_t size)
{
	const unsigned char *byte = bytes;
	uint64_t number = 0;

	for (size_t i = 0; i < size; i++)
		number = number << 8 | byte[machine->big_endian ? i : size - 1 - i];
	return number;
}

void machine_bytes(const struct machine *machine, uint64_t number, void *bytes, size_t size)
{
	unsigned char *byte = bytes;

	for (size_t i = 0; i < size; i++, number >>= 8)
		byte[machine->big_endian ? size - 1 - i : i] = (unsigned char)number;
}
