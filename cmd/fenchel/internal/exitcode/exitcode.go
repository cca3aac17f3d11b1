// Package exitcode has the exit codes, and errors that know theirs.
package exitcode

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/solver"
)

// Exit codes, a contract with scripts.
const (
	OK          = 0
	Usage       = 1
	Data        = 2
	Limit       = 3
	Failed      = 4
	False       = 5
	Interrupted = 130
)

// Codes is the one place that says what they mean: "fenchel help exit-codes"
// prints it, and a test compares docs/formats/exit-codes.md.
var Codes = []struct {
	Code    int
	Meaning string
}{
	{OK, "The verb did what was asked. train, tune, pca: the gap is proved (`converged`), or a method that can prove nothing has made its passes (`unproved`, as the report and the JSON say). verify: everything claimed is true. qp: an optimum is proved."},
	{Usage, "An unknown command or flag, or a value that a parameter cannot have."},
	{Data, "Input or output failed, or the data are bad: the message says where."},
	{Limit, "train, tune, path, pca: a limit was reached before the gap (`epoch-limit`, `time-limit`). verify: the claims are `unproved`, neither proved nor refuted. qp: `step-limit`."},
	{Failed, "train, tune, path, pca: `stalled` or `diverged`: more time would not help. qp: `stalled`, or there is no optimum, which is proved (`infeasible`, `unbounded`, `not-convex`)."},
	{False, "verify: a claim is false. reproduce: a claim of the source does not hold here."},
	{Interrupted, "Interrupted, as by Ctrl-C."},
}

// Besides is what holds for several of them.
const Besides = "With 3, 4 and 130 train, tune and pca still write the best model so far, and path the machines so far."

// Ended turns the status of a run into an exit code; provesNothing says that there can
// be no gap, so that passes made are all that was asked for.
func Ended(status solver.Status, provesNothing bool) error {
	switch status {
	case solver.Converged:
		return nil
	case solver.EpochLimit:
		if provesNothing {
			return nil
		}
		return &Error{Code: Limit}
	case solver.TimeLimit:
		return &Error{Code: Limit}
	case solver.Interrupted:
		return &Error{Code: Interrupted}
	}
	return &Error{Code: Failed}
}

// Verified turns what verify found into an exit code; why is the reason for which the
// claims are neither proved nor refuted, "" if they are.
func Verified(problems []string, why string) error {
	switch {
	case len(problems) > 0:
		return &Error{Code: False}
	case why != "":
		return &Error{Code: Limit}
	}
	return nil
}

// Error is an error that knows the exit code; err == nil prints nothing.
type Error struct {
	Code int
	Err  error
}

func (e *Error) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit code %d", e.Code)
	}
	return e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// Of gives an error its exit code: an [Error] has one; an error about the data has Data, one about a limit of
// time Limit; every other error is about the command line and has Usage.
func Of(err error) *Error {
	var e *Error
	var data pose.DataError
	var late fenchel.LimitError
	switch {
	case errors.As(err, &e):
		return e
	case errors.As(err, &data):
		return &Error{Data, err}
	case errors.As(err, &late):
		return &Error{Limit, err}
	}
	return &Error{Usage, err}
}

// PrintsNothing reports whether err is an exit code alone.
func PrintsNothing(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Err == nil
}

// BadData marks err as one about input, output or data.
func BadData(err error) error {
	if err == nil {
		return nil
	}
	return &Error{Data, err}
}

// NewTopic makes the help topic.
func NewTopic() *cobra.Command {
	return &cobra.Command{Use: "exit-codes", Short: "What the exit codes of all commands mean", Long: explainExitCodes()}
}

func explainExitCodes() string {
	var text strings.Builder
	for _, e := range Codes {
		for k, line := range Wrap(strings.ReplaceAll(e.Meaning, "`", ""), 74) {
			if k == 0 {
				fmt.Fprintf(&text, "%3d   %s\n", e.Code, line)
			} else {
				fmt.Fprintf(&text, "      %s\n", line)
			}
		}
	}
	return text.String() + "\n" + Besides
}

// Wrap cuts text into lines of at most width letters, between words.
func Wrap(text string, width int) (lines []string) {
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
