package icrc

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl"
	"gornic/hdl/formal"
	"gornic/hdl/sim"
)

// What the proofs of samples say is tried in simulation, too: each bit is inverted
// once, and no assertion fails; in each broken copy one does.
func TestSampleProofs(t *testing.T) {
	p := Params{DataWidth: 64, WordEnd: true, depth: 2}
	fast := Params{DataWidth: 64, WordEnd: true, depth: 8}
	ipv4, ipv6, tagged := samples()
	proofs := map[string]hdl.Proof{}
	for _, proof := range Proofs() {
		proofs[proof.Name] = proof
	}
	for _, def := range []hdl.Def[sampleIO]{
		checkSample(p, ipv4), checkSample(p, ipv6), checkSample(p, tagged), generateSample(fast, ipv4, (*bench).anyBit), generateSample(fast, ipv6, (*bench).topBit),
	} {
		proof := proofs[def.Name]
		require.NotEmpty(t, proof.Faults, def.Name)
		t.Run(def.Name, func(t *testing.T) {
			require.NoError(t, invertEach(t, def, proof.Depth, nil))
			for _, f := range proof.Faults {
				require.Error(t, invertEach(t, def, proof.Depth, &f), f)
			}
		})
	}
}

// invertEach simulates so many cycles with each bit inverted.
func invertEach(t *testing.T, def hdl.Def[sampleIO], cycles int, fault *hdl.Fault) error {
	d, io, err := hdl.Build(def)
	require.NoError(t, err)
	for _, m := range d.All[1:] {
		m.Checks = nil // as in the proof
	}
	if fault != nil {
		require.NoError(t, formal.Break(d, *fault))
	}
	s, err := sim.New(d, sim.Options{Seed: 1})
	require.NoError(t, err)
	defer s.Close()
	for at := range 11 * 64 {
		s.Reset(1)
		s.Set(io.Choose.Beat, uint64(at/64))
		s.Set(io.Choose.At, uint64(at%64))
		s.Set(io.Choose.Gap, uint64(at/7%2))
		s.Run(cycles - 1)
		if err := s.Err(); err != nil {
			return fmt.Errorf("bit %d of beat %d inverted: %w", at%64, at/64, err)
		}
	}
	return nil
}
