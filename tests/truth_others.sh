#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Is a FUNC true? tests/lib_truth.sh, with programs of s390x, ppc64le and riscv64.
. tests/lib.sh

machines='s390x ppc64le riscv64'
. tests/lib_truth.sh
