package model

import (
	"io/fs"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// The fingerprint covers every folder of the model, and is the same each time.
func TestFingerprint(t *testing.T) {
	a, err := Fingerprint()
	require.NoError(t, err)
	b, err := Fingerprint()
	require.NoError(t, err)
	require.Equal(t, a, b)
	require.Len(t, a, 64)
	folders, err := os.ReadDir(".")
	require.NoError(t, err)
	for _, f := range folders {
		if f.IsDir() {
			files, err := fs.ReadDir(source, f.Name())
			require.NoError(t, err, "a package of the model is not in its fingerprint")
			require.NotEmpty(t, files)
		}
	}
}
