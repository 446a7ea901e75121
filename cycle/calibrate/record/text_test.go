package record

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/cycle/model"
)

func TestText(t *testing.T) {
	want := []Section{
		{Name: "suite/a", Events: []model.Event{{Cycle: 5, Node: 1, Kind: model.LastIn, QP: 3, PSN: 9, Opcode: 0x11, Bytes: 4096}, {Cycle: 7, Kind: model.CQE, WQE: 2}}},
		{Name: "suite/b", Events: []model.Event{{}}},
	}
	var b bytes.Buffer
	require.NoError(t, Write(&b, want))
	got, err := Read("x", &b)
	require.NoError(t, err)
	require.Equal(t, want, got)

	for _, bad := range []string{"1 2 3\n", "# a\n1 2 x 0 0 0 0 0\n", "1 0 0 0 0 0 0 0\n"} {
		_, err := Read("x.log", strings.NewReader(bad))
		require.ErrorContains(t, err, "x.log, line")
	}
}
