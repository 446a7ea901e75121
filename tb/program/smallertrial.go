package program

import "slices"

// fewerTrials are programs with no trials, with those alone, and with less of them.
func (p Program) fewerTrials() []Program {
	a := p.Acts[0]
	if len(a.Trials) == 0 {
		return nil
	}
	var all []Program
	if len(a.Connections)+len(a.Races) > 0 {
		alone, beside := a, a
		alone.Connections, alone.Races, beside.Trials = nil, nil, nil
		all = append(all, p.with(beside), p.with(alone))
	}
	for i := range a.Trials {
		if len(a.Trials) > 1 {
			all = append(all, p.with(a.withTrials(slices.Delete(slices.Clone(a.Trials), i, i+1))))
		}
		for _, t := range a.Trials[i].smaller() {
			changed := slices.Clone(a.Trials)
			changed[i] = t
			all = append(all, p.with(a.withTrials(changed)))
		}
	}
	return all
}

func (a Act) withTrials(t []Trial) Act {
	a.Trials = t
	return a
}

// smaller are trials with a round less, or with less messages in one.
func (t Trial) smaller() []Trial {
	var all []Trial
	for k, r := range t.Rounds {
		if len(t.Rounds) > 1 {
			less := t
			less.Rounds = slices.Delete(slices.Clone(t.Rounds), k, k+1)
			all = append(all, less)
		}
		for end := range r.Ends {
			n := len(r.Ends[end].Messages)
			for _, keep := range slices.Compact([]int{0, n / 2, n - 1}) {
				if keep < 0 || keep >= n {
					continue
				}
				less := t
				less.Rounds = slices.Clone(t.Rounds)
				less.Rounds[k].cut(end, keep)
				all = append(all, less)
			}
		}
	}
	return all
}

// better are programs whose wire has a fault less.
func (p Program) better() []Program {
	var all []Program
	for i := range p.Faults.Rules {
		less := p
		less.Faults.Rules = slices.Delete(slices.Clone(p.Faults.Rules), i, i+1)
		all = append(all, less)
	}
	for i := range p.Faults.Outages {
		less := p
		less.Faults.Outages = slices.Delete(slices.Clone(p.Faults.Outages), i, i+1)
		all = append(all, less)
	}
	return all
}
