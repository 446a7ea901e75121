package transmit

import (
	"gornic/hdl"
	"gornic/hdl/stream"
)

// cnpBytes is the payload of a CNP, zeros (protocol section 1.5).
const cnpBytes = 16

// cnpClass is the traffic class of a CNP, without the ECN bits: DSCP 48.
const cnpClass = 48 << 2

// zeros is the beat of a CNP's payload that leaves next, if leaves is one: of two, where a beat is 8 bytes.
func (b *block) zeros(leaves hdl.Bits) stream.Beat {
	out := b.io.Out.Data
	bytes := out.Keep.Width()
	last := hdl.K(1, 1)
	if bytes < cnpBytes {
		second := b.m.Reg("second_zeros", 1, 0)
		second.Set(second.Xor(leaves))
		last = second
	}
	keep := hdl.Ones(bytes)
	if bytes > cnpBytes {
		keep = hdl.K(bytes, 1<<cnpBytes-1)
	}
	return stream.Beat{Data: hdl.K(out.Data.Width(), 0), Keep: keep, Last: last, Err: hdl.K(1, 0)}
}
