#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# usage: TEST_PROGRAMS=DIR FIXTURES=DIR fuzz.sh [OPTION]...
#
# Runs fuzz_mutate of TEST_PROGRAMS, best built with sanitizers, on every FIXTURES/*/vmlinux.
# OPTIONs are passed on: "-s 7" for other damage, "-f 20000" for more (see tests/fuzz_mutate.c).
# Exit status: 0 all well, 1 some case failed or no fixture exists.
set -u

# An absurd size in a damaged file is refused, not a finding.
ASAN_OPTIONS=allocator_may_return_null=1${ASAN_OPTIONS:+:$ASAN_OPTIONS}
export ASAN_OPTIONS

set -- "$@" "$FIXTURES"/*/vmlinux
for last in "$@"; do :; done
if [ ! -r "$last" ]; then
	echo "fuzz.sh: no fixtures in $FIXTURES; make fixtures builds them"
	exit 1
fi
exec "$TEST_PROGRAMS/fuzz_mutate" "$@"
