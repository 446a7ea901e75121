package check

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestScan(t *testing.T) {
	got := scan([]byte("package p\nvar s = `//hdl:ignore latch a string`\nvar x = 1 //hdl:ignore  loop  because it is \nvar y //hdl:ignore"))
	assert.Equal(t, map[int]*ignore{
		3: {code: Loop, reason: "because it is"},
		4: {},
	}, got)
}
