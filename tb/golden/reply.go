package golden

import "gornic/format"

// acknowledge sends an ACKNOWLEDGE with a PSN, a syndrome and the current MSN.
func (n *NIC) acknowledge(q *queuePair, psn uint32, syndrome uint64) {
	if syndrome >= format.SyndromeRNR {
		n.count(format.CntTxNAKs)
	}
	d := q.header(format.OpAcknowledge, psn)
	d.Ext[0] = syndrome<<24 | uint64(q.resp.msn)
	n.transmit(d, nil)
}
