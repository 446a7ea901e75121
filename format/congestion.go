package format

// Congestion is how queue pairs that have congestion control answer congestion: the parameters of
// DCQCN (protocol section 7), for the whole device. Rates are in Mb/s. Times are in ticks of 1.024 us: a quarter
// of the tick of the ACK timers. The names of the ConnectX parameters stand beside.
type Congestion[V any] struct {
	CNPGap       V `w:"12"` // least time between two CNPs of a queue pair: min_time_between_cnps
	LineRate     V `w:"18"` // what a queue pair has that is not slowed down
	MinRate      V `w:"18"` // what each keeps, at least 1: rpg_min_rate
	FirstRate    V `w:"18"` // from where the first cut is made; 0: LineRate. rate_to_set_on_first_cnp
	AIRate       V `w:"18"` // an additive increase: rpg_ai_rate
	HAIRate      V `w:"18"` // a hyper increase: rpg_hai_rate
	ByteReset    V `w:"15"` // what is sent between two increases, in units of 64 bytes; 0: bytes do not count. rpg_byte_reset
	TimeReset    V `w:"16"` // time between two increases; 0: time does not count. rpg_time_reset
	AlphaTime    V `w:"12"` // time between two updates of alpha, at least 1: dce_tcp_rtt
	Monitor      V `w:"12"` // least time between two cuts: rate_reduce_monitor_period
	G            V `w:"10"` // what is left of alpha by an update, in 1/1024: dce_tcp_g
	InitialAlpha V `w:"10"` // alpha at the first cut, in 1/1024
	GD           V `w:"4"`  // a cut takes rate * alpha >> GD: rpg_gd
	MinKeep      V `w:"8"`  // what a cut leaves at least, in 1/256 of the rate: that of rpg_min_dec_fac
	Threshold    V `w:"4"`  // increases of one kind from which on the target rate is raised: rpg_threshold
	Clamp        V `w:"1"`  // each cut makes the rate the target rate: clamp_tgt_rate
	ClampTime    V `w:"1"`  // so does one behind an increase by time: clamp_tgt_rate_after_time_inc
}

// Fields returns the fields in their order.
func (c Congestion[V]) Fields() []V {
	return []V{
		c.CNPGap, c.LineRate, c.MinRate, c.FirstRate, c.AIRate, c.HAIRate, c.ByteReset, c.TimeReset, c.AlphaTime, c.Monitor, c.G, c.InitialAlpha, c.GD,
		c.MinKeep, c.Threshold, c.Clamp, c.ClampTime,
	}
}

// CongestionDefaults are the defaults of ConnectX for a line rate in Mb/s, with its microseconds in
// ticks, rounded.
func CongestionDefaults(line uint64) Congestion[uint64] {
	return Congestion[uint64]{
		CNPGap: 4, LineRate: line, MinRate: 1, AIRate: 5, HAIRate: 50, ByteReset: 32767, TimeReset: 293, AlphaTime: 1,
		Monitor: 4, G: 1019, InitialAlpha: 1023, GD: 11, MinKeep: 128, Threshold: 1, ClampTime: 1,
	}
}

// CongestionRegisters returns the registers of [Congestion] in the order of its fields, from RegCongestion on. A field is the low
// bits of its register; [CongestionDefaults] is what they have after reset.
func CongestionRegisters() []Register {
	docs := []struct{ name, doc string }{
		{"cc_cnp_gap", "least ticks between two CNPs of a QP; a tick is 1.024 us. All cc_ registers are parameters of DCQCN, for QPs with congestion control"},
		{"cc_line_rate", "rate of a QP that is not slowed down; rates are in Mb/s"},
		{"cc_min_rate", "least rate"},
		{"cc_first_rate", "rate before the first cut; 0: line rate"},
		{"cc_ai_rate", "additive increase"},
		{"cc_hai_rate", "hyper increase"},
		{"cc_byte_reset", "units of 64 bytes between two increases by bytes; 0: none"},
		{"cc_time_reset", "ticks between two increases by time; 0: none"},
		{"cc_alpha_time", "ticks between two updates of alpha"},
		{"cc_monitor", "least ticks between two cuts"},
		{"cc_g", "what an update leaves of alpha, in 1/1024"},
		{"cc_initial_alpha", "alpha at the first cut, in 1/1024"},
		{"cc_gd", "a cut takes rate * alpha >> gd"},
		{"cc_min_keep", "what a cut leaves of the rate at least, in 1/256"},
		{"cc_threshold", "increases of one kind until the target rate is raised"},
		{"cc_clamp", "1: each cut makes the rate the target rate"},
		{"cc_clamp_time", "1: so does a cut behind an increase by time"},
	}
	var all []Register
	for i, d := range docs {
		all = append(all, Register{Name: d.name, Offset: RegCongestion + 4*uint32(i), Access: ReadWrite, Doc: d.doc})
	}
	return all
}
