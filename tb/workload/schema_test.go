package workload

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each field that a reader may ask for stands in a sample, in a form.
func TestSamplesHaveEveryField(t *testing.T) {
	all := asks{}
	for _, text := range samples {
		_, err := Parse("sample", []byte(text))
		require.NoError(t, err)
		all.merge(asksOf(text))
	}
	for path, a := range all {
		require.NotEmpty(t, a.kinds, "%s stands in no sample", path)
	}
	for path := range asksOf(good) {
		require.Contains(t, all, path)
	}
}

func TestSchema(t *testing.T) {
	text, err := json.Marshal(Schema())
	require.NoError(t, err)
	var s struct {
		Required   []string
		Additional bool `json:"additionalProperties"`
		Properties map[string]struct {
			Type  string
			Enum  []any
			AnyOf []struct {
				Type       string
				Properties map[string]any
				Required   []string
			}
			Properties map[string]any
			Required   []string
			Items      struct {
				Type       string
				Required   []string
				Properties map[string]struct {
					Enum             []any
					Type             string
					Minimum, Maximum float64
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal(text, &s))
	require.False(t, s.Additional)
	require.Equal(t, []string{"direction", "messages", "operations", "queue_pairs", "sizes"}, s.Required)
	require.Equal(t, []any{"a_to_b", "b_to_a", "both"}, s.Properties["direction"].Enum)
	qp := s.Properties["queue_pairs"].Items
	require.Equal(t, []string{"count", "ip", "path_mtu"}, qp.Required)
	require.Equal(t, []any{256.0, 512.0, 1024.0, 2048.0, 4096.0}, qp.Properties["path_mtu"].Enum)
	require.EqualValues(t, 64, qp.Properties["reads"].Maximum)
	require.Len(t, s.Properties["sizes"].AnyOf, 3, "a list, a distribution, a number")
	require.Len(t, s.Properties["batch"].AnyOf, 2)
	require.Equal(t, []string{"kind"}, s.Properties["arrival"].Required, "closed has no cycles")
	require.Contains(t, s.Properties["arrival"].Properties, "cycles")
	require.Equal(t, []string{"action"}, s.Properties["faults"].Items.Required)
	require.Contains(t, s.Properties["faults"].Items.Properties, "for_us")
	require.Equal(t, []string{"at_us", "for_us"}, s.Properties["outages"].Items.Required)
}
