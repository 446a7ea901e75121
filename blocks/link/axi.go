package link

import "gornic/hdl"

// AXIIDBits is the width of the IDs of the AXI port.
const AXIIDBits = 4

// AXI is the AXI4 port of a master, with the names of the standard. Bursts are
// INCR, of whole beats of the data width, and do not cross 4 KiB.
type AXI struct {
	AWID    hdl.Bits `w:"4" name:"awid"`
	AWAddr  hdl.Bits `w:"64" name:"awaddr"`
	AWLen   hdl.Bits `w:"8" name:"awlen"`
	AWSize  hdl.Bits `w:"3" name:"awsize"`
	AWBurst hdl.Bits `w:"2" name:"awburst"`
	AWLock  hdl.Bits `w:"1" name:"awlock"`
	AWCache hdl.Bits `w:"4" name:"awcache"`
	AWProt  hdl.Bits `w:"3" name:"awprot"`
	AWValid hdl.Bits `w:"1" name:"awvalid"`
	AWReady hdl.Bits `hdl:"flip" w:"1" name:"awready"`

	WData  hdl.Bits `name:"wdata"`
	WStrb  hdl.Bits `name:"wstrb"`
	WLast  hdl.Bits `w:"1" name:"wlast"`
	WValid hdl.Bits `w:"1" name:"wvalid"`
	WReady hdl.Bits `hdl:"flip" w:"1" name:"wready"`

	BID    hdl.Bits `hdl:"flip" w:"4" name:"bid"`
	BResp  hdl.Bits `hdl:"flip" w:"2" name:"bresp"`
	BValid hdl.Bits `hdl:"flip" w:"1" name:"bvalid"`
	BReady hdl.Bits `w:"1" name:"bready"`

	ARID    hdl.Bits `w:"4" name:"arid"`
	ARAddr  hdl.Bits `w:"64" name:"araddr"`
	ARLen   hdl.Bits `w:"8" name:"arlen"`
	ARSize  hdl.Bits `w:"3" name:"arsize"`
	ARBurst hdl.Bits `w:"2" name:"arburst"`
	ARLock  hdl.Bits `w:"1" name:"arlock"`
	ARCache hdl.Bits `w:"4" name:"arcache"`
	ARProt  hdl.Bits `w:"3" name:"arprot"`
	ARValid hdl.Bits `w:"1" name:"arvalid"`
	ARReady hdl.Bits `hdl:"flip" w:"1" name:"arready"`

	RID    hdl.Bits `hdl:"flip" w:"4" name:"rid"`
	RData  hdl.Bits `hdl:"flip" name:"rdata"`
	RResp  hdl.Bits `hdl:"flip" w:"2" name:"rresp"`
	RLast  hdl.Bits `hdl:"flip" w:"1" name:"rlast"`
	RValid hdl.Bits `hdl:"flip" w:"1" name:"rvalid"`
	RReady hdl.Bits `w:"1" name:"rready"`
}

// AXI returns the prototype.
func (s Sizes) AXI() AXI {
	data := hdl.W(s.DataWidth)
	return AXI{WData: data, WStrb: hdl.W(s.DataWidth / 8), RData: data}
}
