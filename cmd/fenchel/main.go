// Command fenchel trains linear models and proves how good they are.
//
// One file per verb; main.go holds what they share: exit codes and the flags
// for reading data. No mathematics lives here.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/registry"
	"github.com/fenchel-ml/fenchel/train"
)

// Exit codes, a contract with scripts.
const (
	exitOK          = 0
	exitUsage       = 1   // unknown flag, bad parameter
	exitData        = 2   // input, output, bad data
	exitLimit       = 3   // a limit was reached before the gap
	exitFailed      = 4   // diverged or stalled
	exitFalse       = 5   // verify: the claim is false
	exitInterrupted = 130 // Ctrl-C
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is main with its surroundings as arguments.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends at once
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(stdin)
	out := &checked{w: stdout}
	root.SetOut(out)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if out.err != nil && (err == nil || printsNothing(err) || errors.Is(err, out.err)) {
		err = badData(fmt.Errorf("standard output: %w", out.err))
	}
	if err == nil {
		return exitOK
	}
	if strings.HasPrefix(err.Error(), "unknown command ") { // cobra's, on several lines
		err = unknownVerb(root, args)
	}
	var e *exit
	if !errors.As(err, &e) {
		e = &exit{exitUsage, err}
	}
	if errors.Is(err, context.Canceled) {
		e = &exit{exitInterrupted, errors.New(strings.ReplaceAll(err.Error(), context.Canceled.Error(), "interrupted"))}
	}
	if e.err != nil {
		fmt.Fprintf(stderr, "fenchel: %s\n", strings.ReplaceAll(e.err.Error(), "\n", " "))
	}
	return e.code
}

// exit is an error that knows the exit code; err == nil prints nothing.
type exit struct {
	code int
	err  error
}

func (e *exit) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exit) Unwrap() error { return e.err }

// printsNothing reports whether err is an exit code alone.
func printsNothing(err error) bool {
	var e *exit
	return errors.As(err, &e) && e.err == nil
}

// checked remembers the first error of writing, so that what a verb prints
// without looking is not lost unnoticed on a full disk.
type checked struct {
	w   io.Writer
	err error
}

func (c *checked) Write(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.w.Write(p)
	if err != nil {
		var p *fs.PathError
		if c.err = err; errors.As(err, &p) {
			c.err = p.Err
		}
	}
	return n, c.err
}

// badData marks err as one about input, output or data.
func badData(err error) error {
	if err == nil {
		return nil
	}
	return &exit{exitData, err}
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "fenchel",
		Short: "Train linear models and prove how good they are",
		Long: `Fenchel trains linear models by stochastic optimization and proves how good
each answer is: every model carries a duality-gap certificate, a proved bound on
how far its objective is from the best possible, that anyone can check again
with "fenchel verify".`,
		Version:       train.Version(),
		SilenceErrors: true,
		SilenceUsage:  true,

		DisableSuggestions: true, // unknownVerb makes them
		RunE: func(cmd *cobra.Command, _ []string) error {
			return fmt.Errorf("found no command, expected one of %s: \"fenchel --help\" explains them", strings.Join(verbs(cmd), ", "))
		},
	}
	root.AddCommand(newTrain(), newPredict(), newEvaluate(), newVerify(), newInfo(), newConvert(), newList())
	root.CompletionOptions.HiddenDefaultCmd = false
	root.SetFlagErrorFunc(explainFlag)
	refuseUnknown(root)
	return root
}

// refuseUnknown makes the commands that cobra adds, help and completion,
// refuse what they do not know: cobra's own print help and call it a success.
func refuseUnknown(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Args = func(_ *cobra.Command, args []string) error {
				if _, _, err := root.Find(args); err != nil {
					return registry.Unknown("help topic", args[0], verbs(root))
				}
				return nil
			}
		case "completion":
			var shells []string
			for _, shell := range c.Commands() {
				shells = append(shells, shell.Name())
				shell.Args = none
			}
			c.Args = cobra.ArbitraryArgs
			c.RunE = func(cmd *cobra.Command, args []string) error {
				if len(args) == 0 {
					return cmd.Help()
				}
				return registry.Unknown("shell", args[0], shells)
			}
		}
	}
}

// none refuses every argument.
func none(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("%s: found %s, expected %q", cmd.Name(), count(len(args), "argument"), cmd.UseLine())
}

// verbs lists the commands of root, without those that cobra adds.
func verbs(root *cobra.Command) []string {
	var list []string
	for _, c := range root.Commands() {
		if c.Name() != "help" && c.Name() != "completion" {
			list = append(list, c.Name())
		}
	}
	return list
}

// unknownVerb is the error for the first argument that is not a flag.
func unknownVerb(root *cobra.Command, args []string) error {
	at := slices.IndexFunc(args, func(a string) bool { return !strings.HasPrefix(a, "-") })
	return registry.Unknown("command", args[max(at, 0)], verbs(root))
}

