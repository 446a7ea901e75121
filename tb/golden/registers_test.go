package golden_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/configs"
	"gornic/format"
	"gornic/tb/golden"
)

// A doorbell counts from its object's page alone.
func TestDoorbells(t *testing.T) {
	q, _ := newTarget(t, qpConfig{sigAll: 1})
	s := q.s
	q.post(sendWR{id: 1, op: format.WRSend})
	refused := uint32(0)
	refuse := func(page, kind uint32, index uint16, number uint64) {
		t.Helper()
		refused++
		s.doorbell(page, kind, index, number)
		require.Equal(t, refused, s.nic.Counter(format.CntBadDoorbell))
		require.Empty(t, q.drain())
	}
	refuse(testPage+1, format.DoorbellSQ, 1, q.number)
	refuse(0, format.DoorbellSQ, 1, q.number)
	refuse(16, format.DoorbellSQ, 1, q.number)
	refuse(testPage, format.DoorbellSQ, 1, q.number^1<<15) // an old tag
	refuse(testPage, format.DoorbellSQ, 1, q.number+1)
	refuse(testPage, 0x18, 1, q.number)
	refuse(testPage, 2, 1, q.number)
	refuse(testPage, format.DoorbellEQ, 0, 0)
	refuse(0, format.DoorbellEQ, 0, 5)
	refuse(testPage, format.DoorbellCQ, 0, 50)
	refuse(testPage+1, format.DoorbellArm, 0, q.sendCQ.number)

	s.doorbell(testPage, format.DoorbellArm, 1, q.sendCQ.number) // there is no CQE that it could have seen
	s.doorbell(testPage, format.DoorbellSQ, 17, q.number)        // 16 WQEs fit
	require.Empty(t, q.drain(), "an index that the ring cannot have")
	s.doorbell(testPage, format.DoorbellSQ, 1, q.number)
	require.Equal(t, []string{"SEND_ONLY 0x64 A"}, q.drain())
	s.doorbell(testPage, format.DoorbellSQ, 0, q.number)
	s.doorbell(testPage, format.DoorbellSQ, 1, q.number)
	require.Empty(t, q.drain(), "back and forth posts nothing")
	q.inject(ack(0, 0))
	require.Empty(t, s.events(), "nothing is armed")
	require.Equal(t, refused, s.nic.Counter(format.CntBadDoorbell))
}

func TestRegisters(t *testing.T) {
	s := newStation(t, 0x42, golden.DefaultConfig())
	read := s.nic.ReadRegister
	require.Equal(t, uint32(format.DeviceID), read(format.RegID))
	require.Equal(t, uint32(format.VersionMajor<<16|format.VersionMinor), read(format.RegVersion))
	require.Equal(t, uint32(5<<28|6<<24|3<<16|6<<8|6), read(format.RegCaps0))
	require.Equal(t, uint32(64<<16|16), read(format.RegCaps1))
	require.Equal(t, uint32(16<<8|format.CapsCongestion), read(format.RegCaps2))
	require.Equal(t, uint32(1), read(format.RegStatus))
	require.Equal(t, uint32(0x42), read(format.RegMACLow))
	require.Equal(t, uint32(0x0200), read(format.RegMACHigh))
	require.Zero(t, read(format.RegMailboxGo))
	require.Zero(t, read(0xFFC))
	require.Zero(t, read(2))
	s.nic.WriteRegister(format.RegID, 0)
	s.nic.WriteRegister(format.RegKeyLogSize, 99)
	require.Equal(t, uint32(format.DeviceID), read(format.RegID))
	require.Equal(t, uint32(24), read(format.RegKeyLogSize))
	s.nic.WriteRegister(format.RegModeration, 1234)
	require.Equal(t, uint32(1234), read(format.RegModeration))
	s.nic.WriteRegister(format.RegMailboxGo, 0x105) // no command, whatever its low byte
	require.Equal(t, uint32(format.CmdBadCommand), read(format.RegMailboxDone))
	require.Zero(t, s.nic.Counter(-1))
	require.Zero(t, s.nic.Counter(99))
}

// A NIC of each configuration of the core says what the core would.
func TestConfigOf(t *testing.T) {
	core, err := configs.Named("tiny")
	require.NoError(t, err)
	nic := golden.NewNIC(golden.ConfigOf(core), nil)
	require.Equal(t, uint32(1<<28|3<<24|1<<16|2<<8|2), nic.ReadRegister(format.RegCaps0))
	require.Equal(t, uint32(8<<16|16), nic.ReadRegister(format.RegCaps1))
	require.Equal(t, uint32(2<<8|format.CapsCongestion), nic.ReadRegister(format.RegCaps2))
	core.Congestion = 0
	require.Equal(t, uint32(2<<8), golden.NewNIC(golden.ConfigOf(core), nil).ReadRegister(format.RegCaps2))
	nic = golden.NewNIC(golden.Config{LogQPs: 99, Replay: 1 << 20, PathMTU: 1, DataWidth: 1}, nil)
	require.Equal(t, uint32(1<<28|3<<24|16), nic.ReadRegister(format.RegCaps0))
	require.Equal(t, uint32(255<<16|1), nic.ReadRegister(format.RegCaps1))
}

// A device that is not enabled neither takes nor sends a frame.
func TestDisabled(t *testing.T) {
	q, _ := newTarget(t, qpConfig{})
	q.s.nic.WriteRegister(format.RegControl, 0)
	q.send(sendWR{op: format.WRSend})
	require.Empty(t, q.inject(packetSpec{op: format.OpWriteOnly, a: 1}))
	q.s.nic.SendRaw([]byte("frame"))
	require.Empty(t, q.frames())
	require.Zero(t, q.s.nic.Counter(format.CntRxAccepted))
	q.s.nic.WriteRegister(format.RegControl, format.ControlEnable)
	require.Equal(t, []string{"SEND_ONLY 0x64 A"}, q.drain())
	q.s.nic.SendRaw([]byte("frame"))
	require.Equal(t, [][]byte{[]byte("frame")}, q.frames())
}
