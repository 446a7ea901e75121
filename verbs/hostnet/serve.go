package hostnet

import "gornic/format"

// keptRequests is how many requests back one may be repeated: the most that a board has under way.
const keptRequests = 64

// server does the requests of a board, each once and in order.
type server struct {
	memory  Memory
	session uint32
	served  uint64                             // requests so far: the number of the next one, in its low half
	kept    [keptRequests]format.HostnetStatus // of those before it
	written uint64                             // writes and interrupts so far: what Wait waits for
	out     []byte
}

// serve does a request and returns its answer, which is valid until the next call; nil if it gets none: it is of another session, not what
// a board asks for, or one before it has not come.
func (s *server) serve(h header, data []byte) []byte {
	if h.Session != s.session {
		return nil
	}
	switch h.Op {
	case format.HostnetRead, format.HostnetWrite:
		if h.Words == 0 {
			return nil
		}
	case format.HostnetInterrupt:
	default:
		return nil
	}
	behind := uint64(uint32(s.served) - h.Seq) // 0: it is the next one
	if behind > min(keptRequests, s.served) {
		return nil
	}
	kept := &s.kept[h.Seq%keptRequests]
	s.out = append(s.out[:0], make([]byte, headerBytes)...)
	switch {
	case h.Op == format.HostnetRead: // again, too: the words are not kept
		*kept = s.read(h)
	case behind == 0 && h.Op == format.HostnetWrite:
		*kept = s.write(h, data)
		s.written++
	case behind == 0:
		*kept = format.HostnetOK
		s.written++
	}
	if behind == 0 {
		s.served++
	}
	answer := header{Session: h.Session, Seq: h.Seq, Answer: true, Op: h.Op, Status: *kept, Words: (len(s.out) - headerBytes) / wordBytes}
	answer.append(s.out[:0])
	return s.out
}

// read appends the words that are asked for.
func (s *server) read(h header) format.HostnetStatus {
	s.out = append(s.out, make([]byte, h.Words*wordBytes)...)
	if s.memory.Read(h.Addr, s.out[headerBytes:]) != nil {
		s.out = s.out[:headerBytes]
		return format.HostnetFault
	}
	return format.HostnetOK
}

// write writes each run of bytes that is to be written.
func (s *server) write(h header, data []byte) format.HostnetStatus {
	enabled := func(i int) bool {
		switch i / wordBytes {
		case 0:
			return h.First>>(i%wordBytes)&1 != 0
		case h.Words - 1:
			return h.Last>>(i%wordBytes)&1 != 0
		}
		return true
	}
	for i := 0; i < len(data); {
		if !enabled(i) {
			i++
			continue
		}
		end := i + 1
		for end < len(data) && enabled(end) {
			end++
		}
		if s.memory.Write(h.Addr+uint64(i), data[i:end]) != nil {
			return format.HostnetFault
		}
		i = end
	}
	return format.HostnetOK
}
