// Package standin puts a NIC in the place of those who speak in a capture. As responder it is given
// the frames that the responder was sent, and has to do what it did. [Play] is a
// conversation (package talk), frame by frame; it fails at the first difference.
//
// The NIC owns the very queue pair numbers and keys of the capture, so that no frame has
// to be changed: software of a real host would choose other ones, so this host works on
// registers and rings itself. What has to be right:
//
//   - Memory: each payload is at its place, in the regions that WRITEs name and in those
//     of receive WQEs, which are scattered and have no byte to spare; every other byte is
//     as it was, and so are the guard zones around.
//   - Completions: in order, with identifier, length, immediate and operation; an event for the first solicited or failed
//     one behind each arming, and no other; asynchronous events where a request fails without a completion.
//   - Answers: each header field that the responder's own answers had, and the ICRC. Each response
//     to a READ or atomic is there, with what memory had, in order, and no ACK passes one. Every
//     NAK of the capture, RNR NAKs among them, has its counterpart, and the other way
//     round. An ACK may stand for earlier ones: each ACK of the capture has to be implied
//     by one of the NIC's, and each of the NIC's has to be for a packet that was carried
//     out, with the number of messages of then.
//   - In the end the queue pair's state, expected PSN and counts.
//
// [Station.Ask] is the other end: the NIC is the requester, given the work that made the requests
// of the capture, and the answers. It has to send the same frames, and to bring what they brought.
//
// [Station.Retry] is the same where packets got lost or were refused: what the capture's requester sent again, the NIC has to send
// again, when it is due, and it has to give up where that one did. [Judge] makes a capture what its responders should have done; where those
// of soft-RoCE did not is in [SoftRoCE], with the reason of each.
//
// What the responder's memory had is known from its responses: the host writes it before the
// request comes, when nothing is under way that it could disturb. Keys that messages invalidate are of
// regions for fast registration, and made again when they are used again. A message whose
// beginning the capture does not have is stepped over: the queue pair is made to expect
// what comes behind it. A capture may begin and end anywhere, but has all frames between: one
// that its maker lost is not told from one that the responder never got.
package standin
