package flow

import "time"

// Progress is told how a build goes on. Calls come from several goroutines.
type Progress interface {
	// Begin tells of step n of so many, which took so long when it was last done; zero where that is not known.
	Begin(n, of int, step string, before time.Duration)
	Detail(text string) // what the tool is at
	End(took time.Duration, again bool)
}

// Quiet is a Progress that says nothing.
type Quiet struct{}

// Begin implements Progress.
func (Quiet) Begin(int, int, string, time.Duration) {}

// Detail implements Progress.
func (Quiet) Detail(string) {}

// End implements Progress.
func (Quiet) End(time.Duration, bool) {}
