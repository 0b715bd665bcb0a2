/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Where is a kernel's function entered and inlined, and where are its parameters there?
 *
 *	btfenc encode --features +func_secinfo=inline -o kernel vmlinux
 *	cc -o find_sites find_sites.c -lbpf
 *	./find_sites kernel kernel.extra tcp_v4_rcv
 *
 * libbpf reads .BTF; .BTF.extra has kinds that it does not know, and is read by btfenc/btf_extra.h.
 * A line is an instance if a symbol of the function's name is there, else an inline site.
 */
#include <bpf/btf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <btfenc/btf_extra.h>

static struct btf *btf;
static struct btf_extra extra;

static const char *string(uint32_t offset)
{
	const char *text = btf_extra_string(&extra, offset);

	text = text ? text : btf__name_by_offset(btf, offset);
	return text ? text : "";
}

/* The parameters of a FUNC_PROTO, wherever that is; libbpf's struct is the same. */
static const struct btf_extra_param *parameters(uint32_t proto, uint32_t *count)
{
	const struct btf_type *known = btf__type_by_id(btf, proto);
	const struct btf_extra_type *type = btf_extra_type_by_id(&extra, proto);

	*count = known ? btf_vlen(known) : 0;
	if (known)
		return (const struct btf_extra_param *)btf_params(known);
	return type ? btf_extra_params(type, count) : NULL;
}

static void print_site(const char *name, const char *section, const struct btf_extra_site *site)
{
	const struct btf_extra_type *loc = btf_extra_type_by_id(&extra, site->location);
	uint32_t count = 0, named = 0;
	const uint32_t *places = loc ? btf_extra_locations(loc, &count) : NULL;
	const struct btf_extra_param *names = places ? parameters(loc->size_or_type, &named) : NULL;

	printf("%s %s+0x%x:", name, section, site->offset);
	if (!places)
		printf(site->location ? " by convention" : " no prototype is known");
	for (uint32_t i = 0; i < count && i < named; i++)
		printf(" %s=%s", string(names[i].name_off), places[i] ? string(places[i]) : "?");
	printf("\n");
}

/* "f" and, because its copies are of interest, too, "f.isra.0". */
static int is_wanted(const char *name, const char *wanted)
{
	size_t length = strlen(wanted);

	return strncmp(name, wanted, length) == 0 && (!name[length] || name[length] == '.');
}

/* The sites of one FUNC, which may stand in the DATASECs of several ELF sections. */
static void print_sites(uint32_t func, const char *name)
{
	const struct btf_extra_type *type = NULL;

	while ((type = btf_extra_next(&extra, type))) {
		uint32_t count;
		const struct btf_extra_site *sites = btf_extra_sites(type, &count);

		for (uint32_t i = 0; i < count; i++) {
			if (sites[i].func == func)
				print_site(name, string(type->name_off), &sites[i]);
		}
	}
}

static int open_extra(const char *path)
{
	uint32_t bytes = 0;
	const void *raw = btf__raw_data(btf, &bytes);
	int fd = open(path, O_RDONLY);
	struct stat status;
	uint64_t id;
	void *data;

	if (fd < 0 || fstat(fd, &status) != 0)
		return -1;
	data = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return -1;
	id = btf_extra_belongs_to(data, (size_t)status.st_size);
	if (id && id != btf_extra_id_of(raw, bytes)) {
		fprintf(stderr, "%s was made with another BTF\n", path);
		return -1;
	}
	return btf_extra_open(&extra, data, (size_t)status.st_size, btf__type_cnt(btf),
			      btf_extra_string_bytes(raw, bytes));
}

int main(int argc, char **argv)
{
	const struct btf_extra_type *type = NULL;
	uint32_t id;

	btf = argc == 4 ? btf__parse(argv[1], NULL) : NULL;
	if (!btf || open_extra(argv[2]) != 0) {
		fprintf(stderr, "usage: find_sites VMLINUX-OR-BTF EXTRA FUNCTION\n");
		return 2;
	}
	for (id = 1; id < extra.first_id; id++) {
		const struct btf_type *known = btf__type_by_id(btf, id);

		if (btf_is_func(known) && is_wanted(string(known->name_off), argv[3]))
			print_sites(id, string(known->name_off));
	}
	for (; (type = btf_extra_next(&extra, type)); id++) {
		if (btf_extra_kind(type) == BTF_EXTRA_KIND_FUNC &&
		    is_wanted(string(type->name_off), argv[3]))
			print_sites(id, string(type->name_off));
	}
	btf__free(btf);
	return 0;
}
