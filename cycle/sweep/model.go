package sweep

import (
	"sync"

	"gornic/cycle/config"
	"gornic/cycle/model"
)

// fingerprint changes whenever the model's results may.
var fingerprint = sync.OnceValues(model.Fingerprint)

// possible tells what would keep the model from running an experiment.
func possible(e config.Experiment) error { return e.Model.Validate(e.Workload) }
