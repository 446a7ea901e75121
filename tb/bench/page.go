package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"strings"
	"text/template"
)

//go:embed page.md.tmpl
var pageText string

// page is docs/performance.md: the template, and tables of all rows.
func page(rows []row) ([]byte, error) {
	t, err := template.New("page").Funcs(template.FuncMap{
		"budgets": func() string { return markdown(budgetHead, rows, row.budgetCells) },
		"rates": func(config string) string {
			return markdown(rateHead, rows, func(r row) []string { return r.rateCells(config) })
		},
		"trips": func() string { return markdown(tripHead, rows, row.tripCells) },
	}).Parse(pageText)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = t.Execute(&out, nil)
	return out.Bytes(), err
}

var (
	budgetHead = []string{"measurement", "budget", "measured", ""}
	rateHead   = []string{"", "operation", "bytes", "QPs", "cycles a message", "beats a message", "wire", ""}
	tripHead   = []string{"configuration", "", "operation", "host latency", "cycles", "budget", ""}
)

// budgetCells are those of a row that has a budget.
func (r row) budgetCells() []string {
	if r.Budget == "" {
		return nil
	}
	measured := fmt.Sprintf("%.2f cycles", r.Cycles)
	if strings.HasSuffix(r.Budget, "%") {
		measured = fmt.Sprintf("%.1f %%", r.Wire)
	}
	return []string{"`" + r.Name + "`", r.Budget, measured, r.Verdict}
}

func (r row) rateCells(config string) []string {
	if r.Config != config || !r.rate {
		return nil
	}
	return []string{
		r.What, r.Operation, fmt.Sprint(r.Bytes), fmt.Sprint(r.QPs), fmt.Sprintf("%.2f", r.Cycles), fmt.Sprintf("%.2f", r.Beats),
		fmt.Sprintf("%.1f %%", r.Wire), r.Verdict,
	}
}

func (r row) tripCells() []string {
	if r.rate {
		return nil
	}
	return []string{r.Config, r.What, r.Operation, fmt.Sprint(r.Latency), fmt.Sprintf("%g", r.Cycles), r.Budget, r.Verdict}
}

// markdown is a table of the rows that have cells.
func markdown(head []string, rows []row, cells func(row) []string) string {
	line := func(cells []string) string { return "| " + strings.Join(cells, " | ") + " |\n" }
	text := line(head) + "|" + strings.Repeat("---|", len(head)) + "\n"
	for _, r := range rows {
		if c := cells(r); c != nil {
			text += line(c)
		}
	}
	return strings.TrimSuffix(text, "\n")
}
