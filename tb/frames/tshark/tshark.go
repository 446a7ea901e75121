package tshark

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"gornic/tb/frames"
	"gornic/tools/toolset"
)

// Complaint is a frame that the dissector finds fault with, or does not take for a RoCEv2
// packet.
type Complaint struct {
	Number int // of the frame, from 1
	Text   string
}

func (c Complaint) String() string { return fmt.Sprintf("frame %d: %s", c.Number, c.Text) }

// warning is the severity of a warning among Wireshark's, which errors are above.
const warning = 0x600000

// guessers take payload for that of another protocol when its first bytes look like it,
// and then call it malformed; so does eth_over_ib, for what begins like an ethertype.
var guessers = []string{
	"smc", "smb_direct", "rpcordma", "nvme-rdma", "lnet", "iser", "infiniband.eoib", "infiniband_sdp", "fcoib", "drbd",
}

// arguments are those of tshark. A checksum of 0 over IPv6 is what RoCEv2 sends (protocol
// section 1.1). An IPv4 header's is checked.
func arguments(file string) []string {
	args := []string{
		"-n", "-r", file, "--disable-heuristic", "eth_over_ib", "-o", "udp.ignore_ipv6_zero_checksum:TRUE", "-o", "ip.check_checksum:TRUE", "-T", "fields", "-E", "separator=/t",
	}
	for _, name := range guessers {
		args = append(args, "--disable-protocol", name)
	}
	for _, field := range []string{"frame.number", "frame.protocols", "_ws.malformed", "_ws.expert.severity", "_ws.expert.message"} {
		args = append(args, "-e", field)
	}
	return args
}

// Complaints dissects frames, each of a RoCEv2 packet. The error wraps toolset.ErrAbsent
// where there is no tshark.
func Complaints(ctx context.Context, data [][]byte) ([]Complaint, error) {
	tool, err := toolset.Find(toolset.Tshark)
	if err != nil {
		return nil, err
	}
	file, err := os.CreateTemp("", "frames-*.pcap")
	if err != nil {
		return nil, err
	}
	defer os.Remove(file.Name())
	err = frames.WritePcap(file, data)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, err
	}
	out, err := run(tool.Command(ctx, arguments(file.Name())...))
	if err != nil {
		return nil, err
	}
	return judge(out, len(data))
}

// run returns what a command prints; its complaints about who runs it, say, are only of
// interest where it fails.
func run(cmd *exec.Cmd) (string, error) {
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("tshark: %w: %s", err, strings.TrimSpace(stderr.String()))
	}
	return stdout.String(), nil
}

// judge reads a line for each of n frames.
func judge(text string, n int) ([]Complaint, error) {
	var all []Complaint
	seen := 0
	for line := range strings.Lines(text) {
		seen++
		fields := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(fields) != 5 || fields[0] != strconv.Itoa(seen) {
			return nil, fmt.Errorf("tshark: line %d of its output is %q", seen, line)
		}
		if complaint := find(fields[1], fields[2], fields[3], fields[4]); complaint != "" {
			all = append(all, Complaint{seen, complaint})
		}
	}
	if seen != n {
		return nil, fmt.Errorf("tshark: %d of %d frames are dissected", seen, n)
	}
	return all, nil
}

// find says what is wrong with a frame, "" for nothing.
func find(protocols, malformed, severities, messages string) string {
	switch {
	case !slices.Contains(strings.Split(protocols, ":"), "infiniband"):
		return "no RoCEv2 packet: " + protocols
	case malformed != "":
		return "malformed: " + malformed + " " + messages
	}
	for severity := range strings.SplitSeq(severities, ",") {
		if n, err := strconv.ParseUint(severity, 0, 32); severity != "" && (err != nil || n >= warning) {
			return messages
		}
	}
	return ""
}
