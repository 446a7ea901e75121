package linktest

import "gornic/format"

// Heard is a link.Heard.
type Heard struct {
	QP, Kind int
	PSN      uint32
	Cause    int
	Code     int
}

// SendFailure is a link.SendFailure.
type SendFailure struct {
	QP     int
	PSN    uint32
	Status format.Status
	Vendor format.VendorCode
}

// Resend is a link.Resend.
type Resend struct {
	QP     int
	Stop   bool
	Number int
	PSN    uint32
}

// Resent is a link.Resent.
type Resent struct{ QP, Number int }

// ResendFault is a link.ResendFault.
type ResendFault struct {
	QP     int
	PSN    uint32
	Vendor format.VendorCode
}
