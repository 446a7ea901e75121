package main

import (
	"context"
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"gornic/tb/rtl"
)

// Every fault between references: what the table says is what they do.
func TestFaultsOfReferences(t *testing.T) {
	references := func(bool) [][2]rtl.Kind { return [][2]rtl.Kind{{rtl.Reference, rtl.Reference}} }
	for _, table := range tables() {
		for _, f := range table.rows {
			if f.coreAt != nil {
				continue
			}
			t.Run(table.name+"/"+f.name, func(t *testing.T) {
				t.Parallel()
				b := testBench(fake{}, scenarioOf(table.name, f, references))
				if code, stdout, _ := command(b, "-sim", "native"); code != 0 || !strings.Contains(stdout, "reference-reference") {
					t.Errorf("exit code %d, %s", code, stdout)
				}
			})
		}
	}
}

// A fault of each family where a core notices it; `go run ./tb/cosim -run '^(faults|rules|places)/'` has all.
func TestFaultsOfCores(t *testing.T) {
	some := "^(faults/(write-lkey/above|recv-lkey/right|read-rkey/wrap|bus/recv-wqe|wqe/sges|cq/send-full|doorbell/sq-page|packet/short-write)|" +
		"rules/(local-inv/bound|send-inv/tag|stale/read-invalidated|bus/gather-middle)|places/read/mixed)$"
	code, stdout, stderr := command(core(t.Context()), "-sim", "native", "-run", some)
	if code != 0 || !strings.HasSuffix(stdout, "\n13 passed, 0 failed\n") {
		t.Errorf("exit code %d, %s%s", code, stdout, stderr)
	}
}

// A table that is wrong is found out: each part of a verdict is compared.
func TestFaultVerdicts(t *testing.T) {
	references := func(bool) [][2]rtl.Kind { return [][2]rtl.Kind{{rtl.Reference, rtl.Reference}} }
	rows := map[string]fault{}
	for _, f := range faults() {
		rows[f.name] = f
	}
	for want, c := range map[string]struct {
		row    string
		change func(*verdict)
	}{
		`expected 0x20 REM_OP_ERR`:              {"write-rkey/tag", func(v *verdict) { v.send.status = 11 }},
		`vendor code 14; expected`:              {"write-rkey/tag", func(v *verdict) { v.send.vendor = 13 }},
		`NAKs .*syndrome:98.*expected.*:99`:     {"write-rkey/tag", func(v *verdict) { v.nak++ }},
		`host b: event QP_ACCESS_ERR`:           {"write-rkey/tag", func(v *verdict) { v.events[sideB] = nil }},
		`host b: events .* did not come`:        {"write-rkey/tag", func(v *verdict) { v.events[sideB] = append(v.events[sideB], event{code: 5}) }},
		`it does not end`:                       {"write-rkey/tag", func(v *verdict) { v.dead[sideB] = false }},
		`writes .* to which it may not`:         {"recv-lkey/above", func(v *verdict) { v.placed-- }},
		`refused 1 doorbells, expected 2`:       {"doorbell/sq-page", func(v *verdict) { v.refused++ }},
		`completion 1 .* expected 0x81 SUCCESS`: {"recv-lkey/tag", func(v *verdict) { v.recv.status = 0 }},
	} {
		f := rows[c.row]
		c.change(&f.want)
		code, stdout, _ := command(testBench(fake{}, scenarioOf("faults", f, references)), "-sim", "native")
		if code != 1 || !regexp.MustCompile(want).MatchString(stdout) {
			t.Errorf("%s: exit code %d, %q is not in %s", c.row, code, want, stdout)
		}
	}
}

var updateDocs = flag.Bool("faults.update", false, "write docs/faults.md")

// docs/faults.md is the table.
func TestFaultsDoc(t *testing.T) {
	const path = "../../docs/faults.md"
	want := faultsDoc()
	if *updateDocs {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s is not what the table says (%v): go test ./tb/cosim -run TestFaultsDoc -faults.update", path, err)
	}
}

// A twin that is no good, a key table that is changed, and memory that is not what was
// sent are found out.
func TestTwins(t *testing.T) {
	references := func(bool) [][2]rtl.Kind { return [][2]rtl.Kind{{rtl.Reference, rtl.Reference}} }
	for want, c := range map[string]struct {
		row    string
		change func(*fault)
	}{
		`the twin without the fault`:      {"stale/read-invalidated", func(f *fault) { f.twin.spoil = f.spoil }},
		`writes 64 bytes .* it may not`:   {"local-inv/state", func(f *fault) { f.twin.want.keys[sideA] = false }},
		`bytes of host a are not those`:   {"stale/read-invalidated", func(f *fault) { f.twin.spoil = otherPlace(f.twin.spoil) }},
		`made it .* and returned`:         {"stale/fetch-add-invalidated", func(f *fault) { f.twin.act = changeNumber }},
		`expected one that key .* was`:    {"send-inv/state", func(f *fault) { f.twin.act = otherInvalidate }},
		`answers .*, expected .* not end`: {"packet/read-payload", func(f *fault) { f.twin.act = inject() }},
	} {
		rows := map[string]fault{}
		for _, f := range rules() {
			rows[f.name] = f
		}
		f := rows[c.row]
		c.change(&f)
		code, stdout, _ := command(testBench(fake{}, scenarioOf("rules", f, references)), "-sim", "native")
		if code != 1 || !regexp.MustCompile(want).MatchString(stdout) {
			t.Errorf("%s: exit code %d, %q is not in %s", c.row, code, want, stdout)
		}
	}
}

// otherPlace looks for what was read somewhere else.
func otherPlace(spoil spoiler) spoiler {
	return func(ctx context.Context, r *faultRig, w *faultyWork) error {
		err := spoil(ctx, r, w)
		r.f.then = func(ctx context.Context, r *faultRig) error {
			r.work.send.RemoteAddr++
			return landed(ctx, r)
		}
		return err
	}
}

// changeNumber makes it look as if B had added something else.
func changeNumber(_ context.Context, r *faultRig) error {
	r.number++
	return nil
}

// otherInvalidate makes it look as if B had ended another key.
func otherInvalidate(_ context.Context, r *faultRig) error {
	then := r.f.then
	r.f.then = func(ctx context.Context, r *faultRig) error {
		r.work.send.InvalidateRKey ^= 1
		return then(ctx, r)
	}
	return nil
}
