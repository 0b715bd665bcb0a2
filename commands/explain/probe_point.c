/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/explain/probe_point.h"

#include <stdlib.h>

bool probe_point_is_of_registers(const struct probe_point *point, const struct abi *abi)
{
	const struct trampoline_view *view = &point->view;

	return abi && abi->machine != ABI_I386 && !view->has_struct && !view->returns_struct &&
	       !view->has_float && !view->is_variadic && view->widest_bytes <= abi->word_bytes &&
	       view->parameters <= 8 && view->parameters <= abi->argument_register_count;
}

void probe_point_release(struct probe_point *point)
{
	for (size_t i = 0; i < point->parameters.count; i++) {
		free(point->parameters.data[i].type);
		free(point->parameters.data[i].found);
		array_release(&point->parameters.data[i].values);
		free(point->parameters.data[i].expected);
	}
	array_release(&point->parameters);
}

void probe_points_release(struct probe_points *points)
{
	for (size_t i = 0; i < points->count; i++)
		probe_point_release(&points->data[i]);
	array_release(points);
}
