/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * usage: script_calls [OBJECT]
 *
 * Changes a hash map by bpf() five times, and connects five times to a port of this machine at
 * which nobody listens: two packets arrive, the second of which says so. OBJECT's BPF programs are
 * attached meanwhile. On stdout, separated by tabs:
 *
 *	error TEXT
 */
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/kbuild/fentry.h"

enum { CALLS = 5, UNUSED_PORT = 9 };

static bool refused(void)
{
	const struct sockaddr_in there = { .sin_family = AF_INET, .sin_port = htons(UNUSED_PORT),
					   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	bool is = connect(fd, (const struct sockaddr *)&there, sizeof(there)) != 0 &&
		  errno == ECONNREFUSED;

	close(fd);
	return is;
}

int main(int argc, char **argv)
{
	int map = bpf_map_create(BPF_MAP_TYPE_HASH, NULL, sizeof(uint32_t), sizeof(uint32_t), CALLS,
				 NULL);

	if (argc > 1)
		programs_attach(argv[1]);
	for (uint32_t i = 0; i < CALLS; i++) {
		if (bpf_map_update_elem(map, &i, &i, BPF_ANY) != 0 || !refused())
			printf("error\tcall %u: %d\n", i, errno);
	}
	return EXIT_SUCCESS;
}
