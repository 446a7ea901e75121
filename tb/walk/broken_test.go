package walk

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/core"
	"gornic/configs"
	"gornic/hdl"
	"gornic/hdl/formal"
	"gornic/tb/rtl"
)

// With a defect in one block of both cores, a walk goes on as far as it can, and the facts
// that the defect belies are none; what it does not touch is seen.
func TestBrokenCores(t *testing.T) {
	for _, c := range []struct {
		walk   Walk
		defect hdl.Fault
		not    []int // facts that are none
		still  []int // facts that are seen all the same
	}{
		{W1, hdl.StuckAt1("u_requester.job_entry_signaled").As("every WQE is signaled"), []int{10}, []int{1, 2, 3, 4, 5, 6, 7, 8, 9}},
		{W1, hdl.StuckAt1("u_requester.job_ack_req").As("every packet asks for an ACK"), []int{9}, []int{1, 2, 3, 4, 5, 6, 7, 8}},
		{W1, hdl.Invert("u_ackqueue.ack_msn", 0).As("the MSN is another"), []int{9, 10}, []int{1, 2, 3, 4, 5, 6, 7, 8}},
		{W1, hdl.Invert("u_requester.job_dma_len", 12).As("the RETH has another length"), []int{4, 5}, []int{1, 3}},
		{W2, hdl.StuckAt0("u_doorbell.cq_arm").As("nobody can arm a CQ"), []int{7, 13}, []int{1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12}},
		{R1, hdl.Invert("u_resources.job_msn", 0).As("the MSN of responses is another"), []int{7, 8}, []int{1, 2, 3, 4, 5, 6}},
		{R2, hdl.Invert("u_requester.job_dma_len", 12).As("the RETH of a READ has another length"), []int{3, 4}, []int{1, 2}},
		{I1, hdl.Invert("u_requester.job_imm", 0).As("the IETH names another key"), []int{2, 5, 6}, []int{1}},
		{I1, hdl.Invert("u_ackqueue.completion_flags", 3).As("no flag tells of the invalidation"), []int{6}, []int{1, 2, 3, 4, 5}},
		{C1, hdl.Invert("u_ackqueue.completion_byte_len", 0).As("the byte count is one off"), []int{9}, []int{1, 2, 3, 4, 5, 6, 7, 8}},
	} {
		t.Run(c.walk.Name+" "+c.defect.Name, func(t *testing.T) {
			t.Parallel()
			r, err := Run(context.Background(), c.walk, Options{Config: tiny(t), Seed: 1, Build: broken(c.defect)})
			require.NoError(t, err)
			for _, n := range c.not {
				require.Falsef(t, r.Facts[n-1].OK, "%s.%d, %s: %s", r.Walk, n, r.Facts[n-1].Fact, r.Facts[n-1].Seen())
			}
			for _, n := range c.still {
				require.NoErrorf(t, r.Facts[n-1].Err, "%s.%d, %s", r.Walk, n, r.Facts[n-1].Fact)
			}
			require.ErrorContains(t, r.Err(), r.Walk+".")
		})
	}
}

// broken elaborates cores with a defect.
func broken(f hdl.Fault) func(configs.Config) (*hdl.Design, *core.IO, error) {
	return func(c configs.Config) (*hdl.Design, *core.IO, error) {
		design, io, err := rtl.Build(c)
		if err != nil {
			return nil, nil, err
		}
		return design, io, formal.Break(design, f)
	}
}
