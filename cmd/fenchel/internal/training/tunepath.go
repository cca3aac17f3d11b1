package training

import (
	"cmp"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/report"
	"github.com/fenchel-ml/fenchel/internal/result"
	"github.com/fenchel-ml/fenchel/model"
)

// What tune reports of a path: solutions of which none is chosen.

// reportPath prints the path.
func (t *Tuner) reportPath(cmd *cobra.Command, started time.Time) error {
	t.Total = time.Since(started)
	t.shown.Done()
	said := printing.Print(cmd, t.JSON, t.solutions(), func(r printing.Report) {
		r.Line("data", "%s", printing.Describe(t.Set))
		r.Line("path", "%s on all rows, each begun at the one before", printing.Count(len(t.Found.Candidates), "solution"))
		t.printPath(r)
		r.Line("time", "read %s, path %s, total %s", printing.Seconds(t.Read), printing.Seconds(t.sought), printing.Seconds(t.Total))
	})
	return cmp.Or(said, t.stopped())
}

// printPath writes a line for each solution.
func (t *Tuner) printPath(r printing.Report) {
	lines := [][]string{{"lambda"}}
	varied := t.Found.Varied()
	for _, a := range varied {
		if a.Key != "lambda" {
			lines[0] = append(lines[0], a.Key)
		}
	}
	lines[0] = append(lines[0], "nonzeros", "objective", "gap", "epochs", "seconds", "")
	for k := range t.Found.Candidates {
		c := &t.Found.Candidates[k]
		line := []string{fmt.Sprintf("%.6g", c.Lambda)}
		for _, a := range varied {
			if a.Key != "lambda" {
				line = append(line, settingOf(c, a.Key))
			}
		}
		lines = append(lines, append(line, fmt.Sprint(c.Nonzeros), fmt.Sprintf("%.8g", c.Objective), fmt.Sprintf("%.1e", c.Gap), fmt.Sprint(c.Epochs), fmt.Sprintf("%.3f", c.Seconds), remark(c)))
	}
	report.PrintColumnsOf(r.W, lines)
}

// solutions is what is said of the path.
func (t *Tuner) solutions() *result.Solutions {
	out := &result.Solutions{Stopped: t.Found.Stopped, Seconds: map[string]float64{"read": t.Read.Seconds(), "search": t.sought.Seconds(), "total": t.Total.Seconds()}}
	for k := range t.Found.Candidates {
		c := &t.Found.Candidates[k]
		one := candidate(c, true)
		for _, judged := range []string{"score", "score_sd", "folds"} {
			delete(one, judged)
		}
		one["lambda"], one["nonzeros"], one["objective"], one["epochs"] = c.Lambda, c.Nonzeros, model.Bound(c.Objective), c.Epochs
		out.Candidates = append(out.Candidates, one)
	}
	return out
}
