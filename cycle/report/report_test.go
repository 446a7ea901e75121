package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/cycle/model"
)

// result is one of 1000 messages in 4000 cycles at 250 MHz.
func result() *model.Result {
	return &model.Result{
		Cycles: 4000, Messages: 1000, Bytes: 64000, ClockMHz: 250, Bottleneck: "Host memory is slow.",
		Latency: model.Latency{Count: 1000, Mean: 100, Min: 10, P50: 90, P99: 200, P999: 300, Max: 400},
		QPs: []model.QP{
			{Node: 0, QP: 0, Messages: 750, Bytes: 48000, Packets: 800, Resent: 50, Retries: 2, Last: 1000, CNPs: 3},
			{Node: 0, QP: 1, Messages: 250, Bytes: 16000, Packets: 250, Last: 1000, RNRs: 1},
			{Node: 1, QP: 0, Packets: 100},
		},
		Nodes:  []model.Node{{Lost: 5, Marked: 6, Doorbells: 7}, {Lost: 1, Dropped: 4, CQEs: 8}},
		Caches: []model.CacheUse{{Node: 0, Name: "context", Hits: 90, Misses: 10}, {Node: 1, Name: "key"}},
		Blocks: []model.Block{
			{Node: 0, Name: "dma", Items: 10, Busy: 1000, Stalled: []model.Stall{{By: "host", Cycles: 2000}}, Starved: 1000},
			{Node: 1, Name: "atomic", Starved: 4000},
		},
	}
}

func TestMeasure(t *testing.T) {
	m := Measure(result())
	require.InDelta(t, 62.5e6, m.Rate, 1)
	require.InDelta(t, 32e9, m.Goodput, 1)
	require.Equal(t, Latency{Count: 1000, Mean: 400, Min: 40, P50: 360, P99: 800, P999: 1200, Max: 1600}, m.Latency)
	require.InDelta(t, 0.8, m.Fairness, 1e-9, "3 to 1: 16 / (2 * 10)")
	require.EqualValues(t, []int64{1150, 50, 2, 6, 4, 6, 3, 1, 7, 8}, []int64{m.Packets, m.Resent, m.Retries, m.Lost, m.Dropped, m.Marked, m.CNPs, m.RNRs, m.Doorbells, m.CQEs})
	require.Equal(t, []Cache{{"a", "context", 90, 10, 0.9}, {"b", "key", 0, 0, 1}}, m.Caches)
	require.Equal(t, Block{"a", "dma", 10, 1000, []Stall{{"host", 2000}}, 1000}, m.Blocks[0])
	text, err := json.Marshal(Measure(&model.Result{ClockMHz: 250}))
	require.NoError(t, err)
	require.NotContains(t, string(text), "null", "empty, not absent")
}

func TestMetrics(t *testing.T) {
	m := Measure(result())
	values := map[string]float64{}
	for _, x := range Metrics() {
		_, twice := values[x.Name]
		require.False(t, twice, x.Name)
		require.NotEmpty(t, x.Doc)
		values[x.Name] = x.Of(m)
	}
	require.InDelta(t, 32, values["goodput_gbps"], 1e-9)
	require.InDelta(t, 0.9, values["hit_rate_context_a"], 1e-9)
	require.True(t, math.IsNaN(values["hit_rate_key_b"]), "a cache that was not used has no hit rate")
	require.True(t, math.IsNaN(Metrics()[3].Of(Measured{})), "no completion has no latency")
}

// rows are a sweep of two fields, of which one point failed and one is missing.
func rows() []Row {
	var all []Row
	for i, size := range []string{"64", "256", "1024", "4096"} {
		for j, bus := range []string{"axi", "pcie"} {
			m := Measure(result())
			m.Rate, m.Goodput, m.Latency.P50 = float64(1000*(i+1)), float64(i+j)*1e9, float64(10*(j+1))
			all = append(all, Row{Point: 2*i + j, Values: []Value{{"host.bus", bus}, {"workload.sizes", size}}, Seed: 1, Key: fmt.Sprintf("k%d %d", i, j), Status: OK, Measured: &m})
		}
	}
	all[6].Status, all[6].Measured, all[6].Error = Failed, nil, "stuck"
	all[7].Status, all[7].Measured = Missing, nil
	return all
}

// Each row is a line, each number a column: also what failed, and what is missing.
func TestCSV(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, CSV(&out, rows()))
	lines, err := csv.NewReader(&out).ReadAll()
	require.NoError(t, err)
	require.Len(t, lines, 9)
	require.Equal(t, []string{"point", "host.bus", "workload.sizes", "seed", "status", "message_rate", "goodput_gbps"}, lines[0][:7])
	require.Equal(t, []string{"3", "pcie", "256", "1", "ok", "2000", "2"}, lines[4][:7])
	require.Equal(t, []string{"6", "axi", "4096", "1", "failed", "", ""}, lines[7][:7])
	require.Equal(t, []string{"", "stuck", "k3 0"}, lines[7][len(lines[7])-3:])
	require.Equal(t, "missing", lines[8][4])
	require.NoError(t, CSV(io.Discard, nil))
}

