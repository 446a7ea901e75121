package verbs

// numbers gives out the numbers from first to last. A number that was given back
// is given out again as late as possible.
type numbers struct {
	first, last uint32
	next        uint32
	used        map[uint32]bool
}

func newNumbers(first, last uint32) *numbers {
	return &numbers{first: first, last: last, next: first, used: map[uint32]bool{}}
}

func (n *numbers) take() (uint32, error) {
	if uint64(len(n.used)) > uint64(n.last)-uint64(n.first) {
		return 0, ErrExhausted
	}
	for n.used[n.next] {
		n.next = n.after(n.next)
	}
	number := n.next
	n.used[number] = true
	n.next = n.after(number)
	return number, nil
}

func (n *numbers) after(number uint32) uint32 {
	if number == n.last {
		return n.first
	}
	return number + 1
}

// claim takes a certain number.
func (n *numbers) claim(number uint32) error {
	switch {
	case number < n.first || number > n.last:
		return invalid("%#x is not from %#x to %#x", number, n.first, n.last)
	case n.used[number]:
		return ErrBusy
	}
	n.used[number] = true
	return nil
}

func (n *numbers) release(number uint32) { delete(n.used, number) }
