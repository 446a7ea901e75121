package table

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func TestDefault(t *testing.T) {
	d, err := Default()
	require.NoError(t, err)
	require.Contains(t, d.Names(), "requester")
	v, err := d.Get("packetbuild", "first", 512)
	require.NoError(t, err)
	narrow, err := d.Get("packetbuild", "first", 64)
	require.NoError(t, err)
	require.Less(t, narrow, v)
	_, err = d.Get("packetbuild", "frist", 64)
	require.ErrorContains(t, err, "there are")
	_, err = d.Get("packetbuilder", "first", 64)
	require.ErrorContains(t, err, "no block packetbuilder")
}

// What is written is read back, and a change leaves the table it was made of alone.
func TestText(t *testing.T) {
	d, err := Default()
	require.NoError(t, err)
	text, err := d.Text()
	require.NoError(t, err)
	again, err := Parse("again.yaml", text)
	require.NoError(t, err)
	require.Equal(t, d, again)
	changed, err := d.With("requester", "look", 512, 9)
	require.NoError(t, err)
	require.NotEqual(t, d, changed)
	require.Equal(t, d, again)
	for _, wrong := range []string{"blocks: {x: {files: [x_], tiems: {}}}", "blocks: {x: {}}", "blocks: {x: {files: [x_], times: {a: {cycles: -1}}}}", "blocks: {x: {files: [x_], times: {a: {by_width: {65: 1}}}}}"} {
		_, err := Parse("wrong.yaml", []byte(wrong))
		require.Error(t, err, wrong)
	}
}

// A block whose Verilog has changed is named; others are not.
func TestPin(t *testing.T) {
	d, err := Parse("t.yaml", []byte("blocks: {a: {files: [a_], times: {}}, b: {files: [b_], times: {}}}"))
	require.NoError(t, err)
	rtl := fstest.MapFS{"a_1.v": {Data: []byte("module a")}, "b_1.v": {Data: []byte("module b")}, "b_1.txt": {Data: []byte("no")}}
	require.Equal(t, Stale{[]string{"a", "b"}}, d.Check(rtl))
	pinned, err := d.Pin(rtl)
	require.NoError(t, err)
	require.NoError(t, pinned.Check(rtl))
	rtl["b_1.txt"].Data = []byte("other")
	require.NoError(t, pinned.Check(rtl))
	rtl["b_1.v"].Data = []byte("module b;")
	require.Equal(t, Stale{[]string{"b"}}, pinned.Check(rtl))
	delete(rtl, "a_1.v")
	require.ErrorContains(t, pinned.Check(rtl), "no file")
}
