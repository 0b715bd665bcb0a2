/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Whole-file output: written beside the destination, then renamed over it, so that the destination
 * is either the old file or the complete new one. The temporary file goes away on every failure,
 * also on lack of memory and on SIGINT, SIGTERM and SIGHUP.
 */
#ifndef BTFENC_BASE_OUTPUT_FILE_H
#define BTFENC_BASE_OUTPUT_FILE_H

#include <stddef.h>

#include "base/error.h"

/* Replaces or creates `path` with these bytes; keeps the mode of a file that was there. */
bool output_file_write(const char *path, const void *data, size_t size, struct error *err);

#endif
