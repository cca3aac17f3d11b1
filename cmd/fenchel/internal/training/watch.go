package training

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/live"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/terminal"
	"github.com/fenchel-ml/fenchel/internal/reportpage"
	"github.com/fenchel-ml/fenchel/solver"
	"github.com/fenchel-ml/fenchel/tune"
)

// Who is told how a run goes: a line at the terminal, a page, the trace.

// registerLive adds the flag of the page.
func (t *Trainer) registerLive(cmd *cobra.Command) {
	cmd.Flags().StringVar(&t.live, "live", "", "serve a page about the run at HOST:PORT while it lasts, such as :8080; without HOST to this machine alone, port 0: one that is free")
}

// show begins to show how the run goes.
func (t *Trainer) show(cmd *cobra.Command) (err error) {
	switch {
	case !t.Quiet:
		t.shown = terminal.NewDisplay(cmd.ErrOrStderr())
	case t.live != "":
		t.shown = terminal.NewDisplay(io.Discard) // knows what the page says
	}
	if t.live == "" {
		return nil
	}
	d := t.shown
	if t.page, err = live.Open(t.live, func() string { return d.State.Line(d.Now(), 200) }); err != nil {
		err = fmt.Errorf("--live %s: %w", printing.Spell(t.live), err)
		if unlistened := (*net.OpError)(nil); errors.As(err, &unlistened) {
			return exitcode.BadData(err)
		}
		return err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "live at %s\n", t.page.Address())
	if !t.page.Local() {
		printing.Warn(cmd, []error{fmt.Errorf("--live %s: other machines can see the run", printing.Spell(t.live))})
	}
	return nil
}

// watch has the display, the page and the trace told how training goes.
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
		t.shown.Say(words)
		t.page.Judged(p, cmp.Or(score, "score"))
	}
}

// mostReport is how long the report of a page may take that is open when a run ends.
const mostReport = 2 * time.Second

// endLive shows on the page how the run ended and, to whom has it open, a report of the model.
func (t *Trainer) endLive(cmd *cobra.Command, err error, proof func(printing.Report)) {
	if t.page == nil {
		return
	}
	out := &reportpage.Page{}
	s := out.Section("The run has ended")
	defer func() { t.page.End(out) }()
	if err != nil && (t.Result == nil || !exitcode.PrintsNothing(err)) {
		words := "It failed: " + err.Error()
		if errors.Is(err, context.Canceled) || exitcode.Of(err).Code == exitcode.Interrupted {
			words = live.Ended(solver.Interrupted, false)
		}
		s.Say(words)
	}
	if t.Result == nil {
		return
	}
	s.Say(live.Ended(t.Result.Status, t.Result.ProvesNothing))
	var text bytes.Buffer
	proof(printing.Report{W: &text})
	var rows [][]string
	for line := range strings.Lines(text.String()) {
		name, what, _ := strings.Cut(strings.TrimSpace(line), " ")
		rows = append(rows, []string{name, strings.TrimSpace(what)})
	}
	s.Show("What came out", nil, []string{"", ""}, rows)
	if !t.page.Watched() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(cmd.Context()), mostReport)
	defer cancel()
	report, err := reportpage.Of(ctx, reportpage.Asked{Model: t.Result.Model, Name: filepath.Base(cmp.Or(t.Out, "the model")), Learned: t.Set, Test: t.TestSet, Command: printing.Command(), Threads: t.In.Opt.Threads})
	if err != nil {
		s.Say("Its report takes longer than this page waits for it, or there is none: fenchel report MODEL DATA -o PAGE.html")
		return
	}
	out.Sections = append(out.Sections, report.Sections...)
}
