/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Lays the image out as a kernel is laid out: code at a high address, .init.* apart, per-CPU data
 * at address 0 on x86-64 (as before 6.15) and in its place in the image elsewhere, .BTF_ids among
 * the read-only data. It is run through the preprocessor of the variant's compiler.
 */
#if defined(__x86_64__)
#define TEXT_BASE 0xffffffff81000000
#elif defined(__i386__)
#define TEXT_BASE 0xc1000000
#else
#define TEXT_BASE 0x100000
#endif

#define SECTION_ALIGN . = ALIGN(4096)

ENTRY(start_kernel)

PHDRS
{
	text PT_LOAD FLAGS(5);
	data PT_LOAD FLAGS(6);
	percpu PT_LOAD FLAGS(6);
	init PT_LOAD FLAGS(5);
	initdata PT_LOAD FLAGS(6);
}

#define PERCPU_INPUT				\
	__per_cpu_start = .;			\
	*(.data..percpu)			\
	. = ALIGN(64);				\
	*(.data..percpu..shared_aligned)	\
	__per_cpu_end = .;

SECTIONS
{
	. = TEXT_BASE;
	_text = .;
	.text : {
		_stext = .;
		*(.text .text.unlikely .text.unlikely.* .text.hot .text.hot.* .text.*)
		*(.ref.text)
		_etext = .;
	} :text

	SECTION_ALIGN;
	.rodata : {
		*(.rodata .rodata.*)
	} :text
	.BTF_ids : ALIGN(8) {
		*(.BTF_ids)
	} :text

	SECTION_ALIGN;
	.data : {
		_sdata = .;
		*(.data .data.rel .data.rel.* .data.[a-zA-Z_]*)
		__start__bpf_raw_tp = .;
		KEEP(*(__bpf_raw_tp_map))
		__stop__bpf_raw_tp = .;
		_edata = .;
	} :data

	SECTION_ALIGN;
#if defined(__x86_64__)
	__per_cpu_load = .;
	.data..percpu 0 : {
		PERCPU_INPUT
	} :percpu
	. = __per_cpu_load + SIZEOF(.data..percpu);
#else
	.data..percpu : {
		__per_cpu_load = .;
		PERCPU_INPUT
	} :percpu
#endif

	SECTION_ALIGN;
	__init_begin = .;
	.init.text : {
		_sinittext = .;
		*(.init.text)
		_einittext = .;
	} :init
	SECTION_ALIGN;
	.init.data : {
		*(.init.data)
	} :initdata
	SECTION_ALIGN;
	__init_end = .;

	.bss : {
		__bss_start = .;
		*(.bss .bss.* COMMON)
		__bss_stop = .;
	} :initdata
	_end = .;

	.comment 0 : { *(.comment) }
	.debug_aranges 0 : { *(.debug_aranges) }
	.debug_info 0 : { *(.debug_info) }
	.debug_abbrev 0 : { *(.debug_abbrev) }
	.debug_line 0 : { *(.debug_line) }
	.debug_line_str 0 : { *(.debug_line_str) }
	.debug_str 0 : { *(.debug_str) }
	.debug_str_offsets 0 : { *(.debug_str_offsets) }
	.debug_addr 0 : { *(.debug_addr) }
	.debug_frame 0 : { *(.debug_frame) }
	.debug_loc 0 : { *(.debug_loc) }
	.debug_loclists 0 : { *(.debug_loclists) }
	.debug_ranges 0 : { *(.debug_ranges) }
	.debug_rnglists 0 : { *(.debug_rnglists) }

	/DISCARD/ : {
		*(.note.GNU-stack .note.gnu.property .note.gnu.build-id .eh_frame .llvm_addrsig)
	}
}
