package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"

	"gornic/format"
)

// Field is one field of an experiment that is neither of the configuration of the
// core (package configs) nor of the workload (package tb/workload).
type Field struct {
	Path string
	Doc  string // what it sets, with its unit
	Want string // the values it takes, for people

	low, high float64
	values    []int    // where only some are taken
	words     []string // where it is a word
}

// most is the largest number of a field that has no limit of its own.
const most = math.MaxInt32

func number(path, doc string, low, high float64) Field {
	want := fmt.Sprintf("a number from %v to %v", text(low), text(high))
	if high == most {
		want = fmt.Sprintf("a number of %v or more", text(low))
	}
	return Field{Path: path, Doc: doc, Want: want, low: low, high: high}
}

func oneOf(path, doc string, values ...int) Field {
	var all []string
	for _, v := range values {
		all = append(all, strconv.Itoa(v))
	}
	return Field{Path: path, Doc: doc, Want: or(all), low: 0, high: most, values: values}
}

func word(path, doc string, words ...string) Field {
	return Field{Path: path, Doc: doc, Want: or(words), words: words}
}

func flag(path, doc string) Field { return Field{Path: path, Doc: doc, Want: "true or false"} }

func or(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

func text(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// Fields returns what an experiment file says beside its configuration and workload, in the
// order of the Go types. Each is a line of the JSON Schema.
func Fields() []Field {
	fields := []Field{
		number("seed", "of requests and of losses", 0, most),
		number("warmup", "messages at the start that are not measured", 0, most),
		number("clock_mhz", "clock of the core, MHz; all cycles are of it", 1, 10000),
		number("caches.context.entries", "queue pairs whose context is held on chip; 0: all, as in the RTL", 0, 1<<20),
		number("caches.context.ways", "ways of that cache; 0: fully associative", 0, 1<<20),
		number("caches.context.misses", "misses of that cache at once; 0: one", 0, 1<<16),
		number("caches.context.bytes", "bytes of host memory that a miss reads; 0: those of the RTL's format", 0, 1<<16),
		number("caches.keys.entries", "keys that are held; 0: keys_cached of nic, as in the RTL", 0, 1<<20),
		number("caches.keys.ways", "ways of that cache; 0: fully associative", 0, 1<<20),
		number("caches.keys.misses", "misses of that cache at once; 0: one", 0, 1<<16),
		number("caches.keys.bytes", "bytes of host memory that a miss reads; 0: those of the RTL's format", 0, 1<<16),
		number("caches.translation.entries", "lines of 8 pages that are held in each direction; 0: 4, as in the RTL", 0, 1<<20),
		number("caches.translation.ways", "ways of that cache; 0: fully associative", 0, 1<<20),
		number("caches.translation.misses", "misses of that cache at once; 0: one", 0, 1<<16),
		number("caches.translation.bytes", "bytes of host memory that a miss reads; 0: those of the RTL's format", 0, 1<<16),
		number("caches.wqes", "WQEs of 128 bytes that are read ahead over all send queues; 0: wqes_ahead of nic for each, as in the RTL", 0, 1<<20),
		word("host.bus", "axi: memory at the core's AXI4 port, as in the co-simulation; pcie: behind PCIe", "axi", "pcie"),
		number("host.latency", "of memory beside the least, cycles; of axi", 0, 1_000_000),
		oneOf("host.pcie.gen", "generation of PCIe", 1, 2, 3, 4, 5, 6),
		oneOf("host.pcie.lanes", "lanes of PCIe", 1, 2, 4, 8, 16),
		oneOf("host.pcie.mps", "largest payload of a TLP, bytes", 128, 256, 512, 1024, 2048, 4096),
		oneOf("host.pcie.mrrs", "largest read request, bytes", 128, 256, 512, 1024, 2048, 4096),
		oneOf("host.pcie.rcb", "read completion boundary, bytes", 64, 128),
		number("host.pcie.tags", "reads outstanding", 1, 1024),
		number("host.pcie.posted", "header credits for writes", 1, 1<<16),
		number("host.pcie.nonposted", "header credits for reads", 1, 1<<16),
		number("host.pcie.latency_ns", "from a read request to its first completion, beside the link's own time, ns", 0, 1_000_000),
		number("host.pcie.jitter_ns", "mean of the exponential time that is added to each read, ns", 0, 1_000_000),
		number("host.pcie.tail_per_mille", "reads of a thousand that take tail_ns more", 0, 1000),
		number("host.pcie.tail_ns", "what those take more, ns", 0, 1_000_000_000),
		number("host.software.post", "from a completion seen, or work that has arrived, to its doorbell, cycles", 0, most),
		number("host.software.poll", "between two looks at a completion queue, cycles", 1, most),
		number("host.software.events", "from a CQE in memory until software may see it, cycles", 0, most),
		flag("host.paged", "registered memory lies in pages, and each region has a page list; else in one piece"),
		number("host.page_bits", "log2 of the bytes of such a page", 12, 30),
		number("host.regions", "memory regions of each queue pair, used in turn", 1, 1<<16),
		number("link.gbps", "rate of the wire, Gbit/s; 0: as fast as the core's stream", 0, 10000),
		number("link.latency", "from a beat out of one core to the same beat into the other, cycles", 0, 100_000_000),
		flag("link.whole", "frames are carried whole: latency is from the last beat out of one core to the first into the other"),
		number("link.framing", "bytes of a frame on the wire beside the core's stream: FCS, preamble, gap", 0, 1000),
		number("link.switch.buffer", "bytes of the queue in front of a port; 0: there is no switch", 0, most),
		number("link.switch.kmin", "bytes in the queue from which packets are marked with CE", 0, most),
		number("link.switch.kmax", "bytes from which all packets are marked", 0, most),
		number("link.switch.pmax", "share of packets that is marked at kmax", 0, 1),
		number("link.senders", "hosts that send to host b through the switch; 1: no incast", 1, 1024),
		number("retry.timeout", "acknowledgement timeout: 4.096 us * 2^timeout; 0: never", 0, 31),
		number("retry.count", "retries until a queue pair fails", 0, 7),
		number("retry.rnr_timer", "code of the wait of a receiver that is not ready", 0, 31),
		number("retry.rnr_count", "retries of those until a queue pair fails; 7: for ever", 0, 7),
		flag("retry.ready", "a message that consumes a receive work request waits until one is posted"),
		flag("dcqcn.enabled", "queue pairs have congestion control"),
	}
	for _, r := range format.CongestionRegisters() { // a field is a register
		fields = append(fields, number("dcqcn."+strings.TrimPrefix(r.Name, "cc_"), r.Doc, 0, most))
	}
	return fields
}

// fieldOf returns the line of a field; one that has none takes any number that is not negative.
func fieldOf(path string) Field {
	if f, ok := byPath()[path]; ok {
		return f
	}
	return number(path, "", 0, most)
}

var byPath = sync.OnceValue(func() map[string]Field {
	all := map[string]Field{}
	for _, f := range Fields() {
		all[f.Path] = f
	}
	return all
})
