package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/components"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/option"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/paths"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/reporting"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/serving"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/training"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/usage"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/registry"
)

// makers make the commands.
var makers = []struct {
	verb string
	make func() *cobra.Command
}{
	{"train", training.NewTrain},
	{"tune", training.NewTune},
	{"predict", newPredict},
	{"evaluate", newEvaluate},
	{"verify", newVerify},
	{"compare", newCompare},
	{"report", reporting.NewReport},
	{"serve", serving.NewServe},
	{"info", newInfo},
	{"convert", newConvert},
	{"path", training.NewPath},
	{"forget", training.NewForget},
	{"check-kernel", newCheckKernel},
	{"scale", newScale},
	{"sparsify", newSparsify},
	{"pca", components.NewPCA},
	{"reconstruct", components.NewReconstruct},
	{"merge", components.NewMerge},
	{"draw", newDraw},
	{"reproduce", newReproduce},
	{"list", newList},
	{"advise", newAdvise},
	{"bounds", newBounds},
	{"qp", newQP},
	{"engine", newEngine},
	{"worker", newWorker},
	{"coordinator", newCoordinator},
	{"version", newVersion},
}

// newRoot makes the command line for args: with all commands, unless these begin
// with the name of one. To make the others would take as long as to start.
func newRoot(args []string) *cobra.Command {
	root := &cobra.Command{
		Use:   "fenchel",
		Short: "Train linear models and kernel machines, find principal components, and prove how good they are",
		Long: `Fenchel trains linear models and kernel machines and finds principal components
and proves how good each answer is: a model carries a certificate, such as a
duality gap, a proved bound on how far its objective is from the best possible,
that anyone can check again with "fenchel verify". What the exit codes mean is in
"fenchel help exit-codes".`,
		Version:       pose.Version(),
		SilenceErrors: true,
		SilenceUsage:  true,

		DisableSuggestions: true, // unknownVerb makes them
		RunE: func(cmd *cobra.Command, _ []string) error {
			cmd.SetOut(cmd.ErrOrStderr()) // results alone go to standard output
			return errors.Join(cmd.Help(), errors.New("found no command, expected one of those above"))
		},
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return explainFlag(cmd, err, args) })
	root.SetUsageFunc(usage.PrintUsage)
	root.SetHelpFunc(usage.PrintHelp)
	for _, m := range makers {
		if len(args) > 0 && args[0] == m.verb {
			root.AddCommand(m.make())
			root.CompletionOptions.DisableDefaultCmd = true
			return root
		}
	}
	for _, m := range makers {
		root.AddCommand(m.make())
	}
	root.AddCommand(exitcode.NewTopic(), newTopics())
	root.CompletionOptions.HiddenDefaultCmd = false
	refuseUnknown(root)
	usage.CompleteArguments(root)
	return root
}

// verbs lists the commands of root, without those that cobra adds.
func verbs(root *cobra.Command) []string {
	var list []string
	for _, c := range root.Commands() {
		if c.Runnable() && !c.Hidden && c.Name() != "help" && c.Name() != "completion" {
			list = append(list, c.Name())
		}
	}
	return list
}

// verbHabits are commands of other programs, with those that do the same here.
var verbHabits = map[string]string{
	"fit": "train", "search": "tune", "cv": "tune", "gridsearch": "tune", "grid": "tune", "crossvalidate": "tune", "learn": "train", "svm-train": "train", "test": "evaluate", "score": "evaluate", "eval": "evaluate", "classify": "predict", "transform": "predict",
	"svm-predict": "predict", "show": "info", "diff": "compare", "inspect": "info", "summary": "info", "check": "verify", "export": "convert", "import": "convert",
}

// unknownVerb is the error for the first argument that is not a flag.
func unknownVerb(root *cobra.Command, args []string) error {
	at := slices.IndexFunc(args, func(a string) bool { return !strings.HasPrefix(a, "-") })
	verb := args[max(at, 0)]
	if ours, ok := verbHabits[verb]; ok {
		return fmt.Errorf("unknown command %q: did you mean %q? see \"fenchel --help\"", verb, ours)
	}
	return registry.Unknown("command", verb, verbs(root))
}

// refuseUnknown makes the commands that cobra adds, help and completion,
// refuse what they do not know: cobra's own print help and call it a success.
func refuseUnknown(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			helpWithPages(c)
		case "completion":
			var shells []string
			for _, shell := range c.Commands() {
				shells = append(shells, shell.Name())
				shell.Args = option.None
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

// explainFlag says what is wrong with a flag in the words of the other errors.
func explainFlag(cmd *cobra.Command, err error, args []string) error {
	var missing *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	var bare *pflag.ValueRequiredError
	switch {
	case errors.As(err, &missing):
		return usage.UnknownFlag(cmd, missing, args[min(1, len(args)):])
	case errors.As(err, &invalid):
		return fmt.Errorf("--%s %s: expected %s", invalid.GetFlag().Name, invalid.GetValue(), option.ExpectedOf(invalid.GetFlag().Value.Type()))
	case errors.As(err, &bare):
		f := bare.GetFlag()
		return fmt.Errorf("--%s: found nothing after it, expected %s", f.Name, cmp.Or(paths.ExpectedText(f.Name), option.ExpectedOf(f.Value.Type())))
	}
	return err
}
