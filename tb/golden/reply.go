package golden

import "gornic/format"

// acknowledge answers with a PSN, a syndrome and the current MSN. The answer passes
// no response to an older READ or atomic (protocol section 10, row 28): it waits
// until those are sent, and a newer one takes its place.
func (n *NIC) acknowledge(q *queuePair, psn uint32, syndrome uint64) {
	r := reply{psn: psn, msn: q.resp.msn, syndrome: syndrome}
	if q.resp.answering() {
		q.resp.owed = &r
		return
	}
	q.resp.owed = nil
	n.reply(q, r)
}

// reply sends an ACKNOWLEDGE.
func (n *NIC) reply(q *queuePair, r reply) {
	if r.isNAK() {
		n.count(format.CntTxNAKs)
	}
	d := q.header(format.OpAcknowledge, r.psn)
	d.Ext[0] = r.syndrome<<24 | uint64(r.msn)
	n.transmit(d, nil)
}
