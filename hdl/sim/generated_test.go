package sim_test

import (
	"regexp"
	"testing"

	"gornic/hdl"
	"gornic/hdl/sim"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A registered function runs in place of bytecode if it is of this very
// design, and not otherwise.
func TestRegister(t *testing.T) {
	design, _, err := hdl.Build(counter(13, 1<<12))
	require.NoError(t, err)
	text, err := sim.GoFile(design, "counter13")
	require.NoError(t, err)
	assert.Contains(t, string(text), "package counter13")
	hash := regexp.MustCompile(`sim\.Register\("([0-9a-f]+)", Step, Init\)`).FindSubmatch(text)
	require.NotNil(t, hash)

	sim.Register("an older hash", nil, nil)
	s, err := sim.New(design, sim.Options{})
	require.NoError(t, err)
	assert.Equal(t, "native (bytecode)", s.Backend().Name())

	steps := 0
	sim.Register(string(hash[1]), func([]uint64) { steps++ }, func([]uint64) {})
	s, err = sim.New(design, sim.Options{})
	require.NoError(t, err)
	assert.Equal(t, "native (generated)", s.Backend().Name())
	s.Run(3)
	assert.Equal(t, 3, steps)
	s, err = sim.New(design, sim.Options{Interpret: true})
	require.NoError(t, err)
	assert.Equal(t, "native (bytecode)", s.Backend().Name())

	other, _, err := hdl.Build(counter(14, 1<<12))
	require.NoError(t, err)
	s, err = sim.New(other, sim.Options{})
	require.NoError(t, err)
	assert.Equal(t, "native (bytecode)", s.Backend().Name())
}

func TestGeneratedHasNoWaves(t *testing.T) {
	design, _, err := hdl.Build(counter(8, 100))
	require.NoError(t, err)
	_, err = sim.Start(sim.Generated(t.Context(), t.TempDir()), design, sim.Options{Waves: "x.vcd"})
	require.ErrorContains(t, err, "no waves")
}

// Outside a module that has this package, the compiler's words are in the error.
func TestGeneratedOutsideAModule(t *testing.T) {
	design, _, err := hdl.Build(counter(8, 100))
	require.NoError(t, err)
	_, err = sim.Start(sim.Generated(t.Context(), t.TempDir()), design, sim.Options{})
	require.ErrorContains(t, err, "compile generated code")
}
