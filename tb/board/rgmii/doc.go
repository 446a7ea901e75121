// Package rgmii is gigabit Ethernet on the pins of an RGMII, as both halves of each clock
// cycle: [Frame.Symbols] is a frame as a PHY gives it to a MAC, with everything that can be
// wrong with it, and a [Receiver] is a PHY that looks at what a MAC sends. It knows nothing of
// the MACs that it tests: preambles, FCS (hash/crc32) and gaps are made here (IEEE 802.3 clauses 3 and 4, RGMII 2.0).
package rgmii
