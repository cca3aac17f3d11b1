package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/live"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/option"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/paths"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/terminal"
	"github.com/fenchel-ml/fenchel/internal/experiment"
	_ "github.com/fenchel-ml/fenchel/internal/experiment/gradient"
	_ "github.com/fenchel-ml/fenchel/internal/experiment/programming"
	_ "github.com/fenchel-ml/fenchel/internal/experiment/thesis"
	"github.com/fenchel-ml/fenchel/internal/figure"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/reportpage"
)

// reproducer is one call of reproduce.
type reproducer struct {
	in     option.Input
	opt    experiment.Options
	folder string
	data   []string
	live   string            // where a page is served; "": nowhere
	page   *live.Page        // nil: none is
	shown  *terminal.Display // what the page says
}

func newReproduce() *cobra.Command {
	var p reproducer
	cmd := &cobra.Command{
		Use:   "reproduce NAME [--data FOLDER|FILE...]",
		Short: "Repeat a figure or table of the sources",
		Long: `Reproduce repeats a figure or a table of the sources by its name, one of
"fenchel list experiments" with parameters after it (NAME:key=value,...), or all of
them. It writes the points of the figure to NAME.csv, one a line, draws them in
NAME.svg, and prints what the source claims and whether it holds here, which NAME.html
shows as well, a page that opens without a network; with "all", index.html leads to
the pages. Data of the source are found by the names of their files in and below the
folder --data; without --data, generated rows take their place and no claim is judged.
After Ctrl-C the files have the curves that were finished. The exit code is 5 if one
claim does not hold, but not with --quick; for the others see
"fenchel help exit-codes".`,
		Example: `  fenchel reproduce thesis-fig6.3
  fenchel reproduce thesis-fig2.8:set=adult --data folder-of-data-sets
  fenchel reproduce thesis-fig6.5 --data train-images.gz t10k-images.gz
  fenchel reproduce all --quick -o pages`,
		Args: option.Arguments(1, 0),
		RunE: p.run,
	}
	f := cmd.Flags()
	f.StringVarP(&p.folder, "output", "o", ".", "folder of NAME.csv, .svg and .html")
	f.StringArrayVar(&p.data, "data", nil, "data of the source: a folder with its files, or files, or a generator; more may follow as arguments")
	f.IntVar(&p.opt.Runs, "runs", 0, "runs, or splits of the data, to average over (default as the experiment was made for)")
	f.BoolVar(&p.opt.Quick, "quick", false, "fewer rows, step sizes and runs, within ten seconds: claims are told, and none is judged")
	f.Uint64Var(&p.opt.Seed, "seed", 1, "of everything random")
	live.Register(cmd, &p.live)
	p.in.Register(cmd, false)
	return cmd
}

// run repeats an experiment, or all, and says what holds.
func (p *reproducer) run(cmd *cobra.Command, args []string) (err error) {
	sources := append(p.data, args[1:]...) // --data A B C: what is after A are arguments
	if len(args) > 1 && len(p.data) == 0 {
		return fmt.Errorf("reproduce: found %s after %s, expected --data before data", args[1], args[0])
	}
	if args[0] != "all" {
		if _, err := experiment.New(args[0]); err != nil {
			return err
		}
	}
	name, _, _ := strings.Cut(args[0], ":")
	if err := checkReproduce(p.opt, filepath.Join(p.folder, name+".csv"), sources); err != nil {
		return err
	}
	if p.shown, p.page, err = live.Begin(cmd, p.live, true); err != nil {
		return err
	}
	defer p.shown.Done()
	defer func() { p.page.End(live.Outcome{Err: err}) }()
	if info, err := os.Stat(strings.Join(sources, "")); len(sources) == 1 && err == nil && info.IsDir() {
		p.opt.Folder = sources[0]
	} else if len(sources) > 0 {
		set, err := p.in.Read(cmd, sources)
		if err != nil {
			return err
		}
		defer set.Close()
		p.opt.Take(set)
	}
	p.opt.Threads = p.in.Opt.Threads
	if args[0] == "all" {
		return p.all(cmd, sources)
	}
	r, err := p.one(cmd, args[0], sources)
	if err == nil && !r.Holds() {
		err = &exitcode.Error{Code: exitcode.False, Err: nil}
	}
	return err
}

