package live

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/terminal"
	"github.com/fenchel-ml/fenchel/internal/reportpage"
	"github.com/fenchel-ml/fenchel/solver"
)

// Register adds the flag of the page.
func Register(cmd *cobra.Command, address *string) {
	cmd.Flags().StringVar(address, "live", "", "serve a page about the run at HOST:PORT while it lasts, such as :8080; without HOST to this machine alone, port 0: one that is free")
}

// Begin begins to show how a run goes, on standard error unless it is to be quiet, and on a page at an address, "": on none.
func Begin(cmd *cobra.Command, address string, quiet bool) (shown *terminal.Display, page *Page, err error) {
	switch {
	case !quiet:
		shown = terminal.NewDisplay(cmd.ErrOrStderr())
	case address != "":
		shown = terminal.NewDisplay(io.Discard) // knows what the page says
	}
	if address == "" {
		return shown, nil, nil
	}
	if page, err = Open(address, func() string { return shown.State.Line(shown.Now(), 200) }); err != nil {
		err = fmt.Errorf("--live %s: %w", printing.Spell(address), err)
		if unlistened := (*net.OpError)(nil); errors.As(err, &unlistened) {
			err = exitcode.BadData(err)
		}
		return shown, nil, err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "live at %s\n", page.Address())
	if !page.Local() {
		printing.Warn(cmd, []error{fmt.Errorf("--live %s: other machines can see the run", printing.Spell(address))})
	}
	return shown, page, nil
}

// An Outcome is how a run ended.
type Outcome struct {
	Err           error
	Status        solver.Status // "": nothing came out
	ProvesNothing bool          // there can be no gap
	Print         func(printing.Report)
	Report        func(context.Context) (*reportpage.Page, error)
}

// mostReport is how long a report may take.
const mostReport = 2 * time.Second

// End shows how the run ended and, to whom has the page open, a report of what came out.
func (p *Page) End(o Outcome) {
	if p == nil {
		return
	}
	out := &reportpage.Page{}
	defer func() { p.end(out) }()
	s := out.Section("The run has ended")
	switch e := exitcode.Of(o.Err); {
	case o.Err != nil && (errors.Is(o.Err, context.Canceled) || e.Code == exitcode.Interrupted):
		s.Say(ended(solver.Interrupted, false))
	case o.Err != nil && e.Err != nil:
		s.Say("It failed: " + e.Err.Error())
	case o.Status != "":
		s.Say(ended(o.Status, o.ProvesNothing))
	}
	if o.Status == "" {
		return
	}
	var text bytes.Buffer
	o.Print(printing.Report{W: &text})
	var rows [][]string
	for line := range strings.Lines(text.String()) {
		name, what, _ := strings.Cut(strings.TrimSpace(line), " ")
		rows = append(rows, []string{name, strings.TrimSpace(what)})
	}
	s.Show("What came out", nil, []string{"", ""}, rows)
	if p.streams.Load() == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), mostReport)
	defer cancel()
	report, err := o.Report(ctx)
	if err != nil {
		s.Say("Its report takes longer than this page waits for it, or there is none: fenchel report MODEL DATA -o PAGE.html")
		return
	}
	out.Sections = append(out.Sections, report.Sections...)
}

// ended says in words how a run ended; provesNothing: there can be no gap.
func ended(status solver.Status, provesNothing bool) string {
	switch status {
	case solver.Converged:
		return "It has converged: the gap that was asked for is proved."
	case solver.EpochLimit:
		if provesNothing {
			return "Its epochs are made. Of a model of this kind no gap can be proved."
		}
		return "It has reached the limit of epochs before the gap that was asked for was proved."
	case solver.TimeLimit:
		return "It has reached the limit of time before the gap that was asked for was proved."
	case solver.Interrupted:
		return "It was interrupted."
	case solver.Stalled:
		return "It has stalled: more time would not help, and the gap that was asked for is not proved."
	}
	return "It has diverged: the weights grow without end."
}
