#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
machines='arm64'
. tests/lib_truth.sh
