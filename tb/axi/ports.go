package axi

import (
	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/sim"
)

// The channels as streams. The field of the data width or of 64 bits comes first,
// so that it is whole words of a packed beat.

// addressBeat is a beat of AR or AW.
type addressBeat struct{ Addr, ID, Len, Size, Burst, Lock, Cache, Prot hdl.Bits }

func readAddressPorts(s *sim.Sim, p link.AXI) sim.StreamPorts {
	return sim.Ports(s, p.ARValid, p.ARReady, addressBeat{p.ARAddr, p.ARID, p.ARLen, p.ARSize, p.ARBurst, p.ARLock, p.ARCache, p.ARProt})
}

func writeAddressPorts(s *sim.Sim, p link.AXI) sim.StreamPorts {
	return sim.Ports(s, p.AWValid, p.AWReady, addressBeat{p.AWAddr, p.AWID, p.AWLen, p.AWSize, p.AWBurst, p.AWLock, p.AWCache, p.AWProt})
}

func writeDataPorts(s *sim.Sim, p link.AXI) sim.StreamPorts {
	return sim.Ports(s, p.WValid, p.WReady, struct{ Data, Strb, Last hdl.Bits }{p.WData, p.WStrb, p.WLast})
}

func readDataPorts(s *sim.Sim, p link.AXI) sim.StreamPorts {
	return sim.Ports(s, p.RValid, p.RReady, struct{ Data, ID, Resp, Last hdl.Bits }{p.RData, p.RID, p.RResp, p.RLast})
}

func responsePorts(s *sim.Sim, p link.AXI) sim.StreamPorts {
	return sim.Ports(s, p.BValid, p.BReady, struct{ ID, Resp hdl.Bits }{p.BID, p.BResp})
}

// Responses of AXI.
const (
	okay   = 0
	slvErr = 2 // the memory refused
	decErr = 3 // there is no memory
)
