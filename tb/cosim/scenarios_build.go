package main

import (
	"bytes"
	"context"
	"fmt"

	"gornic/blocks/packetbuild"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	"gornic/tb/frames"
	"gornic/tb/golden/roce"
)

// buildScenarios test the packet builder.
func buildScenarios() []Scenario {
	return []Scenario{
		{Name: "build", What: "frames from random descriptors and payloads, with gaps and pauses", Run: build},
		{Name: "build-rate", What: "shortest packets, then those of a whole MTU, back to back", Run: buildRate},
		{Name: "rebuild", What: "received packets, from the parser's descriptor to the same frame again", Run: rebuild},
	}
}

// A builder is the packet builder in a simulator.
type builder struct {
	sim           *sim.Sim
	desc, payload *sim.Source
	out           *sim.Sink
	built         int // frames so far
}

// buildPatterns are the gaps and pauses of a builder.
type buildPatterns struct{ desc, payload, out sim.Pattern }

func openBuilder(env *Env, p buildPatterns) (*builder, error) {
	design, io, err := hdl.Build(packetbuild.Def(packetbuild.Params{DataWidth: env.Config.DataWidth}))
	if err != nil {
		return nil, err
	}
	s, err := sim.Start(env.Simulator.Open, design, env.Options())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", env.Simulator.Name, err)
	}
	b := &builder{
		sim:     s,
		desc:    sim.NewSource(s, io.Desc, p.desc),
		payload: sim.NewSource(s, io.Payload, p.payload),
		out:     sim.NewSink(s, io.Out, p.out),
	}
	s.Reset(2)
	return b, nil
}

// A packet is what the builder takes.
type packet struct {
	descriptor format.TxDescriptor[uint64]
	payload    []byte
}

// build returns the frames of packets.
func (b *builder) build(packets []packet) ([]hdltest.Frame, error) {
	cycles := 1000
	for _, p := range packets {
		b.desc.Send(p.descriptor)
		if len(p.payload) > 0 {
			hdltest.SendFrame(b.payload, p.payload)
		}
		cycles += 10 * (len(p.payload) + 100)
	}
	b.built += len(packets)
	b.sim.Await(cycles, b.out.Frames(b.built))
	return hdltest.TakeFrames(b.out), b.sim.Err()
}

// compareBuilt compares frames with those that are expected.
func compareBuilt(got []hdltest.Frame, want [][]byte) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d frames, want %d", len(got), len(want))
	}
	for i, w := range want {
		if got[i].Err || !bytes.Equal(got[i].Data, w) {
			return fmt.Errorf("frame %d (marked bad: %v): %s\n core      %x\n reference %x",
				i+1, got[i].Err, firstDifference(got[i].Data, w), got[i].Data, w)
		}
	}
	return nil
}

// build compares the core's frames with the reference's.
func build(ctx context.Context, env *Env) (err error) {
	n := 1000
	if env.Fast() {
		n = 50000
	}
	b, err := openBuilder(env, buildPatterns{
		desc:    sim.Pattern{Kind: sim.Random, Percent: 70, Seed: env.Seed},
		payload: sim.Pattern{Kind: sim.Random, Percent: 80, Seed: env.Seed + 1},
		out:     sim.Pattern{Kind: sim.Burst, On: 40, Off: 20, Seed: env.Seed + 2},
	})
	if err != nil {
		return err
	}
	defer func() { err = closing(err, b.sim.Close) }()
	g := frames.NewGenerator(env.Seed)
	for done := 0; done < n; done += batchSize {
		if err := ctx.Err(); err != nil {
			return err
		}
		var packets []packet
		var want [][]byte
		for range batchSize {
			d, payload := g.Packet()
			frame, err := roce.Build(d, payload)
			if err != nil {
				return err
			}
			packets, want = append(packets, packet{d, payload}), append(want, frame)
		}
		got, err := b.build(packets)
		if err == nil {
			err = compareBuilt(got, want)
		}
		if err != nil {
			return fmt.Errorf("after %d frames: %w", done, err)
		}
		env.Progress(float64(done) / float64(n))
	}
	env.Note("%d frames", n)
	return nil
}

