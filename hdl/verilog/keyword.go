package verilog

import (
	"strings"

	"gornic/hdl/ir"
)

// verilog2005 lists the reserved words of IEEE 1364-2005, Annex B.
const verilog2005 = `always and assign automatic begin buf bufif0 bufif1 case casex casez cell cmos config
	deassign default defparam design disable edge else end endcase endconfig endfunction endgenerate
	endmodule endprimitive endspecify endtable endtask event for force forever fork function generate
	genvar highz0 highz1 if ifnone incdir include initial inout input instance integer join large liblist
	library localparam macromodule medium module nand negedge nmos nor noshowcancelled not notif0 notif1
	or output parameter pmos posedge primitive pull0 pull1 pulldown pullup pulsestyle_ondetect
	pulsestyle_onevent rcmos real realtime reg release repeat rnmos rpmos rtran rtranif0 rtranif1
	scalared showcancelled signed small specify specparam strong0 strong1 supply0 supply1 table task time
	tran tranif0 tranif1 tri tri0 tri1 triand trior trireg unsigned use uwire vectored wait wand weak0
	weak1 while wire wor xnor xor`

// systemVerilog lists the words that IEEE 1800-2017, Annex B, adds.
const systemVerilog = `accept_on alias always_comb always_ff always_latch assert assume before bind bins
	binsof bit break byte chandle checker class clocking const constraint context continue cover
	covergroup coverpoint cross dist do endchecker endclass endclocking endgroup endinterface endpackage
	endprogram endproperty endsequence enum eventually expect export extends extern final first_match
	foreach forkjoin global iff ignore_bins illegal_bins implements implies import inside int interconnect
	interface intersect join_any join_none let local logic longint matches modport nettype new nexttime
	null package packed priority program property protected pure rand randc randcase randsequence ref
	reject_on restrict return s_always s_eventually s_nexttime s_until s_until_with sequence shortint
	shortreal soft solve static string strong struct super sync_accept_on sync_reject_on tagged this
	throughout timeprecision timeunit type typedef union unique unique0 until until_with untyped var
	virtual void wait_order weak wildcard with within`

// foreign lists words of C++ and SystemC that Verilator warns about
// (SYMRSVDWORD), as names in its output.
const foreign = `abort alignas alignof and_eq asm atomic_cancel atomic_commit atomic_noexcept auto
	bit_vector bitand bitor bool catch cdecl char char16_t char32_t compl complex concept const_cast
	const_iterator const_reference constexpr co_await co_return co_yield decltype delete deque double
	dynamic_cast explicit false far float friend goto huge inline int8_t int16_t int32_t int64_t interrupt
	iterator list long map multimap multiset mutable namespace near noexcept not_eq nullptr operator or_eq
	override pair pascal private public queue reference register reinterpret_cast requires sc_clock sc_in
	sc_inout sc_out sc_signal sensitive sensitive_neg sensitive_pos set short size_t sizeof stack
	static_assert static_cast switch synchronized template thread_local throw true try type_info typeid
	typename uint8_t uint16_t uint32_t uint64_t using vector volatile wchar_t xor_eq`

var reserved = wordSet(verilog2005, systemVerilog, foreign)

func wordSet(lists ...string) map[string]bool {
	set := map[string]bool{}
	for _, list := range lists {
		for _, word := range strings.Fields(list) {
			set[word] = true
		}
	}
	return set
}

// Reserved reports whether a name cannot stand in Verilog text: a reserved
// word of Verilog-2005 or SystemVerilog, or a word of C++ that Verilator
// warns about. [Name] appends "_" to it.
func Reserved(name string) bool { return reserved[name] }

// Name returns the name that a signal has in the text of its module: its own,
// with "_" appended where that is reserved.
func Name(s *ir.Signal) string { return legal(s.Module, s.Name) }

// legal returns a declared name of m as it is printed. Appending "_" must not
// meet another declared name.
func legal(m *ir.Module, name string) string {
	if !Reserved(name) {
		return name
	}
	for name += "_"; declares(m, name); {
		name += "_"
	}
	return name
}

func declares(m *ir.Module, name string) bool {
	for _, s := range m.Signals {
		if s.Name == name {
			return true
		}
	}
	for _, r := range m.Memories {
		if r.Name == name {
			return true
		}
	}
	for _, i := range m.Instances {
		if i.Name == name {
			return true
		}
	}
	return false
}

// scope hands out the names of one module; all kinds of thing share it.
type scope map[string]bool

// take returns a free name that reads like the wanted one, and takes it.
func (s scope) take(want string) string {
	if Reserved(want) {
		want += "_"
	}
	name := want
	for i := 2; s[name]; i++ {
		name = want + "_" + itoa(i)
	}
	s[name] = true
	return name
}
