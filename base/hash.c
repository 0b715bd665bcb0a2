/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "base/hash.h"

uint32_t hash_mask = UINT32_MAX;
