package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"

	"gornic/configs"
	"gornic/cycle/calibrate/record"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
	"gornic/tb/workload"
)

func main() {
	file := flag.String("events", "", "")
	config := flag.String("config", "dc", "")
	lat := flag.Int("latency", 0, "")
	wire := flag.Int("wire", 0, "")
	native := flag.Bool("native", false, "")
	streams := flag.Bool("streams", false, "")
	js := flag.Bool("json", false, "")
	flag.Parse()
	ctx := context.Background()
	if flag.NArg() > 0 {
		fmt.Println(hopsMain(ctx, flag.Args()))
		return
	}
	must := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	w, err := workload.Load(*file)
	must(err)
	c, err := configs.Load(*config)
	must(err)
	s := verilator.Simulator
	if *native {
		s = sim.NativeSimulator
	}
	d := record.Ports
	if *streams {
		d = record.Streams
	}
	p, err := record.Prepare(ctx, c, s, d, nil)
	must(err)
	log, err := p.Run(ctx, w, record.Options{Seed: 1, Latency: *lat, Wire: *wire})
	must(err)
	if *streams {
		for i := range log.Streams {
			for _, e := range log.Streams[i] {
				if e.Cycle+5 >= log.Begin {
					fmt.Println(i, e)
				}
			}
		}
		return
	}
	for _, e := range log.Events {
		if *js {
			json.NewEncoder(os.Stdout).Encode(e)
			continue
		}
		fmt.Printf("%7d %d %-10v qp=%d wqe=%d psn=%d op=%#x bytes=%d\n", e.Cycle-int64(log.Begin), e.Node, e.Kind, e.QP, e.WQE, e.PSN, e.Opcode, e.Bytes)
	}
}
