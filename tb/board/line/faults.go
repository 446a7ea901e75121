package line

import "math/rand/v2"

// Faults lose and damage bytes. The zero value does neither.
type Faults struct {
	Lose, Flip, Insert int // of a thousand bytes; of one that is flipped, a bit changes; what is inserted is random
	Random             *rand.Rand
	Count              int // how many have been hit
}

// Pass returns what arrives of some bytes.
func (f *Faults) Pass(b []byte) []byte {
	if f.Lose+f.Flip+f.Insert == 0 {
		return b
	}
	var out []byte
	for _, x := range b {
		switch hit := f.Random.IntN(1000); {
		case hit < f.Lose:
		case hit < f.Lose+f.Flip:
			out = append(out, x^1<<f.Random.IntN(8))
		case hit < f.Lose+f.Flip+f.Insert:
			out = append(out, byte(f.Random.Uint32()), x)
		default:
			out = append(out, x)
			continue
		}
		f.Count++
	}
	return out
}
