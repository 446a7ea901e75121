// Package studies holds the studies of the cycle model: experiment files, their plots, and README.md, which says what each
// shows. The tests run some points of each, and hold what README.md says against them.
package studies

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/cycle/config"
	"gornic/cycle/report"
	"gornic/cycle/sweep"
)

// names are the files of the studies.
func names(t *testing.T) []string {
	t.Helper()
	all, err := filepath.Glob("*.yaml")
	require.NoError(t, err)
	require.Len(t, all, 9, "eight studies and a question")
	return all
}

// rowsOf runs the points of a study for which chosen is true, with other values for some fields.
func rowsOf(t *testing.T, name string, chosen func(sweep.Point) bool, sets ...string) []report.Row {
	t.Helper()
	file, err := config.Load(name)
	require.NoError(t, err)
	var settings []config.Setting
	for _, text := range sets {
		s, err := config.ParseSetting(text)
		require.NoError(t, err)
		settings = append(settings, s)
	}
	plan, err := sweep.NewPlan(t.Context(), file, settings)
	require.NoError(t, err)
	plan.Points = slices.DeleteFunc(plan.Points, func(p sweep.Point) bool { return !chosen(p) })
	store, err := sweep.Open(t.TempDir())
	require.NoError(t, err)
	r := sweep.Runner{Plan: plan, Store: store, Shard: sweep.Whole, Jobs: 2}
	_, err = r.Run(t.Context())
	require.NoError(t, err)
	rows, err := sweep.Collect(plan, store)
	require.NoError(t, err)
	for _, row := range rows {
		require.Equal(t, report.OK, row.Status, "%v: %s", row.Values, row.Error)
	}
	require.NotEmpty(t, rows)
	return rows
}

// Each file is right, its points can be run, and its plot is of fields that it sweeps.
func TestFiles(t *testing.T) {
	for _, name := range names(t) {
		file, err := config.Load(name)
		require.NoError(t, err)
		require.NotEmpty(t, file.Title, name)
		plan, err := sweep.NewPlan(t.Context(), file, nil)
		require.NoError(t, err, name)
		picture, err := file.Picture()
		require.NoError(t, err, name)
		if file.Sweep != nil {
			require.Contains(t, plan.Fields, picture.X, name)
			for _, f := range picture.Series {
				require.Contains(t, plan.Fields, f, name)
			}
		}
	}
}

// README.md has each study, and its pictures are there.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for _, name := range names(t) {
		require.Contains(t, string(text), "("+name+")")
	}
	links := regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(string(text), -1)
	for _, link := range links {
		if !strings.HasPrefix(link[1], "..") {
			require.FileExists(t, link[1])
		}
	}
	plots, err := filepath.Glob("plots/*.svg")
	require.NoError(t, err)
	for _, plot := range plots {
		require.Contains(t, string(text), "("+plot+")", "a plot that nobody shows")
	}
}

// value is that of a swept field of a row.
func value(r report.Row, field string) string {
	for _, v := range r.Values {
		if v.Field == field {
			return v.Text
		}
	}
	return ""
}

// at chooses points by the values of their fields.
func at(values map[string][]string) func(sweep.Point) bool {
	return func(p sweep.Point) bool {
		for field, some := range values {
			if !slices.Contains(some, p.Value(field)) {
				return false
			}
		}
		return true
	}
}

// Small messages cost what a message costs, long ones the wire.
func TestMessageRate(t *testing.T) {
	rows := rowsOf(t, "1_message_rate.yaml", at(map[string][]string{"workload.operations": {"{write: 1}"}, "workload.sizes": {"8", "64", "4096"}}), "workload.messages=200")
	require.InEpsilon(t, rows[0].Measured.Rate, rows[1].Measured.Rate, 0.02)
	require.Greater(t, rows[2].Measured.Goodput, 100e9)
}

// What is cached costs nothing, what is not costs reads of host memory.
func TestKeys(t *testing.T) {
	rows := rowsOf(t, "3_keys.yaml", at(map[string][]string{"host.regions": {"1", "64"}, "caches.keys.entries": {"16"}}), "workload.messages=200")
	require.Greater(t, rows[0].Measured.Rate, 4*rows[1].Measured.Rate)
}

// Twice as many READs outstanding bring twice the rate, as long as latency is what bounds it.
func TestReads(t *testing.T) {
	rows := rowsOf(t, "4_reads.yaml", at(map[string][]string{"host.pcie.latency_ns": {"800"}, "workload.queue_pairs[0].reads": {"1", "2", "4"}}), "workload.messages=300")
	for i := 1; i < len(rows); i++ {
		require.InEpsilon(t, 2, rows[i].Measured.Rate/rows[i-1].Measured.Rate, 0.1)
	}
}

// More pieces of a short message cost rate.
func TestSGEs(t *testing.T) {
	rows := rowsOf(t, "5_sges.yaml", at(map[string][]string{"workload.queue_pairs[0].send_sges": {"1", "6"}, "workload.sizes": {"64"}}), "workload.messages=200")
	require.Greater(t, rows[0].Measured.Rate, 1.5*rows[1].Measured.Rate)
}

// A batch saves doorbells, and the rate is the same.
func TestDoorbells(t *testing.T) {
	rows := rowsOf(t, "6_doorbells.yaml", at(map[string][]string{"workload.batch": {"1", "32"}, "workload.signaled": {"5"}}), "workload.messages=1000")
	require.Greater(t, rows[0].Measured.Doorbells, 5*rows[1].Measured.Doorbells)
	require.InEpsilon(t, rows[0].Measured.Rate, rows[1].Measured.Rate, 0.02)
}

// Losses leave what the closed form of go-back-N says.
func TestLoss(t *testing.T) {
	const depth, rate = "workload.queue_pairs[0].depth", "workload.faults[0].rate"
	rows := rowsOf(t, "7_loss.yaml", at(map[string][]string{depth: {"8", "32"}, rate: {"0.000001", "0.01"}}))
	for i := 0; i < len(rows); i += 2 {
		window := map[string]float64{"8": 8, "32": 32}[value(rows[i], depth)]
		want := 0.99 / (0.99 + 0.01*window)
		got := rows[i+1].Measured.Goodput / rows[i].Measured.Goodput
		require.Less(t, math.Abs(got/want-1), 0.1, "window %v: %v of the goodput, expected %v", window, got, want)
	}
}

// DCQCN keeps the queue short: half of the messages take less time.
func TestIncast(t *testing.T) {
	rows := rowsOf(t, "8_incast.yaml", at(map[string][]string{"link.senders": {"16"}}))
	without, with := rows[0].Measured, rows[1].Measured
	require.Equal(t, "false", value(rows[0], "dcqcn.enabled"))
	require.Zero(t, without.Marked)
	require.Positive(t, with.CNPs)
	require.Less(t, with.Latency.P50, without.Latency.P50)
	require.Less(t, with.Lost, without.Lost)
}

// The question has an answer, and the model says what bounds it.
func TestQuestion(t *testing.T) {
	rows := rowsOf(t, "question.yaml", func(sweep.Point) bool { return true }, "workload.messages=20")
	require.EqualValues(t, 1024*20, rows[0].Measured.Messages)
	require.True(t, strings.HasPrefix(rows[0].Measured.Bottleneck, "Bound by "))
}
