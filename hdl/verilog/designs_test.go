package verilog_test

import (
	"fmt"

	"gornic/hdl"
)

// RRArbiterIO are the ports of an arbiter.
type RRArbiterIO struct {
	Req   hdl.Bits `hdl:"in"`
	Take  hdl.Bits `hdl:"in" w:"1"`
	Grant hdl.Bits `hdl:"out"`
}

// RRArbiter grants one of n requests per cycle.
func RRArbiter(n int) hdl.Def[RRArbiterIO] {
	return hdl.Def[RRArbiterIO]{
		Name: fmt.Sprintf("rr_arbiter_%d", n),
		Doc:  "Grants one of several requests per cycle. The port after the one that was last taken has priority.",
		IO:   RRArbiterIO{Req: hdl.W(n), Grant: hdl.W(n)},
		Body: func(m *hdl.Module, io *RRArbiterIO) {
			after := m.Reg("after", n, 0) // ports above the last one taken

			high := io.Req.And(after)
			pick := hdl.Mux(high.Any(), high, io.Req)
			grant := pick.And(pick.Not().AddK(1)) // lowest set bit

			io.Grant.Set(grant)
			m.If(io.Take.And(grant.Any()), func() {
				after.Set(grant.Or(grant.SubK(1)).Not())
			})

			m.Assert("one_hot", grant.And(grant.SubK(1)).Is(0))
			m.Assert("granted_was_requested", grant.And(io.Req.Not()).Is(0))
			m.Assert("work_conserving", io.Req.Any().Eq(grant.Any()))
			m.Cover("top_port", grant.MSB())
		},
	}
}

type psnRequest struct {
	QP  hdl.Bits
	PSN hdl.Bits `w:"24"`
}

type psnVerdict struct {
	InOrder   hdl.Bits `w:"1"`
	Duplicate hdl.Bits `w:"1"`
	Gap       hdl.Bits `w:"1"`
}

// PSNCheckIO are the ports of a sequence checker.
type PSNCheckIO struct {
	Valid   hdl.Bits   `hdl:"in" w:"1"`
	Req     psnRequest `hdl:"in"`
	Verdict psnVerdict `hdl:"out"`
}

// PSNCheck checks packet sequence numbers against a table in block RAM.
func PSNCheck(qps int) hdl.Def[PSNCheckIO] {
	qp := hdl.W(4)
	return hdl.Def[PSNCheckIO]{
		Name: "psn_check",
		Doc:  "Checks the packet sequence number of each request against a table of what is expected.",
		IO:   PSNCheckIO{Req: psnRequest{QP: qp}},
		Body: func(m *hdl.Module, io *PSNCheckIO) {
			table := m.RAM("psns", qps, 24, hdl.ReadOld) // the next PSN of each QP

			// Stage 1: the request waits for the table.
			req := hdl.NewReg(m, "s1", psnRequest{QP: qp})
			busy := m.Reg("s1_valid", 1, 0)
			hdl.Set(req, io.Req)
			busy.Set(io.Valid)
			stored := table.Read("stored", io.Req.QP, io.Valid)

			// The table answers with the state before the previous request: a
			// request that follows one of the same QP uses its result.
			last := m.Reg("last", 24, 0)
			fresh := m.Reg("fresh", 1, 0)
			expected := hdl.Mux(fresh, last, stored)

			// Stage 2: compare modulo 2^24, advance on the expected packet.
			ahead := req.PSN.Sub(expected)
			inOrder := ahead.Is(0)
			next := expected.Add(inOrder.ZExt(24))
			fresh.Set(busy.And(io.Req.QP.Eq(req.QP)))
			last.Set(next)
			table.Write(req.QP, busy.And(inOrder), next)

			io.Verdict.InOrder.Set(inOrder)
			io.Verdict.Duplicate.Set(ahead.MSB())
			io.Verdict.Gap.Set(ahead.MSB().Not().And(ahead.Any()))

			before := m.Past("earlier", last)
			m.Assert("never_back", last.Sub(before).MSB().Not())
		},
	}
}