func TestJSON(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, JSON(&out, rows()))
	var again []Row
	require.NoError(t, json.Unmarshal(out.Bytes(), &again))
	require.Equal(t, rows(), again)
}

// full is a pipe that nobody reads.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no room") }

func TestWriteErrors(t *testing.T) {
	m := Measure(result())
	for name, err := range map[string]error{
		"CSV": CSV(full{}, rows()), "JSON": JSON(full{}, rows()), "text": Text(full{}, m), "explain": Explain(full{}, m), "table": Table(full{}, rows()),
		"compare": Compare(rows(), rows()).Write(full{}),
	} {
		require.ErrorContains(t, err, "no room", name)
	}
}

func TestText(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, Text(&out, Measure(result())))
	for _, want := range []string{
		"messages      1,000 in 4,000 cycles of 250 MHz, 16 us\n", "message rate  62.5 M/s\n", "goodput       32 Gbit/s\n",
		"mean 400 ns, median 360 ns, 99 % 800 ns", "6 lost on the wire, 4 dropped by receivers without room, 50 sent again\n", "6 marked, 3 CNPs, 1 RNR NAKs\n",
		"context of host a: 90.00 % of 100 hit\n", "bottleneck    Host memory is slow.\n",
	} {
		require.Contains(t, out.String(), want)
	}
	require.NotContains(t, out.String(), "host b", "a cache that was not used")
}

func TestExplain(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, Explain(&out, Measure(result())))
	require.Regexp(t, `a +dma +10 +25\.0 % +25\.0 % +50\.0 % +host 50\.0 %\n`, out.String())
	require.NotContains(t, out.String(), "atomic", "a block that had nothing to do")
	require.True(t, strings.HasSuffix(out.String(), "\nHost memory is slow.\n"))
}

func TestTable(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, Table(&out, rows()))
	require.Regexp(t, `axi +64 +1 k/s +0 bit/s +10 ns +800 ns +Host memory is slow\.\n`, out.String())
	require.Regexp(t, `axi +4096 +failed: stuck\npcie +4096 +missing\n`, out.String())
}

func TestNumbers(t *testing.T) {
	for x, want := range map[float64]string{0: "0 ", 999: "999 ", 1234: "1.234 k", 12345678: "12.35 M", 1e9: "1 G", 5e12: "5 T", 0.25: "0.25 ", 123456: "123.5 k"} {
		require.Equal(t, want, SI(x))
	}
	for x, want := range map[float64]string{1: "1 ns", 9999: "9999 ns", 12340: "12.34 us", 2.5e6: "2.5 ms", 3e9: "3 s"} {
		require.Equal(t, want, Nanoseconds(x))
	}
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1234: "-1,234", -123: "-123"} {
		require.Equal(t, want, grouped(n))
	}
	require.Equal(t, "-", percent(1, 0))
}

func TestCompare(t *testing.T) {
	c := Compare(rows(), rows())
	require.Empty(t, c.Differences)
	require.Equal(t, []string{"host.bus=axi workload.sizes=4096 seed=1 (failed in A)", "host.bus=pcie workload.sizes=4096 seed=1 (missing in A)"}, c.OnlyA)
	require.ErrorContains(t, c.Beyond(1), "cannot be compared")

	a, b := rows()[:6], rows()[1:6]
	faster := *b[0].Measured
	faster.Rate *= 1.5
	faster.Lost, a[1].Measured.Lost = 7, 0
	b[0].Measured = &faster
	extra := b[4]
	extra.Seed = 2
	c = Compare(a, append(b, extra))
	require.Len(t, c.Differences, 2)
	require.Equal(t, "message_rate", c.Differences[0].Metric)
	require.InDelta(t, 0.5, c.Differences[0].Change, 1e-9)
	require.Equal(t, []string{"host.bus=axi workload.sizes=64 seed=1 (not in B)"}, c.OnlyA)
	require.Equal(t, []string{"host.bus=pcie workload.sizes=1024 seed=2"}, c.OnlyB)
	require.ErrorContains(t, c.Beyond(0.6), "lost of B is 7, of A 0")
	require.NotContains(t, c.Beyond(0.6).Error(), "message_rate")

	c = Compare(rows()[:1], rows()[3:4])
	require.Empty(t, c.OnlyA, "two single runs are compared whatever they are of")
	require.NotEmpty(t, c.Differences)
	var out bytes.Buffer
	require.NoError(t, c.Write(&out))
	require.Regexp(t, `message_rate +1 k +2 k +\+100\.00 % +host\.bus=axi workload\.sizes=64\n`, out.String())
}

