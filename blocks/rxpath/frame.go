package rxpath

import (
	"encoding/binary"

	"gornic/hdl/sim"
)

// A beat of a stream.Frame in a simulator is Data, Keep, Last and Err side by
// side, Data lowest. Data is a whole number of words.

// packFrame returns the beats of a frame that is not empty.
func packFrame(width int, data []byte, bad bool) []uint64 {
	size := width / 8
	var beats []uint64
	for len(data) > 0 {
		n := min(size, len(data))
		var buffer [64]byte
		copy(buffer[:], data[:n])
		data = data[n:]
		for at := 0; at < size; at += 8 {
			beats = append(beats, binary.LittleEndian.Uint64(buffer[at:]))
		}
		keep, end := ^uint64(0)>>(64-n), uint64(0)
		if len(data) == 0 {
			end = 1
			if bad {
				end = 3
			}
		}
		if size == 64 {
			beats = append(beats, keep, end)
		} else {
			beats = append(beats, keep|end<<size)
		}
	}
	return beats
}

// unpackFrames returns the frames that beats make up, without those with Err.
func unpackFrames(width int, beats []sim.Beat) [][]byte {
	size := width / 8
	var all [][]byte
	var frame []byte
	for _, b := range beats {
		keep, end := b.Words[size/8], uint64(0)
		if size == 64 {
			end = b.Words[size/8+1]
		} else {
			keep, end = keep&(1<<size-1), keep>>size
		}
		for i := 0; i < size && keep>>i&1 == 1; i++ {
			frame = append(frame, byte(b.Words[i/8]>>(8*(i%8))))
		}
		if end&1 == 1 {
			if end&2 == 0 {
				all = append(all, frame)
			}
			frame = nil
		}
	}
	return all
}
