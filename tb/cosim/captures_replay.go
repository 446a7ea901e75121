package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gornic/tb/axi"
	"gornic/tb/coverage"
	"gornic/tb/frames"
	"gornic/tb/frames/talk"
	"gornic/tb/host"
	"gornic/tb/rtl"
	"gornic/tb/standin"
)

// A replay is captures that are played to the core. Each conversation is played three times: to the
// core as responder in the pace of the capture, and as fast as the receive buffer allows; and
// with the core as requester.
type replay struct {
	env      *Env
	open     func(*host.Memory) (*rtl.NIC, error)
	sent     [][]byte // by the core
	answered standin.Report
	asked    standin.AskReport
	retried  standin.RetryReport
	played   int // conversations
	large    int // largest path MTU of those that the configuration is too small for
}

// newReplay builds the core.
func newReplay(env *Env) (*replay, error) {
	design, io, err := env.Built.Build(env.Config)
	if err != nil {
		return nil, err
	}
	return &replay{env: env, open: func(memory *host.Memory) (*rtl.NIC, error) {
		return rtl.NewNIC(design, io, memory, rtl.NICOptions{
			Simulator: env.Simulator, Seed: env.Seed, Pauses: 10,
			AXI: axi.Options{LatencyMax: 40, Reorder: true, Pauses: 10, Strict: true},
		})
	}}, nil
}

// A witnessed NIC has what it sends kept, and all frames counted.
type witnessed struct {
	*rtl.NIC
	watch *coverage.Watch
	sent  *[][]byte
}

func (w witnessed) Receive(frame []byte) {
	w.watch.Received(frame)
	w.NIC.Receive(frame)
}

func (w witnessed) Send() ([]byte, bool) {
	frame, ok := w.NIC.Send()
	if ok {
		w.watch.Sent(frame)
		*w.sent = append(*w.sent, frame)
	}
	return frame, ok
}

// file plays the capture of a file.
func (r *replay) file(ctx context.Context, path string) error {
	all, err := wholeCapture(path)
	if err != nil {
		return err
	}
	return r.capture(ctx, all)
}

// wholeCapture reads a capture, of which all has to be there.
func wholeCapture(path string) ([]frames.Frame, error) {
	all, err := frames.Load(path)
	if err != nil {
		return nil, err
	}
	for _, f := range all {
		if f.Length > len(f.Data) {
			return nil, fmt.Errorf("frame %d: only %d of its %d bytes were captured", f.Number, len(f.Data), f.Length)
		}
	}
	return all, nil
}

// capture plays the conversations of a capture that the configuration has room for.
func (r *replay) capture(ctx context.Context, all []frames.Frame) error {
	fit := r.fitting(talk.Learn(all))
	if len(fit) == 0 {
		return nil
	}
	r.played += len(fit)
	return r.station(fit, func(station *standin.Station) error {
		for i, c := range fit {
			if err := r.play(ctx, station, c, r.env.Seed+uint64(i)); err != nil {
				return err
			}
		}
		return nil
	})
}

// fitting are the conversations that can be played, and that the configuration has room for.
func (r *replay) fitting(all []*talk.Conversation) []*talk.Conversation {
	var fit []*talk.Conversation
	for _, c := range all {
		switch {
		case !c.Playable():
		case c.PathMTU > r.env.Config.PathMTU:
			r.large = max(r.large, c.PathMTU)
		default:
			fit = append(fit, c)
		}
	}
	return fit
}

// lossy plays a capture of soft-RoCE with losses: as responder the core does what the protocol says, as requester it sends again what
// was sent again. Of requests without any answer the core is the responder only where the protocol
// refuses them whatever there is.
func (r *replay) lossy(ctx context.Context, name, path string) error {
	all, err := wholeCapture(path)
	if err != nil {
		return err
	}
	answered := slices.Concat(talk.Learn(all), talk.LearnSilent(all))
	asked := r.fitting(slices.Concat(talk.Learn(all), talk.LearnSilent(all)))
	if err := standin.Judge(name, answered, standin.SoftRoCE); err != nil {
		return err
	}
	answered = slices.DeleteFunc(r.fitting(answered), func(c *talk.Conversation) bool { return c.Silent && c.Requests()[0].Fate != talk.Refused })
	if len(asked) == 0 {
		return nil
	}
	r.played += len(answered)
	return r.station(asked, func(station *standin.Station) error {
		for i, c := range answered {
			if err := r.play(ctx, station, c, r.env.Seed+uint64(i)); err != nil {
				return err
			}
		}
		for _, c := range asked {
			report, err := station.Retry(ctx, c, r.env.Config.AckTick)
			if err != nil {
				return err
			}
			r.retried.Add(report)
		}
		return nil
	})
}

// station has do play conversations of one capture, one after the other, to one core.
func (r *replay) station(all []*talk.Conversation, do func(*standin.Station) error) (err error) {
	memory, err := host.New(host.Options{Seed: r.env.Seed})
	if err != nil {
		return err
	}
	nic, err := r.open(memory)
	if err != nil {
		return err
	}
	defer func() { err = closing(err, nic.Close) }()
	station, err := standin.NewStation(witnessed{nic, r.env.Coverage.Watch(), &r.sent}, memory, all)
	if err != nil {
		return err
	}
	return do(station)
}

// play plays a conversation: to the core as responder in two paces, and with the core as requester.
func (r *replay) play(ctx context.Context, station *standin.Station, c *talk.Conversation, seed uint64) error {
	for _, burst := range []int{0, r.env.Config.RxBuffer / 2} {
		report, err := station.Play(ctx, c, standin.Options{Seed: seed, Burst: burst})
		if err != nil {
			return err
		}
		r.answered.Add(report)
	}
	report, err := station.Ask(ctx, c)
	if err != nil {
		return err
	}
	r.asked.Add(report)
	return nil
}

// end looks at what the core sent as a bystander does, and tells what was played.
func (r *replay) end(ctx context.Context) error {
	switch {
	case r.played == 0 && r.large > 0:
		return fmt.Errorf("%w: path MTU of %d bytes, configuration %s has no more than %d", ErrSkip, r.large, r.env.Config.Name, r.env.Config.PathMTU)
	case r.played == 0:
		return fmt.Errorf("%w: no conversation of the reliable connection, with answers", ErrSkip)
	}
	note := fmt.Sprintf("%d conversations, each in two paces: %v; as requester: %v", r.played, r.answered, r.asked)
	if r.retried.Conversations > 0 {
		note += fmt.Sprintf("; with losses: %v", r.retried)
	}
	if r.large > 0 {
		note += fmt.Sprintf("; no conversation with a path MTU of %d bytes", r.large)
	}
	switch err := checkSent(ctx, r.sent); {
	case errors.Is(err, errNoTshark):
		note += fmt.Sprintf("; %v", err)
	case err != nil:
		return err
	}
	r.env.Note("%s", note)
	return nil
}
