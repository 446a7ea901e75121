package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func formats(t *testing.T) string {
	t.Helper()
	text, err := formatTables()
	require.NoError(t, err)
	return string(text)
}

// Every format of the core is there, and every row of its table says what the
// field is.
func TestFormatsAreExplained(t *testing.T) {
	text := formats(t)
	for _, name := range []string{
		"BTH", "RETH", "RxDescriptor", "SendControl", "RecvControl", "SGE", "AtomicOperands", "CQE", "EQE", "KeyEntry",
		"CreateEQ", "CreateCQ", "CreateQP", "ModifyQP", "QueueRef", "KeyRef", "QPStatus",
		"SerialRequest", "SerialAnswer", "SerialIdentity", "HostnetHeader",
	} {
		assert.Regexp(t, `(?m)^### `+name+` \(\d+ (bits|bytes)\)$`, text)
	}
	for _, row := range regexp.MustCompile(`(?m)^\|.*\|$`).FindAllString(text, -1) {
		assert.NotRegexp(t, `\|\s*\|$`, row, "an empty last cell")
	}
}

func TestFormatRows(t *testing.T) {
	text := formats(t)
	for _, row := range []string{
		"| DestQP | 24 | 5 to 7 | destination queue pair number |",
		"| PadCnt | 2 | 1 [5:4] | pad bytes between payload and ICRC |",
		"| FragOffset | 13 | 6 [4:0] to 7 | in 8-byte units |",
		"| AV.SrcPort | 16 |",
		"| Phase | 1 | 31 [7] |",
		"| PSN | 24 |",
		"| 5 | CreateQP | CreateQP |",
		"| 5 | WR_FLUSH_ERR | the QP was in error |",
		"| 0x02C | moderation | read, write |",
		"| 0x14 | EQ | consumer index of an event queue; page 0 only |",
		"| 0 | rx_accepted | packets accepted by the parser |",
		"| 0x06C | port1_rx_delay | read, write |",
		"| 1 | port0_rx_bad_fcs | frames dropped",
		"| 1 | fault | nothing answers",
	} {
		assert.True(t, strings.Contains(text, row), "no row %s", row)
	}
}

func TestByteRanges(t *testing.T) {
	for _, c := range []struct {
		offset, bits  int
		network, host string
	}{
		{0, 8, "0", "0"}, {8, 24, "1 to 3", "1 to 3"}, {8, 1, "1 [7]", "1 [0]"}, {10, 2, "1 [5:4]", "1 [3:2]"},
		{51, 13, "6 [4:0] to 7", "6 [7:3] to 7"}, {12, 20, "1 [3:0] to 3", "1 [7:4] to 3"},
		{16, 12, "2 to 3 [7:4]", "2 to 3 [3:0]"},
	} {
		assert.Equal(t, c.network, byteRange(c.offset, c.bits, false), c)
		assert.Equal(t, c.host, byteRange(c.offset, c.bits, true), c)
	}
}
