package core

import (
	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// Who asks whether a queue pair has to wait for its rate, and is told when it has not any more.
const (
	pacedRequester = iota
	pacedResources
	pacedResend
	pacers
)

// congestionTick is cycles of a tick of congestion control: a quarter of that of the ACK timers.
func (p Params) congestionTick() int { return max(1, p.Retry.Tick/4) }

// lineRate is what the core's width moves, in Mb/s: a tick is 1.024 us.
func (p Params) lineRate() int {
	return min(1<<18-1, max(1, p.Sizes.DataWidth*p.congestionTick()*1000/1024))
}

// Wakers is how many blocks wake queue pairs.
func (p Params) Wakers() int {
	if p.NoCongestion {
		return wakers
	}
	return wakers + 1 // the last is dcqcn
}

// congestion joins those who hear of congestion and notify of it, and who is slowed down.
func (c *core) congestion() {
	if c.p.NoCongestion {
		c.noCongestion()
		return
	}
	m, settings := c.m, c.registers.Settings.Congestion
	hdl.Connect(c.cnp.Marked, c.psncheck.Marked)
	hdl.Connect(c.transmit.CNP, c.cnp.CNP)
	c.cnp.Gap.Set(settings.CNPGap)
	hdl.Set(c.dcqcn.Settings, settings)
	hdl.Connect(c.dcqcn.CNP, c.psncheck.CNP)
	hdl.Connect(c.dcqcn.Asks[pacedRequester], c.requester.Paced)
	hdl.Connect(c.dcqcn.Asks[pacedResources], c.resources.Paced)
	hdl.Connect(c.dcqcn.Asks[pacedResend], c.resend.Paced)
	woken := stream.Fork(m, "u_paced", c.dcqcn.Wake, pacers)
	hdl.Connect(c.resources.Wake, woken[pacedResources])
	hdl.Connect(c.resend.Wake, woken[pacedResend])
	hdl.Connect(c.scheduler.Wakes[wakers], woken[pacedRequester])
}

// noCongestion lets everybody send at once: no queue pair has congestion control, so nobody hears of congestion.
func (c *core) noCongestion() {
	for _, heard := range []hdl.Stream[link.QPRef]{c.psncheck.Marked, c.psncheck.CNP} {
		link.Ignore(c.m, heard)
	}
	for _, told := range []hdl.Stream[link.QPRef]{c.transmit.CNP, c.resources.Wake, c.resend.Wake} {
		link.Silence(c.m, told)
	}
	for _, asked := range []link.PacedPort{c.requester.Paced, c.resources.Paced, c.resend.Paced} {
		asked.Waits.SetK(0)
		c.m.Unused(asked.QP)
	}
	c.m.Unused(c.registers.Settings.Congestion.Fields()...)
}

// pay tells of the packets whose rate counts, when they are given away.
func (c *core) pay(job hdl.Stream[link.TxJob]) {
	m, kind := c.m, job.Data.Kind
	packets := hdl.OrAll(kind.Is(link.JobPacket), kind.Is(link.JobAnswer), kind.Is(link.JobResend))
	sent := stream.Map(stream.Filter(m, "rate_counts", job, packets), func(j link.TxJob) link.Sent {
		hdl.UnusedBut(m, j, j.QP, j.PayloadLen)
		return link.Sent{QP: j.QP, Bytes: j.PayloadLen}
	})
	hdl.Connect(c.dcqcn.Sent, stream.FIFO(m, "u_sent", sent, 4))
}
