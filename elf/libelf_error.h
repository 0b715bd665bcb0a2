/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* What libelf could not do, and why: the file, or memory. */
#ifndef BTFENC_ELF_LIBELF_ERROR_H
#define BTFENC_ELF_LIBELF_ERROR_H

#include "base/error.h"

/* Always false: err says that WHAT of the file cannot be read, libelf's last error, what to do. */
__attribute__((format(printf, 3, 4)))
bool libelf_error(struct error *err, const char *path, const char *what, ...);

/* Was lack of memory libelf's last error? Its NULL for a name may also be the file's fault. */
bool libelf_lacked_memory(void);

#endif