func TestFigures(t *testing.T) {
	figures, err := Figures(rows(), Picture{})
	require.NoError(t, err)
	var names []string
	for _, f := range figures {
		names = append(names, f.Name)
	}
	require.Equal(t, usual, names)
	rate := figures[0]
	require.Equal(t, "workload.sizes", rate.XLabel, "a number is a better axis than a word")
	require.True(t, rate.LogX)
	require.Equal(t, []Line{
		{Name: "bus axi", Points: []XY{{64, 1000}, {256, 2000}, {1024, 3000}}},
		{Name: "bus pcie", Points: []XY{{64, 1000}, {256, 2000}, {1024, 3000}}},
	}, rate.Lines)
	require.Len(t, figures[2].Lines, 6, "three percentiles of two buses")
	require.Equal(t, "median bus axi", figures[2].Lines[0].Name)

	figures, err = Figures(rows(), Picture{X: "host.bus", Series: []string{}, Y: []string{"message_rate"}})
	require.NoError(t, err)
	require.Equal(t, []string{"axi", "pcie"}, figures[0].Ticks)
	require.Equal(t, []XY{{0, 2000}, {1, 2000}}, figures[0].Lines[0].Points, "points that differ in what is not shown are one, their mean")

	for _, p := range []Picture{{Y: []string{"speed"}}, {ClosedForm: "go_back_n", X: "host.bus"}, {ClosedForm: "other"}} {
		_, err := Figures(rows(), p)
		require.Error(t, err, "%+v", p)
	}
	_, err = Figures(rows()[:1], Picture{})
	require.ErrorContains(t, err, "there is no x axis")
}

// A goodput of go-back-N lies on its closed form.
func TestClosedForm(t *testing.T) {
	var all []Row
	for _, window := range []float64{4, 32} {
		for _, loss := range []float64{0.000001, 0.001, 0.01} {
			m := Measured{Goodput: 40e9 * goBackN(loss, window)}
			all = append(all, Row{Values: []Value{{"loss", plain(loss)}, {"depth", plain(window)}}, Status: OK, Measured: &m})
		}
	}
	figures, err := Figures(all, Picture{X: "loss", Series: []string{"depth"}, Y: []string{"goodput_gbps"}, ClosedForm: "go_back_n"})
	require.NoError(t, err)
	lines := figures[1].Lines
	require.Len(t, lines, 4)
	for i := 0; i < len(lines); i += 2 {
		require.True(t, lines[i+1].Dashed)
		for j := range lines[i].Points {
			require.InDelta(t, lines[i+1].Points[j].Y, lines[i].Points[j].Y, 1e-9)
		}
	}
	require.InDelta(t, 0.99/(0.99+0.32), lines[3].Points[2].Y, 1e-9)
}

// A plot is XML that a browser takes, with the names of its axes and lines, and always the same.
func TestSVG(t *testing.T) {
	figures, err := Figures(rows(), Picture{})
	require.NoError(t, err)
	for _, f := range figures {
		svg, err := SVG(f)
		require.NoError(t, err)
		d := xml.NewDecoder(bytes.NewReader(svg))
		for err == nil {
			_, err = d.Token()
		}
		require.ErrorIs(t, err, io.EOF)
		for _, want := range []string{f.Title, f.XLabel, f.YLabel, f.Lines[0].Name, ">256<"} {
			require.Contains(t, string(svg), want)
		}
		again, err := SVG(f)
		require.NoError(t, err)
		require.Equal(t, svg, again)
	}
}

// A page needs no other file, shows each row, and gives the command that runs a point again.
func TestPage(t *testing.T) {
	figures, err := Figures(rows(), Picture{})
	require.NoError(t, err)
	page, err := Page(Paper{Title: "a <b> study", Path: "my file.yaml", File: "nic: dc\n"}, rows(), figures)
	require.NoError(t, err)
	text := string(page)
	for _, want := range []string{
		"a &lt;b&gt; study", "6 of 8 points have a result", "1 failed", "1 are missing", "failed stuck", "go run ./cycle sweep &#39;my file.yaml&#39;",
		"go run ./cycle explain -set host.bus=axi -set workload.sizes=64 &#39;my file.yaml&#39;", "nic: dc",
	} {
		require.Contains(t, text, want)
	}
	require.Equal(t, len(figures), strings.Count(text, "<svg"))
	for _, outside := range []string{"src=", "href=\"http", "@import", "url(", "<script", "<?xml"} {
		require.NotContains(t, text, outside)
	}
}

func TestQuote(t *testing.T) {
	for word, want := range map[string]string{"a/b.yaml": "a/b.yaml", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "x[0]=1": "'x[0]=1'", "$x": "'$x'"} {
		require.Equal(t, want, Quote(word))
	}
}
