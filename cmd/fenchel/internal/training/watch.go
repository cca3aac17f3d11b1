package training

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/live"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/terminal"
	"github.com/fenchel-ml/fenchel/internal/reportpage"
	"github.com/fenchel-ml/fenchel/solver"
	"github.com/fenchel-ml/fenchel/tune"
)

// watch passes the progress of training on to the line at the terminal, the page of --live and the file of --trace.
func (t *Trainer) watch(tr *tracer) {
	var looks []func(fenchel.Progress)
	var steps []func(fenchel.Step)
	if d := t.shown; d != nil {
		d.State.Aim(t.Spec)
		steps = append(steps, func(s fenchel.Step) { d.State.Step(s, d.Now()) })
		looks = append(looks, func(p fenchel.Progress) { d.State.Certified(p, d.Now()); d.Told() })
		if t.TestSet != nil && (d.Screen.IsTerminal() || t.page != nil) {
			test := NewTester(t.TestSet, t.Set, t.In.Opt.Threads)
			looks = append(looks, func(p fenchel.Progress) {
				if value, name := test.ErrorAt(p); name != "" {
					d.State.Tested(errorWords(value, name))
					t.page.Tested(value, name)
				}
			})
		}
	}
	if t.page != nil {
		t.page.Aim(cmp.Or(t.Spec.Gap, solver.DefaultGap))
		steps, looks = append(steps, t.page.Step), append(looks, t.page.Certified)
	}
	if t.trace != "" {
		steps, looks = append(steps, tr.step), append(looks, tr.look)
	}
	t.Spec.Progress = func(p fenchel.Progress) {
		for _, look := range looks {
			look(p)
		}
	}
	t.Spec.Step = func(s fenchel.Step) {
		for _, step := range steps {
			step(s)
		}
	}
}

// judging is what is told of a search: how many of the models, or folds, are done.
func (t *Trainer) judging(noun, score string) func(tune.Progress) {
	return func(p tune.Progress) {
		words := fmt.Sprintf("%d of %d %s", p.Done, p.Problems, noun)
		if p.Best != "" {
			words += fmt.Sprintf(", best %s: %s", p.Best, scoreText(p.Score))
		}
		t.shown.Say(terminal.Searching, words, p.Done, p.Problems)
		t.page.Judged(p, cmp.Or(score, "score"))
	}
}

// endLive shows on the page how the run ended.
func (t *Trainer) endLive(err error, print func(printing.Report)) {
	o := live.Outcome{Err: err, Print: print, Report: func(ctx context.Context) (*reportpage.Page, error) {
		return reportpage.Of(ctx, reportpage.Asked{Model: t.Result.Model, Name: filepath.Base(cmp.Or(t.Out, "the model")), Learned: t.Set, Test: t.TestSet, Command: printing.Command(), Threads: t.In.Opt.Threads})
	}}
	if t.Result != nil {
		o.Status, o.ProvesNothing = t.Result.Status, t.Result.ProvesNothing
	}
	t.page.End(o)
}