// explainFlag says what is wrong with a flag in the words of the other errors.
func explainFlag(cmd *cobra.Command, err error) error {
	var missing *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &missing) && missing.GetSpecifiedShortnames() == "":
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, "--"+f.Name) })
		return registry.Unknown("flag", "--"+missing.GetSpecifiedName(), known)
	case errors.As(err, &invalid):
		return fmt.Errorf("--%s %s: expected %s", invalid.GetFlag().Name, invalid.GetValue(), expectedOf(invalid.GetFlag().Value.Type()))
	}
	return err
}

// expectedOf says what a flag of that type takes.
func expectedOf(kind string) string {
	switch kind {
	case "int":
		return "a whole number"
	case "uint64":
		return "a whole number >= 0"
	case "float64":
		return "a number"
	case "duration":
		return "a duration with its unit, such as 60s or 1h30m"
	case "bool":
		return "true or false"
	}
	return "a value of type " + kind
}

// arguments refuses fewer than least or, if most > 0, more than most arguments.
func arguments(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if n := len(args); n < least || most > 0 && n > most {
			return fmt.Errorf("%s: found %s, expected %q", cmd.Name(), count(n, "argument"), cmd.UseLine())
		}
		return nil
	}
}

// input holds the flags that say how to read data.
type input struct {
	opt     dataset.Options
	checked bool
}

// register adds the flags; target tells whether the verb decides on a target
// column itself or has a model that knows it.
func (in *input) register(cmd *cobra.Command, target bool) {
	f := cmd.Flags()
	f.StringVar(&in.opt.Format, "format", "", "format of the data instead of the one found by content: "+strings.Join(names(dataset.Formats()), ", "))
	f.StringVar(&in.opt.Weights, "weights", "", "column of row weights, by name or position from 1; for formats without columns a file with one number a row")
	f.StringVar(&in.opt.Labels, "labels", "", "file with one target a row, for formats without targets (IDX, NPY)")
	f.IntVar(&in.opt.Threads, "threads", 0, "use at most this many cores; never changes a result (default all)")
	if !target {
		return
	}
	f.BoolVar(&in.opt.ZeroBased, "zero-based", false, "LIBSVM indices begin with 0")
	f.StringVar(&in.opt.Header, "header", "auto", "the first line of a CSV names the columns: yes, no or auto")
	f.StringVar(&in.opt.Target, "target", "", "column to predict, by name or position from 1 (default: target, label, class or y, else the last)")
	complete(cmd, "header", "yes", "no", "auto")
}

// check refuses, before anything is read, what the reader would not understand.
func (in *input) check(cmd *cobra.Command, sources []string) error {
	if in.checked { // a generator takes time to make
		return nil
	}
	if err := refuseEmpty(cmd); err != nil {
		return err
	}
	if known := names(dataset.Formats()); in.opt.Format != "" && !slices.Contains(known, in.opt.Format) {
		return registry.Unknown("format", in.opt.Format, known)
	}
	switch in.opt.Header {
	case "auto":
		in.opt.Header = ""
	case "", "yes", "no":
	default:
		return fmt.Errorf("--header %s: expected yes, no or auto", in.opt.Header)
	}
	if in.opt.Threads < 0 {
		return fmt.Errorf("--threads %d: expected a number >= 0", in.opt.Threads)
	}
	in.checked = true
	return checkGenerators(sources)
}

// checkGenerators refuses bad specs of generators: they are about the command
// line, not about data.
func checkGenerators(sources []string) error {
	for _, source := range sources {
		if !strings.HasPrefix(source, "@") {
			continue
		}
		if len(sources) > 1 {
			return fmt.Errorf("%s: found a generator among %d sources, expected it alone", source, len(sources))
		}
		if _, _, err := dataset.Stream(source); err != nil {
			return err
		}
	}
	return nil
}

// read reads all sources as one set.
func (in *input) read(cmd *cobra.Command, sources []string) (*dataset.Set, error) {
	if err := in.check(cmd, sources); err != nil {
		return nil, err
	}
	in.opt.Stdin = cmd.InOrStdin()
	set, err := dataset.Read(cmd.Context(), sources, in.opt)
	return set, badData(err)
}

// forModel makes the reader produce the features of a model.
func (in *input) forModel(m *model.Model) {
	in.opt.Schema, in.opt.Columns, in.opt.ZeroBased = m.Schema, m.Cols(), m.Statement.ZeroBased
}

// warn prints doubts to standard error.
func warn(cmd *cobra.Command, warnings []error) {
	for _, w := range warnings {
		fmt.Fprintf(cmd.ErrOrStderr(), "fenchel: warning: %s\n", w)
	}
}

// complete offers the values that begin as the word does to the shell's
// completion of a flag.
func complete(cmd *cobra.Command, flag string, values ...string) {
	err := cmd.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
		fits := slices.DeleteFunc(slices.Clone(values), func(v string) bool { return !strings.HasPrefix(v, word) })
		return fits, cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic(err) // the flag does not exist: a mistake in this package
	}
}
