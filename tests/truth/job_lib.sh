# shellcheck shell=sh disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Shared by tests/truth/job.sh and tests/sites/job.sh. They set $here, the directory of the job, and
# define failed STEP.

# As a kernel is built, but for the registers that floats need and the addresses.
# shellcheck disable=SC2034 # for those who source this
kernel_flags='-std=gnu11 -w -ffreestanding -fno-pie -fno-stack-protector -fno-strict-aliasing
	-fno-asynchronous-unwind-tables -fno-common -fno-jump-tables -fno-plt
	-fno-delete-null-pointer-checks'

# last_words: the end of the log, for a line of the result
last_words()
{
	tail -n 1 "$here/log" | tr '\t' ' '
}

# traced STATUS: did the tracer come to its end? 77: it may not trace here.
traced()
{
	case $1 in
	0) return ;;
	77) failed untraceable ;;
	*) failed trace ;;
	esac
	return 1
}