// buildRate measures the cycles of frames for which everything is there.
func buildRate(_ context.Context, env *Env) (err error) {
	b, err := openBuilder(env, buildPatterns{})
	if err != nil {
		return err
	}
	defer func() { err = closing(err, b.sim.Close) }()
	note := ""
	for _, c := range []struct {
		name         string
		bytes, count int
	}{
		{"shortest", 0, 1000},
		{"MTU", env.Config.PathMTU, 50},
	} {
		p := packet{
			format.TxDescriptor[uint64]{Opcode: uint64(format.OpSendMiddle), PKey: format.PKeyDefault, DestQP: 2, PayloadLen: uint64(c.bytes)},
			make([]byte, c.bytes),
		}
		packets := make([]packet, c.count)
		for i := range packets {
			packets[i] = p
		}
		got, err := b.build(packets)
		if err != nil {
			return fmt.Errorf("%s frames: %w", c.name, err)
		}
		cycles := int(got[len(got)-1].Last-got[0].First) + 1
		beats := c.count * roomOf(env.Config).beats(got[0].Data)
		if cycles != beats {
			return fmt.Errorf("%s frames: %d beats in %d cycles", c.name, beats, cycles)
		}
		note += fmt.Sprintf("%d %s frames: %d beats in %d cycles; ", c.count, c.name, beats, cycles)
	}
	env.Note("%s", note[:len(note)-2])
	return nil
}

// rebuild sends frames through the receive side and builds them again.
func rebuild(ctx context.Context, env *Env) (err error) {
	receiver, err := env.Receiver(ctx)
	if err != nil {
		return err
	}
	defer func() { err = closing(err, receiver.Close) }()
	b, err := openBuilder(env, buildPatterns{})
	if err != nil {
		return err
	}
	defer func() { err = closing(err, b.sim.Close) }()
	sets, err := rebuildSets(env)
	if err != nil {
		return err
	}
	total := 0
	for i, set := range sets {
		n, err := rebuildSet(ctx, receiver, b, set)
		if err != nil {
			return fmt.Errorf("set %d: %w", i+1, err)
		}
		total += n
		env.Progress(float64(i+1) / float64(len(sets)))
	}
	env.Note("%d frames", total)
	return nil
}

// rebuildSets returns the captured frames, as far as there are any, and random
// good ones.
func rebuildSets(env *Env) ([][][]byte, error) {
	paths, err := captureFiles()
	if err != nil {
		return nil, err
	}
	var sets [][][]byte
	for _, path := range paths {
		data, err := load(path)
		if err != nil {
			return nil, err
		}
		sets = append(sets, data)
	}
	n := 5
	if env.Fast() {
		n = 50
	}
	g := frames.NewGenerator(env.Seed)
	for range n {
		var data [][]byte
		for range batchSize {
			data = append(data, g.Good().Data)
		}
		sets = append(sets, data)
	}
	return sets, nil
}

// rebuildSet returns how many of the frames were accepted, and built again.
func rebuildSet(ctx context.Context, receiver Receiver, b *builder, set [][]byte) (int, error) {
	outcomes, err := receiver.Receive(ctx, set)
	if err != nil {
		return 0, err
	}
	var packets []packet
	var want [][]byte
	for i, o := range outcomes {
		if o.Reason != format.ReasonOK {
			continue
		}
		d, err := roce.Rebuild(o.Descriptor, set[i])
		if err != nil {
			return 0, err
		}
		packets, want = append(packets, packet{d, o.Payload}), append(want, set[i])
	}
	if len(packets) == 0 {
		return 0, nil
	}
	got, err := b.build(packets)
	if err != nil {
		return 0, err
	}
	return len(want), compareBuilt(got, want)
}
