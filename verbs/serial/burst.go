package serial

// burst is how many words a request has at most. On a line that damages, short requests come through where long
// ones do not.
type burst struct {
	words, most int
	good        int // requests in a row that took one try
}

// firstWords is where bursts begin: a request that is too long for the line would never end.
const firstWords = 8

func newBurst(most int) burst { return burst{words: min(most, firstWords), most: most} }

const (
	manyTries = 2  // more of them, and bursts become shorter
	goodTries = 16 // so many requests without a repetition, and they become longer
)

// adapt takes into account how many tries a request took.
func (b *burst) adapt(tries int) {
	switch {
	case tries > manyTries:
		b.words, b.good = max(b.words/2, 1), 0
	case tries > 1:
		b.good = 0
	default:
		if b.good++; b.good >= goodTries {
			b.words, b.good = min(2*b.words, b.most), 0
		}
	}
}
