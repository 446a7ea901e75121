package board

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"gornic/format"
)

// TapPicoseconds is what a tap of a receiver's delay adds.
const TapPicoseconds = 25

// ErrNoEye means that no delay receives without a fault.
var ErrNoEye = errors.New("no delay at which frames are received without a fault")

// ScanOptions are the options of a [Scan]. Traffic is needed.
type ScanOptions struct {
	// Traffic lets a peer of the port send frames for a while, such as the answers to some hundred pings of full size,
	// and returns when they have come or should have.
	Traffic func(ctx context.Context) error
	Frames  uint32 // fewer good frames at a tap, and it is no good one; 0: 1
	Step    int    // taps from one that is tried to the next; 0: 1
	First   int    // the first tap
	Last    int    // the last one; 0: format.BoardDelayTaps

	// Progress, if set, is told of each tap.
	Progress func(Tap)
}

// Tap is what a port received at one delay.
type Tap struct {
	Tap  int
	Good uint32 // frames
	Bad  uint32 // frames with a wrong FCS, of a wrong size, or with an error signalled by the PHY
}

// Eye is the outcome of a [Scan].
type Eye struct {
	Taps        []Tap // in order
	First, Last int   // the longest run of good taps, -1 if there is none
	Set         int   // the tap that is set now
	least       uint32
}

// good tells whether a tap is a good one.
func (e Eye) good(t Tap) bool { return t.Bad == 0 && t.Good >= e.least }

// Scan tries the delays of a port's receiver, and sets the middle of the longest run of good ones. It does not scan the port that its
// own accesses come over: use a serial line for that of UDP. If there is none, it sets
// what was set before and returns an error that wraps [ErrNoEye], with all that it has seen. Any other error, the end of ctx included,
// leaves that set, too, as far as the line allows.
func Scan(ctx context.Context, r Registers, port int, o ScanOptions) (Eye, error) {
	if err := o.complete(); err != nil {
		return Eye{}, err
	}
	before, err := readPort(ctx, r, port, format.BoardPortRxDelay)
	if err != nil {
		return Eye{}, err
	}
	eye := Eye{First: -1, Last: -1, Set: int(before), least: o.Frames}
	restore := func(err error) (Eye, error) {
		return eye, errors.Join(err, writePort(context.WithoutCancel(ctx), r, port, format.BoardPortRxDelay, before))
	}
	for tap := o.First; tap <= o.Last; tap += o.Step {
		t, err := try(ctx, r, port, tap, o)
		if err != nil {
			return restore(fmt.Errorf("board: scan of port %d, tap %d: %w", port, tap, err))
		}
		eye.Taps = append(eye.Taps, t)
		if o.Progress != nil {
			o.Progress(t)
		}
	}
	eye.First, eye.Last = eye.longest()
	if eye.First < 0 {
		return restore(fmt.Errorf("board: scan of port %d: %w", port, ErrNoEye))
	}
	middle := (eye.First + eye.Last) / 2
	if err := writePort(ctx, r, port, format.BoardPortRxDelay, uint32(middle)); err != nil {
		return restore(err)
	}
	eye.Set = middle
	return eye, nil
}

// complete fills in what was left out.
func (o *ScanOptions) complete() error {
	if o.Last == 0 {
		o.Last = format.BoardDelayTaps
	}
	o.Step, o.Frames = max(o.Step, 1), max(o.Frames, 1)
	if o.Traffic == nil || o.First < 0 || o.First > o.Last || o.Last > format.BoardDelayTaps {
		return fmt.Errorf("board: scan of taps %d to %d of 0 to %d, with traffic: %v", o.First, o.Last, format.BoardDelayTaps, o.Traffic != nil)
	}
	return nil
}

// faults are the counters of frames that were not received well, of port 0.
var faults = []format.BoardCounter{format.BoardRxBadFCS, format.BoardRxBadSize, format.BoardRxError}

// try sets a delay and counts what is received.
func try(ctx context.Context, r Registers, port, tap int, o ScanOptions) (Tap, error) {
	if err := writePort(ctx, r, port, format.BoardPortRxDelay, uint32(tap)); err != nil {
		return Tap{}, err
	}
	goodBefore, badBefore, err := received(ctx, r, port)
	if err != nil {
		return Tap{}, err
	}
	if err := o.Traffic(ctx); err != nil {
		return Tap{}, fmt.Errorf("traffic: %w", err)
	}
	good, bad, err := received(ctx, r, port)
	return Tap{Tap: tap, Good: good - goodBefore, Bad: bad - badBefore}, err
}

// received reads how many frames a port has received well, and how many not.
func received(ctx context.Context, r Registers, port int) (good, bad uint32, err error) {
	first := format.BoardCounter(port * format.BoardPortCounters)
	if good, err = Counter(ctx, r, first+format.BoardRxFrames); err != nil {
		return 0, 0, err
	}
	for _, c := range faults {
		n, err := Counter(ctx, r, first+c)
		if err != nil {
			return 0, 0, err
		}
		bad += n
	}
	return good, bad, nil
}

// longest is the longest run of good taps, the first one of those.
func (e Eye) longest() (first, last int) {
	first, last = -1, -1
	start, length, most := 0, 0, 0
	for i, t := range e.Taps {
		if !e.good(t) {
			length = 0
			continue
		}
		if length == 0 {
			start = i
		}
		if length++; length > most {
			most, first, last = length, e.Taps[start].Tap, t.Tap
		}
	}
	return first, last
}

// Print writes the eye: a character a tap, # for frames and no fault, x for some of both, . for no frame; and what
// is set.
func (e Eye) Print(w io.Writer) error {
	var line strings.Builder
	for _, t := range e.Taps {
		switch {
		case e.good(t):
			line.WriteByte('#')
		case t.Good > 0:
			line.WriteByte('x')
		default:
			line.WriteByte('.')
		}
	}
	text := fmt.Sprintf("%s\nno good tap; %d stays set (%d ps)\n", line.String(), e.Set, e.Set*TapPicoseconds)
	if e.First >= 0 {
		text = fmt.Sprintf("%s\ngood from tap %d to %d, %d ps wide; %d is set (%d ps)\n",
			line.String(), e.First, e.Last, (e.Last-e.First)*TapPicoseconds, e.Set, e.Set*TapPicoseconds)
	}
	_, err := io.WriteString(w, text)
	return err
}