// one repeats an experiment, writes its files, and prints which claims hold. After an interruption the files have
// the curves that were finished, and the error is returned too.
func (p *reproducer) one(cmd *cobra.Command, spec string, sources []string) (*experiment.Result, error) {
	e, err := experiment.New(spec)
	if err != nil {
		return nil, err
	}
	name, _, _ := strings.Cut(spec, ":")
	p.opt.Progress = p.told(spec, newSteps(cmd.ErrOrStderr()))
	r, err := e.Run(cmd.Context(), p.opt)
	ended := cmd.Context().Err() != nil
	if err != nil && !(ended && r != nil && len(r.Points) > 0) {
		return nil, err
	}
	switch {
	case ended:
		r.Unjudged = "the run was interrupted: this is what was there"
	case r.Unjudged == "" && p.opt.Quick:
		r.Unjudged = "run with --quick"
	}
	command := []string{"fenchel reproduce", spec}
	for _, source := range sources {
		command = append(command, "--data "+source)
	}
	if p.opt.Quick {
		command = append(command, "--quick")
	}
	if p.opt.Runs > 0 {
		command = append(command, fmt.Sprintf("--runs %d", p.opt.Runs))
	}
	data := cmp.Or(r.Data, strings.Join(sources, " "), "drawn by the experiment")
	facts := []string{"Source: " + sourceOf(name), fmt.Sprintf("Command: %s --seed %d", strings.Join(command, " "), p.opt.Seed), "Data: " + data}
	page := r.Page(spec, facts...)
	for _, kind := range []struct {
		extension string
		write     func(io.Writer) error
	}{{".csv", r.WriteCSV}, {".svg", page.Figures.WriteSVG}, {".html", page.WriteHTML}} {
		if err := file.WriteFile(filepath.Join(p.folder, name)+kind.extension, kind.write); err != nil {
			return nil, exitcode.BadData(err)
		}
	}
	printChecks(cmd.OutOrStdout(), filepath.Join(p.folder, name)+".csv", r)
	p.page.Found(claims(r), section(page, r.Points))
	return r, err
}

// section is the page of an experiment as a part of another.
func section(page figure.Page, points []experiment.Point) *reportpage.Section {
	s := &reportpage.Section{Title: page.Title, Text: page.Remarks}
	s.Show("What the source claims", nil, page.Heads, page.Rows)
	if len(points) == 0 {
		return s
	}
	const most = 1000 // numbers are seen, all are in the file
	var rows [][]string
	for _, q := range points[:min(len(points), most)] {
		rows = append(rows, []string{strings.Join(strings.Fields(q.Row+" "+q.Column+" "+q.Curve), " "), fmt.Sprintf("%.6g", q.X), fmt.Sprintf("%.6g", q.Y)})
	}
	s.Show("The figure", page.Figures, []string{"curve", "x", "y"}, rows)
	return s
}

// told passes on how much of an experiment is done.
func (p *reproducer) told(spec string, line func(what string, done, of int)) func(what string, done, of int) {
	p.shown.Phase(spec)
	return func(what string, done, of int) {
		line(what, done, of)
		p.shown.Say(spec, fmt.Sprintf("%d of %d %s", done, of, what), 0, 0) // other kinds of work may follow
		p.page.Counted(spec, what, done, of)
	}
}

// claims says how many claims hold.
func claims(r *experiment.Result) string {
	words := fmt.Sprintf("%d of %d", held(r), len(r.Checks))
	if r.Unjudged != "" {
		words += ", not judged"
	}
	return words
}

// sourceOf says what an experiment is taken from.
func sourceOf(name string) string {
	for _, e := range experiment.Entries() {
		if e.Name == name {
			return e.Facts.Source
		}
	}
	return ""
}

// all repeats all experiments, and writes a page with links to theirs. An error in one is kept for the end: the
// others are run all the same.
func (p *reproducer) all(cmd *cobra.Command, sources []string) error {
	index := figure.Page{Title: "Figures and tables of the sources", Heads: []string{"experiment", "source", "claims that hold", "what it shows"}}
	var failed []string
	holds := true
	for _, e := range experiment.Entries() {
		fmt.Fprintln(cmd.OutOrStdout(), e.Name)
		r, err := p.one(cmd, e.Name, sources)
		came := "not run"
		if r != nil {
			came = claims(r)
			holds = holds && r.Holds()
		}
		if err != nil {
			came = err.Error()
			failed = append(failed, e.Name+": "+err.Error())
		}
		index.Rows = append(index.Rows, []string{e.Name, e.Facts.Source, came, e.Summary})
		index.Links = append(index.Links, e.Name+".html")
		if cmd.Context().Err() != nil {
			break
		}
	}
	if err := file.WriteFile(filepath.Join(p.folder, "index.html"), index.WriteHTML); err != nil {
		return exitcode.BadData(err)
	}
	switch {
	case cmd.Context().Err() != nil:
		return cmd.Context().Err()
	case len(failed) > 0:
		return exitcode.BadData(errors.New(strings.Join(failed, "; ")))
	case !holds:
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

// held counts the claims that hold.
func held(r *experiment.Result) (count int) {
	for _, c := range r.Checks {
		if c.Holds {
			count++
		}
	}
	return count
}

// printChecks prints the claims as a table.
func printChecks(w io.Writer, path string, r *experiment.Result) {
	for _, note := range r.Notes {
		fmt.Fprintln(w, note)
	}
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	for _, c := range r.Checks {
		verdict := "does not hold"
		if c.Holds {
			verdict = "holds"
		}
		fmt.Fprintf(t, "%s\t%s\t%s: expected %s, found %s\n", c.Target, verdict, c.Claim, c.Expected, c.Found)
	}
	_ = t.Flush() // the writer remembers its error
	reason := ""
	if r.Unjudged != "" {
		reason = " (not judged: " + r.Unjudged + ")"
	}
	fmt.Fprintf(w, "%s: %s; %d of %s hold%s\n", path, printing.Count(len(r.Points), "point"), held(r), printing.Count(len(r.Checks), "target"), reason)
}
