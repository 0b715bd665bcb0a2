-- SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
function Other (X : Integer) return Integer is
   type Pair is record A : Integer range 0 .. 7; B : Boolean; end record;
   P : Pair := (X mod 8, True);
begin
   return (if P.B then P.A else 0);
end Other;
