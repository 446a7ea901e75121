package icrc

import (
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"
)

// How many bits of each sample may change on the way is counted from protocol
// section 1.7; the addresses before the packet, and a tag's value, may as well.
func TestSamples(t *testing.T) {
	const macs, tci = 96, 16
	ipv4, ipv6, tagged := samples()
	for _, c := range []struct {
		sample
		bytes, harmless, foreign int
	}{
		{ipv4, 58, macs + 8*(1+1+2+2+1), 16 + 4},
		{ipv6, 78, macs + 4 + 8*(3+1+2+1), 16 + 4},
		{tagged, 62, macs + tci + 8*(1+1+2+2+1), 32 + 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Len(t, c.frame, c.bytes)
			require.True(t, c.good(c.frame))
			require.Equal(t, c.harmless, ones(which(c.frame, c.good)))
			require.Equal(t, c.foreign, ones(which(c.frame, c.sample.foreign)))
		})
	}
}

func ones(set []byte) (n int) {
	for _, b := range set {
		n += bits.OnesCount8(b)
	}
	return n
}
