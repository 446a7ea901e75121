// Package report turns what the cycle model measured into what people and programs
// read: tables, tidy CSV, JSON, plots and one page of HTML.
//
// Start with [Measured], what is kept of a run, and [Row], a point of a sweep with what it measured. [Metrics] are the
// numbers that tables and plots have. [Text] is a run for people, [Explain] where its cycles went, [Compare] two of them; [CSV] and [JSON] are a sweep, [Plot] one
// picture of it, [Page] all of them in one HTML file.
package report
