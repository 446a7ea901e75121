package check_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gornic/hdl"
	"gornic/hdl/check"
	"gornic/hdl/ir"
)

func TestErrorListsTwenty(t *testing.T) {
	err := badMany()
	require.Error(t, err)
	assert.Len(t, check.In(err), 25)
	lines := strings.Split(err.Error(), "\n")
	assert.Equal(t, "build many:", lines[0])
	assert.Len(t, lines, 22)
	assert.Equal(t, "and 5 more", lines[21])
}

func TestErrorsIsAndAs(t *testing.T) {
	err := fmt.Errorf("block: %w", badLatches())
	assert.ErrorIs(t, err, check.Latch)
	assert.NotErrorIs(t, err, check.Loop)
	var f check.Finding
	require.True(t, errors.As(err, &f))
	assert.Equal(t, check.Latch, f.Code)
	assert.Equal(t, "latches", f.Module)

	assert.Nil(t, check.In(errors.New("something else")))
	assert.NoError(t, check.Findings(nil).Err())
	assert.Error(t, check.In(err).Err())
}

func TestSorted(t *testing.T) {
	here, there := ir.Here(-1), ir.Here(-1)
	a := check.Finding{Code: check.Latch, Pos: here, Message: "a"}
	b := check.Finding{Code: check.Latch, Pos: there, Module: "m", Path: "u_1", Message: "b"}
	again := b
	again.Path = "u_2" // another instance: the same mistake
	nowhere := check.Finding{Message: "c\nd"}
	got := check.Sorted(check.Findings{b, nowhere}, check.Findings{again, a})
	assert.Equal(t, check.Findings{nowhere, a, b}, got)
	assert.Equal(t, "?: c\n\td", nowhere.Error())
}

func TestIgnoredIsCounted(t *testing.T) {
	d, _, findings := hdl.Elaborate(hdl.Def[oneIO]{Name: "m", Body: func(m *hdl.Module, io *oneIO) {
		m.Wire("probe", 1).Set(io.A) //hdl:ignore unread for the lab
		io.Y.Set(io.A)
	}})
	require.Empty(t, findings)
	r := check.Examine(d)
	assert.Empty(t, r.Findings)
	require.Len(t, r.Ignored, 1)
	assert.Equal(t, check.Unread, r.Ignored[0].Code)
	assert.Equal(t, "for the lab", r.Ignored[0].Reason)
}
