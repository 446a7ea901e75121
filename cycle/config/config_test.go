package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/configs"
	"gornic/cycle/model"
	"gornic/tb/workload"
)

const good = `title: small WRITEs
nic: dc
workload: small
seed: 7
warmup: 10
clock_mhz: 322
host:
  bus: pcie
  pcie: {gen: 5, latency_ns: 800}
link: {gbps: 100.5}
dcqcn: {enabled: true}
`

func TestExperiment(t *testing.T) {
	f, err := Parse("x/e.yaml", []byte(good))
	require.NoError(t, err)
	require.Equal(t, "small WRITEs", f.Title)
	e, err := f.Experiment()
	require.NoError(t, err)
	nic, err := configs.Named("dc")
	require.NoError(t, err)
	work, err := workload.Load("small")
	require.NoError(t, err)
	want := model.Default(nic)
	want.ClockMHz, want.Host.Bus, want.Host.PCIe.Gen, want.Host.PCIe.Latency = 322, "pcie", 5, 800
	want.Link.Gbps, want.DCQCN.Enabled = 100.5, true
	require.Equal(t, Experiment{Model: want, Workload: work, Seed: 7, Warmup: 10}, e)
}

// A file names a configuration and a workload, changes some of their values, or has them in place.
func TestSections(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	_, tiny, err := configs.Read("tiny")
	require.NoError(t, err)
	write("mine.yaml", strings.Replace(string(tiny), "qps:            4", "qps: 8", 1))
	write("work.yaml", "direction: both\nmessages: 3\nqueue_pairs: [{count: 1, path_mtu: 256, ip: 4}]\noperations: {read: 1}\nsizes: 9\n")
	for _, c := range []struct {
		name, text    string
		qps, messages int
	}{
		{"named", "workload: bulk\n", 64, 1000},
		{"files beside it", "nic: mine.yaml\nworkload: work.yaml\n", 8, 3},
		{"changed", "nic: {base: mine.yaml, qps: 16}\nworkload: {base: work.yaml, messages: 4}\n", 16, 4},
		{"in place", "nic: tiny\nworkload:\n  direction: both\n  messages: 5\n  queue_pairs: [{count: 1, path_mtu: 256, ip: 4}]\n  operations: {read: 1}\n  sizes: 9\n", 4, 5},
	} {
		f, err := Load(write("e.yaml", c.text))
		require.NoError(t, err, c.name)
		e, err := f.Experiment()
		require.NoError(t, err, c.name)
		require.Equal(t, c.qps, e.Model.NIC.QPs, c.name)
		require.Equal(t, c.messages, e.Workload.Messages, c.name)
	}
	_, err = Load(filepath.Join(dir, "absent.yaml"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// Every mistake names file, line, field, what was expected, and the nearest field.
func TestMistakes(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"empty", good, "", "e.yaml:1: a list of `field: value` lines was expected"},
		{"no YAML", good, "a: [", "e.yaml:1: did not find expected node content"},
		{"a list", good, "- 1", "e.yaml:1: a list: a list of `field: value` lines was expected"},
		{"unknown field", "warmup:", "warmpu:", "e.yaml:5: warmpu: unknown field: expected one of title, nic, workload, sweep, plot, seed, warmup, clock_mhz, caches, host, link, retry, dcqcn; did you mean warmup?"},
		{"nested", "latency_ns", "latency", "e.yaml:9: host.pcie.latency: unknown field: expected one of gen, lanes, mps, mrrs, rcb, tags, posted, nonposted, latency_ns, jitter_ns, tail_per_mille, tail_ns; did you mean latency_ns?"},
		{"twice", "seed: 7", "seed: 7\nseed: 8", "e.yaml:5: seed: given twice: first on line 4"},
		{"nested twice", "{gen: 5,", "{gen: 5, gen: 4,", "e.yaml:9: host.pcie.gen: given twice: first on line 9"},
		{"no number", "322", "fast", `e.yaml:6: clock_mhz: "fast" is not a whole number: expected a number from 1 to 10000`},
		{"a fraction", "322", "322.5", `e.yaml:6: clock_mhz: "322.5" is not a whole number`},
		{"too large", "322", "10001", "e.yaml:6: clock_mhz: 10001: expected a number from 1 to 10000"},
		{"no float", "100.5", ".nan", `e.yaml:10: link.gbps: ".nan" is not a number: expected a number from 0 to 10000`},
		{"not one of them", "gen: 5", "gen: 7", "e.yaml:9: host.pcie.gen: 7: expected 1, 2, 3, 4, 5 or 6"},
		{"a word", "bus: pcie", "bus: pci", `e.yaml:8: host.bus: "pci": expected axi or pcie; did you mean pcie?`},
		{"no bool", "true", "yes", `e.yaml:11: dcqcn.enabled: "yes": expected true or false`},
		{"a mapping for a number", "322", "{a: 1}", "e.yaml:6: clock_mhz: a mapping: expected a number from 1 to 10000"},
		{"a number for a mapping", "{gbps: 100.5}", "100", "e.yaml:10: link: \"100\": a list of `field: value` lines was expected"},
		{"an alias", "seed: 7", "seed: &a 7", "e.yaml:4: an anchor or alias: expected the value in place"},
		{"no workload", "workload: small\n", "", "e.yaml:1: workload: missing: expected bulk, lossy, mixed, remote, small, a file, or all of it in place"},
		{"an absent workload", "workload: small", "workload: smal", "e.yaml:3: workload: workload: open smal: no such file or directory"},
		{"an absent configuration", "nic: dc", "nic: cd", "e.yaml:2: nic: configuration: open cd: no such file or directory; nor is it one of board, dc, i5, i9, tiny"},
		{"a list for a workload", "workload: small", "workload: [small]", "e.yaml:3: workload: a list: expected bulk, lossy, mixed, remote, small, a file, or all of it in place"},
		{"workload in place", "workload: small", "workload: {base: small, mesages: 5}", "e.yaml:3: workload.mesages: unknown field: expected one of direction, messages,"},
		{"a value of the workload", "workload: small", "workload: {base: small, messages: 0}", "e.yaml:3: workload.messages: 0: expected a number from 1 to"},
		{"a value of the configuration", "nic: dc", "nic: {base: dc, qps: 3}", "e.yaml:2: nic.qps: 3: expected a power of two from 2 to 65536"},
		{"title", "small WRITEs", "[a]", "e.yaml:1: title: a list: a line of text was expected"},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Contains(t, good, c.old)
			f, err := Parse("e.yaml", []byte(strings.Replace(good, c.old, c.new, 1)))
			if err == nil {
				_, err = f.Experiment()
			}
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "\n", "one mistake")
		})
	}
}

