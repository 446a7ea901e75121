package golden

import "gornic/format"

// Memory is host memory as the device's bus reaches it. An error of either call
// is a bus fault: the device ends the operation that met it, and goes on.
type Memory interface {
	Read(addr uint64, b []byte) error
	Write(addr uint64, b []byte) error
}

// read fills b from a bus address, false after a bus fault.
func (n *NIC) read(addr uint64, b []byte) bool {
	if err := n.memory.Read(addr, b); err != nil {
		n.count(format.CntBusErrors)
		return false
	}
	return true
}

// write writes b to a bus address, false after a bus fault.
func (n *NIC) write(addr uint64, b []byte) bool {
	if err := n.memory.Write(addr, b); err != nil {
		n.count(format.CntBusErrors)
		return false
	}
	return true
}

// readHost reads a host format from a bus address.
func readHost[T any](n *NIC, addr uint64) (T, bool) {
	var h T
	b := make([]byte, format.Size[T]())
	if !n.read(addr, b) {
		return h, false
	}
	return decodeHost[T](b), true
}

// writeHost writes a host format to a bus address.
func writeHost[T any](n *NIC, addr uint64, h T) bool {
	return n.write(addr, appendHost(nil, h))
}

// decodeHost is format.DecodeHost of bytes that are enough by construction.
func decodeHost[T any](b []byte) T {
	h, _ := format.DecodeHost[T](b)
	return h
}

// appendHost is format.AppendHost of values that fit by construction.
func appendHost[T any](b []byte, h T) []byte {
	b, _ = format.AppendHost(b, h)
	return b
}
