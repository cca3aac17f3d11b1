// Package option has the flags that verbs share, what they read and how they refuse: arguments,
// data, kernels, labels. It prints nothing.
package option

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/internal/registry"
)

// None refuses every argument.
func None(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("%s: found %s, expected %s", cmd.Name(), printing.Count(len(args), "argument"), explain(cmd))
}

// Arguments refuses fewer than least or, if most > 0, more than most arguments.
func Arguments(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		n := len(args)
		if n < least {
			return fmt.Errorf("%s: name %s: %s", cmd.Name(), argumentNames(cmd)[n], explain(cmd))
		}
		if most > 0 && n > most {
			return fmt.Errorf("%s: found %s, expected %s", cmd.Name(), printing.Count(n, "argument"), explain(cmd))
		}
		if at := slices.Index(args, ""); at >= 0 { // as an unset variable of a shell script makes it
			return fmt.Errorf("%s: argument %d is empty, expected %s", cmd.Name(), at+1, explain(cmd))
		}
		return nil
	}
}

// argumentNames says in words what a verb takes, in order.
func argumentNames(cmd *cobra.Command) []string {
	var names []string
	for word := range strings.FieldsSeq(cmd.Use) {
		switch word {
		case "DATA...", "DATA", "IN...":
			names = append(names, "the data")
		case "MODEL":
			names = append(names, "a model")
		case "MODEL...":
			names = append(names, "another model")
		case "FILE":
			names = append(names, "the file")
		case "FILE...":
			names = append(names, "traces, models or components")
		case "OUT":
			names = append(names, "the file to write")
		case "WHAT":
			names = append(names, "what to "+strings.TrimSuffix(cmd.Name(), "s")+" ("+strings.Join(cmd.ValidArgs, ", ")+")")
		case "NAME":
			names = append(names, "a figure or table of \"fenchel list experiments\"")
		}
	}
	return names
}

// usage is how cmd is called, without its flags.
func explain(cmd *cobra.Command) string {
	return strings.TrimSuffix(cmd.UseLine(), " [flags]")
}

// ExpectedOf says what a flag of that type takes.
func ExpectedOf(kind string) string {
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
	return "a value"
}

// Complete offers the values that begin as the word does to the shell's
// completion of a flag.
func Complete(cmd *cobra.Command, flag string, values ...string) {
	err := cmd.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
		fits := slices.DeleteFunc(slices.Clone(values), func(v string) bool { return !strings.HasPrefix(v, word) })
		return fits, cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic(err) // the flag does not exist: a mistake in this package
	}
}

// Names returns the names of registered entries.
func Names[T any](entries []registry.Entry[T]) []string {
	out := make([]string, len(entries))
	for i, e := range entries {
		out[i] = e.Name
	}
	return out
}
