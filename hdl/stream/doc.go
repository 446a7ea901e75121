// Package stream is the set of parts that most designs put between their
// blocks: slices, FIFOs, forks, joins, routers, arbiters, width converters,
// realigners, credits and clock crossings, with the contracts of streams as
// properties.
//
// # Using a part
//
// Each part has two forms. The function with the part's name puts an instance
// into a module and returns the stream that leaves it:
//
//	out := stream.FIFO(m, "u_fifo", in, 16)
//
// The function whose name ends in Def returns the module itself, for a design
// that wants its other ports, or the part alone:
//
//	q := hdl.Instance(m, "u_fifo", stream.FIFODef(in.Data, 16))
//	hdl.Connect(q.In, in)
//	level := q.Level
//
// Parts are generic: a payload is any bundle, and the fields keep their names
// in the Verilog. A payload with a method IsLast() hdl.Bits is framed, such as
// [Beat]: arbiters and routers then keep frames whole.
//
// # What a part promises
//
// The rules of a stream are those of [hdl.Stream]: a payload moves where valid
// and ready are both one; valid, once raised, stays with its payload until
// ready; no valid waits for its ready. Every part assumes them of its inputs
// and asserts them of its outputs ([AssumeSource], [AssertSource]), and frames
// besides follow the rules of [Beat] ([AssumeFrame], [AssertFrame]). The
// functions that make no module, [Gate], [Filter], [Map], [Offer] and [Discard], assume
// nothing of their inputs: whoever makes the stream asserts its rules. The
// comment of each part says what it guarantees, its latency (cycles from a
// payload in to the same one out), its throughput and its cost in flip-flops.
//
// The properties stand beside the logic. [Proofs] lists small instances of all
// parts on which they are proved for every length of time.
package stream
