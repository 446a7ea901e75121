package sim

import (
	"bufio"
	"encoding/binary"
	"encoding/gob"
	"io"
)

// A wire carries messages in gob, and bulk words after them as plain bytes:
// gob takes numbers one by one.
type wire struct {
	w    *bufio.Writer
	r    *bufio.Reader
	to   *gob.Encoder
	from *gob.Decoder
}

func newWire(r io.Reader, w io.Writer) *wire {
	c := &wire{w: bufio.NewWriterSize(w, 1<<16), r: bufio.NewReaderSize(r, 1<<16)}
	c.to, c.from = gob.NewEncoder(c.w), gob.NewDecoder(c.r) // reads no further than a message, as c.r reads bytes
	return c
}

// send writes a message and the words that go with it.
func (c *wire) send(message any, bulk [][]uint64) error {
	if err := c.to.Encode(message); err != nil {
		return err
	}
	for _, words := range bulk {
		if err := c.writeWords(words); err != nil {
			return err
		}
	}
	return c.w.Flush()
}

// receive reads a message, and then the words that go with it into the places
// that bulk names.
func (c *wire) receive(message any, bulk func() []*[]uint64) error {
	if err := c.from.Decode(message); err != nil || bulk == nil {
		return err
	}
	for _, at := range bulk() {
		words, err := c.readWords()
		if err != nil {
			return err
		}
		*at = words
	}
	return nil
}

func (c *wire) sendCalls(calls []call) error {
	bulk := make([][]uint64, len(calls))
	for i := range calls {
		bulk[i], calls[i].Words = calls[i].Words, nil
	}
	return c.send(calls, bulk)
}

func (c *wire) receiveCalls() ([]call, error) {
	var calls []call
	err := c.receive(&calls, func() []*[]uint64 {
		at := make([]*[]uint64, len(calls))
		for i := range calls {
			at[i] = &calls[i].Words
		}
		return at
	})
	return calls, err
}

func (c *wire) sendAnswer(a answer) error {
	words, cycles := a.Words, a.Cycles
	a.Words, a.Cycles = nil, nil
	return c.send(a, [][]uint64{words, cycles})
}

func (c *wire) writeWords(words []uint64) error {
	c.w.Write(binary.AppendUvarint(nil, uint64(len(words)))) // the writer keeps its first error for Flush
	for len(words) > 0 {
		if c.w.Available() < 8 {
			if err := c.w.Flush(); err != nil {
				return err
			}
		}
		b := c.w.AvailableBuffer()
		n := min(len(words), cap(b)/8)
		for _, x := range words[:n] {
			b = binary.LittleEndian.AppendUint64(b, x)
		}
		c.w.Write(b)
		words = words[n:]
	}
	return nil
}

func (c *wire) readWords() ([]uint64, error) {
	n, err := binary.ReadUvarint(c.r)
	if err != nil || n == 0 {
		return nil, err
	}
	words := make([]uint64, n)
	for at := 0; at < len(words); {
		b, err := c.r.Peek(8)
		if err != nil {
			return nil, err
		}
		if b, err = c.r.Peek(min(c.r.Buffered(), 8*(len(words)-at)) &^ 7); err != nil {
			return nil, err
		}
		for i := 0; i < len(b); i += 8 {
			words[at] = binary.LittleEndian.Uint64(b[i:])
			at++
		}
		if _, err := c.r.Discard(len(b)); err != nil {
			return nil, err
		}
	}
	return words, nil
}
