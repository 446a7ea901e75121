package sweep

import (
	"fmt"
	"strconv"
	"strings"
)

// Shard is a part of a sweep: every Of-th point, from point Index on; Index is from 1 to Of.
type Shard struct{ Index, Of int }

// Whole is the shard that is all of a sweep.
var Whole = Shard{1, 1}

// ParseShard reads "i/n".
func ParseShard(text string) (Shard, error) {
	i, n, found := strings.Cut(text, "/")
	index, err := strconv.Atoi(i)
	of, err2 := strconv.Atoi(n)
	if !found || err != nil || err2 != nil || index < 1 || index > of {
		return Shard{}, fmt.Errorf("-shard %s: expected i/n, with i from 1 to n", text)
	}
	return Shard{index, of}, nil
}

// has tells that a point is of the shard.
func (s Shard) has(point int) bool { return point%s.Of == s.Index-1 }
