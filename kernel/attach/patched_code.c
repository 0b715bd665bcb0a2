/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The tables of what the kernel replaces once, before a tracer can be there: alternatives, which
 * depend on the processor, and calls of paravirt_ops (x86 before 6.8, which has alternatives for
 * them). An entry of alternatives begins with two distances from itself, to the code in place and
 * to that which may replace it. Its size and its other members changed with the releases: that
 * layout counts by which all entries of the image lead to code.
 *
 * What is not here: jump labels, static calls and hooks of ftrace, which attach.c knows, because
 * kprobes are refused, or allowed, by the address there. Retpolines, returns and calls of x86
 * (.retpoline_sites, .return_sites, .call_sites), sealed endbr64 and lock prefixes: 6.1 and 7.2
 * take kprobes at all of them that were tried, at lock prefixes with one of two processors, too.
 * Nor are the feature sections of ppc64le and the instructions for one processor of arm.
 */
#include "kernel/attach/patched_code.h"

#include <elf.h>
#include <string.h>

#include "base/bytes.h"
#include "base/search.h"
#include "base/sort.h"
#include "elf/section_header.h"

/* ---- reading ---- */

/* struct alt_instr; of riscv64 struct alt_entry, since 6.4. */
static const struct layout {
	uint8_t machine;	/* enum abi_machine */
	uint8_t bytes, size_at;
	bool has_code_size;	/* after it; else both are of one size */
} layouts[] = {
	{ ABI_X86_64, 12, 10, true }, { ABI_X86_64, 13, 10, true }, { ABI_X86_64, 14, 12, true },
	{ ABI_I386, 12, 10, true }, { ABI_I386, 13, 10, true }, { ABI_I386, 14, 12, true },
	{ ABI_ARM64, 12, 10, true }, { ABI_LOONGARCH64, 12, 10, true },
	{ ABI_S390X, 11, 10, false }, { ABI_S390X, 12, 10, true }, { ABI_S390X, 13, 12, false },
	{ ABI_RISCV64, 16, 10, false },
};

static bool is_x86(const struct attach_image *image)
{
	return abi_is(image->abi, ABI_X86_64) || abi_is(image->abi, ABI_I386);
}

/*
 * Does the kernel replace the code whatever its processor? X86_FEATURE_ALWAYS is 3 * 32 + 21 since
 * 2.6, the number of a feature 16 bits, of which older ones have the highest for "not that one".
 * From 6.3 on flags follow, with ALT_FLAG_NOT; all that use the feature are without it.
 */
static bool is_certain(const struct attach_image *image, const uint8_t *entry)
{
	return is_x86(image) && bytes_load_u16(entry + 8, image->object->swap) == 3 * 32 + 21;
}

/* arm64 has functions that make the code; this one makes NOPs (alternative_has_cap_likely()). */
static bool makes_nops(const struct attach_image *image, uint64_t function)
{
	const struct symbol *symbol = symbol_table_find(image->symbols, "alt_cb_patch_nops");

	return symbol && symbol->address == function;
}

static uint64_t distance(const struct object *object, const uint8_t *p)
{
	return (uint64_t)(int64_t)(int32_t)bytes_load_u32(p, object->swap);
}

static bool read_entry(struct patch *patch, const struct attach_image *image,
		       const struct layout *layout, uint64_t at, const uint8_t *entry)
{
	const struct object *object = image->object;
	uint64_t code = at + 4 + distance(object, entry + 4);
	const struct section_header *section = attach_section_at(object, code);
	size_t before = 0, room = 0;

	*patch = (struct patch){
		.address = at + distance(object, entry),
		.code = attach_bytes(object, code, &room),
		.size = entry[layout->size_at],
		.code_size = entry[layout->size_at + layout->has_code_size],
		.is_certain = is_certain(image, entry) };
	if (layout->machine == ABI_ARM64 && !patch->code_size)
		patch->is_unknown = !makes_nops(image, code);
	/* The end of the section: of none it may be that of the last one. */
	if (!patch->code_size)
		patch->code = NULL;
	else if (!section || !(section->flags & SHF_EXECINSTR))
		return false;
	return patch->code_size <= patch->size && patch->code_size <= room &&
	       attach_bytes(object, patch->address, &before) && patch->size <= before;
}

static int compare_patches(const void *a, const void *b)
{
	const struct patch *x = a, *y = b;

	int order = order_of(x->address, y->address);

	return order ? order : order_of(x->number, y->number);
}

static void read_alternatives(struct patches *patches, const struct attach_image *image,
			      const struct attach_span *span)
{
	uint64_t size = span->words ? span->last - span->first : 0;
	size_t before = patches->count;

	for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts); i++) {
		const struct layout *layout = &layouts[i];
		struct patch patch;
		uint64_t at = 0;

		if (!abi_is(image->abi, layout->machine) || size % layout->bytes)
			continue;
		for (; at < size && read_entry(&patch, image, layout, span->first + at,
					       span->words + at); at += layout->bytes) {
			patch.number = (uint32_t)patches->count;
			array_push(patches, patch);
		}
		if (at == size)
			return;
		patches->count = before;
	}
}

/*
 * struct paravirt_patch_site: a word and two bytes, the kind and the size. The call through memory
 * becomes a direct one, an instruction or NOPs; that goes before the alternatives.
 */
