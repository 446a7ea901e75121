package program

import (
	"context"
	"fmt"

	"gornic/verbs"
)

// untouched is memory of a work request as it was when its completion with an error was seen: nobody may write
// to it any more.
type untouched struct {
	what string
	at   Piece
	was  []byte
}

// leave remembers the memory that a work request brings data to, once its completion tells that it has failed.
func (e *triedEnd) leave(ctx context.Context, c verbs.WC) error {
	if c.Status == verbs.StatusSuccess {
		return nil
	}
	what, pieces := "", []Piece(nil)
	switch i, k := len(e.sends)-1, len(e.receives)-1; {
	case c.Recv && k < len(e.Receives):
		what, pieces = fmt.Sprintf("receive %d", k), e.Receives[k].Pieces
	case !c.Recv && i < len(e.Messages) && hasResponse(e.Messages[i].Op):
		what, pieces = fmt.Sprintf("message %d", i), e.Messages[i].Source
	}
	for _, p := range pieces {
		if p.Length == 0 {
			continue
		}
		a := e.side.areas[p.Region]
		was, err := a.read(ctx, a.lead+p.Offset, p.Length)
		if err != nil {
			return err
		}
		e.left = append(e.left, untouched{what, p, was})
	}
	return nil
}

// judgeUntouched compares memory with what it was when software could have it back.
func (e *triedEnd) judgeUntouched(ctx context.Context) error {
	for _, u := range e.left {
		a := e.side.areas[u.at.Region]
		now, err := a.read(ctx, a.lead+u.at.Offset, u.at.Length)
		if err != nil {
			return err
		}
		if i := firstDifference(now, u.was); i >= 0 {
			return fmt.Errorf("byte %d of region %d was %#02x when %s had completed with an error, and is %#02x", u.at.Offset+i, u.at.Region, u.was[i], u.what, now[i])
		}
	}
	return nil
}
