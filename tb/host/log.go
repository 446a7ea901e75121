package host

import "slices"

// Access is an access as the functions of [Memory.OnAccess] see it.
type Access struct {
	Source Source
	Write  bool
	Addr   uint64
	Data   []byte // what was read or written, valid during the call; of a read that failed, undefined
	Err    error  // nil, ErrUnmapped or ErrFault
}

type hook struct{ f func(Access) }

// OnAccess has f called after each access, in the order of calls to OnAccess. f
// may read memory by [Memory.Peek]. remove ends it.
func (m *Memory) OnAccess(f func(Access)) (remove func()) {
	h := &hook{f}
	m.hooks = append(m.hooks, h)
	return func() {
		m.hooks = slices.DeleteFunc(slices.Clone(m.hooks), func(g *hook) bool { return g == h })
	}
}

func (m *Memory) tell(a Access) {
	for _, h := range m.hooks {
		h.f(a)
	}
}

// Peek returns size bytes at addr, allocated or not. No hook sees it.
func (m *Memory) Peek(addr uint64, size int) []byte {
	b := make([]byte, size)
	m.get(addr, b)
	return b
}
