package golden

const (
	psnMask = 1<<24 - 1

	// maxWindow is more PSNs than may be on their way at once (protocol section 4.1).
	maxWindow = 1 << 23
)

// psnAdd is PSN p plus n, modulo 2^24.
func psnAdd(p, n uint32) uint32 { return (p + n) & psnMask }

// psnDiff is how far PSN a is ahead of b, -2^23 to 2^23-1 (protocol section 3.2).
func psnDiff(a, b uint32) int { return int(int32((a-b)<<8) >> 8) }
