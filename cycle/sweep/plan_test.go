package sweep

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/cycle/config"
)

// valuesOf are the values of a field at each point.
func valuesOf(p *Plan, field string) []string {
	var all []string
	for _, point := range p.Points {
		all = append(all, point.Value(field))
	}
	return all
}

func TestPlan(t *testing.T) {
	head := "workload: small\nseed: 5\nsweep:\n"
	for _, c := range []struct {
		name, block, field string
		want               []string
	}{
		{"a list", "  grid: {host.latency: [3, 1, 2]}\n", "host.latency", []string{"3", "1", "2"}},
		{"powers of two", "  grid: {host.latency: {log2: [1, 10]}}\n", "host.latency", []string{"1", "2", "4", "8"}},
		{"powers of ten", "  grid: {link.gbps: {log10: [0.01, 10]}}\n", "link.gbps", []string{"0.01", "0.1", "1", "10"}},
		{"steps", "  grid: {link.gbps: {from: 0.1, to: 0.4, step: 0.1}}\n", "link.gbps", []string{"0.1", "0.2", "0.3", "0.4"}},
		{"one step", "  grid: {host.latency: {from: 7, to: 7, step: 2}}\n", "host.latency", []string{"7"}},
		{"the last changes fastest", "  grid: {host.latency: [1, 2], host.pcie.tags: [3, 4]}\n", "host.pcie.tags", []string{"3", "4", "3", "4"}},
		{"and the first slowest", "  grid: {host.latency: [1, 2], host.pcie.tags: [3, 4]}\n", "host.latency", []string{"1", "1", "2", "2"}},
		{"side by side", "  zip: {host.latency: [1, 2], host.pcie.tags: [3, 4]}\n", "host.pcie.tags", []string{"3", "4"}},
		{"written out", "  list: [{host.latency: 1}, {host.pcie.tags: 3}]\n", "host.pcie.tags", []string{"", "3"}},
		{"seeds", "  seeds: 3\n", "seed", []string{"5", "6", "7"}},
		{"all of them", "  seeds: 2\n  list: [{host.latency: 1}]\n  zip: {host.pcie.gen: [3, 4]}\n", "host.pcie.gen", []string{"3", "4", "3", "4"}},
		{"values that are lists", "  grid: {workload.sizes: [[1, 2], 3]}\n", "workload.sizes", []string{"[1, 2]", "3"}},
		{"values that are mappings", "  grid: {workload.arrival: [{kind: every, cycles: 3}]}\n", "workload.arrival", []string{"{kind: every, cycles: 3}"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, valuesOf(planOf(t, head+c.block), c.field))
		})
	}
	require.Len(t, planOf(t, "workload: small\n").Points, 1, "without a sweep there is one run")
}

func TestPointsHaveTheirValues(t *testing.T) {
	p := planOf(t, file)
	require.Len(t, p.Points, 12)
	e := p.Points[7].Experiment
	require.Equal(t, []int{256}, e.Workload.Sizes.List)
	require.Equal(t, 8, e.Model.Host.Latency)
}

