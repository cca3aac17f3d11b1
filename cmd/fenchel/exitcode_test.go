package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
	"github.com/fenchel-ml/fenchel/solver"
)

// The page says what the program says.
func TestExitCodesPage(t *testing.T) {
	text, err := os.ReadFile("../../docs/formats/exit-codes.md")
	if err != nil {
		t.Fatal(err)
	}
	table := "| code | meaning |\n|---|---|\n"
	for _, e := range exitcode.Codes {
		table += fmt.Sprintf("| %d | %s |\n", e.Code, e.Meaning)
	}
	if !strings.Contains(string(text), table+"\n"+exitcode.Besides+"\n") {
		t.Errorf("expected in docs/formats/exit-codes.md:\n%s\n%s", table, exitcode.Besides)
	}
}

// Every status has its code, whether or not a proof was possible.
func TestEnded(t *testing.T) {
	for status, want := range map[solver.Status][2]int{ // possible, not possible
		solver.Converged:   {exitcode.OK, exitcode.OK},
		solver.EpochLimit:  {exitcode.Limit, exitcode.OK},
		solver.TimeLimit:   {exitcode.Limit, exitcode.Limit},
		solver.Stalled:     {exitcode.Failed, exitcode.Failed},
		solver.Diverged:    {exitcode.Failed, exitcode.Failed},
		solver.Interrupted: {exitcode.Interrupted, exitcode.Interrupted},
	} {
		for k, provesNothing := range []bool{false, true} {
			code := exitcode.OK
			if err := exitcode.Ended(status, provesNothing); err != nil {
				code = err.(*exitcode.Error).Code
			}
			if code != want[k] {
				t.Errorf("%s, proves nothing %v: found the exit code %d, expected %d", status, provesNothing, code, want[k])
			}
		}
	}
}
