package rxbuffer_test

import (
	"testing"

	"pgregory.net/rapid"

	"gornic/blocks/rxbuffer"
	"gornic/format"
)

type descriptor = format.RxDescriptor[uint64]

func TestModel(t *testing.T) {
	m := rxbuffer.NewModel(8, 4, 3)
	steps := []struct {
		psn   uint64
		bytes int
		in    format.Reason
		want  format.Reason
		used  int
	}{
		{1, 9, format.ReasonOK, format.ReasonOK, 2},
		{2, 16, format.ReasonICRC, format.ReasonICRC, 2},
		{3, 17, format.ReasonOK, format.ReasonBufferFull, 2},
		{4, 17, format.ReasonICRC, format.ReasonICRC, 2},
		{5, 16, format.ReasonOK, format.ReasonOK, 4},
		{6, 1, format.ReasonOK, format.ReasonBufferFull, 4},
		{7, 0, format.ReasonOK, format.ReasonOK, 4},
		{8, 0, format.ReasonOK, format.ReasonBufferFull, 4}, // three descriptors
	}
	for _, s := range steps {
		got := m.Write(descriptor{PSN: s.psn}, make([]byte, s.bytes), s.in)
		if got != s.want || m.Used() != s.used {
			t.Errorf("packet %d: %v, %d beats in use; want %v, %d", s.psn, got, m.Used(), s.want, s.used)
		}
	}
	for _, psn := range []uint64{1, 5, 7} {
		if e, ok := m.Read(); !ok || e.Descriptor.PSN != psn {
			t.Errorf("read packet %d, %v; want %d", e.Descriptor.PSN, ok, psn)
		}
	}
	if _, ok := m.Read(); ok || m.Used() != 0 {
		t.Errorf("not empty: %d beats", m.Used())
	}
	want := rxbuffer.Counters{Stored: 3, Full: 3, Refused: 2, Highest: 4}
	if got := m.Counters(); got != want {
		t.Errorf("counters %+v, want %+v", got, want)
	}
}

// Whatever comes, packets leave in order and unchanged, room is never exceeded,
// and each packet is counted once.
func TestModelAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		beats := rapid.IntRange(1, 20).Draw(t, "beats")
		m := rxbuffer.NewModel(8, beats, 4)
		var stored []uint64
		writes := uint64(0)
		for range rapid.IntRange(0, 50).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "read") {
				e, ok := m.Read()
				if ok != (len(stored) > 0) || ok && e.Descriptor.PSN != stored[0] {
					t.Fatalf("read %d, %v; stored %v", e.Descriptor.PSN, ok, stored)
				}
				if ok {
					stored = stored[1:]
				}
				continue
			}
			n := rapid.IntRange(0, 100).Draw(t, "bytes")
			writes++
			if m.Write(descriptor{PSN: writes}, make([]byte, n), format.ReasonOK) == format.ReasonOK {
				stored = append(stored, writes)
			}
			if m.Used() > beats || len(stored) > 4 {
				t.Fatalf("%d beats, %d packets", m.Used(), len(stored))
			}
		}
		if c := m.Counters(); c.Stored+c.Full != writes {
			t.Fatalf("%+v after %d writes", c, writes)
		}
	})
}
