package link

import "gornic/hdl"

// AXILite is the AXI4-Lite port of a slave of 32-bit data, with the names of the
// standard.
type AXILite struct {
	AWAddr  hdl.Bits `name:"awaddr"`
	AWProt  hdl.Bits `w:"3" name:"awprot"`
	AWValid hdl.Bits `w:"1" name:"awvalid"`
	AWReady hdl.Bits `hdl:"flip" w:"1" name:"awready"`

	WData  hdl.Bits `w:"32" name:"wdata"`
	WStrb  hdl.Bits `w:"4" name:"wstrb"`
	WValid hdl.Bits `w:"1" name:"wvalid"`
	WReady hdl.Bits `hdl:"flip" w:"1" name:"wready"`

	BResp  hdl.Bits `hdl:"flip" w:"2" name:"bresp"`
	BValid hdl.Bits `hdl:"flip" w:"1" name:"bvalid"`
	BReady hdl.Bits `w:"1" name:"bready"`

	ARAddr  hdl.Bits `name:"araddr"`
	ARProt  hdl.Bits `w:"3" name:"arprot"`
	ARValid hdl.Bits `w:"1" name:"arvalid"`
	ARReady hdl.Bits `hdl:"flip" w:"1" name:"arready"`

	RData  hdl.Bits `hdl:"flip" w:"32" name:"rdata"`
	RResp  hdl.Bits `hdl:"flip" w:"2" name:"rresp"`
	RValid hdl.Bits `hdl:"flip" w:"1" name:"rvalid"`
	RReady hdl.Bits `w:"1" name:"rready"`
}

// AddressBits is the width of an address of the device's registers and doorbell
// pages, of which there are as many as queue pairs.
func (s Sizes) AddressBits() int { return 12 + s.QPBits + 1 }

// AXILite returns the prototype.
func (s Sizes) AXILite() AXILite {
	a := hdl.W(s.AddressBits())
	return AXILite{AWAddr: a, ARAddr: a}
}

// MailboxWords is the size of the command mailbox in words of 32 bits.
const MailboxWords = 32

// GoWords is how many words of the mailbox the longest command takes.
const GoWords = 19

// Go starts a command.
type Go struct {
	Code hdl.Bits `w:"8"`   // format.CommandCode
	In   hdl.Bits `w:"608"` // the first GoWords of the mailbox, its first byte in the lowest bits
}

// Done ends a command.
type Done struct {
	Status  hdl.Bits `w:"8"` // format.CommandStatus
	Replies hdl.Bits `w:"1"` // Out is put into the mailbox
	Out     hdl.Bits `w:"512"`
}

// RegisterPort is the registers of a block other than registers, which answers at once: 32 words, where software
// sees them from format.RegHostReceive on.
type RegisterPort struct {
	Write   hdl.Bits `w:"1"` // pulse: the word at WriteAt is written, if it can be
	WriteAt hdl.Bits `w:"5"` // in words
	Data    hdl.Bits `w:"32"`
	Takes   hdl.Bits `hdl:"flip" w:"1"` // the word at WriteAt can be written now

	ReadAt hdl.Bits `w:"5"`             // in words
	Value  hdl.Bits `hdl:"flip" w:"32"` // of the word at ReadAt
	There  hdl.Bits `hdl:"flip" w:"1"`  // it can be read
}
