package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/option"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/paths"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/internal/experiment"
	_ "github.com/fenchel-ml/fenchel/internal/experiment/gradient"
	_ "github.com/fenchel-ml/fenchel/internal/experiment/programming"
	_ "github.com/fenchel-ml/fenchel/internal/experiment/thesis"
	"github.com/fenchel-ml/fenchel/internal/read/file"
)

// reproducer is one call of reproduce.
type reproducer struct {
	in     option.Input
	opt    experiment.Options
	folder string
	data   []string
}

func newReproduce() *cobra.Command {
	var p reproducer
	cmd := &cobra.Command{
		Use:   "reproduce NAME [--data FILE...]",
		Short: "Repeat a figure or table of the sources",
		Long: `Reproduce repeats a figure or a table of the sources by its name, one of
"fenchel list experiments" with parameters after it (NAME:key=value,...). It writes
the points of the figure to NAME.csv, one a line, draws them in NAME.svg, and prints
what the source claims and whether it holds here, which NAME.html shows as well, a
page that opens without a network. The exit code is 5 if one claim does not; for the others
see "fenchel help exit-codes".`,
		Example: `  fenchel reproduce thesis-fig6.3
  fenchel reproduce thesis-fig6.5 --data train-images.gz t10k-images.gz
  fenchel reproduce thesis-fig6.5 --data @heavy-tailed:n=70000`,
		Args: option.Arguments(1, 0),
		RunE: p.run,
	}
	f := cmd.Flags()
	f.StringVarP(&p.folder, "output", "o", ".", "folder of NAME.csv, .svg and .html")
	f.StringArrayVar(&p.data, "data", nil, "data of the source: files, or a generator; more may follow as arguments")
	f.IntVar(&p.opt.Runs, "runs", 0, "runs, or splits of the data, to average over (default as the experiment was made for)")
	f.BoolVar(&p.opt.Quick, "quick", false, "fewer rows, step sizes and runs, within seconds: targets may be missed")
	f.Uint64Var(&p.opt.Seed, "seed", 1, "of everything random")
	p.in.Register(cmd, false)
	return cmd
}

// run repeats an experiment, and says what holds.
func (p *reproducer) run(cmd *cobra.Command, args []string) error {
	e, err := experiment.New(args[0])
	if err != nil {
		return err
	}
	name, _, _ := strings.Cut(args[0], ":")
	sources := append(p.data, args[1:]...) // --data A B C: what is after A are arguments
	if len(args) > 1 && len(p.data) == 0 {
		return fmt.Errorf("reproduce: found %s after %s, expected --data before data", args[1], args[0])
	}
	path := filepath.Join(p.folder, name)
	if err := checkReproduce(p.opt, path+".csv", sources); err != nil {
		return err
	}
	if len(sources) > 0 {
		set, err := p.in.Read(cmd, sources)
		if err != nil {
			return err
		}
		defer set.Close()
		p.opt.Data, p.opt.Labels, p.opt.Codes = set.X, set.Target.Label, set.Target.Code
		if len(set.Target.Label) == 2 {
			p.opt.Classes = make([]float64, len(set.Target.Code))
			for i, code := range set.Target.Code {
				p.opt.Classes[i] = 2*float64(code) - 1
			}
		}
	}
	p.opt.Threads = p.in.Opt.Threads
	p.opt.Progress = newSteps(cmd.ErrOrStderr())
	r, err := e.Run(cmd.Context(), p.opt)
	if err != nil {
		return err
	}
	title := strings.Join(append([]string{"fenchel reproduce", args[0]}, sources...), " ")
	for _, kind := range []struct {
		extension string
		write     func(io.Writer) error
	}{{".csv", r.WriteCSV}, {".svg", r.Figures().WriteSVG}, {".html", r.Page(title).WriteHTML}} {
		if err := file.WriteFile(path+kind.extension, kind.write); err != nil {
			return exitcode.BadData(err)
		}
	}
	printChecks(cmd.OutOrStdout(), path+".csv", r, p.opt.Quick)
	if !r.Holds() {
		return &exitcode.Error{Code: exitcode.False, Err: nil}
	}
	return nil
}

// checkReproduce refuses what would be found out only after the run.
func checkReproduce(opt experiment.Options, path string, sources []string) error {
	if opt.Runs < 0 {
		return fmt.Errorf("--runs %d: expected a number > 0", opt.Runs)
	}
	if err := paths.CheckFolder(path); err != nil {
		return err
	}
	return paths.KeepInputs("--output", path, sources...)
}

// newSteps returns what writes at most two lines a second about what is done.
func newSteps(w io.Writer) func(what string, done, of int) {
	var last time.Time
	var mu sync.Mutex
	return func(what string, done, of int) {
		mu.Lock()
		defer mu.Unlock()
		if time.Since(last) >= 500*time.Millisecond {
			fmt.Fprintf(w, "%s: %d of %d\n", what, done, of)
			last = time.Now()
		}
	}
}

// printChecks prints the claims as a table.
func printChecks(w io.Writer, path string, r *experiment.Result, quick bool) {
	for _, note := range r.Notes {
		fmt.Fprintln(w, note)
	}
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	held := 0
	for _, c := range r.Checks {
		verdict := "does not hold"
		if c.Holds {
			verdict = "holds"
			held++
		}
		fmt.Fprintf(t, "%s\t%s\t%s: expected %s, found %s\n", c.Target, verdict, c.Claim, c.Expected, c.Found)
	}
	_ = t.Flush() // the writer remembers its error
	miss := ""
	if quick && held < len(r.Checks) {
		miss = " (a run with --quick may miss targets: only one without it judges)"
	}
	fmt.Fprintf(w, "%s: %s; %d of %s hold%s\n", path, printing.Count(len(r.Points), "point"), held, printing.Count(len(r.Checks), "target"), miss)
}
