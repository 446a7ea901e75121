package serial

import (
	"gornic/format"
	"gornic/fpga/blocks/port"
	"gornic/hdl"
)

// kind is what the operation of a request is.
type kind struct {
	Identify, Write, Modify hdl.Bits // if none of these, it reads
	Memory                  hdl.Bits // words have 64 bits
}

// isOp returns one bit: op is one of the operations.
func isOp(op hdl.Bits, ops ...format.SerialOp) hdl.Bits {
	found := hdl.K(1, 0)
	for _, o := range ops {
		found = found.Or(op.Is(uint64(o)))
	}
	return found
}

func kindOf(op hdl.Bits) kind {
	is := func(ops ...format.SerialOp) hdl.Bits { return isOp(op, ops...) }
	return kind{
		Identify: is(format.SerialIdentify),
		Write:    is(format.SerialWriteRegisters, format.SerialWriteMemory),
		Modify:   is(format.SerialModifyRegister, format.SerialModifyMemory),
		Memory:   is(format.SerialReadMemory, format.SerialWriteMemory, format.SerialModifyMemory),
	}
}

// answer is the header of an answer, and how many bytes of the RAM follow it.
type answer struct {
	Header hdl.Bits // format.SerialAnswer
	Bytes  hdl.Bits
}

// run executes requests, word by word, and answers them.
func (b *bridge) run() {
	e := newExecution(b)
	m := b.m
	b.step.Switch(
		hdl.On(idle, func() { m.If(b.ends, func() { b.step.Goto(looks) }) }),
		hdl.On(looks, func() {
			e.look()
			b.step.Goto(decides)
		}),
		hdl.On(decides, e.decide),
		hdl.On(fetches, e.fetch),
		hdl.On(asks, func() { m.If(b.io.Client.Access.Ready, func() { b.step.Goto(waits) }) }),
		hdl.On(waits, e.replied),
		hdl.On(stores, e.store),
		hdl.On(merges, e.merge),
		hdl.On(wordEnds, e.endWord),
		hdl.On(starts, e.start),
		hdl.On(headers, e.sendHeader),
		hdl.On(data, e.sendData),
		hdl.On(checks, e.sendCRC),
		hdl.On(finishes, e.finish),
	)
	e.access()
	e.readBytes()
	e.line()
}

// execution is the request under way and what is kept of the one before.
type execution struct {
	*bridge
	kind    kind     // of the request, a cycle after it is there
	fits    hdl.Bits // its fields are in range, but for its length
	expects hdl.Bits // bytes that such a request has

	session hdl.Bits // there was a SerialIdentify
	kept    answer   // to the last request that was executed
	keptSeq hdl.Bits // its number
	next    hdl.Bits // the number to come
	reply   answer   // the present one

	index   hdl.Bits // words done
	addr    hdl.Bits // of the word
	at      hdl.Bits // next byte of the payload
	stored  hdl.Bits // bytes of the answer's payload
	left    hdl.Bits // bytes of the word, or of a part of the answer, to come, less one
	word    hdl.Bits // that was read: the next byte lowest
	operand hdl.Bits // that is to be written: the last byte topmost
	mask    hdl.Bits // of a byte that is modified
	masked  hdl.Bits // it is here
	writes  hdl.Bits // the access writes
	asked   hdl.Bits // a byte of the RAM has been asked for, and not used

	sends    hdl.Bits // a byte waits for the line
	sending  hdl.Bits // this one
	escaping hdl.Bits // it is the first of two
}

// byteCount is the width of the count of a request's bytes.
const byteCount = areaBits

func newExecution(b *bridge) *execution {
	m := b.m
	bit := func(name string) hdl.Bits { return m.RegN(name, 1) }
	proto := answer{Header: hdl.W(8 * answerBytes), Bytes: hdl.W(byteCount)}
	return &execution{
		bridge: b,
		kind:   kind{Identify: bit("identifies"), Write: bit("is_write"), Modify: bit("modifies"), Memory: bit("of_memory")},
		fits:   bit("fits"), expects: m.RegN("expects", byteCount),
		session: m.Reg("session", 1, 0), kept: hdl.NewReg(m, "kept", proto), keptSeq: m.RegN("kept_seq", 8), next: m.RegN("next_seq", 8),
		reply: hdl.NewReg(m, "reply", proto),
		index: m.RegN("index", 7), addr: m.RegN("addr", 32), at: m.RegN("payload_at", areaBits), stored: m.RegN("stored", areaBits),
		left: m.RegN("left", 3), word: m.RegN("word", 64), operand: m.RegN("operand", 64),
		mask: m.RegN("mask", 8), masked: m.Reg("mask_is_here", 1, 0), writes: m.RegN("writes", 1), asked: m.Reg("byte_asked", 1, 0),
		sends: m.Reg("sends", 1, 0), sending: m.RegN("sending", 8), escaping: m.Reg("escaping", 1, 0),
	}
}

// look judges the fields of the request one by one.
func (e *execution) look() {
	q := e.request
	k := kindOf(q.Op)
	hdl.Set(e.kind, k)
	size := hdl.Mux(k.Memory, q.Words.ZExt(byteCount).ShlK(3), q.Words.ZExt(byteCount).ShlK(2))
	pair := hdl.Mux(k.Memory, hdl.K(byteCount, 16), hdl.K(byteCount, 8))
	payload := hdl.Mux(k.Write, size, hdl.Mux(k.Modify, pair, hdl.K(byteCount, 0)))
	e.expects.Set(payload.AddK(uint64(requestBytes + crcBytes)))

	reads := isOp(q.Op, format.SerialReadRegisters, format.SerialReadMemory)
	some := q.Words.Any().And(q.Words.LeK(format.SerialWords))
	words := hdl.OrAll(k.Identify.Or(k.Modify).And(q.Words.Is(1)), reads.Or(k.Write).And(some))
	aligned := q.Addr.Trunc(2).None().And(k.Memory.Not().Or(q.Addr.Bit(2).Not()))
	e.fits.Set(words.And(aligned))
}

