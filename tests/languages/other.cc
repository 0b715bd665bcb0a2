// SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
struct base { virtual int f(); int x; };
int base::f() { return x; }
extern "C" int cpp_entry(base *b) { return b->f(); }
