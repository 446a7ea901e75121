package resend_test

import (
	"testing"

	"gornic/blocks/link"
	"gornic/blocks/resend"
	"gornic/hdl/hdltest"
)

func TestBuild(t *testing.T) {
	for _, w := range []int{64, 128, 256, 512} {
		hdltest.Build(t, resend.Def(resend.Params{Sizes: link.Sizes{DataWidth: w, QPBits: 2, CQBits: 2, ReplayBits: 3}}))
	}
}
