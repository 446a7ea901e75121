package verbs

import "context"

// turns is a lock whose waiters are served in the order of their arrival: a
// goroutine that polls leaves room for the others between its polls, which a
// sync.Mutex does not promise.
type turns chan struct{}

func newTurns() turns { return make(turns, 1) }

func (t turns) Lock() { t <- struct{}{} }

// LockContext is Lock that its context may end.
func (t turns) LockContext(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t turns) Unlock() { <-t }
