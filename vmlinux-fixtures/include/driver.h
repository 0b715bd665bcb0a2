/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Third of the circle bus.h - device.h - driver.h, see there. */
#ifndef FIXTURE_DRIVER_H
#define FIXTURE_DRIVER_H

struct bus;
struct device;

struct driver_ops {
	int (*probe)(struct device *dev);
	void (*remove)(struct device *dev);
	const struct driver_ops *fallback;
};

struct driver {
	struct bus *bus;
	struct driver *next;
	const struct driver_ops *ops;
	struct device *devices[4];
};

#endif
