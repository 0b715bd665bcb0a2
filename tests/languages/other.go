// SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
package other
type Node struct {
	next  *Node
	names map[string][]Node
	run   func(n Node) (int, error)
	any   interface{ Do(x int8) string }
}
type Loop []Loop
type Call func(Call) Call
func Sum(n *Node, l Loop, f Call, s string) (total int) {
	for ; n != nil; n = n.next {
		total += len(n.names) + len(l) + len(s)
	}
	return total
}
