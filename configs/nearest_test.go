package configs_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"gornic/configs"
)

func TestNearest(t *testing.T) {
	words := []string{"qps", "cqs", "path_mtu", "latency_ns", "keys_cached"}
	for word, want := range map[string]string{
		"path_mut": "path_mtu", "pathmtu": "path_mtu", "latency": "latency_ns", "keys": "", "colour": "", "cached_keys": "",
		"qp": "qps", "": "",
	} {
		if want != "" {
			want = "; did you mean " + want + "?"
		}
		assert.Equal(t, want, configs.Nearest(word, words), word)
	}
}
