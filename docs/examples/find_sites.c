/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Where is a kernel's function entered and inlined, and where are its parameters there?
 *
 *	btfenc encode --features +func_secinfo=inline -o kernel vmlinux
 *	cc -o find_sites find_sites.c -lbpf
 *	./find_sites kernel kernel.extra tcp_v4_rcv
 *
 * libbpf reads .BTF; .BTF.extra has kinds that it does not know, and is read by btfenc/btf_extra.h.
 * A line is an instance if a symbol of the function's name stands there, else an inline site.
 */
#include <bpf/btf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <btfenc/btf_extra.h>

static struct btf *btf;
static struct btf_extra extra;

static void *read_file(const char *path, size_t *bytes)
{
	FILE *file = fopen(path, "rb");
	char *data = NULL, *larger;
	size_t got = 1;

	*bytes = 0;
	while (file && got && (larger = realloc(data, *bytes + 65536))) {
		data = larger;
		got = fread(data + *bytes, 1, 65536, file);
		*bytes += got;
	}
	if (file)
		fclose(file);
	return data;
}

static const char *string(uint32_t offset)
{
	const char *text = btf_extra_string(&extra, offset);

	text = text ? text : btf__name_by_offset(btf, offset);
	return text ? text : "";
}

static const char *function_name(uint32_t id)
{
	const struct btf_extra_type *type = btf_extra_type_by_id(&extra, id);
	const struct btf_type *known = btf__type_by_id(btf, id);

	return type ? string(type->name_off) : known ? string(known->name_off) : "";
}

/* The name of a FUNC_PROTO's parameter, wherever that is. */
static const char *parameter_name(uint32_t proto, uint32_t number)
{
	const struct btf_extra_type *type = btf_extra_type_by_id(&extra, proto);
	const struct btf_type *known = btf__type_by_id(btf, proto);
	const struct btf_extra_param *params;
	uint32_t count = 0;

	if (known && btf_is_func_proto(known) && number < btf_vlen(known))
		return string(btf_params(known)[number].name_off);
	params = type ? btf_extra_params(type, &count) : NULL;
	return number < count ? string(params[number].name_off) : "";
}

static void print_site(const char *section, const struct btf_extra_site *site)
{
	const struct btf_extra_type *loc = btf_extra_type_by_id(&extra, site->location);
	uint32_t count = 0;
	const uint32_t *places = loc ? btf_extra_places(loc, &count) : NULL;

	printf("%s %s+0x%x:", function_name(site->func), section, site->offset);
	if (!site->location)
		printf(" no prototype is known");
	else if (!places)
		printf(" by convention");
	for (uint32_t i = 0; i < count; i++)
		printf(" %s=%s", parameter_name(loc->size_or_type, i),
		       places[i] ? string(places[i]) : "?");
	printf("\n");
}

/* "f" and, because its copies are of interest, too, "f.isra.0". */
static int is_wanted(const char *name, const char *wanted)
{
	size_t length = strlen(wanted);

	return strncmp(name, wanted, length) == 0 && (!name[length] || name[length] == '.');
}

/* By id, so that each name is looked up once: 1 if it is a function that is wanted. */
static char *find_functions(const char *wanted)
{
	const struct btf_extra_type *type = NULL;
	uint32_t end = extra.first_id, id;
	char *found;

	while ((type = btf_extra_next(&extra, type)))
		end++;
	found = calloc(end + 1, 1);
	for (id = 1; found && id < extra.first_id; id++)
		found[id] = btf_is_func(btf__type_by_id(btf, id)) &&
			    is_wanted(string(btf__type_by_id(btf, id)->name_off), wanted);
	while (found && (type = btf_extra_next(&extra, type)))
		found[id++] = btf_extra_kind(type) == BTF_EXTRA_KIND_FUNC &&
			      is_wanted(string(type->name_off), wanted);
	return found;
}

int main(int argc, char **argv)
{
	const struct btf_extra_type *type = NULL;
	size_t bytes = 0;
	uint32_t btf_bytes = 0, end;
	const void *btf_data;
	char *found = NULL;
	void *data;

	if (argc != 4) {
		fprintf(stderr, "usage: find_sites VMLINUX-OR-BTF EXTRA FUNCTION\n");
		return 2;
	}
	btf = btf__parse(argv[1], NULL);
	data = read_file(argv[2], &bytes);
	btf_data = btf ? btf__raw_data(btf, &btf_bytes) : NULL;
	if (!btf_data || btf_extra_open(&extra, data, bytes, btf__type_cnt(btf),
					btf_extra_string_bytes(btf_data, btf_bytes)) != 0) {
		fprintf(stderr, "find_sites: cannot read %s\n", btf_data ? argv[2] : argv[1]);
		return 1;
	}
	found = find_functions(argv[3]);
	for (end = extra.first_id; (type = btf_extra_next(&extra, type));)
		end++;
	while (found && (type = btf_extra_next(&extra, type))) {
		uint32_t count;
		const struct btf_extra_site *sites = btf_extra_sites(type, &count);

		for (uint32_t i = 0; i < count; i++) {
			if (sites[i].func < end && found[sites[i].func])
				print_site(string(type->name_off), &sites[i]);
		}
	}
	free(found);
	free(data);
	btf__free(btf);
	return 0;
}
