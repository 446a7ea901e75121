package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"gornic/tb/axi"
	"gornic/tb/frames"
	"gornic/tb/frames/talk"
	"gornic/tb/host"
	"gornic/tb/rtl"
	"gornic/tb/standin"
	"gornic/tools/toolset"
)

// captureScenarios put the core in the place of those who answered in captures.
func captureScenarios() []Scenario {
	return []Scenario{
		ofCapture("send_all", "SENDs of soft-RoCE and of its peer: the core answers as they did"),
		ofCapture("write_all", "WRITEs of soft-RoCE and of its peer: the core answers as they did"),
		{
			Name: "captures/others", What: "the same for every other capture of ../shared/rxe, or for that of -capture",
			Replays: true, Run: playOthers,
		},
	}
}

// ofCapture is the scenario of a capture of soft-RoCE.
func ofCapture(name, what string) Scenario {
	return Scenario{Name: "captures/" + name, What: what, Run: func(ctx context.Context, env *Env) error {
		paths, err := capturesOf(name + ".pcap")
		if err != nil {
			return err
		}
		return playCaptures(ctx, env, paths)
	}}
}

// capturesOf returns the captures of soft-RoCE that lie beside the repository and match a
// pattern.
func capturesOf(pattern string) ([]string, error) {
	root, err := toolset.ModuleRoot()
	if err != nil {
		return nil, err
	}
	paths, err := filepath.Glob(filepath.Join(root, "..", "shared", "rxe", pattern))
	if err == nil && len(paths) == 0 {
		err = fmt.Errorf("%w: no ../shared/rxe/%s", ErrSkip, pattern)
	}
	return paths, err
}

// playOthers plays the capture that was asked for, or those without a scenario of their
// own.
func playOthers(ctx context.Context, env *Env) error {
	if env.Capture != "" {
		return playCaptures(ctx, env, []string{env.Capture})
	}
	paths, err := capturesOf("*.pcap")
	if err != nil {
		return err
	}
	var others []string
	for _, path := range paths {
		if name := filepath.Base(path); name != "send_all.pcap" && name != "write_all.pcap" {
			others = append(others, path)
		}
	}
	return playCaptures(ctx, env, others)
}

// A replay is captures that are played to the core.
type replay struct {
	env    *Env
	open   func(*host.Memory) (*rtl.NIC, error)
	sent   [][]byte // by the core
	total  standin.Report
	played int // conversations
	large  int // largest path MTU of those that the configuration is too small for
}

// playCaptures plays every conversation of captures twice: in the pace of the capture, and
// as fast as the receive buffer allows.
func playCaptures(ctx context.Context, env *Env, paths []string) error {
	open, err := opener(env)
	if err != nil {
		return err
	}
	r := &replay{env: env, open: open}
	for i, path := range paths {
		if err := r.file(ctx, path); err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(path), err)
		}
		env.Progress(float64(i+1) / float64(len(paths)))
	}
	switch {
	case r.played == 0 && r.large > 0:
		return fmt.Errorf("%w: path MTU of %d bytes, configuration %s has no more than %d", ErrSkip, r.large, env.Config.Name, env.Config.PathMTU)
	case r.played == 0:
		return fmt.Errorf("%w: no conversation of SENDs or WRITEs, with answers", ErrSkip)
	}
	note := fmt.Sprintf("%d conversations, each in two paces: %v", r.played, r.total)
	if r.large > 0 {
		note += fmt.Sprintf("; no conversation with a path MTU of %d bytes", r.large)
	}
	switch err := checkSent(ctx, r.sent); {
	case errors.Is(err, errNoTshark):
		note += fmt.Sprintf("; %v", err)
	case err != nil:
		return err
	}
	env.Note("%s", note)
	return nil
}

// opener builds the core and returns what starts it.
func opener(env *Env) (func(*host.Memory) (*rtl.NIC, error), error) {
	design, io, err := rtl.Build(env.Config)
	if err != nil {
		return nil, err
	}
	return func(memory *host.Memory) (*rtl.NIC, error) {
		return rtl.NewNIC(design, io, memory, rtl.NICOptions{
			Simulator: env.Simulator, Seed: env.Seed, Pauses: 10,
			AXI: axi.Options{LatencyMax: 40, Reorder: true, Pauses: 10, Strict: true},
		})
	}, nil
}

// file plays the conversations of a capture that the configuration has room for.
func (r *replay) file(ctx context.Context, path string) error {
	all, err := frames.Load(path)
	if err != nil {
		return err
	}
	for _, f := range all {
		if f.Length > len(f.Data) {
			return fmt.Errorf("frame %d: only %d of its %d bytes were captured", f.Number, len(f.Data), f.Length)
		}
	}
	var fit []*talk.Conversation
	for _, c := range talk.Learn(all) {
		switch {
		case !c.Playable():
		case c.PathMTU > r.env.Config.PathMTU:
			r.large = max(r.large, c.PathMTU)
		default:
			fit = append(fit, c)
		}
	}
	if len(fit) == 0 {
		return nil
	}
	r.played += len(fit)
	return r.play(ctx, fit)
}

// play plays conversations of one capture one after the other to one core.
func (r *replay) play(ctx context.Context, all []*talk.Conversation) (err error) {
	memory, err := host.New(host.Options{Seed: r.env.Seed})
	if err != nil {
		return err
	}
	nic, err := r.open(memory)
	if err != nil {
		return err
	}
	defer func() { err = closing(err, nic.Close) }()
	station, err := standin.NewStation(nic, memory, all)
	if err != nil {
		return err
	}
	for i, c := range all {
		for _, burst := range []int{0, r.env.Config.RxBuffer / 2} {
			report, err := station.Play(ctx, c, standin.Options{
				Seed: r.env.Seed + uint64(i), Burst: burst,
				Sent: func(frame []byte) { r.sent = append(r.sent, frame) },
			})
			if err != nil {
				return err
			}
			r.total.Add(report)
		}
	}
	return nil
}
