package serial

import (
	"encoding/binary"
	"hash/crc32"

	"gornic/format"
)

// Bus is what accesses reach; false: nothing answers there.
type Bus interface {
	ReadRegister(addr uint32) (uint32, bool)
	WriteRegister(addr, value uint32) bool
	ReadWord(addr uint32) (uint64, bool)
	WriteWord(addr uint32, value uint64, strobe uint8) bool
}

// Reference is the bridge in plain Go.
type Reference struct {
	Bus                            Bus
	Framing, Bad, Repeats, Refused int

	frame            []byte
	escaped, damaged bool
	session          bool
	seq              byte
	kept             []byte // the frame that answered seq
}

// Byte takes a byte from the line, a bad one if it has no stop bit, and returns the answer to
// the request that it ends, framed; nil where there is none.
func (r *Reference) Byte(b byte, bad bool) []byte {
	switch {
	case bad:
		r.Framing++
		r.damaged = true
	case b == format.SerialEnd:
		frame, wrong, something := r.frame, r.damaged || r.escaped, len(r.frame) > 0 || r.damaged || r.escaped
		r.frame, r.escaped, r.damaged = nil, false, false
		if !something {
			return nil
		}
		if n := len(frame) - 4; wrong || n < 9 || len(frame) > format.SerialMostBytes || crc32.ChecksumIEEE(frame[:n]) != binary.LittleEndian.Uint32(frame[n:]) {
			r.Bad++
			return nil
		}
		return r.answer(frame[:len(frame)-4])
	case r.escaped:
		r.escaped = false
		switch b {
		case format.SerialEscEnd:
			r.frame = append(r.frame, format.SerialEnd)
		case format.SerialEscEsc:
			r.frame = append(r.frame, format.SerialEscape)
		default:
			r.damaged = true
		}
	case b == format.SerialEscape:
		r.escaped = true
	default:
		r.frame = append(r.frame, b)
	}
	return nil
}

// Next is the number that the next request has to have.
func (r *Reference) Next() byte { return r.seq + 1 }

// answer executes a request, or answers it again.
func (r *Reference) answer(request []byte) []byte {
	q, payload := request[:9], request[9:]
	op, seq, words := format.SerialOp(q[0]), q[1], int(q[2])
	head := func(status format.SerialStatus, words int) []byte {
		return []byte{q[0] | format.SerialAnswers, seq, byte(status), byte(words)}
	}
	good := wellFormed(op, words, binary.LittleEndian.Uint32(q[5:]), len(payload))
	switch {
	case op == format.SerialIdentify && good:
		r.session = true
		data := binary.LittleEndian.AppendUint32(head(format.SerialOK, 1), format.SerialID)
		r.seq, r.kept = seq, Frame(append(data, format.SerialVersionMinor, format.SerialVersionMajor, format.SerialWords, 0))
	case r.session && seq == r.seq:
		r.Repeats++
	case !r.session || seq != r.seq+1:
		r.Refused++
		return Frame(head(format.SerialSequence, 0))
	case !good:
		r.Refused++
		r.seq, r.kept = seq, Frame(head(format.SerialBad, 0))
	default:
		data, done, ok := r.execute(op, words, q[3], q[4], binary.LittleEndian.Uint32(q[5:]), payload)
		status := format.SerialOK
		if !ok {
			status = format.SerialFault
		}
		r.seq, r.kept = seq, Frame(append(head(status, done), data...))
	}
	return r.kept
}

// wordBytes is the size of a word of an operation.
func wordBytes(op format.SerialOp) int {
	switch op {
	case format.SerialReadMemory, format.SerialWriteMemory, format.SerialModifyMemory:
		return 8
	}
	return 4
}

// wellFormed tells whether a request is one.
func wellFormed(op format.SerialOp, words int, addr uint32, payload int) bool {
	size := wordBytes(op)
	some := words >= 1 && words <= format.SerialWords && addr%uint32(size) == 0
	switch op {
	case format.SerialIdentify:
		return words == 1 && payload == 0 && addr%4 == 0
	case format.SerialReadRegisters, format.SerialReadMemory:
		return some && payload == 0
	case format.SerialWriteRegisters, format.SerialWriteMemory:
		return some && payload == words*size
	case format.SerialModifyRegister, format.SerialModifyMemory:
		return some && words == 1 && payload == 2*size
	}
	return false
}

// execute makes the accesses of a request, up to the first without an answer. It returns what was read, and how many
// words were done.
func (r *Reference) execute(op format.SerialOp, words int, first, last byte, addr uint32, payload []byte) (data []byte, done int, ok bool) {
	le := binary.LittleEndian
	for i := range words {
		at, strobe := addr+uint32(i*wordBytes(op)), byte(0xFF)
		if i == 0 {
			strobe = first
		} else if i == words-1 {
			strobe = last
		}
		switch op {
		case format.SerialReadRegisters:
			var v uint32
			v, ok = r.Bus.ReadRegister(at)
			if ok {
				data = le.AppendUint32(data, v)
			}
		case format.SerialReadMemory:
			var v uint64
			v, ok = r.Bus.ReadWord(at)
			if ok {
				data = le.AppendUint64(data, v)
			}
		case format.SerialWriteRegisters:
			ok = r.Bus.WriteRegister(at, le.Uint32(payload[4*i:]))
		case format.SerialWriteMemory:
			ok = r.Bus.WriteWord(at, le.Uint64(payload[8*i:]), strobe)
		case format.SerialModifyRegister:
			var v uint32
			if v, ok = r.Bus.ReadRegister(at); ok {
				mask := le.Uint32(payload)
				if ok = r.Bus.WriteRegister(at, v&^mask|le.Uint32(payload[4:])&mask); ok {
					data = le.AppendUint32(data, v)
				}
			}
		case format.SerialModifyMemory:
			var v uint64
			if v, ok = r.Bus.ReadWord(at); ok {
				mask := le.Uint64(payload)
				if ok = r.Bus.WriteWord(at, v&^mask|le.Uint64(payload[8:])&mask, 0xFF); ok {
					data = le.AppendUint64(data, v)
				}
			}
		}
		if !ok {
			return data, i, false
		}
	}
	return data, words, true
}

// Frame puts a CRC behind content, and all that between delimiters.
func Frame(content []byte) []byte {
	content = binary.LittleEndian.AppendUint32(content[:len(content):len(content)], crc32.ChecksumIEEE(content))
	out := []byte{format.SerialEnd}
	for _, b := range content {
		switch b {
		case format.SerialEnd:
			out = append(out, format.SerialEscape, format.SerialEscEnd)
		case format.SerialEscape:
			out = append(out, format.SerialEscape, format.SerialEscEsc)
		default:
			out = append(out, b)
		}
	}
	return append(out, format.SerialEnd)
}
