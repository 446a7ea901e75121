package nic

// lru is a cache of names in sets, of which the least recently used goes.
type lru struct {
	ways int
	sets [][]int64 // most recently used in front
}

// newLRU returns a cache of so many entries in sets of so many ways; 0 ways: one set.
func newLRU(entries, ways int) *lru {
	if ways <= 0 || ways > entries {
		ways = entries
	}
	c := &lru{ways: ways, sets: make([][]int64, max(1, entries/ways))}
	for i := range c.sets {
		c.sets[i] = make([]int64, 0, ways)
	}
	return c
}

func (c *lru) set(name int64) *[]int64 { return &c.sets[uint64(name)%uint64(len(c.sets))] }

// has tells whether a name is held, and makes it the most recently used.
func (c *lru) has(name int64) bool {
	s := *c.set(name)
	for i, x := range s {
		if x == name {
			copy(s[1:i+1], s[:i])
			s[0] = name
			return true
		}
	}
	return false
}

// put holds a name.
func (c *lru) put(name int64) {
	if c.has(name) {
		return
	}
	s := c.set(name)
	if len(*s) < c.ways {
		*s = append(*s, 0)
	}
	copy((*s)[1:], *s)
	(*s)[0] = name
}

// drop gives a name up.
func (c *lru) drop(name int64) {
	s := c.set(name)
	for i, x := range *s {
		if x == name {
			*s = append((*s)[:i], (*s)[i+1:]...)
			return
		}
	}
}
