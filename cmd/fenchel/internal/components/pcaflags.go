package components

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/live"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/option"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/paths"
	"github.com/fenchel-ml/fenchel/internal/featuremap"
	"github.com/fenchel-ml/fenchel/internal/pca/learner"
	"github.com/fenchel-ml/fenchel/internal/pca/methods"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/pca"
)

// What the verb pca is asked for.

func (p *reducer) register(cmd *cobra.Command) {
	p.in.Register(cmd, true)
	cmd.Flags().Lookup("target").Usage = "column to leave out, by name or position from 1 (default: one called target, label, class or y)"
	f, s := cmd.Flags(), &p.spec
	f.StringVarP(&p.components, "components", "k", "", "how many components; a share of the variance such as 0.95 for the fewest that capture it; all; or mle, the number that makes the rows the most likely (Minka)")
	f.StringVar(&s.Method, "method", "auto", "method, as in \"fenchel list methods\"")
	f.StringVar(&s.Kernel, "kernel", "", "find components of the images of rows by this kernel, as in \"fenchel list kernels\": a name, name:key=value,..., or a sum of products of them")
	p.kernel.ParametersOf(cmd)
	f.StringVar(&s.Map, "map", "", "approximate the kernel by inner products of finitely many features, as in \"fenchel list maps\", and find components of these")
	f.BoolVar(&p.observed, "observed", false, "where numbers are missing, find components of those that are there, by ppca (its default), grouse, msg or others that learn row by row; else they are replaced by the means of their columns")
	f.StringVar(&p.iterate, "iterate", "", "which iterate of msg, capped-msg or warmuth-kuzmin is the answer: last, random, average, or best by rows kept apart")
	f.StringVar(&p.round, "round", "", "how its matrix becomes a subspace: top, systematic, decompose (both at random), or best by rows kept apart")
	f.BoolVar(&p.regret, "regret", false, "report the regret of such a method: what it lost to the best subspace in hindsight, and the bound on that")
	f.BoolVar(&p.center, "center", false, "subtract the mean of every feature (default for tables, and if at least one value in twenty is not zero)")
	f.StringVar(&s.Scale, "scale", "auto", "scaling of the features: "+strings.Join(pca.Scales(), ", ")+" (default std for tables, else none)")
	f.StringVar(&s.Whiten, "whiten", "", "have the model divide coordinates by the deviation along each component: population (of means over n), sample (n-1)")
	f.Lookup("whiten").NoOptDefVal = model.WhitenPopulation
	f.Float64Var(&s.Gap, "gap", 0, fmt.Sprintf("share of the best possible variance that may be missing, by proof (default %g)", pca.DefaultGap))
	f.IntVar(&s.Epochs, "epochs", 0, "passes of a method that learns row by row (default 1)")
	f.DurationVar(&s.Time, "time", 0, "stop after this time, the certificate included, such as 60s (default no limit)")
	f.BoolVar(&s.Shuffle, "shuffle", false, "such a method takes the rows in random order")
	f.Uint64Var(&s.Seed, "seed", 1, "seed of everything random")
	f.IntVar(&p.in.Opt.Columns, "features", 0, "number of features of a stream of sparse rows (default what its first thousand rows need)")
	f.BoolVar(&p.stream, "stream", false, "read each row once, in memory that does not grow with their number (default for standard input)")
	f.StringVar(&p.resume, "resume", "", "go on from the model of a stream, with rows that come after its own")
	f.Float64Var(&s.HoldOut, "hold-out", learner.UsualHoldOut, "share of a stream's rows that is held out to judge by, 0 for none")
	f.BoolVar(&s.NoState, "no-state", false, "leave out of a stream's model what --resume needs: smaller")
	f.StringVarP(&p.out, "output", "o", "", "write the model to this file")
	f.StringArrayVar(&p.notes, "note", nil, option.NoteHelp)
	f.BoolVar(&p.force, "force", false, "write the model even over a file that holds something else")
	live.Register(cmd, &p.live)
	f.BoolVarP(&p.quiet, "quiet", "q", false, "show no progress")
	f.BoolVar(&p.json, "json", false, "print one JSON object and nothing else on standard output")
	option.Complete(cmd, "method", append(option.Names(methods.Entries()), "auto")...)
	option.Complete(cmd, "kernel", option.Names(kernel.Entries())...)
	option.Complete(cmd, "map", option.Names(featuremap.Approximations())...)
	option.Complete(cmd, "whiten", model.Whitenings()...)
	option.Complete(cmd, "scale", append(pca.Scales(), "auto")...)
}

