package model

import (
	"context"

	"gornic/tb/workload"
)

func run(context.Context, Config, workload.Workload, Options) (*Result, error) {
	return nil, Unsupported{"engine yet"}
}
