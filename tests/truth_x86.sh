#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
machines='x86-64'
. tests/lib_truth.sh
