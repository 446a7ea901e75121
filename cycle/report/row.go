package report

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
)

// Row is a point of a sweep, and what it measured.
type Row struct {
	Point    int       `json:"point"` // number, from 0
	Values   []Value   `json:"values"`
	Seed     uint64    `json:"seed"`
	Key      string    `json:"key"` // of its result file
	Status   Status    `json:"status"`
	Error    string    `json:"error,omitempty"`
	Measured *Measured `json:"result,omitempty"` // of a status OK alone
}

// Value is a swept field and its value at a point.
type Value struct {
	Field string `json:"field"`
	Text  string `json:"value"` // in one line of YAML; empty if the point has none
}

// Status says what has become of a point.
type Status string

// Statuses.
const (
	OK      Status = "ok"
	Failed  Status = "failed"
	Missing Status = "missing" // there is no result yet
)

// Count counts the rows of a status.
func Count(rows []Row, s Status) int {
	n := 0
	for _, r := range rows {
		if r.Status == s {
			n++
		}
	}
	return n
}

// value is that of a field; empty if the row has none.
func (r Row) value(field string) string {
	for _, v := range r.Values {
		if v.Field == field {
			return v.Text
		}
	}
	return ""
}

// CSV writes a line for each row: the swept fields, seed, status, then a column for each of [Metrics], and why it
// failed. A number that a row does not have is empty.
func CSV(w io.Writer, rows []Row) error {
	c := csv.NewWriter(w)
	if err := c.Write(header(rows)); err != nil {
		return fmt.Errorf("CSV: %w", err)
	}
	for _, r := range rows {
		if err := c.Write(r.cells()); err != nil {
			return fmt.Errorf("CSV: %w", err)
		}
	}
	c.Flush()
	if err := c.Error(); err != nil {
		return fmt.Errorf("CSV: %w", err)
	}
	return nil
}

func header(rows []Row) []string {
	head := []string{"point"}
	if len(rows) > 0 {
		for _, v := range rows[0].Values {
			if v.Field != "seed" {
				head = append(head, v.Field)
			}
		}
	}
	head = append(head, "seed", "status")
	for _, m := range Metrics() {
		head = append(head, m.Name)
	}
	return append(head, "bottleneck", "error", "key")
}

func (r Row) cells() []string {
	cells := []string{strconv.Itoa(r.Point)}
	for _, v := range r.Values {
		if v.Field != "seed" {
			cells = append(cells, v.Text)
		}
	}
	cells = append(cells, strconv.FormatUint(r.Seed, 10), string(r.Status))
	bottleneck := ""
	for _, m := range Metrics() {
		text := ""
		if r.Measured != nil {
			text = plain(m.Of(*r.Measured))
		}
		cells = append(cells, text)
	}
	if r.Measured != nil {
		bottleneck = r.Measured.Bottleneck
	}
	return append(cells, bottleneck, r.Error, r.Key)
}

// plain is a number in a file: empty if there is none.
func plain(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// JSON writes all rows as one list.
func JSON(w io.Writer, rows []Row) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	if err := e.Encode(rows); err != nil {
		return fmt.Errorf("JSON: %w", err)
	}
	return nil
}
