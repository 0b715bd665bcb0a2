#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Is a FUNC true? tests/lib_truth.sh, with programs of s390x.
. tests/lib.sh

machines='s390x'
. tests/lib_truth.sh
