package golden

import "gornic/format"

// workQueue is a ring of WQEs. Its indices run freely, modulo 2^16:
// consumer <= taken <= producer.
type workQueue struct {
	base      uint64
	logSize   uint64 // log2 of its WQEs
	logStride uint64 // slots of 64 << logStride bytes
	producer  uint16 // of the next WQE that software posts
	taken     uint16 // of the next WQE that the device starts on
	consumer  uint16 // of the oldest WQE that is not done with
}

// produce moves the producer index to index, unless the ring has no room for so
// many WQEs.
func (w *workQueue) produce(index uint16) {
	room := 1<<w.logSize - uint32(w.producer-w.consumer)
	if uint32(index-w.producer) <= room {
		w.producer = index
	}
}

// empty tells that there is no WQE to start on.
func (w *workQueue) empty() bool { return w.taken == w.producer }

// take starts on the next WQE, and returns its index.
func (w *workQueue) take() uint16 {
	index := w.taken
	w.taken++
	return index
}

// slot is the bus address of WQE index.
func (w *workQueue) slot(index uint16) uint64 {
	return w.base + uint64(index)&(1<<w.logSize-1)<<w.slotShift()
}

func (w *workQueue) slotShift() uint64 { return 6 + w.logStride }

func (w *workQueue) slotBytes() int { return format.WQEBytesMin << w.logStride }

// restart forgets every WQE.
func (w *workQueue) restart() { w.producer, w.taken, w.consumer = 0, 0, 0 }
