// Package verbs is the driver of the NIC, as a user of libibverbs expects one: one
// driver for the reference NIC, for the hardware in a simulator, and for a board,
// each behind a [Bus].
//
// [Open] takes over the device behind a bus, [OpenDevice] that of a board, by name: "serial:/dev/ttyUSB0", "udp:ADDRESS".
// From a device come, as in libibverbs,
//
//	Device.AllocPD         protection domains    ibv_alloc_pd
//	PD.RegMR, CreateMR     memory regions        ibv_reg_mr, ibv_reg_mr_iova
//	MR.Rereg               re-registration       ibv_rereg_mr
//	PD.AllocFastMR         fast registration     ib_alloc_mr, ib_map_mr_sg
//	PD.AllocMW, QP.BindMW  memory windows        ibv_alloc_mw, ibv_bind_mw
//	Device.CreateEQ        event queues          ibv_create_comp_channel
//	Device.CreateCQ        completion queues     ibv_create_cq
//	PD.CreateQP            queue pairs           ibv_create_qp
//	QP.Modify, Connect     their states          ibv_modify_qp
//	QP.PostSend, PostRecv  work                  ibv_post_send, ibv_post_recv
//	CQ.Poll, PollWait      completions           ibv_poll_cq
//	CQ.ReqNotify, EQ.Wait  completion events     ibv_req_notify_cq, ibv_get_cq_event
//	Device.WaitAsync       asynchronous events   ibv_get_async_event
//	Device.Counters        counters by name      rdma statistic show
//
// A memory region is shared memory: [Device.AllocBuffer] reserves some, and SGEs
// name it by virtual address and key ([MR.SGE]). All numbers are those of
// libibverbs: operations, flags, statuses, states, attribute masks. A QP is a
// reliable connection.
//
// Keys have an index and a tag of 8 bits. Work requests that make a key good, WRRegMR and
// WRBindMW, give it another tag ([IncRKey]), and so does [MR.Rereg]: who has an old key is refused. A key is good for the
// work requests behind the one that made it, and for the peer once that has
// completed. A WRLocalInv begins when all before it have completed, a work request with
// SendFence when all READs and atomics before it have.
//
// A work queue or a CQ is a ring in shared memory. The slot of a send work request
// is free again once its completion was polled, that of an unsignaled one once a
// later completion was: a full send queue of unsignaled requests alone never
// frees itself, so signal at least one in a queue's length.
//
// Errors wrap one of the Err variables, such as [ErrFull], or what the [Bus]
// returned; use errors.Is and errors.As. The device works while the driver waits
// for it: calls that poll should be interleaved with [Device.Wait], as
// [CQ.PollWait] does.
//
// The example of the package sends a message and writes into the peer's memory; others read it,
// work on numbers there, lend memory by a window and register it by work requests.
package verbs
