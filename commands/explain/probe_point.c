/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/explain/probe_point.h"

#include <stdlib.h>

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
