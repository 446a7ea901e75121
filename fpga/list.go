package main

import (
	"context"
	"flag"
	"fmt"
	"io"

	"gornic/fpga/board"
)

func listCommand(*flag.FlagSet) func(context.Context, io.Writer, io.Writer) error {
	return func(_ context.Context, stdout, _ io.Writer) error {
		const row = "%-7s %-24s %-14s %-6s %-10s %-10s %s\n"
		if _, err := fmt.Fprintf(stdout, row, "name", "board", "device", "grade", "core", "memory", "host over"); err != nil {
			return err
		}
		for _, b := range board.All() {
			core := fmt.Sprintf("%.4g MHz", float64(b.PLL.CoreHz())/1e6)
			memory := fmt.Sprintf("%d KiB", b.HostMemory>>10)
			if _, err := fmt.Fprintf(stdout, row, b.Name, b.Title, b.Device, fmt.Sprint(b.Speed), core, memory, hosts(b.Hosts)); err != nil {
				return err
			}
		}
		return nil
	}
}

func hosts(h board.Hosts) string {
	switch {
	case h.Serial && h.UDP:
		return "serial line, port 1"
	case h.UDP:
		return "port 1"
	}
	return "serial line"
}
