! SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
subroutine fortran_entry(x, n) bind(c)
  use iso_c_binding
  integer(c_int), value :: n
  real(c_double) :: x(n)
  x = x + 1
end subroutine
