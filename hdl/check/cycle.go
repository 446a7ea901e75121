package check

import "slices"

// components returns the strongly connected components of a graph of n
// vertices that hold a cycle, by Tarjan's algorithm. It keeps its own stack:
// bit by bit, a path can be very long.
func components(n int, out func(v int, visit func(w int))) [][]int {
	t := &tarjan{out: out, index: make([]int, n), low: make([]int, n), onStack: make([]bool, n)}
	for v := range n {
		if t.index[v] == 0 {
			t.search(v)
		}
	}
	return t.found
}

type tarjan struct {
	out        func(v int, visit func(w int))
	index, low []int // index counts from 1; 0 is not visited
	onStack    []bool
	stack      []int
	count      int
	found      [][]int
}

// frame is a vertex whose successors are being visited.
type frame struct {
	v    int
	rest []int
	self bool // an edge leads back to v at once
}

func (t *tarjan) search(root int) {
	frames := []frame{t.enter(root)}
	for len(frames) > 0 {
		f := &frames[len(frames)-1]
		if len(f.rest) > 0 {
			w := f.rest[0]
			f.rest = f.rest[1:]
			switch {
			case t.index[w] == 0:
				frames = append(frames, t.enter(w))
			case t.onStack[w]:
				t.low[f.v] = min(t.low[f.v], t.index[w])
			}
			continue
		}
		done := *f
		frames = frames[:len(frames)-1]
		if len(frames) > 0 {
			parent := frames[len(frames)-1].v
			t.low[parent] = min(t.low[parent], t.low[done.v])
		}
		if t.low[done.v] == t.index[done.v] {
			t.pop(done)
		}
	}
}

func (t *tarjan) enter(v int) frame {
	t.count++
	t.index[v], t.low[v] = t.count, t.count
	t.stack = append(t.stack, v)
	t.onStack[v] = true
	f := frame{v: v}
	t.out(v, func(w int) {
		f.rest = append(f.rest, w)
		f.self = f.self || w == v
	})
	return f
}

// pop takes the component of a finished vertex off the stack.
func (t *tarjan) pop(f frame) {
	var c []int
	for {
		v := t.stack[len(t.stack)-1]
		t.stack = t.stack[:len(t.stack)-1]
		t.onStack[v] = false
		c = append(c, v)
		if v == f.v {
			break
		}
	}
	if len(c) > 1 || f.self {
		t.found = append(t.found, c)
	}
}

// shortestPath returns the vertices of a shortest path of at least one edge,
// from start up to but without goal; nil where there is none. With goal equal
// to start it is a cycle.
func shortestPath(start, goal int, out func(v int, visit func(w int))) []int {
	from := map[int]int{}
	queue := []int{start}
	for len(queue) > 0 {
		v := queue[0]
		queue = queue[1:]
		arrived := false
		out(v, func(w int) {
			arrived = arrived || w == goal
			if _, seen := from[w]; !seen && w != start {
				from[w] = v
				queue = append(queue, w)
			}
		})
		if arrived {
			return backtrack(start, v, from)
		}
	}
	return nil
}

// backtrack returns the path from start to last.
func backtrack(start, last int, from map[int]int) []int {
	path := []int{last}
	for last != start {
		last = from[last]
		path = append(path, last)
	}
	slices.Reverse(path)
	return path
}
