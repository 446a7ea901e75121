package verbs

import (
	"context"
	"errors"
	"fmt"
)

// Rereg says what [MR.Rereg] changes: the numbers of ibv_rereg_mr_flags.
type Rereg uint8

// Changes of a memory region.
const (
	ReregTranslation Rereg = 1 << iota // where it is: all but Access and Key of the attributes
	ReregPD                            // its protection domain
	ReregAccess                        // its rights

	reregAll = ReregTranslation | ReregPD | ReregAccess
)

// Rereg changes a region in place (ibv_rereg_mr): what is named in change, from pd
// and attr; the rest stays, and is not looked at there. The key gets the next tag,
// so that who has the old one is refused; when Rereg returns, the device accesses
// nothing more under the old one.
//
// With an error the region is what it was, unless its old key was revoked and the
// new one refused: then it is destroyed, and the error wraps [ErrDestroyed] as well.
// After an error of the [Bus] it is the one or the other, and all that is left to do is
// [MR.Dereg]. While memory windows are bound to it, the error wraps [ErrBusy].
func (m *MR) Rereg(ctx context.Context, change Rereg, pd *PD, attr MRInitAttr) error {
	m.pd.d.mu.Lock()
	defer m.pd.d.mu.Unlock()
	next, err := m.changed(change, pd, attr)
	if err == nil {
		err = m.replace(ctx, next, change)
	}
	if err != nil {
		return fmt.Errorf("verbs: re-register MR %#x: %w", m.key, err)
	}
	return nil
}

// changed is the region as it shall be, without its page list.
func (m *MR) changed(change Rereg, pd *PD, attr MRInitAttr) (*MR, error) {
	if err := m.alive(); err != nil {
		return nil, err
	}
	switch {
	case m.fast:
		return nil, invalid("a region for fast registration")
	case change == 0 || change&^reregAll != 0:
		return nil, invalid("changes %#x", uint8(change))
	case change&ReregPD != 0 && (pd == nil || pd.d != m.pd.d):
		return nil, invalid("a PD of another device")
	}
	next := *m
	next.keyHolder = keyHolder{key: IncRKey(m.key)}
	if change&ReregPD != 0 {
		next.pd = pd
	}
	if change&ReregTranslation != 0 {
		next.attr = attr
		next.attr.Access = m.attr.Access
	}
	if change&ReregAccess != 0 {
		next.attr.Access = attr.Access
	}
	return &next, errors.Join(next.pd.alive(), next.attr.check())
}

// replace revokes the key and makes the region that shall take its place.
func (m *MR) replace(ctx context.Context, next *MR, change Rereg) error {
	moved := change&ReregTranslation != 0
	if moved {
		next.listed = false
		if next.attr.paged() {
			if err := next.writeList(ctx); err != nil {
				return err
			}
		}
	}
	if err := m.revoke(ctx, m.pd.d); err != nil {
		if moved {
			err = errors.Join(err, next.freeList())
		}
		return err
	}
	var unused error
	if moved {
		unused = m.freeList()
	}
	m.pd.users--
	*m = *next
	m.show()
	m.pd.users++
	err := m.pd.d.makeKey(ctx, m.entry())
	if refused(err) {
		err = errors.Join(err, ErrDestroyed, m.gone())
	}
	return errors.Join(err, unused)
}
