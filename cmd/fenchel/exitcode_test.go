package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/solver"
)

// The page says what the program says.
func TestExitCodesPage(t *testing.T) {
	text, err := os.ReadFile("../../docs/formats/exit-codes.md")
	if err != nil {
		t.Fatal(err)
	}
	table := "| code | meaning |\n|---|---|\n"
	for _, e := range exitCodes {
		table += fmt.Sprintf("| %d | %s |\n", e.code, e.meaning)
	}
	if !strings.Contains(string(text), table+"\n"+afterExit+"\n") {
		t.Errorf("expected in docs/formats/exit-codes.md:\n%s\n%s", table, afterExit)
	}
}

// Every status has its code, whether or not a proof was possible.
func TestEnded(t *testing.T) {
	for status, want := range map[solver.Status][2]int{ // possible, not possible
		solver.Converged:   {exitOK, exitOK},
		solver.EpochLimit:  {exitLimit, exitOK},
		solver.TimeLimit:   {exitLimit, exitLimit},
		solver.Stalled:     {exitFailed, exitFailed},
		solver.Diverged:    {exitFailed, exitFailed},
		solver.Interrupted: {exitInterrupted, exitInterrupted},
	} {
		for k, provesNothing := range []bool{false, true} {
			code := exitOK
			if err := ended(status, provesNothing); err != nil {
				code = err.(*exit).code
			}
			if code != want[k] {
				t.Errorf("%s, proves nothing %v: found the exit code %d, expected %d", status, provesNothing, code, want[k])
			}
		}
	}
}
