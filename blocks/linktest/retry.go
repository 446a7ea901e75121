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
