// Package walk plays the walks of the design documents, such as "RDMA WRITE in
// three packets", on two cores in a simulator, and checks each of their steps as
// a fact: something that was seen.
//
//	r, err := walk.Run(ctx, walk.W1, walk.Options{Config: config, Simulator: verilator.Simulator})
//	for _, f := range r.Facts {
//		fmt.Println(f.Step, f.Fact, f.OK, f.Cycle, f.Seen)
//	}
//
// # What is seen
//
// Nothing is assumed: a fact rests on observations ([Seen]) of three kinds, in one
// [Log] by cycle.
//
//	hardware   trace events that the blocks declare beside their logic, such as
//	           replay.recorded (hdl's Module.Event)
//	wire       packets as they cross, taken apart by the reference's parser
//	host       what software posts and rings, and each access of a NIC to named
//	           places of memory: "reads send queue", "writes receive CQ"
//
// # Plays
//
// A walk consists of plays: runs that differ in one thing, such as a signaled and
// an unsignaled work request. A fact that holds "only if signaled" is checked in
// both, and so is one that says "if armed".
//
// # Order
//
// A check names what comes after what (reading.after), and what must not happen
// between (reading.never). What the documents tell in some order although it goes
// on at once, such as the packets of a message at both ends, is followed along its
// causes and not along the text. All clocks are one: cycles of both hosts compare.
//
// # To read the code
//
// Start with w1.go, a walk from its plays to its facts. What several walks check is in
// requester.go and responder.go, of READs in reader.go. fact.go has what checks are
// made of, want.go what is looked for, seen.go what there is. stage.go puts the hosts
// up, host.go and wire.go watch them, scene.go is one play, lend.go what B lends in
// some. docs/walks.md says how to add a fact.
package walk
