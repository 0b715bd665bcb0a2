/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * bus.h, device.h and driver.h define three structs that refer to each other in a circle, each of
 * them forward declaring the other two. Which are complete differs from unit to unit.
 */
#ifndef FIXTURE_BUS_H
#define FIXTURE_BUS_H

#include "types.h"

struct device;
struct driver;

struct bus {
	const char *name;
	struct list_head devices;
	struct driver *drivers;
	int (*match)(struct device *dev, struct driver *drv);
	struct bus *parent;
};

int bus_attach(struct bus *bus, struct device *dev);

#endif
