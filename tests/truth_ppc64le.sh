#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
machines='ppc64le'
. tests/lib_truth.sh
