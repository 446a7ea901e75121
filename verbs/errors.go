package verbs

import (
	"errors"
	"fmt"

	"gornic/format"
)

// What errors of this package wrap, with the errno that libibverbs gives.
var (
	ErrInvalid     = errors.New("invalid argument")                       // EINVAL
	ErrState       = errors.New("not possible in this state")             // EINVAL
	ErrFull        = errors.New("queue full")                             // ENOMEM
	ErrExhausted   = errors.New("the device has no more of these")        // ENOMEM
	ErrBusy        = errors.New("in use")                                 // EBUSY
	ErrUnsupported = errors.New("not supported")                          // EOPNOTSUPP
	ErrDestroyed   = errors.New("destroyed")                              // EINVAL
	ErrNoDevice    = errors.New("no gornic device of a version known")    // ENODEV
	ErrDevice      = errors.New("the device did not keep to its formats") // EIO
)

// CommandError is a command that the device refused; it then changed nothing.
// errors.Is finds ErrInvalid, ErrState, ErrBusy or ErrUnsupported in it.
type CommandError struct {
	Command format.CommandCode
	Status  format.CommandStatus
}

func (e *CommandError) Error() string {
	return fmt.Sprintf("command %v: the device says %v", e.Command, e.Status)
}

// Is tells whether the status is of the kind of target.
func (e *CommandError) Is(target error) bool {
	switch e.Status {
	case format.CmdBadNumber, format.CmdBadParameter, format.CmdBadAttribute:
		return target == ErrInvalid
	case format.CmdBadState:
		return target == ErrState
	case format.CmdBusy:
		return target == ErrBusy
	case format.CmdBadCommand:
		return target == ErrUnsupported
	}
	return false
}

// BadWR is the error of a list of work requests: those before Index are posted,
// that one and those behind it are not (bad_wr of ibv_post_send).
type BadWR struct {
	Index int
	Err   error
}

func (e *BadWR) Error() string { return fmt.Sprintf("work request %d: %v", e.Index, e.Err) }

func (e *BadWR) Unwrap() error { return e.Err }

// TransitionError is a change of a QP's state that does not exist, or with a
// set of attributes that it does not take. It wraps [ErrState] or [ErrInvalid].
type TransitionError struct {
	From, To QPState
	Missing  AttrMask // attributes that the change requires
	Extra    AttrMask // attributes that it does not allow
	Err      error
}

func (e *TransitionError) Error() string {
	s := fmt.Sprintf("from %v to %v: %v", e.From, e.To, e.Err)
	if e.Missing != 0 {
		s += fmt.Sprintf("; missing: %v", e.Missing)
	}
	if e.Extra != 0 {
		s += fmt.Sprintf("; not allowed: %v", e.Extra)
	}
	return s
}

func (e *TransitionError) Unwrap() error { return e.Err }

// WCError is a completion with an error status.
type WCError struct {
	WRID   uint64
	QPN    uint32
	Status WCStatus
	Vendor VendorCode
}

func (e *WCError) Error() string {
	s := fmt.Sprintf("work request %#x of QP %#x: %v", e.WRID, e.QPN, e.Status)
	if e.Vendor != format.VendorNone {
		s += fmt.Sprintf(" (%v)", e.Vendor)
	}
	return s
}

// invalid is an ErrInvalid with a reason.
func invalid(text string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(text, args...))
}

// refused tells whether the device refused a command. Only then is it certain not
// to know the numbers and the memory that the command named.
func refused(err error) bool {
	var e *CommandError
	return errors.As(err, &e)
}
