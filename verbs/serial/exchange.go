package serial

import (
	"context"
	"fmt"
	"time"

	"gornic/format"
)

// Options are the options of a [Bus]. The zero value is good for a line of 115200 baud and more.
type Options struct {
	Timeout time.Duration // after which a request is repeated; 0: 200 ms, more than a frame takes and the line's own delays
	Tries   int           // of a request, before it is ErrTimeout; 0: 10
}

const (
	defaultTimeout = 200 * time.Millisecond
	defaultTries   = 10

	// A call notices the end of its context after at most so long.
	slice = 20 * time.Millisecond
)

// exchanger has one request at a time answered.
type exchanger struct {
	line  Line
	o     Options
	in    deframer
	bytes []byte // that were read together, those not yet looked at
	room  [256]byte

	seq  byte   // of the last request that was sent
	open []byte // the frame of a request to which there was no answer; nil: there is none
	op   format.SerialOp
	lost error // the session is over

	tries int // that the last request took
}

func newExchanger(l Line, o Options) *exchanger {
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	if o.Tries <= 0 {
		o.Tries = defaultTries
	}
	return &exchanger{line: l, o: o}
}

// answer is an answer of the board.
type answer struct {
	format.SerialAnswer[uint64]
	data []byte
}

// do has a request answered. One that was left open is brought to its end before, whatever that is.
func (x *exchanger) do(ctx context.Context, q format.SerialRequest[uint64], payload []byte) (answer, error) {
	if x.lost != nil {
		return answer{}, x.lost
	}
	if err := ctx.Err(); err != nil {
		return answer{}, err
	}
	if x.open != nil {
		if _, err := x.finish(ctx); err != nil {
			return answer{}, fmt.Errorf("serial: %w: %w", ErrNotSent, err)
		}
	}
	x.seq++
	q.Seq = uint64(x.seq)
	content, err := request(q, payload)
	if err != nil {
		return answer{}, err
	}
	x.open, x.op = frame(content), format.SerialOp(q.Op)
	return x.finish(ctx)
}

// finish sends the open request until it is answered.
func (x *exchanger) finish(ctx context.Context) (answer, error) {
	for x.tries = 1; x.tries <= x.o.Tries; x.tries++ {
		if _, err := x.line.Write(x.open); err != nil {
			return answer{}, fmt.Errorf("serial: line: %w", err)
		}
		content, err := x.receive(ctx)
		if err != nil {
			return answer{}, err
		}
		if content == nil {
			continue
		}
		x.open = nil
		return x.judge(content)
	}
	return answer{}, fmt.Errorf("serial: %v: %d tries: %w", x.op, x.o.Tries, ErrTimeout)
}

// mostNoise is how many bytes may come that are no answer before it counts as none.
const mostNoise = 8 * format.SerialMostBytes

// receive returns the content of the answer to the open request, nil if none came in time. Answers to others are passed over:
// they come of requests that were sent more than once.
func (x *exchanger) receive(ctx context.Context) ([]byte, error) {
	if err := x.line.SetReadTimeout(min(x.o.Timeout, slice)); err != nil {
		return nil, fmt.Errorf("serial: line: %w", err)
	}
	noise := 0
	for waited := time.Duration(0); waited < x.o.Timeout && noise < mostNoise; {
		for len(x.bytes) > 0 {
			b := x.bytes[0]
			x.bytes = x.bytes[1:]
			if content := x.in.take(b); content != nil && x.isAnswer(content) {
				return content, nil
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n, err := read(x.line, x.room[:])
		if err != nil {
			return nil, err
		}
		if n == 0 {
			waited += min(x.o.Timeout, slice)
		}
		noise += n
		x.bytes = x.room[:n]
	}
	return nil, nil
}

func (x *exchanger) isAnswer(content []byte) bool {
	return len(content) >= answerBytes && content[0] == byte(x.op)|format.SerialAnswers && content[1] == x.seq
}

// judge takes an answer apart.
func (x *exchanger) judge(content []byte) (answer, error) {
	h, err := format.DecodeHost[format.SerialAnswer[uint64]](content)
	if err != nil {
		return answer{}, fmt.Errorf("serial: %v: %w: %w", x.op, ErrProtocol, err)
	}
	a := answer{SerialAnswer: h, data: content[answerBytes:]}
	switch status := format.SerialStatus(h.Status); status {
	case format.SerialOK, format.SerialFault:
		return a, nil
	case format.SerialSequence:
		x.lost = fmt.Errorf("serial: %v: %w", x.op, ErrSession)
		return answer{}, x.lost
	default:
		return answer{}, fmt.Errorf("serial: %v: status %v: %w", x.op, status, ErrProtocol)
	}
}

// drain reads what somebody else has left on the line, until it is quiet.
func (x *exchanger) drain(ctx context.Context) error {
	if err := x.line.SetReadTimeout(slice); err != nil {
		return fmt.Errorf("serial: line: %w", err)
	}
	for range mostNoise {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := read(x.line, x.room[:])
		if n == 0 || err != nil {
			return err
		}
	}
	return fmt.Errorf("serial: the line is never quiet: %w", ErrProtocol)
}
