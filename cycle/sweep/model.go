package sweep

import (
	"fmt"

	"gornic/cycle/config"
)

// fingerprint changes whenever the model's results may.
func fingerprint() string { return "none yet" }

// possible tells what would keep the model from running an experiment.
func possible(e config.Experiment) error {
	if n := e.Workload.Connections(); n > e.Model.NIC.QPs {
		return fmt.Errorf("the workload has %d queue pairs at each host: expected at most nic.qps, %d", n, e.Model.NIC.QPs)
	}
	return nil
}
