package registers

import (
	"gornic/blocks/link"
	"gornic/hdl"
)

// mailbox is its words in a small memory, of which one is read and one written in a cycle: registers of their own would
// cost three times as much. A command's words are shifted out into a register before it goes, and those that
// it gives are written one after another.
type mailbox struct {
	m     *hdl.Module
	words *hdl.Memory
	at    hdl.Bits // the word that is moved

	reads  hdl.Bits // the word that software reads, while none is loaded
	value  hdl.Bits // what it is
	loads  hdl.Bits // a command's words are being loaded
	loaded hdl.Bits // the words of a command, its first in the lowest bits
}

func newMailbox(m *hdl.Module) mailbox {
	b := mailbox{
		m: m, words: m.LUTRAM("mailbox_words", link.MailboxWords, 32), at: m.Reg("mailbox_at", hdl.Log2(link.MailboxWords), 0),
		reads: m.Wire("mailbox_reads", hdl.Log2(link.MailboxWords)), value: m.Wire("mailbox_value", 32),
		loads: m.Reg("mailbox_loads", 1, 0), loaded: m.RegN("mailbox_loaded", 32*link.GoWords),
	}
	b.value.Set(b.words.At(hdl.Mux(b.loads, b.at, b.reads)))
	return b
}

// load moves one word into the register in each cycle while there are some to be loaded; it returns one bit: this is the last.
func (b mailbox) load() hdl.Bits {
	last := b.loads.And(b.at.Is(link.GoWords - 1))
	b.m.If(b.loads, func() {
		b.loaded.Set(hdl.Cat(b.value, b.loaded.Slice(b.loaded.Width()-1, 32)))
		b.at.Set(b.at.AddK(1))
	})
	b.m.If(last, func() {
		b.at.SetK(0)
		b.loads.SetK(0)
	})
	return last
}

// write writes what software writes and, a word in each cycle while replies, what a command has given; it returns one bit:
// this is the last word of it.
func (b mailbox) write(of *block, replies hdl.Bits) hdl.Bits {
	out := of.io.Done.Data.Out
	var given []hdl.Bits
	for at := 0; at < out.Width(); at += 32 {
		given = append(given, out.Slice(at+31, at))
	}
	last := replies.And(b.at.Is(uint64(len(given) - 1)))
	b.m.If(replies, func() { b.at.Set(hdl.Mux(last, b.at.K(0), b.at.AddK(1))) })
	software := hdl.AndAll(of.writes, of.runs.Not(), of.inMailbox(of.at))
	b.words.Write(
		hdl.Mux(replies, b.at, of.at.Trunc(b.at.Width())), software.Or(replies),
		hdl.Mux(replies, hdl.Select(b.at.Trunc(hdl.Log2(len(given))), given...), of.data),
	)
	return last
}
