/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "tests/kbuild/fentry.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* False: BTF of the kernel that cannot be read. What is not the kernel's is passed over. */
static bool add_module(struct kernel_btfs *btfs, uint32_t id)
{
	struct kernel_btf *module = &btfs->items[btfs->count];
	struct bpf_btf_info info = { 0 };
	uint32_t info_bytes = sizeof(info);
	int fd = bpf_btf_get_fd_by_id(id);

	info.name = (uintptr_t)module->object;
	info.name_len = sizeof(module->object);
	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &info_bytes) != 0) {
		fprintf(stderr, "fentry: BTF %u: %s\n", id, strerror(errno));
		return false;
	}
	if (!info.kernel_btf || strcmp(module->object, "vmlinux") == 0) {
		close(fd);
		return true;
	}
	module->fd = fd;
	module->btf = btf__load_from_kernel_by_id_split(id, btfs->items[0].btf);
	if (!module->btf) {
		fprintf(stderr, "fentry: BTF of %s: %s\n", module->object, strerror(errno));
		return false;
	}
	module->first_id = btf__type_cnt(btfs->items[0].btf);
	btfs->count++;
	return true;
}

bool kernel_btfs_open(struct kernel_btfs *btfs)
{
	struct kernel_btf *vmlinux = &btfs->items[0];
	uint32_t id = 0;

	memset(btfs, 0, sizeof(*btfs));
	strcpy(vmlinux->object, "vmlinux");
	vmlinux->first_id = 1;
	vmlinux->btf = btf__load_vmlinux_btf();
	if (!vmlinux->btf) {
		fprintf(stderr, "fentry: BTF of vmlinux: %s\n", strerror(errno));
		return false;
	}
	btfs->count = 1;
	while (bpf_btf_get_next_id(id, &id) == 0) {
		if (btfs->count == MAX_KERNEL_BTFS) {
			fprintf(stderr, "fentry: more than %d BTFs\n", MAX_KERNEL_BTFS);
			return false;
		}
		if (!add_module(btfs, id))
			return false;
	}
	return true;
}

int fentry_load(const struct kernel_btf *target, uint32_t func_id, const struct bpf_insn *code,
		size_t instructions, char *log, size_t log_bytes)
{
	const struct bpf_prog_load_opts options = {
		.sz = sizeof(options),
		.expected_attach_type = BPF_TRACE_FENTRY,
		.attach_btf_id = func_id,
		.attach_btf_obj_fd = (uint32_t)target->fd,
		.log_buf = log,
		.log_size = (uint32_t)log_bytes,
	};
	char *counts;
	int program;

	log[0] = '\0';
	program = bpf_prog_load(BPF_PROG_TYPE_TRACING, NULL, "GPL", code, instructions, &options);
	/* The last line only counts instructions. */
	counts = strncmp(log, "processed ", 10) == 0 ? log : strstr(log, "\nprocessed ");
	if (counts)
		*counts = '\0';
	return program;
}

int fentry_attach(int program)
{
	return bpf_link_create(program, 0, BPF_TRACE_FENTRY, NULL);
}

unsigned int programs_attach(const char *path)
{
	struct bpf_object *object = bpf_object__open_file(path, NULL);
	struct bpf_program *program;
	unsigned int count = 0;

	if (!object || bpf_object__load(object) != 0) {
		printf("error\tcannot load %s\n", path);
		return 0;
	}
	bpf_object__for_each_program(program, object) {
		if (bpf_program__attach(program))
			count++;
		else
			printf("error\tcannot attach %s\n", bpf_program__name(program));
	}
	return count;
}
