package configs_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gornic/configs"
)

func TestNamedConfigurationsAreRight(t *testing.T) {
	require.Equal(t, []string{"board", "dc", "i5", "i9", "tiny"}, configs.Names())
	for _, name := range configs.Names() {
		c, err := configs.Named(name)
		require.NoError(t, err)
		assert.Equal(t, name, c.Name)
		assert.NotZero(t, c.DataWidth)
	}
}

const good = "data_width: 64\npath_mtu: 256\nrx_buffer: 1024\nrx_packets: 8\nraw_buffer: 2048\n" +
	"qps: 4\ncqs: 8\neqs: 2\nwqes_ahead: 2\nreplay_entries: 16\nreads: 4\nkeys_cached: 4\nack_tick: 16\ncredits: 1\ncongestion: 1\natomics: 1\nkey_requests: 1\n"

func TestParse(t *testing.T) {
	c, err := configs.Parse("dir/mine.yaml", []byte(good))
	require.NoError(t, err)
	assert.Equal(t, configs.Config{
		Name: "mine", DataWidth: 64, PathMTU: 256, RxBuffer: 1024, RxPackets: 8, RawBuffer: 2048,
		QPs: 4, CQs: 8, EQs: 2, WQEs: 2, Replay: 16, Reads: 4, Keys: 4, AckTick: 16, Credits: 1, Congestion: 1, Atomics: 1, KeyRequests: 1,
	}, c)
}

func TestMistakes(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"empty", "", "c.yaml:1: a list of `field: value` lines was expected"},
		{"a list", "- 1\n", "c.yaml:1: a list of `field: value` lines was expected"},
		{"not YAML", "data_width: [64\n", "c.yaml:1: did not find expected ',' or ']'"},
		{"a tab", "\tdata_width: 64\n", "c.yaml:1: found character that cannot start any token"},
		{"not text", good + "\x00", "c.yaml:18: not text in UTF-8"},
		{"not UTF-8", good + "# caf\xe9\n", "c.yaml:18: not text in UTF-8"},
		{"a second document", good + "---\n" + good, "c.yaml:18: a second document: a file holds one"},
		{"rubbish behind the document", good + "...\nx: [\n", "c.yaml:18: did not find expected <document start>"},
		{"unknown field", good + "colour: 3\n", "c.yaml:18: colour: unknown field: expected one of data_width, path_mtu, rx_buffer, rx_packets, raw_buffer, qps, cqs, eqs, wqes_ahead, replay_entries, reads, keys_cached, ack_tick, credits, congestion, atomics, key_requests"},
		{"twice", good + "path_mtu: 512\n", "c.yaml:18: path_mtu: given twice: first on line 2"},
		{"not a number", "data_width: wide\n" + good[15:], `c.yaml:1: data_width: "wide" is not a whole number: expected 64, 128, 256 or 512`},
		{"a text", "data_width: \"64\"\n" + good[15:], `c.yaml:1: data_width: "64" is not a whole number: expected 64, 128, 256 or 512`},
		{"octal, perhaps", "data_width: 0100\n" + good[15:], `c.yaml:1: data_width: "0100" is not a whole number: expected 64, 128, 256 or 512`},
		{"negative", "data_width: -64\n" + good[15:], "c.yaml:1: data_width: -64: expected 64, 128, 256 or 512"},
		{"beyond an int", "data_width: 18446744073709551680\n" + good[15:], "c.yaml:1: data_width: 18446744073709551680: expected 64, 128, 256 or 512"},
		{"an alias", "path_mtu: &a 256\ndata_width: *a\n" + good[29:], `c.yaml:2: data_width: an alias, *a, is not a whole number: expected 64, 128, 256 or 512`},
		{"not a scalar", "data_width: [64]\n" + good[15:], "c.yaml:1: data_width: a list or mapping is not a whole number: expected 64, 128, 256 or 512"},
		{"impossible value", "data_width: 63\n" + good[15:], "c.yaml:1: data_width: 63: expected 64, 128, 256 or 512"},
		{"missing", good[15:], "c.yaml: data_width: missing: bits of a beat of the network and memory streams, 64, 128, 256 or 512"},
		{"two mistakes", "data_width: 1\npath_mtu: 1\n" + good[29:], "c.yaml:1: data_width: 1: expected 64, 128, 256 or 512\nc.yaml:2: path_mtu: 1: expected 256, 512, 1024, 2048 or 4096"},
		{"rule over two fields", "data_width: 64\npath_mtu: 4096\n" + good[29:], "c.yaml:3: rx_buffer: expected at least twice path_mtu: one packet arrives while another leaves"},
		{"rule of the widest", "data_width: 512\n" + strings.Replace(good[15:], "rx_packets: 8", "rx_packets: 4", 1), "c.yaml:4: rx_packets: expected at least 8 where data_width is 512: the shortest packets arrive in every cycle, and a verdict takes several"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := configs.Parse("c.yaml", []byte(tt.text))
			assert.EqualError(t, err, tt.want)
		})
	}
}

func TestLoad(t *testing.T) {
	_, err := configs.Load("no/such/file.yaml")
	assert.ErrorContains(t, err, "no/such/file.yaml")
	assert.ErrorContains(t, err, "nor is it one of board, dc, i5, i9, tiny")
	c, err := configs.Load("tiny")
	require.NoError(t, err)
	assert.Equal(t, "tiny", c.Name)
}
