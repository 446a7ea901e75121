package toolset

import "os"

// RequireEnv names the variable that, when it is not empty, makes Need fail a test instead of skipping it: `make test`
// has just set the tools up, so there an absent one is a fault.
const RequireEnv = "GORNIC_REQUIRE_TOOLS"

// TB is the part of testing.TB that Need uses.
type TB interface {
	Helper()
	Skipf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Need returns a tool, or skips the test with the reason when the tool is absent.
func Need(tb TB, name string) Tool {
	tb.Helper()
	tool, err := Find(name)
	switch {
	case err == nil:
	case os.Getenv(RequireEnv) != "":
		tb.Fatalf("needs %v", err)
	default:
		tb.Skipf("needs %v", err)
	}
	return tool
}
