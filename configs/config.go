package configs

// Config is one configuration of the core.
type Config struct {
	Name      string // of the configuration: its file's base name
	DataWidth int    // bits of a beat of the network and memory streams
	PathMTU   int    // largest payload of a packet in bytes
	RxBuffer  int    // payload bytes that wait for their packet's verdict or their taker
	RxPackets int    // packets that do
	RawBuffer int    // bytes of frames for the host's network stack that wait for their taker
	QPs       int    // queue pairs
	CQs       int    // completion queues
	EQs       int    // event queues, each with an interrupt vector
	WQEs      int    // WQEs of 128 bytes of each queue that are read ahead
	Replay    int    // packets of each queue pair that may wait for their acknowledgement
	Reads     int    // READs and atomics of each queue pair that may be outstanding, in each direction
	Keys      int    // keys that are held of those in host memory
	AckTick   int    // cycles of 4.096 us, the unit of retry timers
	Credits   int    // 1: acknowledgements tell how many receive WQEs are posted; 0: they carry no credits

	Congestion  int // 1: queue pairs may have congestion control; 0: none can
	Atomics     int // 1: compare-and-swap and fetch-and-add; 0: neither
	KeyRequests int // 1: work requests that change keys; 0: none
}

// Field is one line of a configuration file.
type Field struct {
	Name string // key in the file
	Doc  string // what it sets, with its unit
	Want string // the values it takes, for people

	at func(*Config) *int
	ok func(v int) bool
}

// Fields returns what a configuration file says, in the order of the file.
// Each field stands exactly once in each file.
func Fields() []Field {
	return []Field{
		{
			Name: "data_width", Doc: "bits of a beat of the network and memory streams",
			Want: "64, 128, 256 or 512",
			at:   func(c *Config) *int { return &c.DataWidth }, ok: oneOf(64, 128, 256, 512),
		},
		{
			Name: "path_mtu", Doc: "largest payload of a packet, bytes",
			Want: "256, 512, 1024, 2048 or 4096",
			at:   func(c *Config) *int { return &c.PathMTU }, ok: oneOf(256, 512, 1024, 2048, 4096),
		},
		{
			Name: "rx_buffer", Doc: "received payload that waits for its packet's verdict or its taker, bytes",
			Want: "a power of two from 1024 to 1048576, at least twice path_mtu",
			at:   func(c *Config) *int { return &c.RxBuffer }, ok: powerOfTwo(1024, 1<<20),
		},
		{
			Name: "rx_packets", Doc: "received packets that wait with it",
			Want: "a power of two from 4 to 4096, at least 8 where data_width is 512",
			at:   func(c *Config) *int { return &c.RxPackets }, ok: powerOfTwo(4, 4096),
		},
		{
			Name: "raw_buffer", Doc: "received frames for the host's network stack that wait for their taker, bytes",
			Want: "a power of two from 2048 to 1048576",
			at:   func(c *Config) *int { return &c.RawBuffer }, ok: powerOfTwo(2048, 1<<20),
		},
		{
			Name: "qps", Doc: "queue pairs",
			Want: "a power of two from 2 to 65536",
			at:   func(c *Config) *int { return &c.QPs }, ok: powerOfTwo(2, 1<<16),
		},
		{
			Name: "cqs", Doc: "completion queues",
			Want: "a power of two from 2 to 65536",
			at:   func(c *Config) *int { return &c.CQs }, ok: powerOfTwo(2, 1<<16),
		},
		{
			Name: "eqs", Doc: "event queues, each with an interrupt vector",
			Want: "a power of two from 2 to 32",
			at:   func(c *Config) *int { return &c.EQs }, ok: powerOfTwo(2, 32),
		},
		{
			Name: "wqes_ahead", Doc: "WQEs of 128 bytes of each queue that are read ahead; of 64 bytes, twice as many",
			Want: "a power of two from 2 to 32",
			at:   func(c *Config) *int { return &c.WQEs }, ok: powerOfTwo(2, 32),
		},
		{
			Name: "replay_entries", Doc: "packets of each queue pair that may wait for their acknowledgement",
			Want: "a power of two from 2 to 4096",
			at:   func(c *Config) *int { return &c.Replay }, ok: powerOfTwo(2, 4096),
		},
		{
			Name: "reads", Doc: "READs and atomics of each queue pair that may be outstanding, in each direction",
			Want: "a power of two from 2 to 64",
			at:   func(c *Config) *int { return &c.Reads }, ok: powerOfTwo(2, 64),
		},
		{
			Name: "keys_cached", Doc: "keys that are held of those in host memory",
			Want: "a power of two from 4 to 64",
			at:   func(c *Config) *int { return &c.Keys }, ok: powerOfTwo(4, 64),
		},
		{
			Name: "ack_tick", Doc: "clock cycles that 4.096 us take, the unit of retry timers; less makes simulations shorter",
			Want: "2 to 65535",
			at:   func(c *Config) *int { return &c.AckTick }, ok: func(v int) bool { return v >= 2 && v <= 65535 },
		},
		{
			Name: "credits", Doc: "1: acknowledgements tell how many receive WQEs are posted; 0: they carry no credits",
			Want: "0 or 1",
			at:   func(c *Config) *int { return &c.Credits }, ok: oneOf(0, 1),
		},
		{
			Name: "congestion", Doc: "1: queue pairs may have congestion control (DCQCN); 0: none can, which makes the core smaller",
			Want: "0 or 1",
			at:   func(c *Config) *int { return &c.Congestion }, ok: oneOf(0, 1),
		},
		{
			Name: "atomics", Doc: "1: compare-and-swap and fetch-and-add; 0: neither, in either direction, which makes the core smaller",
			Want: "0 or 1",
			at:   func(c *Config) *int { return &c.Atomics }, ok: oneOf(0, 1),
		},
		{
			Name: "key_requests", Doc: "1: work requests may change keys (LOCAL_INV, REG_MR, BIND_MW); 0: commands alone can, which makes the core smaller",
			Want: "0 or 1",
			at:   func(c *Config) *int { return &c.KeyRequests }, ok: oneOf(0, 1),
		},
	}
}

// rule is a condition that takes more than one field.
type rule struct {
	field string // where it is reported
	want  string
	ok    func(Config) bool
}

func rules() []rule {
	return []rule{
		{
			"rx_buffer", "at least twice path_mtu: one packet arrives while another leaves",
			func(c Config) bool { return c.RxBuffer >= 2*c.PathMTU },
		},
		{
			"rx_packets", "at least 8 where data_width is 512: the shortest packets arrive in every cycle, and a verdict takes several",
			func(c Config) bool { return c.DataWidth < 512 || c.RxPackets >= 8 },
		},
	}
}

func oneOf(values ...int) func(int) bool {
	return func(v int) bool {
		for _, x := range values {
			if v == x {
				return true
			}
		}
		return false
	}
}

func powerOfTwo(low, high int) func(int) bool {
	return func(v int) bool { return low <= v && v <= high && v&(v-1) == 0 }
}

// Value returns the field's value in c.
func (f Field) Value(c Config) int { return *f.at(&c) }
