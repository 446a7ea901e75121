package board_test

import (
	"context"
	_ "embed"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/fpga/blocks/pads"
	"gornic/fpga/blocks/top"
	"gornic/hdl"
	"gornic/hdl/verilog"
	"gornic/tb/board"
	"gornic/tb/board/line"
	"gornic/tb/board/rgmii"
	"gornic/tools/toolset"
)

// pinsBench plays what it reads at the pins of the top, and writes what the pins do.
//
//go:embed testdata/pins.v
var pinsBench string

// The top of the bitstream, with models of the vendor's primitives: the PLL locks, resets are released, and what goes
// in at the pins on both edges of each clock comes out again as answers, on both ports and the serial line.
func TestPins(t *testing.T) {
	d, err := small()
	require.NoError(t, err)
	design, _, err := hdl.Build(top.Def(d.Params))
	require.NoError(t, err)

	var stations [2]*board.Station
	var in [2][]rgmii.Symbol
	for port := range in {
		mac, ip := ours(port)
		s := board.NewStation(net.HardwareAddr{2, 0, 0, 0, 0, 77}, netip.AddrFrom4([4]byte{192, 168, byte(port + 1), 77}))
		require.NoError(t, s.WhoHas(ip))
		s.Know(ip, mac[:])
		require.NoError(t, s.Ping(ip, 5, uint16(port), []byte("from pin to pin")))
		for frame, ok := s.Send(); ok; frame, ok = s.Send() {
			in[port] = append(in[port], rgmii.Frame{Data: frame, GapBehind: 600}.Symbols(rgmii.Gigabit)...)
		}
		s.Know(ip, nil)
		stations[port] = s
	}
	out := play(t, design, in, identify(), d.Params.Board.Divisor())

	for port, s := range stations {
		var r rgmii.Receiver
		for _, x := range out.symbols[port] {
			require.NoError(t, r.Take(x.symbol, x.cycle))
		}
		require.NoError(t, r.Idle(1<<40))
		for _, f := range r.Frames() {
			require.False(t, f.Abort)
			s.Receive(f.Data)
		}
		mac, ip := ours(port)
		require.Equal(t, net.HardwareAddr(mac[:]), s.Neighbour(ip))
		echoes := s.Echoes()
		require.Len(t, echoes, 1)
		require.EqualValues(t, port, echoes[0].Seq)
		require.Equal(t, "from pin to pin", string(echoes[0].Payload[:15]))
		require.Zero(t, s.Others())
	}
	require.Contains(t, string(out.serial), string(binary.LittleEndian.AppendUint32(nil, format.SerialID)))
}

// identify is a request to the serial bridge, with nothing in it that needs an escape.
func identify() []byte {
	request := []byte{byte(format.SerialIdentify), 1, 1, 0, 0, 0, 0, 0, 0} // sequence number 1, one word
	frame := append([]byte{format.SerialEnd}, request...)
	frame = binary.LittleEndian.AppendUint32(frame, crc32.ChecksumIEEE(request))
	return append(frame, format.SerialEnd)
}

// played is what pins did.
type played struct {
	symbols [2][]timed
	serial  []byte
}

type timed struct {
	symbol rgmii.Symbol
	cycle  uint64
}

// play runs a design in Icarus.
func play(t *testing.T, design *hdl.Design, in [2][]rgmii.Symbol, serial []byte, divisor int) played {
	t.Helper()
	iverilog, vvp := toolset.Need(t, toolset.Icarus), toolset.Need(t, toolset.Vvp)
	files, err := verilog.Emit(design, verilog.Options{})
	require.NoError(t, err)
	files = append(files, verilog.File{Name: "models.v", Text: []byte(pads.Models())}, verilog.File{Name: "pins.v", Text: []byte(pinsBench)})
	dir := t.TempDir()
	names, err := verilog.Write(dir, files)
	require.NoError(t, err)
	bits := levels(serial, divisor)
	save(t, filepath.Join(dir, "uart.hex"), bits)
	params := []string{fmt.Sprintf("-Ptb.LEVELS=%d", len(bits)), fmt.Sprintf("-Ptb.DIVISOR=%d", divisor)}
	for port, symbols := range in {
		save(t, filepath.Join(dir, fmt.Sprintf("rx%d.hex", port)), symbols)
		params = append(params, fmt.Sprintf("-Ptb.SYMBOLS_%d=%d", port, len(symbols)))
	}

	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	run := func(tool toolset.Tool, args ...string) string {
		cmd := tool.Command(ctx, args...)
		cmd.Dir = dir
		text, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", text)
		return string(text)
	}
	run(iverilog, append(append([]string{"-g2005", "-o", "tb.vvp", "-s", "tb"}, params...), names...)...)
	return understand(t, run(vvp, "-n", filepath.Join(dir, "tb.vvp")), divisor)
}

// levels is the serial line in each bit time, idle before and behind.
func levels(data []byte, divisor int) []rgmii.Symbol {
	out := []rgmii.Symbol{1, 1, 1}
	for _, b := range data {
		for _, l := range line.Encode(b, divisor) {
			for range l.Cycles / divisor {
				level := rgmii.Symbol(0)
				if l.High {
					level = 1
				}
				out = append(out, level)
			}
		}
	}
	return append(out, 1)
}

// save writes numbers for $readmemh.
func save(t *testing.T, file string, numbers []rgmii.Symbol) {
	t.Helper()
	var b strings.Builder
	for _, n := range numbers {
		fmt.Fprintf(&b, "%x\n", n)
	}
	require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
}

// understand reads what the bench prints: "port cycle symbol", or "u cycle level".
func understand(t *testing.T, text string, divisor int) played {
	t.Helper()
	var p played
	uart, last := line.NewDecoder(divisor), uint64(0)
	for l := range strings.Lines(text) {
		var what rune
		var cycle, value uint64
		if n, _ := fmt.Sscanf(l, "%c %d %x", &what, &cycle, &value); n < 3 {
			continue // what the simulator says itself
		}
		last = cycle
		if what == 'u' {
			uart.Edge(value == 1, cycle)
			continue
		}
		port := int(what - '0')
		require.True(t, port == 0 || port == 1, "%s", l)
		p.symbols[port] = append(p.symbols[port], timed{rgmii.Symbol(value), cycle})
	}
	uart.Until(last + 1000)
	p.serial = uart.Bytes()
	return p
}
