package simkit

// Gate is something that components wait for beside streams: what they wait for has changed when
// it opens, and each looks anew.
type Gate struct{ waiting []*Component }

// Wait has a component woken when the gate opens next.
func (g *Gate) Wait(c *Component) {
	for _, w := range g.waiting {
		if w == c {
			return
		}
	}
	g.waiting = append(g.waiting, c)
}

// Open wakes those who wait, in the present cycle or, whose turn is over, in the next.
func (g *Gate) Open() {
	for _, c := range g.waiting {
		c.Wake(c.engine.now)
	}
	g.waiting = g.waiting[:0]
}