type state int

const (
	stHeader state = iota
	stPayload
	stDrain
)

func (s state) String() string { return [...]string{"Header", "Payload", "Drain"}[s] }

var opcodes = &hdl.Enum{Name: "opcode", Values: []hdl.EnumValue{
	{Value: 0, Name: "SEND First"}, {Value: 4, Name: "SEND Only"}, {Value: 17, Name: "Acknowledge"},
}}

type beat struct {
	Data hdl.Bits
	Last hdl.Bits `w:"1"`
}

type header struct {
	Opcode hdl.Bits `w:"8"`
	DestQP hdl.Bits `w:"24"`
	PSN    hdl.Bits `w:"24"`
	Rest   hdl.Bits `w:"8"`
}

// FramerIO are the ports of a framer.
type FramerIO struct {
	In   hdl.Stream[beat] `hdl:"in"`
	Meta struct {
		Opcode hdl.Bits
		DestQP hdl.Bits `w:"24"`
	} `hdl:"out"`
	Out   hdl.Stream[beat] `hdl:"out"`
	Acks  hdl.Bits         `hdl:"out" w:"16"`
	Parts hdl.Bits         `hdl:"out" w:"3"`
}

// Framer cuts the header off a packet.
func Framer(width int) hdl.Def[FramerIO] {
	b := beat{Data: hdl.W(width)}
	io := FramerIO{In: hdl.Stream[beat]{Data: b}, Out: hdl.Stream[beat]{Data: b}}
	io.Meta.Opcode = hdl.W(8).Named(opcodes)
	return hdl.Def[FramerIO]{
		Name: fmt.Sprintf("framer_%d", width),
		Doc:  "Cuts the header off a packet and passes the payload on.",
		IO:   io,
		Body: func(m *hdl.Module, io *FramerIO) {
			st := hdl.NewFSM(m, "st", stHeader, stPayload, stDrain)
			opcode := hdl.NewReg(m, "opcode", hdl.W(8).Named(opcodes))
			acks := m.Reg("ack_count", 16, 0)
			dest := m.RegN("dest", 24)

			bth := hdl.Unpack(header{}, io.In.Data.Data.Trunc(64))

			io.Out.Valid.SetK(0)
			io.Out.Data.Data.Set(io.In.Data.Data)
			io.Out.Data.Last.Set(io.In.Data.Last)
			io.In.Ready.SetK(1)
			st.Switch(
				hdl.On(stHeader, func() {
					m.If(io.In.Fire(), func() {
						opcode.Set(bth.Opcode)
						dest.Set(bth.DestQP)
						m.If(bth.Opcode.Is(17), func() {
							acks.Set(acks.AddK(1))
							st.Goto(stDrain)
						}).ElseIf(io.In.Data.Last.Not().And(bth.PSN.Any()), func() {
							st.Goto(stPayload)
						})
					})
				}),
				// The payload goes on as it is.
				hdl.On(stPayload, func() {
					io.Out.Valid.Set(io.In.Valid)
					io.In.Ready.Set(io.Out.Ready)
					m.If(io.In.Fire().And(io.In.Data.Last), func() { st.Goto(stHeader) })
				}),
				hdl.On(stDrain, func() {
					m.If(io.In.Fire().And(io.In.Data.Last), func() { st.Goto(stHeader) })
				}),
			)
			io.Meta.Opcode.Set(opcode)
			io.Meta.DestQP.Set(dest)
			io.Acks.Set(acks)

			parts := make([]hdl.Bits, 3)
			for i := range parts {
				parts[i] = io.In.Data.Data.Byte(i).Add(io.In.Data.Data.Byte(i + 1)).Any()
			}
			io.Parts.Set(hdl.Cat(parts...))
			m.Unused(bth.Rest)
			m.Assert("ack_drains", opcode.Is(17).Not().Or(st.Is(stPayload).Not()))
		},
	}
}