static void read_paravirt(struct patches *patches, const struct attach_image *image,
			  const struct attach_span *span)
{
	size_t word_bytes = image->object->address_bytes;

	/* The last one of a module is not filled up. */
	for (uint64_t at = span->first; span->words && at + word_bytes + 2 <= span->last;
	     at += 2 * word_bytes) {
		struct patch patch = { .number = (uint32_t)patches->count, .is_certain = true,
				       .size = span->words[at - span->first + word_bytes + 1] };

		if (attach_word(image->object, at, &patch.address))
			array_push(patches, patch);
	}
}

void patches_read(struct patches *patches, const struct attach_image *image,
		  const struct attach_span *alternatives, const struct attach_span *paravirt)
{
	if (!image->abi || !image->object)
		return;
	read_paravirt(patches, image, paravirt);
	read_alternatives(patches, image, alternatives);
	array_sort(patches, compare_patches);
}

/* ---- asking ---- */

/* What is in front of an instruction matters, too: is_atomic() of kprobe_instruction.c */
#define FRONT_BYTES 128

#define MAY_BE_PATCHED ANSWER_MAYBE("the kernel replaces the code there when it boots, and by " \
				    "what depends on its processor")

/* Code around an address. */
struct window {
	uint64_t address;
	size_t front, size;	/* bytes before it, and all */
	uint8_t code[FRONT_BYTES + UINT8_MAX];
};

static size_t first_patch(const struct patches *patches, uint64_t address)
{
	return lower_bound(i, patches->count, patches->data[i].address + UINT8_MAX < address);
}

static struct answer ask(const struct attach_image *image, const struct window *window)
{
	return kprobe_instruction_is_taken(image->abi, image->version, window->code, window->size,
					   window->front);
}

static struct answer ask_patch(const struct patch *patch, const struct attach_image *image,
			       struct window window)
{
	uint64_t offset = window.address - patch->address;
	size_t back = window.size - window.front;

	/* NOPs */
	if (offset >= patch->code_size)
		return ANSWER_YES;
	if (back > patch->code_size - offset)
		back = patch->code_size - offset;
	memcpy(window.code + window.front, patch->code + offset, back);
	window.size = window.front + back;
	return ask(image, &window);
}

static struct answer ask_all(const struct patches *patches, const struct attach_image *image,
			     const struct window *window)
{
	struct answer answer = ask(image, window);
	bool all_steps = is_x86(image) || abi_is(image->abi, ABI_S390X);
	bool is_known = true;

	for (size_t i = first_patch(patches, window->address);
	     i < patches->count && patches->data[i].address <= window->address; i++) {
		const struct patch *patch = &patches->data[i];
		uint64_t offset = window->address - patch->address;
		struct answer then;

		if (offset >= patch->size)
			continue;
		/* Inside, instructions of other sizes may begin elsewhere. */
		if (patch->is_unknown || (offset && all_steps)) {
			is_known = false;
			continue;
		}
		then = ask_patch(patch, image, *window);
		is_known = patch->is_certain ||
			   (is_known && (then.is == ATTACH_YES) == (answer.is == ATTACH_YES));
		if (patch->is_certain || answer.is == ATTACH_YES)
			answer = then;
	}
	return is_known ? answer : MAY_BE_PATCHED;
}

/* What is in front is replaced; false: nothing was. */
static bool patch_front(const struct patches *patches, struct window *window)
{
	uint64_t start = window->address - window->front;
	bool any = false;

	for (size_t i = first_patch(patches, start);
	     i < patches->count && patches->data[i].address < window->address; i++) {
		const struct patch *patch = &patches->data[i];

		for (size_t k = 0; k < patch->code_size; k++) {
			if (patch->address + k - start >= window->front)
				continue;
			window->code[patch->address + k - start] = patch->code[k];
			any = true;
		}
	}
	return any;
}

struct answer patched_code_is_taken(const struct patches *patches, const struct attach_image *image,
				    uint64_t address, const uint8_t *code, size_t size, size_t at)
{
	size_t front = at < FRONT_BYTES ? at : FRONT_BYTES;
	size_t back = size - at < UINT8_MAX ? size - at : UINT8_MAX;
	struct window window = { .address = address, .front = front, .size = front + back };
	struct answer answer, then;

	if (at >= size)
		return ANSWER_YES;
	memcpy(window.code, code + at - front, window.size);
	answer = ask_all(patches, image, &window);
	if (!patch_front(patches, &window))
		return answer;
	then = ask_all(patches, image, &window);
	return (then.is == ATTACH_YES) != (answer.is == ATTACH_YES) ? MAY_BE_PATCHED : answer;
}

/* What is in place of nothing is as many NOPs; the kernel joins them. */
bool patches_make_nop(const struct patches *patches, const struct attach_image *image,
		      uint64_t entry)
{
	size_t room = 0, i;
	const uint8_t *code = attach_bytes(image->object, entry, &room);

	if (!code || !abi_is(image->abi, ABI_X86_64))
		return false;
	if (room > 4 && memcmp(code, "\xf3\x0f\x1e\xfa", 4) == 0) {	/* endbr64 */
		entry += 4;
		code += 4;
	}
	i = lower_bound(k, patches->count, patches->data[k].address < entry);
	for (; i < patches->count && patches->data[i].address == entry; i++) {
		if (patches->data[i].size == 5 && (!patches->data[i].code_size ||
						   memcmp(code, "\x90\x90\x90\x90\x90", 5) == 0))
			return true;
	}
	return false;
}
