/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Mutually recursive structs, second unit: the whole circle is complete here. Deduplication has
 * to see that the struct device of this unit is the one of device.c, although the bus it points
 * to was only declared there.
 */
#include "bus.h"
#include "device.h"
#include "driver.h"
#include "kernel.h"
#include "list.h"

__visible struct bus root_bus = { .name = "root" };

__visible int bus_attach(struct bus *bus, struct device *dev)
{
	struct driver *drv;

	list_add(&dev->node, &bus->devices);
	dev->bus = bus;
	for (drv = bus->drivers; drv; drv = drv->next)
		if (bus->match(dev, drv))
			return device_bind(dev, drv);
	return -1;
}
