// Package coverage counts the packets that crossed the wire at the ends of a core: of each
// opcode those that it sent and those that it received, and how many of them were part
// of a message of several packets, had no bytes, had an immediate or a key to invalidate, or asked for a
// solicited event.
//
// Start with [Table], hang its [Table.Tap] on a wire between two NICs, or tell a
// [Watch] what one NIC sends and receives. [Table.Holes] are the cells that the protocol allows
// and nothing was seen of; [Table.Write] is the table for people.
//
//	cells.go   which cells there are, and why others cannot be
//	table.go   the counts
//	watch.go   what a packet counts as
//	write.go   Markdown
package coverage