// What cannot be run is an error before anything is run.
func TestPlanMistakes(t *testing.T) {
	for _, c := range []struct{ name, block, want string }{
		{"no mapping", " 3\n", "e.yaml:3: sweep: expected a mapping of some of grid, zip, list, seeds"},
		{"unknown block", "\n  gird: {host.latency: [1]}\n", "e.yaml:4: sweep.gird: unknown field: expected one of grid, zip, list, seeds; did you mean grid?"},
		{"twice", "\n  seeds: 1\n  seeds: 2\n", "e.yaml:5: sweep.seeds: given twice"},
		{"no values", "\n  grid: {host.latency: 3}\n", "e.yaml:4: sweep.grid.host.latency: expected a list of values, or a range: {from: 1, to: 9, step: 2}"},
		{"an empty list", "\n  grid: {host.latency: []}\n", "e.yaml:4: sweep.grid.host.latency: expected a list of values"},
		{"an unknown range", "\n  grid: {host.latency: {log3: [1, 9]}}\n", "sweep.grid.host.latency.log3: unknown field: expected one of from, to, step, log2, log10; did you mean log2?"},
		{"half a range", "\n  grid: {host.latency: {from: 1, to: 2}}\n", "sweep.grid.host.latency: expected from, to and step, or log2, or log10"},
		{"upside down", "\n  grid: {host.latency: {from: 2, to: 1, step: 1}}\n", "from 2 to 1 by 1: expected a step above 0, a first value that is not the larger"},
		{"no step", "\n  grid: {host.latency: {from: 1, to: 2, step: 0}}\n", "expected a step above 0"},
		{"powers of nothing", "\n  grid: {host.latency: {log2: [0, 4]}}\n", "from 0 to 4: expected two values above 0"},
		{"powers of a word", "\n  grid: {host.latency: {log2: [a, 4]}}\n", `"a" is not a number`},
		{"one end", "\n  grid: {host.latency: {log2: 4}}\n", "expected the first and the last value: [1, 1024]"},
		{"unequal", "\n  zip:\n    host.latency: [1, 2]\n    host.pcie.tags: [3]\n", "e.yaml:6: sweep.zip.host.pcie.tags: 1 values: expected as many as those of host.latency, 2"},
		{"swept twice", "\n  grid: {host.latency: [1]}\n  zip: {host.latency: [2]}\n", "e.yaml:5: sweep.zip: host.latency is swept twice"},
		{"seeds twice", "\n  grid: {seed: [1]}\n  seeds: 2\n", "seed is swept twice"},
		{"no seeds", "\n  seeds: 0\n", "e.yaml:4: sweep.seeds: expected a number from 1 to"},
		{"no list", "\n  list: {host.latency: 1}\n", "e.yaml:4: sweep.list: expected a list of mappings from field to value"},
		{"a list of numbers", "\n  list: [1]\n", "e.yaml:4: sweep.list[0]: expected a mapping of fields"},
		{"too many", "\n  grid: {host.latency: {from: 1, to: 9999, step: 1}, link.latency: {from: 1, to: 9999, step: 1}}\n", "e.yaml:4: sweep: more than 100000 points"},
		{"an unknown field", "\n  grid: {host.latncy: [1]}\n", "e.yaml:4: host.latncy: unknown field: expected one of bus, latency,"},
		{"no field of a workload", "\n  grid:\n    workload.queue_pairs[0].cuont: [1]\n", "e.yaml:5: workload.queue_pairs[0].cuont: unknown field: expected one of count, path_mtu,"},
		{"an impossible value", "\n  grid:\n    nic.qps: [64, 128]\n    host.pcie.gen: [4, 7]\n", "e.yaml:6: host.pcie.gen: 7: expected 1, 2, 3, 4, 5 or 6\n2 of 4 points cannot be run"},
		{"values that do not go together", "\n  grid:\n    workload.queue_pairs[0].count: [16, 128]\n", "e.yaml:4: workload.queue_pairs[0].count=128: nic.qps: the workload has 128 queue pairs at one host, the core 64\n1 of 2 points cannot be run"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := config.Parse("e.yaml", []byte("nic: board\nworkload: small\nsweep:"+c.block))
			require.NoError(t, err)
			_, err = NewPlan(t.Context(), f, nil)
			require.ErrorContains(t, err, c.want)
		})
	}
}

// A mistake of many points is told once, and not too many are told.
func TestMistakesAreToldOnce(t *testing.T) {
	f, err := config.Parse("e.yaml", []byte("workload: small\nsweep:\n  grid: {host.pcie.gen: [11, 12, 13, 14, 15, 16, 17], seed: [1, 2, 3]}\n"))
	require.NoError(t, err)
	_, err = NewPlan(t.Context(), f, nil)
	lines := strings.Split(err.Error(), "\n")
	require.Len(t, lines, tellMistakes+2)
	require.Equal(t, "and 2 other mistakes", lines[tellMistakes])
	require.Equal(t, "21 of 21 points cannot be run", lines[tellMistakes+1])
}

// A result's name depends on all that the result depends on, and on nothing else.
func TestKey(t *testing.T) {
	keyOf := func(text string) string { return planOf(t, text).Points[0].Key }
	base := keyOf("nic: board\nworkload: small\n")
	require.Len(t, base, 32)
	for _, other := range []string{
		"nic: dc\nworkload: small\n", "workload: bulk\n", "workload: small\nseed: 2\n", "workload: small\nwarmup: 1\n",
		"workload: small\nhost: {latency: 1}\n", "workload: {base: small, messages: 201}\n", "nic: {base: board, qps: 128}\nworkload: small\n",
	} {
		require.NotEqual(t, base, keyOf(other), other)
	}
	for _, same := range []string{
		"workload: small\n", "title: x\nworkload: {base: small, messages: 200}\n", "workload: small\nsweep: {grid: {host.latency: [0]}}\n",
	} {
		require.Equal(t, base, keyOf(same), same)
	}
}

func TestParseShard(t *testing.T) {
	s, err := ParseShard("2/3")
	require.NoError(t, err)
	require.Equal(t, Shard{2, 3}, s)
	for _, text := range []string{"", "1", "0/3", "4/3", "a/3", "1/b", "1/0", "-1/2"} {
		_, err := ParseShard(text)
		require.ErrorContains(t, err, "expected i/n", text)
	}
}

func FuzzPlan(f *testing.F) {
	f.Add([]byte("workload: small\nsweep:\n  grid: {host.latency: {log2: [1, 4]}}\n  zip: {seed: [1]}\n  list: [{link.latency: 3}]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if file, err := config.Parse("e.yaml", text); err == nil {
			_, _ = NewPlan(t.Context(), file, nil)
		}
	})
}
