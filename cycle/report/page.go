package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"strings"
)

//go:embed page.html.tmpl
var pageText string

// Paper is what a page says beside its rows.
type Paper struct {
	Title string
	About string // what the model is, and which code ran
	Path  string // of the experiment file, in commands
	File  string // its text
}

// Page is one HTML file with the plots and all rows of a sweep; it needs no other file.
func Page(p Paper, rows []Row, figures []Figure) ([]byte, error) {
	t, err := template.New("page").Funcs(template.FuncMap{
		"gbps": func(bits float64) string { return fmt.Sprintf("%.2f", bits/1e9) },
	}).Parse(pageText)
	if err != nil {
		return nil, fmt.Errorf("page: %w", err)
	}
	var plots []template.HTML
	for _, f := range figures {
		svg, err := SVG(f)
		if err != nil {
			return nil, err
		}
		_, body, _ := strings.Cut(string(svg), "?>") // inside of HTML there is no XML declaration
		plots = append(plots, template.HTML(strings.TrimSpace(body)))
	}
	var fields []string
	point := ""
	if len(rows) > 0 {
		for _, v := range rows[0].Values {
			fields = append(fields, v.Field)
			point += " -set " + Quote(v.Field+"="+v.Text)
		}
	}
	var out bytes.Buffer
	err = t.Execute(&out, struct {
		Paper
		Rows                  []Row
		Fields                []string
		Plots                 []template.HTML
		OK, Failed, Missing   int
		Command, PointCommand string
	}{
		p, rows, fields, plots, Count(rows, OK), Count(rows, Failed), Count(rows, Missing),
		"go run ./cycle sweep " + Quote(p.Path), "go run ./cycle explain" + point + " " + Quote(p.Path),
	})
	if err != nil {
		return nil, fmt.Errorf("page: %w", err)
	}
	return out.Bytes(), nil
}

// Quote quotes a word for a shell, if it has to be.
func Quote(word string) string {
	special := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("./_-=:,+", r))
	}
	if word != "" && !strings.ContainsFunc(word, special) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
