/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Mutually recursive structs, first unit: struct device and struct driver are complete here,
 * struct bus is only declared.
 */
#include "device.h"
#include "driver.h"
#include "kernel.h"
#include "list.h"

__visible int device_bind(struct device *dev, struct driver *drv)
{
	dev->driver = drv;
	dev->bound = 1;
	dev->power = 5;
	return drv->ops->probe(dev);
}

__visible struct device *device_root(struct device *dev)
{
	while (dev->parent)
		dev = dev->parent;
	return dev;
}

__visible void device_forget(struct list_head *node)
{
	struct device *dev = container_of(node, struct device, node);

	list_del(&dev->node);
	dev->release(dev);
}
