package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gornic/tb/frames"
	"gornic/tb/frames/talk"
	"gornic/tools/toolset"
)

// captureScenarios put the core in the place of those who spoke in captures: first of those who
// answered, then of those who asked.
func captureScenarios() []Scenario {
	var all []Scenario
	for _, name := range ownCaptures {
		all = append(all, ofCapture(name))
	}
	for _, name := range lossyCaptures {
		all = append(all, ofLossyCapture(name))
	}
	return append(all,
		Scenario{
			Name: "captures/made", What: "the same for captures that are made up, of every opcode in each of its forms and every NAK",
			Configs: []string{"tiny", "board", "dc"}, Run: playMade,
		},
		Scenario{
			Name: "captures/others", What: "the same for every other capture of ../shared/rxe, or for that of -capture",
			Replays: true, Run: playOthers,
		},
	)
}

// ownCaptures are those of soft-RoCE that have a scenario of their own.
var ownCaptures = []string{"send_all", "write_all", "read_all", "atomics", "mtus"}

// lossyCaptures are those of soft-RoCE in which packets were lost or refused.
var lossyCaptures = []string{"guest_naks", "peer_rnr", "peer_seqnak_drop", "peer_timeouts"}

// ofLossyCapture is the scenario of a capture with losses. Its timers run for hundreds of thousands of cycles, so one
// simulator says enough.
func ofLossyCapture(name string) Scenario {
	what := fmt.Sprintf("%s.pcap of soft-RoCE and its peer: the core answers as the protocol says, then asks as they did, again what they asked again", name)
	return Scenario{Name: "captures/" + name, What: what, Once: true, Run: func(ctx context.Context, env *Env) error {
		paths, err := capturesOf(name + ".pcap")
		if err != nil {
			return err
		}
		r, err := newReplay(env)
		if err != nil {
			return err
		}
		if err := r.lossy(ctx, name, paths[0]); err != nil {
			return err
		}
		return r.end(ctx)
	}}
}

// ofCapture is the scenario of a capture of soft-RoCE.
func ofCapture(name string) Scenario {
	what := fmt.Sprintf("%s.pcap of soft-RoCE and its peer: the core answers as they did, then asks as they did", name)
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
		if name := strings.TrimSuffix(filepath.Base(path), ".pcap"); !slices.Contains(slices.Concat(ownCaptures, lossyCaptures), name) {
			others = append(others, path)
		}
	}
	return playCaptures(ctx, env, others)
}

// playMade plays captures that need no file.
func playMade(ctx context.Context, env *Env) error {
	r, err := newReplay(env)
	if err != nil {
		return err
	}
	for i, version := range []bool{false, true} {
		for _, make := range []func(bool) ([]frames.Frame, error){talk.Made, talk.MadeReads, talk.MadeOpcodes} {
			made, err := make(version)
			if err != nil {
				return err
			}
			if err := r.capture(ctx, made); err != nil {
				return err
			}
		}
		env.Progress(float64(i+1) / 2)
	}
	return r.end(ctx)
}

// playCaptures plays the captures of files.
func playCaptures(ctx context.Context, env *Env, paths []string) error {
	r, err := newReplay(env)
	if err != nil {
		return err
	}
	for i, path := range paths {
		if err := r.file(ctx, path); err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(path), err)
		}
		env.Progress(float64(i+1) / float64(len(paths)))
	}
	return r.end(ctx)
}
