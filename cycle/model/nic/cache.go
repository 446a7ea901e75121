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

// clock is a cache of names of which one goes that was not used since the hand last passed: the RTL's, of keys.
type clock struct {
	names []int64
	used  []bool
	where map[int64]int
	hand  int
}

func newClock(entries int) *clock {
	return &clock{names: make([]int64, 0, entries), used: make([]bool, entries), where: map[int64]int{}}
}

// has tells whether a name is held, which uses it.
func (c *clock) has(name int64) bool {
	i, ok := c.where[name]
	if ok {
		c.used[i] = true
	}
	return ok
}

// put holds a name, at the first place from the hand on that was not used; those that were are passed.
func (c *clock) put(name int64) {
	if c.has(name) {
		return
	}
	if len(c.names) < cap(c.names) {
		c.names = append(c.names, name)
	} else {
		for ; c.used[c.hand]; c.hand = (c.hand + 1) % len(c.names) {
			c.used[c.hand] = false
		}
		delete(c.where, c.names[c.hand])
		c.names[c.hand] = name
	}
	i := c.hand
	c.where[name], c.used[i] = i, true
	c.hand = (i + 1) % cap(c.names)
}

// newKeys returns the cache of keys: without ways that of the RTL, else sets as in [newLRU].
func newKeys(entries, ways int) names {
	if ways == 0 {
		return newClock(entries)
	}
	return newLRU(entries, ways)
}

// names is what a cache of names does.
type names interface {
	has(name int64) bool
	put(name int64)
}
