package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/solver"
)

// Exit codes, a contract with scripts.
const (
	exitOK          = 0
	exitUsage       = 1
	exitData        = 2
	exitLimit       = 3
	exitFailed      = 4
	exitFalse       = 5
	exitInterrupted = 130
)

// exitCodes is the one place that says what they mean: "fenchel help exit-codes"
// prints it, and a test compares docs/formats/exit-codes.md.
var exitCodes = []struct {
	code    int
	meaning string
}{
	{exitOK, "The verb did what was asked. train, tune, pca: the gap is proved (`converged`), or the passes are made of a method that can prove nothing, which the report and the JSON say (`unproved`). verify: everything claimed is true."},
	{exitUsage, "An unknown command or flag, or a parameter that cannot be."},
	{exitData, "Input or output failed, or the data are bad: the message says where."},
	{exitLimit, "train, tune, pca: a limit was reached before the gap (`epoch-limit`, `time-limit`). verify: the claims are `unproved`, neither proved nor refuted."},
	{exitFailed, "train, tune, pca: `stalled` or `diverged`, more time would not help."},
	{exitFalse, "verify: a claim is false. reproduce: a claim of the source does not hold here."},
	{exitInterrupted, "Interrupted, as by Ctrl-C."},
}

// afterExit is what holds for several of them.
const afterExit = "With 3, 4 and 130 train, tune and pca still write the best model so far."

// ended turns the status of a run into an exit code; provesNothing says that there can
// be no gap, so that passes made are all that was asked for.
func ended(status solver.Status, provesNothing bool) error {
	switch status {
	case solver.Converged:
		return nil
	case solver.EpochLimit:
		if provesNothing {
			return nil
		}
		return &exit{code: exitLimit}
	case solver.TimeLimit:
		return &exit{code: exitLimit}
	case solver.Interrupted:
		return &exit{code: exitInterrupted}
	}
	return &exit{code: exitFailed}
}

// verified turns what verify found into an exit code; why is the reason for which the
// claims are neither proved nor refuted, "" if they are.
func verified(problems []string, why string) error {
	switch {
	case len(problems) > 0:
		return &exit{code: exitFalse}
	case why != "":
		return &exit{code: exitLimit}
	}
	return nil
}

// validity is what the JSON of verify says: true, false, or null with a reason.
func validity(problems []string, why string) (valid, reason any) {
	switch {
	case len(problems) > 0:
		return false, nil
	case why != "":
		return nil, why
	}
	return true, nil
}

// newExitCodes makes the help topic.
func newExitCodes() *cobra.Command {
	return &cobra.Command{Use: "exit-codes", Short: "What the exit codes of all commands mean", Long: explainExitCodes()}
}

func explainExitCodes() string {
	var text strings.Builder
	for _, e := range exitCodes {
		for k, line := range wrap(strings.ReplaceAll(e.meaning, "`", ""), 74) {
			if k == 0 {
				fmt.Fprintf(&text, "%3d   %s\n", e.code, line)
			} else {
				fmt.Fprintf(&text, "      %s\n", line)
			}
		}
	}
	return text.String() + "\n" + afterExit
}

// wrap cuts text into lines of at most width letters, between words.
func wrap(text string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
