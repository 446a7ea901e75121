package pingpong

import (
	"encoding/hex"
	"fmt"
	"io"
	"net/netip"
	"strconv"
	"strings"
)

// An address is what one end tells the other of its queue pair.
type address struct {
	qpn, psn uint32
	gid      netip.Addr
}

// addressBytes is the length of an address as text, with the zero byte of C behind it.
const addressBytes = len("0000:000000:000000:") + 32 + 1

// text is the address as ibv_rc_pingpong prints it: LID (which RoCE does not have), QPN, PSN and GID in hexadecimal.
func (a address) text() []byte {
	gid := a.gid.As16()
	return append(fmt.Appendf(nil, "%04x:%06x:%06x:%s", 0, a.qpn, a.psn, hex.EncodeToString(gid[:])), 0)
}

func parse(text []byte) (address, error) {
	fields := strings.Split(strings.TrimRight(string(text), "\x00"), ":")
	if len(fields) != 4 {
		return address{}, fmt.Errorf("pingpong: %q is no address of a queue pair", text)
	}
	var numbers [3]uint32
	for i := range numbers {
		n, err := strconv.ParseUint(fields[i], 16, 24)
		if err != nil {
			return address{}, fmt.Errorf("pingpong: %q: %w", text, err)
		}
		numbers[i] = uint32(n)
	}
	gid, err := hex.DecodeString(fields[3])
	if err != nil || len(gid) != 16 {
		return address{}, fmt.Errorf("pingpong: %q has no GID", text)
	}
	return address{numbers[1], numbers[2], netip.AddrFrom16([16]byte(gid)).Unmap()}, nil
}

// done is what a client says last, with the zero byte of C behind it.
const done = "done\x00"

// tell exchanges addresses, the client's first. The server's queue pair has to be ready when the client learns of it: it gets
// ready in connect, which each end calls with the other's address.
func tell(wire io.ReadWriter, server bool, own address, connect func(peer address) error) error {
	hear := func(n int) ([]byte, error) {
		text := make([]byte, n)
		_, err := io.ReadFull(wire, text)
		return text, err
	}
	say := func(text []byte) error {
		_, err := wire.Write(text)
		return err
	}
	if !server {
		if err := say(own.text()); err != nil {
			return err
		}
	}
	text, err := hear(addressBytes)
	if err != nil {
		return err
	}
	peer, err := parse(text)
	if err != nil {
		return err
	}
	if err := connect(peer); err != nil {
		return err
	}
	if !server {
		return say([]byte(done))
	}
	if err := say(own.text()); err != nil {
		return err
	}
	_, err = hear(len(done))
	return err
}
