package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"gornic/configs"
	"gornic/hdl/sim"
	"gornic/tb/frames"
	"gornic/tb/golden"
)

// batchBytes is about how much is put on the stream in one go: enough to keep a
// simulator busy, little enough that rows appear while it works.
const batchBytes = 1 << 20

// judgeFiles is the command with -frames: it pushes every frame of the files into
// the core and prints a row for each. A file that ends in an error has rows for
// the frames before it; the other files are judged all the same.
func judgeFiles(ctx context.Context, o options, stdout, stderr io.Writer, bench bench) error {
	simulator := bench.simulator("native")
	if o.sim != "" {
		simulator = bench.simulator(o.sim)
	}
	config, err := configs.Load(cmp.Or(o.config, usualConfigs[0]))
	if err != nil {
		return err
	}
	receiver, err := simulator.receiver(ctx, simulator.Simulator, config, sim.Options{Seed: o.seed, Waves: o.waves})
	if err != nil {
		return err
	}
	j := judge{receiver: receiver, room: roomOf(config), out: printerFor(o, stdout), complaints: stderr}
	for _, path := range o.files {
		if err := j.file(ctx, path); err != nil {
			return errors.Join(err, receiver.Close())
		}
	}
	if err := errors.Join(j.out.end(), receiver.Close()); err != nil {
		return err
	}
	if j.failures > 0 {
		return fmt.Errorf("failures: %d", j.failures)
	}
	return nil
}

func printerFor(o options, to io.Writer) printer {
	if o.json {
		return lines{json.NewEncoder(to)}
	}
	width := 0
	for _, path := range o.files {
		width = max(width, len(filepath.Base(path)))
	}
	return newTable(to, width)
}

// A judge carries frames to the core and rows to the printer.
type judge struct {
	receiver   Receiver
	room       room
	out        printer
	complaints io.Writer
	failures   int
}

// complain reports what makes the command fail without ending it.
func (j *judge) complain(err error) {
	j.failures++
	fmt.Fprintf(j.complaints, "cosim: %v\n", err)
}

// file judges the frames of one file. Its error ends the command; a broken file
// only makes it fail.
func (j *judge) file(ctx context.Context, path string) error {
	var batch []frames.Frame
	size := 0
	for f, err := range frames.All(path) {
		if err != nil {
			j.complain(err)
			break
		}
		if f.Length > len(f.Data) {
			fmt.Fprintf(j.complaints, "cosim: %s: frame %d: only %d of its %d bytes were captured\n",
				path, f.Number, len(f.Data), f.Length)
		}
		batch = append(batch, f)
		if size += len(f.Data); size >= batchBytes {
			if err := j.batch(ctx, batch); err != nil {
				return err
			}
			batch, size = nil, 0
		}
	}
	return j.batch(ctx, batch)
}

func (j *judge) batch(ctx context.Context, batch []frames.Frame) error {
	var data [][]byte
	for _, f := range batch {
		if len(f.Data) > 0 {
			data = append(data, f.Data)
		}
	}
	var outcomes []Outcome
	if len(data) > 0 {
		var err error
		if outcomes, err = j.receiver.Receive(ctx, data); err != nil {
			return err
		}
		if len(outcomes) != len(data) {
			return fmt.Errorf("the core gave %d verdicts on %d frames", len(outcomes), len(data))
		}
	}
	for _, f := range batch {
		outcome := expect(f.Data, false, j.room)
		if len(f.Data) > 0 {
			if err := differ(outcomes[0], outcome); err != nil {
				j.complain(fmt.Errorf("%s: frame %d: %w", f.File, f.Number, err))
			}
			outcome, outcomes = outcomes[0], outcomes[1:]
		}
		r := newRow(filepath.Base(f.File), f.Number, outcome, golden.Receive(f.Data, false))
		if err := j.out.print(r); err != nil {
			return err
		}
	}
	return nil
}
