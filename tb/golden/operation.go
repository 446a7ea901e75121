package golden

import "gornic/format"

// operation is what one kind of message does at either end of the wire. What
// no operation knows is refused: a WQE as a bad opcode, a packet with NAK 0x61.
type operation struct {
	kind     messageKind
	requests map[format.WROpcode]requestForm
	packets  []format.Opcode // those of requests
	// respond executes a packet whose PSN and place in the message are right. It
	// returns why it does not.
	respond func(*NIC, *queuePair, packet) *refusal
	// repeat answers a packet that came before. With nil, an ACK does; else respond
	// answers, too, and no ACK does.
	repeat func(*NIC, *queuePair, packet)
}

// messageKind tells messages of several packets apart: one of a kind must end
// before one of another begins (protocol section 3.5).
type messageKind uint8

const (
	noMessage messageKind = iota
	sendMessage
	writeMessage
	readMessage
	atomicMessage
)

// requestForm is how a send WQE becomes packets.
type requestForm struct {
	kind                      requestKind
	first, middle, last, only format.Opcode
	solicits                  bool // the last packet may carry SE: it consumes a receive WQE
	completion                format.WCOpcode

	// local executes what makes no packet. It returns what is wrong with it, and what
	// its completion says then.
	local   func(*NIC, *queuePair, sendWQE) format.VendorCode
	failure format.Status
}

// requestKind tells what a request is done by.
type requestKind uint8

const (
	payloadRequest requestKind = iota // SEND, WRITE: its packets, which an ACK of the last, or of a later one, completes
	readRequest                       // one packet, and the responses that it has PSNs for
	atomicRequest                     // one packet, and one response
	localRequest                      // no packet
)

// answered tells whether nothing but its own response completes a request.
func (f requestForm) answered() bool { return f.kind == readRequest || f.kind == atomicRequest }

// opcode is that of a packet by its place in the message.
func (f requestForm) opcode(first, last bool) format.Opcode {
	switch {
	case first && last:
		return f.only
	case first:
		return f.first
	case last:
		return f.last
	}
	return f.middle
}

// operations are all there are. A new one is a file and a line here.
var operations = []operation{sendOperation(), writeOperation(), readOperation(), atomicOperation(), localOperations()}

// byPacket is the operation of each opcode of a packet.
var byPacket = func() (table [256]*operation) {
	for i := range operations {
		for _, p := range operations[i].packets {
			table[p] = &operations[i]
		}
	}
	return table
}()

// operationOf returns the operation of a request packet, nil if the NIC has none.
func (n *NIC) operationOf(opcode format.Opcode) *operation {
	o := byPacket[opcode]
	if o != nil && o.kind == atomicMessage && n.config.NoAtomics {
		return nil
	}
	return o
}

// requestOf returns the form of a WQE's operation, false if the NIC has none.
func (n *NIC) requestOf(opcode uint64) (requestForm, bool) {
	for _, o := range operations {
		if form, ok := o.requests[format.WROpcode(opcode)]; ok && n.has(form.kind) {
			return form, true
		}
	}
	return requestForm{}, false
}

// has tells whether the NIC has requests of a kind.
func (n *NIC) has(kind requestKind) bool {
	switch kind {
	case atomicRequest:
		return !n.config.NoAtomics
	case localRequest:
		return !n.config.NoKeyRequests
	}
	return true
}
