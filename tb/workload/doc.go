// Package workload holds workloads: what two hosts have their NICs do, as a file
// of a few lines, and the requests that the file and a seed stand for.
//
// The co-simulation, the benchmark and the cycle model read the same files and so
// do the same work. Start with [Load] for a file, [Workload] for what is in it
// and [Workload.Requests] for what it stands for. [Workload.Faults] are the
// losses on the wire: whatever the model, the same packets meet them. Package
// play runs a workload over verbs.
//
// # A workload file
//
// Fields without a default have to be there; one that is not known, or a value
// that cannot be, is an error that names file, line and field.
//
//	direction: both             # a_to_b, b_to_a or both: which hosts send
//	messages:  1000             # of each queue pair, in each direction
//	queue_pairs:                # connections between the hosts, in groups
//	  - count:     4            # 1 to 65536
//	    path_mtu:  1024         # 256, 512, 1024, 2048 or 4096 bytes
//	    ip:        4            # 4 or 6
//	    send_sges: 2            # most SGEs of a send work request, 1 to 6; default 2
//	    recv_sges: 3            # and of a receive work request, 1 to 7; default 3
//	    reads:     4            # READs and atomics at once, 1 to 64; default 2
//	    depth:     16           # work requests in a queue, a power of two to 32768; default 16
//	operations:                 # weights: of 14 messages here, 6 are WRITEs
//	  write:     6
//	  write_imm: 1
//	  send:      2
//	  send_imm:  1
//	  send_inv:  1              # a SEND that invalidates a key of the receiver
//	  read:      1
//	  cmp_swap:  1
//	  fetch_add: 1
//	sizes: [0, 64, 4096]        # bytes of a message: a number, a list, or
//	                            # {distribution: uniform or log_uniform, min: 0, max: 65536};
//	                            # atomics have 8
//	inline:    10               # percent sent inline, of messages that fit; default 0
//	signaled:  50               # percent with a completion; default 100
//	solicited: 10               # percent that ask for a solicited event, of those that can; default 0
//	batch:     {min: 1, max: 4} # work requests a doorbell, or one number; default 1
//	arrival:                    # default: {kind: closed}, as soon as there is room
//	  kind:    poisson          # closed, every or poisson
//	  cycles:  500              # between two messages of a queue pair, or their mean; or in its place
//	  # per_million: 2000       # messages of a host in a million cycles, over all of its queue pairs: open loop at a rate
//	faults:                     # default: none. The first that hits a packet decides
//	  - action:   drop          # drop, duplicate, corrupt (a bit behind the BTH), delay, flip (bits anywhere), truncate or
//	                            # mark (CE, on packets whose sender takes part in ECN)
//	    rate:     0.001         # share of packets; default 1 where there is nth
//	    packets:  requests      # all, requests or responses; default all
//	    sender:   a             # both, a or b; default both
//	    attempts: 3             # only the first so many times that a packet is sent; default: always
//	  - action:   drop          # the 2nd ATOMIC_ACK on the wire
//	    opcode:   ATOMIC_ACK    # of the reliable connection; default any
//	    nth:      2             # of the packets that the rest chooses, from 1; default all
//	  - action:   delay
//	    rate:     0.01
//	    psn:      16777215      # of any queue pair; default any
//	    frames:   4             # of its direction overtake it at most; default 8
//	  - action:   delay
//	    rate:     0.01
//	    for_us:   30            # at most, in place of frames
//	outages:                    # default: none. In these times every frame is lost
//	  - at_us:    100           # since the start
//	    for_us:   50
package workload