// header is that of an answer to the request.
func (e *execution) header(status format.SerialStatus, words hdl.Bits) hdl.Bits {
	return hdl.PackLow(format.SerialAnswer[hdl.Bits]{
		Op: e.request.Op.Or(hdl.K(8, format.SerialAnswers)), Seq: e.request.Seq, Status: hdl.K(8, uint64(status)), Words: words.ZExt(8),
	})
}

// decide executes a request, answers it again, or refuses it.
func (e *execution) decide() {
	m, seq := e.m, e.request.Seq
	good := e.fits.And(e.expects.Eq(e.size))
	e.index.SetK(0)
	e.stored.SetK(0)
	e.at.SetK(0)
	e.addr.Set(e.request.Addr)
	m.If(good.And(e.kind.Identify), func() {
		e.session.SetK(1)
		e.identify()
	}).ElseIf(e.session.And(seq.Eq(e.keptSeq)), func() {
		e.repeats.SetK(1)
		hdl.Set(e.reply, e.kept)
		e.step.Goto(starts)
	}).ElseIf(e.session.Not().Or(seq.Ne(e.next)), func() {
		e.refused.SetK(1)
		hdl.Set(e.reply, answer{Header: e.header(format.SerialSequence, hdl.K(8, 0)), Bytes: hdl.K(byteCount, 0)})
		e.step.Goto(starts)
	}).ElseIf(good.Not(), func() {
		e.refused.SetK(1)
		e.keep(e.header(format.SerialBad, hdl.K(8, 0)), hdl.K(byteCount, 0))
		e.step.Goto(starts)
	}).Else(func() { e.begin() })
}

// keep has the present request answered so, and remembers it.
func (e *execution) keep(header, bytes hdl.Bits) {
	a := answer{Header: header, Bytes: bytes}
	hdl.Set(e.reply, a)
	hdl.Set(e.kept, a)
	e.keptSeq.Set(e.request.Seq)
	e.next.Set(e.request.Seq.AddK(1))
}

// begin goes to the first step of a word.
func (e *execution) begin() {
	e.left.Set(e.lastByte())
	e.writes.Set(e.kind.Write)
	e.m.If(e.kind.Write, func() { e.step.Goto(fetches) }).Else(func() { e.step.Goto(asks) })
}

// identify has the word stored that SerialIdentify reads.
func (e *execution) identify() {
	identity := hdl.PackLow(format.SerialIdentity[hdl.Bits]{
		ID: hdl.K(32, format.SerialID), Minor: hdl.K(8, format.SerialVersionMinor), Major: hdl.K(8, format.SerialVersionMajor),
		Words: hdl.K(16, format.SerialWords),
	})
	e.word.Set(identity)
	e.left.SetK(7)
	e.step.Goto(stores)
}

// lastByte is the index of a word's last byte.
func (e *execution) lastByte() hdl.Bits { return hdl.Mux(e.kind.Memory, hdl.K(3, 7), hdl.K(3, 3)) }

// lastWord returns one bit: the present word is the last.
func (e *execution) lastWord() hdl.Bits { return e.index.AddK(1).ZExt(8).Eq(e.request.Words) }

// access is the access of the present word.
func (e *execution) access() {
	client := e.io.Client
	whole := hdl.Ones(8)
	ends := hdl.Mux(e.index.None(), e.request.First, hdl.Mux(e.lastWord(), e.request.Last, whole))
	client.Access.Valid.Set(e.step.Is(asks))
	hdl.Set(client.Access.Data, port.Access{
		Write: e.writes, Memory: e.kind.Memory, Addr: e.addr.ZExt(64), Strobe: hdl.Mux(e.kind.Write, ends, whole),
		Data: hdl.Mux(e.kind.Memory, e.operand, e.operand.Slice(63, 32).ZExt(64)), // the bytes came in at the top
	})
	client.Reply.Ready.Set(e.step.Is(waits))
}

// replied takes the reply to an access.
func (e *execution) replied() {
	m, reply := e.m, e.io.Client.Reply
	m.If(reply.Valid, func() {
		e.word.Set(reply.Data.Data)
		m.If(reply.Data.Fault, func() {
			e.keep(e.header(format.SerialFault, e.index), hdl.Mux(e.kind.Modify, hdl.K(byteCount, 0), e.stored))
			e.step.Goto(starts)
		}).ElseIf(e.writes, func() { e.step.Goto(wordEnds) }).
			ElseIf(e.kind.Modify, func() { e.step.Goto(merges) }).
			Else(func() { e.step.Goto(stores) })
	})
}

// endWord goes on to the next word, or to the answer.
func (e *execution) endWord() {
	e.index.Set(e.index.AddK(1))
	e.addr.Set(e.addr.Add(hdl.Mux(e.kind.Memory, hdl.K(32, 8), hdl.K(32, 4))))
	e.m.If(e.lastWord(), func() {
		e.keep(e.header(format.SerialOK, e.request.Words), e.stored)
		e.step.Goto(starts)
	}).Else(e.begin)
}