// Other values for some fields, and the places of their mistakes.
func TestWith(t *testing.T) {
	f, err := Parse("e.yaml", []byte(good))
	require.NoError(t, err)
	with := func(text string) (Experiment, error) {
		s, err := ParseSetting(text)
		require.NoError(t, err)
		return f.With([]Setting{s})
	}
	e, err := with("workload.queue_pairs[0].count=3")
	require.NoError(t, err)
	require.Equal(t, 3, e.Workload.QueuePairs[0].Count)
	e, err = with("workload.sizes={distribution: uniform, min: 1, max: 2}")
	require.NoError(t, err)
	require.Equal(t, workload.Uniform, e.Workload.Sizes.Distribution)
	e, err = with("nic.qps=2048")
	require.NoError(t, err)
	require.Equal(t, 2048, e.Model.NIC.QPs)
	e, err = with("caches.context.entries=256")
	require.NoError(t, err)
	require.Equal(t, 256, e.Model.Caches.Context.Entries)
	e, err = f.Experiment()
	require.NoError(t, err)
	require.Zero(t, e.Model.Caches.Context.Entries, "the file itself is as it was")

	for text, want := range map[string]string{
		"nic.qps=3":                     "-set nic.qps=3: nic.qps: 3: expected a power of two from 2 to 65536",
		"workload.messages=none":        `-set workload.messages=none: workload.messages: "none" is not a whole number`,
		"workload.queue_pairs.count=3":  "-set workload.queue_pairs.count=3: workload.queue_pairs.count: workload.queue_pairs is a list: expected workload.queue_pairs[0].count",
		"workload.queue_pairs[1].ip=4":  "workload.queue_pairs has 1 elements, from 0",
		"workload.messages.most=3":      `workload.messages is "200", which has no fields`,
		"workload.messages[0]=3":        "workload.messages is no list",
		"host.pcie.latency=3":           "-set host.pcie.latency=3: host.pcie.latency: unknown field: expected one of gen,",
		"worklod.messages=3":            "worklod.messages: unknown field: expected one that begins with nic, workload, seed, warmup, clock_mhz, caches, host, link, retry, dcqcn; did you mean workload?",
		"host..pcie=3":                  "host..pcie: not a field: expected something like host.pcie.latency_ns",
		"workload.queue_pairs[x].ip=4":  "not a field",
		"workload.queue_pairs[0.ip=4":   "not a field",
		"workload.queue_pairs[0]x.ip=4": "not a field",
		"workload.sizes=[1, -1]":        "-set workload.sizes=[1, -1]: workload.sizes[1]: -1: expected a number from 0 to",
	} {
		_, err := with(text)
		require.ErrorContains(t, err, want, text)
	}
	for _, text := range []string{"", "seed", "seed=", "=3", "seed=[", "seed=a: b: c"} {
		_, err := ParseSetting(text)
		require.Error(t, err, text)
	}
}

// The table has a line for each field of the Go types, and no other.
func TestFields(t *testing.T) {
	want := leaves(reflect.TypeFor[run](), "")
	want = append(want, leaves(reflect.TypeFor[model.Config](), "")...)
	var have []string
	for _, f := range Fields() {
		have = append(have, f.Path)
		require.NotEmpty(t, f.Doc, f.Path)
		require.NotEmpty(t, f.Want, f.Path)
	}
	require.Equal(t, want, have)
}

// What model.Default says is within the limits.
func TestDefaultsAreWithinLimits(t *testing.T) {
	f, err := Of("small", "board")
	require.NoError(t, err)
	e, err := f.Experiment()
	require.NoError(t, err)
	for path, v := range values(reflect.ValueOf(e.Model), "") {
		if v.Kind() == reflect.Bool {
			continue
		}
		var s Setting
		s, err = ParseSetting(path + "=" + shownValue(v))
		require.NoError(t, err)
		_, err = f.With([]Setting{s})
		require.NoError(t, err, path)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte("workload: {base: small, queue_pairs: [{}]}\nnic: {base: tiny}\nsweep: 1\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if file, err := Parse("e.yaml", text); err == nil {
			_, _ = file.Experiment()
		}
	})
}