// check refuses bad flags before any data are read.
func (p *reducer) check(cmd *cobra.Command, sources []string) error {
	f := cmd.Flags()
	if f.Changed("center") {
		p.spec.Center = map[bool]string{true: "yes", false: "no"}[p.center]
		p.in.Opt.Unmoved = !p.center // a second moment about another origin is not the same
	}
	if f.Changed("observed") {
		p.spec.Missing = map[bool]string{true: pca.Observed, false: "mean"}[p.observed]
	}
	p.in.Opt.Observed = p.spec.Observes()
	if err := cmp.Or(p.checkNumbers(cmd, sources), p.howMany()); err != nil {
		return err
	}
	p.spec.Method = p.methodSpec()
	err := p.kernel.ApplyTo(cmd, &p.spec.Kernel)
	if err != nil {
		return err
	}
	p.in.Opt.Unmoved = p.in.Opt.Unmoved || p.spec.Kernel != "" // whose values depend on the origin
	if p.spec.Notes, err = option.ParseNotes(p.notes); err != nil {
		return err
	}
	if p.resume == "" {
		if !f.Changed("components") {
			return errors.New("found no number of components, expected --components K, or -k K")
		}
		if err := p.spec.Check(); err != nil {
			return err
		}
	}
	for _, name := range []string{"method", "kernel", "map", "observed", "iterate", "round", "regret", "center", "scale", "whiten", "seed", "hold-out", "note"} {
		if p.resume != "" && f.Changed(name) {
			return fmt.Errorf("--%s: found it beside --resume, expected only what the model does not say", name)
		}
	}
	if f.Changed("features") && p.in.Opt.Columns < 1 {
		return fmt.Errorf("--features %d: expected a number > 0", p.in.Opt.Columns)
	}
	p.in.Opt.Unlabelled = true
	p.spec.Threads, p.spec.ZeroBased = p.in.Opt.Threads, p.in.Opt.ZeroBased
	inputs := append(slices.Clone(sources), p.in.Opt.Labels, p.in.Opt.Weights)
	return cmp.Or(p.in.Check(cmd, sources), paths.CheckOutputs([][2]string{{"--output", p.out}}, inputs), paths.KeepOthers("--output", p.out, p.force))
}

// methodSpec is the method with what flags say of its answer, which are parameters of it.
func (p *reducer) methodSpec() string {
	spec := p.spec.Method
	for _, c := range []struct{ name, value string }{{"iterate", p.iterate}, {"round", p.round}, {"regret", map[bool]string{true: "yes"}[p.regret]}} {
		if c.value == "" {
			continue
		}
		mark := ":"
		if strings.Contains(spec, ":") {
			mark = ","
		}
		spec += mark + c.name + "=" + c.value
	}
	return spec
}

// checkNumbers refuses numbers out of their range, and those that mean nothing to a stream, or
// to rows that are all there.
func (p *reducer) checkNumbers(cmd *cobra.Command, sources []string) error {
	f, s := cmd.Flags(), &p.spec
	switch {
	case s.Method == "auto" && p.resume == "" && (p.iterate+p.round != "" || p.regret):
		return errors.New("--iterate, --round, --regret: found one of them without --method, expected msg, capped-msg or warmuth-kuzmin")
	case f.Changed("gap") && !(s.Gap > 0 && s.Gap < 1):
		return fmt.Errorf("--gap %g: expected a number between 0 and 1", s.Gap)
	case !(s.HoldOut >= 0 && s.HoldOut <= 0.5):
		return fmt.Errorf("--hold-out %g: expected a share of the rows, from 0 to 0.5", s.HoldOut)
	case f.Changed("hold-out") && !p.streams(sources):
		return errors.New("--hold-out: found it without --stream: of rows that are all there a proof is made, and none are held out")
	case f.Changed("epochs") && s.Epochs < 1:
		return fmt.Errorf("--epochs %d: expected a number > 0", s.Epochs)
	case f.Changed("time") && s.Time <= 0:
		return fmt.Errorf("--time %s: expected a duration > 0, such as 60s", s.Time)
	case f.Changed("time") && p.streams(sources):
		return errors.New("--time: found it for a stream, expected rows that are all there (a stream ends where its rows end, or at Ctrl-C)")
	case s.HoldOut == 0:
		s.HoldOut = -1
	}
	return nil
}

// howMany understands --components.
func (p *reducer) howMany() (err error) {
	s := &p.spec
	if p.components == "" {
		return nil
	}
	if p.components == "mle" {
		s.Likeliest = true
		return nil
	}
	if p.components == "all" {
		s.Share = 1
		return nil
	}
	if s.K, err = strconv.Atoi(p.components); err == nil {
		return nil
	}
	if s.Share, err = strconv.ParseFloat(p.components, 64); err != nil || !(s.Share > 0 && s.Share < 1) {
		return fmt.Errorf("--components %s: expected a number of components, a share of the variance between 0 and 1, all or mle", p.components)
	}
	return nil
}

// streams reports whether rows are read once: where that was asked for, and
// where they come from a pipe, unless the method needs more.
func (p *reducer) streams(sources []string) bool {
	return p.stream || p.resume != "" || slices.Contains(sources, "-") && p.spec.Streams()
}
