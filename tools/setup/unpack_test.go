package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What apt-get would install is fetched in the versions that it would install.
func TestInstalls(t *testing.T) {
	text := `Reading package lists...
Inst libmunge2 (0.5.15-2+deb12u1 Debian:12.15/oldstable [amd64])
Inst zlib1g [1:1.2.13] (1:1.2.14 Debian:12.15/oldstable [amd64]) []
Conf libmunge2 (0.5.15-2+deb12u1 Debian:12.15/oldstable [amd64])
`
	var all []string
	for _, m := range installs.FindAllStringSubmatch(text, -1) {
		all = append(all, m[1]+"="+m[2])
	}
	require.Equal(t, []string{"libmunge2=0.5.15-2+deb12u1", "zlib1g=1:1.2.14"}, all)
}
