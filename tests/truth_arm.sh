#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
machines='arm'
. tests/lib_truth.sh
