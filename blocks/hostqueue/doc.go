// Package hostqueue is where the host's own network stack meets the wire: a
// ring of buffers for the frames that rxpath passes to it, and a ring of frames
// that it sends (format.FrameDescriptor). Start with [Def]; [Reference] is the
// same in plain Go, without time.
//
// # Streams
//
//	In            frames for the host, each good and whole before it begins, from rxpath
//	Out           frames to be sent, each whole before it begins; to the arbiter in front of the wire
//	Registers     those of format.HostRegisters, behind registers
//	ReceiveRead   entries of the receive ring
//	SendRead      entries of the send ring, and the frames
//	ReceiveWrite  received frames, and that they are here
//	SendWrite     that frames have been read
//	Raise         vectors that get an interrupt, a pulse each, to registers
//	Message       the same as messages: for MSI-X
//	Enabled       the device is enabled: until then no frame is sent (a register)
//
// # A queue
//
// The two queues have the same registers and share nothing else: receive never
// waits for send. One begins with index 0 when software enables it. Software
// writes entries and moves the producer over them; the block reads the entry at
// its head, does what it says, writes bytes 8 to 15 of it again, in one beat,
// and goes on to the next: one at a time. The entry of a received frame is
// written when memory has answered to all of the frame, and consumer and
// interrupt follow memory's answer to the entry.
//
// Software can see an entry done before we have that answer. So what it may
// move the producer to is counted from the entries that we have begun to
// write, not from consumer.
//
// # Interrupt
//
// A queue is armed for an index, as a CQ is for its consumer index: it raises
// its vector once, when the entry there is done or the queue has failed, at
// once if that is so. Moderation is software's: it arms when it likes.
//
// # State
//
// Of each queue: ring, vector, producer, head, consumer, what it is armed for,
// whether it has failed, how many frames it has dropped, and the entry at the
// head once it has been read. Of the frame that is being received: where its
// next 64 bytes go and what room is left, the bursts without answer, two times
// 64 bytes on their way. Of those to be sent: a buffer of whole frames.
//
// # Bursts
//
// Buffers begin at a multiple of 64 bytes, and frames are moved in bursts of 64,
// or what is left of the frame: none crosses a page, no byte moves within its
// beat, and a received frame need not be whole, or of known length, before its
// first bytes are written. A burst is announced when its beats are here.
//
// # Stall and fault
//
// In waits for memory, and for nothing else; rxpath drops what finds no room
// meanwhile. A frame for which no entry is posted, or whose queue is disabled or
// has failed, is taken, dropped whole and counted. So is one longer than its
// buffer, whose entry stays where it is: bytes of the frame may be in the
// buffer, none behind it.
//
// An error response to bytes of a frame drops it, and its entry says so
// (format.FrameBusErr). An entry of a frame to be sent that has no length that can be
// is format.FrameLength. Where an entry itself cannot be read or written its queue
// has failed until it is disabled: received frames are dropped, nothing is sent.
//
// A queue that is disabled takes no new entry, ends the one at hand if frame
// bytes have moved, and forgets what was posted. It is busy until memory has answered
// to all. A frame of the send queue that waits for room in the buffer does
// not hold that up. What is in the buffer leaves all the same.
//
// # Cycles
//
// A beat every cycle in and out. Between two received frames lie the answers to
// the last burst and to the entry, and 6 cycles; between two that are sent an
// entry read, the first burst read, the entry written, and 8 cycles. The next
// entry to receive into is read meanwhile. A frame that is dropped takes a
// cycle more than it has beats.
//
// # Files
//
//	queue.go     a queue: its registers, indices and interrupt
//	entry.go     its entries, read and written
//	receive.go   frames to memory
//	send.go      memory to frames
package hostqueue
