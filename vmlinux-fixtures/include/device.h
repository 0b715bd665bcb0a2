/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Second of the circle bus.h - device.h - driver.h, see there. */
#ifndef FIXTURE_DEVICE_H
#define FIXTURE_DEVICE_H

#include "types.h"

struct bus;
struct driver;

struct device {
	struct list_head node;
	struct bus *bus;
	struct driver *driver;
	struct device *parent;
	void (*release)(struct device *dev);
	unsigned int bound : 1;
	unsigned int power : 3;
};

int device_bind(struct device *dev, struct driver *drv);
struct device *device_root(struct device *dev);

#endif
