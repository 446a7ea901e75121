package sweep

import (
	"gornic/cycle/report"
)

// Collect brings the points of a plan and their results together: a row for each point, also for one that failed or
// has no result.
func Collect(p *Plan, s *Store) ([]report.Row, error) {
	rows := make([]report.Row, 0, len(p.Points))
	for _, point := range p.Points {
		row := report.Row{Point: point.Number, Key: point.Key, Seed: point.Experiment.Seed, Status: report.Missing}
		for _, f := range p.Fields {
			row.Values = append(row.Values, report.Value{Field: f, Text: point.Value(f)})
		}
		record, ok, err := s.Load(point.Key)
		switch {
		case err != nil:
			return nil, err
		case ok && record.Error != "":
			row.Status, row.Error = report.Failed, record.Error
		case ok:
			row.Status, row.Measured = report.OK, record.Result
		}
		rows = append(rows, row)
	}
	return rows, nil
}
