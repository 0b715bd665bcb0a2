#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Is a FUNC true? tests/lib_truth.sh, with programs of ppc64le.
. tests/lib.sh

machines='ppc64le'
. tests/lib_truth.sh
