package compare

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/cycle/model"
)

// rang is a doorbell and the completion of what it rang for.
func rang(at, took int64, wqe int) []model.Event {
	return []model.Event{{Cycle: at, Kind: model.Doorbell, WQE: wqe}, {Cycle: at + took, Kind: model.CQE, WQE: wqe}}
}

// Cycles count from the first doorbell of each side, and a packet that comes again is another event.
func TestEvents(t *testing.T) {
	rtl := append(rang(100, 50, 0), model.Event{Cycle: 160, Kind: model.FirstOut, PSN: 3}, model.Event{Cycle: 190, Kind: model.FirstOut, PSN: 3})
	same := append(rang(7, 50, 0), model.Event{Cycle: 67, Kind: model.FirstOut, PSN: 3}, model.Event{Cycle: 97, Kind: model.FirstOut, PSN: 3, WQE: 9})
	require.NoError(t, Events(rtl, same).Err(0))

	late := append(rang(7, 50, 0), model.Event{Cycle: 67, Kind: model.FirstOut, PSN: 3}, model.Event{Cycle: 100, Kind: model.FirstOut, PSN: 3})
	c := Events(rtl, late)
	require.NoError(t, c.Err(3))
	require.ErrorContains(t, c.Err(2), "cycle 90 in the RTL, 93 in the model")
	worst, ok := c.Worst()
	require.True(t, ok)
	require.EqualValues(t, 3, worst.Error())

	require.ErrorContains(t, Events(rtl, rang(7, 50, 0)).Err(9), "2 events of the RTL are not in the model")
	require.ErrorContains(t, Events(rang(7, 50, 0), rtl).Err(9), "2 events of the model are not in the RTL")
}

func TestSummarize(t *testing.T) {
	var events []model.Event
	for i := range 100 {
		events = append(events, rang(int64(1000*i), int64(10+i), i)...)
	}
	s := Summarize(events)
	require.Equal(t, Summary{Cycles: 99*1000 + 109, Messages: 100, Mean: 59.5, P50: 59, P99: 108}, s)
	require.Equal(t, Summary{}, Summarize(nil))
}
